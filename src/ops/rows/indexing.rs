//! Indexing: gather, scatter, embedding, masked and advanced indexing; scans, sorts and what is chosen by rank.

macro_rules! indexing_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::contraction_rows! { $callback [
            $($rows)*
            Embedding "aten.embedding.default" "(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor" Indexing [] meta(embedding) lower(embedding) grad(embedding);
            EmbeddingBag "aten.embedding_bag.default" "(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False) -> (Tensor, Tensor, Tensor, Tensor)" Indexing [] meta(embedding_bag) lower(embedding_bag) grad(embedding_bag);
            EmbeddingBagPaddingIdx "aten.embedding_bag.padding_idx" "(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int mode, bool sparse, Tensor? per_sample_weights, bool include_last_offset, int? padding_idx) -> (Tensor, Tensor, Tensor, Tensor)" Indexing [] meta(embedding_bag) lower(embedding_bag) grad(embedding_bag);
            UnderscoreEmbeddingBag "aten._embedding_bag.default" "(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)" Indexing [] meta(embedding_bag) lower(embedding_bag) grad(embedding_bag);
            EmbeddingBagForwardOnly "aten._embedding_bag_forward_only.default" "(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)" Indexing [] meta(embedding_bag) lower(embedding_bag);
            EmbeddingRenorm "aten.embedding_renorm.default" "(Tensor self, Tensor indices, float max_norm, float norm_type) -> Tensor" Composite [inplace] meta(embedding_renorm) decompose(embedding_renorm);
            SegmentReduce "aten.segment_reduce.default" "(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, Tensor? offsets=None, int axis=0, bool unsafe=False, Scalar? initial=None) -> Tensor" Indexing [floats] meta(segment_reduce) lower(segment_reduce) grad(segment_reduce);
            IndexTensor "aten.index.Tensor" "(Tensor self, Tensor?[] indices) -> Tensor" Indexing [] meta(index) lower(index) grad(index);
            UnsafeIndexTensor "aten._unsafe_index.Tensor" "(Tensor self, Tensor?[] indices) -> Tensor" Indexing [] meta(index) lower(index) grad(index);
            UnsafeMaskedIndex "aten._unsafe_masked_index.default" "(Tensor self, Tensor mask, Tensor?[] indices, Scalar fill) -> Tensor" Indexing [no_wide_unsigned] meta(masked_index) lower(masked_index) grad(masked_index);
            UnsafeMaskedIndexPut "aten._unsafe_masked_index_put_accumulate.default" "(Tensor self, Tensor mask, Tensor?[] indices, Tensor values) -> Tensor" Indexing [no_wide_unsigned] meta(masked_index_put) lower(masked_index_put) grad(masked_index_put);
            IndexPut "aten.index_put.default" "(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor" Indexing [inplace no_wide_unsigned] meta(index_put) lower(index_put) grad(index_put);
            UnsafeIndexPut "aten._unsafe_index_put.default" "(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor" Indexing [no_wide_unsigned] meta(index_put) lower(index_put) grad(index_put);
            Gather "aten.gather.default" "(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor" Indexing [] meta(gather) lower(gather) grad(gather);
            TakeAlongDim "aten.take_along_dim.default" "(Tensor self, Tensor indices, int? dim=None) -> Tensor" Indexing [] meta(take_along_dim) lower(take_along_dim) grad(take_along_dim);
            IndexSelect "aten.index_select.default" "(Tensor self, int dim, Tensor index) -> Tensor" Indexing [] meta(index_select) lower(index_select) grad(index_select);
            ScatterSrc "aten.scatter.src" "(Tensor self, int dim, Tensor index, Tensor src) -> Tensor" Indexing [inplace] meta(scatter) lower(scatter) grad(scatter);
            ScatterValue "aten.scatter.value" "(Tensor self, int dim, Tensor index, Scalar value) -> Tensor" Indexing [inplace] meta(scatter) lower(scatter) grad(scatter);
            ScatterReduceSrc "aten.scatter.reduce" "(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor" Indexing [inplace] meta(scatter) lower(scatter);
            ScatterValueReduce "aten.scatter.value_reduce" "(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor" Indexing [inplace] meta(scatter) lower(scatter);
            ScatterAdd "aten.scatter_add.default" "(Tensor self, int dim, Tensor index, Tensor src) -> Tensor" Indexing [inplace] meta(scatter) lower(scatter) grad(scatter_add);
            ScatterReduceTwo "aten.scatter_reduce.two" "(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor" Indexing [inplace no_wide_unsigned] meta(scatter_reduce) lower(scatter) grad(scatter_reduce);
            IndexCopy "aten.index_copy.default" "(Tensor self, int dim, Tensor index, Tensor source) -> Tensor" Indexing [inplace no_wide_unsigned] meta(index_write) lower(index_write) grad(index_copy);
            IndexAdd "aten.index_add.default" "(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor" Indexing [inplace no_wide_unsigned] meta(index_write) lower(index_write) grad(index_add);
            IndexFillIntScalar "aten.index_fill.int_Scalar" "(Tensor self, int dim, Tensor index, Scalar value) -> Tensor" Indexing [inplace no_wide_unsigned] meta(index_write) lower(index_write) grad(index_fill);
            IndexFillIntTensor "aten.index_fill.int_Tensor" "(Tensor self, int dim, Tensor index, Tensor value) -> Tensor" Indexing [inplace no_wide_unsigned] meta(index_write) lower(index_write) grad(index_fill);
            IndexReduce "aten.index_reduce.default" "(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor" Indexing [inplace no_wide_unsigned] meta(index_write) lower(index_write) grad(index_reduce);
            Take "aten.take.default" "(Tensor self, Tensor index) -> Tensor" Indexing [no_wide_unsigned] meta(take) lower(take) grad(take);
            Put "aten.put.default" "(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor" Indexing [inplace no_wide_unsigned] meta(put) lower(put) grad(put);
            MaskedScatter "aten.masked_scatter.default" "(Tensor self, Tensor mask, Tensor source) -> Tensor" Indexing [inplace no_wide_unsigned] meta(masked_scatter) lower(masked_scatter) grad(masked_scatter);
            Nonzero "aten.nonzero.default" "(Tensor self) -> Tensor" Indexing [no_wide_unsigned] meta(sized_by_data) none();
            Argwhere "aten.argwhere.default" "(Tensor self) -> Tensor" Indexing [no_wide_unsigned] meta(sized_by_data) none();
            NonzeroNumpy "aten.nonzero_numpy.default" "(Tensor self) -> Tensor[]" Indexing [no_wide_unsigned] meta(sized_by_data) none();
            WhereDefault "aten.where.default" "(Tensor condition) -> Tensor[]" Indexing [] meta(sized_by_data) none();
            MaskedSelect "aten.masked_select.default" "(Tensor self, Tensor mask) -> Tensor" Indexing [no_wide_unsigned] meta(sized_by_data) none();
            Unique2 "aten._unique2.default" "(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)" Indexing [] meta(sized_by_data) none();
            UniqueConsecutive "aten.unique_consecutive.default" "(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> (Tensor, Tensor, Tensor)" Indexing [] meta(sized_by_data) none();
            UniqueDim "aten.unique_dim.default" "(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)" Indexing [] meta(sized_by_data) none();
            Bincount "aten.bincount.default" "(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor" Indexing [no_wide_unsigned no_wide_unsigned] meta(sized_by_data) none();
            RepeatInterleaveTensor "aten.repeat_interleave.Tensor" "(Tensor repeats, *, SymInt? output_size=None) -> Tensor" Indexing [] meta(sized_by_data) none();
            RepeatInterleaveSelfTensor "aten.repeat_interleave.self_Tensor" "(Tensor self, Tensor repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor" Indexing [] meta(sized_by_data) none();
            Resize "aten.resize.default" "(Tensor self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor" Indexing [inplace] meta(sized_by_data) none();
            ResizeAs "aten.resize_as.default" "(Tensor self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor" Indexing [inplace] meta(sized_by_data) none();
            TensorSplitTensor "aten.tensor_split.tensor_indices_or_sections" "(Tensor self, Tensor tensor_indices_or_sections, int dim=0) -> Tensor[]" Indexing [] meta(sized_by_data) none();
            NonzeroStatic "aten.nonzero_static.default" "(Tensor self, *, SymInt size, int fill_value=-1) -> Tensor" Indexing [no_wide_unsigned] meta(nonzero_static) lower(nonzero_static);
            OneHot "aten.one_hot.default" "(Tensor self, int num_classes=-1) -> Tensor" Indexing [] meta(one_hot) lower(one_hot);
            JaggedToPaddedDense "aten._jagged_to_padded_dense_forward.default" "(Tensor values, Tensor[] offsets, SymInt[] max_lengths, float padding_value=0.) -> Tensor" Composite [no_wide_unsigned] meta(jagged_to_padded) decompose(jagged_to_padded);
            PaddedDenseToJagged "aten._padded_dense_to_jagged_forward.default" "(Tensor dense, Tensor[] offsets, SymInt? total_L=None) -> Tensor" Composite [] meta(padded_to_jagged) decompose(padded_to_jagged);
            SearchsortedTensor "aten.searchsorted.Tensor" "(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor" Indexing [numbers no_wide_unsigned] meta(search) lower(search);
            SearchsortedScalar "aten.searchsorted.Scalar" "(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor" Indexing [numbers no_wide_unsigned] meta(search) lower(search);
            BucketizeTensor "aten.bucketize.Tensor" "(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor" Indexing [numbers no_wide_unsigned] meta(search) lower(search);
            BucketizeScalar "aten.bucketize.Scalar" "(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor" Indexing [numbers no_wide_unsigned] meta(search) lower(search);
            Cumsum "aten.cumsum.default" "(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor" Scan [inplace no_wide_unsigned] meta(cumulative) lower(cumulative) grad(cumsum);
            Cumprod "aten.cumprod.default" "(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor" Scan [inplace no_wide_unsigned] meta(cumulative) lower(cumulative) grad(cumprod);
            Logcumsumexp "aten.logcumsumexp.default" "(Tensor self, int dim) -> Tensor" Scan [] meta(cumulative_same) lower(cumulative) grad(logcumsumexp);
            Cummax "aten.cummax.default" "(Tensor self, int dim) -> (Tensor values, Tensor indices)" Scan [no_wide_unsigned] meta(cumulative_extremum) lower(cumulative_extremum) grad(cumulative_extremum);
            Cummin "aten.cummin.default" "(Tensor self, int dim) -> (Tensor values, Tensor indices)" Scan [no_wide_unsigned] meta(cumulative_extremum) lower(cumulative_extremum) grad(cumulative_extremum);
            Sort "aten.sort.default" "(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)" Scan [] meta(with_positions) lower(sort) grad(chosen);
            SortStable "aten.sort.stable" "(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)" Scan [] meta(with_positions) lower(sort) grad(chosen);
            Argsort "aten.argsort.default" "(Tensor self, int dim=-1, bool descending=False) -> Tensor" Scan [] meta(argsort) lower(sort);
            ArgsortStable "aten.argsort.stable" "(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor" Scan [] meta(argsort) lower(sort);
            Msort "aten.msort.default" "(Tensor self) -> Tensor" Scan [] meta(msort) lower(msort) grad(msort);
            Topk "aten.topk.default" "(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)" Scan [numbers no_wide_unsigned] meta(topk) lower(topk) grad(chosen);
            Kthvalue "aten.kthvalue.default" "(Tensor self, SymInt k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)" Scan [numbers no_wide_unsigned] meta(chosen) lower(kthvalue) grad(chosen);
            Median "aten.median.default" "(Tensor self) -> Tensor" Scan [numbers no_wide_unsigned] meta(chosen_of_all) lower(median) grad(median);
            MedianDim "aten.median.dim" "(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)" Scan [numbers no_wide_unsigned] meta(chosen) lower(median_dim) grad(chosen);
            Nanmedian "aten.nanmedian.default" "(Tensor self) -> Tensor" Scan [numbers no_wide_unsigned] meta(chosen_of_all) lower(median) grad(median);
            NanmedianDim "aten.nanmedian.dim" "(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)" Scan [numbers no_wide_unsigned] meta(chosen) lower(median_dim) grad(chosen);
            Mode "aten.mode.default" "(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)" Scan [no_wide_unsigned] meta(chosen) lower(mode) grad(chosen);
            Diff "aten.diff.default" "(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor" Indexing [no_wide_unsigned] meta(diff) lower(diff) grad(diff);
        ] }
    };
}
pub(crate) use indexing_rows;
