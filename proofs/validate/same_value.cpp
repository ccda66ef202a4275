// The comparison is by structure first, by reducing the old side where that fails, and by its normal form at last. All
// readings that fit are taken together: the values differ only where every reading is wrong.
#include "proofs/validate/same_value.hpp"

#include <algorithm>

#include "ir/rules/reductions.hpp"
#include "proofs/validate/constant_value.hpp"

namespace assay::derive {
namespace {

constexpr int most_steps = 20'000;  // per pair of expressions: what needs more is not compared

void add(Reading& into, const Reading& r) {
  into.wrong = into.wrong | r.wrong;
  into.laws.insert(r.laws.begin(), r.laws.end());
  into.loose = into.loose || r.loose;
}

// Says nothing about when the two values are one.
bool is_weak(const Reading& r) { return r.loose || r.wrong.is_true(); }

bool is_bool_literal(const Expr& e) { return e->op == Op::literal && e->type == Type::boolean; }

// The only thing that a scope does is to take a value for its variable.
const Expr* held_value(const Expr& e) {
  if (e->op != Op::scope || e->body.size() != 1 || e->body[0]->kind != StmtKind::assign || e->body[0]->name != e->name)
    return nullptr;
  return &e->body[0]->value;
}

// An integer as a sum of multiples, all modulo 2^128, which the numbers of its type divide; `terms` are no sums themselves.
struct Sum {
  std::vector<std::pair<Expr, UInt128>> terms{};
  UInt128 constant = 0;
  int operations = 0;
};

void add_to(Sum& into, const Expr& e, UInt128 factor, int depth) {
  if (e->op == Op::literal) {
    into.constant += factor * static_cast<UInt128>(int_value(e->literal));
    return;
  }
  ++into.operations;
  const auto is_literal = [&](std::size_t k) { return e->args[k]->op == Op::literal; };
  const bool scaled = e->op == Op::mul && (is_literal(0) || is_literal(1));
  if (depth > 0 && (e->op == Op::add || e->op == Op::sub)) {
    add_to(into, e->args[0], factor, depth - 1);
    add_to(into, e->args[1], e->op == Op::add ? factor : -factor, depth - 1);
  } else if (depth > 0 && e->op == Op::neg) {
    add_to(into, e->args[0], -factor, depth - 1);
  } else if (depth > 0 && scaled) {
    const std::size_t number = is_literal(0) ? 0 : 1;
    add_to(into, e->args[1 - number], factor * static_cast<UInt128>(int_value(e->args[number]->literal)), depth - 1);
  } else {
    --into.operations;
    for (auto& [term, sum] : into.terms) {
      if (!(term == e)) continue;
      sum += factor;
      return;
    }
    into.terms.emplace_back(e, factor);
  }
}

Sum sum_of(const Expr& e) {
  Sum out;
  add_to(out, e, 1, 100);
  return out;
}

Side inside(const Side& of, const Expr& e) { return {e, of.at}; }

}  // namespace

bool SameValue::differ(std::string what) {
  if (mismatch_.empty()) mismatch_ = std::move(what);
  return false;
}

std::optional<Reading> SameValue::compare(const Side& before, const Side& after) {
  steps_ = 0;
  bound_.clear();
  auto r = same(before, after);
  if (r && !r->wrong.is_false() && !never_(*before.at, r->wrong)) {
    if (const auto reduced = same_as_normal(before, after)) {
      r->wrong = r->wrong & reduced->wrong;
      r->laws.insert(reduced->laws.begin(), reduced->laws.end());
      r->loose = r->loose && reduced->loose;
    }
  }
  if (r && r->loose && !r->wrong.is_false()) approximate_ = true;
  return r;
}

// The old expression in normal form, if that is another one. It is smaller, so that this comes to an end.
std::optional<Reading> SameValue::same_as_normal(const Side& a, const Side& b) {
  Reading by;
  const Side n = normal(a, by);
  if (n.e == a.e) return std::nullopt;
  auto r = same(n, b);
  if (r) add(*r, by);
  return r;
}

Side SameValue::resolved(const Side& a) const {
  const auto at = a.e->op == Op::variable ? placeholders_.find(a.e->name) : placeholders_.end();
  return at == placeholders_.end() ? a : at->second;
}

std::optional<Reading> SameValue::same(const Side& x, const Side& y) {
  const Side a = resolved(x), b = resolved(y);
  if (++steps_ > most_steps) {
    differ("the texts are too far apart to compare");
    return std::nullopt;
  }
  for (const bool old : {true, false}) {
    const auto stored = old ? before_(a) : after_(b);
    if (!stored) continue;
    auto r = old ? same(stored->value, b) : same(a, stored->value);
    if (r) r->wrong = r->wrong | stored->wrong;
    return r;
  }
  if (const Expr* held = held_value(b.e); held && !held_value(a.e)) return same(a, inside(b, *held));
  std::vector<Reading> readings;
  if (auto r = congruent(a, b)) {
    if (r->wrong.is_false()) return r;
    readings.push_back(std::move(*r));
  }
  for (auto r : {same_integer(a, b), same_truth(a, b)}) {
    if (r && r->wrong.is_false()) return r;
    if (r) readings.push_back(std::move(*r));
  }
  const bool conditional = a.e->op == Op::choice || a.e->op == Op::select || a.e->op == Op::land || a.e->op == Op::lor;
  const auto weak = [&] { return std::all_of(readings.begin(), readings.end(), is_weak); };
  if (weak() || conditional) {
    std::vector<std::size_t> arms;
    std::size_t all_arms = 0;
    for (const Reduct& reduct : reducts(a)) {
      all_arms += reduct.arm ? 1 : 0;
      auto r = same(reduct.side, b);
      if (!r) continue;
      add(*r, reduct.reading);
      if (reduct.arm) arms.push_back(readings.size());
      readings.push_back(std::move(*r));
      if (readings.back().wrong.is_false()) break;
    }
    // One arm says nothing about where the other one is taken.
    if (all_arms < 2 || arms.size() < all_arms) {
      for (const std::size_t k : arms) readings[k].loose = readings[k].loose || !readings[k].wrong.is_false();
    }
  }
  if (weak()) {
    if (auto r = same_as_normal(a, b)) readings.push_back(std::move(*r));
  }
  if (readings.empty()) return std::nullopt;
  Reading out = readings.front();
  for (std::size_t k = 1; k < readings.size(); ++k) {
    out.wrong = out.wrong & readings[k].wrong;
    out.laws.insert(readings[k].laws.begin(), readings[k].laws.end());
    out.loose = out.loose && readings[k].loose;  // one that is not tells where the values differ
  }
  return out;
}

std::optional<Reading> SameValue::all_same(const std::vector<Expr>& a, const Side& in_a, const std::vector<Expr>& b,
                                           const Side& in_b) {
  if (a.size() != b.size()) return std::nullopt;
  Reading out;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto r = same(inside(in_a, a[i]), inside(in_b, b[i]));
    if (!r) return std::nullopt;
    add(out, *r);
  }
  return out;
}

