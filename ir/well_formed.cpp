// Well-formedness of a program however it was made (WF-1 … WF-28): one walk that carries what is visible and what encloses.
//
// The walk is its own, not ir/traverse.hpp's, because it follows the visibility of names: the two arms of an `if` and a
// scope's body are blocks with an end, and a variable is visible only after its declaration.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ir/analysis/launch.hpp"
#include "ir/literal.hpp"
#include "ir/tensor.hpp"
#include "ir/text/lexer.hpp"
#include "ir/text/source.hpp"
#include "ir/tile_product.hpp"
#include "ir/traverse.hpp"
#include "ir/typing.hpp"
#include "ir/well_formed_reduce.hpp"

namespace assay {
namespace {

constexpr std::size_t max_faults = 50;
constexpr int max_workgroup_slots = 3;

// IDX-1 for the whole tree of an index value.
bool writable(const Index& i) {
  return is_writable_index(i) && std::all_of(i.terms().begin(), i.terms().end(), [](const IndexTerm& t) {
           return std::all_of(t.first->args.begin(), t.first->args.end(), writable);
         });
}

std::string shown(Type t) { return t == Type::index ? "an index value" : std::string(name(t)); }

// What encloses a statement.
struct Context {
  bool top_level = true;
  bool under_vectorized = false;
  bool under_tile = false;
  int hardware = 0;  // @grid and @workgroup loops on the path
  int slots = 0;     // @workgroup and @reduce loops on the path
  int scope = 0;     // which scope's body this is; 0 outside of all
};

class Checker {
 public:
  explicit Checker(const Program& p) : p_(p) {}
  std::vector<Diagnostic> run();

 private:
  struct Variable {
    Type type = Type::index;
    int hardware = 0;
    int scope = 0;
  };

  void fault(const char* code, Location where, std::string message, std::string help = {}) {
    if (faults_.size() < max_faults)
      faults_.push_back({code, std::move(message), where, std::move(help), {}, Severity::error});
  }
  void binder(const Symbol& s, Location where);
  void parameter(const Parameter& q);
  void buffer(const Buffer& b);
  void dimensions(const Buffer& b);
  void values(const Buffer& b);
  void value_range(const Buffer& b);
  void swizzle(const Buffer& b);
  void requirement(const Expr& e, Location where);

  void block(const Block& b, const Context& c);
  void statement(const Stmt& s, const Context& c);
  void loop(const Stmt& s, const Context& c);
  void lanes(const StmtNode& s, const Context& c);
  void barriers_beside_threads();
  void threads_beside_tiles();
  void lanes_among_threads(const StmtNode& s, int slots_around);
  void assign(const StmtNode& s, const Context& c);
  void store(const StmtNode& s, const Context& c);
  void written(const Symbol& buffer_name, Location where, const Context& c, const char* how);
  void only_outside_scopes(const Context& c, Location where, std::string_view what);

  void expression(const Expr& e, const Context& c, Location around);
  void operation(const ExprNode& e);
  void signature(const ExprNode& e);
  void literal(const ExprNode& e);
  void subscripts(const Symbol& buffer_name, const std::vector<Expr>& indices, const Context& c, Location where);
  void index(const Index& i, Location where, const char* what, const char* code = "WF-2");
  void typed(const Expr& e, Type type, Location where, std::string_view what, const char* code);

