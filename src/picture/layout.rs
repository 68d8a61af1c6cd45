//! Where nodes and boxes of a picture lie, in layers from top to bottom (`arrange.rs`).
//!
//! Each box is laid out by itself, and is then one large node of the box around it. An edge over several layers gets a point in
//! every layer between, so that it passes beside nodes instead of through them. Edges over very many layers, such as those of a
//! mask that each block uses, would take most of the room: they get no points, and pass behind the nodes.

use super::arrange::{Arranged, arrange};
use super::{Frame, Kind, Picture};
use crate::base::HashMap;

/// Widths of characters, in the units of the picture, for fonts of one width.
pub const LABEL_WIDTH: f64 = 7.3;
pub const DETAIL_WIDTH: f64 = 6.1;
/// Characters that are shown of a text at most.
pub const SHOWN: usize = 44;

const NODE_HEIGHT: f64 = 40.0;
/// Between neighbours and between layers.
pub(super) const GAP: f64 = 44.0;
const PADDING: f64 = 14.0;
/// The title of a box, and the sizes below its last nodes.
const TITLE: f64 = 42.0;
const FOOT: f64 = 24.0;
/// An upper bound of the stack that the recursion over boxes takes for each.
const STACK_OF_A_FRAME: usize = 4 << 10;

pub type Point = (f64, f64);

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub w: f64,
    pub h: f64,
}

/// A picture with places.
#[derive(Debug)]
pub struct Layout {
    pub nodes: Vec<Rect>,
    pub frames: Vec<Rect>,
    /// By user, and number of the use: the points that the edge passes between its ends.
    pub routes: HashMap<(usize, usize), Vec<Point>>,
    pub size: (f64, f64),
}

pub fn layout(picture: &Picture) -> Layout {
    let stack = (1 << 20) + picture.frames.len() * STACK_OF_A_FRAME;
    crate::device::stack::with_at_least(stack, stack, || {
        let mut work = Work::new(picture);
        let size = work.place(None);
        work.finish(size)
    })
}

/// An item that is placed in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Item {
    Node(usize),
    Frame(usize),
}

/// Places are relative to the contents of the frame around, until [`Work::finish`].
struct Work<'a> {
    picture: &'a Picture<'a>,
    nodes: Vec<Rect>,
    frames: Vec<Rect>,
    /// Where the contents of each frame begin in it.
    contents: Vec<Point>,
    /// By user and number of the use, as in [`Layout`].
    routes: HashMap<(usize, usize), Route>,
    /// The items of each frame; the last list: items in no frame.
    items: Vec<Vec<Item>>,
    edges: Vec<Vec<Crossing>>,
}

/// Points that an edge passes, relative to the contents of a frame.
struct Route {
    frame: Option<usize>,
    points: Vec<Point>,
}

/// An edge whose ends lie in different items of a frame.
struct Crossing {
    user: usize,
    /// Which of its uses.
    used: usize,
    from: Item,
    to: Item,
}

