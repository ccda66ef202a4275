// `tensorize i j k simd=32 tile=16,16,8 -> lane`: a nest around one accumulated product becomes a tile product, or blocks of
// it become many (spec/tensorize.md).
//
// The nest stays as it is and gets a `@tile` loop around it, or its loops are cut in blocks, whose loops stand outside; whether it is a product of tiles, and which loop plays which
// role, is asked of ir/tile_product.hpp.
#include <algorithm>
#include <tuple>

#include "ir/tile_product.hpp"
#include "transforms/affine.hpp"
#include "transforms/define.hpp"
#include "transforms/names.hpp"
#include "transforms/search.hpp"

namespace assay {
namespace {

class Tensorize final : public Operation {
 public:
  explicit Tensorize(Arguments line) : line_(std::move(line)) {}

  static Declaration declare() {
    Declaration d;
    d.name = "tensorize";
    d.rule_prefix = "TEN";
    d.summary = "makes a tile product, computed by lanes together, of three loops around one accumulated product";
    d.parameters = {
        {"row", ParameterInfo::Kind::loop, true, {}, {}, "the loop over the rows of the sum"},
        {"column", ParameterInfo::Kind::loop, true, {}, {}, "the loop over its columns"},
        {"sum", ParameterInfo::Kind::loop, true, {}, {}, "the loop over the terms of each cell"},
        {"simd", ParameterInfo::Kind::integer, false, "1", {}, "how many lanes compute it together"},
        {"tile",
         ParameterInfo::Kind::integers,
         false,
         {},
         {},
         "rows, columns and terms of a block; without it all of them"},
        {"registers", ParameterInfo::Kind::integer, false, {}, {}, "how many registers a block may take"},
        {"vector", ParameterInfo::Kind::integer, false, {}, {}, "how many columns of a block a register holds"},
        {"lane", ParameterInfo::Kind::result, false, "lane", {}, "name of the lane"},
    };
    d.refusals = {
        {"TEN-1", "an operand names several loops"},
        {"TEN-2", "the loops are not one nest around one accumulated product"},
        {"TEN-3", "the subscripts do not give the loops the roles of row, column and sum"},
        {"TEN-4", "`simd` is below 1"},
        {"TEN-20", "`tile` is not three numbers from 1 on"},
        {"TEN-23", "a block takes more registers than there are"},
        {"TEN-24",
         "a block with a budget of registers has more rows or columns than the nest, or a vector that does not "
         "divide its columns"},
        {"TEN-25", "`registers` or `vector` is below 1, or stands without what it goes with"},
        {"SCH-15", "a tile product may not stand there: in a scope, in lanes, or in a launch with threads"},
    };
    d.schema = "R (reorder)";
    d.obligations = {"domain-bijection", "dependence-order"};
    d.example_program =
        "program product { input A: f32[8, 16] input B: f32[16, 8]\n"
        "  inout C: f32[8, 8]\n"
        "  for i in 0..8 { for j in 0..8 { for k in 0..16 {\n"
        "    C[i, j] += A[i, k] * B[k, j]\n"
        "  } } }\n"
        "}\n";
    d.example_schedule = "tensorize i j k simd=32 -> lane\n";
    return d;
  }

  static tl::expected<std::unique_ptr<Operation>, Refusal> bind(Arguments line, const Program&) {
    for (const char* operand : {"row", "column", "sum"}) {
      if (line.loops.at(operand).size() != 1)
        return tl::unexpected(error("TEN-1", line.place(operand), "`tensorize` is about one loop of each role",
                                    "name one copy; the others take lines of their own"));
    }
    if (line.integers.at("simd") < 1)
      return tl::unexpected(error("TEN-4", line.place("simd"), "a tile product has one lane or more"));
    const auto tile = line.integer_lists.find("tile");
    if (tile != line.integer_lists.end() &&
        (tile->second.size() != 3 ||
         std::any_of(tile->second.begin(), tile->second.end(), [](std::int64_t n) { return n < 1 || n > max_block; })))
      return tl::unexpected(error("TEN-20", line.place("tile"),
                                  "`tile` is the number of rows, columns and terms of a block",
                                  "write three numbers from 1 on, as in `tile=16,16,8`"));
    const auto budget = line.integers.find("registers"), vector = line.integers.find("vector");
    for (const auto& given : {budget, vector}) {
      if (given == line.integers.end()) continue;
      if (given->second < 1) return tl::unexpected(error("TEN-25", line.place(given->first), "there is at least one"));
      if (budget == line.integers.end() || tile == line.integer_lists.end() || line.integers.at("simd") != 1)
        return tl::unexpected(
            error("TEN-25", line.place(given->first),
                  "registers hold the blocks of one lane: `tile=…` and `registers=…` go together, and "
                  "`vector` with both"));
    }
    return std::make_unique<Tensorize>(std::move(line));
  }

