//! Places of items in one frame, by Sugiyama's method: layers from top to bottom, an order in each layer that has few crossings, and
//! places from left to right near those of neighbours.
//!
//! A sweep sorts each layer by the mean positions of its neighbours; the order with the fewest crossings is kept (Sugiyama, Tagawa and
//! Toda 1981). The places of a layer minimise the weighted squares of the distances to the means of their neighbours. They keep the
//! order and a gap: an isotonic regression, which pools items that would overlap.
//!
//! Invariant: items of a layer do not overlap, and the same items have the same places each time.
//!
//! Deliberately absent: the least number of crossings, which is NP-hard to find.

use super::layout::{GAP, Point};
use crate::base::{HashMap, StableSort};

/// An edge that spans more layers has no points in them.
const MOST_LAYERS: usize = 8;
/// Sweeps over all layers that look for an order, and for places.
const SWEEPS: usize = 12;
/// The weight of an edge's straightness: between items, between an item and a point, and between points.
const STRAIGHT: [f64; 3] = [1.0, 2.0, 8.0];

/// The layout of one frame: the items' upper left corners, and the points that edges pass.
pub(super) struct Arranged {
    pub corners: Vec<Point>,
    pub routes: HashMap<(usize, usize), Vec<Point>>,
    pub size: (f64, f64),
}

/// Lays out items of these sizes. Several edges may join the same two items.
pub(super) fn arrange(sizes: &[(f64, f64)], edges: &[(usize, usize)]) -> Arranged {
    let mut layer = layers(sizes.len(), edges);
    let mut sizes = sizes.to_vec();
    let items = sizes.len();
    let mut links = Vec::new();
    let mut points: HashMap<(usize, usize), Vec<usize>> = HashMap::default();
    for (from, to) in edges {
        // Edges that lead upwards close a cycle, and take no part in the layout.
        let Some(span) = layer[*to].checked_sub(layer[*from]).filter(|s| (1..=MOST_LAYERS).contains(s))
        else {
            continue;
        };
        if points.contains_key(&(*from, *to)) {
            continue;
        }
        let mut last = *from;
        let mut between = Vec::new();
        for k in 1..span {
            let point = sizes.len();
            sizes.push((1.0, 1.0));
            layer.push(layer[*from] + k);
            links.push((last, point));
            between.push(point);
            last = point;
        }
        links.push((last, *to));
        points.insert((*from, *to), between);
    }
    let mut centers = vec![(0.0, 0.0); sizes.len()];
    // Connected parts are laid out separately, side by side, and in rows where that is too wide.
    let mut boxes = Vec::new();
    let mut places = Places::new(&sizes, items, &links);
    for part in parts(sizes.len(), &links) {
        let size = places.place(&part, &layer, &mut centers);
        boxes.push((part, size));
    }
    let area: f64 = boxes.iter().map(|(_, (w, h))| (w + GAP) * (h + GAP)).sum();
    let widest = boxes.iter().map(|(_, size)| size.0).fold(0.0, f64::max).max((area * 2.0).sqrt());
    let (mut x, mut y, mut row, mut whole) = (0.0, 0.0, 0.0_f64, (0.0_f64, 0.0_f64));
    for (part, (w, h)) in boxes {
        if x > 0.0 && x + w > widest {
            (x, y, row) = (0.0, y + row + GAP, 0.0);
        }
        for v in part {
            centers[v] = (centers[v].0 + x, centers[v].1 + y);
        }
        whole = (whole.0.max(x + w), whole.1.max(y + h));
        (x, row) = (x + w + GAP, row.max(h));
    }
    let corners =
        sizes[..items].iter().zip(&centers).map(|((w, h), (x, y))| (x - w / 2.0, y - h / 2.0)).collect();
    let routes = points.into_iter().filter(|(_, list)| !list.is_empty());
    let routes = routes.map(|(pair, list)| (pair, list.iter().map(|p| centers[*p]).collect())).collect();
    Arranged { corners, routes, size: whole }
}

/// The vertices of each connected part, in their order.
fn parts(n: usize, links: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut first: Vec<usize> = (0..n).collect();
    let root = |first: &mut Vec<usize>, mut v: usize| {
        while first[v] != v {
            first[v] = first[first[v]];
            v = first[v];
        }
        v
    };
    for (from, to) in links {
        let (a, b) = (root(&mut first, *from), root(&mut first, *to));
        first[a.max(b)] = a.min(b);
    }
    let mut parts: HashMap<usize, Vec<usize>> = HashMap::default();
    for v in 0..n {
        let root = root(&mut first, v);
        parts.entry(root).or_default().push(v);
    }
    parts.into_values().collect()
}

