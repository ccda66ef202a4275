// See the header.
#include "exec_naive.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace assay::test {
namespace {

using Number = std::optional<std::int64_t>;
using Cells = std::vector<std::int64_t>;

struct Lane {
  std::map<Symbol, std::shared_ptr<Number>> names{};
  std::vector<std::pair<Symbol, std::int64_t>> path{};
};
using Lanes = std::vector<Lane>;

struct Failure {
  std::string text;
};

std::string describe_failure(const std::string& code, const std::vector<std::pair<Symbol, std::int64_t>>& path,
                             const Symbol& buffer, const Cells& cell) {
  std::string text = code;
  for (const auto& [symbol, value] : path) text += fmt::format(" {}={}", symbol, value);
  return text + fmt::format(" {}[{}]", buffer, fmt::join(cell, ","));
}

std::int64_t wrap(std::int64_t v) { return static_cast<std::int32_t>(static_cast<std::uint64_t>(v)); }

class Naive {
 public:
  Naive(const Program& p, const TensorMap& inputs) : program_(p) {
    for (const Buffer& b : p.buffers) {
      const Cells dims = *interp::shape(b, {});
      auto& cells = memory_[b.name];
      cells.resize(static_cast<std::size_t>(Tensor(b.type, dims).size()));
      if (const auto it = inputs.find(b.name); it != inputs.end()) {
        for (std::size_t i = 0; i < cells.size(); ++i)
          cells[i] = signed_value(it->second.get(static_cast<std::int64_t>(i)));
      }
    }
  }

  std::string run() {
    try {
      for (const Stmt& s : program_.body) measure(s, {});
      std::vector<std::size_t> group(extents_.size(), 0);
      do {
        group_ = group;
        Lanes one(1);
        block(program_.body, one);
      } while (next(group));
      return outputs();
    } catch (Failure& f) {
      return f.text;
    }
  }

 private:
  // ---- groups: the extents by slot, found by running through every loop around a grid loop.
  static std::size_t depth(const Block& b) {
    std::size_t most = 0;
    for (const Stmt& s : b) {
      const std::size_t own = s->kind == StmtKind::loop && s->axis == Axis::grid ? 1 : 0;
      most = std::max({most, own + depth(s->body), depth(s->other)});
    }
    return most;
  }
  void measure(const Stmt& s, const std::map<Symbol, std::int64_t>& symbols) {
    if (s->kind != StmtKind::loop) {
      for (const Block* b : {&s->body, &s->other}) {
        for (const Stmt& inner : *b) measure(inner, symbols);
      }
      return;
    }
    const auto value = [&](const Symbol& n) -> Number { return symbols.at(n); };
    const std::int64_t lo = *s->lo.evaluate(value), hi = *s->hi.evaluate(value);
    std::size_t trips = 0;
    for (std::int64_t i = lo; i < hi; i += s->step, ++trips) {
      auto inside = symbols;
      inside[s->name] = i;
      for (const Stmt& inner : s->body) measure(inner, inside);
    }
    if (s->axis == Axis::grid) {
      const std::size_t slot = depth(s->body);
      if (extents_.size() <= slot) extents_.resize(slot + 1, 1);
      extents_[slot] = std::max(extents_[slot], trips);
    }
  }
  bool next(std::vector<std::size_t>& group) const {
    for (std::size_t slot = 0; slot < group.size(); ++slot) {
      if (++group[slot] < extents_[slot]) return true;
      group[slot] = 0;
    }
    return false;
  }

  // ---- statements
  void block(const Block& b, Lanes lanes) {
    for (const Stmt& s : b) {
      if (!lanes.empty()) statement(s, lanes);
    }
  }
  void statement(const Stmt& s, Lanes& lanes) {
    switch (s->kind) {
      case StmtKind::loop: loop(s, lanes); break;
      case StmtKind::branch: {
        Lanes yes, no;
        for (Lane& l : lanes) (expression(s->value, l) != 0 ? yes : no).push_back(l);
        block(s->body, yes);
        block(s->other, no);
        break;
      }
      case StmtKind::declare: {
        std::vector<Number> values;
        for (Lane& l : lanes) values.push_back(s->value ? Number(expression(s->value, l)) : Number());
        for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i].names[s->name] = std::make_shared<Number>(values[i]);
        break;
      }
      default: {
        // Evaluate all, check all, store all.
        std::vector<std::pair<Number*, std::int64_t>> stores;
        std::vector<Cells> cells;
        for (Lane& l : lanes) {
          if (s->kind == StmtKind::store) {
            Cells at;
            for (const Expr& e : s->indices) at.push_back(expression(e, l));
            const std::int64_t v = expression(s->value, l);
            stores.emplace_back(&cell(s->name, at, l), v);
            cells.push_back(at);
          } else {
            const std::int64_t v = expression(s->value, l);
            stores.emplace_back(l.names.at(s->name).get(), v);
            cells.emplace_back();
          }
        }
        for (std::size_t i = 0; i < stores.size(); ++i) {
          for (std::size_t j = 0; j < i; ++j) {
            if (stores[i].first == stores[j].first)
              throw Failure{describe_failure("RUN-7", lanes[i].path, s->name, cells[i])};
          }
        }
        for (auto& [target, v] : stores) *target = v;
        break;
      }
    }
  }
  void loop(const Stmt& s, Lanes& lanes) {
    const auto inside = [&](const Lane& l, std::int64_t v) {
      Lane copy = l;
      copy.names[s->name] = std::make_shared<Number>(v);
      copy.path.emplace_back(s->name, v);
      return copy;
    };
    const auto lower = [&](Lane& l) { return index(s->lo, l); };
    const auto trips = [&](Lane& l) {
      std::int64_t n = 0;
      for (std::int64_t i = lower(l), hi = index(s->hi, l); i < hi; i += s->step) ++n;
      return n;
    };
    std::int64_t most = 0;
    for (Lane& l : lanes) most = std::max(most, trips(l));
    if (s->axis == Axis::vectorized) {
      Lanes all;
      for (Lane& l : lanes) {
        for (std::int64_t k = 0; k < trips(l); ++k) all.push_back(inside(l, lower(l) + k * s->step));
      }
      block(s->body, all);
      return;
    }
    for (std::int64_t k = 0; k < most; ++k) {
      if (s->axis == Axis::grid && k != static_cast<std::int64_t>(group_[depth(s->body)])) continue;
      Lanes active;
      for (Lane& l : lanes) {
        if (k < trips(l)) active.push_back(inside(l, lower(l) + k * s->step));
      }
      block(s->body, active);
    }
  }

