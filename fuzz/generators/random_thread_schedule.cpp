// Loops are named by where they stand in a nest: whoever wants two neighbours gets two neighbours mostly.
#include "fuzz/generators/random_thread_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "fuzz/generators/random_flow_line.hpp"
#include "fuzz/generators/random_line.hpp"
#include "ir/traverse.hpp"

namespace assay::fuzz {
namespace {

class Kernel {
 public:
  explicit Kernel(interp::Random& random) : random_(random) {}

  std::string run() {
    const std::string type = one_in(3) ? "f32" : "i32", zero = type == "f32" ? "0.0" : "0";
    const std::string m = extent(true), n = extent(false), q = extent(false);
    const bool follows = one_in(3), starts = one_in(2) || follows;
    const bool rows = one_in(3);  // a sum for each row instead of a product
    const std::string cell = rows ? "[i]" : "[i, j]",
                      shape = rows ? fmt::format("[{}]", m) : fmt::format("[{}, {}]", m, n);
    const char* const kind = follows ? "temp" : starts ? "output" : "inout";
    std::string text = fmt::format(
        "program p {{\n  param n in 1..6\n  input A: {0}[{1}, {3}]\n  input B: {0}[{3}, {2}]\n  input b: {0}[{2}]\n  "
        "{4} "
        "C: {0}{5}\n",
        type, m, n, q, kind, shape);
    if (follows) text += fmt::format("  output Y: {}{}\n", type, shape);
    const auto around = [&](const std::string& body, const char* i, const char* j) {
      const std::string inner = rows ? body : fmt::format("for {} in 0..{} {{ {} }}", j, n, body);
      return fmt::format("  for {} in 0..{} {{ {} }}\n", i, m, inner);
    };
    const std::string term = rows ? (one_in(2) ? "A[i, k]" : "A[i, k] * A[i, 0]")
                                  : (one_in(6) ? "A[i, k] * B[k, j] + b[j]" : "A[i, k] * B[k, j]");
    const std::string sum = fmt::format("for k in 0..{} {{ C{} {} {} }}", q, cell, one_in(6) ? "max=" : "+=", term);
    if (starts && one_in(3)) {
      text += around(fmt::format("C{} = {}\n    {}", cell, zero, sum), "i", "j");
    } else {
      if (starts)
        text += one_in(2) ? "  zero C\n" : around(fmt::format("C{} = {}", rows ? "[x]" : "[x, y]", zero), "x", "y");
      text += around(sum, "i", "j");
    }
    if (follows) {
      const std::string at = rows ? "[r]" : "[r, c]";
      text += around(fmt::format("Y{} = max(C{} + {}, {})", at, at, rows ? "A[r, 0]" : "b[c]", zero), "r", "c");
    }
    return text + "}\n";
  }

 private:
  bool one_in(std::uint64_t k) { return random_.below(k) == 0; }
  std::string extent(bool parametric) {
    static constexpr int sizes[] = {2, 3, 4, 4, 5, 6};
    return parametric && one_in(2) ? "n" : std::to_string(sizes[random_.below(std::size(sizes))]);
  }
  interp::Random& random_;
};

std::vector<Stmt> loops_of(const Program& p, bool serial) {
  std::vector<Stmt> out;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::loop && (!serial || s->axis == Axis::serial)) out.push_back(s);
    return s->kind != StmtKind::loop || s->axis != Axis::tile;
  };
  v.enter_expr = [](const Expr&) { return false; };
  visit(p.body, v);
  return out;
}

ScheduleLine line_of(const std::string& text) {
  const auto file = parse_source(text, "drawn.sched");
  return file && !file->schedules.empty() ? file->schedules[0].lines.at(0)
                                          : ScheduleLine{"simplify", {}, {}, {}, {}, text};
}

std::string inside_of(const Stmt& loop) {
  Stmt s = loop;
  while (s->body.size() == 1) {
    s = s->body[0];
    if (s->kind == StmtKind::loop) return s->name;
  }
  return {};
}

}  // namespace

std::string random_kernel(interp::Random& random) { return Kernel(random).run(); }

ScheduleLine random_thread_line(interp::Random& random, const Program& p, double stage, int number) {
  const auto below = [&](std::uint64_t k) { return random.below(k); };
  const auto pick = [&](const auto& list) { return list[below(list.size())]; };
  const std::vector<Stmt> all = loops_of(p, false), serial = loops_of(p, true);
  if (all.empty() || serial.empty()) return line_of("simplify");
  const std::string loop = pick(serial)->name, new_name = fmt::format("n{}", number);
  if (stage < 0.35) {
    switch (below(8)) {
      case 0:
      case 1:
      case 2:
      case 3: return line_of(fmt::format("split {} factor={} -> {}o, {}i", loop, 2 + below(3), new_name, new_name));
      case 4:
      case 5: {
        const Stmt& outer = pick(all);
        return line_of(fmt::format("swap {} {}", outer->name, inside_of(outer).empty() ? loop : inside_of(outer)));
      }
      case 6: return line_of(fmt::format("pad {} to={}", loop, 2 + below(3)));
      default: return line_of("fuse_epilogue C");
    }
  }
  if (stage < 0.65) {
    static const char* const axes[] = {"workgroup", "workgroup", "workgroup", "grid", "reduce"};
    switch (below(8)) {
      case 0: return line_of(fmt::format("fission after={}", 1 + below(std::max<std::size_t>(p.body.size(), 2) - 1)));
      case 1: return random_line(random, p, "tensorize");
      default: return line_of(fmt::format("retype {} axis={}", loop, axes[below(5)]));
    }
  }
  switch (below(8)) {
    case 0: return random_flow_line(random, p, "privatize");
    case 1: return random_line(random, p, "tensorize");
    default: return random_flow_line(random, p, "stage");
  }
}

}  // namespace assay::fuzz
