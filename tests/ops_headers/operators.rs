//! The operator table as the generators of C and C++ see it: one entry per name that a graph can be called with,
//! in-place forms included, sorted by name so that a new row changes one place of a header.

use litz::ops::{ArgBase, Default, OpId, SchemaArg};

/// What a C or C++ parameter must be able to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Tensor,
    Tensors,
    /// An integer that is known when the graph is built.
    Int,
    /// An integer that may be a symbol.
    SymInt,
    Ints,
    Float,
    Floats,
    Bool,
    Bools,
    Scalar,
    Str,
    Dtype,
    Layout,
    Device,
    MemoryFormat,
}

#[derive(Clone, Debug)]
pub struct Parameter {
    /// As the schema has it.
    pub name: String,
    pub kind: Kind,
    pub optional: bool,
    pub default: Option<Default>,
    /// For lists: one number given stands for as many.
    pub length: Option<usize>,
}

impl Parameter {
    /// Whether a call may leave it out.
    pub fn omittable(&self) -> bool {
        self.optional || self.default.is_some()
    }
    /// The name as a parameter of C and C++.
    pub fn identifier(&self) -> String {
        identifier(&self.name, "_")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Results {
    None,
    One,
    /// Always as many.
    Fixed(usize),
    /// As many as the arguments say.
    List,
}

#[derive(Clone, Debug)]
pub struct Operator {
    /// `aten.add_.Tensor`, as `litz_graph_call` takes it.
    pub name: String,
    pub parameters: Vec<Parameter>,
    pub results: Results,
    /// `(Tensor self, …) -> Tensor`
    pub schema: &'static str,
}

impl Operator {
    fn part(&self, k: usize) -> &str {
        self.name.splitn(3, '.').nth(k).expect("a name has three parts")
    }
    /// `aten`
    pub fn namespace(&self) -> &str {
        self.part(0)
    }
    /// `add_`
    pub fn base(&self) -> &str {
        self.part(1)
    }
    /// `Tensor`
    pub fn overload(&self) -> &str {
        self.part(2)
    }
    /// `add__Tensor`: the overload `default` is left out.
    pub fn joined(&self) -> String {
        match self.overload() {
            "default" => self.base().to_string(),
            overload => format!("{}_{overload}", self.base()),
        }
    }
}

/// Every operator that a host calls, by name; those of the namespace `litz` are the compiler's own,
/// and what takes graphs is called by its name alone.
pub fn operators() -> Vec<Operator> {
    let mut all = Vec::new();
    let own = |op: &&OpId| ["litz.", "higher_order."].iter().any(|space| op.name().starts_with(space));
    for op in OpId::all().iter().filter(|op| !own(op)) {
        all.push(read(*op, op.name().to_string()));
        if op.row().inplace {
            all.push(read(*op, op.inplace_name()));
        }
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

fn read(op: OpId, name: String) -> Operator {
    let schema = op.schema();
    // Nothing in a graph can stand for a generator of random numbers: its argument is always None.
    let taken = schema.args.iter().filter(|a| a.ty.base != ArgBase::Generator);
    let parameters = taken.map(|arg| parameter(op, arg)).collect();
    let results = match schema.returns.as_slice() {
        [] => Results::None,
        [one] if one.list => Results::List,
        [_] => Results::One,
        // With a list among them their number is not fixed.
        many if many.iter().any(|r| r.list) => Results::List,
        many => Results::Fixed(many.len()),
    };
    Operator { name, parameters, results, schema: op.schema_text() }
}

fn parameter(op: OpId, arg: &SchemaArg) -> Parameter {
    let symbolic = op.schema_text().split([',', '(']).any(|part| {
        let part = part.trim();
        let declared = part.split(['=', ')']).next().unwrap_or_default();
        part.starts_with("SymInt") && declared.ends_with(&format!(" {}", arg.name))
    });
    let kind = match (arg.ty.base, arg.ty.list) {
        (ArgBase::Tensor, false) => Kind::Tensor,
        (ArgBase::Tensor, true) => Kind::Tensors,
        (ArgBase::Int, false) if symbolic => Kind::SymInt,
        (ArgBase::Int, false) => Kind::Int,
        (ArgBase::Int, true) => Kind::Ints,
        (ArgBase::Float, false) => Kind::Float,
        (ArgBase::Float, true) => Kind::Floats,
        (ArgBase::Bool, false) => Kind::Bool,
        (ArgBase::Bool, true) => Kind::Bools,
        (ArgBase::Scalar, false) => Kind::Scalar,
        (ArgBase::Str, false) => Kind::Str,
        (ArgBase::Dtype, false) => Kind::Dtype,
        (ArgBase::Layout, false) => Kind::Layout,
        (ArgBase::Device, false) => Kind::Device,
        (ArgBase::MemoryFormat, false) => Kind::MemoryFormat,
        other => panic!("{}: argument `{}` is {other:?}, which has no form in C", op.name(), arg.name),
    };
    Parameter {
        name: arg.name.clone(),
        kind,
        optional: arg.ty.optional,
        default: arg.default.clone(),
        length: arg.ty.length,
    }
}

/// Words that no parameter or function may be called: the keywords of C and C++ up to the standards of 2023, the
/// macros of `<iso646.h>`, `<stdbool.h>` and `<complex.h>`, and what the generated functions use themselves.
const TAKEN: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char8_t",
    "char16_t",
    "char32_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "complex",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "imaginary",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "typeof_unqual",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
    "I",
    "NULL",
    "graph",
    "outs",
    "n_outs",
    "outs_capacity",
];

/// A name that C and C++ accept: one that is taken gets `mark` behind it.
pub fn identifier(name: &str, mark: &str) -> String {
    if TAKEN.contains(&name) { format!("{name}{mark}") } else { name.to_string() }
}
