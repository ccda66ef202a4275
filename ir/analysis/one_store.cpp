// The statements that fill a cell stand in one block. Nothing outside of them sees the values that the cell has in between, so
// these may as well be those of a variable.
#include "ir/analysis/one_store.hpp"

#include <algorithm>
#include <string>

#include "ir/plain_constant.hpp"
#include "ir/reads.hpp"
#include "ir/traverse.hpp"

namespace assay {
namespace {

bool any_statement(const Block& b, const std::function<bool(const Stmt&)>& f) {
  bool found = false;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    found = found || f(s);
    return !found;
  };
  visit(b, v);
  return found;
}
bool any_statement(const Stmt& s, const std::function<bool(const Stmt&)>& f) { return any_statement(Block{s}, f); }

bool is_serial(Axis a) { return a == Axis::serial || a == Axis::unrolled; }

// Storages that a statement reads anywhere inside, and those that it sets.
std::set<Symbol> read_in(const Stmt& s) {
  std::set<Symbol> out;
  Visitor v;
  v.enter_stmt = [&](const Stmt& t) {
    for (const Expr& e : t->indices) out.merge(read_by(e));
    if (t->value) out.merge(read_by(t->value));
    return true;
  };
  visit(s, v);
  return out;
}
bool sets(const Stmt& s, const std::set<Symbol>& any) {
  return any_statement(s, [&](const Stmt& t) {
    return t->kind != StmtKind::loop && t->kind != StmtKind::branch && any.count(t->name) != 0;
  });
}

class OneStore {
 public:
  OneStore(const Program& p, const Symbol& buffer, const std::function<Symbol(const Symbol&)>& fresh)
      : program_(p), buffer_(*p.find_buffer(buffer)), fresh_(fresh) {}

  std::optional<Program> run() {
    int stores = 0;
    for (std::size_t k = 0; k < program_.body.size(); ++k) {
      any_statement(program_.body[k], [&](const Stmt& s) {
        stores += is_store(s) ? 1 : 0;
        if (s->kind != StmtKind::zero || s->name != buffer_.name) return false;
        ++zeros_;
        if (s == program_.body[k]) zero_ = k;
        return false;
      });
    }
    if (zeros_ > 1 || stores + zeros_ == 0) return std::nullopt;
    if (zeros_ == 0 && stores == 1) return std::nullopt;
    if (stores == 0) return zeroes_alone();
    if (zeros_ == 1 && !zero_) return std::nullopt;
    Program out = program_;
    const auto body = in_block(program_.body);
    if (!body) return std::nullopt;
    out.body = *body;
    if (zero_) out.body.erase(out.body.begin() + static_cast<std::ptrdiff_t>(*zero_));
    return out;
  }

 private:
  bool is_store(const Stmt& s) const { return s->kind == StmtKind::store && s->name == buffer_.name; }
  bool holds_store(const Stmt& s) const {
    return any_statement(s, [&](const Stmt& t) { return is_store(t); });
  }

  // `zero T` as the loops that it means (EXEC-8).
  std::optional<Program> zeroes_alone() const {
    Program out = program_;
    out.body = rewrite(program_.body, {}, [&](const Stmt& s) -> Block {
      if (s->kind != StmtKind::zero || s->name != buffer_.name) return {s};
      std::vector<Symbol> at;
      std::vector<Expr> cell;
      for (std::size_t d = 0; d < buffer_.dims.size(); ++d) {
        at.push_back(fresh_("c"));
        cell.push_back(make_index(Index::symbol(at.back())));
      }
      const auto from = [&](StmtNode& n) { n.provenance = s->provenance; };
      Stmt nest = with(make_store(buffer_.name, cell, zero_value(buffer_.type, s->where), s->where), from);
      for (std::size_t d = at.size(); d-- > 0;)
        nest = with(make_loop(at[d], 0, buffer_.dims[d], 1, Axis::serial, {nest}, s->where), from);
      return {nest};
    });
    return out;
  }

  // The block with the run of statements in it, or in a block inside, as one store.
  std::optional<Block> in_block(const Block& b) {
    std::vector<std::size_t> at;
    for (std::size_t k = 0; k < b.size(); ++k) {
      if (holds_store(b[k])) at.push_back(k);
    }
    // As far inside as it can be: there the loops around tell the cell.
    if (const Stmt& s = b[at.front()]; at.size() == 1 && goes_in(s)) {
      if (s->kind == StmtKind::loop) around_.push_back(s);
      arms_ += s->kind == StmtKind::branch ? 1 : 0;
      if (const auto inside = in_block(s->body)) {
        Block out = b;
        out[at.front()] = with(s, [&](StmtNode& n) { n.body = *inside; });
        return out;
      }
      if (s->kind == StmtKind::loop) around_.pop_back();
      arms_ -= s->kind == StmtKind::branch ? 1 : 0;
    }
    return as_one(b, at);
  }

  bool goes_in(const Stmt& s) const {
    const bool arm = s->kind == StmtKind::branch &&
                     std::none_of(s->other.begin(), s->other.end(), [&](const Stmt& t) { return holds_store(t); });
    return s->kind == StmtKind::loop || arm;
  }

