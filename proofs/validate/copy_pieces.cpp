// One loop moves both last indices by one: its iterations copy neighbours. That they make whole pieces is asked of the engines:
// where one of the elements of a piece is copied all are, and the piece begins at a multiple of its length in both buffers.
#include "proofs/validate/copy_pieces.hpp"

#include <algorithm>
#include <array>

namespace assay::derive {
namespace {

const Index* affine(const Expr& e) { return e->op == Op::index ? &e->index : nullptr; }

class Pieces {
 public:
  Pieces(const View& view, const Node& copy, Query& query)
      : view_(view),
        copy_(copy),
        query_(query),
        to_(*view.program.find_buffer(copy.stmt->name)),
        from_(*view.program.find_buffer(copy.stmt->value->name)),
        x_(instantiate(view, copy, "1")),
        facts_(view.parameters & domain(x_)) {}

  int longest() const {
    const bool plain = std::none_of(copy_.loops.begin(), copy_.loops.end(), [](const Stmt& l) {
      return l->axis == Axis::vectorized || l->axis == Axis::reduce || l->axis == Axis::tile;
    });
    if (!plain || has_data_guard(copy_) || from_.swizzle != Swizzle::none || to_.swizzle == Swizzle::elem) return 1;
    if (to_indices().empty() || affine(to_indices().back()) == nullptr || affine(from_indices().back()) == nullptr)
      return 1;
    for (const int bytes : {16, 8, 4}) {
      const int elements = bytes / static_cast<int>(byte_width(to_.type));
      if (elements < 2) break;
      if (!begins_at_a_multiple(elements)) continue;
      for (const Stmt& loop : copy_.loops) {
        if (moves_by_one(loop) && in_one_interval(loop) && whole(*loop, elements)) return elements;
      }
    }
    return 1;
  }

 private:
  const std::vector<Expr>& to_indices() const { return copy_.stmt->indices; }
  const std::vector<Expr>& from_indices() const { return copy_.stmt->value->args; }

  /// Both last indices are the loop's symbol and something that it does not move, and it moves nothing else.
  bool moves_by_one(const Stmt& loop) const {
    if (loop->step != 1) return false;
    const auto moved = [&](const Index& e) { return e.mentions(loop->name); };
    for (const std::vector<Expr>* indices : {&to_indices(), &from_indices()}) {
      for (std::size_t d = 0; d < indices->size(); ++d) {
        const Index* const e = affine((*indices)[d]);
        const bool last = d + 1 == indices->size();
        if (e == nullptr || moved(last ? *e - Index::symbol(loop->name) : *e)) return false;
      }
    }
    return std::none_of(copy_.loops.begin(), copy_.loops.end(),
                        [&](const Stmt& l) { return moved(l->lo) || moved(l->hi); });
  }

  /// All iterations of the loop come between the same barriers. Those of threads do: barriers are uniform.
  bool in_one_interval(const Stmt& loop) const {
    if (loop->axis == Axis::workgroup) return true;
    if (loop->axis != Axis::serial && loop->axis != Axis::unrolled) return false;
    return std::none_of(view_.extraction.nodes.begin(), view_.extraction.nodes.end(), [&](const Node& n) {
      const auto at =
          std::find_if(n.loops.begin(), n.loops.end(), [&](const Stmt& l) { return l->name == loop->name; });
      return at != n.loops.end() &&
             (n.stmt->kind == StmtKind::barrier || std::any_of(at, n.loops.end(), [](const Stmt& l) {
                return l->axis == Axis::tile || l->axis == Axis::reduce;
              }));
    });
  }

  /// Every axis but the last moves a cell by a multiple of `elements`.
  bool rows_align(const Buffer& b, const std::vector<Expr>& indices, int elements) const {
    for (std::size_t d = 0; d + 1 < indices.size(); ++d) {
      const Index* const at = affine(indices[d]);
      if (at != nullptr && *at == Index(0)) continue;
      std::int64_t known = 1;
      std::vector<Index> open;
      for (std::size_t e = d + 1; e < b.dims.size(); ++e) {
        if (b.dims[e].is_constant()) {
          known = known * floor_mod(b.dims[e].constant(), elements) % elements;
        } else {
          open.push_back(b.dims[e]);
        }
      }
      const bool divides = known == 0 || std::any_of(open.begin(), open.end(), [&](const Index& e) {
                             return query_.implied(facts_, Formula::zero(floormod(e * known, elements)));
                           });
      if (!divides) return false;
    }
    return true;
  }

  bool begins_at_a_multiple(int elements) const {
    const Index apart = *affine(from_indices().back()) - *affine(to_indices().back());
    return rows_align(to_, to_indices(), elements) && rows_align(from_, from_indices(), elements) &&
           query_.implied(facts_, Formula::zero(floormod(x_.apply(apart), elements)));
  }

  /// With an element all others of its piece are copied, in other iterations of the loop.
  bool whole(const StmtNode& loop, int elements) const {
    const Instance other = instantiate(view_, copy_, "2");
    Instance y = x_;
    y.symbols.at(loop.name) = other.symbols.at(loop.name);
    const Index& last = *affine(to_indices().back());
    const Formula together = Formula::eq(floordiv(x_.apply(last), elements), floordiv(y.apply(last), elements));
    return query_.implied(facts_ & together, domain(y));
  }

  const View& view_;
  const Node& copy_;
  Query& query_;
  const Buffer& to_;
  const Buffer& from_;
  const Instance x_;
  const Formula facts_;
};

}  // namespace

int elements_of_piece(const View& view, const Node& copy, Query& query) { return Pieces(view, copy, query).longest(); }

}  // namespace assay::derive