std::optional<Reading> SameValue::congruent(const Side& a, const Side& b) {
  if (a.e->op != b.e->op || a.e->type != b.e->type) {
    differ("operations differ");
    return std::nullopt;
  }
  switch (a.e->op) {
    case Op::literal:
      if (a.e->literal == b.e->literal) return Reading{};
      differ("literals differ");
      return std::nullopt;
    case Op::index: return Reading{Formula::ne(a.at->apply(a.e->index), b.at->apply(b.e->index)), {}};
    case Op::variable: {
      const auto mine = std::find_if(bound_.rbegin(), bound_.rend(),
                                     [&](const auto& p) { return p.first == a.e->name || p.second == b.e->name; });
      const bool equal =
          mine == bound_.rend() ? a.e->name == b.e->name : mine->first == a.e->name && mine->second == b.e->name;
      if (equal) return mine == bound_.rend() ? same_instance_of(a, b) : Reading{};
      differ("variables differ");
      return std::nullopt;
    }
    case Op::load:
      if (a.e->name == b.e->name) return all_same(a.e->args, a, b.e->args, b);
      differ("loads of different buffers");
      return std::nullopt;
    case Op::scope: {
      bound_.emplace_back(a.e->name, b.e->name);
      const std::size_t depth = bound_.size();
      auto r = same_block(a.e->body, a, b.e->body, b);
      bound_.resize(depth - 1);
      return r;
    }
    case Op::choice:
    case Op::land:
    case Op::lor: return under_condition(a, b);
    default: return all_same(a.e->args, a, b.e->args, b);
  }
}

