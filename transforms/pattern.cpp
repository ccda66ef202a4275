// Index values at corresponding places are equations. They are solved one symbol at a time; the result is substituted and
// compared, so that equations that were not understood can do no harm.
#include "transforms/pattern.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "ir/traverse.hpp"
#include "transforms/affine.hpp"
#include "transforms/alpha.hpp"

namespace assay {
namespace {

class Equations {
 public:
  std::vector<std::pair<Index, Index>> all;

  void add(const Expr& a, const Expr& b) {
    if (!a || !b || a->op != b->op || a->args.size() != b->args.size()) return;
    if (a->op == Op::index) add(a->index, b->index);
    for (std::size_t i = 0; i < a->args.size(); ++i) add(a->args[i], b->args[i]);
    add(a->body, b->body);
  }

 private:
  void add(const Index& a, const Index& b) { all.emplace_back(a, b.substitute(inner_)); }
  void add(const Block& a, const Block& b) {
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
      const StmtNode &s = *a[i], &t = *b[i];
      if (s.kind == StmtKind::loop && t.kind == StmtKind::loop) {
        add(s.lo, t.lo);
        add(s.hi, t.hi);
        inner_.emplace(t.name, Index::symbol(s.name));
      }
      add(s.value, t.value);
      add(s.body, t.body);
      add(s.other, t.other);
    }
  }

  std::map<Symbol, Index> inner_;  // loop symbols that the second side binds
};

}  // namespace

std::optional<std::map<Symbol, Index>> instance_of(const Expr& pattern, const Expr& instance,
                                                   const std::set<Symbol>& symbols) {
  Equations equations;
  equations.add(pattern, instance);
  std::map<Symbol, Index> known;
  for (bool more = true; more;) {
    more = false;
    for (const auto& [form, value] : equations.all) {
      std::set<Symbol> inside;
      form.collect_symbols(inside);
      std::vector<Symbol> open;
      std::copy_if(inside.begin(), inside.end(), std::back_inserter(open),
                   [&](const Symbol& s) { return symbols.count(s) != 0 && known.count(s) == 0; });
      if (open.size() != 1) continue;
      const auto linear = linear_in(form, open[0]);
      if (!linear || (linear->coefficient != 1 && linear->coefficient != -1)) continue;
      known.emplace(open[0], (value - linear->rest.substitute(known)) * linear->coefficient);
      more = true;
    }
  }
  for (const Symbol& s : symbols) {
    if (known.count(s) == 0) return std::nullopt;
  }
  if (!alpha_equal(substitute(pattern, known), instance)) return std::nullopt;
  return known;
}

}  // namespace assay
