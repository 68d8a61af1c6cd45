// Litz in C++17: RAII, exceptions and operators over litz.h. Header-only, no globals.
//
//   litz::Graph graph("mlp");
//   litz::Value n = graph.symbol("n", 1, 64);
//   litz::Value x = graph.input("x", litz::Dtype::float32, {n, 8});
//   litz::Value w = graph.parameter("w", litz::Tensor::copy(weights, {4, 8}));
//   graph.output("y", litz::aten::relu(litz::aten::linear(x, w)));
//   litz::Executable program = graph.compile(litz::Options().set("backend", "cpu"));
//   std::vector<litz::Tensor> outputs = program.run({litz::Tensor::copy(data, {2, 8})});
//
// Every failure throws litz::Error. Threads are as in litz.h: a Graph and its Values for one thread at a time, an
// Executable for any number.
#ifndef LITZ_HPP
#define LITZ_HPP

#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "litz.h"

namespace litz {

/// A failed call: its code (LITZ_ERROR_...), what() and a JSON detail.
class Error : public std::runtime_error {
  public:
    Error(litz_status code, const std::string &message, std::string detail = "{}")
        : std::runtime_error(message), code_(code), detail_(std::move(detail)) {}
    litz_status code() const noexcept { return code_; }
    const std::string &detail() const noexcept { return detail_; }

  private:
    litz_status code_;
    std::string detail_;
};

namespace detail {

template <class T, void (*Release)(T *)> struct Deleter {
    void operator()(T *handle) const noexcept { Release(handle); }
};
template <class T, void (*Release)(T *)> using Handle = std::unique_ptr<T, Deleter<T, Release>>;

using StringHandle = Handle<litz_string, litz_string_release>;
using ErrorHandle = Handle<litz_error, litz_error_release>;

/// Calls a function of the C ABI with `err` behind its arguments; throws where it fails.
template <class Function, class... Args> void call(Function function, Args... args) {
    litz_error *raw = nullptr;
    const litz_status status = function(args..., &raw);
    if (status == LITZ_OK) return;
    const ErrorHandle error(raw);
    if (!error) throw Error(status, "failed with status " + std::to_string(status));
    throw Error(status, litz_error_message(error.get()), litz_error_detail(error.get()));
}

/// A function that makes a string last, before `err`.
template <class Function, class... Args> std::string string(Function function, Args... args) {
    litz_string *raw = nullptr;
    call(function, args..., &raw);
    const StringHandle text(raw);
    return std::string(litz_string_data(text.get()), litz_string_size(text.get()));
}

} // namespace detail

/// Throws unless the library suits the header that this program was compiled with.
inline void check_abi() { detail::call(litz_check_abi, static_cast<uint32_t>(LITZ_ABI_VERSION)); }

/// The library's version, such as "0.1.0", and its ABI's, major << 16 | minor.
inline std::string version() { return litz_version(); }
inline uint32_t abi_version() noexcept { return litz_abi_version(); }

/// Drops what the library keeps in memory to be faster next time.
inline void reset() { detail::call(litz_reset); }
/// What this process has done through the library so far, as JSON.
inline std::string counters() { return detail::string(litz_counters); }
/// A step of the host's begins: with CUDA graphs, each run of a program in a step has a graph of its own.
inline void cudagraph_mark_step_begin() noexcept { litz_cudagraph_mark_step_begin(); }
/// How much memory the library holds on a device, as JSON.
inline std::string memory_stats(DLDevice device = {kDLCPU, 0}) {
    return detail::string(litz_memory_stats, static_cast<int32_t>(device.device_type), device.device_id);
}
/// How many threads the process's pool has; 0: one for each CPU.
inline void set_threads(int32_t n) { detail::call(litz_set_threads, n); }
/// Gives memory of a device that the library does not use back to the system.
inline void memory_release(DLDevice device = {kDLCPU, 0}) {
    detail::call(litz_memory_release, static_cast<int32_t>(device.device_type), device.device_id);
}

enum class Dtype : int32_t {
    uint8 = LITZ_DTYPE_UINT8,
    int8 = LITZ_DTYPE_INT8,
    int16 = LITZ_DTYPE_INT16,
    int32 = LITZ_DTYPE_INT32,
    int64 = LITZ_DTYPE_INT64,
    float16 = LITZ_DTYPE_FLOAT16,
    float32 = LITZ_DTYPE_FLOAT32,
    float64 = LITZ_DTYPE_FLOAT64,
    complex64 = LITZ_DTYPE_COMPLEX64,
    complex128 = LITZ_DTYPE_COMPLEX128,
    boolean = LITZ_DTYPE_BOOL,
    bfloat16 = LITZ_DTYPE_BFLOAT16,
    uint16 = LITZ_DTYPE_UINT16,
    uint32 = LITZ_DTYPE_UINT32,
    uint64 = LITZ_DTYPE_UINT64,
};

/// DLPack's description of a dtype.
inline DLDataType dl_dtype(Dtype dtype) {
    const auto make = [](int code, int bits) {
        return DLDataType{static_cast<uint8_t>(code), static_cast<uint8_t>(bits), 1};
    };
    switch (dtype) {
    case Dtype::uint8: return make(kDLUInt, 8);
    case Dtype::uint16: return make(kDLUInt, 16);
    case Dtype::uint32: return make(kDLUInt, 32);
    case Dtype::uint64: return make(kDLUInt, 64);
    case Dtype::int8: return make(kDLInt, 8);
    case Dtype::int16: return make(kDLInt, 16);
    case Dtype::int32: return make(kDLInt, 32);
    case Dtype::int64: return make(kDLInt, 64);
    case Dtype::float16: return make(kDLFloat, 16);
    case Dtype::float32: return make(kDLFloat, 32);
    case Dtype::float64: return make(kDLFloat, 64);
    case Dtype::bfloat16: return make(kDLBfloat, 16);
    case Dtype::complex64: return make(kDLComplex, 64);
    case Dtype::complex128: return make(kDLComplex, 128);
    case Dtype::boolean: return make(kDLBool, 8);
    }
    throw Error(LITZ_ERROR_DTYPE, "no dtype has the number " + std::to_string(static_cast<int32_t>(dtype)));
}

namespace detail {

inline uint32_t bits_of(float value) noexcept {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}
inline float float_of(uint32_t bits) noexcept {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

} // namespace detail

/// An element of a bfloat16 tensor: the upper half of a float, rounded to nearest, ties to even.
struct bfloat16 {
    uint16_t bits = 0;

    bfloat16() = default;
    bfloat16(float value) noexcept {
        const uint32_t x = detail::bits_of(value);
        if (value != value) bits = static_cast<uint16_t>((x >> 16) | 0x40u); // a NaN stays one
        else bits = static_cast<uint16_t>((x + 0x7fffu + ((x >> 16) & 1u)) >> 16);
    }
    explicit operator float() const noexcept { return detail::float_of(static_cast<uint32_t>(bits) << 16); }
    friend bool operator==(bfloat16 a, bfloat16 b) noexcept { return static_cast<float>(a) == static_cast<float>(b); }
    friend bool operator!=(bfloat16 a, bfloat16 b) noexcept { return !(a == b); }
};

/// An element of a float16 tensor: IEEE's half, rounded to nearest, ties to even.
struct float16 {
    uint16_t bits = 0;

    float16() = default;
    float16(float value) noexcept {
        const uint32_t x = detail::bits_of(value), sign = (x >> 16) & 0x8000u, magnitude = x & 0x7fffffffu;
        uint32_t half;
        if (magnitude > 0x7f800000u) half = 0x7e00u | ((magnitude >> 13) & 0x3ffu); // NaN
        else if (magnitude >= 0x477ff000u) half = 0x7c00u;                          // rounds to infinity
        else if (magnitude < 0x38800000u)                                           // the sum's last bit is 2^-24, as a subnormal's
            half = detail::bits_of(detail::float_of(magnitude) + 0.5f) - 0x3f000000u;
        else half = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
        bits = static_cast<uint16_t>(sign | half);
    }
    explicit operator float() const noexcept {
        const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16, exponent = (bits >> 10) & 31u, rest = bits & 0x3ffu;
        if (exponent == 31) return detail::float_of(sign | 0x7f800000u | (rest << 13));
        if (exponent != 0) return detail::float_of(sign | ((exponent + 112u) << 23) | (rest << 13));
        const float subnormal = static_cast<float>(rest) * 0x1p-24f;
        return sign ? -subnormal : subnormal;
    }
    friend bool operator==(float16 a, float16 b) noexcept { return static_cast<float>(a) == static_cast<float>(b); }
    friend bool operator!=(float16 a, float16 b) noexcept { return !(a == b); }
};

/// The dtype of a C++ type.
template <class T> constexpr Dtype dtype_of() {
    constexpr bool single = std::is_same_v<T, std::complex<float>>, twice = std::is_same_v<T, std::complex<double>>;
    static_assert(std::is_arithmetic_v<T> || std::is_same_v<T, bfloat16> || std::is_same_v<T, float16> || single || twice,
                  "a tensor's elements are numbers");
    if constexpr (single) return Dtype::complex64;
    else if constexpr (twice) return Dtype::complex128;
    else if constexpr (std::is_same_v<T, bool>) return Dtype::boolean;
    else if constexpr (std::is_same_v<T, bfloat16>) return Dtype::bfloat16;
    else if constexpr (std::is_same_v<T, float16>) return Dtype::float16;
    else if constexpr (std::is_floating_point_v<T>) {
        static_assert(sizeof(T) == 4 || sizeof(T) == 8, "float and double have dtypes");
        return sizeof(T) == 4 ? Dtype::float32 : Dtype::float64;
    } else if constexpr (std::is_signed_v<T>)
        return sizeof(T) == 1 ? Dtype::int8 : sizeof(T) == 2 ? Dtype::int16 : sizeof(T) == 4 ? Dtype::int32 : Dtype::int64;
    else
        return sizeof(T) == 1 ? Dtype::uint8 : sizeof(T) == 2 ? Dtype::uint16 : sizeof(T) == 4 ? Dtype::uint32 : Dtype::uint64;
}

using Shape = std::vector<int64_t>;

/// A tensor in host memory: owned (made here or given by a run) or borrowed. Copies share the memory.
class Tensor {
  public:
    /// An empty tensor: no memory, as a place for one.
    Tensor() = default;