impl<'a> Work<'a> {
    fn new(picture: &'a Picture<'a>) -> Work<'a> {
        let outside = picture.frames.len();
        let mut items = vec![Vec::new(); outside + 1];
        let mut listed = vec![false; outside];
        // A frame stands where its first node does.
        for node in 0..picture.outline.nodes.len() {
            let mut item = Item::Node(node);
            let mut frame = picture.frame_of[node];
            loop {
                items[frame.unwrap_or(outside)].push(item);
                let Some(inner) = frame.filter(|f| !listed[*f]) else { break };
                listed[inner] = true;
                item = Item::Frame(inner);
                frame = picture.frames[inner].parent;
            }
        }
        let chain = |node: usize| {
            let mut chain = vec![Item::Node(node)];
            let mut frame = picture.frame_of[node];
            while let Some(f) = frame {
                chain.push(Item::Frame(f));
                frame = picture.frames[f].parent;
            }
            chain
        };
        let mut edges: Vec<Vec<Crossing>> = (0..=outside).map(|_| Vec::new()).collect();
        for (user, node) in picture.outline.nodes.iter().enumerate() {
            for (used, value) in node.uses.iter().enumerate() {
                let (mut a, mut b) = (chain(value.node), chain(user));
                let mut frame = outside;
                while let (Some(from), Some(to)) = (a.pop(), b.pop()) {
                    if from != to {
                        edges[frame].push(Crossing { user, used, from, to });
                        break;
                    }
                    if let Item::Frame(f) = from {
                        frame = f;
                    }
                }
            }
        }
        Work {
            picture,
            nodes: vec![Rect::default(); picture.outline.nodes.len()],
            frames: vec![Rect::default(); outside],
            contents: vec![(0.0, 0.0); outside],
            routes: HashMap::default(),
            items,
            edges,
        }
    }

    /// Places the items of a frame and gives the size that they take.
    fn place(&mut self, frame: Option<usize>) -> (f64, f64) {
        let number = frame.unwrap_or(self.picture.frames.len());
        let items = std::mem::take(&mut self.items[number]);
        let mut sizes = Vec::with_capacity(items.len());
        for item in &items {
            sizes.push(match item {
                Item::Node(node) => (width_of(self.picture, *node), NODE_HEIGHT),
                Item::Frame(inner) => {
                    let (w, h) = self.place(Some(*inner));
                    let Frame { label, detail, .. } = &self.picture.frames[*inner];
                    let title = (shown(label) * LABEL_WIDTH).max(shown(detail) * DETAIL_WIDTH);
                    let spare = (title - w).max(0.0) / 2.0;
                    self.contents[*inner] = (PADDING + spare, TITLE);
                    (w + 2.0 * (PADDING + spare), h + TITLE + FOOT)
                }
            });
        }
        let at: HashMap<Item, usize> = items.iter().enumerate().map(|(k, i)| (*i, k)).collect();
        let edges = std::mem::take(&mut self.edges[number]);
        let pairs: Vec<(usize, usize)> = edges.iter().map(|e| (at[&e.from], at[&e.to])).collect();
        let Arranged { corners, routes, size } = arrange(&sizes, &pairs);
        for ((item, (x, y)), (w, h)) in items.iter().zip(corners).zip(sizes) {
            match item {
                Item::Node(node) => self.nodes[*node] = Rect { x, y, w, h },
                Item::Frame(inner) => self.frames[*inner] = Rect { x, y, w, h },
            }
        }
        for (edge, pair) in edges.iter().zip(&pairs) {
            if let Some(route) = routes.get(pair) {
                self.routes.insert((edge.user, edge.used), Route { frame, points: route.clone() });
            }
        }
        size
    }

    /// Everything in the coordinates of the picture.
    fn finish(mut self, size: (f64, f64)) -> Layout {
        let mut begins = vec![(0.0, 0.0); self.frames.len()];
        // A frame comes after the one that it lies in.
        for f in 0..self.frames.len() {
            let (x, y) = self.picture.frames[f].parent.map_or((0.0, 0.0), |p| begins[p]);
            let rect = &mut self.frames[f];
            (rect.x, rect.y) = (rect.x + x, rect.y + y);
            begins[f] = (rect.x + self.contents[f].0, rect.y + self.contents[f].1);
        }
        let begin = |frame: Option<usize>| frame.map_or((0.0, 0.0), |f| begins[f]);
        for (rect, frame) in self.nodes.iter_mut().zip(&self.picture.frame_of) {
            let (x, y) = begin(*frame);
            (rect.x, rect.y) = (rect.x + x, rect.y + y);
        }
        let moved = |Route { frame, points }: Route| -> Vec<Point> {
            let (x, y) = begin(frame);
            points.into_iter().map(|p| (p.0 + x, p.1 + y)).collect()
        };
        let routes = self.routes.into_iter().map(|(edge, route)| (edge, moved(route))).collect();
        Layout { nodes: self.nodes, frames: self.frames, routes, size }
    }
}

fn shown(text: &str) -> f64 {
    text.chars().count().min(SHOWN) as f64
}

fn width_of(picture: &Picture, node: usize) -> f64 {
    let node = &picture.outline.nodes[node];
    let (label, detail) = super::svg::texts(node);
    let extra = if node.kind == Kind::Operator { 20.0 } else { 32.0 };
    (shown(&label) * LABEL_WIDTH).max(shown(&detail) * DETAIL_WIDTH).max(40.0) + extra
}
