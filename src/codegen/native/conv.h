// Litz convolutions over NC(H)W images; stands after prelude.h, tile.h and gemm.h (with LITZ_USE_TILE_F32 for f32).
//
// One- and two-dimensional (a one-dimensional one has height 1), with stride, padding, dilation and groups; all sizes at run time.
// Each is a matrix product for each image and group, m = output channels of the group, n = output positions, k = input channels of the
// group times kernel positions; the weights are A, and B's panels are cut from the image block by block, so that the unfolded image
// never exists.
//
//   litz_conv_shape: sizes in elements; in_channels and out_channels are those of one group; the image strides are in elements (the
//     stride along w is 1). Weights are [groups * out_channels, in_channels, kernel_h, kernel_w], contiguous. out_h and out_w are given, not
//     computed: floor((in + 2 pad - dilation (kernel - 1) - 1) / stride) + 1.
//   litz_conv_gemm(shape, m_block, n_block, k_block, a_copied, b_copied): the litz_gemm_shape whose litz_gemm_task_count is the number of tasks (batch = images * groups).
//   litz_conv_run<T, litz_gemm_traits<WHOLE, FEW, WATCHED>, X, W>(shape, gemm, x, w, epilogue, begin, end, scratch): any convolution. X and W are the types in memory.
//   litz_conv_pointwise_run: the same for 1 x 1 kernels with stride 1 and no padding, whose image rows must follow each other
//     (x_row_stride == in_w): the image itself is B.
//     Both call `epilogue(image, channel, n_begin, n_count, T *sums)` for each channel (counted over all groups) and run of positions n = y * out_w + x;
//     scratch: litz_gemm_scratch(gemm, sizeof(T)).
//   litz_conv_depthwise_run<X, W>(shape, x, w, epilogue, begin, end): in_channels == 1, computed in f32 directly; one task per image and output
//     channel, litz_conv_depthwise_tasks(shape); the same epilogue, called for at most LITZ_CONV_ROW positions of one row at a time; no scratch.
#ifndef LITZ_CONV_H
#define LITZ_CONV_H

struct litz_conv_shape {
    i64 images, groups, in_channels, out_channels, in_h, in_w, out_h, out_w, kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w;
    i64 x_image_stride, x_channel_stride, x_row_stride;
};

LITZ_FN litz_gemm_shape litz_conv_gemm(const litz_conv_shape &s, i64 m_block, i64 n_block, i64 k_block = LITZ_GEMM_DEPTH, bool a_copied = true, bool b_copied = true) {
    return {s.images * s.groups, s.out_channels, s.out_h * s.out_w, s.in_channels * s.kernel_h * s.kernel_w, m_block, n_block, k_block, a_copied, b_copied};
}
LITZ_FN i64 litz_conv_depthwise_tasks(const litz_conv_shape &s) { return s.images * s.groups * s.out_channels; }

// Lanes 0, 2, 4, … of 2 W - 1 elements: the second load starts one element early, so that nothing beyond is read.
template <class S> LITZ_FN vf32 litz_load_even(const S *p) {
    vf32 a = load(p), b = load(p + LITZ_LANES - 1);
#if LITZ_LANES == 16
#define LITZ_EVEN 0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31
#elif LITZ_LANES == 8
#define LITZ_EVEN 0, 2, 4, 6, 9, 11, 13, 15
#else
#define LITZ_EVEN 0, 2, 5, 7
#endif
#if defined(__clang__) || __GNUC__ >= 12
    return __builtin_shufflevector(a, b, LITZ_EVEN);
#else
    return __builtin_shuffle(a, b, (vi32){LITZ_EVEN});
#endif
}

// dst[i] = src[i * stride], i < count.
template <class T, class S> LITZ_MATH void litz_copy_strided(T *dst, const S *src, i64 count, i64 stride) {
    for (i64 i = 0; i < count; i++) dst[i] = (T)load_scalar(src + i * stride);
}
template <class S> LITZ_MATH void litz_copy_strided(f32 *dst, const S *src, i64 count, i64 stride) {
    i64 i = 0;
    if (stride == 1) {
        for (; i + LITZ_LANES <= count; i += LITZ_LANES) store(dst + i, load(src + i));
        if (i < count) store_tail(dst + i, load_tail(src + i, count - i), count - i);
        return;
    }
    if (stride == 2)
        for (; i + LITZ_LANES <= count; i += LITZ_LANES) store(dst + i, litz_load_even(src + 2 * i));
    for (; i < count; i++) dst[i] = load_scalar(src + i * stride);
}

