//! Text to graphs and back, and what is said of text that is no graph.

use super::*;
use crate::ir::ConstantData;
use crate::ir::text::{dump, print};
use std::sync::Arc;

fn round_trip(text: &str) -> String {
    let graph = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let printed = print(&graph);
    let again = parse(&printed).unwrap_or_else(|e| panic!("{e}\n{printed}"));
    assert_eq!(print(&again), printed);
    printed
}

const ALL: &str = r#"graph "every \"line\"" {
  symbol s0 in [1, 512] hint 7
  symbol s1 in [-inf, inf]
  symbol `max` in [0, inf]
  symbol `a b` in [-9223372036854775807, 3]
  input %0 "x": float32[s0, 4]
  input %1 "y": float32[4, s0] strides [1, 4]
  number %2 "n": int64 = s1
  parameter %3 "a.weight" aliases ["b.weight", "c"]: float32[2] = [1.5, -0.0]
  buffer %4 "steps": int64[] = [-9223372036854775808]
  constant %5 "mask": bool[2] = [true, false]
  constant %6 "half": float16[3] = base64 "AAECAwQF"
  constant %7 "none": float32[0, 3] = base64 ""
  %8 "sum" = aten.add.Tensor(%0, %0, alpha=0.5)  # float32[s0, 4]
  %9 = aten.add_.Scalar(%8, s0)  # float32[s0, 4]
  %10 = aten.relu.default(%9)  # float32[s0, 4]
  guard s0 // 2 + 3*s1 + 1 < max(s0, 3) and s1 != 4 "it \\ holds"
  guard not (s0 % 2 == 1 or s1 <= `max`*s0) "another"
  write "x" = %10
  write "steps" = %4
  output "y" = %10
  output "rows" = 2*s0 + 1
  output "three" = 3
  output "tenth" = 0.1
  output "endless" = -inf
  output "yes" = true
}
"#;

#[test]
fn prints_what_it_parses() {
    let printed = round_trip(ALL);
    for line in ALL.lines().filter(|l| !l.contains("guard")) {
        assert!(printed.contains(line), "lost `{line}` in\n{printed}");
    }
    assert_eq!(printed.lines().filter(|l| l.contains("guard ")).count(), 2, "{printed}");
}

#[test]
fn text_may_leave_types_and_order_of_numbers_out() {
    let printed =
        round_trip("graph \"g\" { input %7 \"x\": int64[3] %2 = aten.add.Tensor(%7, %7) output \"y\" = %2 }");
    assert!(printed.contains("%1 = aten.add.Tensor(%0, %0)  # int64[3]"), "{printed}");
}

#[test]
fn inputs_of_the_outermost_graph_may_be_spent() {
    let printed = round_trip("graph \"g\" { input %7 \"x\" spent: int64[3] output \"y\" = %7 }");
    assert!(printed.contains("input %0 \"x\" spent: int64[3]"), "{printed}");
    let inner = "graph \"g\" {\n input %0 \"p\": bool[]\n input %1 \"x\": float32[3]\n \
         %2 = higher_order.cond.default(%0, graph \"a\" as 0 {\n input %0 \"x\" spent: float32[3]\n \
         output \"y\" = %0\n }, graph 0, [%1])\n output \"y\" = %2\n}";
    assert!(parse(inner).unwrap_err().message.contains("outermost"), "{:?}", parse(inner));
}

#[test]
fn kernels_of_wide_unsigned_integers_are_a_line_of_the_graph() {
    let sum = "  input %0 \"x\": uint32[3]\n  %1 = aten.add.Tensor(%0, %0)\n  output \"y\" = %1\n}";
    let printed = round_trip(&format!("graph \"g\" {{\n  wide_unsigned\n{sum}"));
    assert!(printed.starts_with("graph \"g\" {\n  wide_unsigned\n  input"), "{printed}");
    let refused = parse(&format!("graph \"g\" {{\n{sum}")).unwrap_err();
    assert!(refused.message.contains("takes no uint32"), "{refused}");
    // Without such integers the line says nothing.
    let printed = round_trip("graph \"g\" { wide_unsigned input %0 \"x\": int32[3] output \"y\" = %0 }");
    assert!(!printed.contains("wide_unsigned"), "{printed}");
}

