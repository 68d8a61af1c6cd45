//! Artifacts as files: what they hold and need, damage, where weights lie, and hosts without this library.

use super::super::*;
use super::programs::*;
use crate::base::Status;
use std::path::Path;

/// `readelf` of a file, for what a test says of its layout.
fn readelf(flags: &str, file: &Path) -> String {
    let output =
        std::process::Command::new("readelf").arg(flags).arg(file).output().expect("binutils are there");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn an_artifact_needs_little_and_exports_one_function() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("program.so");
    add_rows().write(&path, false).unwrap();
    let needed: Vec<String> = readelf("-dW", &path)
        .lines()
        .filter(|l| l.contains("(NEEDED)"))
        .map(|l| l.rsplit('[').next().unwrap().trim_end_matches(']').to_owned())
        .collect();
    let allowed =
        ["libc.so.6", "libm.so.6", "libpthread.so.0", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"];
    assert!(needed.iter().all(|n| allowed.contains(&n.as_str())), "{needed:?}");
    let exported: Vec<String> = readelf("-sDW", &path)
        .lines()
        .filter(|l| l.contains(" GLOBAL ") && !l.contains(" UND "))
        .map(|l| l.split_whitespace().last().unwrap().to_owned())
        .collect();
    assert_eq!(exported, ["litz_artifact_entry_v1"]);
    assert!(!readelf("-lW", &path).lines().any(|l| l.contains("GNU_STACK") && l.contains("RWE")));
    let size = std::fs::metadata(&path).unwrap().len();
    // Most of it is the executor, without what only a GPU or linear algebra needs.
    assert!(size < 111_000, "{size} bytes");
    let bytes = std::fs::read(&path).unwrap();
    assert!(!bytes.windows(7).any(|w| w == b"libcuda"), "an artifact for the CPU opens no driver");
}

#[test]
fn damaged_artifacts_are_refused_before_they_are_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let (path, hash) = add_rows().write(&place("good.so"), false).unwrap();
    assert_eq!(path, place("good.so"));
    let good = std::fs::read(&path).unwrap();
    let e = open(&path, Some(&hash.to_uppercase())).unwrap();
    assert_eq!(
        (e.artifact().unwrap().sha256(), e.artifact().unwrap().path().file_name().unwrap()),
        (&*hash, "good.so".as_ref())
    );
    refused(open(&path, Some("00")), Status::Parse, &["good.so", "SHA-256", &hash]);

    let try_bytes = |bytes: &[u8]| {
        std::fs::write(place("bad.so"), bytes).unwrap();
        open(&place("bad.so"), None)
    };
    for cut in [0, 1, 64, 127, 128, 4096, good.len() / 2, good.len() - 129, good.len() - 1] {
        refused(try_bytes(&good[..cut]), Status::Parse, &["bad.so"]);
    }
    for at in [0, 100, 5000, good.len() / 2, good.len() - 120, good.len() - 60, good.len() - 10] {
        let mut bytes = good.clone();
        bytes[at] ^= 4;
        assert!(try_bytes(&bytes).is_err(), "with byte {at} changed");
    }
    refused(try_bytes(b"#!/bin/sh\necho hello\n"), Status::Parse, &["21 bytes"]);
    refused(try_bytes(&[b'x'; 5000]), Status::Parse, &["something else"]);
    let system = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    refused(try_bytes(&system), Status::Parse, &["not made by Litz"]);
    refused(open(&place("none.so"), None), Status::Io, &["none.so"]);
    refused(open(folder.path(), None), Status::Io, &["holds no artifact"]);
    let elsewhere = place("no/such/folder/a.so");
    refused(add_rows().write(&elsewhere, false), Status::Io, &["no/such/folder"]);
    assert!(
        std::fs::read_dir(folder.path())
            .unwrap()
            .flatten()
            .all(|f| !f.file_name().to_string_lossy().starts_with('.'))
    );
}