  const Program& p_;
  std::vector<Diagnostic> faults_{};
  std::unordered_set<Symbol> bound_{};
  std::unordered_map<Symbol, const Buffer*> buffers_{};
  std::unordered_set<Symbol> symbols_{};  // visible parameters and loop symbols
  std::unordered_map<Symbol, Variable> variables_{};
  int scopes_ = 0;
};

std::vector<Diagnostic> Checker::run() {
  if (!text::has_name_form(p_.name) || text::find_reserved(p_.name) != nullptr) {
    fault("WF-1", p_.where, fmt::format("`{}` cannot be the name of a program", p_.name));
  }
  for (const Parameter& q : p_.parameters) parameter(q);
  for (const Buffer& b : p_.buffers) buffer(b);
  for (const Expr& e : p_.requirements) requirement(e, p_.where);
  block(p_.body, {});
  if (faults_.empty()) barriers_beside_threads();
  if (faults_.empty()) threads_beside_tiles();
  return std::move(faults_);
}

void Checker::binder(const Symbol& s, Location where) {
  if (!text::has_name_form(s) || text::find_reserved(s) != nullptr)
    fault("WF-1", where, fmt::format("`{}` is not a name", s));
  if (!bound_.insert(s).second)
    fault("WF-1", where, fmt::format("the name `{}` is bound twice", s),
          "every binder of a program has a name of its own");
}

void Checker::parameter(const Parameter& q) {
  binder(q.name, q.where);
  symbols_.insert(q.name);
  if (q.lo >= q.hi)
    fault("WF-18", q.where, fmt::format("the range {}..{} of parameter `{}` is empty", q.lo, q.hi, q.name),
          "the upper bound is excluded");
}

void Checker::buffer(const Buffer& b) {
  binder(b.name, b.where);
  buffers_.emplace(b.name, &b);
  if (b.type == Type::index) fault("WF-3", b.where, fmt::format("buffer `{}` has no element type", b.name));
  dimensions(b);
  values(b);
  value_range(b);
  if (b.swizzle != Swizzle::none) swizzle(b);
}

void Checker::swizzle(const Buffer& b) {
  const bool kept = b.kind == BufferKind::temp || b.kind == BufferKind::local || b.kind == BufferKind::shared;
  if (!kept)
    return fault("WF-40", b.where, fmt::format("{} `{}` has a swizzle", name(b.kind), b.name),
                 "only `temp`, `local` and `shared` buffers lie in memory as the program says");
  if (b.dims.size() < 2 || !b.dims.back().is_constant() || b.dims.back().constant() < 1)
    return fault("WF-41", b.where,
                 fmt::format("`{}` has a swizzle and no rows: two axes, the last of constant size", b.name));
  if (b.dims.back().constant() % swizzle_unit(b.swizzle, b.type) != 0)
    fault("WF-41", b.where, fmt::format("the rows of `{}` are not whole units of 16 bytes", b.name));
}

void Checker::dimensions(const Buffer& b) {
  Int128 bytes = byte_width(b.type);
  bool constant = true;
  bool empty = false;
  for (const Index& d : b.dims) {
    index(d, b.where, "a dimension", "WF-17");  // only parameters are visible
    if (!d.is_constant()) {
      constant = false;
      continue;
    }
    if (d.constant() < 0) fault("WF-17", b.where, fmt::format("a dimension of `{}` is negative", b.name));
    empty = empty || d.constant() == 0;
    if (bytes <= INT64_MAX) bytes *= std::max<Int128>(d.constant(), 1);
  }
  if (bytes > INT64_MAX && !empty)
    fault("WF-17", b.where, fmt::format("buffer `{}` is larger than 2^63 - 1 bytes", b.name));
  if (b.kind == BufferKind::constant && b.type == Type::u32x4)
    fault("WF-15", b.where, fmt::format("const buffer `{}` is of u32x4, which has no literals", b.name));
  if (b.kind == BufferKind::constant && !constant)
    fault("WF-15", b.where, fmt::format("const buffer `{}` has dimensions that are not constant", b.name));
}

void Checker::values(const Buffer& b) {
  if (b.kind != BufferKind::constant) {
    if (!b.data.empty()) fault("WF-15", b.where, fmt::format("buffer `{}` has values but is not const", b.name));
    return;
  }
  Int128 cells = 1;
  for (const Index& d : b.dims) {
    if (!d.is_constant()) return;
    if (cells <= INT64_MAX) cells *= std::max<std::int64_t>(d.constant(), 0);
  }
  if (cells != static_cast<Int128>(b.data.size())) {
    fault("WF-15", b.where,
          fmt::format("const buffer `{}` has {} elements and {} values", b.name, decimal_text(cells), b.data.size()));
  }
  if (!std::all_of(b.data.begin(), b.data.end(), [&](const Scalar& s) { return s.type == b.type; })) {
    fault("WF-15", b.where, fmt::format("a value of const buffer `{}` is not of its type", b.name));
  }
}

void Checker::value_range(const Buffer& b) {
  if (!b.range) return;
  if (b.kind != BufferKind::input || !is_int(b.type)) {
    fault("WF-16", b.where, fmt::format("`{}` has a value range but is not an input of integers", b.name));
    return;
  }
  const IntRange type_range = int_range(b.type);
  const auto& [lo, hi] = *b.range;
  if (lo >= hi) {
    fault("WF-16", b.where, fmt::format("the value range of `{}` is empty", b.name), "the upper bound is excluded");
  } else if (lo < type_range.lo || hi - 1 > type_range.hi) {
    fault("WF-16", b.where, fmt::format("the value range of `{}` leaves the type {}", b.name, name(b.type)));
  }
}

void Checker::requirement(const Expr& e, Location where) {
  if (!e) return fault("WF-20", where, "a `require` has no condition");
  const Location at = e->where.known() ? e->where : where;
  if (e->op == Op::land || e->op == Op::lor || e->op == Op::lnot) {
    for (const Expr& a : e->args) requirement(a, at);
    return;
  }
  const bool comparison = is_comparison(e->op) && e->args.size() == 2 && e->args[0] && e->args[1] &&
                          e->args[0]->op == Op::index && e->args[1]->op == Op::index;
  if (!comparison && !(e->op == Op::literal && e->type == Type::boolean)) {
    return fault("WF-20", at, "a `require` is not a condition over parameters");
  }
  for (const Expr& a : e->args) index(a->index, at, "an operand of `require`");
}

void Checker::block(const Block& b, const Context& c) {
  std::vector<Symbol> introduced;
  for (const Stmt& s : b) {
    if (!s) {
      fault("WF-3", {}, "a statement is missing");
      continue;
    }
    statement(s, c);
    if (s->kind == StmtKind::declare) introduced.push_back(s->name);
  }
  for (const Symbol& s : introduced) variables_.erase(s);
}

void Checker::only_outside_scopes(const Context& c, Location where, std::string_view what) {
  if (c.scope != 0) fault("WF-7", where, fmt::format("a scope holds {}", what));
}

void Checker::statement(const Stmt& stmt, const Context& c) {
  const StmtNode& s = *stmt;
  Context inner = c;
  inner.top_level = false;
  switch (s.kind) {
    case StmtKind::loop: return loop(stmt, c);
    case StmtKind::branch:
      expression(s.value, c, s.where);
      typed(s.value, Type::boolean, s.where, "the condition of an `if`", "WF-3");
      block(s.body, inner);
      block(s.other, inner);
      return;
    case StmtKind::zero:
      written(s.name, s.where, c, "zeroed");
      only_outside_scopes(c, s.where, "`zero`");
      return;
    case StmtKind::barrier:
      only_outside_scopes(c, s.where, "a barrier");
      if (c.under_vectorized) fault("WF-10", s.where, "a barrier stands in a `@vectorized` loop");
      return;
    case StmtKind::launch:
      only_outside_scopes(c, s.where, "`launch`");
      if (!c.top_level)
        fault("WF-9", s.where, "`launch` stands inside another statement", "it separates top-level statements");
      return;
    case StmtKind::declare:
      if (s.value) {
        expression(s.value, c, s.where);
        typed(s.value, s.type, s.where, fmt::format("the value of `{}`", s.name), "WF-3");
      }
      if (s.type == Type::index) fault("WF-3", s.where, fmt::format("variable `{}` has no type", s.name));
      binder(s.name, s.where);
      variables_[s.name] = {s.type, c.hardware, c.scope};
      return;
    case StmtKind::assign: return assign(s, c);
    case StmtKind::store: return store(s, c);
  }
}

void Checker::loop(const Stmt& stmt, const Context& c) {
  const StmtNode& s = *stmt;
  index(s.lo, s.where, "a loop bound");
  index(s.hi, s.where, "a loop bound");
  if (s.step <= 0) fault("WF-14", s.where, "the step of a loop is not positive");
  binder(s.name, s.where);
  Context inner = c;
  inner.top_level = false;
  if (is_hardware(s.axis)) {
    ++inner.hardware;
    only_outside_scopes(c, s.where, fmt::format("a `@{}` loop", name(s.axis)));
    if (c.under_vectorized)
      fault("WF-10", s.where, fmt::format("a `@{}` loop stands in a `@vectorized` loop", name(s.axis)));
  }
  if (s.axis == Axis::workgroup || s.axis == Axis::reduce) {
    ++inner.slots;
    if (inner.slots == max_workgroup_slots + 1) {
      fault("WF-13", s.where,
            fmt::format("more than {} `@workgroup` and `@reduce` loops lie on one path", max_workgroup_slots));
    }
  }
  if (s.axis == Axis::tile) lanes(s, c);
  inner.under_tile = c.under_tile || s.axis == Axis::tile;
  inner.under_vectorized = c.under_vectorized || s.axis == Axis::vectorized;
  const bool fresh = symbols_.insert(s.name).second;
  const std::size_t before = faults_.size();
  block(s.body, inner);
  if (fresh) symbols_.erase(s.name);
  if (s.axis == Axis::reduce && faults_.size() == before) {
    if (auto reason = not_a_reduction(stmt))
      fault("WF-12", reason->where.known() ? reason->where : s.where, reason->message, reason->help);
  }
  if (s.axis == Axis::tile && faults_.size() == before) {
    if (free_symbols(s.body).count(s.name) != 0) {
      fault("WF-25", s.where, fmt::format("the nest of a tile product mentions the lane `{}`", s.name),
            "the lanes compute the nest together, and none of them is told apart");
    }
    if (const auto product = tile_product(s.body, s.where); !product)
      fault(product.error().code.c_str(), product.error().where, product.error().message, product.error().help);
  }
}

// The lanes of a tile product: how many there are, and where they may stand (WF-25).
void Checker::lanes(const StmtNode& s, const Context& c) {
  if (!(s.lo == Index(0)) || !s.hi.is_constant() || s.hi.constant() < 1 || s.step != 1) {
    fault("WF-25", s.where, fmt::format("the lanes of `@tile` loop `{}` do not run from 0 to a number", s.name),
          "write `for lane in 0..32 @tile`");
  }
  only_outside_scopes(c, s.where, "a `@tile` loop");
  if (c.under_vectorized || c.under_tile)
    fault("WF-25", s.where, fmt::format("a `@tile` loop stands in a `@{}` loop", c.under_tile ? "tile" : "vectorized"));
}

// A barrier is for the threads of its launch (WF-8).
void Checker::barriers_beside_threads() {
  std::vector<Stmt> waiting;
  bool threads = false;
  const auto end_launch = [&] {
    for (const Stmt& b : waiting) {
      if (!threads) fault("WF-8", b->where, "a barrier stands in a launch without a `@workgroup` loop");
    }
    waiting.clear();
    threads = false;
  };
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::launch) end_launch();
    if (s->kind == StmtKind::barrier) waiting.push_back(s);
    threads |= s->kind == StmtKind::loop && s->axis == Axis::workgroup;
    return true;
  };
  visit(p_.body, v);
  end_launch();
}

