// Random formulas and their enumeration.
#include "random_formula.hpp"

#include <rapidcheck.h>

namespace assay::test {
namespace {

const Symbol names[] = {"a", "b", "c"};

// A random Index over a, b, c with every kind of atom.
Index random_index(int depth) {
  Index e(*rc::gen::inRange(-6, 7));
  const int terms = *rc::gen::inRange(1, 4);
  for (int i = 0; i < terms; ++i) {
    Index atom = Index::symbol(names[*rc::gen::inRange(0, 3)]);
    if (depth > 0) {
      switch (*rc::gen::inRange(0, 6)) {
        case 0: atom = floordiv(random_index(depth - 1), *rc::gen::inRange(1, 6)); break;
        case 1: atom = floormod(random_index(depth - 1), *rc::gen::inRange(1, 6)); break;
        case 2: atom = min({random_index(depth - 1), random_index(depth - 1)}); break;
        case 3: atom = max({random_index(depth - 1), random_index(depth - 1)}); break;
        default: break;
      }
    }
    e = e + atom * *rc::gen::inRange(-3, 4);
  }
  return e;
}

}  // namespace

Formula random_formula(int depth, bool products) {
  if (products && *rc::gen::inRange(0, 4) == 0)
    return Formula::product(random_index(0), random_index(0), random_index(0));
  switch (depth == 0 ? *rc::gen::inRange(0, 2) : *rc::gen::inRange(0, 6)) {
    case 0: return Formula::nonneg(random_index(1));
    case 1: return Formula::zero(random_index(1));
    case 2: return random_formula(depth - 1, products) & random_formula(depth - 1, products);
    case 3: return random_formula(depth - 1, products) | random_formula(depth - 1, products);
    case 4: return !random_formula(depth - 1, products);
    default: {
      // exists q in 0..4 with the body over q in place of c
      const Symbol q = "q" + std::to_string(*rc::gen::inRange(0, 1000000));
      const Formula range = Formula::nonneg(Index::symbol(q)) & Formula::lt(Index::symbol(q), Index(4));
      return Formula::exists({q}, range & random_formula(depth - 1, products).substitute({{"c", Index::symbol(q)}}));
    }
  }
}

bool holds(const Formula& f, std::map<Symbol, std::int64_t>& at) {
  const auto value = [&](const Symbol& s) -> std::optional<std::int64_t> { return at.at(s); };
  switch (f.kind()) {
    case Formula::Kind::truth: return true;
    case Formula::Kind::falsity: return false;
    case Formula::Kind::nonneg: return *f.expression().evaluate(value) >= 0;
    case Formula::Kind::zero: return *f.expression().evaluate(value) == 0;
    case Formula::Kind::product:
      return *f.expression().evaluate(value) ==
             *f.factors().first.evaluate(value) * *f.factors().second.evaluate(value);
    case Formula::Kind::negation: return !holds(f.parts()[0], at);
    case Formula::Kind::conjunction:
      return std::all_of(f.parts().begin(), f.parts().end(), [&](const Formula& p) { return holds(p, at); });
    case Formula::Kind::disjunction:
      return std::any_of(f.parts().begin(), f.parts().end(), [&](const Formula& p) { return holds(p, at); });
    case Formula::Kind::exists:
      for (std::int64_t q = -1; q <= 5; ++q) {
        at[f.variables()[0]] = q;
        if (holds(f.parts()[0], at)) return true;
      }
      return false;
  }
  return false;
}

Formula boxed(const Formula& f) {
  Formula out = f;
  for (const Symbol& s : names)
    out = out & Formula::le(Index(-3), Index::symbol(s)) & Formula::lt(Index::symbol(s), Index(4));
  return out;
}

bool solvable(const Formula& f) {
  std::map<Symbol, std::int64_t> at;
  for (at["a"] = -3; at["a"] < 4; ++at["a"]) {
    for (at["b"] = -3; at["b"] < 4; ++at["b"]) {
      for (at["c"] = -3; at["c"] < 4; ++at["c"]) {
        if (holds(f, at)) return true;
      }
    }
  }
  return false;
}

}  // namespace assay::test
