//! Random calls of operators: tensors of several ranks, sizes, dtypes and layouts, and arguments that fit mostly,
//! nearly, or not at all.
//!
//! A call is data: it is written as Litz text, alone or beside others in one graph, with sizes known or as symbols.

use crate::check::{self, Answer};
use crate::common::contents::{Content, fill};
use crate::common::guarded::{Operand, dense, extent};
use crate::common::random::Random;
use crate::recipes;
use litz::ops::{ArgBase, ArgType, OpId, SchemaArg};
use litz::types::Dtype;

/// A size or an integer argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Size {
    Known(i64),
    /// The symbol of this number.
    Symbol(usize),
}

#[derive(Clone, Debug)]
pub struct Input {
    pub dtype: Dtype,
    pub shape: Vec<Size>,
    /// `None`: dense.
    pub strides: Option<Vec<i64>>,
    pub content: Content,
}

#[derive(Clone, Debug)]
pub enum Value {
    Input(usize),
    Int(Size),
    List(Vec<Value>),
    /// Anything else, as the text has it.
    Word(String),
}

/// A symbol: its range, and its value in a run.
#[derive(Clone, Copy, Debug)]
pub struct Symbol {
    pub least: i64,
    /// `i64::MAX`: no bound.
    pub most: i64,
    pub value: i64,
}

/// The largest value of a symbol in a run.
pub const MOST: i64 = 64;

#[derive(Clone, Debug)]
pub struct Call {
    /// `aten.add_.Tensor`
    pub name: String,
    pub op: OpId,
    pub symbols: Vec<Symbol>,
    pub inputs: Vec<Input>,
    /// Each with its name where it is given by name.
    pub args: Vec<(Option<String>, Value)>,
    /// How many results are named.
    pub results: usize,
    /// What the inputs' elements follow from.
    pub seed: u64,
}

/// The call of this number.
pub fn call(seed: u64, number: u64) -> Call {
    let mut random = Random(Random(seed).next() ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    random.next();
    let takes_tensors = |op: &OpId| op.schema().args.iter().all(|a| a.ty.base != ArgBase::Graph);
    let ops: Vec<OpId> = OpId::all()
        .iter()
        .copied()
        .filter(|op| takes_tensors(op) && !op.name().starts_with("litz."))
        .collect();
    let op = random.of(&ops);
    call_of(op, &mut random, None)
}

/// A call of an operator, with a dtype for those of its tensors that are not for indices and the like.
pub fn call_of(op: OpId, random: &mut Random, dtype: Option<Dtype>) -> Call {
    let in_place = op.row().inplace && random.once_in(6);
    let name = if in_place { op.inplace_name() } else { op.name().to_string() };
    let call = Call {
        name,
        op,
        symbols: Vec::new(),
        inputs: Vec::new(),
        args: Vec::new(),
        results: op.schema().returns.len(),
        seed: random.next(),
    };
    let mut writer = Writer { scene: recipes::Scene::new(op, dtype, random), random, call };
    for (k, arg) in op.schema().args.iter().enumerate() {
        writer.argument(k, arg);
    }
    let mut call = writer.call;
    if random.once_in(3) {
        make_symbolic(&mut call, random);
    }
    call
}

/// A list of results is as long as the call makes it: the error says how long.
pub fn name_results(call: &mut Call) {
    if let Err(Answer::Refused(message)) = check::read(&call.text())
        && let Some((before, _)) = message.split_once(" results, but ")
        && let Some(count) = before.rsplit(' ').next().and_then(|n| n.parse::<usize>().ok())
        && count < 1000
    {
        call.results = count;
    }
}

/// Most dtypes are computed with; the others must be refused in words.
pub fn dtype(random: &mut Random) -> Dtype {
    use Dtype::*;
    let usual =
        [Float32, Float64, Float16, Bfloat16, Int64, Int32, Int16, Int8, Uint8, Bool, Uint16, Uint32, Uint64];
    if random.once_in(60) { random.of(&Dtype::ALL) } else { random.of(&usual) }
}

/// Numbers at which arithmetic of 64 bits, or of 32, overflows.
const EXTREME: [i64; 15] = [
    i64::MIN,
    i64::MIN + 1,
    i64::MAX,
    i64::MAX - 1,
    1 << 62,
    -(1 << 62),
    1 << 32,
    (1 << 32) + 1,
    -(1 << 32),
    1 << 31,
    (1 << 31) - 1,
    -(1 << 31),
    -(1 << 31) - 1,
    1 << 14,
    1000,
];

/// One argument in so many is such a number.
const EXTREME_ONCE_IN: usize = 10;

struct Writer<'a> {
    random: &'a mut Random,
    scene: recipes::Scene,
    call: Call,
}