// Tile products and the other loops of their launch: no `@reduce` loop (WF-28), and where their lanes are threads no more
// slots than there are (WF-13) and no copies of their own (WF-45).
void Checker::threads_beside_tiles() {
  const std::set<const StmtNode*> among_threads = tiles_among_threads(p_);
  Stmt tile, reduce;
  int slots = 0;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::launch) tile = reduce = {};
    if (s->kind != StmtKind::loop) return true;
    if (s->axis == Axis::workgroup) ++slots;
    if (s->axis == Axis::tile) tile = s;
    if (s->axis == Axis::reduce) reduce = s;
    if (tile && reduce && (&*tile == &*s || &*reduce == &*s))
      fault("WF-28", s->where,
            fmt::format("a launch has the tile product of `{}` and the `@reduce` loop `{}`", tile->name, reduce->name),
            "put a `launch` between them");
    if (among_threads.count(&*s) != 0) lanes_among_threads(*s, slots);
    return true;
  };
  v.leave_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::loop && s->axis == Axis::workgroup) --slots;
  };
  visit(p_.body, v);
}

void Checker::lanes_among_threads(const StmtNode& s, int slots_around) {
  if (slots_around == max_workgroup_slots)
    fault("WF-13", s.where,
          fmt::format("the lanes of a tile product stand in {} `@workgroup` loops already", max_workgroup_slots));
  const auto product = tile_product(s.body, s.where);
  if (!product || s.hi == Index(1)) return;
  for (const Symbol& used : {product->update->name, product->left->name, product->right->name}) {
    const auto b = buffers_.find(used);
    if (b != buffers_.end() && b->second->kind == BufferKind::local)
      fault("WF-45", s.where,
            fmt::format("a tile product of {} lanes among threads uses the `local` buffer `{}`, of which each lane has "
                        "its own copy",
                        s.hi.constant(), used),
            "make the buffer `shared`");
  }
}

