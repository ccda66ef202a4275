// A nest is drawn from the outside in. Subscripts are affine in the loop symbols around them; each is shifted by its own
// least value, and every buffer is declared as large as the greatest subscript needs, so that bounds hold by construction.
#include "fuzz/generators/random_program.hpp"

#include <algorithm>
#include <utility>

#include "ir/analysis/interval.hpp"
#include "ir/literal.hpp"
#include "ir/traverse.hpp"

namespace assay::fuzz {
namespace {

class Generator {
 public:
  Generator(interp::Random& random, const ProgramShape& shape) : random_(random), shape_(shape) {}

  Program run() {
    program_.name = "random";
    if (chance(2)) {
      const auto lo = static_cast<std::int64_t>(random_.below(3)) + 1;
      program_.parameters.push_back({"n", lo, lo + 2 + static_cast<std::int64_t>(random_.below(5)), {}});
      if (chance(6))
        program_.requirements.push_back(
            make_op(Op::eq, {make_index(floormod(Index::symbol("n"), 2)), make_index(Index(lo % 2))}));
    }
    ranges_ = parameter_ranges(program_);
    type_ = pick<Type>({Type::f32, Type::f32, Type::f32, Type::i32, Type::f16, Type::bf16, Type::f64, Type::i64,
                        Type::u8, Type::f8e5m2, Type::f8e4m3fn});
    declare("A", BufferKind::input, 2);
    declare("X", BufferKind::inout, shape_.product ? 2 : 1 + below(2));
    declare("Y", BufferKind::inout, shape_.product ? 2 : 1 + below(2));
    if (chance(2)) {
      declare("r", BufferKind::local, 1);
      zeroed_ = !chance(3);  // then it can be read anywhere
      if (zeroed_) program_.body.push_back(make_zero("r"));
    }
    if (shape_.data && chance(3)) {
      program_.buffers.push_back({"ids", BufferKind::input, Type::i32, {}, std::pair<Int128, Int128>{0, 4}, {}, {}});
      rank_["ids"] = 1;
      need("ids", 0, 0);
    }
    const int nests = 1 + below(2);
    const bool grid = shape_.hardware && !shape_.product && chance(6);
    if (chance(5)) program_.body.push_back(make_zero(pick<const char*>({"X", "Y"})));
    // A `zero` outside the groups needs a launch of its own.
    if (!program_.body.empty() && chance(grid ? 2 : 10)) program_.body.push_back(make_launch());
    for (int k = 0; k < nests; ++k) {
      if (k > 0 && chance(8)) program_.body.push_back(make_launch());
      program_.body.push_back(nest(grid));
      if (tail_) program_.body.push_back(std::exchange(tail_, {}));
    }
    for (Buffer& b : program_.buffers) {
      for (int d = 0; d < rank_[b.name]; ++d) b.dims.emplace_back(extent_[b.name][static_cast<std::size_t>(d)]);
    }
    return std::move(program_);
  }

