//! Every kind of node against a naive evaluator, which walks the expression again at every point.

use super::*;
use crate::base::HashMap;
use crate::ir::Graph;
use crate::loops::*;
use crate::meta::Builder;
use crate::types::{Dtype, Range, Scalar, SymArena, SymInt, SymbolKind, TensorMeta};
use std::sync::Arc;

fn program() -> Program {
    Program::new(Arc::new(SymArena::new()))
}

fn sizes(p: &Program, list: &[i64]) -> Vec<SymInt> {
    list.iter().map(|s| p.syms.constant(*s)).collect()
}

fn input(p: &mut Program, dtype: Dtype, shape: &[i64]) -> BufferId {
    let sizes = sizes(p, shape);
    let buffer = p.temporary(dtype, &sizes);
    p.buffers[buffer].kind = BufferKind::Input(p.inputs.len());
    p.inputs.push(buffer);
    buffer
}

fn output(p: &mut Program, dtype: Dtype, shape: &[i64]) -> BufferId {
    let sizes = sizes(p, shape);
    let buffer = p.temporary(dtype, &sizes);
    p.outputs.push(buffer);
    buffer
}

fn push(p: &mut Program, kind: NodeKind) {
    p.nodes.push(LoopNode { kind, operators: crate::loops::Operators::new("test", &[]) });
}

fn bytes_f32(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_ne_bytes()).collect()
}
fn bytes_i64(values: &[i64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_ne_bytes()).collect()
}
fn f32s(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|b| f32::from_ne_bytes(b.try_into().unwrap())).collect()
}
fn i64s(bytes: &[u8]) -> Vec<i64> {
    bytes.chunks_exact(8).map(|b| i64::from_ne_bytes(b.try_into().unwrap())).collect()
}

fn run(p: &Program, inputs: &[&[u8]]) -> Result<Vec<Vec<u8>>, InterpError> {
    run_program(p, inputs, &[], &|_| None).map(|r| r.0)
}

/// A generator that is the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % below
    }
}

#[derive(Clone, Copy, Debug)]
enum Naive {
    Float(f64),
    Integer(i64),
}

impl Naive {
    fn integer(self) -> i64 {
        match self {
            Naive::Integer(v) => v,
            Naive::Float(v) => panic!("{v} is no integer"),
        }
    }
    fn float(self) -> f64 {
        match self {
            Naive::Float(v) => v,
            Naive::Integer(v) => panic!("{v} is no float"),
        }
    }
}

