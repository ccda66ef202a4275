// Tables in programs are small permutations, offsets and strides: most are a few runs of evenly spaced values, and each run is
// one conjunction of linear constraints.
#include "proofs/validate/table.hpp"

namespace assay::derive {
namespace {

constexpr std::size_t most_runs = 32;

/// Elements first … first + length − 1 of a row; element k is value + slope·(k − first).
struct Run {
  std::size_t first = 0, length = 1;
  Int128 value = 0, slope = 0;
};

std::vector<Run> runs_of(const std::vector<Scalar>& data, std::size_t begin, std::size_t length) {
  std::vector<Run> out;
  for (std::size_t k = 0; k < length; ++k) {
    const Int128 value = int_value(data[begin + k]);
    if (!out.empty()) {
      Run& last = out.back();
      const Int128 step = value - (last.value + last.slope * static_cast<Int128>(last.length - 1));
      if (last.length == 1) last.slope = step;
      if (step == last.slope) {
        ++last.length;
        continue;
      }
    }
    out.push_back({k, 1, value, 0});
  }
  return out;
}

bool is_small(Int128 v) { return v >= INT64_MIN / 2 && v <= INT64_MAX / 2; }

}  // namespace

std::optional<Formula> table_fact(const Buffer& constant, const std::vector<Index>& at, const Index& value) {
  if (!is_int(constant.type) || constant.data.empty() || at.empty() || at.size() != constant.dims.size())
    return std::nullopt;
  std::vector<std::int64_t> dims;
  for (const Index& d : constant.dims) {
    if (!d.is_constant()) return std::nullopt;
    dims.push_back(d.constant());
  }
  const auto row = static_cast<std::size_t>(dims.back());
  std::vector<Formula> out;
  for (std::size_t begin = 0; begin < constant.data.size(); begin += row) {
    std::vector<Formula> in_row;
    std::size_t rest = begin / row;
    for (std::size_t d = at.size() - 1; d-- > 0;) {
      const auto size = static_cast<std::size_t>(dims[d]);
      in_row.push_back(Formula::eq(at[d], Index(static_cast<std::int64_t>(rest % size))));
      rest /= size;
    }
    const Index& k = at.back();
    for (const Run& run : runs_of(constant.data, begin, row)) {
      if (out.size() == most_runs || !is_small(run.value) || !is_small(run.slope)) return std::nullopt;
      const Index first(static_cast<std::int64_t>(run.first));
      std::vector<Formula> parts = in_row;
      parts.push_back(Formula::le(first, k));
      parts.push_back(Formula::lt(k, first + static_cast<std::int64_t>(run.length)));
      parts.push_back(Formula::eq(
          value, (k - first) * static_cast<std::int64_t>(run.slope) + static_cast<std::int64_t>(run.value)));
      out.push_back(Formula::all(std::move(parts)));
    }
  }
  return Formula::any(std::move(out));
}

}  // namespace assay::derive
