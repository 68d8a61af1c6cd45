//! Contractions: native templates with the operands' and the epilogue's expressions in their slots.

use super::blocks::Copies;
use super::emit::{Conversion, Emitter, Finished, Spelled, Storage};
use super::{CodegenError, Kernel, NativeHeader, cpp};
use super::{attention, convolution};
use crate::kernels::{Base, Pointer};
use crate::loops::access::flatten;
use crate::loops::uses::gemm_shares_b;
use crate::loops::{BufferId, ExprId, NodeKind, Program};
use crate::mapping::cpu::declare_buffers;
use crate::print::{self, Dialect};
use crate::schedule::{Group, GroupKind, Item, strided_matrix};
use crate::target::CpuTarget;
use crate::templates::blocked;
use crate::types::{Dtype, SymInt};

/// The function of a template or packing group.
pub fn kernel(
    program: &Program,
    group: &Group,
    target: &CpuTarget,
    scratch: i64,
) -> Result<Kernel, CodegenError> {
    let refuse =
        |message: String| CodegenError { operators: group.operators.located(&program.origins), message };
    match &group.kind {
        GroupKind::Pack { node, .. } | GroupKind::Template { node, .. } => {
            let template = Template::new(program, group, target, *node, scratch);
            match &program.nodes[*node].kind {
                NodeKind::Gemm { .. } => Ok(template.write()),
                NodeKind::Convolution(_) => Ok(convolution::kernel(template)),
                NodeKind::Attention(_) => Ok(attention::kernel(template)),
                other => Err(refuse(format!("no native code for {other:?} yet"))),
            }
        }
        _ => Err(refuse("this is no template".to_string())),
    }
}

/// A template being written: its operands, blocks and epilogue as text.
pub struct Template<'p> {
    pub emitter: Emitter<'p>,
    pub program: &'p Program,
    pub group: &'p Group,
    pub target: &'p CpuTarget,
    pub node: usize,
    /// Bytes of scratch that a thread should need at most.
    pub most_scratch: i64,
}

/// A strided matrix in memory: pointer, batch stride and the strides of its two dimensions.
struct Matrix {
    pointer: String,
    memory_type: &'static str,
    strides: [String; 3],
}

impl<'p> Template<'p> {
    pub fn new(
        program: &'p Program,
        group: &'p Group,
        target: &'p CpuTarget,
        node: usize,
        most_scratch: i64,
    ) -> Self {
        Template { emitter: Emitter::new(program, Dialect::Cxx), program, group, target, node, most_scratch }
    }

    fn write(mut self) -> Kernel {
        let program = self.program;
        let syms = &program.syms;
        let NodeKind::Gemm { batch, m, n, k, a, b, out } = program.nodes[self.node].kind.clone() else {
            unreachable!("a GEMM group has a GEMM node")
        };
        let dtype = computed_in(program.exprs.dtype(a));
        let ty = cpp::scalar_type(dtype);
        let parameters = declare_buffers(&mut self.emitter, self.group);
        let buffers: Vec<BufferId> = parameters.iter().map(|b| b.buffer).collect();
        match dtype {
            Dtype::Float32 => self.emitter.use_function(Some("TILE_F32")),
            Dtype::Float64 => self.emitter.use_function(Some("TILE_F64")),
            _ => {}
        }
        let batches = syms.product(&batch);
        let (tasks, kind, scratch) = if let GroupKind::Pack { out, .. } = &self.group.kind {
            let batches = if gemm_shares_b(program, &batch, b) { syms.constant(1) } else { batches };
            let source = self.right(&batch, n, k, b, dtype);
            let pointer = pointer_of(&self.emitter, *out);
            let (bs, ks, ns) =
                (self.emitter.index_text(batches), self.emitter.index_text(k), self.emitter.index_text(n));
            let stored = program.buffers[*out].dtype;
            let pack = if stored == dtype {
                format!("litz_pack_b<{ty}>")
            } else {
                format!("litz_pack_b_narrow<{ty}, {}>", cpp::memory_type(stored))
            };
            self.emitter.line(&format!("{pack}({pointer}, {source}, {bs}, {ks}, {ns}, begin, end);"));
            let columns = syms.constant(self.target.panel_columns(dtype.size()) as i64);
            (syms.mul(batches, syms.ceildiv(n, columns)), "pack", 0)
        } else {
            let copies = self.copies(&batch, [m, n, k], a, b, dtype);
            let blocks = self.blocks(batches, [m, n, k], dtype.size() as i64, copies);
            let left = self.left(&batch, m, k, a, dtype);
            let right = match &self.group.kind {
                GroupKind::Template { packed: Some(packed), .. } => {
                    let stride = if gemm_shares_b(program, &batch, b) {
                        "0".to_string()
                    } else {
                        let columns = syms.constant(self.target.panel_columns(dtype.size()) as i64);
                        let size = syms.mul(syms.mul(syms.ceildiv(n, columns), columns), k);
                        self.emitter.index_text(size)
                    };
                    let (pointer, ks) = (pointer_of(&self.emitter, *packed), self.emitter.index_text(k));
                    let stored = cpp::memory_type(program.buffers[*packed].dtype);
                    format!("litz_b_packed<{ty}, {stored}>{{{pointer}, {stride}, {ks}}}")
                }
                _ => self.right(&batch, n, k, b, dtype),
            };
            self.epilogue(&batch, m, n, out, dtype);
            let sizes: Vec<String> =
                [batches, m, n, k].into_iter().map(|s| self.emitter.index_text(s)).collect();
            let sizes = sizes.join(", ");
            self.emitter.line(&format!("const litz_gemm_shape shape = {{{sizes}, {}}};", blocks.arguments()));
            self.emitter.line(&format!(
                "litz_gemm_run<{ty}>(shape, {left}, {right}, epilogue, begin, end, scratch);"
            ));
            (blocks.tasks(syms, batches, m, n), "gemm", blocks.bytes)
        };
        let Finished { body: lines, symbols, functions } = self.emitter.finish();
        Kernel {
            kind,
            body: print::cxx::function(&parameters, &lines),
            functions,
            headers: vec![NativeHeader::Tile, NativeHeader::Gemm],
            buffers,
            symbols,
            tasks,
            grain: syms.constant(1),
            scratch: syms.constant(scratch),
            lanes: 0,
            maps: Vec::new(),
        }
    }

