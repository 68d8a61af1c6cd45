//! Which nodes of a program are needed while a pass replaces one after the other: what one replacement changes is found from
//! the nodes that it concerns, and not by a walk over the program.
//!
//! Deliberately absent: programs whose nodes move. Places of nodes stay as they were when the facts were gathered.

use crate::base::{HashMap, HashSet};
use crate::loops::uses::{live_nodes, reads_of};
use crate::loops::{BufferId, Program};

pub struct Liveness {
    live: Vec<bool>,
    /// Buffers that are needed whoever reads them.
    kept: HashSet<BufferId>,
    /// How many live nodes read a buffer.
    readers: HashMap<BufferId, usize>,
    makers: HashMap<BufferId, Vec<usize>>,
}

impl Liveness {
    pub fn of(program: &Program) -> Liveness {
        let mut live = vec![false; program.nodes.len()];
        let mut readers: HashMap<BufferId, usize> = HashMap::default();
        for node in live_nodes(program) {
            live[node] = true;
            reads_of(program, node).into_iter().for_each(|b| *readers.entry(b).or_default() += 1);
        }
        let mut makers: HashMap<BufferId, Vec<usize>> = HashMap::default();
        for (k, node) in program.nodes.iter().enumerate() {
            node.outs().into_iter().for_each(|b| makers.entry(b).or_default().push(k));
        }
        let kept = program.outputs.iter().copied().chain(program.writes.iter().map(|w| w.1));
        let kept = kept.chain(program.pinned.iter().copied()).collect();
        Liveness { live, kept, readers, makers }
    }

    /// Tries a change of `node`, which is made already: it read the buffers `before`. True if nobody needs the `candidate` any
    /// more. Otherwise the facts stay as they were before the change.
    pub fn frees(&mut self, program: &Program, node: usize, before: &[BufferId], candidate: usize) -> bool {
        if !self.live[node] {
            return !self.live[candidate];
        }
        let now = reads_of(program, node);
        now.iter().for_each(|b| *self.readers.entry(*b).or_default() += 1);
        let mut lost: Vec<BufferId> = before.to_vec();
        let mut dead = Vec::new();
        let mut at = 0;
        while let Some(buffer) = lost.get(at).copied() {
            at += 1;
            let left = self.readers.entry(buffer).or_default();
            *left = left.saturating_sub(1);
            if *left > 0 {
                continue;
            }
            for maker in self.makers.get(&buffer).cloned().unwrap_or_default() {
                if self.live[maker] && !self.is_needed(program, maker) {
                    self.live[maker] = false;
                    dead.push(maker);
                    lost.extend(reads_of(program, maker));
                }
            }
        }
        let frees = !self.live[candidate];
        if !frees {
            dead.into_iter().for_each(|maker| self.live[maker] = true);
            lost.into_iter().for_each(|b| *self.readers.entry(b).or_default() += 1);
            now.into_iter().for_each(|b| *self.readers.entry(b).or_default() -= 1);
        }
        frees
    }

    fn is_needed(&self, program: &Program, node: usize) -> bool {
        let read = |b: &BufferId| self.kept.contains(b) || self.readers.get(b).is_some_and(|n| *n > 0);
        program.nodes[node].kind.acts() || program.nodes[node].outs().iter().any(read)
    }
}
