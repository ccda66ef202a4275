// Reads under other loops stay; two different indices under the loops of the tile have no tile in common.
#include "transforms/staged_reads.hpp"

#include <algorithm>

#include "ir/analysis/access.hpp"
#include "transforms/tile.hpp"

namespace assay {
namespace {

tl::unexpected<Refusal> refused(const Arguments& line, std::string code, const std::string& reason, const Stmt& where) {
  return tl::unexpected(inapplicable(line, std::move(code), reason, where->where));
}

bool is_among(const std::vector<Stmt>& loops, const Symbol& s) {
  return std::any_of(loops.begin(), loops.end(), [&](const Stmt& l) { return l->name == s; });
}

}  // namespace

bool StagedReads::of_tile(const Stmt& loop) const { return is_among(tile_loops, loop->name); }

tl::expected<StagedReads, Refusal> staged_reads(const Arguments& line, const Program& before, const Symbol& source) {
  const std::vector<Symbol>& over = line.loops.at("over");
  const Extraction extraction = extract(before);
  StagedReads out;
  for (const Node& n : extraction.nodes) {
    if (!std::all_of(over.begin(), over.end(), [&](const Symbol& s) { return is_among(n.loops, s); })) continue;
    for (const Access& a : n.accesses) {
      if (a.variable || a.writes || a.storage != source) continue;
      const auto cell = plain_cell(a.indices);
      const Location where = a.where.known() ? a.where : n.stmt->where;
      if (!cell)
        return tl::unexpected(
            inapplicable(line, "STG-4", fmt::format("`{}` is read at a dynamic index", source), where));
      if (!out.first) {
        out.cell = *cell;
        out.around = n.loops;
        out.first = n.stmt;
      } else if (!(*cell == out.cell)) {
        return tl::unexpected(inapplicable(
            line, "STG-4", fmt::format("this read of `{}` has another index than the first one", source), where));
      }
    }
  }
  if (!out.first) {
    const Stmt loop = find_loops(before, over[0]).front();
    return refused(line, "STG-3", fmt::format("nothing reads `{}` under all of these loops", source), loop);
  }
  const std::set<Symbol> used = symbols_of(out.cell);
  for (const Symbol& s : over) {
    const Stmt loop = *std::find_if(out.around.begin(), out.around.end(), [&](const Stmt& l) { return l->name == s; });
    if (is_among(out.tile_loops, s) || used.count(s) == 0)
      return refused(line, "STG-5", fmt::format("the index does not use `{}`, or the line names it twice", s), loop);
    out.tile_loops.push_back(loop);
  }
  return out;
}

}  // namespace assay
