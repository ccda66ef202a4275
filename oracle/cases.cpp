// Inputs and costs of cases.
#include "oracle/cases.hpp"

#include <algorithm>
#include <cmath>

#include "interp/inputs.hpp"
#include "ir/analysis/launch.hpp"

namespace assay::oracle {
namespace {

/// The value nearest to zero that a declared range allows.
Scalar nearest_to_zero(const Buffer& b) {
  if (!b.range) return {b.type, 0};
  const Int128 lo = b.range->first;
  const Int128 hi = b.range->second - 1;
  const Int128 v = lo > 0 ? lo : (hi < 0 ? hi : Int128{0});
  return wrap_int(b.type, v);
}

/// Calls `f` for every input and inout buffer with its shape.
template <typename F>
void for_each_input(const Program& p, const ParameterMap& parameters, F f) {
  for (const Buffer& b : p.buffers) {
    if (b.kind != BufferKind::input && b.kind != BufferKind::inout) continue;
    f(b, interp::shape(b, parameters).value_or(std::vector<std::int64_t>{0}));
  }
}

TensorMap zero_inputs(const Program& p, const ParameterMap& parameters) {
  TensorMap out;
  for_each_input(p, parameters, [&](const Buffer& b, std::vector<std::int64_t> dims) {
    Tensor t(b.type, std::move(dims));
    const Scalar value = nearest_to_zero(b);
    if (value.bits != 0) {
      for (std::int64_t i = 0; i < t.size(); ++i) t.set(i, value);
    }
    out.emplace(b.name, std::move(t));
  });
  return out;
}

/// How many values one element of a buffer can have; nothing when that exceeds 2^16.
std::optional<std::uint64_t> element_values(const Buffer& b) {
  if (b.range) {
    const Int128 n = b.range->second - b.range->first;
    return n > 0 && n <= 65536 ? std::optional<std::uint64_t>(static_cast<std::uint64_t>(n)) : std::nullopt;
  }
  if (b.type == Type::boolean) return 2;
  return bit_width(b.type) <= 16 ? std::optional<std::uint64_t>(std::uint64_t{1} << bit_width(b.type)) : std::nullopt;
}

/// Input number `n` in the mixed radix of the elements' values, the first element counting fastest.
TensorMap enumerated_inputs(const Program& p, const ParameterMap& parameters, std::uint64_t n) {
  TensorMap out;
  for_each_input(p, parameters, [&](const Buffer& b, std::vector<std::int64_t> dims) {
    Tensor t(b.type, std::move(dims));
    const std::uint64_t radix = element_values(b).value_or(1);
    for (std::int64_t i = 0; i < t.size(); ++i) {
      const std::uint64_t digit = n % radix;
      n /= radix;
      t.set(i, b.range ? wrap_int(b.type, b.range->first + static_cast<Int128>(digit)) : Scalar{b.type, digit});
    }
    out.emplace(b.name, std::move(t));
  });
  return out;
}

/// Costs are counted in expression nodes and stores, as the interpreter counts operations.
class Estimate {
 public:
  Estimate(const Program& p, const ParameterMap& parameters)
      : program_(p), values_(parameters.begin(), parameters.end()) {}

  double block(const Block& b) {
    double sum = 0;
    for (const Stmt& s : b) sum += statement(s);
    return sum;
  }

 private:
  double statement(const Stmt& s) {
    switch (s->kind) {
      case StmtKind::loop: return loop(s);
      case StmtKind::branch: return 1 + expression(s->value) + std::max(block(s->body), block(s->other));
      case StmtKind::zero: return cells(s->name);
      default: break;
    }
    double sum = 1;
    for (const Expr& e : s->indices) sum += expression(e);
    return s->value ? sum + expression(s->value) : sum;
  }

  double loop(const Stmt& s) {
    const double lo = value(s->lo), hi = value(canonical_end(*s));
    const double trips = std::max(0.0, std::ceil((hi - lo) / static_cast<double>(s->step)));
    if (trips == 0) return 1;
    const double middle = lo + static_cast<double>(s->step) * std::floor((trips - 1) / 2);
    values_[s->name] = static_cast<std::int64_t>(middle);
    const double body = block(s->body);
    values_.erase(s->name);
    return 1 + trips * (1 + body);
  }

  double expression(const Expr& e) {
    double sum = 1;
    if (e->op == Op::scope) return sum + block(e->body);
    for (const Expr& a : e->args) sum += expression(a);
    return sum;
  }

  double cells(const Symbol& name) {
    const Buffer* b = program_.find_buffer(name);
    double n = 1;
    if (b != nullptr) {
      for (const Index& d : b->dims) n *= std::max(0.0, value(d));
    }
    return n;
  }

