//! The smallest part of a graph that still does what a predicate asks, as fails to compile: nodes are left out, with inputs
//! in place of what they made, then results, and again until nothing more can go.
//!
//! The search asks few questions: as long as a half does it, that half is gone on with; then the range of nodes is
//! shortened from both ends by bisection; what is left is thinned out, in pieces that grow smaller.
//!
//! Invariant: every graph that the predicate is shown is sound, and the result is one that it held for.
//!
//! Deliberately absent: smaller sizes, and other operators than the graph's.

use crate::base::{HashMap, HashSet};
use crate::ir::part::{Results, alone, count_of_results, name_values, part};
use crate::ir::{self, Graph, NodeId};
use std::hash::Hash;

/// Whether a graph still does it.
pub type Predicate<'a, E> = &'a mut dyn FnMut(&Graph) -> Result<bool, E>;

/// The smallest part that was found; `None` where the predicate does not hold for the whole graph.
pub fn minify<E>(graph: &Graph, holds: Predicate<'_, E>) -> Result<Option<Graph>, E> {
    let mut best = graph.clone();
    name_values(&mut best);
    if !holds(&best)? {
        return Ok(None);
    }
    loop {
        let size = size(&best);
        best = fewer_nodes(best, holds)?;
        best = fewer_results(best, holds)?;
        best = inner(best, holds)?;
        if size == self::size(&best) {
            return Ok(Some(best));
        }
    }
}

fn size(graph: &Graph) -> (usize, usize, usize) {
    (graph.order.len(), count_of_results(graph), graph.inputs.len() + graph.constants.len())
}

fn fewer_nodes<E>(graph: Graph, holds: Predicate<'_, E>) -> Result<Graph, E> {
    let of = |nodes: &[NodeId]| part(&graph, &nodes.iter().copied().collect(), Results::Needed);
    let left = Search::new(&of, holds).least(graph.order.iter().copied().collect())?;
    Ok(if left.len() < graph.order.len() { of(&left) } else { graph })
}

fn fewer_results<E>(graph: Graph, holds: Predicate<'_, E>) -> Result<Graph, E> {
    let all: HashSet<NodeId> = graph.order.iter().copied().collect();
    let of = |results: &[usize]| part(&graph, &all, Results::Chosen(results));
    let count = count_of_results(&graph);
    let left = Search::new(&of, holds).least((0..count).collect())?;
    // All of them, too: inputs that nothing uses go.
    let fewer = of(&left);
    Ok(if left.len() < count || size(&fewer) < size(&graph) && holds(&fewer)? { fewer } else { graph })
}

/// A graph that one of the nodes runs, where that does it alone.
fn inner<E>(graph: Graph, holds: Predicate<'_, E>) -> Result<Graph, E> {
    let inner: Vec<Graph> =
        graph.order.iter().flat_map(|id| graph.nodes[*id].subgraphs()).map(alone).collect();
    for candidate in inner {
        if ir::verify(&candidate, false).is_ok() && holds(&candidate)? {
            return Ok(candidate);
        }
    }
    Ok(graph)
}

/// The search for a short list whose graph does it.
struct Search<'a, T, E> {
    of: &'a dyn Fn(&[T]) -> Graph,
    holds: Predicate<'a, E>,
    /// What is known of lists.
    seen: HashMap<Vec<T>, bool>,
}

impl<'a, T: Copy + Eq + Hash, E> Search<'a, T, E> {
    fn new(of: &'a dyn Fn(&[T]) -> Graph, holds: Predicate<'a, E>) -> Self {
        Search { of, holds, seen: HashMap::default() }
    }

    fn holds(&mut self, list: &[T]) -> Result<bool, E> {
        if list.is_empty() {
            return Ok(false);
        }
        if let Some(known) = self.seen.get(list) {
            return Ok(*known);
        }
        let graph = (self.of)(list);
        let holds = ir::verify(&graph, false).is_ok() && (self.holds)(&graph)?;
        self.seen.insert(list.to_vec(), holds);
        Ok(holds)
    }

    /// A short list, made of one that is known to do it.
    fn least(&mut self, mut list: Vec<T>) -> Result<Vec<T>, E> {
        while let Some(half) = self.half(&list)? {
            list = half;
        }
        let end = self.bisect(list.len(), |n| list[..n].to_vec())?;
        list.truncate(end);
        let kept = self.bisect(list.len(), |n| list[list.len() - n..].to_vec())?;
        list.drain(..list.len() - kept);
        self.thin(list)
    }

    /// The first, the second or the middle half.
    fn half(&mut self, list: &[T]) -> Result<Option<Vec<T>>, E> {
        let (n, half) = (list.len(), list.len().div_ceil(2));
        if n < 2 {
            return Ok(None);
        }
        for start in [0, n - half, (n - half) / 2] {
            let candidate = &list[start..start + half];
            if self.holds(candidate)? {
                return Ok(Some(candidate.to_vec()));
            }
        }
        Ok(None)
    }

