// Names bound in a program are unique, so that a map from the second expression's names to the first one's is never undone.
#include "transforms/alpha.hpp"

#include <map>

namespace assay {
namespace {

class Alpha {
 public:
  bool same(const Expr& a, const Expr& b) {
    if (!a || !b) return !a && !b;
    if (a->op != b->op || a->type != b->type || a->literal != b->literal || a->args.size() != b->args.size())
      return false;
    if (a->op == Op::index) return a->index == b->index.substitute(symbols_);
    if (a->op == Op::load && a->name != b->name) return false;
    if (a->op == Op::variable) return corresponds(a->name, b->name);
    for (std::size_t i = 0; i < a->args.size(); ++i) {
      if (!same(a->args[i], b->args[i])) return false;
    }
    if (a->op != Op::scope) return true;
    bind(a->name, b->name);
    return same(a->body, b->body);
  }

 private:
  void bind(const Symbol& a, const Symbol& b) {
    names_[b] = a;
    bound_[a] = b;
  }
  // A name from outside stands for itself, unless the other side binds it.
  bool corresponds(const Symbol& a, const Symbol& b) const {
    const auto to = names_.find(b);
    const auto from = bound_.find(a);
    if (to == names_.end() && from == bound_.end()) return a == b;
    return to != names_.end() && from != bound_.end() && to->second == a && from->second == b;
  }

  bool same(const Block& a, const Block& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!same(*a[i], *b[i])) return false;
    }
    return true;
  }

  bool same(const StmtNode& a, const StmtNode& b) {
    if (a.kind != b.kind || a.type != b.type) return false;
    switch (a.kind) {
      case StmtKind::loop:
        if (a.step != b.step || a.axis != b.axis || !(a.lo == b.lo.substitute(symbols_)) ||
            !(a.hi == b.hi.substitute(symbols_)))
          return false;
        symbols_.emplace(b.name, Index::symbol(a.name));
        return same(a.body, b.body);
      case StmtKind::branch: return same(a.value, b.value) && same(a.body, b.body) && same(a.other, b.other);
      case StmtKind::declare:
        if (!same(a.value, b.value)) return false;
        bind(a.name, b.name);
        return true;
      case StmtKind::assign: return corresponds(a.name, b.name) && same(a.value, b.value);
      default: return false;
    }
  }

  std::map<Symbol, Index> symbols_;         // loop symbols of the second side
  std::map<Symbol, Symbol> names_, bound_;  // variables: of the second side to the first, and back
};

}  // namespace

bool alpha_equal(const Expr& a, const Expr& b) { return Alpha().same(a, b); }

}  // namespace assay
