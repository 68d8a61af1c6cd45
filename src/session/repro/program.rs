//! The C program that replays a folder: the graph as calls of `litz_ops.h`, then compiling it and one run.
//!
//! Graphs that those calls cannot build (with branches and loops, operators of the compiler's own, conditions of an archive, or
//! storages that constants share) are read from the folder instead, and the program says why.
//!
//! Deliberately absent: running it.

use super::Needs;
use crate::ir::text::{print, quoted};
use crate::ir::{Arg, Graph, Node, Number, OutputValue, Value};
use crate::meta::text::parse_with;
use crate::ops::{ArgBase, SchemaArg};
use crate::types::dlpack::{DLDataType, DLDevice};
use crate::types::{DeviceKind, SymInt, SymNode, SymbolId};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// The one command.
pub const SCRIPT: &str = r#"#!/bin/sh
# Compiles replay.c and runs it in this folder. LITZ_FLAGS: the compiler's flags for Litz, where pkg-config does not know it.
# LITZ_HOST: sources, objects or libraries, by paths from this folder or absolute ones, with the function `register_host`; replay.c
# says what it registers, where the program needs any.
set -e
cd "$(dirname "$0")"
flags=${LITZ_FLAGS-$(pkg-config --cflags --libs litz)}
# shellcheck disable=SC2086
"${CC:-cc}" -std=c11 ${LITZ_HOST:+-DLITZ_HOST} -o replay replay.c ${LITZ_HOST-} $flags
exec ./replay
"#;

const HEAD: &str = r#"#include <litz/litz_ops.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The program ends with the status of the call that failed. */
static void must(litz_status status, litz_error *err, const char *what) {
    if (status == LITZ_OK) return;
    printf("%s gives status %d: %s\n", what, (int)status, litz_error_message(err));
    litz_error_release(err);
    exit((int)status);
}

