// Discharging the cases of an obligation, and turning solutions into witnesses.
#include "proofs/validate/cases.hpp"

#include <algorithm>
#include <set>

#include "proofs/validate/threads.hpp"

namespace assay::derive {
namespace {

std::optional<std::int64_t> evaluate(const Index& e, const std::map<Symbol, std::int64_t>& solution) {
  return e.evaluate([&](const Symbol& s) -> std::optional<std::int64_t> {
    const auto it = solution.find(s);
    if (it == solution.end()) return std::nullopt;
    return it->second;
  });
}

Witness::Point make_point(const Instance& x, const Access* a, const std::map<Symbol, std::int64_t>& solution) {
  Witness::Point p;
  p.statement = x.node->statement;
  p.where = a && a->where.known() ? a->where : x.node->stmt->where;
  p.writes = a && a->writes;
  for (const Stmt& loop : x.node->loops) {
    // A symbol that the violation does not mention may be anything in its range; its lower bound is as good as any.
    auto v = evaluate(x.symbols.at(loop->name), solution);
    if (!v) v = evaluate(x.apply(loop->lo), solution);
    p.iteration.emplace_back(loop->name, v.value_or(0));
  }
  return p;
}

// Coordinates of a thread. One that no loop around the execution gives was chosen by the solution, or may be any: 0.
void place_thread(Witness::Point& p, const Instance& x, const std::map<Symbol, std::int64_t>& solution) {
  for (int slot = 0; slot < x.view->slots; ++slot) {
    const auto at = coordinate(x, slot);
    const auto v = at ? evaluate(*at, solution) : std::nullopt;
    (slot < x.view->grid_slots ? p.group : p.thread).push_back(v.value_or(0));
  }
}

// Both are of different groups, and yet nothing says where one of them is: in a slot that it is under no loop of it happens
// everywhere, so also where the other one does not.
void tell_groups_apart(std::array<Witness::Point, 2>& pair, const Instance& x, const Instance& y) {
  for (int slot = 0; slot < x.view->grid_slots && pair[0].group == pair[1].group; ++slot) {
    const bool a = coordinate(x, slot).has_value(), b = coordinate(y, slot).has_value();
    if (a == b) continue;
    const auto k = static_cast<std::size_t>(slot);
    Witness::Point& open = a ? pair[1] : pair[0];
    open.group[k] = (a ? pair[0] : pair[1]).group[k] == 0 ? 1 : 0;
  }
}

/// Names every engine that answered, once each: "native, isl".
void add_engine(std::string& list, const std::string& engine) {
  if (list == "structure") list.clear();
  if ((", " + list + ",").find(", " + engine + ",") != std::string::npos) return;
  list += (list.empty() ? "" : ", ") + engine;
}

}  // namespace

bool is_exact(const Instance& x, const Access& a) {
  if (has_data_guard(x) || has_data_guard(x, a.guards)) return false;
  return std::all_of(a.indices.begin(), a.indices.end(), [&](const Expr& e) { return integer_term(x, e, "").exact; });
}

bool is_pure(const Instance& x, const Access& a) {
  return is_exact(x, a) &&
         std::all_of(a.indices.begin(), a.indices.end(), [&](const Expr& e) { return integer_term(x, e, "").pure; });
}

bool is_affine(const Instance& x, const Access& a) {
  return !has_data_guard(*x.node) && !has_data_guard(a) &&
         std::all_of(a.indices.begin(), a.indices.end(), [](const Expr& e) { return e->op == Op::index; });
}

Obligation refused_claim(std::string claim, std::string why, const Stmt& where) {
  Obligation o{
      "claim", std::move(claim), Obligation::Status::undecided, "structure", "CLAIM-1", std::move(why), {}, false, {}};
  if (where) {
    o.witness = Witness{};
    o.witness->first.where = where->where;
  }
  return o;
}

std::vector<Obligation> of_new_program(std::vector<Obligation> list) {
  for (Obligation& o : list) {
    if (o.witness) o.witness->of_new_program = true;
    for (Witness& w : o.further) w.of_new_program = true;
  }
  return list;
}

Witness make_witness(const Program& program, const Case& c, const std::map<Symbol, std::int64_t>& solution) {
  Witness w;
  for (const Parameter& p : program.parameters) {
    const auto it = solution.find(p.name);
    w.parameters[p.name] = it == solution.end() ? p.lo : it->second;
  }
  if (c.x) w.first = make_point(*c.x, c.a, solution);
  if (c.y) w.second = make_point(*c.y, c.b, solution);
  if (c.threads.size() == 2) {
    std::array<Witness::Point, 2> pair;
    for (std::size_t k = 0; k < 2; ++k) {
      pair[k] = make_point(c.threads[k], k == 0 ? c.a : c.b, solution);
      place_thread(pair[k], c.threads[k], solution);
    }
    tell_groups_apart(pair, c.threads[0], c.threads[1]);
    w.threads = std::move(pair);
  }
  const Access* named = c.a ? c.a : c.b;
  if (!named) return w;
  w.buffer = named->storage;
  // The cell, from whichever access spells every coordinate as an index value.
  const auto cell_of = [&](const std::optional<Instance>& x, const Access* a) {
    std::vector<std::int64_t> cell;
    if (!x || !a || a->variable || a->whole) return cell;
    for (const Expr& e : a->indices) {
      const Term t = integer_term(*x, e, "");
      const auto v = t.exact ? evaluate(t.value, solution) : std::nullopt;
      if (!v) return std::vector<std::int64_t>{};
      cell.push_back(*v);
    }
    return cell;
  };
  w.cell = cell_of(c.x, c.a);
  if (w.cell.empty()) w.cell = cell_of(c.y, c.b);
  return w;
}

namespace {

// Points of other pairs of statements than those found: among the cases from number `next` on.
void find_further(Obligation& out, const Formula& assumptions, const Program& program, const std::vector<Case>& cases,
                  std::size_t next, const std::vector<Symbol>& parameters, Query& query) {
  constexpr std::size_t most_questions = 32, most_pairs = 8;
  using Pair = std::pair<int, int>;
  const auto pair_of = [](int a, int b) { return Pair(std::min(a, b), std::max(a, b)); };
  const auto pair_of_witness = [&](const Witness& w) { return pair_of(w.first.statement, w.second.statement); };
  std::set<Pair> known{pair_of_witness(*out.witness)};
  std::size_t asked = 0;
  for (; next < cases.size() && asked < most_questions && out.further.size() < most_pairs; ++next) {
    const Case& c = cases[next];
    if (c.approximate || c.violation.is_false() || !c.x || !c.y) continue;
    if (known.count(pair_of(c.x->node->statement, c.y->node->statement)) != 0) continue;
    ++asked;
    const Answer answer = query.solve(assumptions & c.violation, parameters);
    if (answer.kind != Answer::Kind::solution) continue;
    out.further.push_back(make_witness(program, c, answer.solution));
    known.insert(pair_of_witness(out.further.back()));
  }
}

}  // namespace

Obligation discharge(const ObligationText& text, const Formula& assumptions, const Program& program,
                     const std::vector<Case>& cases, Query& query) {
  Obligation out{text.kind, text.claim, Obligation::Status::proved, "structure", {}, {}, {}, false, text.hint};
  std::vector<Symbol> parameters;
  for (const Parameter& p : program.parameters) parameters.push_back(p.name);
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const Case& c = cases[k];
    if (c.violation.is_false()) continue;
    out.questions.push_back(assumptions & c.violation);
    const Answer answer = query.solve(out.questions.back(), parameters);
    add_engine(out.engine, answer.engine);
    if (answer.kind == Answer::Kind::empty) continue;
    const std::string& code = c.code.empty() ? text.code : c.code;
    if (answer.kind == Answer::Kind::solution && !c.approximate) {
      out.status = Obligation::Status::violated;
      out.code = code;
      out.reason.clear();
      out.engine = answer.engine;
      out.witness = make_witness(program, c, answer.solution);
      out.solution = answer.solution;
      if (text.every_pair) find_further(out, assumptions, program, cases, k + 1, parameters, query);
      return out;
    }
    if (out.status == Obligation::Status::undecided && out.witness) continue;
    out.status = Obligation::Status::undecided;
    out.code = text.undecided_code;
    if (answer.kind == Answer::Kind::solution) {
      out.reason = "a condition or an index is not affine, and some value of it would break the claim";
      out.witness = make_witness(program, c, answer.solution);
    } else {
      out.reason = answer.reason;
    }
  }
  return out;
}

}  // namespace assay::derive
