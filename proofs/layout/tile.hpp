// Where the elements of a buffer with a swizzle lie: in each row the units are permuted by exclusive or with the row's number.
//
// A swizzle is a linear map over GF(2) on the bits of (unit, row): it keeps the row and adds row bits to unit bits. That it is
// one-to-one is a rank; bounds and races are then decided in indices (spec/layout.md).
#pragma once

#include <cstdint>
#include <optional>

#include "ir/type.hpp"
#include "proofs/layout/gf2.hpp"

namespace assay {

struct TileLayout {
  std::int64_t columns = 1;  // elements of a row
  std::int64_t unit = 1;     // elements that move together; divides the columns

  std::int64_t units() const { return columns / unit; }
  /// The cell of element (row, column).
  std::int64_t address(std::int64_t row, std::int64_t column) const;
  /// The most rows for which it is one-to-one inside of each row; nothing: for any number of rows (LAY-4).
  std::optional<std::int64_t> most_rows() const;
  /// How many low bits of a unit's number change at all.
  int row_bits() const;
  /// The low bits of a unit's number (below `row_bits()`) and of the row (above), to the same of the cell.
  BitMap bit_map() const;
};

/// Whether it maps the elements of that many rows one-to-one to their cells, by Z3 with bit-vectors of `width` bits; nothing
/// when Z3 gives up.
std::optional<bool> bijective_by_bit_vectors(const TileLayout& layout, std::int64_t rows, int width);

}  // namespace assay
