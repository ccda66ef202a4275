// The text of a collective `@reduce` loop.
//
// The result is that of the serial loop (EXEC-19), so the terms of a sum of floats are added one by one in the order of the
// lanes: each thread evaluates what it contributes, then the first one adds. Where the order of the terms does not matter to the bit
// (integers, maxima, minima) each thread gathers its own, and lanes of a warp combine theirs pairwise. Where a thread
// contributes several terms and their order matters, the sum itself goes from thread to thread. Only the first thread touches
// the cell, and only when there is a term (PLL-24).
#include <fmt/format.h>

#include "codegen/c/emitter.hpp"
#include "codegen/device/collectives.hpp"
#include "codegen/device/device.hpp"
#include "ir/literal.hpp"

namespace assay::codegen {
namespace {

/// The value that leaves every other one as it is, of an operation whose order does not matter.
Scalar identity(Op op, Type t) {
  if (op == Op::add) return wrap_int(t, 0);
  if (op == Op::mul) return wrap_int(t, 1);
  if (!is_float(t)) return wrap_int(t, op == Op::max ? int_range(t).lo : int_range(t).hi);
  if (has_infinity(t)) return infinity(t, op == Op::max);
  return *literal_from_integer(t, op == Op::max ? -448 : 448);  // f8e4m3fn
}

/// The nest of loops and conditions of a reduction around other statements than its own.
Block around(const Block& nest, const Block& inner) {
  const Stmt& s = nest.front();
  if (s->kind != StmtKind::loop && s->kind != StmtKind::branch) return inner;
  return {with(s, [&](StmtNode& n) { n.body = around(s->body, inner); })};
}

class Reduction {
 public:
  Reduction(Emitter& emit, const Program& launch, const Stmt& loop, const Collective& collective,
            const CollectivePlace& place)
      : emit_(emit),
        loop_(loop),
        collective_(collective),
        place_(place),
        symbols_(launch.bound_names()),
        trips_(emit.trip_count(loop)),
        update_(loop->body.front()) {
    while (update_->kind == StmtKind::loop || update_->kind == StmtKind::branch) {
      several_ = several_ || update_->kind == StmtKind::loop;
      conditional_ = true;
      update_ = update_->body.front();
    }
    const Expr& value = update_->value;
    type_ = value->type;
    const auto is_cell = [&](const Expr& e) {
      return e->op == Op::load && e->name == update_->name && e->args == update_->indices;
    };
    for (std::size_t i = 0; i < value->args.size(); ++i) {
      if (is_cell(value->args[i]) && (value->op != Op::fma || i == 2)) {
        cell_ = i;
      } else {
        terms_.push_back(i);
      }
    }
    any_order_ = value->op == Op::max || value->op == Op::min || (!is_float(type_) && value->op != Op::fma);
    sum_ = symbols_.fresh("partial");
    any_ = symbols_.fresh("any");
    for (const std::size_t i : terms_) {
      own_.push_back(symbols_.fresh(i == 0 || terms_.size() == 1 ? "term" : "factor"));
      next_.push_back(symbols_.fresh("next"));
    }
  }

  void text() {
    emit_.braces("", [&] {
      if (collective_.way == Collective::Way::warp) {
        collective_.width == 1 ? alone() : warp();
      } else {
        group();
      }
    });
  }

 private:
  // --- statements of the language, emitted as any other -----------------------------------------------------------------------
  Expr variable(const Symbol& s) const { return make_variable(s, type_); }
  /// The new value: that of `cell`, and the terms where they are given, else those of the program.
  Expr updated(const Expr& cell, const std::vector<Symbol>& terms) const {
    return with(update_->value, [&](ExprNode& n) {
      n.args[cell_] = cell;
      for (std::size_t i = 0; i < terms.size(); ++i) n.args[terms_[i]] = variable(terms[i]);
    });
  }
  Expr loaded() const { return make_load(update_->name, type_, update_->indices); }
  Stmt stored(const Expr& value) const { return make_store(update_->name, update_->indices, value); }
  Stmt noticed() const { return make_assign(any_, make_literal(wrap_int(Type::i32, 1))); }

  std::string c(const Symbol& s) { return emit_.names().of(s); }
  void declare(const Symbol& s, Scalar value) {
    emit_.line(fmt::format("{} {} = {};", c_type(value.type), c(s), c_literal(value).s));
  }
  void declare_any() { declare(any_, wrap_int(Type::i32, 0)); }
  static Scalar zero(Type t) { return {t, 0}; }