  double value(const Index& e) const {
    const auto v = e.evaluate([this](const Symbol& s) -> std::optional<std::int64_t> {
      const auto found = values_.find(s);
      return found == values_.end() ? std::optional<std::int64_t>{} : found->second;
    });
    return v ? static_cast<double>(*v) : 0.0;
  }

  const Program& program_;
  std::map<Symbol, std::int64_t> values_;
};

}  // namespace

TensorMap make_inputs(const Program& p, const ParameterMap& parameters, const InputChoice& choice) {
  switch (choice.kind) {
    case InputChoice::Kind::exact: return interp::generate_inputs(p, parameters, interp::InputKind::exact, choice.seed);
    case InputChoice::Kind::adversarial:
      return interp::generate_inputs(p, parameters, interp::InputKind::adversarial, choice.seed);
    case InputChoice::Kind::special:
      return interp::generate_inputs(p, parameters, interp::InputKind::special, choice.seed);
    case InputChoice::Kind::enumerated: return enumerated_inputs(p, parameters, choice.seed);
    default: return zero_inputs(p, parameters);
  }
}

Waves standard_waves(int seeds) {
  Waves out;
  for (std::uint64_t s = 0; s < static_cast<std::uint64_t>(seeds); ++s) {
    std::vector<InputChoice> wave;
    if (s == 0) wave.push_back({InputChoice::Kind::zero, 0});
    wave.push_back({InputChoice::Kind::exact, s});
    wave.push_back({InputChoice::Kind::adversarial, s});
    wave.push_back({InputChoice::Kind::special, 2 * s});
    wave.push_back({InputChoice::Kind::special, 2 * s + 1});
    out.push_back(std::move(wave));
  }
  return out;
}

std::optional<std::uint64_t> count_inputs(const Program& p, const ParameterMap& parameters, std::uint64_t most) {
  std::optional<std::uint64_t> total = 1;
  for_each_input(p, parameters, [&](const Buffer& b, const std::vector<std::int64_t>& dims) {
    const auto radix = element_values(b);
    std::int64_t elements = 1;
    for (std::int64_t d : dims)
      elements = d == 0 ? 0 : std::min<std::int64_t>(elements * std::min<std::int64_t>(d, 1 << 20), 1 << 20);
    if (elements == 0 || !total) return;
    if (!radix) {
      total.reset();
      return;
    }
    for (std::int64_t i = 0; i < elements && total && *radix > 1; ++i) {
      total = *total * *radix;
      if (*total > most) total.reset();
    }
  });
  return total;
}

std::optional<std::int64_t> footprint(const Program& p, const ParameterMap& parameters) {
  Int128 total = 0;
  for (const Buffer& b : p.buffers) {
    // A negative dimension needs no memory: the run ends before it begins, with a fault that says so (RUN-9).
    const bool negative = std::any_of(b.dims.begin(), b.dims.end(), [&](const Index& d) {
      const auto value = d.evaluate([&](const Symbol& s) -> std::optional<std::int64_t> {
        const auto it = parameters.find(s);
        return it == parameters.end() ? std::nullopt : std::optional<std::int64_t>(it->second);
      });
      return value && *value < 0;
    });
    if (negative) continue;
    const auto dims = interp::shape(b, parameters);
    if (!dims) return std::nullopt;
    Int128 bytes = byte_width(b.type);
    for (std::int64_t d : *dims) {
      bytes *= d;
      if (bytes > INT64_MAX) return std::nullopt;
    }
    total += bytes;
    if (total > INT64_MAX) return std::nullopt;
  }
  return static_cast<std::int64_t>(total);
}

double estimated_work(const Program& p, const ParameterMap& parameters) {
  return Estimate(p, parameters).block(p.body);
}

bool can_race(const Program& p) { return has_loop(p.body, {Axis::grid, Axis::workgroup, Axis::reduce}); }

std::vector<ParameterMap> witness_sizes(const Program& p, const std::vector<ObligationReport>& list) {
  std::vector<std::pair<double, ParameterMap>> sized;
  for (const ObligationReport& o : list) {
    if (o.obligation.status != Obligation::Status::proved && o.obligation.witness &&
        interp::admissible(p, o.obligation.witness->parameters)) {
      sized.emplace_back(estimated_work(p, o.obligation.witness->parameters), o.obligation.witness->parameters);
    }
  }
  std::sort(sized.begin(), sized.end());
  sized.erase(std::unique(sized.begin(), sized.end()), sized.end());
  std::vector<ParameterMap> out;
  for (auto& [work, size] : sized) out.push_back(std::move(size));
  return out;
}

}  // namespace assay::oracle
