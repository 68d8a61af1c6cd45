//! `guards_code`: Python conditions on the inputs, the only trace that an `if` on sizes leaves in a program. They
//! become guards that each run checks; a form that is not understood is refused, for it may decide a branch.

use super::FrontendError;
use super::error::Result;
use super::json;
use super::number::{self, Number, evaluate};
use super::program::{Reader, Source, UserInput};
use super::python::{Expr, parse};
use super::scope::Entry;
use serde_json::Value as Json;

/// Adds the program's guards.
pub fn add(reader: &mut Reader<'_>, guards: Option<&Json>, user: &[UserInput]) -> Result<()> {
    let Some(guards) = guards else { return Ok(()) };
    let names = Names { paths: reader.call.guard_paths(), user };
    for guard in json::list(guards, "guards_code")? {
        let text = json::string(guard, "guards_code")?;
        let refuse = |e: String| {
            FrontendError::unsupported(format!("the guard `{text}` of the program is not understood: {e}"))
        };
        let expr = parse(text).map_err(refuse)?;
        let number = convert(reader, &names, &expr).map_err(refuse)?;
        let condition = number::truth(&reader.graph.syms, number).map_err(refuse)?;
        reader.require(
            condition,
            format!("the sizes given violate the program's guard `{}`", readable(text)),
        )?;
    }
    Ok(())
}

/// Ranges of expressions hold beside those of the symbols in them.
pub fn ranges(reader: &mut Reader<'_>) -> Result<()> {
    let names = Names { paths: Vec::new(), user: &[] };
    for (text, range) in std::mem::take(&mut reader.symbols.expressions) {
        let refuse = |e: String| {
            FrontendError::unsupported(format!("range_constraints.`{text}` is not understood: {e}"))
        };
        let expr = parse(&text).map_err(refuse)?;
        if mentions_unknown(reader, &expr) {
            // A range of sizes that no input has binds nothing.
            continue;
        }
        let size = convert(reader, &names, &expr).map_err(refuse)?;
        let syms = reader.graph.syms.clone();
        for (bound, operator) in [(range.min, "ge"), (range.max, "le")] {
            if bound == i64::MIN || bound == i64::MAX {
                continue;
            }
            let bound = Number::Int(syms.constant(bound));
            let holds = evaluate(&syms, operator, &[size, bound]).map_err(refuse)?;
            let condition = number::truth(&syms, holds).map_err(refuse)?;
            reader.require(condition, format!("{text} must lie in [{}, {}]", range.min, range.max))?;
        }
    }
    Ok(())
}

fn mentions_unknown(reader: &Reader<'_>, expr: &Expr) -> bool {
    match expr {
        Expr::Name(n) => reader.symbols.find(n).is_none(),
        Expr::Unary(_, a) => mentions_unknown(reader, a),
        Expr::Chain(a, rest) | Expr::Compare(a, rest) => {
            mentions_unknown(reader, a) || rest.iter().any(|(_, e)| mentions_unknown(reader, e))
        }
        Expr::Call(_, args, _) => args.iter().any(|e| mentions_unknown(reader, e)),
        _ => false,
    }
}

/// `L['x'].size()[0]` → `x.size()[0]`
fn readable(text: &str) -> String {
    text.replace("L['", "").replace("']", "")
}

/// How guards name inputs.
struct Names<'a> {
    /// The place of each argument: `["d", "x"]` for `L['d']['x']`.
    paths: Vec<Vec<String>>,
    user: &'a [UserInput],
}

impl Names<'_> {
    fn find(&self, path: &[String]) -> Option<Entry> {
        let place = |path: &[String]| self.paths.iter().position(|p| p == path);
        // Arguments of `**kwargs` are keys of a dictionary of that name, which the tree of arguments does not have.
        let at = place(path).or_else(|| place(path.get(1..)?));
        let flat = path.join("_");
        let mut arguments = self.user.iter().filter(|u| matches!(u.leaf, Source::Argument(_)));
        at.and_then(|k| arguments.nth(k))
            .or_else(|| self.user.iter().find(|u| u.name == flat))
            .map(|u| u.entry)
    }
}

type Evaluated = std::result::Result<Number, String>;

