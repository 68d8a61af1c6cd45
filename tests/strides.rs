//! The strides of results, and which share memory, against PyTorch's (`tests/strides.py` recorded them): as graphs say
//! before anything is compiled, as programs say before a run, and as runs give them.

use flate2::read::GzDecoder;
use litz::base::Status;
use litz::decompose::decompose;
use litz::frontend::{FrontendError, from_export_json};
use litz::interp::{HostTensor, run_graph};
use litz::ir::Graph;
use litz::ir::text::print;
use litz::runtime::Tensor;
use litz::session::{
    self, Executable, HostBackend, HostCall, HostError, HostProgram, Options, SharedRegistry,
};
use litz::types::Dtype;
use litz::types::dlpack::DLTensor;
use serde_json::{Value, json};
use std::io::Read;
use std::path::Path;

struct Case {
    name: String,
    record: Value,
    executable: Executable,
    spec: Value,
}

fn records() -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/strides.json.gz");
    let packed = std::fs::read(path).expect("the record is there");
    let mut text = String::new();
    GzDecoder::new(&packed[..]).read_to_string(&mut text).expect("packed text");
    serde_json::from_str(&text).expect("JSON")
}

fn compiled(record: Value, backend: &str) -> Case {
    let name = record["name"].as_str().expect("a name").to_string();
    let told = |e: &dyn std::fmt::Display| -> ! { panic!("{name}: {e}") };
    let graph = from_export_json(record["program"].to_string().as_bytes()).unwrap_or_else(|e| told(&e));
    let spec = session::graph_spec(&graph).unwrap_or_else(|e| told(&e));
    let mut options = Options::default();
    if backend == "host" {
        options.set_registry(Some(with_a_backend()));
    }
    options.set("backend", backend).expect("an option");
    let executable = session::compile(&graph, &options).unwrap_or_else(|e| told(&e));
    Case { name, record, executable, spec }
}

/// A registry with the backend `host`, which has the interpreter run the graph, and fills what it is given in the order of its sizes.
fn with_a_backend() -> SharedRegistry {
    let compile = |graph: &Graph| -> Result<HostProgram, HostError> {
        let graph = decompose(graph).expect("a graph of simpler operators");
        let run = move |call: &HostCall<'_>| -> Result<(), HostError> {
            let given = call.inputs.iter().zip(&graph.inputs).map(|(tensor, input)| {
                let (dtype, n) = (graph.meta(input.value).dtype, tensor.ndim as usize);
                // SAFETY: tensors of a call are contiguous and live.
                unsafe {
                    let shape = std::slice::from_raw_parts(tensor.shape, n).to_vec();
                    let bytes = shape.iter().product::<i64>() as usize * dtype.size();
                    let data = std::slice::from_raw_parts(tensor.data.cast::<u8>(), bytes);
                    HostTensor::new(dtype, &shape, data.to_vec())
                }
            });
            let (results, writes) = run_graph(&graph, &given.collect::<Vec<_>>()).expect("a run");
            for (result, output) in results.iter().chain(&writes).zip(call.outputs) {
                // SAFETY: as above; it has room for the result.
                unsafe {
                    let data = output.get().data.cast::<u8>();
                    data.copy_from_nonoverlapping(result.bytes.as_ptr(), result.bytes.len());
                }
            }
            Ok(())
        };
        Ok(Box::new(run))
    };
    let registry = SharedRegistry::default();
    let backend = HostBackend {
        name: "host".into(),
        tags: Vec::new(),
        decomposed: true,
        deterministic: false,
        compile: Box::new(compile),
    };
    registry.add_backend(backend).expect("a backend");
    registry
}

fn compiled_text(text: &str, backend: &str) -> Executable {
    let graph = litz::meta::text::parse(text).unwrap_or_else(|e| panic!("{e}"));
    let mut options = Options::default();
    options.set("backend", backend).expect("an option");
    session::compile(&graph, &options).unwrap_or_else(|e| panic!("{e}"))
}

fn floats(list: &Value) -> Vec<f64> {
    list.as_array().expect("a list").iter().map(|v| v.as_f64().unwrap_or(f64::NAN)).collect()
}
fn ints(list: &Value) -> Vec<i64> {
    list.as_array().expect("a list").iter().map(|v| v.as_i64().expect("an integer")).collect()
}

/// A tensor of these values, contiguous.
fn tensor(dtype: Dtype, shape: &[i64], values: &[f64]) -> Tensor {
    let bytes: Vec<u8> = match dtype {
        Dtype::Float32 => values.iter().flat_map(|v| (*v as f32).to_le_bytes()).collect(),
        Dtype::Int64 => values.iter().flat_map(|v| (*v as i64).to_le_bytes()).collect(),
        other => panic!("{other}"),
    };
    Tensor::from_bytes(dtype, shape, &bytes).expect("a tensor")
}

