//! Random numbers from outside: they are what `docs/random.md` says, whatever computes them, and each run says where the next
//! one goes on.

mod common;

use common::draws::{block, calls, doubles, floats, integers, program, run_from, run_with, words};
use litz::base::Status;
use litz::meta::text::parse;
use litz::runtime::Tensor;
use litz::session::{self, Executable, Options};
use litz::types::Dtype;
use std::collections::HashSet;

const SEED: u64 = 0x0123_4567_89ab_cdef;

fn tensor(shape: &[i64], values: &[f32]) -> Tensor {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    Tensor::from_bytes(Dtype::Float32, shape, &bytes).expect("memory")
}

/// The interpreter's program, the kernels', and the artifact of these.
fn everywhere(text: &str) -> Vec<(&'static str, Executable)> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program.so");
    let graph = parse(text).expect("the text is a graph");
    session::compile_artifact(&graph, &Options::default(), &path).expect("an artifact");
    vec![
        ("interpreter", program(text, &[("backend", "interpreter")])),
        ("cpu", program(text, &[("backend", "cpu")])),
        ("one thread", program(text, &[("backend", "cpu"), ("cpu.threads", "1")])),
        ("an artifact", session::open(&path, &Options::default()).expect("it opens")),
    ]
}

/// The authors of Philox publish this block.
#[test]
fn the_reference_is_philox() {
    assert_eq!(block(0, 0), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
}

#[test]
fn another_program_can_make_a_mask_again() {
    let text = r#"graph "g" {
  input %0 "x": float32[7, 33]
  %1, %2 = aten.native_dropout.default(%0, 0.3, true)
  output "y" = %1
  output "mask" = %2
}
"#;
    let values: Vec<f32> = (0..7 * 33).map(|k| k as f32 - 50.0).collect();
    let x = tensor(&[7, 33], &values);
    // A word below (1 - p) * 2^32 keeps its element.
    let limit = (0.7 * 2f64.powi(32)).ceil() as u64;
    let mask: Vec<bool> = words(SEED, 1000, 7 * 33).into_iter().map(|w| u64::from(w) < limit).collect();
    let kept: Vec<f32> =
        values.iter().zip(&mask).map(|(v, kept)| v * if *kept { 1.0 / 0.7 } else { 0.0 }).collect();
    for (what, e) in everywhere(text) {
        let (results, next) = run_from(&e, &[&x], SEED, 1000);
        assert_eq!(results[1].bytes().iter().map(|b| *b != 0).collect::<Vec<_>>(), mask, "{what}");
        assert_eq!(floats(&results[0]), kept, "{what}");
        // 231 words are 58 blocks.
        assert_eq!(next, 1058, "{what}");
    }
}

#[test]
fn uniform_numbers_are_the_upper_bits_of_their_words() {
    let list = ["float16", "bfloat16", "float32", "float64"];
    let list: Vec<String> = list.iter().map(|d| format!("aten.rand.default([3, 21], dtype={d})")).collect();
    let text = calls(&list.iter().map(String::as_str).collect::<Vec<_>>());
    let offset = 1 << 40;
    let narrow = |from: u64, bits: i32| -> Vec<f64> {
        words(SEED, from, 63).iter().map(|w| f64::from(w >> (32 - bits)) * 2f64.powi(-bits)).collect()
    };
    let wide: Vec<f64> = words(SEED, offset + 48, 126)
        .chunks(2)
        .map(|w| ((u64::from(w[0]) << 21 | u64::from(w[1]) >> 11) as f64) * 2f64.powi(-53))
        .collect();
    let half = |t: &Tensor, bf: bool| -> Vec<f64> {
        let number = |b: &[u8]| u16::from_le_bytes([b[0], b[1]]);
        let value = |bits: u16| {
            if bf { half::bf16::from_bits(bits).to_f64() } else { half::f16::from_bits(bits).to_f64() }
        };
        t.bytes().chunks(2).map(number).map(value).collect()
    };
    for (what, e) in everywhere(&text) {
        let (y, next) = run_from(&e, &[], SEED, offset);
        assert_eq!(half(&y[0], false), narrow(offset, 11), "{what}");
        assert_eq!(half(&y[1], true), narrow(offset + 16, 8), "{what}");
        assert_eq!(
            floats(&y[2]).iter().map(|v| f64::from(*v)).collect::<Vec<_>>(),
            narrow(offset + 32, 24),
            "{what}"
        );
        assert_eq!(doubles(&y[3]), wide, "{what}");
        assert_eq!(next, offset + 48 + 32, "{what}");
    }
}

