// conv.h against plain loops in double; with the argument "bench", its speed.
#include "check.h"
#define LITZ_USE_TILE_F32
#include "../../src/codegen/native/prelude.h"
#include "../../src/codegen/native/tile.h"
#include "../../src/codegen/native/gemm.h"
#include "blocks.h"
#include "../../src/codegen/native/conv.h"
#include <algorithm>

struct problem { i64 images, groups, in_channels, out_channels, h, w, kh, kw, sh, sw, ph, pw, dh, dw; };

static litz_conv_shape shape_of(const problem &p, i64 row_pad) {
    litz_conv_shape s = {};
    s.images = p.images; s.groups = p.groups; s.in_channels = p.in_channels; s.out_channels = p.out_channels;
    s.in_h = p.h; s.in_w = p.w; s.kernel_h = p.kh; s.kernel_w = p.kw; s.stride_h = p.sh; s.stride_w = p.sw;
    s.pad_h = p.ph; s.pad_w = p.pw; s.dilation_h = p.dh; s.dilation_w = p.dw;
    s.out_h = (p.h + 2 * p.ph - p.dh * (p.kh - 1) - 1) / p.sh + 1;
    s.out_w = (p.w + 2 * p.pw - p.dw * (p.kw - 1) - 1) / p.sw + 1;
    s.x_row_stride = p.w + row_pad;
    s.x_channel_stride = p.h * s.x_row_stride;
    s.x_image_stride = p.groups * p.in_channels * s.x_channel_stride;
    return s;
}

