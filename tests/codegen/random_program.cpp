// A generator that writes text. Subscripts are reduced modulo an extent that every buffer has, buffers and variables are
// given values before they are read, and lanes store to cells named by their own symbols, so that most programs are correct.
#include "random_program.hpp"

#include <fmt/format.h>

#include <random>
#include <vector>

#include "ir/literal.hpp"
#include "ir/typing.hpp"

namespace assay::codegen::test {
namespace {

constexpr int extent = 6;  // of both dimensions of every buffer but those over n

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : engine_(seed) {}

  std::string program() {
    std::string s = "program random {\n  param n in 3..8\n";
    for (int b = 0; b < 7; ++b) {
      constexpr const char* kinds[] = {"input", "input", "inout", "output", "output", "temp", "local"};
      buffers_.push_back({fmt::format("b{}", b), random_type(), b >= 2});
      const bool units = byte_width(buffers_.back().type) > 1;  // rows of 8 are whole units of 16 bytes
      const std::string swizzle = b < 5 || one_in(2) ? "" : units && one_in(2) ? " swizzle b128" : " swizzle elem";
      s += fmt::format("  {} b{}: {}[{}, {}]{}\n", kinds[b], b, name(buffers_.back().type), extent,
                       b == 3  ? "n + 3"
                       : b < 5 ? "6"
                               : "8",
                       swizzle);
    }
    s += fmt::format("  input ids: i32[{}] in 0..{}\n", extent, extent);
    s += "  const k: f32[6] = {0.5, -1.0, 3.25, 0.1, -0.0, 100.0}\n";
    const bool grid = one_in(3);
    if (grid) {
      // Every group clears its own row; the rest happens below one grid loop.
      s += fmt::format("  for g in 0..{} @grid {{\n", extent);
      grid_ = "g";
      for (int b = 3; b < 7; ++b)
        s += fmt::format("    for c in 0..{} {{ b{}[g, c] = {} }}\n", b == 3 ? "n + 3" : "6", b,
                         literal(buffers_[static_cast<std::size_t>(b)].type));
    } else {
      for (int b = 3; b < 7; ++b) s += fmt::format("  zero b{}\n", b);
    }
    s += block(grid ? 2 : 1, 3, 6);
    return s + (grid ? "  }\n}\n" : "}\n");
  }

 private:
  struct Buffer {
    std::string name;
    Type type;
    bool writable;
  };
  struct Variable {
    std::string name;
    Type type;
    std::size_t lanes;  // how many lane loops were open at its declaration
  };

  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  Type random_type() { return scalar_types[below(scalar_types.size())]; }
  std::string fresh(const char* stem) { return fmt::format("{}{}", stem, counter_++); }

  std::string literal(Type t) {
    if (t == Type::boolean) return one_in(2) ? "true" : "false";
    if (is_float(t)) {
      constexpr const char* values[] = {"0.0",   "1.0",   "-0.0", "0.5", "-2.0", "3.25", "0.1",
                                        "-7.75", "100.0", "1e-3", "inf", "nan",  "1e-8", "60000.0"};
      const std::string_view chosen = values[below(std::size(values))];
      const bool too_large = chosen == "inf" || chosen == "60000.0";
      return std::string(t == Type::f8e4m3fn && too_large ? "448.0" : chosen);
    }
    const IntRange range = int_range(t);
    constexpr int values[] = {0, 1, 2, 3, 7, 100, -1, -2, -5, -100};
    const int v = values[below(std::size(values))];
    if (one_in(8)) return to_text(wrap_int(t, one_in(2) ? range.lo : range.hi));
    return fmt::format("{}", v < range.lo ? -v : v);
  }

  std::string affine() {
    if (symbols_.empty() || one_in(6)) return one_in(2) ? "n" : fmt::format("{}", below(9));
    const std::string& s = symbols_[below(symbols_.size())];
    switch (below(6)) {
      case 0: return fmt::format("{} + {}", s, below(4));
      case 1: return fmt::format("2*{} - 3", s);
      case 2: return fmt::format("{} + {}", s, symbols_[below(symbols_.size())]);
      case 3: return fmt::format("floordiv({}, 2)", s);
      case 4: return fmt::format("min({}, n - 1)", s);
      default: return s;
    }
  }
  std::string subscript(int depth) {
    if (one_in(6)) return fmt::format("ids[floormod({}, {})]", affine(), extent);
    if (depth > 0 && one_in(8)) {
      const Type t = one_in(2) ? Type::i32 : Type::u16;
      return fmt::format("floormod({}, {}(({})))", expression(t, depth - 1), name(t), extent);
    }
    return fmt::format("floormod({}, {})", affine(), extent);
  }

