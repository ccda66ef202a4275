// Layouts of rows and what makes them one-to-one.
#include "proofs/layout/tile.hpp"

#include <bit>

#include <fmt/format.h>

#include "proofs/z3/text.hpp"

namespace assay {

std::int64_t TileLayout::address(std::int64_t row, std::int64_t column) const {
  return row * columns + ((column / unit) ^ (row % units())) * unit + column % unit;
}

std::optional<std::int64_t> TileLayout::most_rows() const {
  const auto n = static_cast<std::uint64_t>(units());
  if (std::has_single_bit(n)) return std::nullopt;
  return std::int64_t{1} << std::countr_zero(n);
}

int TileLayout::row_bits() const { return std::countr_zero(static_cast<std::uint64_t>(units())); }

BitMap TileLayout::bit_map() const {
  const int n = row_bits();
  std::vector<std::uint64_t> out = BitMap::identity(2 * n).columns();
  for (int i = 0; i < n; ++i) out[static_cast<std::size_t>(n) + static_cast<std::size_t>(i)] |= std::uint64_t{1} << i;
  return BitMap(std::move(out));
}

std::optional<bool> bijective_by_bit_vectors(const TileLayout& layout, std::int64_t rows, int width) {
  const std::string sort = fmt::format("(_ BitVec {})", width);
  const auto number = [&](std::int64_t v) { return fmt::format("(_ bv{} {})", v, width); };
  const auto address = [&](const char* r, const char* c) {
    return fmt::format(
        "(bvadd (bvmul {0} {2}) (bvadd (bvmul (bvxor (bvudiv {1} {3}) (bvurem {0} {4})) {3}) (bvurem {1} {3})))", r, c,
        number(layout.columns), number(layout.unit), number(layout.units()));
  };
  std::string body;
  for (const char* v : {"r", "c", "s", "d"}) body += fmt::format("(declare-const {} {})\n", v, sort);
  for (const char* v : {"r", "s"}) body += fmt::format("(assert (bvult {} {}))\n", v, number(rows));
  for (const char* v : {"c", "d"}) body += fmt::format("(assert (bvult {} {}))\n", v, number(layout.columns));
  body += fmt::format("(assert (or (bvuge {} {}) (and (= {} {}) (not (and (= r s) (= c d))))))\n", address("r", "c"),
                      number(rows * layout.columns), address("r", "c"), address("s", "d"));
  const Satisfiable said = z3_satisfiable("QF_BV", body, 4'000'000);
  if (!said.answer) return std::nullopt;
  return !*said.answer;
}

}  // namespace assay
