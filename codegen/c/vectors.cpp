// Lane mode as vector code (CGEN-36, CGEN-37): statements that all lanes run alike, on cells that lie side by side.
//
// A statement qualifies when lane k of every operand is k cells behind lane 0, or when the operand is the same for all lanes;
// then as many lanes as a vector holds are one load, one operation, one store. The lanes left over are the lane code of
// lanes.cpp. Vectors are of 32 bytes, or smaller where there are fewer lanes; a compiler splits what its target lacks.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/c/emitter.hpp"
#include "ir/traverse.hpp"

namespace assay::codegen {
namespace {

constexpr std::int64_t vector_bytes = 32;

bool has_vectors(Type t) {
  switch (t) {
    case Type::f32:
    case Type::f64:
    case Type::i8:
    case Type::i16:
    case Type::i32:
    case Type::i64:
    case Type::u8:
    case Type::u16:
    case Type::u32:
    case Type::u64: return true;
    default: return false;
  }
}

bool is_elementwise(Op op, Type t) {
  return op == Op::add || op == Op::sub || op == Op::mul || op == Op::neg || (op == Op::div && is_float(t));
}

bool contains_scope(const Expr& e) {
  bool found = false;
  Visitor v;
  v.enter_expr = [&](const Expr& x) { return !(found = found || x->op == Op::scope); };
  visit(e, v);
  return found;
}

/// Whether two lists of indices are the same text, and so the same cell.
bool same_indices(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  return !a.empty() && a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](const Expr& x, const Expr& y) {
           return x->op == Op::index && y->op == Op::index && x->index == y->index;
         });
}

/// Whether every load of `buffer` in `e` is at these indices.
bool reads_only_at(const Expr& e, const Symbol& buffer, const std::vector<Expr>& indices) {
  bool only = true;
  Visitor v;
  v.enter_expr = [&](const Expr& x) {
    only = only && (x->op != Op::load || x->name != buffer || same_indices(x->args, indices));
    return only;
  };
  visit(e, v);
  return only;
}

}  // namespace

/// One vector statement while it is written.
struct Emitter::VectorPlan {
  Type type{};
  std::int64_t width = 0;                 // lanes of a vector
  std::string name;                       // of the vector type
  std::vector<std::string> declarations;  // of what is the same for all lanes
};

bool Emitter::moves_with_lane(const Symbol& buffer, const std::vector<Expr>& indices) const {
  if (program_.find_buffer(buffer)->swizzle != Swizzle::none) return false;
  if (indices.empty() || indices.back()->op != Op::index) return false;
  const Symbol& symbol = *lanes_->side_by_side;
  bool found = false;
  for (const auto& [atom, coefficient] : indices.back()->index.terms()) {
    if (atom->kind == IndexAtom::Kind::symbol && atom->symbol == symbol) {
      found = coefficient == 1;
      if (!found) return false;
      continue;
    }
    std::set<Symbol> symbols;
    if (atom->kind == IndexAtom::Kind::symbol) symbols.insert(atom->symbol);
    for (const Index& a : atom->args) a.collect_symbols(symbols);
    if (std::any_of(symbols.begin(), symbols.end(), [&](const Symbol& s) { return per_lane_.count(s) != 0; }))
      return false;
  }
  return found && std::none_of(indices.begin(), indices.end() - 1,
                               [&](const Expr& e) { return varies(e) || contains_scope(e); });
}

bool Emitter::is_lane_variable(const Symbol& s) const {
  return s != *lanes_->side_by_side && std::find(lanes_->own.begin(), lanes_->own.end(), s) != lanes_->own.end();
}

bool Emitter::vectorizes(const Expr& e, Type t) const {
  if (e->type != t) return false;
  if (!varies(e)) return !contains_scope(e);
  if (e->op == Op::variable) return is_lane_variable(e->name);
  if (e->op == Op::load) return moves_with_lane(e->name, e->args);
  return is_elementwise(e->op, t) &&
         std::all_of(e->args.begin(), e->args.end(), [&](const Expr& a) { return vectorizes(a, t); });
}