impl Writer<'_> {
    fn argument(&mut self, k: usize, arg: &SchemaArg) {
        let leave_out = arg.default.is_some() && self.random.once_in(2);
        if leave_out {
            return;
        }
        let value = if arg.ty.optional && self.random.once_in(2) {
            Value::Word("None".into())
        } else if self.random.once_in(250) {
            // Something of another kind.
            Value::Word(
                self.random.of(&["None", "true", "1.5", "[]", "\"x\"", "float32", "[1, 2]", "-1"]).into(),
            )
        } else {
            self.value(arg)
        };
        // Once one argument was left out, those after it need their names.
        let by_name = arg.keyword_only || self.call.args.len() < k || self.random.once_in(12);
        let by_name = by_name || self.call.args.last().is_some_and(|(name, _)| name.is_some());
        self.call.args.push((by_name.then(|| arg.name.clone()), value));
    }

    fn value(&mut self, arg: &SchemaArg) -> Value {
        let ArgType { base, list, length, element_optional, .. } = arg.ty;
        match (base, list) {
            (ArgBase::Tensor, false) => self.tensor(&arg.name),
            (ArgBase::Tensor, true) => {
                let count = self.scene.list_length(self.random);
                let one = |w: &mut Self| match element_optional && w.random.once_in(3) {
                    true => Value::Word("None".into()),
                    false => w.tensor(&arg.name),
                };
                Value::List((0..count).map(|_| one(self)).collect())
            }
            (ArgBase::Int, false) => Value::Int(Size::Known(self.int(&arg.name))),
            (ArgBase::Int, true) => {
                let drawn = if self.random.once_in(30) {
                    let count = self.random.below(5);
                    (0..count).map(|_| self.int(&arg.name)).collect()
                } else {
                    let mut list = self.scene.ints(&arg.name, length, self.random);
                    if self.random.once_in(EXTREME_ONCE_IN) && !list.is_empty() {
                        let at = self.random.below(list.len());
                        list[at] = self.random.of(&EXTREME);
                    }
                    list
                };
                Value::List(drawn.into_iter().map(|n| Value::Int(Size::Known(n))).collect())
            }
            (base, true) => {
                let count = length.unwrap_or_else(|| self.random.below(4));
                Value::List((0..count).map(|_| Value::Word(self.word(base, &arg.name))).collect())
            }
            (base, false) => Value::Word(self.word(base, &arg.name)),
        }
    }

    fn int(&mut self, name: &str) -> i64 {
        match self.random.below(EXTREME_ONCE_IN * 3) {
            0..=2 => self.random.of(&EXTREME),
            3 => self.random.of(&[-2, -1, 0, 1]),
            _ => self.scene.int(name, self.random),
        }
    }

    fn word(&mut self, base: ArgBase, name: &str) -> String {
        let random = &mut *self.random;
        match base {
            ArgBase::Bool => self.scene.truth(name, random).to_string(),
            ArgBase::Float => float(random, name),
            ArgBase::Scalar => match random.below(8) {
                0..=2 => random.within(-3, 5).to_string(),
                3 => random.of(&EXTREME).to_string(),
                4 if random.once_in(2) => random.of(&["true", "false"]).to_string(),
                _ => float(random, name),
            },
            ArgBase::Str => format!("\"{}\"", recipes::string(self.call.op, name, random)),
            ArgBase::Dtype => dtype(random).name().to_string(),
            ArgBase::Layout => "strided".into(),
            ArgBase::Device => if random.once_in(20) { "cuda" } else { "cpu" }.into(),
            ArgBase::MemoryFormat => {
                random.of(&["contiguous", "channels_last", "channels_last_3d", "preserve"]).into()
            }
            _ => "None".into(),
        }
    }

    fn tensor(&mut self, name: &str) -> Value {
        // The same tensor twice.
        if !self.call.inputs.is_empty() && self.random.once_in(25) {
            return Value::Input(self.random.below(self.call.inputs.len()));
        }
        let (shape, dtype, content) = self.scene.tensor(name, self.random);
        let strides = layout(&shape, self.random);
        let shape = shape.into_iter().map(Size::Known).collect();
        self.call.inputs.push(Input { dtype, shape, strides, content });
        Value::Input(self.call.inputs.len() - 1)
    }
}

