//! `litz verify`: a program beside the interpreter.
//!
//! A graph's kernels are compared one by one (option `debug.compare`), each with what the interpreter makes of what the
//! kernels before it wrote, so that rounding does not add up and the first difference is one kernel's fault. An artifact has
//! no graph: its outputs are compared with those of the interpreter, by tolerances.

use crate::args::VerifyArgs;
use crate::compare::{Comparison, compare};
use crate::failure::{About, Failure};
use crate::inputs::inputs;
use crate::output::Output;
use crate::source::{self, Kind};
use litz_api::{Error, Executable, RunOptions, Status, Tensor};
use serde_json::{Value, json};

pub fn verify(args: &VerifyArgs, output: &Output) -> Result<(), Failure> {
    let kind = Kind::of(&args.model)?;
    let graph = match (&args.against, kind) {
        (None, Kind::Artifact) => {
            return Err(Failure::Usage(
                "an artifact holds no graph for the interpreter: give the one that it was made of with --against".into(),
            ));
        }
        (None, _) => &args.model,
        (Some(graph), _) => graph,
    };
    let program = source::program(&args.model, &args.options, output)?;
    let given = inputs(&args.inputs, &program)?;
    let mut checks = Vec::new();
    if kind != Kind::Artifact {
        checks.push(checked("each kernel", "debug.compare=interpreter", args, &given, output)?);
    }
    if args.by_node {
        if kind == Kind::Artifact {
            return Err(Failure::Usage("--by-node needs the graph itself, not an artifact".into()));
        }
        checks.push(checked("each node", "debug.check=finite", args, &given, output)?);
    }
    let mut oracle = args.options.clone();
    oracle.backend = Some("interpreter".into());
    oracle.mode = None;
    oracle.device = None;
    oracle.set.clear();
    let oracle = source::program(graph, &oracle, output)?;
    let (got, wanted) = (run(&program, &given).about(&args.model)?, run(&oracle, &given).about(graph)?);
    if got.len() != wanted.len() {
        return Err(Failure::input(
            graph,
            format!("has {} outputs, the program {}", wanted.len(), got.len()),
        ));
    }
    let outputs = program.outputs().iter().zip(got.iter().zip(&wanted));
    let comparisons: Vec<Comparison> =
        outputs.map(|(i, (a, b))| compare(&i.name, a, b, args.tolerance)).collect::<Result<_, _>>()?;
    // Where kernels were compared one by one, rounding that adds up to the outputs is no fault, unless tolerances say so.
    let by_outputs = kind == Kind::Artifact || args.tolerance.rtol.is_some() || args.tolerance.atol.is_some();
    let close = comparisons.iter().all(|c| c.equal);
    let equal = checks.iter().all(|c| c["ok"] == true) && (close || !by_outputs);
    let answer = json!({
        "equal": equal,
        "checks": checks,
        "outputs": comparisons.iter().map(Comparison::json).collect::<Vec<_>>(),
        "decided_by_outputs": by_outputs,
    });
    output.answer(&answer, |o| {
        for check in &checks {
            let text = |key: &str| check[key].as_str().unwrap_or_default();
            let mark = if check["ok"] == true { o.good("equal") } else { o.bad("differs") };
            o.say(&format!("  {mark}  {} {}", text("what"), text("message")));
        }
        for comparison in &comparisons {
            comparison.say(o);
        }
        if !by_outputs && !close && equal {
            o.say("  (rounding that adds up: kernels agree one by one; --rtol and --atol decide by outputs)");
        }
    });
    if equal { Ok(()) } else { Err(Failure::No) }
}

/// A run with an option under which it ends where something is wrong.
fn checked(
    what: &str,
    option: &str,
    args: &VerifyArgs,
    given: &[Tensor],
    output: &Output,
) -> Result<Value, Failure> {
    let mut options = args.options.clone();
    options.set.push(option.to_string());
    let program = source::program(&args.model, &options, output)?;
    match run(&program, given) {
        Ok(_) => Ok(json!({"what": what, "ok": true, "message": ""})),
        Err(error) if error.status == Status::ASSERTION => {
            Ok(json!({"what": what, "ok": false, "message": error.message}))
        }
        Err(error) => Err(Failure::Litz { about: args.model.display().to_string(), error }),
    }
}

/// A run from a fixed random state, in tensors of its own.
fn run(program: &Executable, given: &[Tensor]) -> Result<Vec<Tensor>, Error> {
    let mut own = given.iter().map(Tensor::copy).collect::<Result<Vec<_>, _>>()?;
    program.run_mut(&mut own, &RunOptions { seed: Some((0, 0)), ..RunOptions::default() })
}
