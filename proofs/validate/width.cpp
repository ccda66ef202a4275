// Interval arithmetic over every index value of a program, in the order of the text. Ranges are narrowed by the affine
// conditions on the way; under a @vectorized loop they are not: lanes that a condition switches off may compute all the same.
#include "proofs/validate/width.hpp"

#include <algorithm>

namespace assay::derive {
namespace {

class Width {
 public:
  Width(const View& view, Query& query) : view_(view), query_(query) {}

  Obligation run() {
    for (const Buffer& b : view_.program.buffers) buffer(b);
    block(view_.program.body, view_.ranges);
    return std::move(out_);
  }

 private:
  void open(const std::string& what, const Location& where, int statement) {
    if (out_.status != Obligation::Status::proved || unreachable()) return;
    out_.status = Obligation::Status::undecided;
    out_.code = "WID-1";
    out_.reason = what + " may leave the 64-bit integers";
    if (!view_.program.parameters.empty()) out_.hint = "narrow the parameters' ranges";
    out_.witness = Witness{};
    out_.witness->first.where = where;
    out_.witness->first.statement = statement;
  }
  // The loops and conditions on the way here exclude each other.
  bool unreachable() {
    std::vector<Formula> all = path_;
    all.push_back(view_.parameters);
    const Answer answer = query_.solve(Formula::all(std::move(all)));
    if (answer.kind != Answer::Kind::empty) return false;
    out_.engine = "intervals, " + answer.engine;
    return true;
  }
  void check(const Index& e, const Ranges& ranges, const Location& where, int statement) {
    if (!fits_int64(e, ranges)) open("`" + e.text() + "`, or a part of it,", where, statement);
  }

  // The values for which the condition comes out `positive`: narrower ranges, for as far as `f` runs.
  template <typename F>
  void under(const Expr& condition, bool positive, const Ranges& ranges, F f) {
    const auto c = lanes_ ? std::nullopt : affine_condition(condition);
    if (!c) return f(ranges);
    path_.push_back(positive ? *c : !*c);
    Ranges narrowed = ranges;
    for (int round = 0; round < 2; ++round) narrow(narrowed, path_.back());
    const bool was_dead = dead_;
    dead_ = dead_ || std::any_of(narrowed.begin(), narrowed.end(), [](const auto& r) { return r.second.empty(); }) ||
            path_.back().is_false();
    f(narrowed);
    dead_ = was_dead;
    path_.pop_back();
  }
  static void narrow(Ranges& ranges, const Formula& f) {
    if (f.kind() == Formula::Kind::conjunction) {
      for (const Formula& p : f.parts()) narrow(ranges, p);
    }
    if (f.kind() == Formula::Kind::zero) narrow_nonnegative(ranges, -f.expression());
    if (f.kind() == Formula::Kind::zero || f.kind() == Formula::Kind::nonneg)
      narrow_nonnegative(ranges, f.expression());
  }
  void buffer(const Buffer& b) {
    Int128 cells = 1;
    for (const Index& d : b.dims) {
      check(d, view_.ranges, b.where, -1);
      const Interval i = interval(d, view_.ranges);
      if (!i.empty() && i.hi > 0 && cells < (Int128{1} << 62)) cells *= std::min<Int128>(i.hi, Int128{1} << 63);
    }
    if (cells > INT64_MAX / 8) open("the size of `" + b.name + "`", b.where, -1);
  }

  // Statements in preorder, so that the numbers are those of number_statements.
  void block(const Block& b, const Ranges& ranges) {
    for (const Stmt& s : b) {
      const int number = next_++;
      for (const Expr& e : s->indices) expression(e, ranges, number);
      if (s->value) expression(s->value, ranges, number);
      if (s->kind == StmtKind::loop) {
        loop(s, number, ranges);
      } else if (s->kind == StmtKind::branch) {
        under(s->value, true, ranges, [&](const Ranges& r) { block(s->body, r); });
        under(s->value, false, ranges, [&](const Ranges& r) { block(s->other, r); });
      } else {
        block(s->body, ranges);
      }
    }
  }

  void loop(const Stmt& s, int number, const Ranges& ranges) {
    if (!dead_) {
      check(s->lo, ranges, s->where, number);
      check(s->hi, ranges, s->where, number);
      // The symbol ends at the first value lo + k·step at or after hi, which is hi + floormod(lo − hi, step).
      const Interval end = interval(s->hi, ranges);
      const Interval past = interval(floormod(s->lo - s->hi, s->step), ranges);
      if (!end.empty() && !past.empty() && end.hi > INT64_MAX - past.hi)
        open("`" + s->name + "` at the end of its loop", s->where, number);
    }
    Ranges inner = ranges;
    add_loop(inner, s);
    const bool was_dead = dead_;
    const bool was_lanes = lanes_;
    dead_ = dead_ || inner[s->name].empty();  // its body never runs
    lanes_ = lanes_ || s->axis == Axis::vectorized;
    path_.push_back(loop_domain(s));
    block(s->body, inner);
    path_.pop_back();
    dead_ = was_dead;
    lanes_ = was_lanes;
  }

  void expression(const Expr& e, const Ranges& ranges, int statement) {
    if (e->op == Op::index && !dead_) check(e->index, ranges, e->where, statement);
    if (e->op == Op::choice || e->op == Op::land || e->op == Op::lor) {
      expression(e->args[0], ranges, statement);
      under(e->args[0], e->op != Op::lor, ranges, [&](const Ranges& r) { expression(e->args[1], r, statement); });
      if (e->op == Op::choice)
        under(e->args[0], false, ranges, [&](const Ranges& r) { expression(e->args[2], r, statement); });
      return;
    }
    for (const Expr& a : e->args) expression(a, ranges, statement);
    block(e->body, ranges);
  }

  const View& view_;
  Query& query_;
  Obligation out_{"index-width",
                  "every index expression fits the 64-bit integers that kernels compute it in",
                  Obligation::Status::proved,
                  "intervals",
                  {},
                  {},
                  {},
                  false,
                  {}};
  std::vector<Formula> path_;  // what the loops and conditions around the current place say
  int next_ = 0;
  bool dead_ = false;   // a range on the way here is empty
  bool lanes_ = false;  // under a @vectorized loop
};

}  // namespace

Obligation index_width(const View& view, Query& query) { return Width(view, query).run(); }

}  // namespace assay::derive
