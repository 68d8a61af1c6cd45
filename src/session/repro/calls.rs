//! A graph as calls of `litz_ops.h`.
//!
//! Deliberately absent: graphs with branches and loops, operators of the compiler's own, conditions of an archive, or storages
//! that constants share. The error says which of these the graph has.

use crate::base::HashMap;
use crate::ir::text::print;
use crate::ir::{Arg, Graph, Node, Number, OutputValue, Value};
use crate::meta::text::parse_with;
use crate::ops::{ArgBase, SchemaArg};
use crate::types::dlpack::{DLDataType, DLDevice};
use crate::types::{DeviceKind, SymInt, SymNode, SymbolId};
use std::fmt::Write;

/// What the calls of a graph use, each with the words that such a call holds: a careful compiler refuses what nobody uses.
const HELPERS: [(&str, &str); 3] =
    [(" stored(", STORED), (" = input(g, ", INPUT), (" = constant(g, ", CONSTANT)];

const STORED: &str = r#"/* So many bytes of constants.bin. */
static void *stored(long at, size_t bytes) {
    FILE *file = fopen("constants.bin", "rb");
    void *data = malloc(bytes + 1);
    if (!file || !data || fseek(file, at, SEEK_SET) || fread(data, 1, bytes, file) != bytes) {
        puts("constants.bin is not there, or too short");
        exit(1);
    }
    fclose(file);
    return data;
}

"#;

const INPUT: &str = r#"static litz_value input(litz_graph *g, const char *name, DLDataType dtype, int32_t ndim, const int64_t *shape,
                        const litz_value *symbols, const int64_t *strides) {
    litz_value value = 0;
    litz_tensor_spec spec;
    memset(&spec, 0, sizeof spec);
    spec.struct_size = sizeof spec;
    spec.dtype = dtype;
    spec.device.device_type = kDLCPU;
    spec.ndim = ndim;
    spec.shape = shape;
    spec.symbols = symbols;
    spec.strides = strides;
    MUST(litz_graph_input(g, name, &spec, &value, &err));
    return value;
}

"#;

const CONSTANT: &str = r#"static litz_value constant(litz_graph *g, const char *name, int32_t kind, DLDataType dtype, int32_t ndim, int64_t *shape,
                           const void *data) {
    litz_value value = 0;
    DLTensor tensor;
    memset(&tensor, 0, sizeof tensor);
    tensor.data = (void *)data;
    tensor.device.device_type = kDLCPU;
    tensor.ndim = ndim;
    tensor.dtype = dtype;
    tensor.shape = shape;
    MUST(litz_graph_constant(g, name, kind, 0, &tensor, &value, &err));
    return value;
}

"#;

/// The error says why the calls cannot build the graph.
type Outcome<T> = Result<T, String>;

struct Builder<'g> {
    graph: &'g Graph,
    out: String,
    symbols: HashMap<SymbolId, String>,
    /// The variables of expressions of symbols.
    sizes: HashMap<SymInt, String>,
    values: HashMap<Value, String>,
    temporaries: usize,
}

/// The C function `build`, for a graph whose text, as the folder has it, is `text`.
pub fn build(graph: &Graph, text: &str) -> Result<String, String> {
    Builder::build(graph, text)
}