    fn left(&mut self, batch: &[SymInt], m: SymInt, k: SymInt, a: ExprId, dtype: Dtype) -> String {
        let ty = cpp::scalar_type(dtype);
        let at = batch.len() as u32;
        let (mv, kv) = (self.program.syms.index_var(at, m), self.program.syms.index_var(at + 2, k));
        if let Some(matrix) = self.matrix(batch, [mv, kv], a, dtype) {
            let Matrix { pointer, memory_type, strides: [bs, ms, ks] } = matrix;
            return format!("litz_a_matrix<{ty}, {memory_type}>{{{pointer}, {bs}, {ms}, {ks}}}");
        }
        self.function("left", batch, (mv, "m"), (kv, "k_begin", "k_count"), a, dtype);
        format!("litz_a_function<{ty}, decltype(left)>{{left}}")
    }

    fn right(&mut self, batch: &[SymInt], n: SymInt, k: SymInt, b: ExprId, dtype: Dtype) -> String {
        let ty = cpp::scalar_type(dtype);
        let at = batch.len() as u32;
        let (nv, kv) = (self.program.syms.index_var(at + 1, n), self.program.syms.index_var(at + 2, k));
        if let Some(matrix) = self.matrix(batch, [kv, nv], b, dtype) {
            let Matrix { pointer, memory_type, strides: [bs, ks, ns] } = matrix;
            return format!("litz_b_matrix<{ty}, {memory_type}>{{{pointer}, {bs}, {ks}, {ns}}}");
        }
        self.function("right", batch, (kv, "k"), (nv, "n_begin", "n_count"), b, dtype);
        format!("litz_b_function<{ty}, decltype(right)>{{right}}")
    }

    /// Where the operands are copied before they are multiplied, as the native sources decide it.
    fn copies(&self, batch: &[SymInt], [m, n, k]: [SymInt; 3], a: ExprId, b: ExprId, dtype: Dtype) -> Copies {
        let (program, syms) = (self.program, &self.program.syms);
        let at = batch.len() as u32;
        let (mv, nv, kv) = (syms.index_var(at, m), syms.index_var(at + 1, n), syms.index_var(at + 2, k));
        let known = |size: SymInt| syms.as_const(size);
        let left = strided_matrix(program, batch, [mv, kv], a, dtype);
        let rows_in_place = match &left {
            Some(left) if left.dtype == dtype && known(left.strides[2]) == Some(1) => {
                blocked::rows_in_place(known(left.strides[1]), dtype.size() as i64)
            }
            _ => 0,
        };
        let rows_unpacked = match &self.group.kind {
            GroupKind::Template { packed: Some(packed), .. } if program.buffers[*packed].dtype == dtype => {
                i64::MAX
            }
            GroupKind::Template { packed: Some(_), .. } => 0,
            _ => match strided_matrix(program, batch, [kv, nv], b, dtype) {
                Some(right) if dtype.is_float() && known(right.strides[1]) == Some(1) => blocked::THIN_DOTS,
                Some(right) if dtype.is_float() && known(right.strides[2]) == Some(1) => blocked::THIN_ROWS,
                _ => 0,
            },
        };
        Copies { rows_in_place, rows_unpacked, left_is_computed: left.is_none() }
    }

