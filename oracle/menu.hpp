// `assay menu`: the steps that apply to a program, for a search, and default schedules (MENU-…).
#pragma once

#include <string>
#include <vector>

#include "ir/analysis/limits.hpp"
#include "oracle/judges.hpp"
#include "oracle/report.hpp"

namespace assay::oracle {

struct MenuOptions {
  bool proved = false;    // leave out steps that have an obligation which is not proved
  std::size_t most = 48;  // steps
  Licence licence = Licence::rounds;
  std::optional<DeviceLimits> limits{};  // that every launch of a result must keep within
  Budgets budgets{};
  Judges judges{};
};

struct MenuStep {
  std::string line{};                // of a schedule
  std::optional<Licence> licence{};  // of a proved step
  std::string digest{};              // of the program after it (ANA-3)
};
struct Menu {
  std::vector<MenuStep> steps{};
  std::size_t untried = 0;     // candidate lines beyond `most`
  std::size_t same = 0;        // steps with a result that another step, or the program itself, gives too
  std::size_t unfit = 0;       // candidate lines that do not apply
  std::size_t not_proved = 0;  // with `proved`
  std::size_t over = 0;        // with `limits`: a launch of the result may exceed one
};

Menu menu(const Program& p, const MenuOptions& options);
/// One line for each step, with its licence as a comment.
std::string menu_text(const Menu& m);
/// What was left out, for people.
std::string menu_claim(const Menu& m, bool proved);

/// SHA-256 of the printed canonical form, in hexadecimal (ANA-3).
std::string program_digest(const Program& p);

enum class Preset { cpu, gpu };
/// A schedule that maps the loops of `p` to hardware, step by step proved; what could not be proved is not in it.
std::vector<MenuStep> default_schedule(const Program& p, Preset preset, const MenuOptions& options);

}  // namespace assay::oracle
