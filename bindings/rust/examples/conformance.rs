//! The conformance program: what every binding must do, in order. What it prints is `bindings/conformance.txt`.

use litz_api::{Error, Executable, Graph, Options, RunOptions, Status, Tensor};

fn rows(n: i64) -> Result<Tensor, Error> {
    let numbers: Vec<f32> = (0..n * 32).map(|k| (k % 7 - 3) as f32 / 4.0).collect();
    Tensor::from_slice(&[n, 32], &numbers)
}

fn main() -> Result<(), Error> {
    let path = std::env::args().nth(1).expect("conformance MODEL.pt2");
    let options = Options::new()?;
    let program = Graph::from_pt2(&path, &options)?.compile(&options)?;
    println!("load: {} input, {} output", program.inputs().len(), program.outputs().len());
    let x = &program.inputs()[0];
    println!(
        "info: {} of {} dimensions, {} to {} rows",
        x.name,
        x.min_shape.len(),
        x.min_shape[0],
        x.max_shape[0]
    );

    let input = rows(2)?;
    let outputs = program.run(&[&input], &RunOptions::default())?;
    let first = outputs[0].to_vec::<f32>()?;
    println!(
        "run: {} by {}, {:.4} and {:.4}",
        outputs[0].shape()[0],
        outputs[0].shape()[1],
        first[0],
        first[19]
    );

    let (dtype, shape) = program.infer_outputs(&[&input])?.remove(0);
    let mut into = [Tensor::zeros(dtype, &shape)?];
    program.run_into(&[&input], &mut into, &RunOptions::default())?;
    println!("run_into: {}", if into[0].to_vec::<f32>()? == first { "the same" } else { "differs" });

    let error = program.run(&[&rows(600)?], &RunOptions::default()).expect_err("600 rows are too many");
    println!("errors: status {}, {}", error.status.0, says(&error, "512"));
    let error = Graph::from_pt2("/nonexistent.pt2", &options).err().expect("the file is missing");
    println!("errors: status {}, {}", error.status.0, says(&error, "/nonexistent.pt2"));
    assert_eq!(error.status, Status::IO);

    println!("threads: {} runs the same", threads(&program, &input, &first)?);
    drop((outputs, program, options));
    println!("release: all right");
    Ok(())
}

fn says(error: &Error, what: &str) -> &'static str {
    if error.message.contains(what) { "which it names" } else { "which it does not name" }
}

/// Four threads, a hundred runs each.
fn threads(program: &Executable, input: &Tensor, expected: &[f32]) -> Result<usize, Error> {
    let run = || -> Result<usize, Error> {
        let mut same = 0;
        for _ in 0..100 {
            let outputs = program.run(&[input], &RunOptions::default())?;
            same += usize::from(outputs[0].to_vec::<f32>()? == expected);
        }
        Ok(same)
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
        threads.into_iter().map(|t| t.join().expect("a thread ends")).sum()
    })
}
