//! PyTorch's function schemas, as text to data: `(Tensor self, int[2] size, *, Scalar alpha=1) -> (Tensor, Tensor)`.

/// What an argument or result is, without optional and list marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgBase {
    Tensor,
    /// `int` and `SymInt` alike: every integer may be symbolic.
    Int,
    Float,
    Bool,
    /// An int, a float or a bool.
    Scalar,
    Str,
    Dtype,
    Layout,
    Device,
    MemoryFormat,
    Generator,
    /// A subgraph.
    Graph,
    /// A host's operator with its arguments.
    Call,
}

/// What an alias mark says of a tensor: `Tensor(a!)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AliasSet {
    /// Arguments and results of one name share memory. Shorter names end with zeros.
    pub name: [u8; 8],
    pub written: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgType {
    pub base: ArgBase,
    /// `T?`, and for lists `T[]?`.
    pub optional: bool,
    pub list: bool,
    /// `int[2]`: one number given stands for as many.
    pub length: Option<usize>,
    /// `Tensor?[]`
    pub element_optional: bool,
    /// Litz's own operators say it by their class, so that only those of a host are asked for it.
    pub alias: Option<AliasSet>,
}

/// As messages say it: `an int`, `a list of 2 ints or None`.
impl std::fmt::Display for ArgType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (one, many) = match self.base {
            ArgBase::Tensor => ("a tensor", "tensors"),
            ArgBase::Int => ("an int", "ints"),
            ArgBase::Float => ("a float", "floats"),
            ArgBase::Bool => ("a bool", "bools"),
            ArgBase::Scalar => ("a number", "numbers"),
            ArgBase::Str => ("a string", "strings"),
            ArgBase::Dtype => ("a dtype", "dtypes"),
            ArgBase::Layout => ("a layout", "layouts"),
            ArgBase::Device => ("a device", "devices"),
            ArgBase::MemoryFormat => ("a memory format", "memory formats"),
            ArgBase::Generator => ("a generator", "generators"),
            ArgBase::Graph => ("a subgraph", "subgraphs"),
            ArgBase::Call => ("a call", "calls"),
        };
        match (self.list, self.length) {
            (false, _) => f.write_str(one)?,
            (true, Some(1)) => write!(f, "a list of one element ({one})")?,
            (true, Some(n)) => write!(f, "a list of {n} {many}")?,
            (true, None) if self.element_optional => {
                write!(f, "a list of {many}, each of which may be None")?
            }
            (true, None) => write!(f, "a list of {many}")?,
        }
        if self.optional { f.write_str(" or None") } else { Ok(()) }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Default {
    None,
    Int(i64),
    Float(f64),
    Bool(bool),
    Str(String),
    Ints(Vec<i64>),
    Bools(Vec<bool>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct SchemaArg {
    pub name: String,
    pub ty: ArgType,
    pub default: Option<Default>,
    pub keyword_only: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    pub args: Vec<SchemaArg>,
    pub returns: Vec<ArgType>,
}

impl Schema {
    pub fn arg(&self, name: &str) -> Option<usize> {
        self.args.iter().position(|a| a.name == name)
    }
}

/// Parses the part of a schema from its opening parenthesis on. The error says what was not understood.
pub fn parse_schema(text: &str) -> Result<Schema, String> {
    let text = text.trim().strip_prefix('(').ok_or("a schema starts with `(`")?;
    let close = matching_parenthesis(text).ok_or("the argument list is not closed")?;
    let (arguments, rest) = (&text[..close], &text[close + 1..]);
    let returns = rest.trim().strip_prefix("->").ok_or("no `->` after the arguments")?.trim();
    let mut args = Vec::new();
    let mut keyword_only = false;
    for part in split_commas(arguments) {
        if part == "*" {
            keyword_only = true;
            continue;
        }
        let (head, default) = match part.split_once('=') {
            Some((h, d)) => (h.trim(), Some(d.trim())),
            None => (part, None),
        };
        let (ty, name) = head.rsplit_once(' ').ok_or_else(|| format!("`{part}` has no name"))?;
        let ty = parse_type(ty.trim())?;
        let default = default.map(|d| parse_default(d, &ty)).transpose()?;
        args.push(SchemaArg { name: name.to_string(), ty, default, keyword_only });
    }
    let returns = match returns.strip_prefix('(') {
        Some(list) => split_commas(list.strip_suffix(')').ok_or("the result list is not closed")?),
        None => vec![returns],
    };
    let returns = returns.into_iter().map(|r| parse_type(without_name(r))).collect::<Result<_, _>>()?;
    Ok(Schema { args, returns })
}

/// `Tensor(a -> *) out` without the name of the result.
fn without_name(result: &str) -> &str {
    let marked = result.find(')').map_or(0, |k| k + 1);
    result[marked..].find(' ').map_or(result, |k| &result[..marked + k])
}

fn matching_parenthesis(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (k, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(k),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn split_commas(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (k, c) in text.char_indices() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..k].trim());
                start = k + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|p| !p.is_empty());
    parts
}

fn parse_type(text: &str) -> Result<ArgType, String> {
    let (text, alias) = match (text.find('('), text.find(')')) {
        (Some(a), Some(b)) if a < b => {
            let alias = parse_alias(&text[a + 1..b])?;
            (format!("{}{}", &text[..a], &text[b + 1..]), Some(alias))
        }
        _ => (text.to_string(), None),
    };
    let (text, optional) = match text.strip_suffix('?') {
        Some(t) => (t, true),
        None => (text.as_str(), false),
    };
    let (text, list, length) = match text.strip_suffix(']') {
        Some(t) => {
            let (t, n) = t.rsplit_once('[').ok_or_else(|| format!("`{text}` is no type"))?;
            let n =
                if n.is_empty() { None } else { Some(n.parse().map_err(|_| format!("`{n}` is no length"))?) };
            (t, true, n)
        }
        None => (text, false, None),
    };
    let (text, element_optional) = match text.strip_suffix('?') {
        Some(t) if list => (t, true),
        _ => (text, false),
    };
    let base = match text {
        "Tensor" => ArgBase::Tensor,
        "int" | "SymInt" => ArgBase::Int,
        "float" => ArgBase::Float,
        "bool" => ArgBase::Bool,
        "Scalar" => ArgBase::Scalar,
        "str" => ArgBase::Str,
        "ScalarType" => ArgBase::Dtype,
        "Layout" => ArgBase::Layout,
        "Device" => ArgBase::Device,
        "MemoryFormat" => ArgBase::MemoryFormat,
        "Generator" => ArgBase::Generator,
        "Graph" => ArgBase::Graph,
        "Call" => ArgBase::Call,
        other => return Err(format!("`{other}` is no known type")),
    };
    Ok(ArgType { base, optional, list, length, element_optional, alias })
}

/// `a`, `a!`, or `a -> *`: what becomes of a written set is nobody's question.
fn parse_alias(text: &str) -> Result<AliasSet, String> {
    let before = text.split("->").next().unwrap_or(text).trim();
    let (names, written) = match before.strip_suffix('!') {
        Some(names) => (names, true),
        None => (before, false),
    };
    let plain = !names.is_empty() && names.bytes().all(|b| b.is_ascii_alphanumeric());
    let mut name = [0; 8];
    match name.get_mut(..names.len()).filter(|_| plain) {
        Some(place) => place.copy_from_slice(names.as_bytes()),
        None => return Err(format!("`({text})` is no alias mark such as `(a)` or `(a!)`")),
    }
    Ok(AliasSet { name, written })
}

fn parse_default(text: &str, ty: &ArgType) -> Result<Default, String> {
    let bad = || format!("`{text}` is no default value");
    Ok(match text {
        "None" => Default::None,
        "True" => Default::Bool(true),
        "False" => Default::Bool(false),
        // The names that PyTorch's schemas use for numbers.
        "Mean" => Default::Int(1),
        "contiguous_format" => Default::Int(1),
        "strided" => Default::None,
        "long" => Default::Int(5),
        _ if text.starts_with('"') || text.starts_with('\'') => {
            Default::Str(text.trim_matches(|c| c == '"' || c == '\'').to_string())
        }
        _ if text.starts_with('[') => {
            let parts = split_commas(text.trim_start_matches('[').trim_end_matches(']'));
            if ty.base == ArgBase::Bool {
                Default::Bools(
                    parts
                        .iter()
                        .map(|p| p.to_lowercase().parse().map_err(|_| bad()))
                        .collect::<Result<_, _>>()?,
                )
            } else {
                Default::Ints(parts.iter().map(|p| p.parse().map_err(|_| bad())).collect::<Result<_, _>>()?)
            }
        }
        _ => match text.parse::<i64>() {
            Ok(v) if ty.list => Default::Ints(vec![v; ty.length.unwrap_or(1)]),
            Ok(v) if ty.base == ArgBase::Float => Default::Float(v as f64),
            Ok(v) => Default::Int(v),
            Err(_) => Default::Float(text.parse().map_err(|_| bad())?),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_optional_lists_lengths_and_defaults() {
        let s = parse_schema(
            "(Tensor(a!) self, Tensor?[] indices, SymInt[2] stride=1, *, Scalar alpha=1, ScalarType? dtype=None, bool[3] mask=[True,False,True]) -> (Tensor(a!), Tensor[])",
        )
        .unwrap();
        assert_eq!(s.args.len(), 6);
        assert!(s.args[1].ty.list && s.args[1].ty.element_optional && !s.args[1].ty.optional);
        assert_eq!(s.args[2].default, Some(Default::Ints(vec![1, 1])));
        assert!(s.args[3].keyword_only && !s.args[2].keyword_only);
        assert_eq!(s.args[5].default, Some(Default::Bools(vec![true, false, true])));
        assert!(s.returns[1].list);
        let alias = Some(AliasSet { name: *b"a\0\0\0\0\0\0\0", written: true });
        assert_eq!((s.args[0].ty.alias, s.returns[0].alias, s.returns[1].alias), (alias, alias, None));
    }

    #[test]
    fn reads_schemas_without_results() {
        assert_eq!(parse_schema("(Tensor x) -> ()").unwrap().returns, []);
        assert!(parse_schema("(Tensor(a|b!) x) -> ()").unwrap_err().contains("alias mark"));
    }

    #[test]
    fn says_what_it_does_not_understand() {
        assert!(parse_schema("(Tensor self").unwrap_err().contains("not closed"));
        assert!(parse_schema("(Thing self) -> Tensor").unwrap_err().contains("Thing"));
    }
}