/// Rewrites an artifact's trailer with another instruction set, its hash right again.
fn with_isa(file: &[u8], isa: u32) -> Vec<u8> {
    use sha2::Digest;
    let mut bytes = file[..file.len() - 32].to_vec();
    let at = file.len() - 128 + 20;
    bytes[at..at + 4].copy_from_slice(&isa.to_le_bytes());
    let hash = sha2::Sha256::digest(&bytes);
    bytes.extend_from_slice(&hash);
    bytes
}

#[test]
fn code_for_a_better_cpu_is_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.so");
    add_rows().write(&path, false).unwrap();
    std::fs::write(&path, with_isa(&std::fs::read(&path).unwrap(), 7)).unwrap();
    refused(open(&path, None), Status::Unsupported, &["a.so", "unknown", "cpu.isa"]);
}

#[test]
fn weights_inside_beside_and_in_a_folder() {
    let built = add_rows();
    let folder = tempfile::tempdir().unwrap();
    let x = floats(&[1, 3], &[0.0; 3]);
    let check = |e: &Executable| assert_eq!(values(&e.run_tensors(&[&x]).unwrap()[0]), [20.0, 40.0, 60.0]);

    let (beside, _) = built.write(&folder.path().join("beside.so"), true).unwrap();
    let weights = folder.path().join("beside.so.weights");
    check(&open(&beside, None).unwrap());
    let good = std::fs::read(&weights).unwrap();
    let mut bytes = good.clone();
    bytes[5] ^= 1;
    std::fs::write(&weights, &bytes).unwrap();
    refused(open(&beside, None), Status::Parse, &["beside.so.weights", "damaged"]);
    counter().write(&folder.path().join("other.so"), true).unwrap();
    std::fs::copy(folder.path().join("other.so.weights"), &weights).unwrap();
    refused(open(&beside, None), Status::Parse, &["another program"]);
    refused(open(&folder.path().join("other.so.weights"), None), Status::Parse, &["weights alone"]);
    std::fs::remove_file(&weights).unwrap();
    refused(open(&beside, None), Status::Io, &["beside.so.weights"]);

    let named = tempfile::tempdir().unwrap();
    let (path, hash) = built.write(named.path(), false).unwrap();
    assert_eq!(path.file_name().unwrap().to_str().unwrap(), format!("{hash}.so"));
    check(&open(named.path(), None).unwrap());
    check(&open(named.path(), Some(&hash)).unwrap());
    let e = open(named.path(), None).unwrap();
    assert_eq!(e.artifact().unwrap().path(), path.canonicalize().unwrap());
    // Replaced while it is in use: what is open goes on as it was.
    counter().write(&path, false).unwrap();
    check(&e);
    check(&e.try_clone().unwrap());
}

