// Glue between judges. Inputs with many different values make one order of stores tell from another.
#include "fuzz/targets/thread_property.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fuzz/judges/interleavings.hpp"
#include "interp/inputs.hpp"
#include "interp/interpreter.hpp"
#include "ir/text/source.hpp"
#include "proofs/validate/validate.hpp"

namespace assay::fuzz {
namespace {

using Status = Obligation::Status;

struct Explored {
  bool any = false, complete = true, differs = false;
  std::string why{};
};

std::string text(const ParameterMap& size) {
  std::string out;
  for (const auto& [name, value] : size) out += fmt::format("{}={} ", name, value);
  return out;
}

// Of a program that is not clean it is only told whether some order shows it: a short look is enough.
Explored explore(const Program& p, const std::vector<ParameterMap>& sizes, bool clean) {
  Explored out;
  for (const ParameterMap& size : sizes) {
    for (const interp::InputKind kind : {interp::InputKind::exact, interp::InputKind::adversarial}) {
      if (!clean && kind != interp::InputKind::exact) break;
      const TensorMap inputs = interp::generate_inputs(p, size, kind, 1);
      interp::Options options;
      options.parameters = size;
      const interp::Outcome canonical = interp::run(p, inputs, options);
      for (const std::int64_t lane : {std::int64_t{0}, std::int64_t{1'000'000}}) {
        InterleavingLimits limits;
        limits.tile_lane = lane;
        if (kind != interp::InputKind::exact) limits.states = 200;
        if (!clean) limits.states = 30;
        const auto found = explore_interleavings(p, size, inputs, limits);
        if (!found) {
          out.complete = false;
          continue;
        }
        out.any = true;
        out.complete = out.complete && found->complete;
        std::string why;
        if (found->differs()) why = found->endings.back().fault.empty() ? "two endings" : found->endings.back().fault;
        if (!found->differs() && canonical.status == interp::Status::ok && !found->endings.empty() &&
            found->endings[0].outputs != canonical.outputs)
          why = "another ending than the canonical one";
        if (canonical.status == interp::Status::fault && !found->differs() && found->complete)
          why = "canonical execution faults alone: " + canonical.fault->code;
        if (!why.empty()) {
          out.differs = true;
          out.why = fmt::format("{}at {}{} input, tile lane {}", why + " ", text(size),
                                kind == interp::InputKind::exact ? "exact" : "adversarial", lane);
          return out;
        }
      }
    }
  }
  return out;
}

// What a run with every way of taking turns sees: a race or a fault.
std::string seen_by_runs(const Program& p, const ParameterMap& size, int seeds) {
  for (int seed = 0; seed < seeds; ++seed) {
    for (const interp::InputKind kind :
         {interp::InputKind::exact, interp::InputKind::adversarial, interp::InputKind::special}) {
      const TensorMap inputs = interp::generate_inputs(p, size, kind, static_cast<std::uint64_t>(seed));
      for (const interp::Turns turns :
           {interp::Turns::canonical, interp::Turns::reversed, interp::Turns::round_robin, interp::Turns::random}) {
        interp::Options options;
        options.parameters = size;
        options.detect_races = true;
        options.turns = turns;
        options.seed = static_cast<std::uint64_t>(seed);
        options.budget = 2'000'000;
        const interp::Outcome o = interp::run(p, inputs, options);
        if (o.status == interp::Status::fault) return o.fault->code + " at " + text(size) + o.fault->message;
        if (o.race) return "a race on " + o.race->buffer + " at " + text(size);
      }
    }
  }
  return {};
}

}  // namespace

std::vector<ParameterMap> small_sizes(const Program& p) {
  std::vector<ParameterMap> out;
  const auto smallest = interp::smallest_parameters(p);
  if (!smallest) return out;
  out.push_back(*smallest);
  if (p.parameters.empty()) return out;
  for (std::int64_t by = 1; by <= 24 && out.size() < 4; ++by) {
    ParameterMap all = *smallest;
    for (std::size_t k = 0; k < p.parameters.size(); ++k)
      all[p.parameters[k].name] += by + static_cast<std::int64_t>(by == 2 ? k : 0);
    if (interp::admissible(p, all)) out.push_back(all);
  }
  return out;
}

void judge_threads(const Program& p, Query& query, ThreadPropertyCounts& c) {
  ++c.programs;
  bool clean = true, violated = false;
  std::vector<ParameterMap> witnesses;
  std::string open;
  for (const Obligation& o : lint_obligations(p, query)) {
    clean &= o.status == Status::proved;
    violated |= o.status == Status::violated;
    if (o.status == Status::violated && o.witness) {
      ParameterMap size = o.witness->parameters;
      if (const auto least = interp::smallest_parameters(p)) size.insert(least->begin(), least->end());
      if (interp::admissible(p, size)) witnesses.push_back(size);
    }
    if (o.status == Status::undecided) {
      ++c.open[o.kind + " " + o.code];
      open += o.kind + ": " + o.reason + "; ";
    }
  }
  const std::vector<ParameterMap> sizes = small_sizes(p);
  if (clean) {
    ++c.clean;
    for (const ParameterMap& size : sizes) {
      if (const std::string seen = seen_by_runs(p, size, 1); !seen.empty())
        c.failures.push_back("proved, and a run sees " + seen + "\n" + print(p));
    }
  } else if (violated) {
    ++c.refuted;
    std::string seen;
    for (const ParameterMap& size : witnesses) {
      if (seen = seen_by_runs(p, size, 6); !seen.empty()) break;
    }
    ++(seen.empty() ? c.unseen : c.seen);
    if (seen.empty()) c.notes.push_back("refuted, and no run sees it\n" + print(p));
  } else {
    ++c.undecided;
    c.notes.push_back("undecided (" + open + ")\n" + print(p));
  }
  const Explored found = explore(p, sizes, clean);
  if (!clean) {
    ++(found.differs ? c.differing : c.harmless);
    return;
  }
  if (found.differs) c.failures.push_back("proved, and orders end differently: " + found.why + "\n" + print(p));
  ++(found.any && found.complete ? c.equal : c.unexplored);
}

std::string summary(const ThreadPropertyCounts& c) {
  std::string out = fmt::format(
      "programs {}: clean {} (all orders equal {}, not all explored {}), refuted {} (seen by a run {}, not seen {}), "
      "undecided {}; of those not clean {} end differently in some orders, {} do not at small sizes\n",
      c.programs, c.clean, c.equal, c.unexplored, c.refuted, c.seen, c.unseen, c.undecided, c.differing, c.harmless);
  for (const auto& [what, n] : c.open) out += fmt::format("  open: {} {}\n", what, n);
  return out;
}

}  // namespace assay::fuzz
