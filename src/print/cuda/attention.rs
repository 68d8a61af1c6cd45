//! Calls of a GPU's templates of attention. The call's operands, numbers and regions become the structs and functions that the native
//! headers ask for.

use crate::kernels::{Operand, Routine, TemplateCall};
use crate::print::{Speller, words};
use crate::templates::Header;
use crate::types::{Dtype, Scalar};

/// Native headers that a routine's text needs, each behind those that it builds on.
pub(super) fn headers(routine: &Routine) -> Option<Vec<Header>> {
    use Header::*;
    Some(match routine {
        Routine::AttentionWarps { .. } => vec![CudaAttentionBand, CudaAttention],
        Routine::AttentionFew { .. } => vec![CudaTma, CudaAttentionBand, CudaAttention, CudaAttentionFew],
        Routine::AttentionFma { rows, .. } => {
            let mut headers = vec![CudaAttentionBand, CudaAttention, CudaAttentionFma];
            if *rows {
                headers.extend([CudaGemm, CudaMma, CudaAttentionFmaRows]);
            }
            headers
        }
        Routine::AttentionMma { .. } => vec![CudaGemm, CudaMma, CudaAttentionBand, CudaAttentionMma],
        Routine::AttentionSplit { .. } => {
            vec![CudaGemm, CudaMma, CudaTma, CudaAttentionBand, CudaAttentionMma, CudaAttentionSplit]
        }
        Routine::AttentionWgmma { .. } => wgmma_headers(),
        Routine::AttentionGradQueries { .. } | Routine::AttentionGradKeys { .. } => {
            let mut headers = wgmma_headers();
            headers.push(CudaAttentionBackwardWgmma);
            headers
        }
        _ => return None,
    })
}

fn wgmma_headers() -> Vec<Header> {
    use Header::*;
    vec![CudaGemm, CudaMma, CudaTma, CudaWgmma, CudaAttentionBand, CudaAttentionMma, CudaAttentionWgmma]
}

/// Text in front of a kernel: the products of Hopper's tensor cores.
pub(super) fn before(routine: &Routine) -> String {
    match *routine {
        Routine::AttentionWgmma { stored, keys, value_size, .. } => products(stored, keys, &[value_size]),
        Routine::AttentionGradQueries { stored, walked, head_size, value_size, .. }
        | Routine::AttentionGradKeys { stored, walked, head_size, value_size, .. } => {
            products(stored, walked, &[head_size, value_size])
        }
        _ => String::new(),
    }
}

