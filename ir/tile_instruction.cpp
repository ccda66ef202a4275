// The lanes must be one warp, the types must have an instruction, its block must divide the loops, and every condition must
// be about one of them.
#include "ir/tile_instruction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "ir/analysis/launch.hpp"
#include "ir/traverse.hpp"

namespace assay {
namespace {

constexpr std::int64_t warp = 32;
using Sentence = std::string;

bool is_one_of(Type t, std::initializer_list<Type> types) {
  return std::find(types.begin(), types.end(), t) != types.end();
}

/// The type that the instruction for these factors and this sum takes (MMA-2).
std::optional<Type> takes(Type left, Type right, Type sum) {
  const auto both = [&](std::initializer_list<Type> types) {
    return is_one_of(left, types) && is_one_of(right, types);
  };
  if (is_one_of(sum, {Type::f32, Type::f16}) && both({Type::f16, Type::f8e5m2, Type::f8e4m3fn})) return Type::f16;
  if (sum == Type::f32 && both({Type::bf16})) return Type::bf16;
  if (sum == Type::f64 && is_float(left) && is_float(right)) return Type::f64;
  if (sum == Type::i32 && both({Type::i8, Type::u8})) return Type::i8;
  return std::nullopt;
}

/// The trip counts of a loop's slot that are more than a warp has threads, or not known.
bool within_a_warp(const StmtNode& loop) {
  const Index span = loop.hi - loop.lo;
  return span.is_constant() && (span.constant() <= 0 || (span.constant() - 1) / loop.step + 1 <= warp);
}

class Fitting {
 public:
  Fitting(const Program& p, const StmtNode& tile) : program_(p), tile_(tile) {}

  tl::expected<TileInstruction, Sentence> run() {
    auto product = tile_product(tile_.body, tile_.where);
    if (!product) return tl::unexpected(product.error().message);
    out_.product = std::move(*product);
    if (!types() || !blocks()) return tl::unexpected(std::move(why_));
    for (const Expr& guard : out_.product.guards) {
      if (!sort(guard)) return tl::unexpected(std::move(why_));
    }
    return std::move(out_);
  }

 private:
  bool refuse(Sentence why) {
    why_ = std::move(why);
    return false;
  }

  bool types() {
    const TileProduct& product = out_.product;
    const Buffer* sum = program_.find_buffer(product.update->name);
    const Type left = product.left->type, right = product.right->type;
    const auto found = takes(left, right, sum->type);
    if (!found)
      return refuse(fmt::format("there is no instruction that adds products of {} and {} to {}", name(left),
                                name(right), name(sum->type)));
    out_.takes = *found;
    out_.sum = sum->type;
    return true;
  }

  bool blocks() {
    const auto trips = [&](const Stmt& loop, std::int64_t& count) {
      const Index span = loop->hi - loop->lo;
      if (!span.is_constant() || span.constant() < 1)
        return refuse(fmt::format("how often `{}` runs is no number", loop->name));
      count = span.constant();
      return true;
    };
    const TileProduct& product = out_.product;
    if (!trips(product.row, out_.row_count) || !trips(product.column, out_.column_count) ||
        !trips(product.sum, out_.term_count))
      return false;
    const bool wide = out_.takes == Type::f64;
    out_.rows = wide ? 8 : 16;
    out_.terms = wide ? 4 : out_.takes == Type::i8 ? 32 : 16;
    if (!wide && out_.term_count % out_.terms != 0) out_.terms /= 2;
    const auto divides = [&](const Stmt& loop, std::int64_t count, int block) {
      return count % block == 0 ||
             refuse(fmt::format("`{}` runs {} times, which is no multiple of {}", loop->name, count, block));
    };
    return divides(product.row, out_.row_count, out_.rows) &&
           divides(product.column, out_.column_count, out_.columns) &&
           divides(product.sum, out_.term_count, out_.terms);
  }

  /// Takes a condition apart at its conjunctions; each part goes to the loop that it is about.
  bool sort(const Expr& guard) {
    if (guard->op == Op::land) return sort(guard->args[0]) && sort(guard->args[1]);
    const TileProduct& product = out_.product;
    std::set<Symbol> used;
    Visitor v;
    v.enter_expr = [&](const Expr& e) {
      if (e->op == Op::index) e->index.collect_symbols(used);
      return true;
    };
    visit(guard, v);
    const auto about = [&](const Stmt& loop) { return used.count(loop->name) != 0; };
    if (about(product.row) + about(product.column) + about(product.sum) > 1)
      return refuse("a condition is about more than one loop of the nest");
    (about(product.sum)      ? out_.term_guards
     : about(product.column) ? out_.column_guards
                             : out_.row_guards)
        .push_back(guard);
    return true;
  }

  const Program& program_;
  const StmtNode& tile_;
  TileInstruction out_{};
  Sentence why_{};
};

/// The `@tile` loops and the loops of slot 0 of the threads, launch by launch.
struct LaunchLoops {
  std::vector<const StmtNode*> tiles{};
  bool one_warp = true;
};

std::vector<LaunchLoops> launches(const Program& p) {
  const std::map<const StmtNode*, int> slots = hardware_slots(p);
  std::vector<LaunchLoops> out(1);
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::launch) out.emplace_back();
    if (s->kind != StmtKind::loop) return true;
    if (s->axis == Axis::tile) out.back().tiles.push_back(&*s);
    const auto slot = slots.find(&*s);
    if (slot != slots.end() && slot->second == 0 && slot_kind(s->axis) != Axis::grid)
      out.back().one_warp = out.back().one_warp && within_a_warp(*s);
    return true;
  };
  v.enter_expr = [](const Expr&) { return false; };
  visit(p.body, v);
  return out;
}

}  // namespace

TileInstructions tile_instructions(const Program& p) {
  const std::set<const StmtNode*> among_threads = tiles_among_threads(p);
  TileInstructions out;
  for (const LaunchLoops& launch : launches(p)) {
    for (const StmtNode* tile : launch.tiles) {
      const auto refuse = [&](const char* why) { out.emplace(tile, tl::unexpected(Sentence(why))); };
      if (among_threads.count(tile) == 0) {
        refuse("its lanes are no threads");
      } else if (!(tile->hi == Index(warp))) {
        refuse("it has not the 32 lanes of a warp");
      } else if (!launch.one_warp) {
        refuse("its slot may have more threads than a warp");
      } else {
        out.emplace(tile, Fitting(p, *tile).run());
      }
    }
  }
  return out;
}

bool has_tile_instruction(const Program& p) {
  const TileInstructions all = tile_instructions(p);
  return std::any_of(all.begin(), all.end(), [](const auto& t) { return t.second.has_value(); });
}

}  // namespace assay
