// Parameter values: shapes, requirements, and the search for the smallest admissible ones.
#include <algorithm>

#include "interp/machine.hpp"

namespace assay::interp {
namespace {

// Evaluates requirements as soon as the parameters that they mention have values.
class Requirements {
 public:
  explicit Requirements(const Program& p) {
    head_.parameters = p.parameters;
    head_.requirements = p.requirements;
    if (auto r = resolve(head_, {})) {
      program_ = std::move(*r);
      machine_ = std::make_unique<Machine>(program_, Options{}, memory_, 0);
    }
    for (const BoundExpr& e : program_.requirements) last_.push_back(last_parameter(e));
  }
  bool resolved() const { return machine_ != nullptr; }
  void set(std::size_t i, std::int64_t v) { machine_->set_parameter(i, v); }
  /// Whether all requirements hold whose last parameter is number i (-1: those that mention none). One without a value does not.
  bool hold(int i) {
    for (std::size_t r = 0; r < last_.size(); ++r) {
      if (last_[r] != i) continue;
      try {
        if (!machine_->holds(program_.requirements[r])) return false;
      } catch (Faulted&) {
        return false;
      }
    }
    return true;
  }

 private:
  static int last_parameter(const BoundIndex& e) {
    int last = -1;
    for (const BoundIndexTerm& t : e.terms) {
      if (t.kind == IndexAtom::Kind::symbol) last = std::max(last, t.slot.index);
      for (const BoundIndex& a : t.args) last = std::max(last, last_parameter(a));
    }
    return last;
  }
  static int last_parameter(const BoundExpr& e) {
    int last = last_parameter(e.index);
    for (const BoundExpr& a : e.args) last = std::max(last, last_parameter(a));
    return last;
  }

  Program head_{};
  BoundProgram program_{};
  std::vector<Memory> memory_{};
  std::unique_ptr<Machine> machine_{};
  std::vector<int> last_{};
};

constexpr std::uint64_t candidate_limit = 4'000'000;

// Depth first over the parameters in order; whether values were found for those from number i on.
bool search(const Program& p, Requirements& requirements, std::size_t i, std::vector<std::int64_t>& values,
            std::uint64_t& tried) {
  if (i == p.parameters.size()) return true;
  for (std::int64_t v = p.parameters[i].lo; v < p.parameters[i].hi; ++v) {
    if (++tried > candidate_limit) return false;
    requirements.set(i, v);
    values[i] = v;
    if (requirements.hold(static_cast<int>(i)) && search(p, requirements, i + 1, values, tried)) return true;
  }
  return false;
}

}  // namespace

std::optional<std::vector<std::int64_t>> shape(const Buffer& b, const ParameterMap& parameters) {
  const auto value = [&](const Symbol& s) -> std::optional<std::int64_t> {
    const auto it = parameters.find(s);
    return it == parameters.end() ? std::nullopt : std::optional<std::int64_t>(it->second);
  };
  std::vector<std::int64_t> dims;
  for (const Index& d : b.dims) {
    const auto v = d.evaluate(value);
    if (!v || *v < 0) return std::nullopt;
    dims.push_back(*v);
  }
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return dims;
  std::int64_t bytes = byte_width(b.type);
  for (std::int64_t d : dims) {
    if (__builtin_mul_overflow(bytes, d, &bytes)) return std::nullopt;
  }
  return dims;
}

bool admissible(const Program& p, const ParameterMap& parameters) {
  if (p.parameters.empty() && p.requirements.empty()) return true;
  Requirements requirements(p);
  if (!requirements.resolved() || !requirements.hold(-1)) return false;
  for (std::size_t i = 0; i < p.parameters.size(); ++i) {
    const auto it = parameters.find(p.parameters[i].name);
    if (it == parameters.end() || it->second < p.parameters[i].lo || it->second >= p.parameters[i].hi) return false;
    requirements.set(i, it->second);
    if (!requirements.hold(static_cast<int>(i))) return false;
  }
  return true;
}

std::optional<ParameterMap> smallest_parameters(const Program& p) {
  Requirements requirements(p);
  std::vector<std::int64_t> values(p.parameters.size());
  std::uint64_t tried = 0;
  if (!requirements.resolved() || !requirements.hold(-1) || !search(p, requirements, 0, values, tried))
    return std::nullopt;
  ParameterMap found;
  for (std::size_t i = 0; i < values.size(); ++i) found[p.parameters[i].name] = values[i];
  return found;
}

}  // namespace assay::interp