 private:
  int below(int n) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(n))); }
  bool chance(int one_in) { return below(one_in) == 0; }
  template <typename T>
  T pick(std::initializer_list<T> of) {
    return *(of.begin() + below(static_cast<int>(of.size())));
  }

  void declare(const Symbol& name, BufferKind kind, int rank) {
    program_.buffers.push_back({name, kind, type_, {}, {}, {}, {}});
    rank_[name] = rank;
    for (int d = 0; d < rank; ++d) need(name, d, 0);
  }

  Index bound_symbol() {
    if (!program_.parameters.empty() && chance(2)) return Index::symbol("n");
    return Index(1 + below(6));
  }

  Stmt nest(bool grid) {
    if (!grid && (shape_.product || (chance(8) && (rank_["X"] == 2 || rank_["Y"] == 2)))) return product();
    const int depth = chance(4) ? 1 : 2 + below(shape_.max_depth - 1);
    return loop(depth, grid);
  }

  Stmt loop(int depth, bool grid) {
    const Symbol s = "i" + std::to_string(next_loop_++);
    Index lo(chance(4) ? below(5) - 2 : 0);
    Index hi = bound_symbol() + (lo.constant() != 0 ? lo.constant() : 0);
    if (!loops_.empty() && chance(4)) {  // triangular
      const Index outer = Index::symbol(loops_[static_cast<std::size_t>(below(static_cast<int>(loops_.size())))]);
      switch (below(4)) {
        case 0: hi = outer + 1; break;
        case 1:
          lo = outer;
          hi = outer + (1 + below(4));
          break;
        case 2: hi = min({hi, outer + 2}); break;
        default: lo = max({lo, Index(2) - outer}); break;
      }
    }
    if (chance(25)) hi = lo - below(3);  // dead
    const std::int64_t step = chance(6) ? 2 + below(2) : 1;
    Axis axis = Axis::serial;
    if (grid) {
      axis = Axis::grid;
    } else if (chance(12)) {
      axis = Axis::unrolled;
    } else if (depth == 1 && chance(8)) {
      axis = Axis::vectorized;
    } else if (shape_.threads && loops_.empty() && chance(2)) {
      axis = Axis::workgroup;
    }
    const Ranges saved = ranges_;
    const std::size_t variables = variables_.size();
    if (axis == Axis::serial && shape_.threads && depth == 1 && chance(3)) {
      // One accumulation into a cell free of the symbol: what a @reduce loop holds.
      std::vector<Expr> cell;
      for (int d = 0; d < rank_["X"]; ++d) cell.push_back(subscript("X", d));
      return make_loop(s, lo, hi, step, Axis::reduce,
                       {make_store("X", cell, make_op(Op::add, {make_load("X", type_, cell), literal(1)}))});
    }
    Stmt made = make_loop(s, lo, hi, step, axis, {});
    add_loop(ranges_, made);
    if (ranges_[s].empty()) ranges_[s] = {ranges_[s].lo, ranges_[s].lo};  // dead code still needs some subscript
    loops_.push_back(s);
    if (is_hardware(axis) || axis == Axis::vectorized) ++parallel_;
    Block body;
    if (depth > 1) {
      if (chance(8)) leaves(body, 1);
      if (chance(10)) {
        body.push_back(make_branch(condition(), {loop(depth - 1, false)}, chance(2) ? Block{leaf()} : Block{}));
      } else {
        body.push_back(loop(depth - 1, false));
      }
      if (chance(8)) leaves(body, 1);
    } else {
      leaves(body, 1 + below(2));
    }
    if (axis == Axis::workgroup && chance(2)) body.push_back(make_barrier());
    if (is_hardware(axis) || axis == Axis::vectorized) --parallel_;
    loops_.pop_back();
    variables_.resize(variables);
    ranges_ = saved;
    return with(made, [&](StmtNode& n) { n.body = std::move(body); });
  }

  // Two loops of blocks around a product of a tile of A and another, which is a `@tile` loop or still to become one.
  Stmt product() {
    const Symbol target = rank_["X"] == 2 ? "X" : "Y";
    const bool tidy = chance(2);  // every cell belongs to one block, and the tail reads just these
    struct Side {
      Symbol block, inside;
      Index at;
    };
    Side sides[3];  // row, column, sum
    Block body;
    std::vector<Stmt> loops, blocks;
    const Ranges saved = ranges_;
    for (Side& side : sides) {
      const std::string number = std::to_string(next_loop_++);
      side = {"o" + number, "i" + number, Index(below(2))};
      const std::int64_t extent = 1 + below(4);
      if (chance(2)) {
        blocks.push_back(make_loop(side.block, 0, 1 + below(3), 1, Axis::serial, {}));
        add_loop(ranges_, blocks.back());
        side.at = side.at + Index::symbol(side.block) * (tidy ? extent : pick<std::int64_t>({extent, extent, 1, 2}));
      }
      loops.push_back(
          make_loop(side.inside, 0, !tidy && chance(4) ? bound_symbol() : Index(extent), 1, Axis::serial, {}));
      add_loop(ranges_, loops.back());
      side.at = side.at + Index::symbol(side.inside);
    }
    const auto cell = [&](const Symbol& buffer, const Side& first, const Side& second) {
      for (int d = 0; d < 2; ++d)
        need(buffer, d, static_cast<std::int64_t>(interval(d == 0 ? first.at : second.at, ranges_).hi));
      return std::vector<Expr>{make_index(first.at), make_index(second.at)};
    };
    const auto factor = [&](const Side& first, const Side& second) {
      return make_load("A", type_, chance(3) ? cell("A", second, first) : cell("A", first, second));
    };
    const std::vector<Expr> sum = cell(target, sides[0], sides[1]);
    const Expr element = make_load(target, type_, sum);
    Expr a = factor(sides[0], sides[2]), b = factor(sides[2], sides[1]);
    if (chance(3)) std::swap(a, b);
    Expr value = make_op(Op::add, {element, make_op(Op::mul, {a, b})});
    if (is_float(type_) && chance(3)) value = make_op(Op::fma, {a, b, element});
    body = {make_store(target, sum, value)};
    if (chance(3)) {
      const Side& side = sides[tidy ? 2 : below(3)];
      body = {
          make_branch(make_op(Op::lt, {make_index(side.at), make_index(bound_symbol() + below(4))}), std::move(body))};
    }
    if (chance(3)) std::swap(loops[static_cast<std::size_t>(below(3))], loops[0]);
    const auto around = [&](const std::vector<Stmt>& those) {
      for (auto l = those.rbegin(); l != those.rend(); ++l) body = {with(*l, [&](StmtNode& n) { n.body = body; })};
    };
    around(loops);
    if (!shape_.product && chance(shape_.threads ? 4 : 2))
      body = {make_loop("l" + std::to_string(next_loop_++), 0, 1 + below(40), 1, Axis::tile, body)};
    around(blocks);
    if (rank_["X"] == rank_["Y"] && !chance(4)) tail_ = epilogue(target, sides[0].at, sides[1].at, tidy);
    ranges_ = saved;
    return body.front();
  }

  // What reads the cells of a product one by one: mostly all of them, and mostly only itself.
  Stmt epilogue(const Symbol& target, const Index& row, const Index& column, bool tidy) {
    const Symbol other = target == "X" ? "Y" : "X";
    std::vector<Stmt> loops;
    std::vector<Expr> cell, shifted;
    const Ranges saved = ranges_;
    for (const Index& e : {row, column}) {
      const Interval range = interval(e, saved);
      const Symbol s = "e" + std::to_string(next_loop_++);
      loops.push_back(
          make_loop(s, Index(static_cast<std::int64_t>(range.lo) - (!tidy && chance(12) && range.lo > 0 ? 1 : 0)),
                    Index(static_cast<std::int64_t>(range.hi) + (!tidy && chance(12) ? 0 : 1)), 1, Axis::serial, {}));
      cell.push_back(make_index(Index::symbol(s)));
      shifted.push_back(make_index(Index::symbol(s) + (!tidy && chance(8) ? 1 : 0)));
    }
    const std::vector<Expr> at = chance(6) ? std::vector<Expr>{cell[1], cell[0]} : cell;
    for (const Stmt& l : loops) add_loop(ranges_, l);
    for (const auto& [buffer, indices] :
         {std::pair(target, shifted), std::pair(other, at), std::pair(other, shifted)}) {
      for (int d = 0; d < 2; ++d)
        need(buffer, d,
             static_cast<std::int64_t>(
                 std::max<Int128>(0, interval(indices[static_cast<std::size_t>(d)]->index, ranges_).hi)));
    }
    ranges_ = saved;
    Expr value = make_load(target, type_, shifted);
    if (chance(2)) value = make_op(pick<Op>({Op::add, Op::max, Op::mul}), {value, literal(1)});
    if (chance(3)) value = make_op(Op::add, {value, make_load(other, type_, chance(3) ? shifted : at)});
    Block body{make_store(other, at, value)};
    if (chance(8)) body = {make_branch(make_op(Op::lt, {cell[0], make_index(Index(below(5)))}), std::move(body))};
    for (auto l = loops.rbegin(); l != loops.rend(); ++l) body = {with(*l, [&](StmtNode& n) { n.body = body; })};
    return body.front();
  }

  void leaves(Block& into, int count) {
    if (chance(4)) {
      const Symbol v = "v" + std::to_string(next_variable_++);
      into.push_back(make_declare(v, type_, chance(3) ? Expr() : value(1)));
      if (!into.back()->value) into.push_back(make_assign(v, value(1)));
      variables_.push_back({v, loops_.size(), parallel_});
    }
    for (int k = 0; k < count; ++k) into.push_back(leaf());
  }

  Stmt leaf() {
    if (parallel_ == 0 && chance(30)) return make_zero(pick<const char*>({"X", "Y"}));
    if (chance(7))
      return make_branch(chance(2) && shape_.data ? data_condition() : condition(), {simple_leaf()},
                         chance(3) ? Block{simple_leaf()} : Block{});
    return simple_leaf();
  }

  Stmt simple_leaf() {
    // A variable from outside a parallel loop is not assigned inside it.
    std::vector<Symbol> assignable;
    for (const auto& v : variables_) {
      if (v.parallel == parallel_) assignable.push_back(v.name);
    }
    if (!assignable.empty() && chance(3)) {
      const Symbol v = assignable[static_cast<std::size_t>(below(static_cast<int>(assignable.size())))];
      return make_assign(v, update(make_variable(v, type_)));
    }
    const Symbol target = rank_.count("r") && chance(5) ? "r" : pick<const char*>({"X", "Y"});
    std::vector<Expr> cell;
    for (int d = 0; d < rank_[target]; ++d) cell.push_back(subscript(target, d));
    if (shape_.data && rank_.count("ids") && chance(8)) {
      cell[0] = make_load("ids", Type::i32, {subscript("ids", 0)});
      need(target, 0, 3);
    }
    if (chance(3)) return make_store(target, cell, make_op(Op::add, {neighbour(target, cell), literal(1)}));
    const Expr old = make_load(target, type_, cell);
    return make_store(target, cell, chance(3) ? update(old) : value(2));
  }

  // The target's cell with one coordinate shifted: recurrences with every sign of distance.
  Expr neighbour(const Symbol& buffer, std::vector<Expr> cell) {
    for (std::size_t d = 0; d < cell.size(); ++d) {
      if (cell[d]->op != Op::index || !chance(2)) continue;
      Index e = cell[d]->index + (below(3) - 1);
      const Interval range = interval(e, ranges_);
      if (range.lo < 0) continue;
      need(buffer, static_cast<int>(d), static_cast<std::int64_t>(range.hi));
      cell[d] = make_index(e);
    }
    return make_load(buffer, type_, std::move(cell));
  }

  // A new value from an old one: accumulations of every operator, and recurrences that no licence reorders.
  Expr update(const Expr& old) {
    const Expr e = value(1);
    switch (below(8)) {
      case 0:
      case 1:
      case 2: return make_op(Op::add, {old, e});
      case 3: return make_op(Op::max, {e, old});
      case 4: return make_op(Op::mul, {old, e});
      case 5: return make_op(Op::sub, {old, e});
      case 6: return is_float(type_) ? make_op(Op::fma, {e, value(0), old}) : make_op(Op::min, {old, e});
      default: return make_op(Op::add, {make_op(Op::mul, {old, literal(2)}), e});
    }
  }

  // A lane of a block that depends on the iteration: a function of indices that nothing simplifies.
  Expr random_number() {
    const auto word = [&] { return make_convert(Type::u32, make_index(affine())); };
    const Expr constant = make_literal(wrap_int(Type::u32, 7));
    const Expr block = make_op(chance(2) ? Op::threefry_light : Op::threefry_crypto,
                               {make_op(Op::block, {constant, constant, constant, constant}),
                                make_op(Op::block, {word(), word(), constant, constant})});
    return chance(2) ? make_op(Op::uniform, type_, {block}) : make_op(Op::uniform_lane, type_, {block, word()});
  }

  Expr literal(int v) { return make_literal(*literal_from_integer(type_, v)); }

  Expr value(int depth) {
    if (depth > 0 && chance(2)) {
      switch (below(6)) {
        case 0: return make_op(Op::add, {value(depth - 1), value(depth - 1)});
        case 1: return make_op(Op::mul, {value(depth - 1), value(depth - 1)});
        case 2: return make_op(Op::max, {value(depth - 1), value(depth - 1)});
        case 3: return make_op(Op::choice, {condition(), value(depth - 1), value(depth - 1)});
        case 4: return make_op(Op::select, {condition(), value(depth - 1), value(depth - 1)});
        default: return chance(3) ? scope() : make_op(Op::sub, {value(depth - 1), value(depth - 1)});
      }
    }
    if (!variables_.empty() && chance(3)) {
      return make_variable(variables_[static_cast<std::size_t>(below(static_cast<int>(variables_.size())))].name,
                           type_);
    }
    if (!loops_.empty() && chance(8)) return make_convert(type_, make_index(affine()));
    if (chance(6)) return literal(1 + below(3));
    if (!loops_.empty() && chance(24)) return random_number();
    const Symbol from = zeroed_ && chance(4) ? "r" : pick<const char*>({"A", "X", "X", "Y"});
    std::vector<Expr> cell;
    for (int d = 0; d < rank_[from]; ++d) cell.push_back(subscript(from, d));
    return make_load(from, type_, std::move(cell));
  }

  // scope s: T { s = v  for k … { s = s ⊕ A[k] } }
  Expr scope() {
    const Symbol s = "s" + std::to_string(next_variable_++);
    const Symbol k = "i" + std::to_string(next_loop_++);
    Stmt inner = make_loop(k, Index(below(2)), bound_symbol() + 1, 1, Axis::serial, {});
    const Ranges saved = ranges_;
    Block body{make_assign(s, literal(1))};
    add_loop(ranges_, inner);
    if (ranges_[k].empty()) ranges_[k] = {0, 0};
    loops_.push_back(k);
    const Expr term = make_load("A", type_, {subscript("A", 0), subscript("A", 1)});
    const Expr sum = make_op(pick<Op>({Op::add, Op::add, Op::max}), {make_variable(s, type_), term});
    body.push_back(with(inner, [&](StmtNode& n) { n.body = {make_assign(s, sum)}; }));
    loops_.pop_back();
    ranges_ = saved;
    return make_scope(s, type_, std::move(body));
  }

  Index affine() {
    Index e(0);
    const int terms = std::min<int>(static_cast<int>(loops_.size()), 1 + below(2));
    for (int k = 0; k < terms; ++k) {
      const Index s = Index::symbol(loops_[static_cast<std::size_t>(below(static_cast<int>(loops_.size())))]);
      e = e + s * pick<std::int64_t>({1, 1, 1, 1, 2, -1});
    }
    if (chance(10)) e = floordiv(e, 2);
    if (chance(14)) e = floormod(e, 3);
    return e;
  }

  void need(const Symbol& buffer, int dimension, std::int64_t greatest) {
    auto& extents = extent_[buffer];
    extents.resize(static_cast<std::size_t>(rank_[buffer]), 1);
    extents[static_cast<std::size_t>(dimension)] = std::max(extents[static_cast<std::size_t>(dimension)], greatest + 1);
  }

  Expr subscript(const Symbol& buffer, int dimension) {
    need(buffer, dimension, 0);
    Index e = loops_.empty() ? Index(0) : affine();
    if (chance(2)) e = e + below(3);
    const Interval range = interval(e, ranges_);
    if (range.lo < 0) e = e - static_cast<std::int64_t>(range.lo);
    need(buffer, dimension, static_cast<std::int64_t>(interval(e, ranges_).hi));
    return make_index(e);
  }

  Expr condition() {
    if (loops_.empty()) return make_literal(bool_scalar(true));
    const Op op = pick<Op>({Op::lt, Op::le, Op::gt, Op::ge, Op::eq, Op::ne});
    return make_op(op, {make_index(affine()), make_index(chance(3) ? affine() : Index(below(5)))});
  }
  Expr data_condition() {
    return make_op(Op::lt, {make_load("A", type_, {subscript("A", 0), subscript("A", 1)}), literal(1)});
  }

  struct LiveVariable {
    Symbol name;
    std::size_t loops;
    int parallel;
  };

  interp::Random& random_;
  ProgramShape shape_;
  Program program_;
  Type type_ = Type::f32;
  Ranges ranges_;
  std::vector<Symbol> loops_;
  std::vector<LiveVariable> variables_;
  std::map<Symbol, int> rank_;
  std::map<Symbol, std::vector<std::int64_t>> extent_;
  int next_loop_ = 0;
  int next_variable_ = 0;
  int parallel_ = 0;
  bool zeroed_ = false;  // the local buffer starts as zeros
  Stmt tail_{};          // of the product just made
};

}  // namespace

Program random_program(interp::Random& random, const ProgramShape& shape) { return Generator(random, shape).run(); }

}  // namespace assay::fuzz
