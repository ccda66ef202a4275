// The table of verdicts.
#include "oracle/verdict.hpp"

#include <array>

namespace assay::oracle {
namespace {

struct Row {
  std::string_view word;
  int status;
};
constexpr std::array<Row, 14> table{{{"ok", 0},
                                     {"clean", 0},
                                     {"legal", 0},
                                     {"equivalent", 0},
                                     {"sound", 0},
                                     {"faulty", 1},
                                     {"illegal", 1},
                                     {"different", 1},
                                     {"unsound", 1},
                                     {"failed", 1},
                                     {"error", 2},
                                     {"undecided", 3},
                                     {"inapplicable", 4},
                                     {"contradiction", 70}}};

}  // namespace

std::string_view word(Verdict v) { return table[static_cast<std::size_t>(v)].word; }

std::optional<Verdict> parse_verdict(std::string_view text) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].word == text) return static_cast<Verdict>(i);
  }
  return std::nullopt;
}

int exit_status(Verdict v) { return table[static_cast<std::size_t>(v)].status; }

}  // namespace assay::oracle