#[test]
fn two_neighbours_share_the_words_of_a_normal_pair() {
    let text = calls(&["aten.randn.default([9])", "aten.randn.default([5], dtype=float64)"]);
    let w = words(SEED, 0, 12);
    let u: Vec<f64> = w.iter().map(|w| (f64::from(*w) + 0.5) * 2f64.powi(-32)).collect();
    let turns = |w: u32| f64::from(w >> 8) * 2f64.powi(-24);
    let single = |k: usize| {
        let (radius, angle) =
            ((-2.0 * u[k / 2 * 2].ln()).sqrt(), std::f64::consts::TAU * turns(w[k / 2 * 2 + 1]));
        radius * if k.is_multiple_of(2) { angle.cos() } else { angle.sin() }
    };
    let double = |k: usize| {
        let w: Vec<u64> = block(SEED, 3 + k as u64 / 2).iter().map(|w| u64::from(*w)).collect();
        let radius = (((w[0] << 20 | w[1] >> 12) as f64 + 0.5) * 2f64.powi(-52)).ln() * -2.0;
        let angle = std::f64::consts::TAU * ((w[2] << 21 | w[3] >> 11) as f64 * 2f64.powi(-53));
        radius.sqrt() * if k.is_multiple_of(2) { angle.cos() } else { angle.sin() }
    };
    for (what, e) in everywhere(&text) {
        let (y, next) = run_from(&e, &[], SEED, 0);
        for (k, v) in floats(&y[0]).into_iter().enumerate() {
            assert!((f64::from(v) - single(k)).abs() < 2e-6, "{what}, element {k}: {v}, not {}", single(k));
        }
        for (k, v) in doubles(&y[1]).into_iter().enumerate() {
            assert!((v - double(k)).abs() < 1e-13, "{what}, element {k}: {v}, not {}", double(k));
        }
        assert_eq!(next, 3 + 3, "{what}");
    }
}

/// Both parts of complex numbers are drawn as a last dimension of two.
#[test]
fn complex_numbers_are_pairs_of_real_ones() {
    let graph = |lines: &str| format!("graph \"g\" {{\n{lines}}}\n");
    let of_pairs = |pairs: &str| {
        graph(&format!(
            "  %0 = aten.rand.default([3, 5, 2])\n  %1 = aten.randn.default([7, 2])\n  {pairs}  output \"u\" = %0\n  output \"z\" = %2\n"
        ))
    };
    let pairs =
        program(&of_pairs("%2 = aten.mul.Scalar(%1, 0.7071067811865476)\n"), &[("backend", "interpreter")]);
    let (want, after) = run_from(&pairs, &[], SEED, 11);
    let text = graph(
        "  %0 = aten.rand.default([3, 5], dtype=complex64)\n  %1 = aten.randn.default([7], dtype=complex64)\n  \
         %2 = aten.view_as_real.default(%0)\n  %3 = aten.view_as_real.default(%1)\n  output \"u\" = %2\n  output \"z\" = %3\n",
    );
    for (what, e) in everywhere(&text) {
        let (have, next) = run_from(&e, &[], SEED, 11);
        assert_eq!(floats(&have[0]), floats(&want[0]), "{what}");
        for (have, want) in floats(&have[1]).into_iter().zip(floats(&want[1])) {
            assert!((have - want).abs() < 1e-6, "{what}: {have}, not {want}");
        }
        assert_eq!(next, after, "{what}");
    }
}

