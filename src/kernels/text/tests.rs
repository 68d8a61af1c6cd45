//! Kernels as text, there and back, and texts that are wrong.

use super::{parse, text};

const CPU: &str = r#"kernel {
  symbol n in [1, 4096] hint 16
  b0: float32[n, 100] strides [104, 1] Input
  b1: bfloat16[n, 100] Result
  b2: int64[n] Accumulated
  parameter n
  cpu tasks (n + 7) // 8 grain 8 scratch 400
  lanes 8
  for Task row = task.begin to task.end {
    let at: index unused = index.Min((row * 100), (symbol(n) - 1))
    var i: index = 0
    array sums: vector float32[4] Registers = Splat(0.0:float32)
    pointer line: pointer float32 Scratch at (row * -4) plus 2
    for Vector i to 100 step vectors 2 unroll 2 {
      let v3: vector float32 = load.aligned b0[((row * 104) + i) from at]
      set sums[0] = Add(sums[0], Select(Lt(v3, Splat(-inf:float32)), v3, Exp(v3)))
      store.vector b1[((row * 100) + i + 1)] = round.bfloat16(v3)
    }
    for Serial k: int32 = 0 to index.Choose((i < 100), 3, index.FloorDivide(i, 2)) step 2 unroll whole {
      store.tail((100 - i)) b1[i] = load.where(FirstLanes((100 - i))) line[i]
    }
    check Not((row < 5 or i == 2 or (row == 3))) assertion 2
    var total: float32
    fold.Sum.float32 sums into total
    if (row == 0) {
      set total = fold.Sum.float32(load.each(FirstLanes(3)) b0[Mul(LaneIndex(), Splat(3:int64))])
    } else {
      store b2[row] = int64(float32(load.strided(2, 3) b0[row]))
    }
  }
}
"#;

const GPU: &str = r#"kernel {
  symbol n in [1, inf]
  b0: float16[n] Input
  b1: float32[] Result
  b2: int32[1] Semaphores
  b3: float32[1024] Workspace
  parameter n
  gpu blocks 8 threads 128 cluster 2 resident 1 shared 4*n
  lanes 4
  index int32
  return (grid.block >= 8)
  array work: float32[128] Shared
  pointer row: pointer float32 DynamicShared at 0
  var best: float32 = -inf:float32
  var place: int64 = -1:int64
  for Thread i = block.thread to ToIndex(symbol(n)) step 128 {
    extreme.MaxWithIndex.float32 best at place from load b0[i] at ToWide(i)
    block {
      store row[i] = best
    }
  }
  barrier Block
  reduce.MaxWithIndex.float32 all: float32 at where: int64 unused over threads 128 of best at place in work
  reduce.Sum.float32 sum: vector float32 over across 32 above 4 of Splat(all) in work
  reduce.Sum.float32 more: float32 over cluster 2 threads 128 turn 0 of all in work
  last ready: int32 at b2[0] of grid.blocks
  region {
    if (block.thread == 0) {
      store b1[0] = more
    }
  }
}
"#;

#[test]
fn kernels_print_as_they_were_read() {
    for kernel in [
        CPU.replace("(row < 5 or i == 2 or (row == 3))", "((row < 5) or (i == 2) or (row == 3))"),
        GPU.to_string(),
    ] {
        let read = parse(&kernel).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(text(&read.syms, &read.kernel), kernel);
    }
}

#[test]
fn errors_have_a_place_and_say_what_was_expected() {
    let cases = [
        ("kernel { b0: float33[4] Input }", "line 1, column 14", "expected a dtype"),
        ("kernel { b1: float32[4] Input }", "line 1, column 10", "numbered in order"),
        ("kernel { b0: float32[4] Output }", "line 1, column 25", "`Result`"),
        ("kernel { b0: float32[4] strides [] Input }", "line 1", "as many strides"),
        ("kernel { }", "line 1", "how it is started"),
        ("kernel { parameter 3 }", "line 1", "is a symbol"),
        ("kernel { cpu tasks 1 grain 1 scratch 0 index int8 }", "line 1", "not int8"),
        ("kernel { cpu tasks 1 grain 1 scratch 0\n  put 3 }", "line 2, column 3", "no statement `put`"),
        ("kernel { cpu tasks 1 grain 1 scratch 0 let a: float32 = c }", "line 1", "no `c` defined"),
        ("kernel { cpu tasks 1 grain 1 scratch 0 let a: float32 = a }", "line 1", "no `a` defined"),
        ("kernel { cpu tasks 1 grain 1 scratch 0 let b0: float32 = 1 }", "line 1", "a name for a local"),
        ("kernel { cpu tasks 1 grain 1 scratch 0 let a: float32 = 1.0 }", "line 1", "its dtype behind it"),
        ("kernel { cpu tasks 1 grain 1 scratch 0 let a: index = (1 + 2 * 3) }", "line 1, column 62", "own"),
        ("kernel { cpu tasks 1 grain 1 scratch 0 let a: index = symbol(3) }", "line 1", "no parameter"),
        ("kernel { cpu tasks 1 grain 1 scratch 0 let a: index = Exp(1, 2) }", "line 1", "`Exp` of 2"),
        ("kernel { cpu tasks 1 grain 1 scratch 0 let a: index = index.Min(1) }", "line 1", "1 operands"),
        ("kernel { cpu tasks 1 grain 1 scratch 0 store b0[1] = 2 }", "line 1", "no buffer"),
        ("kernel { cpu tasks 1 grain 1 scratch 0 store.wide b0[1] = 2 }", "line 1", "no access `wide`"),
        ("kernel { cpu tasks 1 grain 1 scratch 0 let a: index = 1 store a[1] = 2 }", "line 1", "no array"),
        ("kernel { cpu tasks 1 grain 1 scratch 0 for Row i = 0 to 1 { } }", "line 1", "`Task`"),
        ("kernel { cpu tasks 1 grain 1 scratch 0 for Task i = 0 to 1 { } set i = 1 }", "line 1", "no `i`"),
        ("kernel { cpu tasks 1 grain 1 scratch 0 barrier House }", "line 1", "a scope"),
        ("kernel { cpu tasks 1 grain 1 scratch 0 check 1 assertion -1 }", "line 1", "assertion's number"),
        ("kernel { cpu tasks 1 grain 1 scratch 0 fold.Add.float32 a into c }", "line 1", "`Sum.float32`"),
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
fn damaged_texts_are_errors_or_kernels() {
    for kernel in [CPU, GPU] {
        for end in (0..kernel.len()).step_by(3) {
            if kernel.is_char_boundary(end) {
                assert!(parse(&kernel[..end]).is_err() || kernel[end..].trim().is_empty());
            }
        }
        let bytes = kernel.as_bytes();
        for at in (0..bytes.len()).step_by(5) {
            for with in *b"0-}b" {
                let mut changed = bytes.to_vec();
                changed[at] = with;
                if let Ok(read) = std::str::from_utf8(&changed).map_or(Err(()), |t| parse(t).map_err(|_| ()))
                {
                    text(&read.syms, &read.kernel);
                }
            }
        }
    }
    for nested in ["let a: index = ".to_string() + &"(".repeat(100_000), "block { ".repeat(100_000)] {
        let deep = format!("kernel {{ cpu tasks 1 grain 1 scratch 0 {nested}");
        assert!(parse(&deep).is_err_and(|e| e.to_string().contains("deeper than")));
    }
}
