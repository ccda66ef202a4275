// Three loops and the conditions between them are peeled off, then the statement's three cells say which loop plays which role.
#include "ir/tile_product.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ir/traverse.hpp"

namespace assay {
namespace {

constexpr const char* nest_help =
    "a tile product is three plain loops around one accumulated product, as in `C[i, j] += A[i, k] * B[k, j]`";
constexpr const char* roles_help =
    "the sum has a row in some dimension and a column in its last one; each factor has the summed symbol and one of "
    "these, "
    "one of them in its last dimension";

class Recogniser {
 public:
  Recogniser(const Block& body, Location where) : body_(&body), where_(where) {}

  tl::expected<TileProduct, Diagnostic> run() {
    if (peel() && update() && roles()) return std::move(out_);
    return tl::unexpected(std::move(refusal_));
  }

 private:
  bool refuse(const char* code, Location where, std::string message) {
    refusal_ = {code,
                std::move(message),
                where.known() ? where : where_,
                code == std::string_view("WF-26") ? nest_help : roles_help,
                {},
                Severity::error};
    return false;
  }
  bool no_nest(Location where, std::string message) { return refuse("WF-26", where, std::move(message)); }
  bool no_role(std::string message) { return refuse("WF-27", out_.update->where, std::move(message)); }

  // The loops and the conditions, down to the one statement that is neither.
  bool peel() {
    const Block* block = body_;
    for (std::size_t depth = 0;;) {
      if (block->size() != 1)
        return no_nest(where_, fmt::format("a tile product holds {} statements where one is needed", block->size()));
      const Stmt& s = block->front();
      if (s->kind == StmtKind::loop) {
        if (depth == out_.nest.size()) return no_nest(s->where, "a tile product has more than three loops");
        if (s->axis != Axis::serial)
          return no_nest(s->where, fmt::format("`{}` is a `@{}` loop inside a tile product", s->name, name(s->axis)));
        if (s->step != 1) return no_nest(s->where, fmt::format("the step of `{}` in a tile product is not 1", s->name));
        for (const Symbol& outer : symbols_) {
          if (s->lo.mentions(outer) || s->hi.mentions(outer))
            return no_nest(s->where,
                           fmt::format("the bounds of `{}` depend on `{}`: that is no block", s->name, outer));
        }
        symbols_.push_back(s->name);
        out_.nest[depth++] = s;
      } else if (s->kind == StmtKind::branch) {
        if (!s->other.empty()) return no_nest(s->where, "a condition in a tile product has an `else`");
        if (reads_data(s->value)) return no_nest(s->where, "a condition in a tile product reads data");
        out_.guards.push_back(s->value);
      } else {
        if (depth != out_.nest.size())
          return no_nest(s->where,
                         fmt::format("a tile product has three loops, and here {} {}", depth == 1 ? "is" : "are",
                                     depth == 0 ? "none" : fmt::format("{}", depth)));
        out_.update = s;
        return true;
      }
      block = &s->body;
    }
  }

  static bool reads_data(const Expr& e) {
    bool found = false;
    Visitor v;
    v.enter_expr = [&](const Expr& x) {
      found = found || x->op == Op::load || x->op == Op::variable || x->op == Op::scope;
      return !found;
    };
    visit(e, v);
    return found;
  }

  // An element with affine subscripts, converted at most once.
  static Expr element(const Expr& e) {
    const Expr inner = e->op == Op::convert ? e->args[0] : e;
    if (inner->op != Op::load) return {};
    const bool affine =
        std::all_of(inner->args.begin(), inner->args.end(), [](const Expr& x) { return x->op == Op::index; });
    return affine ? inner : Expr();
  }

