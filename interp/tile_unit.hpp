// Blocks of matrix instructions in the interpreter's arithmetic (spec/tiles.md, MMA-5 to MMA-11): on doubles, in which every
// product and every addend that was cut is exact.
#pragma once

#include <utility>
#include <vector>

#include "interp/numerics.hpp"
#include "ir/tile_instruction.hpp"

namespace assay::interp {

/// A term of a block: its factors, at the types of their buffers.
struct TileTerm {
  Scalar left{}, right{};
};

/// What a block leaves of the sum `c`, which has the type of the sum. `takes` is the type that the instruction takes. Reports
/// inexact where an addend was cut or the result rounded.
Scalar tile_block(TileUnit unit, Type takes, const std::vector<TileTerm>& terms, Scalar c, numerics::Flags& flags);

/// One fused sum with `fraction` bits below the greatest exponent.
Scalar fused_sum(Type takes, int fraction, const TileTerm* terms, std::size_t count, Scalar c, numerics::Flags& flags);

}  // namespace assay::interp
