// Generation by recursive descent; see the header.
#include "formula_generator.hpp"

#include <algorithm>

namespace assay::test {

std::uint64_t Dice::next() {  // splitmix64
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::int64_t Dice::between(std::int64_t lo, std::int64_t hi) {
  return lo + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(hi - lo + 1));
}

namespace {

const Symbol names[] = {"a", "b", "c"};

Index random_index(Dice& d, int depth, int symbols) {
  Index e(d.between(-6, 6));
  for (std::int64_t i = d.between(1, 3); i > 0; --i) {
    Index atom = Index::symbol(d.chance(80) ? names[d.between(0, 2)] : "v" + std::to_string(d.between(0, symbols)));
    if (symbols == 0) atom = Index::symbol(names[d.between(0, 2)]);
    if (depth > 0) {
      switch (d.between(0, 7)) {
        case 0: atom = floordiv(random_index(d, depth - 1, symbols), d.between(1, 5)); break;
        case 1: atom = floormod(random_index(d, depth - 1, symbols), d.between(1, 5)); break;
        case 2: atom = min({random_index(d, depth - 1, symbols), random_index(d, depth - 1, symbols)}); break;
        case 3: atom = max({random_index(d, depth - 1, symbols), random_index(d, depth - 1, symbols)}); break;
        case 4: atom = ceildiv(random_index(d, depth - 1, symbols), d.between(2, 5)); break;
        default: break;
      }
    }
    e = e + atom * d.between(-3, 3);
  }
  return e;
}

Formula random_tree(Dice& d, int depth, int symbols, int& bound) {
  switch (depth == 0 ? d.between(0, 1) : d.between(0, 6)) {
    case 0: return Formula::nonneg(random_index(d, 2, symbols));
    case 1: return Formula::zero(random_index(d, 1, symbols));
    case 2:
    case 3: return random_tree(d, depth - 1, symbols, bound) & random_tree(d, depth - 1, symbols, bound);
    case 4: return random_tree(d, depth - 1, symbols, bound) | random_tree(d, depth - 1, symbols, bound);
    case 5: return !random_tree(d, depth - 1, symbols, bound);
    default: {
      const Symbol q = "q" + std::to_string(bound++);
      Formula body = random_tree(d, depth - 1, symbols, bound).substitute({{names[d.between(0, 2)], Index::symbol(q)}});
      if (symbols == 0 || d.chance(60))
        body = Formula::nonneg(Index::symbol(q)) & Formula::lt(Index::symbol(q), Index(4)) & body;
      const Formula f = Formula::exists({q}, body);
      return d.chance(50) ? f : !f;
    }
  }
}

// lo <= s < hi with one of the shapes of loops.
Formula random_loop(Dice& d, const Symbol& s, const Index& outer) {
  const Index v = Index::symbol(s);
  const Index n = Index::symbol("n");
  switch (d.between(0, 5)) {
    case 0: return Formula::le(Index(0), v) & Formula::lt(v, n);
    case 1: return Formula::le(Index(0), v) & Formula::lt(v, ceildiv(n, d.between(2, 9)));
    case 2: return Formula::le(Index(0), v) & Formula::lt(v, min({Index(d.between(1, 9)), n - outer}));
    case 3: return Formula::le(outer, v) & Formula::lt(v, outer + d.between(1, 8));
    case 4: {
      const std::int64_t step = d.between(2, 5);
      return Formula::le(Index(0), v) & Formula::lt(v, n) & Formula::zero(floormod(v, step));
    }
    default: return Formula::le(Index(0), v) & Formula::lt(v, Index(d.between(1, 40)));
  }
}

}  // namespace

Formula random_boxed_formula(Dice& d) {
  int bound = 0;
  return random_tree(d, static_cast<int>(d.between(1, 3)), 0, bound);
}

Formula random_open_formula(Dice& d) {
  int bound = 0;
  const Index n = Index::symbol("n");
  const Formula parameters = Formula::le(Index(d.between(0, 2)), n) & Formula::lt(n, Index(d.between(3, 200)));
  if (d.chance(30)) {
    Formula f = random_tree(d, 2, 2, bound);
    for (const Symbol& s : names) {
      if (d.chance(70)) f = f & Formula::le(Index(d.between(-9, 0)), Index::symbol(s));
    }
    return f;
  }
  // Two executions of a nest of one to three loops, one cell, and one before the other.
  std::vector<Formula> parts{parameters};
  std::vector<Index> iteration[2];
  const std::int64_t depth = d.between(1, 3);
  const std::uint64_t shape = d.next();
  for (int k = 0; k < 2; ++k) {
    Dice same(shape);
    Index outer(0);
    for (std::int64_t i = 0; i < depth; ++i) {
      const Symbol s = std::string(1, static_cast<char>('i' + i)) + "'" + std::to_string(k);
      parts.push_back(random_loop(same, s, outer));
      iteration[k].push_back(Index::symbol(s));
      outer = outer + Index::symbol(s) * same.between(1, 4);
    }
  }
  for (std::int64_t cell = d.between(1, 2); cell > 0; --cell) {
    const std::uint64_t form = d.next();
    Index of[2];
    for (int k = 0; k < 2; ++k) {
      Dice same(d.chance(80) ? form : d.next());
      of[k] = Index(same.between(-2, 2));
      for (const Index& i : iteration[k]) of[k] = of[k] + i * same.between(-4, 40);
      if (same.chance(40)) of[k] = floormod(of[k], same.between(2, 7));
      if (same.chance(20)) of[k] = floordiv(of[k], same.between(2, 7));
    }
    parts.push_back(Formula::eq(of[0], of[1]));
  }
  std::vector<Formula> earlier;
  std::vector<Formula> equal;
  for (std::size_t i = 0; i < iteration[0].size(); ++i) {
    std::vector<Formula> here = equal;
    here.push_back(Formula::lt(iteration[0][i], iteration[1][i]));
    earlier.push_back(Formula::all(here));
    equal.push_back(Formula::eq(iteration[0][i], iteration[1][i]));
  }
  parts.push_back(Formula::any(earlier));
  if (d.chance(40)) {  // not written before: some other iteration stores the cell
    const Symbol w = "w" + std::to_string(bound++);
    Formula store = random_loop(d, w, Index(0)) &
                    Formula::eq(Index::symbol(w) * d.between(1, 3) + d.between(-1, 1), iteration[0][0]);
    if (d.chance(30)) store = store | random_loop(d, w, iteration[1][0]);
    parts.push_back(!Formula::exists({w}, store));
  }
  if (d.chance(30)) parts.push_back(random_tree(d, 1, 2, bound));
  return Formula::all(parts);
}

}  // namespace assay::test