/// The text of a functional graph, as `debug.dump` writes it, is a program with the same numbers.
#[test]
fn a_functional_graph_is_read_back_with_its_state() {
    let text = r#"graph "g" {
  symbol random_seed in [-inf, inf]
  symbol random_offset in [0, 1152921504606846976]
  %0 = litz.random_uniform.default([5], random_seed, random_offset + 1, dtype=float32, open=false)
  litz.random_next.default(random_offset + 3)
  output "y" = %0
}
"#;
    for (what, e) in everywhere(text) {
        let (y, next) = run_from(&e, &[], SEED, 20);
        let want: Vec<f32> = words(SEED, 21, 5).iter().map(|w| (w >> 8) as f32 * 2f32.powi(-24)).collect();
        assert_eq!((floats(&y[0]), next), (want, 23), "{what}");
    }
}

/// What is fused, read in another order, or read twice has the same numbers.
#[test]
fn numbers_do_not_depend_on_who_reads_them() {
    let alone = calls(&["aten.rand.default([40, 24])"]);
    let (want, _) = run_from(&program(&alone, &[]), &[], 3, 9);
    let text = r#"graph "g" {
  %0 = aten.rand.default([40, 24])
  %1 = aten.transpose.int(%0, 0, 1)
  %2 = aten.mul.Scalar(%1, 2.0)
  %3 = aten.sum.dim_IntList(%0, [1])
  %4 = aten.mul.Scalar(%0, 2.0)
  %5 = aten.transpose.int(%2, 0, 1)
  %6 = aten.sub.Tensor(%4, %5)
  %7 = aten.abs.default(%6)
  %8 = aten.sum.default(%7)
  %10 = aten.slice.Tensor(%0, 1, 3, 20, 2)
  %9 = aten.neg.default(%10)
  output "rows" = %3
  output "difference" = %8
  output "part" = %9
}
"#;
    let want = floats(&want[0]);
    let rows: Vec<f32> = want.chunks(24).map(|row| row.iter().sum()).collect();
    let part: Vec<f32> = want.chunks(24).flat_map(|row| row[3..20].iter().step_by(2).map(|v| -v)).collect();
    for (what, e) in everywhere(text) {
        let (y, _) = run_from(&e, &[], 3, 9);
        assert!(floats(&y[0]).iter().zip(&rows).all(|(a, b)| (a - b).abs() < 1e-4), "{what}");
        assert_eq!(floats(&y[1]), [0.0], "{what}");
        assert_eq!(floats(&y[2]), part, "{what}");
    }
}

#[test]
fn each_node_has_a_stretch_of_its_own_that_nothing_changes() {
    // Nobody uses the second one, and the third one is the first one's twin.
    let text = r#"graph "g" {
  symbol n in [1, 100]
  input %0 "x": float32[n]
  %1 = aten.rand_like.default(%0)
  %2 = aten.rand.default([n, 3])
  %3 = aten.rand_like.default(%0)
  %4 = aten.dropout.default(%0, 0.5, false)
  %5 = aten.rand.default([2])
  output "a" = %1
  output "b" = %3
  output "c" = %5
}
"#;
    let uniform = |from: u64, n: usize| -> Vec<f32> {
        words(5, from, n).iter().map(|w| (w >> 8) as f32 * 2f32.powi(-24)).collect()
    };
    for (what, e) in everywhere(text) {
        for n in [1u64, 8, 37] {
            let x = tensor(&[n as i64], &vec![1.0; n as usize]);
            let (y, next) = run_from(&e, &[&x], 5, 70);
            let (own, dead) = (n.div_ceil(4), (3 * n).div_ceil(4));
            assert_eq!(floats(&y[0]), uniform(70, n as usize), "{what}, {n}");
            assert_eq!(floats(&y[1]), uniform(70 + own + dead, n as usize), "{what}, {n}");
            assert_eq!(floats(&y[2]), uniform(70 + 2 * own + dead, 2), "{what}, {n}");
            assert_eq!(next, 70 + 2 * own + dead + 1, "{what}, {n}");
            // The next run goes on where this one ended.
            assert_ne!(run_from(&e, &[&x], 5, next).0[0].bytes(), y[0].bytes());
        }
    }
}

