// Choosing sample sizes.
//
// Every parameter gets a short list of interesting values. An extent that is to become t is found by scanning the parameter
// upwards with the other parameters at their lowest values: that handles floordiv, min and max without inverting anything.
#include "oracle/sizes.hpp"

#include <algorithm>
#include <charconv>

#include "interp/interpreter.hpp"
#include "ir/traverse.hpp"
#include "oracle/cases.hpp"

namespace assay::oracle {
namespace {

constexpr std::int64_t scan_limit = 4096;

/// The integers among the values of `key=value` pairs: factors, lanes, multiples, cut points.
std::set<std::int64_t> factors(const ScheduleLine& line) {
  std::set<std::int64_t> out;
  for (const auto& [key, values] : line.keys) {
    for (const ScheduleWord& w : values) {
      std::int64_t v = 0;
      const auto [end, error] = std::from_chars(w.text.data(), w.text.data() + w.text.size(), v);
      if (error == std::errc{} && end == w.text.data() + w.text.size() && v > 0 && v <= (1 << 20)) out.insert(v);
    }
  }
  return out;
}

std::set<std::int64_t> interesting_extents(std::int64_t f) { return {1, f - 1, f, f + 1, 2 * f - 1, 2 * f, 2 * f + 1}; }

/// The extent of a loop, symbols of other loops taken as 0; nothing when it cannot be evaluated.
std::optional<std::int64_t> extent(const Stmt& loop, const ParameterMap& values) {
  const auto value = [&](const Symbol& s) -> std::optional<std::int64_t> {
    const auto found = values.find(s);
    return found == values.end() ? 0 : found->second;
  };
  const auto lo = loop->lo.evaluate(value), hi = loop->hi.evaluate(value);
  if (!lo || !hi) return std::nullopt;
  return ceildiv(Index(*hi) - Index(*lo), loop->step).constant();
}

void add_for_loop(const Program& p, const Stmt& loop, const std::set<std::int64_t>& wanted, SizeTargets& into) {
  std::set<Symbol> symbols;
  loop->lo.collect_symbols(symbols);
  loop->hi.collect_symbols(symbols);
  ParameterMap values;
  for (const Parameter& q : p.parameters) values[q.name] = q.lo;
  for (const Parameter& q : p.parameters) {
    if (symbols.count(q.name) == 0) continue;
    std::set<std::int64_t>& list = into[q.name];
    list.insert(wanted.begin(), wanted.end());
    std::set<std::int64_t> open = wanted;
    ParameterMap trial = values;
    for (std::int64_t n = q.lo; n < q.hi && n - q.lo < scan_limit && !open.empty(); ++n) {
      trial[q.name] = n;
      const auto e = extent(loop, trial);
      if (e && open.erase(*e) != 0) list.insert(n);
    }
  }
}

/// Up to `wanted` values from `from` towards `to` at which the program is admissible, the other parameters as in `base`.
std::vector<std::int64_t> admissible_near(const Program& p, const Parameter& q, bool upwards, ParameterMap base,
                                          std::size_t wanted) {
  std::vector<std::int64_t> out;
  const std::int64_t width = std::min(q.hi - q.lo, scan_limit);
  for (std::int64_t i = 0; i < width && out.size() < wanted; ++i) {
    base[q.name] = upwards ? q.lo + i : q.hi - 1 - i;
    if (interp::admissible(p, base)) out.push_back(base[q.name]);
  }
  return out;
}

using Axes = std::vector<std::pair<Symbol, std::vector<std::int64_t>>>;

Axes candidate_axes(const Program& p, const SizeTargets& targets, const ParameterMap& base) {
  Axes axes;
  for (const Parameter& q : p.parameters) {
    std::set<std::int64_t> values;
    const auto add = [&](std::int64_t v) {
      if (v >= q.lo && v < q.hi) values.insert(v);
    };
    for (std::int64_t v : {q.lo, q.lo + 1, q.hi - 2, q.hi - 1}) add(v);
    for (std::int64_t v : admissible_near(p, q, true, base, 3)) add(v);
    for (std::int64_t v : admissible_near(p, q, false, base, 2)) add(v);
    const auto found = targets.find(q.name);
    if (found != targets.end()) {
      for (std::int64_t v : found->second) add(v);
    }
    const auto known = base.find(q.name);
    if (known != base.end()) add(known->second);
    axes.emplace_back(q.name, std::vector<std::int64_t>(values.begin(), values.end()));
  }
  return axes;
}

constexpr std::size_t most_combinations = 256;

void add_all_combinations(const Axes& axes, std::size_t at, ParameterMap& current, std::set<ParameterMap>& out) {
  if (at == axes.size()) {
    out.insert(current);
    return;
  }
  for (std::int64_t v : axes[at].second) {
    current[axes[at].first] = v;
    add_all_combinations(axes, at + 1, current, out);
  }
}

std::set<ParameterMap> combinations(const Axes& axes, const ParameterMap& base) {
  std::size_t product = 1, longest = 0;
  for (const auto& [symbol, values] : axes) {
    product = std::min(product * std::max<std::size_t>(values.size(), 1), most_combinations + 1);
    longest = std::max(longest, values.size());
  }
  std::set<ParameterMap> out;
  ParameterMap current;
  if (product <= most_combinations) {
    add_all_combinations(axes, 0, current, out);
    return out;
  }
  for (std::size_t i = 0; i < longest; ++i) {
    for (const auto& [symbol, values] : axes) current[symbol] = values[std::min(i, values.size() - 1)];
    out.insert(current);
  }
  ParameterMap last;
  for (const auto& [symbol, values] : axes) last[symbol] = values.back();
  for (const auto& [symbol, values] : axes) {
    for (std::int64_t v : values) {
      for (const ParameterMap& start : {base, last}) {
        current = start;
        current[symbol] = v;
        out.insert(current);
      }
    }
  }
  return out;
}

}  // namespace

void add_size_targets(const Program& p, const ScheduleLine& line, SizeTargets& into) {
  std::set<std::int64_t> wanted;
  for (std::int64_t f : factors(line)) wanted.merge(interesting_extents(f));
  if (wanted.empty()) return;
  for (const ScheduleWord& w : line.operands) {
    const bool copies = !w.text.empty() && w.text.back() == '*';
    const Symbol symbol = copies ? w.text.substr(0, w.text.size() - 1) : w.text;
    for (const Stmt& loop : find_loops(p, symbol, copies)) add_for_loop(p, loop, wanted, into);
  }
}

std::vector<ParameterMap> sample_sizes(const Program& p, const SizeTargets& targets,
                                       const std::optional<ParameterMap>& known, std::size_t limit) {
  std::optional<ParameterMap> base = known ? known : interp::smallest_parameters(p);
  if (!base) return {};
  std::set<ParameterMap> candidates = combinations(candidate_axes(p, targets, *base), *base);
  candidates.insert(*base);
  std::vector<std::pair<double, ParameterMap>> sized;
  for (const ParameterMap& c : candidates) {
    if (interp::admissible(p, c)) sized.emplace_back(estimated_work(p, c), c);
  }
  std::sort(sized.begin(), sized.end());
  std::vector<ParameterMap> out;
  // When there are too many, keep an even spread, both ends included.
  const std::size_t kept = std::min(limit, sized.size());
  for (std::size_t i = 0; i < kept; ++i) {
    const std::size_t at = kept == sized.size() || kept == 1 ? i : i * (sized.size() - 1) / (kept - 1);
    out.push_back(std::move(sized[at].second));
  }
  return out;
}

std::optional<ParameterMap> full_size(const Program& p, double work, std::int64_t bytes) {
  const auto smallest = interp::smallest_parameters(p);
  const auto fits = [&](const ParameterMap& v) {
    if (!interp::admissible(p, v)) return false;
    const auto needed = footprint(p, v);
    return needed && *needed <= bytes && estimated_work(p, v) <= work;
  };
  // The ends first; then every parameter halved again and again, a few values downwards each time for the requirements.
  std::int64_t widest = 1;
  for (const Parameter& q : p.parameters) widest = std::max(widest, q.hi - q.lo);
  for (std::int64_t divisor = 1; divisor <= widest; divisor *= 2) {
    for (std::int64_t back = 0; back < 64; ++back) {
      ParameterMap v;
      for (const Parameter& q : p.parameters) v[q.name] = std::max(q.lo, q.lo + (q.hi - q.lo) / divisor - 1 - back);
      if (fits(v)) return v;
      if (p.parameters.empty()) break;
    }
    if (divisor > widest / 2) break;
  }
  return smallest && fits(*smallest) ? smallest : std::nullopt;
}

}  // namespace assay::oracle
