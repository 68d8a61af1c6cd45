//! Complex numbers as pairs of real ones.
//!
//! [`split`] rewrites a functional graph so that no operator computes with complex numbers: each complex value becomes its real and its
//! imaginary part, which are tensors like any other, so that they fuse, run on every backend and are differentiated like any
//! other. The gradient of a pair by both of its parts is PyTorch's gradient of the complex number.
//!
//! Complex values remain only at the boundary: as inputs, constants and outputs, as operands of subgraphs, and as operands and results
//! of routines of linear algebra. `aten.view_as_real` and `aten.view_as_complex` lead across it; lowering gives both the same memory. A value is
//! held as two parts, or as one tensor with a last dimension of 2, or as both, whichever was asked for.
//!
//! Invariants: a graph without complex numbers is not rebuilt; splitting a graph twice changes nothing more; inputs, constants, outputs,
//! writes, guards, symbols and names are kept. A real operand counts as a complex one without imaginary part, which is not multiplied by.
//!
//! Deliberately absent: which operators take complex numbers (`ops::complex`), and complex32.

mod context;
mod eigen;
mod fourier;
mod functions;
mod parts;
mod pointwise;
mod product;
mod reduction;
mod storage;

use super::{DecomposeError, Kernels, Own, Rules, round};
use crate::base::{SideMap, Status};
use crate::ir::{Arg, Graph, Node, OutputValue, Shared, Value, ValueData, Write, each_graph};
use crate::meta::MetaError;
use crate::ops::{Class, Complex, OpId};
use context::{Held, Split};

type Results = Result<Vec<Held>, DecomposeError>;
type Rule = fn(&mut Split<'_, '_>) -> Results;

/// Whether a node has complex operands or results, or is defined by complex numbers.
pub(super) fn is_complex(graph: &Graph, node: &Node) -> bool {
    let mut values = node.args.iter().flat_map(Arg::values).chain(node.outputs.iter().copied());
    node.op.class() == Class::Spectral
        || values.any(|v| graph.meta(v).dtype.is_complex())
        || node.args.iter().any(|a| matches!(a, Arg::Complex(_)))
}

/// Whether something in the graph computes with complex numbers.
pub fn computes(graph: &Graph) -> bool {
    let leads = |op: OpId| {
        matches!(op, OpId::ViewAsReal | OpId::ViewAsComplex)
            || op.class() == Class::Control
            || op.complex() == Complex::Whole
    };
    let own = |graph: &Graph| {
        let mut nodes = graph.order.iter().map(|id| &graph.nodes[*id]);
        nodes.any(|node| !leads(node.op) && is_complex(graph, node))
    };
    // Each graph once, however many ways lead to it.
    own(graph) || each_graph(graph).into_iter().any(|(inner, _)| own(inner))
}

/// The graph without operators on complex numbers; `None` where there are none.
pub fn split(graph: &Graph) -> Result<Option<Graph>, DecomposeError> {
    if computes(graph) { split_with(&mut Shared::default(), graph).map(Some) } else { Ok(None) }
}

/// A graph that was made of another, and where the other's values are in it.
type Mapped = (Graph, SideMap<ValueData, Value>);

/// [`split`], and where each value of the graph is in the new one.
pub fn split_mapped(graph: &Graph) -> Result<Option<Mapped>, DecomposeError> {
    if !computes(graph) {
        return Ok(None);
    }
    // As outputs, values are kept.
    let (mut given, count) = (graph.clone(), graph.outputs.len());
    let all: Vec<Value> = all_values(graph).collect();
    all.iter().for_each(|v| given.add_output("", OutputValue::Tensor(*v)));
    let mut new = split_with(&mut Shared::default(), &given)?;
    let mut places = SideMap::new();
    for (value, output) in all.into_iter().zip(new.outputs.split_off(count)) {
        if let OutputValue::Tensor(place) = output.value {
            places.insert(value, place);
        }
    }
    Ok(Some((new, places)))
}

/// The inputs and constants of a graph, and the results of its nodes.
pub fn all_values(graph: &Graph) -> impl Iterator<Item = Value> + '_ {
    let given = graph.inputs.iter().map(|i| i.value).chain(graph.constants.iter().map(|c| c.value));
    given.chain(graph.order.iter().flat_map(|id| graph.nodes[*id].outputs.iter().copied()))
}

fn split_with(shared: &mut Shared, graph: &Graph) -> Result<Graph, DecomposeError> {
    let mut current = graph.clone();
    current.map_subgraphs(shared, &mut split_with)?;
    // Composite operators first, down to operators with rules.
    let composites = Rules { host: &Default::default(), own: Own::Complex, kernels: Kernels::All };
    for _ in 0..super::MAX_ROUNDS {
        if !current.order.iter().any(|id| composites.cover(&current, &current.nodes[*id])) {
            return rebuilt(&current);
        }
        current = round(&current, composites)?.0;
    }
    Err(MetaError::new(Status::Internal, "graph", "the decomposition of complex operators does not end"))
}

