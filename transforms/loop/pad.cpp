// `pad i to=16`: a loop gets idle iterations, so that their number is a multiple (spec/pad.md).
//
// What must not happen in the idle iterations stands under a guard on the symbol. Loops and conditions on index values
// touch no memory and are entered in every iteration, and barriers stay outside of all guards, so that every thread
// still reaches them.
#include <algorithm>
#include <utility>

#include "transforms/affine.hpp"
#include "transforms/define.hpp"
#include "transforms/facts.hpp"
#include "transforms/search.hpp"

namespace assay {
namespace {

// Guards a body; `refusal` is set where that would need a guard around a barrier.
class Guarding {
 public:
  Guarding(Expr guard, const Arguments& line) : guard_(std::move(guard)), line_(line) {}

  Block block(const Block& b) {
    Block out;
    Block guarded;  // consecutive statements that one guard can hold
    const auto flush = [&] {
      if (guarded.empty()) return;
      const Location where = guarded.front()->where;
      out.push_back(make_branch(guard_, std::exchange(guarded, {}), {}, where));
    };
    for (auto s = b.begin(); s != b.end(); ++s) {
      if ((*s)->kind == StmtKind::declare) {
        // Whatever uses the variable stands in the rest of the block; so all of that is guarded with it.
        const Block rest(s, b.end());
        if (holds_barrier(rest)) {
          refuse("PAD-6", fmt::format("the variable `{}` is used on both sides of a barrier", (*s)->name), *s);
          return b;
        }
        guarded.insert(guarded.end(), s, b.end());
        break;
      }
      if (is_entered(*s)) {
        flush();
        out.push_back(enter(*s));
      } else if ((*s)->kind == StmtKind::barrier) {
        flush();
        out.push_back(*s);
      } else {
        if (holds_barrier((*s)->body) || holds_barrier((*s)->other))
          refuse("PAD-6", "a barrier stands under a condition that reads data", *s);
        guarded.push_back(*s);
      }
    }
    flush();
    return out;
  }

  std::optional<Refusal> refusal{};

 private:
  static bool is_entered(const Stmt& s) {
    return s->kind == StmtKind::loop || (s->kind == StmtKind::branch && affine_condition(s->value).has_value());
  }
  Stmt enter(const Stmt& s) {
    return with(s, [&](StmtNode& n) {
      n.body = block(n.body);
      n.other = block(n.other);
    });
  }
  void refuse(const char* code, const std::string& reason, const Stmt& at) {
    if (!refusal) {
      refusal = inapplicable(line_, code, reason + ", and a guard must not stand around a barrier", at->where,
                             "split the loop with a guard, or pad it before the barrier is inserted");
    }
  }

  Expr guard_;
  const Arguments& line_;
};

class Pad final : public Operation {
 public:
  Pad(Arguments line, std::int64_t to) : line_(std::move(line)), to_(to) {}

  static Declaration declare() {
    Declaration d;
    d.name = "pad";
    d.rule_prefix = "PAD";
    d.summary = "adds idle iterations to a loop, so that their number is a multiple of `to`";
    d.parameters = {
        {"loop", ParameterInfo::Kind::loop, true, {}, {}, "the loop; `i*` for all its copies"},
        {"to",
         ParameterInfo::Kind::integer,
         true,
         {},
         {},
         "the number that divides the new number of iterations, at least 1",
         ParameterInfo::Counts::multiple},
    };
    d.refusals = {
        {"PAD-1", "`to` is less than 1, or the step times `to` leaves 64 bits"},
        {"PAD-6", "what must be guarded holds a barrier"},
        {"PAD-7", "the new upper bound leaves 64 bits"},
    };
    d.schema = "R (reorder)";
    d.obligations = {"domain-bijection", "dependence-order"};
    d.example_program =
        "program rows { input X: f32[21, 4] output Y: f32[21, 4]\n"
        "  for i in 0..21 { for j in 0..4 { Y[i, j] = X[i, j] } }\n"
        "}\n";
    d.example_schedule = "pad i to=8\n";
    return d;
  }

  static tl::expected<std::unique_ptr<Operation>, Refusal> bind(Arguments line, const Program& p) {
    const std::int64_t to = line.integers.at("to");
    if (to < 1) return tl::unexpected(error("PAD-1", line.place("to"), fmt::format("`to` is at least 1, not {}", to)));
    for (const Symbol& symbol : line.loops.at("loop")) {
      const Stmt loop = find_loops(p, symbol).front();
      std::int64_t span = 0;
      if (__builtin_mul_overflow(loop->step, to, &span)) {
        return tl::unexpected(
            error("PAD-1", line.place("to"),
                  fmt::format("{} times the step of `{}`, {}, is beyond 64 bits", to, symbol, loop->step)));
      }
    }
    return std::make_unique<Pad>(std::move(line), to);
  }

  StepResult apply(const Program& before, Query& query) const override {
    std::map<Symbol, Index> ends;  // new upper bounds; loops that need no idle iteration have none
    for (const Symbol& symbol : line_.loops.at("loop")) {
      const Stmt loop = find_loops(before, symbol).front();
      const Index count = trip_count(loop);
      const Formula fits = Formula::zero(floormod(count, to_)) | Formula::le(loop->hi, loop->lo);
      if (fits.is_true() || (!fits.is_false() && query.implied(*facts_at_loop(before, symbol), fits))) continue;
      const Index end = loop->lo + ceildiv(count, to_) * to_ * loop->step;
      if (end.overflowed()) {
        return tl::unexpected(inapplicable(
            line_, "PAD-7", fmt::format("the new upper bound of `{}` leaves 64 bits", symbol), loop->where));
      }
      ends.emplace(symbol, end);
    }
    std::optional<Refusal> refusal;
    Program after = rewrite_loops(before, [&](const Stmt& s) -> std::optional<Block> {
      const auto end = ends.find(s->name);
      if (end == ends.end()) return std::nullopt;
      Guarding guarding(compare(Op::lt, Index::symbol(s->name), s->hi), line_);
      Block body = guarding.block(s->body);
      if (guarding.refusal && !refusal) refusal = std::move(guarding.refusal);
      return Block{with(s, [&](StmtNode& n) {
        n.hi = end->second;
        n.body = std::move(body);
      })};
    });
    if (refusal) return tl::unexpected(*std::move(refusal));
    return placed(line_, std::move(after));
  }

 private:
  Arguments line_;
  std::int64_t to_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(Pad)