  std::string condition(int depth) {
    switch (below(depth > 0 ? 6 : 2)) {
      case 0: return fmt::format("{} < {}", affine(), affine());
      case 1: return fmt::format("floormod({}, 2) == 0", affine());
      case 2: return fmt::format("({} && {})", condition(depth - 1), condition(depth - 1));
      case 3: return fmt::format("({} || {})", condition(depth - 1), condition(depth - 1));
      case 4: return fmt::format("!({})", condition(depth - 1));
      default: {
        const Type t = buffers_[below(buffers_.size())].type;  // a type that a load can have
        constexpr const char* compare[] = {"==", "!=", "<", "<=", ">", ">="};
        const char* op = compare[below(t == Type::boolean ? 2 : 6)];
        return fmt::format("({}) {} ({})", load(t, depth - 1), op, expression(t, depth - 1));
      }
    }
  }

  std::string load(Type t, int depth) {
    std::vector<std::string> found;
    for (const Buffer& b : buffers_) {
      if (b.type == t) found.push_back(b.name);
    }
    for (const Variable& v : variables_) {
      if (v.type == t && !one_in(3)) return v.name;
    }
    if (t == Type::f32 && one_in(4)) return fmt::format("k[{}]", subscript(depth));
    if (found.empty()) {
      return fmt::format("{}({}[{}, {}])", name(t), buffers_[below(buffers_.size())].name, row(depth),
                         subscript(depth));
    }
    return fmt::format("{}[{}, {}]", found[below(found.size())], row(depth), subscript(depth));
  }
  std::string row(int depth) { return grid_.empty() ? subscript(depth) : grid_; }

  std::string expression(Type t, int depth) {
    if (depth <= 0) return one_in(3) ? fmt::format("{}({})", name(t), affine()) : load(t, 0);
    switch (below(9)) {
      case 0: return load(t, depth - 1);
      case 1:
        return fmt::format("({} ? {} : {})", condition(depth - 1), expression(t, depth - 1), expression(t, depth - 1));
      case 2:
        return fmt::format("select({}, {}, {})", condition(depth - 1), expression(t, depth - 1),
                           expression(t, depth - 1));
      case 3: return fmt::format("{}({})", name(t), expression(random_type(), depth - 1));
      case 4: return one_in(2) ? scope(t, depth - 1) : load(t, depth - 1);
      default: return operation(t, depth);
    }
  }

  std::string operation(Type t, int depth) {
    if (t == Type::boolean) return "(" + condition(depth - 1) + ")";
    for (;;) {
      const Op op = static_cast<Op>(
          static_cast<int>(Op::neg) +
          static_cast<int>(below(static_cast<std::uint64_t>(Op::select) - static_cast<std::uint64_t>(Op::neg))));
      const bool unpromised = t == Type::f64 && ((op >= Op::exp && op <= Op::tanh) || op == Op::rsqrt || op == Op::pow);
      if (is_comparison(op) || !is_defined(op, t) || unpromised) continue;
      const std::string a = expression(t, depth - 1);
      if (op >= Op::floordiv && op <= Op::eucmod) {
        const std::string divisor = is_signed_int(t) && one_in(2) ? "-3" : "7";
        return fmt::format("{}({}, {})", info(op).text, a,
                           one_in(3) ? fmt::format("({0} == 0 ? {1} : {0})", load(t, 0), divisor) : divisor);
      }
      if (info(op).arity == 1)
        return info(op).function ? fmt::format("{}({})", info(op).text, a) : fmt::format("(-({}))", a);
      const std::string b = one_in(4) ? literal(t) : expression(t, depth - 1);
      if (info(op).arity == 3) return fmt::format("{}({}, {}, {})", info(op).text, a, b, expression(t, depth - 1));
      return info(op).function ? fmt::format("{}({}, {})", info(op).text, a, b)
                               : fmt::format("({} {} {})", a, info(op).text, b);
    }
  }

  std::string scope(Type t, int depth) {
    const std::string x = fresh("x"), k = fresh("k");
    const std::string first = expression(t, depth);
    symbols_.push_back(k);
    const std::size_t known = variables_.size();
    variables_.insert(variables_.begin(), {x, t, lanes_.size()});
    const std::string next = expression(t, depth), guarded = expression(t, depth), guard = condition(depth);
    const char* axis = one_in(3) ? " @unrolled" : "";
    variables_.erase(variables_.begin(), variables_.begin() + static_cast<std::ptrdiff_t>(variables_.size() - known));
    symbols_.pop_back();
    return fmt::format("scope {0}: {1} {{ {0} = {2}  for {3} in {4}..{5}{6} {{ {0} = {7}  if {8} {{ {0} = {9} }} }} }}",
                       x, name(t), first, k, below(3), one_in(2) ? "n" : "4", axis, next, guard, guarded);
  }

  std::string block(int indent, int depth, std::uint64_t longest) {
    const std::size_t variables = variables_.size();
    std::string s;
    for (std::uint64_t i = 0, n = 1 + below(longest); i < n; ++i) s += statement(indent, depth);
    variables_.resize(variables);
    return s;
  }

