// Integer and bool arithmetic (NUM-17 … NUM-24): wrapping sums and products, and the seven division families.
//
// Values are computed in 64 bits, signed or unsigned as the type is; wrapping back to the type is cutting off high
// bits.
#include <cstdint>
#include <type_traits>

#include "interp/numerics_tables.hpp"

namespace assay::numerics {
namespace {

template <Type T>
using Native = std::conditional_t<
    T == Type::i8, std::int8_t,
    std::conditional_t<
        T == Type::i16, std::int16_t,
        std::conditional_t<
            T == Type::i32, std::int32_t,
            std::conditional_t<T == Type::i64, std::int64_t,
                               std::conditional_t<T == Type::u8, std::uint8_t,
                                                  std::conditional_t<T == Type::u16, std::uint16_t,
                                                                     std::conditional_t<T == Type::u32, std::uint32_t,
                                                                                        std::uint64_t>>>>>>>;
/// Holds every value of T, with its sign.
template <Type T>
using Wide = std::conditional_t<is_signed_int(T), std::int64_t, std::uint64_t>;

template <Type T>
Wide<T> value(const Scalar& s) {
  return static_cast<Native<T>>(s.bits);
}
template <Type T>
Scalar wrap(std::uint64_t bits) {
  return {T, static_cast<std::make_unsigned_t<Native<T>>>(bits)};
}

template <Type T>
Scalar neg(const Scalar* x, Flags&) {
  return wrap<T>(-x[0].bits);
}
template <Type T>
Scalar add(const Scalar* x, Flags&) {
  return wrap<T>(x[0].bits + x[1].bits);
}
template <Type T>
Scalar sub(const Scalar* x, Flags&) {
  return wrap<T>(x[0].bits - x[1].bits);
}
template <Type T>
Scalar mul(const Scalar* x, Flags&) {
  return wrap<T>(x[0].bits * x[1].bits);
}
template <Type T>
Scalar abs(const Scalar* x, Flags&) {
  return value<T>(x[0]) < Wide<T>{0} ? wrap<T>(-x[0].bits) : x[0];
}

template <Type T>
struct Division {
  Wide<T> quotient = 0, remainder = 0;
};
/// Rounds toward zero. By −1 it is a negation, because the quotient of the least value has no room in 64 bits.
template <Type T>
Division<T> truncated(Wide<T> a, Wide<T> b) {
  if constexpr (is_signed_int(T)) {
    if (b == -1) return {static_cast<Wide<T>>(-static_cast<std::uint64_t>(a)), 0};
  }
  return {static_cast<Wide<T>>(a / b), static_cast<Wide<T>>(a % b)};
}
template <Type T>
Division<T> floored(Wide<T> a, Wide<T> b) {
  Division<T> d = truncated<T>(a, b);
  if constexpr (is_signed_int(T)) {
    if (d.remainder != 0 && (d.remainder < 0) != (b < 0)) d = {d.quotient - 1, d.remainder + b};
  }
  return d;
}
template <Type T>
Division<T> ceiled(Wide<T> a, Wide<T> b) {
  Division<T> d = truncated<T>(a, b);
  if (d.remainder != 0 && (d.remainder < Wide<T>{0}) == (b < Wide<T>{0}))
    d.quotient += 1;  // the remainder is not asked for
  return d;
}
template <Type T>
Division<T> euclidean(Wide<T> a, Wide<T> b) {
  Division<T> d = truncated<T>(a, b);
  if constexpr (is_signed_int(T)) {
    if (d.remainder < 0)
      d = b > 0 ? Division<T>{d.quotient - 1, d.remainder + b} : Division<T>{d.quotient + 1, d.remainder - b};
  }
  return d;
}
template <Type T, Division<T> (*Divide)(Wide<T>, Wide<T>), bool Remainder>
Scalar divide(const Scalar* x, Flags& flags) {
  const Wide<T> divisor = value<T>(x[1]);
  if (divisor == 0) {
    flags.divide_by_zero = true;
    return {T, 0};
  }
  const Division<T> d = Divide(value<T>(x[0]), divisor);
  return wrap<T>(static_cast<std::uint64_t>(Remainder ? d.remainder : d.quotient));
}

template <Type T, Op O>
Scalar compare(const Scalar* x, Flags&) {
  const Wide<T> a = value<T>(x[0]), b = value<T>(x[1]);
  if constexpr (O == Op::eq) return bool_scalar(a == b);
  if constexpr (O == Op::ne) return bool_scalar(a != b);
  if constexpr (O == Op::lt) return bool_scalar(a < b);
  if constexpr (O == Op::le) return bool_scalar(a <= b);
  if constexpr (O == Op::gt) return bool_scalar(a > b);
  return bool_scalar(a >= b);
}
template <Type T>
Scalar max(const Scalar* x, Flags&) {
  return value<T>(x[0]) >= value<T>(x[1]) ? x[0] : x[1];
}
template <Type T>
Scalar min(const Scalar* x, Flags&) {
  return value<T>(x[0]) <= value<T>(x[1]) ? x[0] : x[1];
}
template <Type T>
Scalar relu(const Scalar* x, Flags&) {
  return value<T>(x[0]) > Wide<T>{0} ? x[0] : Scalar{T, 0};
}

template <Type T>
Function find_at(Op op) {
  switch (op) {
    case Op::neg: return neg<T>;
    case Op::add: return add<T>;
    case Op::sub: return sub<T>;
    case Op::mul: return mul<T>;
    case Op::floordiv: return divide<T, floored<T>, false>;
    case Op::floormod: return divide<T, floored<T>, true>;
    case Op::ceildiv: return divide<T, ceiled<T>, false>;
    case Op::truncdiv: return divide<T, truncated<T>, false>;
    case Op::truncmod: return divide<T, truncated<T>, true>;
    case Op::eucdiv: return divide<T, euclidean<T>, false>;
    case Op::eucmod: return divide<T, euclidean<T>, true>;
    case Op::eq: return compare<T, Op::eq>;
    case Op::ne: return compare<T, Op::ne>;
    case Op::lt: return compare<T, Op::lt>;
    case Op::le: return compare<T, Op::le>;
    case Op::gt: return compare<T, Op::gt>;
    case Op::ge: return compare<T, Op::ge>;
    case Op::max: return max<T>;
    case Op::min: return min<T>;
    case Op::abs: return abs<T>;
    case Op::relu: return relu<T>;
    default: return nullptr;
  }
}

template <Op O>
Scalar logic(const Scalar* x, Flags&) {
  const bool a = x[0].bits != 0;
  if constexpr (O == Op::lnot) return bool_scalar(!a);
  if constexpr (O == Op::land) return bool_scalar(a && x[1].bits != 0);
  if constexpr (O == Op::lor) return bool_scalar(a || x[1].bits != 0);
  if constexpr (O == Op::eq) return bool_scalar(a == (x[1].bits != 0));
  return bool_scalar(a != (x[1].bits != 0));
}

}  // namespace

Function find_integer_arithmetic(Op op, Type operand) {
  switch (operand) {
    case Type::i8: return find_at<Type::i8>(op);
    case Type::i16: return find_at<Type::i16>(op);
    case Type::i32: return find_at<Type::i32>(op);
    case Type::i64: return find_at<Type::i64>(op);
    case Type::u8: return find_at<Type::u8>(op);
    case Type::u16: return find_at<Type::u16>(op);
    case Type::u32: return find_at<Type::u32>(op);
    case Type::u64: return find_at<Type::u64>(op);
    default: return nullptr;
  }
}

Function find_bool_arithmetic(Op op, Type operand) {
  if (operand != Type::boolean) return nullptr;
  switch (op) {
    case Op::lnot: return logic<Op::lnot>;
    case Op::land: return logic<Op::land>;
    case Op::lor: return logic<Op::lor>;
    case Op::eq: return logic<Op::eq>;
    case Op::ne: return logic<Op::ne>;
    default: return nullptr;
  }
}

}  // namespace assay::numerics
