//! Calls of a GPU's convolutions.

use crate::kernels::{Operand, PixelAxes, Routine, TemplateCall, ValueId};
use crate::print::{Speller, words};
use crate::types::Dtype;

/// What an image's windows are made of: channels of a group, those that are taken before the next tap, taps and dilation.
struct Taps {
    channels: i64,
    block: i64,
    taps: [i64; 2],
    dilation: [i64; 2],
}

impl Speller<'_> {
    pub(super) fn convolution_cuda(&mut self, call: &TemplateCall) {
        let epilogue = self.regions(call);
        match call.routine {
            Routine::ConvolutionMma {
                stored,
                warpgroups,
                rows,
                columns,
                down,
                across,
                stages,
                channels,
                block,
                taps_y,
                taps_x,
                dilation_y,
                dilation_x,
            } => {
                let (taps, dilation) = ([taps_y, taps_x], [dilation_y, dilation_x]);
                self.patches(call, stored, &Taps { channels, block, taps, dilation });
                let run = self.mma_run(stored, warpgroups, [rows, columns, down, across, stages]);
                self.push(&format!("{run}, false, false>(shape, left, right, {epilogue});"));
            }
            Routine::ConvolutionWgmma {
                stored,
                groups,
                high,
                columns,
                stages,
                split,
                channels,
                block,
                taps_y,
                taps_x,
                dilation_y,
                dilation_x,
            } => {
                let (taps, dilation) = ([taps_y, taps_x], [dilation_y, dilation_x]);
                self.patches(call, stored, &Taps { channels, block, taps, dilation });
                let (memory, near) = (words::memory_type(stored), taps_y * taps_x > 1);
                self.push(&format!(
                    "litz_convolve<{memory}, {groups}, {high}, {columns}, {stages}, {split}, {near}>(shape, left, right, {epilogue});"
                ));
            }
            Routine::ConvolutionDepthwise {
                stored,
                taps_y,
                taps_x,
                stride_x,
                dilation_y,
                dilation_x,
                across,
            } => {
                self.window(call);
                let [image, weight] = [0, 1].map(|k| self.start(&call.operands[k]));
                let [channels, lines] = [0, 2].map(|k| self.text_of(call.numbers[k]));
                let memory = words::memory_type(stored);
                self.push(&format!(
                    "litz_convolve_channels<{memory}, {taps_y}, {taps_x}, {stride_x}, {dilation_y}, {dilation_x}, {across}>({image}, window, {weight}, (int){channels}, {lines}, {epilogue});"
                ));
            }
            Routine::ConvolutionTma { .. } => self.convolution_tma(call, &epilogue),
            _ => unreachable!("only convolutions are spelled here"),
        }
    }

    fn text_of(&self, value: ValueId) -> String {
        crate::print::value(self.dialect, self.body, value)
    }

    /// How windows lie in the image, as `window`.
    fn window(&mut self, call: &TemplateCall) {
        let numbers: Vec<String> = call.numbers[4..].iter().map(|n| self.text_of(*n)).collect();
        let (strides, sizes) = (numbers[..3].join(", "), &numbers[3..7]);
        let sizes: Vec<String> = sizes.iter().map(|size| format!("(int){size}")).collect();
        self.push(&format!(
            "const litz_window window = {{{strides}, {}, {}}};",
            sizes.join(", "),
            numbers[7..].join(", ")
        ));
        self.next_line();
    }

    /// `window`, `left`, `right` and `shape` of a product of an image's windows and filters.
    fn patches(&mut self, call: &TemplateCall, stored: Dtype, t: &Taps) {
        self.window(call);
        let Taps { channels, block, taps: [taps_y, taps_x], dilation: [dilation_y, dilation_x] } = *t;
        let memory = words::memory_type(stored);
        let [image, weight] = [0, 1].map(|k| self.start(&call.operands[k]));
        let [rows, filters] = [1, 2].map(|k| self.text_of(call.numbers[k]));
        self.push(&format!(
            "const litz_patches<{memory}, {channels}, {block}, {taps_y}, {taps_x}, {dilation_y}, {dilation_x}> left = {{{image}, window, {rows}}};"
        ));
        self.next_line();
        let taps = taps_y * taps_x;
        self.push(&format!(
            "const litz_filters<{memory}, {channels}, {block}, {taps}> right = {{{weight}, {filters}}};"
        ));
        self.next_line();
        self.gemm_shape(&call.numbers[..4]);
    }

    /// A product whose left operand's rows are pixels in boxes: tiles count as boxes do, the innermost dimension first.
    fn convolution_tma(&mut self, call: &TemplateCall, epilogue: &str) {
        let Routine::ConvolutionTma {
            stored,
            groups,
            blocks,
            columns,
            stages,
            down,
            across,
            split,
            skew,
            band,
            in_turn,
            filters,
            channels,
            taps_x,
            axes: PixelAxes { rank, axes },
        } = call.routine
        else {
            return;
        };
        let [image, weight] = [0, 1].map(|k| match call.operands[k] {
            Operand::Boxes(boxes) => format!("t{}", boxes.map),
            _ => unreachable!("the copy engine brings boxes"),
        });
        let axes = &axes[..rank];
        let rows: i64 = axes.iter().map(|axis| axis.size).product();
        let numbers: Vec<String> = call.numbers[4..].iter().map(|n| self.text_of(*n)).collect();
        let (counts, outs) = numbers.split_at(rank);
        let mut lines = format!(
            "const int tap = inner / {channels}, channel = inner - tap * {channels} + (int)batch * {channels}; u32 place = (u32)outer / {rows};"
        );
        let mut coordinates = vec!["channel".to_string()];
        for (d, (axis, count)) in axes.iter().zip(counts).enumerate() {
            lines.push_str(&format!(" const u32 at{d} = place % (u32){count}; place /= (u32){count};"));
            let tap = match d {
                _ if axis.taps == 1 => "0".to_string(),
                0 => format!("tap % {taps_x} * {}", axis.dilation),
                _ => format!("tap / {taps_x} * {}", axis.dilation),
            };
            coordinates.push(format!("(int)at{d} * {} - {} + {tap}", axis.size * axis.step, axis.padding));
        }
        // Boxes behind the last lie behind the last image.
        let (last, count) = (&axes[rank - 1], &counts[rank - 1]);
        lines.push_str(&format!(
            " const int beyond = (int)(place * (u32){count}) * {}; (void)tap; (void)mask;",
            last.size * last.step
        ));
        let coordinates = coordinates.join(", ");
        self.push(&format!(
            "const auto left = [&](u32 to, u32 barrier, u16 mask, i64 batch, int inner, int outer) {{ {lines} litz_fetch(to, {image}, barrier, {coordinates} + beyond); }};"
        ));
        self.next_line();
        let place = format!("inner, outer + (int)batch * {filters}");
        self.push(&format!(
            "const auto right = [&](u32 to, u32 barrier, u16 mask, i64 batch, int inner, int outer) {{ if (mask) litz_fetch_shared(to, {weight}, barrier, mask, {place}); else litz_fetch(to, {weight}, barrier, {place}); }};"
        ));
        self.next_line();
        let mut lines =
            format!("u32 place = (u32)row / {rows}, within = (u32)row % {rows}; i64 m = 0, scale = 1;");
        for (d, (axis, out)) in axes.iter().zip(outs).enumerate() {
            let (size, count) = (axis.size, &counts[d]);
            let at = if d + 1 == rank { "place".to_string() } else { format!("place % (u32){count}") };
            lines.push_str(&format!(
                " {{ const u32 at = {at} * {size} + within % {size}; place /= (u32){count}; within /= {size}; if (at >= (u32){out}) return; m += at * scale; scale *= {out}; }}"
            ));
        }
        self.push(&format!(
            "const auto pixel = [&](i64 batch, i64 row, i64 n, const f32 *sums) {{ {lines} {epilogue}(batch, m, n, sums); }};"
        ));
        self.next_line();
        self.push("const auto result = [](u32, i64, int, int) {};");
        self.next_line();
        self.gemm_shape(&call.numbers[..4]);
        self.prefetch_maps();
        let memory = words::memory_type(stored);
        self.push(&format!(
            "litz_tma_run<{memory}, {groups}, {blocks}, {columns}, {stages}, {down}, {across}, {split}, {skew}, {band}, 0, {in_turn}, false, false, false>(shape, left, right, pixel, result);"
        ));
    }
}
