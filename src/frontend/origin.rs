//! Where a node of an exported program comes from, by the metadata that PyTorch keeps with it.
//!
//! Deliberately absent: what PyTorch's own passes did to a node (`from_node`, `source_fn_stack`, `torch_fn`).

use super::args::bound_name;
use crate::ir::{Graph, Module, Origin};
use serde_json::Value as Json;

/// The origin of a node. One without metadata stands in the graph of a node that may have some: its place is that one's.
/// Metadata are for people, so that a form that is not known is no error.
pub(super) fn of(node: &Json, name: Option<&str>, target: &str, graph: &Graph) -> Origin {
    let text = |key: &str| node.get("metadata")?.get(key)?.as_str();
    let first = || bound_name(node.get("outputs")?.get(0)?).ok()?;
    let named = Origin {
        node: name.or_else(first).unwrap_or(target).to_string(),
        operator: target.strip_prefix("torch.ops.").unwrap_or(target).to_string(),
        modules: text("nn_module_stack").map(modules).unwrap_or_default(),
        stack_trace: text("stack_trace").unwrap_or_default().to_string(),
        sets_precision: false,
        unfused: is_unfused(text("custom")),
    };
    match graph.making.first() {
        Some(outer) if !named.is_placed() => {
            let outer = graph.origins.get(*outer);
            Origin { modules: outer.modules.clone(), stack_trace: outer.stack_trace.clone(), ..named }
        }
        _ => named,
    }
}

/// The mark of a region that runs unfused: `torch.fx.traceback.annotate({"litz": "unfused"})` around the model's code.
fn is_unfused(annotations: Option<&str>) -> bool {
    let annotations = annotations.and_then(|text| serde_json::from_str::<Json>(text).ok());
    annotations.is_some_and(|json| json.get("litz").and_then(Json::as_str) == Some("unfused"))
}

/// `key,path,class;key,path,class`, outermost first; a key may have commas in brackets.
fn modules(stack: &str) -> Vec<Module> {
    let one = |entry: &str| {
        let mut open = 0usize;
        let parts: Vec<&str> = entry
            .split(|c: char| {
                match c {
                    '(' | '[' => open += 1,
                    ')' | ']' => open = open.saturating_sub(1),
                    _ => {}
                }
                c == ',' && open == 0
            })
            .collect();
        let [_key, path, class] = parts[..] else { return None };
        Some(Module { path: path.to_string(), class: class.to_string() })
    };
    stack.split(';').filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json;

    #[test]
    fn modules_are_read_outermost_first() {
        let stack =
            "L__self__,,__main__.Net;140,blocks[slice(0, 2, None)],a.Blocks;L__self___fc,fc,torch.nn.Linear";
        let found: Vec<(String, String)> = modules(stack).into_iter().map(|m| (m.path, m.class)).collect();
        let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
        assert_eq!(found[0], pair("", "__main__.Net"));
        assert_eq!(found[1], pair("blocks[slice(0, 2, None)]", "a.Blocks"));
        assert_eq!(found[2], pair("fc", "torch.nn.Linear"));
        assert_eq!(modules("of another form"), []);
    }

    #[test]
    fn a_node_without_metadata_is_placed_where_its_graph_is_called() {
        let mut graph = Graph::new("g");
        let outer = json!({"outputs": [], "metadata": {"nn_module_stack": "k,a.b,C", "stack_trace": "File \"m.py\", line 3, in f"}});
        let id = graph.origins.add(of(&outer, Some("call"), "torch.ops.aten.cond", &graph));
        graph.making = vec![id];
        let inner = of(
            &json!({"outputs": [{"as_tensor": {"name": "mul"}}]}),
            None,
            "torch.ops.aten.mul.Tensor",
            &graph,
        );
        assert_eq!((inner.node.as_str(), inner.operator.as_str()), ("mul", "aten.mul.Tensor"));
        assert_eq!(inner.module().unwrap().path, "a.b");
        assert_eq!(inner.frame().unwrap().line, 3);
    }
}
