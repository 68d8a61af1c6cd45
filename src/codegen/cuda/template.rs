//! What native templates share: their operands' elements and their epilogues in slots.

use super::super::emit::{Conversion, Emitter, Finished, Lanes, Spelled, Storage};
use super::super::{Kernel, NativeHeader, Refusal, TensorMap, cpp};
use super::function::{Launch, function};
use crate::kernels::Pointer;
use crate::loops::{BinaryOp, BufferId, Expr, ExprId, NodeKind, Program, UnaryOp};
use crate::print::Dialect;
use crate::schedule::{Group, GroupKind, Item};
use crate::target::CudaTarget;
use crate::types::{Dtype, SymInt};
use rustc_hash::FxHashSet;

/// The kernel of a template group.
pub fn kernel(program: &Program, group: &Group, node: usize, target: &CudaTarget) -> Result<Kernel, Refusal> {
    let t = Template::new(program, group, target, node);
    match program.nodes[node].kind.clone() {
        NodeKind::Attention(a) => t.attention(&a),
        NodeKind::AttentionBackward(a) => Ok(t.attention_backward(&a)),
        _ => Err(Refusal {
            operators: group.operators.located(&program.origins),
            message: "the CUDA backend has no kernel for it yet; the backend cpu has".into(),
        }),
    }
}

pub(super) struct Template<'p> {
    pub(super) emitter: Emitter<'p>,
    pub(super) program: &'p Program,
    pub(super) group: &'p Group,
    pub(super) target: &'p CudaTarget,
    pub(super) node: usize,
    pub(super) buffers: Vec<BufferId>,
    pub(super) lanes: i64,
    maps: Vec<TensorMap>,
    /// Text before the function, whose names begin with `LITZ_KERNEL`.
    pub(super) before: String,
}

/// What surrounds the lines of a template.
pub(super) struct Shape {
    pub(super) kind: &'static str,
    pub(super) headers: Vec<NativeHeader>,
    pub(super) blocks: SymInt,
    pub(super) launch: Launch,
    pub(super) shared: SymInt,
}

impl<'p> Template<'p> {
    fn new(program: &'p Program, group: &'p Group, target: &'p CudaTarget, node: usize) -> Self {
        let buffers: Vec<BufferId> = group.reads.iter().chain(&group.writes).copied().collect();
        let mut emitter = Emitter::new(program, Dialect::Cuda);
        for (k, buffer) in buffers.iter().enumerate() {
            emitter.storage.insert(*buffer, Storage::Memory(Pointer::buffer(k)));
        }
        Template {
            emitter,
            program,
            group,
            target,
            node,
            buffers,
            lanes: 1,
            maps: Vec::new(),
            before: String::new(),
        }
    }

    pub(super) fn finish(self, shape: Shape) -> Kernel {
        let Finished { body: lines, symbols, functions } = self.emitter.finish();
        let (maps, symbols_count) = (self.maps.len(), symbols.len());
        let function =
            function(self.program, self.group, &self.buffers, maps, symbols_count, shape.launch, &lines);
        Kernel {
            kind: shape.kind,
            body: self.before + &function,
            functions,
            headers: shape.headers,
            buffers: self.buffers,
            symbols,
            tasks: shape.blocks,
            grain: self.program.syms.constant(shape.launch.threads),
            scratch: shape.shared,
            lanes: self.lanes,
            maps: self.maps,
        }
    }

    pub(super) fn pointer(&self, buffer: BufferId) -> String {
        let k = self.buffers.iter().position(|b| *b == buffer).expect("the buffer is a parameter");
        format!("b{k}")
    }

    /// A parameter by which the kernel copies boxes of a tensor (`native/cuda/tma.h`); its name.
    pub(super) fn map(&mut self, map: TensorMap) -> String {
        self.maps.push(map);
        format!("t{}", self.maps.len() - 1)
    }

    pub(super) fn epilogue_items(&self) -> (Vec<SymInt>, Vec<Item>) {
        match &self.group.kind {
            GroupKind::Template { dims, epilogue, .. } => (dims.clone(), epilogue.clone()),
            _ => unreachable!("a template's group is one"),
        }
    }

