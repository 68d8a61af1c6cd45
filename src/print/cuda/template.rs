//! Calls of templates for a GPU.

use super::{attention, order};
use crate::kernels::{
    Body, Boxes, Is, LocalId, Operand, Routine, Statement, TemplateCall, ValueId, each_statement,
};
use crate::print::template::memory;
use crate::print::{Speller, words};
use crate::templates::Header;
use crate::templates::gemv::codes::CodeStep;
use crate::types::Dtype;

/// Native headers that a routine's text needs, each behind those that it builds on.
pub(in crate::print) fn headers(routine: &Routine) -> Vec<Header> {
    match *routine {
        Routine::GemmFma { .. } => vec![Header::CudaGemm],
        Routine::GemmMma { warpgroups, .. } => {
            let mut headers = vec![Header::CudaGemm, Header::CudaMma];
            headers.extend(warpgroups.then_some(Header::CudaWgmma));
            headers
        }
        Routine::GemvRows { .. } | Routine::GemvColumns { .. } => {
            vec![Header::CudaGemm, Header::CudaMma, Header::CudaGemv]
        }
        Routine::GemvCodes { .. } => {
            vec![Header::CudaGemm, Header::CudaMma, Header::CudaGemv, Header::CudaGemvCodes]
        }
        Routine::GemmTma { .. } | Routine::ConvolutionTma { .. } => {
            vec![Header::CudaGemm, Header::CudaTma, Header::CudaWgmma, Header::CudaGemmTma]
        }
        Routine::ConvolutionMma { warpgroups, .. } => {
            let mut headers = vec![Header::CudaGemm, Header::CudaMma];
            headers.extend(warpgroups.then_some(Header::CudaWgmma));
            headers.push(Header::CudaConvolution);
            headers
        }
        Routine::ConvolutionWgmma { .. } => vec![
            Header::CudaGemm,
            Header::CudaMma,
            Header::CudaTma,
            Header::CudaWgmma,
            Header::CudaConvolution,
            Header::CudaConvolutionWgmma,
        ],
        Routine::ConvolutionDepthwise { .. } => {
            vec![Header::CudaGemm, Header::CudaConvolution, Header::CudaConvolutionDepthwise]
        }
        Routine::RecurrenceCluster { .. } => vec![Header::CudaRecurrence],
        _ => match attention::headers(routine).or_else(|| order::headers(routine)) {
            Some(headers) => headers,
            None => unreachable!("a CPU's template is called by a CPU's kernel"),
        },
    }
}

/// Text in front of a kernel: instructions that its templates use and the native headers lack.
pub(super) fn before(body: &Body) -> String {
    let mut text = String::new();
    each_statement(&body.block, &mut |statement| {
        let Statement::Template(call) = statement else { return };
        match call.routine {
            Routine::GemmTma { stored, columns, .. } | Routine::ConvolutionTma { stored, columns, .. }
                if columns % 64 != 0 =>
            {
                text.push_str(&instruction(columns, words::memory_type(stored)));
            }
            ref other => text.push_str(&attention::before(other)),
        }
    });
    text
}

