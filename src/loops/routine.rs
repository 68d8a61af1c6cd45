//! A library's routine as a node: the values of its attributes, and its operands in its order.
//!
//! [`layout`] states the dtypes and sizes of operands of Litz's own library and of a host's operators. Lowering allocates results by it, and
//! the bounds proof compares the buffers of every node with it, because the routines take pointers alone.
//!
//! Deliberately absent: operands of a GPU's libraries, whose nodes are contractions until the schedule is made.

use super::BufferId;
use crate::plan::external::{self as by, Attributes};
use crate::types::{Dtype, SymArena, SymInt};

#[derive(Clone, Debug, PartialEq)]
pub struct Routine {
    pub attributes: Attributes<SymInt>,
    pub operands: Vec<BufferId>,
    /// It is run for what it does besides: once in each run, in the program's order.
    pub effect: bool,
}

impl Routine {
    /// One that does nothing but write its results.
    pub fn pure(attributes: Attributes<SymInt>, operands: Vec<BufferId>) -> Routine {
        Routine { attributes, operands, effect: false }
    }
    /// The operands that it reads.
    pub fn reads(&self) -> impl Iterator<Item = BufferId> + '_ {
        self.some(false)
    }
    /// Those that it writes.
    pub fn writes(&self) -> impl Iterator<Item = BufferId> + '_ {
        self.some(true)
    }
    fn some(&self, written: bool) -> impl Iterator<Item = BufferId> + '_ {
        let all = self.attributes.written();
        let operands = self.operands.iter().enumerate();
        operands.filter(move |(k, _)| all.contains(k) == written).map(|(_, b)| *b)
    }
}

/// The operands of a routine of Litz's own library, or of a host's operator.
pub struct Layout {
    /// How many matrices there are, in the leading dimensions of all operands. `None`: operands have dimensions of any number.
    pub batch: Option<SymInt>,
    /// Of each operand: its dtype, and the sizes of its last dimensions, which one element of the batch has. Without a batch the
    /// operand has as many elements as these sizes.
    pub operands: Vec<(Dtype, Vec<SymInt>)>,
}

