// The interpreter of terms. One table of terms serves both programs, so that equal numbers are equal computations.
#include "fuzz/judges/value_trace.hpp"

#include <algorithm>
#include <map>
#include <variant>
#include <vector>

#include "ir/literal.hpp"
#include "ir/traverse.hpp"
#include "ir/widening.hpp"

namespace assay::fuzz {
namespace {

using TermId = int;

class Terms {
 public:
  TermId make(const std::string& head, std::vector<TermId> args = {}) {
    const auto [it, fresh] = ids_.emplace(std::make_pair(head, std::move(args)), static_cast<TermId>(heads_.size()));
    if (fresh) heads_.push_back(&it->first);
    return it->second;
  }
  const std::string& head(TermId t) const { return heads_[static_cast<std::size_t>(t)]->first; }
  const std::vector<TermId>& args(TermId t) const { return heads_[static_cast<std::size_t>(t)]->second; }
  // Independent of the order in which terms were made.
  std::uint64_t hash(TermId t, std::uint64_t seed) {
    const auto [it, fresh] = hashes_.emplace(std::make_pair(t, seed), 0);
    if (!fresh) return it->second;
    std::uint64_t h = seed * 0x9E3779B97F4A7C15U + 0x1234567;
    for (char c : head(t)) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
    for (TermId a : std::vector<TermId>(args(t))) h = (h ^ (hash(a, seed) + (h << 6))) * 0xBF58476D1CE4E5B9U;
    h ^= h >> 29;
    return hashes_[{t, seed}] = h;
  }

 private:
  std::map<std::pair<std::string, std::vector<TermId>>, TermId> ids_;
  std::vector<const std::pair<std::string, std::vector<TermId>>*> heads_;
  std::map<std::pair<TermId, std::uint64_t>, std::uint64_t> hashes_;
};

constexpr std::size_t largest_bag = 1000;

struct Fault {
  std::string text;
};
struct Beyond {};  // what this judge does not cover

using Instance = std::pair<int, std::vector<std::int64_t>>;  // statement, and loop values outermost first

class Machine {
 public:
  Machine(const Program& p, const ParameterMap& parameters, Terms& terms, std::uint64_t seed, bool any_order,
          std::size_t limit)
      : program_(p), terms_(terms), seed_(seed), any_order_(any_order), limit_(limit) {
    for (const auto& [name, value] : parameters) at_[name] = value;
    number(p.body);
  }

  void run() {
    block(program_.body);
    for (const Buffer& b : program_.buffers) {
      if (is_observed(b.kind))
        each_cell(b, [&](const std::vector<std::int64_t>& cell) { observed[{b.name, cell}] = content(b, cell); });
    }
  }

  struct Effect {
    TermId value;
    const StmtNode* stmt;
    std::map<Symbol, std::int64_t> at;
  };
  std::vector<std::pair<Instance, Effect>> effects;
  std::map<std::pair<Symbol, std::vector<std::int64_t>>, TermId> observed;

 private:
  void number(const Block& b) {
    Visitor v;
    int next = 0;
    v.enter_stmt = [&](const Stmt& s) {
      numbers_[&*s] = next++;
      return true;
    };
    visit(b, v);
  }

  std::int64_t value(const Index& e) const {
    const auto v = e.evaluate([&](const Symbol& s) -> std::optional<std::int64_t> {
      const auto it = at_.find(s);
      if (it == at_.end()) return std::nullopt;
      return it->second;
    });
    if (!v) throw Beyond{};
    return *v;
  }

  template <typename F>
  void each_cell(const Buffer& b, F f) const {
    std::vector<std::int64_t> dims, cell(b.dims.size(), 0);
    for (const Index& d : b.dims) dims.push_back(value(d));
    for (std::int64_t d : dims) {
      if (d <= 0) return;
    }
    for (;;) {
      f(cell);
      std::size_t d = cell.size();
      while (d > 0 && ++cell[d - 1] == dims[d - 1]) cell[--d] = 0;
      if (d == 0) return;
    }
  }

  TermId undefined() { return terms_.make("undefined"); }
  TermId content(const Buffer& b, const std::vector<std::int64_t>& cell) {
    const auto it = memory_.find({b.name, cell});
    if (it != memory_.end()) return it->second;
    if (!is_defined_on_entry(b.kind)) return undefined();
    std::string name = "cell " + b.name;
    for (std::int64_t c : cell) name += " " + std::to_string(c);
    return terms_.make(name);
  }

