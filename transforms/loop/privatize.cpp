// `privatize C over=k -> acc`: an accumulation into a cell of C that stays the same through the loop is done in private
// storage (spec/privatize.md).
//
//   for k { … C[c] … }   becomes   acc = C[c];  for k { … acc … };  C[c] = acc
//
// With `precision=` the private storage has a wider type, and accumulations go on in it: acc = acc ⊕ T(e).
// A cell that inner loops move is a tile: the copies run over the same inner loops. Conditions that all accesses share and
// that do not depend on k stand around the copies too. That nothing else touches the cells meanwhile is an obligation.
#include <algorithm>

#include "ir/analysis/access.hpp"
#include "ir/reads.hpp"
#include "ir/widening.hpp"
#include "transforms/define.hpp"
#include "transforms/names.hpp"
#include "transforms/reduction.hpp"
#include "transforms/tile.hpp"

namespace assay {
namespace {

class Privatize final : public Operation {
 public:
  explicit Privatize(Arguments line) : line_(std::move(line)) {}

  static Declaration declare() {
    Declaration d;
    d.name = "privatize";
    d.rule_prefix = "PVT";
    d.summary = "accumulates in private storage during a loop";
    d.parameters = {
        {"target", ParameterInfo::Kind::buffer, true, {}, {}, "the buffer that is accumulated into"},
        {"over", ParameterInfo::Kind::loops, true, {}, {}, "the loop during which the cells stay private"},
        {"precision",
         ParameterInfo::Kind::choice,
         false,
         {},
         {"f16", "bf16", "f32", "f64"},
         "type of the private storage, when wider"},
        {"accumulator", ParameterInfo::Kind::result, false, "TARGET_acc", {}, "name of the private storage"},
    };
    d.refusals = {
        {"PVT-1", "`over` is not one plain loop"},
        {"PVT-2", "the loop does not store to the target"},
        {"PVT-3", "the loop uses the target at several cells, at a dynamic index or as a whole"},
        {"PVT-4", "the cell depends on the loop itself"},
        {"PVT-5", "a loop that moves the cell is a hardware loop or depends on other loops inside"},
        {"PVT-6", "the tile has no extent free of loop symbols"},
        {"PVT-10", "`precision` is no float type that holds all values of the target's"},
        {"PVT-11", "with `precision`: the loop accumulates nothing into the target"},
    };
    d.schema = "F (flow)";
    d.greatest = Licence::rounds;
    d.obligations = {"flow-equal", "window-cover", "in-bounds", "defined-before-read"};
    d.example_program =
        "program rows { input A: f32[4, 9] inout y: f32[4]\n"
        "  for i in 0..4 { for k in 0..9 { y[i] += A[i, k] } }\n"
        "}\n";
    d.example_schedule = "privatize y over=k -> acc\n";
    return d;
  }

  static tl::expected<std::unique_ptr<Operation>, Refusal> bind(Arguments line, const Program& p) {
    const auto over = line.loops.find("over");
    if (over == line.loops.end() || over->second.size() != 1)
      return tl::unexpected(error("PVT-1", line.place("over"), "`privatize` is over one loop"));
    const Buffer& target = *p.find_buffer(line.buffers.at("target"));
    if (const auto precision = line.choices.find("precision"); precision != line.choices.end()) {
      const Type to = *parse_type(precision->second);
      if (!is_float(target.type) || (to != target.type && !widens_exactly(target.type, to))) {
        return tl::unexpected(
            error("PVT-10", line.place("precision"),
                  fmt::format("`{}` is of type {}, and {} is no float type that holds all of its values", target.name,
                              name(target.type), name(to))));
      }
    }
    return std::make_unique<Privatize>(std::move(line));
  }

