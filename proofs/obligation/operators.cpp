// Identities by operator and type.
#include "proofs/obligation/operators.hpp"

#include "ir/literal.hpp"

namespace assay {
std::optional<Scalar> identity_of(Op op, Type type) {
  if (!is_float(type) && !is_int(type)) return std::nullopt;
  switch (op) {
    case Op::add: return Scalar{type, is_float(type) ? std::uint64_t{1} << (bit_width(type) - 1) : 0};  // −0.0
    case Op::mul: return literal_from_integer(type, 1);
    case Op::max:
    case Op::min: {
      if (is_int(type)) return wrap_int(type, op == Op::max ? int_range(type).lo : int_range(type).hi);
      if (!has_infinity(type)) return literal_from_integer(type, op == Op::max ? -448 : 448);  // f8e4m3fn
      return infinity(type, op == Op::max);
    }
    case Op::maxnum:
    case Op::minnum:
      if (!is_float(type)) return std::nullopt;
      return canonical_nan(type);
    default: return std::nullopt;
  }
}

bool reorders_exactly(Op op, Type type) { return !is_float(type) || (op != Op::add && op != Op::mul); }

}  // namespace assay