    /// Owns a copy of contiguous elements.
    template <class T> static Tensor copy(const T *data, Shape shape) {
        Tensor tensor = zeros(dtype_of<T>(), std::move(shape));
        if (tensor.numel() > 0) std::memcpy(tensor.state_->dl.data, data, sizeof(T) * static_cast<size_t>(tensor.numel()));
        return tensor;
    }
    template <class T> static Tensor copy(const std::vector<T> &data, Shape shape) {
        static_assert(!std::is_same_v<T, bool>, "a std::vector<bool> has no elements in memory");
        if (static_cast<int64_t>(data.size()) != product(shape))
            throw Error(LITZ_ERROR_SHAPE, std::to_string(data.size()) + " elements do not fill the shape");
        return copy(data.data(), std::move(shape));
    }
    template <class T> static Tensor scalar(T value) { return copy(&value, {}); }

    /// Owns contiguous memory that is all zero.
    static Tensor zeros(Dtype dtype, Shape shape) {
        const DLDataType element = dl_dtype(dtype);
        const int64_t n = product(shape);
        auto state = std::make_shared<State>();
        const size_t bytes = static_cast<size_t>(n) * (element.bits / 8u);
        state->owned = std::make_unique<Block[]>(bytes / sizeof(Block) + 1);
        state->describe(state->owned.get(), element, std::move(shape));
        return Tensor(std::move(state));
    }

    /// Borrows contiguous memory, which the caller keeps alive.
    template <class T> static Tensor borrow(T *data, Shape shape) {
        product(shape);
        auto state = std::make_shared<State>();
        using Element = std::remove_const_t<T>;
        state->describe(const_cast<Element *>(data), dl_dtype(dtype_of<Element>()), std::move(shape));
        return Tensor(std::move(state));
    }

    /// Borrows memory of any dtype, strides (in elements; none: contiguous) and device, which the caller keeps alive.
    static Tensor borrow(const void *data, Dtype dtype, Shape shape, Shape strides = {}, DLDevice device = {kDLCPU, 0}) {
        product(shape);
        if (!strides.empty() && strides.size() != shape.size())
            throw Error(LITZ_ERROR_SHAPE, std::to_string(strides.size()) + " strides for " + std::to_string(shape.size()) +
                                              " dimensions");
        auto state = std::make_shared<State>();
        state->describe(const_cast<void *>(data), dl_dtype(dtype), std::move(shape));
        if (!strides.empty()) {
            state->strides = std::move(strides);
            state->dl.strides = state->strides.data();
        }
        state->dl.device = device;
        return Tensor(std::move(state));
    }

    /// Takes what a run gave.
    static Tensor take(struct DLManagedTensorVersioned *managed) {
        auto state = std::make_shared<State>();
        state->managed = managed;
        state->dl = managed->dl_tensor;
        return Tensor(std::move(state));
    }

    explicit operator bool() const noexcept { return state_ != nullptr; }
    const DLTensor *dl() const { return &state().dl; }
    DLDataType dtype() const { return state().dl.dtype; }
    Shape shape() const { return Shape(dl()->shape, dl()->shape + dl()->ndim); }
    int64_t numel() const {
        int64_t n = 1;
        for (int32_t k = 0; k < dl()->ndim; ++k) n *= dl()->shape[k];
        return n;
    }
    /// The first element; throws where T is not the tensor's type.
    template <class T> T *data() const {
        const DLDataType want = dl_dtype(dtype_of<std::remove_const_t<T>>()), have = dtype();
        if (want.code != have.code || want.bits != have.bits || have.lanes != 1)
            throw Error(LITZ_ERROR_DTYPE, "the tensor has elements of another type");
        return reinterpret_cast<T *>(static_cast<char *>(dl()->data) + dl()->byte_offset);
    }
    /// The elements in row-major order.
    template <class T> std::vector<T> values() const {
        const T *first = data<T>();
        const int32_t rank = dl()->ndim;
        std::vector<int64_t> index(static_cast<size_t>(rank), 0);
        std::vector<T> result;
        const int64_t n = numel();
        result.reserve(static_cast<size_t>(n));
        for (int64_t done = 0; done < n; ++done) {
            int64_t offset = 0, row = 1;
            for (int32_t k = rank - 1; k >= 0; --k) {
                offset += index[static_cast<size_t>(k)] * (dl()->strides ? dl()->strides[k] : row);
                row *= dl()->shape[k];
            }
            result.push_back(first[offset]);
            for (int32_t k = rank - 1; k >= 0 && ++index[static_cast<size_t>(k)] == dl()->shape[k]; --k)
                index[static_cast<size_t>(k)] = 0;
        }
        return result;
    }

  private:
    struct alignas(64) Block {
        unsigned char bytes[64];
    };
    struct State {
        DLTensor dl{};
        Shape shape, strides;
        std::unique_ptr<Block[]> owned;
        struct DLManagedTensorVersioned *managed = nullptr;

        State() = default;
        State(const State &) = delete;
        State &operator=(const State &) = delete;
        ~State() {
            litz_tensor_release(managed);
        }
        void describe(void *data, DLDataType dtype, Shape sizes) {
            shape = std::move(sizes);
            strides.assign(shape.size(), 1);
            for (size_t k = shape.size(); k-- > 1;) strides[k - 1] = strides[k] * (shape[k] > 0 ? shape[k] : 1);
            dl.data = data;
            dl.device.device_type = kDLCPU;
            dl.ndim = static_cast<int32_t>(shape.size());
            dl.dtype = dtype;
            dl.shape = shape.data();
            dl.strides = strides.data();
        }
    };

    explicit Tensor(std::shared_ptr<State> state) : state_(std::move(state)) {}
    const State &state() const {
        if (!state_) throw Error(LITZ_ERROR_STATE, "an empty litz::Tensor is used");
        return *state_;
    }
    static int64_t product(const Shape &shape) {
        int64_t n = 1;
        for (const int64_t size : shape) {
            if (size < 0 || (size > 0 && n > (INT64_MAX / 16) / size))
                throw Error(LITZ_ERROR_SHAPE, "a size is negative, or all of them too large");
            n *= size;
        }
        return n;
    }

    std::shared_ptr<State> state_;
};

class Registry;

/// Named tensors of a file of weights: safetensors, an index of several such files, or GGUF.
class Weights {
  public:
    explicit Weights(const std::string &path) {
        litz_weights *raw = nullptr;
        detail::call(litz_weights_open, path.c_str(), &raw);
        handle_.reset(raw);
    }
    /// JSON: the file's own keys and values, and its tensors.
    std::string describe() const { return detail::string(litz_weights_describe, get()); }
    /// Gives a tensor another name, too.
    void alias(const std::string &tensor, const std::string &name) {
        detail::call(litz_weights_alias, handle_.get(), tensor.c_str(), name.c_str());
    }
    const litz_weights *get() const noexcept { return handle_.get(); }

  private:
    detail::Handle<litz_weights, litz_weights_release> handle_;
};

/// How to compile: string keys and values.
class Options {
  public:
    Options() {
        litz_options *raw = nullptr;
        detail::call(litz_options_new, &raw);
        handle_.reset(raw);
    }
    Options &set(const std::string &key, const std::string &value) & {
        detail::call(litz_options_set, handle_.get(), key.c_str(), value.c_str());
        return *this;
    }
    Options &&set(const std::string &key, const std::string &value) && { return std::move(set(key, value)); }
    /// Compilations use what the registry holds when they begin; it stays alive.
    Options &set_registry(const Registry &registry);

    using Log = std::function<void(int32_t level, std::string_view message)>;
    /// Sends what is logged to a function, on whatever thread is working; what it throws is dropped. Options and all
    /// that is made with them must not outlive this object.
    Options &set_log(int32_t level, Log log) {
        auto kept = std::make_unique<Log>(std::move(log));
        litz_log_fn call = [](void *context, int32_t at, const char *message) {
            try {
                (*static_cast<Log *>(context))(at, message);
            } catch (...) {
            }
        };
        detail::call(litz_options_set_log, handle_.get(), level, call, static_cast<void *>(kept.get()));
        logs_.push_back(std::move(kept));
        return *this;
    }
    using Trace = std::function<void(std::string_view json_line)>;
    /// Sends every event to a function, as a line of JSON, on whatever thread is working; what it throws is dropped.
    /// Options and all that is made with them must not outlive this object.
    Options &set_trace(Trace trace) {
        auto kept = std::make_unique<Trace>(std::move(trace));
        litz_trace_fn call = [](void *context, const char *json_line) {
            try {
                (*static_cast<Trace *>(context))(json_line);
            } catch (...) {
            }
        };
        detail::call(litz_options_set_trace, handle_.get(), call, static_cast<void *>(kept.get()));
        traces_.push_back(std::move(kept));
        return *this;
    }
    /// Sets several options at once, or none: a JSON object of keys and values, null for a value that is not set.
    Options &patch(const std::string &json) {
        detail::call(litz_options_patch, handle_.get(), json.c_str());
        return *this;
    }
    /// The effective value of a key.
    std::string value(const std::string &key) const { return detail::string(litz_options_get, get(), key.c_str()); }
    /// Every key with its effective value and where that comes from, as JSON.
    std::string values() const { return detail::string(litz_options_json, get()); }
    /// The machine as a compilation with these options finds it, as JSON.
    std::string machine() const { return detail::string(litz_machine_describe, get()); }
    /// The cache on disk that these options name, as JSON.
    std::string cache() const { return detail::string(litz_cache_describe, get()); }
    /// Removes the least recently used entries until the others take so many bytes at most; says which, as JSON.
    std::string prune_cache(uint64_t max_bytes) const { return detail::string(litz_cache_prune, get(), max_bytes); }
    /// The values that a mode gives other keys, as JSON.
    static std::string mode(const std::string &name, bool dynamic = false) {
        return detail::string(litz_mode_options, name.c_str(), int32_t{dynamic});
    }
    /// The same values. Log functions stay this object's, which must outlive the copy.
    Options copy() const {
        Options made;
        litz_options *raw = nullptr;
        detail::call(litz_options_clone, get(), &raw);
        made.handle_.reset(raw);
        return made;
    }
    /// Ends the compilations with these options that are in progress on other threads.
    void cancel() const { detail::call(litz_options_cancel, get()); }
    /// Every option as JSON.
    static std::string list() { return detail::string(litz_options_list); }
    /// The backends without any of the tags, and which can be used here, as JSON.
    static std::string backends(const std::vector<std::string> &exclude_tags = {}) {
        std::vector<const char *> tags;
        for (const std::string &tag : exclude_tags) tags.push_back(tag.c_str());
        return detail::string(litz_backends, tags.data(), tags.size());
    }
    /// Whether a compilation is working on this thread, as in its callbacks.
    static bool compiling() noexcept { return litz_is_compiling() != 0; }
    const litz_options *get() const noexcept { return handle_.get(); }

