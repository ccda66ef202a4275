// Names: the grammar of NAME, and names derived from others.
#include "transforms/names.hpp"

#include "ir/text/lexer.hpp"
#include "ir/traverse.hpp"

namespace assay {

bool is_name(std::string_view name) { return text::has_name_form(name) && text::find_reserved(name) == nullptr; }

std::vector<std::string> loop_names(const Program& p) {
  std::vector<std::string> names;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::loop) names.push_back(s->name);
    return true;
  };
  visit(p.body, v);
  return names;
}

std::vector<std::string> variable_names(const Program& p) {
  std::vector<std::string> names;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::declare) names.push_back(s->name);
    return true;
  };
  v.enter_expr = [&](const Expr& e) {
    if (e->op == Op::scope) names.push_back(e->name);
    return true;
  };
  visit(p.body, v);
  return names;
}

Symbol derived_name(const Symbol& symbol, std::string_view suffix, NameSupply& names) {
  return names.fresh(stem(symbol) + "_" + std::string(suffix));
}

}  // namespace assay
