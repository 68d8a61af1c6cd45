//! Floor 2: the one table of operators. A row gives an operator's ATen name, its schema, its class, whether it has
//! an in-place form, and the names of its rules on the floors above: `meta` (shape and dtype), and either `lower`
//! (to loops), `decompose` (into simpler operators) or `none` (gone before lowering).
//!
//! Every floor expands the same rows with [`for_each_op`], so that a rule that a row names and a floor lacks is a
//! compile error.
//!
//! Invariants: names are unique; rows of one family stand in one file of `rows/`; an in-place form has the same
//! schema as its functional one with its first argument mutated, and is not a row of its own.
//!
//! Deliberately absent: the rules themselves.

pub mod autocast;
mod complex;
mod float8;
pub mod int4;
pub(crate) mod rows;
mod schema;
mod takes;

use crate::base::{HashMap, StableSort, embedded};
pub use complex::Complex;
pub use schema::{AliasSet, ArgBase, ArgType, Default, Schema, SchemaArg, parse_schema};
pub use takes::Takes;

use once_cell::sync::Lazy;
use std::sync::OnceLock;

/// What kind of operator a row is; passes and the functionalizer ask for it instead of naming operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// One result element from the elements at the same (broadcast) place.
    Pointwise,
    Reduction,
    /// The result aliases an input's storage.
    View,
    /// Matrix products, convolutions, attention.
    Contraction,
    /// Gather, scatter, embedding, index.
    Indexing,
    /// Made from sizes and numbers alone.
    Factory,
    /// Cumulative and order-dependent operators: scans, sorts, top-k.
    Scan,
    /// Defined by its decomposition.
    Composite,
    /// Defined by its decomposition, which goes through complex numbers even where operands and results are real.
    Spectral,
    /// Draws random numbers; functionalization replaces it.
    Random,
    /// Run for its effect: assertions.
    Effect,
    /// Steers which of its subgraphs run.
    Control,
    /// A host's: only the host knows what it computes.
    Host,
}

/// How an operator was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    Functional,
    /// Writes its result to its first argument (`aten.add_.Tensor`).
    InPlace,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub class: Class,
    pub inplace: bool,
    /// The overload of its in-place form lacks the word `Tensor_`: `aten.pow_.Scalar` of `aten.pow.Tensor_Scalar`.
    short_inplace: bool,
    /// Dtypes of its operands.
    pub takes: Takes,
    /// There are kernels for uint16, uint32 and uint64, too.
    pub wide_unsigned: bool,
}

macro_rules! table {
    ($($id:ident $name:literal $schema:literal $class:ident [$($form:ident)*] meta($meta:ident) $rule:ident($($f:ident)?) $($grad:ident($derivative:ident))?;)*) => {
        /// An operator: a row of the table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum OpId { $($id,)* }

        const ROWS: &[Row] = &[$(Row {
            class: Class::$class, inplace: false $(|| is_inplace(stringify!($form)))*,
            short_inplace: false $(|| is_short(stringify!($form)))*,
            takes: Takes::Any $(.and(Takes::of_word(stringify!($form))))*,
            wide_unsigned: true $(&& !is_narrow(stringify!($form)))*,
        },)*];
        const IDS: &[OpId] = &[$(OpId::$id,)*];
        #[cfg(test)]
        const TEXTS_OF_ROWS: &[(&str, &str)] = &[$(($name, $schema),)*];
    };
}

const fn is_inplace(form: &str) -> bool {
    matches!(form.as_bytes(), b"inplace" | b"inplace_short")
}

const fn is_short(form: &str) -> bool {
    matches!(form.as_bytes(), b"inplace_short")
}

const fn is_narrow(form: &str) -> bool {
    matches!(form.as_bytes(), b"no_wide_unsigned")
}

/// Calls the macro named by its argument with all rows; see `table!` above for their form.
macro_rules! for_each_op {
    ($callback:ident) => {
        $crate::ops::rows::all_rows! { $callback }
    };
}
pub(crate) use for_each_op;

for_each_op!(table);