fn element(tensor: &DLTensor, at: usize, dtype: Dtype) -> f64 {
    // SAFETY: `at` is the place of an element.
    unsafe {
        let data = tensor.data.cast::<u8>().add(tensor.byte_offset as usize + at * dtype.size());
        match dtype {
            Dtype::Float32 => f64::from(data.cast::<f32>().read()),
            Dtype::Float64 => data.cast::<f64>().read(),
            Dtype::Int64 => data.cast::<i64>().read() as f64,
            other => panic!("{other}"),
        }
    }
}

/// Every element in the order of its index.
fn elements(tensor: &Tensor) -> Vec<f64> {
    let (shape, strides) = (tensor.shape(), tensor.strides());
    let count: i64 = shape.iter().product();
    (0..count)
        .map(|k| {
            let (mut rest, mut at) = (k, 0);
            for d in (0..shape.len()).rev() {
                at += rest % shape[d] * strides[d];
                rest /= shape[d];
            }
            element(tensor.dl(), at as usize, tensor.dtype())
        })
        .collect()
}

/// Strides where they tell something: of tensors with elements, along dimensions of several.
fn telling(shape: &[i64], strides: &[i64]) -> Vec<Option<i64>> {
    shape.iter().zip(strides).map(|(n, s)| (*n > 1 && !shape.contains(&0)).then_some(*s)).collect()
}

fn check(case: &Case) -> Result<(), String> {
    let Case { name, record, executable, spec } = case;
    let inputs = executable.inputs();
    let mut given = Vec::new();
    let mut constants = record["constants"].as_array().expect("a list").iter();
    for (k, input) in inputs.iter().enumerate() {
        // What the module holds comes first.
        let (values, shape) = match k + 1 == inputs.len() {
            true => (Some(&record["x"]), ints(&record["x_shape"])),
            false => (constants.next(), input.max_shape.clone()),
        };
        given.push(tensor(input.dtype, &shape, &floats(values.expect("a value"))));
    }
    let pointers: Vec<*const DLTensor> = given.iter().map(|t| std::ptr::from_ref(t.dl())).collect();
    // SAFETY: own tensors are as they say.
    let outputs = unsafe { executable.run(&pointers, None) }.map_err(|e| format!("{name}: {e}"))?;
    let wanted = record["results"].as_array().expect("a list");
    let (mut shapes, mut strides) = (vec![[0i64; 8]; wanted.len()], vec![[0i64; 8]; wanted.len()]);
    let mut inferred: Vec<DLTensor> = (0..wanted.len())
        .map(|k| DLTensor {
            shape: shapes[k].as_mut_ptr(),
            strides: strides[k].as_mut_ptr(),
            ..*given[0].dl()
        })
        .collect();
    // SAFETY: there is room for eight dimensions each.
    unsafe { executable.infer_outputs(&pointers, &mut inferred) }.map_err(|e| format!("{name}: {e}"))?;
    for (k, (output, want)) in outputs.iter().zip(wanted).enumerate() {
        let shape = ints(&want["shape"]);
        let want_strides = telling(&shape, &ints(&want["strides"]));
        let place = format!("{name}, result {k}");
        let says = &spec["outputs"][k];
        // Of sizes that a run gives, the graph says how they follow from one another.
        let known = |key: &str, of_run: &[i64]| match says[key].as_array().expect("a list") {
            list if list.iter().any(Value::is_string) => of_run.to_vec(),
            _ => ints(&says[key]),
        };
        let of_graph = (known("shape", output.shape()), known("strides", output.strides()));
        for (who, shape_of, strides_of) in [
            ("the graph", of_graph.0, of_graph.1),
            ("a run", output.shape().to_vec(), output.strides().to_vec()),
            ("infer_outputs", shapes[k][..shape.len()].to_vec(), strides[k][..shape.len()].to_vec()),
        ] {
            if shape_of != shape || telling(&shape_of, &strides_of) != want_strides {
                let want = (&want["shape"], &want["strides"]);
                return Err(format!("{place}: {who} gives {shape_of:?} {strides_of:?}, PyTorch {want:?}"));
            }
        }
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-5 + 1e-4 * b.abs();
        let (found, values) = (elements(output), floats(&want["values"]));
        if found.len() != values.len() || !found.iter().zip(&values).all(|(a, b)| close(*a, *b)) {
            return Err(format!("{place}: {found:?} for {values:?}"));
        }
    }
    for (k, want) in wanted.iter().enumerate().filter(|(_, want)| elements_of(want) > 0) {
        let alias = &spec["outputs"][k]["alias_of"];
        let own = &spec["inputs"][inputs.len() - 1]["path"];
        let fits = match want["shares"].as_i64() {
            // A result may show a number that the module holds.
            None => alias["input"] != *own && alias["output"].is_null(),
            Some(-1) => alias["input"] == *own,
            Some(first) => alias["output"] == spec["outputs"][first as usize]["path"],
        };
        if !fits {
            return Err(format!("{name}, result {k}: shares {}, and the graph says {alias}", want["shares"]));
        }
    }
    // Where one result shows all of the memory, others are views of it.
    for (k, want) in wanted.iter().enumerate() {
        let Some(first) = want["shares"].as_i64().filter(|first| *first >= 0) else { continue };
        let group = |j: usize| j == first as usize || wanted[j]["shares"].as_i64() == Some(first);
        let extent = |j: usize| elements_of(&wanted[j]);
        let most = (0..wanted.len()).filter(|j| group(*j)).map(extent).max().unwrap_or(0);
        let whole =
            |j: usize| group(j) && extent(j) == most && name.contains("views") || name.contains("twice");
        if (0..wanted.len()).any(whole) && !shares(&outputs[k], &outputs[first as usize]) {
            return Err(format!("{name}: results {first} and {k} do not share memory"));
        }
    }
    Ok(())
}

