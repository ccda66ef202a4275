// In every phase each thread computes its own cells of some arrays, from cells of any thread that earlier phases have
// defined, and from cells of its own. A barrier ends a phase, and `launch` a few of them.
#include "fuzz/generators/random_phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace assay::fuzz {
namespace {

struct Array {
  const char* name;
  char kind;  // d: device memory, s: shared, l: local
};
constexpr Array arrays[] = {{"P", 'd'}, {"Q", 'd'}, {"S", 's'}, {"R", 's'}, {"r", 'l'}};

class PhaseGrower {
 public:
  explicit PhaseGrower(interp::Random& random) : random_(random) {}

  std::string run() {
    grid_ = one_in(2);
    std::string body;
    const int launches = 1 + below(3);
    for (int l = 0; l < launches; ++l) body += (l > 0 ? "launch\n" : "") + launch(l, l + 1 == launches);
    return "program p {\n  param n in 2..5\n  input A: f32[4, 8]\n  inout X: f32[4, 8]\n  output Y: f32[4, n]\n"
           "  temp P: f32[4, 8]\n  temp Q: f32[4, 8]\n  shared S: f32[8]\n  shared R: f32[8]\n  local r: f32[1]\n" +
           body + "}\n";
  }

 private:
  bool one_in(int k) { return random_.below(static_cast<std::uint64_t>(k)) == 0; }
  int below(int k) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(k))); }

  std::string launch(int number, bool last) {
    group_ = fmt::format("g{}", number);
    thread_ = fmt::format("t{}", number);
    earlier_.insert(earlier_.end(), mine_.begin(), mine_.end());
    mine_.clear();
    const auto is_copy = [](const Array& a) { return a.kind != 'd'; };
    earlier_.erase(std::remove_if(earlier_.begin(), earlier_.end(), is_copy), earlier_.end());
    std::string phases;
    const int count = 1 + below(3);
    for (int k = 0; k < count; ++k) phases += phase();
    if (last) phases += fmt::format("Y[{}, {}] = {}\n", group_, thread_, value(2));
    return fmt::format("for {} in 0..4{} {{ for {} in 0..n @workgroup {{\n{}{}}} }}\n", group_, grid_ ? " @grid" : "",
                       thread_, phases, grid_ ? "" : "barrier\n");
  }

  static void forget(std::vector<Array>& list, const Array& a) {
    list.erase(std::remove_if(list.begin(), list.end(), [&](const Array& b) { return a.name == b.name; }), list.end());
  }

  std::string phase() {
    std::string out;
    const int count = 1 + below(2);
    for (int k = 0; k < count; ++k) {
      const Array& a = arrays[below(5)];
      out += fmt::format("{} = {}\n", cell(a, thread_), value(2));
      forget(earlier_, a);
      forget(mine_, a);
      mine_.push_back(a);
    }
    if (one_in(3)) out += fmt::format("X[{}, {}] = {}\n", group_, thread_, value(2));
    if (!one_in(6)) {
      out += "barrier\n";
      earlier_.insert(earlier_.end(), mine_.begin(), mine_.end());
      mine_.clear();
    }
    return out;
  }

  std::string cell(const Array& a, const std::string& at) const {
    if (a.kind == 'l') return "r[0]";
    return a.kind == 's' ? fmt::format("{}[{}]", a.name, at) : fmt::format("{}[{}, {}]", a.name, group_, at);
  }

  std::string any_thread() {
    switch (below(4)) {
      case 0: return fmt::format("n - 1 - {}", thread_);
      case 1: return fmt::format("floormod({} + 1, 2)", thread_);
      case 2: return "0";
      default: return thread_;
    }
  }

  std::string value(int depth) {
    if (depth > 0 && !one_in(3)) {
      const char* const forms[] = {"({} + {})", "({} * {})", "max({}, {})", "({} - {})"};
      const std::string a = value(depth - 1), b = one_in(4) ? a : value(depth - 1);
      return fmt::format(fmt::runtime(forms[below(4)]), a, b);
    }
    const int choice = below(8);
    if (choice < 4 && !earlier_.empty()) {
      const Array& a = earlier_[static_cast<std::size_t>(below(static_cast<int>(earlier_.size())))];
      return cell(a, any_thread());
    }
    if (choice == 4 && !mine_.empty()) return cell(mine_.back(), thread_);
    if (choice == 5) return fmt::format("X[{}, {}]", group_, thread_);
    if (choice == 6) return one_in(2) ? "2.0" : "1.0";
    return fmt::format("A[{}, {}]", group_, any_thread());
  }

  interp::Random& random_;
  bool grid_ = false;
  std::string group_, thread_;
  std::vector<Array> earlier_, mine_;  // what all threads have defined, and what the thread itself has
};

}  // namespace

std::string random_phases(interp::Random& random) { return PhaseGrower(random).run(); }

}  // namespace assay::fuzz