  /// `inner` in the place of the update, where `condition` holds, with the thread's value of the loop's symbol.
  void own_iteration(const std::string& condition, const Block& inner) {
    emit_.braces("if (" + condition + ")", [&] {
      emit_.bind(loop_, place_.coordinate);
      emit_.block(around(loop_->body, inner));
    });
  }
  std::string has_iteration() const { return fmt::format("{} < {}", place_.coordinate, trips_); }
  /// Whether there is a term, behind the vote on it.
  std::string some() { return conditional_ ? c(any_) + " != 0" : fmt::format("0 < {}", trips_); }
  /// In the first thread, where there is a term.
  void first_alone(const std::function<void()>& inner) {
    const Index span = loop_->hi - loop_->lo;
    const bool certain = !conditional_ && span.is_constant() && span.constant() > 0;
    emit_.braces(fmt::format("if ({} == 0{})", place_.coordinate, certain ? "" : " && " + some()), inner);
  }
  void turns(const std::string& turn, const std::string& count, const std::function<void()>& inner) {
    emit_.braces(fmt::format("for (int64_t {0} = 0; {0} < {1}; ++{0})", turn, count), inner);
  }

  /// Declares what a thread contributes and evaluates it: all its terms in one (`any_order_`), or its only one.
  void contribute() {
    Block inner;
    if (any_order_) {
      declare(sum_, identity(update_->value->op, type_));
      inner.push_back(make_assign(sum_, updated(variable(sum_), {})));
    } else {
      for (std::size_t i = 0; i < terms_.size(); ++i) {
        declare(own_[i], zero(type_));
        inner.push_back(make_assign(own_[i], update_->value->args[terms_[i]]));
      }
    }
    if (conditional_) {
      declare_any();
      inner.push_back(noticed());
    }
    own_iteration(has_iteration(), inner);
  }
  /// Whether the sum goes from thread to thread.
  bool passes_on() const { return several_ && !any_order_; }
  /// Notices whether the thread contributes, and evaluates no term yet.
  void look() {
    declare_any();
    own_iteration(has_iteration(), {noticed()});
  }
  Block add_own() const { return {make_assign(sum_, updated(variable(sum_), {}))}; }

  // --- one thread -----------------------------------------------------------------------------------------------------------------
  void alone() { own_iteration(has_iteration(), {update_}); }

  // --- lanes of a warp ----------------------------------------------------------------------------------------------------------
  /// What another lane has; the types that shuffles know are those of 32 and 64 bits.
  std::string shuffled(std::string_view call, Type t, const std::string& value, const std::string& from) const {
    const bool narrow = bit_width(t) < 32;
    return fmt::format("{}{}({}, {}{}, {}, {})", narrow ? fmt::format("({})", c_type(t)) : "", call, team_,
                       narrow ? "(int)" : "", value, from, halves() ? collective_.width : 32);
  }
  /// The same of the lane whose turn it is.
  std::string from_turn(Type t, const std::string& value, const std::string& turn) const {
    return shuffled("__shfl_sync", t, value,
                    halves() ? "(int)" + turn : fmt::format("{} + (int){}", first_lane_, turn));
  }
  /// The lanes are a power of two, at a multiple of it in their warp.
  bool halves() const { return (collective_.width & (collective_.width - 1)) == 0; }

  /// The lanes that differ in the loop's slot, as a mask.
  void team() {
    team_ = emit_.names().fresh("team");
    if (!halves()) {  // the group is one warp
      first_lane_ = emit_.names().fresh("first_lane");
      emit_.line(
          fmt::format("const int {} = (int)(blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));", first_lane_));
      return emit_.line(fmt::format("const unsigned {} = {:#x}u << {};", team_,
                                    (std::uint64_t{1} << collective_.width) - 1, first_lane_));
    }
    const std::string all = fmt::format("{:#x}u", (std::uint64_t{1} << collective_.width) - 1),
                      lane = "(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32";
    emit_.line(fmt::format(
        "const unsigned {} = {};", team_,
        collective_.width == 32 ? all : fmt::format("{0} << {1} / {2} * {2}", all, lane, collective_.width)));
  }

  void vote() {
    if (conditional_) emit_.line(fmt::format("{0} = __any_sync({1}, {0});", c(any_), team_));
  }

