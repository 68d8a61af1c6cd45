//! Parameters, buffers and constants of an exported program. Names that are one view of one storage are one constant;
//! where views of a storage differ and overlap, one constant holds the storage and nodes make the views, so that a write
//! to one is seen through all.

use super::FrontendError;
use super::error::Result;
use super::program::{Document, Reader};
use super::weight_files::Tensor as WeightTensor;
use super::weights::Payload;
use crate::base::{HashSet, Status, shortened};
use crate::ir::{self, Arg, ConstantKind, Definition, Graph, Value};
use crate::meta::Builder;
use crate::ops::{Class, Form};
use crate::types::{Dtype, SymInt, TensorMeta};

/// A tensor of a file of weights that is in the graph.
pub struct Loaded {
    tensor: WeightTensor,
    /// The dtype that the program computes with.
    dtype: Dtype,
    constant: usize,
    value: Value,
}

impl Reader<'_> {
    pub(super) fn constant(
        &mut self,
        document: &Document<'_>,
        arg: &str,
        name: &str,
        kind: ConstantKind,
        is_saved: bool,
    ) -> Result<Value> {
        if self.named.contains_key(name) {
            return Err(FrontendError::parse(format!("the signature names `{name}` twice")));
        }
        let Some(payloads) = self.payloads else {
            let meta = self.input_meta(document, arg)?;
            let value = match self.weights.and_then(|w| w.get(name)) {
                Some(tensor) => {
                    self.weight(tensor, &meta, name, kind).map_err(|e| e.about("tensor", name))?
                }
                None => {
                    if self.weights.is_some() && is_saved {
                        self.missing.push(name.to_string());
                    }
                    self.graph.add_input(name, meta)
                }
            };
            self.named.insert(name.to_string(), self.graph.values[value].definition);
            return Ok(value);
        };
        let view = payloads.get(name).ok_or_else(|| {
            FrontendError::parse(format!("the signature names `{name}`, for which the archive has no data"))
        })?;
        if let Some(shared) = self.shared.iter().position(|s| s.holds(view)) {
            let view = view.clone();
            return self.shared_constant(shared, &view, name, kind);
        }
        if let Some(k) = self.views.iter().position(|v| v.same_view(view)) {
            self.graph.constants[k].aliases.push(name.to_string());
            self.named.insert(name.to_string(), Definition::Constant(k));
            return Ok(self.graph.constants[k].value);
        }
        let data = view.data().map_err(|e| e.in_entry(&format!("{} (`{name}`)", view.storage), None))?;
        let syms = &self.graph.syms;
        let known = |list: &[i64]| list.iter().map(|n| syms.constant(*n)).collect::<Vec<SymInt>>();
        let shape = known(&view.shape);
        // The data are contiguous. The strides are those of PyTorch's tensor, and decide how results are laid out.
        let strides = self.plain_strides(&shape, known(&view.strides));
        let meta = TensorMeta { strides, ..TensorMeta::contiguous(syms, view.dtype, shape) };
        let value = self.graph.add_constant(name, kind, meta, data);
        self.views.push(view.clone());
        self.named.insert(name.to_string(), self.graph.values[value].definition);
        Ok(value)
    }

    /// A tensor of a file of weights, of the dtype that the program asks for. Names of the same bytes are one constant.
    fn weight(
        &mut self,
        tensor: &WeightTensor,
        wanted: &TensorMeta,
        name: &str,
        kind: ConstantKind,
    ) -> Result<Value> {
        let sizes = self.graph.syms.as_consts(&wanted.shape);
        if sizes.as_ref() != Some(&tensor.shape) {
            let asked = self.graph.syms.display_list(&wanted.shape);
            let message = format!("its sizes are {:?}, and the program asks for {asked}", tensor.shape);
            return Err(FrontendError::new(Status::Shape, message));
        }
        let same = |known: &&Loaded| known.tensor.same_bytes(tensor) && known.dtype == wanted.dtype;
        if let Some(known) = self.loaded.iter().find(same) {
            self.graph.constants[known.constant].aliases.push(name.to_string());
            return Ok(known.value);
        }
        let constant = self.graph.constants.len();
        let mut value = tensor.add_to(&mut self.graph, name, kind)?;
        if matches!(self.graph.values[value].definition, Definition::Constant(_)) {
            let meta = TensorMeta { strides: wanted.strides.clone(), ..self.graph.meta(value).clone() };
            self.graph.metas.insert(value, meta);
        }
        let own = self.graph.meta(value).dtype;
        if own != wanted.dtype {
            if !own.is_float() || !wanted.dtype.is_float() {
                let message = format!("it is {own}, and the program asks for {}", wanted.dtype);
                return Err(FrontendError::new(Status::Dtype, message));
            }
            let named = vec![("dtype", Arg::Dtype(wanted.dtype))];
            let args = vec![Arg::Value(value)];
            value = Builder::new(&mut self.graph).op_with("aten._to_copy.default", args, named)?;
        }
        self.loaded.push(Loaded { tensor: tensor.clone(), dtype: wanted.dtype, constant, value });
        Ok(value)
    }

    /// All that the weights should have, in one error.
    pub(super) fn refuse_missing(&self) -> Result<()> {
        if self.missing.is_empty() {
            return Ok(());
        }
        let names: Vec<String> = self.missing.iter().map(|n| format!("`{}`", shortened(n))).collect();
        Err(FrontendError::new(
            Status::InvalidArgument,
            format!(
                "the weights lack {} of the program's tensors: {}; give them those names as aliases where they have others",
                names.len(),
                names.join(", ")
            ),
        ))
    }

    /// A constant that is a view of a storage of which others are different views: one constant holds the storage, and
    /// a node makes the view, so that a write to one is seen through all.
    fn shared_constant(
        &mut self,
        shared: usize,
        view: &Payload,
        name: &str,
        kind: ConstantKind,
    ) -> Result<Value> {
        let storage = match self.shared[shared].constant {
            Some(k) => k,
            None => {
                let whole = self.shared[shared].whole(view);
                let data = whole.data().map_err(|e| e.in_entry(&whole.storage, None))?;
                let shape = whole.shape.iter().map(|s| self.graph.syms.constant(*s)).collect();
                let meta = TensorMeta::contiguous(&self.graph.syms, whole.dtype, shape);
                // A name that no exported one can be.
                self.graph.add_constant(&format!("storage of {name}"), kind, meta, data);
                self.views.push(whole);
                let k = self.graph.constants.len() - 1;
                self.shared[shared].constant = Some(k);
                k
            }
        };
        let offset = view.offset - self.shared[shared].start;
        let constant = &mut self.graph.constants[storage];
        let base = constant.value;
        let same = |v: &&mut ir::ConstantView| {
            v.shape == view.shape && v.strides == view.strides && v.offset == offset
        };
        let first = constant.views.iter_mut().find(same).map(|v| {
            v.aliases.push(name.to_string());
            v.name.clone()
        });
        let value = match first.and_then(|first| self.named.get(&first).copied()) {
            Some(Definition::Node { node, index }) => self.graph.nodes[node].outputs[index],
            _ => {
                constant.views.push(ir::ConstantView {
                    name: name.to_string(),
                    aliases: Vec::new(),
                    kind,
                    shape: view.shape.clone(),
                    strides: view.strides.clone(),
                    offset,
                });
                let syms = self.graph.syms.clone();
                let ints = |list: &[i64]| Arg::Ints(list.iter().map(|v| syms.constant(*v)).collect());
                let at = Arg::Int(syms.constant(offset));
                let args = vec![Arg::Value(base), ints(&view.shape), ints(&view.strides), at];
                let value = Builder::new(&mut self.graph).op("aten.as_strided.default", args)?;
                self.graph.values[value].name = Some(name.to_string());
                value
            }
        };
        self.named.insert(name.to_string(), self.graph.values[value].definition);
        Ok(value)
    }

    /// Refuses programs that write to a storage of which several constants are views of different dtypes: each of those
    /// has its own memory, so the others would not see the write.
    pub(super) fn refuse_shared_mutation(&self) -> Result<()> {
        let overlap = |a: &Payload, b: &Payload| {
            let ((s, e), (t, f)) = (a.extent().unwrap_or((0, i64::MAX)), b.extent().unwrap_or((0, i64::MAX)));
            a.storage == b.storage && s < f && t < e
        };
        let shared: Vec<(usize, usize)> = (0..self.views.len())
            .flat_map(|a| (0..self.views.len()).map(move |b| (a, b)))
            .filter(|(a, b)| a != b && overlap(&self.views[*a], &self.views[*b]))
            .collect();
        if shared.is_empty() {
            return Ok(());
        }
        let mutated = mutated_constants(&self.graph);
        match shared.iter().find(|(a, _)| mutated.contains(a)) {
            None => Ok(()),
            Some((a, b)) => Err(FrontendError::unsupported(format!(
                "the program writes to `{}`, whose storage `{}` is another view of; such views are not supported, give each its own tensor before the export",
                self.graph.constants[*a].name, self.graph.constants[*b].name
            ))),
        }
    }
}