impl Builder<'_> {
    fn build(graph: &Graph, text: &str) -> Outcome<String> {
        let mut builder = Builder {
            graph,
            out: String::new(),
            symbols: HashMap::default(),
            sizes: HashMap::default(),
            values: HashMap::default(),
            temporaries: 0,
        };
        builder.check()?;
        let name = c_string(&graph.name);
        builder.line(format!("MUST(litz_graph_new({name}, o, &g, &err));"));
        builder.symbols();
        builder.inputs()?;
        builder.constants(text)?;
        for id in &graph.order {
            builder.node(&graph.nodes[*id])?;
        }
        builder.outputs()?;
        let helpers: String =
            HELPERS.iter().filter(|(call, _)| builder.out.contains(call)).map(|(_, text)| *text).collect();
        Ok(format!(
            "{helpers}static litz_graph *build(litz_graph *saved, const litz_options *o) {{\n    litz_graph *g = NULL;\n    (void)saved;\n{}    return g;\n}}\n",
            builder.out
        ))
    }

    fn line(&mut self, text: String) {
        let _ = writeln!(self.out, "    {text}");
    }
    fn fresh(&mut self) -> String {
        self.temporaries += 1;
        format!("t{}", self.temporaries)
    }

    /// Refuses graphs that the calls cannot build.
    fn check(&self) -> Outcome<()> {
        let graph = self.graph;
        if !graph.writes.is_empty() {
            return Err("it says what an exported module writes back".into());
        }
        if graph.constants.iter().any(|c| !c.views.is_empty() || !c.aliases.is_empty()) {
            return Err("constants share a storage".into());
        }
        // Conditions that the calls ask by themselves are those of the same graph without any.
        let mut plain = graph.clone();
        plain.guards.clear();
        let again = parse_with(&print(&plain), &graph.operators).map_err(|e| e.to_string())?;
        if print(&again) != print(graph) {
            return Err("it has conditions on sizes that come from elsewhere".into());
        }
        Ok(())
    }

    fn symbols(&mut self) {
        let syms = &self.graph.syms;
        for symbol in self.graph.symbols.clone() {
            // A number that is given at run time is declared where it is an input.
            if self.graph.inputs.iter().any(|i| i.symbol == Some(symbol)) {
                continue;
            }
            let Some(id) = syms.as_symbol(symbol) else { continue };
            let (name, range, id_name) = (syms.symbol_name(id), syms.symbol_range(id), self.fresh());
            let max = if range.max == i64::MAX { -1 } else { range.max };
            let hint = syms.symbol_hint(id).unwrap_or(-1);
            self.line(format!("litz_value {id_name} = 0;"));
            self.line(format!(
                "MUST(litz_graph_symbol(g, {}, {}, {}, {}, &{id_name}, &err));",
                c_string(&name),
                c_int(range.min.max(0)),
                c_int(max),
                c_int(hint)
            ));
            self.symbols.insert(id, id_name);
        }
    }

    fn inputs(&mut self) -> Outcome<()> {
        let (graph, syms) = (self.graph, &self.graph.syms);
        for input in &graph.inputs {
            let (meta, name) = (graph.meta(input.value), self.fresh());
            if let Some(symbol) = input.symbol {
                let id = syms.as_symbol(symbol).filter(|id| !self.symbols.contains_key(id));
                let id = id.ok_or("a number given at run time is no symbol of its own")?;
                let range = syms.symbol_range(id);
                self.line(format!("litz_value {name} = 0;"));
                self.line(format!(
                    "MUST(litz_graph_scalar_input(g, {}, {}, {}, {}, &{name}, &err));",
                    c_string(&input.name),
                    meta.dtype.number(),
                    c_int(range.min),
                    c_int(range.max)
                ));
                self.symbols.insert(id, name.clone());
                self.values.insert(input.value, name);
                continue;
            }
            let plain = crate::types::contiguous_strides(syms, &meta.shape);
            let strides = match syms.as_consts(&meta.strides) {
                _ if meta.strides == plain => "NULL".to_string(),
                Some(list) => ints(&list),
                None => return Err(format!("the strides of input `{}` depend on sizes", input.name)),
            };
            if syms.as_const(meta.offset) != Some(0) {
                return Err(format!("input `{}` begins within its memory", input.name));
            }
            let (shape, symbols) = self.sizes(&meta.shape)?;
            self.line(format!(
                "litz_value {name} = input(g, {}, {}, {}, {shape}, {symbols}, {strides}); (void){name};",
                c_string(&input.name),
                dl(meta.dtype.into()),
                meta.rank()
            ));
            self.values.insert(input.value, name);
        }
        Ok(())
    }

    /// Constants in the words of the folder's text: small ones stand there, others at a place of the file.
    fn constants(&mut self, text: &str) -> Outcome<()> {
        let graph = self.graph;
        let places = stored_places(text);
        for constant in &graph.constants {
            let (meta, name) = (graph.meta(constant.value), self.fresh());
            let shape = graph.syms.as_consts(&meta.shape).ok_or("a constant's sizes are not known")?;
            if meta.strides != crate::types::contiguous_strides(&graph.syms, &meta.shape) {
                return Err(format!("constant `{}` has strides that its data do not have", constant.name));
            }
            let bytes = constant.data.bytes();
            let data = match places.get(&constant.name) {
                Some(at) => format!("stored({at}, {})", bytes.len()),
                None => {
                    let list: Vec<String> = bytes.iter().map(u8::to_string).collect();
                    format!(
                        "(const unsigned char[]){{{}}}",
                        if list.is_empty() { "0".into() } else { list.join(", ") }
                    )
                }
            };
            self.line(format!(
                "litz_value {name} = constant(g, {}, {}, {}, {}, {}, {data}); (void){name};",
                c_string(&constant.name),
                constant.kind as i32,
                dl(meta.dtype.into()),
                shape.len(),
                ints(&shape)
            ));
            self.values.insert(constant.value, name);
        }
        Ok(())
    }

    fn node(&mut self, node: &Node) -> Outcome<()> {
        let op = node.called_name();
        if !op.starts_with("aten.") {
            return Err(format!("it holds `{op}`, for which there is no function"));
        }
        let schema = node.op.schema();
        let mut given = vec!["g".to_string()];
        for (arg, want) in node.args.iter().zip(&schema.args) {
            if want.ty.base != ArgBase::Generator {
                given.push(self.argument(arg, want, node.op.schema_text(), &op)?);
            }
        }
        let list = schema.returns.iter().any(|r| r.list);
        let names: Vec<String> = node.outputs.iter().map(|_| self.fresh()).collect();
        let (base, overload) =
            op["aten.".len()..].rsplit_once('.').unwrap_or((&op["aten.".len()..], "default"));
        let function = match overload {
            "default" => format!("litz_aten_{base}"),
            overload => format!("litz_aten_{base}_{overload}"),
        };
        match &names[..] {
            _ if list || schema.returns.len() > 1 => {
                let outs = self.fresh();
                self.line(format!("litz_value {outs}[{}];", names.len().max(1)));
                given.push(outs.clone());
                if list {
                    given.extend([names.len().to_string(), "NULL".to_string()]);
                }
                self.line(format!("{function}({});", given.join(", ")));
                for (k, name) in names.iter().enumerate() {
                    self.line(format!("litz_value {name} = {outs}[{k}]; (void){name};"));
                }
            }
            [] => self.line(format!("{function}({});", given.join(", "))),
            [name, ..] => {
                self.line(format!("litz_value {name} = {function}({}); (void){name};", given.join(", ")))
            }
        }
        for (value, name) in node.outputs.iter().zip(names) {
            self.values.insert(*value, name);
        }
        Ok(())
    }

    /// An argument as the function's parameter takes it.
    fn argument(&mut self, arg: &Arg, want: &SchemaArg, schema: &str, op: &str) -> Outcome<String> {
        let symbolic = want.ty.base == ArgBase::Int
            && schema.split([',', '(']).any(|part| {
                let declared = part.trim().split(['=', ')']).next().unwrap_or_default();
                declared.starts_with("SymInt") && declared.ends_with(&format!(" {}", want.name))
            });
        let scalar = !want.ty.list
            && match want.ty.base {
                ArgBase::Scalar => true,
                ArgBase::Int => symbolic || want.ty.optional,
                ArgBase::Float | ArgBase::Bool => want.ty.optional,
                _ => false,
            };
        let unsaid = || format!("`{op}` is given {} as `{}`", arg.kind(), want.name);
        Ok(match (arg, want.ty.base) {
            (Arg::None, ArgBase::Tensor) if want.ty.list => "NULL, 0".into(),
            (Arg::None, ArgBase::Tensor) => "0".into(),
            (Arg::None, _) if scalar => "litz_scalar_default()".into(),
            (Arg::None, ArgBase::Int | ArgBase::Scalar) if want.ty.list => "litz_ints_default()".into(),
            (Arg::None, ArgBase::Float | ArgBase::Bool) if want.ty.list => "NULL, 0".into(),
            (Arg::None, ArgBase::Str) => "NULL".into(),
            (Arg::None, ArgBase::Dtype | ArgBase::Layout | ArgBase::MemoryFormat) => "0".into(),
            (Arg::None, ArgBase::Device) => "(DLDevice){(DLDeviceType)0, 0}".into(),
            (Arg::Value(v), ArgBase::Tensor) => self.value(*v)?,
            (Arg::Values(list), ArgBase::Tensor) => {
                let values: Outcome<Vec<String>> =
                    list.iter().map(|v| v.map_or(Ok("0".into()), |v| self.value(v))).collect();
                let values = values?;
                match values.len() {
                    0 => "(const litz_value[]){0}, 0".into(),
                    n => format!("(const litz_value[]){{{}}}, {n}", values.join(", ")),
                }
            }
            (Arg::Int(v), ArgBase::Int | ArgBase::Scalar) if scalar => self.scalar(*v)?,
            (Arg::Int(v), ArgBase::Int) => c_int(self.graph.syms.as_const(*v).ok_or_else(unsaid)?),
            (Arg::Ints(list), ArgBase::Int | ArgBase::Scalar) => {
                let (data, symbols) = self.sizes(list)?;
                match symbols.as_str() {
                    "NULL" => format!("litz_ints_of({data}, {})", list.len()),
                    _ => format!("litz_ints_with_symbols({data}, {symbols}, {})", list.len()),
                }
            }
            (Arg::Float(v), _) if scalar => format!("litz_scalar_float({})", c_float(*v)),
            (Arg::Float(v), ArgBase::Float) => c_float(*v),
            (Arg::Bool(v), _) if scalar => format!("litz_scalar_bool({})", i32::from(*v)),
            (Arg::Bool(v), ArgBase::Bool) => i32::from(*v).to_string(),
            (Arg::Floats(list), ArgBase::Float) => {
                let values: Vec<String> = list.iter().map(|v| c_float(*v)).collect();
                let shown = if values.is_empty() { "0".into() } else { values.join(", ") };
                format!("(const double[]){{{shown}}}, {}", list.len())
            }
            (Arg::Bools(list), ArgBase::Bool) => {
                let values: Vec<i64> = list.iter().map(|v| i64::from(*v)).collect();
                format!("{}, {}", ints(&values), list.len())
            }
            (Arg::Str(s), ArgBase::Str) => c_string(s),
            (Arg::Dtype(d), ArgBase::Dtype) => d.number().to_string(),
            (Arg::Layout(_), ArgBase::Layout) => "LITZ_LAYOUT_STRIDED".into(),
            (Arg::MemoryFormat(m), ArgBase::MemoryFormat) => (*m as i32).to_string(),
            (Arg::Device(d), ArgBase::Device) => {
                let kind = match d.kind {
                    DeviceKind::Cpu => DLDevice::CPU.device_type,
                    DeviceKind::Cuda => DLDevice::CUDA_TYPE,
                };
                format!("(DLDevice){{(DLDeviceType){kind}, {}}}", d.index)
            }
            _ => return Err(unsaid()),
        })
    }

    fn value(&self, value: Value) -> Outcome<String> {
        self.values.get(&value).cloned().ok_or_else(|| "a value is used before it is made".into())
    }

    /// An integer that may be a symbol.
    fn scalar(&mut self, size: SymInt) -> Outcome<String> {
        Ok(match self.graph.syms.as_const(size) {
            Some(v) => format!("litz_scalar_int({})", c_int(v)),
            None => format!("litz_scalar_symbol({})", self.size(size)?),
        })
    }

    /// The variable that holds an expression of symbols.
    fn size(&mut self, size: SymInt) -> Outcome<String> {
        let syms = self.graph.syms.clone();
        let unsaid = || format!("a size is {}", syms.display(size));
        if let Some(name) = self.sizes.get(&size) {
            return Ok(name.clone());
        }
        let (word, list): (&str, Vec<SymInt>) = match syms.node(size) {
            SymNode::Symbol(id) => return self.symbols.get(&id).cloned().ok_or_else(unsaid),
            SymNode::Add(list) => ("add", list.to_vec()),
            SymNode::Mul(list) => ("mul", list.to_vec()),
            SymNode::FloorDiv(a, b) => ("floordiv", vec![a, b]),
            SymNode::Mod(a, b) => ("mod", vec![a, b]),
            SymNode::Min(a, b) => ("min", vec![a, b]),
            SymNode::Max(a, b) => ("max", vec![a, b]),
            _ => return Err(unsaid()),
        };
        let mut result = self.scalar(list[0])?;
        let mut name = String::new();
        for operand in &list[1..] {
            let operand = self.scalar(*operand)?;
            name = self.fresh();
            self.line(format!("litz_value {name} = litz_sym(g, \"sym.{word}\", {result}, {operand});"));
            result = format!("litz_scalar_symbol({name})");
        }
        self.sizes.insert(size, name.clone());
        Ok(name)
    }

    /// A list of sizes, and of the symbols among them or NULL.
    fn sizes(&mut self, list: &[SymInt]) -> Outcome<(String, String)> {
        let syms = self.graph.syms.clone();
        let known: Vec<i64> = list.iter().map(|s| syms.as_const(*s).unwrap_or(0)).collect();
        if list.iter().all(|s| syms.as_const(*s).is_some()) {
            return Ok((ints(&known), "NULL".into()));
        }
        let mut symbols = Vec::with_capacity(list.len());
        for size in list {
            symbols.push(match syms.as_const(*size) {
                Some(_) => "0".to_string(),
                None => self.size(*size)?,
            });
        }
        Ok((ints(&known), format!("(const litz_value[]){{{}}}", symbols.join(", "))))
    }

    fn outputs(&mut self) -> Outcome<()> {
        for output in &self.graph.outputs {
            let value = match output.value {
                OutputValue::Tensor(value) => self.value(value)?,
                OutputValue::Number(Number::Symbolic(size)) => self.size(size)?,
                OutputValue::Number(_) => return Err(format!("output `{}` is a fixed number", output.name)),
            };
            self.line(format!("MUST(litz_graph_output(g, {}, {value}, &err));", c_string(&output.name)));
        }
        Ok(())
    }
}