/// `None`: the routine is another library's, or its attributes name no dtype.
pub fn layout(syms: &SymArena, attributes: &Attributes<SymInt>) -> Option<Layout> {
    if let Attributes::Host(call) = attributes {
        let one =
            |(dtype, sizes): (i32, &[SymInt])| Some((Dtype::from_number(dtype.into())?, sizes.to_vec()));
        let operands = call.operand_types()?.into_iter().map(one).collect::<Option<_>>()?;
        return Some(Layout { batch: None, operands });
    }
    let values = attributes.values();
    let own = Dtype::from_number(syms.as_const(*values[1])?)?;
    let (int, long) = (Dtype::Int32, Dtype::Int64);
    let operands = match attributes {
        Attributes::Product(_)
        | Attributes::Convolution(_)
        | Attributes::Transform(_)
        | Attributes::Host(_) => return None,
        Attributes::Cholesky(a) => vec![(own, vec![a.n, a.n]), (own, vec![a.n, a.n]), (int, vec![])],
        Attributes::TriangularSolve(a) => {
            vec![(own, vec![a.n, a.n]), (own, vec![a.n, a.columns]), (own, vec![a.n, a.columns])]
        }
        Attributes::Lu(a) => {
            let (matrix, few) = (vec![a.rows, a.columns], syms.min(a.rows, a.columns));
            vec![(own, matrix.clone()), (own, matrix), (int, vec![few]), (int, vec![])]
        }
        Attributes::LuSolve(a) => {
            let right = vec![a.n, a.columns];
            vec![(own, vec![a.n, a.n]), (int, vec![a.n]), (own, right.clone()), (own, right)]
        }
        Attributes::Permutation(a) => vec![(int, vec![a.pivots]), (long, vec![a.rows])],
        Attributes::Qr(a) => {
            let (matrix, few) = (vec![a.rows, a.columns], syms.min(a.rows, a.columns));
            vec![(own, matrix.clone()), (own, matrix), (own, vec![few])]
        }
        Attributes::Reflect(a) => {
            let other = vec![a.rows, a.columns];
            let factors = vec![a.rows, a.stored];
            vec![(own, factors), (own, vec![a.reflections]), (own, other.clone()), (own, other)]
        }
        Attributes::ReflectGradient(a) => {
            let (factors, tau) = ((own, vec![a.rows, a.stored]), (own, vec![a.reflections]));
            let other = (own, vec![a.rows, a.columns]);
            vec![factors.clone(), tau.clone(), other.clone(), other, factors, tau]
        }
        Attributes::Ldl(a) => {
            let matrix = (own, vec![a.n, a.n]);
            vec![matrix.clone(), matrix, (int, vec![a.n]), (int, vec![])]
        }
        Attributes::LdlSolve(a) => {
            let right = (own, vec![a.n, a.columns]);
            vec![(own, vec![a.n, a.n]), (int, vec![a.n]), right.clone(), right]
        }
        Attributes::Svd(a) => {
            let few = syms.min(a.rows, a.columns);
            let [lefts, rights] = if syms.as_const(a.full)? != 0 { [a.rows, a.columns] } else { [few; 2] };
            let matrix = vec![a.rows, a.columns];
            vec![(own, matrix), (own, vec![a.rows, lefts]), (own, vec![few]), (own, vec![rights, a.columns])]
        }
        Attributes::SingularValues(a) => {
            vec![(own, vec![a.rows, a.columns]), (own, vec![syms.min(a.rows, a.columns)])]
        }
        Attributes::Eigh(a) => vec![(own, vec![a.n, a.n]), (own, vec![a.n]), (own, vec![a.n, a.n])],
        Attributes::Eigenvalues(a) => vec![(own, vec![a.n, a.n]), (own, vec![a.n])],
        Attributes::Eig(a) => {
            let two = syms.constant(2);
            let vectors = vec![a.n, a.n, two];
            let matrix = if syms.as_const(a.pairs)? != 0 { vectors.clone() } else { vec![a.n, a.n] };
            vec![(own, matrix), (own, vec![a.n, two]), (own, vectors)]
        }
        Attributes::GeneralEigenvalues(a) => {
            let two = syms.constant(2);
            let matrix = if syms.as_const(a.pairs)? != 0 { vec![a.n, a.n, two] } else { vec![a.n, a.n] };
            vec![(own, matrix), (own, vec![a.n, two])]
        }
        Attributes::Exponential(a) => vec![(own, vec![a.n, a.n]), (own, vec![a.n, a.n])],
        Attributes::Fourier(a) => return fourier(syms, own, a),
    };
    let operands = if own.is_complex() { as_pairs(syms, attributes, own, operands) } else { operands };
    Some(Layout { batch: Some(*values[0]), operands })
}

/// Operands of complex numbers in memory: pairs of parts. Singular values and eigenvalues of Hermitian matrices have a real part alone.
fn as_pairs(
    syms: &SymArena,
    attributes: &Attributes<SymInt>,
    own: Dtype,
    operands: Vec<(Dtype, Vec<SymInt>)>,
) -> Vec<(Dtype, Vec<SymInt>)> {
    let values = match attributes {
        Attributes::Svd(_) => Some(2),
        Attributes::SingularValues(_) | Attributes::Eigh(_) | Attributes::Eigenvalues(_) => Some(1),
        _ => None,
    };
    let one = |(k, (dtype, mut sizes)): (usize, (Dtype, Vec<SymInt>))| {
        if dtype == own && values != Some(k) {
            sizes.push(syms.constant(2));
        }
        (if dtype == own { own.part() } else { dtype }, sizes)
    };
    operands.into_iter().enumerate().map(one).collect()
}

fn fourier(syms: &SymArena, own: Dtype, a: &by::Fourier<SymInt>) -> Option<Layout> {
    let (pair, half) = (syms.constant(2), syms.add_const(syms.floordiv(a.n, syms.constant(2)), 1));
    let numbers = (own, vec![a.outer, a.n, a.inner]);
    let pairs = |points| (own, vec![a.outer, points, a.inner, pair]);
    let operands = match syms.as_const(a.kind)? {
        2 => vec![numbers, pairs(half)],
        3 => vec![pairs(half), numbers],
        _ => vec![pairs(a.n), pairs(a.n)],
    };
    Some(Layout { batch: None, operands })
}
