// Tile layouts and the proof that they are one-to-one.
#include "proofs/layout/tile.hpp"

#include <bit>

#include <fmt/format.h>

#include "proofs/z3/text.hpp"

namespace assay {
namespace {

bool power_of_two(std::int64_t v) { return v > 0 && std::has_single_bit(static_cast<std::uint64_t>(v)); }
int log2(std::int64_t v) { return std::countr_zero(static_cast<std::uint64_t>(v)); }

}  // namespace

std::int64_t TileLayout::address(std::int64_t row, std::int64_t column) const {
  if (swizzle == Swizzle::none) return row * stride + column;
  const std::int64_t units = stride / unit;
  return row * stride + ((column / unit) ^ (row % units)) * unit + column % unit;
}

BitMap TileLayout::bit_map() const {
  if (swizzle == Swizzle::none) return BitMap::identity(0);
  const int low = log2(unit), units = log2(stride / unit), column_bits = low + units;
  std::vector<std::uint64_t> out = BitMap::identity(column_bits + units).columns();
  for (int i = 0; i < units; ++i) out[static_cast<std::size_t>(column_bits + i)] |= std::uint64_t{1} << (low + i);
  return BitMap(std::move(out));
}

tl::expected<TileLayout, std::string> make_tile_layout(std::int64_t rows, std::int64_t columns, int element_bytes,
                                                       std::int64_t pad_stride, Swizzle swizzle) {
  const auto refuse = [](std::string why) { return tl::unexpected(std::move(why)); };
  constexpr std::int64_t most = std::int64_t{1} << 31;
  if (rows < 1 || columns < 1 || rows > most || columns > most)
    return refuse("a tile has from 1 to 2^31 rows and columns");
  if (pad_stride < 0 || pad_stride == 1 || pad_stride > most) return refuse("pad_stride is at least 2");
  TileLayout t{rows, columns, columns, 1, swizzle};
  if (pad_stride > 1) t.stride = (columns + pad_stride - 1) / pad_stride * pad_stride;
  if (swizzle == Swizzle::elem && (t.stride < 2 || !power_of_two(t.stride)))
    return refuse(
        fmt::format("swizzle=elem needs rows of a power of two of elements, at least 2; these have {}", t.stride));
  if (swizzle == Swizzle::b128) {
    if (t.stride * element_bytes % 16 != 0)
      return refuse(
          fmt::format("swizzle=b128 needs rows of whole 16-byte units; these have {} bytes", t.stride * element_bytes));
    t.unit = 16 / element_bytes;
    const std::int64_t units = t.stride * element_bytes / 16;
    if (units < 2 || !power_of_two(units))
      return refuse(
          fmt::format("swizzle=b128 needs a power of two of 16-byte units in a row, at least 2; these have {}", units));
  }
  return t;
}

Obligation layout_bijection(const TileLayout& layout, const std::string& buffer) {
  Obligation o;
  o.kind = "layout-bijection";
  o.claim = fmt::format("the layout maps the elements of `{}` one-to-one to its {} cells", buffer, layout.cells());
  const BitMap map = layout.bit_map();
  // Rows are disjoint and kept; within a row the map is linear, and inside because it has as many bits out as in.
  const bool inside = layout.columns <= layout.stride;
  const bool holds = inside && (layout.swizzle == Swizzle::none || map.inverse().has_value());
  o.engine = layout.swizzle == Swizzle::none ? "structure" : "gf2";
  o.status = holds ? Obligation::Status::proved : Obligation::Status::violated;
  if (!holds) o.code = "LAY-2";
  return o;
}

std::optional<bool> bijective_by_bit_vectors(const TileLayout& layout, int width) {
  const std::string sort = fmt::format("(_ BitVec {})", width);
  const auto number = [&](std::int64_t v) { return fmt::format("(_ bv{} {})", v, width); };
  const auto address = [&](const char* r, const char* c) {
    const std::string base = fmt::format("(bvmul {} {})", r, number(layout.stride));
    if (layout.swizzle == Swizzle::none) return fmt::format("(bvadd {} {})", base, c);
    const std::int64_t units = layout.stride / layout.unit;
    return fmt::format("(bvadd {} (bvadd (bvmul (bvxor (bvudiv {} {}) (bvurem {} {})) {}) (bvurem {} {})))", base, c,
                       number(layout.unit), r, number(units), number(layout.unit), c, number(layout.unit));
  };
  std::string body;
  for (const char* v : {"r", "c", "s", "d"}) body += fmt::format("(declare-const {} {})\n", v, sort);
  for (const char* v : {"r", "s"}) body += fmt::format("(assert (bvult {} {}))\n", v, number(layout.rows));
  for (const char* v : {"c", "d"}) body += fmt::format("(assert (bvult {} {}))\n", v, number(layout.columns));
  body += fmt::format("(assert (or (bvuge {} {}) (and (= {} {}) (not (and (= r s) (= c d))))))\n", address("r", "c"),
                      number(layout.cells()), address("r", "c"), address("s", "d"));
  const Satisfiable said = z3_satisfiable("QF_BV", body, 4'000'000);
  if (!said.answer) return std::nullopt;
  return !*said.answer;
}

}  // namespace assay
