// Numbers are positions in preorder; those of the new program stay.
#include "proofs/validate/renumber.hpp"

#include "ir/traverse.hpp"

namespace assay::derive {

Renumbered renumbered(const Program& between, const Program& after) {
  Renumbered out{number_statements(between), after, {}};
  std::map<int, int> number;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    number.emplace(s->provenance->statement, static_cast<int>(out.origin.before_origin.size()));
    out.origin.before_origin.push_back(s->provenance->statement);
    return true;
  };
  visit(between.body, v);
  out.after.body = rewrite(after.body, {}, [&](const Stmt& s) -> Block {
    out.origin.after_origin.push_back(static_cast<int>(out.origin.after_origin.size()));
    if (!s->provenance || s->provenance->statement < 0) return {s};
    const auto at = number.find(s->provenance->statement);
    Provenance p = *s->provenance;
    p.statement = at == number.end() ? -1 : at->second;
    return {with(s, [&](StmtNode& n) { n.provenance = std::make_shared<const Provenance>(std::move(p)); })};
  });
  return out;
}

}  // namespace assay::derive
