//! What the command line takes. The words here are the help, the man pages and the completions.

use crate::failure::EXIT_CODES;
use clap::{Args as Arguments, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// Compiles, runs, times and looks into tensor programs.
#[derive(Debug, Parser)]
#[command(name = "litz", version, after_long_help = EXIT_CODES)]
pub struct Args {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Arguments)]
pub struct Global {
    /// Answer with one JSON document on standard output, failures too.
    #[arg(long, global = true)]
    pub json: bool,
    /// When to use colours and bars; NO_COLOR turns them off too.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
    /// Say what the library logs: -v warnings and information, -vv debugging.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// No progress and no notes on standard error.
    #[arg(short, long, global = true)]
    pub quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compile a graph to an artifact.
    Compile(CompileArgs),
    /// Run a graph or an artifact once.
    Run(RunArgs),
    /// Time a graph or an artifact.
    Bench(BenchArgs),
    /// Show what a graph or an artifact holds.
    Inspect(InspectArgs),
    /// Write a page of HTML about a program: its picture, kernels, roofline and memory.
    Report(ReportArgs),
    /// Draw a graph or a program.
    Draw(DrawArgs),
    /// Say in what two programs, or the traces of two compilations, differ.
    Diff(DiffArgs),
    /// Compare a program with the interpreter.
    Verify(VerifyArgs),
    /// Cut a graph down to the part that fails.
    Minify(MinifyArgs),
    /// Show the cache of compiled kernels, or make it smaller.
    Cache(CacheArgs),
    /// Look for compilers, drivers and libraries, and say what is missing.
    Doctor(DoctorArgs),
    /// Write the man pages.
    Man(ManArgs),
    /// Write completions for a shell.
    Completions(CompletionsArgs),
}

