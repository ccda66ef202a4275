// A program is grown as text: one or two @workgroup loops (and a @grid loop around them, sometimes), and inside phases of
// accesses to shared and device buffers, often with a barrier behind. Cells are near the thread's own, so that threads meet
// by neighbourhood, by folding and by conditions, not everywhere. Some programs have tile products between their nests, mostly of
// as many lanes as the nests have threads.
#include "fuzz/generators/random_threads.hpp"

#include <fmt/format.h>

#include <vector>

namespace assay::fuzz {
namespace {

class ThreadGrower {
 public:
  explicit ThreadGrower(interp::Random& random) : random_(random) {}

  std::string run() {
    const bool grid = one_in(3);
    if (grid) serial_.emplace_back("g");
    std::string inside;
    lanes_ = one_in(3) ? 1 + below(3) : 0;
    reduces_ = lanes_ == 0 && one_in(2);
    if (lanes_ > 0) {
      inside = pieces();
    } else {
      const int nests = one_in(4) ? 2 : 1;
      for (int k = 0; k < nests; ++k) inside += nest(k);
    }
    if (one_in(8)) inside += store();
    serial_.clear();
    const std::string grid_loop = grid ? fmt::format("for g in 0..{} @grid {{\n{}}}\n", 1 + below(3), inside) : inside;
    const std::string second =
        one_in(8) ? fmt::format("launch\nfor z in 0..4 @workgroup {{ G[z, {}] = S[0] }}\n", below(3)) : "";
    return "program p {\n  param n in 1..5\n  input A: i32[20]\n  inout G: i32[20, 4]\n  shared S: i32[20]\n  shared "
           "T: i32[20]\n  input W: i32[20, 4]\n  shared M: i32[20, 4]\n  shared N: i32[20, 4]\n  local c: i32[1]\n" +
           grid_loop + second + "}\n";
  }

 private:
  bool one_in(std::uint64_t k) { return random_.below(k) == 0; }
  int below(std::uint64_t k) { return static_cast<int>(random_.below(k)); }

  // Nests and tile products in turn, in a serial loop at times.
  std::string pieces() {
    std::string out;
    const bool loop = one_in(3);
    if (loop) serial_.emplace_back("r");
    const int count = 2 + below(3);
    for (int k = 0; k < count; ++k) out += k == 1 || one_in(4) ? product() : nest(k == 0 ? 0 : 1);
    if (!loop) return out;
    serial_.pop_back();
    return fmt::format("for r in 0..{} {{\n{}}}\n", extent(), out);
  }

  std::string product() {
    const char* const buffers[] = {"M", "N", "G", "W"};
    const int sum = below(3);
    const auto factor = [&] { return buffers[(sum + 1 + below(3)) % 4]; };
    const auto offset = [&]() -> std::string {
      if (!serial_.empty() && one_in(3)) return " + 2*" + serial_.back();
      return one_in(2) ? "" : fmt::format(" + {}", below(3));
    };
    const std::string number = std::to_string(loops_++);
    const std::string i = "i" + number, j = "j" + number, k = "k" + number;
    std::string update = fmt::format("{}[{}{}, {}] += {}[{}{}, {}] * {}[{}{}, {}]", buffers[sum], i, offset(), j,
                                     factor(), i, offset(), k, factor(), k, offset(), j);
    if (one_in(4)) update = fmt::format("if {} < n {{ {} }}", i, update);
    const int lanes = lanes_ == 0 ? 1 : one_in(12) ? 1 + below(3) : lanes_;
    const std::string nest =
        fmt::format("for l{} in 0..{} @tile {{ for {} in 0..{} {{ for {} in 0..2 {{ for {} in 0..2 {{ {} }} }} }} }}\n",
                    number, lanes, i, 1 + below(2), j, k, update);
    if (one_in(10) && !thread_.empty()) return fmt::format("if {} {{\n{}}}\n", condition(), nest);
    return nest;
  }

  std::string extent() { return one_in(2) ? "n" : std::to_string(1 + below(4)); }

  std::string nest(int number) {
    const std::string t = number == 0 ? "t" : "s";
    const bool two = one_in(4);
    thread_ = t;
    second_ = two ? t + "u" : "";
    const std::string lower = one_in(6) ? "1" : "0";
    const std::string body = phases(2 + below(3), 2);
    const std::string u =
        two ? fmt::format("for {} in 0..{} @workgroup {{\n{}}}\n", second_, 1 + below(3), body) : body;
    thread_.clear();
    second_.clear();
    const std::string upper = lanes_ > 0 && !one_in(8) ? fmt::format("{}{}", lower == "1" ? "1 + " : "", lanes_)
                              : lower == "1"           ? "n + 1"
                                                       : extent();
    return fmt::format("for {} in {}..{} @workgroup {{\n{}}}\n", t, lower, upper, u);
  }

