// Read off the way from the loop to the statement; only what a condition over outer loops does is asked of an engine: whether
// the cell tells these loops' iterations apart, and stays inside its buffer where the condition does not hold.
#include "oracle/sums.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ir/analysis/access.hpp"
#include "ir/text/source.hpp"
#include "ir/traverse.hpp"

namespace assay::oracle {
namespace {

using Way = std::vector<Stmt>;

class Census {
 public:
  Census(const Program& p, Query& query) : program_(p), query_(query) {}

  std::vector<Sum> run() {
    block(program_.body);
    return std::move(out_);
  }

 private:
  void block(const Block& b) {
    for (const Stmt& s : b) {
      way_.push_back(s);
      alone_.push_back(b.size() == 1);
      if (const auto op = accumulation(s)) add(*op);
      block(s->body);
      block(s->other);
      way_.pop_back();
      alone_.pop_back();
    }
  }

  void add(Op op) {
    Sum sum{way_.back(), op, {}};
    for (std::size_t k = way_.size() - 1; k-- > 0;) {
      if (way_[k]->kind == StmtKind::loop) sum.around.push_back(asked_at(k));
    }
    out_.push_back(std::move(sum));
  }

  // ANA-11: the first thing in the way, from the loop inwards.
  SumLevel asked_at(std::size_t at) const {
    SumLevel out{way_[at], 0, {}, {}};
    std::set<Symbol> kept;
    std::vector<Expr> conditions;
    Formula outside = parameter_domain(program_);
    for (std::size_t k = 0; k < at; ++k) {
      if (way_[k]->kind == StmtKind::loop) outside = outside & loop_domain(way_[k]);
    }
    Formula inside = outside;
    for (std::size_t k = at; k + 1 < way_.size(); ++k) {
      const StmtNode& s = *way_[k];
      if (!alone_[k + 1] || !s.other.empty()) {
        out.refusal = "other statements stand there too";
      } else if (s.kind == StmtKind::branch) {
        if (affine_condition(s.value)) {
          conditions.push_back(s.value);
        } else {
          out.refusal = fmt::format("the condition `{}` reads data", print(s.value));
        }
      } else if (s.axis != Axis::serial && s.axis != Axis::unrolled && s.axis != Axis::vectorized) {
        out.refusal = fmt::format("`{}` is a `@{}` loop", s.name, name(s.axis));
      } else {
        kept.insert(s.name);
        ++out.levels;
        inside = inside & loop_domain(way_[k]);
        if (query_.solve(inside).kind == Answer::Kind::empty) out.refusal = fmt::format("`{}` never runs", s.name);
      }
      if (!out.refusal.empty()) return out;
    }
    for (const Expr& i : way_.back()->indices) {
      if (i->op != Op::index) {
        out.refusal = "data tells the cell";
        return out;
      }
      for (const Symbol& s : kept) {
        if (i->index.mentions(s)) out.refusal = fmt::format("`{}` moves the cell", s);
      }
    }
    for (const Expr& c : conditions) {
      if (out.refusal.empty()) out.guards.push_back(guard(c, kept, at, outside, out.refusal));
    }
    return out;
  }

  // ANA-12
  std::string guard(const Expr& condition, const std::set<Symbol>& kept, std::size_t at, const Formula& outside,
                    std::string& refusal) const {
    const std::string text = "`" + print(condition) + "`";
    std::set<Symbol> used = free_symbols({make_branch(condition, {})}), outer;
    bool any = false;
    for (const Symbol& s : used) any = any || kept.count(s) != 0;
    for (std::size_t k = 0; k < at; ++k) {
      if (way_[k]->kind == StmtKind::loop && used.count(way_[k]->name) != 0) outer.insert(way_[k]->name);
    }
    if (!any) {
      refusal = fmt::format("{} is the same for all iterations", text);
      return {};
    }
    if (outer.empty()) return text + " selects iterations";
    if (!own_cells(outer, at, outside)) {
      refusal = fmt::format("{} selects among iterations of outer loops, which share the cell", text);
      return {};
    }
    if (!inside_buffer(outside)) {
      refusal = fmt::format("where {} does not hold the cell may lie outside of its buffer", text);
      return {};
    }
    return text + " selects iterations of outer loops, which have cells of their own";
  }

  std::vector<Index> cell() const {
    std::vector<Index> out;
    for (const Expr& i : way_.back()->indices) out.push_back(i->index);
    return out;
  }

  // No two iterations of the loops outside that differ in `outer` use one cell.
  bool own_cells(const std::set<Symbol>& outer, std::size_t at, const Formula& outside) const {
    std::map<Symbol, Index> other;
    for (std::size_t k = 0; k < at; ++k) {
      if (way_[k]->kind == StmtKind::loop) other.emplace(way_[k]->name, Index::symbol(way_[k]->name + "'"));
    }
    std::vector<Formula> differ, same;
    for (const Symbol& s : outer) differ.push_back(Formula::ne(Index::symbol(s), other.at(s)));
    for (const Index& i : cell()) same.push_back(Formula::eq(i, i.substitute(other)));
    const Formula clash = Formula::all(
        {outside, outside.substitute(other), Formula::any(std::move(differ)), Formula::all(std::move(same))});
    return query_.solve(clash).kind == Answer::Kind::empty;
  }

  bool inside_buffer(const Formula& outside) const {
    const Buffer* b = program_.find_buffer(way_.back()->name);
    if (!b) return true;  // a variable
    std::vector<Formula> out;
    const std::vector<Index> at = cell();
    for (std::size_t d = 0; d < at.size(); ++d) {
      out.push_back(Formula::lt(at[d], 0));
      out.push_back(Formula::le(b->dims[d], at[d]));
    }
    return query_.solve(outside & Formula::any(std::move(out))).kind == Answer::Kind::empty;
  }

  const Program& program_;
  Query& query_;
  Way way_{};
  std::vector<bool> alone_{};
  std::vector<Sum> out_{};
};

}  // namespace

std::vector<Sum> find_sums(const Program& p, Query& query) { return Census(p, query).run(); }

std::string sums_text(const Program& p, Query& query) {
  std::string out = fmt::format("program {}\n", p.name);
  const std::vector<Sum> sums = find_sums(p, query);
  if (sums.empty()) out += "  no statement accumulates\n";
  for (const Sum& s : sums) {
    std::string cell = s.update->name;
    if (s.update->kind == StmtKind::store) {
      std::vector<std::string> indices;
      for (const Expr& i : s.update->indices) indices.push_back(print(i));
      cell += fmt::format("[{}]", fmt::join(indices, ", "));
    }
    out += fmt::format("  {}:{}  {}: {} {}\n", s.update->where.line, s.update->where.column, cell, info(s.op).text,
                       name(s.update->value->type));
    for (const SumLevel& l : s.around) {
      const std::string what = !l.refusal.empty() ? l.refusal
                               : l.levels == 1    ? "kept across 1 loop"
                                                  : fmt::format("kept across {} loops", l.levels);
      out += fmt::format("    {}: {}\n", l.loop->name, what);
      for (const std::string& g : l.guards) out += fmt::format("      {}\n", g);
    }
  }
  return out;
}

}  // namespace assay::oracle
