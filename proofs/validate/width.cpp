// Interval arithmetic over every index value of a program.
#include "proofs/validate/width.hpp"

#include "ir/traverse.hpp"

namespace assay::derive {

Obligation index_width(const View& view) {
  Obligation out{"index-width", "every index expression fits the 64-bit integers that kernels compute it in", Obligation::Status::proved, "intervals", {}, {}, {}, false, {}};
  const auto check = [&](const Index& e, const Ranges& ranges, const Node* node, const Location& where) {
    if (out.status != Obligation::Status::proved || fits_int64(e, ranges)) return;
    out.status = Obligation::Status::undecided;
    out.code = "WID-1";
    out.reason = "`" + e.text() + "` may leave the 64-bit integers";
    out.hint = "narrow the parameters' ranges";
    out.witness = Witness{};
    out.witness->first.where = where;
    if (node) out.witness->first.statement = node->statement;
  };
  for (const Buffer& b : view.program.buffers) {
    Ranges ranges = view.ranges;
    Interval cells{1, 1};
    for (const Index& d : b.dims) {
      check(d, ranges, nullptr, b.where);
      const Interval i = interval(d, ranges);
      if (!i.empty() && i.hi > 0 && cells.hi < (Int128{1} << 62)) cells.hi *= std::min<Int128>(i.hi, Int128{1} << 63);
    }
    if (cells.hi > INT64_MAX / 8) check(Index(INT64_MAX) + Index(1), ranges, nullptr, b.where);
  }
  for (const Node& n : view.extraction.nodes) {
    Ranges ranges = view.ranges;
    for (const Stmt& loop : n.loops) {
      check(loop->lo, ranges, &n, loop->where);
      check(loop->hi + (loop->step - 1), ranges, &n, loop->where);
      add_loop(ranges, loop);
    }
    Visitor v;
    v.enter_expr = [&](const Expr& e) {
      if (e->op == Op::scope) return false;  // its statements are nodes of their own
      if (e->op == Op::index) check(e->index, ranges, &n, e->where);
      return true;
    };
    for (const Expr& e : n.stmt->indices) visit(e, v);
    if (n.stmt->value) visit(n.stmt->value, v);
  }
  return out;
}

}  // namespace assay::derive