#[test]
fn norms_of_a_gpus_tensors_keep_statistics_in_float32() {
    let text = |line: &str| {
        format!(
            "graph \"g\" {{\n{line}  input %0 \"x\": bfloat16[2, 3]\n  input %1 \"w\": bfloat16[3]\n  \
             %2, %3, %4 = aten.native_layer_norm.default(%0, [3], %1, None, 1e-5)  # bfloat16[2, 3], {{S}}[2, 1], {{S}}[2, 1]\n  \
             output \"y\" = %2\n  output \"mean\" = %3\n  output \"rstd\" = %4\n}}\n"
        )
    };
    for (line, dtype) in [("", "bfloat16"), ("  gpu\n", "float32")] {
        let printed = round_trip(&text(line));
        assert!(printed.contains(&format!("{dtype}[2, 1]")), "{printed}");
        assert_eq!(printed.contains("\n  gpu\n"), !line.is_empty(), "{printed}");
    }
}

#[test]
fn errors_have_a_place_and_say_what_was_expected() {
    let cases = [
        ("", 1, 1, "expected `graph`"),
        ("graph \"g\" {", 1, 12, "expected `symbol`"),
        ("graph \"g\" {\n  input %0 \"x\": float31[2]\n}", 2, 17, "expected a dtype"),
        ("graph \"g\" {\n  input %0 \"x\": float32[2\n}", 3, 1, "expected `]`"),
        ("graph \"g\" {\n  input %0 \"x\": float32[n]\n}", 2, 25, "no symbol `n`"),
        ("graph \"g\" {\n  input %0 \"x\": float32[-2]\n}", 2, 24, "negative"),
        ("graph \"g\" {\n %1 = aten.relu(%0)\n}", 2, 17, "`%0` is not defined"),
        (
            "graph \"g\" {\n input %0 \"x\": float32[2]\n %1 = aten.rellu(%0)\n}",
            3,
            7,
            "no operator `aten.rellu`",
        ),
        ("graph \"g\" {\n input %0 \"x\": float32[2]\n %1, %2 = aten.relu(%0)\n}", 3, 2, "gives 1 results"),
        ("graph \"g\" {\n input %0 \"x\": float32[2]\n input %0 \"y\": float32[2]\n}", 3, 8, "defined twice"),
        ("graph \"g\" {\n input %0 \"x\": float32[2]\n input %1 \"x\": float32[2]\n}", 3, 2, "given twice"),
        ("graph \"g\" {\n parameter %0 \"w\": float32[2] = [1.0]\n}", 2, 33, "8 bytes are asked, 4 given"),
        ("graph \"g\" {\n parameter %0 \"w\": int8[1] = [300]\n}", 2, 31, "does not fit int8"),
        (
            "graph \"g\" {\n parameter %0 \"w\": float32[99] = elided 396 bytes\n}",
            2,
            34,
            "leaves the constant's data out",
        ),
        ("graph \"g\" {\n write \"x\" = %0\n}", 2, 8, "no input or constant"),
        ("graph \"g\" {\n output \"x\" = 1 // 0\n}", 2, 17, "division by zero"),
        ("graph \"g\" {}\n}", 2, 1, "expected the end"),
        ("graph \"g\" { symbol s in [3, 1] }", 1, 20, "empty"),
        ("graph \"g", 1, 7, "not closed"),
        ("graph \"g\" { ? }", 1, 13, "no part"),
    ];
    for (text, line, column, message) in cases {
        let e = parse(text).expect_err(text);
        assert!(e.message.contains(message), "{text}: {e}");
        assert_eq!((e.line, e.column), (line, column), "{text}: {e}");
    }
    assert_eq!(parse(cases[7].0).unwrap_err().status, Status::Unsupported);
}