/// For each row its name, and its arguments and results as PyTorch writes them: `(Tensor self, …) -> Tensor`. `build.rs` takes them
/// out of the rows, in their order: deflated, they are a tenth of their size.
static TEXTS: Lazy<Vec<(&str, &str)>> =
    Lazy::new(|| embedded!("schemas").text().lines().filter_map(|line| line.split_once(' ')).collect());

/// Each is read when it is first asked for: reading all of them takes longer than compiling a small graph.
static SCHEMAS: Lazy<Vec<OnceLock<Schema>>> = Lazy::new(|| ROWS.iter().map(|_| OnceLock::new()).collect());

static BY_NAME: Lazy<HashMap<String, (OpId, Form)>> = Lazy::new(|| {
    let mut map = HashMap::default();
    for id in IDS {
        let row = id.row();
        map.insert(id.name().to_string(), (*id, Form::Functional));
        if row.inplace {
            map.insert(id.inplace_name(), (*id, Form::InPlace));
        }
    }
    for name in EQUAL_PRIMS {
        let equal = [format!("aten.{name}.default"), format!("aten.{name}.Tensor")];
        if let Some(found) = equal.iter().find_map(|equal| map.get(equal).copied()) {
            map.insert(format!("prims.{name}.default"), found);
        }
    }
    map.extend(RESHAPED_IN_PLACE.map(|(name, id)| (name.to_string(), (id, Form::Functional))));
    map
});

/// Operators of `prims` that take the arguments of the operator of the same name, and are other names of it. They ask for
/// operands of one dtype and shape, of which the others make the same.
const EQUAL_PRIMS: [&str; 62] = [
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "cos",
    "cosh",
    "ceil",
    "digamma",
    "erf",
    "erfc",
    "exp",
    "expm1",
    "exp2",
    "floor",
    "isfinite",
    "lgamma",
    "log",
    "log1p",
    "log2",
    "log10",
    "neg",
    "reciprocal",
    "round",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "trunc",
    "bitwise_not",
    "add",
    "atan2",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "eq",
    "fmax",
    "fmin",
    "fmod",
    "gcd",
    "ge",
    "gt",
    "hypot",
    "igamma",
    "igammac",
    "le",
    "lt",
    "maximum",
    "minimum",
    "mul",
    "ne",
    "nextafter",
    "remainder",
    "sub",
    "clone",
    "copysign",
    "rsqrt",
];

/// Calls that write no elements but change how a tensor looks at its storage: what they give is the view, and an
/// exported program names that one from there on. A handle from before the call goes on to show what it showed.
const RESHAPED_IN_PLACE: [(&str, OpId); 9] = [
    ("aten.as_strided_.default", OpId::AsStrided),
    ("aten.squeeze_.default", OpId::Squeeze),
    ("aten.squeeze_.dim", OpId::SqueezeDim),
    ("aten.squeeze_.dims", OpId::SqueezeDims),
    ("aten.swapaxes_.default", OpId::SwapaxesDefault),
    ("aten.swapdims_.default", OpId::SwapdimsDefault),
    ("aten.t_.default", OpId::T),
    ("aten.transpose_.default", OpId::TransposeInt),
    ("aten.unsqueeze_.default", OpId::Unsqueeze),
];

/// In-place forms whose names do not follow from those of their functional ones.
const NAMED_OTHERWISE_IN_PLACE: [(OpId, &str); 4] = [
    (OpId::BernoulliP, "aten.bernoulli_.float"),
    (OpId::NormalFunctional, "aten.normal_.default"),
    (OpId::FloorDivide, "aten.floor_divide_.Tensor"),
    (OpId::LdexpTensor, "aten.ldexp_.default"),
];