fn elements_of(record: &Value) -> i64 {
    ints(&record["shape"]).iter().product()
}

/// Both lie in the memory that the first of the two, or of its group, shows.
fn shares(a: &Tensor, b: &Tensor) -> bool {
    let span = |t: &Tensor| {
        let start = t.dl().data as usize;
        start..start + t.bytes().len().max(1)
    };
    let (a, b) = (span(a), span(b));
    a.start < b.end && b.start < a.end
}

/// Constants keep the strides that PyTorch's tensors have: results that are made of them lie as PyTorch's do.
#[test]
fn results_of_constants_lie_as_in_pytorch() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/constants_with_strides.pt2");
    let graph = litz::frontend::from_pt2(&path).unwrap_or_else(|e| panic!("{e}"));
    let wanted: Value = serde_json::from_str(&graph.spec.metadata["strides"]).expect("JSON");
    let again = litz::meta::text::parse(&litz::ir::text::print(&graph)).unwrap_or_else(|e| panic!("{e}"));
    for (graph, backend) in [(&graph, "interpreter"), (&graph, "cpu"), (&again, "interpreter")] {
        let mut options = Options::default();
        options.set("backend", backend).expect("an option");
        let executable = session::compile(graph, &options).unwrap_or_else(|e| panic!("{e}"));
        let spec = session::graph_spec(graph).unwrap_or_else(|e| panic!("{e}"));
        let x = tensor(Dtype::Float32, &[2, 3, 4, 4], &[0.5; 96]);
        // SAFETY: own tensors are as they say.
        let outputs = unsafe { executable.run(&[std::ptr::from_ref(x.dl())], None) }.expect("it runs");
        for (k, output) in outputs.iter().enumerate() {
            // Elements that lie in one place are copied apart, for a host may give the constant others.
            let want = match spec["outputs"][k]["alias_of"]["constant"].as_str() {
                Some("repeated") => vec![5, 1],
                _ => ints(&wanted[k]),
            };
            assert_eq!(output.strides(), want, "{backend}, result {k}");
            assert_eq!(ints(&spec["outputs"][k]["strides"]), want, "{backend}, result {k} of the graph");
        }
    }
}