#[test]
fn one_error_names_all_unknown_operators() {
    let text = "graph \"g\" {\n input %0 \"x\": float32[2]\n %1 = aten.rellu(%0)\n %2 = aten.tanh(%1)\n \
                %3 = mylib.baz.default(%2)\n %4 = aten.rellu(%3)\n output \"y\" = %4\n}";
    let error = parse(text).unwrap_err();
    assert_eq!((error.status, error.line, error.column), (Status::Unsupported, 3, 7));
    assert!(error.message.starts_with("2 operators of the program are not known:\n- `aten.rellu` (line 3, column 7, called 2 times); the nearest known is `aten.relu.default`"), "{error}");
    assert!(error.message.ends_with("\n- `mylib.baz.default` (line 5, column 7)"), "{error}");
}

#[test]
fn messages_show_numbers_and_characters_as_a_user_writes_them() {
    let says = |line: &str| parse(&format!("graph \"g\" {{ {line} }}")).unwrap_err().message.clone();
    assert!(says("parameter %0 \"w\": int32[1] = [1.5]").contains("1.5 is no int32"));
    assert!(says("parameter %0 \"w\": bool[1] = [2]").contains("2 is no bool"));
    assert_eq!(says("\u{1}"), "the character U+0001 is no part of Litz text");
    let format = "input %0 \"x\": float32[4]\n %1 = aten.clone(%0, memory_format=channels_last)";
    assert!(says(format).contains("memory format channels_last does not fit a tensor of rank 1"));
}

#[test]
fn no_text_overflows_the_stack() {
    for open in ["(", "-(", "not ", "min(1, ", "- "] {
        let text = format!("graph \"g\" {{ output \"x\" = {}", open.repeat(100_000));
        assert!(parse(&text).unwrap_err().message.contains("nests"), "{open}");
    }
    // Without parentheses.
    let quotients = " * 3 // 2".repeat(2000);
    let text = format!("graph \"g\" {{\n symbol s0 in [0, inf]\n input %0 \"x\": float32[s0{quotients}]\n}}");
    assert!(parse(&text).unwrap_err().message.contains("nests"));
}

#[test]
fn every_prefix_and_every_changed_byte_is_an_error_or_a_graph() {
    for end in (0..ALL.len()).filter(|k| ALL.is_char_boundary(*k)) {
        let _ = parse(&ALL[..end]);
    }
    for at in 0..ALL.len() {
        for with in [b'%', b'9', b'[', b'"', b' '] {
            let mut bytes = ALL.as_bytes().to_vec();
            bytes[at] = with;
            if let Ok(text) = String::from_utf8(bytes) {
                let _ = parse(&text).map(|g| print(&g));
            }
        }
    }
}

#[test]
fn a_dump_leaves_large_data_out() {
    let mut graph = parse("graph \"g\" { }").unwrap();
    let shape = vec![graph.syms.constant(100)];
    let meta = TensorMeta::contiguous(&graph.syms, Dtype::Float32, shape);
    let data = Arc::new(ConstantData::Owned(vec![1; 400]));
    graph.add_constant("w", ConstantKind::Parameter, meta, data);
    assert!(dump(&graph).contains("elided 400 bytes"));
    assert!(parse(&dump(&graph)).is_err());
    round_trip(&print(&graph));
}

#[test]
fn sums_print_the_same_whatever_was_made_first() {
    let head = "graph \"g\" { symbol b in [0, 9] symbol a in [0, 9]";
    let one = round_trip(&format!("{head} output \"x\" = 3 + b*a + 2*b + a }}"));
    let other = round_trip(&format!("{head} output \"u\" = 2*b output \"x\" = a + 2*b + a*b + 3 }}"));
    let line = |t: &str| t.lines().find(|l| l.contains("\"x\"")).map(str::to_string);
    assert_eq!(line(&one), line(&other));
    assert_eq!(line(&one).unwrap().trim(), "output \"x\" = 2*b + a + a*b + 3");
}