/// What an expression is at one point, from its definition.
fn naive(
    p: &Program,
    inputs: &HashMap<BufferId, Vec<Naive>>,
    point: &[i64],
    data: &[i64],
    id: ExprId,
) -> Naive {
    let eval = |e: ExprId| naive(p, inputs, point, data, e);
    let index = |s: SymInt, data: &[i64]| {
        // Looked up before: the arena is locked while it evaluates.
        let known: HashMap<SymbolId, i64> = p
            .syms
            .symbols(s)
            .into_iter()
            .map(|id| match p.syms.symbol_kind(id) {
                SymbolKind::Index { position, .. } => (id, point[position as usize]),
                SymbolKind::Data(k) => (id, data[k as usize]),
                SymbolKind::Free => panic!("a free symbol"),
            })
            .collect();
        p.syms.eval(s, &|id| known.get(&id).copied()).unwrap()
    };
    let dtype = p.exprs.dtype(id);
    let narrow = |v: f64| Naive::Float(if dtype == Dtype::Float32 { v as f32 as f64 } else { v });
    match p.exprs[id].clone() {
        Expr::Constant(v, d) if d.is_float() => narrow(v.as_f64()),
        Expr::Constant(v, _) => Naive::Integer(v.as_i64()),
        Expr::Index(s, _) => Naive::Integer(index(s, data)),
        Expr::Load { buffer, index: list, data: below } => {
            let below: Vec<i64> = below.iter().map(|e| eval(*e).integer()).collect();
            let mut place = 0;
            for (s, size) in list.iter().zip(&p.buffers[buffer].sizes) {
                let (i, size) = (index(*s, &below), p.syms.as_const(*size).unwrap());
                assert!(0 <= i && i < size, "a load out of bounds");
                place = place * size + i;
            }
            inputs[&buffer][place as usize]
        }
        Expr::Unary(op, a) => match (op, eval(a)) {
            (UnaryOp::Neg, Naive::Float(v)) => narrow(-v),
            (UnaryOp::Neg, Naive::Integer(v)) => Naive::Integer((-v) as i32 as i64),
            (UnaryOp::Abs, Naive::Float(v)) => narrow(v.abs()),
            (UnaryOp::Sqrt, Naive::Float(v)) => narrow(v.sqrt()),
            (UnaryOp::Floor, Naive::Float(v)) => narrow(v.floor()),
            (UnaryOp::LogicalNot, Naive::Integer(v)) => Naive::Integer((v == 0) as i64),
            (UnaryOp::IsNan, Naive::Float(v)) => Naive::Integer(v.is_nan() as i64),
            (op, v) => panic!("{op:?} of {v:?}"),
        },
        Expr::Binary(op, a, b) => match (eval(a), eval(b)) {
            (Naive::Float(x), Naive::Float(y)) => match op {
                BinaryOp::Add => narrow(x + y),
                BinaryOp::Sub => narrow(x - y),
                BinaryOp::Mul => narrow(x * y),
                BinaryOp::Div => narrow(x / y),
                BinaryOp::Maximum if x.is_nan() || y.is_nan() => Naive::Float(f64::NAN),
                BinaryOp::Maximum => narrow(x.max(y)),
                BinaryOp::Lt => Naive::Integer((x < y) as i64),
                op => panic!("{op:?}"),
            },
            (Naive::Integer(x), Naive::Integer(y)) => Naive::Integer(match op {
                BinaryOp::Add => (x + y) as i32 as i64,
                BinaryOp::Mul => (x * y) as i32 as i64,
                BinaryOp::FloorDiv => (x as f64 / y as f64).floor() as i64 as i32 as i64,
                BinaryOp::Remainder => x - y * (x as f64 / y as f64).floor() as i64,
                BinaryOp::LogicalAnd => (x != 0 && y != 0) as i64,
                BinaryOp::Lt => (x < y) as i64,
                op => panic!("{op:?}"),
            }),
            (x, y) => panic!("{op:?} of {x:?} and {y:?}"),
        },
        Expr::Select(c, a, b) => {
            let (a, b) = (eval(a), eval(b));
            if eval(c).integer() != 0 { a } else { b }
        }
        Expr::Cast(to, a) => match (eval(a), to) {
            (Naive::Float(v), Dtype::Float32 | Dtype::Float64) => narrow(v),
            (Naive::Float(v), Dtype::Bfloat16) => Naive::Float(half::bf16::from_f32(v as f32).to_f64()),
            (Naive::Integer(v), Dtype::Float32) => Naive::Float(v as f32 as f64),
            (Naive::Integer(v), Dtype::Float64) => Naive::Float(v as f64),
            (Naive::Float(v), Dtype::Bool) => Naive::Integer((v != 0.0) as i64),
            (Naive::Integer(v), Dtype::Bool) => Naive::Integer((v != 0) as i64),
            (Naive::Integer(v), Dtype::Int32) => Naive::Integer(v as i32 as i64),
            (Naive::Integer(v), Dtype::Int64) => Naive::Integer(v),
            (v, to) => panic!("{v:?} to {to}"),
        },
        Expr::Masked { condition, value, otherwise } => {
            if eval(condition).integer() != 0 {
                eval(value)
            } else {
                eval(otherwise)
            }
        }
        Expr::Check { value, .. } => eval(value),
    }
}

