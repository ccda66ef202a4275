// `stage A over=ii,kk -> As`: reads of A go through a tile that is filled just before: a private one, or with `shared`
// one that the threads of a group fill together (spec/stage.md, transforms/shared_tile.hpp).
//
// The cells that the loops `over` reach through the index of A are copied at the start of the body of the anchor, the
// deepest loop that moves the tile; without one, before the first statement that reads it. Cells outside of A are not
// copied, above or below: the tile holds zero there. That nothing writes the cells meanwhile is an obligation.
#include <algorithm>

#include "ir/analysis/access.hpp"
#include "ir/analysis/interval.hpp"
#include "ir/literal.hpp"
#include "ir/widening.hpp"
#include "transforms/affine.hpp"
#include "transforms/define.hpp"
#include "transforms/names.hpp"
#include "transforms/shared_tile.hpp"
#include "transforms/tile.hpp"

namespace assay {
namespace {

constexpr const char* unbuilt[] = {"hoisted", "cooperative", "swizzle"};

class Stage final : public Operation {
 public:
  explicit Stage(Arguments line) : line_(std::move(line)) {}

  static Declaration declare() {
    Declaration d;
    d.name = "stage";
    d.rule_prefix = "STG";
    d.summary = "reads a buffer through a tile that is filled just before";
    d.parameters = {
        {"source", ParameterInfo::Kind::buffer, true, {}, {}, "the buffer that is read"},
        {"over",
         ParameterInfo::Kind::loops,
         true,
         {},
         {},
         "the loops that run through the tile; their order is that of its axes"},
        {"precision",
         ParameterInfo::Kind::choice,
         false,
         {},
         {"f32", "f64", "i16", "i32", "i64"},
         "type of the tile, when wider"},
        {"shared", ParameterInfo::Kind::boolean, false, {}, {}, "one tile for all threads of a group"},
        {"hoisted", ParameterInfo::Kind::boolean, false, {}, {}, "not built yet"},
        {"cooperative", ParameterInfo::Kind::integer, false, {}, {}, "not built yet"},
        {"pad_stride", ParameterInfo::Kind::integer, false, {}, {}, "rows of the tile are a multiple of so many cells"},
        {"pipeline", ParameterInfo::Kind::integer, false, {}, {}, "2: a shared tile is filled one iteration ahead"},
        {"swizzle", ParameterInfo::Kind::choice, false, {}, {"elem", "b128"}, "not built yet"},
        {"tile", ParameterInfo::Kind::result, false, "SOURCE_t", {}, "name of the tile"},
    };
    d.refusals = {
        {"STG-1", "the tile's type does not hold every value of the source"},
        {"STG-2", "a key that is not built yet"},
        {"STG-3", "no read of the source lies under all loops of the tile"},
        {"STG-4", "two reads differ in their index, or an index is dynamic"},
        {"STG-5", "a loop of the tile does not occur in the index"},
        {"STG-6", "a loop of the tile is a hardware loop, or its bounds are not known where the tile is filled"},
        {"STG-7", "the tile has no extent free of loop symbols"},
        {"STG-11", "the tile would have to be filled inside a scope"},
        {"STG-23", "threads that share the tile would need different cells in it"},
        {"STG-24", "a shared tile would be filled outside of every `@workgroup` loop"},
        {"STG-26", "rows cannot be padded like that"},
        {"STG-27", "a pipeline that is none"},
        {"STG-28", "no serial loop of step 1 moves the tile"},
    };
    d.schema = "F (flow)";
    d.obligations = {"flow-equal", "window-cover", "in-bounds", "defined-before-read"};
    d.example_program =
        "program filter { input X: f32[10] input K: f32[3] output Y: f32[8] zero Y\n"
        "  for i in 0..8 { for k in 0..3 { Y[i] += X[i + k] * K[k] } }\n"
        "}\n";
    d.example_schedule = "stage K over=k -> Ks\n";
    return d;
  }

