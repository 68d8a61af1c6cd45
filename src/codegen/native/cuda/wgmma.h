// Matrix products of half and bfloat on Hopper's tensor cores: wgmma (sm_90a). A warpgroup, 128 threads, multiplies 64 rows from shared
// memory with `columns` rows from there and adds to its registers: thread t of warp w has, of the columns 8 j + 2 (t % 4) and the next,
// rows 16 w + t / 4 in sums[4 j], sums[4 j + 1], and rows 8 further in the next two. In shared memory an operand's rows have 64
// elements of k, 128 bytes, whose chunks of 16 bytes are permuted by the row (the 128-byte swizzle, as mma.h and the copy engine lay them); a transposed
// operand has 64 neighbours for each of 64 k, 8192 bytes, and the next 64 behind them.
#define LITZ_WGMMA_FENCE() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define LITZ_WGMMA_COMMIT() asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
template <int n> LITZ_FN void litz_wgmma_wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(n) : "memory"); }
// An operand in shared memory: 8 rows of 128 bytes make 1024; 64 columns of a transposed operand make 8192.
// What depends on the address counts 16 bytes and has no carry: `beyond` is added to it as a constant. An address also has the
// block's place in its cluster, above all that a block has.
LITZ_FN u32 litz_descriptor_low(u32 address) { return (address >> 4 & 0x3fff) | (8192 >> 4) << 16; }
LITZ_FN u64 litz_descriptor_at(u32 low, int beyond) { return (u64)(low + (beyond >> 4)) | (u64)(1024 >> 4 | 1 << 30) << 32; }
LITZ_FN u64 litz_descriptor(u32 address) { return litz_descriptor_at(litz_descriptor_low(address), 0); }

