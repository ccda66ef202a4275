// Kernels: programs to units, units to modules, and runs of their entries in batches.
//
// A unit holds many programs. When its compilation or loading fails it is halved until the program at fault is alone: a
// failure costs a few compilations more and never a neighbour.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "codegen/c.hpp"
#include "codegen/c/unit.hpp"
#include "codegen/device/device.hpp"
#include "codegen/worker/build.hpp"
#include "codegen/worker/jobs.hpp"
#include "codegen/worker/module.hpp"

namespace assay::codegen {
namespace {

using Status = KernelOutcome::Status;

// Larger units gain nothing more, and a failure in one costs more.
constexpr std::size_t largest_unit = 128;

bool uses_device(Dialect d) { return d == Dialect::cuda || d == Dialect::opencl || d == Dialect::oclgrind; }

/// One entry of a module.
class ModuleKernel final : public Kernel {
 public:
  ModuleKernel(Program program, std::shared_ptr<Module> module, int number, bool on_device)
      : program_(std::move(program)), module_(std::move(module)), number_(number), on_device_(on_device) {}

  KernelOutcome run(const ParameterMap& parameters, const TensorMap& inputs, std::chrono::milliseconds limit) override {
    return run_batch({{this, &parameters, &inputs}}, limit).front();
  }
  const Program& program() const { return program_; }
  Module& module() const { return *module_; }
  int number() const { return number_; }
  bool on_device() const { return on_device_; }

 private:
  Program program_;
  std::shared_ptr<Module> module_;
  int number_;
  bool on_device_;
};

/// The module of a unit, loaded; what went wrong otherwise.
std::shared_ptr<Module> make_module(std::string text, const std::string& device_text, const CompilerSpec& compiler,
                                    KernelOutcome& error) {
  std::shared_ptr<Module> module;
  if (!device_text.empty()) {
    Built image = build_image(device_text, compiler.tiles);
    const auto ptx = image.object ? content_of(image.object.get()) : std::nullopt;
    if (!ptx) {
      error = image.object ? KernelOutcome{Status::environment, "no memory for PTX", {}} : std::move(image.error);
      return nullptr;
    }
    text.insert(0, image_text(*ptx));
  }
  if (compiler.dialect == Dialect::tcc) {
    text.push_back('\0');
    Descriptor file = memory_file(text);
    if (!file) {
      error = {Status::environment, "no memory for the text", {}};
      return nullptr;
    }
    module = std::make_shared<Module>(Module::Kind::source, std::move(file));
  } else {
    Built built = build_object(text, compiler);
    if (!built.object) {
      error = std::move(built.error);
      return nullptr;
    }
    module = std::make_shared<Module>(Module::Kind::object, std::move(built.object));
  }
  if (auto problem = module->load()) {
    error = std::move(*problem);
    return nullptr;
  }
  return module;
}

using Programs = std::vector<const Program*>;

void compile_range(const Programs& programs, std::size_t first, std::size_t last, const CompilerSpec& compiler,
                   const std::vector<CopyPieces>& copies, std::vector<Compiled>& out) {
  const Programs part(programs.begin() + static_cast<std::ptrdiff_t>(first),
                      programs.begin() + static_cast<std::ptrdiff_t>(last));
  std::vector<CopyPieces> part_copies;
  for (std::size_t i = first; i < std::min(last, copies.size()); ++i) part_copies.push_back(copies[i]);
  const Batch batch = is_device(compiler.dialect)
                          ? emit_device_batch(part, compiler.dialect, compiler.tiles, part_copies)
                          : emit_batch(part, compiler.dialect);
  std::size_t covered = 0;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (batch.entries[i] < 0) {
      out[first + i].error = {Status::unavailable, batch.refusals[i].front().message, {}};
    } else {
      ++covered;
    }
  }
  if (covered == 0) return;
  KernelOutcome error;
  const std::shared_ptr<Module> module = make_module(batch.text, batch.device_text, compiler, error);
  const bool of_the_text = error.status == Status::compile_error || error.status == Status::crashed;
  if (!module && of_the_text && covered > 1) {
    const std::size_t middle = first + part.size() / 2;
    compile_range(programs, first, middle, compiler, copies, out);
    compile_range(programs, middle, last, compiler, copies, out);
    return;
  }
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (batch.entries[i] < 0) continue;
    if (module) {
      out[first + i].kernel =
          std::make_unique<ModuleKernel>(*part[i], module, batch.entries[i], uses_device(compiler.dialect));
    } else {
      out[first + i].error = error;
    }
  }
}

}  // namespace

std::unique_ptr<Kernel> compile_text(std::string text, const Program& p, const CompilerSpec& compiler,
                                     KernelOutcome& error) {
  std::shared_ptr<Module> module = make_module(std::move(text), "", compiler, error);
  return module ? std::make_unique<ModuleKernel>(p, std::move(module), 0, uses_device(compiler.dialect)) : nullptr;
}

std::vector<Compiled> compile_batch(const std::vector<const Program*>& programs, const CompilerSpec& compiler,
                                    const std::vector<CopyPieces>& copies) {
  std::vector<Compiled> out(programs.size());
  for (std::size_t first = 0; first < programs.size(); first += largest_unit)
    compile_range(programs, first, std::min(first + largest_unit, programs.size()), compiler, copies, out);
  return out;
}

std::unique_ptr<Kernel> compile(const Program& p, const CompilerSpec& compiler, KernelOutcome& error) {
  Compiled compiled = std::move(compile_batch({&p}, compiler).front());
  error = std::move(compiled.error);
  return std::move(compiled.kernel);
}

std::vector<KernelOutcome> run_batch(const std::vector<KernelRun>& runs, std::chrono::milliseconds limit) {
  std::vector<KernelOutcome> out(runs.size());
  std::vector<std::size_t> order(runs.size());  // the runs of one module side by side, else as given
  std::map<const Module*, std::size_t> rank;
  const auto kernel = [&](std::size_t i) { return static_cast<const ModuleKernel*>(runs[i].kernel); };
  for (std::size_t i = 0; i < runs.size(); ++i) {
    order[i] = i;
    rank.emplace(&kernel(i)->module(), rank.size());
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return rank.at(&kernel(a)->module()) < rank.at(&kernel(b)->module());
  });
  for (std::size_t next = 0; next < order.size();) {
    Module& module = kernel(order[next])->module();
    Jobs jobs;
    std::vector<std::size_t> planned;
    for (; next < order.size() && &kernel(order[next])->module() == &module && !jobs.full(); ++next) {
      const std::size_t i = order[next];
      if (auto problem = jobs.add(kernel(i)->program(), kernel(i)->number(), kernel(i)->on_device(),
                                  *runs[i].parameters, *runs[i].inputs, limit)) {
        out[i] = std::move(*problem);
      } else {
        planned.push_back(i);
      }
    }
    if (planned.empty()) continue;
    std::optional<KernelOutcome> problem;
    if (!jobs.write()) {
      problem = KernelOutcome{Status::environment, "there is not enough shared memory for the buffers", {}};
    } else {
      problem = module.run(jobs.file(), jobs.limit());
    }
    for (std::size_t j = 0; j < planned.size(); ++j) out[planned[j]] = problem ? *problem : jobs.outcome(j);
  }
  return out;
}

}  // namespace assay::codegen
