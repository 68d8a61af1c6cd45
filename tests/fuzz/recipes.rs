//! What an operator's arguments look like where a call is to be taken: shapes that fit each other, dimensions that there
//! are, words that are known. Without it most calls would be refused at their first argument.
//!
//! What stands here need not be right: a call that does not fit must be refused in words.

use crate::calls::dtype;
use crate::common::contents::Content;
use crate::common::guarded::dense;
use crate::common::random::Random;
use litz::ops::{ArgBase, OpId};
use litz::types::Dtype;
use std::collections::HashMap;

/// Operators by the middle of their names, and the shapes of their tensors in the schema's order. A letter is a size; in
/// one call the same letter is the same size. `G` is as many times `h` as the cell has gates. `[…]` is a list.
const SHAPES: &[(&str, &str)] = &[
    ("conv1d", "ncl ock o"),
    ("conv2d", "nchw ockj o"),
    ("conv3d", "ncdhw ocikj o"),
    ("conv_transpose1d", "ncl cok o"),
    ("conv_transpose2d", "nchw cokj o"),
    ("conv_transpose3d", "ncdhw coikj o"),
    ("convolution _convolution", "nchw ockj o"),
    (
        "batch_norm instance_norm native_batch_norm _batch_norm_with_update _batch_norm_with_update_functional",
        "nchw c c c c",
    ),
    (
        "_native_batch_norm_legit _native_batch_norm_legit_functional _native_batch_norm_legit_no_training",
        "nchw c c c c",
    ),
    ("group_norm native_group_norm", "nchw c c"),
    ("layer_norm native_layer_norm rms_norm _fused_rms_norm", "ncw w w"),
    ("lstm", "tbi [1bh,1bh] [Gi,Gh,G,G]"),
    ("gru rnn_relu rnn_tanh", "tbi 1bh [Gi,Gh,G,G]"),
    ("lstm_cell", "bi [bh,bh] Gi Gh G G"),
    ("gru_cell rnn_relu_cell rnn_tanh_cell", "bi bh Gi Gh G G"),
    ("embedding", "vd bi"),
    ("embedding_bag _embedding_bag _embedding_bag_forward_only", "vd b o b"),
    ("embedding_renorm", "vd b"),
    ("grid_sampler grid_sampler_2d", "nchw nyx2"),
    ("grid_sampler_3d", "ncdhw nzyx3"),
    ("affine_grid_generator", "n23"),
    ("mm matmul linalg_matmul", "ab bc"),
    ("bmm", "nab nbc"),
    ("addmm _addmm_activation", "ac ab bc"),
    ("baddbmm", "nac nab nbc"),
    ("addbmm", "ac nab nbc"),
    ("addmv", "a ab b"),
    ("addr", "ab a b"),
    ("mv", "ab b"),
    ("dot vdot linalg_vecdot inner", "a a"),
    ("outer ger", "a b"),
    ("linear", "nab cb c"),
    ("linalg_multi_dot chain_matmul", "[ab,bc,cd]"),
    ("bilinear", "na nb cab c"),
    ("scaled_dot_product_attention _scaled_dot_product_flash_attention_for_cpu", "nhqe nhke nhkv qk"),
    ("_scaled_dot_product_flash_attention_for_cpu_backward", "nhqe nhqe nhke nhke nhqe nhq qk"),
    ("tensordot einsum", "ab bc"),
    ("cross linalg_cross", "n3 n3"),
    ("cdist _cdist_forward", "nap nbp"),
    ("pdist _pdist_forward", "ap"),
    ("nll_loss nll_loss_forward nll_loss_nd cross_entropy_loss multi_margin_loss", "nc n c"),
    ("nll_loss2d nll_loss2d_forward", "nchw nhw c"),
    ("cosine_embedding_loss", "nd nd n"),
    ("_weight_norm _weight_norm_interface", "ab a1"),
    ("index_select", "ab k"),
    ("index_add index_copy index_reduce", "ab a ab"),
    ("take", "ab k"),
    ("put", "ab k k"),
    ("searchsorted", "ab ac ab"),
    ("segment_reduce", "ab c c c"),
    ("im2col", "nchw"),
    ("max_unpool2d", "nchw nchw"),
    ("max_unpool3d", "ncdhw ncdhw"),
    ("pixel_shuffle channel_shuffle native_channel_shuffle", "n4hw"),
    ("pixel_unshuffle", "nc44"),
    ("max_pool1d max_pool1d_with_indices avg_pool1d adaptive_avg_pool1d adaptive_max_pool1d", "ncl"),
    (
        "max_pool2d max_pool2d_with_indices avg_pool2d adaptive_avg_pool2d adaptive_max_pool2d _adaptive_avg_pool2d",
        "nchw",
    ),
    (
        "max_pool3d max_pool3d_with_indices avg_pool3d adaptive_avg_pool3d adaptive_max_pool3d _adaptive_avg_pool3d",
        "ncdhw",
    ),
    (
        "upsample_linear1d upsample_nearest1d _upsample_nearest_exact1d reflection_pad1d replication_pad1d",
        "ncl",
    ),
    (
        "upsample_bilinear2d upsample_bicubic2d upsample_nearest2d _upsample_nearest_exact2d reflection_pad2d",
        "nchw",
    ),
    ("_upsample_bilinear2d_aa _upsample_bicubic2d_aa replication_pad2d", "nchw"),
    (
        "upsample_trilinear3d upsample_nearest3d _upsample_nearest_exact3d reflection_pad3d replication_pad3d",
        "ncdhw",
    ),
    ("fake_quantize_per_channel_affine", "ab a a"),
    ("cartesian_prod meshgrid", "[a,b]"),
    ("trace diag linalg_matrix_norm mH mT matrix_H adjoint t", "ab"),
    ("matrix_power linalg_matrix_power", "aa"),
    ("vander linalg_vander bincount combinations histc", "a a"),
    ("prelu", "ncl c"),
    ("_prelu_kernel", "ncl 1c1"),
    ("bucketize", "ab k"),
    ("quantile nanquantile", "ab k"),
    ("index_fill", "ab k ."),
    ("kron", "ab cd"),
];

