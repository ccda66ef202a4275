// The whole translation unit: what it says about itself, headers, helpers, and for every program an entry function with its
// constant tables. Several programs in one unit share their helpers.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "codegen/c.hpp"
#include "codegen/c/dialect.hpp"
#include "codegen/c/emitter.hpp"
#include "codegen/c/grid.hpp"
#include "codegen/c/unit.hpp"
#include "ir/traverse.hpp"

namespace assay::codegen {
namespace {

Diagnostic refusal(std::string what, Location where) {
  Diagnostic d;
  d.code = "CGEN-1";
  d.message = "generated C does not cover " + std::move(what);
  d.where = where;
  d.help = "serial, unrolled, vectorized and grid loops are covered";
  return d;
}

std::vector<Diagnostic> refusals(const Program& p) {
  std::vector<Diagnostic> found;
  for (const Buffer& b : p.buffers) {
    if (b.kind == BufferKind::shared) found.push_back(refusal("shared buffers", b.where));
  }
  int vectorized = 0, scopes = 0;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::barrier) found.push_back(refusal("`barrier`", s->where));
    if (s->kind != StmtKind::loop) return true;
    if (s->axis == Axis::workgroup || s->axis == Axis::reduce)
      found.push_back(refusal(fmt::format("@{} loops", name(s->axis)), s->where));
    if (s->axis == Axis::grid && vectorized + scopes > 0)
      found.push_back(refusal("@grid loops inside @vectorized loops or scopes", s->where));
    vectorized += s->axis == Axis::vectorized ? 1 : 0;
    return true;
  };
  v.leave_stmt = [&](const Stmt& s) { vectorized -= s->kind == StmtKind::loop && s->axis == Axis::vectorized ? 1 : 0; };
  v.enter_expr = [&](const Expr& e) {
    scopes += e->op == Op::scope ? 1 : 0;
    return true;
  };
  v.leave_expr = [&](const Expr& e) { scopes -= e->op == Op::scope ? 1 : 0; };
  visit(p.body, v);
  return found;
}

bool is_argument(const Buffer& b) { return b.kind != BufferKind::constant && b.kind != BufferKind::local; }

/// Text inside a C comment.
std::string shape_text(const Buffer& b) {
  std::string s;
  for (const Index& d : b.dims) s += (s.empty() ? "" : ", ") + d.text();
  return fmt::format("{}[{}]", name(b.type), s);
}

/// One program: its entry function, whose helpers gather in `helpers`.
class Entry {
 public:
  Entry(const Program& p, Dialect dialect, Helpers& helpers) : p_(p), dialect_(dialect), emit_(p, dialect, helpers) {}

  std::string text(const std::string& name) {
    const std::string body = emit_.indented([&] {
      const std::vector<Program> launches = launches_of(p_);
      for (const Program& part : launches) {
        if (launches.size() == 1) {
          launch(part);
        } else {
          emit_.braces("", [&] { launch(part); });
        }
      }
      emit_.line("return 0;");
    });
    const std::string head = emit_.indented([&] { arguments(); });
    return "int " + name + "(const long long *parameters, void *const *buffers) {\n" + head + body + "}\n";
  }

  std::string description() {
    std::string s = fmt::format("/* {}: generated C11 with GNU statement expressions.\n *\n", p_.name);
    s += " *   int assay_kernel(const long long *parameters, void *const *buffers)\n *\n";
    int n = 0;
    for (const Parameter& a : p_.parameters)
      s += fmt::format(" * parameters[{}]  {}, {} <= {} < {}\n", n++, a.name, a.lo, a.name, a.hi);
    n = 0;
    for (const Buffer& b : p_.buffers) {
      if (!is_argument(b)) continue;
      s += fmt::format(" * buffers[{}]  {} {}: {}, row major\n", n++, name(b.kind), b.name, shape_text(b));
    }
    s += " *\n * f16 and bf16 are stored as their bits in uint16_t, bool as 0 or 1 in uint8_t. A temp buffer is "
         "scratch memory.\n";
    s += " * Returns 0; without having written anything 1 when arithmetic does not round to nearest, 2 when it "
         "flushes\n";
    s += " * subnormals to zero, 3 when buffers overlap";
    s += emit_.helpers().uses_long_double() ? ", 4 when long double has fewer than 64 significant bits.\n" : ".\n";
    s += fmt::format(" * Compile with {}\n", required_flags);
    s += emit_.helpers().uses_quad() ? " * and link with -lquadmath -lm.\n */\n" : " * and link with -lm.\n */\n";
    return s;
  }