#[test]
fn a_graph_becomes_a_subgraph_of_another() {
    let outer =
        parse("graph \"o\" {\n symbol n in [1, 9]\n input %0 \"x\": float32[n]\n output \"x\" = %0\n}")
            .unwrap();
    let text = "graph \"i\" {\n symbol n in [1, 9]\n input %0 \"x\": float32[n]\n %1 = aten.nonzero(%0)\n output \"y\" = %1\n}";
    let mut known = super::Imported::default();
    let inner = super::import(&outer, &parse(text).unwrap(), &mut known).unwrap().0;
    assert_eq!(inner.meta(inner.inputs[0].value).shape, outer.meta(outer.inputs[0].value).shape);
    let deep = "graph \"g\" {\n %0 = higher_order.cond.default(".to_string()
        + &"graph \"a\" { %0 = aten.relu(".repeat(100);
    assert!(parse(&deep).is_err());
    // The symbol that `nonzero` gives is that of one place.
    let again = super::import(&outer, &parse(text).unwrap(), &mut known).unwrap().0;
    assert!(!Arc::ptr_eq(&inner, &again));
    let plain = "graph \"i\" {\n input %0 \"x\": float32[2]\n %1 = aten.relu(%0)\n output \"y\" = %1\n}";
    let [one, other] = [0, 1].map(|_| super::import(&outer, &parse(plain).unwrap(), &mut known).unwrap().0);
    assert!(Arc::ptr_eq(&one, &other));
}

#[test]
fn a_graph_shares_the_symbols_that_nodes_around_it_give() {
    let outer = "graph \"o\" {\n symbol u0 in [0, inf]\n symbol u1 in [0, inf]\n input %0 \"x\": float32[u1]\n \
        input %1 \"n\": int64[]\n litz.bind.default(%1, u0)\n}";
    let mut outer = parse(outer).unwrap();
    let [given, declared] = [outer.symbols[0], outer.symbols[1]];
    outer.symbols.retain(|s| *s == declared);
    let inner = "graph \"i\" {\n symbol u0 in [0, inf]\n symbol u1 in [0, inf]\n input %0 \"x\": float32[u0, u1]\n \
        input %1 \"n\": int64[]\n symbol mine in [0, inf]\n litz.bind.default(%1, mine)\n}";
    let mut known = super::Imported::default();
    let shared = super::import(&outer, &parse(inner).unwrap(), &mut known).unwrap().0;
    let shape = shared.meta(shared.inputs[0].value).shape.clone();
    assert_eq!(shape, [given, declared]);
    // What a node of its own gives is another symbol, whatever it is called.
    for name in ["u0", "u1"] {
        let own = format!(
            "graph \"i\" {{\n symbol {name} in [0, inf]\n input %0 \"n\": int64[]\n litz.bind.default(%0, {name})\n}}"
        );
        let own = super::import(&outer, &parse(&own).unwrap(), &mut known).unwrap().0;
        let its = outer.syms.symbol_expr(crate::ir::symbols_of_own_nodes(&own).next().unwrap());
        assert!(its != given && its != declared);
    }
}