  void warp() {
    team();
    if (any_order_) return butterfly();
    passes_on() ? look() : contribute();
    vote_shared();
    declare(sum_, zero(type_));
    first_alone([&] { emit_.block({make_assign(sum_, loaded())}); });
    const std::string turn = emit_.names().fresh("turn");
    turns(turn, trips_, [&] { passes_on() ? pass_on(turn) : add_next(turn); });
    first_alone([&] { emit_.block({stored(variable(sum_))}); });
  }

  void combine(const Symbol& with, const std::string& shuffle) {
    const Symbol other = next_.front();
    emit_.line(fmt::format("const {} {} = {};", c_type(type_), c(other), shuffle));
    emit_.block({make_assign(with, make_op(update_->value->op, {variable(with), variable(other)}))});
  }

  void butterfly() {
    contribute();
    if (halves()) {
      const std::string distance = emit_.names().fresh("distance");
      emit_.braces(fmt::format("for (int {0} = {1}; {0} > 0; {0} /= 2)", distance, collective_.width / 2),
                   [&] { combine(sum_, shuffled("__shfl_xor_sync", type_, c(sum_), distance)); });
    } else {
      const Symbol own = std::exchange(sum_, symbols_.fresh("all"));
      declare(sum_, identity(update_->value->op, type_));
      const std::string turn = emit_.names().fresh("turn");
      turns(turn, fmt::format("{}", collective_.width), [&] { combine(sum_, from_turn(type_, c(own), turn)); });
    }
    vote();
    first_alone([&] { emit_.block({stored(updated(loaded(), {sum_}))}); });
  }

  // Whether this lane contributes is asked again at its turn, so the vote has a variable of its own.
  void vote_shared() {
    if (!conditional_) return;
    if (passes_on()) return vote();
    const Symbol own = std::exchange(any_, symbols_.fresh("some"));
    own_any_ = own;
    emit_.line(fmt::format("const int {} = __any_sync({}, {});", c(any_), team_, c(own)));
  }

  void pass_on(const std::string& turn) {
    own_iteration(fmt::format("{} == {}", place_.coordinate, turn), add_own());
    emit_.line(fmt::format("{} = {};", c(sum_), from_turn(type_, c(sum_), turn)));
  }

  void add_next(const std::string& turn) {
    for (std::size_t i = 0; i < terms_.size(); ++i)
      emit_.line(fmt::format("const {} {} = {};", c_type(type_), c(next_[i]), from_turn(type_, c(own_[i]), turn)));
    const Block add{make_assign(sum_, updated(variable(sum_), next_))};
    if (!conditional_) return emit_.block(add);
    const std::string adds = emit_.names().fresh("adds");
    emit_.line(fmt::format("const int {} = {};", adds, from_turn(Type::i32, c(own_any_), turn)));
    emit_.braces(fmt::format("if ({})", adds), [&] { emit_.block(add); });
  }

  // --- threads of a group ---------------------------------------------------------------------------------------------------------
  std::string size(int dimension) const {
    return is_opencl(place_.dialect) ? fmt::format("(int64_t)get_local_size({})", dimension)
                                     : fmt::format("(int64_t)blockDim.{}", "xyz"[dimension]);
  }
  std::string thread(int dimension) const {
    return is_opencl(place_.dialect) ? fmt::format("(int64_t)get_local_id({})", dimension)
                                     : fmt::format("(int64_t)threadIdx.{}", "xyz"[dimension]);
  }
  void array(const std::string& name, std::string_view type, const std::string& offset) {
    const char* const space = is_opencl(place_.dialect) ? "__local " : "";
    emit_.line(fmt::format("{0}{1} *const {2} = ({0}{1} *)(assay_shared + {3}{4});", space, type, name, place_.memory,
                           offset));
  }

  void group() {
    const auto fresh = [&](const char* stem) { return emit_.names().fresh(stem); };
    const std::string me = fresh("me"), all = fresh("all");
    emit_.line(fmt::format("const int64_t {} = {} + {} * ({} + {} * {});", me, thread(0), size(0), thread(1), size(1),
                           thread(2)));
    emit_.line(fmt::format("const int64_t {} = {} * {} * {};", all, size(0), size(1), size(2)));
    for (std::size_t i = 0; i < (any_order_ || passes_on() ? 1 : terms_.size()); ++i) {
      shared_.push_back(fresh(i == 0 ? "terms" : "factors"));
      array(shared_.back(), c_type(type_), i == 0 ? "" : fmt::format(" + 8 * {}", all));
    }
    if (conditional_) {
      flags_ = fresh("contributes");
      array(flags_, "uint8_t", fmt::format(" + 16 * {}", all));
    }
    passes_on() ? hand_round(me) : gather(me);
    emit_.barrier();
  }

