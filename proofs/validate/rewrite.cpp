// By induction over the execution, both programs hold the same values in the storage that they share whenever they are at
// aligned statements: each of these stores the same value in the same cell, and statements of one program alone touch
// nothing that is shared.
#include "proofs/validate/rewrite.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ir/analysis/one_store.hpp"
#include "ir/plain_constant.hpp"
#include "ir/traverse.hpp"
#include "proofs/validate/align.hpp"
#include "proofs/validate/cases.hpp"
#include "proofs/validate/compare.hpp"
#include "proofs/validate/definition.hpp"
#include "proofs/validate/flow_text.hpp"
#include "proofs/validate/races.hpp"
#include "proofs/validate/width.hpp"

namespace assay::derive {
namespace {

class RewriteValidator {
 public:
  RewriteValidator(const Program& before, const Program& after, Query& query)
      : before_(before),
        after_(after),
        query_(query),
        alignment_(*align(before_, after_)),
        stored_before_(before_, alignment_.only_before),
        stored_after_(after_, alignment_.only_after) {}

  Validation run() {
    if (!values()) return std::move(out_);
    if (alignment_.added.empty()) {
      threads();
      out_.obligations.push_back(index_width(after_, query_));
      return std::move(out_);
    }
    std::set<Symbol> read;
    for (const Node* n : alignment_.added) {
      for (const Access& a : n->accesses) {
        if (!a.writes) read.insert(a.storage);
      }
    }
    for (const Node& n : after_.extraction.nodes) {  // in scopes too
      for (const Access& a : n.accesses) {
        if (!a.writes && alignment_.only_after.count(a.storage) != 0) read.insert(a.storage);
      }
    }
    for (Obligation& o : lint_after_rewrite(after_.program, read, query_)) out_.obligations.push_back(std::move(o));
    return std::move(out_);
  }

 private:
  // What is computed where it is used may be read by other threads, and later, than before.
  void threads() {
    if (after_.grid_slots > 0 && !alignment_.removed.empty()) {
      for (Obligation& o : of_new_program(group_races(after_, query_))) out_.obligations.push_back(std::move(o));
    }
    for (Obligation& o : of_new_program(thread_obligations(after_, query_))) out_.obligations.push_back(std::move(o));
  }

  bool refuse(const std::string& why, const Stmt& where) {
    out_.obligations.push_back(
        refused_claim("every statement computes what its claimed source computes, by laws of the table", why, where));
    return false;
  }

  bool values() {
    std::vector<Case> cases;
    for (const Alignment::Bounds& b : alignment_.bounds) {
      const Formula differ = Formula::ne(b.before->lo, b.after->lo) | Formula::ne(b.before->hi, b.after->hi);
      cases.push_back({b.known & differ, {}, {}, nullptr, nullptr, false, {}});
    }
    std::set<std::string> laws;
    for (const Alignment::Pair& p : alignment_.pairs) {
      const auto reading = compare(p, cases);
      if (!reading) return false;
      laws.insert(reading->begin(), reading->end());
    }
    out_.obligations.push_back(discharge(
        {"value-preservation", "every statement stores the value that it stored, in the same cell", "W-10", "W-11"},
        before_.parameters, before_.program, cases, query_));
    if (!laws.empty()) {
      out_.obligations.push_back({"value-preservation",
                                  fmt::format("proved laws of the table: {}", fmt::join(laws, ", ")),
                                  Obligation::Status::proved,
                                  "rule table",
                                  {},
                                  {},
                                  {},
                                  false,
                                  {}});
    }
    return true;
  }

  // The laws used, or nothing when the claim is refused.
  std::optional<std::set<std::string>> compare(const Alignment::Pair& p, std::vector<Case>& into) {
    const StmtNode& a = *p.before->stmt;
    const StmtNode& b = *p.after->stmt;
    std::vector<std::pair<Expr, Expr>> parts;
    if (a.indices.size() != b.indices.size() || static_cast<bool>(a.value) != static_cast<bool>(b.value)) {
      refuse("it is another kind of statement", p.after->stmt);
      return std::nullopt;
    }
    for (std::size_t i = 0; i < a.indices.size(); ++i) parts.emplace_back(a.indices[i], b.indices[i]);
    if (a.value) parts.emplace_back(a.value, b.value);
    const Instance x = in_own_names(before_, *p.before), y = in_own_names(after_, *p.after);
    const auto was = std::make_shared<const Instance>(x), now = std::make_shared<const Instance>(y);
    SameValue same([&](const Side& s) { return stored_before_.expand(s, x); },
                   [&](const Side& s) { return stored_after_.expand(s, y); },
                   [&](const Instance& at, const Formula& f) {
                     const Formula known = Formula::all({before_.parameters, domain(x), decided_guards(x), domain(at)});
                     return query_.implied(known, !f);
                   });
    Reading all;
    for (const auto& [old, is] : parts) {
      if (old == is) continue;
      const auto r = same.compare({old, was}, {is, now});
      if (!r) {
        refuse(
            "no law of the table leads from the text of its claimed source to that of a statement: " + same.mismatch(),
            p.after->stmt);
        return std::nullopt;
      }
      all.wrong = all.wrong | r->wrong;
      all.laws.insert(r->laws.begin(), r->laws.end());
    }
    if (!all.wrong.is_false()) {
      const bool approximate =
          has_data_guard(x) || same.approximate() || stored_before_.approximate() || stored_after_.approximate();
      into.push_back(
          {Formula::all({domain(x), decided_guards(x), all.wrong}), x, {}, nullptr, nullptr, approximate, {}});
    }
    return all.laws;
  }