/// A random expression over two inputs; loads are shifted and masked where they would leave the buffer.
fn random_expr(p: &mut Program, random: &mut Random, vars: &[SymInt], inputs: &[BufferId; 2]) -> ExprId {
    let mut floats = vec![p.exprs.float(0.5, Dtype::Float32), p.exprs.float(-1.25, Dtype::Float32)];
    let mut ints = vec![p.exprs.int(3, Dtype::Int32), p.exprs.int(-7, Dtype::Int32)];
    let mut bools = vec![p.exprs.constant(Scalar::Bool(true), Dtype::Bool)];
    let choose = |random: &mut Random, list: &[ExprId]| list[random.next(list.len())];
    for _ in 0..60 {
        match random.next(14) {
            0 => {
                // A load of the neighbour where there is one.
                let shift = random.next(3) as i64 - 1;
                let moved = p.syms.add_const(vars[1], shift);
                let zero = p.syms.constant(0);
                let end = p.syms.constant(37);
                let holds = p.syms.and(p.syms.le(zero, moved), p.syms.lt(moved, end));
                let condition = p.exprs.index_value(holds, Dtype::Int64);
                let condition = p.exprs.cast(condition, Dtype::Bool);
                let load = p.exprs.load(inputs[0], Dtype::Float32, vec![vars[0], moved], Vec::new());
                let other = choose(random, &floats);
                let value = p.exprs.binary(BinaryOp::Add, load, other);
                floats.push(p.exprs.masked(condition, value, other));
            }
            1 => {
                // The other input at a place that an integer gives.
                let (index, zero) = (choose(random, &ints), p.exprs.int(0, Dtype::Int32));
                let end = p.exprs.int(11, Dtype::Int32);
                let place = p.exprs.binary(BinaryOp::Remainder, index, end);
                let inside = p.exprs.binary(BinaryOp::Lt, index, zero);
                let outside = p.exprs.unary(UnaryOp::LogicalNot, inside);
                let data = p.exprs.cast(place, Dtype::Int64);
                let place = p.syms.data_var(0);
                let load = p.exprs.load(inputs[1], Dtype::Int32, vec![place], vec![data]);
                let value = if random.next(2) == 0 { load } else { p.exprs.masked(outside, load, end) };
                ints.push(value);
            }
            2 => {
                let column = p.exprs.index_value(vars[random.next(2)], Dtype::Int64);
                ints.push(p.exprs.cast(column, Dtype::Int32));
            }
            3 => {
                let x = choose(random, &ints);
                floats.push(p.exprs.cast(x, Dtype::Float32));
            }
            4 => {
                let x = choose(random, &floats);
                let half = p.exprs.cast(x, Dtype::Bfloat16);
                floats.push(p.exprs.cast(half, Dtype::Float32));
            }
            5 => {
                let (c, a, b) = (choose(random, &bools), choose(random, &floats), choose(random, &floats));
                floats.push(p.exprs.select(c, a, b));
            }
            6 => {
                let (c, a, b) = (choose(random, &bools), choose(random, &floats), choose(random, &floats));
                floats.push(p.exprs.masked(c, a, b));
            }
            7 => {
                let (a, b) = (choose(random, &floats), choose(random, &floats));
                bools.push(p.exprs.binary(BinaryOp::Lt, a, b));
            }
            8 => {
                let (a, b) = (choose(random, &ints), choose(random, &ints));
                bools.push(p.exprs.binary(BinaryOp::Lt, a, b));
            }
            9 => {
                let op = [BinaryOp::Add, BinaryOp::Mul][random.next(2)];
                let (a, b) = (choose(random, &ints), choose(random, &ints));
                let value = p.exprs.binary(op, a, b);
                // Kept small, so that the naive evaluator does not overflow.
                let limit = p.exprs.int(1009, Dtype::Int32);
                ints.push(p.exprs.binary(BinaryOp::Remainder, value, limit));
            }
            10 => {
                let divisor = p.exprs.int([3, -4, 7][random.next(3)], Dtype::Int32);
                let a = choose(random, &ints);
                ints.push(p.exprs.binary(BinaryOp::FloorDiv, a, divisor));
            }
            11 => {
                let op = [UnaryOp::Neg, UnaryOp::Abs, UnaryOp::Sqrt, UnaryOp::Floor][random.next(4)];
                let a = choose(random, &floats);
                floats.push(p.exprs.unary(op, a));
            }
            12 => {
                let a = choose(random, &floats);
                bools.push(p.exprs.unary(UnaryOp::IsNan, a));
            }
            _ => {
                let op = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div, BinaryOp::Maximum]
                    [random.next(5)];
                let (a, b) = (choose(random, &floats), choose(random, &floats));
                floats.push(p.exprs.binary(op, a, b));
            }
        }
    }
    *floats.last().unwrap()
}