/// How to compile; ignored where an artifact is opened, but for what acts on runs.
#[derive(Clone, Debug, Default, Arguments)]
#[command(next_help_heading = "Compiling")]
pub struct Options {
    /// Where the program runs: auto, cpu, cuda, interpreter, …
    #[arg(short, long, value_name = "NAME")]
    pub backend: Option<String>,
    /// The mode, which sets other options: see docs/options.md.
    #[arg(short, long, value_name = "NAME")]
    pub mode: Option<String>,
    /// The device's index.
    #[arg(long, value_name = "INDEX")]
    pub device: Option<u32>,
    /// Set any option of docs/options.md.
    #[arg(short = 's', long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// What a run is given.
#[derive(Debug, Default, Arguments)]
#[command(next_help_heading = "Inputs")]
pub struct Inputs {
    /// A file with inputs, or NAME=FILE.npy. Names in .npz and .safetensors are those of inputs, their paths in the
    /// signature, or in0, in1, …; .npy files without a name are taken in order.
    #[arg(short, long = "input", value_name = "[NAME=]FILE")]
    pub input: Vec<OsString>,
    /// Only tensors of the files with this prefix, which is left out of their names.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub prefix: String,
    /// Make up the inputs that no file gives from this seed; without any file all are made up, from seed 0.
    #[arg(long, value_name = "SEED")]
    pub random: Option<u64>,
    /// The size of a symbol for inputs that are made up.
    #[arg(long = "size", value_name = "SYMBOL=SIZE")]
    pub sizes: Vec<String>,
    /// The least and the largest integer that is made up.
    #[arg(long, value_name = "LEAST:LARGEST", default_value = "0:1")]
    pub integers: String,
}

#[derive(Debug, Arguments)]
pub struct CompileArgs {
    /// A .pt2 archive, an ONNX model, an export's JSON, Litz's text, or a repro's folder.
    pub model: PathBuf,
    /// The artifact; a folder names it by its content. Without it: the model's name with .so, here.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write the compilation's events as a trace for Perfetto.
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    #[command(flatten)]
    pub options: Options,
}

#[derive(Debug, Arguments)]
pub struct RunArgs {
    /// A graph, or an artifact: its code runs, so it must be one that you trust.
    pub model: PathBuf,
    #[command(flatten)]
    pub inputs: Inputs,
    /// Where outputs go: .npz or .safetensors by name, .npy for a single one.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Compare the outputs with those of a file, by name, path, or out0, out1, …
    #[arg(short, long, value_name = "FILE")]
    pub compare: Option<PathBuf>,
    #[command(flatten)]
    pub tolerance: Tolerance,
    /// The random state of the run.
    #[arg(long, value_name = "SEED")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub options: Options,
}

#[derive(Clone, Copy, Debug, Default, Arguments)]
#[command(next_help_heading = "Comparing")]
pub struct Tolerance {
    /// How far results may differ, relative to what is expected; otherwise by dtype, as PyTorch's assert_close.
    #[arg(long, value_name = "NUMBER", value_parser = tolerance)]
    pub rtol: Option<f64>,
    /// How far results may differ at all.
    #[arg(long, value_name = "NUMBER", value_parser = tolerance)]
    pub atol: Option<f64>,
}

fn tolerance(text: &str) -> Result<f64, String> {
    let number = text.parse().map_err(|e: std::num::ParseFloatError| e.to_string())?;
    if number >= 0.0 && f64::is_finite(number) {
        Ok(number)
    } else {
        Err("it must be a finite number of at least 0".into())
    }
}

#[derive(Debug, Arguments)]
pub struct BenchArgs {
    /// A graph, or an artifact: its code runs, so it must be one that you trust.
    pub model: PathBuf,
    #[command(flatten)]
    pub inputs: Inputs,
    /// How long to time runs.
    #[arg(short = 't', long, value_name = "SECONDS", default_value_t = 2.0)]
    pub time: f64,
    /// Runs before the first that counts.
    #[arg(long, value_name = "RUNS", default_value_t = 3)]
    pub warmup: u32,
    /// Threads that run the program at once; one that keeps state has an instance for each.
    #[arg(short = 'j', long, value_name = "N", default_value_t = 1)]
    pub threads: usize,
    /// Do not time kernels.
    #[arg(long)]
    pub no_profile: bool,
    #[command(flatten)]
    pub options: Options,
}

#[derive(Debug, Arguments)]
pub struct InspectArgs {
    /// A graph or an artifact. An artifact is opened, which runs its code.
    pub file: PathBuf,
    /// List every parameter, buffer and constant.
    #[arg(short, long)]
    pub weights: bool,
    /// List every kernel.
    #[arg(short, long)]
    pub kernels: bool,
}

#[derive(Debug, Arguments)]
pub struct ReportArgs {
    /// A graph or an artifact; what an artifact shows depends on the option artifact.graph that it was written with.
    pub model: PathBuf,
    #[command(flatten)]
    pub inputs: Inputs,
    /// The page. Without it: the model's name with .html, here.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Runs whose kernels are timed for the page; 0 leaves times out.
    #[arg(short, long, default_value_t = 10)]
    pub runs: u32,
    #[command(flatten)]
    pub options: Options,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// A box for each module; a graph is drawn without being compiled.
    Module,
    /// A box for what each kernel computes.
    Kernel,
}

#[derive(Debug, Arguments)]
pub struct DrawArgs {
    /// A graph or an artifact.
    pub model: PathBuf,
    /// The picture, .svg or .dot; without it dot goes to standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// What the boxes are; an artifact is drawn by kernel.
    #[arg(long, value_enum, default_value_t = By::Kernel)]
    pub by: By,
    #[command(flatten)]
    pub options: Options,
}

#[derive(Debug, Arguments)]
pub struct DiffArgs {
    /// A graph, an artifact, or a file of the option trace.file.
    pub a: PathBuf,
    /// Another of the same kind.
    pub b: PathBuf,
}

#[derive(Debug, Arguments)]
pub struct VerifyArgs {
    /// A graph, whose kernels are compared one by one; or an artifact, with --against.
    pub model: PathBuf,
    /// The graph that an artifact was made of: its outputs are compared with what the interpreter makes of it.
    #[arg(long, value_name = "GRAPH")]
    pub against: Option<PathBuf>,
    /// Also run the graph node by node: dtypes, sizes and strides, and the first NaN or infinity.
    #[arg(long)]
    pub by_node: bool,
    #[command(flatten)]
    pub inputs: Inputs,
    #[command(flatten)]
    pub tolerance: Tolerance,
    #[command(flatten)]
    pub options: Options,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Fails {
    /// It fails to compile with the same message.
    Compile,
    /// Compiling or running it ends the process, or takes more than two minutes.
    Crash,
    /// A kernel's result differs from the interpreter's.
    Differ,
}

#[derive(Debug, Arguments)]
pub struct MinifyArgs {
    /// A graph that fails; a repro's folder brings its inputs and options.
    pub model: PathBuf,
    /// How it fails.
    #[arg(short, long, value_enum)]
    pub fails: Fails,
    /// Where the part goes: a .litz file, or the folder of a repro; without it to standard output, as text.
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub options: Options,
}

#[derive(Debug, Arguments)]
pub struct CacheArgs {
    #[command(subcommand)]
    pub action: CacheAction,
}

#[derive(Debug, Subcommand)]
pub enum CacheAction {
    /// List the entries, the least recently used first.
    List {
        #[command(flatten)]
        options: Options,
    },
    /// Say how much there is.
    Size {
        #[command(flatten)]
        options: Options,
    },
    /// Remove entries, the least recently used first.
    Prune {
        /// How much may stay: bytes, or with K, M or G.
        #[arg(long, value_name = "SIZE", default_value = "0")]
        keep: String,
        #[command(flatten)]
        options: Options,
    },
}

#[derive(Debug, Arguments)]
pub struct DoctorArgs {
    #[command(flatten)]
    pub options: Options,
}

#[derive(Debug, Arguments)]
pub struct ManArgs {
    /// The folder to write a page for each command to; without it litz(1) goes to standard output.
    #[arg(short, long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Arguments)]
pub struct CompletionsArgs {
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}