/// The middle of an operator's name: `add` of `aten.add.Tensor`.
fn middle(op: OpId) -> &'static str {
    op.name().split('.').nth(1).unwrap_or_default()
}

/// What the arguments of one call have in common.
pub struct Scene {
    op: OpId,
    dtype: Dtype,
    /// Some tensors may have another dtype.
    mixed: bool,
    content: Content,
    /// The shape of most tensors.
    base: Vec<i64>,
    letters: HashMap<char, i64>,
    /// The shapes of tensors by argument; of a list, one for each.
    shapes: HashMap<&'static str, Vec<Vec<i64>>>,
    /// The shape of the first tensor so far.
    first: Option<Vec<i64>>,
}

impl Scene {
    pub fn new(op: OpId, only: Option<Dtype>, random: &mut Random) -> Scene {
        let rank = random.of(&[0, 1, 1, 2, 2, 2, 3, 3, 4, 5]);
        let base = (0..rank).map(|_| size(random)).collect();
        let content = match random.below(14) {
            0 => Content::Extreme,
            1..=3 => Content::Positive,
            _ => Content::Small,
        };
        let usual = only.unwrap_or_else(|| if random.once_in(2) { Dtype::Float32 } else { dtype(random) });
        let mut scene = Scene {
            op,
            dtype: usual,
            mixed: only.is_none(),
            content,
            base,
            letters: HashMap::new(),
            shapes: HashMap::new(),
            first: None,
        };
        let found = SHAPES.iter().find(|(names, _)| names.split(' ').any(|n| n == middle(op)));
        if let Some((_, recipe)) = found {
            let tensors = op.schema().args.iter().filter(|a| a.ty.base == ArgBase::Tensor);
            for (arg, item) in tensors.zip(recipe.split(' ')) {
                let parts = item.trim_matches(['[', ']']).split(',');
                let mut shapes: Vec<Vec<i64>> = parts.map(|p| scene.shape_of(p, random)).collect();
                shapes.reverse();
                scene.shapes.insert(arg.name.as_str(), shapes);
            }
        }
        scene
    }

    fn shape_of(&mut self, item: &str, random: &mut Random) -> Vec<i64> {
        let gates = match middle(self.op) {
            "lstm" | "lstm_cell" => 4,
            "gru" | "gru_cell" => 3,
            _ => 1,
        };
        item.chars().filter(|c| *c != '.').map(|c| self.letter(c, gates, random)).collect()
    }
    fn letter(&mut self, letter: char, gates: i64, random: &mut Random) -> i64 {
        if let Some(digit) = letter.to_digit(10) {
            return digit.into();
        }
        if letter == 'G' {
            return gates * self.letter('h', gates, random);
        }
        if let Some(size) = self.letters.get(&letter) {
            return *size;
        }
        let size = match letter {
            _ if random.once_in(20) => 0,
            _ if random.once_in(12) => 1,
            'h' | 'w' | 'l' => random.within(1, 9),
            'i' | 'j' | 'k' => random.within(1, 4),
            _ => random.within(1, 6),
        };
        self.letters.insert(letter, size);
        size
    }

