//! Compiles the executor: once into the library, and as relocatable objects that the library embeds, from which
//! every artifact is linked. Native headers are embedded, too. What is embedded is compressed, a pack for each use.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    for file in std::fs::read_dir("src/executor").expect("src/executor is a folder").flatten() {
        println!("cargo:rerun-if-changed={}", file.path().display());
    }
    println!("cargo:rerun-if-changed=include/litz/artifact.h");
    println!("cargo:rerun-if-changed=include/litz/dlpack.h");
    // The machine that generated code is for is the one that the library itself is built for.
    executor("unity.c", "2", &[]).compile("litz_executor");

    let mut packs = Packs { out: &out, list: String::new(), count: 0 };
    println!("cargo:rerun-if-changed=src/codegen/native");
    for folder in ["", "cuda/"] {
        let files =
            std::fs::read_dir(format!("src/codegen/native/{folder}")).expect("native headers lie in folders");
        let mut files: Vec<PathBuf> =
            files.flatten().map(|f| f.path()).filter(|path| path.is_file()).collect();
        files.sort();
        let headers = files.iter().map(|path| {
            let text = std::fs::read_to_string(path).expect("a file of this build can be read");
            let name = path.file_name().expect("a file has a name").display();
            (format!("native/{folder}{name}"), without_comments(&text).into_bytes())
        });
        packs.add(!folder.is_empty(), headers.collect());
    }

    packs.add(false, vec![("schemas".to_string(), schemas().into_bytes())]);

    // Nobody observes or profiles what an artifact runs by itself, and its constants stay where they are.
    let apart = [("LX_IS_WATCHED", "0"), ("LX_HAS_LINALG", "0")];
    // Both are compiled alike, so that what they share is packed once.
    let cpu = [apart[0], apart[1], ("LX_HAS_GPU", "0")];
    let objects = [
        ("executor.o", executor("unity.c", "2", &apart)),
        ("executor_cpu.o", executor("unity.c", "2", &cpu)),
        ("linalg.o", executor("linalg.c", "s", &[])),
        ("artifact.o", executor("artifact.c", "s", &[])),
    ];
    let object = |(name, build): (&str, cc::Build)| {
        let file = build.compile_intermediates().remove(0);
        (name.to_string(), std::fs::read(file).expect("the compiler wrote it"))
    };
    packs.add(true, objects.map(object).into());
    packs.finish();

    println!("cargo:rerun-if-changed=src/device/limits.c");
    let mut limits = cc::Build::new();
    // Multiplications and additions join, as kernels' do.
    limits
        .file("src/device/limits.c")
        .std("gnu11")
        .opt_level(3)
        .debug(false)
        .pic(true)
        .flag("-ffp-contract=fast");
    limits.flag("-fvisibility=hidden").warnings(true).extra_warnings(true).warnings_into_errors(true);
    limits.compile("litz_limits");
}

/// Names and schemas of all operators, a line each in the order of the table: the macro of a family hands its rows on to
/// that of another.
fn schemas() -> String {
    println!("cargo:rerun-if-changed=src/ops/rows");
    let read = |family: &str| {
        let path = format!("src/ops/rows/{family}.rs");
        let text = std::fs::read_to_string(path).expect("a family has a file");
        let next = text.split("$crate::ops::rows::").nth(1).and_then(|rest| rest.split("_rows!").next());
        (next.map(str::to_string), text)
    };
    let mut lines = Vec::new();
    let (mut next, _) = read("mod");
    while let Some(family) = next {
        let text;
        (next, text) = read(&family);
        // A row: `Id "name" "schema" Class …`.
        for line in text.lines() {
            if let Some((id, rest)) = line.split_once(" \"")
                && !id.contains('/')
                && let Some((name, rest)) = rest.split_once("\" \"")
                && let Some((schema, _)) = rest.rsplit_once("\" ")
            {
                lines.push(format!("{name} {}", schema.replace("\\\"", "\"")));
            }
        }
    }
    lines.join("\n") + "\n"
}