/// Of a result, views as other dtypes; the second result shows none of the first element.
#[test]
fn views_as_other_dtypes_share_memory() {
    let text = r#"graph "bits" {
      input %0 "x": float32[2, 4]
      %1 = aten.add.Scalar(%0, 1)
      %2 = aten.view.dtype(%1, int32)
      %3 = aten.view.dtype(%1, int16)
      %4 = aten.slice.Tensor(%3, 1, 2, 9223372036854775807)
      output "wide" = %2
      output "narrow" = %4
    }"#;
    for backend in ["interpreter", "cpu"] {
        let executable = compiled_text(text, backend);
        let x = tensor(Dtype::Float32, &[2, 4], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        // SAFETY: own tensors are as they say.
        let outputs = unsafe { executable.run(&[std::ptr::from_ref(x.dl())], None) }.expect("it runs");
        let (wide, narrow) = (&outputs[0], &outputs[1]);
        assert_eq!((wide.dtype(), wide.shape(), wide.strides()), (Dtype::Int32, &[2, 4][..], &[4, 1][..]));
        assert_eq!((narrow.dtype(), narrow.shape()), (Dtype::Int16, &[2, 6][..]));
        assert_eq!(narrow.strides(), [8, 1]);
        assert_eq!(narrow.dl().data as usize, wide.dl().data as usize + 4, "one memory");
        // SAFETY: eight numbers lie there.
        let bits = unsafe { std::slice::from_raw_parts(wide.dl().data.cast::<f32>(), 8) };
        assert_eq!(bits, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    }
}

/// Results of two memories that no result shows all of: a run finds the size of the first, and where the views of the second
/// lie. A host that gives memory for each gets copies.
#[test]
fn views_that_a_run_places_share_memory() {
    let text = r#"graph "found" {
      symbol u0 in [0, 6]
      input %0 "x": int64[6]
      %1 = aten.count_nonzero.default(%0)
      litz.bind.default(%1, u0)
      %2 = aten.nonzero_static.default(%0, size=u0)
      %3 = aten.mul.Scalar(%2, 2)
      %4 = aten.slice.Tensor(%3, 0, 1, 9223372036854775807)
      %5 = aten.slice.Tensor(%3, 0, 0, 2)
      %6 = aten.add.Scalar(%0, 1)
      %7 = aten.slice.Tensor(%6, 0, u0, 9223372036854775807)
      %8 = aten.slice.Tensor(%6, 0, 1, u0)
      output "tail" = %4
      output "head" = %5
      output "from" = %7
      output "to" = %8
    }"#;
    for backend in ["interpreter", "cpu"] {
        let executable = compiled_text(text, backend);
        for x in [[0, 7, 0, 7, 7, 7], [7; 6], [0, 0, 7, 0, 0, 0], [0; 6]] {
            let given = tensor(Dtype::Int64, &[6], &x.map(f64::from));
            let pointers = [std::ptr::from_ref(given.dl())];
            // SAFETY: own tensors are as they say.
            let outputs = unsafe { executable.run(&pointers, None) }.unwrap_or_else(|e| panic!("{e}"));
            let places: Vec<f64> = (0..6).filter(|k| x[*k] != 0).map(|k| 2.0 * k as f64).collect();
            let after = x.map(|v| f64::from(v) + 1.0);
            let n = places.len();
            let want = [&places[n.min(1)..], &places[..n.min(2)], &after[n..], &after[n.min(1)..n]];
            let mut copies: Vec<Tensor> = (0..4).map(|k| tensor(Dtype::Int64, room(k), &[0.0; 6])).collect();
            let given_memory: Vec<*const DLTensor> =
                copies.iter_mut().map(|t| std::ptr::from_ref(t.dl())).collect();
            // SAFETY: there is room for six numbers in each.
            unsafe { executable.run_into(&pointers, &given_memory, None) }.unwrap_or_else(|e| panic!("{e}"));
            for (k, want) in want.into_iter().enumerate() {
                assert_eq!(outputs[k].shape()[0] as usize, want.len(), "{backend} {x:?} {k}");
                assert_eq!(elements(&outputs[k]), want, "{backend} {x:?} {k}");
                assert_eq!(elements(&copies[k]), want, "{backend} {x:?} {k}, given memory");
            }
            let start = |k: usize| outputs[k].dl().data as usize;
            for (one, other, apart, both) in
                [(1, 0, 8, n > 1), (3, 2, 8 * n.saturating_sub(1), n > 1 && n < 6)]
            {
                assert!(!both || start(other) == start(one) + apart, "{backend} {x:?}: {one} and {other}");
            }
        }
    }
}