  void block(const Block& b) {
    for (const Stmt& s : b) statement(s);
  }

  void statement(const Stmt& s) {
    if (++steps_ > limit_) throw Beyond{};
    switch (s->kind) {
      case StmtKind::loop: {
        // Lanes that do not conflict leave what their iterations one after the other leave; those of a tile are one.
        const bool lanes = s->axis == Axis::vectorized && any_order_;
        const bool once = s->axis == Axis::tile;
        if (s->axis != Axis::serial && s->axis != Axis::unrolled && !lanes && !once) throw Beyond{};
        const std::int64_t hi = once ? value(s->lo) + 1 : value(s->hi);
        loops_.push_back(0);
        for (std::int64_t v = value(s->lo); v < hi; v += s->step) {
          at_[s->name] = loops_.back() = v;
          block(s->body);
        }
        loops_.pop_back();
        at_.erase(s->name);
        return;
      }
      case StmtKind::branch: {
        const TermId c = expression(s->value);
        effect(s, c);
        block(decide(c) ? s->body : s->other);
        return;
      }
      case StmtKind::zero: {
        const Buffer& b = *program_.find_buffer(s->name);
        const TermId zero = constant(Scalar{b.type, 0});
        each_cell(b, [&](const std::vector<std::int64_t>& cell) { memory_[{b.name, cell}] = zero; });
        return;
      }
      case StmtKind::declare:
        variables_[s->name] = s->value ? expression(s->value) : undefined();
        if (s->value) effect(s, variables_[s->name]);
        return;
      case StmtKind::assign: {
        const TermId v = expression(s->value);
        variables_[s->name] = v;
        effect(s, v);
        return;
      }
      case StmtKind::store: {
        const Buffer& b = *program_.find_buffer(s->name);
        const auto cell = indices(b, s->indices);
        const TermId v = expression(s->value);
        memory_[{b.name, cell}] = v;
        effect(s, v);
        return;
      }
      case StmtKind::launch:  // copies and variables end with their launch
        variables_.clear();
        for (auto it = memory_.begin(); it != memory_.end();) {
          const Buffer& b = *program_.find_buffer(it->first.first);
          it = is_private(b.kind) || b.kind == BufferKind::shared ? memory_.erase(it) : std::next(it);
        }
        return;
      default: throw Beyond{};
    }
  }

  TermId variable(const Symbol& s) {
    const auto it = variables_.find(s);
    return it == variables_.end() ? undefined() : it->second;
  }

  void effect(const Stmt& s, TermId v) { effects.push_back({{numbers_.at(&*s), loops_}, {v, &*s, at_}}); }

  bool decide(TermId c) {
    if (terms_.head(c) == "true" || terms_.head(c) == "false") return terms_.head(c) == "true";
    return terms_.hash(c, seed_) % 2 == 0;
  }

  std::vector<std::int64_t> indices(const Buffer& b, const std::vector<Expr>& list) {
    std::vector<std::int64_t> cell;
    for (std::size_t d = 0; d < list.size(); ++d) {
      cell.push_back(number(list[d]));
      if (cell[d] < 0 || cell[d] >= value(b.dims[d])) throw Fault{b.name + " is used outside"};
    }
    return cell;
  }

  // An index as a number: elements of inputs with a range are hashed into it.
  std::int64_t number(const Expr& e) {
    if (e->op == Op::index) return value(e->index);
    if (e->op != Op::load) throw Beyond{};
    const Buffer& b = *program_.find_buffer(e->name);
    if (b.kind != BufferKind::input || !b.range) throw Beyond{};
    const auto size = static_cast<std::uint64_t>(b.range->second - b.range->first);
    return static_cast<std::int64_t>(b.range->first) +
           static_cast<std::int64_t>(terms_.hash(expression(e), seed_) % size);
  }