/// A native header without its comments, which are for readers of this repository, and with a tab for each four spaces.
fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for line in text.lines() {
        let code = line.find("// ").map_or(line, |at| &line[..at]).trim_end();
        if !code.is_empty() && !code.trim_start().starts_with("//") {
            let inner = code.trim_start_matches(' ');
            let spaces = code.len() - inner.len();
            kept.extend(std::iter::repeat_n('\t', spaces / 4).chain(std::iter::repeat_n(' ', spaces % 4)));
            kept.push_str(inner);
            kept.push('\n');
        }
    }
    kept
}

/// Files that are compressed together, since headers repeat each other, as objects do.
struct Packs<'a> {
    out: &'a Path,
    /// The text of an array with a [`Pack`] of `src/base/embedded.rs` for each.
    list: String,
    count: usize,
}

impl Packs<'_> {
    /// Adds a pack. One that no warm compilation waits for is `small`: it is packed by LZMA, which leaves fewer bytes than deflating and
    /// takes longer to unpack. Where the macro `embedded!` looks for a file's name it finds the pack's number and the file's place there.
    fn add(&mut self, small: bool, files: Vec<(String, Vec<u8>)>) {
        let folder = self.out.join("embedded");
        let mut content = Vec::new();
        for (name, bytes) in files {
            let place = content.len()..content.len() + bytes.len();
            content.extend(bytes);
            let file = folder.join(format!("{name}.rs"));
            std::fs::create_dir_all(file.parent().expect("a file lies in a folder"))
                .expect("OUT_DIR can be written");
            let text = format!("crate::base::Embedded::new({}, {place:?})", self.count);
            std::fs::write(file, text).expect("OUT_DIR can be written");
        }
        let (way, packed) = if small { ("lzma", lzma(&content)) } else { ("deflate", deflate(&content)) };
        let name = format!("{}.{way}", self.count);
        std::fs::write(folder.join(&name), packed).expect("OUT_DIR can be written");
        writeln!(self.list, "Pack::new({way}, include_bytes!(\"{name}\")),").expect("a string takes it");
        self.count += 1;
    }

    fn finish(self) {
        let text = format!("[\n{}]\n", self.list);
        std::fs::write(self.out.join("embedded/packs.rs"), text).expect("OUT_DIR can be written");
    }
}

/// The last twentieth takes seconds, which a library that is shipped is worth.
fn is_shipped() -> bool {
    std::env::var("PROFILE").as_deref() == Ok("release")
}

/// A raw deflate stream.
fn deflate(content: &[u8]) -> Vec<u8> {
    let options = zopfli::Options {
        iteration_count: std::num::NonZeroU64::new(if is_shipped() { 15 } else { 1 })
            .expect("a number of tries"),
        ..Default::default()
    };
    let mut packed = Vec::new();
    zopfli::compress(options, zopfli::Format::Deflate, content, &mut packed).expect("a vector takes it");
    packed
}

/// An LZMA stream with its header.
fn lzma(content: &[u8]) -> Vec<u8> {
    let mut options = lzma_rust2::LzmaOptions::with_preset(if is_shipped() { 9 } else { 1 });
    (options.dict_size, options.pb, options.nice_len) = (1 << 20, 0, 273);
    let size = Some(content.len() as u64);
    let mut writer =
        lzma_rust2::LzmaWriter::new_use_header(Vec::new(), &options, size).expect("a vector takes it");
    std::io::Write::write_all(&mut writer, content).expect("a vector takes it");
    writer.finish().expect("a vector takes it")
}

/// The compilation of one file of `src/executor`. Functions have sections
/// of their own, of which an artifact's linker drops those that it does not need.
fn executor(source: &str, level: &str, defines: &[(&str, &str)]) -> cc::Build {
    let mut build = cc::Build::new();
    for (name, value) in defines {
        build.define(name, *value);
    }
    build
        .file(Path::new("src/executor").join(source))
        .std("c11")
        .opt_level_str(level)
        .debug(false)
        .pic(true)
        .force_frame_pointer(false)
        .warnings(true)
        .extra_warnings(true)
        .warnings_into_errors(true)
        .flag("-fvisibility=hidden")
        .flag("-ffunction-sections")
        .flag("-pthread");
    // Loops and functions are short: padding before them is a page of every artifact. Nothing unwinds through them.
    let short = ["-falign-functions=8", "-fno-align-loops", "-fno-align-jumps"];
    for flag in short.into_iter().chain(["-fno-asynchronous-unwind-tables"]) {
        build.flag_if_supported(flag);
    }
    build
}
