// `onehot k`: the loop k, of which only the iteration k == e does anything, becomes that iteration (spec/onehot.md).
//
//   for k in 0..5 { Y[p] += k == ids[p] ? T[k, c] : 0 }   becomes   if 0 <= ids[p] && ids[p] < 5 { Y[p] += T[ids[p], c] }
//
// A sum over a one-hot vector becomes a gather that way, an update of one row a scatter.
#include <algorithm>

#include "ir/analysis/access.hpp"
#include "ir/analysis/value_range.hpp"
#include "ir/literal.hpp"
#include "ir/one_hot.hpp"
#include "ir/reads.hpp"
#include "proofs/obligation/operators.hpp"
#include "transforms/affine.hpp"
#include "transforms/define.hpp"

namespace assay {
namespace {

class Onehot final : public Operation {
 public:
  explicit Onehot(Arguments line) : line_(std::move(line)) {}

  static Declaration declare() {
    Declaration d;
    d.name = "onehot";
    d.rule_prefix = "HOT";
    d.summary = "turns a loop over a one-hot choice into the iteration that is chosen";
    d.parameters = {{"loop", ParameterInfo::Kind::loop, true, {}, {}, "the loop that goes"}};
    d.refusals = {
        {"HOT-1", "the loop has not the form of a one-hot choice"},
        {"HOT-2", "the value that chooses reads what the loop stores to"},
        {"HOT-3", "what the other iterations accumulate is not neutral"},
        {"HOT-17", "in lanes: it reads cells that other lanes may store in another iteration"},
    };
    d.schema = "W (rewrite)";
    d.obligations = {"value-preservation", "in-bounds", "index-width"};
    d.example_program =
        "program embedding {\n"
        "  input ids: i32[3] in 0..5 input T: f32[5, 4] output Y: f32[3, 4]\n"
        "  for p in 0..3 { for c in 0..4 {\n"
        "    Y[p, c] = scope s: f32 { s = 0.0\n"
        "      for k in 0..5 { s = s + (i32(k) == ids[p] ? T[k, c] : 0.0) } }\n"
        "  } }\n"
        "}\n";
    d.example_schedule = "onehot k\n";
    return d;
  }

  static tl::expected<std::unique_ptr<Operation>, Refusal> bind(Arguments line, const Program&) {
    return std::make_unique<Onehot>(std::move(line));
  }

  StepResult apply(const Program& before, Query&) const override {
    const Extraction extraction = extract(before);
    const std::vector<Symbol>& loops = line_.loops.at("loop");
    std::optional<Refusal> refusal;
    const auto refuse = [&](const char* code, const std::string& reason, const Stmt& loop) {
      if (!refusal) refusal = inapplicable(line_, code, reason, loop->where);
      return std::nullopt;
    };
    const Program after = rewrite_loops(before, [&](const Stmt& loop) -> std::optional<Block> {
      if (std::find(loops.begin(), loops.end(), loop->name) == loops.end()) return std::nullopt;
      const auto hot = one_hot(loop);
      if (!hot) return refuse("HOT-1", hot.error(), loop);
      const Symbol& target = hot->source->name;
      if (reads(hot->at, target))
        return refuse("HOT-2", fmt::format("`{}` decides which iteration stores to it", target), loop);
      if (hot->otherwise && !neutral(*hot, extraction, before)) return refuse("HOT-3", neutral_hint(*hot), loop);
      const auto& around = extraction.find(hot->source->provenance->statement)->loops;
      const bool lanes =
          std::any_of(around.begin(), around.end(), [](const Stmt& l) { return l->axis == Axis::vectorized; });
      if (lanes && reads_other_cells(*hot)) {
        return refuse("HOT-17",
                      fmt::format("lanes store to `{}` in different iterations, and read other cells of it", target),
                      loop);
      }
      return selected(*hot, loop, before, extraction);
    });
    if (refusal) return tl::unexpected(*std::move(refusal));
    return placed(line_, after);
  }

 private:
  // A zero that is added is neutral unless −0 may stand there: not where all sums start at a constant that is not −0.
  static bool neutral(const OneHot& hot, const Extraction& extraction, const Program& p) {
    const Scalar& other = *hot.otherwise;
    const Scalar zero{other.type, 0};
    if (hot.op == Op::sub) return other == zero;
    if (other == identity_of(hot.op, other.type)) return true;
    if (hot.op != Op::add || !(other == zero)) return false;
    const Buffer* b = p.find_buffer(hot.source->name);
    if (b && (b->kind == BufferKind::inout || b->kind == BufferKind::input)) return false;
    return std::all_of(extraction.nodes.begin(), extraction.nodes.end(), [&](const Node& n) {
      const Access* store = n.store();
      if (!store || store->storage != hot.source->name || store->whole) return true;
      const Expr& value = n.stmt->value;
      if (value->op == Op::literal) return value->literal != identity_of(Op::add, value->type);
      const bool sum = value->op == Op::add || value->op == Op::sub;
      return sum && accumulation(n.stmt) == Op::add;
    });
  }
  static std::string neutral_hint(const OneHot& hot) {
    const bool zero = hot.op == Op::add && *hot.otherwise == Scalar{hot.otherwise->type, 0};
    return zero ? "adding 0.0 makes 0.0 of -0.0, which the sum may be; -0.0 is neutral"
                : "what the other iterations accumulate is not neutral";
  }

  // Which conditions are needed is decided by the ranges of what is read.
  std::optional<Block> selected(const OneHot& hot, const Stmt& loop, const Program& p,
                                const Extraction& extraction) const {
    Ranges ranges = parameter_ranges(p);
    for (const Stmt& l : extraction.find(hot.source->provenance->statement)->loops) add_loop(ranges, l);
    const auto always = [&](const Expr& c) {
      const Interval a = interval(c->args[0], p, ranges), b = interval(c->args[1], p, ranges);
      return c->op == Op::lt ? a.hi < b.lo : a.hi <= b.lo;
    };
    std::vector<Expr> conditions;
    for (const Expr& c : {hot.lowest, upper_condition(hot, loop, ranges).value_or(hot.last)}) {
      if (hot.at->type == Type::index || !always(c)) conditions.push_back(c);
    }
    const auto here = [&](const std::shared_ptr<const Provenance>& old) {
      Provenance out = *old;
      out.to_source.erase(loop->name);
      return std::make_shared<const Provenance>(std::move(out));
    };
    const Stmt statement = with(hot.selected, [&](StmtNode& n) { n.provenance = here(n.provenance); });
    if (conditions.empty()) return Block{statement};
    return Block{with(make_branch(conjunction(conditions), {statement}, {}, loop->where),
                      [&](StmtNode& n) { n.provenance = here(loop->provenance); })};
  }

  Arguments line_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(Onehot)