  StepResult apply(const Program& before, Query&) const override {
    const Symbol target = line_.buffers.at("target");
    const Stmt loop = find_loops(before, line_.loops.at("over")[0]).front();
    if (loop->axis != Axis::serial && loop->axis != Axis::unrolled)
      return tl::unexpected(refused("PVT-1", fmt::format("`{}` is a `@{}` loop", loop->name, name(loop->axis)), loop));
    auto found = uses(before, target, loop);
    if (!found) return tl::unexpected(std::move(found).error());

    NameSupply names(before.bound_names());
    const Symbol accumulator =
        line_.results.empty() ? derived_name(target, "acc", names) : names.fresh(line_.results.at("accumulator"));
    const Buffer& buffer = *before.find_buffer(target);
    const auto precision = line_.choices.find("precision");
    const Type wide = precision == line_.choices.end() ? buffer.type : *parse_type(precision->second);
    if (wide != buffer.type && found->accumulations.empty())
      return tl::unexpected(refused("PVT-11", fmt::format("the loop accumulates nothing into `{}`", target), loop));
    Program after = before;
    std::vector<Index> at;
    if (!found->tile_loops.empty()) {
      const auto tile = tile_of(before, found->cell, found->tile_loops, found->around);
      if (!tile) return tl::unexpected(refused("PVT-6", "the number of private cells has no constant bound", loop));
      at = tile->at;
      after.buffers.push_back({accumulator, BufferKind::local, wide, tile->dims, {}, {}, loop->where});
    }
    const Block replacement = rewritten(*found, loop, {target, buffer.type}, {accumulator, wide}, at, names);
    Program out = rewrite_loops(after, [&](const Stmt& s) -> std::optional<Block> {
      if (s->name != loop->name) return std::nullopt;
      return replacement;
    });
    return placed(line_, std::move(out));
  }

 private:
  struct Uses {
    std::vector<Index> cell{};
    std::vector<Stmt> tile_loops{};  // that move the cell, outermost first
    std::vector<Stmt> around{};      // all loops around the access
    std::set<int> accumulations{};   // statements X = X ⊕ e
    std::vector<Guard> shared{};  // conditions inside the loop that all accesses stand under and that the copies share
  };

  Refusal refused(std::string code, const std::string& reason, const Stmt& where) const {
    return inapplicable(line_, std::move(code), reason, where->where);
  }

  tl::expected<Uses, Refusal> uses(const Program& before, const Symbol& target, const Stmt& loop) const {
    const Extraction extraction = extract(before);
    Uses out;
    bool any = false, stored = false;
    std::size_t depth = 0;
    for (const Node& n : extraction.nodes) {
      if (depth_of(n, loop->name) == n.loops.size()) continue;
      depth = depth_of(n, loop->name);
      for (const Access& a : n.accesses) {
        if (a.variable || a.storage != target) continue;
        const auto cell = a.whole ? std::nullopt : plain_cell(a.indices);
        if (!cell)
          return tl::unexpected(
              refused("PVT-3", fmt::format("`{}` is used at a dynamic index or as a whole", target), n.stmt));
        std::vector<Guard> inside;
        for (const Guard& g : n.guards) {
          if (g.loops > static_cast<int>(depth) && g.statement >= 0) inside.push_back(g);
        }
        if (any && !(*cell == out.cell))
          return tl::unexpected(refused("PVT-3", fmt::format("the loop uses several cells of `{}`", target), n.stmt));
        if (!any) {
          out.cell = *cell;
          out.around = n.loops;
          out.shared = inside;
        } else {
          out.shared = common_guards(std::move(out.shared), inside);
        }
        any = true;
        stored |= a.writes;
        if (a.writes && accumulation(n.stmt)) out.accumulations.insert(n.statement);
      }
    }
    if (!stored) return tl::unexpected(refused("PVT-2", fmt::format("the loop does not store to `{}`", target), loop));
    return classified(std::move(out), depth_of(out.around, loop->name), loop);
  }

  tl::expected<Uses, Refusal> classified(Uses u, std::size_t depth, const Stmt& loop) const {
    const std::set<Symbol> in_cell = symbols_of(u.cell);
    if (in_cell.count(loop->name) != 0)
      return tl::unexpected(
          refused("PVT-4", fmt::format("each iteration of `{}` uses another cell", loop->name), loop));
    std::set<Symbol> hidden{loop->name};  // bound inside, and not known where the copies stand
    for (std::size_t k = depth + 1; k < u.around.size(); ++k) {
      const Stmt& l = u.around[k];
      if (is_hardware(l->axis) || l->axis == Axis::reduce)
        return tl::unexpected(
            refused("PVT-5", fmt::format("`{}` inside the loop is a `@{}` loop", l->name, name(l->axis)), l));
      if (in_cell.count(l->name) == 0) {
        hidden.insert(l->name);
        continue;
      }
      for (const Symbol& s : symbols_of({l->lo, l->hi})) {
        if (hidden.count(s) != 0)
          return tl::unexpected(refused("PVT-5", fmt::format("the bounds of `{}` depend on `{}`", l->name, s), l));
      }
      u.tile_loops.push_back(l);
    }
    u.shared.erase(
        std::remove_if(u.shared.begin(), u.shared.end(), [&](const Guard& g) { return !is_known(g, hidden); }),
        u.shared.end());
    return u;
  }

