// Formulas become isl sets through isl's C interface (nothing is printed and parsed back). Free symbols are set dimensions;
// `exists` adds dimensions and projects them out again; a negated part of a conjunction is subtracted, which is cheaper
// than a complement. Every isl object is owned by a small RAII handle.
#include "proofs/isl/query.hpp"

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/ctx.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>
#include <isl/version.h>

#include <algorithm>
#include <cstdlib>

#include "proofs/isl/number_limit.hpp"
#include "proofs/obligation/lemmas.hpp"
#include "proofs/obligation/products.hpp"

namespace assay {
namespace {

/// What a question may ask GMP for, for each operation of its quota (PRF-2): a number of ordinary size. isl's operations work on whole
/// rows, but mostly in memory that their numbers have already.
constexpr std::uint64_t bytes_per_operation = 8;

struct ContextDeleter {
  void operator()(isl_ctx* c) const { isl_ctx_free(c); }
};
using Context = std::unique_ptr<isl_ctx, ContextDeleter>;

void free_text(char* text) { std::free(text); }  // isl hands out malloc'ed strings

struct SetDeleter {
  void operator()(isl_set* s) const { isl_set_free(s); }
};
using Set = std::unique_ptr<isl_set, SetDeleter>;

// Builds the set of a formula's solutions over a list of dimensions. A null set means that isl reported an error (quota).
class Builder {
 public:
  Builder(isl_ctx* ctx, std::vector<Symbol> dimensions) : ctx_(ctx), dimensions_(std::move(dimensions)) {}

  Set build(const Formula& f) {
    switch (f.kind()) {
      case Formula::Kind::truth: return Set(isl_set_universe(space()));
      case Formula::Kind::falsity: return Set(isl_set_empty(space()));
      case Formula::Kind::nonneg:
      case Formula::Kind::zero: return constraint(f);
      case Formula::Kind::product: break;  // solve_linear has removed them
      case Formula::Kind::conjunction: return conjunction(f.parts());
      case Formula::Kind::disjunction: {
        Set out(isl_set_empty(space()));
        for (const Formula& p : f.parts()) out.reset(isl_set_union(out.release(), build(p).release()));
        return out;
      }
      case Formula::Kind::negation: return conjunction({f});
      case Formula::Kind::exists: {
        const std::size_t outer = dimensions_.size();
        dimensions_.insert(dimensions_.end(), f.variables().begin(), f.variables().end());
        Set inner = build(f.parts()[0]);
        dimensions_.resize(outer);
        return Set(isl_set_project_out(inner.release(), isl_dim_set, static_cast<unsigned>(outer),
                                       static_cast<unsigned>(f.variables().size())));
      }
    }
    return Set(isl_set_empty(space()));
  }

  /// An index value of the formula left 64 bits when it was made: the set means nothing.
  bool overflowed() const { return overflowed_; }

 private:
  isl_space* space() const { return isl_space_set_alloc(ctx_, 0, static_cast<unsigned>(dimensions_.size())); }

  Set conjunction(const std::vector<Formula>& parts) {
    Set out(isl_set_universe(space()));
    // Plain constraints first: they keep the products with the disjunctions small.
    const auto rank = [](const Formula& f) {
      switch (f.kind()) {
        case Formula::Kind::zero: return 0;
        case Formula::Kind::nonneg: return 1;
        case Formula::Kind::exists: return 3;
        case Formula::Kind::negation: return 4;
        default: return 2;
      }
    };
    std::vector<Formula> ordered = parts;
    std::stable_sort(ordered.begin(), ordered.end(),
                     [&](const Formula& a, const Formula& b) { return rank(a) < rank(b); });
    for (const Formula& p : ordered) {
      if (p.kind() == Formula::Kind::negation) {
        if (isl_set_is_empty(out.get()) == isl_bool_true) return out;
        out.reset(isl_set_subtract(out.release(), build(p.parts()[0]).release()));
      } else {
        out.reset(isl_set_intersect(out.release(), build(p).release()));
      }
    }
    return out;
  }