  private:
    friend class Graph;
    std::vector<std::unique_ptr<Log>> logs_;
    std::vector<std::unique_ptr<Trace>> traces_;
    detail::Handle<litz_options, litz_options_release> handle_;
};

class Graph;

/// A value of a graph: a tensor or a symbol. Valid as long as its graph.
class Value {
  public:
    Value() = default;
    /// Not for a 0 as the graph, so that `{0, 1}` is a list of integers wherever one may stand.
    template <class G, class = std::enable_if_t<std::is_same_v<G, litz_graph>>>
    Value(G *graph, litz_value value) noexcept : graph_(graph), value_(value) {}
    litz_value get() const noexcept { return value_; }
    litz_graph *graph() const noexcept { return graph_; }
    explicit operator bool() const noexcept { return value_ != 0; }
    /// dtype, shape, strides and producer as JSON.
    std::string describe() const {
        return detail::string(litz_graph_value_describe, static_cast<const litz_graph *>(graph_), value_);
    }

  private:
    litz_graph *graph_ = nullptr;
    litz_value value_ = 0;
};

/// A whole number, and no bool: overloads tell the two apart.
template <class T> constexpr bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;

/// A size: a number or a symbol.
class Size {
  public:
    template <class T, class = std::enable_if_t<is_integer<T>>>
    Size(T given) noexcept : number(static_cast<int64_t>(given)) {}
    Size(const Value &given) noexcept : symbol(given.get()) {}
    int64_t number = 0;
    litz_value symbol = 0;
};

/// True or false; no other type becomes one by itself.
class Flag {
  public:
    template <class T, class = std::enable_if_t<std::is_same_v<T, bool>>> Flag(T given) noexcept : value(given) {}
    bool value;
};

/// A number of any kind, or a symbol: what an operator's scalar argument takes.
class Scalar {
  public:
    template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>> Scalar(T number) noexcept {
        arg_.kind = std::is_same_v<T, bool> ? LITZ_ARG_BOOL : std::is_integral_v<T> ? LITZ_ARG_INT : LITZ_ARG_FLOAT;
        if constexpr (std::is_integral_v<T>) arg_.i = static_cast<int64_t>(number);
        else arg_.f = static_cast<double>(number);
    }
    Scalar(std::complex<double> number) noexcept {
        arg_.kind = LITZ_ARG_COMPLEX;
        arg_.f = number.real();
        arg_.f_imag = number.imag();
    }
    Scalar(const Value &symbol) noexcept {
        arg_.kind = LITZ_ARG_SYMBOL;
        arg_.value = symbol.get();
    }
    const litz_arg &c() const noexcept { return arg_; }

  private:
    litz_arg arg_{};
};

/// A scalar that is no bool, for where an overload takes a bool in its place.
class Number : public Scalar {
  public:
    template <class T, class = std::enable_if_t<std::is_arithmetic_v<T> && !std::is_same_v<T, bool>>>
    Number(T number) noexcept : Scalar(number) {}
    Number(const Value &symbol) noexcept : Scalar(symbol) {}
};

/// A list of integers, symbols among them. With `OneForAll` one number may stand for the whole list, with `Optional` so
/// may std::nullopt for None.
template <bool OneForAll = false, bool Optional = false> class IntList {
  public:
    IntList(std::initializer_list<Size> list) : sizes_(list) {}
    IntList(std::vector<Size> list) : sizes_(std::move(list)) {}
    IntList(const std::vector<int64_t> &list) : sizes_(list.begin(), list.end()) {}
    template <class T, class = std::enable_if_t<OneForAll && is_integer<T>>> IntList(T one) : sizes_{Size(one)} {}
    template <bool None = Optional, class = std::enable_if_t<None>> IntList(std::nullopt_t) : given_(false) {}
    bool given() const noexcept { return given_; }
    const std::vector<Size> &sizes() const noexcept { return sizes_; }

  private:
    std::vector<Size> sizes_;
    bool given_ = true;
};

enum class Layout : int32_t { strided = LITZ_LAYOUT_STRIDED };

enum class MemoryFormat : int32_t {
    contiguous = LITZ_MEMORY_FORMAT_CONTIGUOUS,
    channels_last = LITZ_MEMORY_FORMAT_CHANNELS_LAST,
    channels_last_3d = LITZ_MEMORY_FORMAT_CHANNELS_LAST_3D,
    preserve = LITZ_MEMORY_FORMAT_PRESERVE,
};

/// One argument of an operator, made from what it is; `named` gives it a name.
class Arg {
  public:
    Arg(std::nullopt_t) noexcept { arg_.kind = LITZ_ARG_NONE; }
    Arg(const Value &value) noexcept {
        arg_.kind = LITZ_ARG_VALUE;
        arg_.value = value.get();
    }
    template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>> Arg(T number) noexcept {
        if constexpr (std::is_same_v<T, bool>) arg_.kind = LITZ_ARG_BOOL;
        else arg_.kind = std::is_integral_v<T> ? LITZ_ARG_INT : LITZ_ARG_FLOAT;
        if constexpr (std::is_integral_v<T>) arg_.i = static_cast<int64_t>(number);
        else arg_.f = static_cast<double>(number);
    }
    Arg(std::complex<double> number) noexcept {
        arg_.kind = LITZ_ARG_COMPLEX;
        arg_.f = number.real();
        arg_.f_imag = number.imag();
    }
    Arg(Dtype dtype) noexcept {
        arg_.kind = LITZ_ARG_DTYPE;
        arg_.i = static_cast<int64_t>(dtype);
    }
    Arg(const Scalar &scalar) noexcept : arg_(scalar.c()) {}
    Arg(const Flag &flag) noexcept : Arg(flag.value) {}
    Arg(const Size &size) noexcept {
        arg_.kind = size.symbol ? LITZ_ARG_SYMBOL : LITZ_ARG_INT;
        arg_.i = size.number;
        arg_.value = size.symbol;
    }
    template <bool OneForAll, bool Optional>
    Arg(const IntList<OneForAll, Optional> &list) : Arg(list.given() ? Arg(list.sizes()) : Arg(std::nullopt)) {}
    Arg(MemoryFormat format) noexcept : Arg(coded(LITZ_ARG_MEMORY_FORMAT, static_cast<int64_t>(format))) {}
    Arg(Layout layout) noexcept : Arg(coded(LITZ_ARG_LAYOUT, static_cast<int64_t>(layout))) {}
    Arg(DLDevice place) noexcept : Arg(device(place.device_type, place.device_id)) {}
    template <class T> Arg(const std::optional<T> &value) : Arg(value ? Arg(*value) : Arg(std::nullopt)) {}
    Arg(std::string text) : text_(std::move(text)) { arg_.kind = LITZ_ARG_STRING; }
    Arg(const char *text) : Arg(std::string(text)) {}
    /// A list of integers, symbols among them.
    Arg(const std::vector<Size> &sizes) {
        arg_.kind = LITZ_ARG_INTS;
        for (const Size &size : sizes) {
            ints_.push_back(size.number);
            values_.push_back(size.symbol);
        }
    }
    Arg(const std::vector<int64_t> &ints) : Arg(std::vector<Size>(ints.begin(), ints.end())) {}
    Arg(std::vector<double> floats) : floats_(std::move(floats)) { arg_.kind = LITZ_ARG_FLOATS; }
    /// A list of tensors; a Value that is empty stands for None.
    Arg(const std::vector<Value> &values) {
        arg_.kind = LITZ_ARG_VALUES;
        for (const Value &value : values) values_.push_back(value.get());
    }
    /// A graph for the operator to run, which the call copies.
    Arg(const Graph &subgraph) noexcept;
    static Arg bools(const std::vector<bool> &bools) {
        Arg arg(std::nullopt);
        arg.arg_.kind = LITZ_ARG_BOOLS;
        for (const bool value : bools) arg.ints_.push_back(value);
        return arg;
    }
    static Arg memory_format(int32_t format) noexcept { return coded(LITZ_ARG_MEMORY_FORMAT, format); }
    static Arg device(DLDeviceType type, int32_t index) noexcept {
        return coded(LITZ_ARG_DEVICE, (static_cast<int64_t>(type) << 32) | static_cast<uint32_t>(index));
    }
    static Arg layout(int32_t layout) noexcept { return coded(LITZ_ARG_LAYOUT, layout); }
    friend Arg named(std::string name, Arg arg) {
        arg.name_ = std::move(name);
        return arg;
    }
    /// The C struct; it points into this object.
    litz_arg c() const noexcept {
        litz_arg arg = arg_;
        arg.name = name_ ? name_->c_str() : nullptr;
        arg.s = arg.kind == LITZ_ARG_STRING ? text_.c_str() : nullptr;
        arg.ints = ints_.empty() ? nullptr : ints_.data();
        arg.values = values_.empty() ? nullptr : values_.data();
        arg.floats = floats_.empty() ? nullptr : floats_.data();
        arg.n = arg.kind == LITZ_ARG_VALUES ? values_.size() : arg.kind == LITZ_ARG_FLOATS ? floats_.size() : ints_.size();
        return arg;
    }