#[test]
fn random_expressions_agree_with_the_naive_evaluator() {
    for seed in 0..60 {
        let mut random = Random(seed);
        let mut p = program();
        let inputs = [input(&mut p, Dtype::Float32, &[9, 37]), input(&mut p, Dtype::Int32, &[11])];
        let out = output(&mut p, Dtype::Float32, &[9, 37]);
        let space = sizes(&p, &[9, 37]);
        let vars = p.vars(&space);
        let value = random_expr(&mut p, &mut random, &vars, &inputs);
        push(&mut p, NodeKind::Pointwise { sizes: space, value, out });
        verify(&p).unwrap();
        let floats: Vec<f32> = (0..9 * 37)
            .map(|k| if k == 40 { f32::NAN } else { random.next(2000) as f32 / 64.0 - 15.0 })
            .collect();
        let ints: Vec<i32> = (0..11).map(|_| random.next(200) as i32 - 100).collect();
        let int_bytes: Vec<u8> = ints.iter().flat_map(|v| v.to_ne_bytes()).collect();
        let found = f32s(&run(&p, &[&bytes_f32(&floats), &int_bytes]).unwrap()[0]);
        let known = HashMap::from_iter([
            (inputs[0], floats.iter().map(|v| Naive::Float(*v as f64)).collect::<Vec<_>>()),
            (inputs[1], ints.iter().map(|v| Naive::Integer(*v as i64)).collect()),
        ]);
        for k in 0..9 * 37 {
            let want = naive(&p, &known, &[k / 37, k % 37], &[], value).float() as f32;
            let got = found[k as usize];
            let same = got == want || got.is_nan() && want.is_nan();
            assert!(same, "seed {seed}, point {k}: {got} instead of {want}");
        }
    }
}

#[test]
fn checks_fail_only_where_they_are_reached() {
    let mut p = program();
    let x = input(&mut p, Dtype::Int64, &[4]);
    let table = input(&mut p, Dtype::Float32, &[3]);
    let out = output(&mut p, Dtype::Float32, &[4]);
    let space = sizes(&p, &[4]);
    let vars = p.vars(&space);
    let index = p.exprs.load(x, Dtype::Int64, vars, Vec::new());
    let (end, zero) = (p.exprs.int(3, Dtype::Int64), p.exprs.int(0, Dtype::Int64));
    let inside = p.exprs.binary(BinaryOp::Lt, index, end);
    let checked = p.exprs.check(inside, index, 5);
    let place = p.syms.data_var(0);
    let load = p.exprs.load(table, Dtype::Float32, vec![place], vec![checked]);
    let wanted = p.exprs.binary(BinaryOp::Ge, index, zero);
    let none = p.exprs.float(-1.0, Dtype::Float32);
    let value = p.exprs.masked(wanted, load, none);
    push(&mut p, NodeKind::Pointwise { sizes: space, value, out });
    let values = bytes_f32(&[10.0, 20.0, 30.0]);
    let found = run(&p, &[&bytes_i64(&[2, -9, 0, 1]), &values]).unwrap();
    assert_eq!(f32s(&found[0]), [30.0, -1.0, 10.0, 20.0]);
    let failed = run(&p, &[&bytes_i64(&[2, 3, 0, 1]), &values]);
    assert_eq!(failed, Err(InterpError::Assertion(5)));
}

