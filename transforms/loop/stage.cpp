// `stage A over=ii,kk -> As`: reads of A go through a tile that is filled just before: a private one, or with `shared`
// one that the threads of a group fill together (spec/stage.md, transforms/shared_tile.hpp); or with `hoisted` through a copy
// of all of A, packed tile by tile before anything else runs (transforms/packed_tile.hpp).
//
// The cells that the loops `over` reach through the index of A are copied at the start of the body of the anchor, the
// deepest loop that moves the tile; without one, before the first statement that reads it. Cells outside of A are not
// copied, above or below: the tile holds zero there. That nothing writes the cells meanwhile is an obligation.
#include <algorithm>
#include <bit>

#include "ir/widening.hpp"
#include "transforms/affine.hpp"
#include "transforms/define.hpp"
#include "transforms/names.hpp"
#include "transforms/packed_tile.hpp"
#include "transforms/shared_tile.hpp"
#include "transforms/single_lane.hpp"
#include "transforms/staged_reads.hpp"
#include "transforms/tile.hpp"
#include "transforms/tile_filling.hpp"

namespace assay {
namespace {

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
        {"hoisted", ParameterInfo::Kind::boolean, false, {}, {}, "the whole buffer is packed once, at the beginning"},
        {"cooperative", ParameterInfo::Kind::integer, false, {}, {}, "so many lanes share the copying of a tile"},
        {"pad_stride", ParameterInfo::Kind::integer, false, {}, {}, "rows of the tile are a multiple of so many cells"},
        {"pipeline", ParameterInfo::Kind::integer, false, {}, {}, "2: a shared tile is filled one iteration ahead"},
        {"swizzle",
         ParameterInfo::Kind::choice,
         false,
         {},
         {"elem", "b128"},
         "how the rows of a shared tile are permuted"},
        {"tile", ParameterInfo::Kind::result, false, "SOURCE_t", {}, "name of the tile"},
    };
    d.refusals = {
        {"STG-1", "the tile's type does not hold every value of the source"},
        {"STG-2", "keys that do not go together"},
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
        {"STG-50", "rows that no swizzle fits"},
        {"STG-52", "a number of lanes that is none"},
        {"STG-53", "a loop of the tile has threads of its own"},
        {"STG-56", "a source that may change, or is none"},
        {"STG-57", "the source does not fall into whole tiles"},
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
    const Buffer& source = *p.find_buffer(line.buffers.at("source"));
    if (const auto precision = line.choices.find("precision"); precision != line.choices.end()) {
      const Type to = *parse_type(precision->second);
      if (to != source.type && !widens_exactly(source.type, to))
        return tl::unexpected(error("STG-1", line.place("precision"),
                                    fmt::format("`{}` is of type {}, and {} does not hold all of its values",
                                                source.name, name(source.type), name(to))));
    }
    const auto refuse = [&](const char* code, const char* key, std::string message) {
      return tl::unexpected(error(code, line.place(key), std::move(message)));
    };
    const auto number = [&](const char* key, std::int64_t otherwise) {
      const auto given = line.integers.find(key);
      return given == line.integers.end() ? otherwise : given->second;
    };
    const bool shared = line.flag("shared"), hoisted = line.flag("hoisted");
    if (hoisted && shared) return refuse("STG-2", "hoisted", "a `hoisted` tile is no `shared` one");
    if (hoisted && line.integers.count("pad_stride") != 0)
      return refuse("STG-2", "pad_stride", "`pad_stride` does not go with `hoisted`");
    for (const char* key : {"cooperative", "swizzle"}) {
      if (line.places.count(key) != 0 && !shared) return refuse("STG-2", key, fmt::format("`{}` needs `shared`", key));
    }
    if (number("pad_stride", 2) < 2) return refuse("STG-26", "pad_stride", "`pad_stride` is at least 2");
    if (number("cooperative", 1) < 1) return refuse("STG-52", "cooperative", "`cooperative` is at least 1");
    const std::int64_t depth = number("pipeline", 1);
    if (depth < 1 || depth > 2 || (depth == 2 && !shared))
      return refuse("STG-27", "pipeline", "`pipeline` is 1, or 2 with `shared`");
    return std::make_unique<Stage>(std::move(line));
  }