  private:
    static Arg coded(int32_t kind, int64_t number) noexcept {
        Arg arg(std::nullopt);
        arg.arg_.kind = kind;
        arg.arg_.i = number;
        return arg;
    }
    litz_arg arg_{};
    std::optional<std::string> name_;
    std::string text_;
    std::vector<int64_t> ints_;
    std::vector<litz_value> values_;
    std::vector<double> floats_;
};

Arg named(std::string name, Arg arg);

/// Adds an operator to a graph; gives all its results.
inline std::vector<Value> call_all(litz_graph *graph, const std::string &op, const std::vector<Arg> &args) {
    std::vector<litz_arg> c;
    c.reserve(args.size());
    for (const Arg &arg : args) c.push_back(arg.c());
    std::vector<litz_value> outs(4);
    size_t n = 0;
    litz_error *raw = nullptr;
    litz_status status = litz_graph_call(graph, op.c_str(), c.data(), c.size(), outs.data(), outs.size(), &n, &raw);
    if (status == LITZ_ERROR_CAPACITY) {
        litz_error_release(raw);
        raw = nullptr;
        outs.resize(n);
        status = litz_graph_call(graph, op.c_str(), c.data(), c.size(), outs.data(), outs.size(), &n, &raw);
    }
    if (status != LITZ_OK) {
        const detail::ErrorHandle error(raw);
        throw Error(status, litz_error_message(raw), litz_error_detail(raw));
    }
    std::vector<Value> values;
    for (size_t k = 0; k < n; ++k) values.emplace_back(graph, outs[k]);
    return values;
}

/// Adds an operator with one result.
inline Value call(litz_graph *graph, const std::string &op, const std::vector<Arg> &args) {
    const std::vector<Value> values = call_all(graph, op, args);
    if (values.size() != 1)
        throw Error(LITZ_ERROR_INVALID_ARGUMENT, op + " has " + std::to_string(values.size()) + " results: use call_all");
    return values[0];
}

/// Computes with symbols and numbers, of which one at least is a symbol: "add", "mul", "floordiv" and the like.
inline Value sym(const std::string &op, const Value &a, const Scalar &b) { return call(a.graph(), "sym." + op, {a, b}); }
inline Value sym(const std::string &op, const Value &a, const Value &b) { return call(a.graph(), "sym." + op, {a, b}); }
inline Value sym(const std::string &op, const Value &a) { return call(a.graph(), "sym." + op, {a}); }
/// The size of a tensor's dimension, as a symbol.
inline Value sym_size(const Value &tensor, int64_t dim) {
    return call(tensor.graph(), "aten.sym_size.int", {tensor, dim});
}

// What the functions of litz_ops.hpp are made of.
namespace detail {

inline litz_graph *graph_in(const Value &value) noexcept { return value.graph(); }
inline litz_graph *graph_in(const std::vector<Value> &values) noexcept {
    for (const Value &value : values)
        if (value.graph()) return value.graph();
    return nullptr;
}
inline litz_graph *graph_in(const std::optional<std::vector<Value>> &values) noexcept {
    return values ? graph_in(*values) : nullptr;
}

/// The graph of the first argument that has one.
template <class... Tensors> litz_graph *graph_of(const Tensors &...tensors) {
    litz_graph *graph = nullptr;
    ((graph = graph ? graph : graph_in(tensors)), ...);
    if (!graph) throw Error(LITZ_ERROR_INVALID_ARGUMENT, "no tensor is given, so there is no graph to add the operator to");
    return graph;
}

/// A tensor that may be left out.
inline Arg optional(const Value &value) { return value ? Arg(value) : Arg(std::nullopt); }
inline Arg bools(const std::vector<bool> &list) { return Arg::bools(list); }
inline Arg bools(const std::optional<std::vector<bool>> &list) { return list ? Arg::bools(*list) : Arg(std::nullopt); }

/// Adds an operator that always has N results.
template <size_t N> std::array<Value, N> fixed(litz_graph *graph, const std::string &op, const std::vector<Arg> &args) {
    const std::vector<Value> values = call_all(graph, op, args);
    if (values.size() != N)
        throw Error(LITZ_ERROR_INTERNAL, op + " gave " + std::to_string(values.size()) + " results");
    std::array<Value, N> results;
    for (size_t k = 0; k < N; ++k) results[k] = values[k];
    return results;
}

} // namespace detail

// Arithmetic on tensors, with broadcasting and promotion; on one side it may be a number.
inline Value operator+(const Value &a, const Value &b) { return call(a.graph(), "aten.add.Tensor", {a, b}); }
inline Value operator-(const Value &a, const Value &b) { return call(a.graph(), "aten.sub.Tensor", {a, b}); }
inline Value operator*(const Value &a, const Value &b) { return call(a.graph(), "aten.mul.Tensor", {a, b}); }
inline Value operator/(const Value &a, const Value &b) { return call(a.graph(), "aten.div.Tensor", {a, b}); }
inline Value operator-(const Value &a) { return call(a.graph(), "aten.neg", {a}); }
template <class T> using IfNumber = std::enable_if_t<std::is_arithmetic_v<T>, Value>;
template <class T> IfNumber<T> operator+(const Value &a, T b) { return call(a.graph(), "aten.add.Scalar", {a, b}); }
template <class T> IfNumber<T> operator-(const Value &a, T b) { return call(a.graph(), "aten.sub.Scalar", {a, b}); }
template <class T> IfNumber<T> operator*(const Value &a, T b) { return call(a.graph(), "aten.mul.Scalar", {a, b}); }
template <class T> IfNumber<T> operator/(const Value &a, T b) { return call(a.graph(), "aten.div.Scalar", {a, b}); }
template <class T> IfNumber<T> operator+(T a, const Value &b) { return b + a; }
template <class T> IfNumber<T> operator*(T a, const Value &b) { return b * a; }
template <class T> IfNumber<T> operator-(T a, const Value &b) { return call(b.graph(), "aten.rsub.Scalar", {b, a}); }
inline Value matmul(const Value &a, const Value &b) { return call(a.graph(), "aten.matmul", {a, b}); }

/// What is known of an input, an output or a constant of a program.
struct TensorInfo {
    std::string name;
    DLDataType dtype;
    DLDevice device;
    int32_t kind;
    Shape min_shape, max_shape;
    Shape strides; // empty where they depend on a size
    bool mutated;
    int32_t alias_kind;
    int64_t alias_of;
};

/// Options of a run whose random numbers come from this seed, from an offset on; `next`, where it is not null, gets the offset that
/// the next run goes on from.
inline litz_run_options seeded(uint64_t seed, uint64_t offset = 0, uint64_t *next = nullptr) {
    litz_run_options options = {};
    options.struct_size = sizeof options;
    options.flags = LITZ_RUN_HAS_SEED;
    options.seed = seed;
    options.offset = offset;
    options.next_offset = next;
    return options;
}

/// Where random numbers go on: what `seeded` takes, and what a checkpoint holds.
struct RandomState {
    uint64_t seed = 0, offset = 0;
};

namespace detail {

/// What `info` tells of tensor `k`.
template <class Function, class Program> TensorInfo info(Function function, const Program *program, int32_t what, size_t k) {
    litz_tensor_info raw{};
    raw.struct_size = sizeof raw;
    call(function, program, what, k, &raw);
    return TensorInfo{raw.name, raw.dtype, raw.device, raw.kind, Shape(raw.min_shape, raw.min_shape + raw.ndim),
                      Shape(raw.max_shape, raw.max_shape + raw.ndim),
                      raw.strides ? Shape(raw.strides, raw.strides + raw.ndim) : Shape{}, raw.mutated != 0,
                      raw.alias_kind, raw.alias_of};
}

/// Pointers to tensors; an empty one is NULL.
inline std::vector<const DLTensor *> pointers(const std::vector<Tensor> &tensors) {
    std::vector<const DLTensor *> list;
    list.reserve(tensors.size());
    for (const Tensor &tensor : tensors) list.push_back(tensor ? tensor.dl() : nullptr);
    return list;
}

/// Takes tensors that a call gave; NULL is an empty one.
inline std::vector<Tensor> taken(const std::vector<struct DLManagedTensorVersioned *> &list) {
    std::vector<Tensor> tensors;
    tensors.reserve(list.size());
    for (struct DLManagedTensorVersioned *managed : list) tensors.push_back(managed ? Tensor::take(managed) : Tensor());
    return tensors;
}

/// Names and data of constants, as C wants them.
struct Constants {
    explicit Constants(const std::vector<std::pair<std::string, Tensor>> &constants) {
        for (const auto &[name, tensor] : constants) {
            names.push_back(name.c_str());
            data.push_back(tensor.dl());
        }
    }
    std::vector<const char *> names;
    std::vector<const DLTensor *> data;
};

} // namespace detail

/// A compiled program. Copies are references to the same one.
class Executable {
  public:
    static Executable open(const std::string &path) { return open_with(path, nullptr); }
    static Executable open(const std::string &path, const Options &options) { return open_with(path, options.get()); }
    /// An artifact in memory, which is not needed afterwards.
    static Executable open_memory(const void *data, size_t size) { return open_memory_with(data, size, nullptr); }
    static Executable open_memory(const void *data, size_t size, const Options &options) {
        return open_memory_with(data, size, options.get());
    }
    /// Takes over a reference.
    explicit Executable(litz_executable *handle) noexcept : handle_(handle) {}
    Executable(const Executable &other) noexcept : handle_(litz_executable_retain(other.get())) {}
    Executable(Executable &&) noexcept = default;
    Executable &operator=(Executable other) noexcept {
        handle_ = std::move(other.handle_);
        return *this;
    }
    ~Executable() = default;

    litz_executable *get() const noexcept { return handle_.get(); }
    size_t num_inputs() const noexcept { return litz_executable_num_inputs(get()); }
    size_t num_outputs() const noexcept { return litz_executable_num_outputs(get()); }
    size_t num_constants() const noexcept { return litz_executable_num_constants(get()); }
    TensorInfo input(size_t k) const { return info(LITZ_INFO_INPUT, k); }
    TensorInfo output(size_t k) const { return info(LITZ_INFO_OUTPUT, k); }
    TensorInfo constant_info(size_t k) const { return info(LITZ_INFO_CONSTANT, k); }
    std::string describe() const { return detail::string(litz_executable_describe, c()); }
    /// The trees of the program's arguments and results, as JSON.
    std::string spec() const { return detail::string(litz_executable_spec, c()); }
    /// Throws where the caller's view of them differs from the program's.
    void check_spec(const std::string &json) const { detail::call(litz_executable_check_spec, c(), json.c_str()); }
    /// The graph with a box for each kernel, as "svg" or "dot".
    std::string draw(const std::string &format = "svg") const { return detail::string(litz_executable_draw, c(), format.c_str()); }
    /// A page of HTML about the program.
    std::string report() const { return detail::string(litz_executable_report, c()); }

