// `privatize C over=k -> acc`: an accumulation into a cell of C that stays the same through the loop is done in private
// storage (spec/privatize.md).
//
//   for k { … C[c] … }   becomes   acc = C[c];  for k { … acc … };  C[c] = acc
//
// With `precision=` the private storage has a wider type, and accumulations go on in it: acc = acc ⊕ T(e); with `products`
// the products among their terms are computed in it as well. With `shared` the threads of a group have one tile together.
// A cell that inner loops move is a tile: the copies run over the same inner loops. Conditions that all accesses share and
// that do not depend on k stand around the copies too. That nothing else touches the cells meanwhile is an obligation.
#include <algorithm>

#include "ir/reads.hpp"
#include "ir/widening.hpp"
#include "transforms/names.hpp"
#include "transforms/private_cell.hpp"
#include "transforms/reduction.hpp"
#include "transforms/shared_tile.hpp"
#include "transforms/single_lane.hpp"
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
        {"products",
         ParameterInfo::Kind::boolean,
         false,
         {},
         {},
         "products among the terms are computed in the wider type too"},
        {"shared", ParameterInfo::Kind::boolean, false, {}, {}, "one tile for all threads of a group"},
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
        {"PVT-18", "with `products`: there is no wider type, or the target has more than 16 bits"},
        {"PVT-17", "with `shared`: no thread is known that copies"},
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
    if (line.flag("products")) {
      const auto precision = line.choices.find("precision");
      if (precision == line.choices.end() || *parse_type(precision->second) == target.type ||
          bit_width(target.type) > 16) {
        return tl::unexpected(
            error("PVT-18", line.place("products"),
                  fmt::format("`products` needs a `precision` wider than the type of `{}`, of 16 bits at most",
                              target.name)));
      }
    }
    return std::make_unique<Privatize>(std::move(line));
  }

  StepResult apply(const Program& before, Query&) const override {
    const Symbol target = line_.buffers.at("target");
    const Stmt loop = find_loops(before, line_.loops.at("over")[0]).front();
    if (loop->axis != Axis::serial && loop->axis != Axis::unrolled)
      return tl::unexpected(refused("PVT-1", fmt::format("`{}` is a `@{}` loop", loop->name, name(loop->axis)), loop));
    auto found = find_private_cell(line_, before, target, loop, is_shared());
    if (!found) return tl::unexpected(std::move(found).error());
    if (is_shared() && !found->team && std::none_of(found->around.begin(), found->around.end(), [](const Stmt& l) {
          return l->axis == Axis::workgroup;
        }))
      return tl::unexpected(refused("PVT-17", fmt::format("no `@workgroup` loop is around `{}`", loop->name), loop));

    NameSupply names(before.bound_names());
    const Symbol accumulator =
        line_.results.empty() ? derived_name(target, "acc", names) : names.fresh(line_.results.at("accumulator"));
    const Buffer& buffer = *before.find_buffer(target);
    const auto precision = line_.choices.find("precision");
    const Type wide = precision == line_.choices.end() ? buffer.type : *parse_type(precision->second);
    if (wide != buffer.type && found->accumulations.empty())
      return tl::unexpected(refused("PVT-11", fmt::format("the loop accumulates nothing into `{}`", target), loop));
    Program after = before;
    Storage storage{accumulator, wide, !is_shared() && found->tile_loops.empty(), {}};
    if (!storage.scalar) {
      const auto tile = tile_of(before, found->cell, found->tile_loops, found->around);
      if (!tile) return tl::unexpected(refused("PVT-6", "the number of private cells has no constant bound", loop));
      storage.at = tile->at;
      after.buffers.push_back(
          {accumulator, is_shared() ? BufferKind::shared : BufferKind::local, wide, tile->dims, {}, {}, loop->where});
    }
    const Block replacement = rewritten(*found, loop, {target, buffer.type}, storage, names);
    Program out = rewrite_loops(after, [&](const Stmt& s) -> std::optional<Block> {
      if (s->name != loop->name) return std::nullopt;
      return replacement;
    });
    if (is_shared() && found->team)
      out = led_by_first_lane(std::move(out), loop->name, found->team->hi.constant(), found->team->name, names);
    return placed(line_, std::move(out));
  }

 private:
  struct Target {
    Symbol name;
    Type type;
  };
  struct Storage {
    Symbol name;
    Type type;
    bool scalar;  // a `var`
    std::vector<Index> at;
  };

  bool is_shared() const { return line_.flag("shared"); }
  Refusal refused(std::string code, const std::string& reason, const Stmt& where) const {
    return inapplicable(line_, std::move(code), reason, where->where);
  }

  // The value of an accumulation, of which the target is now read in the wide type: the operations between the root and
  // that read are the wide type's, and what they join is converted.
  Expr widened(const Expr& e, const Storage& wide) const {
    if (e->op == Op::convert && e->args[0]->type == wide.type && e->args[0]->name == wide.name) return e->args[0];
    std::vector<Expr> operands;
    for (const Expr& a : e->args) operands.push_back(reads(a, wide.name) ? widened(a, wide) : term(a, wide.type));
    return make_op(e->op, std::move(operands), e->where);
  }
  Expr term(const Expr& e, Type wide) const {
    if (e->op != Op::mul || !line_.flag("products")) return make_convert(wide, e, e->where);
    return make_op(Op::mul, {term(e->args[0], wide), term(e->args[1], wide)}, e->where);
  }

  Block rewritten(const PrivateCell& u, const Stmt& loop, const Target& target, const Storage& accumulator,
                  NameSupply& names) const {
    const bool wider = target.type != accumulator.type;
    const auto in_type = [](Type to, const Expr& e) { return e->type == to ? e : make_convert(to, e, e->where); };
    const auto read = [&](Location where) {
      return accumulator.scalar
                 ? make_variable(accumulator.name, accumulator.type, where)
                 : make_load(accumulator.name, accumulator.type, index_expressions(accumulator.at), where);
    };
    const auto to_private = [&](const Expr& e) {
      return e->op == Op::load && e->name == target.name ? in_type(target.type, read(e->where)) : e;
    };
    const Block moved = rewrite({loop}, to_private, [&](const Stmt& s) -> Block {
      if (s->kind != StmtKind::store || s->name != target.name) return {s};
      return {with(s, [&](StmtNode& n) {
        n.name = accumulator.name;
        n.kind = accumulator.scalar ? StmtKind::assign : StmtKind::store;
        n.indices = accumulator.scalar ? std::vector<Expr>{} : index_expressions(accumulator.at);
        const bool accumulates = u.accumulations.count(s->provenance->statement) != 0;
        if (wider) n.value = accumulates ? widened(n.value, accumulator) : in_type(accumulator.type, n.value);
      })};
    });

    const Expr in = in_type(accumulator.type, make_load(target.name, target.type, index_expressions(u.cell)));
    const Expr back = in_type(target.type, read({}));
    const Stmt load = accumulator.scalar
                          ? make_assign(accumulator.name, in, loop->where)
                          : make_store(accumulator.name, index_expressions(accumulator.at), in, loop->where);
    const Stmt store = make_store(target.name, index_expressions(u.cell), back, loop->where);

    Block out;
    const auto add = [&](const Block& b) { out.insert(out.end(), b.begin(), b.end()); };
    if (accumulator.scalar && u.shared.empty()) {
      out.push_back(make_declare(accumulator.name, accumulator.type, in, loop->where));
    } else {
      if (accumulator.scalar) out.push_back(make_declare(accumulator.name, accumulator.type, Expr(), loop->where));
      add(transfer(u, loop, load, names));
    }
    if (is_shared()) out.push_back(make_barrier());
    add(moved);
    if (is_shared()) out.push_back(make_barrier());
    add(transfer(u, loop, store, names));
    return out;
  }

  // One copy, for all cells of the tile, under the shared conditions. With `shared` the threads that the tile's own loops
  // are copy side by side, and of all others the first (PVT-15, PVT-16).
  Block transfer(const PrivateCell& u, const Stmt& loop, const Stmt& copy, NameSupply& names) const {
    Block out = guarded(u.shared, {copy}, {}, loop->where);
    std::vector<Stmt> repeated;
    std::map<Symbol, Symbol> renamed;
    std::map<Symbol, Index> map;
    for (const Stmt& l : u.tile_loops) {
      if (u.outside(l, loop->name)) continue;
      repeated.push_back(l);
      renamed[l->name] = names.fresh(l->name);
      map.emplace(l->name, Index::symbol(renamed[l->name]));
    }
    out = substitute(out, map);
    bool lanes = is_shared() && u.team;
    const auto by_lane = [&] {
      out = {by_first_lane(*u.team, std::move(out), names)};
      lanes = false;
    };
    for (auto l = repeated.rbegin(); l != repeated.rend(); ++l) {
      if (lanes && (*l)->axis == Axis::workgroup) by_lane();
      out = nest_like({*l}, renamed, std::move(out));
      if ((*l)->axis == Axis::workgroup) out = {with(out[0], [](StmtNode& n) { n.axis = Axis::workgroup; })};
    }
    if (lanes) by_lane();
    if (!is_shared()) return out;
    std::vector<Stmt> around;
    for (const Stmt& l : u.around) {
      if (u.outside(l, loop->name)) around.push_back(l);
    }
    return by_first_threads(around, u.tile_loops, std::move(out));
  }

  Arguments line_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(Privatize)