  StepResult apply(const Program& before, Query&) const override {
    const Symbol row = line_.loops.at("row")[0], column = line_.loops.at("column")[0], sum = line_.loops.at("sum")[0];
    const std::set<Symbol> wanted{row, column, sum};
    if (wanted.size() != 3) return tl::unexpected(inapplicable(line_, "TEN-2", "it takes three different loops"));
    const Stmt outermost = outermost_of(before, wanted);
    for (const Symbol& name : wanted) {
      if (holds_loop(outermost, name)) continue;
      return tl::unexpected(inapplicable(line_, "TEN-2",
                                         fmt::format("`{}` and `{}` are not of one nest", name, outermost->name),
                                         find_loops(before, name).front()->where));
    }
    const auto product = tile_product({outermost}, outermost->where);
    if (!product) {
      const Diagnostic& why = product.error();
      return tl::unexpected(
          inapplicable(line_, why.code == "WF-26" ? "TEN-2" : "TEN-3", why.message, why.where, why.help));
    }
    for (const Stmt& l : product->nest) {
      if (wanted.count(l->name) == 0)
        return tl::unexpected(inapplicable(
            line_, "TEN-2", fmt::format("the nest is of `{}`, which the line does not name", l->name), l->where));
    }
    if (product->row->name != row || product->column->name != column) {
      return tl::unexpected(inapplicable(
          line_, "TEN-3", "the loops have other roles", product->update->where,
          fmt::format("write `tensorize {} {} {}`", product->row->name, product->column->name, product->sum->name)));
    }
    if (auto refusal = without_registers(*product)) return tl::unexpected(*std::move(refusal));
    NameSupply names(before.bound_names());
    const auto given = line_.results.find("lane");
    const Symbol lane = names.fresh(given == line_.results.end() ? "lane" : given->second);
    const Program bare = without_first_lane(before, outermost->name);
    return placed(line_, rewrite_loops(bare, [&](const Stmt& s) -> std::optional<Block> {
                    if (s->name != outermost->name) return std::nullopt;
                    return Block{with_lanes(s, *product, lane, names)};
                  }));
  }

 private:
  static constexpr std::int64_t max_block = std::int64_t{1} << 31;

  // TEN-23, TEN-24. Nothing where the line gives no budget, or where a block keeps to it.
  std::optional<Refusal> without_registers(const TileProduct& product) const {
    const auto budget = line_.integers.find("registers"), given = line_.integers.find("vector");
    if (budget == line_.integers.end()) return std::nullopt;
    const std::vector<std::int64_t>& tile = line_.integer_lists.at("tile");
    const std::int64_t vector = given == line_.integers.end() ? 1 : given->second;
    for (const auto& [loop, size, what] :
         {std::tuple(product.row, tile[0], "rows"), std::tuple(product.column, tile[1], "columns")}) {
      const Index trips = trip_count(loop);
      if (trips.is_constant() && trips.constant() < size)
        return inapplicable(line_, "TEN-24",
                            fmt::format("a block has {} {}, and the nest {}", size, what, trips.constant()),
                            loop->where);
    }
    if (tile[1] % vector != 0)
      return inapplicable(line_, "TEN-24", fmt::format("{} columns are not vectors of {}", tile[1], vector));
    const std::int64_t columns = tile[1] / vector;
    // Sizes are below 2^31: no product leaves int64.
    const std::int64_t taken = tile[0] * columns + tile[0] + columns;
    if (taken <= budget->second) return std::nullopt;
    return inapplicable(line_, "TEN-23",
                        fmt::format("a block takes {} registers, and there are {}", taken, budget->second), {},
                        "make its rows or its columns fewer");
  }