void Checker::assign(const StmtNode& s, const Context& c) {
  expression(s.value, c, s.where);
  const auto it = variables_.find(s.name);
  if (it == variables_.end()) return fault("WF-2", s.where, fmt::format("`{}` is not a visible variable", s.name));
  const Variable& v = it->second;
  typed(s.value, v.type, s.where, fmt::format("the value of `{}`", s.name), "WF-3");
  if (v.scope != c.scope) {
    fault("WF-6", s.where, fmt::format("a scope assigns `{}`, which is not its own", s.name),
          "a scope writes nothing but its own variables");
  } else if (v.hardware != c.hardware) {
    fault("WF-11", s.where,
          fmt::format("`{}` is declared outside a `@grid` or `@workgroup` loop and assigned inside it", s.name),
          "declare it inside the loop, or use a buffer");
  }
}

void Checker::written(const Symbol& buffer_name, Location where, const Context&, const char* how) {
  const auto it = buffers_.find(buffer_name);
  if (it == buffers_.end()) return fault("WF-2", where, fmt::format("`{}` is not a buffer", buffer_name));
  if (!is_writable(it->second->kind)) {
    fault("WF-5", where, fmt::format("{} buffer `{}` is {}", name(it->second->kind), buffer_name, how),
          it->second->kind == BufferKind::input ? "an `inout` buffer is read and written" : "");
  }
}

