// Executions by enumeration.
#include "brute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace assay::test {
namespace {

constexpr std::size_t most_events = 200000;

class Tracer {
 public:
  // `program`: what a `zero` is a zero of.
  explicit Tracer(Values values, const Program* program = nullptr, bool ordered = true)
      : values_(std::move(values)), program_(program), ordered_(ordered) {}

  Trace run(const Block& b) {
    block(b);
    if (!ordered_) std::sort(out_.events.begin(), out_.events.end());
    return std::move(out_);
  }

  std::optional<bool> condition(const Expr& e) { return truth(ground(e)); }

 private:
  // What a condition's text says: it is "true" or "false", or, where an operand reads data but cannot change the
  // outcome, ends in "=true" or "=false".
  static std::optional<bool> truth(const std::string& text) {
    const auto ends = [&](const std::string& word) {
      return text == word || (text.size() > word.size() &&
                              text.compare(text.size() - word.size() - 1, std::string::npos, "=" + word) == 0);
    };
    if (ends("true")) return true;
    if (ends("false")) return false;
    return std::nullopt;
  }

  std::int64_t value(const Index& e) {
    const auto v = e.evaluate([&](const Symbol& s) -> std::optional<std::int64_t> {
      const auto it = values_.find(s);
      if (it == values_.end()) return std::nullopt;
      return it->second;
    });
    if (!v) out_.problem = "no value for " + e.text();
    return v.value_or(0);
  }

  void block(const Block& b) {
    for (const Stmt& s : b) {
      if (!out_.problem.empty()) return;
      statement(s);
    }
  }

  void statement(const Stmt& s) {
    switch (s->kind) {
      case StmtKind::loop: {
        const std::int64_t hi = s->axis == Axis::tile ? value(s->lo) + 1 : value(s->hi);  // lanes are one
        for (std::int64_t i = value(s->lo); i < hi && out_.problem.empty(); i += s->step) {
          values_[s->name] = i;
          block(s->body);
        }
        values_.erase(s->name);
        return;
      }
      case StmtKind::branch: {
        const std::string text = ground(s->value);
        const auto c = truth(text);
        const bool reads = text != "true" && text != "false";
        if (reads) event(s, "if " + text);
        if (c != false) block(s->body);
        if (reads) event(s, "else");
        if (c != true) block(s->other);
        if (reads) event(s, "end");
        return;
      }
      case StmtKind::zero: return zero(s, *program_->find_buffer(s->name), {});
      case StmtKind::barrier: return event(s, "barrier");
      case StmtKind::launch: return;  // only order
      case StmtKind::declare: return event(s, "var " + stem(s->name) + (s->value ? " = " + ground(s->value) : ""));
      case StmtKind::assign: return event(s, stem(s->name) + " = " + ground(s->value));
      case StmtKind::store: return event(s, s->name + list(s->indices) + " = " + ground(s->value));
    }
  }

  // A `zero` is a store of zero to each cell, in row-major order.
  void zero(const Stmt& s, const Buffer& b, const std::vector<std::int64_t>& cell) {
    if (cell.size() == b.dims.size()) {
      return event(s,
                   fmt::format("{}[{}] = {}", s->name, fmt::join(cell, ", "), ground(make_literal(Scalar{b.type, 0}))));
    }
    const std::int64_t extent = value(b.dims[cell.size()]);
    for (std::int64_t k = 0; k < extent && out_.problem.empty(); ++k) {
      std::vector<std::int64_t> inner = cell;
      inner.push_back(k);
      zero(s, b, inner);
    }
  }

  void event(const Stmt& s, const std::string& text) {
    if (out_.events.size() >= most_events) out_.problem = "too many events";
    if (!s->provenance) {
      out_.problem = "a statement claims no source: " + text;
      return;
    }
    std::string origin;
    for (const auto& [symbol, e] : s->provenance->to_source) origin += fmt::format(" {}={}", symbol, value(e));
    out_.events.push_back(fmt::format("S{}{}: {}", s->provenance->statement, origin, text));
  }

  std::string list(const std::vector<Expr>& es) {
    std::string out;
    for (const Expr& e : es) out += (out.empty() ? "" : ", ") + ground(e);
    return "[" + out + "]";
  }

