// Which matrix instruction a tile product is done by, if its device has them (spec/tiles.md, MMA-1 to MMA-4).
//
// Read from the tree alone, so that generated text and the interpreter, which do the arithmetic each in its own way, mean
// the same blocks.
#pragma once

#include <map>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "ir/program.hpp"
#include "ir/tile_product.hpp"

namespace assay {

/// Generations of devices whose instructions have a model; `none`: tile products are their nests.
enum class TileUnit { none, sm_80, sm_90 };

/// A tile product that fits an instruction.
struct TileInstruction {
  TileProduct product{};
  Type takes = Type::f16;                  // the factors in registers, converted without loss; i8 also stands for u8
  Type sum = Type::f32;                    // the type of the sum
  int rows = 16, columns = 8, terms = 16;  // of a block
  std::int64_t row_count = 0, column_count = 0, term_count = 0;    // iterations of the loops
  std::vector<Expr> row_guards{}, column_guards{}, term_guards{};  // conditions by the symbol that they mention
};

/// Every `@tile` loop of a program: the instruction, or a sentence that says why there is none.
using TileInstructions = std::map<const StmtNode*, tl::expected<TileInstruction, std::string>>;
TileInstructions tile_instructions(const Program& p);
/// Whether one of them fits.
bool has_tile_instruction(const Program& p);

}  // namespace assay
