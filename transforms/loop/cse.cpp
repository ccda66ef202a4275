// `cse`: an expression that several statements of a block compute, or one statement several times, is computed once, into a
// variable (spec/cse.md).
//
// In each block the largest repeated expression goes first, again and again until none is left. What lies between its first
// and its last use decides how far a value carries: a store to a buffer that the expression reads, whatever the cell, an
// assignment to a variable that it reads, a barrier or a launch ends it.
#include <algorithm>

#include "ir/reads.hpp"
#include "ir/traverse.hpp"
#include "ir/typing.hpp"
#include "transforms/alpha.hpp"
#include "transforms/define.hpp"

namespace assay {
namespace {

struct Occurrence {
  std::size_t statement = 0;  // of the block
  Expr e{};
  bool certain = true;  // evaluated whenever the statement runs
};

int size_of(const Expr& e) {
  int size = 0;
  Visitor v;
  v.enter_expr = [&](const Expr&) {
    ++size;
    return true;
  };
  visit(e, v);
  return size;
}

// Whether the statement stores to one of them, whatever is inside.
bool disturbs(const Stmt& s, const std::set<Symbol>& read) {
  bool found = false;
  Visitor v;
  v.enter_stmt = [&](const Stmt& t) {
    const bool stores = t->kind == StmtKind::store || t->kind == StmtKind::zero || t->kind == StmtKind::assign;
    found =
        found || t->kind == StmtKind::barrier || t->kind == StmtKind::launch || (stores && read.count(t->name) != 0);
    return !found;
  };
  visit(s, v);
  return found;
}

// Worth a variable: a scope, an operation that reads something, random numbers.
bool is_candidate(const Expr& e, bool loads) {
  if (loads && e->op == Op::load) return true;
  if (e->op == Op::scope || e->op >= Op::threefry_crypto) return true;
  return is_operation(e->op) && !read_by(e).empty();
}

class Common {
 public:
  Common(const Program& p, bool arms, bool loads) : names_(p.bound_names()), arms_(arms), loads_(loads) {}

  Block block(const Block& b) {
    Block out = b;
    while (auto next = once(out)) out = *std::move(next);
    for (Stmt& s : out) {
      if (s->axis == Axis::reduce || s->axis == Axis::tile)
        continue;  // one accumulation and nothing else (WF-12, WF-26)
      s = with(s, [&](StmtNode& n) {
        n.body = block(n.body);
        n.other = block(n.other);
      });
    }
    return out;
  }

 private:
  // The occurrences in the statements of the block themselves, not in what they hold and not inside scopes.
  std::vector<Occurrence> occurrences(const Block& b) const {
    std::vector<Occurrence> out;
    for (std::size_t i = 0; i < b.size(); ++i) {
      if (b[i]->kind == StmtKind::loop) continue;
      for (const Expr& e : b[i]->indices) collect(e, i, true, out);
      if (b[i]->value) collect(b[i]->value, i, true, out);
    }
    return out;
  }
  void collect(const Expr& e, std::size_t statement, bool certain, std::vector<Occurrence>& into) const {
    if (is_candidate(e, loads_)) into.push_back({statement, e, certain});
    const bool conditional = e->op == Op::choice || e->op == Op::land || e->op == Op::lor;
    for (std::size_t k = 0; k < e->args.size(); ++k)
      collect(e->args[k], statement, certain && (k == 0 || !conditional), into);
  }

  // One more expression of the block is computed once; nothing when none is repeated.
  std::optional<Block> once(const Block& b) {
    std::vector<Occurrence> all = occurrences(b);
    std::stable_sort(all.begin(), all.end(),
                     [](const Occurrence& x, const Occurrence& y) { return size_of(x.e) > size_of(y.e); });
    for (std::size_t k = 0; k < all.size(); ++k) {
      std::vector<Occurrence> group;
      for (std::size_t l = 0; l < all.size(); ++l) {
        if (alpha_equal(all[k].e, all[l].e)) group.push_back(all[l]);
      }
      std::sort(group.begin(), group.end(), [](const auto& x, const auto& y) { return x.statement < y.statement; });
      if (auto shared = computed_once(b, group)) return shared;
    }
    return std::nullopt;
  }