// The first and one past the last i < count with 0 <= start + i * stride < size.
LITZ_FN void litz_inside(i64 start, i64 stride, i64 size, i64 count, i64 *first, i64 *last) {
    *first = start < 0 ? litz_min(count, (-start + stride - 1) / stride) : 0;
    i64 end = size - start > 0 ? (size - start + stride - 1) / stride : 0;
    *last = litz_max(*first, litz_min(count, end));
}

// Panels of the unfolded image: row k = (channel, kernel y, kernel x), column = output position.
template <class T, class X> struct litz_b_patches {
    const X *x;
    const litz_conv_shape *shape;
    litz_rows<T> panel(i64 batch, i64 n, i64 n_count, i64 k, i64 k_count, i64, T *space) const {
        const litz_conv_shape &s = *shape;
        const X *image = x + batch / s.groups * s.x_image_stride + batch % s.groups * s.in_channels * s.x_channel_stride;
        const i64 columns = LITZ_TILE_COLUMNS(T), window = s.kernel_h * s.kernel_w;
        for (i64 position = 0; position < litz_min(window, k_count); position++) {
            // This kernel position's rows of the panel are `window` apart, one per channel; where they lie in the image is worked out once.
            i64 at = (k + position) % window, channel = (k + position) / window, ky = at / s.kernel_w, kx = at % s.kernel_w;
            struct { i64 to, count, from; } runs[LITZ_TILE_COLUMNS(T)];
            i64 count = 0, covered = 0;
            for (i64 done = 0; done < n_count;) {
                i64 oy = (n + done) / s.out_w, ox = (n + done) % s.out_w, length = litz_min(n_count - done, s.out_w - ox);
                i64 iy = oy * s.stride_h - s.pad_h + ky * s.dilation_h, ix = ox * s.stride_w - s.pad_w + kx * s.dilation_w, first, last;
                litz_inside(ix, s.stride_w, s.in_w, length, &first, &last);
                if (iy >= 0 && iy < s.in_h && first < last) {
                    runs[count++] = {done + first, last - first, iy * s.x_row_stride + ix + first * s.stride_w};
                    covered += last - first;
                }
                done += length;
            }
            for (i64 row = position; row < k_count; row += window, channel++) {
                const X *from = image + channel * s.x_channel_stride;
                T *to = space + row * columns;
                if (covered < columns) __builtin_memset(to, 0, 2 * LITZ_VECTOR_BYTES);
                for (i64 i = 0; i < count; i++) litz_copy_strided(to + runs[i].to, from + runs[i].from, runs[i].count, s.stride_w);
            }
        }
        return {space, 2 * LITZ_VECTOR_BYTES, space};
    }
};

// The weights of the batch's group, and the epilogue and image seen from a batch that counts groups.
template <class T, class W> struct litz_conv_weights {
    const W *w;
    i64 groups, out_channels, k;
    litz_rows<T> rows(i64 batch, i64 m, i64 m_count, i64 k_begin, i64 k_count, T *space) const {
        return litz_a_matrix<T, W>{w, out_channels * k, k, 1}.rows(batch % groups, m, m_count, k_begin, k_count, space);
    }
};
template <class T, class X> struct litz_conv_image {
    const X *x;
    const litz_conv_shape *shape;
    litz_rows<T> panel(i64 batch, i64 n, i64 n_count, i64 k, i64 k_count, i64 rows_of_a, T *space) const {
        const litz_conv_shape &s = *shape;
        const X *image = x + batch / s.groups * s.x_image_stride + batch % s.groups * s.in_channels * s.x_channel_stride;
        return litz_b_matrix<T, X>{image, 0, s.x_channel_stride, 1}.panel(0, n, n_count, k, k_count, rows_of_a, space);
    }
};
template <class T, class R, class W, class B, class E>
LITZ_FN void litz_conv_product(const litz_conv_shape &s, const litz_gemm_shape &g, const B &b, const W *w, E &&epilogue, i64 begin, i64 end, void *scratch) {
    auto row = [&](i64 batch, i64 m, i64 n_begin, i64 n_count, T *sums) { epilogue(batch / s.groups, batch % s.groups * s.out_channels + m, n_begin, n_count, sums); };
    litz_gemm_run<T, R>(g, litz_conv_weights<T, W>{w, s.groups, s.out_channels, g.k}, b, row, begin, end, scratch);
}
template <class T, class R, class X, class W, class E>
LITZ_FN void litz_conv_run(const litz_conv_shape &s, const litz_gemm_shape &g, const X *x, const W *w, E &&epilogue, i64 begin, i64 end, void *scratch) {
    litz_conv_product<T, R, W>(s, g, litz_b_patches<T, X>{x, &s}, w, epilogue, begin, end, scratch);
}
template <class T, class R, class X, class W, class E>
LITZ_FN void litz_conv_pointwise_run(const litz_conv_shape &s, const litz_gemm_shape &g, const X *x, const W *w, E &&epilogue, i64 begin, i64 end, void *scratch) {
    litz_conv_product<T, R, W>(s, g, litz_conv_image<T, X>{x, &s}, w, epilogue, begin, end, scratch);
}

