//! Along which loop lanes run and how they load, read from the kernels' text; results are the interpreter's.

use super::{Case, common, v};
use litz::ir::{Arg, OutputValue, Value};
use litz::session::{self, Options};

/// The text of a case's kernels after the prelude.
fn text(c: &mut Case, output: Value) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut graph = c.graph.clone();
    graph.add_output("y", OutputValue::Tensor(output));
    let mut options = Options::new();
    for (key, value) in [("backend", "cpu"), ("debug.dump", folder.path().to_str().unwrap())] {
        options.set(key, value).unwrap();
    }
    session::compile(&graph, &options).unwrap();
    let mut text = String::new();
    for entry in std::fs::read_dir(common::dumped(folder.path())).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "cpp") {
            let all = std::fs::read_to_string(path).unwrap();
            text += &all[all.find("extern \"C\"").expect("a kernel")..];
        }
    }
    assert!(text.contains("LITZ_LANES"), "no vectors in\n{text}");
    text
}

fn loads_neighbours(mut c: Case, y: Value) {
    let text = text(&mut c, y);
    for word in ["load_strided(", "load_gather(", "store_strided(", "store_scatter("] {
        assert!(!text.contains(word), "{word} in\n{text}");
    }
    c.kernels(&[y]);
}

fn loads_by(word: &str, mut c: Case, y: Value) {
    let text = text(&mut c, y);
    assert!(text.contains(word), "no {word} in\n{text}");
    // No lane takes its turn.
    assert!(!text.contains("[LITZ_LANES];"), "lanes in turn in\n{text}");
    c.kernels(&[y]);
}

#[test]
fn softmax_along_an_outer_dimension_has_lanes_over_the_inner_ones() {
    for (shape, dim) in [(&[3i64, 21, 8, 9][..], 1), (&[70, 300], 0), (&[2, 3000, 20], 1), (&[2, 40, 16], 1)]
    {
        let mut c = Case::new("outer");
        let x = c.input(shape);
        let args = vec![v(x), c.int(dim)];
        let y = c.op("aten.softmax.int", args);
        loads_neighbours(c, y);
    }
}

#[test]
fn a_bag_of_rows_is_read_row_by_row() {
    for width in [128, 64, 40] {
        let mut c = Case::new("bag");
        let (table, x) = (c.input(&[50, width]), c.input(&[7, 30]));
        let x = c.op("aten.abs", vec![v(x)]);
        let x = c.op("aten.mul.Scalar", vec![v(x), Arg::Float(20.0)]);
        let places = c.op("aten.to.dtype", vec![v(x), Arg::Dtype(litz::types::Dtype::Int64)]);
        let rows = c.op("aten.embedding", vec![v(table), v(places)]);
        let dim = c.ints(&[1]);
        let y = c.op("aten.sum.dim_IntList", vec![v(rows), dim]);
        loads_neighbours(c, y);
    }
}

/// Remainders by a multiple of the lanes step evenly within a vector.
#[test]
fn repeated_rows_are_loaded_whole() {
    let mut c = Case::new("repeated");
    let x = c.input(&[5, 64]);
    let args = vec![v(x), c.ints(&[2, 3])];
    let y = c.op("aten.repeat", args);
    loads_neighbours(c, y);
    let mut c = Case::new("joined");
    let (a, b) = (c.input(&[9, 48]), c.input(&[9, 70]));
    let args = vec![Arg::Values(vec![Some(a), Some(b)]), c.int(1)];
    let y = c.op("aten.cat", args);
    loads_neighbours(c, y);
}

/// All other places are vectors, whatever the divisor.
#[test]
fn other_places_are_computed_as_vectors() {
    for width in [33, 7, 50] {
        let mut c = Case::new("repeated");
        let x = c.input(&[5, width]);
        let args = vec![v(x), c.ints(&[2, 3])];
        let y = c.op("aten.repeat", args);
        loads_by("litz_rest_by(", c, y);
    }
    for size in [97, 24] {
        let mut c = Case::new("nearest");
        let x = c.input(&[2, 3, 10, 14]);
        let args = vec![v(x), c.ints(&[11, size])];
        let y = c.op("aten.upsample_nearest2d", args);
        loads_by("litz_quotient_by(", c, y);
    }
    let mut c = Case::new("bilinear");
    let x = c.input(&[2, 3, 10, 14]);
    let args = vec![v(x), c.ints(&[21, 37]), Arg::Bool(false)];
    let y = c.op("aten.upsample_bilinear2d", args);
    loads_by("load_gather(", c, y);
    let mut c = Case::new("reflected");
    let x = c.input(&[2, 3, 10, 41]);
    let args = vec![v(x), c.ints(&[4, 3, 2, 1])];
    let y = c.op("aten.reflection_pad2d", args);
    loads_by("load_gather(", c, y);
}

/// Rows that are added to rows by index: neighbours beside one another, whichever rows meet.
#[test]
fn scattered_rows_are_added_by_vectors() {
    for width in [64, 33] {
        let mut c = Case::new("scattered");
        let (target, x, rows) = (c.input(&[20, width]), c.input(&[90]), c.input(&[90, width]));
        let x = c.op("aten.abs", vec![v(x)]);
        let x = c.op("aten.mul.Scalar", vec![v(x), Arg::Float(9.0)]);
        let places = c.op("aten.to.dtype", vec![v(x), Arg::Dtype(litz::types::Dtype::Int64)]);
        let args = vec![v(target), c.int(0), v(places), v(rows)];
        let y = c.op("aten.index_add", args);
        let text = text(&mut c, y);
        let scatter = &text[text.find("litz_scatter").expect("a scatter")..];
        assert!(!scatter.contains("add(load_scalar("), "one at a time in\n{scatter}");
        c.kernels(&[y]);
    }
}

/// Where to sample is computed once for a tile of channels.
#[test]
fn channels_share_the_places_that_they_are_sampled_at() {
    for (channels, size) in [(20, 40), (16, 1100)] {
        let mut c = Case::new("sampled");
        let (x, grid) = (c.input(&[2, channels, 5, 7]), c.input(&[2, 1, size, 2]));
        let args = vec![v(x), v(grid), c.int(0), c.int(0), Arg::Bool(false)];
        let y = c.op("aten.grid_sampler_2d", args);
        let text = text(&mut c, y);
        assert!(text.contains("< (base_"), "no tile of rows in\n{text}");
        c.kernels(&[y]);
    }
}
