// The cell of the store, set equal to what the tail reads, gives loops of the tail; the site follows from the symbols that are
// used in that.
#include "transforms/epilogue.hpp"

#include <algorithm>

#include "ir/analysis/launch.hpp"
#include "transforms/affine.hpp"
#include "transforms/facts.hpp"
#include "transforms/tile.hpp"

namespace assay::epilogue {
namespace {

Misfit misfit(const char* code, std::string reason, const Stmt& where) {
  return {code, std::move(reason), where ? where->where : Location{}};
}

// The way to the last store to `buffer` in program order, the store included; empty when there is none.
Way way_to_last_store(const Stmt& top, const Symbol& buffer) {
  Way open, found;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    open.push_back(s);
    if ((s->kind == StmtKind::store || s->kind == StmtKind::zero) && s->name == buffer) found = open;
    return true;
  };
  v.leave_stmt = [&](const Stmt&) { open.pop_back(); };
  visit(top, v);
  return found;
}

std::vector<Expr> loads_of(const Block& b, const Symbol& buffer) {
  std::vector<Expr> found;
  Visitor v;
  v.enter_expr = [&](const Expr& e) {
    if (e->op == Op::load && e->name == buffer) found.push_back(e);
    return true;
  };
  visit(b, v);
  return found;
}

// The loop symbols that the read gives, when its cell is the store's.
bool give(Tail& tail, const Producer& producer, const Stmt& top, const Expr& load) {
  std::set<Symbol> bound, open;  // by any loop of the tail; by those of its nest that nothing gives yet
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::loop) bound.insert(s->name);
    return true;
  };
  visit(top, v);
  for (const Stmt& s : tail.nest) {
    if (s->kind == StmtKind::loop) open.insert(s->name);
  }
  for (std::size_t d = 0; d < load->args.size(); ++d) {
    if (load->args[d]->op != Op::index) continue;
    const std::set<Symbol> here = symbols_of({load->args[d]->index});
    std::vector<Symbol> loops;
    std::set_intersection(here.begin(), here.end(), bound.begin(), bound.end(), std::back_inserter(loops));
    if (loops.size() != 1 || open.count(loops[0]) == 0) continue;
    const auto linear = linear_in(load->args[d]->index, loops[0]);
    if (!linear || linear->coefficient != 1) continue;
    open.erase(loops[0]);
    const Index value = producer.cell[d] - linear->rest;
    for (const Symbol& s : symbols_of({value})) tail.used.insert(s);
    tail.given.emplace(loops[0], value);
  }
  return !tail.given.empty();
}

// The value that conditions further in leave a loop's symbol, when they leave one: `lane == 0`.
std::optional<Index> pinned(const Way& way, std::size_t loop) {
  const StmtNode& l = *way[loop];
  for (std::size_t k = loop + 1; k < way.size() && way[k]->kind == StmtKind::branch; ++k) {
    const Expr& c = way[k]->value;
    if (c->op != Op::eq || c->args[0]->op != Op::index || c->args[1]->op != Op::index || !way[k]->other.empty())
      continue;
    const auto linear = linear_in(c->args[0]->index - c->args[1]->index, l.name);
    if (linear && (linear->coefficient == 1 || linear->coefficient == -1)) return linear->rest * -linear->coefficient;
  }
  return std::nullopt;
}

bool is_one_thread(const Way& way, std::size_t k, const Tail& tail) {
  return way[k]->axis == Axis::workgroup && tail.used.count(way[k]->name) == 0 && pinned(way, k).has_value();
}

// What is known of the producer's symbols where their cell is one that the tail reads.
Formula domain_of(const Program& before, const Way& way, const Tail& tail) {
  Formula known = parameter_domain(before);
  for (const Stmt& s : way) {
    if (s->kind == StmtKind::loop) known = known & loop_domain(s);
  }
  for (const Stmt& s : tail.nest) {
    const Formula f = s->kind == StmtKind::loop ? loop_domain(s) : condition_facts(s->value, true);
    known = known & f.substitute(tail.given);
  }
  return known;
}

}  // namespace

