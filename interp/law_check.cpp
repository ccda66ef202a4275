// Checks a law by evaluating both sides on many values: all of them where there are few.
#include <algorithm>

#include "interp/laws.hpp"
#include "interp/numerics.hpp"
#include "interp/random.hpp"
#include "interp/values.hpp"
#include "ir/tensor.hpp"
#include "ir/typing.hpp"

namespace assay::laws {
namespace {

struct Variable {
  Symbol name;
  Type type;
};

/// An expression with its functions looked up and its variables numbered: evaluated millions of times.
class Compiled {
 public:
  Compiled(const Expr& e, std::vector<Variable>& variables) : root_(add(e, variables)) {}

  Value evaluate(const std::vector<Scalar>& values) const {
    numerics::Flags flags;
    const Scalar result = evaluate(root_, values, flags);
    if (flags.divide_by_zero) return std::nullopt;
    return result;
  }

 private:
  struct Node {
    Op op = Op::literal;
    Scalar literal{};
    std::size_t variable = 0;
    numerics::Function function{};
    std::size_t args[4] = {0, 0, 0, 0};
    std::size_t count = 0;
  };

  std::size_t add(const Expr& e, std::vector<Variable>& variables) {
    Node n;
    n.op = e->op;
    n.literal = e->literal;
    for (const Expr& a : e->args) n.args[n.count++] = add(a, variables);
    if (e->op == Op::variable) {
      const auto at =
          std::find_if(variables.begin(), variables.end(), [&](const Variable& v) { return v.name == e->name; });
      n.variable = static_cast<std::size_t>(at - variables.begin());
      if (at == variables.end()) variables.push_back({e->name, e->type});
    } else if (e->op == Op::convert) {
      n.function = numerics::find_convert(e->type, e->args[0]->type);
    } else if (n.count != 0) {
      n.function = numerics::find(e->op, operation_type(*e));
    }
    nodes_.push_back(n);
    return nodes_.size() - 1;
  }

  Scalar evaluate(std::size_t at, const std::vector<Scalar>& values, numerics::Flags& flags) const {
    const Node& n = nodes_[at];
    switch (n.op) {
      case Op::literal: return n.literal;
      case Op::variable: return values[n.variable];
      case Op::choice: return evaluate(n.args[evaluate(n.args[0], values, flags).bits != 0 ? 1 : 2], values, flags);
      case Op::land: {
        const Scalar first = evaluate(n.args[0], values, flags);
        return first.bits == 0 ? first : evaluate(n.args[1], values, flags);
      }
      case Op::lor: {
        const Scalar first = evaluate(n.args[0], values, flags);
        return first.bits != 0 ? first : evaluate(n.args[1], values, flags);
      }
      default: break;
    }
    Scalar operands[4];
    for (std::size_t i = 0; i < n.count; ++i) operands[i] = evaluate(n.args[i], values, flags);
    if (n.op == Op::select) return operands[operands[0].bits != 0 ? 1 : 2];
    return n.function(operands, flags);
  }

  std::vector<Node> nodes_;
  std::size_t root_;
};

class Check {
 public:
  explicit Check(const Sides& s)
      : left_(s.left, variables_),
        right_(s.right, variables_),
        condition_(s.condition ? s.condition : make_literal(bool_scalar(true)), variables_) {
    values_.resize(variables_.size());
  }

  Finding run(std::uint64_t budget) {
    if (combinations() <= budget) {
      finding_.exhaustive = true;
      product([](Type t) { return every_value(t); });
    } else {
      const bool many = variables_.size() > 2;
      product([many](Type t) { return many ? few_values(t) : interp::boundary_values(t); });
      if (variables_.size() == 2) all_against_special();
      random_cases(budget / 4);
    }
    if (finding_.verdict != Finding::Verdict::refuted && finding_.cases > 0) finding_.verdict = Finding::Verdict::holds;
    return finding_;
  }

 private:
  bool refuted() const { return finding_.verdict == Finding::Verdict::refuted; }

  void try_case() {
    if (refuted()) return;
    const Value holds = condition_.evaluate(values_);
    if (!holds || holds->bits == 0) return;
    ++finding_.cases;
    const Value left = left_.evaluate(values_), right = right_.evaluate(values_);
    if (left.has_value() == right.has_value() && (!left || same_value(*left, *right))) return;
    finding_.verdict = Finding::Verdict::refuted;
    finding_.left = left;
    finding_.right = right;
    for (std::size_t i = 0; i < variables_.size(); ++i) finding_.witness.emplace_back(variables_[i].name, values_[i]);
  }

