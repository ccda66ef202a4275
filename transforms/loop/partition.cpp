// `partition i at=4,60 -> ia, ib, ic`: one loop becomes consecutive loops over parts of its range (spec/partition.md).
//
// The segments keep the absolute values of the symbol, so nothing in the body changes but its name; guards that a
// segment decides are folded away afterwards. Cuts may be symbolic: a segment is then clamped to the range of the loop.
#include <algorithm>

#include "transforms/affine.hpp"
#include "transforms/cuts.hpp"
#include "transforms/define.hpp"
#include "transforms/facts.hpp"
#include "transforms/names.hpp"

namespace assay {
namespace {

constexpr std::size_t most_segments = 256;

class Partition final : public Operation {
 public:
  explicit Partition(Arguments line) : line_(std::move(line)) {}

  static Declaration declare() {
    Declaration d;
    d.name = "partition";
    d.rule_prefix = "PART";
    d.summary = "cuts a loop into consecutive loops over parts of its range";
    d.parameters = {
        {"loop", ParameterInfo::Kind::loop, true, {}, {}, "the loop; `i*` for all its copies"},
        {"at",
         ParameterInfo::Kind::integers,
         true,
         {},
         {"auto"},
         "where the later parts begin, increasing; `auto`: where conditions inside are decided"},
        {"segments", ParameterInfo::Kind::results, false, "LOOP_0, LOOP_1, ...", {}, "names of the new loops"},
    };
    d.refusals = {
        {"PART-1", "the cut points are not strictly increasing"},
        {"PART-3", "a cut point is never inside the loop, so that a part would always be empty"},
        {"PART-8", "at=auto: no condition inside is decided by a part of the range"},
        {"PART-9", "more than 256 parts"},
        {"SCH-12", "the line names another number of loops than there are parts"},
    };
    d.schema = "R (reorder)";
    d.obligations = {"domain-bijection", "dependence-order"};
    d.example_program =
        "program shifted { input X: f32[14] output Y: f32[14]\n"
        "  for i in 0..14 { Y[i] = i < 4 ? 0.0 : X[i - 4] }\n"
        "}\n";
    d.example_schedule = "partition i at=auto -> head, rest\n";
    return d;
  }

  static tl::expected<std::unique_ptr<Operation>, Refusal> bind(Arguments line, const Program&) {
    const auto list = line.integer_lists.find("at");
    if (list != line.integer_lists.end()) {
      const std::vector<std::int64_t>& at = list->second;
      const auto fall = std::adjacent_find(at.begin(), at.end(), std::greater_equal<>());
      if (fall != at.end()) {
        return tl::unexpected(
            error("PART-1", line.place("at"),
                  fmt::format("the cut points increase: {} does not come after {}", fall[1], fall[0])));
      }
      if (at.size() >= most_segments) return tl::unexpected(too_many(line, at.size() + 1));
      if (auto refusal = wrong_number_of_names(line, "segments", at.size() + 1))
        return tl::unexpected(*std::move(refusal));
    }
    return std::make_unique<Partition>(std::move(line));
  }

  StepResult apply(const Program& before, Query& query) const override {
    NameSupply names(before.bound_names());
    std::map<Symbol, std::vector<Index>> cuts;
    for (const Symbol& symbol : line_.loops.at("loop")) {
      const Stmt loop = find_loops(before, symbol).front();
      auto found = cuts_of(loop, *facts_at_loop(before, symbol), query);
      if (!found) return tl::unexpected(std::move(found).error());
      cuts[symbol] = *std::move(found);
    }
    std::map<Symbol, std::vector<Symbol>> symbols;
    for (const Symbol& symbol : line_.loops.at("loop")) {
      for (std::size_t k = 0; k <= cuts.at(symbol).size(); ++k) symbols[symbol].push_back(new_name(symbol, k, names));
    }
    return placed(line_, rewrite_loops(before, [&](const Stmt& s) -> std::optional<Block> {
                    const auto it = cuts.find(s->name);
                    if (it == cuts.end()) return std::nullopt;
                    return segments(s, it->second, symbols.at(s->name), names);
                  }));
  }

 private:
  static Refusal too_many(const Arguments& line, std::size_t count) {
    return inapplicable(line, "PART-9", fmt::format("{} parts are too many", count), {}, "give fewer cut points");
  }
  tl::expected<std::vector<Index>, Refusal> cuts_of(const Stmt& loop, const Formula& facts, Query& query) const {
    if (line_.choices.count("at") == 0) {
      std::vector<Index> cuts;
      for (const std::int64_t c : line_.integer_lists.at("at")) {
        if (!may_cut(loop, c, facts, query)) {
          return tl::unexpected(
              inapplicable(line_, "PART-3",
                           fmt::format("`{}` runs from {} to {}, and never has iterations on both sides of {}",
                                       loop->name, loop->lo.text(), loop->hi.text(), c),
                           loop->where, "cut inside the range"));
        }
        cuts.emplace_back(c);
      }
      return cuts;
    }
    std::vector<Index> cuts = cut_points(loop, facts, query);
    if (cuts.empty()) {
      return tl::unexpected(inapplicable(
          line_, "PART-8", fmt::format("no condition inside `{}` is decided by a part of its range", loop->name),
          loop->where, "give the cut points: `at=4,60`"));
    }
    if (cuts.size() >= most_segments) return tl::unexpected(too_many(line_, cuts.size() + 1));
    if (auto refusal = wrong_number_of_names(line_, "segments", cuts.size() + 1))
      return tl::unexpected(*std::move(refusal));
    return cuts;
  }

  Symbol new_name(const Symbol& symbol, std::size_t segment, NameSupply& names) const {
    const auto given = line_.result_lists.find("segments");
    if (given == line_.result_lists.end()) return derived_name(symbol, std::to_string(segment), names);
    return names.fresh(given->second[segment]);
  }

  // The first value of the symbol that is not below `cut`.
  static Index first_from(const Stmt& loop, const Index& cut) {
    if (loop->step == 1) return max({loop->lo, cut});
    return loop->lo + max({Index(0), ceildiv(cut - loop->lo, loop->step)}) * loop->step;
  }

  // The first segment keeps the names that the body declares, and the place of the loop as its origin.
  static Block segments(const Stmt& loop, const std::vector<Index>& cuts, const std::vector<Symbol>& symbols,
                        NameSupply& names) {
    Block all;
    for (std::size_t k = 0; k < symbols.size(); ++k) {
      const Block copy = k == 0 ? loop->body : refresh_binders(loop->body, names);
      all.push_back(with(loop, [&](StmtNode& n) {
        n.name = symbols[k];
        if (k > 0) {
          n.lo = first_from(loop, cuts[k - 1]);
          n.provenance.reset();
        }
        if (k + 1 < symbols.size()) n.hi = min({cuts[k], loop->hi});
        n.body = substitute(copy, {{loop->name, Index::symbol(symbols[k])}});
      }));
    }
    return all;
  }

  Arguments line_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(Partition)