    /// The least length that does it, where longer ones than one that does it do it, too.
    fn bisect(&mut self, most: usize, of: impl Fn(usize) -> Vec<T>) -> Result<usize, E> {
        let (mut fails, mut does) = (0, most);
        while does - fails > 1 {
            let middle = fails.midpoint(does);
            if self.holds(&of(middle))? {
                does = middle;
            } else {
                fails = middle;
            }
        }
        Ok(does)
    }

    /// The list without each piece that need not be there; smaller pieces at last.
    fn thin(&mut self, mut list: Vec<T>) -> Result<Vec<T>, E> {
        let mut piece = (list.len() / 2).max(1);
        loop {
            let before = list.len();
            let mut start = 0;
            while start < list.len() && list.len() > 1 {
                let end = (start + piece).min(list.len());
                let without: Vec<T> = [&list[..start], &list[end..]].concat();
                if self.holds(&without)? {
                    list = without;
                } else {
                    start = end;
                }
            }
            if piece == 1 && list.len() == before {
                return Ok(list);
            }
            piece = (piece / 2).max(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meta::text::parse;
    use crate::ops::OpId;
    use std::convert::Infallible;

    /// The least graph that holds the operators, and how often the predicate was asked.
    fn least(text: &str, wanted: &[OpId]) -> (String, usize) {
        let mut asked = 0;
        let mut holds = |graph: &Graph| -> Result<bool, Infallible> {
            asked += 1;
            let ops: Vec<OpId> = graph.order.iter().map(|id| graph.nodes[*id].op).collect();
            Ok(wanted.iter().all(|op| ops.contains(op)))
        };
        let graph = minify(&parse(text).unwrap(), &mut holds).unwrap().expect("the whole graph does it");
        let text = ir::text::print(&graph);
        // Types of results are comments: the text infers them again.
        assert_eq!(ir::text::print(&parse(&text).unwrap()), text);
        (text, asked)
    }

    fn chain(length: usize, other: &[(usize, &str)]) -> String {
        let mut text = "graph \"chain\" {\n input %0 \"x\": float32[4]\n".to_string();
        for k in 1..=length {
            let op = other.iter().find(|o| o.0 == k).map_or("aten.sin.default", |o| o.1);
            text += &format!(" %{k} = {op}(%{})\n", k - 1);
        }
        text + &format!(" output \"y\" = %{length}\n}}")
    }

    #[test]
    fn one_node_of_many_is_found_with_few_questions() {
        let (text, asked) = least(&chain(500, &[(321, "aten.exp.default")]), &[OpId::Exp]);
        assert!(text.contains("input %0 \"v320\": float32[4]"), "{text}");
        assert!(text.contains("%1 \"v321\" = aten.exp.default(%0)"), "{text}");
        assert!(asked < 40, "{asked}");
    }

    #[test]
    fn nodes_far_apart_are_left_alone() {
        let text = chain(200, &[(3, "aten.exp.default"), (190, "aten.tanh.default")]);
        let (text, asked) = least(&text, &[OpId::Exp, OpId::Tanh]);
        assert_eq!(text.matches(" = aten.").count(), 2, "{text}");
        assert!(asked < 80, "{asked}");
    }

    #[test]
    fn a_size_that_nothing_gives_any_more_is_a_number() {
        let text =
            "graph \"g\" { symbol s in [1, 9]\n input %0 \"x\": float32[s]\n input %1 \"y\": float32[4]
            %2 = aten.sin.default(%0)\n %3 = aten.full.default([s, 2], 1.5)\n %4 = aten.exp.default(%3)
            output \"a\" = %2\n output \"b\" = %4\n output \"n\" = s }";
        let (text, _) = least(text, &[OpId::Full]);
        assert_eq!(
            text,
            "graph \"g\" {\n  symbol s in [1, 9]\n  number %0 \"s\": int64 = s\n  \
             %1 \"v3\" = aten.full.default([s, 2], 1.5)  # float32[s, 2]\n  output \"v3\" = %1\n}\n"
        );
    }

    #[test]
    fn a_branch_is_looked_into() {
        let text = "graph \"g\" { input %0 \"p\": bool[]\n input %1 \"x\": float32[4]
            %2 = higher_order.cond.default(%0, graph \"t\" { input %0 \"a\": float32[4]\n %1 = aten.exp.default(%0)
            %2 = aten.sin.default(%1)\n output \"r\" = %2 }, graph \"f\" { input %0 \"a\": float32[4]
            %1 = aten.cos.default(%0)\n output \"r\" = %1 }, [%1])\n output \"y\" = %2 }";
        let mut holds =
            |graph: &Graph| -> Result<bool, Infallible> { Ok(ir::text::print(graph).contains("aten.exp")) };
        let graph = minify(&parse(text).unwrap(), &mut holds).unwrap().expect("it does");
        let ops: Vec<OpId> = graph.order.iter().map(|id| graph.nodes[*id].op).collect();
        assert_eq!(ops, [OpId::Exp]);
    }

    #[test]
    fn what_does_not_hold_is_told() {
        let graph = parse(&chain(3, &[])).unwrap();
        assert!(minify(&graph, &mut |_: &Graph| Ok::<_, Infallible>(false)).unwrap().is_none());
    }
}
