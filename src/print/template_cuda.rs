//! Calls of templates for a GPU.

use super::template::memory;
use super::{Speller, words};
use crate::kernels::{Operand, Routine, TemplateCall};
use crate::templates::Header;

/// Native headers that a routine's text needs, each behind those that it builds on.
pub(super) fn headers(routine: &Routine) -> Vec<Header> {
    match *routine {
        Routine::GemmFma { .. } => vec![Header::CudaGemm],
        Routine::GemmMma { warpgroups, .. } => {
            let mut headers = vec![Header::CudaGemm, Header::CudaMma];
            headers.extend(warpgroups.then_some(Header::CudaWgmma));
            headers
        }
        _ => unreachable!("a CPU's template is called by a CPU's kernel"),
    }
}

impl Speller<'_> {
    pub(super) fn template_cuda(&mut self, call: &TemplateCall) {
        match call.routine {
            Routine::GemmFma { dtype } => {
                self.gemm_shape(call);
                let (left, right) = (self.start(&call.operands[0]), self.start(&call.operands[1]));
                let (ty, epilogue) = (words::scalar_type(dtype), self.regions(call));
                self.push(&format!("litz_gemm_run<{ty}>(shape, {left}, {right}, {epilogue});"));
            }
            Routine::GemmMma { stored, warpgroups, rows, columns, down, across, stages } => {
                self.chunks(call);
                self.gemm_shape(call);
                let (memory, epilogue) = (words::memory_type(stored), self.regions(call));
                let run = match warpgroups {
                    true => format!("litz_wgmma_run<{memory}, {}, {columns}, {stages}", rows / 64),
                    false => format!("litz_mma_run<{memory}, {rows}, {columns}, {down}, {across}, {stages}"),
                };
                let [left, right] = [0, 1].map(|k| matches!(call.operands[k], Operand::Memory(_)));
                self.push(&format!("{run}, {left}, {right}>(shape, left, right, {epilogue});"));
            }
            _ => unreachable!("a CPU's template is called by a CPU's kernel"),
        }
    }

    /// `shape`, of a product.
    fn gemm_shape(&mut self, call: &TemplateCall) {
        let numbers = self.values(&call.numbers);
        self.push(&format!("const litz_gemm_shape shape = {{{numbers}}};"));
        self.next_line();
    }

    /// `left` and `right`, of a product: what gives chunks.
    fn chunks(&mut self, call: &TemplateCall) {
        for (place, name) in ["left", "right"].into_iter().enumerate() {
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
}
