// Products of few rows with weights that lie in memory as codes, integers of 4 or 8 bits, on tensor cores (sm_80 and later): the codes are
// read once, as fast as memory gives them, and become halves in registers.
//
// `codes` lie in the order of lanes: a tile of 16 rows of the matrix has its steps one after the other, a step its rows 0..7 and 8..15, and
// these 32 lanes' chunks of 16 bytes: of lane l those of row l / 4 and of the chunk l % 4 along k. Of 8 codes of 4 bits in a word, code 2 j
// begins at bit 4 j and code 2 j + 1 at bit 16 + 4 j, so that a pair takes a shift and a mask.
//
// `group(n, k, of)` puts into `words` words what the chunk of row n at k has in common; `weight` makes a word of two weights of one of two
// codes and of that. A code is its bits less `bias`, or a byte with its sign.
static_assert(LITZ_CODES_ROWS == 16 && LITZ_CODES_LANES_ACROSS == 4 && LITZ_CODES_MOST_ROWS == 8, "the operands of mma.m16n8k16");
static_assert(LITZ_CODES_BYTES == 16, "a lane reads four words");

LITZ_FN uint4 litz_load_codes(const u8 *p) {
    uint4 r;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w) : "l"(p));
    return r;
}
LITZ_FN u32 litz_word_of(const uint4 &w, int i) { return i == 0 ? w.x : i == 1 ? w.y : i == 2 ? w.z : w.w; }
// Two halves of a word at a time.
LITZ_FN u32 litz_fma2(u32 a, u32 b, u32 c, bfloat) { u32 r; asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); return r; }
LITZ_FN u32 litz_fma2(u32 a, u32 b, u32 c, half) { u32 r; asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); return r; }
LITZ_FN u32 litz_halves(f32 a, f32 b, bfloat) { return litz_to_bfloats(a, b); }
LITZ_FN u32 litz_halves(f32 a, f32 b, half) { return litz_to_halves(a, b); }
template <class S> LITZ_FN u32 litz_both(f32 a, S s) { return litz_halves(a, a, s); }
template <class S> LITZ_FN u32 litz_add2(u32 a, u32 b, S s) { return litz_fma2(a, litz_both(1, s), b, s); }
template <class S> LITZ_FN u32 litz_mul2(u32 a, u32 b, S s) { return litz_fma2(a, b, 0x80008000u, s); }
// A number that the compiler does not know (the grid has one dimension): logic of two literals would get one of them into a register
// each time.
LITZ_FN u32 litz_held(u32 bits) {
    u32 zero;
    asm("mov.u32 %0, %%ctaid.z;" : "=r"(zero));
    return bits * (zero + 1);
}

