// The cells of a scratch buffer that several statements fill, as cells of one store (W-14, W-15).
//
//   m[i] = 0.0  for k { m[i] += X[i, k] }     is     m[i] = scope m: f32 { m = 0.0  for k { m = m + X[i, k] } }
//
// Then the value of a cell is one expression, which can stand where the cell is read.
#pragma once

#include <functional>
#include <optional>

#include "ir/program.hpp"

namespace assay {

/// The program with one store to `buffer`, which computes what several statements do; nothing when one store does already, or
/// no single one can. Statements keep their provenance, and new ones have that of a statement that they stand for. `fresh`
/// names new binders.
std::optional<Program> with_one_store(const Program& p, const Symbol& buffer,
                                      const std::function<Symbol(const Symbol&)>& fresh);

}  // namespace assay
