/*
 * Blocks that the programs of a process share by content: pieces derived from constants and, on a GPU, copies of constants.
 *
 * Invariants: a block in the table is never written again; two contents are one only after all of their bytes were compared.
 * Who releases a block has waited for its own work on it, so that the last one frees it.
 */
#include "internal.h"

#define COMMON_BUCKETS 1024u
/* Smaller blocks are not worth the look. */
#define COMMON_FROM 4096u
static block *common[COMMON_BUCKETS];

static uint64_t content_hash(const uint8_t *data, uint64_t bytes) {
    uint64_t lanes[4] = {0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu, 0x2545f4914f6cdd1du}, at = 0;
    for (; at + 32 <= bytes; at += 32) {
        uint64_t words[4];
        memcpy(words, data + at, sizeof words);
        for (int k = 0; k < 4; k++) {
            lanes[k] = (lanes[k] ^ words[k]) * 0xff51afd7ed558ccdu;
            lanes[k] ^= lanes[k] >> 32;
        }
    }
    uint64_t hash = bytes;
    for (int k = 0; k < 4; k++) hash = (hash ^ lanes[k]) * 0xc4ceb9fe1a85ec53u;
    for (; at < bytes; at++) hash = (hash ^ data[at]) * 0x100000001b3u;
    return hash ^ hash >> 29;
}

/* What bytes on a GPU are looked for by: their number and a few pieces of them, so that new content costs little. */
#define SAMPLES 8u
#define SAMPLE_BYTES 512u
/* Bytes that are brought to the host at a time to be compared. */
#define COMPARED_AT_ONCE (1u << 20)

/* `data` lies on the device, or, where `host`, in the host's memory. */
static litz_status sample_hash(const shared *s, const uint8_t *data, bool host, uint64_t bytes, uint64_t *hash, lx_error e) {
    uint8_t samples[SAMPLES * SAMPLE_BYTES];
    litz_status status = LITZ_OK;
    for (uint64_t k = 0; !status && k < SAMPLES; k++) {
        const uint8_t *from = data + (bytes - SAMPLE_BYTES) / (SAMPLES - 1) * k;
        if (host) memcpy(samples + k * SAMPLE_BYTES, from, SAMPLE_BYTES);
        else status = data_copy(s, samples + k * SAMPLE_BYTES, from, SAMPLE_BYTES, e);
    }
    *hash = content_hash(samples, sizeof samples) ^ bytes;
    return status;
}

static litz_status same_on_device(const shared *s, const uint8_t *one, const uint8_t *other, bool host, uint64_t bytes, bool *same,
                                  lx_error e) {
    uint8_t *room = malloc(2 * COMPARED_AT_ONCE);
    litz_status status = room ? LITZ_OK : no_memory(e, "a comparison of constants", 2 * COMPARED_AT_ONCE);
    *same = true;
    for (uint64_t at = 0, n; !status && *same && at < bytes; at += n) {
        n = bytes - at < COMPARED_AT_ONCE ? bytes - at : COMPARED_AT_ONCE;
        status = data_copy(s, room, one + at, n, e);
        if (!status && !host) status = data_copy(s, room + COMPARED_AT_ONCE, other + at, n, e);
        if (!status) *same = !memcmp(room, host ? other + at : room + COMPARED_AT_ONCE, (size_t)n);
    }
    free(room);
    return status;
}

static void block_free(const shared *s, block *b) {
    data_release(s, &b->memory, own_stream(s));
    free(b);
}

static void block_release(const shared *s, block *b) {
    if (!b || atomic_fetch_sub(&b->references, 1) != 1) return;
    if (b->listed) {
        pthread_mutex_lock(&registry);
        block **at = &common[b->hash % COMMON_BUCKETS];
        while (*at != b) at = &(*at)->next;
        *at = b->next;
        pthread_mutex_unlock(&registry);
    }
    block_free(s, b);
}

static const void *lies_on(const shared *s) { return on_gpu(s) ? s->device->process : NULL; }

/* The next block of the table that may have this content, held for the caller, who holds `after` no longer. */
static block *common_next(const shared *s, uint64_t hash, uint64_t bytes, block *after) {
    pthread_mutex_lock(&registry);
    block *b = after ? after->next : common[hash % COMMON_BUCKETS];
    for (; b; b = b->next) {
        if (b->hash != hash || b->memory.capacity != bytes || b->place != lies_on(s)) continue;
        /* One whose last holder is leaving is not taken. */
        int32_t n = atomic_load(&b->references);
        while (n > 0 && !atomic_compare_exchange_weak(&b->references, &n, n + 1)) continue;
        if (n > 0) break;
    }
    pthread_mutex_unlock(&registry);
    block_release(s, after);
    return b;
}

/* A block of the process with this content, held for the caller; NULL: there is none. */
static litz_status common_find(const shared *s, const uint8_t *data, bool host, uint64_t bytes, uint64_t hash, block **out, lx_error e) {
    litz_status status = LITZ_OK;
    block *b = NULL;
    bool same = false;
    while (!status && !same && (b = common_next(s, hash, bytes, b))) {
        if (on_gpu(s)) status = same_on_device(s, b->memory.data, data, host, bytes, &same, e);
        else same = !memcmp(b->memory.data, data, (size_t)bytes);
    }
    if (status) block_release(s, b);
    *out = status ? NULL : b;
    return status;
}

static void common_add(const shared *s, block *b, uint64_t hash) {
    b->hash = hash;
    b->place = lies_on(s);
    pthread_mutex_lock(&registry);
    b->listed = true;
    b->next = common[hash % COMMON_BUCKETS];
    common[hash % COMMON_BUCKETS] = b;
    pthread_mutex_unlock(&registry);
}

/* Puts a block of the process with this content in its place, or the block into the table. */
static litz_status block_share(const shared *s, block **b, lx_error e) {
    uint64_t bytes = (*b)->memory.capacity, hash;
    const uint8_t *data = (*b)->memory.data;
    block *found = NULL;
    litz_status status = LITZ_OK;
    if (bytes < COMMON_FROM) return LITZ_OK;
    if (on_gpu(s)) status = sample_hash(s, data, false, bytes, &hash, e);
    else hash = content_hash(data, bytes);
    if (!status) status = common_find(s, data, false, bytes, hash, &found, e);
    if (status) return status;
    if (found) {
        block_release(s, *b);
        *b = found;
    } else {
        common_add(s, *b, hash);
    }
    return LITZ_OK;
}