impl OpId {
    pub fn all() -> &'static [OpId] {
        IDS
    }
    pub fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }
    /// `aten.add.Tensor`; the overload is always there (`aten.relu.default`).
    pub fn name(self) -> &'static str {
        TEXTS[self as usize].0
    }
    /// The name of its in-place form: `aten.add_.Tensor` of `aten.add.Tensor`.
    pub fn inplace_name(self) -> String {
        if let Some((_, name)) = NAMED_OTHERWISE_IN_PLACE.iter().find(|(id, _)| *id == self) {
            return name.to_string();
        }
        let (base, overload) = self.name().rsplit_once('.').unwrap_or((self.name(), "default"));
        let short = if self.row().short_inplace { "Tensor_" } else { "" };
        format!("{base}_.{}", overload.strip_prefix(short).unwrap_or(overload))
    }
    /// The name without its overload: `aten.add`.
    fn base_name(self) -> &'static str {
        self.name().rsplit_once('.').map_or(self.name(), |(base, _)| base)
    }
    /// All operators that differ from this one in the overload alone, itself included.
    pub fn overloads(self) -> &'static [OpId] {
        OVERLOADS.get(self.base_name()).map_or(&[], Vec::as_slice)
    }
    pub fn schema(self) -> &'static Schema {
        SCHEMAS[self as usize].get_or_init(|| {
            parse_schema(self.schema_text()).unwrap_or_else(|e| panic!("schema of {}: {e}", self.name()))
        })
    }
    /// Its schema as PyTorch writes it.
    pub fn schema_text(self) -> &'static str {
        TEXTS[self as usize].1
    }
    pub fn class(self) -> Class {
        self.row().class
    }
    /// Finds `aten.add.Tensor`, `aten.add_.Tensor`, `aten.relu` (the overload `default` may be left out), each
    /// with or without PyTorch's prefix `torch.ops.`.
    pub fn find(name: &str) -> Option<(OpId, Form)> {
        let name = name.strip_prefix("torch.ops.").unwrap_or(name);
        BY_NAME.get(name).or_else(|| BY_NAME.get(&format!("{name}.default"))).copied()
    }
    /// The operators that the form of this name computes, which writes to an argument `out`: `aten.add.Tensor` and its
    /// overloads of `aten.add.out`, `aten.pow.Scalar` first of `aten.pow.Scalar_out`.
    pub fn of_out_form(name: &str) -> Option<Vec<OpId>> {
        let name = name.strip_prefix("torch.ops.").unwrap_or(name);
        let (base, overload) = name.rsplit_once('.')?;
        let own = match overload {
            "out" => "default",
            other => other.strip_suffix("_out")?,
        };
        if BY_NAME.contains_key(name) {
            return None;
        }
        let own = format!("{base}.{own}");
        let mut found = OVERLOADS.get(base)?.clone();
        found.stable_sort_by_key(|op| op.name() != own);
        Some(found)
    }
    /// The known names nearest to one that is not known, best first, as a message goes on: `; the nearest known are …`,
    /// or nothing where none is near.
    pub fn suggestions(name: &str) -> String {
        let near = OpId::nearest(name, 3);
        match &near[..] {
            [] => String::new(),
            [only] => format!("; the nearest known is `{only}`"),
            _ => format!(
                "; the nearest known are {}",
                near.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
            ),
        }
    }
    /// A name that is right but for its namespace or overload is nearer than one spelt like it: `softmax`,
    /// `torch.softmax` and `aten.softmax.default` all mean `aten.softmax.int`.
    fn nearest(name: &str, count: usize) -> Vec<String> {
        // No known name is half as long, and the work grows with the length.
        if name.len() > LONGEST_COMPARED {
            return Vec::new();
        }
        let name = name.strip_prefix("torch.ops.").unwrap_or(name);
        let name = name.strip_prefix("torch.ops.").unwrap_or(name);
        // `torch.nn.functional.relu` ends in the operator's word; elsewhere a namespace comes first, an overload last.
        let words: Vec<&str> = name.split(['.', ':']).filter(|word| !word.is_empty()).collect();
        let near = |given: &str| OpId::nearest_by_word(name, &given.to_ascii_lowercase(), count);
        match &words[..] {
            [] => Vec::new(),
            [only] => near(only),
            ["torch", .., last] => near(last),
            [_, word] => near(word),
            // `nn.functional.gelu` is no namespace of operators.
            [_, word, .., last] => {
                Some(near(word)).filter(|found| !found.is_empty()).unwrap_or_else(|| near(last))
            }
        }
    }

    /// Those whose own word is nearest to the one that is `given` in lower case, in the whole `name`.
    fn nearest_by_word(name: &str, given: &str, count: usize) -> Vec<String> {
        let mut scored: Vec<(usize, usize, &String)> = BY_NAME
            .keys()
            .filter_map(|known| {
                let word = known.split('.').nth(1).unwrap_or(known);
                let distance = edit_distance(given, word);
                // What is further off has little in common with it.
                let near = distance <= (word.len() / 3).max(1);
                near.then(|| (distance, edit_distance(name, known), known))
            })
            .collect();
        scored.stable_sort();
        scored.into_iter().take(count).map(|(_, _, k)| k.clone()).collect()
    }
}