  StepResult apply(const Program& before, Query&) const override {
    const Buffer& source = *before.find_buffer(line_.buffers.at("source"));
    auto found = staged_reads(line_, before, source.name);
    if (!found) return tl::unexpected(std::move(found).error());
    return line_.flag("hoisted") ? pack(before, source, *found) : fill_near(before, source, *found);
  }

 private:
  using Redirect = std::function<Block(const Block&)>;

  bool is_shared() const { return line_.flag("shared"); }
  bool is_pipelined() const {
    const auto depth = line_.integers.find("pipeline");
    return depth != line_.integers.end() && depth->second == 2;
  }
  std::optional<std::int64_t> lanes() const {
    const auto width = line_.integers.find("cooperative");
    return width == line_.integers.end() ? std::nullopt : std::optional(width->second);
  }
  Refusal refused(std::string code, const std::string& reason, const Stmt& where) const {
    return inapplicable(line_, std::move(code), reason, where->where);
  }
  Type tile_type(const Buffer& source) const {
    const auto precision = line_.choices.find("precision");
    return precision == line_.choices.end() ? source.type : *parse_type(precision->second);
  }
  Symbol tile_name(const Buffer& source, NameSupply& names) const {
    return line_.results.empty() ? derived_name(source.name, "t", names) : names.fresh(line_.results.at("tile"));
  }
  // Reads of the source at the reads' index become reads of the tile.
  static Redirect redirection(const Buffer& source, const StagedReads& reads, const Symbol& tile, Type type,
                              const std::vector<Index>& at) {
    return [=, from = source.name, was = source.type, cell = reads.cell](const Block& b) {
      return rewrite(b, [&](const Expr& e) -> Expr {
        const bool back = e->op == Op::convert && e->type == type && e->args[0]->op == Op::convert &&
                          e->args[0]->args[0]->op == Op::load && e->args[0]->args[0]->name == tile;
        if (back) return e->args[0]->args[0];  // T(S(x)) of an x that came from an S
        if (e->op != Op::load || e->name != from || plain_cell(e->args) != cell) return e;
        const Expr read = make_load(tile, type, index_expressions(at), e->where);
        return type == was ? read : make_convert(was, read, e->where);
      });
    };
  }

  // `hoisted`: all tiles, in a launch of their own where the program has groups or threads.
  StepResult pack(const Program& before, const Buffer& source, const StagedReads& reads) const {
    if (is_writable(source.kind))
      return tl::unexpected(
          refused("STG-56", fmt::format("`{}` is no input: only what nothing writes can be packed once", source.name),
                  reads.first));
    NameSupply names(before.bound_names());
    const Symbol name = tile_name(source, names);
    const Type type = tile_type(source);
    auto packed = packed_tile(before, source, reads, name, type, names);
    if (!packed) return tl::unexpected(refused("STG-57", packed.error(), reads.first));
    Program out = before;
    out.buffers.push_back({name, BufferKind::temp, type, packed->tile.dims, {}, {}, reads.first->where});
    const Redirect redirect = redirection(source, reads, name, type, packed->tile.at);
    out.body = std::move(packed->fill);
    if (has_hardware_loop(before)) out.body.push_back(make_launch());
    const Block rest = redirect(before.body);
    out.body.insert(out.body.end(), rest.begin(), rest.end());
    return placed(line_, std::move(out));
  }

  static bool has_hardware_loop(const Program& p) {
    bool found = false;
    Visitor v;
    v.enter_stmt = [&](const Stmt& s) {
      found |= s->kind == StmtKind::loop && (is_hardware(s->axis) || s->axis == Axis::reduce);
      return !found;
    };
    visit(p.body, v);
    return found;
  }

