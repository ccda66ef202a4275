// Programs: look-up, names, and the numbering that transforms carry along as provenance.
#include "ir/program.hpp"

#include <algorithm>

#include "ir/traverse.hpp"

namespace assay {

const Buffer* Program::find_buffer(const Symbol& wanted) const {
  const auto it = std::find_if(buffers.begin(), buffers.end(), [&](const Buffer& b) { return b.name == wanted; });
  return it == buffers.end() ? nullptr : &*it;
}

const Parameter* Program::find_parameter(const Symbol& wanted) const {
  const auto it =
      std::find_if(parameters.begin(), parameters.end(), [&](const Parameter& p) { return p.name == wanted; });
  return it == parameters.end() ? nullptr : &*it;
}

std::set<Symbol> Program::bound_names() const {
  std::set<Symbol> names;
  for (const Parameter& p : parameters) names.insert(p.name);
  for (const Buffer& b : buffers) names.insert(b.name);
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::loop || s->kind == StmtKind::declare) names.insert(s->name);
    return true;
  };
  v.enter_expr = [&](const Expr& e) {
    if (e->op == Op::scope) names.insert(e->name);
    return true;
  };
  visit(body, v);
  return names;
}

bool Program::operator==(const Program& other) const {
  const auto same_parameter = [](const Parameter& a, const Parameter& b) {
    return a.name == b.name && a.lo == b.lo && a.hi == b.hi;
  };
  const auto same_buffer = [](const Buffer& a, const Buffer& b) {
    return a.name == b.name && a.kind == b.kind && a.type == b.type && a.dims == b.dims && a.range == b.range &&
           a.data == b.data && a.swizzle == b.swizzle;
  };
  return name == other.name &&
         std::equal(parameters.begin(), parameters.end(), other.parameters.begin(), other.parameters.end(),
                    same_parameter) &&
         requirements == other.requirements &&
         std::equal(buffers.begin(), buffers.end(), other.buffers.begin(), other.buffers.end(), same_buffer) &&
         equal(body, other.body);
}

std::string stem(const Symbol& s) {
  const auto dot = s.rfind('.');
  return dot == std::string::npos ? s : s.substr(0, dot);
}

Symbol NameSupply::fresh(const Symbol& wanted) {
  if (taken_.insert(wanted).second) return wanted;
  const std::string base = stem(wanted);
  int& next = next_[base];
  Symbol candidate;
  do {
    candidate = base + "." + std::to_string(++next);
  } while (!taken_.insert(candidate).second);
  return candidate;
}

namespace {

// Numbers in the order of ir/traverse.hpp, with the loop symbols in scope as identity maps.
class Numbering {
 public:
  Block block(const Block& b) {
    Block out;
    out.reserve(b.size());
    for (const Stmt& s : b) out.push_back(statement(s));
    return out;
  }

 private:
  Stmt statement(const Stmt& s) {
    auto provenance = std::make_shared<const Provenance>(Provenance{next_++, enclosing_});
    return with(s, [&](StmtNode& n) {
      n.provenance = std::move(provenance);
      for (Expr& e : n.indices) e = expression(e);
      if (n.value) n.value = expression(n.value);
      if (n.kind == StmtKind::loop) enclosing_.emplace(n.name, Index::symbol(n.name));
      n.body = block(n.body);
      n.other = block(n.other);
      if (n.kind == StmtKind::loop) enclosing_.erase(n.name);
    });
  }
  Expr expression(const Expr& e) {
    if (e->args.empty() && e->body.empty()) return e;
    return with(e, [&](ExprNode& n) {
      for (Expr& a : n.args) a = expression(a);
      n.body = block(n.body);
    });
  }

  int next_ = 0;
  std::map<Symbol, Index> enclosing_;
};

}  // namespace

Program number_statements(const Program& p) {
  Program out = p;
  out.body = Numbering().block(p.body);
  return out;
}

}  // namespace assay