 private:
  /// `const` buffers, inside the entry: there their names may hide those of the C library.
  void tables() {
    for (const Buffer& b : p_.buffers) {
      if (b.kind != BufferKind::constant) continue;
      const bool bits = dialect_ == Dialect::tcc && is_float(b.type);  // -INFINITY is no constant for tcc
      std::string values;
      for (std::size_t i = 0; i < b.data.size(); ++i)
        values += (i == 0        ? ""
                   : i % 16 == 0 ? ",\n    "
                                 : ", ") +
                  (bits ? fmt::format("UINT64_C({})", b.data[i].bits) : c_literal(b.data[i]).s);
      if (b.data.empty()) values = "0";
      const std::size_t count = std::max<std::size_t>(b.data.size(), 1);
      const std::string table = emit_.names().of(b.name), cells = bits ? emit_.names().fresh(table + "_bits") : table;
      emit_.line(fmt::format("static const {} {}[{}] = {{{}}};",
                             bits ? fmt::format("uint{}_t", bit_width(b.type)) : std::string(c_type(b.type)), cells,
                             count, values));
      if (bits) emit_.line(fmt::format("const {0} *const {1} = (const {0} *){2};", c_type(b.type), table, cells));
    }
  }

  /// Parameters, the checks that the entry promises, and the buffers.
  void arguments() {
    tables();
    if (p_.parameters.empty()) emit_.line("(void)parameters;");
    int n = 0;
    for (const Parameter& a : p_.parameters)
      emit_.line(fmt::format("const int64_t {} = parameters[{}];", emit_.names().of(a.name), n++));
    emit_.line(fmt::format("const int state = {}();", emit_.helpers().use("environment")));
    emit_.line("if (state != 0) return state;");
    if (emit_.helpers().uses_long_double())
      emit_.line(fmt::format("if (!{}()) return 4;", emit_.helpers().use("extended")));
    std::string sizes;
    n = 0;
    for (const Buffer& b : p_.buffers) {
      if (!is_argument(b)) continue;
      sizes += fmt::format("{}(uint64_t){} * {}", n++ == 0 ? "" : ", ", within(emit_.cells(b), Binding::unary),
                           byte_width(b.type));
    }
    if (n > 1) {
      emit_.line(fmt::format("const uint64_t bytes[] = {{{}}};", sizes));
      emit_.line(fmt::format("if ({}(buffers, bytes, {})) return 3;", emit_.helpers().use("overlap"), n));
    }
    if (n == 0) emit_.line("(void)buffers;");
    n = 0;
    for (const Buffer& b : p_.buffers) {
      if (!is_argument(b)) continue;
      const std::string_view constness = b.kind == BufferKind::input ? "const " : "";
      emit_.line(fmt::format("{}{} *restrict const {} = buffers[{}];", constness, c_type(b.type),
                             emit_.names().of(b.name), n++));
    }
  }

  /// The statements of a launch. What it declares is its own.
  void launch(const Program& part) {
    emit_.bind_groups({});
    if (needs_groups(part)) {
      groups(part);
    } else {
      with_locals(part);
    }
  }

  /// The program once per launch, each with the statements and the local buffers that the launch has.
  static std::vector<Program> launches_of(const Program& p) {
    std::vector<Program> parts(1, p);
    if (std::none_of(p.body.begin(), p.body.end(), [](const Stmt& s) { return s->kind == StmtKind::launch; }))
      return parts;
    parts[0].body.clear();
    for (const Stmt& s : p.body) {
      if (s->kind == StmtKind::launch) {
        parts.push_back(p);
        parts.back().body.clear();
      } else {
        parts.back().body.push_back(s);
      }
    }
    for (Program& part : parts) {
      std::set<Symbol> used;
      Visitor v;
      v.enter_stmt = [&](const Stmt& s) {
        used.insert(s->name);
        return true;
      };
      v.enter_expr = [&](const Expr& e) {
        used.insert(e->name);
        return true;
      };
      visit(part.body, v);
      const auto idle = [&](const Buffer& b) { return b.kind == BufferKind::local && used.count(b.name) == 0; };
      part.buffers.erase(std::remove_if(part.buffers.begin(), part.buffers.end(), idle), part.buffers.end());
    }
    return parts;
  }

  /// The statements, between the declarations and the release of the local buffers.
  void with_locals(const Program& part) {
    Emitter::Arrays arrays;
    for (const Buffer& b : part.buffers) {
      if (b.kind != BufferKind::local) continue;
      Index product(1);
      bool constant = true;
      for (const Index& d : b.dims) {
        constant = constant && d.is_constant();
        if (constant) product = product * d.constant();
      }
      std::optional<std::int64_t> known;
      if (constant && !product.overflowed()) known = product.constant();
      emit_.array(b.type, emit_.names().of(b.name), emit_.cells(b).s, known, arrays);
    }
    emit_.lines(arrays.declarations);
    emit_.block(part.body);
    emit_.lines(arrays.release);
  }

