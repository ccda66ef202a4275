// Discharging the cases of an obligation, and turning solutions into witnesses.
#include "proofs/validate/cases.hpp"

#include <algorithm>

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

Witness make_witness(const Program& program, const Case& c, const std::map<Symbol, std::int64_t>& solution) {
  Witness w;
  for (const Parameter& p : program.parameters) {
    const auto it = solution.find(p.name);
    w.parameters[p.name] = it == solution.end() ? p.lo : it->second;
  }
  if (c.x) w.first = make_point(*c.x, c.a, solution);
  if (c.y) w.second = make_point(*c.y, c.b, solution);
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

Obligation discharge(const ObligationText& text, const Formula& assumptions, const Program& program,
                     const std::vector<Case>& cases, Query& query) {
  Obligation out{text.kind, text.claim, Obligation::Status::proved, "structure", {}, {}, {}, false, text.hint};
  std::vector<Symbol> parameters;
  for (const Parameter& p : program.parameters) parameters.push_back(p.name);
  for (const Case& c : cases) {
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