    /// Runs once; the outputs own their memory. `seeded` makes options from a random seed.
    std::vector<Tensor> run(const std::vector<Tensor> &inputs, const litz_run_options *options = nullptr) const {
        // An empty tensor stands for an input that the program has no need of.
        const std::vector<const DLTensor *> in = detail::pointers(inputs);
        std::vector<struct DLManagedTensorVersioned *> out(num_outputs(), nullptr);
        detail::call(litz_executable_run, c(), in.data(), in.size(), out.data(), out.size(), options);
        return detail::taken(out);
    }
    /// Runs once into tensors that the caller made.
    void run_into(const std::vector<Tensor> &inputs, const std::vector<Tensor> &outputs,
                  const litz_run_options *options = nullptr) const {
        const std::vector<const DLTensor *> in = detail::pointers(inputs), out = detail::pointers(outputs);
        detail::call(litz_executable_run_into, c(), in.data(), in.size(), out.data(), out.size(), options);
    }
    /// The shapes that a run on these inputs gives.
    std::vector<Shape> infer_shapes(const std::vector<Tensor> &inputs) const {
        const std::vector<const DLTensor *> in = detail::pointers(inputs);
        std::vector<Shape> shapes, strides;
        std::vector<DLTensor> out(num_outputs());
        for (size_t k = 0; k < out.size(); ++k) {
            const size_t rank = output(k).min_shape.size();
            // At least one item, so that there is a pointer for a 0-d output too.
            shapes.emplace_back(rank + 1);
            strides.emplace_back(rank + 1);
        }
        for (size_t k = 0; k < out.size(); ++k) {
            out[k].shape = shapes[k].data();
            out[k].strides = strides[k].data();
        }
        detail::call(litz_executable_infer_outputs, c(), in.data(), in.size(), out.data(), out.size());
        for (size_t k = 0; k < out.size(); ++k) shapes[k].resize(static_cast<size_t>(out[k].ndim));
        return shapes;
    }
    /// A copy of a constant as it is now.
    Tensor constant(const std::string &name) const {
        struct DLManagedTensorVersioned *managed = nullptr;
        detail::call(litz_executable_constant, c(), name.c_str(), &managed);
        return Tensor::take(managed);
    }
    /// Replaces constants, all or none.
    void update_constants(const std::vector<std::pair<std::string, Tensor>> &constants) {
        const detail::Constants list(constants);
        detail::call(litz_executable_update_constants, get(), list.names.data(), list.data.data(), constants.size());
    }
    void save(const std::string &path) const { detail::call(litz_executable_save, c(), path.c_str()); }
    void save_constants(const std::string &path) const { detail::call(litz_executable_save_constants, c(), path.c_str()); }
    void load_constants(const std::string &path) { detail::call(litz_executable_load_constants, get(), path.c_str()); }
    /// Writes parameters, buffers and the random state that the next run is given.
    void save_checkpoint(const std::string &path, const RandomState &random = {}) const {
        detail::call(litz_executable_save_checkpoint, c(), path.c_str(), random.seed, random.offset);
    }
    /// Replaces parameters and buffers by those of a checkpoint, all or none, and gives its random state.
    RandomState load_checkpoint(const std::string &path) {
        RandomState random;
        detail::call(litz_executable_load_checkpoint, get(), path.c_str(), &random.seed, &random.offset);
        return random;
    }
    void synchronize() const { detail::call(litz_executable_synchronize, c()); }
    /// Ends the runs that are in progress on other threads.
    void cancel() const { detail::call(litz_executable_cancel, c()); }
    /// An instance with its own mutable state.
    Executable clone() const {
        litz_executable *raw = nullptr;
        detail::call(litz_executable_clone, c(), &raw);
        return Executable(raw);
    }

  private:
    static Executable open_with(const std::string &path, const litz_options *options) {
        litz_executable *raw = nullptr;
        detail::call(litz_executable_open, path.c_str(), options, &raw);
        return Executable(raw);
    }
    static Executable open_memory_with(const void *data, size_t size, const litz_options *options) {
        litz_executable *raw = nullptr;
        detail::call(litz_executable_open_memory, data, size, options, &raw);
        return Executable(raw);
    }
    const litz_executable *c() const noexcept { return handle_.get(); }
    TensorInfo info(int32_t what, size_t k) const { return detail::info(litz_executable_info, c(), what, k); }
    detail::Handle<litz_executable, litz_executable_release> handle_;
};

/// What a forward keeps for its backward, which uses it up. It holds the forward's inputs, whose elements must not change until then.
class Saved {
  public:
    /// Takes over what a forward gave, and holds what that was given.
    explicit Saved(litz_saved *handle, std::vector<Tensor> inputs = {}) noexcept : inputs_(std::move(inputs)), handle_(handle) {}
    litz_saved *get() const noexcept { return handle_.get(); }

  private:
    std::vector<Tensor> inputs_;
    detail::Handle<litz_saved, litz_saved_release> handle_;
};

/// A program and its gradients: a forward, and a backward, compiled when it is first asked for.
class Training {
  public:
    /// Takes over a handle.
    explicit Training(litz_training *handle) noexcept : handle_(handle) {}
    litz_training *get() const noexcept { return handle_.get(); }
    TensorInfo input(size_t k) const { return info(LITZ_INFO_INPUT, k); }
    TensorInfo output(size_t k) const { return info(LITZ_INFO_OUTPUT, k); }
    TensorInfo constant_info(size_t k) const { return info(LITZ_INFO_CONSTANT, k); }
    TensorInfo gradient(size_t k) const { return info(LITZ_INFO_GRADIENT, k); }
    std::string describe() const { return detail::string(litz_training_describe, c()); }
    /// A copy of a parameter or buffer as it is now.
    Tensor constant(const std::string &name) const {
        struct DLManagedTensorVersioned *managed = nullptr;
        detail::call(litz_training_constant, c(), name.c_str(), &managed);
        return Tensor::take(managed);
    }
    /// Replaces parameters and buffers, all or none.
    void update_constants(const std::vector<std::pair<std::string, Tensor>> &constants) {
        const detail::Constants list(constants);
        detail::call(litz_training_update_constants, get(), list.names.data(), list.data.data(), constants.size());
    }
    /// Runs the forward: the outputs, and what `backward` takes.
    std::pair<std::vector<Tensor>, Saved> forward(const std::vector<Tensor> &inputs,
                                                  const litz_run_options *options = nullptr) const {
        const std::vector<const DLTensor *> in = detail::pointers(inputs);
        std::vector<struct DLManagedTensorVersioned *> out(count(LITZ_INFO_OUTPUT), nullptr);
        litz_saved *saved = nullptr;
        detail::call(litz_training_forward, c(), in.data(), in.size(), out.data(), out.size(), &saved, options);
        return {detail::taken(out), Saved(saved, inputs)};
    }
    /// Runs the backward, once. An empty cotangent is zero; with none at all, the only output is weighted by 1. An empty gradient: the
    /// outputs do not depend on that input or parameter.
    std::vector<Tensor> backward(const Saved &saved, const std::vector<Tensor> &cotangents = {},
                                 const litz_run_options *options = nullptr) const {
        std::vector<const DLTensor *> weights = detail::pointers(cotangents);
        if (weights.empty()) weights.resize(count(LITZ_INFO_OUTPUT), nullptr);
        std::vector<struct DLManagedTensorVersioned *> out(count(LITZ_INFO_GRADIENT), nullptr);
        detail::call(litz_training_backward, c(), saved.get(), weights.data(), weights.size(), out.data(), out.size(), options);
        return detail::taken(out);
    }
    /// Ends the forwards and backwards that other threads have in progress.
    void cancel() const { detail::call(litz_training_cancel, c()); }

  private:
    const litz_training *c() const noexcept { return handle_.get(); }
    TensorInfo info(int32_t what, size_t k) const { return detail::info(litz_training_info, c(), what, k); }
    size_t count(int32_t what) const {
        litz_tensor_info raw{};
        raw.struct_size = sizeof raw;
        size_t n = 0;
        while (litz_training_info(c(), what, n, &raw, nullptr) == LITZ_OK) ++n;
        return n;
    }
    detail::Handle<litz_training, litz_training_release> handle_;
};

/// A node of a graph: an operator with its arguments and results.
class Node {
  public:
    Node() = default;
    Node(litz_graph *graph, litz_node node) noexcept : graph_(graph), node_(node) {}
    litz_node get() const noexcept { return node_; }
    explicit operator bool() const noexcept { return node_ != 0; }
    friend bool operator==(const Node &a, const Node &b) noexcept { return a.node_ == b.node_; }
    friend bool operator!=(const Node &a, const Node &b) noexcept { return a.node_ != b.node_; }

    /// The operator, as Graph::call takes it.
    std::string op() const { return info().op; }
    /// The arguments in the schema's order, each with its name. What they point at stays until this node is asked again.
    std::vector<litz_arg> args() const {
        const litz_node_info i = info();
        return std::vector<litz_arg>(i.args, i.args + i.n_args);
    }
    std::vector<Value> results() const {
        const litz_node_info i = info();
        std::vector<Value> values;
        for (size_t k = 0; k < i.n_results; ++k) values.emplace_back(graph_, i.results[k]);
        return values;
    }
    std::string describe() const {
        return detail::string(litz_graph_node_describe, static_cast<const litz_graph *>(graph_), node_);
    }