#[test]
fn branches_and_turns_draw_anew() {
    let text = r#"graph "g" {
  input %0 "x": float32[8]
  input %1 "n": int64[]
  %2 = aten.sum.default(%0)
  %3 = aten.gt.Scalar(%2, 0)
  %4 = higher_order.cond.default(%3, graph "yes" {
    input %0 "x": float32[8]
    %1 = aten.rand_like.default(%0)
    output "y" = %1
  }, graph "no" {
    input %0 "x": float32[8]
    %1 = aten.neg.default(%0)
    output "y" = %1
  }, [%0])
  %5 = aten.rand.default([8])
  %6 = aten.zeros.default([], dtype=int64)
  %7 = aten.zeros.default([5, 8])
  %8, %9 = higher_order.while_loop.default(graph "less" {
    input %0 "i": int64[]
    input %1 "all": float32[5, 8]
    input %2 "n": int64[]
    %3 = aten.lt.Tensor(%0, %2)
    output "goes on" = %3
  }, graph "body" {
    input %0 "i": int64[]
    input %1 "all": float32[5, 8]
    input %2 "n": int64[]
    %3 = aten.add.Scalar(%0, 1)
    %4 = aten.rand.default([1, 8])
    %6 = aten.reshape.default(%0, [1, 1])
    %7 = aten.expand.default(%6, [1, 8])
    %8 = aten.scatter.src(%1, 0, %7, %4)
    output "i" = %3
    output "x" = %8
  }, [%6, %7], [%1])
  %10 = aten.rand.default([8])
  output "chosen" = %4
  output "between" = %5
  output "looped" = %9
  output "last" = %10
}
"#;
    for (what, e) in everywhere(text) {
        for (sign, turns) in [(1.0f32, 0), (1.0, 3), (-1.0, 5), (-1.0, 1)] {
            let n = Tensor::from_bytes(Dtype::Int64, &[], &i64::to_le_bytes(turns)).expect("memory");
            let (y, next) = run_from(&e, &[&tensor(&[8], &[sign; 8]), &n], 7, 100);
            let mut at = 100;
            let mut drawn = || {
                at += 2;
                words(7, at - 2, 8).iter().map(|w| (w >> 8) as f32 * 2f32.powi(-24)).collect::<Vec<f32>>()
            };
            let chosen = if sign > 0.0 { drawn() } else { vec![1.0; 8] };
            assert_eq!(floats(&y[0]), chosen, "{what}, {sign}, {turns} turns");
            assert_eq!(floats(&y[1]), drawn(), "{what}, {sign}, {turns} turns");
            let looped = floats(&y[2]);
            for turn in looped.chunks(8).take(turns as usize) {
                assert_eq!(turn, drawn(), "{what}, {sign}, {turns} turns");
            }
            assert_eq!(floats(&y[3]), drawn(), "{what}, {sign}, {turns} turns");
            assert_eq!(next, at, "{what}, {sign}, {turns} turns");
        }
    }
}

#[test]
fn runs_without_a_seed_draw_what_no_other_run_drew() {
    for (what, e) in everywhere(&calls(&["aten.rand.default([4])"])) {
        let seen = std::sync::Mutex::new(HashSet::new());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let (y, next) = run_with(&e, &[], 0, 0, 0);
                        assert_eq!(next, 1);
                        assert!(seen.lock().expect("no panic").insert(y[0].bytes().to_vec()), "{what}");
                    }
                });
            }
        });
        assert_eq!(seen.into_inner().expect("no panic").len(), 200);
    }
}

