// Kernels: loops over lanes at the types of the operation. A NaN result is the one NaN of its type (NUM-2).
#include "interp/compiled/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "interp/compiled/arithmetic.hpp"

namespace assay::interp::compiled {

Scalar read_value(Type type, const void* at) {
  Scalar s{type, 0};
  const int width = byte_width(type);
  std::memcpy(&s.bits, at, static_cast<std::size_t>(std::min(width, 8)));
  if (width > 8) std::memcpy(&s.high, static_cast<const unsigned char*>(at) + 8, 8);
  return s;
}
void write_value(void* at, const Scalar& value) {
  const int width = byte_width(value.type);
  std::memcpy(at, &value.bits, static_cast<std::size_t>(std::min(width, 8)));
  if (width > 8) std::memcpy(static_cast<unsigned char*>(at) + 8, &value.high, 8);
}

namespace {

// Around a function of interp/numerics; only active lanes, because some functions are slow.
void any(const KernelOperands& t, const KernelLanes& l) {
  const auto out = static_cast<std::size_t>(byte_width(t.out));
  const void* const columns[4] = {l.a, l.b, l.c, l.d};
  for_each(l.active, [&](std::uint32_t i) {
    Scalar operands[4];
    for (int k = 0; k < t.arity; ++k) {
      const Type type = k == 0 ? t.operand : t.others;
      operands[k] = read_value(
          type, static_cast<const unsigned char*>(columns[k]) + i * static_cast<std::size_t>(byte_width(type)));
    }
    numerics::Flags flags;
    Scalar result = t.function(operands, flags);
    result.type = t.out;
    write_value(static_cast<unsigned char*>(l.out) + i * out, result);
    if (l.inexact != nullptr) l.inexact[i] = flags.inexact ? 1 : 0;
  });
}

#if defined(__GNUC__) && defined(__x86_64__)
#define ASSAY_WIDE __attribute__((target("avx2")))
bool has_wide_vectors() { return __builtin_cpu_supports("avx2") != 0; }
#else
#define ASSAY_WIDE
bool has_wide_vectors() { return false; }
#endif
#if defined(__GNUC__)
#define ASSAY_INLINE inline __attribute__((always_inline))
#else
#define ASSAY_INLINE inline
#endif

template <typename T, Op O>
ASSAY_INLINE void binary_lanes(const KernelLanes& l) {
  using S = typename T::Storage;
  S* __restrict const out = static_cast<S*>(l.out);
  const S* const a = static_cast<const S*>(l.a);
  const S* const b = static_cast<const S*>(l.b);
  if (l.active.count == 1) {
    const std::uint32_t i = l.active.first;
    out[i] = T::write(apply<T, O>(T::read(a[i]), T::read(b[i])));
    return;
  }
  const std::uint32_t end = l.active.end();
  for (std::uint32_t i = l.active[0]; i < end; ++i) out[i] = T::write(apply<T, O>(T::read(a[i]), T::read(b[i])));
}
template <typename T, Op O>
void binary(const KernelOperands&, const KernelLanes& l) {
  binary_lanes<T, O>(l);
}
// For types that take many instructions a value.
template <typename T, Op O>
ASSAY_WIDE void binary_wide(const KernelOperands&, const KernelLanes& l) {
  binary_lanes<T, O>(l);
}

template <typename T, Op O>
bool rounds(typename T::Number a, typename T::Number b, typename T::Number r) {
  if constexpr (O == Op::mul) return T::rounds_product(a, b, r);
  if constexpr (O == Op::sub) return T::rounds_sum(a, -b, r);
  return T::rounds_sum(a, b, r);
}
template <typename T, Op O>
void binary_marking(const KernelOperands&, const KernelLanes& l) {
  using S = typename T::Storage;
  S* __restrict const out = static_cast<S*>(l.out);
  std::uint8_t* __restrict const inexact = l.inexact;
  const S* const a = static_cast<const S*>(l.a);
  const S* const b = static_cast<const S*>(l.b);
  const std::uint32_t end = l.active.end();
  for (std::uint32_t i = l.active[0]; i < end; ++i) {
    const auto x = T::read(a[i]), y = T::read(b[i]);
    const auto r = apply<T, O>(x, y);
    out[i] = T::write(r);
    inexact[i] = rounds<T, O>(x, y, r) ? 1 : 0;
  }
}

template <typename T, Op O>
void comparison(const KernelOperands&, const KernelLanes& l) {
  using S = typename T::Storage;
  auto* __restrict const out = static_cast<std::uint8_t*>(l.out);
  const S* const a = static_cast<const S*>(l.a);
  const S* const b = static_cast<const S*>(l.b);
  const std::uint32_t end = l.active.end();
  for (std::uint32_t i = l.active[0]; i < end; ++i) {
    const auto x = T::read(a[i]), y = T::read(b[i]);
    bool r = x >= y;
    if constexpr (O == Op::eq) r = x == y;
    if constexpr (O == Op::ne) r = x != y;
    if constexpr (O == Op::lt) r = x < y;
    if constexpr (O == Op::le) r = x <= y;
    if constexpr (O == Op::gt) r = x > y;
    out[i] = r ? 1 : 0;
  }
}

template <typename T, Op O>
bool fold(const KernelOperands&, void* x, const void* e, const Active& active) {
  using S = typename T::Storage;
  const S* const terms = static_cast<const S*>(e);
  S start{};
  std::memcpy(&start, x, sizeof start);
  auto sum = T::read(start);
  for_each(active, [&](std::uint32_t i) {
    const auto term = T::read(terms[i]);
    sum = O == Op::add ? T::add_step(sum, term) : apply<T, O>(sum, term);
  });
  start = T::write(sum);
  std::memcpy(x, &start, sizeof start);
  return false;
}
template <typename T, Op O>
bool fold_marking(const KernelOperands&, void* x, const void* e, const Active& active) {
  using S = typename T::Storage;
  const S* const terms = static_cast<const S*>(e);
  S start{};
  std::memcpy(&start, x, sizeof start);
  auto sum = T::read(start);
  bool inexact = false;
  for_each(active, [&](std::uint32_t i) {
    const auto term = T::read(terms[i]);
    const auto next = O == Op::add ? T::add_step(sum, term) : apply<T, O>(sum, term);
    inexact |= rounds<T, O>(sum, term, next);
    sum = next;
  });
  start = T::write(sum);
  std::memcpy(x, &start, sizeof start);
  return inexact;
}

template <typename T>
Kernel arithmetic(Op op, bool marks) {
  if constexpr (std::is_same_v<typename T::Number, float> && sizeof(typename T::Storage) < sizeof(float)) {
    static const bool wide = has_wide_vectors();
    if (wide && !marks && op == Op::add) return binary_wide<T, Op::add>;
    if (wide && !marks && op == Op::sub) return binary_wide<T, Op::sub>;
    if (wide && !marks && op == Op::mul) return binary_wide<T, Op::mul>;
  }
  switch (op) {
    case Op::add: return marks ? binary_marking<T, Op::add> : binary<T, Op::add>;
    case Op::sub: return marks ? binary_marking<T, Op::sub> : binary<T, Op::sub>;
    case Op::mul: return marks ? binary_marking<T, Op::mul> : binary<T, Op::mul>;
    case Op::max: return marks ? nullptr : binary<T, Op::max>;
    case Op::min: return marks ? nullptr : binary<T, Op::min>;
    case Op::eq: return comparison<T, Op::eq>;
    case Op::ne: return comparison<T, Op::ne>;
    case Op::lt: return comparison<T, Op::lt>;
    case Op::le: return comparison<T, Op::le>;
    case Op::gt: return comparison<T, Op::gt>;
    case Op::ge: return comparison<T, Op::ge>;
    default: break;
  }
  if constexpr (std::is_floating_point_v<typename T::Storage>) {
    if (op == Op::div && !marks) return binary<T, Op::div>;
  }
  return nullptr;
}
template <typename T>
Fold accumulation(Op op, bool marks) {
  switch (op) {
    case Op::add: return marks ? fold_marking<T, Op::add> : fold<T, Op::add>;
    case Op::sub: return marks ? fold_marking<T, Op::sub> : fold<T, Op::sub>;
    case Op::mul: return marks ? fold_marking<T, Op::mul> : fold<T, Op::mul>;
    case Op::max: return fold<T, Op::max>;
    case Op::min: return fold<T, Op::min>;
    default: return nullptr;
  }
}

template <typename T>
void select(const KernelOperands&, const KernelLanes& l) {
  const auto* const condition = static_cast<const std::uint8_t*>(l.a);
  T* __restrict const out = static_cast<T*>(l.out);
  const T* const first = static_cast<const T*>(l.b);
  const T* const second = static_cast<const T*>(l.c);
  const std::uint32_t end = l.active.end();
  for (std::uint32_t i = l.active[0]; i < end; ++i) out[i] = condition[i] != 0 ? first[i] : second[i];
}
struct Wide {
  std::uint64_t part[2];
};

template <typename To, typename From>
void convert_float(const KernelOperands&, const KernelLanes& l) {
  auto* __restrict const out = static_cast<typename To::Storage*>(l.out);
  const auto* const in = static_cast<const typename From::Storage*>(l.a);
  const std::uint32_t end = l.active.end();
  for (std::uint32_t i = l.active[0]; i < end; ++i)
    out[i] = To::write(static_cast<typename To::Number>(From::read(in[i])));
}
// Narrowing from float rounds at the type.
template <typename N>
void narrow_float(const KernelOperands&, const KernelLanes& l) {
  auto* __restrict const out = static_cast<typename N::Storage*>(l.out);
  const auto* const in = static_cast<const float*>(l.a);
  const std::uint32_t end = l.active.end();
  for (std::uint32_t i = l.active[0]; i < end; ++i) out[i] = N::pack(N::round(in[i]));
}
// At f8e4m3fn, which has no infinity, a conversion goes to the largest value (NUM-39).
void narrow_saturating(const KernelOperands&, const KernelLanes& l) {
  auto* __restrict const out = static_cast<std::uint8_t*>(l.out);
  const auto* const in = static_cast<const float*>(l.a);
  const std::uint32_t end = l.active.end();
  for (std::uint32_t i = l.active[0]; i < end; ++i) {
    const float x = in[i], r = Eighth43::round(x);
    out[i] = Eighth43::pack(r != r && x == x ? std::copysign(448.0F, x) : r);
  }
}

}  // namespace

Kernel any_kernel() { return any; }

Kernel find_kernel(Op op, Type operand, bool marks) {
  if (const Kernel k = find_block_kernel(op, operand)) return k;
  const Kernel k = with_type(operand, [&](auto t) { return arithmetic<decltype(t)>(op, marks); });
  return k != nullptr ? k : any;
}

Kernel find_convert_kernel(Type to, Type from, bool marks) {
  if (marks) return any;
  using F = Plain<float>;
  using D = Plain<double>;
  using H = Narrow<Half>;
  using B = Narrow<Brain>;
  using E = Narrow<Eighth52>;
  using G = Narrow<Eighth43>;
  if (from == Type::f16 && to == Type::f32) return convert_float<F, H>;
  if (from == Type::bf16 && to == Type::f32) return convert_float<F, B>;
  if (from == Type::f8e5m2 && to == Type::f32) return convert_float<F, E>;
  if (from == Type::f8e4m3fn && to == Type::f32) return convert_float<F, G>;
  if (from == Type::f8e5m2 && to == Type::f64) return convert_float<D, E>;
  if (from == Type::f8e4m3fn && to == Type::f64) return convert_float<D, G>;
  if (from == Type::f16 && to == Type::f64) return convert_float<D, H>;
  if (from == Type::bf16 && to == Type::f64) return convert_float<D, B>;
  if (from == Type::f32 && to == Type::f64) return convert_float<D, F>;
  if (from == Type::f64 && to == Type::f32) return convert_float<F, D>;
  if (from == Type::f32 && to == Type::f16) return narrow_float<Half>;
  if (from == Type::f32 && to == Type::bf16) return narrow_float<Brain>;
  if (from == Type::f32 && to == Type::f8e5m2) return narrow_float<Eighth52>;
  if (from == Type::f32 && to == Type::f8e4m3fn) return narrow_saturating;
  return any;
}

Kernel find_select_kernel(Type type) {
  switch (byte_width(type)) {
    case 1: return select<std::uint8_t>;
    case 2: return select<std::uint16_t>;
    case 4: return select<std::uint32_t>;
    case 8: return select<std::uint64_t>;
    default: return select<Wide>;
  }
}

Fold find_fold(Op op, Type type, bool marks) {
  return with_type(type, [&](auto t) { return accumulation<decltype(t)>(op, marks); });
}

bool divide(const KernelOperands& t, const KernelLanes& l) {
  const auto width = static_cast<std::size_t>(byte_width(t.operand));
  const auto out = static_cast<std::size_t>(byte_width(t.out));
  bool by_zero = false;
  for_each(l.active, [&](std::uint32_t i) {
    const Scalar operands[2] = {read_value(t.operand, static_cast<const unsigned char*>(l.a) + i * width),
                                read_value(t.operand, static_cast<const unsigned char*>(l.b) + i * width)};
    numerics::Flags flags;
    const Scalar result = t.function(operands, flags);
    by_zero |= flags.divide_by_zero;
    write_value(static_cast<unsigned char*>(l.out) + i * out, result);
  });
  return by_zero;
}

}  // namespace assay::interp::compiled