/// The vertices of a frame. Its connected parts are placed one after the other.
struct Places<'a> {
    sizes: &'a [(f64, f64)],
    /// The neighbours of each vertex in the layer above and below.
    neighbours: [Vec<Vec<usize>>; 2],
    /// The vertices before are items, the others points of edges.
    items: usize,
    /// The vertices of each layer of the part, from left to right.
    rows: Vec<Vec<usize>>,
    /// The position of each vertex in its layer.
    at: Vec<usize>,
    /// The center of each vertex from left to right.
    x: Vec<f64>,
}

impl<'a> Places<'a> {
    fn new(sizes: &'a [(f64, f64)], items: usize, links: &[(usize, usize)]) -> Places<'a> {
        let n = sizes.len();
        let mut neighbours = [vec![Vec::new(); n], vec![Vec::new(); n]];
        for (from, to) in links {
            neighbours[0][*to].push(*from);
            neighbours[1][*from].push(*to);
        }
        Places { sizes, neighbours, items, rows: Vec::new(), at: vec![0; n], x: vec![0.0; n] }
    }

    /// Writes the centers of a part, from (0, 0) on, and gives its size.
    fn place(&mut self, part: &[usize], layer: &[usize], centers: &mut [Point]) -> (f64, f64) {
        let top = part.iter().map(|v| layer[*v]).min().unwrap_or(0);
        let bottom = part.iter().map(|v| layer[*v]).max().unwrap_or(0);
        self.rows = vec![Vec::new(); bottom + 1 - top];
        part.iter().for_each(|v| self.rows[layer[*v] - top].push(*v));
        self.order();
        self.columns();
        let left = |v: &usize| self.x[*v] - self.sizes[*v].0 / 2.0;
        let low = part.iter().map(left).fold(f64::MAX, f64::min);
        let width = part.iter().map(|v| left(v) + self.sizes[*v].0 - low).fold(0.0, f64::max);
        let mut y = 0.0;
        for row in &self.rows {
            let height = row.iter().map(|v| self.sizes[*v].1).fold(0.0, f64::max);
            row.iter().for_each(|v| centers[*v] = (self.x[*v] - low, y + height / 2.0));
            y += height + GAP;
        }
        (width, y - GAP)
    }

    /// Orders each layer: sweeps go down and up in turns, and the order with the fewest crossings stays.
    fn order(&mut self) {
        (0..self.rows.len()).for_each(|k| self.record_positions(k));
        let (mut best, mut fewest) = (self.rows.clone(), self.crossings());
        for number in 0..SWEEPS {
            if fewest == 0 {
                break;
            }
            for k in self.sweep(number) {
                let (neighbours, at) = (&self.neighbours[number % 2], &self.at);
                let mean = |v: usize| match neighbours[v].len() {
                    0 => at[v] as f64,
                    n => neighbours[v].iter().map(|u| at[*u] as f64).sum::<f64>() / n as f64,
                };
                self.rows[k].stable_sort_by(|a, b| mean(*a).total_cmp(&mean(*b)));
                self.record_positions(k);
            }
            let crossings = self.crossings();
            if crossings < fewest {
                (best, fewest) = (self.rows.clone(), crossings);
            }
        }
        self.rows = best;
    }

    fn record_positions(&mut self, row: usize) {
        self.rows[row].iter().enumerate().for_each(|(k, v)| self.at[*v] = k);
    }

    /// The layers that a sweep visits: even ones go down from the second layer, odd ones up from the last but one.
    fn sweep(&self, number: usize) -> Vec<usize> {
        let n = self.rows.len();
        if number.is_multiple_of(2) { (1..n).collect() } else { (0..n.max(1) - 1).rev().collect() }
    }

    /// How many pairs of links cross.
    fn crossings(&self) -> usize {
        let mut crossings = 0;
        for k in 1..self.rows.len() {
            // How many links that come from further left, or from the same vertex, end at a position or before: a Fenwick tree.
            let mut ended = vec![0; self.rows[k].len() + 1];
            let mut links = 0;
            for v in &self.rows[k - 1] {
                let mut ends: Vec<usize> = self.neighbours[1][*v].iter().map(|to| self.at[*to]).collect();
                ends.stable_sort();
                for end in &ends {
                    let (mut before, mut i) = (0, end + 1);
                    while i > 0 {
                        before += ended[i];
                        i &= i - 1;
                    }
                    crossings += links - before;
                }
                for end in &ends {
                    let mut i = end + 1;
                    while i < ended.len() {
                        ended[i] += 1;
                        i += i & i.wrapping_neg();
                    }
                }
                links += ends.len();
            }
        }
        crossings
    }

    /// Finds the centers from left to right.
    fn columns(&mut self) {
        for row in &self.rows {
            let packed = self.spread(row, &vec![(0.0, 1.0); row.len()]);
            row.iter().zip(packed).for_each(|(v, place)| self.x[*v] = place);
        }
        for sweep in 0..SWEEPS {
            // At last both neighbours count.
            let sides = if sweep + 4 < SWEEPS { sweep % 2..sweep % 2 + 1 } else { 0..2 };
            for k in self.sweep(sweep) {
                let row = &self.rows[k];
                let wanted = |v: &usize| {
                    let (mut sum, mut weight) = (0.0, 0.0);
                    for u in sides.clone().flat_map(|side| &self.neighbours[side][*v]) {
                        let straight =
                            STRAIGHT[usize::from(*u >= self.items) + usize::from(*v >= self.items)];
                        sum += straight * self.x[*u];
                        weight += straight;
                    }
                    if weight > 0.0 { (sum / weight, weight) } else { (self.x[*v], 0.1) }
                };
                let wanted: Vec<(f64, f64)> = row.iter().map(wanted).collect();
                let places = self.spread(row, &wanted);
                row.iter().zip(places).for_each(|(v, place)| self.x[*v] = place);
            }
        }
    }

    /// The places of a layer nearest to the wanted ones by weighted least squares, with a gap between neighbours.
    fn spread(&self, row: &[usize], wanted: &[(f64, f64)]) -> Vec<f64> {
        // Where each lies in a layer that is packed from 0 on. What is left to find is how far each moves: no less than its left
        // neighbour. Those that would are pooled.
        let mut packed = Vec::with_capacity(row.len());
        let mut end = 0.0;
        for v in row {
            let width = self.sizes[*v].0;
            packed.push(end + width / 2.0);
            end += width + GAP;
        }
        let mut pools: Vec<(f64, f64, usize)> = Vec::new();
        for (own, (want, weight)) in packed.iter().zip(wanted) {
            let mut pool = (want - own, *weight, 1);
            while let Some((shift, other, count)) = pools.pop_if(|last| last.0 > pool.0) {
                let total = other + pool.1;
                pool = ((shift * other + pool.0 * pool.1) / total, total, count + pool.2);
            }
            pools.push(pool);
        }
        let shifts = pools.into_iter().flat_map(|(shift, _, count)| std::iter::repeat_n(shift, count));
        packed.iter().zip(shifts).map(|(own, shift)| own + shift).collect()
    }
}

/// The layer of each item: one more than the highest that it is joined to from above. Where edges form a circle, which boxes
/// may, the first item breaks it.
fn layers(n: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let (mut pending, mut users) = (vec![0; n], vec![Vec::new(); n]);
    for (from, to) in edges.iter().filter(|(a, b)| a != b) {
        pending[*to] += 1;
        users[*from].push(*to);
    }
    let mut layers = vec![0; n];
    let mut done = vec![false; n];
    let mut ready: Vec<usize> = (0..n).filter(|k| pending[*k] == 0).collect();
    let mut rest = 0..n;
    loop {
        let next = ready.pop().or_else(|| rest.find(|k| !done[*k]));
        let Some(next) = next else { return layers };
        if std::mem::replace(&mut done[next], true) {
            continue;
        }
        for user in &users[next] {
            if done[*user] {
                continue;
            }
            layers[*user] = layers[*user].max(layers[next] + 1);
            pending[*user] -= 1;
            if pending[*user] == 0 {
                ready.push(*user);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::arrange;

    const SIZE: (f64, f64) = (60.0, 40.0);

    #[test]
    fn links_that_need_not_cross_do_not() {
        // Eight items, each joined to one below, in the other order; a last one below all.
        let edges: Vec<(usize, usize)> = (0..8).flat_map(|k| [(k, 15 - k), (15 - k, 16)]).collect();
        let made = arrange(&[SIZE; 17], &edges);
        let x = |v: usize| made.corners[v].0;
        for (a, b) in (0..8).flat_map(|a| (0..a).map(move |b| (a, b))) {
            assert_eq!(x(a) < x(b), x(15 - a) < x(15 - b), "{a} and {b}");
        }
        assert!(
            (x(16) - (0..8).map(x).sum::<f64>() / 8.0).abs() < 1.0,
            "in the middle of what it is joined to"
        );
    }

    #[test]
    fn a_chain_is_straight_and_an_edge_passes_beside_it() {
        let edges = [(0, 1), (1, 2), (2, 3), (0, 3)];
        let made = arrange(&[SIZE; 4], &edges);
        let x = |v: usize| made.corners[v].0;
        assert!((x(1) - x(2)).abs() < 0.01, "{:?}", made.corners);
        let route = &made.routes[&(0, 3)];
        assert_eq!(route.len(), 2);
        assert!((route[0].0 - route[1].0).abs() < 0.01 && route[0].1 < route[1].1, "{route:?}");
        assert!(route[0].0 < x(1) || route[0].0 > x(1) + SIZE.0, "{route:?} {:?}", made.corners);
    }
}