fn float(random: &mut Random, name: &str) -> String {
    let small = name.contains("eps") || name == "momentum" || name.contains("dropout");
    let value: f64 = match random.below(12) {
        0 => random.of(&[0.0, -0.0, 1.0, 2.0]),
        1 if random.once_in(4) => {
            random.of(&[f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e38, -1e300, 1e-40, 300.0, 70000.0])
        }
        // The root of a norm with a tiny exponent makes roundings as many times as large.
        _ if name == "p" => random.of(&[0.0, 0.1, 0.5]),
        _ if small => random.of(&[0.0, 1e-5, 0.1, 0.5]),
        _ => random.within(-24, 25) as f64 / 8.0,
    };
    litz::types::float_text(value)
}

/// Strides that are not the dense ones, sometimes: permuted, with gaps, broadcast.
fn layout(shape: &[i64], random: &mut Random) -> Option<Vec<i64>> {
    if shape.is_empty() || !random.once_in(5) {
        return None;
    }
    let rank = shape.len();
    match random.below(4) {
        0 | 1 => {
            // Another order of the dimensions.
            let mut order: Vec<usize> = (0..rank).collect();
            for k in (1..rank).rev() {
                order.swap(k, random.below(k + 1));
            }
            let permuted: Vec<i64> = order.iter().map(|k| shape[*k]).collect();
            let inner = dense(&permuted);
            let mut strides = vec![0; rank];
            for (place, k) in order.into_iter().enumerate() {
                strides[k] = inner[place];
            }
            Some(strides)
        }
        2 => Some(dense(shape).into_iter().map(|s| 2 * s).collect()),
        _ => {
            let mut strides = dense(shape);
            strides[random.below(rank)] = 0;
            Some(strides)
        }
    }
}

/// Turns some sizes into symbols, and arguments equal to them.
fn make_symbolic(call: &mut Call, random: &mut Random) {
    let shared = random.once_in(2);
    for k in 0..call.inputs.len() {
        // Strides stay as they are, so that a larger size would make elements meet.
        let strided = call.inputs[k].strides.is_some();
        if strided && !random.once_in(3) {
            continue;
        }
        for d in 0..call.inputs[k].shape.len() {
            let Size::Known(size) = call.inputs[k].shape[d] else { continue };
            if !(0..=MOST).contains(&size) || random.once_in(3) {
                continue;
            }
            let same = |s: &Symbol| s.value == size;
            let known = call.symbols.iter().position(same).filter(|_| shared && !random.once_in(4));
            let symbol = known.unwrap_or_else(|| {
                let least = random.of(&[0, 0, 1, 2]).min(size);
                let most = random.of(&[MOST, MOST, MOST, MOST, i64::MAX, size, 1]).max(size);
                call.symbols.push(Symbol { least, most, value: size });
                call.symbols.len() - 1
            });
            if strided {
                call.symbols[symbol].most = size;
            }
            call.inputs[k].shape[d] = Size::Symbol(symbol);
        }
    }
    let symbols = call.symbols.clone();
    for (_, value) in &mut call.args {
        symbolic_value(value, &symbols, random);
    }
}

fn symbolic_value(value: &mut Value, symbols: &[Symbol], random: &mut Random) {
    match value {
        Value::List(items) => items.iter_mut().for_each(|v| symbolic_value(v, symbols, random)),
        Value::Int(size) => {
            let Size::Known(n) = *size else { return };
            if let Some(k) = symbols.iter().position(|s| s.value == n && n > 1)
                && random.once_in(2)
            {
                *size = Size::Symbol(k);
            }
        }
        _ => {}
    }
}