    /// A function that gives an element of an operand.
    pub(super) fn element(
        &mut self,
        name: &str,
        spaces: &[(&str, &[SymInt])],
        variables: &[(SymInt, &str)],
        operand: ExprId,
        dtype: Dtype,
    ) {
        let ty = cpp::scalar_type(dtype);
        let own = self.program.exprs.dtype(operand);
        self.emitter.open();
        let mut parameters: Vec<String> = Vec::new();
        for (position, sizes) in spaces {
            self.emitter.bind_point(sizes, position);
            parameters.push(format!("i64 {position}"));
        }
        let level = self.emitter.depth();
        for (var, variable) in variables {
            self.emitter.bind(*var, variable, level);
            parameters.push(format!("i64 {variable}"));
        }
        let mut value = self.emitter.value(operand);
        if own != dtype {
            value = self.emitter.convert(value, dtype);
        }
        let text = self.emitter.text(value.value);
        self.emitter.line(&format!("return {text};"));
        self.emitter.close(&format!("const auto {name} = [&]({}) -> {ty}", parameters.join(", ")));
        self.emitter.line(";");
    }

    pub(super) fn lanes_along(&mut self, var: SymInt, name: &str) {
        let level = self.emitter.depth();
        self.emitter.bind(var, name, level);
        if self.lanes > 1
            && let Some(symbol) = self.program.syms.as_symbol(var)
        {
            self.emitter.lanes = Some(Lanes { symbol, count: None, multiple: None });
        }
    }

    /// Has the epilogue find the template's own result in `sums`; gives what rounds them.
    pub(super) fn keep_sums(&mut self, out: BufferId, dtype: Dtype, start: &str) -> Option<Conversion> {
        let stored = self.program.buffers[out].dtype;
        let convert = match stored {
            _ if stored == dtype => None,
            reduced if reduced.is_reduced_float() => Some(Conversion::Round(reduced)),
            other => Some(Conversion::Cast(other)),
        };
        let start = start.value(&mut self.emitter);
        let sums = Storage::Accumulator { pointer: "sums".into(), start, convert };
        self.emitter.storage.insert(out, sums);
        convert
    }

    /// What of the epilogue is only rounded to halves.
    pub(super) fn rounded(&self, items: &[Item]) -> FxHashSet<ExprId> {
        let exprs = &self.program.exprs;
        let (mut rounded, mut exact) = (FxHashSet::default(), FxHashSet::default());
        let mut roots = Vec::new();
        for item in items {
            if let Item::Store { buffer, value, .. } = item {
                let half = self.program.buffers[*buffer].dtype.is_reduced_float();
                if half {
                    rounded.insert(*value)
                } else {
                    exact.insert(*value)
                };
                roots.push(*value);
            }
        }
        for id in exprs.postorder(&roots).into_iter().rev() {
            let keeps = match &exprs[id] {
                Expr::Cast(to, _) if to.is_reduced_float() => true,
                Expr::Binary(BinaryOp::Mul | BinaryOp::Div, ..) | Expr::Unary(UnaryOp::Neg, _) => {
                    !exact.contains(&id)
                }
                _ => false,
            };
            for operand in exprs.operands(id) {
                if keeps {
                    rounded.insert(operand)
                } else {
                    exact.insert(operand)
                };
            }
        }
        rounded.difference(&exact).copied().collect()
    }

    /// The template's own result where it is needed in memory (`own` is its offset), then what the epilogue stores.
    pub(super) fn store_epilogue(
        &mut self,
        out: BufferId,
        own: SymInt,
        items: &[Item],
        dtype: Dtype,
        start: &str,
    ) {
        let convert = self.keep_sums(out, dtype, start);
        self.emitter.rounded = self.rounded(items);
        if self.group.writes.contains(&out) {
            let pointer = self.pointer(out);
            let start = start.value(&mut self.emitter);
            let sums = self.emitter.accumulator("sums", start, convert);
            self.emitter.store_value(&pointer, own, sums);
        }
        for item in items {
            if let Item::Store { buffer, offset, value, .. } = item
                && self.group.writes.contains(buffer)
            {
                let pointer = self.pointer(*buffer);
                self.emitter.store(&pointer, *offset, *value);
            }
        }
    }
}
