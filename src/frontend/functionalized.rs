//! `auto_functionalized_v2`: an operator that writes to its arguments, as PyTorch's decompositions leave it. The tensors whose memory
//! is written are its bases: each is copied, the operator writes to views of the copies, and the copies are results.
//!
//! An argument `x` that is written is told by others: `_x_base_index` says which base it is a view of, and `_x_size` with its like,
//! `_x_slice_dim` with its like, `_x_alias` or nothing, which view; `_x_length` says that it is a list, whose elements are told
//! as `_x_0_base_index` and so on.

use super::FrontendError;
use super::args::{Call, Given};
use super::error::Result;
use super::json;
use super::program::Reader;
use super::scope::{Entry, Scope};
use crate::ir::{Arg, Value};
use crate::meta::Builder;

/// Lists of tensors that are written are no longer.
const MOST_ELEMENTS: i64 = 10_000;

const INDEX: &str = "_base_index";
const LENGTH: &str = "_length";

impl Reader<'_> {
    pub(super) fn auto_functionalized(&mut self, call: Call<'_>, scope: &mut Scope) -> Result<()> {
        let [operator, given @ ..] = call.given else {
            return Err(FrontendError::parse("`auto_functionalized_v2` must have an operator"));
        };
        if operator.tag != "as_operator" {
            return Err(FrontendError::unsupported(
                "`auto_functionalized_v2` of something that is no operator",
            ));
        }
        let target = json::string(operator.value, "as_operator")?;
        let bases = match given.iter().find(|g| g.name == "_all_bases") {
            Some(list) => match self.arg(list, scope)? {
                Arg::Values(list) => list.into_iter().flatten().collect(),
                _ => return Err(FrontendError::parse("`_all_bases` must be a list of tensors")),
            },
            None => Vec::new(),
        };
        let mut copies = Vec::new();
        for base in bases {
            copies.push(self.op("aten.clone.default", vec![Arg::Value(base)])?);
        }
        let written = written(given);
        let mut named = Vec::new();
        for (name, is_list) in &written {
            let value = match is_list {
                false => self.view(name, given, &copies, scope)?.map_or(Arg::None, Arg::Value),
                true => {
                    let length = self.known(given, &format!("_{name}{LENGTH}"))?.unwrap_or(0);
                    if !(0..=MOST_ELEMENTS).contains(&length) {
                        return Err(FrontendError::parse(format!("`{name}` has a length of {length}")));
                    }
                    let mut one = |k| self.view(&format!("{name}_{k}"), given, &copies, scope);
                    Arg::Values((0..length).map(&mut one).collect::<Result<_>>()?)
                }
            };
            named.push((name.to_string(), value));
        }
        let tells = |g: &Given<'_>| {
            g.name == "_all_bases"
                || written.iter().any(|(name, _)| {
                    g.name
                        .strip_prefix('_')
                        .and_then(|rest| rest.strip_prefix(name))
                        .is_some_and(|r| r.starts_with('_'))
                })
        };
        for arg in given.iter().filter(|g| !tells(g)) {
            named.push((arg.name.to_string(), self.arg(arg, scope)?));
        }
        let mut results: Vec<Entry> = Builder::new(&mut self.graph)
            .call_named(target, Vec::new(), named)?
            .into_iter()
            .map(Entry::Tensor)
            .collect();
        if results.is_empty() {
            results.push(Entry::Nothing);
        }
        results.extend(copies.into_iter().map(Entry::Tensor));
        self.give(&results, call, scope)
    }

    pub(super) fn op(&mut self, name: &str, args: Vec<Arg>) -> Result<Value> {
        Ok(Builder::new(&mut self.graph).op(name, args)?)
    }

    fn known(&self, given: &[Given<'_>], name: &str) -> Result<Option<i64>> {
        match given.iter().find(|g| g.name == name) {
            Some(Given { tag: "as_int", value, .. }) => Ok(Some(json::integer(value, name)?)),
            _ => Ok(None),
        }
    }

    /// The view of a copy that an argument is, if it is one.
    fn view(
        &mut self,
        name: &str,
        given: &[Given<'_>],
        copies: &[Value],
        scope: &Scope,
    ) -> Result<Option<Value>> {
        let Some(index) = self.known(given, &format!("_{name}{INDEX}"))? else { return Ok(None) };
        let copy = usize::try_from(index).ok().and_then(|k| copies.get(k)).copied();
        let copy = copy.ok_or_else(|| {
            FrontendError::parse(format!("`{name}` is a view of base {index}, which is none"))
        })?;
        let told = |what: &str| given.iter().find(|g| g.name == format!("_{name}{what}"));
        let mut views = [
            ("aten.slice.Tensor", ["_slice_dim", "_slice_start", "_slice_end"]),
            ("aten.as_strided.default", ["_size", "_stride", "_storage_offset"]),
        ]
        .into_iter();
        let Some((op, parts)) = views.find(|(_, parts)| told(parts[0]).is_some()) else {
            return Ok(Some(copy));
        };
        let mut args = vec![Arg::Value(copy)];
        for part in parts {
            args.push(told(part).map_or(Ok(Arg::None), |g| self.arg(g, scope))?);
        }
        self.op(op, args).map(Some)
    }
}

/// The arguments that are written, and whether each is a list.
fn written<'a>(given: &[Given<'a>]) -> Vec<(&'a str, bool)> {
    let name_before = |g: &Given<'a>, suffix: &str| g.name.strip_prefix('_')?.strip_suffix(suffix);
    let lists: Vec<&str> = given.iter().filter_map(|g| name_before(g, LENGTH)).collect();
    let element = |name: &str| {
        let number = |list: &&str| name.strip_prefix(*list)?.strip_prefix('_');
        lists.iter().filter_map(number).any(|k| k.bytes().all(|b| b.is_ascii_digit()))
    };
    let single = given.iter().filter_map(|g| name_before(g, INDEX)).filter(|name| !element(name));
    single.map(|name| (name, false)).chain(lists.iter().map(|name| (*name, true))).collect()
}
