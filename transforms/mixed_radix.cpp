// As after `split i factor=4`: 4·i_o + i_i, with i_i in 0..4.
#include "transforms/mixed_radix.hpp"

#include <algorithm>

#include "transforms/affine.hpp"
#include "transforms/tile.hpp"

namespace assay {

std::map<Symbol, Index> MixedRadix::symbols_at(const Index& number) const {
  std::map<Symbol, Index> out;
  for (const Digit& d : digits) {
    Index value = floordiv(number, d.weight);
    if (d.extent != 0) value = floormod(value, d.extent);
    out.emplace(d.loop->name, d.loop->lo + value * d.loop->step);
  }
  return out;
}

std::optional<MixedRadix> mixed_radix(const Program& p, const Index& e, const std::vector<Stmt>& loops) {
  MixedRadix out;
  out.base = e;
  std::vector<std::pair<std::int64_t, Stmt>> steps;  // how far one iteration goes
  for (const Stmt& l : loops) {
    for (const Symbol& s : symbols_of({l->lo, l->hi})) {
      if (!p.find_parameter(s)) return std::nullopt;
    }
    const auto linear = linear_in(out.base, l->name);
    std::int64_t step = 0;
    if (!linear || __builtin_mul_overflow(linear->coefficient, l->step, &step) || step <= 0) return std::nullopt;
    out.base = linear->rest + l->lo * linear->coefficient;
    steps.emplace_back(step, l);
  }
  if (steps.empty() || out.base.overflowed()) return std::nullopt;
  std::sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  out.unit = steps.front().first;
  std::int64_t weight = 1;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const auto& [step, loop] = steps[k];
    const Index count = trip_count(loop);
    std::int64_t wanted = 0;
    if (__builtin_mul_overflow(weight, out.unit, &wanted) || step != wanted) return std::nullopt;
    const bool greatest = k + 1 == steps.size();
    if (!greatest && (!count.is_constant() || count.constant() < 1)) return std::nullopt;
    out.digits.push_back({loop, weight, greatest ? 0 : count.constant()});
    if (greatest)
      out.count = count * weight;
    else if (__builtin_mul_overflow(weight, count.constant(), &weight))
      return std::nullopt;
  }
  if (out.count.overflowed()) return std::nullopt;
  return out;
}

}  // namespace assay