  // The first run of at least two occurrences without a disturbance between them.
  std::optional<Block> computed_once(const Block& b, const std::vector<Occurrence>& group) {
    const std::set<Symbol> read = read_by(group[0].e);
    for (std::size_t first = 0; first + 1 < group.size(); ++first) {
      std::size_t last = first;
      for (std::size_t l = first + 1; l < group.size(); ++l) {
        bool quiet = true;
        for (std::size_t s = group[l - 1].statement; s < group[l].statement; ++s)
          quiet = quiet && !disturbs(b[s], read);
        if (!quiet) break;
        last = l;
      }
      if (last == first) continue;
      // Evaluated where the first statement would have done so anyway, or only because the line asks for it.
      const bool certain =
          std::any_of(group.begin() + static_cast<std::ptrdiff_t>(first), group.end(),
                      [&](const Occurrence& o) { return o.statement == group[first].statement && o.certain; });
      if (!certain && !arms_) continue;
      return replaced(b, group[first], group[last].statement);
    }
    return std::nullopt;
  }

  Block replaced(const Block& b, const Occurrence& first, std::size_t last) {
    const Symbol name = names_.fresh("common");
    Block out(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(first.statement));
    out.push_back(make_declare(name, first.e->type, first.e, first.e->where));
    for (std::size_t s = first.statement; s < b.size(); ++s) {
      if (s > last || b[s]->kind == StmtKind::loop) {
        out.push_back(b[s]);
        continue;
      }
      out.push_back(with(b[s], [&](StmtNode& n) {
        for (Expr& e : n.indices) e = with_variable(e, first.e, name);
        if (n.value) n.value = with_variable(n.value, first.e, name);
      }));
    }
    return out;
  }

  static Expr with_variable(const Expr& e, const Expr& common, const Symbol& name) {
    if (alpha_equal(e, common)) return make_variable(name, e->type, e->where);
    if (e->args.empty()) return e;
    return with(e, [&](ExprNode& n) {
      for (Expr& a : n.args) a = with_variable(a, common, name);
    });
  }

  NameSupply names_;
  bool arms_, loads_;
};

class Cse final : public Operation {
 public:
  explicit Cse(Arguments line) : line_(std::move(line)) {}

  static Declaration declare() {
    Declaration d;
    d.name = "cse";
    d.rule_prefix = "CSE";
    d.summary = "computes expressions that a block repeats once, into variables";
    d.parameters = {
        {"arms",
         ParameterInfo::Kind::boolean,
         false,
         "false",
         {},
         "also expressions that are only evaluated under conditions, so that they are evaluated always"},
        {"loads", ParameterInfo::Kind::boolean, false, "false", {}, "also reads of a buffer and nothing else"},
    };
    d.refusals = {{"CSE-1", "no block repeats an expression whose value carries from one use to the next"}};
    d.schema = "W (rewrite)";
    d.obligations = {"value-preservation", "in-bounds", "defined-before-read", "index-width"};
    d.example_program =
        "program norm { input A: f32[9] output Y: f32[9] output Z: f32[9]\n"
        "  for i in 0..9 { Y[i] = A[i] * sqrt(A[i] + 1.0) Z[i] = sqrt(A[i] + 1.0) }\n"
        "}\n";
    d.example_schedule = "cse\n";
    return d;
  }

  static tl::expected<std::unique_ptr<Operation>, Refusal> bind(Arguments line, const Program&) {
    return std::make_unique<Cse>(std::move(line));
  }

  StepResult apply(const Program& before, Query&) const override {
    const bool arms = line_.flag("arms"), loads = line_.flag("loads");
    Program after = before;
    after.body = Common(before, arms, loads).block(before.body);
    if (equal(after.body, before.body)) {
      if (!arms && !equal(Common(before, true, loads).block(before.body), before.body))
        return tl::unexpected(inapplicable(line_, "CSE-1",
                                           "every expression that a block repeats and that keeps its value stands "
                                           "under a condition",
                                           {}, "`cse arms` takes those too"));
      return tl::unexpected(inapplicable(line_, "CSE-1", "no block repeats an expression that keeps its value"));
    }
    return placed(line_, std::move(after));
  }

 private:
  Arguments line_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(Cse)