  StepResult fill_near(const Program& before, const Buffer& source, const StagedReads& reads) const {
    const TileOwner owner{is_shared(), lanes()};
    const auto place = tile_place(line_, before, reads, owner);
    if (!place) return tl::unexpected(place.error());
    auto tile = tile_of(before, reads.cell, reads.tile_loops, reads.around);
    if (!tile)
      return tl::unexpected(refused("STG-7", "the number of cells in the tile has no constant bound", reads.first));
    NameSupply names(before.bound_names());
    const Symbol name = tile_name(source, names);
    const Type type = tile_type(source);
    if (const auto why = lay_out(*tile, *place, reads, type)) return tl::unexpected(*why);
    Program out = before;
    const bool shared = is_shared();
    out.buffers.push_back({name,
                           shared ? BufferKind::shared : BufferKind::local,
                           type,
                           tile->dims,
                           {},
                           {},
                           reads.first->where,
                           swizzle()});

    const Block fill = tile_filling(before, *place, reads, owner, source, {name, type, tile->at}, names);
    const Redirect redirect = redirection(source, reads, name, type, tile->at);
    const auto with_fill = [&](Block body) {
      if (shared) return in_phase(out, name, fill, std::move(body));
      body.insert(body.begin(), fill.begin(), fill.end());
      return body;
    };
    if (place->anchor) {
      out = rewrite_loops(out, [&](const Stmt& s) -> std::optional<Block> {
        if (s->name != place->anchor->name) return std::nullopt;
        if (is_pipelined()) return pipelined(s, fill, redirect(s->body), names);
        return Block{with(s, [&](StmtNode& n) { n.body = with_fill(redirect(n.body)); })};
      });
    } else if (shared) {
      // Not before the first statement of the program: there no thread is known.
      out = rewrite_loops(out, [&](const Stmt& s) -> std::optional<Block> {
        if (s->name != place->outermost->name) return std::nullopt;
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
    if (lanes().value_or(1) > 1) {
      const Stmt& at = place->anchor ? place->anchor : place->outermost;
      out = led_by_first_lane(std::move(out), at->name, *lanes(), "lane", names);
    }
    return placed(line_, std::move(out));
  }

  Swizzle swizzle() const {
    const auto given = line_.choices.find("swizzle");
    return given == line_.choices.end() ? Swizzle::none : *parse_swizzle(given->second);
  }

  // Pads the rows, looks whether a swizzle fits them, and doubles a tile that is filled ahead.
  std::optional<Refusal> lay_out(Tile& tile, const TilePlace& place, const StagedReads& reads, Type type) const {
    if (const auto pad = line_.integers.find("pad_stride"); pad != line_.integers.end()) {
      if (tile.dims.size() < 2) return refused("STG-26", "a tile of one axis has no rows", reads.first);
      tile.dims.back() = ceildiv(tile.dims.back(), pad->second) * pad->second;
    }
    if (const Swizzle s = swizzle(); s != Swizzle::none) {
      const Index& row = tile.dims.back();
      const std::int64_t unit = swizzle_unit(s, type);
      if (tile.dims.size() < 2) return refused("STG-50", "a tile of one axis has no rows", reads.first);
      if (!row.is_constant() || row.constant() % unit != 0 || row.constant() / unit < 2 ||
          !std::has_single_bit(static_cast<std::uint64_t>(row.constant() / unit)))
        return refused(
            "STG-50",
            fmt::format("a row of {} cells is not a power of two, at least 2, of units of {}", row.text(), unit),
            reads.first);
    }
    if (is_pipelined()) {
      const Stmt& l = place.anchor;
      if (!l || l->axis != Axis::serial || l->step != 1)
        return refused("STG-28", "no serial loop of step 1 moves the tile", l ? l : reads.first);
      tile.dims.insert(tile.dims.begin(), Index(2));
      tile.at.insert(tile.at.begin(), floormod(Index::symbol(l->name), 2));
    }
    return std::nullopt;
  }

  Arguments line_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(Stage)