// Lanes first..last-1 of the vector at p, the others zero and untouched in memory.
template <class X> LITZ_FN vf32 litz_load_window(const X *p, i64 first, i64 last) {
    f32 lanes[LITZ_LANES] = {};
    for (i64 i = first; i < last; i++) lanes[i] = load_scalar(p + i);
    return load(lanes);
}
#if LITZ_VECTOR_BYTES == 64
LITZ_FN vf32 litz_load_window(const f32 *p, i64 first, i64 last) {
    vf32 r;
    __asm__("vmovups %1,%0%{%2%}%{z%}" : "=v"(r) : "m"(*(const vf32_unaligned *)p), "Yk"((u16)(litz_tail_bits(last) & ~litz_tail_bits(first))));
    return r;
}
#elif LITZ_VECTOR_BYTES == 32
LITZ_FN vf32 litz_load_window(const f32 *p, i64 first, i64 last) {
    vf32 r;
    vi32 m = tail_mask(last).m & ~tail_mask(first).m;
    __asm__("vmaskmovps %1,%2,%0" : "=x"(r) : "m"(*(const vf32_unaligned *)p), "x"(m));
    return r;
}
#endif
// Elements start, start + stride, … of an image row of `size`, zero outside it.
template <class X> LITZ_FN vf32 litz_load_padded(const X *row, i64 start, i64 stride, i64 size) {
    i64 first, last;
    if (stride == 1) {
        first = start < 0 ? -start : 0, last = litz_min(LITZ_LANES, size - start);
        return first < last ? litz_load_window(row + start, first, last) : vf32{};
    }
    if (stride == 2 && start >= 0 && start + 2 * LITZ_LANES - 2 < size) return litz_load_even(row + start);
    f32 lanes[LITZ_LANES] = {};
    litz_inside(start, stride, size, LITZ_LANES, &first, &last);
    if (first < last) litz_copy_strided(lanes + first, row + start + first * stride, last - first, stride);
    return load(lanes);
}
template <class X, class W> LITZ_FN vf32 litz_depthwise_sum(const litz_conv_shape &s, const X *plane, const W *w, i64 ky0, i64 ky1, i64 top, i64 left) {
    vf32 sum = {};
    bool inside = s.stride_w == 1 && left >= 0 && left + (s.kernel_w - 1) * s.dilation_w + LITZ_LANES <= s.in_w;
    for (i64 ky = ky0; ky < ky1; ky++) {
        const X *row = plane + (top + ky * s.dilation_h) * s.x_row_stride;
        const W *weights = w + ky * s.kernel_w;
        if (inside) {
            row += left;
            for (i64 kx = 0; kx < s.kernel_w; kx++, row += s.dilation_w) sum = fused(splat(load_scalar(weights + kx)), load(row), sum);
        } else {
            for (i64 kx = 0; kx < s.kernel_w; kx++) sum = fused(splat(load_scalar(weights + kx)), litz_load_padded(row, left + kx * s.dilation_w, s.stride_w, s.in_w), sum);
        }
    }
    return sum;
}

template <class X, class W, class E>
LITZ_MATH void litz_conv_depthwise_run(const litz_conv_shape &s, const X *x, const W *w, E &&epilogue, i64 begin, i64 end) {
    i64 channels = s.groups * s.out_channels;
    f32 sums[LITZ_CONV_ROW];
    for (i64 task = begin; task < end; task++) {
        i64 image = task / channels, channel = task % channels;
        const X *plane = x + image * s.x_image_stride + channel / s.out_channels * s.x_channel_stride;
        const W *weights = w + channel * s.kernel_h * s.kernel_w;
        for (i64 oy = 0; oy < s.out_h; oy++) {
            i64 top = oy * s.stride_h - s.pad_h, ky0, ky1;
            litz_inside(top, s.dilation_h, s.in_h, s.kernel_h, &ky0, &ky1);
            for (i64 ox = 0; ox < s.out_w; ox += LITZ_CONV_ROW) {
                i64 count = litz_min(LITZ_CONV_ROW, s.out_w - ox);
                for (i64 i = 0; i < count; i += LITZ_LANES) store(sums + i, litz_depthwise_sum(s, plane, weights, ky0, ky1, top, (ox + i) * s.stride_w - s.pad_w));
                epilogue(image, channel, oy * s.out_w + ox, count, sums);
            }
        }
    }
}
#endif
