//! The rows, by family: domain, operator, the first opset that the row is right for, and what it becomes.

mod arrange;
mod microsoft;
mod network;
mod pointwise;

use super::table::{Row, Rule};

pub const ALL: [&[Row]; 4] = [pointwise::ROWS, arrange::ROWS, network::ROWS, microsoft::ROWS];

/// ONNX's own operators.
const ONNX: &str = "";
const MICROSOFT: &str = "com.microsoft";
const LEARNING: &str = "ai.onnx.ml";
const PREVIEW: &str = "ai.onnx.preview";
const TRAINING: &str = "ai.onnx.preview.training";

const fn formula(domain: &'static str, name: &'static str, since: i64, text: &'static str) -> Row {
    Row { domain, name, since, rule: Rule::Formula(text) }
}

const fn rule(
    domain: &'static str,
    name: &'static str,
    since: i64,
    f: fn(&mut super::call::Cx<'_, '_>) -> super::call::Results,
) -> Row {
    Row { domain, name, since, rule: Rule::Call(f) }
}