#[test]
fn a_load_out_of_bounds_is_an_error() {
    let mut p = program();
    let x = input(&mut p, Dtype::Float32, &[4]);
    let out = output(&mut p, Dtype::Float32, &[4]);
    let space = sizes(&p, &[4]);
    let moved = p.syms.add_const(p.vars(&space)[0], 1);
    let value = p.exprs.load(x, Dtype::Float32, vec![moved], Vec::new());
    push(&mut p, NodeKind::Pointwise { sizes: space, value, out });
    let failed = run(&p, &[&bytes_f32(&[1.0; 4])]);
    assert_eq!(failed, Err(InterpError::OutOfBounds { buffer: x, index: 4, size: 4 }));
    let failed = run(&p, &[&bytes_f32(&[1.0; 3])]);
    assert!(matches!(failed, Err(InterpError::Internal(_))));
}

fn reduction(op: ReductionOp, values: &[f32], length: i64) -> (Vec<f32>, Option<Vec<i64>>) {
    let mut p = program();
    let rows = if length == 0 { 2 } else { values.len() as i64 / length };
    let x = input(&mut p, Dtype::Float32, &[rows, length]);
    let mut outs = vec![output(&mut p, Dtype::Float32, &[rows])];
    if matches!(op, ReductionOp::MaxWithIndex | ReductionOp::MinWithIndex) {
        outs.push(output(&mut p, Dtype::Int64, &[rows]));
    }
    let all = sizes(&p, &[rows, length]);
    let vars = p.vars(&all);
    let value = p.exprs.load(x, Dtype::Float32, vars, Vec::new());
    let (sizes, reduced) = (all[..1].to_vec(), all[1..].to_vec());
    push(&mut p, NodeKind::Reduction { sizes, reduced, op, value, outs });
    let found = run(&p, &[&bytes_f32(values)]).unwrap();
    (f32s(&found[0]), found.get(1).map(|b| i64s(b)))
}

#[test]
fn reductions() {
    let n = f32::NAN;
    assert_eq!(reduction(ReductionOp::Sum, &[1e8, 1.0, -1e8, 2.0, 3.0, 4.0], 3).0, [1.0, 9.0]);
    assert_eq!(reduction(ReductionOp::Sum, &[], 0).0, [0.0, 0.0]);
    assert_eq!(reduction(ReductionOp::Sum, &[f32::INFINITY, 1.0], 2).0, [f32::INFINITY]);
    assert_eq!(reduction(ReductionOp::Product, &[2.0, 3.0], 2).0, [6.0]);
    assert_eq!(reduction(ReductionOp::Max, &[], 0).0, [f32::NEG_INFINITY; 2]);
    assert!(reduction(ReductionOp::Max, &[1.0, n, 2.0], 3).0[0].is_nan());
    assert_eq!(
        reduction(ReductionOp::MaxWithIndex, &[1.0, 5.0, 5.0, -1.0, -2.0, -3.0], 3).1.unwrap(),
        [1, 0]
    );
    assert_eq!(reduction(ReductionOp::MinWithIndex, &[4.0, n, n, 1.0], 4).1.unwrap(), [1]);
    let infinite = [f32::NEG_INFINITY; 3];
    assert_eq!(reduction(ReductionOp::MaxWithIndex, &infinite, 3).1.unwrap(), [0]);
}

