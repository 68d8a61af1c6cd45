//! What a node of the file is given, and the names that its results bind.
//!
//! Every argument is read by [`Reader::entry`], alone or as an element of a list: a name or a number in the file means
//! the same to operators, to operators on numbers and to the operands of regions. What remains are forms that only
//! operators take, such as dtypes and devices.

use super::FrontendError;
use super::error::Result;
use super::json;
use super::number::{self, Number};
use super::program::Reader;
use super::scope::{Entry, Scope, bind, lookup, lookup_number, lookup_tensor};
use crate::ir::{Arg, Value};
use crate::types::{Device, DeviceKind, Layout, MemoryFormat, SymInt};
use serde_json::Value as Json;

/// One argument as the file gives it; the name is empty for a positional one.
pub struct Given<'a> {
    pub name: &'a str,
    pub tag: &'a str,
    pub value: &'a Json,
}

/// A node being read.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    pub given: &'a [Given<'a>],
    pub outputs: &'a [Json],
    /// Where in the file it stands, for errors.
    pub place: &'a str,
}

impl<'a> Given<'a> {
    /// The arguments of a node.
    pub fn of(node: &'a Json, place: &str) -> Result<Vec<Given<'a>>> {
        let inputs = json::list(json::field(node, "inputs", place)?, place)?.iter().map(|input| {
            let name = json::string(json::field(input, "name", place)?, place)?;
            let (tag, value) = json::tagged(json::field(input, "arg", place)?, place)?;
            Ok(Given { name, tag, value })
        });
        inputs.collect()
    }

    /// The elements of a list, each with its kind, or the argument itself.
    fn elements(&self) -> Result<Vec<(&'a str, &'a Json)>> {
        elements(self.tag, self.value)
    }
}

impl<'a> Call<'a> {
    /// The argument of a name, or at a place where it has none.
    pub fn named(&self, name: &str, place: usize) -> Option<&'a Given<'a>> {
        let by_name = self.given.iter().find(|g| g.name == name);
        by_name.or_else(|| self.given.get(place).filter(|g| g.name.is_empty()))
    }

    /// The tensor that is the first argument.
    pub fn tensor(&self, scope: &Scope) -> Result<Value> {
        match self.given.first() {
            Some(Given { tag: "as_tensor", value, .. }) => lookup_tensor(scope, tensor_name(value)?),
            _ => Err(FrontendError::parse("the first argument must be a tensor")),
        }
    }

    /// The first two arguments, which must be tensors.
    pub fn two_tensors(&self, scope: &Scope) -> Result<[Value; 2]> {
        match self.given {
            [Given { tag: "as_tensor", value: a, .. }, Given { tag: "as_tensor", value: b, .. }, ..] => {
                Ok([lookup_tensor(scope, tensor_name(a)?)?, lookup_tensor(scope, tensor_name(b)?)?])
            }
            _ => Err(FrontendError::parse("the first two arguments must be tensors")),
        }
    }

    /// The first argument, or none.
    pub fn first(&self) -> &'a [Given<'a>] {
        &self.given[..self.given.len().min(1)]
    }

    pub fn dimension(&self) -> Result<i64> {
        match self.named("dim", 1) {
            Some(Given { tag: "as_int", value, .. }) => json::integer(value, "dim"),
            _ => Err(FrontendError::parse("the argument `dim` must be an int")),
        }
    }

    /// Binds the one result, a number, with the depth of its calculation.
    pub fn give_number(&self, scope: &mut Scope, number: Number, depth: u32) -> Result<()> {
        let [output] = self.outputs else {
            return Err(FrontendError::parse("an operator on numbers must have one result"));
        };
        match bound_name(output)? {
            Some(name) => bind(scope, name, Entry::Number(number, depth), "outputs"),
            None => Ok(()),
        }
    }

    /// The names that the results bind, lists flattened; `None` where there is none.
    pub fn result_names(&self) -> Result<Vec<Option<&'a str>>> {
        let mut names = Vec::new();
        for (tag, value) in self.results()? {
            names.push(name_of(tag, value)?);
        }
        Ok(names)
    }

    /// The same of an operator, all of whose results are tensors; `None` for one that the program does not use.
    pub fn tensor_names(&self) -> Result<Vec<Option<&'a str>>> {
        for (tag, _) in self.results()? {
            match tag {
                "as_tensor" | "as_none" => {}
                "as_sym_int" | "as_sym_float" | "as_sym_bool" => {
                    return Err(FrontendError::unsupported(
                        "the operator reads a number from a tensor's data, which is not supported",
                    ));
                }
                _ => {
                    return Err(FrontendError::unsupported(format!(
                        "results of kind `{tag}` are not supported"
                    )));
                }
            }
        }
        self.result_names()
    }

    fn results(&self) -> Result<Vec<(&'a str, &'a Json)>> {
        let mut results = Vec::new();
        for output in self.outputs {
            let (tag, value) = json::tagged(output, "an output")?;
            results.extend(elements(tag, value)?);
        }
        Ok(results)
    }
}