#[test]
fn nodes_of_a_graph_that_becomes_a_subgraph_keep_where_they_come_from() {
    let outer = parse("graph \"o\" {\n input %0 \"x\": float32[2]\n output \"x\" = %0\n}").unwrap();
    let text = |line: u32| {
        format!(
            "graph \"i\" {{\n module 0 \"fc\" \"Linear\"\n trace 0 \"  File \\\"m.py\\\", line {line}, in forward\"\n \
             origin 0 \"act\" \"aten.relu.default\" modules [0] trace 0\n input %0 \"x\": float32[2]\n \
             %1 = aten.relu.default(%0) from [0]\n output \"y\" = %1\n}}"
        )
    };
    let mut known = super::Imported::default();
    let mut place = |line: u32| {
        let inner = super::import(&outer, &parse(&text(line)).unwrap(), &mut known).unwrap().0;
        let origins = inner.origins_of(inner.order.iter().next().copied().unwrap());
        outer.origins.get(origins[0]).to_string()
    };
    assert_eq!(place(7), "node `act` of module `fc` at m.py:7");
    // The same text from elsewhere is another graph.
    assert_eq!(place(8), "node `act` of module `fc` at m.py:8");
}

/// Forty levels, each of whose branches are the level below: few graphs, and more ways to them than any time suffices for.
#[test]
fn a_graph_that_stands_twice_is_written_and_read_once() {
    let mut text = "graph \"leaf\" as 0 {\n input %0 \"p\": bool[]\n output \"y\" = %0\n }".to_string();
    for level in 1..40 {
        text = format!(
            "graph \"c\" as {level} {{\n input %0 \"p\": bool[]\n \
             %1 = higher_order.cond.default(%0, {text}, graph {}, [%0])\n output \"y\" = %1\n }}",
            level - 1
        );
    }
    let whole = format!(
        "graph \"g\" {{\n input %0 \"p\": bool[]\n %1 = higher_order.cond.default(%0, {text}, graph 39, [%0])\n \
         output \"y\" = %1\n}}"
    );
    let graph = parse(&whole).unwrap();
    assert_eq!(crate::ir::each_graph(&graph).len(), 40);
    let printed = round_trip(&whole);
    assert_eq!(crate::ir::each_graph(&parse(&printed).unwrap()).len(), 40);
    assert!(parse(&whole.replace("graph 39", "graph 50")).is_err());
    let symbolic = "graph \"g\" {\n input %0 \"p\": bool[]\n input %1 \"x\": float32[3]\n \
         %2 = higher_order.cond.default(%0, graph \"a\" as 0 {\n input %0 \"x\": float32[3]\n \
         %1 = aten.nonzero(%0)\n %2 = aten.sum.default(%1)\n output \"y\" = %2\n }, graph 0, [%1])\n}";
    assert!(parse(symbolic).unwrap_err().message.contains("gives symbols"), "{:?}", parse(symbolic));
}

/// PyTorch multiplies strides with wraparound, and refuses negative ones.
#[test]
fn steps_beyond_64_bits_wrap_strides() {
    let of = |step: i64| {
        parse(&format!(
            "graph \"g\" {{ input %0 \"x\": float32[4, 3]\n %1 = aten.slice.Tensor(%0, 0, 0, 4, {step})\n output \"y\" = %1 }}"
        ))
    };
    let strides = |step| {
        let graph = of(step).unwrap();
        let id = *graph.order.iter().next().unwrap();
        graph.syms.as_consts(&graph.meta(graph.nodes[id].outputs[0]).strides)
    };
    assert_eq!(strides(i64::MAX), Some(vec![9223372036854775805, 1]));
    assert_eq!(strides(1 << 60), Some(vec![3 << 60, 1]));
    assert!(of(1 << 62).unwrap_err().to_string().contains("the step goes beyond 64 bits"));
}

/// Written out, the sizes of the fortieth step would have 2^40 symbols.
#[test]
fn parts_that_sizes_share_are_written_once() {
    let mut text =
        "graph \"g\" {\n  symbol s0 in [1000, 9000]\n  input %0 \"x\": float32[1, s0]\n".to_string();
    for k in 0..40 {
        let x = 3 * k;
        for (result, step) in [(x + 1, 2), (x + 2, 3)] {
            text += &format!("  %{result} = aten.slice.Tensor(%{x}, 1, 0, 9223372036854775807, {step})\n");
        }
        text += &format!("  %{} = aten.cat.default([%{}, %{}], 1)\n", x + 3, x + 1, x + 2);
    }
    let graph = parse(&(text + "  output \"y\" = %120\n}\n")).unwrap();
    let printed = print(&graph);
    assert!(printed.len() < 40_000, "{} bytes", printed.len());
    assert!(dump(&graph).len() < 40_000);
}

