// The engine's single entry: translation, search, minimisation and confirmation of a solution.
#include "proofs/native/query.hpp"

#include <algorithm>

#include "proofs/native/search.hpp"
#include "proofs/obligation/products.hpp"

namespace assay {
namespace native {
namespace {

Answer unknown(std::string why) {
  Answer out;
  out.reason = std::move(why);
  return out;
}

// Whether the formula holds at a point of all its free symbols; `decide` answers for a quantified part.
bool holds(const Formula& f, const std::map<Symbol, std::int64_t>& at,
           const std::function<bool(const Formula&)>& decide) {
  const auto value = [&]() -> std::int64_t {
    const auto v = f.expression().evaluate([&](const Symbol& s) -> std::optional<std::int64_t> {
      const auto it = at.find(s);
      if (it == at.end()) return std::nullopt;
      return it->second;
    });
    if (!v) throw Overflow{};
    return *v;
  };
  const auto part = [&](const Formula& p) { return holds(p, at, decide); };
  switch (f.kind()) {
    case Formula::Kind::truth: return true;
    case Formula::Kind::falsity: return false;
    case Formula::Kind::nonneg: return value() >= 0;
    case Formula::Kind::zero: return value() == 0;
    case Formula::Kind::negation: return !part(f.parts()[0]);
    case Formula::Kind::conjunction: return std::all_of(f.parts().begin(), f.parts().end(), part);
    case Formula::Kind::disjunction: return std::any_of(f.parts().begin(), f.parts().end(), part);
    case Formula::Kind::exists: return decide(f);
    case Formula::Kind::product: break;  // solve_linear has removed them
  }
  return false;
}

class NativeQuery final : public Query {
 public:
  NativeQuery(std::uint64_t budget, Fault fault) : budget_(budget), fault_(fault) {}

  Answer solve(const Formula& f, const std::vector<Symbol>& minimise_first) override {
    Answer out = f.has_products() ? solve_linear(*this, f, minimise_first) : solve_affine(f, minimise_first);
    out.engine = "native";
    return out;
  }

 private:
  Answer solve_affine(const Formula& f, const std::vector<Symbol>& minimise_first) const {
    try {
      return decide(f, minimise_first);
    } catch (const Overflow&) {
      return unknown("a coefficient left 64 bits");
    } catch (const Exhausted& e) {
      return unknown(e.what);
    }
  }

  struct Question {
    Context context;
    Tree tree;
    Translator translator;
    NodeId root;
    Question(const Formula& f, std::uint64_t budget, Fault fault)
        : context(budget, fault), tree(context), translator(tree), root(translator.translate(f)) {}
    std::optional<Model> search(const Store& store) { return Search(tree).solve(store, {root}); }
  };

  Answer decide(const Formula& f, const std::vector<Symbol>& minimise_first) const {
    Question q(f, budget_, fault_);
    Store store(q.context);
    auto model = q.search(store);
    if (!model) return {Answer::Kind::empty};

    std::vector<Symbol> order;
    std::set<Symbol> free;
    f.collect_free(free);
    for (const Symbol& s : minimise_first) {
      if (free.erase(s) != 0) order.push_back(s);
    }
    order.insert(order.end(), free.begin(), free.end());
    Answer out{Answer::Kind::solution};
    for (const Symbol& s : order) {
      const auto it = q.translator.symbols().find(s);
      if (it == q.translator.symbols().end()) return unknown("a solution may have any value of a symbol");
      const auto least = minimise(q, store, it->second, *model);
      if (!least) return unknown("a solution has no smallest value of a symbol");
      out.solution[s] = *least;
    }
    if (!confirmed(f, out.solution)) return unknown("a solution was not confirmed");
    return out;
  }

  // The least value of v among the points of `store` and the tree; fixes it in the store and lets `model` have it.
  static std::optional<std::int64_t> minimise(Question& q, Store& store, Var v, Model& model) {
    Store bounded = store;
    std::vector<NodeId> pending;
    Search(q.tree).assume(bounded, q.root, pending);
    bounded.propagate();
    const Bound bound = bounded.bound_of(q.context.term(v));
    if (!bound.has_lo()) return std::nullopt;
    std::int64_t lo = bound.lo;
    std::int64_t hi = model[static_cast<std::size_t>(v)];
    // Invariant: some point has v == hi, none has v < lo. The bound is mostly attained: try it first.
    for (std::int64_t middle = lo; lo < hi;
         middle = lo + static_cast<std::int64_t>((static_cast<Int128>(hi) - lo) / 2)) {
      Store below = store;
      below.assume({q.context.term(v, -1, middle), false});
      if (auto better = q.search(below)) {
        model = *std::move(better);
        hi = model[static_cast<std::size_t>(v)];
      } else {
        lo = middle + 1;
      }
    }
    store.assume({q.context.term(v, 1, checked_mul(hi, -1)), true});
    return hi;
  }

  bool confirmed(const Formula& f, const std::map<Symbol, std::int64_t>& at) const {
    std::map<Symbol, Index> values;
    for (const auto& [s, v] : at) values.emplace(s, Index(v));
    return holds(f, at, [&](const Formula& quantified) {
      Question q(quantified.substitute(values), budget_, fault_);
      return q.search(Store(q.context)).has_value();
    });
  }

  std::uint64_t budget_;
  Fault fault_;
};

}  // namespace

std::unique_ptr<Query> make_faulty_query(std::uint64_t budget, Fault fault) {
  return std::make_unique<NativeQuery>(budget, fault);
}

}  // namespace native

std::unique_ptr<Query> make_native_query(std::uint64_t budget) {
  return native::make_faulty_query(budget, native::Fault::none);
}

}  // namespace assay
