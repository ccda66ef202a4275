// Changing the kind of loops, and the check that every kind stands where it may.
#include "transforms/kind.hpp"

#include <algorithm>

#include "transforms/define.hpp"

namespace assay {

Program with_kind(const Program& p, const std::vector<Symbol>& loops, Axis axis) {
  return rewrite_loops(p, [&](const Stmt& s) -> std::optional<Block> {
    if (std::find(loops.begin(), loops.end(), s->name) == loops.end()) return std::nullopt;
    return Block{with(s, [&](StmtNode& n) { n.axis = axis; })};
  });
}

StepResult placed(const Arguments& line, Program after) {
  constexpr std::string_view placement[] = {"WF-7",  "WF-8",  "WF-10", "WF-11", "WF-12", "WF-13",
                                            "WF-25", "WF-26", "WF-27", "WF-28", "WF-45"};
  for (const Diagnostic& d : check_well_formed(after)) {
    if (std::find(std::begin(placement), std::end(placement), d.code) == std::end(placement)) continue;
    return tl::unexpected(
        inapplicable(line, "SCH-15", fmt::format("the result would break {}: {}", d.code, d.message), d.where, d.help));
  }
  return Rewrite{std::move(after)};
}

}  // namespace assay