// A variable that both texts see is the same one at the same iteration of the loops around its declaration.
std::optional<Reading> SameValue::same_instance_of(const Side& a, const Side& b) {
  Reading out;
  for (const Stmt& loop : a.at->view->extraction.variables.at(a.e->name).around) {
    const auto was = a.at->symbols.find(loop->name), is = b.at->symbols.find(loop->name);
    if (was == a.at->symbols.end() || is == b.at->symbols.end()) {
      differ("variables differ");
      return std::nullopt;
    }
    out.wrong = out.wrong | Formula::ne(was->second, is->second);
  }
  return out;
}

std::optional<Formula> SameValue::condition(const Side& c, bool positive) {
  const Side r = resolved(c);
  return decided_condition(*r.at, r.e, positive);
}

void SameValue::only_where(Reading& r, const Side& c, bool positive) {
  if (r.wrong.is_false()) return;
  if (const auto reached = condition(c, positive)) {
    r.wrong = *reached & r.wrong;
  } else {
    approximate_ = true;  // it may never be reached
  }
}

// Arms and second operands matter only where they are evaluated.
std::optional<Reading> SameValue::under_condition(const Side& a, const Side& b) {
  auto out = same(inside(a, a.e->args[0]), inside(b, b.e->args[0]));
  if (!out) return std::nullopt;
  for (std::size_t i = 1; i < a.e->args.size(); ++i) {
    auto r = same(inside(a, a.e->args[i]), inside(b, b.e->args[i]));
    if (!r) return std::nullopt;
    only_where(*r, inside(a, a.e->args[0]), a.e->op == Op::choice ? i == 1 : a.e->op == Op::land);
    add(*out, *r);
  }
  return out;
}

// Another way to compute an integer from constants, or from loop symbols and parameters.
std::optional<Reading> SameValue::same_integer(const Side& a, const Side& b) {
  const auto was = constant_value(a.e), is = constant_value(b.e);
  if (was && is && a.e->type == b.e->type) return Reading{*was == *is ? Formula::falsity() : Formula::truth(), {}};
  if (auto forms = same_sum(a, b)) return forms;
  const auto computed = [](const Expr& e) { return e->op != Op::load && e->op != Op::variable && e->op != Op::scope; };
  if (a.e->type != b.e->type || !is_int(a.e->type) || !computed(a.e) || !computed(b.e)) return std::nullopt;
  const std::string tag = "w" + std::to_string(fresh_++);
  const Term s = integer_term(*a.at, a.e, tag + "a"), t = integer_term(*b.at, b.e, tag + "b");
  if (!s.exact || !t.exact || !s.pure || !t.pure) return std::nullopt;
  return Reading{Formula::all({s.facts, t.facts, Formula::ne(s.value, t.value)}), {}};
}

// Sums of the same multiples of the same values, modulo the numbers of the type (W-16). Each value of the new sum is one of the
// old one, so that it evaluates nothing new.
std::optional<Reading> SameValue::same_sum(const Side& a, const Side& b) {
  if (a.e->type != b.e->type || !is_int(a.e->type) || a.e->type == Type::index) return std::nullopt;
  const Sum was = sum_of(a.e), is = sum_of(b.e);
  if (was.operations + is.operations == 0 || was.terms.size() < is.terms.size()) return std::nullopt;
  const auto value = [&](UInt128 n) { return int_value(wrap_int(a.e->type, static_cast<Int128>(n))); };
  if (value(was.constant) != value(is.constant)) return std::nullopt;
  Reading out;
  std::vector<bool> used(was.terms.size(), false);
  for (const auto& [e, factor] : is.terms) {
    bool found = false;
    for (std::size_t k = 0; k < was.terms.size() && !found; ++k) {
      if (used[k] || value(was.terms[k].second) != value(factor)) continue;
      const auto r = same(inside(a, was.terms[k].first), inside(b, e));
      if (!r || !impossible(a, Formula::truth(), r->wrong)) continue;
      used[k] = found = true;
      add(out, *r);
    }
    if (!found) return std::nullopt;
  }
  for (std::size_t k = 0; k < used.size(); ++k) {
    if (!used[k] && value(was.terms[k].second) != 0) return std::nullopt;
  }
  return out;
}