fn convert(reader: &Reader<'_>, names: &Names<'_>, expr: &Expr) -> Evaluated {
    let syms = &reader.graph.syms;
    let value = |e: &Expr| convert(reader, names, e);
    match expr {
        Expr::Int(v) => Ok(Number::Int(syms.constant(*v))),
        Expr::Float(v) => Ok(Number::Float(*v)),
        Expr::Name(n) => match n.as_str() {
            "True" => Ok(Number::Bool(syms.constant(1))),
            "False" => Ok(Number::Bool(syms.constant(0))),
            "math.inf" => Ok(Number::Float(f64::INFINITY)),
            _ => match reader.symbols.find(n) {
                Some(v) => Ok(Number::Int(v)),
                None => Err(format!("`{n}` is not known")),
            },
        },
        Expr::Unary(operator, a) => evaluate(syms, operator, &[value(a)?]),
        Expr::Chain(first, rest) => {
            let mut result = value(first)?;
            for (operator, e) in rest {
                let mut operands = [result, value(e)?];
                if matches!(*operator, "and" | "or") {
                    for o in &mut operands {
                        *o = Number::Bool(number::truth(syms, *o)?);
                    }
                }
                result = evaluate(syms, operator, &operands)?;
            }
            Ok(result)
        }
        Expr::Compare(first, rest) => {
            let (mut all, mut left) = (syms.constant(1), value(first)?);
            for (operator, e) in rest {
                let right = value(e)?;
                all = syms.and(all, number::truth(syms, evaluate(syms, operator, &[left, right])?)?);
                left = right;
            }
            Ok(Number::Bool(all))
        }
        Expr::Call(function, args, named) if named.is_empty() => match &**function {
            Expr::Name(name) => {
                let args: Vec<Number> = args.iter().map(value).collect::<std::result::Result<_, _>>()?;
                evaluate(syms, function_name(name)?, &args)
            }
            Expr::Member(of, method) if args.is_empty() && method == "storage_offset" => {
                tensor(names, of).map(|_| Number::Int(syms.constant(0)))
            }
            Expr::Member(of, method) if method == "numel" && args.is_empty() => {
                Ok(Number::Int(reader.graph.meta(tensor(names, of)?).numel(syms)))
            }
            Expr::Member(of, method) if args.len() == 1 => member(reader, names, of, method, &args[0]),
            _ => Err("a call of this form".to_string()),
        },
        Expr::Index(of, index) => match &**of {
            Expr::Call(function, args, named) if args.is_empty() && named.is_empty() => match &**function {
                Expr::Member(of, method) => member(reader, names, of, method, index),
                _ => Err("an index into a call".to_string()),
            },
            Expr::Member(of, field) if field == "shape" => member(reader, names, of, "size", index),
            _ => input_number(names, expr),
        },
        _ => Err("an expression of this form".to_string()),
    }
}

/// `x.size()[k]`, `x.stride()[k]`, and `x.size(k)`.
fn member(reader: &Reader<'_>, names: &Names<'_>, of: &Expr, method: &str, index: &Expr) -> Evaluated {
    let meta = reader.graph.meta(tensor(names, of)?);
    let list = match method {
        "size" => &meta.shape,
        "stride" => &meta.strides,
        _ => return Err(format!("the method `{method}`")),
    };
    match index {
        Expr::Int(k) if (0..list.len() as i64).contains(k) => Ok(Number::Int(list[*k as usize])),
        _ => Err(format!("an index into the {} of a tensor of rank {}", method, list.len())),
    }
}

fn path(expr: &Expr) -> Option<Vec<String>> {
    match expr {
        Expr::Name(n) if n == "L" => Some(Vec::new()),
        Expr::Index(of, key) => {
            let mut found = path(of)?;
            found.push(match &**key {
                Expr::Str(s) => s.clone(),
                Expr::Int(k) => k.to_string(),
                _ => return None,
            });
            Some(found)
        }
        _ => None,
    }
}

fn input(names: &Names<'_>, expr: &Expr) -> std::result::Result<Entry, String> {
    let path = path(expr).ok_or("something that is no input")?;
    names.find(&path).ok_or_else(|| format!("there is no input at L{path:?}"))
}

fn tensor(names: &Names<'_>, expr: &Expr) -> std::result::Result<crate::ir::Value, String> {
    match input(names, expr)? {
        Entry::Tensor(v) => Ok(v),
        _ => Err("the size of an input that is no tensor".to_string()),
    }
}

fn input_number(names: &Names<'_>, expr: &Expr) -> Evaluated {
    match input(names, expr)? {
        Entry::Number(n, _) => Ok(n),
        _ => Err("a tensor or None used as a number".to_string()),
    }
}

/// The operator that a function of a guard is.
fn function_name(name: &str) -> std::result::Result<&str, String> {
    Ok(match name {
        "FloorDiv" | "CleanDiv" => "floordiv",
        "Mod" | "PythonMod" => "mod",
        "Max" | "max" => "max",
        "Min" | "min" => "min",
        "Eq" => "eq",
        "Ne" => "ne",
        "Not" => "not",
        "ToFloat" | "float" => "float",
        "IntTrueDiv" | "FloatTrueDiv" => "truediv",
        "TruncToInt" | "int" => "int",
        "abs" | "Abs" => "abs",
        "round" => "round",
        _ => match name.strip_prefix("torch.").or(name.strip_prefix("math.")) {
            Some(function) => function,
            None => return Err(format!("the function `{name}` is not known")),
        },
    })
}