    /// The operand as a strided matrix, as text.
    fn matrix(
        &mut self,
        batch: &[SymInt],
        vars: [SymInt; 2],
        operand: ExprId,
        dtype: Dtype,
    ) -> Option<Matrix> {
        let found = strided_matrix(self.program, batch, vars, operand, dtype)?;
        let offset = self.emitter.index_text(found.offset);
        let pointer = format!("{} + {offset}", pointer_of(&self.emitter, found.buffer));
        let strides = found.strides.map(|s| self.emitter.index_text(s));
        Some(Matrix { pointer, memory_type: cpp::memory_type(found.dtype), strides })
    }

    /// A function that computes a piece of a row of an operand.
    fn function(
        &mut self,
        name: &str,
        batch: &[SymInt],
        (row, row_name): (SymInt, &str),
        (lane, first, count): (SymInt, &str, &str),
        operand: ExprId,
        dtype: Dtype,
    ) {
        let ty = cpp::scalar_type(dtype);
        let lanes = self.target.isa.lanes() as i64;
        let own = self.program.exprs.dtype(operand);
        self.emitter.open();
        self.emitter.line(&format!("(void)batch; (void){row_name};"));
        self.emitter.bind_point(batch, "batch");
        let level = self.emitter.depth();
        self.emitter.bind(row, row_name, level);
        let last = format!("{first} + {count}");
        let place = format!("(space - {first})");
        let span = self.emitter.span(lane, (first, &last), None, lanes);
        self.emitter.over_lanes(span, &mut |e| {
            let mut value = e.value(operand);
            if own != dtype {
                value = e.convert(value, dtype);
            }
            e.store_value(&place, lane, value);
        });
        self.emitter.close(&format!(
            "const auto {name} = [&](i64 batch, i64 {row_name}, i64 {first}, i64 {count}, {ty} *space)"
        ));
        self.emitter.line(";");
    }

    /// What is done with a row of finished sums.
    fn epilogue(&mut self, batch: &[SymInt], m: SymInt, n: SymInt, out: BufferId, dtype: Dtype) {
        let GroupKind::Template { dims, epilogue, .. } = &self.group.kind else { return };
        let (dims, epilogue) = (dims.clone(), epilogue.clone());
        let syms = std::sync::Arc::clone(&self.program.syms);
        let at = batch.len() as u32;
        let own = self.program.buffers[out].dtype;
        let memory = self.emitter.storage.get(&out).cloned();
        let convert = (own != dtype).then_some(Conversion::Cast(own));
        self.emitter.open();
        self.emitter.line("(void)batch; (void)m;");
        self.emitter.bind_point(batch, "batch");
        let level = self.emitter.depth();
        self.emitter.bind(syms.index_var(at, m), "m", level);
        let start = "n_begin".value(&mut self.emitter);
        let sums = Storage::Accumulator { pointer: "sums".into(), start, convert };
        self.emitter.storage.insert(out, sums);
        let var = syms.index_var(at + 1, n);
        let vars: Vec<SymInt> = dims.iter().enumerate().map(|(k, s)| syms.index_var(k as u32, *s)).collect();
        self.store_epilogue(var, flatten(&syms, &vars, &dims), memory, &epilogue, convert);
        let ty = cpp::scalar_type(dtype);
        self.emitter.close(&format!(
            "const auto epilogue = [&](i64 batch, i64 m, i64 n_begin, i64 n_count, {ty} *sums)"
        ));
        self.emitter.line(";");
    }

    /// The loop over a row of finished sums: the template's own result where it is needed in memory (`own` is its
    /// offset), then what the epilogue stores.
    pub fn store_epilogue(
        &mut self,
        var: SymInt,
        own: SymInt,
        memory: Option<Storage>,
        epilogue: &[Item],
        convert: Option<Conversion>,
    ) {
        let (group, lanes) = (self.group, self.target.isa.lanes() as i64);
        let span = self.emitter.span(var, ("n_begin", "n_begin + n_count"), None, lanes);
        self.emitter.over_lanes(span, &mut |e| {
            if let Some(Storage::Memory(pointer)) = &memory {
                let start = "n_begin".value(e);
                let sums = e.accumulator("sums", start, convert);
                e.store_value(pointer.clone(), own, sums);
            }
            for item in epilogue {
                if let Item::Store { buffer, offset, value, .. } = item
                    && group.writes.contains(buffer)
                {
                    let pointer = pointer_of(e, *buffer);
                    e.store(&pointer, *offset, *value);
                }
            }
        });
    }
}

/// The dtype that a product of operands of this dtype is summed in.
fn computed_in(dtype: Dtype) -> Dtype {
    match dtype {
        Dtype::Float32 | Dtype::Float64 | Dtype::Int32 | Dtype::Int64 => dtype,
        d if d.is_float() => Dtype::Float32,
        _ => Dtype::Int64,
    }
}

/// A buffer parameter's name.
pub fn pointer_of(emitter: &Emitter<'_>, buffer: BufferId) -> String {
    match emitter.storage.get(&buffer) {
        Some(Storage::Memory(Pointer { base: Base::Buffer(place), .. })) => format!("b{place}"),
        other => unreachable!("buffer {buffer} is {other:?}, not memory"),
    }
}