impl Speller<'_> {
    pub(super) fn attention_cuda(&mut self, call: &TemplateCall) {
        match call.routine {
            Routine::AttentionWarps { dtype, scale, parts, empty_is_nan } => {
                let ty = words::scalar_type(dtype);
                let first = format!("litz_attention_run<{ty}, {parts}, {empty_is_nan}>");
                self.attention_of_elements(call, &first, (dtype, scale));
            }
            Routine::AttentionFew { dtype, scale, own, splits, each, depth, parts, empty_is_nan } => {
                let ty = words::scalar_type(dtype);
                let first = format!(
                    "litz_attention_few<{ty}, {own}, {splits}, {each}, {depth}, {parts}, {empty_is_nan}>"
                );
                self.attention_of_elements(call, &first, (dtype, scale));
            }
            Routine::AttentionFma { dtype, scale, own, head_size, parts, stages, empty_is_nan, .. } => {
                let ty = words::scalar_type(dtype);
                let first = format!(
                    "litz_attention_fma<{ty}, {own}, {head_size}, {parts}, {stages}, {empty_is_nan}>"
                );
                self.attention_of_elements(call, &first, (dtype, scale));
            }
            Routine::AttentionMma {
                stored,
                scale,
                warps,
                head_size,
                value_size,
                chunk,
                bounded,
                empty_is_nan,
            } => {
                let (ty, scored) = (words::memory_type(stored), call.regions[0].is_some());
                let first = format!(
                    "litz_attention_mma<{ty}, {warps}, {head_size}, {value_size}, {chunk}, {scored}, {empty_is_nan}>"
                );
                self.attention_of_tiles(call, &first, (scale, bounded), "");
            }
            Routine::AttentionSplit {
                stored,
                scale,
                warps,
                splits,
                tiles,
                stages,
                head_size,
                value_size,
                bounded,
                empty_is_nan,
            } => {
                let (ty, scored) = (words::memory_type(stored), call.regions[0].is_some());
                let first = format!(
                    "litz_attention_split<{ty}, {warps}, {splits}, {tiles}, {stages}, {head_size}, {value_size}, {scored}, {empty_is_nan}>"
                );
                self.attention_of_tiles(call, &first, (scale, bounded), "");
            }
            Routine::AttentionWgmma {
                stored,
                scale,
                wave,
                groups,
                keys,
                stages,
                head_size,
                value_size,
                bounded,
                empty_is_nan,
            } => {
                let [rounds, near] = [7, 8].map(|k| self.values(&call.numbers[k..=k]));
                self.push(&format!(
                    "const litz_attention_order order = {{{wave}, (int){rounds}, (int){near}}};"
                ));
                self.next_line();
                let (ty, scored) = (words::memory_type(stored), call.regions[0].is_some());
                let first = format!(
                    "litz_attention_wgmma<{ty}, LITZ_KERNEL_products, {groups}, {keys}, {stages}, {head_size}, {value_size}, {scored}, {empty_is_nan}>"
                );
                self.attention_of_tiles(call, &first, (scale, bounded), "order, ");
            }
            Routine::AttentionGradQueries {
                stored,
                scale,
                groups,
                walked,
                stages,
                head_size,
                value_size,
                bounded,
            } => {
                let counts = format!("{groups}, {walked}, {stages}, {head_size}, {value_size}");
                self.attention_gradients(call, ("queries", stored, counts), (scale, bounded));
            }
            Routine::AttentionGradKeys {
                stored,
                scale,
                groups,
                walked,
                stages,
                head_size,
                value_size,
                bounded,
            } => {
                let counts = format!("{groups}, {walked}, {stages}, {head_size}, {value_size}");
                self.attention_gradients(call, ("keys", stored, counts), (scale, bounded));
            }
            _ => unreachable!("a CPU's template is called by a CPU's kernel"),
        }
    }

    fn attention_of_elements(&mut self, call: &TemplateCall, first: &str, (dtype, scale): (Dtype, f64)) {
        self.band(call);
        let numbers = self.values(&[&call.numbers[..5], &call.numbers[7..]].concat());
        self.push(&format!("const litz_attention_shape shape = {{{numbers}}};"));
        self.next_line();
        let (operands, scale) = (self.heads(call), words::literal(Scalar::Float(scale), dtype));
        let functions = self.functions_of_rows(call, dtype, false);
        self.push(&format!("{first}(shape, band, {scale}, {operands}, {functions});"));
    }

    fn attention_of_tiles(
        &mut self,
        call: &TemplateCall,
        first: &str,
        (scale, bounded): (f64, bool),
        before: &str,
    ) {
        self.band(call);
        self.tiles_shape(call);
        let (operands, scale) = (self.heads(call), words::literal(Scalar::Float(scale), Dtype::Float32));
        let functions = self.functions_of_rows(call, Dtype::Float32, bounded);
        self.push(&format!("{first}({before}shape, band, {operands}, {scale}, {functions});"));
    }

    fn attention_gradients(
        &mut self,
        call: &TemplateCall,
        (of, stored, counts): (&str, Dtype, String),
        (scale, bounded): (f64, bool),
    ) {
        self.band(call);
        self.tiles_shape(call);
        let (memory, scored) = (words::memory_type(stored), call.regions[0].is_some());
        let score = self.score_function(call, Dtype::Float32, bounded);
        let results = &call.operands[4..];
        let wanted: String = match results {
            [_] => String::new(),
            _ => results.iter().map(|r| format!(", {}", *r != Operand::Absent)).collect(),
        };
        let rows: Vec<String> = results
            .iter()
            .map(|result| match result {
                Operand::Memory(rows) => format!(
                    "litz_result_rows<{memory}>{{{}, {}}}",
                    self.start(result),
                    self.values(&rows.strides)
                ),
                _ => format!("litz_result_rows<{memory}>{{}}"),
            })
            .collect();
        let tensors: Vec<String> = call.operands[..4].iter().map(|o| self.start(o)).collect();
        let functions: Vec<&str> =
            call.regions[1..3].iter().flatten().map(|r| self.region_name(*r)).collect();
        let text = format!(
            "litz_attention_grad_{of}<{memory}, LITZ_KERNEL_products, {counts}, {scored}{wanted}>((int){}, shape, band, {}, {}, {score}, {}, {});",
            self.values(&call.numbers[7..8]),
            tensors.join(", "),
            words::literal(Scalar::Float(scale), Dtype::Float32),
            functions.join(", "),
            rows.join(", ")
        );
        self.push(&text);
    }

    /// `band`
    fn band(&mut self, call: &TemplateCall) {
        let (bounds, keys_of) = (self.values(&call.numbers[5..7]), call.regions[3]);
        let keys_of = keys_of.map(|region| self.region_name(region)).unwrap_or_default();
        self.push(&format!("const litz_band<decltype({keys_of})> band = {{{bounds}, {keys_of}}};"));
        self.next_line();
    }

    /// `shape`, of forms that know the sizes of a head and of a value.
    fn tiles_shape(&mut self, call: &TemplateCall) {
        let numbers = self.values(&call.numbers[..5]);
        self.push(&format!("const litz_attention_tiles shape = {{{numbers}}};"));
        self.next_line();
    }

    /// The operands: functions of elements, rows at addresses, or tensor maps.
    fn heads(&mut self, call: &TemplateCall) -> String {
        let mut names = Vec::new();
        for (operand, name) in call.operands.iter().zip(["query", "key", "value"]) {
            names.push(match operand {
                Operand::Memory(rows) => {
                    let (ty, start) = (words::memory_type(rows.dtype), self.start(operand));
                    let strides = self.values(&rows.strides);
                    self.push(&format!("const litz_heads<{ty}> {name} = {{{start}, {strides}}};"));
                    self.next_line();
                    name.to_string()
                }
                _ => self.start(operand),
            });
        }
        names.join(", ")
    }

    /// The functions for scores, finished elements and logarithms of sums.
    fn functions_of_rows(&mut self, call: &TemplateCall, dtype: Dtype, bounded: bool) -> String {
        let score = self.score_function(call, dtype, bounded);
        let epilogue = call.regions[1].map(|region| self.region_name(region)).unwrap_or_default();
        let log_sum = match call.regions[2] {
            Some(region) => self.region_name(region).to_string(),
            None => format!("[](i64, i64, i64, {}) {{}}", words::scalar_type(dtype)),
        };
        format!("{score}, {epilogue}, {log_sum}")
    }

    fn score_function(&self, call: &TemplateCall, dtype: Dtype, bounded: bool) -> String {
        let ty = words::scalar_type(dtype);
        match call.regions[0].map(|region| self.region_name(region)) {
            None => format!("[](i64, i64, i64, i64, {ty} s) -> {ty} {{ return s; }}"),
            Some(score) if bounded => format!(
                "[&](i64 batch, i64 head, i64 place, i64 key, {ty} s) -> {ty} {{ return litz_bounded({score}(batch, head, place, key, s)); }}"
            ),
            Some(score) => score.to_string(),
        }
    }
}

