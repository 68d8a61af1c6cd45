//! The keys of training programs and of precision.

use super::super::division::{Budget, Partitioner};
use super::Key;
use crate::types::Dtype;

pub const KEYS: &[Key] = &[
    Key {
        name: "amp",
        ty: "off | bfloat16 | float16",
        default: "off",
        meaning: "Mixed precision, as PyTorch's autocast has it: matrix products, convolutions and attention run in this dtype; losses, norms of tensors, powers and the like in float32; others in the floats that they are given. The lists are those of the backend's kind of device (docs/training.md). Inputs, parameters, outputs, and what a run writes back keep their dtypes. Regions of an exported program that set torch.autocast themselves stay as they are. A training program's gradients follow from the forward's dtypes, and are float32 for float32 parameters.",
        set: |o, v| {
            o.amp = match v {
                "off" => None,
                "bfloat16" => Some(Dtype::Bfloat16),
                "float16" => Some(Dtype::Float16),
                _ => return Err("it is off, bfloat16 or float16".into()),
            };
            Ok(())
        },
    },
    Key {
        name: "training.partitioner",
        ty: "default | min_cut | memory_efficient",
        default: "min_cut",
        meaning: "What the forward of a training program keeps for its backward. default: all that the backward reads of it. min_cut: the least bytes, by a minimum cut; what is as fast to compute as to read is computed again. memory_efficient: reductions and scans may be computed again, too. Values that go through litz.keep are kept, and what makes a value that goes through litz.recompute is computed again.",
        set: |o, v| {
            let found = Partitioner::ALL.into_iter().find(|p| p.name() == v);
            o.partitioner = found.ok_or("it is default, min_cut or memory_efficient")?;
            Ok(())
        },
    },
    Key {
        name: "training.budget",
        ty: "bytes, or a number from 0 to 1",
        default: "",
        meaning: "How much the forward of a training program may keep. Up to 1 it is a share: 1 is what it keeps without a budget, 0 as little as can be. Matrix products and the like are then computed again, those first that keep most bytes for their work. A smaller budget never has a higher peak; where that allows none that fits, the least is kept, and `partition` of litz_training_describe says that the budget is not met. Empty: no budget.",
        set: |o, v| {
            o.budget = match v {
                "" => None,
                v => Some(Budget::read(v).ok_or("it is a share from 0 to 1, or a whole number of bytes")?),
            };
            Ok(())
        },
    },
];