/// True for a composite that is taken apart before complex numbers are.
pub(super) fn is_composite(graph: &Graph, node: &Node) -> bool {
    node.op.complex() == Complex::Composite && is_complex(graph, node)
}

fn rebuilt(old: &Graph) -> Result<Graph, DecomposeError> {
    let mut new = old.new_subgraph(&old.name);
    new.guards = old.guards.clone();
    new.symbols = old.symbols.clone();
    new.results = old.results.clone();
    let mut held: SideMap<ValueData, Held> = SideMap::new();
    for input in &old.inputs {
        let value = new.add_input_like(input, old.meta(input.value).clone());
        held.insert(input.value, Held::Whole(value));
    }
    for constant in &old.constants {
        let value = new.add_constant_like(constant, old.meta(constant.value).clone());
        held.insert(constant.value, Held::Whole(value));
    }
    for id in &old.order {
        let node = &old.nodes[*id];
        new.making = old.origins_of(*id);
        let results = match is_complex(old, node) {
            true => split_node(old, &mut new, node, &mut held).map_err(|e| e.at(&new.making))?,
            false => {
                let mut args = node.args.clone();
                args.iter_mut().for_each(|a| a.map_values(&mut |v| held[v].whole()));
                let metas = node.outputs.iter().map(|v| old.meta(*v).clone()).collect();
                let made = new.add_node(node.op, node.form, args, metas);
                new.nodes[made].outputs.iter().map(|v| Held::Whole(*v)).collect()
            }
        };
        for (before, after) in node.outputs.iter().zip(results) {
            if let (Some(name), Held::Whole(value)) = (&old.values[*before].name, after)
                && new.values[value].name.is_none()
            {
                new.values[value].name = Some(name.clone());
            }
            held.insert(*before, after);
        }
    }
    new.making = Vec::new();
    for output in &old.outputs {
        let value = match output.value {
            OutputValue::Tensor(v) => OutputValue::Tensor(context::whole(&mut new, &mut held, v)?),
            number => number,
        };
        new.add_output(&output.name, value);
        if let Some(last) = new.outputs.last_mut() {
            (last.alias, last.shown) = (output.alias, output.shown.clone());
        }
    }
    for write in &old.writes {
        let value = context::whole(&mut new, &mut held, write.value)?;
        new.writes.push(Write { value, ..*write });
    }
    Ok(new)
}

fn split_node(
    old: &Graph,
    new: &mut Graph,
    node: &Node,
    held: &mut SideMap<ValueData, Held>,
) -> Result<Vec<Held>, DecomposeError> {
    if node.op.class() == Class::Control || node.op.complex() == Complex::Whole {
        return on_wholes(old, new, node, held);
    }
    let rule = match node.op.complex() {
        Complex::Parts => Some(parts::each as Rule),
        Complex::Rule => rule_of(node.op),
        _ => None,
    };
    let Some(rule) = rule else {
        return Err(MetaError::new(Status::Unsupported, node.name(), "takes no complex numbers"));
    };
    // A rule asks for its complex operands by name.
    let real = |a: &Arg| match a {
        Arg::Value(v) if old.meta(*v).dtype.is_complex() => Arg::None,
        Arg::Value(v) => Arg::Value(held[*v].whole()),
        Arg::Values(_) => Arg::None,
        other => other.clone(),
    };
    let args: Vec<Arg> = node.args.iter().map(real).collect();
    let mut split = Split::new(old, new, node, &args, held);
    let results = rule(&mut split)?;
    if split.unknown_float.get() {
        return Err(split.unsupported("an argument is a float known only at run time"));
    }
    split.finish(results)
}

/// A node that runs graphs, or that a routine computes, takes and gives complex values as they are.
fn on_wholes(
    old: &Graph,
    new: &mut Graph,
    node: &Node,
    held: &mut SideMap<ValueData, Held>,
) -> Result<Vec<Held>, DecomposeError> {
    let mut wholes: SideMap<ValueData, Value> = SideMap::new();
    for value in node.args.iter().flat_map(Arg::values) {
        wholes.insert(value, context::whole(new, held, value)?);
    }
    let mut args = node.args.clone();
    args.iter_mut().for_each(|a| a.map_values(&mut |v| wholes[v]));
    let metas = node.outputs.iter().map(|v| old.meta(*v).clone()).collect();
    let made = new.add_node(node.op, node.form, args, metas);
    Ok(new.nodes[made].outputs.iter().map(|v| Held::Whole(*v)).collect())
}

