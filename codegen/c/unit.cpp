// The whole translation unit: what it says about itself, headers, helpers, and for every program an entry function with its
// constant tables. Several programs in one unit share their helpers.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/c.hpp"
#include "codegen/c/dialect.hpp"
#include "codegen/c/emitter.hpp"
#include "codegen/c/grid.hpp"
#include "codegen/c/launches.hpp"
#include "codegen/c/unit.hpp"
#include "codegen/device/device.hpp"
#include "ir/traverse.hpp"

namespace assay::codegen {
namespace {

Diagnostic refusal(std::string what, Location where) {
  Diagnostic d;
  d.code = "CGEN-1";
  d.message = "generated C does not cover " + std::move(what);
  d.where = where;
  d.help = "serial, unrolled, vectorized, grid and reduce loops are covered; CUDA text covers threads";
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
    if (s->axis == Axis::workgroup) found.push_back(refusal("@workgroup loops", s->where));
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
    s += arguments_text(p_);
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
    emit_.bind_loops({});
    if (needs_groups(part)) {
      groups(part);
    } else {
      emit_.with_locals(part);
    }
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
    std::map<const StmtNode*, std::string> extent, binding;
    for (const auto& [loop, slot] : slots) {
      extent[loop] = extents[static_cast<std::size_t>(slot)];
      binding[loop] = coordinates[static_cast<std::size_t>(slot)];
    }
    measure(emit_, part.body, extent);
    emit_.bind_loops(std::move(binding));
    group_loops(part, static_cast<std::size_t>(count), extents, coordinates);
  }

  void group_loops(const Program& part, std::size_t left, const std::vector<std::string>& extents,
                   const std::vector<std::string>& coordinates) {
    if (left == 0) return emit_.with_locals(part);
    const std::string& g = coordinates[left - 1];
    emit_.braces(fmt::format("for (int64_t {0} = 0; {0} < {1}; ++{0})", g, extents[left - 1]),
                 [&] { group_loops(part, left - 1, extents, coordinates); });
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