  TermId expression(const Expr& e) {
    const auto op = [&](const std::string& head) {
      std::vector<TermId> args;
      for (const Expr& a : e->args) args.push_back(expression(a));
      return terms_.make(head, std::move(args));
    };
    switch (e->op) {
      case Op::literal: return constant(e->literal);
      case Op::index: return terms_.make("index " + std::to_string(value(e->index)));
      case Op::variable: return defined(variable(e->name), e->name);
      case Op::load: {
        const Buffer& b = *program_.find_buffer(e->name);
        return defined(content(b, indices(b, e->args)), e->name);
      }
      case Op::convert: {
        const TermId x = expression(e->args[0]);
        const Type from = e->args[0]->type;
        const std::string back = "convert " + std::string(name(from)) + " from " + std::string(name(e->type));
        if (terms_.head(x) == back && widens_exactly(e->type, from)) return terms_.args(x)[0];
        return terms_.make("convert " + std::string(name(e->type)) + " from " + std::string(name(from)), {x});
      }
      case Op::block: {  // of zeros: the zero of its type
        const TermId made = op(std::string(info(e->op).text) + " " + std::string(name(e->type)));
        const TermId zero = constant(Scalar{Type::u32, 0});
        const std::vector<TermId>& words = terms_.args(made);
        const bool all_zero = std::all_of(words.begin(), words.end(), [&](TermId w) { return w == zero; });
        return all_zero ? constant(Scalar{e->type, 0}) : made;
      }
      case Op::choice: return expression(decide(expression(e->args[0])) ? e->args[1] : e->args[2]);
      case Op::land:
      case Op::lor: {
        const bool first = decide(expression(e->args[0]));
        if (first == (e->op == Op::lor)) return terms_.make(first ? "true" : "false");
        return expression(e->args[1]);
      }
      case Op::lnot: return terms_.make(decide(expression(e->args[0])) ? "false" : "true");
      case Op::scope: {
        variables_[e->name] = undefined();
        block(e->body);
        return defined(variables_.at(e->name), e->name);
      }
      default: break;
    }
    if (is_comparison(e->op) && e->args[0]->op == Op::index && e->args[1]->op == Op::index)
      return terms_.make(holds(e->op, value(e->args[0]->index), value(e->args[1]->index)) ? "true" : "false");
    if (any_order_ && joins(e->op)) return joined(e);
    return op(std::string(info(e->op).text) + " " + std::string(name(e->type)));
  }

  TermId constant(const Scalar& s) {
    if (s.type == Type::boolean) return terms_.make(s.bits != 0 ? "true" : "false");
    if (s.bits == 0) return terms_.make("zero " + std::string(name(s.type)));
    return terms_.make("literal " + std::string(name(s.type)) + " " + std::to_string(s.bits));
  }

  // ---- operators whose order is left open --------------------------------------------------------------------------

  static bool joins(Op op) {
    switch (op) {
      case Op::add:
      case Op::sub:
      case Op::fma:
      case Op::mul:
      case Op::max:
      case Op::min:
      case Op::maxnum:
      case Op::minnum: return true;
      default: return false;
    }
  }

  // The value that adds nothing: what a sum, product, maximum or minimum over no terms would be.
  TermId nothing(Op op, Type t) {
    const bool most = op == Op::min;
    switch (op) {
      case Op::add: return constant({t, is_float(t) ? std::uint64_t{1} << (bit_width(t) - 1) : 0});
      case Op::mul: return constant(*literal_from_integer(t, 1));
      case Op::maxnum:
      case Op::minnum: return constant(canonical_nan(t));
      default:
        if (is_int(t)) return constant(wrap_int(t, most ? int_range(t).hi : int_range(t).lo));
        if (has_infinity(t)) return constant(infinity(t, !most));
        return constant(*literal_from_integer(t, most ? 448 : -448));
    }
  }

  // A bag of terms: sorted, with repetitions except in maxima and minima, without what adds nothing.
  TermId joined(const Expr& e) {
    const std::string type(name(e->type));
    std::vector<TermId> operands;
    for (const Expr& a : e->args) operands.push_back(expression(a));
    Op op = e->op;
    if (op == Op::sub) {
      operands[1] = terms_.make("minus " + type, {operands[1]});
      op = Op::add;
    } else if (op == Op::fma) {
      const TermId addend = operands[2];
      operands = {terms_.make("fused " + type, {operands[0], operands[1]}), addend};
      op = Op::add;
    }
    const std::string head = "bag " + std::string(info(op).text) + " " + type;
    std::vector<TermId> bag;
    for (const TermId t : operands) {
      if (terms_.head(t) == head) {
        const std::vector<TermId> inner = terms_.args(t);
        bag.insert(bag.end(), inner.begin(), inner.end());
      } else if (t != nothing(op, e->type)) {
        bag.push_back(t);
      }
    }
    // A recurrence can double it in every step.
    steps_ += bag.size() / 16;
    if (bag.size() > largest_bag || steps_ > limit_) throw Beyond{};
    std::sort(bag.begin(), bag.end());
    if (op != Op::add && op != Op::mul) bag.erase(std::unique(bag.begin(), bag.end()), bag.end());
    if (bag.empty()) return nothing(op, e->type);
    return bag.size() == 1 ? bag[0] : terms_.make(head, std::move(bag));
  }

