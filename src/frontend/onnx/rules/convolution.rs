//! Convolutions, and the windows that they and pools share.

use super::super::super::error::Result;
use super::super::call::{Cx, Results};
use crate::ir::{Arg, Value};
use crate::types::SymInt;

/// Sizes of windows over the last dimensions of a tensor.
pub struct Windows {
    pub kernel: Vec<SymInt>,
    pub strides: Vec<i64>,
    pub dilations: Vec<i64>,
    /// Before and behind, of each dimension.
    pub pads: Vec<(SymInt, SymInt)>,
}

impl Windows {
    /// What is the same before and behind in all dimensions, where it is.
    pub fn symmetric(&self, cx: &Cx<'_, '_>) -> Option<Vec<i64>> {
        let same = |(begin, end): &(SymInt, SymInt)| {
            let known = cx.syms.as_const(*begin).filter(|p| *p >= 0)?;
            (begin == end).then_some(known)
        };
        self.pads.iter().map(same).collect()
    }
    /// The tensor and the padding that is left to the operator: where that can't say it, the tensor has its zeros.
    fn padded(&self, cx: &mut Cx<'_, '_>, x: Value) -> Result<(Value, Vec<i64>)> {
        if let Some(padding) = self.symmetric(cx) {
            return Ok((x, padding));
        }
        let args = [Arg::Value(x), Arg::Ints(self.pads_list())];
        Ok((cx.call("constant_pad_nd($0, $1)", &args)?, vec![0; self.strides.len()]))
    }
    pub fn pads_list(&self) -> Vec<SymInt> {
        self.pads.iter().rev().flat_map(|(b, e)| [*b, *e]).collect()
    }
}

/// A list of one number for each dimension.
pub fn each(cx: &Cx<'_, '_>, name: &str, rank: usize, default: i64) -> Result<Vec<i64>> {
    let list = cx.list(name).unwrap_or_else(|| vec![default; rank]);
    if list.len() != rank {
        return Err(cx.wrong(format!("`{name}` has {} numbers for {rank} dimensions", list.len())));
    }
    Ok(list)
}

/// Reads the windows of a node over a tensor; `kernel` where the attribute is missing.
pub fn windows(cx: &mut Cx<'_, '_>, x: Value, kernel: Option<Vec<SymInt>>) -> Result<Windows> {
    let shape = cx.shape(x);
    let Some(rank) = shape.len().checked_sub(2).filter(|r| *r > 0) else {
        return Err(cx.wrong("its input has no dimensions for windows"));
    };
    let syms = cx.syms.clone();
    let kernel = match cx.list("kernel_shape") {
        Some(list) => list.iter().map(|k| syms.constant(*k)).collect(),
        None => kernel.ok_or_else(|| cx.wrong("the attribute `kernel_shape` is missing"))?,
    };
    if kernel.len() != rank {
        return Err(cx.wrong(format!("windows of {} dimensions over {rank}", kernel.len())));
    }
    let (strides, dilations) = (each(cx, "strides", rank, 1)?, each(cx, "dilations", rank, 1)?);
    if strides.iter().chain(&dilations).any(|s| *s < 1) {
        return Err(cx.wrong("a stride or dilation below 1"));
    }
    let mode = cx.string("auto_pad", "NOTSET")?;
    let given = cx.list("pads").unwrap_or_else(|| vec![0; 2 * rank]);
    if given.len() != 2 * rank {
        return Err(cx.wrong(format!("{} pads for {rank} dimensions", given.len())));
    }
    let mut pads = Vec::new();
    for k in 0..rank {
        let (zero, stride) = (syms.constant(0), syms.constant(strides[k]));
        pads.push(match &mode[..] {
            "NOTSET" | "" => (syms.constant(given[k]), syms.constant(given[k + rank])),
            "VALID" => (zero, zero),
            "SAME_UPPER" | "SAME_LOWER" => {
                let size = shape[k + 2];
                let reach = syms.add_const(syms.mul_const(syms.add_const(kernel[k], -1), dilations[k]), 1);
                let last = syms.mul(syms.add_const(syms.ceildiv(size, stride), -1), stride);
                let all = syms.max(zero, syms.sub(syms.add(last, reach), size));
                let less = syms.floordiv(all, syms.constant(2));
                let more = syms.sub(all, less);
                if mode == "SAME_UPPER" { (less, more) } else { (more, less) }
            }
            other => return Err(cx.wrong(format!("the padding `{other}`"))),
        });
    }
    Ok(Windows { kernel, strides, dilations, pads })
}

pub fn convolution(cx: &mut Cx<'_, '_>) -> Results {
    let (x, weight) = (cx.value(0)?, cx.value(1)?);
    let bias = cx.optional(2)?;
    let value = convolved(cx, x, weight, bias)?;
    cx.one(value)
}

