//! Which copies of a weight a run reads: panels alone, where products have it packed. Results are the interpreter's, before
//! and after an update.

use super::{Case, floats, v};
use litz::ir::{OutputValue, Value};
use litz::runtime::Tensor;
use litz::session::{self, Options};
use litz::types::{Dtype, TensorMeta};
use serde_json::Value as Json;
use std::sync::{Arc, Mutex};

/// Rows of the table and their width: it is large enough to be worth it, and no multiple of a panel.
const ROWS: i64 = 203;
const WIDTH: i64 = 130;

impl Case {
    fn places(&mut self, places: &[i64]) -> Value {
        let bytes: Vec<u8> = places.iter().flat_map(|p| p.to_le_bytes()).collect();
        let shape = [places.len() as i64];
        self.inputs.push(Tensor::from_bytes(Dtype::Int64, &shape, &bytes).unwrap());
        let sizes = vec![self.graph.syms.constant(shape[0])];
        let meta = TensorMeta::contiguous(&self.graph.syms, Dtype::Int64, sizes);
        self.graph.add_input(&format!("i{}", self.graph.inputs.len()), meta)
    }
    fn lookup(&mut self, table: Value, places: &[i64]) -> Value {
        let places = self.places(places);
        self.op("aten.embedding", vec![v(table), v(places)])
    }
    /// Of the only constant: how many copies runs read, and what is said of a weight that is held twice.
    fn copies(mut self, outputs: &[Value]) -> (usize, Json) {
        for (k, value) in outputs.iter().enumerate() {
            self.graph.add_output(&format!("y{k}"), OutputValue::Tensor(*value));
        }
        let events: Arc<Mutex<Vec<Json>>> = Arc::default();
        let mut results = Vec::new();
        let mut copies = 0;
        for (backend, compared) in [("cpu", false), ("cpu", true), ("interpreter", false)] {
            let mut options = Options::new();
            options.set("backend", backend).unwrap();
            if compared {
                options.set("debug.compare", "interpreter").unwrap();
            }
            let heard = Arc::clone(&events);
            options.set_trace(Some(Arc::new(move |line: &str| {
                heard.lock().unwrap().push(serde_json::from_str(line).unwrap());
            })));
            let program = session::compile(&self.graph, &options).unwrap();
            if backend == "cpu" && !compared {
                let (plan, about) = (program.plan(), serde_json::from_str::<Json>(&program.describe()));
                let folded = about.unwrap()["folded"].as_array().unwrap().len();
                copies = folded + usize::from(plan.storages_of_runs()[0]);
            }
            let inputs: Vec<&Tensor> = self.inputs.iter().collect();
            let mut got = program.run_tensors(&inputs).unwrap();
            let (name, was) = (&self.graph.constants[0].name, program.constant("w0").unwrap());
            let halved: Vec<u8> = floats(&was).iter().flat_map(|x| (x * 0.5).to_le_bytes()).collect();
            let halved = Tensor::from_bytes(Dtype::Float32, was.shape(), &halved).unwrap();
            program.update_tensors(&[(name.as_str(), &halved)]).unwrap();
            got.extend(program.run_tensors(&inputs).unwrap());
            results.push(got);
        }
        for (a, b) in results[0].iter().zip(&results[2]) {
            assert_eq!((a.dtype(), a.shape()), (b.dtype(), b.shape()));
            for (x, y) in floats(a).into_iter().zip(floats(b)) {
                assert!((x - y).abs() <= 1e-4 + 1e-4 * y.abs(), "{x} is not {y}");
            }
        }
        let events = events.lock().unwrap();
        let memory = events.iter().find(|e| e["event"] == "memory").unwrap();
        (copies, memory["held_twice"].clone())
    }
}

fn products(c: &mut Case, table: Value, turned: bool, rows: i64) -> Value {
    let x = c.input(&[rows, if turned { ROWS } else { WIDTH }]);
    let name = if turned { "aten.mm" } else { "aten.linear" };
    c.op(name, vec![v(x), v(table)])
}

