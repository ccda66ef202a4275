// Each change is small and local; whether the program is still right is for the caller to find out.
#include "fuzz/generators/rewritable.hpp"

#include <algorithm>

#include "ir/analysis/access.hpp"
#include "ir/analysis/interval.hpp"
#include "ir/rules/reductions.hpp"
#include "ir/text/source.hpp"
#include "ir/traverse.hpp"
#include "proofs/obligation/operators.hpp"
#include "transforms/candidates.hpp"
#include "transforms/names.hpp"

namespace assay::fuzz {
namespace {

using Bindings = std::map<Symbol, Expr>;

std::vector<laws::Reduction> all_reductions() {
  std::vector<laws::Reduction> out;
  for (std::size_t op = 0; op < op_count; ++op) {
    const auto of = laws::reductions(static_cast<Op>(op));
    out.insert(out.end(), of.begin(), of.end());
  }
  return out;
}

bool fits(const Expr& pattern, const Expr& e, Bindings& bindings) {
  if (pattern->type != e->type) return false;
  if (pattern->op == Op::variable) return bindings.emplace(pattern->name, e).first->second == e;
  if (pattern->op != e->op || pattern->literal != e->literal || pattern->args.size() != e->args.size()) return false;
  for (std::size_t i = 0; i < e->args.size(); ++i) {
    if (!fits(pattern->args[i], e->args[i], bindings)) return false;
  }
  return true;
}

bool has_workgroups(const Program& p) {
  bool found = false;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    found = found || s->axis == Axis::workgroup;
    return !found;
  };
  visit(p.body, v);
  return found;
}

class Rewritable {
 public:
  Rewritable(interp::Random& random, const Program& p) : random_(random), program_(p), names_(p.bound_names()) {}

  Program run() {
    if (chance(3)) through_scratch();
    if (chance(3)) program_.body = named(program_.body);
    if (chance(3)) program_.body = hot(program_.body);
    if (chance(2)) program_.body = repeated(program_.body);
    if (chance(4)) program_.body = continued(program_.body);
    if (chance(2)) {
      program_.body = rewrite(program_.body, [&](const Expr& e) { return chance(5) ? longer(e) : e; });
    }
    return std::move(program_);
  }

 private:
  bool chance(std::uint64_t one_in) { return random_.below(one_in) == 0; }

  // Names bound in a copy are its own.
  Expr copy(const Expr& e) { return refresh_binders({make_assign("copy", e)}, names_)[0]->value; }

  Expr longer(const Expr& e) {
    static const std::vector<laws::Reduction> all = all_reductions();
    for (int attempt = 0; attempt < 12; ++attempt) {
      const laws::Reduction& r = all[random_.below(all.size())];
      Bindings bindings;
      if (!fits(r.to, e, bindings)) continue;
      const std::function<Expr(const Expr&)> build = [&](const Expr& p) -> Expr {
        if (p->op == Op::variable) {
          const auto bound = bindings.find(p->name);
          if (bound != bindings.end()) return copy(bound->second);
          // A variable that only the larger side has: anything that is there.
          const Expr filler = p->type == e->type ? copy(e) : make_literal({p->type, 0});
          bindings.emplace(p->name, filler);
          return filler;
        }
        if (p->args.empty()) return p;
        return with(p, [&](ExprNode& n) {
          for (Expr& a : n.args) a = build(a);
        });
      };
      return build(r.from);
    }
    return e;
  }

  // A statement also adds what an earlier one computed.
  Block repeated(const Block& b) {
    Block out = b;
    Expr seen;
    for (Stmt& s : out) {
      if (s->kind == StmtKind::loop || s->kind == StmtKind::branch) {
        if (s->axis == Axis::reduce) continue;
        s = with(s, [&](StmtNode& n) {
          n.body = repeated(n.body);
          n.other = repeated(n.other);
        });
      } else if (s->kind == StmtKind::store && s->value->op != Op::literal && s->value->type != Type::boolean) {
        const Expr mine = s->value;
        const bool same_type = seen && seen->type == mine->type;
        if (chance(2)) {
          s = with(s, [&](StmtNode& n) {
            n.value = make_op(Op::add, {mine, copy(same_type && chance(2) ? seen : mine)});
          });
        }
        if (!seen || chance(2)) seen = mine;
      }
    }
    return out;
  }