  // One loop of the nest, cut in blocks.
  struct Cut {
    Symbol block, element;
    Index count;  // blocks
    std::int64_t size;
    Expr end;  // that the last block may pass; null where it does not
    Location where;
  };

  Stmt with_lanes(const Stmt& nest, const TileProduct& product, const Symbol& lane, NameSupply& names) const {
    const auto lanes = [&](Block body) {
      return make_loop(lane, 0, line_.integers.at("simd"), 1, Axis::tile, std::move(body), nest->where);
    };
    const auto tile = line_.integer_lists.find("tile");
    if (tile == line_.integer_lists.end()) return lanes({nest});
    std::vector<Cut> cuts;
    std::map<Symbol, Index> at;
    for (const Stmt& l : product.nest) {
      const std::size_t role = &*l == &*product.row ? 0 : &*l == &*product.column ? 1 : 2;
      const std::int64_t size = tile->second[role];
      Cut c{derived_name(l->name, "o", names),
            derived_name(l->name, "i", names),
            ceildiv(l->hi - l->lo, size),
            size,
            {},
            l->where};
      const Index value = l->lo + Index::symbol(c.block) * size + Index::symbol(c.element);
      if (!(floormod(l->hi - l->lo, size) == Index(0))) c.end = compare(Op::lt, value, l->hi);
      at.emplace(l->name, value);
      cuts.push_back(std::move(c));
    }
    Block body = substitute(without_loops({nest}), at);
    for (auto c = cuts.rbegin(); c != cuts.rend(); ++c) {
      if (c->end) body = {make_branch(c->end, std::move(body), {}, c->where)};
    }
    for (auto c = cuts.rbegin(); c != cuts.rend(); ++c)
      body = {make_loop(c->element, 0, c->size, 1, Axis::serial, std::move(body), c->where)};
    body = {lanes(std::move(body))};
    for (auto c = cuts.rbegin(); c != cuts.rend(); ++c)
      body = {make_loop(c->block, 0, c->count, 1, Axis::serial, std::move(body), c->where)};
    return body.front();
  }

  // TEN-22: where a loop of as many lanes leaves the nest to the first one, the nest without that loop.
  Program without_first_lane(const Program& p, const Symbol& nest) const {
    return rewrite_loops(p, [&](const Stmt& s) -> std::optional<Block> {
      const bool lanes =
          s->axis == Axis::workgroup && s->step == 1 && s->hi - s->lo == Index(line_.integers.at("simd"));
      if (!lanes || s->body.size() != 1 || s->body[0]->kind != StmtKind::branch) return std::nullopt;
      const Stmt& first = s->body[0];
      if (!first->other.empty() || !(first->value == compare(Op::eq, Index::symbol(s->name), s->lo)))
        return std::nullopt;
      Block inside = first->body;
      while (inside.size() == 1 && inside[0]->name != nest && inside[0]->other.empty()) inside = Block(inside[0]->body);
      if (inside.size() != 1 || inside[0]->name != nest || inside[0]->kind != StmtKind::loop) return std::nullopt;
      return substitute(first->body, {{s->name, s->lo}});
    });
  }

  // The update under all the conditions of its nest.
  static Block without_loops(const Block& nest) {
    const Stmt& s = nest.front();
    if (s->kind == StmtKind::loop) return without_loops(s->body);
    if (s->kind != StmtKind::branch) return nest;
    return {with(s, [](StmtNode& n) { n.body = without_loops(Block(n.body)); })};
  }

  // The first of the three loops in the text: the outermost one, if they are a nest.
  static bool holds_loop(const Stmt& s, const Symbol& name) {
    return static_cast<bool>(
        find_statement({s}, [&](const Stmt& x) { return x->kind == StmtKind::loop && x->name == name; }));
  }

  static Stmt outermost_of(const Program& p, const std::set<Symbol>& wanted) {
    Stmt found;
    Visitor v;
    v.enter_stmt = [&](const Stmt& s) {
      if (!found && s->kind == StmtKind::loop && wanted.count(s->name) != 0) found = s;
      return !found;
    };
    visit(p.body, v);
    return found;
  }

  Arguments line_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(Tensorize)