/// Results that show parts of one input, of one that is written to, and of a buffer: those that lie over one another are views
/// of one copy, as PyTorch's are views of the input. Those that lie apart are copies of their own, as are two columns of many.
#[test]
fn parts_of_an_input_that_overlap_share_memory() {
    let text = r#"graph "parts" {
      symbol n in [1, 9]
      input %0 "x": int64[3, 4]
      input %1 "t": int64[3, 4] strides [1, 3]
      input %2 "far": int64[1000, 4]
      input %3 "dynamic": int64[n, 4]
      input %4 "written": int64[4]
      input %23 "wide": int64[4, 1000]
      buffer %5 "b": int64[4] = [50, 51, 52, 53]
      %6 = aten.slice.Tensor(%0, 0, 0, 2)
      %7 = aten.slice.Tensor(%0, 0, 1, 3)
      %8 = aten.select.int(%0, 0, 2)
      %9 = aten.slice.Tensor(%1, 1, 1, 3)
      %10 = aten.slice.Tensor(%1, 1, 2, 4)
      %11 = aten.slice.Tensor(%2, 0, 500, 502)
      %12 = aten.slice.Tensor(%2, 0, 501, 503)
      %13 = aten.select.int(%2, 0, 0)
      %14 = aten.slice.Tensor(%3, 1, 0, 3)
      %15 = aten.slice.Tensor(%3, 1, 1, 4)
      %16 = aten.slice.Tensor(%4, 0, 0, 3)
      %17 = aten.add_.Scalar(%4, 100)
      %18 = aten.slice.Tensor(%4, 0, 1, 4)
      %19 = aten.slice.Tensor(%5, 0, 0, 3)
      %20 = aten.slice.Tensor(%5, 0, 2, 4)
      %21 = aten.slice.Tensor(%23, 1, 0, 1)
      %22 = aten.slice.Tensor(%23, 1, 1, 2)
      output "x0" = %6
      output "x1" = %7
      output "x2" = %8
      output "t0" = %9
      output "t1" = %10
      output "far0" = %11
      output "far1" = %12
      output "far2" = %13
      output "dynamic0" = %14
      output "dynamic1" = %15
      output "written0" = %16
      output "written1" = %18
      output "b0" = %19
      output "b1" = %20
      output "column0" = %21
      output "column1" = %22
    }"#;
    for backend in ["interpreter", "cpu"] {
        let executable = compiled_text(text, backend);
        let counted = |n: i64| (0..n).map(|k| k as f64).collect::<Vec<f64>>();
        let shapes: [&[i64]; 6] = [&[3, 4], &[3, 4], &[1000, 4], &[2, 4], &[4], &[4, 1000]];
        let given: Vec<Tensor> =
            shapes.iter().map(|s| tensor(Dtype::Int64, s, &counted(s.iter().product()))).collect();
        let pointers: Vec<*const DLTensor> = given.iter().map(|t| std::ptr::from_ref(t.dl())).collect();
        // SAFETY: own tensors are as they say.
        let outputs = unsafe { executable.run(&pointers, None) }.unwrap_or_else(|e| panic!("{e}"));
        let range = |from: i64, to: i64| (from..to).map(|k| k as f64).collect::<Vec<f64>>();
        let want = [
            range(0, 8),
            range(4, 12),
            range(8, 12),
            vec![1.0, 2.0, 5.0, 6.0, 9.0, 10.0],
            vec![2.0, 3.0, 6.0, 7.0, 10.0, 11.0],
            range(2000, 2008),
            range(2004, 2012),
            range(0, 4),
            vec![0.0, 1.0, 2.0, 4.0, 5.0, 6.0],
            vec![1.0, 2.0, 3.0, 5.0, 6.0, 7.0],
            range(100, 103),
            range(101, 104),
            range(50, 53),
            range(52, 54),
            vec![0.0, 1000.0, 2000.0, 3000.0],
            vec![1.0, 1001.0, 2001.0, 3001.0],
        ];
        for (k, want) in want.iter().enumerate() {
            assert_eq!(elements(&outputs[k]), *want, "{backend}: result {k}");
        }
        let start = |k: usize| outputs[k].dl().data as usize + outputs[k].dl().byte_offset as usize;
        // Elements from one result's first to another's, where they share memory.
        for (one, other, apart) in
            [(0, 1, 4), (0, 2, 8), (3, 4, 3), (5, 6, 4), (8, 9, 1), (10, 11, 1), (12, 13, 2)]
        {
            assert_eq!(start(other), start(one) + 8 * apart, "{backend}: results {one} and {other}");
        }
        assert_eq!((outputs[3].strides(), outputs[9].strides()), (&[1, 3][..], &[4, 1][..]));
        // The copy is of three rows of a thousand.
        assert!(executable.plan().hidden.iter().all(|h| h.max_shape.iter().product::<i64>() <= 36));
        let mut copies: Vec<Tensor> =
            outputs.iter().map(|t| tensor(Dtype::Int64, t.shape(), &vec![0.0; elements(t).len()])).collect();
        let room: Vec<*const DLTensor> = copies.iter_mut().map(|t| std::ptr::from_ref(t.dl())).collect();
        // SAFETY: there is room for each.
        unsafe { executable.run_into(&pointers, &room, None) }.unwrap_or_else(|e| panic!("{e}"));
        for (k, want) in want.iter().enumerate().filter(|(k, _)| !(10..12).contains(k)) {
            assert_eq!(elements(&copies[k]), *want, "{backend}: result {k} in given memory");
        }
    }
}

/// Without elements, strides of 0 may be those of a dense tensor: such results are no memory for others.
#[test]
fn empty_results_with_strides_of_0_show_nothing_of_one_another() {
    let text = r#"graph "empty" {
      input %0 "x": float32[1, 3, 0, 4] strides [12, 0, 4, 1]
      %1, %2 = aten.split_with_sizes.default(%0, [0, 1])
      output "none" = %1
      output "all" = %2
    }"#;
    for backend in ["interpreter", "cpu"] {
        let executable = compiled_text(text, backend);
        let given = tensor(Dtype::Float32, &[1, 3, 0, 4], &[]);
        // SAFETY: own tensors are as they say.
        let outputs = unsafe { executable.run(&[std::ptr::from_ref(given.dl())], None) };
        let outputs = outputs.unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((outputs[0].shape(), outputs[1].shape()), (&[0, 3, 0, 4][..], &[1, 3, 0, 4][..]));
    }
}