tl::expected<Producer, Misfit> find_producer(const Program& p, const Symbol& target) {
  Producer out;
  for (std::size_t k = p.body.size(); k-- > 0 && out.way.empty();) {
    out.way = way_to_last_store(p.body[k], target);
    out.position = k;
  }
  if (out.way.empty())
    return tl::unexpected(Misfit{"FUS-1", fmt::format("nothing stores to `{}`", target), p.find_buffer(target)->where});
  const Stmt& store = out.way.back();
  const auto cell = store->kind == StmtKind::zero ? std::nullopt : plain_cell(store->indices);
  if (!cell) {
    return tl::unexpected(misfit("FUS-1",
                                 fmt::format("the last store to `{}` is {}", target,
                                             store->kind == StmtKind::zero ? "a whole `zero`" : "at a dynamic index"),
                                 store));
  }
  out.cell = *cell;
  for (const StmtNode* tile : tiles_among_threads(p)) {
    if (!(tile->hi == Index(1))) out.team.insert(tile);
  }
  return out;
}

tl::expected<Tail, Misfit> find_tail(const Program& p, const Symbol& target, const Producer& producer) {
  Tail out;
  for (out.position = producer.position + 1; out.position < p.body.size(); ++out.position) {
    if (!loads_of({p.body[out.position]}, target).empty()) break;
  }
  if (out.position == p.body.size()) {
    return tl::unexpected(
        misfit("FUS-2", fmt::format("nothing behind the last store to `{}` reads it", target), producer.way.back()));
  }
  const Stmt& top = p.body[out.position];
  if (top->kind != StmtKind::loop)
    return tl::unexpected(misfit("FUS-2", fmt::format("what reads `{}` first is no loop", target), top));
  Block inside{top};
  while (inside.size() == 1 && (inside[0]->kind == StmtKind::loop || inside[0]->kind == StmtKind::branch)) {
    const Stmt s = inside[0];
    if (s->axis == Axis::reduce || s->axis == Axis::tile) break;  // they stay around what they hold
    if (!s->other.empty()) return tl::unexpected(misfit("FUS-3", "a condition of the tail has an `else`", s));
    out.nest.push_back(s);
    inside = s->body;
  }
  out.body = std::move(inside);
  if (out.body.empty()) return tl::unexpected(misfit("FUS-3", "the tail holds no statement", top));
  for (const Expr& load : loads_of({top}, target)) {
    if (give(out, producer, top, load)) return out;
  }
  return tl::unexpected(
      misfit("FUS-4", fmt::format("no read of `{}` has a loop of the tail in a subscript of its own", target), top));
}

bool in_one_lane(const Producer& producer, const Tail& tail, std::size_t site) {
  const Way& way = producer.way;
  for (std::size_t k = 0; k < way.size(); ++k) {
    if (k >= site && producer.team.count(&*way[k]) != 0) return true;
    if (k < site && is_one_thread(way, k, tail)) return true;
  }
  return false;
}
void leave_to_that_lane(Tail& tail) {
  for (std::size_t k = 0; k < tail.nest.size(); ++k) {
    if (tail.nest[k]->axis != Axis::workgroup) continue;
    const auto one = pinned(tail.nest, k);
    if (one && symbols_of({*one}).empty()) tail.given.emplace(tail.nest[k]->name, *one);
  }
}

std::size_t site_of(const Program& before, const Way& way, const Tail& tail, Query& query) {
  Formula where_tail_runs = domain_of(before, way, tail);
  for (std::size_t k = 0; k + 1 < way.size(); ++k) {
    const StmtNode& s = *way[k];
    if (s.kind == StmtKind::loop) {
      if (is_one_thread(way, k, tail)) {
        where_tail_runs = where_tail_runs & Formula::eq(Index::symbol(s.name), *pinned(way, k));
        continue;
      }
      if (tail.used.count(s.name) == 0 || s.axis == Axis::reduce || s.axis == Axis::tile) return k;
      continue;
    }
    const auto condition = s.other.empty() ? affine_condition(s.value) : std::nullopt;
    if (!condition || !query.implied(where_tail_runs, *condition)) return k;
  }
  return way.size() - 1;
}

}  // namespace assay::epilogue
