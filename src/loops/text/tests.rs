//! Programs of loops as text, there and back, and texts that are wrong.

use super::{parse, text};

const PROGRAM: &str = r#"loops {
  symbol s0 in [2, 64] hint 8
  unbacked symbol s1 in [0, inf]
  b0: float32[4, s0] input 0 given [s0, 1]
  b1: int64[4] constant 0
  b2: float32[s0] strides [2]
  b3: float32[4]
  b4: int64[4]
  b5: float32[4, s0]
  b6: int64[] pinned
  assertion 0 "index out of \"range\""
  node "aten.max.dim"
    b3, b4 = MaxWithIndex over [s0] for [4]
      value =
        v0 = b0[i0, i1]
        Select(Lt(v0, 0.5:float32), Neg(v0), float32((i0 + 1):int64))
  node
    b5 = scatter Add for [4] by 1 at [i0, d0]
      data0 =
        v0 = b1[i0]
        Check(LogicalAnd(Le(0:int64, v0), Lt(v0, (s0):int64)), v0, 0)
      value = Masked(true:bool, b3[i0], -inf:float32)
      initial = nan:float32
  node "aten.sum.default"
    b6 = Sum over [4] for []
      value = b4[i0]
  node
    read s1 = b6
  node
    check s1 <= 3 assertion 0
  node
    b2 = for [s0]
      value = b0[d0 % 4, i0]{b6[]}
  output b5
  output b2 given [2]
}
"#;

#[test]
fn a_program_prints_as_it_was_read() {
    let program = parse(PROGRAM).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(text(&program), PROGRAM);
}

#[test]
fn errors_have_a_place_and_say_what_was_expected() {
    let cases = [
        ("loops { b0: float33[4] }", "line 1, column 13", "expected a dtype"),
        ("loops { b0: float32[4] b0: float32[4] }", "line 1, column 24", "declared twice"),
        ("loops { b0: float32[4] input 1 }", "line 1", "numbered in order"),
        ("loops { b0: float32[4] node b0 = for [4] value = b1[i0] }", "line 1", "`b1`"),
        (
            "loops { b0: float32[4] node b0 = for [4] value = Exp(1.0:float32, 2.0:float32) }",
            "line 1",
            "`Exp` of 2",
        ),
        (
            "loops { b0: float32[4] node b0 = for [4] value = Add(1.0:float32, 2:int64) }",
            "line 1",
            "`Add` of float32 and int64",
        ),
        ("loops { b0: float32[4] node b0 = for [4] value = v0 }", "line 1", "no `v0` before"),
        ("loops { b0: float32[4] node b0 = for [4] value = (i1):float32 }", "line 1", "no symbol `i1`"),
        (
            "loops { b0: float32[4] node b0 = scan Sum along 1 for [4] value = 1.0:float32 }",
            "line 1",
            "dimension 1 of 1",
        ),
        (
            "loops { b0: float32[4] node \"aten.nothing\" b0 = for [4] value = 1.0:float32 }",
            "line 1",
            "no operator",
        ),
        ("loops { b0: float32[4] input 0 output b0 }", "line 1", "output 0 is no distinct"),
    ];
    for (text, place, words) in cases {
        let message = match parse(text) {
            Err(e) => e.to_string(),
            Ok(_) => panic!("{text} was read"),
        };
        assert!(message.contains(place) && message.contains(words), "{text}: {message}");
    }
}

/// No prefix and no changed byte panics.
#[test]
fn damaged_texts_are_errors_or_programs() {
    for end in (0..PROGRAM.len()).step_by(2) {
        if PROGRAM.is_char_boundary(end) {
            assert!(parse(&PROGRAM[..end]).is_err() || PROGRAM[end..].trim().is_empty());
        }
    }
    let bytes = PROGRAM.as_bytes();
    for at in (0..bytes.len()).step_by(3) {
        for with in *b"0-}b" {
            let mut changed = bytes.to_vec();
            changed[at] = with;
            if let Ok(changed) = std::str::from_utf8(&changed) {
                let _ = parse(changed);
            }
        }
    }
    let deep =
        format!("loops {{ b0: float32[] node b0 = for [] value = {}1.0:float32", "Exp(".repeat(100_000));
    assert!(parse(&deep).is_err_and(|e| e.to_string().contains("nests deeper")));
}