  // ---- expressions
  std::int64_t index(const Index& e, Lane& l) {
    return *e.evaluate([&](const Symbol& n) { return *l.names.at(n); });
  }
  Number& cell(const Symbol& buffer, const Cells& at, Lane& l) {
    const Cells dims = *interp::shape(*program_.find_buffer(buffer), {});
    std::int64_t flat = 0;
    for (std::size_t d = 0; d < at.size(); ++d) {
      if (at[d] < 0 || at[d] >= dims[d]) throw Failure{describe_failure("RUN-1", l.path, buffer, at)};
      flat = flat * dims[d] + at[d];
    }
    return memory_[buffer][static_cast<std::size_t>(flat)];
  }
  std::int64_t expression(const Expr& e, Lane& l) {
    const auto arg = [&](std::size_t i) { return expression(e->args[i], l); };
    switch (e->op) {
      case Op::literal: return signed_value(e->literal);
      case Op::index: return index(e->index, l);
      case Op::variable:
        if (!*l.names.at(e->name)) throw Failure{describe_failure("RUN-2", l.path, e->name, {})};
        return **l.names.at(e->name);
      case Op::load: {
        Cells at;
        for (std::size_t i = 0; i < e->args.size(); ++i) at.push_back(arg(i));
        const Number& n = cell(e->name, at, l);
        if (!n) throw Failure{describe_failure("RUN-2", l.path, e->name, at)};
        return *n;
      }
      case Op::convert: return wrap(arg(0));
      case Op::choice: return arg(0) != 0 ? arg(1) : arg(2);
      case Op::land: return arg(0) != 0 ? arg(1) : 0;
      case Op::lor: return arg(0) != 0 ? 1 : arg(1);
      case Op::scope: {
        Lanes one{l};
        one[0].names[e->name] = std::make_shared<Number>();
        block(e->body, one);
        if (!*one[0].names[e->name]) throw Failure{describe_failure("RUN-2", l.path, e->name, {})};
        return **one[0].names[e->name];
      }
      default: break;
    }
    const std::int64_t a = arg(0), b = arg(1), c = e->args.size() > 2 ? arg(2) : 0;
    switch (e->op) {
      case Op::add: return wrap(a + b);
      case Op::sub: return wrap(a - b);
      case Op::mul: return wrap(a * b);
      case Op::max: return std::max(a, b);
      case Op::min: return std::min(a, b);
      case Op::lt: return a < b;
      case Op::eq: return a == b;
      case Op::select: return a != 0 ? b : c;
      default:
        if (b == 0) throw Failure{describe_failure("RUN-3", l.path, "", {})};
        return a - (a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0)) * b;  // floormod; the generator makes no other
    }
  }

  std::string outputs() {
    std::string text;
    for (const Buffer& b : program_.buffers) {
      if (b.kind != BufferKind::inout && b.kind != BufferKind::output) continue;
      Cells values;
      const Cells dims = *interp::shape(b, {});
      for (std::size_t i = 0; i < memory_[b.name].size(); ++i) {
        const Number& n = memory_[b.name][i];
        if (!n) return describe_failure("RUN-6", {}, b.name, unflatten(static_cast<std::int64_t>(i), dims));
        values.push_back(*n);
      }
      text += fmt::format("{}: {} ", b.name, fmt::join(values, ","));
    }
    return text;
  }

  const Program& program_;
  std::map<Symbol, std::vector<Number>> memory_{};
  std::vector<std::size_t> extents_{}, group_{};
};

}  // namespace

std::string run_naively(const Program& p, const TensorMap& inputs) { return Naive(p, inputs).run(); }

std::string summary(const interp::Outcome& o) {
  if (o.status == interp::Status::budget) return "budget";
  if (o.status == interp::Status::fault)
    return describe_failure(o.fault->code, o.fault->at.iteration, o.fault->buffer, o.fault->cell);
  std::string text;
  for (const auto& [name, t] : o.outputs) {
    Cells values;
    for (std::int64_t i = 0; i < t.size(); ++i) values.push_back(signed_value(t.get(i)));
    text += fmt::format("{}: {} ", name, fmt::join(values, ","));
  }
  return text;
}

}  // namespace assay::test