/// The rule of an operator with one of its own.
fn rule_of(op: OpId) -> Option<Rule> {
    use OpId::*;
    Some(match op {
        ViewAsReal | ViewAsRealCopy => storage::view_as_real,
        ViewAsComplex | ViewAsComplexCopy => storage::view_as_complex,
        Real => storage::real,
        Imag => storage::imag,
        Conj | UnderscoreConj | ConjPhysical | UnderscoreConjPhysical | ConjCopy => storage::conj,
        NegView | NegViewCopy => storage::neg,
        MH | Adjoint | MatrixH => storage::adjoint,
        AsStrided | AsStridedCopy => storage::as_strided,
        AsStridedScatter => storage::as_strided_scatter,
        ViewDtype | ViewCopyDtype => storage::view_dtype,
        ToDtype
        | ToDevice
        | ToDtypeLayout
        | ToOther
        | ToCopy
        | TypeAs
        | Clone
        | Contiguous
        | PrimsConvertElementType => storage::convert,
        Copy => storage::copy,
        ComplexDefault => storage::complex,
        Polar => storage::polar,
        Ones | NewOnes | OnesLike | Eye | EyeM => storage::ones,

        AddTensor | AddScalar => pointwise::add,
        SubTensor | SubScalar | SubtractTensor | SubtractScalar => pointwise::sub,
        RsubTensor | RsubScalar => pointwise::rsub,
        MulTensor | MulScalar | MultiplyTensor | MultiplyScalar => pointwise::mul,
        DivTensor | DivScalar | DivideTensor | DivideScalar | TrueDivideTensor | TrueDivideScalar
        | DivTensorMode | DivScalarMode => pointwise::div,
        Addcmul => pointwise::addcmul,
        Addcdiv => pointwise::addcdiv,
        LerpScalar | LerpTensor => pointwise::lerp,
        EqTensor | EqScalar => pointwise::eq,
        NeTensor | NeScalar | NotEqualTensor | NotEqualScalar => pointwise::ne,
        Isclose => pointwise::isclose,
        Isnan => pointwise::isnan,
        Isinf => pointwise::isinf,
        Isfinite => pointwise::isfinite,
        Isreal => pointwise::isreal,
        LogicalNot => pointwise::logical_not,
        LogicalAnd | LogicalOr | LogicalXor => pointwise::logical,
        NanToNum => pointwise::nan_to_num,

        Abs | Absolute => functions::abs,
        Angle => functions::angle,
        Sgn => functions::sgn,
        Square => functions::square,
        Reciprocal => functions::reciprocal,
        Exp => functions::exp,
        Exp2 => functions::exp2,
        Expm1 => functions::expm1,
        Log => functions::log,
        Log2 => functions::log2,
        Log10 => functions::log10,
        Log1p => functions::log1p,
        Sin => functions::sin,
        Cos => functions::cos,
        Tan => functions::tan,
        Sinh => functions::sinh,
        Cosh => functions::cosh,
        Tanh => functions::tanh,
        Asin | Arcsin => functions::asin,
        Acos | Arccos => functions::acos,
        Atan | Arctan => functions::atan,
        Asinh | Arcsinh => functions::asinh,
        Acosh | Arccosh => functions::acosh,
        Atanh | Arctanh => functions::atanh,
        Sqrt => functions::sqrt,
        Rsqrt => functions::rsqrt,
        Sigmoid => functions::sigmoid,
        Silu => functions::silu,
        Sinc => functions::sinc,
        PowTensorTensor
        | PowScalar
        | PowTensorScalar
        | FloatPowerTensorTensor
        | FloatPowerTensorScalar
        | FloatPowerScalar => functions::pow,

        Prod | ProdDimInt => reduction::prod,
        Cumprod => reduction::cumprod,
        Any
        | AnyDim
        | AnyDims
        | All
        | AllDim
        | AllDims
        | CountNonzero
        | CountNonzeroDimIntList
        | NonzeroStatic => reduction::of_truth,
        Var | VarDim | VarCorrection | Std | StdDim | StdCorrection => reduction::variance,
        VarMean | VarMeanDim | VarMeanCorrection | StdMean | StdMeanDim | StdMeanCorrection => {
            reduction::variance_mean
        }
        Logsumexp => reduction::logsumexp,
        LinalgVectorNorm | NormScalar | NormScalarOptDim | NormScalarOptDimDtype | NormScalarOptDtype => {
            reduction::norm
        }
        LinalgNorm | LinalgNormOrdStr | LinalgMatrixNorm | LinalgMatrixNormStrOrd | FrobeniusNormDim => {
            reduction::norm_of_magnitudes
        }
        Dist => reduction::dist,
        Nansum => reduction::nansum,

        Mm | Bmm | Matmul | LinalgMatmul | Mv | Dot => product::product,
        Vdot => product::vdot,
        LinalgVecdot => product::vecdot,
        Linear => product::linear,
        Addmm | Baddbmm | Addmv => product::added,
        Addr => product::addr,

        FftC2c => fourier::c2c,
        FftR2c => fourier::r2c,
        FftC2r => fourier::c2r,
        LinalgEig | LinalgEigvals | UnderscoreLinalgEigvals => eigen::eig,
        LinalgMatrixExp => eigen::matrix_exp,
        Conv1d | Conv1dPadding | Conv2d | Conv2dPadding | Conv3d | Conv3dPadding | ConvTranspose1d
        | ConvTranspose2d | ConvTranspose3d => product::convolution,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
