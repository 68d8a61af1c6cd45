// What the native header tests share: a failure counter, random numbers, a clock, a buffer that ends at an unmapped page.
#ifndef LITZ_NATIVE_CHECK_H
#define LITZ_NATIVE_CHECK_H
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

static int failures = 0;
#define CHECK(condition, ...) \
    do { \
        if (!(condition) && ++failures <= 40) { \
            std::printf("%s:%d: ", __FILE__, __LINE__); \
            std::printf(__VA_ARGS__); \
            std::printf("\n"); \
        } \
    } while (0)

static inline uint64_t random_bits() {
    static uint64_t state = 0x9e3779b97f4a7c15u;
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static inline float random_float() { return (float)((double)(random_bits() >> 11) * 0x1p-52 - 1.0); }

static inline double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// `bytes` usable bytes whose end touches a page that must not be touched: reading past the end faults.
struct guarded {
    char *base;
    size_t mapped;
    char *data;
    explicit guarded(size_t bytes) {
        size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (bytes + page - 1) / page * page;
        mapped = whole + page;
        base = (char *)mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (base == MAP_FAILED || mprotect(base + whole, page, PROT_NONE) != 0) std::abort();
        data = base + whole - bytes;
    }
    ~guarded() { munmap(base, mapped); }
    guarded(const guarded &) = delete;
    guarded &operator=(const guarded &) = delete;
};
#endif
