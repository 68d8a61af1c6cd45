//! Floor 10: graphs and compiled programs as pictures.
//!
//! An [`Outline`] holds the text of a drawing: the nodes in order, and the edges between them. [`Picture`] adds the boxes
//! around nodes: modules for a graph, kernels for a program. [`svg`] and [`dot`] write a picture.
//!
//! Invariants: an outline holds no tensor and no part of the graph, so that a program can keep it; text of the user's is
//! escaped where it is written, and nowhere else.
//!
//! Deliberately absent: costs of kernels and times of runs (see `report`), and drawing by a program that has to be
//! installed.

mod arrange;
pub mod dot;
mod layout;
mod outline;
mod plots;
pub mod report;
pub mod svg;
#[cfg(test)]
mod tests;

use crate::base::HashMap;

pub use outline::{Kind, Node, Outline, Use};

/// The format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Svg,
    Dot,
}

impl Format {
    pub const ALL: [(&str, Format); 2] = [("svg", Format::Svg), ("dot", Format::Dot)];

    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.iter().find(|f| f.0 == name).map(|f| f.1)
    }
}

/// The kind of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boxed {
    Module,
    Kernel,
}

/// A box around nodes.
#[derive(Clone, Debug)]
pub struct Frame {
    pub of: Boxed,
    pub label: String,
    /// More about it, shown smaller.
    pub detail: String,
    /// The frame that it lies in.
    pub parent: Option<usize>,
    /// Its place in the program's list of kernels.
    pub kernel: Option<usize>,
}

/// Nodes of an outline, and the frames around them.
#[derive(Clone, Debug)]
pub struct Picture<'a> {
    pub outline: &'a Outline,
    pub frames: Vec<Frame>,
    /// The innermost frame of each node.
    pub frame_of: Vec<Option<usize>>,
}

/// A kernel of a program, as a picture names it.
#[derive(Clone, Debug, Default)]
pub struct KernelLabel {
    pub label: String,
    pub detail: String,
    /// The nodes that it computes, by name.
    pub nodes: Vec<String>,
    /// It runs once, before the first run.
    pub once: bool,
}

impl<'a> Picture<'a> {
    /// A graph, with a box for each module.
    ///
    /// The nodes of one call of a module follow one another, so a box holds those that do: boxes of a module that is called
    /// twice are two, and no path leads out of a box and back into it.
    pub fn by_module(outline: &'a Outline) -> Picture<'a> {
        let mut frames: Vec<Frame> = Vec::new();
        let mut open: Vec<(&str, usize)> = Vec::new();
        let frame_of = outline.nodes.iter().map(|node| {
            if node.kind != Kind::Operator {
                return None;
            }
            let path: Vec<&str> = node.module.split('.').filter(|part| !part.is_empty()).collect();
            let same = path.iter().zip(&open).take_while(|(a, b)| **a == b.0).count();
            open.truncate(same);
            for (depth, part) in path.iter().enumerate().skip(same) {
                let parent = open.last().map(|o| o.1);
                let (label, detail) = (path[..=depth].join("."), String::new());
                frames.push(Frame { of: Boxed::Module, label, detail, parent, kernel: None });
                open.push((part, frames.len() - 1));
            }
            open.last().map(|o| o.1)
        });
        let frame_of = frame_of.collect();
        Picture { outline, frames, frame_of }
    }

    /// A compiled program, with a box for each kernel. A node that several kernels compute lies in the first, unless
    /// a later one of a run would have none then; one that none does, a view, lies with its users where they are in one kernel.
    pub fn by_kernel(outline: &'a Outline, kernels: &[KernelLabel]) -> Picture<'a> {
        let mut kernel_of: HashMap<&str, usize> = HashMap::default();
        for (k, kernel) in kernels.iter().enumerate() {
            for name in &kernel.nodes {
                kernel_of.entry(name).or_insert(k);
            }
        }
        let mut counts = vec![0; kernels.len()];
        kernel_of.values().for_each(|k| counts[*k] += 1);
        for (k, kernel) in kernels.iter().enumerate().filter(|(_, kernel)| !kernel.once) {
            let mut others = kernel.nodes.iter().rev().filter(|_| counts[k] == 0);
            if let Some(name) = others.find(|name| counts[kernel_of[name.as_str()]] > 1) {
                let first = kernel_of.insert(name, k).unwrap_or(k);
                (counts[first], counts[k]) = (counts[first] - 1, 1);
            }
        }
        let operator = |n: &Node| n.kind == Kind::Operator;
        let own = |n: &Node| if operator(n) { kernel_of.get(n.name.as_str()).copied() } else { None };
        let mut place: Vec<Option<usize>> = outline.nodes.iter().map(own).collect();
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); outline.nodes.len()];
        for (k, node) in outline.nodes.iter().enumerate() {
            node.uses.iter().for_each(|u| users[u.node].push(k));
        }
        for (k, node) in outline.nodes.iter().enumerate().rev() {
            if place[k].is_none() && operator(node) {
                let first = users[k].first().and_then(|u| place[*u]);
                place[k] = first.filter(|f| users[k].iter().all(|u| place[*u] == Some(*f)));
            }
        }
        let mut frames = Vec::new();
        let mut number: Vec<Option<usize>> = vec![None; kernels.len()];
        let frame_of = place.into_iter().map(|kernel| {
            let k = kernel?;
            let frame = *number[k].get_or_insert_with(|| {
                let KernelLabel { label, detail, .. } = kernels[k].clone();
                frames.push(Frame { of: Boxed::Kernel, label, detail, parent: None, kernel: Some(k) });
                frames.len() - 1
            });
            Some(frame)
        });
        let frame_of = frame_of.collect();
        Picture { outline, frames, frame_of }
    }

    pub fn write(&self, format: Format) -> String {
        match format {
            Format::Svg => svg::document(self),
            Format::Dot => dot::document(self),
        }
    }
}
