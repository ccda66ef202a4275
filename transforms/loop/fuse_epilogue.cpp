// `fuse_epilogue C`: the nest that reads C after its last store moves to where each cell becomes final (spec/fuse_epilogue.md).
//
// Which nest that is, and where it may go, is found by transforms/epilogue.hpp; its body goes behind the part of the producer
// that must be finished first, under copies of the loops that it thereby leaves. That no execution is lost, and that none
// comes too early, is an obligation and not looked at here.
#include <algorithm>

#include "transforms/affine.hpp"
#include "transforms/define.hpp"
#include "transforms/epilogue.hpp"
#include "transforms/names.hpp"
#include "transforms/shared_tile.hpp"
#include "transforms/tile.hpp"

namespace assay {
namespace {

using epilogue::Producer, epilogue::Tail, epilogue::Way;

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
    auto producer = epilogue::find_producer(before, target);
    if (!producer) return tl::unexpected(inapplicable(line_, std::move(producer).error()));
    auto tail = epilogue::find_tail(before, target, *producer);
    if (!tail) return tl::unexpected(inapplicable(line_, std::move(tail).error()));
    NameSupply names(before.bound_names());
    const std::size_t site = epilogue::site_of(before, producer->way, *tail, query);
    if (epilogue::in_one_lane(*producer, *tail, site)) epilogue::leave_to_that_lane(*tail);
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
  Refusal refused(const char* code, const std::string& reason, const Stmt& where, std::string help = {}) const {
    return inapplicable(line_, code, reason, where ? where->where : Location{}, std::move(help));
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
