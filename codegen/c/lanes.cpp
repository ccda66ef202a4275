// Lane mode: statements inside @vectorized loops.
//
// Invariant: wherever the body of a vectorized loop is emitted, at least one lane is active when it runs. So what does not
// differ between lanes (a condition on uniform values, bounds of a uniform loop) can be evaluated once, in scalar code.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/c/emitter.hpp"
#include "ir/traverse.hpp"

namespace assay::codegen {

bool Emitter::varies(const Index& e) const {
  std::set<Symbol> symbols;
  e.collect_symbols(symbols);
  return std::any_of(symbols.begin(), symbols.end(), [&](const Symbol& s) { return per_lane_.count(s) != 0; });
}

bool Emitter::varies(const Expr& e) const {
  bool found = false;
  Visitor v;
  v.enter_expr = [&](const Expr& x) {
    found =
        found || (x->op == Op::index && varies(x->index)) || (x->op == Op::variable && per_lane_.count(x->name) != 0);
    return !found;
  };
  v.enter_stmt = [&](const Stmt& s) {
    found = found || (s->kind == StmtKind::loop && (varies(s->lo) || varies(s->hi)));
    return !found;
  };
  visit(e, v);
  return found;
}

std::string Emitter::lane_array(Lanes& lanes, Type element, std::string_view stem) {
  std::string chosen = names_.fresh(stem);
  array(element, chosen, lanes.count, lanes.constant, lanes.arrays);
  return chosen;
}

void Emitter::per_lane(Lanes& lanes, const Symbol& symbol, const std::string& text) {
  per_lane_[symbol] = text;
  lanes.own.push_back(symbol);
}

void Emitter::each_lane(const Lanes& lanes, Which which, const std::function<void()>& inner, bool bind) {
  braces(fmt::format("for (int64_t {0} = 0; {0} < {1}; ++{0})", lanes.lane, lanes.count), [&] {
    if (which == Which::active && !lanes.mask.empty())
      line(fmt::format("if (!{}[{}]) continue;", lanes.mask, lanes.lane));
    if (bind) lines(lanes.bindings);
    inner();
  });
}

void Emitter::with_mask(const std::string& mask, const std::function<void()>& inner) {
  const std::string outer = std::exchange(lanes_->mask, mask);
  inner();
  lanes_->mask = outer;
}

void Emitter::vectorized(const Stmt& s) {
  Lanes lanes;
  lanes.parent = lanes_;
  const std::string symbol = names_.of(s->name);
  const Index extent = s->hi - s->lo;
  const bool simple = s->lo == Index(0) && s->step == 1;
  std::string setup;  // fills the arrays that say which lane is which
  if (lanes_ == nullptr) {
    if (extent.is_constant()) lanes.constant = extent.constant() <= 0 ? 0 : (extent.constant() - 1) / s->step + 1;
    lanes.lane = simple ? symbol : names_.fresh("lane");
    if (!simple) {
      const std::string stride = s->step == 1 ? lanes.lane : lanes.lane + " * " + c_integer(s->step).s;
      lanes.bindings.push_back(
          fmt::format("const int64_t {} = {} + {};", symbol, within(index(s->lo), Binding::sum), stride));
    }
    lanes.count = lanes.constant ? c_integer(*lanes.constant).s : names_.fresh("lanes");
    if (s->step == 1) lanes.side_by_side = s->name;
  } else {
    lanes.lane = names_.fresh("lane");
    lanes.count = names_.fresh("lanes");
  }
  if (lanes.constant && *lanes.constant == 0) return line(fmt::format("/* no lanes: {} */", symbol));
  std::string comment = fmt::format("/* {} in {} .. {}", symbol, index(s->lo).s, index(s->hi).s);
  comment += (s->step == 1 ? "" : " step " + c_integer(s->step).s) + " @vectorized */";
  line("{ " + comment);
  ++depth_;
  if (lanes_ == nullptr) {
    if (!lanes.constant) line(fmt::format("const int64_t {} = {};", lanes.count, trip_count(s)));
  } else {
    line(fmt::format("int64_t {} = 0;", lanes.count));
    each_lane(*lanes_, Which::active, [&] { line(fmt::format("{} += {};", lanes.count, trip_count(s))); });
  }
  if (!lanes.constant) {
    line(fmt::format("if ({} > 0) {{", lanes.count));
    ++depth_;
  }
  std::string outer = take();
  if (lanes_ != nullptr) {
    const std::string from = lane_array(lanes, Type::index, "from"),
                      value = lane_array(lanes, Type::index, symbol + "_of");
    const std::string next = names_.fresh("next"), each = names_.fresh("each");
    line(fmt::format("int64_t {} = 0;", next));
    each_lane(*lanes_, Which::active, [&] {
      braces(loop_header(each, s->lo, s->hi, s->step), [&] {
        line(fmt::format("{}[{}] = {};", from, next, lanes_->lane));
        line(fmt::format("{}[{}++] = {};", value, next, each));
      });
    });
    lanes.bindings.push_back(fmt::format("const int64_t {} = {}[{}];", lanes_->lane, from, lanes.lane));
    lanes.bindings.insert(lanes.bindings.end(), lanes_->bindings.begin(), lanes_->bindings.end());
    lanes.bindings.push_back(fmt::format("const int64_t {} = {}[{}];", symbol, value, lanes.lane));
  }
  per_lane(lanes, s->name, symbol);
  Lanes* const around = std::exchange(lanes_, &lanes);
  block(s->body);
  lanes_ = around;
  for (const Symbol& own : lanes.own) per_lane_.erase(own);
  const std::string body = take();
  lines(lanes.arrays.declarations);
  out_ = outer + take() + body;
  lines(lanes.arrays.release);
  if (!lanes.constant) {
    --depth_;
    line("}");
  }
  --depth_;
  line("}");
}

void Emitter::lane_statement(const Stmt& s) {
  Lanes& lanes = *lanes_;
  switch (s->kind) {
    case StmtKind::loop: return s->axis == Axis::vectorized ? vectorized(s) : lane_loop(s);
    case StmtKind::branch: return lane_branch(s);
    case StmtKind::zero: return statement(s);
    case StmtKind::declare: {
      const std::string variable = names_.of(s->name);
      array(s->type, variable, lanes.count, lanes.constant, lanes.arrays);
      per_lane(lanes, s->name, fmt::format("{}[{}]", variable, lanes.lane));
      if (!s->value || vector_assignment(s->value, s->name, nullptr)) return;
      return each_lane(lanes, Which::active,
                       [&] { line(fmt::format("{} = {};", symbol_text(s->name), expression(s->value).s)); });
    }
    case StmtKind::assign: {
      if (vector_assignment(s->value, s->name, nullptr)) return;
      if (std::find(lanes.own.begin(), lanes.own.end(), s->name) != lanes.own.end()) {
        return each_lane(lanes, Which::active,
                         [&] { line(fmt::format("{} = {};", symbol_text(s->name), expression(s->value).s)); });
      }
      return lane_assignment(s->value, nullptr, symbol_text(s->name));
    }
    case StmtKind::store: {
      if (vector_assignment(s->value, s->name, &s->indices)) return;
      const Text at = offset(s->name, s->indices);
      return lane_assignment(s->value, &at, names_.of(s->name));
    }
    case StmtKind::barrier:
    case StmtKind::launch: return;  // stands between top-level statements only
  }
}

void Emitter::lane_assignment(const Expr& value, const Text* at, const std::string& target) {
  Lanes& lanes = *lanes_;
  std::string& scratch = lanes.values[value->type];
  if (scratch.empty()) scratch = lane_array(lanes, value->type, "value");
  if (at != nullptr && lanes.cell.empty()) lanes.cell = lane_array(lanes, Type::index, "cell");
  each_lane(lanes, Which::active, [&] {
    if (at != nullptr) line(fmt::format("{}[{}] = {};", lanes.cell, lanes.lane, at->s));
    line(fmt::format("{}[{}] = {};", scratch, lanes.lane, expression(value).s));
  });
  each_lane(
      lanes, Which::active,
      [&] {
        const std::string place = at != nullptr ? fmt::format("{}[{}[{}]]", target, lanes.cell, lanes.lane) : target;
        line(fmt::format("{} = {}[{}];", place, scratch, lanes.lane));
      },
      at == nullptr);
}

void Emitter::lane_branch(const Stmt& s) {
  if (!varies(s->value)) return branch(s);
  Lanes& lanes = *lanes_;
  const auto arm = [&](const Block& body, const std::string& condition, std::string_view stem) {
    const std::string mask = lane_array(lanes, Type::boolean, stem);
    const std::string any = names_.fresh("any");
    line(fmt::format("int {} = 0;", any));
    each_lane(lanes, Which::all, [&] {
      const std::string guard = lanes.mask.empty() ? "" : fmt::format("{}[{}] && ", lanes.mask, lanes.lane);
      line(fmt::format("{} |= {}[{}] = {}{};", any, mask, lanes.lane, guard, condition));
    });
    return std::pair(mask, [&, mask, any] {
      if (body.empty()) return;
      braces(fmt::format("if ({})", any), [&] { with_mask(mask, [&] { block(body); }); });
    });
  };
  // Both masks are made before either arm runs: what the first arm stores must not change the choice.
  ++depth_;
  const std::string condition = within(expression(s->value), Binding::comparison);
  --depth_;
  const auto [taken, run_taken] = arm(s->body, condition, "active");
  if (s->other.empty()) return run_taken();
  const auto [rest, run_rest] = arm(s->other, fmt::format("!{}[{}]", taken, lanes.lane), "active");
  run_taken();
  run_rest();
}

void Emitter::lane_loop(const Stmt& s) {
  if (!varies(s->lo) && !varies(s->hi)) return loop(s);
  Lanes& lanes = *lanes_;
  const std::string symbol = names_.of(s->name), turn = names_.fresh("turn"), any = names_.fresh("any");
  array(Type::index, symbol, lanes.count, lanes.constant, lanes.arrays);
  per_lane(lanes, s->name, fmt::format("{}[{}]", symbol, lanes.lane));
  const std::string trips = lane_array(lanes, Type::index, symbol + "_trips");
  const std::string mask = lane_array(lanes, Type::boolean, "active");
  each_lane(lanes, Which::all, [&] {
    const std::string count = trip_count(s);
    const std::string guarded =
        lanes.mask.empty() ? count : fmt::format("{}[{}] ? {} : 0", lanes.mask, lanes.lane, count);
    line(fmt::format("{}[{}] = {};", trips, lanes.lane, guarded));
  });
  braces(fmt::format("for (int64_t {0} = 0;; ++{0})", turn), [&] {
    line(fmt::format("int {} = 0;", any));
    each_lane(lanes, Which::all, [&] {
      line(fmt::format("{0} |= {1}[{2}] = {3} < {4}[{2}];", any, mask, lanes.lane, turn, trips));
      const std::string stride = s->step == 1 ? turn : turn + " * " + c_integer(s->step).s;
      line(fmt::format("if ({}[{}]) {} = {} + {};", mask, lanes.lane, symbol_text(s->name),
                       within(index(s->lo), Binding::sum), stride));
    });
    line(fmt::format("if (!{}) break;", any));
    with_mask(mask, [&] { block(s->body); });
  });
}

}  // namespace assay::codegen
