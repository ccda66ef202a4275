// Grown as text. A block knows whether all threads of a group are there together.
#include "fuzz/generators/random_conditions.hpp"

#include <fmt/format.h>

#include <vector>

namespace assay::fuzz {
namespace {

class ConditionGrower {
 public:
  ConditionGrower(interp::Random& random, int barriers) : random_(random), barriers_(barriers) {}

  std::string run() {
    const bool grid = one_in(3);
    if (grid) group_ = "g";
    std::string text =
        "program p {\n  param n in 2..4\n  input A: i32[24]\n  input c: i32[6] in 0..2\n  input d: i32[8] in 0..5\n  "
        "inout G: "
        "i32[24, 2]\n  inout H: i32[24, 2]\n";
    shared_defined_ = one_in(2);
    text += shared_defined_ && !grid ? "  inout S: i32[24]\n" : "  shared S: i32[24]\n";
    text += "  local r: i32[2]\n";
    const int launches = one_in(4) ? 2 : 1;
    for (int l = 0; l < launches; ++l) {
      if (l > 0) text += "launch\n";
      std::string inside;
      const int nests = one_in(4) ? 2 : 1;
      for (int k = 0; k < nests; ++k) inside += nest();
      text += grid ? fmt::format("for g in 0..2 @grid {{\n{}}}\n", inside) : inside;
    }
    return text + "}\n";
  }

