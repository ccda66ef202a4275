// Where the elements of a staged tile lie: rows, padded to a stride, with an optional exclusive-or swizzle in each row.
//
// A swizzle is a linear map over GF(2) on the bits of (column, row): it keeps the row and adds row bits to column bits. That
// it is one-to-one is a rank, proved once for each layout; bounds and races are then decided in (row, column).
#pragma once

#include <cstdint>
#include <string>

#include <tl/expected.hpp>

#include "proofs/layout/gf2.hpp"
#include "proofs/validate/validate.hpp"

namespace assay {

enum class Swizzle : std::uint8_t { none, elem, b128 };

struct TileLayout {
  std::int64_t rows = 1;     // of all axes but the last, linearised
  std::int64_t columns = 1;  // of the last axis, before padding
  std::int64_t stride = 1;   // cells of a row
  std::int64_t unit = 1;     // elements that a swizzle moves together: 1, or as many as 16 bytes hold
  Swizzle swizzle = Swizzle::none;

  std::int64_t cells() const { return rows * stride; }
  /// The cell of element (row, column), 0 <= row < rows, 0 <= column < stride.
  std::int64_t address(std::int64_t row, std::int64_t column) const;
  /// Bits of a column (low) and of the row modulo the units of a row (high), to the same of the cell; none: the identity.
  BitMap bit_map() const;
};

/// `pad_stride` p > 1 rounds the stride up to a multiple of p; 0 leaves it. A refusal says what does not fit (LAY-1).
tl::expected<TileLayout, std::string> make_tile_layout(std::int64_t rows, std::int64_t columns, int element_bytes,
                                                       std::int64_t pad_stride, Swizzle swizzle);

/// layout-bijection: elements map one-to-one to cells inside the allocation. Decided by rank over GF(2); engine "gf2".
Obligation layout_bijection(const TileLayout& layout, const std::string& buffer);
/// The same asked of Z3 with bit-vectors of `width` bits: whether it holds; nothing when Z3 gives up.
std::optional<bool> bijective_by_bit_vectors(const TileLayout& layout, int width);

}  // namespace assay