/// The products of a tile as wgmma has them: of 64 rows by `rows` of a tile, both in shared memory, and of weights in registers by the rows
/// of a tile, of each of these widths.
fn products(dtype: Dtype, rows: i64, widths: &[i64]) -> String {
    let ty = if dtype == Dtype::Bfloat16 { "bf16" } else { "f16" };
    let list = |n: i64| (0..n).map(|k| format!("%{k}")).collect::<Vec<_>>().join(", ");
    let sums = |n: i64| (0..n).map(|k| format!("\"+f\"(c[{k}])")).collect::<Vec<_>>().join(", ");
    let scores = rows / 2;
    let mut text = format!(
        "
struct LITZ_KERNEL_products {{
    static __device__ __forceinline__ void scores(f32 (&c)[{scores}], u64 a, u64 b, int keep) {{
        asm volatile(\"{{ .reg .pred p; setp.ne.b32 p, %{}, 0; wgmma.mma_async.sync.aligned.m64n{rows}k16.f32.{ty}.{ty} {{{}}}, %{scores}, %{}, p, 1, 1, 0, 0; }}\"
                     : {} : \"l\"(a), \"l\"(b), \"r\"(keep));
    }}",
        scores + 2,
        list(scores),
        scores + 1,
        sums(scores),
    );
    let mut widths = widths.to_vec();
    widths.dedup();
    for width in widths {
        let n = width / 2;
        text.push_str(&format!(
            "
    static __device__ __forceinline__ void sums(f32 (&c)[{n}], const u32 (&a)[4], u64 b) {{
        asm volatile(\"{{ .reg .pred p; setp.eq.b32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n{width}k16.f32.{ty}.{ty} {{{}}}, {{%{n}, %{}, %{}, %{}}}, %{}, p, 1, 1, 1; }}\"
                     : {} : \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), \"l\"(b));
    }}",
            list(n),
            n + 1,
            n + 2,
            n + 3,
            n + 4,
            sums(n),
        ));
    }
    text.push_str("\n};\n");
    text
}