#[test]
fn scans_and_sorts_along_an_inner_axis() {
    let mut p = program();
    let x = input(&mut p, Dtype::Float32, &[3, 2]);
    let space = sizes(&p, &[3, 2]);
    let vars = p.vars(&space);
    let value = p.exprs.load(x, Dtype::Float32, vars, Vec::new());
    let sum = output(&mut p, Dtype::Float32, &[3, 2]);
    let best = [output(&mut p, Dtype::Float32, &[3, 2]), output(&mut p, Dtype::Int64, &[3, 2])];
    let (values, positions) =
        (output(&mut p, Dtype::Float32, &[3, 2]), output(&mut p, Dtype::Int64, &[3, 2]));
    let (sizes, axis) = (space.clone(), 0);
    push(&mut p, NodeKind::Scan { sizes, axis, op: ScanOp::Sum, value, outs: vec![sum] });
    let (sizes, op) = (space.clone(), ScanOp::MaxWithIndex);
    push(&mut p, NodeKind::Scan { sizes, axis, op, value, outs: best.to_vec() });
    push(
        &mut p,
        NodeKind::Sort { kept: space[axis], sizes: space, axis, descending: true, value, values, positions },
    );
    let found = run(&p, &[&bytes_f32(&[1.0, f32::NAN, 3.0, 7.0, 3.0, 5.0])]).unwrap();
    assert_eq!(f32s(&found[0])[..1], [1.0]);
    assert_eq!((f32s(&found[0])[2], f32s(&found[0])[4]), (4.0, 7.0));
    assert!(f32s(&found[0])[5].is_nan());
    assert_eq!(i64s(&found[2]), [0, 0, 1, 0, 2, 0]);
    assert_eq!(i64s(&found[4]), [1, 0, 2, 1, 0, 2]);
    assert!(f32s(&found[3])[1].is_nan());
}

/// Five values that go to three elements, which begin as 100, at places that are an input.
fn scattered(mode: ScatterMode) -> (Program, BufferId) {
    let mut p = program();
    let index = input(&mut p, Dtype::Int64, &[5]);
    let x = input(&mut p, Dtype::Float32, &[5]);
    let out = output(&mut p, Dtype::Float32, &[3]);
    let space = sizes(&p, &[5]);
    let vars = p.vars(&space);
    let place = p.exprs.load(index, Dtype::Int64, vars.clone(), Vec::new());
    let value = p.exprs.load(x, Dtype::Float32, vars, Vec::new());
    let initial = p.exprs.float(100.0, Dtype::Float32);
    let (index, data) = (vec![p.syms.data_var(0)], vec![place]);
    push(&mut p, NodeKind::Scatter { sizes: space, index, data, value, mode, initial, out });
    (p, out)
}

#[test]
fn unique_points_without_a_place_are_left_out() {
    let (p, out) = scattered(ScatterMode::SetUnique);
    let values = bytes_f32(&[1.0, 2.0, 3.0, 4.0, 5.0]);
    let found = run(&p, &[&bytes_i64(&[3, 2, 3, 0, 3]), &values]).unwrap();
    assert_eq!(f32s(&found[0]), [4.0, 100.0, 2.0]);
    for outside in [4, -1] {
        let failed = run(&p, &[&bytes_i64(&[3, 2, outside, 0, 3]), &values]);
        assert_eq!(failed, Err(InterpError::OutOfBounds { buffer: out, index: outside, size: 3 }));
    }
}

#[test]
fn scatter_adds_at_data() {
    let (p, out) = scattered(ScatterMode::Add);
    let values = bytes_f32(&[1.0, 2.0, 3.0, 4.0, 5.0]);
    let found = run(&p, &[&bytes_i64(&[2, 0, 2, 2, 0]), &values]).unwrap();
    assert_eq!(f32s(&found[0]), [107.0, 100.0, 108.0]);
    let failed = run(&p, &[&bytes_i64(&[2, 0, 3, 2, 0]), &values]);
    assert_eq!(failed, Err(InterpError::OutOfBounds { buffer: out, index: 3, size: 3 }));
}

