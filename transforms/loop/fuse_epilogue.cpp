// `fuse_epilogue C`: the nest that reads C after its last store moves to where each cell becomes final (spec/fuse_epilogue.md).
//
// The cell of the store, set equal to what the tail reads, gives loops of the tail; the tail's body goes behind the part of
// the producer that must be finished first, under copies of the loops that it thereby leaves. That no execution is lost, and
// that none comes too early, is an obligation and not looked at here.
#include <algorithm>

#include "ir/analysis/launch.hpp"
#include "transforms/affine.hpp"
#include "transforms/define.hpp"
#include "transforms/facts.hpp"
#include "transforms/names.hpp"
#include "transforms/shared_tile.hpp"
#include "transforms/tile.hpp"

namespace assay {
namespace {

// The loops and conditions from a top-level statement down to one inside, outermost first.
using Way = std::vector<Stmt>;

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

class FuseEpilogue final : public Operation {
 public:
  explicit FuseEpilogue(Arguments line) : line_(std::move(line)) {}

  static Declaration declare() {
    Declaration d;
    d.name = "fuse_epilogue";
    d.rule_prefix = "FUS";
    d.summary = "moves the nest that reads a buffer after its last store to where each cell becomes final";
    d.parameters = {
        {"target", ParameterInfo::Kind::buffer, true, {}, {}, "the buffer whose cells the tail reads"},
        {"shared", ParameterInfo::Kind::boolean, false, {}, {}, "the target moves to the memory of the group"},
        {"cells", ParameterInfo::Kind::result, false, "TARGET_s", {}, "with `shared`: the new buffer"},
    };
    d.refusals = {
        {"FUS-1", "no nest stores to the target, or the last store is at a dynamic index or a whole `zero`"},
        {"FUS-2", "nothing behind the last store reads the target, or what reads it first is no loop"},
        {"FUS-3", "a condition of the tail has an `else`, or the tail is empty"},
        {"FUS-4", "no read of the target in the tail gives a loop of the tail"},
        {"FUS-6", "the bounds of a loop that runs again around the tail depend on one that does not"},
        {"FUS-8", "with `shared`: the target is no `temp` buffer; or a new name without `shared`"},
        {"FUS-9", "with `shared`: no `@workgroup` loop is around the store"},
        {"SCH-15", "a loop or a variable may not stand where the tail would go"},
    };
    d.schema = "R (reorder), with `shared` F (flow)";
    d.obligations = {"domain-bijection", "dependence-order", "race-freedom", "launch-coverage", "flow-equal"};
    d.example_program =
        "program bias { input A: f32[4, 5] input c: f32[4]\n"
        "  inout D: f32[4] output R: f32[4]\n"
        "  for i in 0..4 { for k in 0..5 { D[i] += A[i, k] } }\n"
        "  for a in 0..4 { R[a] = max(D[a] + c[a], 0.0) }\n"
        "}\n";
    d.example_schedule = "fuse_epilogue D\n";
    return d;
  }

  static tl::expected<std::unique_ptr<Operation>, Refusal> bind(Arguments line, const Program&) {
    if (!line.results.empty() && !line.flag("shared"))
      return tl::unexpected(error("FUS-8", line.where, "a new name for the target goes with `shared`"));
    return std::make_unique<FuseEpilogue>(std::move(line));
  }

  StepResult apply(const Program& before, Query& query) const override {
    const Symbol target = line_.buffers.at("target");
    auto producer = find_producer(before, target);
    if (!producer) return tl::unexpected(std::move(producer).error());
    auto tail = find_tail(before, target, *producer);
    if (!tail) return tl::unexpected(std::move(tail).error());
    NameSupply names(before.bound_names());
    const std::size_t site = site_of(before, producer->way, *tail, query);
    if (in_one_lane(*producer, *tail, site)) leave_to_that_lane(*tail);
    auto moved = block_behind(site, *producer, *tail, names);
    if (!moved) return tl::unexpected(std::move(moved).error());
    Program after = before;
    const auto at = [&](std::size_t position) { return after.body.begin() + static_cast<std::ptrdiff_t>(position); };
    after.body.erase(at(tail->position));
    const Block changed = with_behind(producer->way, 0, site, *moved);
    after.body.insert(after.body.erase(at(producer->position)), changed.begin(), changed.end());
    if (line_.flag("shared")) return in_group_memory(std::move(after), *producer, names);
    return placed(line_, std::move(after));
  }

 private:
  struct Producer {
    std::size_t position = 0;  // in the program's body
    Way way{};                 // from there to the store
    std::vector<Index> cell{};
    std::set<const StmtNode*> team{};  // tile products of several threads
  };
  struct Tail {
    std::size_t position = 0;
    Way nest{};  // loops and conditions
    Block body{};
    std::map<Symbol, Index> given{};  // its loop symbols, over symbols of the producer
    std::set<Symbol> used{};          // those symbols
  };