  /// Every thread puts down what it contributes, and the first one adds it.
  void gather(const std::string& me) {
    contribute();
    const std::vector<Symbol> what = any_order_ ? std::vector<Symbol>{sum_} : own_;
    for (std::size_t i = 0; i < shared_.size(); ++i)
      emit_.line(fmt::format("{}[{}] = {};", shared_[i], me, c(what[i])));
    if (conditional_) emit_.line(fmt::format("{}[{}] = (uint8_t){};", flags_, me, c(any_)));
    emit_.barrier();
    emit_.braces(fmt::format("if ({} == 0)", place_.coordinate), [&] {
      const std::string turn = emit_.names().fresh("turn"), at = emit_.names().fresh("at");
      turns(turn, trips_, [&] {
        emit_.line(fmt::format("const int64_t {} = {} + {};", at, me, turn));
        if (conditional_) emit_.line(fmt::format("if ({}[{}] == 0) continue;", flags_, at));
        for (std::size_t i = 0; i < shared_.size(); ++i)
          emit_.line(fmt::format("const {} {} = {}[{}];", c_type(type_), c(next_[i]), shared_[i], at));
        emit_.block(
            {stored(updated(loaded(), {next_.begin(), next_.begin() + static_cast<std::ptrdiff_t>(shared_.size())}))});
      });
    });
  }

  /// The sum goes round, from thread to thread, in the memory of the first one.
  void hand_round(const std::string& me) {
    look();
    emit_.line(fmt::format("{}[{}] = (uint8_t){};", flags_, me, c(any_)));
    emit_.barrier();
    const std::string first = emit_.names().fresh("first"), turn = emit_.names().fresh("turn");
    emit_.line(fmt::format("const int64_t {} = {} - {};", first, me, place_.coordinate));
    turns(turn, trips_,
          [&] { emit_.line(fmt::format("{0} = {0} || {1}[{2} + {3}] != 0;", c(any_), flags_, first, turn)); });
    const std::string sum = fmt::format("{}[{}]", shared_.front(), first);
    first_alone([&] { emit_.line(fmt::format("{} = {};", sum, emit_.expression(loaded()).s)); });
    emit_.barrier();
    const std::string again = emit_.names().fresh("turn");
    turns(again, size(0), [&] {  // all threads come to all barriers
      emit_.braces(fmt::format("if ({} == {} && {} && {})", place_.coordinate, again, has_iteration(), some()), [&] {
        emit_.line(fmt::format("{} {} = {};", c_type(type_), c(sum_), sum));
        emit_.bind(loop_, place_.coordinate);
        emit_.block(around(loop_->body, add_own()));
        emit_.line(fmt::format("{} = {};", sum, c(sum_)));
      });
      emit_.barrier();
    });
    first_alone([&] {
      emit_.line(fmt::format("const {} {} = {};", c_type(type_), c(sum_), sum));
      emit_.block({stored(variable(sum_))});
    });
  }

  Emitter& emit_;
  const Stmt& loop_;
  const Collective& collective_;
  const CollectivePlace& place_;
  NameSupply symbols_;
  std::string trips_;
  Stmt update_{};
  Type type_ = Type::f32;
  std::size_t cell_ = 0;              // the operand of the update that is the cell
  std::vector<std::size_t> terms_{};  // the others
  bool several_ = false;              // a thread may contribute several terms
  bool conditional_ = false;          // a thread may contribute none
  bool any_order_ = false;
  Symbol sum_{}, any_{}, own_any_{};
  std::vector<Symbol> own_{}, next_{};  // terms of this thread and of the one whose turn it is
  std::vector<std::string> shared_{};   // arrays in the group's memory
  std::string flags_{}, team_{}, first_lane_{};
};

}  // namespace

void emit_collective(Emitter& emit, const Program& launch, const Stmt& loop, const Collective& collective,
                     const CollectivePlace& place) {
  Reduction(emit, launch, loop, collective, place).text();
}

}  // namespace assay::codegen