  /// One run of the statements per group: first the extent of every slot, then the groups in lexicographic order.
  void groups(const Program& part) {
    const auto slots = grid_slots(part);
    int count = 0;
    for (const auto& [loop, slot] : slots) count = std::max(count, slot + 1);
    std::vector<std::string> extents, coordinates;
    for (int slot = 0; slot < count; ++slot) {
      extents.push_back(emit_.names().fresh(fmt::format("groups_{}", slot)));
      coordinates.push_back(emit_.names().fresh(fmt::format("group_{}", slot)));
      emit_.line(fmt::format("int64_t {} = 1;", extents.back()));
    }
    measure(part.body, slots, extents);
    std::map<const StmtNode*, std::string> binding;
    for (const auto& [loop, slot] : slots) binding[loop] = coordinates[static_cast<std::size_t>(slot)];
    emit_.bind_groups(std::move(binding));
    group_loops(part, static_cast<std::size_t>(count), extents, coordinates);
  }

  void group_loops(const Program& part, std::size_t left, const std::vector<std::string>& extents,
                   const std::vector<std::string>& coordinates) {
    if (left == 0) return with_locals(part);
    const std::string& g = coordinates[left - 1];
    emit_.braces(fmt::format("for (int64_t {0} = 0; {0} < {1}; ++{0})", g, extents[left - 1]),
                 [&] { group_loops(part, left - 1, extents, coordinates); });
  }

  /// Raises the extent of every slot to the trip counts of its loops, over all values of the symbols around them.
  void measure(const Block& b, const std::map<const StmtNode*, int>& slots, const std::vector<std::string>& extents) {
    for (const Stmt& s : b) {
      const auto slot = slots.find(&*s);
      if (slot != slots.end()) {
        const std::string& extent = extents[static_cast<std::size_t>(slot->second)];
        emit_.line(fmt::format("{0} = {1}({0}, {2});", extent, emit_.helpers().use("index_max"), emit_.trip_count(s)));
      }
      if (!contains_grid(s->body, slots) && !contains_grid(s->other, slots)) continue;
      const auto inner = [&] {
        measure(s->body, slots, extents);
        measure(s->other, slots, extents);
      };
      if (s->kind != StmtKind::loop) {
        inner();
      } else if (!bounds_mention(s->body, s->name)) {
        emit_.braces(fmt::format("if ({} > 0)", emit_.trip_count(s)), inner);
      } else {
        emit_.braces(emit_.loop_header(emit_.names().of(s->name), s->lo, s->hi, s->step), inner);
      }
    }
  }

  static bool contains_grid(const Block& b, const std::map<const StmtNode*, int>& slots) {
    return std::any_of(b.begin(), b.end(), [&](const Stmt& s) {
      return slots.count(&*s) != 0 || contains_grid(s->body, slots) || contains_grid(s->other, slots);
    });
  }
  static bool bounds_mention(const Block& b, const Symbol& symbol) {
    return std::any_of(b.begin(), b.end(), [&](const Stmt& s) {
      return s->lo.mentions(symbol) || s->hi.mentions(symbol) || bounds_mention(s->body, symbol) ||
             bounds_mention(s->other, symbol);
    });
  }

  const Program& p_;
  Dialect dialect_;
  Emitter emit_;
};

Diagnostic tcc_refusal() {
  Diagnostic d;
  d.code = "CGEN-25";
  d.message = "tcc has no __float128, which `pow` at f32 needs";
  d.help = "the other compilers cover it";
  return d;
}

}  // namespace

Result<std::string> emit_c(const Program& p, Dialect dialect) {
  std::vector<Diagnostic> found = refusals(p);
  if (!found.empty()) return tl::unexpected(std::move(found));
  Helpers helpers;
  Entry entry(p, dialect, helpers);
  const std::string text = entry.text("assay_kernel");
  if (dialect == Dialect::tcc && helpers.uses_quad()) return tl::unexpected(std::vector{tcc_refusal()});
  return entry.description() + prelude(dialect, helpers) + "\n" + helpers.text() + "\n" + text;
}

Batch emit_batch(const std::vector<const Program*>& programs, Dialect dialect) {
  Batch batch;
  Helpers helpers;
  std::string entries;
  int number = 0;
  for (const Program* p : programs) {
    std::vector<Diagnostic> found = refusals(*p);
    if (found.empty()) {
      Helpers with = helpers;
      const std::string text = Entry(*p, dialect, with).text(fmt::format("assay_kernel_{}", number));
      if (dialect == Dialect::tcc && with.uses_quad()) {
        found.push_back(tcc_refusal());
      } else {
        entries += "\n" + text;
        helpers = std::move(with);
      }
    }
    batch.entries.push_back(found.empty() ? number++ : -1);
    batch.refusals.push_back(std::move(found));
  }
  batch.text = prelude(dialect, helpers) + "\n" + helpers.text() + entries;
  return batch;
}

}  // namespace assay::codegen