  struct Storage {
    Symbol name;
    Type type;
  };

  // The value of an accumulation, of which the target is now read in the wide type: the operations between the root and
  // that read are the wide type's, and what they join is converted.
  static Expr widened(const Expr& e, const Storage& wide) {
    if (e->op == Op::convert && e->args[0]->type == wide.type && e->args[0]->name == wide.name) return e->args[0];
    const auto joined = [&](const Expr& a) {
      return reads(a, wide.name) ? widened(a, wide) : make_convert(wide.type, a, a->where);
    };
    std::vector<Expr> operands;
    for (const Expr& a : e->args) operands.push_back(joined(a));
    return make_op(e->op, std::move(operands), e->where);
  }

  Block rewritten(const Uses& u, const Stmt& loop, const Storage& target, const Storage& accumulator,
                  const std::vector<Index>& at, NameSupply& names) const {
    const bool scalar = u.tile_loops.empty();
    const bool wider = target.type != accumulator.type;
    const auto in_type = [](Type to, const Expr& e) { return e->type == to ? e : make_convert(to, e, e->where); };
    const auto read = [&](Location where) {
      return scalar ? make_variable(accumulator.name, accumulator.type, where)
                    : make_load(accumulator.name, accumulator.type, index_expressions(at), where);
    };
    const auto to_private = [&](const Expr& e) {
      return e->op == Op::load && e->name == target.name ? in_type(target.type, read(e->where)) : e;
    };
    Block moved = rewrite({loop}, to_private, [&](const Stmt& s) -> Block {
      if (s->kind != StmtKind::store || s->name != target.name) return {s};
      return {with(s, [&](StmtNode& n) {
        n.name = accumulator.name;
        n.kind = scalar ? StmtKind::assign : StmtKind::store;
        n.indices = scalar ? std::vector<Expr>{} : index_expressions(at);
        const bool accumulates = u.accumulations.count(s->provenance->statement) != 0;
        if (wider) n.value = accumulates ? widened(n.value, accumulator) : in_type(accumulator.type, n.value);
      })};
    });

    const auto value = [&](bool in) {
      if (!in) return in_type(target.type, read({}));
      return in_type(accumulator.type, make_load(target.name, target.type, index_expressions(u.cell)));
    };
    const auto transfer = [&](bool in) {
      Stmt s;
      if (!in) {
        s = make_store(target.name, index_expressions(u.cell), value(false), loop->where);
      } else if (scalar) {
        s = make_assign(accumulator.name, value(true), loop->where);
      } else {
        s = make_store(accumulator.name, index_expressions(at), value(true), loop->where);
      }
      const Block inner = guarded(u.shared, {s}, {}, loop->where);
      std::map<Symbol, Symbol> renamed;
      std::map<Symbol, Index> map;
      for (const Stmt& l : u.tile_loops) {
        renamed[l->name] = names.fresh(l->name);
        map.emplace(l->name, Index::symbol(renamed[l->name]));
      }
      return nest_like(u.tile_loops, renamed, substitute(inner, map));
    };

    Block out;
    if (scalar && u.shared.empty()) {
      out.push_back(make_declare(accumulator.name, accumulator.type, value(true), loop->where));
    } else {
      if (scalar) out.push_back(make_declare(accumulator.name, accumulator.type, Expr(), loop->where));
      const Block in = transfer(true);
      out.insert(out.end(), in.begin(), in.end());
    }
    out.insert(out.end(), moved.begin(), moved.end());
    const Block back = transfer(false);
    out.insert(out.end(), back.begin(), back.end());
    return out;
  }

  Arguments line_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(Privatize)