  static bool holds(Op op, std::int64_t a, std::int64_t b) {
    switch (op) {
      case Op::eq: return a == b;
      case Op::ne: return a != b;
      case Op::lt: return a < b;
      case Op::le: return a <= b;
      case Op::gt: return a > b;
      default: return a >= b;
    }
  }

  TermId defined(TermId t, const Symbol& storage) {
    if (terms_.head(t) == "undefined") throw Fault{storage + " is read undefined"};
    return t;
  }

  const Program& program_;
  Terms& terms_;
  std::uint64_t seed_;
  bool any_order_;
  std::size_t limit_, steps_ = 0;
  std::map<const StmtNode*, int> numbers_;
  std::map<Symbol, std::int64_t> at_;
  std::vector<std::int64_t> loops_;
  std::map<Symbol, TermId> variables_;
  std::map<std::pair<Symbol, std::vector<std::int64_t>>, TermId> memory_;
};

// The loop symbols around every statement, by number.
std::map<int, std::vector<Symbol>> loops_around(const Program& p) {
  std::map<int, std::vector<Symbol>> out;
  std::vector<Symbol> around;
  int next = 0;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    out[next++] = around;
    if (s->kind == StmtKind::loop) around.push_back(s->name);
    return true;
  };
  v.leave_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::loop) around.pop_back();
  };
  visit(p.body, v);
  return out;
}

std::optional<TraceFinding> compare(const Program& before, const Machine& old, const Machine& now, bool any_order) {
  for (const auto& [cell, term] : old.observed) {
    if (now.observed.at(cell) == term) continue;
    std::string text = cell.first;
    for (std::int64_t c : cell.second) text += " " + std::to_string(c);
    return TraceFinding{TraceFinding::Kind::observed, text};
  }
  if (any_order) return std::nullopt;
  std::map<Instance, TermId> expected;
  for (const auto& [instance, e] : old.effects) expected[instance] = e.value;
  const auto around = loops_around(before);
  for (const auto& effect : now.effects) {
    const auto& instance = effect.first;
    const auto& e = effect.second;  // not a structured binding: clang 14 lets no lambda use one
    const auto& claim = e.stmt->provenance;
    if (!claim || claim->statement < 0) continue;
    Instance source{claim->statement, {}};
    for (const Symbol& loop : around.at(claim->statement)) {
      const auto v = claim->to_source.at(loop).evaluate([&](const Symbol& s) -> std::optional<std::int64_t> {
        const auto it = e.at.find(s);
        if (it == e.at.end()) return std::nullopt;
        return it->second;
      });
      if (!v) return TraceFinding{TraceFinding::Kind::statement, "an iteration map has no value"};
      source.second.push_back(*v);
    }
    const auto it = expected.find(source);
    if (it == expected.end() || it->second != e.value)
      return TraceFinding{TraceFinding::Kind::statement, "statement " + std::to_string(instance.first)};
  }
  return std::nullopt;
}

}  // namespace

TraceResult trace_values(const Program& before, const Program& after, const ParameterMap& parameters,
                         std::uint64_t seed, bool any_order, std::size_t limit) {
  Terms terms;
  Machine old(before, parameters, terms, seed, any_order, limit);
  Machine now(after, parameters, terms, seed, any_order, limit);
  try {
    old.run();
  } catch (const Fault&) {
    return {};
  } catch (const Beyond&) {
    return {};
  }
  try {
    now.run();
  } catch (const Fault& f) {
    return {true, TraceFinding{TraceFinding::Kind::fault, f.text}};
  } catch (const Beyond&) {
    return {};
  }
  return {true, compare(before, old, now, any_order)};
}

}  // namespace assay::fuzz
