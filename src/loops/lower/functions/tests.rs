//! Nests of conds: results on every way through them, and how much is lowered.

use crate::decompose::decompose;
use crate::interp::{HostTensor, run_graph};
use crate::ir::Graph;
use crate::loops::Control;
use crate::loops::NodeKind;
use crate::loops::lower::lower;
use crate::runtime::Tensor;
use crate::session::{self, BackendRequest, Options};
use crate::types::Dtype;

/// How branches of a nest of conds lead to one another.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    /// Both to both graphs of the next level, in the other order.
    Crossed,
    /// Both to the same graph, beside one of its own.
    Beside,
    /// To graphs of different depths.
    Uneven,
}

/// A nest of conds. The text of a graph stands where it is first run.
struct Nest {
    shape: Shape,
    known: Vec<String>,
}

impl Nest {
    fn graph(&mut self, name: &str) -> String {
        if let Some(k) = self.known.iter().position(|known| known == name) {
            return format!("graph {k}");
        }
        let body = self.body(name);
        self.known.push(name.to_string());
        let number = self.known.len() - 1;
        format!("graph \"{name}\" as {number} {{\n{body}}}")
    }
    fn body(&mut self, name: &str) -> String {
        let (kind, level) = name.split_at(1);
        let level: usize = level.parse().unwrap();
        let crossed = self.shape == Shape::Crossed;
        let head = "input %0 \"p\": bool[]\n input %1 \"q\": bool[]\n input %2 \"x\": float32[2]\n";
        let shape = self.shape;
        let mut cond = |result: &str, predicate: &str, graphs: [String; 2], operands: &str| {
            let [yes, no] = graphs.map(|g| self.graph(&g));
            format!(" {result} = higher_order.cond.default({predicate}, {yes}, {no}, [{operands}])\n")
        };
        let (next, mut last) = (level.wrapping_sub(1), "%3");
        let lines = match (kind, level) {
            ("a", _) => " %3 = aten.add.Scalar(%2, 1)\n".to_string(),
            ("b", _) => " %3 = aten.mul.Scalar(%2, 2)\n".to_string(),
            ("c", 0) => " %3 = aten.neg.default(%2)\n".to_string(),
            ("d", 0) => " %3 = aten.mul.Tensor(%2, %2)\n".to_string(),
            ("c", _) if shape == Shape::Uneven => {
                last = "%5";
                let graphs = [next, level.saturating_sub(2)].map(|k| format!("c{k}"));
                let inner = cond("%4", "%0", graphs, "%1, %0, %3");
                format!(" %3 = aten.add.Scalar(%2, {level})\n{inner} %5 = aten.mul.Tensor(%4, %3)\n")
            }
            ("c", _) if crossed => cond("%3", "%0", [format!("c{next}"), format!("d{next}")], "%1, %0, %2"),
            ("c", _) => cond("%3", "%0", [format!("d{level}"), format!("e{level}")], "%0, %1, %2"),
            ("d", _) => {
                last = "%5";
                let graphs = if crossed {
                    [format!("d{next}"), format!("c{next}")]
                } else {
                    [format!("c{next}"), "a0".to_string()]
                };
                let inner = cond("%4", "%1", graphs, "%0, %1, %3");
                format!(" %3 = aten.add.Scalar(%2, {level})\n{inner} %5 = aten.sub.Tensor(%4, %3)\n")
            }
            _ => {
                last = "%4";
                let inner = cond("%4", "%0", [format!("c{next}"), "b0".to_string()], "%1, %0, %3");
                format!(" %3 = aten.add.Scalar(%2, 7)\n{inner}")
            }
        };
        format!(" {head}{lines} output \"y\" = {last}\n")
    }
}

fn nest(shape: Shape, depth: usize) -> Graph {
    let text = Nest { shape, known: Vec::new() }.body(&format!("c{depth}"));
    let text = format!("graph \"g\" {{\n{text}}}\n");
    crate::meta::text::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

const SHAPES: [Shape; 3] = [Shape::Crossed, Shape::Beside, Shape::Uneven];
const NUMBERS: [f32; 2] = [0.25, -3.0];

#[test]
fn functions_give_what_their_graphs_give() {
    for shape in SHAPES {
        let graph = nest(shape, 5);
        for backend in [BackendRequest::Interpreter, BackendRequest::Cpu] {
            let mut options = Options::default();
            options.backend = backend.clone();
            let program = session::compile(&graph, &options).unwrap();
            for (p, q) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let truth = |t: u8| HostTensor::new(Dtype::Bool, &[], vec![t]);
                let given = [truth(p), truth(q), HostTensor::float32(&[2], &NUMBERS)];
                let want = run_graph(&graph, &given).unwrap().0.swap_remove(0).as_float32();
                let bytes: Vec<u8> = NUMBERS.iter().flat_map(|x| x.to_ne_bytes()).collect();
                let tensors = [
                    (Dtype::Bool, &[][..], &[p][..]),
                    (Dtype::Bool, &[], &[q]),
                    (Dtype::Float32, &[2], &bytes),
                ]
                .map(|(dtype, shape, bytes)| Tensor::from_bytes(dtype, shape, bytes).unwrap());
                let found = program.run_tensors(&tensors.iter().collect::<Vec<_>>()).unwrap();
                let found: Vec<f32> =
                    found[0].bytes().chunks(4).map(|b| f32::from_ne_bytes(b.try_into().unwrap())).collect();
                assert_eq!(found, want, "{shape:?} {backend:?} {p} {q}");
            }
        }
    }
}

#[test]
fn a_graph_is_lowered_once_however_many_ways_lead_to_it() {
    for shape in SHAPES {
        let [few, many] = [12, 24].map(|depth| {
            let graph = nest(shape, depth);
            decompose(&graph).unwrap();
            let program = lower(&graph).unwrap();
            let again =
                |n: &&crate::loops::LoopNode| matches!(n.kind, NodeKind::Control(Control::Again { .. }));
            assert!(program.nodes.iter().filter(again).count() >= depth - 3, "{shape:?}");
            program.nodes.len()
        });
        assert!(many < 3 * few, "{shape:?}: {few}, {many}");
    }
}