  std::optional<Block> as_one(const Block& b, const std::vector<std::size_t>& at) {
    cell_.clear();
    Block run;
    std::set<Symbol> moved;  // what the statements read that move down to the last one
    for (std::size_t k = at.front(); k <= at.back(); ++k) {
      const bool one_of_them = std::find(at.begin(), at.end(), k) != at.end();
      if (one_of_them) {
        run.push_back(b[k]);
        moved.merge(read_in(b[k]));
        moved.insert(buffer_.name);
      } else if (!stays(b[k]) || sets(b[k], moved)) {
        return std::nullopt;
      }
    }
    if (!is_run(run) || !starts(run)) return std::nullopt;
    const Symbol v = fresh_(buffer_.name);
    Block body = rewrite(
        run,
        [&](const Expr& e) {
          return e->op == Op::load && e->name == buffer_.name ? make_variable(v, buffer_.type, e->where) : e;
        },
        [&](const Stmt& s) -> Block {
          if (!is_store(s)) return {s};
          return {with(s, [&](StmtNode& n) {
            n.kind = StmtKind::assign;
            n.name = v;
            n.indices.clear();
          })};
        });
    if (zero_) {
      const Stmt& zero = program_.body[*zero_];
      body.insert(body.begin(), with(make_assign(v, zero_value(buffer_.type, zero->where), zero->where),
                                     [&](StmtNode& n) { n.provenance = zero->provenance; }));
    }
    const Stmt& last = b[at.back()];
    Block out;
    for (std::size_t k = 0; k < b.size(); ++k) {
      if (k == at.back()) {
        out.push_back(with(make_store(buffer_.name, cell_, make_scope(v, buffer_.type, body, last->where), last->where),
                           [&](StmtNode& n) { n.provenance = last->provenance; }));
      } else if (std::find(at.begin(), at.end(), k) == at.end()) {
        out.push_back(b[k]);
      }
    }
    return out;
  }

  // What stands between the statements of a run does not look at its cell, and orders no threads.
  bool stays(const Stmt& s) const {
    return read_in(s).count(buffer_.name) == 0 &&
           !any_statement(s, [](const Stmt& t) { return t->kind == StmtKind::barrier || t->kind == StmtKind::launch; });
  }

  // All do nothing but compute the one cell, in an order that a scope can have.
  bool is_run(const Block& run) {
    std::set<Symbol> own, loops;
    bool fine = true;
    any_statement(run, [&](const Stmt& s) {
      switch (s->kind) {
        case StmtKind::store:
          if (cell_.empty()) cell_ = s->indices;
          fine = fine && is_store(s) && s->indices == cell_;
          break;
        case StmtKind::loop:
          fine = fine && is_serial(s->axis);
          loops.insert(s->name);
          break;
        case StmtKind::declare: own.insert(s->name); break;
        case StmtKind::assign:
          fine = fine && (own.count(s->name) != 0 || scope_variables(run).count(s->name) != 0);
          break;
        case StmtKind::branch: break;
        default: fine = false;
      }
      return !fine;
    });
    for (const Stmt& s : run) fine = fine && s->kind != StmtKind::declare;
    Visitor v;
    v.enter_expr = [&](const Expr& e) {
      if (e->op == Op::load && e->name == buffer_.name) fine = fine && e->args == cell_;
      return true;
    };
    visit(run, v);
    return fine && std::all_of(cell_.begin(), cell_.end(), [&](const Expr& e) {
             return e->op == Op::index &&
                    std::none_of(loops.begin(), loops.end(), [&](const Symbol& l) { return e->index.mentions(l); });
           });
  }

  static std::set<Symbol> scope_variables(const Block& b) {
    std::set<Symbol> out;
    Visitor v;
    v.enter_expr = [&](const Expr& e) {
      if (e->op == Op::scope) out.insert(e->name);
      return true;
    };
    visit(b, v);
    return out;
  }

  // The first value of the cell does not depend on what it held: it is stored, or a `zero` before is the only other statement,
  // and the iterations of the loops around have one cell each and leave none out.
  bool starts(const Block& run) const {
    if (!zero_) return is_store(run.front()) && !reads(run.front()->value, buffer_.name);
    std::size_t here = 0;
    while (!holds_store(program_.body[here])) ++here;
    if (*zero_ > here || arms_ > 0 || around_.size() != cell_.size()) return false;
    return std::all_of(around_.begin(), around_.end(), [&](const Stmt& l) {
      bool all_of_it = false;
      for (std::size_t d = 0; d < cell_.size(); ++d)
        all_of_it = all_of_it || (cell_[d]->index == Index::symbol(l->name) && l->lo == Index(0) &&
                                  l->hi == buffer_.dims[d] && l->step == 1);
      return all_of_it;
    });
  }

  const Program& program_;
  const Buffer& buffer_;
  const std::function<Symbol(const Symbol&)>& fresh_;
  int zeros_ = 0;
  std::optional<std::size_t> zero_;  // its place among the statements of the program
  std::vector<Stmt> around_;         // the loops around the run
  int arms_ = 0;                     // the conditions around it
  std::vector<Expr> cell_;
};

}  // namespace

std::optional<Program> with_one_store(const Program& p, const Symbol& buffer,
                                      const std::function<Symbol(const Symbol&)>& fresh) {
  return OneStore(p, buffer, fresh).run();
}

}  // namespace assay