  private:
    litz_node_info info() const {
        litz_node_info i{};
        i.struct_size = sizeof i;
        detail::call(litz_graph_node_info, static_cast<const litz_graph *>(graph_), node_, &i);
        return i;
    }
    litz_graph *graph_ = nullptr;
    litz_node node_ = 0;
};

namespace detail {

/// A list of handles from a function that says how many there are: arguments before the list are `args`.
template <class Function, class... Args> std::vector<uint64_t> list(Function function, Args... args) {
    std::vector<uint64_t> items(16);
    size_t n = 0;
    litz_error *raw = nullptr;
    litz_status status = function(args..., items.data(), items.size(), &n, &raw);
    if (status == LITZ_ERROR_CAPACITY) {
        litz_error_release(raw);
        raw = nullptr;
        items.resize(n);
        status = function(args..., items.data(), items.size(), &n, &raw);
    }
    if (status != LITZ_OK) {
        const ErrorHandle error(raw);
        throw Error(status, litz_error_message(raw), litz_error_detail(raw));
    }
    items.resize(n);
    return items;
}

} // namespace detail

/// A tensor program that is being built or was loaded.
class Graph {
  public:
    explicit Graph(const std::string &name) { make(litz_graph_new, name.c_str(), c(nullptr)); }
    Graph(const std::string &name, const Options &options) { make(litz_graph_new, name.c_str(), options.get()); }
    // Options are nullable: they say what is logged, and where.
    static Graph from_pt2(const std::string &path, const Options *options = nullptr) {
        return made(litz_graph_from_pt2, path.c_str(), c(options));
    }
    static Graph from_pt2_memory(const void *data, size_t size, const Options *options = nullptr) {
        return made(litz_graph_from_pt2_memory, data, size, c(options));
    }
    static Graph from_onnx(const std::string &path, const Options *options = nullptr) {
        return made(litz_graph_from_onnx, path.c_str(), c(options));
    }
    // The folder of the files that the model names for its weights is nullable.
    static Graph from_onnx_memory(const void *data, size_t size, const char *folder = nullptr,
                                  const Options *options = nullptr) {
        return made(litz_graph_from_onnx_memory, data, size, folder, c(options));
    }
    static Graph from_export_json(const std::string &json, const Options *options = nullptr) {
        return made(litz_graph_from_export_json, json.c_str(), json.size(), c(options));
    }
    /// Parameters and buffers are tensors of `weights` by their exported names.
    static Graph from_export_json(const std::string &json, const Weights &weights, const Options *options = nullptr) {
        return made(litz_graph_from_export_json_with_weights, json.c_str(), json.size(), weights.get(), c(options));
    }
    static Graph from_text(const std::string &text, const Options *options = nullptr) {
        return made(litz_graph_from_text, text.c_str(), text.size(), c(options));
    }
    /// Throws the first failure of calls of litz_ops.h on this graph, where there was one.
    void check() const { detail::call(litz_graph_status, static_cast<const litz_graph *>(get())); }
    Graph clone() const { return made(litz_graph_clone, static_cast<const litz_graph *>(get())); }
    litz_graph *get() const noexcept { return handle_.get(); }

    /// Writes a folder from which the graph, its inputs and the options can be replayed.
    void save_repro(const Options &options, const std::vector<Tensor> &inputs, const std::string &folder) const {
        std::vector<const DLTensor *> in;
        for (const Tensor &input : inputs) in.push_back(input.dl());
        detail::call(litz_graph_save_repro, static_cast<const litz_graph *>(get()), options.get(), in.data(), in.size(), folder.c_str());
    }
    /// The graph and the options of such a folder.
    static std::pair<Graph, Options> from_repro(const std::string &folder) {
        std::pair<Graph, Options> both{Graph(), Options()};
        litz_graph *graph = nullptr;
        litz_options *options = nullptr;
        detail::call(litz_graph_from_repro, folder.c_str(), &graph, &options);
        both.first.handle_.reset(graph);
        both.second.handle_.reset(options);
        return both;
    }
    /// The same with what the program's host registers: operators that the graph calls, the backend, passes and decompositions.
    static std::pair<Graph, Options> from_repro(const std::string &folder, const Registry &registry);
    /// The inputs of such a folder.
    static std::vector<Tensor> repro_inputs(const std::string &folder, const Options &options) {
        size_t n = 0;
        litz_error *raw = nullptr;
        if (litz_repro_inputs(folder.c_str(), options.get(), nullptr, 0, &n, &raw) == LITZ_OK) return {};
        const detail::ErrorHandle error(raw);
        std::vector<struct DLManagedTensorVersioned *> out(n + 1, nullptr);
        detail::call(litz_repro_inputs, folder.c_str(), options.get(), out.data(), n, &n);
        out.resize(n);
        std::vector<Tensor> inputs;
        for (struct DLManagedTensorVersioned *managed : out) inputs.push_back(Tensor::take(managed));
        return inputs;
    }

    /// A graph that a callback was lent, for the time of its call.
    class Lent {
      public:
        explicit Lent(const litz_graph *handle) noexcept : handle_(handle) {}
        const litz_graph *get() const noexcept { return handle_; }
        std::string text() const { return detail::string(litz_graph_to_text, handle_); }
        std::string describe() const { return detail::string(litz_graph_describe, handle_); }
        Executable compile() const { return Graph::compiled(handle_, nullptr); }
        Executable compile(const Options &options) const { return Graph::compiled(handle_, options.get()); }

      private:
        const litz_graph *handle_;
    };
    /// The smallest part for which a predicate of the library's holds: "compile_fails", "crashes" or "differs".
    Graph minify(const std::string &kind, const Options &options, const std::vector<Tensor> &inputs = {}) const {
        std::vector<const DLTensor *> in;
        for (const Tensor &input : inputs) in.push_back(input.dl());
        litz_predicate *raw = nullptr;
        detail::call(litz_predicate_new, kind.c_str(), options.get(), in.data(), in.size(), &raw);
        const detail::Handle<litz_predicate, litz_predicate_release> predicate(raw);
        litz_predicate_fn holds = litz_predicate_holds;
        return made(litz_minify, static_cast<const litz_graph *>(get()), holds, static_cast<void *>(raw));
    }
    /// The smallest part of the graph for which the predicate holds. What it throws ends the search and is thrown here.
    Graph minify(const std::function<bool(const Lent &)> &still_fails) const {
        struct Search {
            const std::function<bool(const Lent &)> &still_fails;
            std::exception_ptr thrown;
        } search{still_fails, nullptr};
        litz_predicate_fn predicate = [](void *context, const litz_graph *g, int32_t *still, litz_error **) -> litz_status {
            Search &s = *static_cast<Search *>(context);
            try {
                *still = s.still_fails(Lent(g)) ? 1 : 0;
                return LITZ_OK;
            } catch (...) {
                s.thrown = std::current_exception();
                return LITZ_ERROR_CANCELLED;
            }
        };
        try {
            return made(litz_minify, static_cast<const litz_graph *>(get()), predicate, static_cast<void *>(&search));
        } catch (const Error &) {
            if (search.thrown) std::rethrow_exception(search.thrown);
            throw;
        }
    }

    /// A size from `min` to `max` that is known at run time only; no `max`: no bound.
    Value symbol(const std::string &name, int64_t min = 0, std::optional<int64_t> max = {}, int64_t hint = -1) {
        litz_value value = 0;
        detail::call(litz_graph_symbol, get(), name.c_str(), min, max.value_or(-1), hint, &value);
        return Value(get(), value);
    }
    /// A number given at run time as a 0-d tensor.
    Value scalar_input(const std::string &name, Dtype dtype, int64_t min = 0, std::optional<int64_t> max = {}) {
        litz_value value = 0;
        detail::call(litz_graph_scalar_input, get(), name.c_str(), static_cast<int32_t>(dtype), min, max.value_or(-1),
                     &value);
        return Value(get(), value);
    }
    Value input(const std::string &name, Dtype dtype, const std::vector<Size> &shape) {
        std::vector<int64_t> sizes;
        std::vector<litz_value> symbols;
        for (const Size &size : shape) {
            sizes.push_back(size.number);
            symbols.push_back(size.symbol);
        }
        litz_tensor_spec spec{};
        spec.struct_size = sizeof spec;
        spec.dtype = dl_dtype(dtype);
        spec.device.device_type = kDLCPU;
        spec.ndim = static_cast<int32_t>(shape.size());
        spec.shape = sizes.data();
        spec.symbols = symbols.data();
        litz_value value = 0;
        detail::call(litz_graph_input, get(), name.c_str(), static_cast<const litz_tensor_spec *>(&spec), &value);
        return Value(get(), value);
    }
    /// A parameter, buffer or constant; its data is copied, unless `flags` is LITZ_CONSTANT_BORROW.
    Value parameter(const std::string &name, const Tensor &data, int32_t flags = 0) {
        return add(name, LITZ_CONSTANT_PARAMETER, flags, data);
    }
    Value buffer(const std::string &name, const Tensor &data, int32_t flags = 0) {
        return add(name, LITZ_CONSTANT_BUFFER, flags, data);
    }
    Value constant(const std::string &name, const Tensor &data, int32_t flags = 0) {
        return add(name, LITZ_CONSTANT_CONSTANT, flags, data);
    }

    /// A tensor of a file of weights, as a parameter unless `kind` says otherwise; an empty name is the tensor's.
    Value weight(const Weights &weights, const std::string &tensor, const std::string &name = "",
                 int32_t kind = LITZ_CONSTANT_PARAMETER) {
        litz_value value = 0;
        detail::call(litz_graph_weight, get(), weights.get(), tensor.c_str(), name.empty() ? nullptr : name.c_str(), kind,
                     &value);
        return Value(get(), value);
    }

    Value call(const std::string &op, const std::vector<Arg> &args) { return litz::call(get(), op, args); }
    std::vector<Value> call_all(const std::string &op, const std::vector<Arg> &args) {
        return litz::call_all(get(), op, args);
    }
    void output(const std::string &name, const Value &value) {
        detail::call(litz_graph_output, get(), name.c_str(), value.get());
    }
    Value find(const std::string &name) const {
        litz_value value = 0;
        detail::call(litz_graph_find, static_cast<const litz_graph *>(get()), name.c_str(), &value);
        return Value(get(), value);
    }
    std::string describe() const {
        return detail::string(litz_graph_describe, static_cast<const litz_graph *>(get()));
    }
    std::string text() const { return detail::string(litz_graph_to_text, static_cast<const litz_graph *>(get())); }
    /// The trees of the graph's arguments and results, as JSON.
    std::string spec() const { return detail::string(litz_graph_spec, static_cast<const litz_graph *>(get())); }
    void set_spec(const std::string &json) { detail::call(litz_graph_set_spec, get(), json.c_str()); }
    void set_metadata(const std::string &key, const std::string &value) {
        detail::call(litz_graph_set_metadata, get(), key.c_str(), value.c_str());
    }
    /// The graph with a box for each module, as "svg" or "dot".
    std::string draw(const std::string &format = "svg") const {
        return detail::string(litz_graph_draw, static_cast<const litz_graph *>(get()), format.c_str());
    }

