//! Sizes as sympy's `srepr` writes them: `Mul(Integer(2), Symbol('s0', positive=True, integer=True))`.

use super::number::{Number, evaluate};
use super::python::{Expr, parse};
use super::symbols::Symbols;
use crate::types::{SymArena, SymInt};

/// The number that the text stands for. The error says what was not understood.
pub fn number(syms: &SymArena, symbols: &mut Symbols, text: &str) -> Result<Number, String> {
    let expr = parse(text).map_err(|e| format!("the expression `{text}` is not understood: {e}"))?;
    convert(syms, symbols, &expr).map_err(|e| format!("the expression `{text}` is not supported: {e}"))
}

/// [`number`] where an integer must come out.
pub fn size(syms: &SymArena, symbols: &mut Symbols, text: &str) -> Result<SymInt, String> {
    match number(syms, symbols, text)? {
        Number::Int(v) => Ok(v),
        _ => Err(format!("the expression `{text}` is no integer")),
    }
}

fn convert(syms: &SymArena, symbols: &mut Symbols, expr: &Expr) -> Result<Number, String> {
    let (name, args, named) = match expr {
        Expr::Int(v) => return Ok(Number::Int(syms.constant(*v))),
        Expr::Float(v) => return Ok(Number::Float(*v)),
        Expr::Name(n) if n == "true" || n == "false" => {
            return Ok(Number::Bool(syms.constant((n == "true") as i64)));
        }
        Expr::Call(function, args, named) => match &**function {
            Expr::Name(name) => (name.as_str(), args, named),
            _ => return Err("a call of something that has no name".to_string()),
        },
        other => return Err(format!("`srepr` writes no {}", other.kind())),
    };
    match (name, &args[..]) {
        ("Symbol" | "Dummy", [Expr::Str(s)]) => {
            let says = |what| named.iter().any(|(n, v)| n == what && *v == Expr::Name("True".to_string()));
            let least = if says("positive") {
                1
            } else if says("nonnegative") {
                0
            } else {
                i64::MIN
            };
            return Ok(Number::Int(symbols.get(s, least)));
        }
        ("Integer" | "Zero" | "One" | "NegativeOne", _) => {
            return match &args[..] {
                [Expr::Int(v)] => Ok(Number::Int(syms.constant(*v))),
                [] if name == "Zero" => Ok(Number::Int(syms.constant(0))),
                [] if name == "One" => Ok(Number::Int(syms.constant(1))),
                [] if name == "NegativeOne" => Ok(Number::Int(syms.constant(-1))),
                _ => Err(format!("`{name}` must have one integer")),
            };
        }
        ("Float", [Expr::Str(s)]) => {
            return s.parse().map(Number::Float).map_err(|_| format!("`{s}` is no float"));
        }
        ("BooleanTrue" | "BooleanFalse", []) => {
            return Ok(Number::Bool(syms.constant((name == "BooleanTrue") as i64)));
        }
        _ => {}
    }
    let args: Vec<Number> = args.iter().map(|a| convert(syms, symbols, a)).collect::<Result<_, _>>()?;
    let fold = |operator: &str| {
        let mut rest = args.iter().copied();
        let first = rest.next().ok_or_else(|| format!("`{name}` has no arguments"))?;
        rest.try_fold(first, |a, b| evaluate(syms, operator, &[a, b]))
    };
    match (name, &args[..]) {
        ("Add", _) => fold("add"),
        ("Mul", _) => fold("mul"),
        ("Max", _) => fold("max"),
        ("Min", _) => fold("min"),
        ("And", _) => fold("and"),
        ("Or", _) => fold("or"),
        ("Not", _) => evaluate(syms, "not", &args),
        ("Pow" | "PowByNatural" | "FloatPow", _) => evaluate(syms, "pow", &args),
        ("FloorDiv" | "CleanDiv", _) => evaluate(syms, "floordiv", &args),
        ("CeilDiv", [a, b]) => {
            let down = evaluate(syms, "floordiv", &[evaluate(syms, "neg", &[*a])?, *b])?;
            evaluate(syms, "neg", &[down])
        }
        ("Mod" | "PythonMod", _) => evaluate(syms, "mod", &args),
        ("ModularIndexing", [a, b, c]) => {
            let divided = evaluate(syms, "floordiv", &[*a, *b])?;
            evaluate(syms, "mod", &[divided, *c])
        }
        ("IntTrueDiv" | "FloatTrueDiv", _) => evaluate(syms, "truediv", &args),
        ("Where", _) => evaluate(syms, "ite", &args),
        ("Equality" | "Eq", _) => evaluate(syms, "eq", &args),
        ("Unequality" | "Ne", _) => evaluate(syms, "ne", &args),
        ("StrictLessThan", _) => evaluate(syms, "lt", &args),
        ("LessThan", _) => evaluate(syms, "le", &args),
        ("StrictGreaterThan", _) => evaluate(syms, "gt", &args),
        ("GreaterThan", _) => evaluate(syms, "ge", &args),
        ("ToFloat", _) => evaluate(syms, "float", &args),
        ("TruncToInt", _) => evaluate(syms, "trunc", &args),
        ("FloorToInt" | "floor", _) => evaluate(syms, "floor", &args),
        ("CeilToInt" | "ceiling", _) => evaluate(syms, "ceil", &args),
        ("RoundToInt", _) => evaluate(syms, "round", &args),
        ("Abs", _) => evaluate(syms, "abs", &args),
        ("Identity", [a]) => Ok(*a),
        _ => Err(format!("`{name}` with {} arguments is not known", args.len())),
    }
}