  static tl::expected<std::unique_ptr<Operation>, Refusal> bind(Arguments line, const Program& p) {
    for (const char* key : unbuilt) {
      if (line.places.count(key) != 0)
        return tl::unexpected(error("STG-2", line.place(key), fmt::format("`stage` with `{}` is not built yet", key)));
    }
    const Buffer& source = *p.find_buffer(line.buffers.at("source"));
    if (const auto precision = line.choices.find("precision"); precision != line.choices.end()) {
      const Type to = *parse_type(precision->second);
      if (to != source.type && !widens_exactly(source.type, to))
        return tl::unexpected(error("STG-1", line.place("precision"),
                                    fmt::format("`{}` is of type {}, and {} does not hold all of its values",
                                                source.name, name(source.type), name(to))));
    }
    const auto number = [&](const char* key, std::int64_t otherwise) {
      const auto given = line.integers.find(key);
      return given == line.integers.end() ? otherwise : given->second;
    };
    if (number("pad_stride", 2) < 2)
      return tl::unexpected(error("STG-26", line.place("pad_stride"), "`pad_stride` is at least 2"));
    const std::int64_t depth = number("pipeline", 1);
    const auto shared = line.booleans.find("shared");
    if (depth < 1 || depth > 2 || (depth == 2 && (shared == line.booleans.end() || !shared->second)))
      return tl::unexpected(error("STG-27", line.place("pipeline"), "`pipeline` is 1, or 2 with `shared`"));
    return std::make_unique<Stage>(std::move(line));
  }

  StepResult apply(const Program& before, Query&) const override {
    const Buffer& source = *before.find_buffer(line_.buffers.at("source"));
    auto found = reads(before, source.name);
    if (!found) return tl::unexpected(std::move(found).error());
    auto tile = tile_of(before, found->cell, found->tile_loops, found->around);
    if (!tile)
      return tl::unexpected(refused("STG-7", "the number of cells in the tile has no constant bound", found->first));
    if (const auto pad = line_.integers.find("pad_stride"); pad != line_.integers.end()) {
      if (tile->dims.size() < 2)
        return tl::unexpected(refused("STG-26", "a tile of one axis has no rows", found->first));
      tile->dims.back() = ceildiv(tile->dims.back(), pad->second) * pad->second;
    }
    const bool ahead = is_pipelined();
    if (ahead) {
      const Stmt& l = found->anchor;
      if (!l || l->axis != Axis::serial || l->step != 1)
        return tl::unexpected(refused("STG-28", "no serial loop of step 1 moves the tile", l ? l : found->first));
      tile->dims.insert(tile->dims.begin(), Index(2));
      tile->at.insert(tile->at.begin(), floormod(Index::symbol(l->name), 2));
    }

    NameSupply names(before.bound_names());
    const Symbol tile_name =
        line_.results.empty() ? derived_name(source.name, "t", names) : names.fresh(line_.results.at("tile"));
    const auto precision = line_.choices.find("precision");
    const Type type = precision == line_.choices.end() ? source.type : *parse_type(precision->second);
    Program out = before;
    const bool shared = is_shared();
    out.buffers.push_back(
        {tile_name, shared ? BufferKind::shared : BufferKind::local, type, tile->dims, {}, {}, found->first->where});

    Block fill = filling(before, *found, source, tile_name, type, tile->at, names);
    if (shared) fill = by_first_threads(found->place, found->tile_loops, std::move(fill));
    const auto redirect = [&](const Block& b) {
      return rewrite(b, [&](const Expr& e) -> Expr {
        if (e->op != Op::load || e->name != source.name || plain_cell(e->args) != found->cell) return e;
        const Expr read = make_load(tile_name, type, index_expressions(tile->at), e->where);
        return type == source.type ? read : make_convert(source.type, read, e->where);
      });
    };
    const auto with_fill = [&](Block body) {
      if (shared) return in_phase(out, tile_name, fill, std::move(body));
      body.insert(body.begin(), fill.begin(), fill.end());
      return body;
    };
    if (found->anchor) {
      out = rewrite_loops(out, [&](const Stmt& s) -> std::optional<Block> {
        if (s->name != found->anchor->name) return std::nullopt;
        if (ahead) return pipelined(s, fill, redirect(s->body), names);
        return Block{with(s, [&](StmtNode& n) { n.body = with_fill(redirect(n.body)); })};
      });
    } else if (shared) {
      // Not before the first statement of the program: there no thread is known.
      out = rewrite_loops(out, [&](const Stmt& s) -> std::optional<Block> {
        if (s->name != found->outermost->name) return std::nullopt;
        return with_fill(redirect({s}));
      });
    } else {
      // No loop moves the tile: it is filled once, before the first top-level statement that reads it.
      const auto reads_it = [&](const Stmt& s) { return !(redirect({s})[0] == s); };
      const auto first = std::find_if(before.body.begin(), before.body.end(), reads_it);
      Block body(before.body.begin(), first);
      const Block rest = with_fill(redirect(Block(first, before.body.end())));
      body.insert(body.end(), rest.begin(), rest.end());
      out.body = std::move(body);
    }
    return placed(line_, std::move(out));
  }

