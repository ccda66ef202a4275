// Translation of formulas. Each quantifier opens a level; a quotient is defined at the innermost level that binds a symbol of
// the divided value. Quotients are total functions, so their definitions may be conjoined there whatever the polarity.
#include "proofs/smtlib/script.hpp"

#include <algorithm>
#include <map>

namespace assay::smtlib {
namespace {

using Kind = Formula::Kind;

// Renames the bound variables of positive `exists` to fresh free symbols and drops these quantifiers.
class Skolemiser {
 public:
  Formula run(const Formula& f) {
    switch (f.kind()) {
      case Kind::exists: {
        std::map<Symbol, Index> fresh;
        for (const Symbol& s : f.variables()) fresh.emplace(s, Index::symbol(s + "!" + std::to_string(++count_)));
        return run(f.parts()[0].substitute(fresh));
      }
      case Kind::conjunction:
      case Kind::disjunction: {
        std::vector<Formula> parts;
        for (const Formula& p : f.parts()) parts.push_back(run(p));
        return f.kind() == Kind::conjunction ? Formula::all(std::move(parts)) : Formula::any(std::move(parts));
      }
      default: return f;
    }
  }

 private:
  int count_ = 0;
};

class Translator {
 public:
  std::string run(const Formula& f, const std::set<Symbol>& free) {
    levels_.emplace_back();
    std::string declarations;
    for (const Symbol& s : free) {
      names_[s].push_back({quoted(s), 0});
      declarations += "(declare-const " + quoted(s) + " Int)\n";
    }
    const std::vector<Formula> alone{f};
    std::string assertions;
    for (const Formula& p : f.kind() == Kind::conjunction ? f.parts() : alone)
      assertions += "(assert " + formula(p) + ")\n";
    std::string definitions;
    for (const Quotient& q : levels_[0].quotients) {
      declarations += "(declare-const " + q.name + " Int)\n";
      definitions += "(assert " + q.definition + ")\n";
    }
    return declarations + definitions + assertions;
  }
  bool nonlinear() const { return nonlinear_; }
  bool quantified() const { return quantified_; }

 private:
  struct Name {
    std::string text;  // a constant, a bound variable, or the product that it equals
    std::size_t level;
  };
  struct Quotient {
    std::string name, definition;
  };
  struct Level {
    std::vector<Quotient> quotients{};
    std::map<std::pair<std::string, std::int64_t>, std::string> known{};
  };
  struct Value {
    std::string text;
    std::size_t level = 0;
  };

  static std::string number(std::int64_t v) {
    if (v >= 0) return std::to_string(v);
    const std::string digits = std::to_string(v);
    return "(- " + digits.substr(1) + ")";
  }

  Value value(const Index& e) {
    std::vector<std::string> parts;
    std::size_t level = 0;
    for (const auto& [atom, coefficient] : e.terms()) {
      Value t = value(*atom);
      level = std::max(level, t.level);
      if (coefficient == 1)
        parts.push_back(std::move(t.text));
      else if (coefficient == -1)
        parts.push_back("(- " + t.text + ")");
      else
        parts.push_back("(* " + number(coefficient) + " " + t.text + ")");
    }
    if (parts.empty() || e.constant() != 0) parts.push_back(number(e.constant()));
    if (parts.size() == 1) return {parts[0], level};
    std::string text = "(+";
    for (const std::string& p : parts) text += " " + p;
    return {text + ")", level};
  }

  Value value(const IndexAtom& atom) {
    switch (atom.kind) {
      case IndexAtom::Kind::symbol: {
        const Name& n = names_.at(atom.symbol).back();
        return {n.text, n.level};
      }
      case IndexAtom::Kind::floordiv:
      case IndexAtom::Kind::floormod: {
        const Value divided = value(atom.args[0]);
        const std::string q = quotient(divided, atom.divisor);
        if (atom.kind == IndexAtom::Kind::floordiv) return {q, divided.level};
        return {"(- " + divided.text + " (* " + number(atom.divisor) + " " + q + "))", divided.level};
      }
      default: break;
    }
    Value best = value(atom.args[0]);
    const char* order = atom.kind == IndexAtom::Kind::min ? "<=" : ">=";
    for (std::size_t i = 1; i < atom.args.size(); ++i) {
      const Value next = value(atom.args[i]);
      best.text =
          std::string("(ite (") + order + " " + best.text + " " + next.text + ") " + best.text + " " + next.text + ")";
      best.level = std::max(best.level, next.level);
    }
    return best;
  }

  std::string quotient(const Value& divided, std::int64_t divisor) {
    Level& level = levels_[divided.level];
    std::string& name = level.known[{divided.text, divisor}];
    if (name.empty()) {
      name = "q!" + std::to_string(++quotients_);
      const std::string low = "(* " + number(divisor) + " " + name + ")";
      level.quotients.push_back({name, "(and (<= " + low + " " + divided.text + ") (< " + divided.text + " (+ " + low +
                                           " " + number(divisor) + ")))"});
    }
    return name;
  }

