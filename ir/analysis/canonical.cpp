// Names are given in an order that no name decides: parameters as declared (sums of an index value are sorted by name, so
// first use would depend on it), binders and buffers in preorder. Buffers without a use come last, sorted by what they
// declare: two that declare the same are interchangeable.
#include "ir/analysis/canonical.hpp"

#include <algorithm>

#include "ir/text/source.hpp"
#include "ir/traverse.hpp"

namespace assay {
namespace {

class Renaming {
 public:
  explicit Renaming(const Program& p) {
    for (const Parameter& q : p.parameters) give(q.name, 'p', parameters_);
    Visitor v;
    v.enter_stmt = [&](const Stmt& s) {
      switch (s->kind) {
        case StmtKind::loop: give(s->name, 'l', loops_); break;
        case StmtKind::declare: give(s->name, 'v', variables_); break;
        case StmtKind::zero:
        case StmtKind::store: use(s->name); break;
        default: break;
      }
      return true;
    };
    v.enter_expr = [&](const Expr& e) {
      if (e->op == Op::scope) give(e->name, 'v', variables_);
      if (e->op == Op::load) use(e->name);
      return true;
    };
    visit(p.body, v);
  }

  /// The name of a buffer, at its first use.
  void use(const Symbol& buffer) {
    if (names_.count(buffer) == 0) give(buffer, 'b', buffers_);
  }
  bool knows(const Symbol& s) const { return names_.count(s) != 0; }
  const Symbol& operator()(const Symbol& s) const { return names_.at(s); }
  Index operator()(const Index& e) const { return e.substitute(indices_); }

  Expr operator()(const Expr& e) const { return rewrite(e, on_expr(), on_stmt()); }
  Block operator()(const Block& b) const { return rewrite(b, on_expr(), on_stmt()); }

 private:
  void give(const Symbol& name, char letter, int& count) {
    const Symbol mine = letter + std::to_string(count++);
    names_.emplace(name, mine);
    indices_.emplace(name, Index::symbol(mine));
  }
  ExprRewrite on_expr() const {
    return [this](const Expr& e) {
      return with(e, [&](ExprNode& n) {
        n.where = {};
        n.index = (*this)(n.index);
        if (!n.name.empty()) n.name = (*this)(n.name);
      });
    };
  }
  StmtRewrite on_stmt() const {
    return [this](const Stmt& s) {
      return Block{with(s, [&](StmtNode& n) {
        n.where = {};
        n.provenance = nullptr;
        n.lo = (*this)(n.lo);
        n.hi = (*this)(n.hi);
        if (!n.name.empty()) n.name = (*this)(n.name);
      })};
    };
  }

  std::map<Symbol, Symbol> names_;
  std::map<Symbol, Index> indices_;
  int parameters_ = 0, loops_ = 0, variables_ = 0, buffers_ = 0;
};

// A declaration as text, with the buffer called `name`.
std::string declaration(Buffer b, const Symbol& name) {
  b.name = name;
  return print(Program{"p", {}, {}, {std::move(b)}, {}, {}});
}

}  // namespace

Program canonical(const Program& p) {
  Renaming name(p);
  Program out;
  out.name = "p";
  for (const Parameter& q : p.parameters) out.parameters.push_back({name(q.name), q.lo, q.hi, {}});
  for (const Expr& e : p.requirements) out.requirements.push_back(name(e));
  // A conjunction: neither the order nor the number of equal parts matters.
  const auto text_order = [](const Expr& a, const Expr& b) { return print(a) < print(b); };
  std::sort(out.requirements.begin(), out.requirements.end(), text_order);
  out.requirements.erase(std::unique(out.requirements.begin(), out.requirements.end()), out.requirements.end());

  const auto renamed = [&](Buffer b) {
    for (Index& d : b.dims) d = name(d);
    b.where = {};
    return b;
  };
  std::vector<std::pair<std::string, const Buffer*>> unused;
  for (const Buffer& b : p.buffers) {
    if (!name.knows(b.name)) unused.emplace_back(declaration(renamed(b), "b"), &b);
  }
  std::stable_sort(unused.begin(), unused.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [text, b] : unused) name.use(b->name);
  for (const Buffer& b : p.buffers) {
    out.buffers.push_back(renamed(b));
    out.buffers.back().name = name(b.name);
  }
  // b2 before b10.
  std::sort(out.buffers.begin(), out.buffers.end(), [](const Buffer& a, const Buffer& b) {
    return std::make_pair(a.name.size(), a.name) < std::make_pair(b.name.size(), b.name);
  });
  out.body = name(p.body);
  return out;
}

}  // namespace assay
