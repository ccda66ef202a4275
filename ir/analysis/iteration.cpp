// One equation after the other, the unambiguous ones first, until nothing more is told.
#include "ir/analysis/iteration.hpp"

#include <algorithm>

namespace assay {
namespace {

struct Unknown {
  std::int64_t coefficient = 0;
  const Stmt* loop = nullptr;
};

// Solves `form = value` for the loop symbols that `known` lacks: one, or several as the digits of a mixed radix.
bool solve(const Index& form, const Index& value, const std::vector<Stmt>& loops, std::map<Symbol, Index>& known,
           bool several) {
  Index told = form;  // without the terms of unknown symbols
  std::vector<Unknown> unknown;
  const auto loop_of = [&](const Symbol& s) {
    return std::find_if(loops.begin(), loops.end(), [&](const Stmt& l) { return l->name == s; });
  };
  for (const auto& [atom, coefficient] : form.terms()) {
    if (atom->kind != IndexAtom::Kind::symbol) continue;
    const auto loop = loop_of(atom->symbol);
    if (loop == loops.end() || known.count(atom->symbol) != 0) continue;
    told = told - Index::symbol(atom->symbol) * coefficient;
    unknown.push_back({coefficient, &*loop});
  }
  std::set<Symbol> left;
  told.collect_symbols(left);
  if (std::any_of(left.begin(), left.end(),
                  [&](const Symbol& s) { return loop_of(s) != loops.end() && known.count(s) == 0; }))
    return false;  // in a division, a remainder, a minimum or a maximum
  Index rest = value - told.substitute(known);
  if (unknown.empty() || (unknown.size() > 1 && !several)) return false;
  if (unknown.size() == 1 && (unknown[0].coefficient == 1 || unknown[0].coefficient == -1)) {
    known.emplace((*unknown[0].loop)->name, rest * unknown[0].coefficient);
    return true;
  }
  std::sort(unknown.begin(), unknown.end(),
            [](const Unknown& a, const Unknown& b) { return a.coefficient > b.coefficient; });
  if (unknown.back().coefficient <= 0) return false;
  for (std::size_t k = 1; k < unknown.size(); ++k) {
    if (unknown[k].coefficient == unknown[k - 1].coefficient) return false;  // a sum of the two alone
  }
  for (const Unknown& u : unknown) rest = rest - (*u.loop)->lo.substitute(known) * u.coefficient;
  for (const Unknown& u : unknown) {
    known.emplace((*u.loop)->name, (*u.loop)->lo.substitute(known) + floordiv(rest, u.coefficient));
    rest = floormod(rest, u.coefficient);
  }
  return true;
}

// floordiv(x, a) = q and floormod(x, a) = r say that x = a * q + r.
void join_divisions(std::vector<Equation>& equations) {
  for (std::size_t k = 0; k < equations.size(); ++k) {  // what is added has its turn too
    const Index& form = equations[k].form;
    if (form.constant() != 0 || form.terms().size() != 1 || form.terms()[0].second != 1) continue;
    const IndexAtom& atom = *form.terms()[0].first;
    if (atom.kind != IndexAtom::Kind::floormod) continue;
    const Index quotient = floordiv(atom.args[0], atom.divisor);
    const auto other =
        std::find_if(equations.begin(), equations.end(), [&](const Equation& e) { return e.form == quotient; });
    if (other == equations.end()) continue;
    Equation joined{atom.args[0], other->value * atom.divisor + equations[k].value};
    const bool new_one =
        std::none_of(equations.begin(), equations.end(), [&](const Equation& e) { return e.form == joined.form; });
    if (!new_one) continue;
    equations.push_back(std::move(joined));
    k = static_cast<std::size_t>(-1);  // it may be the quotient that another remainder lacks
  }
}

}  // namespace

std::vector<Equation> guard_equations(const Node& n) {
  std::vector<Equation> out;
  for (const Guard& g : n.guards) {
    const Expr& c = g.condition;
    if (c->op != (g.positive ? Op::eq : Op::ne) || c->args[0]->op != Op::index || c->args[1]->op != Op::index) continue;
    out.push_back({c->args[0]->index - c->args[1]->index, 0});
  }
  return out;
}

void solve_iteration(std::vector<Equation> equations, const std::vector<Stmt>& loops, std::map<Symbol, Index>& known) {
  join_divisions(equations);
  for (const bool several : {false, true}) {
    for (bool more = true; more;) {
      more = false;
      for (const Equation& e : equations) more |= solve(e.form, e.value, loops, known, several);
    }
  }
}

}  // namespace assay
