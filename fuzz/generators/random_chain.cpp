// Texts are put together statement by statement; what is filled so far decides what may be read.
#include "fuzz/generators/random_chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace assay::fuzz {

std::string random_chain(interp::Random& random) {
  const std::vector<std::string> temps{"T", "U", "V", "W"};
  std::string text = "program p { param n in 1..7 input X: f32[n] output Y: f32[n] ";
  for (const std::string& t : temps) text += fmt::format("temp {}: f32[{}] ", t, random.below(3) == 0 ? "n + 1" : "n");
  std::vector<std::string> filled{"X"};
  const auto from = [&] {
    const std::string& s = filled[random.below(filled.size())];
    return fmt::format("{}[{}]", s, random.coin() ? "i" : "n - 1 - i");
  };
  const std::uint64_t length = 4 + random.below(4);
  for (std::uint64_t k = 0; k < length; ++k) {
    const std::string to = k + 1 == length ? "Y" : temps[random.below(temps.size())];
    const bool filled_before = std::find(filled.begin(), filled.end(), to) != filled.end();
    const bool zeroed = random.below(3) == 0;
    if (zeroed) text += fmt::format("zero {} ", to);
    if (zeroed && random.coin()) text += fmt::format("for i in 0..n {{ W[i] = {} }} ", from());
    const bool adds = zeroed || (filled_before && random.coin());
    text += fmt::format("for i in 0..n {{ {}[i] {} {} * {} }} ", to, adds ? "+=" : "=", from(), from());
    if (!filled_before) filled.push_back(to);
  }
  return text + "}";
}

std::string random_frame(interp::Random& random) {
  const auto below = [&](std::uint64_t n) { return static_cast<int>(random.below(n)); };
  const char* const kind = below(3) == 0 ? "temp" : below(2) == 0 ? "inout" : "output";
  const int rank = 1 + below(2);
  std::string dims, cell, inside, loops, all, every;
  for (int d = 0; d < rank; ++d) {
    const char name = static_cast<char>('i' + d), other = static_cast<char>('x' + d);
    const int before = below(3), behind = before == 0 ? 1 + below(2) : below(3), extent = 2 + below(4);
    const std::string size = d == 0 && below(2) == 0 ? "n" : std::to_string(extent);
    const char* const comma = d == 0 ? "" : ", ";
    dims += fmt::format("{}{} + {}", comma, size, before + behind);
    const bool shifted = below(2) == 0;  // in the bounds, or in the index
    cell += shifted ? fmt::format("{}{}", comma, name) : fmt::format("{}{} + {}", comma, name, before);
    inside += fmt::format("{}{}", comma, name);
    const std::string step = below(12) == 0 ? " step 2" : "";
    loops += shifted ? fmt::format("for {} in {}..{} + {}{} {{ ", name, before, size, before, step)
                     : fmt::format("for {} in 0..{}{} {{ ", name, size, step);
    all += fmt::format("for {} in 0..{} + {} {{ ", other, size, before + behind);
    every += fmt::format("{}{}", comma, other);
  }
  const std::string ends(static_cast<std::size_t>(rank), '}');
  const bool temp = kind == std::string_view("temp");
  std::string text = fmt::format("program p {{ param n in 1..6 input A: f32[10{}] {} C: f32[{}] ",
                                 rank == 2 ? ", 10" : "", kind, dims);
  if (temp || below(2) == 0) text += fmt::format("output Y: f32[{}] ", dims);
  const bool follows = text.find("output Y") != std::string::npos;
  text += "zero C ";
  std::string store = fmt::format("C[{}] {} A[{}]", cell, below(10) == 0 ? "+=" : "=", inside);
  if (below(12) == 0) store = fmt::format("if i != 1 {{ {} }}", store);
  text += fmt::format("{}{} {} ", loops, store, ends);
  if (follows) text += fmt::format("{}Y[{}] = C[{}] * 2.0 {} ", all, every, every, ends);
  return text + "}";
}

}  // namespace assay::fuzz
