// Convolutions as matrix products: rows are pixels of the result, columns a group's filters, k the taps of the window and the channels.
// Nothing is gathered in memory: a chunk of the left operand is eight channels of an image whose channels come last, or nothing where the tap
// lies in the padding.
struct litz_window {
    // Elements from one image, line and pixel to the next.
    i64 image, line, pixel;
    int height, width, out_height, out_width, stride_y, stride_x, padding_y, padding_x;
};
// `channels`: of a group. k runs over blocks of `block` channels, within a block over the taps, within a tap over the block's channels: what
// the taps of one block share stays in the first-level cache.
template <class S, int channels, int block, int taps_y, int taps_x, int dilation_y, int dilation_x> struct litz_patches {
    const S *data;
    litz_window window;
    i64 rows;
    enum { taps = taps_y * taps_x, depth = channels * taps };
    struct row_state { const S *at; int y, x; };
    __device__ __forceinline__ row_state row(i64 group, i64 row) const {
        // A row beyond the last is nowhere in its image.
        if (row >= rows) return {data, -(1 << 30), 0};
        const u32 in_image = window.out_height * window.out_width;
        const i64 image = row >> 31 ? row / in_image : (i64)((u32)row / in_image);
        const u32 at = (u32)(row - image * in_image), line = at / (u32)window.out_width;
        const int y = (int)line * window.stride_y - window.padding_y, x = (int)(at - line * window.out_width) * window.stride_x - window.padding_x;
        return {data + (image * window.image + y * window.line + x * window.pixel + group * channels), y, x};
    }
    __device__ __forceinline__ const S *chunk(const row_state &row, i64 k) const {
        const u32 place = (u32)k, many = place / block, tap = many % taps, channel = many / taps * block + place % block;
        const int down = tap / taps_x * dilation_y, right = tap % taps_x * dilation_x;
        const bool inside = (u32)(row.y + down) < (u32)window.height && (u32)(row.x + right) < (u32)window.width && place < depth;
        return inside ? row.at + (down * window.line + right * window.pixel + channel) : nullptr;
    }
    __device__ __forceinline__ const S *across(i64, i64, i64) const { return nullptr; }
};
// The weights, each filter's taps one after the other and their channels last, read in the order of litz_patches' k.
template <class S, int channels, int block, int taps> struct litz_filters {
    const S *data;
    i64 filters; // of a group
    enum { depth = channels * taps };
    typedef const S *row_state;
    __device__ __forceinline__ row_state row(i64 group, i64 filter) const { return filter < filters ? data + (group * filters + filter) * depth : nullptr; }
    __device__ __forceinline__ const S *chunk(row_state row, i64 k) const {
        const u32 place = (u32)k, many = place / block;
        const u32 at = block == channels ? place : many % taps * channels + many / taps * block + place % block;
        return row && place < depth ? row + at : nullptr;
    }
    __device__ __forceinline__ const S *across(i64, i64, i64) const { return nullptr; }
};