#[test]
fn integers_permutations_and_choices_stay_in_their_bounds() {
    let text = calls(&[
        "aten.randint.low(-3, 5, [2000])",
        "aten.randint.low(-3, 9000000000000000000, [2000])",
        "aten.randperm.default(1000)",
        "aten.randperm.default(0)",
        "aten.randint.default(1, [7])",
        "aten.randint.default(9223372036854775807, [500])",
    ]);
    for (what, e) in everywhere(&text) {
        let (y, _) = run_from(&e, &[], 1, 0);
        let small = integers(&y[0]);
        assert!(small.iter().all(|v| (-3..5).contains(v)), "{what}");
        assert_eq!(small.iter().collect::<HashSet<_>>().len(), 8, "{what}");
        let large = integers(&y[1]);
        assert!(large.iter().all(|v| (-3..9_000_000_000_000_000_000).contains(v)), "{what}");
        assert!(large.iter().filter(|v| **v > 4_500_000_000_000_000_000).count() > 800, "{what}");
        let mut order = integers(&y[2]);
        assert_ne!(order, (0..1000).collect::<Vec<_>>(), "{what}");
        order.sort_unstable();
        assert_eq!(order, (0..1000).collect::<Vec<_>>(), "{what}");
        assert_eq!(integers(&y[3]), [] as [i64; 0], "{what}");
        assert_eq!(integers(&y[4]), [0; 7], "{what}");
        assert!(integers(&y[5]).iter().all(|v| *v >= 0), "{what}");
    }
    let text = r#"graph "g" {
  input %0 "w": float32[2, 5]
  %1 = aten.multinomial.default(%0, 3)
  %2 = aten.multinomial.default(%0, 400, true)
  output "a" = %1
  output "b" = %2
}
"#;
    let weights = tensor(&[2, 5], &[0.0, 1.0, 2.0, 0.5, 0.0, 3.0, 0.0, 1e-3, 5.0, 0.0]);
    for (what, e) in everywhere(text) {
        let (y, _) = run_from(&e, &[&weights], 1, 0);
        let once = integers(&y[0]);
        assert_eq!(once[..3].iter().collect::<HashSet<_>>(), [1, 2, 3].iter().collect(), "{what}");
        assert_eq!(once[3..].iter().collect::<HashSet<_>>(), [0, 2, 3].iter().collect(), "{what}");
        let many = integers(&y[1]);
        assert_eq!(many[..400].iter().collect::<HashSet<_>>(), [1, 2, 3].iter().collect(), "{what}");
        assert!(many[400..].iter().all(|v| [0, 2, 3].contains(v)), "{what}");
    }
}

/// A run that finds parameters in data that are none.
#[test]
fn parameters_in_data_are_checked_by_the_run() {
    let input = "  input %0 \"w\": float32[1, 3]\n";
    for (call, values, message) in [
        ("aten.multinomial.default(%0, 1)", [1.0, -1.0, 1.0], "a weight is negative, infinite or NaN"),
        (
            "aten.multinomial.default(%0, 1, true)",
            [1.0, f32::NAN, 1.0],
            "a weight is negative, infinite or NaN",
        ),
        (
            "aten.multinomial.default(%0, 1)",
            [f32::INFINITY, 1.0, 1.0],
            "a weight is negative, infinite or NaN",
        ),
        ("aten.multinomial.default(%0, 1)", [0.0, 0.0, 0.0], "no sum above 0"),
        ("aten.bernoulli.default(%0)", [0.0, 1.5, 0.0], "a probability is not from 0 to 1"),
        ("aten.bernoulli.default(%0)", [0.0, f32::NAN, 0.0], "a probability is not from 0 to 1"),
        ("aten.normal.float_Tensor(0.0, %0)", [0.0, 1.0, -0.5], "a standard deviation is below 0"),
    ] {
        let text = format!("graph \"g\" {{\n{input}  %1 = {call}\n  output \"y\" = %1\n}}\n");
        for (what, e) in everywhere(&text) {
            let x = tensor(&[1, 3], &values);
            // SAFETY: the input lives on.
            let error = unsafe { e.run(&[std::ptr::from_ref(x.dl())], None) };
            let error = error.err().unwrap_or_else(|| panic!("{what}: {call} of {values:?} runs"));
            assert_eq!(error.status, Status::Assertion, "{what}: {error}");
            assert!(error.to_string().contains(message), "{what}: {error}");
        }
    }
}

