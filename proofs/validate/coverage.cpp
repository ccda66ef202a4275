// Certain stores. A store counts when nothing but loop bounds and affine guards decides whether it happens; when it shares
// its data-dependent guards with the reader (same `if`, same execution of it); or when both arms of an `if` store the cell.
#include "proofs/validate/coverage.hpp"

#include <algorithm>
#include <functional>

namespace assay::derive {
namespace {

// Given a store's instance: the condition that it hits the cell in question in time.
using Hit = std::function<Formula(const Instance&, const Access&)>;

class Coverage {
 public:
  Coverage(const View& view, Symbol storage, const Instance* reader, Hit hit)
      : view_(view), storage_(std::move(storage)), reader_(reader), hit_(std::move(hit)) {}

  Formula certain() {
    std::vector<const Node*> stores;
    for (const Node& n : view_.extraction.nodes) {
      const Access* s = n.store();
      if (s && s->storage == storage_) stores.push_back(&n);
    }
    return among(stores, {});
  }

 private:
  // An `if` whose condition is taken as decided: statement number and the execution of it.
  struct Decided {
    int statement;
    bool positive;
    Instance at;
  };

  // The first data-dependent guard of the store that neither the reader shares nor `decided` settles.
  const Guard* open_guard(const Node& n, const std::vector<Decided>& decided) const {
    for (const Guard& g : n.guards) {
      if (affine_condition(g.condition) || shared(g)) continue;
      const bool settled =
          std::any_of(decided.begin(), decided.end(), [&](const Decided& d) { return d.statement == g.statement; });
      if (!settled) return &g;
    }
    return nullptr;
  }
  bool shared(const Guard& g) const {
    return reader_ && g.statement >= 0 &&
           std::any_of(reader_->node->guards.begin(), reader_->node->guards.end(), [&](const Guard& h) {
             return h.statement == g.statement && h.positive == g.positive && h.condition == g.condition;
           });
  }

  Formula among(const std::vector<const Node*>& stores, const std::vector<Decided>& decided) {
    std::vector<Formula> ways;
    std::vector<int> branches;
    for (const Node* n : stores) {
      const Guard* open = open_guard(*n, decided);
      if (!open) {
        ways.push_back(one(*n, decided));
      } else if (open->statement >= 0 &&
                 std::find(branches.begin(), branches.end(), open->statement) == branches.end()) {
        branches.push_back(open->statement);
      }
    }
    for (int branch : branches) {
      const Node* at = view_.extraction.find(branch);
      if (!at) continue;
      std::vector<const Node*> arms[2];
      for (const Node* n : stores) {
        for (const Guard& g : n->guards) {
          if (g.statement == branch) {
            arms[in_then_arm(*at, *n) ? 1 : 0].push_back(n);
            break;
          }
        }
      }
      if (arms[0].empty() || arms[1].empty()) continue;
      Instance i = instantiate(view_, *at, "b" + std::to_string(counter_++));
      std::vector<Decided> with = decided;
      with.push_back({branch, true, i});
      const Formula yes = among(arms[1], with);
      const Formula no = among(arms[0], with);
      ways.push_back(Formula::exists(i.fresh, domain(i) & tied(i, decided) & yes & no));
    }
    return Formula::any(std::move(ways));
  }

  // The arm is the path step right after the position of the `if`.
  static bool in_then_arm(const Node& branch, const Node& n) {
    const std::size_t arm = branch.path.size() - 1;
    return n.path.size() > arm && n.path[arm].value == 0;
  }

  // Executions of nodes inside an `if` belong to the execution of it that was decided.
  Formula tied(const Instance& w, const std::vector<Decided>& decided) const {
    std::vector<Formula> parts;
    const auto tie = [&](const Instance& at, std::size_t loops) {
      for (std::size_t k = 0; k < loops && k < w.node->loops.size(); ++k)
        parts.push_back(Formula::eq(w.symbol(k), at.symbol(k)));
    };
    for (const Decided& d : decided) {
      const bool inside = std::any_of(w.node->guards.begin(), w.node->guards.end(),
                                      [&](const Guard& g) { return g.statement == d.statement; });
      if (inside) tie(d.at, d.at.node->loops.size());
    }
    for (const Guard& g : w.node->guards) {
      if (!affine_condition(g.condition) && shared(g)) tie(*reader_, static_cast<std::size_t>(g.loops));
    }
    return Formula::all(std::move(parts));
  }

  Formula one(const Node& n, const std::vector<Decided>& decided) {
    const Access& store = *n.store();
    if (!std::all_of(store.indices.begin(), store.indices.end(), [](const Expr& e) { return e->op == Op::index; }))
      return Formula::falsity();
    const Instance w = instantiate(view_, n, "w" + std::to_string(counter_++));
    return exists_solved(w, domain(w) & tied(w, decided) & hit_(w, store));
  }

  // Existentials that an equation of the conjunction fixes are substituted away: far cheaper than projecting them out.
  static Formula exists_solved(const Instance& w, Formula f) {
    std::vector<Symbol> open = w.fresh;
    for (bool progress = true; progress && f.kind() == Formula::Kind::conjunction;) {
      progress = false;
      for (const Formula& part : f.parts()) {
        if (part.kind() != Formula::Kind::zero) continue;
        const auto [symbol, value] = solve_for(part.expression(), open);
        if (symbol.empty()) continue;
        open.erase(std::find(open.begin(), open.end(), symbol));
        f = f.substitute({{symbol, value}});
        progress = true;
        break;
      }
    }
    return Formula::exists(open, f);
  }
  static std::pair<Symbol, Index> solve_for(const Index& e, const std::vector<Symbol>& open) {
    for (const auto& [atom, coefficient] : e.terms()) {
      if (atom->kind != IndexAtom::Kind::symbol || (coefficient != 1 && coefficient != -1)) continue;
      if (std::find(open.begin(), open.end(), atom->symbol) == open.end()) continue;
      const Index rest = e - Index::symbol(atom->symbol) * coefficient;
      if (rest.mentions(atom->symbol)) continue;
      return {atom->symbol, rest * -coefficient};
    }
    return {};
  }

  const View& view_;
  Symbol storage_;
  const Instance* reader_;
  Hit hit_;
  int counter_ = 0;
};

}  // namespace

Formula written_before(const View& view, const Instance& reader, const Access& read) {
  const Hit hit = [&](const Instance& w, const Access& store) {
    return same_cell(w, store, reader, read, "r") & ordered_before(w, true, reader, false);
  };
  return Coverage(view, read.storage, &reader, hit).certain();
}

Formula written_at_end(const View& view, const Buffer& buffer, const std::vector<Index>& cell) {
  const Hit hit = [&](const Instance& w, const Access& store) {
    if (store.whole) return Formula::truth();
    std::vector<Formula> parts;
    for (std::size_t d = 0; d < store.indices.size() && d < cell.size(); ++d)
      parts.push_back(Formula::eq(w.apply(store.indices[d]->index), cell[d]));
    return Formula::all(std::move(parts));
  };
  return Coverage(view, buffer.name, nullptr, hit).certain();
}

}  // namespace assay::derive
