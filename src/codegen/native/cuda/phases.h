// Litz CUDA work in phases, in one launch; stands after prelude.h.
//
//   litz_phases(tickets, phases, items, last, work)
//
// work(phase, item) for `items` of each of `phases` phases, then for `last` of one more; an item finds all that earlier phases wrote.
// Blocks take items in their order, so that what an item waits for is always in hand: no number of blocks has to fit the GPU at a
// time. `tickets` holds phases + 3 numbers, zero before and after.
LITZ_FN u32 litz_seen(const i32 *p) {
    u32 x;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");
    return x;
}

template <class Work> LITZ_FN void litz_phases(i32 *tickets, int phases, i64 items, i64 last, const Work &work) {
    __shared__ u32 mine;
    const i64 before = phases * items;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) mine = (u32)atomicAdd(tickets, 1);
        __syncthreads();
        const i64 turn = mine;
        if (turn >= before + last) break;
        const int phase = turn < before ? (int)(turn / items) : phases;
        if (phase > 0) {
            if (threadIdx.x == 0)
                while (litz_seen(tickets + 1 + phase) < (u32)items) __nanosleep(64);
            __syncthreads();
            __threadfence();
        }
        work(phase, turn - phase * items);
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) atomicAdd(tickets + 2 + phase, 1);
    }
    if (threadIdx.x == 0) {
        __threadfence();
        if ((u32)atomicAdd(tickets + 1, 1) == gridDim.x - 1)
            for (int k = 0; k < phases + 3; k++) tickets[k] = 0;
    }
}