/// An instruction of tensor cores for so many columns; the native header has those of 64, 128, 192 and 256.
fn instruction(columns: i64, memory: &str) -> String {
    let name = if memory == "half" { "f16" } else { "bf16" };
    let count = columns / 2;
    let list = |f: &dyn Fn(i64) -> String| (0..count).map(f).collect::<Vec<_>>().join(", ");
    let (places, sums) = (list(&|k| format!("%{k}")), list(&|k| format!("\"+f\"(c[{k}])")));
    let [a, b, keep, left, right] = [0, 1, 2, 3, 4].map(|k| count + k);
    format!(
        "#ifndef LITZ_WGMMA_{columns}_{memory}
#define LITZ_WGMMA_{columns}_{memory}
template <bool left, bool right> LITZ_FN void litz_wgmma(f32 (&c)[{count}], u64 a, u64 b, int keep, {memory}) {{
    asm volatile(\"{{ .reg .pred p; setp.ne.b32 p, %{keep}, 0; wgmma.mma_async.sync.aligned.m64n{columns}k16.f32.{name}.{name} {{{places}}}, %{a}, %{b}, p, 1, 1, %{left}, %{right}; }}\"
                 : {sums} : \"l\"(a), \"l\"(b), \"r\"(keep), \"n\"(left), \"n\"(right));
}}
#endif
"
    )
}

impl Speller<'_> {
    pub(in crate::print) fn template_cuda(&mut self, call: &TemplateCall) {
        match call.routine {
            Routine::GemmFma { dtype } => {
                self.gemm_shape(&call.numbers);
                let (left, right) = (self.start(&call.operands[0]), self.start(&call.operands[1]));
                let (ty, epilogue) = (words::scalar_type(dtype), self.regions(call));
                self.push(&format!("litz_gemm_run<{ty}>(shape, {left}, {right}, {epilogue});"));
            }
            Routine::GemmMma { stored, warpgroups, rows, columns, down, across, stages } => {
                self.chunks(call);
                self.gemm_shape(&call.numbers);
                let epilogue = self.regions(call);
                let run = self.mma_run(stored, warpgroups, [rows, columns, down, across, stages]);
                let [left, right] = [0, 1].map(|k| matches!(call.operands[k], Operand::Memory(_)));
                self.push(&format!("{run}, {left}, {right}>(shape, left, right, {epilogue});"));
            }
            Routine::GemvRows { stored, thin, rows, split, unrolled, swapped, .. } => {
                self.gemv("rows", call, stored, [thin, rows, split, unrolled], swapped);
            }
            Routine::GemvColumns { stored, thin, across, threads, unrolled, swapped, .. } => {
                self.gemv("columns", call, stored, [thin, across, threads, unrolled], swapped);
            }
            Routine::GemvCodes { .. } => self.gemv_codes(call),
            Routine::GemmTma { .. } => self.gemm_tma(call),
            Routine::ConvolutionMma { .. }
            | Routine::ConvolutionWgmma { .. }
            | Routine::ConvolutionDepthwise { .. }
            | Routine::ConvolutionTma { .. } => self.convolution_cuda(call),
            Routine::RecurrenceCluster { .. } => self.recurrence_cluster(call),
            ref routine if attention::headers(routine).is_some() => self.attention_cuda(call),
            _ => self.order(call),
        }
    }

    fn gemv(&mut self, form: &str, call: &TemplateCall, stored: Dtype, numbers: [i64; 4], swapped: bool) {
        self.chunks(call);
        self.gemm_shape(&call.numbers);
        let (memory, epilogue) = (words::memory_type(stored), self.regions(call));
        let numbers = numbers.map(|n| n.to_string()).join(", ");
        let names = if swapped { "right, left" } else { "left, right" };
        self.push(&format!("litz_gemv_{form}<{memory}, {numbers}, {swapped}>(shape, {names}, {epilogue});"));
    }

    fn gemv_codes(&mut self, call: &TemplateCall) {
        let Routine::GemvCodes { stored, thin, bits, signed, bias, makes, warps, depth, ragged } =
            call.routine
        else {
            return;
        };
        self.rows_of_chunks(call, 0, "left");
        let memory = words::memory_type(stored);
        let mut names = call.regions.iter().flatten().map(|r| self.region_name(*r).to_string());
        let epilogue = names.next().unwrap_or_default();
        let shared: Vec<String> = names.collect();
        let words: Vec<String> = shared
            .iter()
            .enumerate()
            .map(|(k, name)| format!("of[{k}] = litz_both({name}(n, k), {memory}());"))
            .collect();
        self.push(&format!("const auto group = [&](int n, int k, u32 *of) {{ {} }};", words.join(" ")));
        self.next_line();
        let weight = makes.iter().fold("code".to_string(), |code, step| match step {
            CodeStep::None => code,
            CodeStep::Add(a) => format!("litz_add2({code}, of[{a}], {memory}())"),
            CodeStep::Subtract(a) => format!("litz_add2({code}, of[{a}] ^ 0x80008000u, {memory}())"),
            CodeStep::Multiply(a) => format!("litz_mul2({code}, of[{a}], {memory}())"),
            CodeStep::MultiplyAdd(a, b) => format!("litz_fma2({code}, of[{a}], of[{b}], {memory}())"),
            CodeStep::MultiplySubtract(a, b) => {
                format!("litz_fma2({code}, of[{a}], of[{b}] ^ 0x80008000u, {memory}())")
            }
        });
        self.push(&format!(
            "const auto weight = [&](u32 code, const u32 *of) -> u32 {{ return {weight}; }};"
        ));
        self.next_line();
        self.gemm_shape(&call.numbers);
        let (codes, words) = (self.start(&call.operands[2]), shared.len().max(1));
        self.push(&format!(
            "litz_gemv_codes<{memory}, {bits}, {signed}, {bias}, {words}, {thin}, {warps}, {depth}, {ragged}>(shape, left, {codes}, group, weight, {epilogue});"
        ));
    }

    fn gemm_tma(&mut self, call: &TemplateCall) {
        let Routine::GemmTma {
            stored,
            result: result_dtype,
            groups,
            blocks,
            columns,
            stages,
            down,
            across,
            split,
            skew,
            band,
            boxes,
            in_turn,
            exchanged,
            left_turned,
            right_turned,
        } = call.routine
        else {
            return;
        };
        for (operand, name) in call.operands.iter().zip(["left", "right"]) {
            self.fetched(operand, name);
        }
        let epilogue = self.regions(call);
        let end = match call.operands.get(2) {
            Some(Operand::Boxes(result)) => {
                let (coordinates, at) = self.coordinates(result);
                let Boxes { map, .. } = result;
                self.push(&format!(
                    "const auto result = [&](u32 from, i64 batch, int inner, int outer) {{ {at} litz_store_box(t{map}, from, {coordinates}); }};"
                ));
                self.next_line();
                let memory = words::memory_type(result_dtype);
                self.push(&format!(
                    "const auto pair = [&](i64 batch, i64 m, i64 n, const f32 *sums) -> u32 {{ return litz_pair<{memory}>({epilogue}(batch, m, n, sums)); }};"
                ));
                "pair".to_string()
            }
            _ => {
                self.push("const auto result = [](u32, i64, int, int) {};");
                epilogue
            }
        };
        self.next_line();
        self.gemm_shape(&call.numbers);
        self.prefetch_maps();
        let memory = words::memory_type(stored);
        self.push(&format!(
            "litz_tma_run<{memory}, {groups}, {blocks}, {columns}, {stages}, {down}, {across}, {split}, {skew}, {band}, {boxes}, {in_turn}, {exchanged}, {left_turned}, {right_turned}>(shape, left, right, {end}, result);"
        ));
    }

    /// An operand of a product as what asks for its boxes.
    fn fetched(&mut self, operand: &Operand, name: &str) {
        let Operand::Boxes(boxes) = operand else { unreachable!("the copy engine brings boxes") };
        let (coordinates, at) = self.coordinates(boxes);
        let map = boxes.map;
        self.push(&format!(
            "const auto {name} = [&](u32 to, u32 barrier, u16 mask, i64 batch, int inner, int outer) {{ {at} if (mask) litz_fetch_shared(to, t{map}, barrier, mask, {coordinates}); else litz_fetch(to, t{map}, barrier, {coordinates}); }};"
        ));
        self.next_line();
    }

    /// How many places a region sets.
    fn places_of(&self, local: LocalId) -> usize {
        let mut found = 0;
        each_statement(&self.body.block, &mut |statement| {
            if let Statement::Region(region) = statement
                && region.local == local
            {
                found = region.parameters.iter().filter(|p| p.is == Is::Place).count();
            }
        });
        found
    }
    /// A box's coordinates, and the lines that find them.
    fn coordinates(&self, boxes: &Boxes) -> (String, String) {
        let at = boxes.at.expect("a region says where a box begins");
        let rank = self.places_of(at);
        let list = |f: &dyn Fn(usize) -> String| (0..rank).map(f).collect::<Vec<_>>().join(", ");
        let (names, casts) = (list(&|k| format!("at{k}")), list(&|k| format!("(int)at{k}")));
        let region = self.region_name(at);
        (casts, format!("i64 {names}; {region}(batch, inner, outer, {names});"))
    }

    /// The beginning of a call of tensor cores' products in tiles of threads' chunks.
    pub(super) fn mma_run(&self, stored: Dtype, warpgroups: bool, tile: [i64; 5]) -> String {
        let (memory, [rows, columns, down, across, stages]) = (words::memory_type(stored), tile);
        match warpgroups {
            true => format!("litz_wgmma_run<{memory}, {}, {columns}, {stages}", rows / 64),
            false => format!("litz_mma_run<{memory}, {rows}, {columns}, {down}, {across}, {stages}"),
        }
    }

    /// The maps of both operands are brought near.
    pub(super) fn prefetch_maps(&mut self) {
        for map in ["t0", "t1"] {
            self.push(&format!("litz_map_prefetch({map});"));
            self.next_line();
        }
    }

    /// `shape`, of a product.
    pub(super) fn gemm_shape(&mut self, numbers: &[ValueId]) {
        let numbers = self.values(numbers);
        self.push(&format!("const litz_gemm_shape shape = {{{numbers}}};"));
        self.next_line();
    }

    /// `left` and `right`, of a product: what gives chunks.
    fn chunks(&mut self, call: &TemplateCall) {
        for (place, name) in ["left", "right"].into_iter().enumerate() {
            self.rows_of_chunks(call, place, name);
        }
    }
    /// One of them.
    fn rows_of_chunks(&mut self, call: &TemplateCall, place: usize, name: &str) {
        let operand = &call.operands[place];
        let (ty, start) = (memory(operand), self.start(operand));
        let sizes = self.values(&[call.numbers[1 + place], call.numbers[3]]);
        match operand {
            Operand::Rows(_, at) => {
                let at = self.region_name(*at).to_string();
                self.push(&format!(
                    "const litz_rows<{ty}, decltype({at})> {name} = {{{start}, {at}, {sizes}}};"
                ));
            }
            Operand::Memory(matrix) => {
                let strides = self.values(&matrix.strides);
                self.push(&format!("const litz_matrix<{ty}> {name} = {{{start}, {strides}, {sizes}}};"));
            }
            _ => unreachable!("chunks come from memory"),
        }
        self.next_line();
    }
}