enum way { patches, pointwise, depthwise };
// small: the smallest blocks, with no room for weights that are read where they lie.
template <class X> static void check(const problem &p, way how, i64 row_pad = 0, bool small = false) {
    if (!small) check<X>(p, how, row_pad, true);
    litz_conv_shape s = shape_of(p, row_pad);
    i64 k = s.in_channels * s.kernel_h * s.kernel_w, channels = s.groups * s.out_channels, n = s.out_h * s.out_w;
    size_t x_size = (size_t)(s.images * s.x_image_stride - row_pad), w_size = (size_t)(channels * k);
    guarded x_memory(x_size * sizeof(X)), w_memory(w_size * sizeof(X));
    X *x = (X *)x_memory.data, *w = (X *)w_memory.data;
    for (size_t i = 0; i < x_size; i++) store(x + i, (f32)((i64)(random_bits() % 9) - 4));
    for (size_t i = 0; i < w_size; i++) store(w + i, (f32)((i64)(random_bits() % 9) - 4));
    std::vector<f32> out((size_t)(s.images * channels * n), 99.0f);
    auto epilogue = [&](i64 image, i64 channel, i64 n0, i64 count, f32 *sums) { for (i64 i = 0; i < count; i++) out[(size_t)((image * channels + channel) * n + n0 + i)] = sums[i]; };
    litz_gemm_shape g = litz_conv_gemm(s, 0, 0);
    litz_gemm_blocks(&g, 4, 4);
    if (small) {
        g.m_block = litz_min(g.m_block, LITZ_TILE_ROWS);
        g.n_block = LITZ_TILE_COLUMNS(f32);
        g.k_block = litz_min(g.k_block, 7);
        g.a_copied = !litz_place<f32, X>::same || (g.m_block > 8 && k * 4 % 2048 == 0);
    }
    guarded scratch((size_t)(litz_gemm_scratch(g, 4) + 63) / 64 * 64);
    i64 tasks = how == depthwise ? litz_conv_depthwise_tasks(s) : litz_gemm_task_count(g);
    for (i64 t = tasks; t-- > 0;) {
        if (how == patches) litz_conv_run<f32, unknown_rows>(s, g, x, w, epilogue, t, t + 1, scratch.data);
        else if (how == pointwise) litz_conv_pointwise_run<f32, unknown_rows>(s, g, x, w, epilogue, t, t + 1, scratch.data);
        else litz_conv_depthwise_run(s, x, w, epilogue, t, t + 1);
    }
    for (i64 b = 0; b < s.images; b++)
        for (i64 c = 0; c < channels; c++)
            for (i64 oy = 0; oy < s.out_h; oy++)
                for (i64 ox = 0; ox < s.out_w; ox++) {
                    double sum = 0;
                    for (i64 ic = 0; ic < s.in_channels; ic++)
                        for (i64 ky = 0; ky < s.kernel_h; ky++)
                            for (i64 kx = 0; kx < s.kernel_w; kx++) {
                                i64 iy = oy * s.stride_h - s.pad_h + ky * s.dilation_h, ix = ox * s.stride_w - s.pad_w + kx * s.dilation_w;
                                if (iy < 0 || iy >= s.in_h || ix < 0 || ix >= s.in_w) continue;
                                sum += (double)load_scalar(x + b * s.x_image_stride + (c / s.out_channels * s.in_channels + ic) * s.x_channel_stride + iy * s.x_row_stride + ix) *
                                       (double)load_scalar(w + (c * s.in_channels + ic) * s.kernel_h * s.kernel_w + ky * s.kernel_w + kx);
                            }
                    double got = out[(size_t)(((b * channels + c) * s.out_h + oy) * s.out_w + ox)];
                    CHECK(got == sum, "way %d, %ldx%ld kernel %ldx%ld stride %ld,%ld pad %ld,%ld: [%ld, %ld, %ld, %ld] = %g, not %g", how, (long)s.in_h, (long)s.in_w, (long)s.kernel_h, (long)s.kernel_w, (long)s.stride_h,
                          (long)s.stride_w, (long)s.pad_h, (long)s.pad_w, (long)b, (long)c, (long)oy, (long)ox, got, sum);
                }
}
template <class X> static void all_checks() {
    check<X>({2, 1, 3, 20, 17, 19, 3, 3, 1, 1, 1, 1, 1, 1}, patches);
    check<X>({1, 1, 3, 16, 30, 41, 7, 7, 2, 2, 3, 3, 1, 1}, patches);
    check<X>({1, 2, 40, 9, 7, 7, 3, 3, 1, 1, 1, 1, 1, 1}, patches);
    check<X>({2, 3, 5, 4, 12, 70, 3, 5, 2, 1, 2, 0, 2, 3}, patches, 3);
    check<X>({1, 1, 4, 6, 1, 50, 1, 9, 1, 3, 0, 4, 1, 1}, patches);
    check<X>({1, 1, 2, 3, 4, 4, 5, 5, 1, 1, 4, 4, 1, 1}, patches);
    check<X>({1, 1, 2, 3, 9, 9, 3, 3, 4, 2, 0, 0, 1, 1}, patches);
    check<X>({1, 1, 300, 33, 6, 11, 1, 1, 1, 1, 0, 0, 1, 1}, patches);
    check<X>({2, 2, 300, 33, 6, 11, 1, 1, 1, 1, 0, 0, 1, 1}, pointwise);
    check<X>({2, 12, 1, 1, 17, 19, 3, 3, 1, 1, 1, 1, 1, 1}, depthwise);
    check<X>({1, 5, 1, 2, 20, 300, 5, 3, 2, 2, 2, 1, 1, 1}, depthwise, 2);
    check<X>({1, 3, 1, 1, 9, 40, 3, 3, 1, 3, 2, 2, 2, 2}, depthwise);
    check<X>({1, 2, 1, 1, 3, 3, 7, 7, 1, 1, 5, 5, 1, 1}, depthwise);
}
static void bench(const char *name, const problem &p, way how) {
    litz_conv_shape s = shape_of(p, 0);
    i64 channels = s.groups * s.out_channels, n = s.out_h * s.out_w, k = s.in_channels * s.kernel_h * s.kernel_w;
    f32 *x = (f32 *)std::aligned_alloc(64, (size_t)(s.images * s.x_image_stride * 4 + 127) / 64 * 64), *w = (f32 *)std::aligned_alloc(64, (size_t)(channels * k * 4 + 127) / 64 * 64);
    f32 *out = (f32 *)std::aligned_alloc(64, (size_t)(s.images * channels * n * 4 + 127) / 64 * 64);
    for (i64 i = 0; i < s.images * s.x_image_stride; i++) x[i] = random_float();
    for (i64 i = 0; i < channels * k; i++) w[i] = random_float();
    void *scratch = std::aligned_alloc(64, (LITZ_GEMM_SCRATCH(4) + 63) / 64 * 64);
    auto epilogue = [&](i64 image, i64 channel, i64 n0, i64 count, f32 *sums) { litz_copy_strided(out + (image * channels + channel) * n + n0, sums, count, 1); };
    litz_gemm_shape g = litz_conv_gemm(s, 0, 0);
    litz_gemm_blocks(&g, 1, 4);
    double best = 1e9, until = seconds() + 0.4;
    while (seconds() < until) {
        double t = seconds();
        if (how == patches) litz_conv_run<f32, unknown_rows>(s, g, x, w, epilogue, 0, litz_gemm_task_count(g), scratch);
        else if (how == pointwise) litz_conv_pointwise_run<f32, unknown_rows>(s, g, x, w, epilogue, 0, litz_gemm_task_count(g), scratch);
        else litz_conv_depthwise_run(s, x, w, epilogue, 0, litz_conv_depthwise_tasks(s));
        best = std::min(best, seconds() - t);
    }
    std::printf("conv %-28s %8.3f ms %7.1f GFLOP/s\n", name, best * 1e3, 2.0 * (double)(s.images * channels * n * k) / best * 1e-9);
    std::free(x); std::free(w); std::free(out); std::free(scratch);
}
int main(int argc, char **argv) {
    if (argc > 1 && !std::strcmp(argv[1], "bench")) {
        bench("stem 7x7 s2 3->64 224", {1, 1, 3, 64, 224, 224, 7, 7, 2, 2, 3, 3, 1, 1}, patches);
        bench("3x3 64->64 56", {1, 1, 64, 64, 56, 56, 3, 3, 1, 1, 1, 1, 1, 1}, patches);
        bench("3x3 128->128 28", {1, 1, 128, 128, 28, 28, 3, 3, 1, 1, 1, 1, 1, 1}, patches);
        bench("3x3 256->256 14", {1, 1, 256, 256, 14, 14, 3, 3, 1, 1, 1, 1, 1, 1}, patches);
        bench("3x3 512->512 7", {1, 1, 512, 512, 7, 7, 3, 3, 1, 1, 1, 1, 1, 1}, patches);
        bench("3x3 s2 128->128 56", {1, 1, 128, 128, 56, 56, 3, 3, 2, 2, 1, 1, 1, 1}, patches);
        bench("1x1 64->256 56", {1, 1, 64, 256, 56, 56, 1, 1, 1, 1, 0, 0, 1, 1}, pointwise);
        bench("1x1 s2 256->512 56", {1, 1, 256, 512, 56, 56, 1, 1, 2, 2, 0, 0, 1, 1}, patches);
        bench("depthwise 3x3 144 56", {1, 144, 1, 1, 56, 56, 3, 3, 1, 1, 1, 1, 1, 1}, depthwise);
        return 0;
    }
    all_checks<f32>();
    all_checks<half>();
    std::printf(failures ? "FAILED: %d\n" : "ok\n", failures);
    return failures != 0;
}
