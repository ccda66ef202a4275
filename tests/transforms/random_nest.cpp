// Random programs as text, from the outside in.
#include "random_nest.hpp"

#include <fmt/format.h>

#include <vector>

namespace assay::test {
namespace {

class Generator {
 public:
  explicit Generator(const Draw& draw) : draw_(draw) {}

  std::string block(int depth) {
    std::string out;
    const std::size_t outer_symbols = symbols_.size();
    const std::size_t outer_variables = variables_.size();
    // Mostly a single statement, so that nests are perfect often enough.
    const int statements = draw_(0, 3) == 0 ? draw_(0, 3) : 1;
    for (int i = 0; i < statements; ++i) out += statement(depth) + "\n";
    symbols_.resize(outer_symbols);
    variables_.resize(outer_variables);
    return out;
  }

 private:
  bool chance(int percent) { return draw_(1, 100) <= percent; }
  const std::string& symbol() {
    return symbols_[static_cast<std::size_t>(draw_(0, static_cast<int>(symbols_.size()) - 1))];
  }

  std::string index() {
    if (symbols_.empty() || chance(15)) return fmt::format("{}", draw_(0, 7));
    switch (draw_(0, 7)) {
      case 0: return fmt::format("floordiv({} + {}, {})", symbol(), draw_(-3, 5), draw_(2, 3));
      case 1: return fmt::format("floormod({} + {}*{}, {})", symbol(), draw_(1, 3), symbol(), draw_(2, 4));
      case 2: return fmt::format("{}*{} + {}", draw_(-3, 3), symbol(), draw_(-3, 9));
      case 3: return fmt::format("{} - {}*{} + {}", symbol(), draw_(1, 2), symbol(), draw_(0, 5));
      case 4: return fmt::format("max({}, {})", symbol(), draw_(0, 3));
      default: return symbol();
    }
  }

  std::string bound(int around) {
    if (symbols_.empty() || chance(45))
      return chance(25) ? fmt::format("n + {}", around - 2) : fmt::format("{}", around);
    switch (draw_(0, 7)) {
      case 0: return fmt::format("min({} + {}, {})", symbol(), draw_(-1, 3), around);
      case 1: return fmt::format("max({} - {}, {})", symbol(), draw_(0, 2), around - 3);
      case 2: return fmt::format("floordiv({}, 2) + {}", symbol(), around);
      case 3: return fmt::format("{}*{} + {}", draw_(-2, 2), symbol(), around);
      case 4: return fmt::format("floormod({}, 3) + {}", symbol(), around - 1);
      default: return fmt::format("{} + {}", symbol(), draw_(-1, around));
    }
  }

  std::string condition() {
    const auto affine = [&] {
      static const char* const comparisons[] = {"<", "<=", ">", ">=", "==", "!="};
      return fmt::format("{} {} {}", index(), comparisons[draw_(0, 5)],
                         chance(30) ? std::string("n") : fmt::format("{}", draw_(-2, 7)));
    };
    const auto data = [&] { return fmt::format("flag[{}] == {}", index(), draw_(0, 3)); };
    switch (draw_(0, 7)) {
      case 0: return data();
      case 1: return affine() + " && " + data();
      case 2: return data() + " || " + affine();
      case 3: return "!(" + affine() + " && " + affine() + ")";
      case 4: return affine() + " || " + affine();
      default: return affine();
    }
  }

  std::string value() {
    switch (draw_(0, 6)) {
      case 0: return fmt::format("f32({})", index());
      case 1: return fmt::format("({} ? X[{}] : Y[{}, 0])", condition(), index(), index());
      case 2: return fmt::format("select({}, X[{}], 1.5)", condition(), index());
      case 3: {
        const std::string s = fresh("s");
        const std::string k = fresh("k");
        std::string body = fmt::format("scope {}: f32 {{ {} = 0.0 for {} in {}..{} {{ ", s, s, k, bound(0), bound(4));
        symbols_.push_back(k);
        const bool guarded = chance(40);
        if (guarded) body += fmt::format("if {} {{ ", condition());
        body += fmt::format("{} = {} + X[{}]", s, s, index());
        symbols_.pop_back();
        return body + (guarded ? " } } }" : " } }");
      }
      case 4:
        if (!variables_.empty())
          return variables_[static_cast<std::size_t>(draw_(0, static_cast<int>(variables_.size()) - 1))] + " * 0.5";
        return "2.0";
      default: return fmt::format("X[{}] + Y[{}, {}]", index(), index(), index());
    }
  }

  std::string statement(int depth) {
    const int kind = depth <= 0 ? draw_(60, 99) : draw_(0, 99);
    if (kind < 60) return loop(depth);
    if (kind < 72) {
      std::string out = fmt::format("if {} {{ {} }}", condition(), block(depth - 1));
      if (chance(40)) out += fmt::format(" else {{ {} }}", block(depth - 1));
      return out;
    }
    if (kind < 78) {
      const std::string v = fresh("v");
      std::string out = fmt::format("var {}: f32 = {}", v, value());
      variables_.push_back(v);
      if (chance(50)) out += fmt::format("\n{} = {} + {}", v, v, value());
      return out;
    }
    if (kind < 82) return fmt::format("A[{}] += {}", index(), value());
    return fmt::format("B[{}, {}] = {}", index(), index(), value());
  }

  std::string loop(int depth) {
    static const char* const kinds[] = {"", "", "", "", "", "@unrolled", "@vectorized", "@grid"};
    const std::string i = fresh(chance(30) ? "j" : "i");
    const std::string lo = chance(60) ? fmt::format("{}", draw_(-1, 2)) : bound(0);
    std::string out =
        fmt::format("for {} in {}..{}", i, lo, chance(8) ? fmt::format("{}", draw_(-4, 0)) : bound(draw_(1, 6)));
    if (chance(30)) out += fmt::format(" step {}", draw_(2, 3));
    out += fmt::format(" {} {{ ", kinds[draw_(0, 7)]);
    symbols_.push_back(i);
    out += block(depth - 1);
    return out + "}";
  }

  std::string fresh(const std::string& stem) {
    return fmt::format("{}{}", stem, next_++ == 0 ? "" : fmt::format(".{}", next_));
  }

  const Draw& draw_;
  std::vector<std::string> symbols_, variables_;
  int next_ = 0;
};

}  // namespace

std::string random_nest(const Draw& draw) {
  Generator g(draw);
  std::string statements;
  while (statements.empty()) statements = g.block(3);
  return (draw(0, 3) == 0 ? "zero A " : "") + statements;
}

}  // namespace assay::test
