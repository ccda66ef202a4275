// Typed operations on single values, for nests (nests.cpp): operands are where they are, in memory or in a column.
#include <cstring>

#include "interp/compiled/arithmetic.hpp"
#include "interp/compiled/kernels.hpp"

namespace assay::interp::compiled {
namespace {

template <typename T>
typename T::Number number_at(const void* at) {
  typename T::Storage s{};
  std::memcpy(&s, at, sizeof s);
  return T::read(s);
}
template <typename T>
void put(void* at, typename T::Number n) {
  const typename T::Storage s = T::write(n);
  std::memcpy(at, &s, sizeof s);
}

template <typename T, Op O>
void step(void* out, const void* a, const void* b, const void*) {
  put<T>(out, apply<T, O>(number_at<T>(a), number_at<T>(b)));
}
// A product is rounded before it is added, as two operations would.
template <typename T>
void multiply_add(void* out, const void* a, const void* b, const void* c) {
  put<T>(out, T::add_step(T::mul(number_at<T>(a), number_at<T>(b)), number_at<T>(c)));
}
template <int width>
void copy(void* out, const void* a, const void*, const void*) {
  std::memmove(out, a, width);
}

template <typename T>
Step arithmetic(Op op) {
  switch (op) {
    case Op::add: return step<T, Op::add>;
    case Op::sub: return step<T, Op::sub>;
    case Op::mul: return step<T, Op::mul>;
    case Op::max: return step<T, Op::max>;
    case Op::min: return step<T, Op::min>;
    default: return nullptr;
  }
}

}  // namespace

Step find_step(Op op, Type type) {
  return with_type(type, [&](auto t) { return arithmetic<decltype(t)>(op); });
}
Step find_multiply_add(Type type) {
  return with_type(type, [](auto t) -> Step { return multiply_add<decltype(t)>; });
}
Step find_copy(Type type) {
  switch (byte_width(type)) {
    case 1: return copy<1>;
    case 2: return copy<2>;
    case 4: return copy<4>;
    case 8: return copy<8>;
    default: return copy<16>;
  }
}

}  // namespace assay::interp::compiled
