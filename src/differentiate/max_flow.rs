//! The greatest flow through a network, and with it the least cut: Dinic's algorithm (blocking flows along shortest paths).
//!
//! Deliberately absent: anything about graphs of tensors.

/// The capacity of an edge that no cut takes.
pub(super) const UNLIMITED: u64 = 1 << 60;

#[derive(Clone, Copy, Debug)]
struct Edge {
    to: usize,
    /// What is left of its capacity.
    left: u64,
}

/// Nodes and edges. Edges stand in pairs: each is followed by its reverse.
#[derive(Debug, Default)]
pub(super) struct Network {
    edges: Vec<Edge>,
    /// The edges from each node.
    from: Vec<Vec<usize>>,
}

impl Network {
    pub fn new() -> Network {
        Network::default()
    }
    pub fn node(&mut self) -> usize {
        self.from.push(Vec::new());
        self.from.len() - 1
    }
    pub fn edge(&mut self, from: usize, to: usize, capacity: u64) {
        self.from[from].push(self.edges.len());
        self.edges.push(Edge { to, left: capacity });
        self.from[to].push(self.edges.len());
        self.edges.push(Edge { to: from, left: 0 });
    }

    /// Fills the network, and says of each node whether it is on the sink's side of the least cut nearest to the sink.
    pub fn sides(mut self, source: usize, sink: usize) -> Vec<bool> {
        while let Some(distance) = self.distances(source, sink) {
            let mut next = vec![0; self.from.len()];
            while self.path(source, sink, &distance, &mut next) {}
        }
        // Backwards from the sink along edges that still have room.
        let mut behind = vec![false; self.from.len()];
        behind[sink] = true;
        let mut open = vec![sink];
        while let Some(node) = open.pop() {
            for edge in &self.from[node] {
                let (other, forward) = (self.edges[*edge].to, self.edges[*edge ^ 1]);
                if forward.left > 0 && !behind[other] {
                    behind[other] = true;
                    open.push(other);
                }
            }
        }
        behind
    }

    /// How many edges with room each node is away from the source, if the sink can be reached.
    fn distances(&self, source: usize, sink: usize) -> Option<Vec<usize>> {
        let mut distance = vec![usize::MAX; self.from.len()];
        distance[source] = 0;
        let mut open = std::collections::VecDeque::from([source]);
        while let Some(node) = open.pop_front() {
            for edge in &self.from[node] {
                let Edge { to, left } = self.edges[*edge];
                if left > 0 && distance[to] == usize::MAX {
                    distance[to] = distance[node] + 1;
                    open.push_back(to);
                }
            }
        }
        (distance[sink] != usize::MAX).then_some(distance)
    }

    /// Sends what fits along one shortest path; false where there is none left. `next` has, for each node, the first edge that
    /// may still lead on.
    fn path(&mut self, source: usize, sink: usize, distance: &[usize], next: &mut [usize]) -> bool {
        let mut taken: Vec<usize> = Vec::new();
        let mut at = source;
        while at != sink {
            match self.from[at].get(next[at]).copied() {
                Some(edge) => {
                    let Edge { to, left } = self.edges[edge];
                    if left > 0 && distance[to] == distance[at].saturating_add(1) {
                        taken.push(edge);
                        at = to;
                    } else {
                        next[at] += 1;
                    }
                }
                None => {
                    // A dead end: back by one edge, which leads nowhere.
                    let Some(edge) = taken.pop() else { return false };
                    at = self.edges[edge ^ 1].to;
                    next[at] += 1;
                }
            }
        }
        let flow = taken.iter().map(|e| self.edges[*e].left).min().unwrap_or(0);
        for edge in taken {
            self.edges[edge].left -= flow;
            self.edges[edge ^ 1].left += flow;
        }
        flow > 0
    }
}

#[cfg(test)]
mod tests {
    use super::{Network, UNLIMITED};

    #[test]
    fn of_equal_cuts_the_one_nearest_to_the_sink_is_taken() {
        let mut network = Network::new();
        let [s, a, b, t] = std::array::from_fn(|_| network.node());
        network.edge(s, a, 3);
        network.edge(a, b, 3);
        network.edge(b, t, UNLIMITED);
        assert_eq!(network.sides(s, t), [false, false, true, true]);
    }

    #[test]
    fn two_narrow_edges_are_cut_before_one_wide_one() {
        let mut network = Network::new();
        let [s, a, b, c, t] = std::array::from_fn(|_| network.node());
        network.edge(s, a, 10);
        network.edge(a, b, 2);
        network.edge(a, c, 3);
        network.edge(b, t, UNLIMITED);
        network.edge(c, t, UNLIMITED);
        assert_eq!(network.sides(s, t), [false, false, true, true, true]);
    }
}