#[test]
fn parameters_that_are_none_are_refused() {
    let refused = |call: &str| -> (Status, String) {
        let text = format!(
            "graph \"g\" {{\n  input %0 \"x\": float32[4]\n  input %1 \"i\": int64[4]\n  %2 = {call}\n  output \"y\" = %2\n}}\n"
        );
        let text = if call.contains("native") { text.replace("%2 =", "%2, %3 =") } else { text };
        match parse(&text) {
            Ok(_) => panic!("{call} is a graph"),
            Err(error) => (error.status(), error.to_string()),
        }
    };
    for (call, status, message) in [
        (
            "aten.bernoulli.p(%0, 1.5)",
            Status::InvalidArgument,
            "`p` must be a probability, from 0 to 1, but is 1.5",
        ),
        (
            "aten.bernoulli.p(%0, nan)",
            Status::InvalidArgument,
            "`p` must be a probability, from 0 to 1, but is NaN",
        ),
        ("aten.dropout.default(%0, -0.1, true)", Status::InvalidArgument, "`p` must be a probability"),
        ("aten.native_dropout.default(%0, 2.0, true)", Status::InvalidArgument, "`p` must be a probability"),
        ("aten.dropout.default(%1, 0.1, true)", Status::Dtype, "floating-point"),
        (
            "aten.normal_.default(%0, 0.0, -1.0)",
            Status::InvalidArgument,
            "`std` must be 0 or more, but is -1",
        ),
        ("aten.log_normal_.default(%0, 0.0, 0.0)", Status::InvalidArgument, "`std` must be above 0"),
        ("aten.exponential_.default(%0, 0.0)", Status::InvalidArgument, "`lambd` must be above 0"),
        ("aten.cauchy_.default(%0, 0.0, -1.0)", Status::InvalidArgument, "`sigma` must be above 0"),
        ("aten.geometric_.default(%0, 1.0)", Status::InvalidArgument, "`p` must be between 0 and 1"),
        ("aten.uniform_.default(%0, 2.0, 1.0)", Status::InvalidArgument, "`from` must not be above `to`"),
        ("aten.uniform_.default(%1, 0.0, 1.0)", Status::Dtype, "floats"),
        ("aten.rand.default([3], dtype=int64)", Status::Dtype, "draws floating-point numbers, not int64"),
        ("aten.randint.default(0, [3])", Status::InvalidArgument, "draws integers from 0 to before 0"),
        ("aten.randint.default(300, [3], dtype=int8)", Status::InvalidArgument, "int8 cannot hold 299"),
        ("aten.random_.from(%1, 5, 5)", Status::InvalidArgument, "draws integers from 5 to before 5"),
        ("aten.randperm.default(-1)", Status::InvalidArgument, "`n` must not be negative"),
        (
            "aten.randperm.default(4000, dtype=float16)",
            Status::InvalidArgument,
            "float16 cannot hold all numbers below 4000",
        ),
        (
            "aten.multinomial.default(%0, 5)",
            Status::InvalidArgument,
            "cannot draw 5 of 4 categories without replacement",
        ),
        ("aten.multinomial.default(%0, 0)", Status::InvalidArgument, "`num_samples` must be above 0"),
        ("aten.multinomial.default(%1, 1)", Status::Dtype, "draws floating-point numbers, not int64"),
    ] {
        let (found, text) = refused(call);
        assert!(text.contains(message), "{call}: {text}");
        assert_eq!(found, status, "{call}: {text}");
    }
}

#[test]
fn an_offset_that_leaves_no_room_is_refused() {
    use litz::runtime::{RUN_HAS_SEED, RunOptions};
    let e = program(&calls(&["aten.rand.default([4])"]), &[]);
    for offset in [(1 << 60) + 1, u64::MAX] {
        let options = RunOptions { flags: RUN_HAS_SEED, offset, ..RunOptions::default() };
        // SAFETY: there are no inputs.
        let error = unsafe { e.run(&[], Some(&options)) }.expect_err("it is refused");
        assert_eq!(error.status, Status::InvalidArgument);
        assert!(error.to_string().contains("random offsets go up to 1152921504606846976"), "{error}");
    }
    assert_eq!(run_from(&e, &[], u64::MAX, 1 << 60).1, (1 << 60) + 1);
}