Text Emitter::vector_text(const Expr& e, VectorPlan& plan) {
  if (!varies(e)) {
    const std::string one = names_.fresh("fixed"), all = names_.fresh("all");
    plan.declarations.push_back(fmt::format("const {} {} = {};", c_type(plan.type), one, expression(e).s));
    std::string cells;
    for (std::int64_t k = 0; k < plan.width; ++k) cells += (k == 0 ? "" : ", ") + one;
    plan.declarations.push_back(fmt::format("const {} {} = {{{}}};", plan.name, all, cells));
    return {all};
  }
  const auto at = [&](const std::string& array, const Text& position) {
    return Text{fmt::format("*(const {} *)({} + {})", plan.name, array, within(position, Binding::product)),
                Binding::unary};
  };
  if (e->op == Op::variable) return at(names_.of(e->name), {lanes_->lane});
  if (e->op == Op::load) return at(names_.of(e->name), offset(e->name, e->args));
  if (e->op == Op::neg) return {"-" + within(vector_text(e->args[0], plan), Binding::primary), Binding::unary};
  const bool product = e->op == Op::mul || e->op == Op::div;
  const Binding left = product ? Binding::product : Binding::sum, right = product ? Binding::unary : Binding::product;
  const std::string first = within(vector_text(e->args[0], plan), left);
  return {fmt::format("{} {} {}", first, info(e->op).text, within(vector_text(e->args[1], plan), right)), left};
}

void Emitter::in_vectors(const VectorPlan& plan, const std::string& vector_line, const std::string& lane_line) {
  const Lanes& lanes = *lanes_;
  const bool constant = lanes.constant.has_value();
  braces(fmt::format("for (int64_t {0} = 0; {0} {1} {2}; {0} += {3})", lanes.lane, constant ? "<" : "<=",
                     constant ? fmt::format("{}", *lanes.constant / plan.width * plan.width)
                              : fmt::format("{} - {}", lanes.count, plan.width),
                     plan.width),
         [&] {
           lines(lanes.bindings);
           line(vector_line);
         });
  if (constant && *lanes.constant % plan.width == 0) return;
  braces(fmt::format("for (int64_t {0} = {1} / {2} * {2}; {0} < {1}; ++{0})", lanes.lane, lanes.count, plan.width),
         [&] {
           lines(lanes.bindings);
           line(lane_line);
         });
}

bool Emitter::vector_assignment(const Expr& value, const Symbol& target, const std::vector<Expr>* indices) {
  Lanes& lanes = *lanes_;
  if (dialect_ != Dialect::gnu || !lanes.side_by_side || !lanes.mask.empty()) return false;
  VectorPlan plan;
  plan.type = value->type;
  if (!has_vectors(plan.type) || !vectorizes(value, plan.type)) return false;
  if (indices != nullptr ? !moves_with_lane(target, *indices) : !is_lane_variable(target)) return false;
  // Where the store goes must be known before the first lane is stored.
  if (indices != nullptr &&
      !std::all_of(indices->begin(), indices->end(), [&](const Expr& e) { return reads_only_at(e, target, {}); }))
    return false;
  plan.width = vector_bytes / byte_width(plan.type);
  while (lanes.constant && plan.width > *lanes.constant) plan.width /= 2;
  if (plan.width < 2) return false;
  plan.name = helpers_.use_vector(plan.type, static_cast<int>(plan.width));

  // Lanes may be stored as they are evaluated unless one reads what another stores.
  const bool apart = indices == nullptr || reads_only_at(value, target, *indices);

  std::string scratch;
  if (!apart) {
    scratch = lanes.values[plan.type];
    if (scratch.empty()) scratch = lanes.values[plan.type] = lane_array(lanes, plan.type, "value");
  }
  const std::string array = names_.of(target);
  const auto cell = [&](const std::string& base, const Text& at) { return fmt::format("{}[{}]", base, at.s); };
  const auto vector = [&](const std::string& base, const Text& at) {
    return fmt::format("*({} *)({} + {})", plan.name, base, within(at, Binding::product));
  };
  braces("", [&] {
    depth_ += 1;  // of the loops below
    const Text at = indices != nullptr ? offset(target, *indices) : Text{lanes.lane}, lane{lanes.lane};
    const std::string wide = vector_text(value, plan).s, narrow = expression(value).s;
    depth_ -= 1;
    lines(plan.declarations);
    if (apart) return in_vectors(plan, vector(array, at) + " = " + wide + ";", cell(array, at) + " = " + narrow + ";");
    in_vectors(plan, vector(scratch, lane) + " = " + wide + ";", cell(scratch, lane) + " = " + narrow + ";");
    in_vectors(plan, vector(array, at) + " = " + vector(scratch, lane) + ";",
               cell(array, at) + " = " + cell(scratch, lane) + ";");
  });
  return true;
}

}  // namespace assay::codegen
