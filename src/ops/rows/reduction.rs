//! Reductions, normalisations, softmax, scans and sorts.

macro_rules! reduction_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::gradient_rows! { $callback [
            $($rows)*
            Sum "aten.sum.default" "(Tensor self, *, ScalarType? dtype=None) -> Tensor" Reduction [no_wide_unsigned] meta(sum) lower(sum) grad(sum);
            SumDimIntList "aten.sum.dim_IntList" "(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor" Reduction [no_wide_unsigned] meta(sum) lower(sum) grad(sum);
            Nansum "aten.nansum.default" "(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor" Reduction [no_wide_unsigned] meta(sum) lower(nansum) grad(nansum);
            Prod "aten.prod.default" "(Tensor self, *, ScalarType? dtype=None) -> Tensor" Reduction [no_wide_unsigned] meta(sum) lower(prod) grad(prod);
            ProdDimInt "aten.prod.dim_int" "(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor" Reduction [no_wide_unsigned] meta(sum) lower(prod) grad(prod);
            Mean "aten.mean.default" "(Tensor self, *, ScalarType? dtype=None) -> Tensor" Reduction [] meta(mean) lower(mean) grad(mean);
            MeanDim "aten.mean.dim" "(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor" Reduction [] meta(mean) lower(mean) grad(mean);
            Nanmean "aten.nanmean.default" "(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor" Reduction [floats] meta(mean) lower(nanmean) grad(nanmean);
            Amax "aten.amax.default" "(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor" Reduction [no_wide_unsigned] meta(extremum) lower(amax) grad(extreme);
            Amin "aten.amin.default" "(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor" Reduction [no_wide_unsigned] meta(extremum) lower(amin) grad(extreme);
            Max "aten.max.default" "(Tensor self) -> Tensor" Reduction [no_wide_unsigned] meta(extremum) lower(amax) grad(extreme);
            Min "aten.min.default" "(Tensor self) -> Tensor" Reduction [no_wide_unsigned] meta(extremum) lower(amin) grad(extreme);
            MaxDim "aten.max.dim" "(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)" Reduction [no_wide_unsigned] meta(extremum_dim) lower(max_dim) grad(chosen);
            MinDim "aten.min.dim" "(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)" Reduction [no_wide_unsigned] meta(extremum_dim) lower(min_dim) grad(chosen);
            Aminmax "aten.aminmax.default" "(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)" Reduction [no_wide_unsigned] meta(aminmax) lower(aminmax) grad(aminmax);
            Argmax "aten.argmax.default" "(Tensor self, int? dim=None, bool keepdim=False) -> Tensor" Reduction [no_wide_unsigned] meta(arg_extremum) lower(argmax);
            Argmin "aten.argmin.default" "(Tensor self, int? dim=None, bool keepdim=False) -> Tensor" Reduction [no_wide_unsigned] meta(arg_extremum) lower(argmin);
            Any "aten.any.default" "(Tensor self) -> Tensor" Reduction [] meta(any) lower(any);
            AnyDim "aten.any.dim" "(Tensor self, int dim, bool keepdim=False) -> Tensor" Reduction [] meta(any) lower(any);
            AnyDims "aten.any.dims" "(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor" Reduction [] meta(any) lower(any);
            All "aten.all.default" "(Tensor self) -> Tensor" Reduction [] meta(any) lower(all);
            AllDim "aten.all.dim" "(Tensor self, int dim, bool keepdim=False) -> Tensor" Reduction [] meta(any) lower(all);
            AllDims "aten.all.dims" "(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor" Reduction [] meta(any) lower(all);
            HashTensor "aten.hash_tensor.default" "(Tensor self, int[1] dim=[], *, bool keepdim=False, int mode=0) -> Tensor" Reduction [no_wide_unsigned] meta(hash_tensor) lower(hash_tensor);
            CountNonzero "aten.count_nonzero.default" "(Tensor self, int? dim=None) -> Tensor" Reduction [no_wide_unsigned] meta(count_nonzero) lower(count_nonzero);
            CountNonzeroDimIntList "aten.count_nonzero.dim_IntList" "(Tensor self, int[] dim) -> Tensor" Reduction [] meta(count_nonzero) lower(count_nonzero);
            Var "aten.var.default" "(Tensor self, bool unbiased=True) -> Tensor" Reduction [] meta(variance) lower(var) grad(var);
            VarDim "aten.var.dim" "(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor" Reduction [] meta(variance) lower(var) grad(var);
            VarCorrection "aten.var.correction" "(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor" Reduction [] meta(variance) lower(var) grad(var);
            Std "aten.std.default" "(Tensor self, bool unbiased=True) -> Tensor" Reduction [] meta(variance) lower(std) grad(std);
            StdDim "aten.std.dim" "(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor" Reduction [] meta(variance) lower(std) grad(std);
            StdCorrection "aten.std.correction" "(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor" Reduction [] meta(variance) lower(std) grad(std);
            VarMean "aten.var_mean.default" "(Tensor self, bool unbiased=True) -> (Tensor, Tensor)" Reduction [] meta(variance_mean) lower(var_mean) grad(var_mean);
            VarMeanDim "aten.var_mean.dim" "(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)" Reduction [] meta(variance_mean) lower(var_mean) grad(var_mean);
            VarMeanCorrection "aten.var_mean.correction" "(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)" Reduction [] meta(variance_mean) lower(var_mean) grad(var_mean);
            StdMean "aten.std_mean.default" "(Tensor self, bool unbiased=True) -> (Tensor, Tensor)" Reduction [] meta(variance_mean) lower(std_mean) grad(std_mean);
            StdMeanDim "aten.std_mean.dim" "(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)" Reduction [] meta(variance_mean) lower(std_mean) grad(std_mean);
            StdMeanCorrection "aten.std_mean.correction" "(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)" Reduction [] meta(variance_mean) lower(std_mean) grad(std_mean);
            Logsumexp "aten.logsumexp.default" "(Tensor self, int[1] dim, bool keepdim=False) -> Tensor" Reduction [] meta(logsumexp) lower(logsumexp) grad(logsumexp);
            SpecialLogsumexp "aten.special_logsumexp.default" "(Tensor self, int[1] dim, bool keepdim=False) -> Tensor" Reduction [] meta(logsumexp) lower(logsumexp) grad(logsumexp);
            IsinTensorTensor "aten.isin.Tensor_Tensor" "(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor" Reduction [] meta(isin) lower(isin);
            IsinTensorScalar "aten.isin.Tensor_Scalar" "(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False) -> Tensor" Reduction [] meta(isin) lower(isin);
            IsinScalarTensor "aten.isin.Scalar_Tensor" "(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor" Reduction [] meta(isin) lower(isin);
            SumToSize "aten.sum_to_size.default" "(Tensor self, SymInt[] size) -> Tensor" Reduction [] meta(sum_to_size) lower(sum_to_size) grad(sum_to_size);
            TrapezoidX "aten.trapezoid.x" "(Tensor y, Tensor x, *, int dim=-1) -> Tensor" Composite [no_wide_unsigned] meta(trapezoid) decompose(trapezoid);
            TrapezoidDx "aten.trapezoid.dx" "(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor" Composite [no_wide_unsigned] meta(trapezoid) decompose(trapezoid);
            TrapzX "aten.trapz.x" "(Tensor y, Tensor x, *, int dim=-1) -> Tensor" Composite [no_wide_unsigned] meta(trapezoid) decompose(trapezoid);
            TrapzDx "aten.trapz.dx" "(Tensor y, *, float dx=1.0, int dim=-1) -> Tensor" Composite [no_wide_unsigned] meta(trapezoid) decompose(trapezoid);
            CumulativeTrapezoidX "aten.cumulative_trapezoid.x" "(Tensor y, Tensor x, *, int dim=-1) -> Tensor" Composite [no_wide_unsigned] meta(cumulative_trapezoid) decompose(cumulative_trapezoid);
            CumulativeTrapezoidDx "aten.cumulative_trapezoid.dx" "(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor" Composite [no_wide_unsigned] meta(cumulative_trapezoid) decompose(cumulative_trapezoid);
            Quantile "aten.quantile.default" "(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor" Composite [] meta(quantile) decompose(quantile);
            QuantileScalar "aten.quantile.scalar" "(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor" Composite [] meta(quantile) decompose(quantile);
            Nanquantile "aten.nanquantile.default" "(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor" Composite [] meta(quantile) decompose(nanquantile);
            NanquantileScalar "aten.nanquantile.scalar" "(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor" Composite [] meta(quantile) decompose(nanquantile);
            HistogramBinCt "aten.histogram.bin_ct" "(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)" Composite [full_floats] meta(histogram) decompose(histogram);
            HistogramBinsTensor "aten.histogram.bins_tensor" "(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)" Composite [full_floats] meta(histogram) decompose(histogram_of_edges);
            Histogramdd "aten.histogramdd.default" "(Tensor self, int[] bins, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)" Composite [full_floats] meta(histogramdd) decompose(histogramdd);
            HistogramddIntBins "aten.histogramdd.int_bins" "(Tensor self, int bins, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)" Composite [full_floats] meta(histogramdd) decompose(histogramdd);
            HistogramddTensorListBins "aten.histogramdd.TensorList_bins" "(Tensor self, Tensor[] bins, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)" Composite [full_floats] meta(histogramdd) decompose(histogramdd_of_edges);
            HistogramddBinEdges "aten._histogramdd_bin_edges.default" "(Tensor self, int[] bins, *, float[]? range=None, Tensor? weight=None, bool density=False) -> Tensor[]" Composite [full_floats] meta(histogramdd) decompose(histogramdd_bin_edges);
            HistogramddFromBinCts "aten._histogramdd_from_bin_cts.default" "(Tensor self, int[] bins, *, float[]? range=None, Tensor? weight=None, bool density=False) -> Tensor" Composite [full_floats] meta(histogramdd) decompose(histogramdd_from_bin_cts);
            HistogramddFromBinTensors "aten._histogramdd_from_bin_tensors.default" "(Tensor self, Tensor[] bins, *, Tensor? weight=None, bool density=False) -> Tensor" Composite [full_floats] meta(histogramdd) decompose(histogramdd_from_bin_tensors);
            Histc "aten.histc.default" "(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor" Composite [] meta(histc) decompose(histc);
            GradientScalarint "aten.gradient.scalarint" "(Tensor self, *, Scalar? spacing=None, int? dim=None, int edge_order=1) -> Tensor[]" Composite [no_wide_unsigned] meta(gradient) decompose(gradient);
            GradientScalararray "aten.gradient.scalararray" "(Tensor self, *, Scalar spacing, int[] dim, int edge_order=1) -> Tensor[]" Composite [no_wide_unsigned] meta(gradient) decompose(gradient);
            GradientArray "aten.gradient.array" "(Tensor self, *, int[] dim, int edge_order=1) -> Tensor[]" Composite [no_wide_unsigned] meta(gradient) decompose(gradient);
            GradientScalarrayint "aten.gradient.scalarrayint" "(Tensor self, *, float[] spacing, int? dim=None, int edge_order=1) -> Tensor[]" Composite [no_wide_unsigned] meta(gradient) decompose(gradient);
            GradientScalarrayarray "aten.gradient.scalarrayarray" "(Tensor self, *, float[] spacing, int[] dim, int edge_order=1) -> Tensor[]" Composite [no_wide_unsigned] meta(gradient) decompose(gradient);
            GradientTensorarrayint "aten.gradient.tensorarrayint" "(Tensor self, *, Tensor[] spacing, int? dim=None, int edge_order=1) -> Tensor[]" Composite [no_wide_unsigned] meta(gradient) decompose(gradient);
            GradientTensorarray "aten.gradient.tensorarray" "(Tensor self, *, Tensor[] spacing, int[] dim, int edge_order=1) -> Tensor[]" Composite [] meta(gradient) decompose(gradient);
        ] }
    };
}
pub(crate) use reduction_rows;