  // The expression with index values computed, and with what affine conditions decide taken out.
  std::string ground(const Expr& e) {
    const auto arg = [&](std::size_t i) { return ground(e->args[i]); };
    switch (e->op) {
      case Op::literal:
        if (e->type == Type::boolean) return e->literal.bits != 0 ? "true" : "false";
        return fmt::format("{}:{:x}", name(e->type), e->literal.bits);
      case Op::index: return fmt::format("{}", value(e->index));
      case Op::variable: return stem(e->name);
      case Op::load: return e->name + list(e->args);
      case Op::convert: return fmt::format("{}({})", name(e->type), arg(0));
      case Op::scope: {
        Tracer inner(values_, program_, ordered_);
        const Trace t = inner.run(e->body);
        if (!t.problem.empty()) out_.problem = t.problem;
        return fmt::format("scope {} {{{}}}", stem(e->name), fmt::join(t.events, "; "));
      }
      case Op::choice: {
        const std::string c = arg(0);
        if (c == "true") return arg(1);
        if (c == "false") return arg(2);
        const auto known = truth(c);
        return fmt::format("({} ? {} : {})", c, known == false ? "" : arg(1), known == true ? "" : arg(2));
      }
      case Op::land:
      case Op::lor: {
        const std::string neutral = e->op == Op::land ? "true" : "false";
        const std::string absorbing = e->op == Op::land ? "false" : "true";
        const std::string a = arg(0);
        if (a == neutral) return arg(1);
        if (a == absorbing) return a;
        const bool decides = e->op == Op::lor;  // the value of one operand that decides
        if (truth(a) == decides) return a;
        const std::string b = arg(1);
        if (b == neutral) return a;
        const std::string both = fmt::format("({} {} {})", a, info(e->op).text, b);
        if (truth(b) == decides) return both + "=" + absorbing;
        if (truth(a) == !decides && truth(b) == !decides) return both + "=" + neutral;
        return both;
      }
      case Op::lnot: {
        const std::string a = arg(0);
        if (a == "true" || a == "false") return a == "true" ? "false" : "true";
        const auto known = truth(a);
        return fmt::format("!{}{}", a, known ? (*known ? "=false" : "=true") : "");
      }
      default: break;
    }
    if (is_comparison(e->op) && e->args[0]->op == Op::index && e->args[1]->op == Op::index) {
      const std::int64_t a = value(e->args[0]->index);
      const std::int64_t b = value(e->args[1]->index);
      const bool holds = e->op == Op::eq   ? a == b
                         : e->op == Op::ne ? a != b
                         : e->op == Op::lt ? a < b
                         : e->op == Op::le ? a <= b
                         : e->op == Op::gt ? a > b
                                           : a >= b;
      return holds ? "true" : "false";
    }
    return fmt::format("{}{}", info(e->op).text, list(e->args));
  }

  Values values_;
  const Program* program_;
  bool ordered_;
  Trace out_;
};

}  // namespace

Trace trace(const Program& p, const Values& parameters, bool ordered) {
  return Tracer(parameters, &p, ordered).run(p.body);
}

std::vector<Values> parameter_values(const Program& p, std::size_t limit) {
  std::vector<Values> all{{}};
  for (const Parameter& q : p.parameters) {
    std::vector<Values> longer;
    for (const Values& v : all) {
      for (std::int64_t x = q.lo; x < q.hi && longer.size() < 4096; ++x) {
        longer.push_back(v);
        longer.back()[q.name] = x;
      }
    }
    all = std::move(longer);
  }
  all.erase(std::remove_if(all.begin(), all.end(),
                           [&](const Values& v) {
                             return std::any_of(p.requirements.begin(), p.requirements.end(),
                                                [&](const Expr& r) { return Tracer(v).condition(r) != true; });
                           }),
            all.end());
  std::vector<Values> chosen;
  const std::size_t stride = std::max<std::size_t>(1, all.size() / std::max<std::size_t>(1, limit));
  for (std::size_t i = 0; i < all.size(); i += stride) chosen.push_back(all[i]);
  return chosen;
}

std::string difference(const Program& before, const Program& after, const Values& parameters, bool same_order) {
  const Trace a = trace(number_statements(before), parameters, same_order);
  const Trace b = trace(after, parameters, same_order);
  if (!a.problem.empty()) return "before: " + a.problem;
  if (!b.problem.empty()) return "after: " + b.problem;
  for (std::size_t i = 0; i < std::max(a.events.size(), b.events.size()); ++i) {
    const std::string x = i < a.events.size() ? a.events[i] : "nothing";
    const std::string y = i < b.events.size() ? b.events[i] : "nothing";
    if (x != y) return fmt::format("event {}: {} before, {} after", i, x, y);
  }
  return {};
}

std::string difference(const Program& before, const Program& after, bool same_order) {
  for (const Values& v : parameter_values(before, 12)) {
    std::string d = difference(before, after, v, same_order);
    if (d.empty()) continue;
    for (const auto& [name, x] : v) d += fmt::format(", {}={}", name, x);
    return d;
  }
  return {};
}

}  // namespace assay::test