/// Where the text says that each constant lies, by name.
fn stored_places(text: &str) -> HashMap<String, usize> {
    let one = |line: &str| -> Option<(String, usize)> {
        let (head, place) = line.rsplit_once(" = stored ")?;
        let name = head.trim_start().split_once('"')?.1;
        Some((name.split_once('"')?.0.to_string(), place.trim().parse().ok()?))
    };
    text.lines().filter(|l| l.starts_with("  ") && !l.starts_with("   ")).filter_map(one).collect()
}

fn c_int(v: i64) -> String {
    if v == i64::MIN { "INT64_MIN".into() } else { format!("INT64_C({v})") }
}

fn c_float(v: f64) -> String {
    match v {
        v if v.is_nan() => "(double)NAN".into(),
        f64::INFINITY => "(double)INFINITY".into(),
        f64::NEG_INFINITY => "-(double)INFINITY".into(),
        v => format!("{v:?}"),
    }
}

fn ints(list: &[i64]) -> String {
    match list {
        [] => "(int64_t[]){0}".into(),
        list => format!("(int64_t[]){{{}}}", list.iter().map(|v| c_int(*v)).collect::<Vec<_>>().join(", ")),
    }
}

fn dl(dtype: DLDataType) -> String {
    format!("(DLDataType){{{}, {}, {}}}", dtype.code, dtype.bits, dtype.lanes)
}

/// A string literal of C.
fn c_string(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | b'?' => out.extend(['\\', byte as char]),
            0x20..=0x7e => out.push(byte as char),
            other => {
                let _ = write!(out, "\\{other:03o}");
            }
        }
    }
    out.push('"');
    out
}