impl Reader<'_> {
    /// What an argument that is no list stands for.
    pub fn entry(&self, tag: &str, value: &Json, scope: &Scope) -> Result<Entry> {
        match tag {
            "as_tensor" => lookup(scope, tensor_name(value)?),
            "as_none" => Ok(Entry::Nothing),
            "as_sym_int" | "as_sym_float" | "as_sym_bool" => match json::tagged(value, "a number")? {
                ("as_name", name) => {
                    let (number, depth) = lookup_number(scope, json::string(name, "as_name")?)?;
                    Ok(Entry::Number(number, depth))
                }
                (tag, v) => match self.known_number(tag, v, tag)? {
                    Some(n) => Ok(Entry::Number(n, 0)),
                    None => Err(FrontendError::parse(format!("`{tag}` is no number"))),
                },
            },
            _ => match self.known_number(tag, value, tag)? {
                Some(n) => Ok(Entry::Number(n, 0)),
                None => {
                    Err(FrontendError::unsupported(format!("arguments of kind `{tag}` are not supported")))
                }
            },
        }
    }

    /// What operands stand for, lists flattened.
    pub fn entries(&self, given: &[Given<'_>], scope: &Scope) -> Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for arg in given {
            for (tag, value) in arg.elements()? {
                entries.push(self.entry(tag, value, scope)?);
            }
        }
        Ok(entries)
    }

    /// Binds what a region gives to the names of a node's results.
    pub fn give(&mut self, results: &[Entry], call: Call<'_>, scope: &mut Scope) -> Result<()> {
        let names = call.result_names()?;
        if names.len() != results.len() {
            let (want, have) = (names.len(), results.len());
            return Err(FrontendError::parse(format!("there are {have} results, but the file names {want}")));
        }
        for (entry, name) in results.iter().zip(names) {
            let Some(name) = name else { continue };
            if let Entry::Tensor(v) = *entry {
                self.graph.values[v].name.get_or_insert_with(|| name.to_string());
            }
            bind(scope, name, *entry, call.place)?;
        }
        Ok(())
    }

    /// The arguments of an operator on numbers, lists flattened, and the deepest one's depth.
    pub fn numbers(&self, given: &[Given<'_>], scope: &Scope) -> Result<(Vec<Number>, u32)> {
        let (mut numbers, mut deepest) = (Vec::new(), 0);
        for entry in self.entries(given, scope)? {
            let Entry::Number(number, depth) = entry else {
                return Err(FrontendError::unsupported(
                    "an operator on numbers is given something that is none",
                ));
            };
            numbers.push(number);
            deepest = deepest.max(depth);
        }
        Ok((numbers, deepest))
    }

    /// One argument in the form that coercion to a schema takes.
    pub fn arg(&self, given: &Given<'_>, scope: &Scope) -> Result<Arg> {
        let (value, place) = (given.value, given.tag);
        let syms = &self.graph.syms;
        Ok(match given.tag {
            "as_tensors" | "as_optional_tensors" => Arg::Values(self.each(given, |tag, v| match tag {
                "as_none" => Ok(None),
                _ => lookup_tensor(scope, tensor_name(v)?).map(Some),
            })?),
            "as_ints" | "as_sym_ints" => {
                Arg::Ints(self.each(given, |tag, v| self.integer(self.entry(tag, v, scope)?))?)
            }
            "as_floats" | "as_sym_floats" => {
                Arg::Floats(self.each(given, |tag, v| match self.entry_arg(self.entry(tag, v, scope)?)? {
                    Arg::Float(v) => Ok(v),
                    Arg::Int(v) if syms.as_const(v).is_some() => Ok(syms.as_const(v).unwrap_or(0) as f64),
                    _ => Err(FrontendError::unsupported("a symbolic number stands where a float is asked")),
                })?)
            }
            "as_bools" => Arg::Bools(self.each(given, |_, v| json::boolean(v, place))?),
            "as_complex" => {
                let part = |name: &str| json::float(json::field(value, name, place)?, place);
                Arg::Complex([part("real")?, part("imag")?])
            }
            "as_string" => Arg::Str(json::string(value, place)?.to_string()),
            "as_scalar_type" => Arg::Dtype(super::weights::read_dtype(value, place)?),
            "as_memory_format" => {
                let number = json::integer(value, place)?;
                let format = MemoryFormat::from_number(number);
                Arg::MemoryFormat(format.ok_or_else(|| {
                    FrontendError::unsupported(format!("memory format number {number} is not known"))
                })?)
            }
            "as_layout" => match json::integer(value, place)? {
                7 => Arg::Layout(Layout::Strided),
                other => {
                    return Err(FrontendError::unsupported(format!("layout number {other} is not dense")));
                }
            },
            "as_device" => {
                let kind = match json::string(json::field(value, "type", place)?, place)? {
                    "cuda" => DeviceKind::Cuda,
                    "meta" => {
                        return Err(FrontendError::unsupported("tensors on the device `meta` have no data"));
                    }
                    // Every device is replaced by the backend's.
                    _ => DeviceKind::Cpu,
                };
                let index = json::optional(value, "index").and_then(Json::as_i64).unwrap_or(0);
                Arg::Device(Device { kind, index: index as i32 })
            }
            "as_optional_tensor" => {
                let (tag, value) = json::tagged(value, "an optional tensor")?;
                self.entry_arg(self.entry(tag, value, scope)?)?
            }
            tag => self.entry_arg(self.entry(tag, value, scope)?)?,
        })
    }

    fn each<T>(&self, given: &Given<'_>, read: impl Fn(&str, &Json) -> Result<T>) -> Result<Vec<T>> {
        given.elements()?.into_iter().map(|(tag, value)| read(tag, value)).collect()
    }

    fn entry_arg(&self, entry: Entry) -> Result<Arg> {
        match entry {
            Entry::Tensor(v) => Ok(Arg::Value(v)),
            Entry::Number(n, _) => self.number_arg(n),
            Entry::Nothing => Ok(Arg::None),
        }
    }

    /// A number as an operator's argument.
    fn number_arg(&self, number: Number) -> Result<Arg> {
        let syms = &self.graph.syms;
        match number {
            Number::Int(v) => Ok(Arg::Int(v)),
            Number::Float(v) => Ok(Arg::Float(v)),
            Number::Bool(v) => match syms.as_const(v) {
                Some(c) => Ok(Arg::Bool(c != 0)),
                None => Err(FrontendError::unsupported(format!(
                    "the symbolic bool {} as an operator's argument is not supported",
                    number::text(syms, number)
                ))),
            },
            Number::Quotient(..) | Number::Bits(_) => Ok(Arg::SymFloat(number::float_bits(syms, number))),
        }
    }

    fn integer(&self, entry: Entry) -> Result<SymInt> {
        match entry {
            Entry::Number(Number::Int(v) | Number::Bool(v), _) => Ok(v),
            Entry::Number(n, _) => Err(FrontendError::unsupported(format!(
                "{} stands where an integer is asked",
                number::text(&self.graph.syms, n)
            ))),
            _ => Err(FrontendError::parse("a tensor stands where an integer is asked")),
        }
    }
}