const LONGEST_COMPARED: usize = 200;

static OVERLOADS: Lazy<HashMap<&'static str, Vec<OpId>>> = Lazy::new(|| {
    let mut map: HashMap<&'static str, Vec<OpId>> = HashMap::default();
    for id in IDS {
        map.entry(id.base_name()).or_default().push(*id);
    }
    map
});

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<u8> = b.bytes().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let cost = if x == *y { diagonal } else { 1 + diagonal.min(row[j]).min(row[j + 1]) };
            diagonal = row[j + 1];
            row[j + 1] = cost;
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_schemas_parse() {
        let names: std::collections::HashSet<_> = OpId::all().iter().map(|o| o.name()).collect();
        assert_eq!(names.len(), OpId::all().len());
        for op in OpId::all() {
            assert_eq!((op.name(), op.schema_text()), TEXTS_OF_ROWS[*op as usize]);
            assert!(!op.schema().returns.is_empty() || op.class() == Class::Effect, "{}", op.name());
            assert_eq!(op.name().split('.').count(), 3, "{}", op.name());
            let first = op.schema().args.first().map(|a| a.ty.base);
            assert!(
                !op.row().inplace || first == Some(ArgBase::Tensor),
                "{} writes to no tensor",
                op.inplace_name()
            );
        }
    }

    #[test]
    fn finds_in_place_forms_and_default_overloads() {
        assert_eq!(OpId::find("torch.ops.aten.add_.Tensor"), Some((OpId::AddTensor, Form::InPlace)));
        assert_eq!(OpId::find("aten.pow_.Scalar"), Some((OpId::PowTensorScalar, Form::InPlace)));
        assert_eq!(OpId::find("aten.relu"), Some((OpId::Relu, Form::Functional)));
        assert_eq!(OpId::find("aten.unsqueeze_"), Some((OpId::Unsqueeze, Form::Functional)));
        assert_eq!(OpId::find("prims.add.default"), Some((OpId::AddTensor, Form::Functional)));
        assert!(EQUAL_PRIMS.iter().all(|name| OpId::find(&format!("prims.{name}.default")).is_some()));
        assert_eq!(OpId::of_out_form("aten.pow.Scalar_out").map(|all| all[0]), Some(OpId::PowScalar));
        assert_eq!(OpId::of_out_form("aten.add.Tensor"), None);
        assert_eq!(OpId::find("aten.nothing"), None);
    }

    #[test]
    fn suggestions_are_what_was_meant_or_nothing() {
        let first = |name: &str| OpId::nearest(name, 1).pop();
        for (given, meant) in [
            ("aten.ad.Tensor", "aten.add.Tensor"),
            ("softmax", "aten.softmax.int"),
            ("torch.softmax", "aten.softmax.int"),
            ("torch.nn.functional.softmax", "aten.softmax.int"),
            ("aten::softmax", "aten.softmax.int"),
            ("aten.softmax.default", "aten.softmax.int"),
            ("aten.sofmax.int", "aten.softmax.int"),
            ("relu", "aten.relu.default"),
            ("aten.add_.Tenso", "aten.add_.Tensor"),
            ("aten.Relu.default", "aten.relu.default"),
            ("Softmax", "aten.softmax.int"),
            ("nn.functional.gelu", "aten.gelu.default"),
        ] {
            assert_eq!(first(given).as_deref(), Some(meant), "{given}");
        }
        for nothing in
            ["", ".", "aten.quite", "mylib.quite_another_thing.default", "x".repeat(400_000).as_str()]
        {
            assert_eq!(first(nothing), None, "{nothing:.40}");
        }
        assert_eq!(OpId::suggestions("mylib.quite_another_thing"), "");
        assert!(OpId::suggestions("relu").starts_with("; the nearest known are `aten.relu.default`, "));
    }
}