 private:
  struct Reads {
    std::vector<Index> cell{};
    std::vector<Stmt> tile_loops{};  // in the line's order
    std::vector<Stmt> around{};      // all loops around the first read
    Stmt anchor{};                   // null: no loop moves the tile
    Stmt outermost{};                // of the tile's loops
    std::vector<Stmt> place{};       // the loops around the place where the tile is filled, where that is not the top
    Stmt first{};                    // statement of the first read
  };

  Refusal refused(std::string code, const std::string& reason, const Stmt& where) const {
    return inapplicable(line_, std::move(code), reason, where->where);
  }

  tl::expected<Reads, Refusal> reads(const Program& before, const Symbol& source) const {
    const std::vector<Symbol>& over = line_.loops.at("over");
    const Extraction extraction = extract(before);
    Reads out;
    for (const Node& n : extraction.nodes) {
      const auto under = [&](const Symbol& s) {
        return std::any_of(n.loops.begin(), n.loops.end(), [&](const Stmt& l) { return l->name == s; });
      };
      if (!std::all_of(over.begin(), over.end(), under)) continue;
      for (const Access& a : n.accesses) {
        if (a.variable || a.writes || a.storage != source) continue;
        const auto cell = plain_cell(a.indices);
        if (!cell)
          return tl::unexpected(refused("STG-4", fmt::format("`{}` is read at a dynamic index", source), n.stmt));
        if (!out.first) {
          out.cell = *cell;
          out.around = n.loops;
          out.first = n.stmt;
        } else if (!(*cell == out.cell)) {
          return tl::unexpected(
              refused("STG-4", fmt::format("two reads of `{}` have different indices", source), n.stmt));
        }
      }
    }
    if (!out.first) {
      const Stmt loop = find_loops(before, over[0]).front();
      return tl::unexpected(refused("STG-3", fmt::format("nothing reads `{}` under all of these loops", source), loop));
    }
    return anchored(std::move(out), before);
  }

  // The deepest loop that the index, or a bound of the tile's loops, needs besides these loops.
  tl::expected<Reads, Refusal> anchored(Reads r, const Program& before) const {
    std::set<Symbol> needed = symbols_of(r.cell);
    std::set<Symbol> tiled;
    for (const Symbol& s : line_.loops.at("over")) {
      const Stmt loop = *std::find_if(r.around.begin(), r.around.end(), [&](const Stmt& l) { return l->name == s; });
      if (!tiled.insert(s).second || needed.count(s) == 0)
        return tl::unexpected(
            refused("STG-5", fmt::format("the index does not use `{}`, or the line names it twice", s), loop));
      if (loop->axis == Axis::reduce || (is_hardware(loop->axis) && !is_thread_loop(loop)))
        return tl::unexpected(refused("STG-6", fmt::format("`{}` is a `@{}` loop", s, name(loop->axis)), loop));
      r.tile_loops.push_back(loop);
    }
    for (const Stmt& l : r.tile_loops) {
      for (const Symbol& s : symbols_of({l->lo, l->hi})) needed.insert(s);
    }
    for (const Stmt& l : r.around) {
      const bool of_tile = tiled.count(l->name) != 0;
      if (of_tile && !r.outermost) r.outermost = l;
      if (of_tile ? is_thread_loop(l) : needed.count(l->name) != 0) r.anchor = l;
      if (is_shared() && !of_tile && l->axis == Axis::workgroup && needed.count(l->name) != 0)
        return tl::unexpected(
            refused("STG-23",
                    fmt::format("the threads of `{}` read different cells: name it in `over`, or stage "
                                "without `shared`",
                                l->name),
                    l));
    }
    const Stmt& at = r.anchor || !is_shared() ? r.anchor : r.outermost;
    if (at && !outside_scopes(before, at))
      return tl::unexpected(
          refused("STG-11", fmt::format("`{}`, at which the tile is filled, is in a scope", at->name), at));
    for (const Stmt& l : r.around) {
      if (!at || (!r.anchor && l == at)) break;
      r.place.push_back(l);
      if (l == at) break;
    }
    const auto thread_loop = [](const Stmt& l) { return l->axis == Axis::workgroup; };
    if (is_shared() && std::none_of(r.place.begin(), r.place.end(), thread_loop))
      return tl::unexpected(refused("STG-24", fmt::format("no `@workgroup` loop is around `{}`", at->name), at));
    return order_fits(r)
               ? tl::expected<Reads, Refusal>(std::move(r))
               : tl::unexpected(refused("STG-6", "the bounds of a loop of the tile depend on another one after it",
                                        r.tile_loops[0]));
  }

