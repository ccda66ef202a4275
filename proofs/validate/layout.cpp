// A row of U units with the row's number added to the units' numbers, bit by bit. Let 2^j be the greatest power of two that
// divides U. Up to 2^j rows (or any number, where U is that power) only the low j bits of a unit's number change, inside its
// block of 2^j units, and that they do so one-to-one is a rank over GF(2). Row number 2^j would move unit U - 2^j out of its
// row, so one more row is one too many (LAY-4).
#include "proofs/validate/layout.hpp"

#include "proofs/layout/tile.hpp"
#include "proofs/validate/cases.hpp"

namespace assay::derive {
namespace {

// "The buffer has more than `most` rows".
Formula more_rows(const Buffer& b, std::int64_t most) {
  std::vector<Formula> facts;
  Index rows(1);
  for (std::size_t d = 0; d + 1 < b.dims.size(); ++d) {
    const Index so_far = Index::symbol("rows'" + std::to_string(d));
    facts.push_back(Formula::product(so_far, rows, b.dims[d]));
    rows = so_far;
  }
  facts.push_back(Formula::lt(Index(most), rows));
  return Formula::all(std::move(facts));
}

// The indices of the first element of row number `row`.
std::vector<std::int64_t> cell_of(const Buffer& b, std::int64_t row, std::int64_t column, const ParameterMap& values) {
  std::vector<std::int64_t> cell(b.dims.size(), column);
  for (std::size_t d = b.dims.size() - 1; d-- > 0;) {
    const std::int64_t extent = b.dims[d]
                                    .evaluate([&](const Symbol& s) -> std::optional<std::int64_t> {
                                      const auto it = values.find(s);
                                      return it == values.end() ? std::nullopt : std::optional(it->second);
                                    })
                                    .value_or(1);
    cell[d] = extent > 0 ? row % extent : 0;
    row = extent > 0 ? row / extent : 0;
  }
  return cell;
}

Obligation bijection(const Program& p, const Buffer& b, Query& query) {
  const TileLayout layout{b.dims.back().constant(), swizzle_unit(b.swizzle, b.type)};
  const std::string claim = "the elements of `" + b.name + "` map one-to-one to its cells";
  std::vector<Case> cases;
  if (!layout.bit_map().inverse()) cases.push_back({Formula::truth(), {}, {}, nullptr, nullptr, false, {}});
  const auto most = layout.most_rows();
  if (most) cases.push_back({more_rows(b, *most), {}, {}, nullptr, nullptr, false, {}});
  Obligation o =
      discharge({"layout-bijection", claim, "LAY-2", "LAY-5", "rows of a power of two of units can always be swizzled"},
                parameter_domain(p), p, cases, query);
  o.engine = cases.empty() || o.engine.empty() ? "gf2" : "gf2, " + o.engine;
  if (o.witness) {
    o.witness->buffer = b.name;
    o.witness->first.where = b.where;
    o.witness->cell =
        cell_of(b, most.value_or(0), layout.columns - most.value_or(1) * layout.unit, o.witness->parameters);
  }
  return o;
}

}  // namespace

std::vector<Obligation> layout_obligations(const Program& p, Query& query) {
  std::vector<Obligation> out;
  for (const Buffer& b : p.buffers) {
    if (b.swizzle != Swizzle::none) out.push_back(bijection(p, b, query));
  }
  return out;
}

}  // namespace assay::derive