  // What a statement stores is added to right behind it, by what it computed or by itself.
  Block continued(const Block& b) {
    Block out;
    for (const Stmt& s : b) {
      if (s->axis == Axis::reduce || s->axis == Axis::tile) {
        out.push_back(s);
        continue;
      }
      out.push_back(with(s, [&](StmtNode& n) {
        n.body = continued(s->body);
        n.other = continued(s->other);
      }));
      if (s->kind != StmtKind::store || s->value->type == Type::boolean || !chance(2)) continue;
      const Expr cell = make_load(s->name, s->value->type, s->indices);
      out.push_back(with(s, [&](StmtNode& n) {
        n.value = make_op(chance(3) ? Op::mul : Op::add, {cell, chance(2) ? cell : copy(s->value)});
      }));
    }
    return out;
  }

  // The value of a statement in a scope `v`, or twice in scopes `v` and `v.1`, perhaps of the next iteration.
  Block named(const Block& b, const Symbol& loop = {}) {
    Block out = b;
    for (Stmt& s : out) {
      if (s->kind == StmtKind::loop || s->kind == StmtKind::branch) {
        if (s->axis == Axis::reduce || s->axis == Axis::tile) continue;
        s = with(s, [&](StmtNode& n) {
          n.body = named(n.body, s->kind == StmtKind::loop ? s->name : loop);
          n.other = named(n.other, loop);
        });
      } else if (s->kind == StmtKind::store && s->value->type != Type::boolean && !names_.taken("v") && chance(2)) {
        names_.take("v");
        const auto scope = [&](const Symbol& name, const Expr& e) {
          return make_scope(name, e->type, {make_assign(name, e)});
        };
        Expr value = scope("v", s->value);
        if (chance(2)) {
          Expr again = copy(s->value);
          if (!loop.empty() && chance(2)) again = substitute(again, {{loop, Index::symbol(loop) + 1}});
          names_.take("v.1");
          value = make_op(Op::add, {value, scope("v.1", again)});
        }
        s = with(s, [&](StmtNode& n) { n.value = value; });
      }
    }
    return out;
  }

  // A store in a loop `hot` of which one iteration at most does it, by an input or a loop symbol; a sum with what may be
  // neutral elsewhere. The first load may move with the loop.
  Block hot(const Block& b, const Symbol& loop = {}) {
    Block out = b;
    for (Stmt& s : out) {
      if (names_.taken("hot")) break;
      if (s->kind == StmtKind::loop || s->kind == StmtKind::branch) {
        if (s->axis == Axis::reduce || s->axis == Axis::tile) continue;
        s = with(s, [&](StmtNode& n) {
          n.body = hot(n.body, s->kind == StmtKind::loop ? s->name : loop);
          n.other = hot(n.other, loop);
        });
      } else if (s->kind == StmtKind::store && chance(2)) {
        names_.take("hot");
        s = in_hot_loop(s, loop);
      }
    }
    return out;
  }
  Stmt in_hot_loop(const Stmt& s, const Symbol& loop) {
    const Expr symbol = make_index(Index::symbol("hot"));
    const Expr place = make_index(loop.empty() ? Index(1) : floormod(Index::symbol(loop), 4));
    Expr which = make_convert(Type::i32, place);
    // Among threads a loop symbol decides: conditions on data leave steps there undecided.
    if (!threads_ && chance(2)) {
      which = make_load("H", Type::i32, {place});
      program_.buffers.push_back(
          {"H", BufferKind::input, Type::i32, {Index(4)}, std::pair<Int128, Int128>{chance(3) ? -1 : 0, 4}, {}, {}});
    }
    const Expr chosen = make_op(Op::eq, {make_convert(Type::i32, symbol), which});
    const auto moved = [&](const Expr& e) {
      bool done = chance(2);
      return rewrite(e, [&](const Expr& x) {
        if (done || x->op != Op::load || x->args.empty() || x->name == s->name || x->name == "H") return x;
        done = true;
        return with(x, [&](ExprNode& n) { n.args.back() = symbol; });
      });
    };
    const auto op = accumulation(s);
    Stmt inner;
    if (op && s->value->args.size() == 2 && identity_of(*op, s->value->type)) {
      const bool first = s->value->args[0]->op == Op::load && s->value->args[0]->args == s->indices;
      inner = with(s, [&](StmtNode& n) {
        n.value = with(s->value, [&](ExprNode& v) {
          Expr& term = v.args[first ? 1 : 0];
          const bool zero = chance(3) || s->value->op == Op::sub;
          const Scalar other = zero ? Scalar{term->type, 0} : *identity_of(*op, term->type);
          term = make_op(Op::choice, {chosen, moved(term), make_literal(other)});
        });
      });
    } else {
      inner = make_branch(chosen, {with(s, [&](StmtNode& n) { n.value = moved(s->value); })});
    }
    return make_loop("hot", Index(0), Index(chance(4) ? 3 : 4), 1, Axis::serial, {inner});
  }