/// A host that knows `artifact.h` alone: opens `argv[1]`, runs `y = 2 (x + w)`, prints y.
const C_HOST: &str = r#"
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
#include "litz/artifact.h"
int main(int argc, char **argv) {
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) { puts(dlerror()); return 2; }
    if (argc > 2 && chdir(argv[2])) return 3;
    litz_artifact_entry_fn entry;
    *(void **)&entry = dlsym(library, LITZ_ARTIFACT_ENTRY);
    const litz_artifact_api *api = entry();
    if (api->magic != LITZ_ARTIFACT_MAGIC || api->abi_version != LITZ_ARTIFACT_ABI_VERSION) return 4;
    char error[512];
    void *self;
    if (api->create(NULL, 0, &self, error, sizeof error)) { puts(error); return 5; }
    float x[6] = {0, 1, 2, 3, 4, 5}, y[6];
    int64_t shape[2] = {2, 3}, out_shape[2], out_strides[2];
    DLTensor in = {x, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, NULL, 0}, out = in;
    out.data = y;
    out.shape = out_shape;
    out.strides = out_strides;
    const DLTensor *ins[1] = {&in}, *outs[1] = {&out};
    if (api->infer_outputs(self, ins, 1, &out, 1, error, sizeof error)) { puts(error); return 6; }
    if (api->run(self, ins, 1, outs, 1, NULL, error, sizeof error)) { puts(error); return 7; }
    printf("%s %g %g %g %g %g %g", api->metadata, y[0], y[1], y[2], y[3], y[4], y[5]);
    float w[3] = {1, 1, 1};
    int64_t w_shape[1] = {3};
    DLTensor new_w = {w, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, w_shape, NULL, 0}, view;
    const char *name = "w";
    const DLTensor *data = &new_w;
    if (api->update_constants(self, &name, &data, 1, error, sizeof error)) { puts(error); return 8; }
    if (api->constant(self, 0, &view, error, sizeof error)) { puts(error); return 9; }
    if (api->run(self, ins, 1, outs, 1, NULL, error, sizeof error)) { puts(error); return 10; }
    printf(" %g %g", y[0], ((float *)view.data)[2]);
    shape[1] = 4;
    printf(" %d", api->run(self, ins, 1, outs, 1, NULL, error, 8));
    printf(" [%s]", error);
    api->destroy(self);
    api->destroy(NULL);
    return dlclose(library);
}
"#;

#[test]
fn a_plain_c_program_runs_an_artifact() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    std::fs::write(place("host.c"), C_HOST).unwrap();
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    let mut compiler = std::process::Command::new("cc");
    compiler.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-I"]).arg(include).arg(place("host.c"));
    assert!(compiler.arg("-o").arg(place("host")).arg("-ldl").status().unwrap().success());
    let expected = "{\"a\":1} 20 42 64 26 48 70 2 1 3 [input 0]";
    for external in [false, true] {
        add_rows().write(&place("program.so"), external).unwrap();
        // Moved, run from its own folder, with a change of folder in between and with nothing on PATH.
        std::fs::create_dir_all(place("moved")).unwrap();
        std::fs::rename(place("program.so"), place("moved/model.so")).unwrap();
        if external {
            std::fs::rename(place("program.so.weights"), place("moved/model.so.weights")).unwrap();
        }
        let mut host = std::process::Command::new(place("host"));
        let output = host.args(["./model.so", "/"]).current_dir(place("moved")).env_clear().output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
        assert!(output.status.success(), "{}", output.status);
    }
    std::fs::remove_file(place("moved/model.so.weights")).unwrap();
    let output = std::process::Command::new(place("host")).arg(place("moved/model.so")).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("model.so.weights"), "{output:?}");
    assert_eq!(output.status.code(), Some(5));
}

#[test]
fn weights_as_safetensors() {
    counter().everywhere(|e| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights.safetensors");
        e.update_tensors(&[("steps", &floats(&[1], &[7.0]))]).unwrap();
        e.save_constants(&path).unwrap();
        e.update_tensors(&[("steps", &floats(&[1], &[8.0]))]).unwrap();
        e.load_constants(&path).unwrap();
        assert_eq!(values(&e.constant("alias.steps").unwrap()), [7.0]);

        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        refused(e.load_constants(&path), Status::Parse, &["weights.safetensors"]);
        refused(e.load_constants(&folder.path().join("none")), Status::Io, &["none"]);
        add_rows().instance().save_constants(&path).unwrap();
        refused(e.load_constants(&path), Status::InvalidArgument, &["`w`"]);
        let other = add_rows().instance();
        counter().instance().save_constants(&path).unwrap();
        refused(other.load_constants(&path), Status::InvalidArgument, &["`steps`"]);
        safetensors::serialize_to_file(Vec::<(&str, safetensors::tensor::TensorView)>::new(), None, &path)
            .unwrap();
        refused(other.load_constants(&path), Status::InvalidArgument, &["lacks the parameter `w`"]);
    });
}