  View before_, after_;
  Query& query_;
  Alignment alignment_;
  Definitions stored_before_, stored_after_;
  Validation out_;
};

// What schema F takes for a copy or a constant.
bool is_copy(const Node& n) {
  const StmtNode& s = *n.stmt;
  if (!s.value || is_plain_constant(s.value)) return true;
  return is_plain_read(s.value->op == Op::convert ? s.value->args[0] : s.value);
}

int scopes_in(const Node& n) {
  int count = 0;
  Visitor v;
  v.enter_expr = [&](const Expr& e) {
    count += e->op == Op::scope ? 1 : 0;
    return true;
  };
  visit(n.stmt, v);
  return count;
}

// A read took the place of a scope somewhere: no text that schema F compares.
bool scopes_fewer(const Alignment& a) {
  return std::any_of(a.pairs.begin(), a.pairs.end(), [](const Alignment::Pair& p) {
    return p.before->stmt->kind != StmtKind::branch && scopes_in(*p.after) < scopes_in(*p.before);
  });
}

}  // namespace

bool rewrites_values(const Program& p, const Program& q) {
  const View before(p), after(q);
  const auto alignment = align(before, after);
  if (!alignment) return false;
  // Storage that is read and never stored is a tile without its copy: schema F says which cell is missing.
  for (const Buffer& b : q.buffers) {
    if (p.find_buffer(b.name)) continue;
    const auto& nodes = after.extraction.nodes;
    const bool stored = std::any_of(nodes.begin(), nodes.end(), [&](const Node& n) {
      const Access* store = n.store();
      return store && store->storage == b.name;
    });
    if (!stored) return false;
  }
  if (!alignment->removed.empty() || scopes_fewer(*alignment)) return true;
  if (!alignment->added.empty())
    return !std::all_of(alignment->added.begin(), alignment->added.end(), [](const Node* n) { return is_copy(*n); });
  // Without such statements schema R judges what it can read: other forms of indices, conditions that were folded.
  std::map<Symbol, Symbol> variables;
  return std::any_of(after.extraction.nodes.begin(), after.extraction.nodes.end(), [&](const Node& now) {
    const auto& claim = now.stmt->provenance;
    const Node* source = claim ? before.extraction.find(claim->statement) : nullptr;
    if (!source || (source->stmt->kind == StmtKind::branch && affine_condition(source->stmt->value))) return false;
    if (source->stmt->value == now.stmt->value && source->stmt->indices == now.stmt->indices) return false;
    const Instance x = in_own_names(before, *source), y = in_own_names(after, now);
    Comparison comparison(x, y, variables, true);
    return !comparison.same_statement() || comparison.folds_data();
  });
}

std::optional<Renumbered> with_single_stores(const Program& before, const Program& after) {
  Program between = number_statements(before);
  int names = 0;
  bool changed = false;
  for (const Buffer& b : before.buffers) {
    if (after.find_buffer(b.name) || (b.kind != BufferKind::temp && b.kind != BufferKind::local)) continue;
    // Names that no program has.
    auto one = with_one_store(between, b.name, [&](const Symbol& s) { return s + "'one" + std::to_string(names++); });
    if (!one) continue;
    between = *std::move(one);
    changed = true;
  }
  if (!changed) return std::nullopt;
  Renumbered out = renumbered(between, after);
  if (!rewrites_values(out.before, out.after)) return std::nullopt;
  return out;
}

Validation validate_rewrite(const Program& before, const Program& after, Query& query) {
  return RewriteValidator(before, after, query).run();
}

}  // namespace assay::derive
