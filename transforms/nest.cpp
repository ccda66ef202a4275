// Perfect nests.
#include "transforms/nest.hpp"

#include <algorithm>

#include "proofs/obligation/formula.hpp"
#include "transforms/search.hpp"

namespace assay {

bool is_loop(const Stmt& s, const std::vector<Symbol>& symbols) {
  return s->kind == StmtKind::loop && std::find(symbols.begin(), symbols.end(), s->name) != symbols.end();
}

std::optional<Stmt> held_loop(const Stmt& outer) {
  std::vector<Stmt> between;
  const Block* level = &outer->body;
  while (level->size() == 1 && level->front()->kind == StmtKind::branch && level->front()->other.empty() &&
         affine_condition(level->front()->value)) {
    between.push_back(level->front());
    level = &between.back()->body;
  }
  if (level->size() != 1 || level->front()->kind != StmtKind::loop) return std::nullopt;
  const Stmt inner = level->front();
  Block body = inner->body;
  for (auto guard = between.rbegin(); guard != between.rend(); ++guard) {
    body = {with(*guard, [&](StmtNode& n) { n.body = std::move(body); })};
  }
  return with(inner, [&](StmtNode& n) { n.body = std::move(body); });
}

Refusal not_perfectly_nested(const Arguments& line, const std::string& code, const Stmt& outer,
                             const std::vector<Symbol>& inners, const Program& before) {
  const std::string& inner = inners.size() == 1 ? inners[0] : stem(inners[0]) + "*";
  const auto is_inner = [&](const Stmt& s) { return is_loop(s, inners); };
  if (find_statement(outer->body, is_inner)) {
    const auto other = std::find_if_not(outer->body.begin(), outer->body.end(), is_inner);
    const Location note = other == outer->body.end() ? outer->body[1]->where : (*other)->where;
    return inapplicable(line, code, fmt::format("`{}` is not the only statement inside `{}`", inner, outer->name), note,
                        "no operation takes a loop apart: write the statements in loops of their own");
  }
  for (const Symbol& symbol : inners) {
    const Stmt loop = find_loops(before, symbol).front();
    if (find_statement(loop->body, [&](const Stmt& s) { return is_loop(s, {outer->name}); })) {
      return inapplicable(line, code, fmt::format("`{}` stands inside `{}`, not around it", outer->name, symbol),
                          outer->where,
                          fmt::format("the outer loop comes first: `{} {} {}`",
                                      line.text.substr(0, line.text.find(' ')), symbol, outer->name));
    }
  }
  return inapplicable(line, code, fmt::format("`{}` does not stand inside `{}`", inner, outer->name),
                      find_loops(before, inners[0]).front()->where);
}

}  // namespace assay
