// One walk over the top-level statements; whether a launch has hardware loops is looked at first.
#include "ir/analysis/spans.hpp"

#include <algorithm>
#include <set>

#include "ir/analysis/launch.hpp"
#include "ir/traverse.hpp"

namespace assay {
namespace {

std::set<Symbol> buffers_in(const Stmt& s) {
  std::set<Symbol> used;
  Visitor v;
  v.enter_stmt = [&](const Stmt& inner) {
    if (inner->kind == StmtKind::zero || inner->kind == StmtKind::store) used.insert(inner->name);
    return true;
  };
  v.enter_expr = [&](const Expr& e) {
    if (e->op == Op::load) used.insert(e->name);
    return true;
  };
  visit(s, v);
  return used;
}

bool has_hardware(const Stmt& s) {
  bool found = false;
  Visitor v;
  v.enter_stmt = [&](const Stmt& inner) {
    found = found || (inner->kind == StmtKind::loop && slot_kind(inner->axis).has_value());
    return !found;
  };
  visit(s, v);
  return found;
}

}  // namespace

std::map<Symbol, Span> access_spans(const Program& p) {
  std::map<Symbol, Span> spans;
  int position = 0;
  for (auto first = p.body.begin(); first != p.body.end();) {
    const auto is_launch = [](const Stmt& s) { return s->kind == StmtKind::launch; };
    const auto last = std::find_if(first, p.body.end(), is_launch);
    const bool together = std::any_of(first, last, has_hardware);
    for (; first != last; ++first) {
      for (const Symbol& buffer : buffers_in(*first)) {
        const auto [it, fresh] = spans.try_emplace(buffer, Span{position, position});
        it->second.last = position;
      }
      position += together ? 0 : 1;
    }
    position += together ? 1 : 0;
    if (first != p.body.end()) ++first;
  }
  return spans;
}

bool uses_buffer(const Stmt& s, const Symbol& buffer) { return buffers_in(s).count(buffer) != 0; }

}  // namespace assay