  std::string phases(int count, int depth) {
    std::string out;
    for (int k = 0; k < count; ++k) {
      out += phase(depth);
      if (!one_in(3)) out += "barrier\n";
    }
    return out;
  }

  std::string phase(int depth) {
    if (!reduces_ && lanes_ == 0 && one_in(10)) return product();
    switch (below(depth > 0 ? 7 : 3)) {
      case 6: return reduces_ ? reduction() : store();
      case 3: {
        const std::string k = "k" + std::to_string(loops_++);
        const std::string bound = one_in(8) ? fmt::format("{} + 1", thread_) : extent();
        const std::string lower = one_in(8) ? thread_ : "0";
        serial_.push_back(k);
        const std::string body = phases(1 + below(2), depth - 1);
        serial_.pop_back();
        return fmt::format("for {} in {}..{}{} {{\n{}}}\n", k, lower, bound, lower == "0" ? "" : " + " + lower, body);
      }
      case 4: return fmt::format("if {} {{\n{}}}\n", condition(), one_in(4) ? phases(1, depth - 1) : store());
      case 5: return store() + store();
      default: return store();
    }
  }

  // Threads, or each thread by itself, add up a few terms.
  std::string reduction() {
    const std::string k = "k" + std::to_string(loops_++);
    std::string target = one_in(4) ? "c[0]" : access();
    while (target[0] == 'A') target = access();
    serial_.push_back(k);
    std::string term = access();
    while (term[0] == target[0] || term.starts_with("c[")) term = access();
    const std::string guard = one_in(4) ? condition() : "";
    serial_.pop_back();
    const std::string update = fmt::format("{} = {} + {}\n", target, target, term);
    return fmt::format("for {} in 0..{} @reduce {{\n{}}}\n", k, extent(),
                       guard.empty() ? update : fmt::format("if {} {{\n{}}}\n", guard, update));
  }

  std::string condition() {
    switch (below(4)) {
      case 0: return fmt::format("{} == {}", thread_, below(3));
      case 1: return fmt::format("{} < {}", thread_, below(4));
      case 2:
        return serial_.empty() ? fmt::format("n > {}", below(4)) : fmt::format("{} != {}", serial_.back(), below(3));
      default: return fmt::format("floormod({}, 2) == {}", thread_, below(2));
    }
  }

  std::string cell() {
    std::vector<std::string> terms;
    if (!thread_.empty() && !one_in(6)) {
      const char* const forms[] = {"{}", "{}", "{}", "{} + 1", "2*{}", "3 - {}", "floormod({}, 2)", "floordiv({}, 2)"};
      terms.push_back(fmt::format(fmt::runtime(forms[below(8)]), thread_));
    }
    if (!second_.empty() && !one_in(4)) terms.push_back("5*" + second_);
    if (!serial_.empty() && one_in(3)) terms.push_back((one_in(2) ? "5*" : "") + serial_.back());
    if (terms.empty()) terms.push_back(std::to_string(below(3)));
    return fmt::format("{}", fmt::join(terms, " + "));
  }

  std::string access() {
    if (lanes_ > 0 && one_in(2)) return fmt::format("{}[{}, {}]", one_in(2) ? "M" : "N", cell(), below(3));
    switch (below(5)) {
      case 0:
      case 1: return fmt::format("S[{}]", cell());
      case 2: return fmt::format("T[{}]", cell());
      case 3: return fmt::format("G[{}, {}]", cell(), serial_.empty() || serial_[0] != "g" ? "0" : "g");
      default: return fmt::format("A[{}]", cell());
    }
  }

  std::string store() {
    std::string target = access();
    while (target[0] == 'A') target = access();
    return fmt::format("{} = {}\n", target, one_in(4) ? std::to_string(below(9)) : access());
  }

  interp::Random& random_;
  std::string thread_, second_;
  std::vector<std::string> serial_;
  int loops_ = 0;
  int lanes_ = 0;         // of the tile products; 0: none between nests
  bool reduces_ = false;  // with @reduce loops, and so without tile products (WF-28)
};

}  // namespace

std::string random_threads(interp::Random& random) { return ThreadGrower(random).run(); }

}  // namespace assay::fuzz