void Checker::store(const StmtNode& s, const Context& c) {
  subscripts(s.name, s.indices, c, s.where);
  expression(s.value, c, s.where);
  written(s.name, s.where, c, "written");
  if (const auto it = buffers_.find(s.name); it != buffers_.end()) {
    typed(s.value, it->second->type, s.where, fmt::format("the value stored to `{}`", s.name), "WF-3");
  }
  if (c.scope != 0)
    fault("WF-6", s.where, fmt::format("a scope stores to buffer `{}`", s.name),
          "a scope writes nothing but its own variables");
}

void Checker::typed(const Expr& e, Type type, Location where, std::string_view what, const char* code) {
  if (!e || e->type == type) return;
  fault(code, e->where.known() ? e->where : where,
        fmt::format("{} is {} and not {}", what, shown(e->type), shown(type)));
}

void Checker::index(const Index& i, Location where, const char* what, const char* code) {
  if (!writable(i)) return fault("WF-19", where, fmt::format("{} does not fit 64 bits", what));
  std::set<Symbol> used;
  i.collect_symbols(used);
  for (const Symbol& s : used) {
    if (symbols_.count(s) == 0) fault(code, where, fmt::format("{} mentions `{}`, which is not visible", what, s));
  }
}

void Checker::subscripts(const Symbol& buffer_name, const std::vector<Expr>& indices, const Context& c,
                         Location where) {
  for (const Expr& e : indices) {
    expression(e, c, where);
    if (e && e->type != Type::index && !is_int(e->type))
      fault("WF-4", where, fmt::format("a subscript is {}", shown(e->type)));
  }
  const auto it = buffers_.find(buffer_name);
  if (it == buffers_.end()) return;
  if (it->second->dims.size() != indices.size()) {
    fault("WF-4", where,
          fmt::format("`{}` has {} dimensions and gets {} subscripts", buffer_name, it->second->dims.size(),
                      indices.size()));
  }
}