#[test]
fn a_table_that_a_product_has_packed_is_looked_up_in_its_panels() {
    for turned in [false, true] {
        let mut c = Case::new("tied");
        let table = c.parameter(&[ROWS, WIDTH]);
        let rows = c.lookup(table, &[0, 202, 31, 32, 33, 200]);
        let y = products(&mut c, table, turned, 40);
        // Another reader of a part, turned.
        let part = c.op("aten.slice.Tensor", vec![v(table), c.int(1), c.int(3), c.int(7)]);
        let part = c.op("aten.t", vec![v(part)]);
        let x = c.input(&[4, 1]);
        let sum = c.op("aten.add.Tensor", vec![v(part), v(x)]);
        assert_eq!(c.copies(&[rows, y, sum]), (1, Json::Array(vec![])), "turned: {turned}");
    }
}

#[test]
fn a_batch_of_matrices_is_read_in_its_panels() {
    let mut c = Case::new("batch");
    let (table, x, z) = (c.parameter(&[5, 60, 70]), c.input(&[5, 80, 60]), c.input(&[1, 3]));
    let y = c.op("aten.bmm", vec![v(x), v(table)]);
    let part = c.op("aten.slice.Tensor", vec![v(table), c.int(2), c.int(60), c.int(63)]);
    let part = c.op("aten.select.int", vec![v(part), c.int(1), c.int(59)]);
    let part = c.op("aten.add.Tensor", vec![v(part), v(z)]);
    assert_eq!(c.copies(&[y, part]), (1, Json::Array(vec![])));
}

#[test]
fn products_alike_share_their_panels() {
    let mut c = Case::new("alike");
    let table = c.parameter(&[ROWS, WIDTH]);
    let (y, z) = (products(&mut c, table, false, 5), products(&mut c, table, false, 7));
    assert_eq!(c.copies(&[y, z]), (1, Json::Array(vec![])));
}

#[test]
fn products_along_both_dimensions_have_panels_each() {
    let mut c = Case::new("both");
    let table = c.parameter(&[ROWS, WIDTH]);
    let rows = c.lookup(table, &[5, 100]);
    let (y, z) = (products(&mut c, table, false, 5), products(&mut c, table, true, 5));
    let (copies, said) = c.copies(&[rows, y, z]);
    assert_eq!((copies, &said[0]["constant"], &said[0]["copies"]), (2, &"w0".into(), &2.into()), "{said}");
    let because = said[0]["because"].as_str().unwrap();
    assert!(because.contains("different dimensions"), "{because}");
}

#[test]
fn what_cannot_read_panels_keeps_the_weight_as_it_was_given() {
    // The left operand of a product.
    let mut c = Case::new("left");
    let table = c.parameter(&[ROWS, WIDTH]);
    let x = c.input(&[WIDTH, 9]);
    let left = c.op("aten.mm", vec![v(table), v(x)]);
    let (rows, y) = (c.lookup(table, &[5, 100]), products(&mut c, table, false, 5));
    let (copies, said) = c.copies(&[left, rows, y]);
    assert_eq!((copies, &said[0]["copies"]), (2, &2.into()), "{said}");
    assert!(said[0]["because"].as_str().unwrap().contains("left operand"), "{said}");
    // All of it in each run, beside a product of one row.
    let mut c = Case::new("all");
    let table = c.parameter(&[ROWS, WIDTH]);
    let x = c.input(&[ROWS, 1]);
    let all = c.op("aten.mul.Tensor", vec![v(table), v(x)]);
    let y = products(&mut c, table, false, 1);
    let (copies, said) = c.copies(&[all, y]);
    assert_eq!(copies, 2, "{said}");
    assert!(said[0]["because"].as_str().unwrap().contains("take long"), "{said}");
}