 private:
  bool one_in(std::uint64_t k) { return random_.below(k) == 0; }
  int below(int k) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(k))); }
  template <std::size_t N>
  const char* one_of(const char* const (&list)[N]) {
    return list[below(static_cast<int>(N))];
  }

  std::string nest() {
    const bool two = one_in(4);
    const std::string upper = one_in(2) ? "n" : "3";
    thread_ = fmt::format("t{}", names_++);
    second_ = two ? fmt::format("w{}", names_++) : "";
    std::string body = "r[0] = A[" + thread_ + "]\n";
    if (!shared_defined_) body += fmt::format("S[{}] = A[{}]\n", own(), thread_) + barrier(true);
    body += block(3, true);
    if (two) body = fmt::format("for {} in 0..2 @workgroup {{\n{}}}\n", second_, body);
    const std::string bounds = one_in(8) ? "0..2*n step 2" : one_in(8) ? "1..4" : "0.." + upper;
    std::string out = fmt::format("for {} in {} @workgroup {{\n{}}}\n", thread_, bounds, body);
    thread_ = second_ = "";
    if (one_in(12)) out += fmt::format("G[{}, {}] = {}\n", below(20), column(), one_in(2) ? "7" : "A[0]");
    serial_.clear();
    variables_.clear();
    return out;
  }

  std::string barrier(bool together) { return together && below(10) < barriers_ ? "barrier\n" : ""; }

  std::string block(int depth, bool together) {
    std::string out;
    const std::size_t variables = variables_.size();
    const int count = 1 + below(3);
    for (int k = 0; k < count; ++k) out += item(depth, together) + barrier(together || one_in(60));
    variables_.resize(variables);
    return out;
  }

  std::string item(int depth, bool together) {
    switch (below(depth > 0 ? 9 : 5)) {
      case 0: {
        const std::string v = fmt::format("v{}", names_++);
        const std::string out = fmt::format("var {}: i32 = {}\n", v, value());
        variables_.push_back(v);
        return out;
      }
      case 1: return fmt::format("r[0] = {}\n", value());
      case 5:
      case 6: return loop(depth, together);
      case 7:
      case 8: return branch(depth, together);
      case 2: {
        static constexpr const char* updates[] = {"+=", "*=", "max="};
        return fmt::format("{} {} {}\n", cell(), one_of(updates), value());
      }
      default: return fmt::format("{} = {}\n", cell(), value());
    }
  }

  std::string loop(int depth, bool together) {
    const std::string k = fmt::format("k{}", names_++);
    static constexpr const char* uniform[] = {"0..2",        "0..n",         "1..n",
                                              "0..3 step 2", "0..min(n, 2)", "max(0, n - 2)..n"};
    std::string bounds = one_of(uniform);
    bool still = together;
    if (one_in(6)) {
      static constexpr const char* own[] = {"{0}..{0} + 2", "0..{0} + 1", "0..min({0}, 2)", "2*{0}..2*{0} + n",
                                            "{0}..{0} + 3 step 2"};
      const int which = below(5);
      bounds = fmt::format(fmt::runtime(own[which]), thread_);
      still = together && which != 1 && which != 2;
    }
    serial_.push_back(k);
    const std::string body = block(depth - 1, still);
    serial_.pop_back();
    return fmt::format("for {} in {} {{\n{}}}\n", k, bounds, body);
  }

  std::string branch(int depth, bool together) {
    bool still = together;
    std::string c = condition(still);
    if (one_in(5)) c = fmt::format("{} {} {}", c, one_in(2) ? "&&" : "||", condition(still));
    const std::string then = block(depth - 1, still);
    if (!one_in(3)) return fmt::format("if {} {{\n{}}}\n", c, then);
    return fmt::format("if {} {{\n{}}} else {{\n{}}}\n", c, then, block(depth - 1, still));
  }

  // Clears `together` where threads of a group may differ in it.
  std::string condition(bool& together) {
    switch (below(9)) {
      case 0: return "n > 2";
      case 1: return fmt::format("c[{}] == 1", below(3));
      case 2: return serial_.empty() ? "c[n] == 0" : fmt::format("c[floormod({}, 4)] == 1", serial_.back());
      case 3: return serial_.empty() ? "n < 3" : fmt::format("{} != 1", serial_.back());
      case 4: return group_.empty() ? "c[0] == c[1]" : fmt::format("c[{}] == 1", group_);
      default: break;
    }
    together = false;
    switch (below(5)) {
      case 0: return fmt::format("c[{}] == 1", thread_);
      case 1: return fmt::format("{} > 3", load());
      case 2: return variables_.empty() ? fmt::format("{} == 1", thread_) : fmt::format("{} > 3", variables_.back());
      case 3: return fmt::format("floormod({}, 2) == 0", thread_);
      default: return fmt::format("{} < {}", thread_, below(3));
    }
  }

  // A cell that no other thread calls its own.
  std::string own() { return second_.empty() ? thread_ : fmt::format("{} + 4*{}", thread_, second_); }

  std::string index() {
    if (!one_in(3)) return own();
    switch (below(9)) {
      case 0: return own() + " + 1";
      case 1: return fmt::format("{} + {}", own(), second_.empty() ? "4" : "8");
      case 2: return fmt::format("2*{}", thread_);
      case 3: return fmt::format("floordiv({}, 2)", thread_);
      case 4: return serial_.empty() ? "0" : fmt::format("{} + 8*{}", own(), serial_.back());
      case 5: return serial_.empty() ? "5" : serial_.back();
      case 6: return fmt::format("d[{}]", thread_);
      case 7: return fmt::format("3 - {}", thread_);
      default: return std::to_string(below(4));
    }
  }
  std::string column() { return group_.empty() ? "0" : group_; }
  std::string cell() {
    switch (below(5)) {
      case 0:
      case 1: return fmt::format("S[{}]", index());
      case 2: return fmt::format("H[{}, {}]", index(), column());
      default: return fmt::format("G[{}, {}]", index(), column());
    }
  }
  std::string load() {
    if (one_in(5)) return "r[0]";
    if (!variables_.empty() && one_in(3))
      return variables_[static_cast<std::size_t>(below(static_cast<int>(variables_.size())))];
    return one_in(3) ? fmt::format("A[{}]", index()) : cell();
  }
  std::string value() {
    switch (below(8)) {
      case 7: {
        // A value with statements of its own.
        bool any = true;
        const std::string x = fmt::format("x{}", names_++), k = fmt::format("k{}", names_++);
        std::string body = fmt::format("{} = {}", x, load());
        serial_.push_back(k);
        body += one_in(2) ? fmt::format(" for {} in 0..2 {{ {} = {} + {} }}", k, x, x, load()) : "";
        serial_.pop_back();
        if (one_in(2)) body += fmt::format(" if {} {{ {} = {} }}", condition(any), x, load());
        return fmt::format("scope {}: i32 {{ {} }}", x, body);
      }
      case 0: return fmt::format("{} + {}", load(), load());
      case 1: return fmt::format("{} * 3", load());
      case 2: {
        bool any = true;
        return fmt::format("{} ? {} : {}", condition(any), load(), load());
      }
      case 3: return std::to_string(below(9));
      default: return load();
    }
  }

  interp::Random& random_;
  int barriers_, names_ = 0;
  bool shared_defined_ = false;
  std::string thread_, second_, group_;
  std::vector<std::string> serial_, variables_;
};

}  // namespace

std::string random_conditions(interp::Random& random, int barriers) { return ConditionGrower(random, barriers).run(); }

}  // namespace assay::fuzz