    /// Shape, dtype and content of one tensor.
    pub fn tensor(&mut self, name: &str, random: &mut Random) -> (Vec<i64>, Dtype, Content) {
        let from_recipe = self.shapes.get_mut(name).and_then(Vec::pop);
        let shape = match from_recipe {
            Some(shape) if !random.once_in(15) => self.altered(shape, random),
            _ if self.first.is_none() => self.base.clone(),
            _ => self.related(random),
        };
        let known = self.first.get_or_insert_with(|| shape.clone());
        let bound = known.iter().copied().filter(|n| *n > 0).min().unwrap_or(1);
        let loss = middle(self.op).contains("nll") || middle(self.op).contains("margin_loss");
        let loss = loss || middle(self.op) == "cross_entropy_loss";
        // A count, which is computed with: no class.
        let loss = loss && !middle(self.op).contains("poisson");
        let (usual, content) = match name {
            "index" | "indices" | "sorter" | "indices_or_sections" => (Dtype::Int64, Content::Index(bound)),
            "target" if loss => (Dtype::Int64, Content::Index(bound)),
            "offsets" | "lengths" => (Dtype::Int64, Content::Ascending),
            "repeats" | "zero_point" => (Dtype::Int64, Content::Index(4)),
            "mask" | "condition" | "pred" => (Dtype::Bool, Content::Small),
            "boundaries" | "sorted_sequence" => (self.dtype, Content::Ascending),
            _ => (self.dtype, self.content),
        };
        let dtype = match name {
            _ if self.mixed && random.once_in(14) => dtype(random),
            "index" | "indices" if random.once_in(8) => random.of(&[Dtype::Int32, Dtype::Bool, Dtype::Uint8]),
            _ => usual,
        };
        (shape, dtype, content)
    }

    /// The shape, sometimes without its first dimension, or with one more.
    fn altered(&self, mut shape: Vec<i64>, random: &mut Random) -> Vec<i64> {
        match random.below(40) {
            0 if !shape.is_empty() => drop(shape.remove(0)),
            1 => shape.insert(0, size(random)),
            2 if !shape.is_empty() => {
                let at = random.below(shape.len());
                shape[at] = size(random);
            }
            _ => {}
        }
        shape
    }

    /// A shape that may go with the first one.
    fn related(&self, random: &mut Random) -> Vec<i64> {
        let mut shape = self.first.clone().unwrap_or_default();
        match random.below(20) {
            0 => Vec::new(),
            1 => (0..random.below(4)).map(|_| size(random)).collect(),
            2..=4 if !shape.is_empty() => {
                let at = random.below(shape.len());
                shape[at] = 1;
                shape
            }
            5 | 6 if !shape.is_empty() => shape.split_off(random.below(shape.len())),
            7 if !shape.is_empty() => {
                let at = random.below(shape.len());
                shape[at] = size(random);
                shape
            }
            8 => {
                shape.insert(0, random.within(1, 4));
                shape
            }
            _ => shape,
        }
    }

    pub fn list_length(&self, random: &mut Random) -> usize {
        let of_recipe = self.shapes.values().map(Vec::len).max().filter(|n| *n > 1);
        of_recipe.unwrap_or_else(|| random.of(&[1, 2, 2, 3, 3, 0]))
    }

    fn rank(&self) -> i64 {
        self.first.as_ref().unwrap_or(&self.base).len() as i64
    }

    /// One integer.
    pub fn int(&self, name: &str, random: &mut Random) -> i64 {
        let letter = |l: char| self.letters.get(&l).copied();
        match name {
            _ if is_dim(name) && !random.once_in(15) => {
                random.within(-self.rank().max(1), self.rank().max(1))
            }
            "reduction" | "mode" | "interpolation_mode" | "padding_mode" => random.within(0, 3),
            "groups" | "num_groups" | "group" => random.of(&[1, 1, 1, 2]),
            "num_layers" => 1,
            "N" => letter('n').unwrap_or(2),
            "C" => letter('c').unwrap_or(2),
            "HxW" => letter('h').unwrap_or(2) * letter('w').unwrap_or(2),
            "upscale_factor" | "downscale_factor" => random.of(&[1, 2, 2]),
            "padding_idx" | "ignore_index" => random.of(&[-1, 0, 1, -100]),
            "quant_min" => 0,
            "quant_max" => 255,
            _ if random.once_in(6) => random.within(-3, 0),
            _ => random.within(0, 5),
        }
    }