  std::string statement(int indent, int depth) {
    const std::string pad(static_cast<std::size_t>(2 * indent), ' ');
    switch (below(depth > 0 ? 8 : 4)) {
      case 0: {
        const Type t = random_type();
        const std::string v = fresh("v");
        std::string s = fmt::format("{}var {}: {} = {}\n", pad, v, name(t), expression(t, 2));
        variables_.push_back({v, t, lanes_.size()});
        return s;
      }
      case 1: {
        if (variables_.empty()) return store(pad);
        const Variable v =
            variables_[below(variables_.size())];  // a copy: the expression may hold a scope, which declares
        return v.lanes == lanes_.size() ? fmt::format("{}{} = {}\n", pad, v.name, expression(v.type, 3)) : store(pad);
      }
      case 4: {
        std::string s = fmt::format("{}if {} {{\n{}{}}}", pad, condition(2), block(indent + 1, depth - 1, 3), pad);
        if (one_in(2)) s += fmt::format(" else {{\n{}{}}}", block(indent + 1, depth - 1, 3), pad);
        return s + "\n";
      }
      case 5:
      case 6: return loop(pad, indent, depth, one_in(3) ? " @unrolled" : "", false);
      case 7:
        if (lanes_.empty() && grid_.empty() && one_in(3)) return product(pad);
        return lanes_.size() < 2 ? loop(pad, indent, depth, " @vectorized", true) : store(pad);
      default: return store(pad);
    }
  }

  std::string loop(const std::string& pad, int indent, int depth, const char* axis, bool lanes) {
    const std::string s = fresh(lanes ? "l" : "t");
    std::string lo = fmt::format("{}", below(3)), hi = one_in(2) ? "min(n, 6)" : fmt::format("{}", 1 + below(extent));
    if (!symbols_.empty() && one_in(2))
      (one_in(2) ? lo : hi) = lanes ? fmt::format("max(0, min({}, 6))", symbols_[below(symbols_.size())])
                                    : symbols_[below(symbols_.size())];
    const std::string step = one_in(4) ? fmt::format(" step {}", 2 + below(3)) : "";
    symbols_.push_back(s);
    if (lanes) lanes_.push_back(s);
    std::string text = fmt::format("{}for {} in {}..{}{}{} {{\n{}{}}}\n", pad, s, lo, hi, step, axis,
                                   block(indent + 1, depth - 1, 4), pad);
    if (lanes) lanes_.pop_back();
    symbols_.pop_back();
    return text;
  }

  // A tile product of parts of the buffers.
  std::string product(const std::string& pad) {
    const Buffer& sum = buffers_[2 + below(buffers_.size() - 2)];
    if (sum.type == Type::boolean) return store(pad);
    const std::string i = fresh("t"), j = fresh("t"), k = fresh("t");
    const auto factor = [&](const std::string& first, const std::string& last) {
      const Buffer* b = &buffers_[below(buffers_.size())];
      while (b->name == sum.name) b = &buffers_[below(buffers_.size())];
      const std::string element =
          one_in(3) ? fmt::format("{}[{}, {}]", b->name, last, first) : fmt::format("{}[{}, {}]", b->name, first, last);
      return b->type == sum.type ? element : fmt::format("{}({})", name(sum.type), element);
    };
    const std::string cell = fmt::format("{}[{}, {}]", sum.name, i, j);
    const std::string a = factor(i, k), b = factor(k, j);
    const std::string update = is_float(sum.type) && one_in(2) ? fmt::format("{} = fma({}, {}, {})", cell, a, b, cell)
                                                               : fmt::format("{} += {} * {}", cell, b, a);
    std::string nest = one_in(3) ? fmt::format("if {} + {} < n {{ {} }}", i, k, update) : update;
    for (const std::string& s : {k, j, i})
      nest = fmt::format("for {} in {}..{} {{ {} }}", s, below(2), one_in(4) ? "min(n, 6)" : "4", nest);
    return fmt::format("{}for {} in 0..{} @tile {{ {} }}\n", pad, fresh("l"), 1 + below(33), nest);
  }

  std::string store(const std::string& pad) {
    std::vector<const Buffer*> targets;
    for (const Buffer& b : buffers_) {
      if (b.writable && (grid_.empty() || b.name != "b2")) targets.push_back(&b);
    }
    const Buffer& b = *targets[below(targets.size())];
    std::string first = row(1), second = subscript(1);
    if (!lanes_.empty()) {
      // Lanes are told apart by their symbols; with a row taken by the group only one level of lanes fits.
      second = lanes_.back();
      if (grid_.empty()) first = lanes_.size() > 1 ? lanes_.front() : fmt::format("{}", below(extent));
    }
    constexpr const char* assignments[] = {"=", "=", "+=", "*=", "max=", "min="};
    const char* how = assignments[below(b.type == Type::boolean ? 2 : 6)];
    return fmt::format("{}{}[{}, {}] {} {}\n", pad, b.name, first, second, how, expression(b.type, 3));
  }

  std::mt19937_64 engine_;
  int counter_ = 0;
  std::string grid_;
  std::vector<Buffer> buffers_;
  std::vector<Variable> variables_;
  std::vector<std::string> symbols_, lanes_;
};

}  // namespace

std::string random_program(std::uint64_t seed) { return Generator(seed).program(); }

}  // namespace assay::codegen::test