impl Call {
    /// The same call with other values of the symbols.
    pub fn with(&self, values: &[i64]) -> Call {
        let mut other = self.clone();
        for (symbol, value) in other.symbols.iter_mut().zip(values) {
            symbol.value = *value;
        }
        other
    }
    /// The same call with known sizes.
    pub fn known(&self) -> Call {
        let mut other = self.clone();
        let known = |size: &mut Size| *size = Size::Known(self.value_of(*size));
        for input in &mut other.inputs {
            input.shape.iter_mut().for_each(known);
        }
        fn each(value: &mut Value, known: &dyn Fn(&mut Size)) {
            match value {
                Value::Int(size) => known(size),
                Value::List(items) => items.iter_mut().for_each(|v| each(v, known)),
                _ => {}
            }
        }
        other.args.iter_mut().for_each(|(_, value)| each(value, &known));
        other.symbols.clear();
        other
    }
    fn value_of(&self, size: Size) -> i64 {
        match size {
            Size::Known(n) => n,
            Size::Symbol(k) => self.symbols[k].value,
        }
    }

    /// The inputs as data. `None` where they are too many for a test.
    pub fn operands(&self) -> Option<Vec<Operand>> {
        let mut random = Random(self.seed);
        let one = |input: &Input| {
            let shape: Vec<i64> = input.shape.iter().map(|s| self.value_of(*s)).collect();
            let count = shape.iter().try_fold(1i64, |n, d| n.checked_mul(*d))?;
            if !(0..1 << 20).contains(&count) {
                return None;
            }
            let strides = input.strides.clone().unwrap_or_else(|| dense(&shape));
            let bytes = fill(input.dtype, extent(&shape, &strides), input.content, &mut random);
            Some(Operand { dtype: input.dtype, shape, strides, bytes })
        };
        self.inputs.iter().map(one).collect()
    }

    /// The call as a graph.
    pub fn text(&self) -> String {
        text(std::slice::from_ref(self))
    }
}

/// Calls beside each other in one graph.
pub fn text(calls: &[Call]) -> String {
    let mut lines = vec!["graph \"g\" {".to_string()];
    for (k, symbol) in calls.iter().flat_map(|c| &c.symbols).enumerate() {
        let most = if symbol.most == i64::MAX { "inf".into() } else { symbol.most.to_string() };
        lines.push(format!("  symbol s{k} in [{}, {most}]", symbol.least));
    }
    let (mut inputs, mut symbols) = (0, 0);
    let mut starts = Vec::new();
    for call in calls {
        let start = Start { input: inputs, symbol: symbols };
        for input in &call.inputs {
            let sizes: Vec<String> = input.shape.iter().map(|s| start.size(*s)).collect();
            let strides = input.strides.as_ref().map(|s| format!(" strides {s:?}")).unwrap_or_default();
            let (dtype, sizes) = (input.dtype, sizes.join(", "));
            lines.push(format!("  input %{inputs} \"x{inputs}\": {dtype}[{sizes}]{strides}"));
            inputs += 1;
        }
        symbols += call.symbols.len();
        starts.push(start);
    }
    let (first, mut next) = (inputs, inputs);
    for (call, start) in calls.iter().zip(&starts) {
        let names: Vec<String> = (next..next + call.results).map(|r| format!("%{r}")).collect();
        next += call.results;
        let args = call.args.iter().map(|(name, value)| {
            let value = start.value(value);
            name.as_ref().map_or(value.clone(), |name| format!("{name}={value}"))
        });
        let args: Vec<String> = args.collect();
        let equals = if names.is_empty() { "" } else { " = " };
        lines.push(format!("  {}{equals}{}({})", names.join(", "), call.name, args.join(", ")));
    }
    for value in first..next {
        lines.push(format!("  output \"y{}\" = %{value}", value - first));
    }
    lines.push("}\n".into());
    lines.join("\n")
}

/// The first of a call's inputs and symbols in a text.
struct Start {
    input: usize,
    symbol: usize,
}

impl Start {
    fn size(&self, size: Size) -> String {
        match size {
            Size::Known(n) => n.to_string(),
            Size::Symbol(k) => format!("s{}", self.symbol + k),
        }
    }
    fn value(&self, value: &Value) -> String {
        match value {
            Value::Input(k) => format!("%{}", self.input + k),
            Value::Int(size) => self.size(*size),
            Value::List(items) => {
                let items: Vec<String> = items.iter().map(|v| self.value(v)).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Word(word) => word.clone(),
        }
    }
}
