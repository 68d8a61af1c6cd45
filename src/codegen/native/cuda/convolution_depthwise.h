// Convolutions of each channel by itself, of halves whose channels are neighbours in memory. A thread has eight channels of `across` pixels
// side by side of one line of the result. It walks over the lines of their windows, and reads every pixel that these share once. `weight`
// has the taps one after the other, each with all channels. `epilogue(0, pixel, channel, sums)` stores eight finished elements.
template <class S, int taps_y, int taps_x, int stride_x, int dilation_y, int dilation_x, int across, class E>
LITZ_FN void litz_convolve_channels(const S *image, const litz_window &w, const S *weight, int channels, i64 lines, E epilogue) {
    constexpr int span = (across - 1) * stride_x + (taps_x - 1) * dilation_x + 1;
    const u32 chunks = channels / 8, pieces = (w.out_width + across - 1) / across;
    const i64 thread = (i64)blockIdx.x * blockDim.x + threadIdx.x, many = thread >> 31 ? thread / chunks : (i64)((u32)thread / chunks);
    const int channel = (int)(thread - many * chunks) * 8;
    const i64 line = many >> 31 ? many / pieces : (i64)((u32)many / pieces), place = line / w.out_height;
    if (line >= lines) return;
    const int first = (int)(many - line * pieces) * across, y = (int)(line - place * w.out_height) * w.stride_y - w.padding_y, x = first * stride_x - w.padding_x;
    const S *const from = image + (place * w.image + x * w.pixel + channel);
    vec<f32> sums[across];
    _Pragma("unroll") for (int i = 0; i < across; i++) sums[i] = splat(0.0f);
    _Pragma("unroll 1") for (int down = 0; down < taps_y; down++) {
        const int row = y + down * dilation_y;
        if ((u32)row >= (u32)w.height) continue;
        const S *const at = from + row * w.line;
        vec<f32> taps[taps_x];
        _Pragma("unroll") for (int t = 0; t < taps_x; t++) taps[t] = load(weight + ((down * taps_x + t) * channels + channel));
        _Pragma("unroll") for (int p = 0; p < span; p++) {
            vec<f32> pixel = splat(0.0f);
            if ((u32)(x + p) < (u32)w.width) pixel = load(at + p * w.pixel);
            _Pragma("unroll") for (int i = 0; i < across; i++) _Pragma("unroll") for (int t = 0; t < taps_x; t++)
                if (i * stride_x + t * dilation_x == p) { _Pragma("unroll") for (int c = 0; c < 8; c++) sums[i].v[c] = __fmaf_rn(pixel.v[c], taps[t].v[c], sums[i].v[c]); }
        }
    }
    _Pragma("unroll") for (int i = 0; i < across; i++)
        if (first + i < w.out_width) epilogue(0, line * w.out_width + first + i, channel, sums[i].v);
}
