// The entry of the interpreter: resolve, set up, walk, and turn what stopped the walk into an outcome.
#include <new>

#include "interp/compiled/run.hpp"
#include "interp/machine.hpp"
#include "ir/analysis/launch.hpp"

namespace assay::interp {
namespace {

[[noreturn]] void cannot_start(const Program& p, std::string message) {
  Fault f;
  f.code = "RUN-9";
  f.message = std::move(message);
  f.at.where = f.access = p.where;
  throw Faulted{std::move(f)};
}

// One walk. With `locate`, an access to find, it ends with Located.
void walk(const Program& p, const TensorMap& inputs, const Options& options, std::uint64_t locate, Outcome& out,
          std::uint64_t& first_of_race) {
  const auto program = resolve(p, options.reordered);
  if (!program) cannot_start(p, program.error());
  if (!admissible(p, options.parameters))
    cannot_start(p, "the parameter values are missing, out of range or against a requirement");
  std::optional<Symbol> only;
  if (options.focus && options.focus->part) only = options.focus->storage;
  std::vector<Memory> memory = set_up_memory(p, options.parameters, inputs, options.detect_races, only);
  Machine machine(*program, options, memory, locate);
  // However the walk ends, what it counted and found is reported.
  struct Report {
    Machine& machine;
    Outcome& out;
    std::uint64_t& first_of_race;
    ~Report() {
      out.operations = machine.operations();
      out.race = machine.race();
      out.seen = machine.seen();
      first_of_race = machine.first_of_race();
    }
  } report{machine, out, first_of_race};
  machine.execute();
  take_outputs(memory, out, !options.reordered.empty());
}

// The first of two racing accesses is known by its ordinal; a second walk, the same up to there, finds its instance.
Instance locate(const Program& p, const TensorMap& inputs, const Options& options, std::uint64_t ordinal) {
  Outcome unused;
  std::uint64_t first = 0;
  try {
    walk(p, inputs, options, ordinal, unused, first);
  } catch (Located& l) {
    return std::move(l.at);
  }
  return {};
}

// Runs `f`, and tells what stopped it.
template <typename F>
void guarded(Outcome& out, F f) {
  try {
    f();
  } catch (Faulted& fault) {
    out.status = Status::fault;
    out.fault = std::move(fault.fault);
  } catch (Exhausted& e) {
    out.status = Status::budget;
    out.limit = std::move(e.limit);
  } catch (std::bad_alloc&) {
    out.status = Status::budget;
    out.limit = "the machine has too little memory for this run";
  }
}

}  // namespace

Outcome run(const Program& p, const TensorMap& inputs, const Options& options) {
  // Threads that take turns, or contribute to one cell together while they are watched, are for the tree walk (EXEC-81).
  const bool walk_only = options.turns != Turns::canonical || options.focus || options.tiles != TileUnit::none ||
                         (options.detect_races && has_loop(p.body, {Axis::reduce}));
  if (options.engine == Engine::compiled && !walk_only) {
    if (auto done = compiled::run(p, inputs, options)) return std::move(*done);
  }
  Outcome out;
  std::uint64_t first_of_race = 0;
  guarded(out, [&] { walk(p, inputs, options, 0, out, first_of_race); });
  if (out.race) {
    Outcome second;
    guarded(second, [&] { out.race->first = locate(p, inputs, options, first_of_race); });
  }
  if (out.status != Status::ok) {
    out.outputs.clear();
    out.tainted.clear();
  }
  return out;
}

}  // namespace assay::interp