  std::string formula(const Formula& f) {
    switch (f.kind()) {
      case Kind::truth: return "true";
      case Kind::falsity: return "false";
      case Kind::nonneg: return "(>= " + value(f.expression()).text + " 0)";
      case Kind::zero: return "(= " + value(f.expression()).text + " 0)";
      case Kind::product: {
        const std::string left = value(f.expression()).text;
        return "(= " + left + " " + product(f).text + ")";
      }
      case Kind::negation: return "(not " + formula(f.parts()[0]) + ")";
      case Kind::conjunction:
      case Kind::disjunction: {
        std::string text = f.kind() == Kind::conjunction ? "(and" : "(or";
        for (const Formula& p : f.parts()) text += " " + formula(p);
        return text + ")";
      }
      case Kind::exists: return quantifier(f);
    }
    return {};
  }

  Value product(const Formula& f) {
    nonlinear_ = true;
    const Value a = value(f.factors().first), b = value(f.factors().second);
    return {"(* " + a.text + " " + b.text + ")", std::max(a.level, b.level)};
  }

  std::string quantifier(const Formula& f) {
    const Formula& body = f.parts()[0];
    const std::vector<Formula> alone{body};
    const std::vector<Formula>& parts = body.kind() == Kind::conjunction ? body.parts() : alone;
    const std::size_t level = levels_.size();
    levels_.emplace_back();
    std::vector<std::string> bound;
    // A variable that a conjunct defines as a product stands for that product: no quantifier is needed for it.
    const std::map<Symbol, const Formula*> defined = definitions(f.variables(), parts);
    for (const Symbol& s : f.variables()) {
      if (defined.count(s) != 0) continue;
      bound.push_back("b!" + std::to_string(++bound_));
      names_[s].push_back({bound.back(), level});
    }
    std::size_t left = defined.size();
    std::set<Symbol> done;
    while (left > 0) {
      for (const auto& [symbol, definition] : defined) {
        if (done.count(symbol) != 0 || !ready(*definition, defined, done)) continue;
        const Value v = product(*definition);
        names_[symbol].push_back({v.text, v.level});
        done.insert(symbol);
        --left;
      }
    }
    std::string text = "(and";
    for (const Formula& p : parts) {
      const bool definition =
          std::any_of(defined.begin(), defined.end(), [&](const auto& d) { return d.second == &p; });
      if (!definition) text += " " + formula(p);
    }
    for (const Quotient& q : levels_.back().quotients) {
      bound.push_back(q.name);
      text += " " + q.definition;
    }
    text += " true)";
    for (const Symbol& s : f.variables()) names_[s].pop_back();
    levels_.pop_back();
    if (bound.empty()) return text;
    quantified_ = true;
    std::string variables;
    for (const std::string& b : bound) variables += "(" + b + " Int)";
    return "(exists (" + variables + ") " + text + ")";
  }

  // Which of the variables a conjunct `variable == a * b` defines, without circles.
  static std::map<Symbol, const Formula*> definitions(const std::vector<Symbol>& variables,
                                                      const std::vector<Formula>& parts) {
    std::map<Symbol, const Formula*> found;
    for (const Formula& p : parts) {
      const Symbol* s = p.kind() == Kind::product ? p.expression().as_symbol() : nullptr;
      if (s && std::find(variables.begin(), variables.end(), *s) != variables.end()) found.emplace(*s, &p);
    }
    std::set<Symbol> done;
    for (bool progress = true; progress;) {
      progress = false;
      for (const auto& [symbol, definition] : found) {
        if (done.count(symbol) == 0 && ready(*definition, found, done)) progress = done.insert(symbol).second;
      }
    }
    for (auto it = found.begin(); it != found.end();) it = done.count(it->first) != 0 ? std::next(it) : found.erase(it);
    return found;
  }
  // The factors mention no defined variable that is not yet done.
  static bool ready(const Formula& definition, const std::map<Symbol, const Formula*>& defined,
                    const std::set<Symbol>& done) {
    std::set<Symbol> used;
    definition.factors().first.collect_symbols(used);
    definition.factors().second.collect_symbols(used);
    return std::none_of(used.begin(), used.end(),
                        [&](const Symbol& s) { return defined.count(s) != 0 && done.count(s) == 0; });
  }

  std::map<Symbol, std::vector<Name>> names_{};
  std::vector<Level> levels_{};
  int quotients_ = 0, bound_ = 0;
  bool nonlinear_ = false, quantified_ = false;
};

}  // namespace

std::string quoted(const Symbol& s) { return "|" + s + "|"; }

std::string Script::text() const { return "(set-logic " + logic + ")\n" + body + "(check-sat)\n"; }

Script script(const Formula& f) {
  Script out;
  out.formula = Skolemiser().run(f);
  std::set<Symbol> free;
  out.formula.collect_free(free);
  out.symbols.assign(free.begin(), free.end());
  Translator translator;
  out.body = translator.run(out.formula, free);
  out.nonlinear = translator.nonlinear();
  out.quantified = translator.quantified();
  out.logic = std::string(out.quantified ? "" : "QF_") + (out.nonlinear ? "NIA" : "LIA");
  return out;
}

}  // namespace assay::smtlib