#[test]
fn long_parts_have_names() {
    let sum = (0..70).map(|k| format!("s{k}")).collect::<Vec<_>>().join(" + ");
    let symbols: String = (0..70).map(|k| format!("  symbol s{k} in [1, 9]\n")).collect();
    let text = format!(
        "graph \"g\" {{\n{symbols}  input %0 \"x\": float32[{sum}]\n  input %1 \"y\": float32[4, ({sum}) // 2]\n  \
         output \"n\" = max(({sum}) // 2, ({sum}) // 3)\n}}\n"
    );
    let printed = round_trip(&text);
    assert!(printed.contains("\n  let e0 = s0 + s1 + "), "{printed}");
    assert!(printed.contains("\n  let e1 = e0 // 2\n  input %0 \"x\": float32[e0]\n"), "{printed}");
    assert!(printed.contains("float32[4, e1]\n") && printed.contains("= max(e0 // 3, e1)"), "{printed}");
    // The names are not those of symbols.
    let other = printed.replace("s69", "e1");
    assert!(parse(&other).unwrap_err().to_string().contains("`e1` is declared twice"));
    let other = text.replace("s69", "e1");
    assert!(round_trip(&other).contains("let e2 = e0 // 2"));
    let wrong = parse("graph \"g\" {\n  let 4 = 3\n}").unwrap_err().to_string();
    assert!(wrong.contains("expected a name for a size"), "{wrong}");
}

const PLACED: &str = r#"graph "placed" {
  module 0 "" "model.Net"
  module 1 "a" "model.A"
  trace 0 "File \"m.py\", line 3, in forward\n    y = relu(x)"
  origin 0 "relu" "aten.relu.default" modules [0, 1] trace 0
  origin 1 "add" "aten.add.Tensor"
  input %0 "x": float32[4]
  %1 = aten.relu.default(%0) from [0]  # float32[4]
  %2 = aten.add.Tensor(%1, %1) from [1, 0]  # float32[4]
  output "y" = %2
}
"#;

#[test]
fn lines_say_where_nodes_come_from() {
    assert_eq!(round_trip(PLACED), PLACED);
    let graph = parse(PLACED).unwrap();
    let origins = graph.origins.all(&graph.origins_of(*graph.order.iter().nth(1).unwrap()));
    assert_eq!(origins[0].node, "add");
    assert_eq!(origins[1].frame().unwrap().line, 3);
    assert_eq!(origins[1].module().unwrap().path, "a");
    // Numbers count from 0, and name what was said before.
    let wrong = |from: &str, to: &str| parse(&PLACED.replacen(from, to, 1)).unwrap_err().to_string();
    assert!(wrong("trace 0 ", "trace 1 ").contains("expected 0, the next number of a `trace`"));
    assert!(wrong("modules [0, 1]", "modules [2]").contains("no line before this one is `module 2`"));
    assert!(wrong(" trace 0\n", " trace 1\n").contains("`trace 1`"));
    assert!(wrong("from [1, 0]", "from [1, 9]").contains("`origin 9`"));
    assert!(wrong("from [0]", "from 0").contains('['));
    // Nodes with a name alone have no such lines.
    let plain = "graph \"g\" {\n  origin 0 \"a\" \"b\"\n  input %0 \"x\": float32[4]\n  \
                 %1 = aten.relu.default(%0) from [0]\n  output \"y\" = %1\n}\n";
    assert!(!print(&parse(plain).unwrap()).contains("from"));
}