  // T[i, j] = e before X[…] = e, which becomes X[…] = T[i, j].
  void through_scratch() {
    bool done = false;
    std::vector<Stmt> around;
    Ranges ranges = parameter_ranges(program_);
    const std::function<Block(const Block&)> walk = [&](const Block& b) {
      Block out;
      for (std::size_t k = 0; k < b.size(); ++k) {
        const Stmt& s = b[k];
        if (s->kind == StmtKind::loop && s->axis != Axis::reduce && !done) {
          around.push_back(s);
          const Ranges outside = ranges;
          add_loop(ranges, s);
          out.push_back(with(s, [&](StmtNode& n) { n.body = walk(n.body); }));
          ranges = outside;
          around.pop_back();
          continue;
        }
        if (s->kind != StmtKind::store || done || chance(3)) {
          out.push_back(s);
          continue;
        }
        std::vector<Expr> cell;
        const std::size_t first = around.empty() ? 0 : random_.below(around.size());
        for (std::size_t l = first; l < around.size(); ++l) {
          if (!ranges[around[l]->name].within(0, 15)) continue;
          cell.push_back(make_index(Index::symbol(around[l]->name)));
        }
        const Buffer* target = program_.find_buffer(s->name);
        const Type type = target->type;
        done = true;
        const Stmt stored = make_store("T", cell, s->value);
        const std::size_t place = out.empty() || chance(2) ? out.size() : random_.below(out.size());
        out.insert(out.begin() + static_cast<std::ptrdiff_t>(place), stored);
        out.push_back(with(s, [&](StmtNode& n) { n.value = make_load("T", type, cell); }));
        program_.buffers.push_back({"T",
                                    chance(2) ? BufferKind::temp : BufferKind::local,
                                    type,
                                    std::vector<Index>(cell.size(), Index(16)),
                                    {},
                                    {},
                                    {}});
      }
      return out;
    };
    program_.body = walk(program_.body);
  }

  interp::Random& random_;
  Program program_;
  NameSupply names_;
  bool threads_ = has_workgroups(program_);
};

}  // namespace

Program rewritable(interp::Random& random, const Program& p) { return Rewritable(random, p).run(); }

ScheduleLine random_rewrite_line(interp::Random& random, const Program& p, std::string_view operation) {
  const auto word = [](std::string text) { return ScheduleWord{std::move(text), {1, 1, 1}}; };
  ScheduleLine line;
  line.op = std::string(operation);
  line.text = line.op;
  const auto operand = [&](std::string text) {
    line.operands.push_back(word(text));
    line.text += " " + std::move(text);
  };
  if (operation == "inline") {
    const bool scratch = p.find_buffer("T") && random.below(8) < 5;
    operand(scratch ? "T" : p.buffers[random.below(p.buffers.size())].name);
    if (random.below(3) == 0) operand("named");
  }
  if (operation == "materialize") {
    const std::vector<std::string> all = variable_names(p);
    const bool scopes = std::find(all.begin(), all.end(), "v") != all.end();
    const std::vector<Expr> unnamed = reading_expressions(p, 12);
    if (!unnamed.empty() && random.below(scopes ? 3 : 6) != 0 && random.below(2) == 0) {
      operand("(" + print(unnamed[random.below(unnamed.size())]) + ")");
      if (random.below(2) == 0) operand("instances");
    } else {
      operand(scopes && random.below(6) != 0 ? "v*" : all.empty() ? "v" : all[random.below(all.size())]);
    }
    if (random.below(4) == 0) {
      line.keys.push_back({word("kind"), {word("local")}});
      line.text += " kind=local";
    }
  }
  if (operation == "onehot") {
    const std::vector<std::string> loops = loop_names(p);
    const bool hot = std::find(loops.begin(), loops.end(), "hot") != loops.end();
    operand(hot || loops.empty() ? "hot" : loops[random.below(loops.size())]);
  }
  if (operation == "cse" && random.below(3) == 0) operand("arms");
  return line;
}

}  // namespace assay::fuzz
