// A program is grown as text: a @grid loop perhaps, one or two @workgroup loops outside or inside of the loop over blocks, and
// the loop through a block. Each thread owns one cell of the output. Indices of the inputs are sums over some of the loops,
// shifted, reversed or with a stride at times, so that tiles have halos and gaps and leave their buffer.
#include "fuzz/generators/random_staging.hpp"

#include <fmt/format.h>

#include <vector>

namespace assay::fuzz {
namespace {

class StagingGrower {
 public:
  explicit StagingGrower(interp::Random& random) : random_(random) {}

  std::string run() {
    const bool grid = one_in(3), rows = one_in(2), inside = one_in(3);
    block_ = 1 + below(8);
    if (one_in(2)) block_ = 1 << below(4);
    const std::string blocks = one_in(2) ? "n" : std::to_string(1 + below(3));
    const std::string type = one_in(3) ? "f32" : "i32";
    const std::string owner = fmt::format("{}, {}, j", grid ? "g" : "0", rows ? "i" : "0");
    moving_ = {fmt::format("{}*o + k", block_), "k", "j"};
    if (rows) moving_.emplace_back("i");
    if (grid) moving_.emplace_back("g");
    const std::string term = access("A") + (one_in(2) ? " * " + access("B") : "");
    std::string body = fmt::format("for k in 0..{} {{ C[{}] += {} }}\n", block_, owner, term);
    const std::string guard = one_in(4) ? condition() : "";
    const auto threads = [&](std::string s) {
      s = fmt::format("for j in 0..{} @workgroup {{\n{}}}\n", columns_, s);
      return rows ? fmt::format("for i in 0..{} @workgroup {{\n{}}}\n", rows_, s) : s;
    };
    // A condition around the threads' work in a block; barriers cannot stand under one that threads do not share.
    if (!guard.empty()) body = fmt::format("if {} {{\n{}}}\n", guard, body);
    if (inside) body = threads(std::move(body));
    if (one_in(5)) body += after();
    body = fmt::format("for o in 0..{} {{\n{}}}\n", blocks, body);
    if (!inside) body = threads(std::move(body));
    if (grid) body = fmt::format("for g in 0..2 @grid {{\n{}}}\n", body);
    return fmt::format(
        "program p {{\n  param n in 1..4\n  input A: {0}[40, 40]\n  input B: {0}[40]\n  inout C: {0}[2, {1}, {2}]\n  "
        "inout D: "
        "{0}[40]\n{3}}}\n",
        type, rows_, columns_, body);
  }

 private:
  bool one_in(std::uint64_t k) { return random_.below(k) == 0; }
  int below(int k) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(k))); }

  std::string index() {
    std::string e = moving_[static_cast<std::size_t>(one_in(2) ? 0 : below(static_cast<int>(moving_.size())))];
    if (one_in(6)) e += " + " + moving_[static_cast<std::size_t>(below(static_cast<int>(moving_.size())))];
    switch (below(8)) {
      case 0: return e + " + 1";
      case 1: return "2*(" + e + ")";
      case 2: return "36 - (" + e + ")";
      default: return e;
    }
  }
  std::string access(const std::string& buffer) {
    return buffer == "A" ? fmt::format("A[{}, {}]", index(), index()) : fmt::format("B[{}]", index());
  }
  std::string condition() { return one_in(2) ? "o < 2" : "j < 2"; }
  // Something else that happens in every block: by one thread, or nothing at all.
  std::string after() { return one_in(2) ? "if n > 9 { D[0] = A[0, 0] }\n" : ""; }

  interp::Random& random_;
  int block_ = 4;
  int rows_ = 1 + below(3), columns_ = 1 + below(4);
  std::vector<std::string> moving_;
};

}  // namespace

std::string random_staging(interp::Random& random) { return StagingGrower(random).run(); }

}  // namespace assay::fuzz