/// Its kernel's elements are read where `offset` moves them.
pub fn deformable(cx: &mut Cx<'_, '_>) -> Results {
    let (x, weight, offset) = (cx.value(0)?, cx.value(1)?, cx.value(2)?);
    let kernel = cx.shape(weight).get(2..).unwrap_or_default().to_vec();
    let windows = windows(cx, x, Some(kernel))?;
    if windows.strides.len() != 2 {
        return Err(cx.refuse(format!("over {} dimensions", windows.strides.len())));
    }
    let (x, padding) = windows.padded(cx, x)?;
    let bias = match cx.optional(3)? {
        Some(bias) => bias,
        None => cx.call("new_zeros($0, $1)", &[Arg::Value(weight), Arg::Ints(vec![cx.size(weight, 0)?])])?,
    };
    // The operator has no form without a mask, only a flag that says to leave it.
    let mask = cx.optional(4)?;
    let args = [
        vec![x, weight, offset, mask.unwrap_or(offset), bias].into_iter().map(Arg::Value).collect(),
        [windows.strides, padding, windows.dilations].concat().into_iter().map(|n| cx.int(n)).collect(),
        vec![
            cx.int(cx.attr_or("group", 1)),
            cx.int(cx.attr_or("offset_group", 1)),
            Arg::Bool(mask.is_some()),
        ],
    ]
    .concat();
    let text =
        "torchvision.deform_conv2d.default($0, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
    let value = cx.call(text, &args)?;
    cx.one(value)
}

pub fn convolved(cx: &mut Cx<'_, '_>, x: Value, weight: Value, bias: Option<Value>) -> Result<Value> {
    let kernel = cx.shape(weight).get(2..).unwrap_or_default().to_vec();
    let windows = windows(cx, x, Some(kernel))?;
    let rank = windows.strides.len();
    let (x, padding) = windows.padded(cx, x)?;
    let args = [
        Arg::Value(x),
        Arg::Value(weight),
        bias.map_or(Arg::None, Arg::Value),
        cx.int_list(&windows.strides),
        cx.int_list(&padding),
        cx.int_list(&windows.dilations),
        cx.int_list(&vec![0; rank]),
        cx.int(cx.attr_or("group", 1)),
    ];
    cx.call("convolution($0, $1, $2, $3, $4, $5, false, $6, $7)", &args)
}

/// The whole result, from which pads are cut off.
pub fn transposed(cx: &mut Cx<'_, '_>) -> Results {
    let (x, weight) = (cx.value(0)?, cx.value(1)?);
    let bias = cx.optional_arg(2)?;
    let shape = cx.shape(x);
    let Some(rank) = shape.len().checked_sub(2).filter(|r| *r > 0) else {
        return Err(cx.wrong("its input has no dimensions for windows"));
    };
    let syms = cx.syms.clone();
    let kernel = cx.shape(weight).get(2..).unwrap_or_default().to_vec();
    if kernel.len() != rank {
        return Err(cx.wrong("its weight has another rank than its input"));
    }
    let (strides, dilations) = (each(cx, "strides", rank, 1)?, each(cx, "dilations", rank, 1)?);
    let more = each(cx, "output_padding", rank, 0)?;
    if strides.iter().chain(&dilations).any(|s| *s < 1) || more.iter().any(|m| *m < 0) {
        return Err(cx.wrong("a stride or dilation below 1, or an output padding below 0"));
    }
    // PyTorch adds rows at the end only as far as a step reaches.
    if more.iter().zip(&strides).zip(&dilations).any(|((m, s), d)| m >= s && m >= d) {
        return Err(cx.refuse("an output padding that is not below stride or dilation"));
    }
    let mode = cx.string("auto_pad", "NOTSET")?;
    let given = cx.list("pads").unwrap_or_else(|| vec![0; 2 * rank]);
    if given.len() != 2 * rank {
        return Err(cx.wrong(format!("{} pads for {rank} dimensions", given.len())));
    }
    let wanted = cx.list("output_shape").map(|list| list[list.len().saturating_sub(rank)..].to_vec());
    let mut pads = Vec::new();
    for k in 0..rank {
        let full = syms.add(
            syms.mul_const(syms.add_const(shape[k + 2], -1), strides[k]),
            syms.add_const(syms.mul_const(syms.add_const(kernel[k], -1), dilations[k]), more[k]),
        );
        let full = syms.add_const(full, 1);
        let want = match (&wanted, &mode[..]) {
            (Some(list), _) => {
                Some(syms.constant(*list.get(k).ok_or_else(|| cx.wrong("`output_shape` is too short"))?))
            }
            (None, "SAME_UPPER" | "SAME_LOWER") => Some(syms.mul_const(shape[k + 2], strides[k])),
            _ => None,
        };
        pads.push(match want {
            Some(want) => {
                let all = syms.sub(full, want);
                let half = syms.floordiv(all, syms.constant(2));
                let rest = syms.sub(all, half);
                if mode == "SAME_UPPER" { (half, rest) } else { (rest, half) }
            }
            None if mode == "VALID" => (syms.constant(0), syms.constant(0)),
            None => (syms.constant(given[k]), syms.constant(given[k + rank])),
        });
    }
    let windows = Windows { kernel, strides, dilations, pads };
    let symmetric = windows.symmetric(cx);
    let whole = symmetric.is_some();
    let args = [
        Arg::Value(x),
        Arg::Value(weight),
        bias,
        cx.int_list(&windows.strides),
        cx.int_list(&symmetric.unwrap_or_else(|| vec![0; rank])),
        cx.int_list(&windows.dilations),
        cx.int_list(&more),
        cx.int(cx.attr_or("group", 1)),
    ];
    let mut value = cx.call("convolution($0, $1, $2, $3, $4, $5, true, $6, $7)", &args)?;
    if !whole {
        let cut: Vec<SymInt> = windows.pads_list().iter().map(|p| syms.neg(*p)).collect();
        value = cx.call("constant_pad_nd($0, $1)", &[Arg::Value(value), Arg::Ints(cut)])?;
    }
    cx.one(value)
}
