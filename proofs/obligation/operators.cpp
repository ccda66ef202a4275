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
      return infinity(type, op == Op::max);
    }
    default: return std::nullopt;
  }
}

bool reorders_exactly(Op op, Type type) { return !is_float(type) || op == Op::max || op == Op::min; }

}  // namespace assay
