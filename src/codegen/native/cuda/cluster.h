// A value of each block of a cluster put together, the same in all their threads: f over the values of `threads` threads in each of
// `blocks` blocks, block by block. `shared` as reduce_threads has it, and `turn` alternates from call to call, so that no block writes
// where another still reads; who has called it meets the others before it ends.
template <int blocks, int threads, class F, class V> LITZ_FN V litz_reduce_cluster(V x, F f, V identity, u8 *shared, int turn) {
    union { V t; u32 w[(sizeof(V) + 3) / 4]; } own, there;
    own.t = reduce_threads<threads>(x, f, identity, shared);
    u32 *const place = (u32 *)(shared + 512 + 16 * turn);
    if (threadIdx.x == 0) _Pragma("unroll") for (int i = 0; i < (int)(sizeof own.w / 4); i++) place[i] = own.w[i];
    litz_cluster_meet();
    V all = identity;
    _Pragma("unroll") for (int b = 0; b < blocks; b++) {
        _Pragma("unroll") for (int i = 0; i < (int)(sizeof there.w / 4); i++)
            asm volatile("{ .reg .b32 at; mapa.shared::cluster.u32 at, %1, %2; ld.shared::cluster.b32 %0, [at]; }" : "=r"(there.w[i]) : "r"(litz_shared_address(place + i)), "r"(b) : "memory");
        all = b == 0 ? there.t : f(all, there.t);
    }
    return all;
}