// Another condition on them, or a truth value that it has.
std::optional<Reading> SameValue::same_truth(const Side& a, const Side& b) {
  if (a.e->type != Type::boolean || b.e->type != Type::boolean || a.e->op == Op::literal) return std::nullopt;
  if (is_bool_literal(b.e)) return possible(a, b.e->literal.bits == 0);
  const auto yes = condition(a, true), no = condition(a, false);
  if (!yes || !no) return std::nullopt;
  const auto now = condition(b, true), not_now = condition(b, false);
  if (!now || !not_now) return std::nullopt;
  return Reading{(*yes & *not_now) | (*no & *now), {}};
}

// When the condition may have the outcome: exactly where loop symbols and parameters decide it; of comparisons of integers
// that read data, by the ranges of what they read.
std::optional<Reading> SameValue::possible(const Side& x, bool outcome) {
  const Side c = resolved(x);
  if (const auto exact = condition(c, outcome)) return Reading{*exact, {}};
  if (c.e->op == Op::lnot) return possible(inside(c, c.e->args[0]), !outcome);
  if (is_comparison(c.e->op) && is_int(c.e->args[0]->type)) {
    const std::string tag = "w" + std::to_string(fresh_++);
    const Term s = integer_term(*c.at, c.e->args[0], tag + "a"), t = integer_term(*c.at, c.e->args[1], tag + "b");
    const Formula holds = compared(c.e->op, s.value, t.value);
    return Reading{Formula::all({s.facts, t.facts, outcome ? holds : !holds}), {}, true};
  }
  for (const Reduct& reduct : reducts(c)) {
    auto r = possible(reduct.side, outcome);
    if (!r) continue;
    add(*r, reduct.reading);
    return r;
  }
  return std::nullopt;
}

std::optional<Reading> SameValue::same_block(const Block& a, const Side& in_a, const Block& b, const Side& in_b) {
  if (a.size() != b.size()) return std::nullopt;
  Reading out;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto r = same_statement(a[i], in_a, b[i], in_b);
    if (!r) return std::nullopt;
    add(out, *r);
  }
  return out;
}

std::optional<Reading> SameValue::same_statement(const Stmt& s, const Side& in_a, const Stmt& t, const Side& in_b) {
  if (s->kind != t->kind || s->type != t->type || static_cast<bool>(s->value) != static_cast<bool>(t->value))
    return std::nullopt;
  if (s->kind == StmtKind::loop) {
    if (s->step != t->step || s->axis != t->axis) return std::nullopt;
    // One name for the two symbols, which nothing else has.
    const Index symbol = Index::symbol(s->name + "'w" + std::to_string(fresh_++));
    const auto enter = [&](const Side& side, const Stmt& loop) {
      Instance x = *side.at;
      x.symbols.insert_or_assign(loop->name, symbol);
      return Side{side.e, std::make_shared<const Instance>(std::move(x))};
    };
    const Side a = enter(in_a, s), b = enter(in_b, t);
    auto r = same_block(s->body, a, t->body, b);
    if (!r) return std::nullopt;
    Reading out{
        Formula::ne(a.at->apply(s->lo), b.at->apply(t->lo)) | Formula::ne(a.at->apply(s->hi), b.at->apply(t->hi)),
        r->laws};
    out.wrong = out.wrong | (a.at->apply(loop_domain(s)) & r->wrong);
    return out;
  }
  if (s->kind == StmtKind::declare) {
    if (s->value) {
      auto r = same(inside(in_a, s->value), inside(in_b, t->value));
      bound_.emplace_back(s->name, t->name);  // until the scope ends
      return r;
    }
    bound_.emplace_back(s->name, t->name);
    return Reading{};
  }
  Reading out;
  if (s->kind == StmtKind::assign) {
    const auto target =
        congruent(inside(in_a, make_variable(s->name, Type::f32)), inside(in_b, make_variable(t->name, Type::f32)));
    if (!target) return std::nullopt;
  } else if (s->kind != StmtKind::branch) {
    return std::nullopt;  // nothing else stands in a scope
  }
  auto value = same(inside(in_a, s->value), inside(in_b, t->value));
  if (!value) return std::nullopt;
  add(out, *value);
  if (s->kind != StmtKind::branch) return out;
  for (const bool then : {true, false}) {
    auto r = same_block(then ? s->body : s->other, in_a, then ? t->body : t->other, in_b);
    if (!r) return std::nullopt;
    only_where(*r, inside(in_a, s->value), then);
    add(out, *r);
  }
  return out;
}

