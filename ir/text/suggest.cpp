// The closest known word to a wrong one (DIAG-2): restricted Damerau-Levenshtein distance.
#include <algorithm>
#include <vector>

#include "ir/text/source.hpp"

namespace assay {
namespace {

constexpr std::size_t longest =
    64;  // longer words are not worth a guess, and the distance costs the product of the lengths

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal_but_for_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::string suggest(std::string_view wrong, const std::vector<std::string>& candidates) {
  if (wrong.size() > longest) return {};
  std::string best;
  std::size_t best_distance = longest;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > longest) continue;
    if (equal_but_for_case(wrong, candidate)) return candidate;
    const std::size_t longer = std::max(wrong.size(), candidate.size());
    const std::size_t shorter = std::min(wrong.size(), candidate.size());
    if (longer - shorter > longer / 3 || longer - shorter >= best_distance) continue;
    const std::size_t d = distance(wrong, candidate);
    if (d <= longer / 3 && d < best_distance) {
      best = candidate;
      best_distance = d;
    }
  }
  return best;
}

}  // namespace assay
