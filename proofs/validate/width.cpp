// Interval arithmetic over every index value of a program.
#include "proofs/validate/width.hpp"

#include <algorithm>

namespace assay::derive {
namespace {

class Width {
 public:
  explicit Width(const View& view) : view_(view) {}

  Obligation run() {
    for (const Buffer& b : view_.program.buffers) buffer(b);
    block(view_.program.body, view_.ranges);
    return std::move(out_);
  }

 private:
  void open(const std::string& what, const Location& where, int statement) {
    if (out_.status != Obligation::Status::proved) return;
    out_.status = Obligation::Status::undecided;
    out_.code = "WID-1";
    out_.reason = what + " may leave the 64-bit integers";
    if (!view_.program.parameters.empty()) out_.hint = "narrow the parameters' ranges";
    out_.witness = Witness{};
    out_.witness->first.where = where;
    out_.witness->first.statement = statement;
  }
  void check(const Index& e, const Ranges& ranges, const Location& where, int statement) {
    if (!fits_int64(e, ranges)) open("`" + e.text() + "`, or a part of it,", where, statement);
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
      if (s->kind != StmtKind::loop) {
        block(s->body, ranges);
        block(s->other, ranges);
        continue;
      }
      if (!dead_) {
        check(s->lo, ranges, s->where, number);
        check(s->hi, ranges, s->where, number);
        // The kernel may step past the last value by less than one step.
        const Interval end = interval(s->hi, ranges);
        if (!end.empty() && end.hi > INT64_MAX - (s->step - 1))
          open("`" + s->name + "` at the end of its loop", s->where, number);
      }
      Ranges inner = ranges;
      add_loop(inner, s);
      const bool was_dead = dead_;
      dead_ = dead_ || inner[s->name].empty();  // its body never runs
      block(s->body, inner);
      dead_ = was_dead;
    }
  }

  void expression(const Expr& e, const Ranges& ranges, int statement) {
    if (e->op == Op::index && !dead_) check(e->index, ranges, e->where, statement);
    for (const Expr& a : e->args) expression(a, ranges, statement);
    block(e->body, ranges);
  }

  const View& view_;
  Obligation out_{"index-width",
                  "every index expression fits the 64-bit integers that kernels compute it in",
                  Obligation::Status::proved,
                  "intervals",
                  {},
                  {},
                  {},
                  false,
                  {}};
  int next_ = 0;
  bool dead_ = false;
};

}  // namespace

Obligation index_width(const View& view) { return Width(view).run(); }

}  // namespace assay::derive
