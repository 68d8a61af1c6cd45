//! The command `litz`: compiles, runs, times and looks into tensor programs.
//!
//! It does what it does by the C ABI of `liblitz.so` alone, through the crate `litz-api`: whatever it shows, a host can get.
//! Each subcommand is a module with one function that takes its arguments and gives what to say; `output` says it, in words
//! or as one JSON document.
//!
//! Invariants: standard output has the answer and nothing else, progress and warnings go to standard error; colours and bars
//! are for terminals; a failure has a message and one of the exit codes of `failure`.

mod args;
mod bench;
mod cache;
mod compare;
mod compile;
mod diff;
mod doctor;
mod expression;
mod failure;
mod files;
mod generate;
mod given;
mod inputs;
mod inspect;
mod minify;
mod npy;
mod output;
mod picture;
mod progress;
mod run;
mod source;
mod verify;

use args::{Args, Command};
use clap::Parser;
use failure::Failure;
use output::Output;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return unparsed(&error),
    };
    let output = Output::new(&args.global);
    let ended = command(&args.command, &output);
    // A yes or a no that nobody got is neither.
    let ended = match output.complete() {
        Err(lost) if matches!(ended, Ok(()) | Err(Failure::No)) => Err(lost),
        _ => ended,
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output.failure(&failure);
            ExitCode::from(failure.code())
        }
    }
}

/// Help, the version, or a command line that cannot be: its failure is JSON, too, where that was asked for.
fn unparsed(error: &clap::Error) -> ExitCode {
    let printed = error.print();
    if !error.use_stderr() {
        return match printed {
            Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
                eprintln!("error: standard output: {e}");
                ExitCode::from(3)
            }
            _ => ExitCode::SUCCESS,
        };
    }
    let failure = Failure::Usage(error.to_string().trim_end().to_string());
    if let (true, Some(json)) = (std::env::args_os().any(|a| a == "--json"), failure.json()) {
        let _ = output::say(&format!("{json:#}"));
    }
    ExitCode::from(failure.code())
}

fn command(command: &Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Compile(args) => compile::compile(args, output),
        Command::Run(args) => run::run(args, output),
        Command::Bench(args) => bench::bench(args, output),
        Command::Inspect(args) => inspect::inspect(args, output),
        Command::Report(args) => picture::report(args, output),
        Command::Draw(args) => picture::draw(args, output),
        Command::Diff(args) => diff::diff(args, output),
        Command::Verify(args) => verify::verify(args, output),
        Command::Minify(args) => minify::minify(args, output),
        Command::Cache(args) => cache::cache(args, output),
        Command::Doctor(args) => doctor::doctor(args, output),
        Command::Man(args) => generate::man(args, output),
        Command::Completions(args) => generate::completions(args, output),
    }
}