  Set constraint(const Formula& f) {
    overflowed_ |= f.expression().overflowed();
    const bool equality = f.kind() == Formula::Kind::zero;
    if (has_extremes(f.expression())) {
      isl_pw_aff* value = piecewise(f.expression());
      return Set(equality ? isl_pw_aff_zero_set(value) : isl_pw_aff_nonneg_set(value));
    }
    isl_aff* value = affine(f.expression());
    isl_constraint* row = equality ? isl_equality_from_aff(value) : isl_inequality_from_aff(value);
    return Set(isl_set_from_basic_set(isl_basic_set_from_constraint(row)));
  }

  static bool has_extremes(const Index& e) {
    return std::any_of(e.terms().begin(), e.terms().end(), [](const IndexTerm& t) {
      return t.first->kind == IndexAtom::Kind::min || t.first->kind == IndexAtom::Kind::max ||
             std::any_of(t.first->args.begin(), t.first->args.end(), [](const Index& a) { return has_extremes(a); });
    });
  }

  isl_local_space* local_space() const { return isl_local_space_from_space(space()); }
  isl_val* value(std::int64_t v) const { return isl_val_int_from_si(ctx_, v); }

  unsigned position(const Symbol& s) const {
    return static_cast<unsigned>(std::find(dimensions_.rbegin(), dimensions_.rend(), s).base() - dimensions_.begin() -
                                 1);
  }

  isl_aff* affine(const Index& e) const {
    isl_aff* sum = isl_aff_val_on_domain(local_space(), value(e.constant()));
    for (const auto& [atom, coefficient] : e.terms()) {
      isl_aff* term = nullptr;
      if (atom->kind == IndexAtom::Kind::symbol) {
        term = isl_aff_var_on_domain(local_space(), isl_dim_set, position(atom->symbol));
      } else {
        isl_aff* inner = affine(atom->args[0]);
        isl_aff* quotient = isl_aff_floor(isl_aff_scale_down_val(isl_aff_copy(inner), value(atom->divisor)));
        if (atom->kind == IndexAtom::Kind::floordiv) {
          isl_aff_free(inner);
          term = quotient;
        } else {
          term = isl_aff_sub(inner, isl_aff_scale_val(quotient, value(atom->divisor)));
        }
      }
      sum = isl_aff_add(sum, isl_aff_scale_val(term, value(coefficient)));
    }
    return sum;
  }

  isl_pw_aff* piecewise(const Index& e) const {
    isl_pw_aff* sum = isl_pw_aff_from_aff(isl_aff_val_on_domain(local_space(), value(e.constant())));
    for (const auto& [atom, coefficient] : e.terms()) {
      isl_pw_aff* term = nullptr;
      switch (atom->kind) {
        case IndexAtom::Kind::symbol:
          term = isl_pw_aff_from_aff(isl_aff_var_on_domain(local_space(), isl_dim_set, position(atom->symbol)));
          break;
        case IndexAtom::Kind::floordiv:
          term = isl_pw_aff_floor(isl_pw_aff_scale_down_val(piecewise(atom->args[0]), value(atom->divisor)));
          break;
        case IndexAtom::Kind::floormod:
          term = isl_pw_aff_mod_val(piecewise(atom->args[0]), value(atom->divisor));
          break;
        case IndexAtom::Kind::min:
        case IndexAtom::Kind::max:
          term = piecewise(atom->args[0]);
          for (std::size_t i = 1; i < atom->args.size(); ++i) {
            isl_pw_aff* next = piecewise(atom->args[i]);
            term = atom->kind == IndexAtom::Kind::min ? isl_pw_aff_min(term, next) : isl_pw_aff_max(term, next);
          }
          break;
      }
      sum = isl_pw_aff_add(sum, isl_pw_aff_scale_val(term, value(coefficient)));
    }
    return sum;
  }

  isl_ctx* ctx_;
  std::vector<Symbol> dimensions_;
  bool overflowed_ = false;
};

class IslQuery final : public Query {
 public:
  explicit IslQuery(std::uint64_t budget) : budget_(budget) {}

  Answer solve(const Formula& f, const std::vector<Symbol>& minimise_first) override {
    Answer out = f.has_products() ? solve_linear(*this, f, minimise_first) : solve_affine(f, minimise_first);
    out.engine = "isl";
    return out;
  }