/// The elements of a list, each with its kind, or what is no list itself.
fn elements<'a>(tag: &'a str, value: &'a Json) -> Result<Vec<(&'a str, &'a Json)>> {
    match tag {
        "as_tensors" | "as_ints" | "as_floats" | "as_bools" | "as_sym_ints" | "as_sym_floats"
        | "as_sym_bools" => {
            let one = &tag[..tag.len() - 1];
            Ok(json::list(value, tag)?.iter().map(|v| (one, v)).collect())
        }
        "as_optional_tensors" => json::list(value, tag)?.iter().map(|v| json::tagged(v, tag)).collect(),
        "as_optional_tensor" => Ok(vec![json::tagged(value, tag)?]),
        _ => Ok(vec![(tag, value)]),
    }
}

pub fn tensor_name(value: &Json) -> Result<&str> {
    json::string(json::field(value, "name", "as_tensor")?, "as_tensor.name")
}

/// The name that an argument of any kind binds, when it binds one.
pub fn bound_name(value: &Json) -> Result<Option<&str>> {
    let (tag, value) = json::tagged(value, "an argument")?;
    name_of(tag, value)
}

fn name_of<'a>(tag: &str, value: &'a Json) -> Result<Option<&'a str>> {
    match tag {
        "as_tensor" => tensor_name(value).map(Some),
        "as_sym_int" | "as_sym_float" | "as_sym_bool" => Ok(value.get("as_name").and_then(Json::as_str)),
        _ => Ok(None),
    }
}
