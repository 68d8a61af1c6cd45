//! Parameters, buffers and constants in the schema's signature; several views of one storage are as many entries, whose weights
//! share memory where they are loaded.

use super::{Writer, schema_words};
use crate::base::json;
use crate::frontend::FrontendError;
use crate::ir::{Arg, ConstantKind, ConstantView, Definition, NodeId, Value};
use crate::ops::OpId;
use crate::types::TensorMeta;
use serde_json::Value as Json;

impl Writer<'_> {
    /// An argument that is a constant: its entry in the signature.
    fn constant(&mut self, kind: ConstantKind, target: &str, name: &str) -> Json {
        let (_, word) = schema_words(kind);
        let key = format!("{word}_name");
        let mut spec = json!({"arg": {"name": name}, (&*key): target});
        if kind == ConstantKind::Buffer {
            spec["persistent"] = true.into();
        }
        self.arguments.push(json!({"as_tensor": {"name": name}}));
        json!({word: spec})
    }

    /// The entries of all constants, which are the first arguments.
    pub(super) fn constants(&mut self) -> Vec<Json> {
        let graph = self.graph;
        let mut specs = Vec::new();
        for constant in &graph.constants {
            if constant.views.is_empty() {
                let name = self.constant_name(constant.kind, &constant.name, graph.meta(constant.value));
                self.names.insert(constant.value, name.clone());
                specs.push(self.constant(constant.kind, &constant.name, &name));
            }
            for view in &constant.views {
                let sizes = |list: &[i64]| list.iter().map(|v| graph.syms.constant(*v)).collect();
                let meta = TensorMeta {
                    shape: sizes(&view.shape),
                    strides: sizes(&view.strides),
                    offset: graph.syms.constant(view.offset),
                    ..graph.meta(constant.value).clone()
                };
                let name = self.constant_name(view.kind, &view.name, &meta);
                let same = graph.order.iter().filter(|id| self.makes_view(**id, constant.value, view));
                let made: Vec<Value> = same.flat_map(|id| graph.nodes[*id].outputs.clone()).collect();
                self.names.extend(made.into_iter().map(|value| (value, name.clone())));
                specs.push(self.constant(view.kind, &view.name, &name));
            }
        }
        specs
    }

    fn constant_name(&mut self, kind: ConstantKind, target: &str, meta: &TensorMeta) -> String {
        let (letter, _) = schema_words(kind);
        let name = self.free(&format!("{letter}_{target}"));
        let trained = kind == ConstantKind::Parameter && meta.dtype.is_float();
        let entry = self.meta(meta, trained);
        self.tensors.insert(name.clone(), entry);
        name
    }

    /// Whether a node makes just that view of a storage.
    fn makes_view(&self, id: NodeId, storage: Value, view: &ConstantView) -> bool {
        let node = &self.graph.nodes[id];
        let syms = &self.graph.syms;
        let is = |name: &str, list: &[i64]| match node.arg(name) {
            Some(Arg::Ints(given)) => syms.as_consts(given).as_deref() == Some(list),
            _ => false,
        };
        let offset = match node.arg("storage_offset") {
            Some(Arg::Int(offset)) => syms.as_const(*offset),
            _ => Some(0),
        };
        node.op == OpId::AsStrided
            && node.arg("self").and_then(Arg::value) == Some(storage)
            && is("size", &view.shape)
            && is("stride", &view.strides)
            && offset == Some(view.offset)
    }

    /// A value that has no name: a storage, or one that is not made yet.
    pub(super) fn nameless(&self, value: Value) -> FrontendError {
        let graph = self.graph;
        if let Definition::Constant(k) = graph.values[value].definition
            && let Some(view) = graph.constants[k].views.first()
        {
            return FrontendError::unsupported(format!(
                "the storage that `{}` is a view of is used as a whole; PyTorch's export schema knows its views alone",
                view.name
            ));
        }
        let text = graph.describe_value(value);
        FrontendError::unsupported(format!("{text} is used before it is made"))
    }
}