// The registers of an instruction as operands, and their places in its text.
#define LITZ_SUMS_8(c, n) "+f"(c[n]), "+f"(c[n + 1]), "+f"(c[n + 2]), "+f"(c[n + 3]), "+f"(c[n + 4]), "+f"(c[n + 5]), "+f"(c[n + 6]), "+f"(c[n + 7])
#define LITZ_SUMS_32(c, n) LITZ_SUMS_8(c, n), LITZ_SUMS_8(c, n + 8), LITZ_SUMS_8(c, n + 16), LITZ_SUMS_8(c, n + 24)
#define LITZ_SUMS_64(c, n) LITZ_SUMS_32(c, n), LITZ_SUMS_32(c, n + 32)
#define LITZ_SUMS_96(c, n) LITZ_SUMS_64(c, n), LITZ_SUMS_32(c, n + 64)
#define LITZ_SUMS_128(c, n) LITZ_SUMS_64(c, n), LITZ_SUMS_64(c, n + 64)
#define LITZ_PLACES_32 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define LITZ_PLACES_64 LITZ_PLACES_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define LITZ_PLACES_96 LITZ_PLACES_64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define LITZ_PLACES_128 LITZ_PLACES_96 ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
// One instruction: `count` registers a thread for `columns`; a and b are descriptors; without `keep` the sums start from zero. The second form
// has its rows in registers: element pairs as mma has them.
#define LITZ_WGMMA(columns, count, name, T, p0, p1, p2, p3, p4, p5, p6)                                                                      \
    template <bool left, bool right> LITZ_FN void litz_wgmma(f32 (&c)[count], u64 a, u64 b, int keep, T) {                                  \
        asm volatile("{ .reg .pred p; setp.ne.b32 p, %" #p2 ", 0; wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32." name "." name " {" \
                     LITZ_PLACES_##count "}, %" #p0 ", %" #p1 ", p, 1, 1, %" #p3 ", %" #p4 "; }"                                            \
                     : LITZ_SUMS_##count(c, 0) : "l"(a), "l"(b), "r"(keep), "n"(left), "n"(right));                                         \
    }                                                                                                                                       \
    template <bool right> LITZ_FN void litz_wgmma(f32 (&c)[count], const u32 (&a)[4], u64 b, int keep, T) {                                 \
        asm volatile("{ .reg .pred p; setp.ne.b32 p, %" #p5 ", 0; wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32." name "." name " {" \
                     LITZ_PLACES_##count "}, {%" #p0 ", %" #p1 ", %" #p2 ", %" #p3 "}, %" #p4 ", p, 1, 1, %" #p6 "; }"                      \
                     : LITZ_SUMS_##count(c, 0) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(keep), "n"(right));                \
    }
#define LITZ_WGMMAS(name, T)                                         \
    LITZ_WGMMA(64, 32, name, T, 32, 33, 34, 35, 36, 37, 38)          \
    LITZ_WGMMA(128, 64, name, T, 64, 65, 66, 67, 68, 69, 70)         \
    LITZ_WGMMA(192, 96, name, T, 96, 97, 98, 99, 100, 101, 102)      \
    LITZ_WGMMA(256, 128, name, T, 128, 129, 130, 131, 132, 133, 134)
// float32, rounded to TF32: eight k an instruction, which are as many bytes; it takes no transposed operands.
#define LITZ_WGMMA_TF32(columns, count, p0, p1, p2)                                                                                          \
    template <bool left, bool right> LITZ_FN void litz_wgmma(f32 (&c)[count], u64 a, u64 b, int keep, f32) {                                \
        asm volatile("{ .reg .pred p; setp.ne.b32 p, %" #p2 ", 0; wgmma.mma_async.sync.aligned.m64n" #columns "k8.f32.tf32.tf32 {"          \
                     LITZ_PLACES_##count "}, %" #p0 ", %" #p1 ", p, 1, 1; }"                                                                \
                     : LITZ_SUMS_##count(c, 0) : "l"(a), "l"(b), "r"(keep));                                                                \
    }
LITZ_WGMMA_TF32(64, 32, 32, 33, 34)
LITZ_WGMMA_TF32(128, 64, 64, 65, 66)
LITZ_WGMMA_TF32(192, 96, 96, 97, 98)
LITZ_WGMMA_TF32(256, 128, 128, 129, 130)
LITZ_WGMMAS("bf16", bfloat)
LITZ_WGMMAS("f16", half)

// Tiles of `groups` times 64 rows by `columns`; `stages` steps in shared memory.
template <class S, int groups, int columns, int stages, bool left_transposed, bool right_transposed, class L, class R, class E>
LITZ_FN void litz_wgmma_run(const litz_gemm_shape &s, const L &left, const R &right, E epilogue) {
    extern __shared__ __align__(1024) char dynamic[];
    constexpr int threads = groups * 128, rows = groups * 64;
    const litz_tile tile = litz_tile_of<rows, columns>(s, blockIdx.x);
    const litz_mma_tiles<L, R, left_transposed, right_transposed, rows, columns, threads, stages> tiles(s, tile, left, right, dynamic);
    const int group = threadIdx.x / 128, warp = threadIdx.x % 128 / 32, lane = threadIdx.x % 32;
    f32 sums[columns / 2];
    _Pragma("unroll") for (int i = 0; i < columns / 2; i++) sums[i] = 0;
    _Pragma("unroll") for (int step = 0; step < stages - 2; step++) tiles.fetch(step);
    for (int step = 0; step < tiles.steps; step++) {
        litz_copy_wait<stages - 3>();
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        // Behind this barrier the products of the step before the last are finished: their memory is filled again.
        __syncthreads();
        tiles.fetch(step + stages - 2);
        const u32 at = tiles.place(step);
        LITZ_WGMMA_FENCE();
        _Pragma("unroll") for (int k = 0; k < LITZ_MMA_DEPTH; k += 16) {
            const u64 a = litz_descriptor(at + group * 8192 + (left_transposed ? k * 128 : k * 2));
            const u64 b = litz_descriptor(at + tiles.left_bytes + (right_transposed ? k * 128 : k * 2));
            litz_wgmma<left_transposed, right_transposed>(sums, a, b, 1, S());
        }
        LITZ_WGMMA_COMMIT();
        litz_wgmma_wait<1>();
    }
    litz_wgmma_wait<0>();
    litz_copy_wait<0>();
    const litz_mma_sums<rows, columns, threads> staged = {(f32 *)dynamic};
    __syncthreads();
    _Pragma("unroll") for (int j = 0; j < columns / 8; j++)
        staged.put(group * 64 + warp * 16 + lane / 4, j * 8 + lane % 4 * 2, sums + j * 4);
    __syncthreads();
    staged.give(s, tile, epilogue);
}
