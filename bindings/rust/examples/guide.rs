//! What `docs/guide-rust.md` shows, as one program; it is run at the repository's root.

use litz_api::{
    Dtype, Error, Executable, Given, Graph, Kind, Operator, Options, Registry, RunOptions, Tensor, Type,
    Weights, backends,
};

fn main() -> Result<(), Error> {
    model()?;
    options()?;
    built()?;
    operators()?;
    weights()?;
    training()
}

fn model() -> Result<(), Error> {
    let mut options = Options::new()?;
    options.set("cpu.threads", "2")?;
    let graph = Graph::from_pt2("tests/data/mlp_dynamic_batch.pt2", &options)?;
    let program = graph.compile(&options)?;
    let x = Tensor::from_slice(&[2, 32], &[0.5f32; 64])?;
    let outputs = program.run(&[&x], &RunOptions::default())?;
    println!("{:?}", outputs[0]);

    let wide = Tensor::from_slice(&[2, 33], &[0.5f32; 66])?;
    let error = program.run(&[&wide], &RunOptions::default()).expect_err("33 columns do not fit");
    println!("status {}: {error}", error.status.0);

    let path = std::env::temp_dir().join(format!("litz-guide-{}.so", std::process::id()));
    program.save(&path)?;
    let opened = Executable::open(&path, &options)?;
    let again = opened.run(&[&x], &RunOptions::default())?;
    println!("{}", again[0].to_vec::<f32>()? == outputs[0].to_vec::<f32>()?);
    let _ = std::fs::remove_file(path);
    Ok(())
}

