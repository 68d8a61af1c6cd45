// Hopper's copy engine (sm_90): boxes of tensors, as tensor maps describe them, travel to shared memory and back while threads do other
// things. A barrier in shared memory (8 bytes) counts the bytes that arrive, or threads that do; its phases take turns: the first
// is 0, and a wait for a phase returns once that one is over.
struct __align__(64) litz_tensor_map { u64 words[16]; };

LITZ_FN void litz_barrier_start(u32 barrier, u32 arrivals) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory"); }
// Makes barriers that were started known to the copy engine and to the other blocks of the cluster; before the threads meet.
LITZ_FN void litz_barriers_started() { asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta;" ::: "memory"); }
// An arrival that promises bytes.
LITZ_FN void litz_barrier_expect(u32 barrier, u32 bytes) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory"); }
LITZ_FN void litz_barrier_arrive(u32 barrier) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory"); }
// At the barrier of a block of the cluster that lies where ours does. It orders no ordinary accesses of the two blocks: that would cost a
// fence each time, and what the copy engine writes over was read by wgmma.
LITZ_FN void litz_barrier_arrive_at(u32 barrier, u32 block) {
    asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(barrier), "r"(block) : "memory");
}
LITZ_FN void litz_barrier_wait(u32 barrier, u32 phase) {
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1, 0x989680; @!p bra again; }" ::"r"(barrier), "r"(phase) : "memory");
}
LITZ_FN u32 litz_cluster_rank() { u32 r; asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r)); return r; }
LITZ_FN void litz_cluster_meet() {
    __syncwarp();
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
// A warp's registers of halves, as mma has them, to shared memory: thread t gives where row t % 8 of the matrix t / 8 goes, or its column.
template <bool transposed> LITZ_FN void litz_store_matrices(u32 address, const u32 (&r)[4]) {
    if (transposed) asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
    else asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
}
// Two of them, whose rows the first sixteen threads give.
template <bool transposed> LITZ_FN void litz_store_two_matrices(u32 address, u32 a, u32 b) {
    if (transposed) asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(address), "r"(a), "r"(b) : "memory");
    else asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(address), "r"(a), "r"(b) : "memory");
}
// Four numbers of another block's shared memory, from where ours has them.
LITZ_FN void litz_load_of_block(f32 (&v)[4], u32 address, u32 block) {
    asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %4, %5; ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [there]; }"
                 : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3]) : "r"(address), "r"(block) : "memory");
}
// Threads of a block that meet apart from the others, under a number from 1 to 15.
LITZ_FN void litz_meet(int number, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory"); }
// What threads wrote to shared memory is seen by the copy engine and by wgmma; in each thread that wrote, before they meet.
LITZ_FN void litz_shared_written() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
template <int n> LITZ_FN void litz_registers_more() { asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(n)); }
template <int n> LITZ_FN void litz_registers_less() { asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(n)); }

LITZ_FN void litz_map_prefetch(const litz_tensor_map &map) { asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory"); }

// Brings the box at the coordinates (innermost first; what lies outside the tensor is zero) to shared memory, its bytes counted by `barrier`;
// litz_fetch_shared brings it to the blocks of the cluster that `mask` has bits for, at the same place, counted by their barriers there.
#define LITZ_BOXES(rank, places, mask_place, parameters, coordinates, ...)                                                                                     \
    LITZ_FN void litz_fetch(u32 to, const litz_tensor_map &map, u32 barrier, parameters) {                                                                      \
        asm volatile("cp.async.bulk.tensor." #rank "d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {" places "}], [%2];" ::"r"(to),          \
                     "l"(&map), "r"(barrier), __VA_ARGS__                                                                                                       \
                     : "memory");                                                                                                                              \
    }                                                                                                                                                           \
    LITZ_FN void litz_fetch_shared(u32 to, const litz_tensor_map &map, u32 barrier, u16 mask, parameters) {                                                     \
        asm volatile("cp.async.bulk.tensor." #rank "d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {" places "}], [%2], " mask_place ";" ::"r"(to), \
                     "l"(&map), "r"(barrier), __VA_ARGS__, "h"(mask)                                                                                            \
                     : "memory");                                                                                                                              \
    }                                                                                                                                                           \
    LITZ_FN void litz_store_box(const litz_tensor_map &map, u32 from, parameters) {                                                                             \
        asm volatile("cp.async.bulk.tensor." #rank "d.global.shared::cta.bulk_group [%0, {" coordinates "}], [%1];" ::"l"(&map), "r"(from), __VA_ARGS__         \
                     : "memory");                                                                                                                              \
    }
#define LITZ_COMMA ,
LITZ_BOXES(2, "%3, %4", "%5", int a LITZ_COMMA int b, "%2, %3", "r"(a), "r"(b))
LITZ_BOXES(3, "%3, %4, %5", "%6", int a LITZ_COMMA int b LITZ_COMMA int c, "%2, %3, %4", "r"(a), "r"(b), "r"(c))
LITZ_BOXES(4, "%3, %4, %5, %6", "%7", int a LITZ_COMMA int b LITZ_COMMA int c LITZ_COMMA int d, "%2, %3, %4, %5", "r"(a), "r"(b), "r"(c), "r"(d))
LITZ_BOXES(5, "%3, %4, %5, %6, %7", "%8", int a LITZ_COMMA int b LITZ_COMMA int c LITZ_COMMA int d LITZ_COMMA int e, "%2, %3, %4, %5, %6", "r"(a), "r"(b), "r"(c), "r"(d), "r"(e))
// Boxes on their way from shared memory: those stored since the last commit are a group; waits until at most n groups are still being read.
LITZ_FN void litz_store_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int n> LITZ_FN void litz_store_wait() { asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(n) : "memory"); }