// ---- reducing the old side -----------------------------------------------------------------------------------------

const std::vector<SameValue::Reduct>& SameValue::reducts(const Side& a) {
  const Key key{&*a.e, a.at.get()};
  const auto known = reducts_.find(key);
  if (known != reducts_.end()) return known->second.second;
  std::vector<Reduct> found = find_reducts(a);
  return reducts_.emplace(key, std::pair(a, std::move(found))).first->second.second;
}

std::optional<Reading> SameValue::is_literal(const Side& a, const Expr& literal) {
  const std::pair key{Key{&*a.e, a.at.get()}, &*literal};
  const auto known = literals_.find(key);
  if (known != literals_.end()) return known->second;
  const auto found = same(a, inside(a, literal));
  reducts(a);  // keeps `a` alive
  return literals_[key] = found;
}

std::vector<SameValue::Reduct> SameValue::find_reducts(const Side& a) {
  std::vector<Reduct> out;
  if (const Expr* held = held_value(a.e)) out.push_back({inside(a, *held), {}});
  for (const laws::Reduction& r : laws::reductions(a.e->op)) {
    if (r.from->type != a.e->type) continue;
    Bindings bindings;
    auto fits = match_here(r.from, a, bindings);
    if (!fits) continue;
    Reduct reduct{instantiated(r.to, bindings, a), std::move(*fits)};
    reduct.reading.laws.insert(std::string(r.law->name));
    if (r.commuted) reduct.reading.laws.insert(std::string(r.commuted->name));
    reduct.reading.loose = reduct.reading.loose || !reduct.reading.wrong.is_false();
    out.push_back(std::move(reduct));
  }
  decided(a, out);
  return out;
}

// Where a condition is decided, what is chosen by it is left.
void SameValue::decided(const Side& a, std::vector<Reduct>& into) {
  const auto when = [&](std::size_t operand, bool value) { return possible(inside(a, a.e->args[operand]), value); };
  switch (a.e->op) {
    case Op::choice:
    case Op::select:
      if (const auto no = when(0, false)) into.push_back({inside(a, a.e->args[1]), *no, true});
      if (const auto yes = when(0, true)) into.push_back({inside(a, a.e->args[2]), *yes, true});
      break;
    case Op::land:
    case Op::lor: {
      const bool neutral = a.e->op == Op::land;
      if (const auto other = when(0, !neutral)) into.push_back({inside(a, a.e->args[1]), *other, true});
      if (const auto other = when(1, !neutral)) into.push_back({inside(a, a.e->args[0]), *other, true});
      if (const auto same = when(0, neutral))
        into.push_back({inside(a, make_literal(bool_scalar(!neutral))), *same, true});
      break;
    }
    default: break;
  }
}

// The expression is an instance of the pattern as it stands, its operands perhaps after reductions.
std::optional<Reading> SameValue::match_here(const Expr& pattern, const Side& a, Bindings& bindings) {
  if (pattern->op != a.e->op || pattern->type != a.e->type || pattern->args.size() != a.e->args.size())
    return std::nullopt;
  Reading out;
  for (std::size_t i = 0; i < pattern->args.size(); ++i) {
    const auto r = match(pattern->args[i], inside(a, a.e->args[i]), bindings);
    if (!r) return std::nullopt;
    add(out, *r);
  }
  return out;
}

bool SameValue::impossible(const Side& a, const Formula& known, const Formula& f) const {
  return f.is_false() || (!f.is_true() && never_(*a.at, known & f));
}

Side SameValue::normal(const Side& a, Reading& by) {
  const Key key{&*a.e, a.at.get()};
  auto found = normal_.find(key);
  if (found == normal_.end()) {
    reducts(a);  // keeps `a` alive
    Reading r;
    const Side n = normal(a, Formula::truth(), r);
    found = normal_.emplace(key, std::pair(n, std::move(r))).first;
  }
  add(by, found->second.second);
  return found->second.first;
}