#define MUST(call)                  \
    do {                            \
        litz_error *err = NULL;     \
        litz_status status_ = call; \
        must(status_, err, #call);  \
    } while (0)

"#;

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

const MAIN: &str = r#"
int main(void) {
    litz_graph *saved = NULL, *g;
    litz_options *o = NULL;
    litz_executable *e = NULL;
    struct DLManagedTensorVersioned **inputs, **outputs;
    const DLTensor **given;
    litz_run_options how = {0};
    size_t n = 0, n_outputs, k;
    /* Random numbers are the same each time; another seed draws others. */
    how.struct_size = sizeof how;
    how.flags = LITZ_RUN_HAS_SEED;
    @READ@
    g = build(saved, o);
    MUST(litz_graph_status(g, &err));
    MUST(litz_compile(g, o, &e, &err));
    n_outputs = litz_executable_num_outputs(e);
    inputs = calloc(litz_executable_num_inputs(e) + 1, sizeof *inputs);
    given = calloc(litz_executable_num_inputs(e) + 1, sizeof *given);
    outputs = calloc(n_outputs + 1, sizeof *outputs);
    if (!inputs || !given || !outputs) return 1;
    MUST(litz_repro_inputs(".", o, inputs, litz_executable_num_inputs(e), &n, &err));
    if (n < litz_executable_num_inputs(e)) {
        puts("compiled; no inputs were kept, so nothing is run");
    } else {
        for (k = 0; k < n; ++k) given[k] = inputs[k] ? &inputs[k]->dl_tensor : NULL;
        MUST(litz_executable_run(e, given, n, outputs, n_outputs, &how, &err));
        for (k = 0; k < n_outputs; ++k) {
            const DLTensor *t = &outputs[k]->dl_tensor;
            int64_t elements = 1, i;
            int32_t d;
            printf("output %zu, of shape [", k);
            for (d = 0; d < t->ndim; ++d) {
                printf("%s%lld", d ? ", " : "", (long long)t->shape[d]);
                elements *= t->shape[d];
            }
            printf("]:");
            for (i = 0; i < elements && i < 8 && t->device.device_type == kDLCPU; ++i) {
                const char *at = (const char *)t->data + t->byte_offset;
                if (t->dtype.code == kDLFloat && t->dtype.bits == 32) printf(" %.9g", (double)((const float *)at)[i]);
                else if (t->dtype.code == kDLFloat && t->dtype.bits == 64) printf(" %.17g", ((const double *)at)[i]);
                else if (t->dtype.code == kDLInt && t->dtype.bits == 64) printf(" %lld", (long long)((const int64_t *)at)[i]);
                else if (t->dtype.bits == 8) printf(" %d", (int)((const unsigned char *)at)[i]);
            }
            puts("");
        }
    }
    for (k = 0; k < n; ++k) litz_tensor_release(inputs[k]);
    for (k = 0; k < n_outputs; ++k) litz_tensor_release(outputs[k]);
    free(inputs);
    free(given);
    free(outputs);
    litz_executable_release(e);
    if (g != saved) litz_graph_release(g);
    litz_graph_release(saved);
    litz_options_release(o);
    @RELEASE@
    return 0;
}
"#;

/// Stands for a function that a host gives.
const NO_HOST: &str = r#"#ifdef LITZ_HOST
litz_status register_host(litz_registry *registry, litz_error **err);
#else
static litz_status register_host(litz_registry *registry, litz_error **err) {
    (void)registry, (void)err;
    puts("LITZ_HOST is not set: this program has nothing of what its host registers");
    return LITZ_OK;
}
#endif

"#;

/// The program for a graph whose text, as the folder has it, is `text`.
pub fn replay(graph: &Graph, text: &str, seeded: bool, needs: &Needs) -> String {
    let head = format!(
        "/* Replays graph {} with its constants, inputs and options as this folder holds them: ./replay.sh. Written by Litz {}. */\n{HEAD}",
        quoted(&graph.name, '"').replace("*/", "* /"),
        env!("CARGO_PKG_VERSION")
    );
    let built = match seeded {
        true => Err("its constants are made of seeds".to_string()),
        false => Builder::build(graph, text),
    };
    let build = match built {
        Ok(calls) => calls,
        Err(why) => format!(
            "/* The graph is read from graph.litz and not built by calls: {why}. */\n\
             static litz_graph *build(litz_graph *saved, const litz_options *o) {{\n    (void)o;\n    return saved;\n}}\n"
        ),
    };
    let host = registration(needs);
    let (read, release) = match needs.is_empty() {
        true => (r#"MUST(litz_graph_from_repro(".", &saved, &o, &err));"#, ""),
        false => (
            "litz_registry *registry = NULL;\n    MUST(litz_registry_new(&registry, &err));\n    \
             MUST(register_host(registry, &err));\n    \
             MUST(litz_graph_from_repro_with(\".\", registry, &saved, &o, &err));",
            "litz_registry_release(registry);",
        ),
    };
    let main = MAIN.replace("@READ@", read).replace(
        "    @RELEASE@\n",
        &match release {
            "" => String::new(),
            call => format!("    {call}\n"),
        },
    );
    format!("{head}{host}{build}{main}")
}

/// What the program needs of a host, and the function that registers it.
fn registration(needs: &Needs) -> String {
    if needs.is_empty() {
        return String::new();
    }
    let list: String = needs.list().iter().map(|what| format!(" *   {}\n", in_comment(what))).collect();
    format!(
        "/* The host that saved this registered, in the registry of its options:\n{list} * `register_host` registers the same, with its functions: give its source, object or library to replay.sh in LITZ_HOST. */\n{NO_HOST}"
    )
}

fn in_comment(text: &str) -> String {
    text.replace("*/", "* /").replace('\n', " ")
}

/// The error says why the calls cannot build the graph.
type Outcome<T> = Result<T, String>;

struct Builder<'g> {
    graph: &'g Graph,
    out: String,
    symbols: FxHashMap<SymbolId, String>,
    /// The variables of expressions of symbols.
    sizes: FxHashMap<SymInt, String>,
    values: FxHashMap<Value, String>,
    temporaries: usize,
}

impl Builder<'_> {
    fn build(graph: &Graph, text: &str) -> Outcome<String> {
        let mut builder = Builder {
            graph,
            out: String::new(),
            symbols: FxHashMap::default(),
            sizes: FxHashMap::default(),
            values: FxHashMap::default(),
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
        let list = matches!(&schema.returns[..], [one] if one.list);
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
fn stored_places(text: &str) -> FxHashMap<String, usize> {
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
