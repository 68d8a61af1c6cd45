//! How PyTorch lays out the result of `einsum`: operands are contracted two at a time, each pair as a batch of matrix products, whose
//! result is contiguous in the order batch, first operand's dimensions, second operand's.

use crate::meta::einsum::Einsum;
use crate::meta::{dense_strides, elementwise_strides};
use crate::types::{Dtype, SymArena, SymInt, TensorMeta, contiguous_strides, preserved_strides};

/// Strides of the result, and whether an operand was summed by itself before it was multiplied. `path` names two operands
/// for each product, among those that are left, and the product comes behind them. Without it, the first two are
/// multiplied, and the product comes before the others.
pub(super) fn strides(
    syms: &SymArena,
    parsed: &Einsum,
    metas: &[&TensorMeta],
    path: Option<&[(usize, usize)]>,
) -> (Vec<SymInt>, bool) {
    let mut summed_alone = false;
    let labels = Vec::from_iter(parsed.output.iter().chain(&parsed.summed).copied());
    let kept = parsed.output.len();
    let alone = metas.len() == 1;
    let mut operands: Vec<Operand> =
        parsed.operands.iter().zip(metas).map(|(own, meta)| Operand::new(syms, meta, own, &labels)).collect();
    // In how many operands a dimension that is summed is left.
    let one = |size: SymInt| syms.as_const(size) == Some(1);
    let mut left: Vec<usize> =
        (0..labels.len()).map(|d| operands.iter().filter(|o| !one(o.shape[d])).count()).collect();
    for product in 0..operands.len() - 1 {
        let (first, second) = path.map_or((0, 1), |pairs| pairs[product]);
        let b = operands.remove(second);
        let a = operands.remove(first);
        let (mut a, mut b, mut summed) = (a, b, Vec::new());
        for (d, left) in left.iter_mut().enumerate().skip(kept) {
            match (one(a.shape[d]), one(b.shape[d])) {
                (false, false) => {
                    *left -= 1;
                    if *left == 1 {
                        summed.push(d);
                        *left = 0;
                    }
                }
                (lacks, also) if *left == 1 && lacks != also => {
                    *left = 0;
                    summed_alone = true;
                    let of = if lacks { &mut b } else { &mut a };
                    of.shape[d] = syms.constant(1);
                    of.strides = contiguous_strides(syms, &of.shape);
                }
                _ => {}
            }
        }
        let made = a.times(syms, &b, &summed, labels.len() - kept);
        operands.insert(if path.is_some() { operands.len() } else { 0 }, made);
    }
    let Operand { shape, strides } = operands.remove(0);
    if alone && kept < labels.len() {
        return (contiguous_strides(syms, &shape[..kept]), true);
    }
    let (shape, strides) = (&shape[..kept], &strides[..kept]);
    // A tensor of its own has no gaps, though PyTorch's may be a view of an operand that has some.
    (preserved_strides(syms, shape, strides), summed_alone)
}

/// An operand with a dimension for each label, of size 1 where it has none.
struct Operand {
    shape: Vec<SymInt>,
    strides: Vec<SymInt>,
}

impl Operand {
    fn new(syms: &SymArena, meta: &TensorMeta, own: &[usize], labels: &[usize]) -> Operand {
        let one = syms.constant(1);
        let (mut shape, mut strides) = (vec![one; labels.len()], vec![one; labels.len()]);
        for (d, label) in labels.iter().enumerate() {
            let mut places = (0..own.len()).filter(|k| own[*k] == *label);
            if let Some(first) = places.next() {
                shape[d] = meta.shape[first];
                // A label that stands twice takes the diagonal.
                strides[d] = places.fold(meta.strides[first], |sum, k| syms.add(sum, meta.strides[k]));
            }
        }
        Operand { shape, strides }
    }

    fn meta(&self, syms: &SymArena) -> TensorMeta {
        let strides = self.strides.clone();
        TensorMeta { strides, ..TensorMeta::contiguous(syms, Dtype::Float32, self.shape.clone()) }
    }

    /// The product, with the dimensions `summed` of size 1; `contracted`: how many dimensions the result of all will lack.
    fn times(&self, syms: &SymArena, other: &Operand, summed: &[usize], contracted: usize) -> Operand {
        let one = |size: SymInt| syms.as_const(size) == Some(1);
        let sizes = self.shape.iter().zip(&other.shape);
        let mut shape: Vec<SymInt> = sizes.map(|(a, b)| if one(*a) { *b } else { *a }).collect();
        if summed.is_empty() {
            let strides = elementwise_strides(syms, &shape, &[&self.meta(syms), &other.meta(syms)]);
            return Operand { shape, strides };
        }
        let (mut batch, mut rows, mut columns) = (Vec::new(), Vec::new(), Vec::new());
        for d in (0..shape.len()).filter(|d| !summed.contains(d)) {
            match (one(self.shape[d]), one(other.shape[d])) {
                (false, true) => rows.push(d),
                (true, false) => columns.push(d),
                _ => batch.push(d),
            }
        }
        // The operands change places where that spares a transposition.
        if let (Some(last), Some(first)) = (columns.last(), rows.first())
            && last < first
            && summed.len() == contracted
        {
            std::mem::swap(&mut rows, &mut columns);
        }
        for d in summed {
            shape[*d] = syms.constant(1);
        }
        let order = [batch, rows, summed.to_vec(), columns].concat();
        let strides = dense_strides(syms, &shape, &Vec::from_iter(order.into_iter().rev()));
        Operand { shape, strides }
    }
}