  bool is_shared() const {
    const auto shared = line_.booleans.find("shared");
    return shared != line_.booleans.end() && shared->second;
  }
  bool is_pipelined() const {
    const auto depth = line_.integers.find("pipeline");
    return depth != line_.integers.end() && depth->second == 2;
  }
  // Its threads copy side by side.
  bool is_thread_loop(const Stmt& loop) const { return is_shared() && loop->axis == Axis::workgroup; }

  // A scope holds no stores.
  static bool outside_scopes(const Program& p, const Stmt& loop) {
    bool found = false;
    Visitor v;
    v.enter_stmt = [&](const Stmt& s) {
      found |= s->kind == StmtKind::loop && s->name == loop->name;
      return true;
    };
    v.enter_expr = [](const Expr&) { return false; };
    visit(p.body, v);
    return found;
  }

  // The filling nest has the tile's loops in the line's order: a bound may use only those before.
  static bool order_fits(const Reads& r) {
    std::set<Symbol> later;
    for (const Stmt& l : r.tile_loops) later.insert(l->name);
    for (const Stmt& l : r.tile_loops) {
      for (const Symbol& s : symbols_of({l->lo, l->hi})) {
        if (later.count(s) != 0) return false;
      }
      later.erase(l->name);
    }
    return true;
  }

  Block filling(const Program& before, const Reads& r, const Buffer& source, const Symbol& tile, Type type,
                const std::vector<Index>& at, NameSupply& names) const {
    Ranges ranges = parameter_ranges(before);
    for (const Stmt& l : r.around) add_loop(ranges, l);
    std::vector<Expr> inside;
    for (std::size_t d = 0; d < r.cell.size(); ++d) {
      if (interval(r.cell[d], ranges).lo < 0) inside.push_back(compare(Op::le, 0, r.cell[d]));
      if (interval(source.dims[d] - r.cell[d], ranges).lo <= 0)
        inside.push_back(compare(Op::lt, r.cell[d], source.dims[d]));
    }
    Expr value = make_load(source.name, source.type, index_expressions(r.cell), r.first->where);
    if (type != source.type) value = make_convert(type, value, r.first->where);
    Block inner{make_store(tile, index_expressions(at), value, r.first->where)};
    if (const Expr condition = conjunction(inside)) {
      const Expr fringe = make_literal(*literal_from_integer(type, 0));
      inner = {make_branch(condition, std::move(inner),
                           {make_store(tile, index_expressions(at), fringe, r.first->where)}, r.first->where)};
    }
    std::map<Symbol, Symbol> renamed;
    std::map<Symbol, Index> map;
    std::vector<Stmt> loops;
    for (const Stmt& l : r.tile_loops) {
      if (is_thread_loop(l)) continue;
      loops.push_back(l);
      renamed[l->name] = names.fresh(l->name);
      map.emplace(l->name, Index::symbol(renamed[l->name]));
    }
    return nest_like(loops, renamed, substitute(inner, map));
  }

  Arguments line_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(Stage)