/// Constants that the program may write to, directly or through a view; errs on the side of naming too many.
fn mutated_constants(graph: &Graph) -> HashSet<usize> {
    let mut may_be: Vec<HashSet<usize>> = vec![HashSet::default(); graph.values.len()];
    for (k, constant) in graph.constants.iter().enumerate() {
        may_be[constant.value.index()].insert(k);
    }
    let mut mutated = HashSet::default();
    for id in &graph.order {
        let node = &graph.nodes[*id];
        let written = node.form == Form::InPlace;
        if written && let Some(Arg::Value(v)) = node.args.first() {
            mutated.extend(&may_be[v.index()]);
        }
        for name in ["running_mean", "running_var"] {
            if let Some(Arg::Value(v)) = node.arg(name) {
                mutated.extend(&may_be[v.index()]);
            }
        }
        if written || !matches!(node.op.class(), Class::Pointwise | Class::Reduction | Class::Contraction) {
            let all: HashSet<usize> = node.uses().flat_map(|v| may_be[v.index()].iter().copied()).collect();
            for v in &node.outputs {
                may_be[v.index()] = all.clone();
            }
        }
    }
    for write in &graph.writes {
        if let Definition::Constant(k) = write.target {
            mutated.insert(k);
        }
    }
    mutated
}