  bool update() {
    const StmtNode& s = *out_.update;
    if (s.kind != StmtKind::store) return no_nest(s.where, "a tile product accumulates into the elements of a buffer");
    const auto is_target = [&](const Expr& e) {
      return e->op == Op::load && e->name == s.name && e->args == s.indices;
    };
    Expr x, y;
    const Expr& v = s.value;
    if (v->op == Op::fma && is_target(v->args[2])) {
      x = v->args[0];
      y = v->args[1];
    } else if (v->op == Op::add) {
      for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        const Expr& product = v->args[1 - side];
        if (x || !is_target(v->args[side]) || product->op != Op::mul) continue;
        x = product->args[0];
        y = product->args[1];
      }
    }
    if (!x) return no_nest(s.where, "the statement of a tile product is not an accumulated product");
    out_.left = element(x);
    out_.right = element(y);
    if (!out_.left || !out_.right)
      return no_nest(s.where, "a factor of a tile product is not one element of a buffer at index values");
    for (const Expr& e : s.indices) {
      if (e->op != Op::index) return no_nest(s.where, "the sum of a tile product stands at a dynamic index");
    }
    for (const Expr& e : {out_.left, out_.right}) {
      if (e->name == s.name)
        return no_nest(s.where, fmt::format("a tile product reads `{}`, which it accumulates into", s.name));
    }
    return true;
  }

  // For each loop of the nest the dimension that its symbol stands in, alone and with coefficient 1; -1 where it does not
  // occur. False when a symbol occurs in any other way, or two in one dimension.
  bool dimensions(const std::vector<Expr>& indices, std::array<int, 3>& at) const {
    at.fill(-1);
    for (std::size_t d = 0; d < indices.size(); ++d) {
      Index rest = indices[d]->index;
      int found = 0;
      for (std::size_t l = 0; l < symbols_.size(); ++l) {
        if (!rest.mentions(symbols_[l])) continue;
        rest = rest - Index::symbol(symbols_[l]);
        if (rest.mentions(symbols_[l]) || at[l] >= 0 || ++found > 1) return false;
        at[l] = static_cast<int>(d);
      }
    }
    return true;
  }

  bool roles() {
    const StmtNode& s = *out_.update;
    std::array<int, 3> sum{}, left{}, right{};
    if (!dimensions(s.indices, sum) || !dimensions(out_.left->args, left) || !dimensions(out_.right->args, right))
      return no_role("a symbol of a tile product does not stand alone, with coefficient 1, in one dimension");
    int row = -1, column = -1, summed = -1;
    for (int l = 0; l < 3; ++l) {
      int& role = sum[static_cast<std::size_t>(l)] < 0                                         ? summed
                  : sum[static_cast<std::size_t>(l)] + 1 == static_cast<int>(s.indices.size()) ? column
                                                                                               : row;
      if (role >= 0) return no_role(fmt::format("`{}` is not summed over one loop of the tile product", s.name));
      role = l;
    }
    const auto dimension = [](const std::array<int, 3>& of, int loop) { return of[static_cast<std::size_t>(loop)]; };
    if (dimension(left, row) < 0) {  // the factors commute
      std::swap(left, right);
      std::swap(out_.left, out_.right);
    }
    const auto factor = [&](const Expr& e, const std::array<int, 3>& at, int own, int other, int last,
                            bool& transposed) {
      const int end = static_cast<int>(e->args.size()) - 1;
      if (dimension(at, own) < 0 || dimension(at, summed) < 0 || dimension(at, other) >= 0)
        return no_role(fmt::format("the factor `{}` does not have `{}` and the summed `{}` alone", e->name,
                                   symbols_[static_cast<std::size_t>(own)],
                                   symbols_[static_cast<std::size_t>(summed)]));
      transposed = dimension(at, last) != end;
      if (transposed && dimension(at, own + summed - last) != end)
        return no_role(fmt::format("neither symbol of the factor `{}` stands in its last dimension", e->name));
      return true;
    };
    const auto loop = [&](int l) { return out_.nest[static_cast<std::size_t>(l)]; };
    out_.row = loop(row);
    out_.column = loop(column);
    out_.sum = loop(summed);
    return factor(out_.left, left, row, column, summed, out_.left_transposed) &&
           factor(out_.right, right, column, row, column, out_.right_transposed);
  }

  const Block* body_;
  Location where_;
  std::vector<Symbol> symbols_{};  // of the loops, outermost first
  TileProduct out_{};
  Diagnostic refusal_{};
};

}  // namespace

tl::expected<TileProduct, Diagnostic> tile_product(const Block& body, Location where) {
  return Recogniser(body, where).run();
}

}  // namespace assay