// `a` with reductions that hold wherever it is evaluated, inner ones first; `known` holds there.
Side SameValue::normal(const Side& a, const Formula& known, Reading& by) {
  Side now = a;
  if (++steps_ <= most_steps && !a.e->args.empty() && !before_(a)) {
    const bool lazy = a.e->op == Op::choice || a.e->op == Op::land || a.e->op == Op::lor;
    std::vector<Expr> parts = a.e->args;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Formula here = known;
      if (lazy && i > 0) {
        const bool positive = a.e->op == Op::choice ? i == 1 : a.e->op == Op::land;
        if (const auto reached = condition(inside(a, a.e->args[0]), positive)) here = known & *reached;
      }
      const Side part = normal(inside(a, parts[i]), here, by);
      if (part.at == a.at) parts[i] = part.e;
    }
    if (parts != a.e->args) now.e = with(a.e, [&](ExprNode& n) { n.args = parts; });
  }
  while (const auto next = normal_step(now, known, by)) now = *next;
  return now;
}

std::optional<Side> SameValue::normal_step(const Side& a, const Formula& known, Reading& by) {
  if (++steps_ > most_steps || a.e->op == Op::literal || a.e->op == Op::index || a.e->op == Op::variable)
    return std::nullopt;
  if (const auto value = constant_value(a.e))
    return inside(a, make_literal(a.e->type == Type::boolean ? bool_scalar(*value != 0) : wrap_int(a.e->type, *value)));
  if (is_int(a.e->type) && a.e->op == Op::convert && a.e->args[0]->op == Op::index) {
    const Interval range = integer_interval(*a.at->view, *a.at->node, a.e);
    if (range.lo == range.hi) return inside(a, make_literal(wrap_int(a.e->type, range.lo)));
  }
  if (a.e->type == Type::boolean) {
    for (const bool outcome : {true, false}) {
      const auto other = possible(a, !outcome);
      if (!other || !impossible(a, known, other->wrong)) continue;
      by.laws.insert(other->laws.begin(), other->laws.end());
      return inside(a, make_literal(bool_scalar(outcome)));
    }
  }
  for (const Reduct& r : reducts(a)) {
    if (r.side.at != a.at || !impossible(a, known, r.reading.wrong)) continue;
    by.laws.insert(r.reading.laws.begin(), r.reading.laws.end());
    return r.side;
  }
  return std::nullopt;
}

std::optional<Reading> SameValue::match(const Expr& pattern, const Side& x, Bindings& bindings) {
  const Side a = resolved(x);
  if (++steps_ > most_steps || pattern->type != a.e->type) return std::nullopt;
  if (pattern->op == Op::variable) {
    const auto [at, fresh] = bindings.emplace(pattern->name, a);
    if (fresh || (at->second.at == a.at && at->second.e == a.e)) return Reading{};
    // The operands may be one value after reductions.
    Reading reduced;
    if (at->second.at == a.at && normal(at->second, reduced).e == normal(a, reduced).e) return reduced;
    if (!bound_.empty()) return std::nullopt;  // names that are bound around them would belong to two texts
    if (auto r = same(at->second, a)) return r;
    auto r = same(a, at->second);
    if (r) at->second = a;
    return r;
  }
  if (pattern->op == Op::literal) return is_literal(a, pattern);
  const Bindings before = bindings;
  if (auto r = match_here(pattern, a, bindings)) return r;
  for (const Reduct& reduct : reducts(a)) {
    bindings = before;
    auto r = match(pattern, reduct.side, bindings);
    if (!r) continue;
    add(*r, reduct.reading);
    return r;
  }
  return std::nullopt;
}

Side SameValue::instantiated(const Expr& pattern, const Bindings& bindings, const Side& like) {
  const std::function<Expr(const Expr&)> build = [&](const Expr& p) {
    if (p->op == Op::variable) {
      const Side& bound = bindings.at(p->name);
      if (bound.at == like.at) return bound.e;
      const Symbol name = "'law" + std::to_string(fresh_++);
      placeholders_.emplace(name, bound);
      return make_variable(name, p->type);
    }
    if (p->args.empty()) return p;
    return with(p, [&](ExprNode& n) {
      for (Expr& e : n.args) e = build(e);
    });
  };
  return resolved({build(pattern), like.at});
}

}  // namespace assay::derive