/// Most that a result of [`views_that_a_run_places_share_memory`] may have.
fn room(k: usize) -> &'static [i64] {
    if k < 2 { &[6, 1] } else { &[6] }
}

/// What graphs say of results of operators that the second library computes.
#[test]
fn factors_lie_as_in_pytorch() {
    let (mut count, mut failures) = (0, Vec::new());
    for record in records().into_iter().filter(is_of_library) {
        let name = record["name"].as_str().expect("a name");
        let graph = from_export_json(record["program"].to_string().as_bytes())
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let spec = session::graph_spec(&graph).unwrap_or_else(|e| panic!("{name}: {e}"));
        for (says, want) in spec["outputs"]
            .as_array()
            .expect("a list")
            .iter()
            .zip(record["results"].as_array().expect("a list"))
        {
            let shape = ints(&want["shape"]);
            let (own, theirs) =
                (telling(&shape, &ints(&says["strides"])), telling(&shape, &ints(&want["strides"])));
            count += 1;
            if ints(&says["shape"]) != shape || own != theirs {
                failures.push(format!("{name}: {} {}, PyTorch {want}", says["shape"], says["strides"]));
            }
        }
    }
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n"));
    assert!(count > 100);
}

/// What PyTorch 2.15 gives for least squares, which it does not export: solutions are the first rows of what lies in columns, and ranks
/// and singular values are those of the matrices, whatever batch the right sides have.
#[test]
fn least_squares_lie_as_in_pytorch() {
    type Laid = (&'static [i64], &'static [i64]);
    type Case = (&'static [i64], &'static [i64], &'static str, [Laid; 4]);
    let cases: [Case; 7] = [
        (&[5, 3], &[5, 2], "gelsd", [(&[3, 2], &[1, 5]), (&[2], &[1]), (&[], &[]), (&[3], &[1])]),
        (&[3, 5], &[3, 2], "gelss", [(&[5, 2], &[1, 5]), (&[0], &[1]), (&[], &[]), (&[3], &[1])]),
        (&[2, 5, 3], &[2, 5], "gels", [(&[2, 3], &[5, 1]), (&[2, 1], &[1, 1]), (&[0], &[1]), (&[0], &[1])]),
        (
            &[2, 3, 5],
            &[2, 3, 2],
            "gelsy",
            [(&[2, 5, 2], &[10, 1, 5]), (&[0], &[1]), (&[2], &[1]), (&[0], &[1])],
        ),
        (
            &[1, 5, 3],
            &[4, 5, 2],
            "gelsd",
            [(&[4, 3, 2], &[10, 1, 5]), (&[4, 2], &[2, 1]), (&[1], &[1]), (&[1, 3], &[3, 1])],
        ),
        (
            &[1, 5, 3],
            &[4, 5, 2],
            "gelsy",
            [(&[4, 3, 2], &[10, 1, 5]), (&[0], &[1]), (&[1], &[1]), (&[0], &[1])],
        ),
        (
            &[4, 3, 5],
            &[1, 3, 2],
            "gelss",
            [(&[4, 5, 2], &[10, 1, 5]), (&[0], &[1]), (&[4], &[1]), (&[4, 3], &[3, 1])],
        ),
    ];
    for (a, b, driver, want) in cases {
        let text = format!(
            "graph \"g\" {{\n  input %0 \"a\": float32{a:?}\n  input %1 \"b\": float32{b:?}\n  %2, %3, %4, %5 = \
             aten.linalg_lstsq.default(%0, %1, driver=\"{driver}\")\n  output \"s\" = %2\n  output \"r\" = %3\n  \
             output \"k\" = %4\n  output \"v\" = %5\n}}"
        );
        let graph = litz::meta::text::parse(&text).unwrap_or_else(|e| panic!("{e}"));
        let spec = session::graph_spec(&graph).unwrap_or_else(|e| panic!("{text}: {e}"));
        for (k, (says, (shape, strides))) in
            spec["outputs"].as_array().expect("a list").iter().zip(want).enumerate()
        {
            assert_eq!(ints(&says["shape"]), shape, "{a:?} {b:?} {driver}, result {k}");
            let told = telling(shape, &ints(&says["strides"]));
            assert_eq!(told, telling(shape, strides), "{a:?} {b:?} {driver}, result {k}");
        }
    }
}

fn is_of_library(record: &Value) -> bool {
    record["results"][0].get("values").is_none()
}

fn check_all(records: Vec<Value>, backend: &str) {
    let count = records.len();
    let failures: Vec<String> =
        records.into_iter().filter_map(|record| check(&compiled(record, backend)).err()).collect();
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn results_lie_as_in_pytorch() {
    let records: Vec<Value> = records().into_iter().filter(|r| !is_of_library(r)).collect();
    assert!(records.len() > 900);
    check_all(records, "interpreter");
}

/// A host's backend fills results in the order of their sizes; they lie as PyTorch's all the same.
#[test]
fn results_of_a_hosts_backend_lie_as_in_pytorch() {
    let computed = records().into_iter().filter(|r| !is_of_library(r));
    check_all(computed.enumerate().filter(|(k, _)| k % 3 == 0).map(|(_, r)| r).collect(), "host");
}

/// Each kind of layout once for some of the operators: every program takes the C++ compiler a second.
#[test]
fn native_results_lie_as_in_pytorch() {
    let computed = records().into_iter().filter(|r| !is_of_library(r));
    let few = computed.enumerate().filter(|(k, _)| k % 48 == 7).map(|(_, r)| r);
    check_all(few.collect(), "cpu");
}

/// A caller may give an input with other strides than those that were declared.
#[test]
fn a_view_of_an_input_that_repeats_keeps_what_is_given() {
    let text = "graph \"g\" {\n  input %0 \"x\": float32[2, 3] strides [1, 0]\n  %1 = aten.atleast_1d.default(%0)\n  \
                output \"y\" = %1\n}";
    let executable = compiled_text(text, "interpreter");
    let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let given = tensor(Dtype::Float32, &[2, 3], &values);
    // SAFETY: own tensors are as they say.
    let outputs = unsafe { executable.run(&[std::ptr::from_ref(given.dl())], None) }.expect("a run");
    assert_eq!(outputs[0].strides(), [3, 1]);
    let got: Vec<f64> = (0..6).map(|k| element(outputs[0].dl(), k, Dtype::Float32)).collect();
    assert_eq!(got, values);
}

/// Inputs that are rows of a larger tensor are read where they lie: nothing between the rows counts, whoever reads them.
#[test]
fn rows_of_a_larger_tensor_are_read_where_they_lie() {
    let uses = [
        "aten.relu.default(%0)",
        "aten.softmax.int(%0, -1)",
        "aten.softmax.int(%0, 1)",
        "aten.sum.dim_IntList(%0, [0])",
        "aten.sum.default(%0)",
        "aten.amax.default(%0, [1])",
        "aten.bmm.default(%0, %1)",
        "aten.bmm.default(%1, %0)",
        "aten.matmul.default(%0, %2)",
        "aten.matmul.default(%2, %0)",
        "aten.view.default(%0, [8, 8])",
        "aten.layer_norm.default(%0, [8])",
        "aten.cumsum.default(%0, 1)",
        "aten.cumsum.default(%0, 2)",
        "aten.sort.default(%0, 1)",
        "aten.sort.default(%0, 2)",
        "aten.cat.default([%0, %0], 1)",
        "aten.flip.default(%0, [0, 2])",
        "aten.argmax.default(%0, 2)",
        "aten.conv1d.default(%0, %3)",
        "aten.max_pool1d.default(%0, [3], [2], [1])",
        "aten.index_select.default(%0, 1, %4)",
        "aten.embedding.default(%2, %4)",
        "aten.index_add.default(%0, 1, %4, %5)",
        "aten.scaled_dot_product_attention.default(%0, %0, %0)",
        "aten.expand.default(%0, [3, 2, 4, 8])",
        "aten.clone.default(%0)",
        "aten.detach.default(%0)",
    ];
    let (shape, strides) = ([2i64, 4, 8], [96i64, 24, 1]);
    let value = |k: usize| ((k * 37 + 11) % 64) as f64 / 8.0 - 4.0;
    let dense: Vec<f64> = (0..64).map(value).collect();
    let mut memory = vec![f64::NAN; 192];
    for (k, value) in dense.iter().enumerate() {
        memory[k / 32 * 96 + k / 8 % 4 * 24 + k % 8] = *value;
    }
    let around = tensor(Dtype::Float32, &[192], &memory);
    let rows = DLTensor {
        ndim: 3,
        shape: shape.as_ptr().cast_mut(),
        strides: strides.as_ptr().cast_mut(),
        ..*around.dl()
    };
    let compact = tensor(Dtype::Float32, &shape, &dense);
    let others = [
        tensor(Dtype::Float32, &[2, 8, 4], &dense),
        tensor(Dtype::Float32, &[8, 4], &dense[..32]),
        tensor(Dtype::Float32, &[4, 4, 2], &dense[..32]),
        tensor(Dtype::Int64, &[3], &[2.0, 0.0, 2.0]),
        tensor(Dtype::Float32, &[2, 3, 8], &dense[..48]),
    ];
    for used in uses {
        let results = if used.contains("sort") { "%6, %7" } else { "%6" };
        let text = |strides: &str| {
            format!(
                "graph \"g\" {{\n  input %0 \"x\": float32[2, 4, 8]{strides}\n  input %1 \"a\": float32[2, 8, 4]\n  \
                 input %2 \"b\": float32[8, 4]\n  input %3 \"w\": float32[4, 4, 2]\n  input %4 \"i\": int64[3]\n  \
                 input %5 \"s\": float32[2, 3, 8]\n  {results} = {used}\n  output \"y\" = %6\n}}"
            )
        };
        let run = |executable: &Executable, first: *const DLTensor| {
            let mut given = vec![first];
            given.extend(others.iter().map(|t| std::ptr::from_ref(t.dl())));
            // SAFETY: the tensors are as they say, and outlive the run.
            let outputs = unsafe { executable.run(&given, None) }.unwrap_or_else(|e| panic!("{used}: {e}"));
            elements(&outputs[0])
        };
        let want = run(&compiled_text(&text(""), "interpreter"), compact.dl());
        for backend in ["interpreter", "cpu"] {
            let got = run(&compiled_text(&text(" strides [96, 24, 1]"), backend), &raw const rows);
            let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-4 * b.abs().max(1.0);
            assert!(
                got.len() == want.len() && got.iter().zip(&want).all(near),
                "{backend}, {used}: {got:?}, not {want:?}"
            );
        }
    }
}

/// A program that looks at the storage of its input, which began at element 3 of it.
fn strided(offset: Value) -> Result<Graph, FrontendError> {
    let meta = |sizes: &[i64], strides: &[i64], offset: i64| {
        let ints = |list: &[i64]| list.iter().map(|n| json!({"as_int": n})).collect::<Vec<_>>();
        json!({"dtype": 7, "sizes": ints(sizes), "strides": ints(strides), "storage_offset": {"as_int": offset}, "layout": 7,
            "requires_grad": false, "device": {"type": "cpu", "index": null}})
    };
    let given = |arg: Value| json!({"name": "", "arg": arg, "kind": 1});
    let tensor = |name: &str| json!({"as_tensor": {"name": name}});
    let call = |target: &str, inputs: Value, output: Value| json!({"target": target, "inputs": inputs, "outputs": [output], "metadata": {}});
    let strided = json!([
        given(tensor("x")),
        given(json!({"as_ints": [2, 2]})),
        given(json!({"as_ints": [1, 2]})),
        given(offset)
    ]);
    let start = json!({"as_sym_int": {"as_name": "start"}});
    let nodes = [
        call("torch.ops.aten.as_strided.default", strided, tensor("y")),
        call("torch.ops.aten.sym_storage_offset.default", json!([given(tensor("x"))]), start.clone()),
    ];
    let graph = json!({
        "inputs": [tensor("x")], "outputs": [tensor("y"), start], "nodes": nodes, "sym_int_values": {"start": {"as_int": 3}},
        "tensor_values": {"x": meta(&[12], &[1], 3), "y": meta(&[2, 2], &[1, 2], 5)},
    });
    let signature = json!({
        "input_specs": [{"user_input": {"arg": tensor("x")}}],
        "output_specs": [{"user_output": {"arg": tensor("y")}}, {"user_output": {"arg": {"as_sym_int": {"as_name": "start"}}}}],
    });
    from_export_json(json!({"graph": graph, "signature": signature}).to_string().as_bytes())
}

#[test]
fn storage_is_looked_at_from_where_an_input_begins() {
    for (given, place) in
        [(json!({"as_int": 5}), 2), (json!({"as_int": 3}), 0), (json!({"as_none": true}), 0)]
    {
        let text = print(&strided(given).unwrap_or_else(|e| panic!("{e}")));
        let written = format!("aten.as_strided.default(%0, [2, 2], [1, 2], {place})");
        assert!(text.contains(&written) || place == 0 && text.contains("(%0, [2, 2], [1, 2])"), "{text}");
        assert!(text.contains("output \"start\" = 3"), "{text}");
    }
    let refused = strided(json!({"as_int": 1})).expect_err("elements in front of the input");
    assert_eq!(refused.status, Status::Unsupported);
    let message = refused.to_string();
    assert!(
        message.contains("begins at element 3 of its storage") && message.contains("from element 1 on"),
        "{message}"
    );
}