    /// As PyTorch's export schema has it, weights left out.
    std::string to_export_json() const { return detail::string(litz_graph_to_export_json, c()); }

    /// The nodes, in the order in which they run.
    std::vector<Node> nodes() const { return nodes_of(detail::list(litz_graph_nodes, c())); }
    /// What the graph takes, gives, holds, and writes back.
    std::vector<Value> inputs() const { return values_of(LITZ_INFO_INPUT); }
    std::vector<Value> outputs() const { return values_of(LITZ_INFO_OUTPUT); }
    std::vector<Value> constants() const { return values_of(LITZ_INFO_CONSTANT); }
    std::vector<Value> writes() const { return values_of(LITZ_INFO_WRITE); }
    /// The node that makes a value; none for inputs and constants.
    Node producer(const Value &value) const {
        litz_node node = 0;
        size_t result = 0;
        detail::call(litz_graph_producer, c(), value.get(), &node, &result);
        return Node(get(), node);
    }
    std::vector<Node> users(const Value &value) const {
        return nodes_of(detail::list(litz_graph_users, c(), value.get()));
    }
    /// Where calls put their nodes from now on: in front of a node, or at the end; behind a node, or at the start.
    void insert_before(const Node &node = {}) { detail::call(litz_graph_insert_before, get(), node.get()); }
    void insert_after(const Node &node = {}) { detail::call(litz_graph_insert_after, get(), node.get()); }
    /// Lets one value stand wherever another is used.
    void replace(const Value &old_value, const Value &new_value) {
        detail::call(litz_graph_replace, get(), old_value.get(), new_value.get());
    }
    void erase(const Node &node) { detail::call(litz_graph_erase, get(), node.get()); }
    /// Marks nodes that run one operator at a time: each has kernels of its own, which no other node joins.
    void disable_fusion(const std::vector<Node> &nodes) {
        std::vector<litz_node> list;
        for (const Node &node : nodes) list.push_back(node.get());
        detail::call(litz_graph_disable_fusion, get(), static_cast<const litz_node *>(list.data()), list.size());
    }
    /// Throws what is wrong with the graph, if anything.
    void lint() const { detail::call(litz_graph_lint, c()); }

    /// Appends gradients with respect to `wrt`, and gives them in its order; an empty one: no dependence. Each output is weighted by its
    /// cotangent, an empty one leaves it out; without cotangents there is one output, of one element, weighted by 1.
    std::vector<Value> differentiate(const std::vector<Value> &outputs, const std::vector<Value> &wrt,
                                     const std::vector<Value> &cotangents = {}) {
        if (!cotangents.empty() && cotangents.size() != outputs.size())
            throw Error(LITZ_ERROR_INVALID_ARGUMENT, "outputs and cotangents differ in number");
        const std::vector<litz_value> of = handles(outputs), by = handles(wrt), weights = handles(cotangents);
        std::vector<litz_value> made(by.size(), 0);
        detail::call(litz_graph_differentiate, get(), of.data(), weights.empty() ? nullptr : weights.data(), of.size(),
                     by.data(), by.size(), made.data());
        std::vector<Value> gradients;
        for (const litz_value value : made) gradients.emplace_back(get(), value);
        return gradients;
    }
    /// Appends the derivatives of outputs where values move along tangents (forward mode), and gives them in the order of `outputs`; an empty
    /// one: no dependence. An empty tangent leaves its value where it is.
    std::vector<Value> differentiate_forward(const std::vector<Value> &outputs, const std::vector<Value> &wrt,
                                             const std::vector<Value> &tangents) {
        if (tangents.size() != wrt.size())
            throw Error(LITZ_ERROR_INVALID_ARGUMENT, "values and tangents differ in number");
        const std::vector<litz_value> of = handles(outputs), by = handles(wrt), along = handles(tangents);
        std::vector<litz_value> made(of.size(), 0);
        detail::call(litz_graph_differentiate_forward, get(), of.data(), of.size(), by.data(), along.data(), by.size(),
                     made.data());
        std::vector<Value> derivatives;
        for (const litz_value value : made) derivatives.emplace_back(get(), value);
        return derivatives;
    }
    /// Appends one step of an optimizer ("sgd", "adamw", ...), which updates the parameters in place. Hyper-parameters are named:
    /// litz::named("lr", 0.1), or a 0-d float of the graph in the number's place.
    void optimizer_step(const std::string &kind, const std::vector<Value> &params, const std::vector<Value> &grads,
                        const std::vector<Arg> &hyper = {}) {
        if (params.size() != grads.size())
            throw Error(LITZ_ERROR_INVALID_ARGUMENT, "parameters and gradients differ in number");
        const std::vector<litz_value> of = handles(params), by = handles(grads);
        std::vector<litz_arg> args;
        for (const Arg &arg : hyper) args.push_back(arg.c());
        detail::call(litz_graph_optimizer_step, get(), kind.c_str(), of.data(), by.data(), of.size(), args.data(), args.size());
    }
    /// The program with its gradients as a graph of its own, whose metadata `joint` says which inputs are cotangents and which outputs gradients.
    Graph export_joint() const { return made(litz_graph_export_joint, c(), static_cast<const litz_options *>(nullptr)); }
    Graph export_joint(const Options &options) const { return made(litz_graph_export_joint, c(), c(&options)); }
    Training compile_training() const { return training_with(nullptr); }
    Training compile_training(const Options &options) const { return training_with(options.get()); }

    Executable compile() const { return compile_with(nullptr); }
    Executable compile(const Options &options) const { return compile_with(options.get()); }
    /// With tensors such as runs will be given, one for each input, or none; and which inputs keep their address.
    Executable compile(const Options &options, const std::vector<Tensor> &examples,
                       const std::vector<bool> &static_inputs = {}) const {
        std::vector<const DLTensor *> tensors;
        for (const Tensor &tensor : examples) tensors.push_back(tensor.dl());
        std::vector<uint8_t> flags(static_inputs.begin(), static_inputs.end());
        if (!tensors.empty() && !flags.empty() && tensors.size() != flags.size())
            throw Error(LITZ_ERROR_INVALID_ARGUMENT, "examples and static inputs differ in number");
        litz_executable *raw = nullptr;
        detail::call(litz_compile_with, static_cast<const litz_graph *>(get()), options.get(),
                     tensors.empty() ? nullptr : tensors.data(), tensors.empty() ? flags.size() : tensors.size(),
                     flags.empty() ? nullptr : flags.data(), &raw);
        return Executable(raw);
    }
    void compile_artifact(const std::string &path) const { artifact_with(path, nullptr); }
    void compile_artifact(const std::string &path, const Options &options) const { artifact_with(path, options.get()); }

  private:
    friend class Registry;
    Graph() = default;
    const litz_graph *c() const noexcept { return handle_.get(); }
    std::vector<Node> nodes_of(const std::vector<uint64_t> &list) const {
        std::vector<Node> nodes;
        for (const litz_node node : list) nodes.emplace_back(get(), node);
        return nodes;
    }
    static std::vector<litz_value> handles(const std::vector<Value> &values) {
        std::vector<litz_value> list;
        for (const Value &value : values) list.push_back(value.get());
        return list;
    }
    Training training_with(const litz_options *options) const {
        litz_training *raw = nullptr;
        detail::call(litz_compile_training, c(), options, &raw);
        return Training(raw);
    }
    std::vector<Value> values_of(int32_t what) const {
        std::vector<Value> values;
        for (const litz_value value : detail::list(litz_graph_values, c(), what)) values.emplace_back(get(), value);
        return values;
    }
    static const litz_options *c(const Options *options) { return options ? options->get() : nullptr; }
    template <class Function, class... Args> void make(Function function, Args... args) {
        litz_graph *raw = nullptr;
        detail::call(function, args..., &raw);
        handle_.reset(raw);
    }
    template <class Function, class... Args> static Graph made(Function function, Args... args) {
        Graph graph;
        graph.make(function, args...);
        return graph;
    }
    Value add(const std::string &name, int32_t kind, int32_t flags, const Tensor &data) {
        litz_value value = 0;
        detail::call(litz_graph_constant, get(), name.c_str(), kind, flags, data.dl(), &value);
        return Value(get(), value);
    }
    Executable compile_with(const litz_options *options) const { return compiled(get(), options); }
    static Executable compiled(const litz_graph *graph, const litz_options *options) {
        litz_executable *raw = nullptr;
        detail::call(litz_compile, graph, options, &raw);
        return Executable(raw);
    }
    void artifact_with(const std::string &path, const litz_options *options) const {
        detail::call(litz_compile_artifact, static_cast<const litz_graph *>(get()), options, path.c_str());
    }
    detail::Handle<litz_graph, litz_graph_release> handle_;
};

/// What a host adds to the compiler. What functions throw is the error of the compilation, or run, that called them. They
/// live as long as anything that was made with the registry.
class Registry {
  public:
    /// Rewrites a graph, which is lent for the call.
    using Pass = std::function<void(Graph &)>;
    /// Adds nodes to a graph and gives the results; none keep the node.
    using Rule = std::function<std::vector<Value>(Graph &, const std::vector<litz_arg> &)>;
    /// Runs once.
    using Program = std::function<void(const litz_backend_call &)>;
    /// Compiles a functional graph, which is lent for the call and only read.
    using Compiler = std::function<Program(Graph &)>;

    Registry() {
        litz_registry *raw = nullptr;
        detail::call(litz_registry_new, &raw);
        handle_.reset(raw);
    }
    litz_registry *get() const noexcept { return handle_.get(); }
    std::string describe() const {
        return detail::string(litz_registry_describe, static_cast<const litz_registry *>(get()));
    }

