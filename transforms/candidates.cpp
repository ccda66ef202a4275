// Depth first through the parameters in declared order; what was chosen before narrows what comes after: a second loop lies
// inside the first, the loops of a list stand around uses of the chosen buffer, a number counts in the chosen loop.
#include "transforms/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ir/reads.hpp"
#include "ir/traverse.hpp"
#include "ir/typing.hpp"
#include "transforms/affine.hpp"
#include "transforms/names.hpp"

namespace assay {
namespace {

using Kind = ParameterInfo::Kind;
using Counts = ParameterInfo::Counts;

constexpr int largest_expression = 40;  // nodes

struct Use {
  Symbol buffer;
  std::vector<Symbol> around;  // outermost first
  std::set<Symbol> moving;     // those that an index mentions
};

std::vector<Use> uses_of(const Program& p) {
  std::vector<Use> out;
  std::vector<Symbol> around;
  const auto add = [&](const Symbol& buffer, const std::vector<Expr>& indices) {
    Use u{buffer, around, {}};
    for (const Expr& e : indices) e->index.collect_symbols(u.moving);
    out.push_back(std::move(u));
  };
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::loop) around.push_back(s->name);
    if (s->kind == StmtKind::store || s->kind == StmtKind::zero) add(s->name, s->indices);
    return true;
  };
  v.leave_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::loop) around.pop_back();
  };
  v.enter_expr = [&](const Expr& e) {
    if (e->op == Op::load) add(e->name, e->args);
    return true;
  };
  visit(p.body, v);
  return out;
}

std::vector<Stmt> loops_in(const Block& b) {
  std::vector<Stmt> out;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::loop) out.push_back(s);
    return true;
  };
  visit(b, v);
  return out;
}

class Enumeration {
 public:
  Enumeration(const Declaration& d, const Program& p, std::size_t most) : declaration_(d), program_(p), most_(most) {}

  std::vector<ScheduleLine> run() {
    Partial start;
    start.line.op = declaration_.name;
    start.line.text = declaration_.name;
    extend(start, 0);
    return std::move(out_);
  }

 private:
  struct Partial {
    ScheduleLine line{};
    Stmt loop{};      // the last loop operand
    Symbol buffer{};  // the last buffer operand
  };

  static ScheduleWord word(std::string text) { return {std::move(text), {1, 1, 1}}; }

  void extend(const Partial& so_far, std::size_t next) {
    if (out_.size() >= most_) return;
    if (next == declaration_.parameters.size()) {
      out_.push_back(so_far.line);
      return;
    }
    const ParameterInfo& info = declaration_.parameters[next];
    const auto operand = [&](const std::string& text, const Stmt& loop, const Symbol& buffer) {
      Partial p = so_far;
      p.line.operands.push_back(word(text));
      p.line.text += " " + text;
      if (loop) p.loop = loop;
      if (!buffer.empty()) p.buffer = buffer;
      extend(p, next + 1);
    };
    const auto key = [&](const std::vector<std::string>& values) {
      Partial p = so_far;
      std::vector<ScheduleWord> words;
      for (const std::string& v : values) words.push_back(word(v));
      p.line.keys.emplace_back(word(info.name), std::move(words));
      p.line.text += fmt::format(" {}={}", info.name, fmt::join(values, ","));
      extend(p, next + 1);
    };
    switch (info.kind) {
      case Kind::loop:
        for (const Stmt& l : loops_in(so_far.loop ? so_far.loop->body : program_.body)) operand(l->name, l, {});
        return;
      case Kind::buffer:
        for (const Symbol& b : used_buffers()) operand(b, {}, b);
        return;
      case Kind::value:
        for (const std::string& v : values()) operand(v, {}, {});
        return;
      case Kind::storage:
        for (const Symbol& b : used_buffers(so_far.loop)) key({b});
        return;
      case Kind::loops:
        if (!info.required) extend(so_far, next + 1);
        for (const std::vector<Symbol>& list : loop_lists(so_far.buffer)) key(list);
        return;
      case Kind::integer:
        if (!info.required) return extend(so_far, next + 1);
        for (const std::int64_t n : numbers(info, so_far.loop)) key({std::to_string(n)});
        return;
      case Kind::integers:
        if (!info.required) return extend(so_far, next + 1);
        for (const std::string& c : info.choices) key({c});
        if (const auto middle = middle_of(so_far.loop)) key({std::to_string(*middle)});
        return;
      case Kind::boolean:
        extend(so_far, next + 1);
        if (info.fallback != "true") key({"true"});
        return;
      case Kind::choice:
        if (!info.required) return extend(so_far, next + 1);
        for (const std::string& c : info.choices) key({c});
        return;
      case Kind::names:
      case Kind::result:
      case Kind::results: return extend(so_far, next + 1);
    }
  }

