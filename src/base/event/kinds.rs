//! The table of events: the channel and level of each kind, its keys, and their meanings.

use super::Channel;

/// One kind of event.
pub struct Kind {
    pub name: &'static str,
    pub channel: Channel,
    /// Of the log: 0 error, 1 warning, 2 information, 3 debugging.
    pub level: i32,
    pub meaning: &'static str,
    pub keys: &'static [(&'static str, &'static str)],
}

/// The keys that every event has besides.
pub const COMMON_KEYS: [(&str, &str); 5] = [
    ("event", "Its name."),
    (
        "compile",
        "The compilation, or the opening of an artifact, numbered from 1 in a process; 0 outside of any. What runs tell has the number of their program.",
    ),
    (
        "graph",
        "The graph that is compiled: equal numbers are graphs that were made of one another by cloning. Both halves of a training program have the number of its graph; an artifact that is opened has a number of its own.",
    ),
    ("time", "Seconds since the process's first event."),
    ("thread", "The thread that tells it, numbered in a process."),
];

/// Every event, in the order of [`Event`].
pub const KINDS: [Kind; 17] = [
    Kind {
        name: "compile_begin",
        channel: Channel::Stages,
        level: 3,
        meaning: "A compilation begins.",
        keys: &[
            ("name", "The graph's name."),
            ("backend", "The option `backend`."),
            ("nodes", "The graph's nodes."),
            ("constants", "Its parameters, buffers and constants."),
            ("options", "The options that were set and that shape the program."),
        ],
    },
    Kind {
        name: "stage",
        channel: Channel::Stages,
        level: 3,
        meaning: "A stage of the pipeline ended. A training program's forward begins with the stages of both halves: `pre_grad`, `functionalize`, `differentiate`, `decompose`, `joint`, `passes` and `divide`. `pre_grad`, `joint` and `post_grad` are a host's passes, where there are any. `open` is the one stage of an artifact that is opened.",
        keys: &[("stage", "Its name, as in `compile_seconds`."), ("seconds", "How long it took.")],
    },
    Kind {
        name: "pass",
        channel: Channel::Stages,
        level: 3,
        meaning: "A pass over the decomposed graph, or over a graph that one of its nodes runs, ended.",
        keys: &[
            ("pass", "Its name."),
            ("subgraph", "The name of the graph that a node runs; null for the program's own."),
            ("nodes", "The number of nodes before and after."),
            ("removed", "Operators that occur less often now, each with the difference."),
            ("added", "Operators that occur more often now, each with the difference."),
            ("seconds", "How long it took."),
        ],
    },
    Kind {
        name: "loop_pass",
        channel: Channel::Stages,
        level: 3,
        meaning: "A pass over the loops of a program, for one target, ended.",
        keys: &[
            ("pass", "Its name."),
            ("changed", "Whether it changed anything."),
            ("nodes", "The number of loop nests before and after."),
            ("seconds", "How long it took."),
        ],
    },
    Kind {
        name: "guard",
        channel: Channel::Guards,
        level: 3,
        meaning: "A condition on sizes that each run checks.",
        keys: &[
            ("condition", "The condition."),
            ("message", "The error message where it does not hold."),
            ("made_by", "`graph`: it came with the graph; `bounds`: the proof of an access needs it."),
        ],
    },
    Kind {
        name: "fused",
        channel: Channel::Fusion,
        level: 3,
        meaning: "A node joined the loops of others: they will be one kernel.",
        keys: &[
            ("operators", "The node's operators."),
            ("nodes", "The nodes of the program that it computes."),
            ("group", "Those that the group computes with it."),
        ],
    },
    Kind {
        name: "not_fused",
        channel: Channel::Fusion,
        level: 3,
        meaning: "A node did not join the group that computes its operands.",
        keys: &[
            ("operators", "The node's operators."),
            ("nodes", "The nodes of the program that it computes."),
            ("group", "Those that the group computes."),
            ("reason", "The reason."),
        ],
    },
    Kind {
        name: "kernel",
        channel: Channel::Kernels,
        level: 3,
        meaning: "A kernel of the program.",
        keys: &[
            ("kernel", "Its place in `kernels` of `litz_executable_describe`."),
            ("description", "The kernel: name, kind, stage, operators, nodes, modules and source."),
        ],
    },
    Kind {
        name: "memory",
        channel: Channel::Memory,
        level: 3,
        meaning: "The memory plan of intermediate results.",
        keys: &[
            ("arena_bytes", "The arena that they share; a text where sizes decide."),
            ("live_bytes", "The most that is in use at one time, at typical sizes."),
            ("scratch_bytes", "Workspace of each thread."),
            ("derived_bytes", "Buffers that are computed once from constants."),
            (
                "buffers",
                "Each with the first and the last of a run's `steps` that use it, `offset` and `bytes`, at typical sizes.",
            ),
            ("held_twice", "Constants that runs read in several copies: `constant`, `copies`, `because`."),
        ],
    },
    Kind {
        name: "cache",
        channel: Channel::Cache,
        level: 3,
        meaning: "A compilation looked for its products in the cache.",
        keys: &[
            (
                "what",
                "The contents of the entry: `kernels` for CPUs, `cubins`, or a GPU's `program` with the decisions of autotuning.",
            ),
            (
                "outcome",
                "`hit`, `miss`, `damaged` (it is made again), `fresh` (`cache.fresh`), or `none`: there is no cache.",
            ),
            ("level", "Where it was found: `memory`, `disk` or `remote`; null where it was not."),
            ("key", "The entry's key, as `cache_key` of `litz_executable_describe`."),
            ("bytes", "How much it holds."),
        ],
    },
    Kind {
        name: "candidate",
        channel: Channel::Autotune,
        level: 3,
        meaning: "Autotuning timed the program with another way to do a product or a convolution.",
        keys: &[
            ("product", "Which: its sizes, operands and operators."),
            ("way", "`library`, `own`, or the tile."),
            ("seconds", "The program's time with it."),
            ("usual_seconds", "The program's time as the rules make it."),
            ("chosen", "Whether it is the way that is taken."),
        ],
    },
    Kind {
        name: "cuda_graph",
        channel: Channel::CudaGraphs,
        level: 3,
        meaning: "A run was recorded as a CUDA graph, or runs are not recorded.",
        keys: &[
            ("outcome", "`recorded` or `skipped`."),
            ("runs", "How many runs were recorded so far, or done step by step."),
            ("reason", "Why it was skipped; null otherwise."),
        ],
    },
    Kind {
        name: "run",
        channel: Channel::Kernels,
        level: 3,
        meaning: "A run of a program that is profiled ended. Its kernels follow.",
        keys: &[
            ("runs", "How many there were so far."),
            ("replayed", "Whether a GPU replayed it as a CUDA graph."),
            ("seconds", "How long it took."),
        ],
    },
    Kind {
        name: "kernel_run",
        channel: Channel::Kernels,
        level: 3,
        meaning: "A kernel, or a copy, of a run that was profiled. In the file of `trace.file` it stands where it ran.",
        keys: &[
            ("kernel", "Its place in `kernels` of `litz_executable_describe`; null for a copy."),
            ("step", "The step of the run."),
            ("name", "Its name there, or `copy`."),
            ("bytes", "The bytes that it moved; null where that is not known."),
            ("flop", "Its floating-point operations; null where that is not known."),
            ("seconds", "How long it took."),
        ],
    },
    Kind {
        name: "fallback",
        channel: Channel::PerfHints,
        level: 1,
        meaning: "The program does not run where it was asked to.",
        keys: &[
            ("asked", "The option `backend`."),
            ("got", "The backend that is used."),
            ("because", "Why."),
        ],
    },
    Kind {
        name: "message",
        channel: Channel::PerfHints,
        level: 2,
        meaning: "Anything else that a user should know. Its level and channel are its own.",
        keys: &[
            ("level", "0 error, 1 warning, 2 information, 3 debugging."),
            ("channel", "The channel of the log."),
            ("text", "The message."),
        ],
    },
    Kind {
        name: "compile_end",
        channel: Channel::Stages,
        level: 3,
        meaning: "A compilation ended.",
        keys: &[
            ("seconds", "How long it took."),
            ("kernels", "The program's different kernels."),
            ("cache", "Where their code came from: `hit`, `miss` or `none`."),
            ("status", "0, or a `LITZ_ERROR_…`."),
            ("error", "The error; null where there was none."),
        ],
    },
];
