// The outermost statement has the origin of the whole, and so has the store.
#include "transforms/zero_nest.hpp"

#include <fmt/format.h>

#include "ir/plain_constant.hpp"
#include "ir/traverse.hpp"
#include "transforms/names.hpp"

namespace assay {

Stmt zero_nest(const Stmt& zero, const Buffer& buffer, const std::vector<CellRange>& ranges,
               const std::vector<Symbol>& given, NameSupply& names) {
  const auto from_zero = [&](const Stmt& s) { return with(s, [&](StmtNode& n) { n.provenance = zero->provenance; }); };
  std::vector<Symbol> symbols;
  std::vector<Expr> cell;
  for (std::size_t d = 0; d < ranges.size(); ++d) {
    symbols.push_back(given.empty() ? derived_name(buffer.name, fmt::format("z{}", d), names) : names.fresh(given[d]));
    cell.push_back(make_index(Index::symbol(symbols.back())));
  }
  Stmt out = from_zero(make_store(buffer.name, std::move(cell), zero_value(buffer.type, zero->where), zero->where));
  for (std::size_t d = ranges.size(); d-- > 0;)
    out = make_loop(symbols[d], ranges[d].lo, ranges[d].hi, 1, Axis::serial, {std::move(out)}, zero->where);
  return from_zero(out);
}

}  // namespace assay
