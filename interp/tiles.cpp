// Tile products as a matrix instruction does them (MMA-5): cell by cell, the terms in blocks, in place of the nest.
#include <algorithm>

#include "interp/machine.hpp"
#include "interp/tile_unit.hpp"

namespace assay::interp {
namespace {

const BoundExpr* find(const BoundExpr& e, const ExprNode* wanted) {
  if (e.source == wanted) return &e;
  for (const BoundExpr& a : e.args) {
    if (const BoundExpr* found = find(a, wanted)) return found;
  }
  return nullptr;
}

/// The bound parts of a nest.
struct Nest {
  const BoundStmt *row = nullptr, *column = nullptr, *sum = nullptr, *update = nullptr;
  std::vector<const BoundExpr*> guards{};

  Nest(const BoundBlock& body, const TileProduct& product) {
    for (const BoundBlock* b = &body; update == nullptr; b = &b->front()->body) {
      const BoundStmt& s = *b->front();
      if (s.kind == StmtKind::branch) guards.push_back(&s.value[0]);
      if (s.kind == StmtKind::store) update = &s;
      if (s.kind != StmtKind::loop) continue;
      (s.source->name == product.row->name ? row : s.source->name == product.column->name ? column : sum) = &s;
    }
  }
};

}  // namespace

void Machine::tile_product(const BoundStmt& tile, const TileInstruction& fit, Lane lane) {
  const Nest nest(tile.body, fit.product);
  const BoundStmt& update = *nest.update;
  // The factors in the order of A and B; the operation on the sum, which is watched where its order changed.
  const BoundExpr* const left = find(update.value[0], &*fit.product.left);
  const BoundExpr* const right = find(update.value[0], &*fit.product.right);
  std::int64_t first_row = 0, first_column = 0, first_term = 0;
  // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): the instruction fits, so all three loops are there
  trip_count(*nest.row, lane, first_row);
  trip_count(*nest.column, lane, first_column);
  trip_count(*nest.sum, lane, first_term);
  statement_ = nest.update;
  const auto executed = [&] {
    return std::all_of(nest.guards.begin(), nest.guards.end(),
                       [&](const BoundExpr* g) { return evaluate(*g, lane) != 0; });
  };
  const auto cell_of_sum = [&] {
    const Cell c = cell(memory(update.reference), update.indices, lane);
    if (!c.inside) outside(memory(update.reference), update.indices, lane, update.source->where, true);
    return c.flat;
  };
  for (std::int64_t row = 0; row < fit.row_count; ++row) {
    bind(nest.row->slot, lane, first_row + row);
    for (std::int64_t column = 0; column < fit.column_count; ++column) {
      bind(nest.column->slot, lane, first_column + column);
      Memory& sums = memory(update.reference);
      std::optional<Scalar> sum;
      seen_ = 0;
      for (std::int64_t block = 0; block < fit.term_count; block += fit.terms) {
        std::vector<TileTerm> terms(static_cast<std::size_t>(fit.terms), {{left->type, 0}, {right->type, 0}});
        bool any = false;
        for (int n = 0; n < fit.terms; ++n) {
          bind(nest.sum->slot, lane, first_term + block + n);
          spend(1);
          if (!executed()) continue;
          any = true;
          terms[static_cast<std::size_t>(n)] = {{left->type, evaluate(*left, lane)},
                                                {right->type, evaluate(*right, lane)}};
        }
        if (!any) continue;
        if (!sum) {
          const std::int64_t flat = cell_of_sum();
          if ((sums.states[flat] & defined) == 0)
            fault("RUN-2", "the sum of a tile product is read where it is undefined", update.source->where,
                  sums.buffer->name, unflatten(flat, sums.dims));
          seen_ |= sums.states[flat];
          sum = Scalar{fit.sum, sums.bits(flat)};
        }
        numerics::Flags flags;
        sum = tile_block(tiles_, fit.takes, terms, *sum, flags);
        if (update.value[0].watched && flags.inexact) seen_ |= marked;
      }
      if (!sum) continue;
      const std::int64_t flat = cell_of_sum();
      sums.set_bits(flat, sum->bits);
      sums.states[flat] = static_cast<std::uint8_t>(defined | ((seen_ | control_) & marked));
    }
  }
}

}  // namespace assay::interp
