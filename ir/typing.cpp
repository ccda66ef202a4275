// The table of operations and types (TYPE-6).
#include "ir/typing.hpp"

#include <algorithm>
#include <limits>

namespace assay {

bool is_defined(Op op, Type t) {
  switch (op) {
    case Op::choice:
    case Op::select: return true;
    case Op::land:
    case Op::lor:
    case Op::lnot: return t == Type::boolean;
    case Op::eq:
    case Op::ne: return true;
    case Op::lt:
    case Op::le:
    case Op::gt:
    case Op::ge: return t != Type::boolean && t != Type::u32x4;
    case Op::neg:
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::max:
    case Op::min:
    case Op::abs:
    case Op::relu: return is_float(t) || is_int(t);
    case Op::floordiv:
    case Op::floormod:
    case Op::ceildiv:
    case Op::truncdiv:
    case Op::truncmod:
    case Op::eucdiv:
    case Op::eucmod: return is_int(t);
    case Op::div:
    case Op::maxnum:
    case Op::minnum:
    case Op::fma:
    case Op::sat01:
    case Op::exp:
    case Op::exp2:
    case Op::log:
    case Op::log2:
    case Op::sin:
    case Op::cos:
    case Op::tanh:
    case Op::sqrt:
    case Op::rsqrt:
    case Op::recip:
    case Op::trunc:
    case Op::floor:
    case Op::ceil:
    case Op::pow: return is_float(t);
    case Op::f8e5m2_sat:
    case Op::f8e4m3fn_nosat:
    case Op::uniform:
    case Op::uniform_lane: return is_float(t) || is_int(t);
    case Op::block: return t == Type::u32;
    case Op::word:
    case Op::threefry_crypto:
    case Op::threefry_light: return t == Type::u32x4;
    case Op::literal:
    case Op::index:
    case Op::variable:
    case Op::load:
    case Op::convert:
    case Op::scope: return false;
  }
  return false;
}

Type operation_type(const ExprNode& e) {
  if (has_written_type(e.op)) return e.type;
  return e.args[has_condition(e.op) ? 1 : 0]->type;
}

bool is_writable_index(const Index& i) {
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
  return !i.overflowed() && i.constant() != lowest &&
         std::none_of(i.terms().begin(), i.terms().end(), [](const IndexTerm& t) { return t.second == lowest; });
}

}  // namespace assay