// Codes 2 i and 2 i + 1 of a chunk as halves. The integer is put behind the power of two whose neighbours are one apart: 2^10 for
// float16, and 2^7 for bfloat16, which has no room for the eighth bit: that is -128 or 0 more.
template <int bits, bool is_signed, int bias> struct litz_codes {
    u32 low = litz_held(bits == 4 ? 0x000f000fu : 0x007f007fu), high = bits == 4 ? 0 : litz_held(0x00800080u);
    __device__ __forceinline__ u32 two(const uint4 &w, int i, bfloat s) const {
        if (bits == 4) return litz_add2((litz_word_of(w, i / 4) >> i % 4 * 4 & low) | 0x43004300u, litz_both(-128 - bias, s), s);
        const u32 word = litz_word_of(w, i / 2), both = __byte_perm(is_signed ? word : word ^ 0x80808080u, 0, i % 2 ? 0x4342 : 0x4140);
        const u32 codes = litz_add2((both & low) | 0x43004300u, (both & high) | 0xc300c300u, s);
        return is_signed || bias == 128 ? codes : litz_add2(codes, litz_both(128 - bias, s), s);
    }
    __device__ __forceinline__ u32 two(const uint4 &w, int i, half s) const {
        if (bits == 4) return litz_add2((litz_word_of(w, i / 4) >> i % 4 * 4 & low) | 0x64006400u, litz_both(-1024 - bias, s), s);
        const u32 word = litz_word_of(w, i / 2), both = __byte_perm(is_signed ? word ^ 0x80808080u : word, 0x64646464u, i % 2 ? 0x4342 : 0x4140);
        return litz_add2(both, litz_both(-1024 - (is_signed ? 128 : bias), s), s);
    }
};
// A block has a tile of 16 rows, its warps share k. Lanes give the instruction what they have: in which order k is summed, does not
// matter. `count` rows of `thin` are its columns; what those beyond give is left. `depth` steps of a warp are in flight.
template <class S, int bits, bool is_signed, int bias, int words, int count, int warps, int depth, bool ragged, class T, class G, class F, class E>
LITZ_FN void litz_gemv_codes(const litz_gemm_shape &s, const T &thin, const void *codes, const G &group, const F &weight, E epilogue) {
    constexpr int chunk = 8 * LITZ_CODES_BYTES / bits, of_step = 4 * chunk;
    __shared__ f32 partial[warps * count * 16];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = lane / 4, own = lane % 4 * chunk, size = (int)s.k, last = (int)s.n - 1;
    const int steps = (size + of_step - 1) / of_step, rows[2] = {litz_lesser((int)blockIdx.x * 16 + row, last), litz_lesser((int)blockIdx.x * 16 + row + 8, last)};
    const u8 *w = (const u8 *)codes + (i64)blockIdx.x * steps * 1024 + lane * 16;
    const S *x = thin.row(0, litz_lesser(row, count - 1));
    const litz_codes<bits, is_signed, bias> made;
    struct chunks { uint4 codes[2]; u32 of[2][words]; };
    f32 sums[2][4] = {};
    // Lanes beyond the end have zeros, whatever lies there.
    auto place = [&](int step) { const int k = step * of_step + own; return ragged ? litz_lesser(k, size - chunk) : k; };
    auto add = [&](int step, const chunks &c) {
        const int k = place(step);
        const u32 inside = !ragged || step * of_step + own < size ? 0xffffffffu : 0;
        _Pragma("unroll") for (int i = 0; i < chunk; i += 8) {
            const uint4 a = *(const uint4 *)(x + k + i);
            _Pragma("unroll") for (int h = 0; h < 2; h++) {
                u32 b[4];
                _Pragma("unroll") for (int d = 0; d < 4; d++) b[d] = weight(made.two(c.codes[d % 2], i / 2 + h * 2 + d / 2, S()), c.of[d % 2]) & inside;
                litz_mma(sums[h], b, litz_word_of(a, h * 2) & inside, litz_word_of(a, h * 2 + 1) & inside, S());
            }
        }
    };
    // Whether there is a step is the warp's, for the instruction is.
    auto several = [&](int step, auto some) {
        auto is = [&](int i) { return !decltype(some)::value || step + i * warps < steps; };
        chunks c[depth];
        _Pragma("unroll") for (int i = 0; i < depth; i++) if (is(i)) _Pragma("unroll") for (int r = 0; r < 2; r++) {
            c[i].codes[r] = litz_load_codes(w + (i64)(step + i * warps) * 1024 + r * 512);
            group(rows[r], place(step + i * warps), c[i].of[r]);
        }
        _Pragma("unroll") for (int i = 0; i < depth; i++) if (is(i)) add(step + i * warps, c[i]);
    };
    int step = warp;
    for (; step + (depth - 1) * warps < steps; step += depth * warps) several(step, litz_number<0>());
    if (depth > 1 && step < steps) several(step, litz_number<1>());
    _Pragma("unroll") for (int c = 0; c < 4; c++) {
        const int m = lane % 4 * 2 + c % 2;
        if (m < count) partial[(warp * count + m) * 16 + row + c / 2 * 8] = sums[0][c] + sums[1][c];
    }
    litz_gemv_finish<count, false>(partial, warps, 16, 0, (i64)blockIdx.x * 16, s.n, epilogue);
}