#[test]
fn contractions_agree_with_their_definitions() {
    let mut random = Random(7);
    let mut numbers = |n: usize| -> Vec<f32> { (0..n).map(|_| random.next(64) as f32 / 8.0 - 4.0).collect() };
    // A product with a batch: a is [2, 3, 5], b is read transposed from [2, 5, 4].
    let mut p = program();
    let (a, b) = (input(&mut p, Dtype::Float32, &[2, 3, 5]), input(&mut p, Dtype::Float32, &[2, 5, 4]));
    let out = output(&mut p, Dtype::Float32, &[2, 3, 4]);
    let all = sizes(&p, &[2, 3, 4, 5]);
    let v = p.vars(&all);
    let left = p.exprs.load(a, Dtype::Float32, vec![v[0], v[1], v[3]], Vec::new());
    let right = p.exprs.load(b, Dtype::Float32, vec![v[0], v[3], v[2]], Vec::new());
    let (m, n, k) = (all[1], all[2], all[3]);
    push(&mut p, NodeKind::Gemm { batch: all[..1].to_vec(), m, n, k, a: left, b: right, out });
    let (x, y) = (numbers(30), numbers(40));
    let found = f32s(&run(&p, &[&bytes_f32(&x), &bytes_f32(&y)]).unwrap()[0]);
    for (place, got) in found.iter().enumerate() {
        let (s, i, j) = (place / 12, place / 4 % 3, place % 4);
        let want: f32 = (0..5).map(|k| x[(s * 3 + i) * 5 + k] * y[(s * 5 + k) * 4 + j]).sum();
        assert_eq!(*got, want);
    }
    // A strided, dilated, padded convolution in two groups.
    let mut p = program();
    let (a, b) = (input(&mut p, Dtype::Float32, &[1, 4, 6, 7]), input(&mut p, Dtype::Float32, &[2, 2, 3, 2]));
    let out = output(&mut p, Dtype::Float32, &[1, 2, 3, 7]);
    let (si, sw) = (sizes(&p, &[1, 4, 6, 7]), sizes(&p, &[2, 2, 3, 2]));
    let (vi, vw) = (p.vars(&si), p.vars(&sw));
    let input_expr = p.exprs.load(a, Dtype::Float32, vi, Vec::new());
    let weight = p.exprs.load(b, Dtype::Float32, vw, Vec::new());
    let node = Convolution {
        input_sizes: si.try_into().unwrap(),
        input: input_expr,
        weight_sizes: sw.try_into().unwrap(),
        weight,
        stride: [2, 1],
        padding: [1, 1],
        dilation: [1, 2],
        groups: 2,
        channels_last: false,
        out,
    };
    push(&mut p, NodeKind::Convolution(Box::new(node)));
    let (x, w) = (numbers(168), numbers(24));
    let found = f32s(&run(&p, &[&bytes_f32(&x), &bytes_f32(&w)]).unwrap()[0]);
    for (place, got) in found.iter().enumerate() {
        let (o, y, c) = (place / 21, place / 7 % 3, place % 7);
        let mut want = 0.0;
        for (i, ky, kx) in (0..12).map(|t| (t / 6, t / 2 % 3, t % 2)) {
            let (row, column) = ((y * 2 + ky) as i64 - 1, (c + 2 * kx) as i64 - 1);
            if (0..6).contains(&row) && (0..7).contains(&column) {
                let place = ((o * 2 + i) * 6 + row as usize) * 7 + column as usize;
                want += x[place] * w[((o * 2 + i) * 3 + ky) * 2 + kx];
            }
        }
        assert_eq!(*got, want, "{place}");
    }
}