    /// `point` is "pre_grad", "joint" or "post_grad".
    void add_pass(const std::string &point, Pass pass) {
        litz_pass_fn function = [](void *context, litz_graph *g, litz_error **err) {
            return caught(err, [&] {
                const Borrowed borrowed(g);
                (*static_cast<Pass *>(context))(borrowed.graph);
            });
        };
        detail::call(litz_registry_add_pass, get(), point.c_str(), function, keep(std::move(pass)));
    }
    void add_decomposition(const std::string &op, Rule rule) {
        litz_decomposition_fn function = [](void *context, litz_graph *g, const litz_arg *args, size_t n_args,
                                            litz_value *outs, size_t n_outs, litz_error **err) {
            return caught(err, [&] {
                const Borrowed borrowed(g);
                const std::vector<Value> results =
                    (*static_cast<Rule *>(context))(borrowed.graph, std::vector<litz_arg>(args, args + n_args));
                if (!results.empty() && results.size() != n_outs)
                    throw Error(LITZ_ERROR_INVALID_ARGUMENT, "the operator has " + std::to_string(n_outs) +
                                                                 " results, the rule gave " +
                                                                 std::to_string(results.size()));
                for (size_t k = 0; k < results.size(); ++k) outs[k] = results[k].get();
            });
        };
        detail::call(litz_registry_add_decomposition, get(), op.c_str(), function, keep(std::move(rule)));
    }
    /// `flags`: `LITZ_BACKEND_…`
    void add_backend(const std::string &name, const std::vector<std::string> &tags, Compiler compiler,
                     uint32_t flags = 0) {
        litz_backend backend{};
        backend.struct_size = sizeof backend;
        backend.flags = flags;
        backend.context = keep(std::move(compiler));
        backend.compile = [](void *context, const litz_graph *g, litz_callable *out, litz_error **err) {
            return caught(err, [&] {
                const Borrowed borrowed(const_cast<litz_graph *>(g));
                auto program = std::make_unique<Program>((*static_cast<Compiler *>(context))(borrowed.graph));
                out->run = [](void *own, const litz_backend_call *call, litz_error **failure) {
                    return caught(failure, [&] { (*static_cast<Program *>(own))(*call); });
                };
                out->release = [](void *own) { delete static_cast<Program *>(own); };
                out->context = program.release();
            });
        };
        std::vector<const char *> list;
        for (const std::string &tag : tags) list.push_back(tag.c_str());
        detail::call(litz_registry_add_backend, get(), name.c_str(), list.data(), list.size(),
                     static_cast<const litz_backend *>(&backend));
    }

    /// An operator of its own: what it computes, what its results are, and its gradients.
    struct Operator {
        /// The type of a result.
        struct Result {
            Dtype dtype;
            std::vector<Size> sizes;
        };
        /// The types of its results, from its arguments; tensors among them are values of the graph, which is lent for the call.
        using Meta = std::function<std::vector<Result>(Graph &, const std::vector<litz_arg> &)>;
        /// One run: see `litz_operator_run_fn`.
        struct Call {
            std::vector<litz_arg> args;
            std::vector<const DLTensor *> tensors, outs;
            void *stream;
        };
        using Run = std::function<void(const Call &)>;
        /// A gradient for each tensor among the arguments, from those of the results; an empty value is none.
        using Derivative =
            std::function<std::vector<Value>(Graph &, const std::vector<litz_arg> &, const std::vector<Value> &)>;
        Meta meta;
        Run run_cpu, run_cuda;
        Derivative derivative;
        /// A C expression of the arguments, for each element of the one result.
        std::string pointwise_source;
        /// `LITZ_OPERATOR_…`
        uint64_t flags = 0;
    };
    /// `schema` as PyTorch writes it: `mylib::scale(Tensor x, float by=2.0) -> Tensor`.
    void add_operator(const std::string &schema, Operator given) {
        auto kept = std::make_unique<Operator>(std::move(given));
        litz_operator op{};
        op.struct_size = sizeof op;
        op.flags = kept->flags;
        op.context = kept.get();
        op.release = [](void *context) { delete static_cast<Operator *>(context); };
        if (!kept->pointwise_source.empty()) op.pointwise_source = kept->pointwise_source.c_str();
        if (kept->meta)
            op.meta = [](void *context, litz_graph *g, const litz_arg *args, size_t n_args, litz_meta *outs, litz_error **err) {
                return caught(err, [&] {
                    const Borrowed borrowed(g);
                    const std::vector<Operator::Result> results =
                        static_cast<Operator *>(context)->meta(borrowed.graph, std::vector<litz_arg>(args, args + n_args));
                    for (size_t k = 0; k < results.size(); ++k) {
                        std::vector<int64_t> shape;
                        std::vector<litz_value> symbols;
                        for (const Size &size : results[k].sizes) {
                            shape.push_back(size.number);
                            symbols.push_back(size.symbol);
                        }
                        litz_tensor_spec spec{};
                        spec.struct_size = sizeof spec;
                        spec.dtype = dl_dtype(results[k].dtype);
                        spec.ndim = static_cast<int32_t>(shape.size());
                        spec.shape = shape.data();
                        spec.symbols = symbols.data();
                        detail::call(litz_meta_output, outs, k, static_cast<const litz_tensor_spec *>(&spec));
                    }
                });
            };
        if (kept->run_cpu)
            op.run_cpu = [](void *context, const litz_arg *args, size_t n_args, const DLTensor *const *tensors, size_t n_tensors,
                            const DLTensor *const *outs, size_t n_outs, void *stream, litz_error **err) {
                return caught(err, [&] {
                    static_cast<Operator *>(context)->run_cpu(
                        {{args, args + n_args}, {tensors, tensors + n_tensors}, {outs, outs + n_outs}, stream});
                });
            };
        if (kept->run_cuda)
            op.run_cuda = [](void *context, const litz_arg *args, size_t n_args, const DLTensor *const *tensors, size_t n_tensors,
                             const DLTensor *const *outs, size_t n_outs, void *stream, litz_error **err) {
                return caught(err, [&] {
                    static_cast<Operator *>(context)->run_cuda(
                        {{args, args + n_args}, {tensors, tensors + n_tensors}, {outs, outs + n_outs}, stream});
                });
            };
        if (kept->derivative)
            op.derivative = [](void *context, litz_graph *g, const litz_arg *args, size_t n_args, const litz_value *cotangents,
                               size_t n_outs, litz_value *grads, litz_error **err) {
                return caught(err, [&] {
                    const Borrowed borrowed(g);
                    std::vector<Value> incoming;
                    for (size_t k = 0; k < n_outs; ++k) incoming.emplace_back(g, cotangents[k]);
                    const std::vector<Value> results = static_cast<Operator *>(context)->derivative(
                        borrowed.graph, std::vector<litz_arg>(args, args + n_args), incoming);
                    for (size_t k = 0; k < results.size(); ++k) grads[k] = results[k].get();
                });
            };
        detail::call(litz_registry_add_operator, get(), schema.c_str(), static_cast<const litz_operator *>(&op));
        kept.release();
    }

    /// Source text for `backend` "cpu" or "cuda", whose `function` computes: see `litz_registry_add_operator_source`.
    void add_operator_source(const std::string &op, const std::string &backend, const std::string &source,
                             const std::string &function) {
        detail::call(litz_registry_add_operator_source, get(), op.c_str(), backend.c_str(), source.c_str(), function.c_str());
    }

  private:
    /// A graph that is the library's.
    struct Borrowed {
        explicit Borrowed(litz_graph *g) noexcept { graph.handle_.reset(g); }
        Borrowed(const Borrowed &) = delete;
        Borrowed &operator=(const Borrowed &) = delete;
        ~Borrowed() { graph.handle_.release(); }
        mutable Graph graph;
    };
    /// Runs a function; what it throws becomes an error.
    template <class Function> static litz_status caught(litz_error **err, Function function) noexcept {
        litz_status status = LITZ_ERROR_INVALID_ARGUMENT;
        std::string message = "the callback threw what is no std::exception";
        try {
            function();
            return LITZ_OK;
        } catch (const Error &error) {
            status = error.code();
            message = error.what();
        } catch (const std::exception &error) {
            message = error.what();
        } catch (...) {
        }
        *err = litz_error_new(status, message.c_str());
        return status;
    }
    /// Keeps a function until nothing that was made with the registry is left.
    template <class Function> Function *keep(Function function) {
        auto kept = std::make_unique<Function>(std::move(function));
        litz_release_fn forget = [](void *context) { delete static_cast<Function *>(context); };
        detail::call(litz_registry_add_cleanup, get(), forget, static_cast<void *>(kept.get()));
        return kept.release();
    }
    detail::Handle<litz_registry, litz_registry_release> handle_;
};

inline Options &Options::set_registry(const Registry &registry) {
    detail::call(litz_options_set_registry, handle_.get(), registry.get());
    return *this;
}

inline std::pair<Graph, Options> Graph::from_repro(const std::string &folder, const Registry &registry) {
    std::pair<Graph, Options> both{Graph(), Options()};
    litz_graph *graph = nullptr;
    litz_options *options = nullptr;
    detail::call(litz_graph_from_repro_with, folder.c_str(), registry.get(), &graph, &options);
    both.first.handle_.reset(graph);
    both.second.handle_.reset(options);
    return both;
}

inline Arg::Arg(const Graph &subgraph) noexcept {
    arg_.kind = LITZ_ARG_SUBGRAPH;
    arg_.subgraph = subgraph.get();
}

/// Runs one of two graphs, as the predicate says: both take the operands as their inputs, in order, and give results of one
/// dtype and shape. Gives the results. The operands are all that the graphs see of this one.
inline std::vector<Value> cond(const Value &predicate, const Graph &yes, const Graph &no, const std::vector<Value> &operands) {
    return call_all(predicate.graph(), "higher_order.cond", {predicate, yes, no, operands});
}

/// Runs the body as long as the condition gives true. Both take what is carried, and then what is additional; the
/// condition gives one bool, the body what is carried next. Gives what is carried in the end.
inline std::vector<Value> while_loop(const Graph &condition, const Graph &body, const std::vector<Value> &carried,
                                     const std::vector<Value> &additional = {}) {
    litz_graph *graph = detail::graph_of(carried, additional);
    return call_all(graph, "higher_order.while_loop", {condition, body, carried, additional});
}

} // namespace litz

// Every operator as a function, litz::aten::relu and its like; defined, this leaves them out.
#ifndef LITZ_NO_OPERATORS
#include "litz_ops.hpp"
#endif

#endif // LITZ_HPP