 private:
  Answer solve_affine(const Formula& f, const std::vector<Symbol>& minimise_first) const {
    if (f.is_false()) return {Answer::Kind::empty};
    std::set<Symbol> free;
    f.collect_free(free);
    std::vector<Symbol> dimensions;
    for (const Symbol& s : minimise_first) {
      if (free.erase(s) != 0) dimensions.push_back(s);
    }
    dimensions.insert(dimensions.end(), free.begin(), free.end());

    Context ctx(isl_ctx_alloc());
    isl_options_set_on_error(ctx.get(), ISL_ON_ERROR_CONTINUE);
    isl_ctx_set_max_operations(ctx.get(), budget_);
    const NumberLimit numbers(ctx.get(), budget_ * bytes_per_operation);
    Builder builder(ctx.get(), dimensions);
    const Set set = builder.build(f);
    if (builder.overflowed()) return {Answer::Kind::unknown, {}, "an index value left 64 bits"};
    const isl_bool empty = isl_set_is_empty(set.get());
    if (empty == isl_bool_error) return unknown(ctx.get());
    if (empty == isl_bool_true) return {Answer::Kind::empty};

    // A solution exists. Finding the smallest may exhaust the quota; any will do then.
    if (auto point = solution(isl_set_sample_point(isl_set_lexmin(isl_set_copy(set.get()))), dimensions))
      return *std::move(point);
    isl_ctx_reset_error(ctx.get());
    isl_ctx_reset_operations(ctx.get());
    numbers.renew();
    if (auto point = solution(isl_set_sample_point(isl_set_copy(set.get())), dimensions)) return *std::move(point);
    return unknown(ctx.get());
  }

  static Answer unknown(isl_ctx* ctx) {
    const isl_error error = isl_ctx_last_error(ctx);
    return {Answer::Kind::unknown,
            {},
            error == isl_error_quota ? "isl operation quota reached"
            : error == isl_error_abort
                ? "isl's quota of work on numbers reached"
                : std::string("isl: ") + (isl_ctx_last_error_msg(ctx) ? isl_ctx_last_error_msg(ctx) : "error")};
  }

  static std::optional<Answer> solution(isl_point* point, const std::vector<Symbol>& dimensions) {
    if (!point || isl_point_is_void(point) != isl_bool_false) {
      isl_point_free(point);
      return std::nullopt;
    }
    Answer out{Answer::Kind::solution};
    bool ok = true;
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
      isl_val* v = isl_point_get_coordinate_val(point, isl_dim_set, static_cast<int>(i));
      ok = ok && v && isl_val_cmp_si(v, INT64_MAX) <= 0 && isl_val_cmp_si(v, INT64_MIN) >= 0;
      if (ok) out.solution[dimensions[i]] = isl_val_get_num_si(v);
      isl_val_free(v);
    }
    isl_point_free(point);
    if (!ok) return std::nullopt;
    return out;
  }

  std::uint64_t budget_;
};

}  // namespace

std::unique_ptr<Query> make_isl_query(std::uint64_t budget) { return std::make_unique<IslQuery>(budget); }

std::string isl_text(const Formula& f, std::uint64_t budget) {
  const Formula linear = f.has_products() ? linearisations(f).front() : f;
  std::set<Symbol> free;
  linear.collect_free(free);
  const std::vector<Symbol> dimensions(free.begin(), free.end());
  Context ctx(isl_ctx_alloc());
  isl_options_set_on_error(ctx.get(), ISL_ON_ERROR_CONTINUE);
  isl_ctx_set_max_operations(ctx.get(), budget);
  const NumberLimit numbers(ctx.get(), budget * bytes_per_operation);
  std::string out = f.has_products() ? "# products replaced by linear facts\n" : "";
  for (std::size_t i = 0; i < dimensions.size(); ++i) out += "# i" + std::to_string(i) + " = " + dimensions[i] + "\n";
  const Set set = Builder(ctx.get(), dimensions).build(linear);
  char* text = isl_set_to_str(set.get());
  out += text != nullptr ? std::string(text) + "\n" : "# isl gave up\n";
  free_text(text);
  return out;
}

std::string isl_engine_name() {
  std::string version = isl_version();  // "isl-0.25-GMP\n"
  version.erase(std::find(version.begin(), version.end(), '\n'), version.end());
  std::replace(version.begin(), version.end(), '-', ' ');
  if (const auto gmp = version.find(" GMP"); gmp != std::string::npos) version.erase(gmp);
  return version;
}

}  // namespace assay