#[test]
fn attention_without_a_key_gives_zeros() {
    let mut p = program();
    let query = input(&mut p, Dtype::Float32, &[1, 2, 2, 3]);
    let key = input(&mut p, Dtype::Float32, &[1, 1, 2, 3]);
    let mask = input(&mut p, Dtype::Bool, &[2, 2]);
    let out = output(&mut p, Dtype::Float32, &[1, 2, 2, 3]);
    let s = sizes(&p, &[1, 2, 2, 3]);
    let one = p.syms.constant(1);
    let (vq, vk) = (p.vars(&s), p.vars(&[one, one, s[2], s[3]]));
    let vm = p.vars(&[one, s[1], s[2], s[2]]);
    let q = p.exprs.load(query, Dtype::Float32, vq, Vec::new());
    let k = p.exprs.load(key, Dtype::Float32, vk, Vec::new());
    let m = p.exprs.load(mask, Dtype::Bool, vec![vm[2], vm[3]], Vec::new());
    let node = Attention {
        batch: one,
        heads: s[1],
        kv_heads: one,
        queries: s[2],
        keys: s[2],
        head_size: s[3],
        value_size: s[3],
        query: q,
        key: k,
        value: k,
        mask: Some(m),
        score: None,
        band: crate::loops::Band::causal(&p.syms),
        scale: 0.0,
        empty_is_nan: false,
        place: p.vars(&[one, s[1], s[2], s[3]]),
        out,
        log_sum: None,
    };
    push(&mut p, NodeKind::Attention(Box::new(node)));
    let keys = bytes_f32(&[1.0, 2.0, 3.0, 5.0, 6.0, 7.0]);
    let found = f32s(&run(&p, &[&bytes_f32(&[1.0; 12]), &keys, &[0, 1, 1, 1]]).unwrap()[0]);
    // The first query may only see the first key, which is masked; the second sees the mean of both.
    assert_eq!(found, [0.0, 0.0, 0.0, 3.0, 4.0, 5.0, 0.0, 0.0, 0.0, 3.0, 4.0, 5.0]);
}

#[test]
fn kernels_take_symbols_as_scalars() {
    let mut graph = Graph::new("sum");
    let n = graph.syms.symbol("n", Range::new(0, 64), None);
    let meta = TensorMeta::contiguous(&graph.syms, Dtype::Float32, vec![n]);
    let (a, b) = (graph.add_input("a", meta.clone()), graph.add_input("b", meta));
    let mut builder = Builder::new(&mut graph);
    let sum =
        builder.op("aten.add.Tensor", vec![crate::ir::Arg::Value(a), crate::ir::Arg::Value(b)]).unwrap();
    graph.add_output("sum", crate::ir::OutputValue::Tensor(sum));
    let tensor = |v: &[f32]| HostTensor::float32(&[v.len() as i64], v);
    let found = run_graph(&graph, &[tensor(&[1.0, 2.0]), tensor(&[10.0, 20.0])]).unwrap().0;
    assert_eq!(found[0], tensor(&[11.0, 22.0]));
    assert!(run_graph(&graph, &[tensor(&[1.0, 2.0]), tensor(&[10.0])]).is_err());

    let program = Arc::new(lower::lower(&graph).unwrap());
    let kernels = Interpreter::new(program).unwrap().into_kernels();
    assert_eq!(kernels.len(), 1);
    let kernel = &kernels[0];
    let kernel = kernel.as_ref().expect("a node that computes");
    assert_eq!((kernel.buffers().len(), kernel.symbols().len()), (3, 1));
    assert_eq!(kernel.byte_lengths(&[2]).unwrap(), [8, 8, 8]);
    let (x, y, mut z) = (bytes_f32(&[1.0, 2.0]), bytes_f32(&[3.0, 4.0]), vec![0; 8]);
    let code = kernel.run(&mut [RawBuffer::Read(&x), RawBuffer::Read(&y), RawBuffer::Write(&mut z)], &[2]);
    assert_eq!((code, f32s(&z)), (0, vec![4.0, 6.0]));
    let short = kernel.run(&mut [RawBuffer::Read(&x), RawBuffer::Read(&y), RawBuffer::Write(&mut z)], &[3]);
    assert_eq!(short, -1);
}