  std::vector<Symbol> used_buffers(const Stmt& inside = {}) const {
    std::vector<Symbol> out;
    for (const Use& u : uses_) {
      if (inside && std::find(u.around.begin(), u.around.end(), inside->name) == u.around.end()) continue;
      if (std::find(out.begin(), out.end(), u.buffer) == out.end()) out.push_back(u.buffer);
    }
    return out;
  }

  /// Each variable, and the copies of one together; then the expressions that read something.
  std::vector<std::string> values() const {
    std::vector<std::string> out;
    for (const std::string& v : variable_names(program_)) {
      out.push_back(v);
      const std::string all = stem(v) + "*";
      if (v != stem(v) && std::find(out.begin(), out.end(), all) == out.end()) out.push_back(all);
    }
    for (const Expr& e : reading_expressions(program_, largest_expression)) {
      std::string text = "(" + print(e) + ")";
      if (std::find(out.begin(), out.end(), text) != out.end()) continue;
      // A choice between literals has no type of its own.
      if (const auto read = parse_expression(text, program_); read && *read == e) out.push_back(std::move(text));
    }
    return out;
  }

  /// Each loop around a use of the buffer, and each pair that moves one use.
  std::vector<std::vector<Symbol>> loop_lists(const Symbol& buffer) const {
    std::vector<std::vector<Symbol>> out;
    const auto add = [&](std::vector<Symbol> list) {
      if (std::find(out.begin(), out.end(), list) == out.end()) out.push_back(std::move(list));
    };
    for (const Use& u : uses_) {
      if (!buffer.empty() && u.buffer != buffer) continue;
      for (const Symbol& s : u.around) add({s});
    }
    for (const Use& u : uses_) {
      if (!buffer.empty() && u.buffer != buffer) continue;
      for (std::size_t i = 0; i < u.around.size(); ++i) {
        for (std::size_t j = i + 1; j < u.around.size(); ++j) {
          if (u.moving.count(u.around[i]) != 0 && u.moving.count(u.around[j]) != 0) add({u.around[i], u.around[j]});
        }
      }
    }
    return out;
  }

  static std::optional<std::int64_t> iterations(const Stmt& loop) {
    if (!loop) return std::nullopt;
    const Index n = trip_count(loop);
    return n.is_constant() ? std::optional(n.constant()) : std::nullopt;
  }

  std::vector<std::int64_t> numbers(const ParameterInfo& info, const Stmt& loop) const {
    const std::optional<std::int64_t> n = iterations(loop);
    std::vector<std::int64_t> out;
    switch (info.counts) {
      case Counts::part:  // what divides the loop, and powers of two
        for (std::int64_t f = 2; f <= 64; ++f) {
          const bool power = (f & (f - 1)) == 0;
          if (n ? f < *n && (power || *n % f == 0) : power) out.push_back(f);
        }
        break;
      case Counts::multiple:
        for (std::int64_t f = 2; f <= 64; f *= 2) {
          if (!n || *n % f != 0) out.push_back(f);
        }
        break;
      case Counts::statements: {
        const auto count = std::count_if(program_.body.begin(), program_.body.end(),
                                         [](const Stmt& s) { return s->kind != StmtKind::launch; });
        for (std::int64_t k = 1; k < count; ++k) out.push_back(k);
        break;
      }
      case Counts::anything: out = {2, 4, 8}; break;
    }
    return out;
  }

  static std::optional<std::int64_t> middle_of(const Stmt& loop) {
    const std::optional<std::int64_t> n = iterations(loop);
    if (!n || *n < 2 || !loop->lo.is_constant()) return std::nullopt;
    return loop->lo.constant() + *n / 2 * loop->step;
  }

  const Declaration& declaration_;
  const Program& program_;
  const std::size_t most_;
  const std::vector<Use> uses_ = uses_of(program_);
  std::vector<ScheduleLine> out_{};
};

// Takes its nodes off what is left; false where that is too little, or where a scope is among them, whose names are not free
// to be written again.
bool fits(const Expr& e, int& left) {
  if (e->op == Op::scope || --left < 0) return false;
  return std::all_of(e->args.begin(), e->args.end(), [&](const Expr& a) { return fits(a, left); });
}

}  // namespace

std::vector<Expr> reading_expressions(const Program& p, int largest) {
  std::vector<Expr> out;
  Visitor v;
  v.enter_expr = [&](const Expr& e) {
    int left = largest;
    if (is_operation(e->op) && fits(e, left) && !read_by(e).empty()) out.push_back(e);
    return true;
  };
  visit(p.body, v);
  return out;
}

std::vector<ScheduleLine> candidate_lines(const Declaration& d, const Program& p, std::size_t most) {
  return Enumeration(d, p, most).run();
}

}  // namespace assay
