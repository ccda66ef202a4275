// A block is a call in text (TYPE-11), so it is one here.
#include "ir/plain_constant.hpp"

#include <algorithm>

namespace assay {

Expr zero_value(Type t, Location where) {
  if (t != Type::u32x4) return make_literal(Scalar{t, 0}, where);
  const Expr word = make_literal(Scalar{Type::u32, 0}, where);
  return make_op(Op::block, {word, word, word, word}, where);
}

bool is_plain_constant(const Expr& e) {
  const auto literal = [](const Expr& x) { return x->op == Op::literal; };
  return literal(e) || (e->op == Op::block && std::all_of(e->args.begin(), e->args.end(), literal));
}

}  // namespace assay
