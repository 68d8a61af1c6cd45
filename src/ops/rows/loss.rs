//! Losses, distances and norms.

macro_rules! loss_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::algebra_rows! { $callback [
            $($rows)*
            MseLoss "aten.mse_loss.default" "(Tensor self, Tensor target, int reduction=1) -> Tensor" Composite [] meta(loss) decompose(mse_loss);
            L1Loss "aten.l1_loss.default" "(Tensor self, Tensor target, int reduction=1) -> Tensor" Composite [no_wide_unsigned] meta(l1_loss) decompose(l1_loss);
            SmoothL1Loss "aten.smooth_l1_loss.default" "(Tensor self, Tensor target, int reduction=1, float beta=1.) -> Tensor" Composite [] meta(loss) decompose(smooth_l1_loss);
            HuberLoss "aten.huber_loss.default" "(Tensor self, Tensor target, int reduction=1, float delta=1.) -> Tensor" Composite [] meta(huber_loss) decompose(huber_loss);
            BinaryCrossEntropy "aten.binary_cross_entropy.default" "(Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> Tensor" Composite [] meta(binary_cross_entropy) decompose(binary_cross_entropy) grad(binary_cross_entropy);
            BinaryCrossEntropyWithLogits "aten.binary_cross_entropy_with_logits.default" "(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int reduction=1) -> Tensor" Composite [] meta(binary_cross_entropy_with_logits) decompose(binary_cross_entropy_with_logits);
            KlDiv "aten.kl_div.default" "(Tensor self, Tensor target, int reduction=1, *, bool log_target=False) -> Tensor" Composite [floats] meta(kl_div) decompose(kl_div);
            MarginRankingLoss "aten.margin_ranking_loss.default" "(Tensor input1, Tensor input2, Tensor target, float margin=0., int reduction=1) -> Tensor" Composite [no_wide_unsigned] meta(margin_loss) decompose(margin_ranking_loss);
            HingeEmbeddingLoss "aten.hinge_embedding_loss.default" "(Tensor self, Tensor target, float margin=1., int reduction=1) -> Tensor" Composite [no_wide_unsigned] meta(hinge_embedding_loss) decompose(hinge_embedding_loss);
            SoftMarginLoss "aten.soft_margin_loss.default" "(Tensor self, Tensor target, int reduction=1) -> Tensor" Composite [] meta(soft_margin_loss) decompose(soft_margin_loss);
            PoissonNllLoss "aten.poisson_nll_loss.default" "(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> Tensor" Composite [] meta(poisson_nll_loss) decompose(poisson_nll_loss);
            TripletMarginLoss "aten.triplet_margin_loss.default" "(Tensor anchor, Tensor positive, Tensor negative, float margin=1., float p=2., float eps=1e-6, bool swap=False, int reduction=1) -> Tensor" Composite [no_wide_unsigned] meta(triplet_margin_loss) decompose(triplet_margin_loss);
            CosineEmbeddingLoss "aten.cosine_embedding_loss.default" "(Tensor input1, Tensor input2, Tensor target, float margin=0., int reduction=1) -> Tensor" Composite [] meta(cosine_embedding_loss) decompose(cosine_embedding_loss);
            MultiMarginLoss "aten.multi_margin_loss.default" "(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, int reduction=1) -> Tensor" Composite [full_floats] meta(multi_margin_loss) decompose(multi_margin_loss);
            MultilabelMarginLoss "aten.multilabel_margin_loss.default" "(Tensor self, Tensor target, int reduction=1) -> Tensor" Composite [full_floats] meta(multilabel_margin_loss) decompose(multilabel_margin_loss);
            NllLoss "aten.nll_loss.default" "(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) -> Tensor" Composite [] meta(nll_loss) decompose(nll_loss);
            NllLossNd "aten.nll_loss_nd.default" "(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) -> Tensor" Composite [] meta(nll_loss) decompose(nll_loss);
            NllLoss2d "aten.nll_loss2d.default" "(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) -> Tensor" Composite [] meta(nll_loss) decompose(nll_loss);
            NllLossForward "aten.nll_loss_forward.default" "(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) -> (Tensor output, Tensor total_weight)" Composite [] meta(nll_loss_forward) decompose(nll_loss_forward);
            NllLoss2dForward "aten.nll_loss2d_forward.default" "(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) -> (Tensor output, Tensor total_weight)" Composite [] meta(nll_loss_forward) decompose(nll_loss_forward);
            CrossEntropyLoss "aten.cross_entropy_loss.default" "(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100, float label_smoothing=0.) -> Tensor" Composite [] meta(cross_entropy_loss) decompose(cross_entropy_loss);
            CtcLoss "aten._ctc_loss.Tensor" "(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, bool zero_infinity=False) -> (Tensor, Tensor)" Composite [full_floats] meta(ctc_loss) decompose(ctc_loss) grad(ctc_loss);
            CosineSimilarity "aten.cosine_similarity.default" "(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor" Composite [] meta(cosine_similarity) decompose(cosine_similarity);
            PairwiseDistance "aten.pairwise_distance.default" "(Tensor x1, Tensor x2, float p=2., float eps=1e-6, bool keepdim=False) -> Tensor" Composite [no_wide_unsigned] meta(pairwise_distance) decompose(pairwise_distance);
            Cdist "aten.cdist.default" "(Tensor x1, Tensor x2, float p=2., int? compute_mode=None) -> Tensor" Composite [full_floats] meta(cdist) decompose(cdist);
            CdistForward "aten._cdist_forward.default" "(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor" Composite [full_floats] meta(cdist) decompose(cdist);
            Pdist "aten.pdist.default" "(Tensor self, float p=2.) -> Tensor" Composite [full_floats] meta(pdist) decompose(pdist);
            PdistForward "aten._pdist_forward.default" "(Tensor self, float p=2.) -> Tensor" Composite [full_floats] meta(pdist) decompose(pdist);
            Dist "aten.dist.default" "(Tensor self, Tensor other, Scalar p=2) -> Tensor" Composite [] meta(dist) decompose(dist);
            LinalgVectorNorm "aten.linalg_vector_norm.default" "(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor" Composite [] meta(vector_norm) decompose(vector_norm) grad(vector_norm);
            NormScalar "aten.norm.Scalar" "(Tensor self, Scalar p=2) -> Tensor" Composite [] meta(norm) decompose(norm) grad(vector_norm);
            NormScalarOptDim "aten.norm.ScalarOpt_dim" "(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor" Composite [] meta(norm) decompose(norm) grad(vector_norm);
            NormScalarOptDimDtype "aten.norm.ScalarOpt_dim_dtype" "(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype) -> Tensor" Composite [] meta(norm) decompose(norm);
            NormScalarOptDtype "aten.norm.ScalarOpt_dtype" "(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor" Composite [] meta(norm) decompose(norm);
            LinalgNorm "aten.linalg_norm.default" "(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor" Composite [] meta(linalg_norm) decompose(linalg_norm);
            LinalgNormOrdStr "aten.linalg_norm.ord_str" "(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor" Composite [] meta(linalg_norm) decompose(linalg_norm);
            LinalgMatrixNorm "aten.linalg_matrix_norm.default" "(Tensor self, Scalar ord, int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor" Composite [] meta(linalg_norm) decompose(linalg_matrix_norm);
            LinalgMatrixNormStrOrd "aten.linalg_matrix_norm.str_ord" "(Tensor self, str ord='fro', int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor" Composite [] meta(linalg_norm) decompose(linalg_matrix_norm);
            FrobeniusNormDim "aten.frobenius_norm.dim" "(Tensor self, int[1] dim, bool keepdim=False) -> Tensor" Composite [] meta(linalg_norm) decompose(frobenius_norm);
            Renorm "aten.renorm.default" "(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor" Composite [inplace] meta(renorm) decompose(renorm);
        ] }
    };
}
pub(crate) use loss_rows;
