// Compile once; run fast, and precisely where the fast run gave up.
#include "interp/compiled/run.hpp"

#include <new>

#include "interp/compiled/machine.hpp"

namespace assay::interp::compiled {
namespace {

[[noreturn]] void cannot_start(const Program& p, std::string message) {
  Fault f;
  f.code = "RUN-9";
  f.message = std::move(message);
  f.at.where = f.access = p.where;
  throw Faulted{std::move(f)};
}

struct Job {
  const Program& program;
  const TensorMap& inputs;
  const Options& options;
  const CompiledProgram& code;
};

// One execution. However it ends, what it counted and found is reported.
void execute(const Job& job, Mode mode, Outcome& out, std::uint64_t& first_of_race) {
  std::vector<Memory> memory = set_up_memory(job.program, job.options.parameters, job.inputs, job.options.detect_races);
  Machine machine(job.code, job.options, memory, mode);
  struct Report {
    const Machine& machine;
    Outcome& out;
    std::uint64_t& first_of_race;
    ~Report() {
      out.operations = machine.operations();
      out.race = machine.race();
      first_of_race = machine.first_of_race();
    }
  } report{machine, out, first_of_race};
  machine.execute();
  take_outputs(memory, out, !job.options.reordered.empty());
}

void execute_precisely(const Job& job, Outcome& out) {
  std::uint64_t first_of_race = 0;
  struct Locate {
    const Job& job;
    Outcome& out;
    std::uint64_t& first;
    // The first of two racing accesses is known by its number; another run, the same up to there, finds its instance.
    void operator()() const {
      if (!out.race) return;
      Outcome unused;
      std::uint64_t none = 0;
      try {
        execute(job, {true, first}, unused, none);
      } catch (Found& f) {
        out.race->first = std::move(f.at);
      } catch (Faulted&) {
      } catch (Exhausted&) {}
    }
  } locate{job, out, first_of_race};
  try {
    execute(job, {true, 0}, out, first_of_race);
  } catch (Faulted&) {
    locate();
    throw;
  } catch (Exhausted&) {
    locate();
    throw;
  }
  locate();
}

void attempt(const Program& p, const TensorMap& inputs, const Options& options, const Change& change, Outcome& out) {
  const auto program = resolve(p, options.reordered);
  if (!program) cannot_start(p, program.error());
  if (!admissible(p, options.parameters))
    cannot_start(p, "the parameter values are missing, out of range or against a requirement");
  const auto code = compile(*program, !options.reordered.empty());
  if (change) change(*code);
  const Job job{p, inputs, options, *code};
  try {
    std::uint64_t unused = 0;
    return execute(job, {}, out, unused);
  } catch (Restart&) {
    out = {};
  }
  execute_precisely(job, out);
}

}  // namespace

std::optional<Outcome> run(const Program& p, const TensorMap& inputs, const Options& options, const Change& change) {
  Outcome out;
  try {
    attempt(p, inputs, options, change, out);
  } catch (Faulted& fault) {
    out.status = Status::fault;
    out.fault = std::move(fault.fault);
  } catch (Exhausted& e) {
    out.status = Status::budget;
    out.limit = std::move(e.limit);
  } catch (std::bad_alloc&) {
    return std::nullopt;
  }
  if (out.status != Status::ok) {
    out.outputs.clear();
    out.tainted.clear();
  }
  return out;
}

}  // namespace assay::interp::compiled