fn options() -> Result<(), Error> {
    let mut options = Options::new()?;
    options.set("mode", "max-autotune")?;
    println!("{}", options.get("autotune.enabled")?);
    println!("{}", options.json()?.contains(r#""autotune.enabled":{"value":"true","from":"mode"}"#));
    println!("{}", backends(&["native"])?);
    Ok(())
}

fn built() -> Result<(), Error> {
    let options = Options::new()?;
    let graph = Graph::new("softmax", &options)?;
    let rows = graph.symbol("rows", 1, Some(64), None)?;
    let x = graph.input("x", Dtype::Float32, &[rows.into(), 3.into()])?;
    let y = graph.call("aten.softmax.int", &[x.into(), (-1).into()])?;
    graph.output("y", y)?;
    let program = graph.compile(&options)?;
    let x = Tensor::from_slice(&[1, 3], &[0.0f32, 0.0, 0.0])?;
    println!("{:.4?}", program.run(&[&x], &RunOptions::default())?[0].to_vec::<f32>()?);

    let graph = Graph::new("apart", &options)?;
    let x = graph.input("x", Dtype::Float32, &[4.into()])?;
    let y = graph.unfused(|graph| {
        let y = graph.call("aten.cos", &[x.into()])?;
        graph.call("aten.sqrt", &[y.into()])
    })?;
    graph.output("y", y)?;
    let about = graph.compile(&options)?.describe()?;
    println!("{}", about.matches("\"stage\":\"run\"").count());
    Ok(())
}

fn operators() -> Result<(), Error> {
    let registry = Registry::new()?;
    registry.add_pointwise("mylib::hill(Tensor x, float width=1.0) -> Tensor", "x / (width + x * x)")?;
    let reversed = Operator::new()
        .meta(|_, args| match args {
            [Given::Value(_), Given::Int(n)] => {
                Ok(vec![Type { dtype: Dtype::Float32, shape: vec![(*n).into()] }])
            }
            _ => Err(Error::new(litz_api::Status::INVALID_ARGUMENT, "a tensor and its length are asked")),
        })
        .run(|_, tensors, outs| {
            let (from, to) = (tensors[0].slice::<f32>()?, outs[0].slice_mut::<f32>()?);
            to.iter_mut().zip(from.iter().rev()).for_each(|(to, from)| *to = *from);
            Ok(())
        })
        .derivative(|graph, cotangents, args| match (cotangents, args) {
            ([Some(cotangent)], [_, Given::Int(n)]) => {
                graph.call("mylib.reversed", &[(*cotangent).into(), (*n).into()]).map(|g| vec![Some(g)])
            }
            _ => Ok(vec![None]),
        });
    registry.add_operator("mylib::reversed(Tensor x, int n) -> Tensor", reversed)?;

    let mut options = Options::new()?;
    options.set_registry(&registry)?;
    let graph = Graph::new("own", &options)?;
    let x = graph.input("x", Dtype::Float32, &[3.into()])?;
    let hill = graph.call("mylib.hill", &[x.into(), 0.0.into()])?;
    let reversed = graph.call("mylib.reversed", &[hill.into(), 3.into()])?;
    let w = graph.constant("w", Kind::Constant, &Tensor::from_slice(&[3], &[1.0f32, 2.0, 3.0])?)?;
    let product = graph.call("aten.mul.Tensor", &[reversed.into(), w.into()])?;
    let sum = graph.call("aten.sum", &[product.into()])?;
    let gradient = graph.differentiate(&[sum], None, &[x])?[0].expect("the sum depends on x");
    graph.output("y", reversed)?;
    graph.output("gradient", gradient)?;
    let program = graph.compile(&options)?;
    let x = Tensor::from_slice(&[3], &[1.0f32, 2.0, 4.0])?;
    for output in program.run(&[&x], &RunOptions::default())? {
        println!("{:?}", output.to_vec::<f32>()?);
    }
    Ok(())
}

fn weights() -> Result<(), Error> {
    let options = Options::new()?;
    let weights = Weights::open("tests/data/weights/blocks.gguf")?;
    let graph = Graph::new("packed", &options)?;
    let packed = graph.weight(&weights, "Q4_0", None, Kind::Parameter)?;
    let largest = graph.call("aten.amax", &[packed.into()])?;
    graph.output("largest", largest)?;
    let program = graph.compile(&options)?;
    println!("{:.3?}", program.run(&[], &RunOptions::default())?[0].to_vec::<f32>()?);
    Ok(())
}

fn training() -> Result<(), Error> {
    let options = Options::new()?;
    let graph = Graph::new("step", &options)?;
    let x = graph.input("x", Dtype::Float32, &[4.into(), 2.into()])?;
    let w = graph.constant("w", Kind::Parameter, &Tensor::zeros(Dtype::Float32, &[1, 2])?)?;
    let y = graph.call("aten.linear", &[x.into(), w.into()])?;
    let kept = graph.call("aten.dropout", &[y.into(), 0.5.into(), true.into()])?;
    let error = graph.call("aten.sub.Scalar", &[kept.into(), 1.into()])?;
    let square = graph.call("aten.mul.Tensor", &[error.into(), error.into()])?;
    let loss = graph.call("aten.mean", &[square.into()])?;
    let gradients = graph.differentiate(&[loss], None, &[w])?;
    graph.optimizer_step("adamw", &[w], &gradients, &[("lr", 0.05)])?;
    graph.output("loss", loss)?;
    let step = graph.compile(&options)?;

    let x = Tensor::from_slice(&[4, 2], &[1.0f32, 0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 1.0])?;
    let path = std::env::temp_dir().join(format!("litz-guide-{}.safetensors", std::process::id()));
    let (seed, mut offset) = (7, 0);
    for _ in 0..10 {
        (_, offset) = step.run_random(&[&x], (seed, offset))?;
    }
    step.save_checkpoint(&path, (seed, offset))?;
    let (after, _) = step.run_random(&[&x], (seed, offset))?;

    let resumed = graph.compile(&options)?;
    let random = resumed.load_checkpoint(&path)?;
    let (again, _) = resumed.run_random(&[&x], random)?;
    println!("{}", after[0].to_vec::<f32>()? == again[0].to_vec::<f32>()?);
    let _ = std::fs::remove_file(path);
    Ok(())
}
