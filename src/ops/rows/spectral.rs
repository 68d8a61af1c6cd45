//! Fourier transforms. PyTorch's are made of three that lower to a library's routine: complex numbers are pairs in the last dimension there.

macro_rules! spectral_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::recurrence_rows! { $callback [
            $($rows)*
            Fourier "litz.fourier.default" "(Tensor self, int dim, int normalization, bool forward) -> Tensor" Scan [] meta(fourier) lower(fourier) grad(fourier);
            FourierReal "litz.fourier_real.default" "(Tensor self, int dim, int normalization) -> Tensor" Scan [] meta(fourier_real) lower(fourier_real) grad(fourier_real);
            FourierBack "litz.fourier_back.default" "(Tensor self, int dim, SymInt size, int normalization) -> Tensor" Scan [] meta(fourier_back) lower(fourier_back) grad(fourier_back);
            FftC2c "aten._fft_c2c.default" "(Tensor self, SymInt[] dim, int normalization, bool forward) -> Tensor" Spectral [] meta(fft_c2c) none();
            FftR2c "aten._fft_r2c.default" "(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor" Spectral [] meta(fft_r2c) none();
            FftC2r "aten._fft_c2r.default" "(Tensor self, int[] dim, int normalization, SymInt last_dim_size) -> Tensor" Spectral [] meta(fft_c2r) none();
            FftFft "aten.fft_fft.default" "(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor" Spectral [] meta(fft) decompose(fft);
            FftIfft "aten.fft_ifft.default" "(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor" Spectral [] meta(fft) decompose(fft);
            FftRfft "aten.fft_rfft.default" "(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor" Spectral [] meta(fft) decompose(fft);
            FftIrfft "aten.fft_irfft.default" "(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor" Spectral [] meta(fft) decompose(fft);
            FftHfft "aten.fft_hfft.default" "(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor" Spectral [] meta(fft) decompose(fft);
            FftIhfft "aten.fft_ihfft.default" "(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor" Spectral [] meta(fft) decompose(fft);
            FftFft2 "aten.fft_fft2.default" "(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor" Spectral [] meta(fft) decompose(fft);
            FftIfft2 "aten.fft_ifft2.default" "(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor" Spectral [] meta(fft) decompose(fft);
            FftRfft2 "aten.fft_rfft2.default" "(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor" Spectral [] meta(fft) decompose(fft);
            FftIrfft2 "aten.fft_irfft2.default" "(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor" Spectral [] meta(fft) decompose(fft);
            FftHfft2 "aten.fft_hfft2.default" "(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor" Spectral [] meta(fft) decompose(fft);
            FftIhfft2 "aten.fft_ihfft2.default" "(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor" Spectral [] meta(fft) decompose(fft);
            FftFftn "aten.fft_fftn.default" "(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor" Spectral [] meta(fft) decompose(fft);
            FftIfftn "aten.fft_ifftn.default" "(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor" Spectral [] meta(fft) decompose(fft);
            FftRfftn "aten.fft_rfftn.default" "(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor" Spectral [] meta(fft) decompose(fft);
            FftIrfftn "aten.fft_irfftn.default" "(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor" Spectral [] meta(fft) decompose(fft);
            FftHfftn "aten.fft_hfftn.default" "(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor" Spectral [] meta(fft) decompose(fft);
            FftIhfftn "aten.fft_ihfftn.default" "(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor" Spectral [] meta(fft) decompose(fft);
            FftFftfreq "aten.fft_fftfreq.default" "(int n, float d=1.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(frequencies) decompose(fftfreq);
            FftRfftfreq "aten.fft_rfftfreq.default" "(int n, float d=1.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(frequencies) decompose(rfftfreq);
            Stft "aten.stft.default" "(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor" Spectral [] meta(stft) decompose(stft);
            StftCenter "aten.stft.center" "(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, str pad_mode='reflect', bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor" Spectral [] meta(stft) decompose(stft);
            Istft "aten.istft.default" "(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, bool normalized=False, bool? onesided=None, int? length=None, bool return_complex=False) -> Tensor" Spectral [] meta(istft) decompose(istft);
        ] }
    };
}
pub(crate) use spectral_rows;
