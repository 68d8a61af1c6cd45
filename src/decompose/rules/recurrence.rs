//! Single recurrent cells as products and pointwise operators; the gates stand side by side, in PyTorch's order.

use crate::base::Status;
use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};

type Results = Result<Vec<Value>, DecomposeError>;
type Built = Result<Value, DecomposeError>;

fn linear(cx: &mut Decompose<'_>, x: Value, weight: &str, bias: &str) -> Built {
    let (weight, bias) = (cx.arg(weight).clone(), cx.arg(bias).clone());
    cx.call("aten.linear.default", vec![Arg::Value(x), weight, bias])
}

fn state(cx: &Decompose<'_>) -> Vec<Value> {
    match cx.arg("hx") {
        Arg::Value(value) => vec![*value],
        _ => cx.values("hx"),
    }
}

/// The gates of a tensor that holds `count` of them side by side.
fn gates(cx: &mut Decompose<'_>, all: Value, count: i64) -> Result<Vec<Value>, DecomposeError> {
    let args = vec![Arg::Value(all), cx.int_arg(count), cx.int_arg(-1)];
    let parts = cx.call_all("aten.chunk.default", args, Vec::new())?;
    // The guard on the weights' rows may be one that no sizes satisfy.
    if parts.len() as i64 != count {
        return Err(cx.error(Status::Shape, format!("the weights' rows are not those of {count} gates")));
    }
    Ok(parts)
}

fn simple(cx: &mut Decompose<'_>, function: &str) -> Results {
    let (x, h) = (cx.value("input")?, state(cx)[0]);
    let x = linear(cx, x, "w_ih", "b_ih")?;
    let h = linear(cx, h, "w_hh", "b_hh")?;
    let sum = cx.add(x, h)?;
    Ok(vec![cx.unary(function, sum)?])
}

pub fn rnn_tanh_cell(cx: &mut Decompose<'_>) -> Results {
    simple(cx, "tanh")
}
pub fn rnn_relu_cell(cx: &mut Decompose<'_>) -> Results {
    simple(cx, "relu")
}

pub fn lstm_cell(cx: &mut Decompose<'_>) -> Results {
    let (x, states) = (cx.value("input")?, state(cx));
    let x = linear(cx, x, "w_ih", "b_ih")?;
    let h = linear(cx, states[0], "w_hh", "b_hh")?;
    let sum = cx.add(x, h)?;
    let parts = gates(cx, sum, 4)?;
    let (input, forget) = (cx.unary("sigmoid", parts[0])?, cx.unary("sigmoid", parts[1])?);
    let (new, output) = (cx.unary("tanh", parts[2])?, cx.unary("sigmoid", parts[3])?);
    let (kept, added) = (cx.mul(forget, states[1])?, cx.mul(input, new)?);
    let cell = cx.add(kept, added)?;
    let shown = cx.unary("tanh", cell)?;
    Ok(vec![cx.mul(output, shown)?, cell])
}

pub fn gru_cell(cx: &mut Decompose<'_>) -> Results {
    let (x, h) = (cx.value("input")?, state(cx)[0]);
    let x = linear(cx, x, "w_ih", "b_ih")?;
    let own = linear(cx, h, "w_hh", "b_hh")?;
    let (x, own) = (gates(cx, x, 3)?, gates(cx, own, 3)?);
    let (reset, update) = (cx.add(x[0], own[0])?, cx.add(x[1], own[1])?);
    let (reset, update) = (cx.unary("sigmoid", reset)?, cx.unary("sigmoid", update)?);
    let hidden = cx.mul(reset, own[2])?;
    let sum = cx.add(x[2], hidden)?;
    let new = cx.unary("tanh", sum)?;
    let difference = cx.sub(h, new)?;
    let kept = cx.mul(difference, update)?;
    Ok(vec![cx.add(kept, new)?])
}

#[cfg(test)]
mod tests {
    use crate::base::Status;
    use crate::decompose::decompose;
    use crate::meta::text::parse;

    #[test]
    fn weights_of_fewer_rows_than_gates_are_refused() {
        let graph = parse(
            "graph \"g\" {\n  symbol a in [0, 64]\n  symbol b in [0, 64]\n  input %0 \"x\": float32[2, a]\n  \
             input %1 \"h\": float32[a, b]\n  input %2 \"w\": float32[3, 2]\n  \
             %3 = aten.gru_cell.default(%0, %1, %2, %0)\n  output \"y\" = %3\n}\n",
        );
        let refused = decompose(&graph.expect("a guard stands for sizes that are not known")).unwrap_err();
        assert_eq!(refused.status, Status::Shape);
        assert!(refused.to_string().contains("3 gates"), "{refused}");
    }
}
