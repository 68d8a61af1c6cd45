// Litz CUDA work in phases, in one launch; stands after prelude.h.
//
//   litz_phases(semaphores, phases, items, last, work)
//
// work(phase, item) for `items` of each of `phases` phases, one at least, then for `last` of one more; an item finds all that earlier
// phases wrote. Blocks take items in their order, so that what an item waits for is always in hand: no number of blocks has to fit
// the GPU at a time. The last phase has no barriers of its own. `semaphores` holds phases + 2 numbers, zero before and after.
LITZ_FN u32 litz_seen(const i32 *p) {
    u32 x;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");
    return x;
}

template <class Work> LITZ_FN void litz_phases(i32 *semaphores, int phases, i64 items, i64 last, const Work &work) {
    __shared__ u32 mine;
    const i64 before = phases * items;
    const auto wait = [&](int phase) {
        if (threadIdx.x == 0)
            while (litz_seen(semaphores + 2 + phase) < (u32)items) __nanosleep(64);
        __syncthreads();
        __threadfence();
    };
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) mine = (u32)atomicAdd(semaphores, 1);
        __syncthreads();
        const i64 turn = mine;
        if (turn >= before) break;
        const int phase = (int)(turn / items);
        if (phase > 0) wait(phase - 1);
        work(phase, turn - phase * items);
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence(); // what the barrier has shown to this thread is to be seen before the number
            atomicAdd(semaphores + 2 + phase, 1);
        }
    }
    // Nothing waits for the last items.
    if (blockIdx.x < last) {
        wait(phases - 1);
        for (i64 item = blockIdx.x; item < last; item += gridDim.x) work(phases, item);
    }
    if (threadIdx.x == 0) {
        __threadfence();
        if ((u32)atomicAdd(semaphores + 1, 1) == gridDim.x - 1)
            for (int k = 0; k < phases + 2; k++) semaphores[k] = 0;
    }
}
