// The Omega test: Fourier–Motzkin elimination made exact for integers.
//
// A variable whose lower or whose upper bounds all have unit coefficients is eliminated exactly. For any other one: no
// point of the real shadow means no point; a point of the dark shadow always lifts; what is between them lies close above a
// lower bound, in finitely many slices that an equality each describes ("splinters").
#include <algorithm>
#include <tuple>

#include "proofs/native/search.hpp"

namespace assay::native {
namespace {

struct Choice {
  Var v = 0;
  std::int64_t lower = 0, upper = 0;  // number of bounds
  std::int64_t largest_lower = 0, largest_upper = 0;
  bool exact() const { return largest_lower <= 1 || largest_upper <= 1; }
  bool one_sided() const { return lower == 0 || upper == 0; }
  std::int64_t growth() const { return lower * upper - lower - upper; }
};

std::optional<Choice> choose(const Store& store) {
  std::vector<Choice> choices;
  std::vector<std::int32_t> place;
  for (const Row& r : store.rows()) {
    store.context().spend(r.e.terms.size());
    for (const Term& t : r.e.terms) {
      if (place.size() <= static_cast<std::size_t>(t.var)) place.resize(static_cast<std::size_t>(t.var) + 1, -1);
      std::int32_t& p = place[static_cast<std::size_t>(t.var)];
      if (p < 0) {
        p = static_cast<std::int32_t>(choices.size());
        choices.push_back({t.var});
      }
      Choice& c = choices[static_cast<std::size_t>(p)];
      if (t.coefficient > 0) {
        ++c.lower;
        c.largest_lower = std::max(c.largest_lower, t.coefficient);
      } else {
        ++c.upper;
        c.largest_upper = std::max(c.largest_upper, -t.coefficient);
      }
    }
  }
  std::optional<Choice> best;
  for (const Choice& c : choices) {
    if (c.one_sided()) return c;
    if (!best || std::make_tuple(!c.exact(), c.growth()) < std::make_tuple(!best->exact(), best->growth())) best = c;
  }
  return best;
}

std::int64_t last_slice(std::int64_t coefficient, std::int64_t other) {
  return floor_quotient(checked_add(checked_mul(coefficient, other), -coefficient - other), other);
}

std::int64_t slices(const Store& store, const Choice& choice, bool below) {
  std::int64_t n = 0;
  for (const Row& r : store.rows()) {
    const std::int64_t c = below ? r.e.coefficient(choice.v) : -r.e.coefficient(choice.v);
    if (c > 0) n = checked_add(n, 1 + last_slice(c, below ? choice.largest_upper : choice.largest_lower));
  }
  return n;
}

Point inexact(const Store& store, const Choice& choice) {
  Context& context = store.context();
  const auto shadow = [&](bool dark) {
    context.spend(store.rows().size() + 1);
    Store s = store;
    s.eliminate(choice.v, dark);
    return integer_point(std::move(s));
  };
  Point real = shadow(false);
  if (real.kind != Point::Kind::unliftable) return real;
  Point dark = shadow(true);
  if (dark.kind == Point::Kind::found ||
      (dark.kind == Point::Kind::none && context.planted(Fault::dark_shadow_is_exact)))
    return dark;

  // Outside the dark shadow a·v lies within (a·b − a − b) / b above a lower bound, b the largest upper coefficient; and
  // likewise below an upper bound.
  const bool from_below = slices(store, choice, true) <= slices(store, choice, false);
  const std::int64_t other = from_below ? choice.largest_upper : choice.largest_lower;
  bool some = dark.kind == Point::Kind::unliftable;
  for (const Row& r : store.rows()) {
    const std::int64_t c = from_below ? r.e.coefficient(choice.v) : -r.e.coefficient(choice.v);
    if (c <= 0) continue;
    std::int64_t last = last_slice(c, other);
    if (context.planted(Fault::one_splinter_missing)) --last;
    for (std::int64_t k = 0; k <= last; ++k) {
      context.spend(store.rows().size() + 1);
      Store s = store;
      s.assume({plus(r.e, -k), true});
      Point p = integer_point(std::move(s));
      if (p.kind == Point::Kind::found) return p;
      some = some || p.kind == Point::Kind::unliftable;
    }
  }
  return {some ? Point::Kind::unliftable : Point::Kind::none, {}};
}

}  // namespace

Point integer_point(Store store) {
  for (;;) {
    if (store.closed()) return {Point::Kind::none, {}};
    store.prune();
    const std::optional<Choice> choice = choose(store);
    if (!choice) {
      auto model = store.model();
      if (!model) return {Point::Kind::unliftable, {}};
      return {Point::Kind::found, *std::move(model)};
    }
    if (store.context().planted(Fault::one_sided_is_empty) && choice->upper == 0) return {Point::Kind::none, {}};
    if (!choice->one_sided() && !choice->exact()) return inexact(store, *choice);
    store.eliminate(choice->v, false);
  }
}

}  // namespace assay::native