void Checker::expression(const Expr& expr, const Context& c, Location around) {
  if (!expr) return fault("WF-3", around, "an expression is missing");
  const ExprNode& e = *expr;
  const Location where = e.where.known() ? e.where : around;
  switch (e.op) {
    case Op::literal: return literal(e);
    case Op::index:
      if (e.type != Type::index) fault("WF-3", where, "an index value has another type");
      return index(e.index, where, "an index value");
    case Op::variable: {
      const auto it = variables_.find(e.name);
      if (it == variables_.end()) return fault("WF-2", where, fmt::format("`{}` is not a visible variable", e.name));
      if (it->second.type != e.type)
        fault("WF-3", where, fmt::format("`{}` is {} and not {}", e.name, shown(it->second.type), shown(e.type)));
      return;
    }
    case Op::load: {
      subscripts(e.name, e.args, c, where);
      const auto it = buffers_.find(e.name);
      if (it == buffers_.end()) return fault("WF-2", where, fmt::format("`{}` is not a buffer", e.name));
      if (it->second->type != e.type)
        fault("WF-3", where, fmt::format("`{}` holds {} and not {}", e.name, shown(it->second->type), shown(e.type)));
      return;
    }
    case Op::convert:
      if (e.args.size() != 1) return fault("WF-3", where, "a conversion has one operand");
      if (e.type == Type::index) {
        fault("WF-3", where, "nothing converts to an index value");
      } else if (e.args[0] && !is_convertible(e.args[0]->type, e.type)) {
        fault("WF-3", where,
              fmt::format("there is no conversion from {} to {}", shown(e.args[0]->type), shown(e.type)));
      }
      return expression(e.args[0], c, where);
    case Op::scope: {
      if (e.type == Type::index) fault("WF-3", where, fmt::format("scope `{}` has no type", e.name));
      binder(e.name, where);
      Context inner = c;
      inner.top_level = false;
      inner.scope = ++scopes_;
      variables_[e.name] = {e.type, c.hardware, inner.scope};
      block(e.body, inner);
      variables_.erase(e.name);
      return;
    }
    default:
      for (const Expr& a : e.args) expression(a, c, where);
      return operation(e);
  }
}

void Checker::literal(const ExprNode& e) {
  const Scalar s = e.literal;
  const int width = s.type == Type::boolean ? 1 : bit_width(s.type);
  const bool fits = s.high == 0 && (width == 64 || (s.bits >> width) == 0);
  if (s.type == Type::u32x4) return fault("WF-3", e.where, "a block is no literal", "make it by `u32x4(a, b, c, d)`");
  if (s.type != e.type || s.type == Type::index || !fits)
    return fault("WF-3", e.where, "a literal does not lie in its type");
  if (is_nan(s) && s.bits != canonical_nan(s.type).bits)
    fault("WF-3", e.where, "a literal is a NaN other than the one of its type");
}

// Operations whose operands have types of their own, and conversions with a rule of their own.
void Checker::signature(const ExprNode& e) {
  const std::string_view text = info(e.op).text;
  for (std::size_t i = 0; i < e.args.size(); ++i) {
    if (const std::optional<Type> wanted = operand_type(e.op, i))
      typed(e.args[i], *wanted, e.where, fmt::format("operand {} of `{}`", i + 1, text), "WF-3");
  }
  const Type type = operation_type(e);
  if (!is_defined(e.op, type) && (has_written_type(e.op) || is_ruled_conversion(e.op)))
    return fault("WF-3", e.where, fmt::format("there is no `{}` at {}", text, shown(type)));
  const Type result = has_written_type(e.op) ? e.type : result_type(e.op, e.args.back()->type);
  if (e.type != result)
    fault("WF-3", e.where, fmt::format("`{}` gives {} and not {}", text, shown(result), shown(e.type)));
}

void Checker::operation(const ExprNode& e) {
  const auto wrong = [&](std::string message) { fault("WF-3", e.where, std::move(message)); };
  const std::string_view text = e.op == Op::choice ? "? :" : info(e.op).text;
  if (e.args.size() != static_cast<std::size_t>(info(e.op).arity))
    return wrong(fmt::format("`{}` has {} operands", text, e.args.size()));
  if (std::any_of(e.args.begin(), e.args.end(), [](const Expr& a) { return !a; })) return;  // reported with the operand
  if (operand_type(e.op, 0) || is_ruled_conversion(e.op)) return signature(e);
  std::size_t first = 0;
  if (has_condition(e.op)) {
    typed(e.args[0], Type::boolean, e.where, fmt::format("the condition of `{}`", text), "WF-3");
    first = 1;
  }
  const Type type = e.args[first]->type;
  for (std::size_t i = first + 1; i < e.args.size(); ++i) {
    if (e.args[i]->type != type)
      return wrong(fmt::format("the operands of `{}` are {} and {}", text, shown(type), shown(e.args[i]->type)));
  }
  const bool defined = type == Type::index ? is_comparison(e.op) || has_condition(e.op) : is_defined(e.op, type);
  if (!defined) return wrong(fmt::format("there is no `{}` at {}", text, shown(type)));
  const Type result = result_type(e.op, type);
  if (e.type != result) wrong(fmt::format("`{}` gives {} and not {}", text, shown(result), shown(e.type)));
}

}  // namespace

std::vector<Diagnostic> check_well_formed(const Program& p) { return Checker(p).run(); }

}  // namespace assay
