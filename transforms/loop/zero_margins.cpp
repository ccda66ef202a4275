// `zero_margins C -> z0, z1`: of `zero C` what is left are loops over the cells that the nest behind it does not store
// (spec/zero_margins.md).
//
//   zero C  for i in 1..n { for j in 2..7 { C[i, j] = … } }     becomes loops over row 0, then over columns 0 and 1, then
//   over columns from 7 on, then over rows from n on, and the nest
//
// That the nest fills all of the box before anybody reads it is an obligation.
#include "transforms/define.hpp"
#include "transforms/tile.hpp"
#include "transforms/zero_nest.hpp"

namespace assay {
namespace {

class ZeroMargins final : public Operation {
 public:
  explicit ZeroMargins(Arguments line) : line_(std::move(line)) {}

  static Declaration declare() {
    Declaration d;
    d.name = "zero_margins";
    d.rule_prefix = "MRG";
    d.summary = "sets only those cells to zero that the nest behind does not store";
    d.parameters = {
        {"buffer", ParameterInfo::Kind::buffer, true, {}, {}, "the buffer"},
        {"loops",
         ParameterInfo::Kind::results,
         false,
         "BUFFER_z0, BUFFER_z1, ...",
         {},
         "names of the loops, one per dimension"},
    };
    d.refusals = {
        {"MRG-1", "no statement of the program is a `zero` of the buffer"},
        {"MRG-2", "no nest behind it stores to the buffer at index values, or it leaves no margin"},
        {"SCH-12", "the line names another number of loops than the buffer has dimensions"},
    };
    d.schema = "F (flow)";
    d.obligations = {"flow-equal", "in-bounds", "defined-before-read"};
    d.example_program =
        "program frame { input X: f32[3, 5] output Y: f32[5, 7]\n"
        "  zero Y\n"
        "  for i in 0..3 { for j in 0..5 { Y[i + 1, j + 1] = X[i, j] } }\n"
        "}\n";
    d.example_schedule = "zero_margins Y -> z0, z1\n";
    return d;
  }

  static tl::expected<std::unique_ptr<Operation>, Refusal> bind(Arguments line, const Program& p) {
    const std::size_t rank = p.find_buffer(line.buffers.at("buffer"))->dims.size();
    if (auto wrong = wrong_number_of_names(line, "loops", rank)) return tl::unexpected(std::move(*wrong));
    return std::make_unique<ZeroMargins>(std::move(line));
  }

  StepResult apply(const Program& before, Query&) const override {
    const Buffer& buffer = *before.find_buffer(line_.buffers.at("buffer"));
    NameSupply names(before.bound_names());
    Result found;
    Program after = before;
    after.body = block(before.body, buffer, names, found);
    if (found.problem) return tl::unexpected(inapplicable(line_, "MRG-2", found.why, found.problem->where));
    if (!found.any)
      return tl::unexpected(
          inapplicable(line_, "MRG-1", fmt::format("no statement is `zero {}`", buffer.name), buffer.where));
    return placed(line_, std::move(after));
  }

 private:
  struct Result {
    bool any = false;
    Stmt problem{};  // a `zero` that cannot be cut down
    std::string why{};
  };
  using Box = std::vector<CellRange>;

  Block block(const Block& b, const Buffer& buffer, NameSupply& names, Result& found) const {
    Block out;
    for (std::size_t k = 0; k < b.size(); ++k) {
      const Stmt& s = b[k];
      if (s->kind == StmtKind::zero && s->name == buffer.name) {
        found.any = true;
        const auto box = stored_box({b.begin() + static_cast<std::ptrdiff_t>(k) + 1, b.end()}, buffer.name);
        const Block loops = box ? margins(s, *box, buffer, names) : Block{};
        if (loops.empty() && !found.problem) {
          found.problem = s;
          found.why = box ? fmt::format("the nest behind it stores every cell of `{}`", buffer.name)
                          : fmt::format("no nest behind it stores to `{}` at index values", buffer.name);
        }
        out.insert(out.end(), loops.begin(), loops.end());
      } else if (s->body.empty() && s->other.empty()) {
        out.push_back(s);
      } else {
        out.push_back(with(s, [&](StmtNode& n) {
          n.body = block(s->body, buffer, names, found);
          n.other = block(s->other, buffer, names, found);
        }));
      }
    }
    return out;
  }

  // MRG-3: from the least to the greatest index of the first store, in each dimension.
  static std::optional<Box> stored_box(const Block& behind, const Symbol& buffer) {
    std::vector<Stmt> loops;
    std::optional<Box> box;
    bool seen = false;
    Visitor v;
    v.enter_stmt = [&](const Stmt& s) {
      if (seen) return false;
      if (s->kind == StmtKind::loop) loops.push_back(s);
      if (s->kind != StmtKind::store || s->name != buffer) return true;
      seen = true;
      const auto cell = plain_cell(s->indices);
      if (!cell || loops.empty()) return false;
      box.emplace();
      for (const Index& e : *cell) box->push_back({extreme(e, loops, false), extreme(e, loops, true) + 1});
      return false;
    };
    v.leave_stmt = [&](const Stmt& s) {
      if (!seen && s->kind == StmtKind::loop) loops.pop_back();
    };
    visit(behind, v);
    return box;
  }

  // MRG-4: what is outside of the box, each cell once.
  Block margins(const Stmt& zero, const Box& box, const Buffer& buffer, NameSupply& names) const {
    const std::vector<Symbol> called = line_.new_names("loops");
    Block out;
    Box inside;  // in the dimensions before
    const auto add = [&](const CellRange& strip) {
      Box ranges = inside;
      ranges.push_back(strip);
      for (std::size_t d = ranges.size(); d < buffer.dims.size(); ++d) ranges.push_back({0, buffer.dims[d]});
      out.push_back(zero_nest(zero, buffer, ranges, called, names));
    };
    for (std::size_t d = 0; d < box.size(); ++d) {
      if (!(box[d].lo.is_constant() && box[d].lo.constant() <= 0)) add({0, box[d].lo});
      if (!(box[d].hi == buffer.dims[d])) add({box[d].hi, buffer.dims[d]});
      inside.push_back(box[d]);
    }
    return out;
  }

  Arguments line_;
};

}  // namespace
}  // namespace assay

ASSAY_OPERATION(ZeroMargins)
