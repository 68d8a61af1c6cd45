//! The keys of training programs.

use super::super::division::{Budget, Partitioner};
use super::Key;

pub const KEYS: &[Key] = &[
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