  static int value_bits(Type t) { return t == Type::boolean ? 1 : bit_width(t); }
  static std::vector<Scalar> every_value(Type t) {
    std::vector<Scalar> all;
    for (std::uint64_t bits = 0; bits >> value_bits(t) == 0; ++bits) all.push_back({t, bits});
    return all;
  }
  /// For products over three variables.
  static std::vector<Scalar> few_values(Type t) {
    std::vector<Scalar> few = interp::special_values(t);
    const std::vector<Scalar> many = interp::boundary_values(t);
    for (std::size_t i = 0; i < many.size() && few.size() < 40; i += 1 + many.size() / 24) few.push_back(many[i]);
    return few;
  }
  std::uint64_t combinations() const {
    int bits = 0;
    for (const Variable& v : variables_) bits += value_bits(v.type);
    return bits > 62 ? ~std::uint64_t{0} : std::uint64_t{1} << bits;
  }

  template <typename Values>
  void product(Values values_of) {
    std::vector<std::vector<Scalar>> lists;
    for (const Variable& v : variables_) lists.push_back(values_of(v.type));
    std::vector<std::size_t> at(lists.size(), 0);
    for (bool more = true; more && !refuted();) {
      for (std::size_t i = 0; i < lists.size(); ++i) values_[i] = lists[i][at[i]];
      try_case();
      more = false;
      for (std::size_t i = 0; i < at.size() && !more; ++i) {
        more = ++at[i] < lists[i].size();
        if (!more) at[i] = 0;
      }
    }
  }

  void all_against_special() {
    for (std::size_t swept = 0; swept < 2; ++swept) {
      if (value_bits(variables_[swept].type) > 16) continue;
      const std::vector<Scalar> others = interp::special_values(variables_[1 - swept].type);
      for (const Scalar s : every_value(variables_[swept].type)) {
        values_[swept] = s;
        for (const Scalar other : others) {
          values_[1 - swept] = other;
          try_case();
        }
        if (refuted()) return;
      }
    }
  }

  /// Uniform patterns, telling values, small numbers, and values near the variable before or near its negation.
  Scalar random_value(Type t, const Scalar* before) {
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bit_width(t));
    if (t == Type::boolean) return bool_scalar(random_.coin());
    const Scalar* const related = before != nullptr && before->type == t ? before : nullptr;
    const std::uint64_t way = random_.below(related == nullptr ? 3 : 6);
    if (related != nullptr && way >= 3) return near(*related, way - 3);
    switch (way) {
      case 0: return {t, random_.next() & mask};
      case 1: {
        const std::vector<Scalar>& telling = t == telling_type_ ? telling_ : load_telling(t);
        return telling[random_.below(telling.size())];
      }
      default: {
        const auto small = static_cast<std::int64_t>(random_.below(512)) - 256;
        return is_float(t) ? interp::float_value(t, static_cast<double>(small), -static_cast<int>(random_.below(12)))
                           : wrap_int(t, small);
      }
    }
  }
  /// A neighbour of `v`, a neighbour of its negation, or `v`.
  Scalar near(const Scalar& v, std::uint64_t way) {
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bit_width(v.type));
    switch (way) {
      case 0: return {v.type, (v.bits + random_.below(5) - 2) & mask};
      case 1: {
        const std::uint64_t negated =
            is_float(v.type) ? v.bits ^ (std::uint64_t{1} << (bit_width(v.type) - 1)) : -v.bits;
        return {v.type, (negated + random_.below(3) - 1) & mask};
      }
      default: return v;
    }
  }
  const std::vector<Scalar>& load_telling(Type t) {
    telling_ = interp::boundary_values(t);
    telling_type_ = t;
    return telling_;
  }
  void random_cases(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count && !refuted(); ++i) {
      for (std::size_t v = 0; v < values_.size(); ++v)
        values_[v] = random_value(variables_[v].type, v == 0 ? nullptr : &values_[v - 1]);
      try_case();
    }
  }

  std::vector<Variable> variables_{};
  Compiled left_, right_, condition_;
  std::vector<Scalar> values_{};
  interp::Random random_{0x5eed};
  Type telling_type_ = Type::index;
  std::vector<Scalar> telling_{};
  Finding finding_{};
};

}  // namespace

Finding check_law(const Sides& sides, std::uint64_t budget) { return Check(sides).run(budget); }

}  // namespace assay::laws