    /// A list of integers.
    pub fn ints(&self, name: &str, length: Option<usize>, random: &mut Random) -> Vec<i64> {
        let shape = self.first.as_ref().unwrap_or(&self.base);
        let free = length.unwrap_or_else(|| random.below(4));
        // One number may stand for all of them.
        let count = if length.is_some() && random.once_in(6) { 1 } else { free };
        let spatial = if self.op.name().contains("onvolution") { 2 } else { count };
        let each =
            |low, high, n: usize, random: &mut Random| (0..n).map(|_| random.within(low, high)).collect();
        match name {
            "kernel_size" => each(1, 4, count, random),
            "stride" if middle(self.op).contains("strided") => dense(&self.strided(random)),
            "stride" if random.once_in(4) && !self.op.name().contains("conv") => Vec::new(),
            "stride" | "dilation" => each(1, 3, spatial, random),
            "padding" | "output_padding" => each(0, 2, spatial, random),
            "output_size" => each(1, 7, count, random),
            "normalized_shape" => shape[shape.len().saturating_sub(1)..].to_vec(),
            "pad" => each(-1, 3, 2 * random.within(1, self.rank().max(1) + 1) as usize, random),
            "padding1" => each(0, 3, free, random),
            "size" | "sizes" | "shape" => self.sizes(random),
            "split_sizes" => {
                let total = shape.first().copied().unwrap_or(0);
                let part = random.within(0, total + 1);
                vec![part, total - part]
            }
            "repeats" => each(0, 3, self.rank() as usize + random.below(2), random),
            _ if name.starts_with("dim") && !random.once_in(12) => {
                let mut dims: Vec<i64> = (0..self.rank()).filter(|_| random.once_in(2)).collect();
                if middle(self.op).starts_with("permute") || middle(self.op).contains("physical") {
                    dims = (0..self.rank()).collect();
                    let by = random.below(dims.len().max(1));
                    dims.rotate_left(by);
                }
                for d in &mut dims {
                    *d -= if random.once_in(4) { self.rank() } else { 0 };
                }
                dims
            }
            _ => each(-1, 4, count, random),
        }
    }

    /// A shape of the same number of elements, or one that the first shape expands to, or any.
    fn sizes(&self, random: &mut Random) -> Vec<i64> {
        let mut shape = self.first.clone().unwrap_or_else(|| self.base.clone());
        match random.below(8) {
            0 => return self.strided(random),
            1 => return vec![-1],
            2 => shape.reverse(),
            3 if shape.len() > 1 => {
                let last = shape.remove(shape.len() - 1);
                if let Some(s) = shape.last_mut() {
                    *s *= last;
                }
            }
            4 if !shape.is_empty() => {
                let at = random.below(shape.len());
                shape[at] = -1;
            }
            5 => shape.insert(0, random.within(0, 4)),
            6 => shape.iter_mut().filter(|n| **n == 1).for_each(|n| *n = random.within(1, 4)),
            _ => {}
        }
        shape
    }
    /// A shape that a view of the first tensor's storage may have.
    fn strided(&self, random: &mut Random) -> Vec<i64> {
        let mut left: i64 = self.first.as_ref().unwrap_or(&self.base).iter().product();
        let mut shape = Vec::new();
        while left > 0 && shape.len() < 3 {
            let size = random.within(1, left.min(5) + 1);
            shape.push(size);
            left /= size;
        }
        shape
    }

    pub fn truth(&self, name: &str, random: &mut Random) -> bool {
        match name {
            "has_biases" => !random.once_in(8),
            "train" | "training" | "bidirectional" | "sparse" => random.once_in(4),
            _ => random.once_in(2),
        }
    }
}

fn is_dim(name: &str) -> bool {
    name.contains("dim")
        || matches!(name, "axis" | "source" | "destination" | "dimension" | "axis0" | "axis1")
}

fn size(random: &mut Random) -> i64 {
    random.of(&[0, 1, 1, 2, 2, 3, 3, 4, 5, 7, 9, 17])
}

/// A word that an argument takes.
pub fn string(op: OpId, name: &str, random: &mut Random) -> String {
    let words: &[&str] = match (middle(op), name) {
        (_, "rounding_mode") => &["trunc", "floor"],
        (_, "approximate") => &["none", "tanh"],
        ("segment_reduce", _) => &["sum", "mean", "max", "min", "prod"],
        ("scatter", "reduce") => &["add", "multiply"],
        (_, "reduce") => &["sum", "prod", "mean", "amax", "amin"],
        ("pad", "mode") => &["constant", "reflect", "replicate", "circular"],
        (_, "padding") => &["valid", "same"],
        (_, "interpolation") => &["linear", "lower", "higher", "midpoint", "nearest"],
        (_, "indexing") => &["ij", "xy"],
        (_, "side") => &["left", "right"],
        (_, "ord") => &["fro", "nuc"],
        (_, "equation") => {
            &["ab,bc->ac", "ab,bc", "ab,bc->", "aa,bc->a", "...a,ac->...c", "ij->ji", "a,b->ab"]
        }
        _ => &["x"],
    };
    if random.once_in(40) {
        random.of(&["", "none", "sum", "\u{e9}", "a b"]).into()
    } else {
        random.of(words).into()
    }
}
