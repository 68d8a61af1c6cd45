// What every program's cubins have for the executor.
//
// A copy between two layouts of up to eight dimensions; what the executor calls for tensors that are laid out otherwise than kernels
// expect. Strides in elements; src/executor/cuda_launch.c fills the structure.
struct litz_copy_plan {
    i64 elements;
    i32 rank, item;
    i64 size[8], to[8], from[8];
};
template <class W> LITZ_FN void litz_copy_elements(char *to, const char *from, const litz_copy_plan &p) {
    for (i64 n = blockIdx.x * (i64)blockDim.x + threadIdx.x; n < p.elements; n += (i64)gridDim.x * blockDim.x) {
        i64 left = n, t = 0, f = 0;
        for (int d = p.rank - 1; d >= 0; d--) {
            const i64 q = left / p.size[d], at = left - q * p.size[d];
            t += at * p.to[d];
            f += at * p.from[d];
            left = q;
        }
        ((W *)to)[t] = ((const W *)from)[f];
    }
}
extern "C" __global__ void litz_copy_strided(char *to, const char *from, litz_copy_plan p) {
    switch (p.item) {
    case 1: litz_copy_elements<u8>(to, from, p); break;
    case 2: litz_copy_elements<u16>(to, from, p); break;
    case 4: litz_copy_elements<u32>(to, from, p); break;
    case 8: litz_copy_elements<u64>(to, from, p); break;
    default: litz_copy_elements<litz_word16>(to, from, p); break;
    }
}
// A graph's node that fills a little memory, in the place of the driver's own: those make a replay slower.
extern "C" __global__ void litz_fill(char *to, u32 value, u32 item, u64 elements) {
    for (u64 n = threadIdx.x; n < elements; n += blockDim.x) {
        if (item == 1) ((u8 *)to)[n] = (u8)value;
        else if (item == 2) ((u16 *)to)[n] = (u16)value;
        else ((u32 *)to)[n] = value;
    }
}