  Refusal refused(const char* code, const std::string& reason, const Stmt& where, std::string help = {}) const {
    return inapplicable(line_, code, reason, where ? where->where : Location{}, std::move(help));
  }

  tl::expected<Producer, Refusal> find_producer(const Program& p, const Symbol& target) const {
    Producer out;
    for (std::size_t k = p.body.size(); k-- > 0 && out.way.empty();) {
      out.way = way_to_last_store(p.body[k], target);
      out.position = k;
    }
    if (out.way.empty()) return tl::unexpected(refused("FUS-1", fmt::format("nothing stores to `{}`", target), {}));
    const Stmt& store = out.way.back();
    const auto cell = store->kind == StmtKind::zero ? std::nullopt : plain_cell(store->indices);
    if (!cell) {
      return tl::unexpected(
          refused("FUS-1",
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

  tl::expected<Tail, Refusal> find_tail(const Program& p, const Symbol& target, const Producer& producer) const {
    Tail out;
    for (out.position = producer.position + 1; out.position < p.body.size(); ++out.position) {
      if (!loads_of({p.body[out.position]}, target).empty()) break;
    }
    if (out.position == p.body.size()) {
      return tl::unexpected(
          refused("FUS-2", fmt::format("nothing behind the last store to `{}` reads it", target), producer.way.back()));
    }
    const Stmt& top = p.body[out.position];
    if (top->kind != StmtKind::loop)
      return tl::unexpected(refused("FUS-2", fmt::format("what reads `{}` first is no loop", target), top));
    Block inside{top};
    while (inside.size() == 1 && (inside[0]->kind == StmtKind::loop || inside[0]->kind == StmtKind::branch)) {
      const Stmt s = inside[0];
      if (s->axis == Axis::reduce || s->axis == Axis::tile) break;  // they stay around what they hold
      if (!s->other.empty()) return tl::unexpected(refused("FUS-3", "a condition of the tail has an `else`", s));
      out.nest.push_back(s);
      inside = s->body;
    }
    out.body = std::move(inside);
    if (out.body.empty()) return tl::unexpected(refused("FUS-3", "the tail holds no statement", top));
    for (const Expr& load : loads_of({top}, target)) {
      if (give(out, producer, top, load)) return out;
    }
    return tl::unexpected(
        refused("FUS-4", fmt::format("no read of `{}` has a loop of the tail in a subscript of its own", target), top));
  }

  // The loop symbols that the read gives, when its cell is the store's.
  static bool give(Tail& tail, const Producer& producer, const Stmt& top, const Expr& load) {
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

  // FUS-8
  StepResult in_group_memory(Program p, const Producer& producer, NameSupply& names) const {
    const Symbol target = line_.buffers.at("target");
    const auto buffer =
        std::find_if(p.buffers.begin(), p.buffers.end(), [&](const Buffer& b) { return b.name == target; });
    if (buffer->kind != BufferKind::temp) {
      return tl::unexpected(refused("FUS-8",
                                    fmt::format("`{}` is of kind `{}`, and only a `temp` buffer can move to the group",
                                                target, name(buffer->kind)),
                                    producer.way.back()));
    }
    const auto of_threads = [](const Stmt& s) { return s->kind == StmtKind::loop && s->axis == Axis::workgroup; };
    if (producer.team.empty() && std::none_of(producer.way.begin(), producer.way.end(), of_threads)) {
      return tl::unexpected(
          refused("FUS-9", "no `@workgroup` loop is around the store, so no group is known", producer.way.back()));
    }
    const Symbol cells =
        line_.results.empty() ? derived_name(target, "s", names) : names.fresh(line_.results.at("cells"));
    buffer->name = cells;
    buffer->kind = BufferKind::shared;
    p.body = rewrite(
        p.body,
        [&](const Expr& e) {
          return e->op == Op::load && e->name == target ? make_load(cells, e->type, e->args, e->where) : e;
        },
        [&](const Stmt& s) -> Block {
          if ((s->kind != StmtKind::store && s->kind != StmtKind::zero) || s->name != target) return {s};
          return {with(s, [&](StmtNode& n) { n.name = cells; })};
        });
    return placed(line_, std::move(p));
  }

  // The value that conditions further in leave a loop's symbol, when they leave one: `lane == 0`.
  static std::optional<Index> pinned(const Way& way, std::size_t loop) {
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

  // Whether one of several threads runs what goes to the site (FUS-20, FUS-21).
  static bool in_one_lane(const Producer& producer, const Tail& tail, std::size_t site) {
    const Way& way = producer.way;
    for (std::size_t k = 0; k < way.size(); ++k) {
      if (k >= site && producer.team.count(&*way[k]) != 0) return true;
      if (k < site && is_one_thread(way, k, tail)) return true;
    }
    return false;
  }
  static bool is_one_thread(const Way& way, std::size_t k, const Tail& tail) {
    return way[k]->axis == Axis::workgroup && tail.used.count(way[k]->name) == 0 && pinned(way, k).has_value();
  }

  // FUS-22
  static void leave_to_that_lane(Tail& tail) {
    for (std::size_t k = 0; k < tail.nest.size(); ++k) {
      if (tail.nest[k]->axis != Axis::workgroup) continue;
      const auto one = pinned(tail.nest, k);
      if (one && symbols_of({*one}).empty()) tail.given.emplace(tail.nest[k]->name, *one);
    }
  }

  // FUS-5: the position on the way of the outermost statement that the tail has to wait for.
  static std::size_t site_of(const Program& before, const Way& way, const Tail& tail, Query& query) {
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

  // What is known of the producer's symbols where their cell is one that the tail reads.
  static Formula domain_of(const Program& before, const Way& way, const Tail& tail) {
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

  // What goes behind the site: copies of the loops that are left, the tail's own loops and conditions, its body.
  tl::expected<Block, Refusal> block_behind(std::size_t site, const Producer& producer, const Tail& tail,
                                            NameSupply& names) const {
    std::map<Symbol, Index> renamed;  // loops of the producer that run again
    std::set<Symbol> gone;            // and those that do not
    std::vector<Stmt> again;          // headers, outermost first
    for (std::size_t k = site; k + 1 < producer.way.size(); ++k) {
      const Stmt& s = producer.way[k];
      if (s->kind != StmtKind::loop) continue;
      if (tail.used.count(s->name) == 0) {
        gone.insert(s->name);
        continue;
      }
      for (const Symbol& symbol : symbols_of({s->lo, s->hi})) {
        if (gone.count(symbol) != 0) {
          return tl::unexpected(refused(
              "FUS-6", fmt::format("the bounds of `{}` depend on `{}`, which is finished there", s->name, symbol), s));
        }
      }
      const Symbol fresh = names.fresh(s->name);
      again.push_back(
          make_loop(fresh, s->lo.substitute(renamed), s->hi.substitute(renamed), s->step, Axis::serial, {}, s->where));
      renamed.insert_or_assign(s->name, Index::symbol(fresh));
    }

    std::map<Symbol, Index> given;
    for (const auto& [symbol, value] : tail.given) given.emplace(symbol, value.substitute(renamed));
    Block out = substitute(tail.body, given);
    for (auto s = tail.nest.rbegin(); s != tail.nest.rend(); ++s) {
      const auto value = (*s)->kind == StmtKind::loop ? given.find((*s)->name) : given.end();
      if (value == given.end()) {
        // Not one of the loops that are gone: it stands as it was, its own text in terms of the producer's loops.
        const Stmt header = substitute(Block{with(*s, [](StmtNode& n) { n.body = {}; })}, given).front();
        out = {with(header, [&](StmtNode& n) { n.body = std::move(out); })};
        continue;
      }
      out = inside_bounds(**s, value->second, given, std::move(out));
    }
    for (auto s = again.rbegin(); s != again.rend(); ++s)
      out = {with(*s, [&](StmtNode& n) { n.body = std::move(out); })};
    for (std::size_t k = site; k < producer.way.size(); ++k) {  // FUS-20
      if (producer.team.count(&*producer.way[k]) != 0) out = {by_first_lane(*producer.way[k], std::move(out), names)};
    }
    return out;
  }

  // The body under the conditions that `value` is one of the loop's.
  static Block inside_bounds(const StmtNode& loop, const Index& value, const std::map<Symbol, Index>& given,
                             Block body) {
    const Index lo = loop.lo.substitute(given), hi = loop.hi.substitute(given);
    std::vector<Expr> conditions{compare(Op::le, lo, value), compare(Op::lt, value, hi)};
    if (loop.step != 1) conditions.push_back(divisible(value - lo, loop.step));
    return {make_branch(conjunction(conditions), std::move(body), {}, loop.where)};
  }

  // way[k] with `more` behind way[site], which lies on the way.
  static Block with_behind(const Way& way, std::size_t k, std::size_t site, const Block& more) {
    if (k == site) {
      Block out{way[k]};
      out.insert(out.end(), more.begin(), more.end());
      return out;
    }
    return {with(way[k], [&](StmtNode& n) {
      for (Block* b : {&n.body, &n.other}) {
        Block changed;
        for (const Stmt& s : *b) {
          if (&*s != &*way[k + 1]) {
            changed.push_back(s);
            continue;
          }
          for (Stmt& t : with_behind(way, k + 1, site, more)) changed.push_back(std::move(t));
        }
        *b = std::move(changed);
      }
    })};
  }

  Arguments line_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(FuseEpilogue)
