// Compiled code as a judge: both programs compiled, run beside the interpreter and against each other (CHK-12, CHK-13).
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "codegen/c.hpp"
#include "oracle/compare.hpp"
#include "oracle/findings.hpp"

namespace assay::oracle {

/// What one compiler's code showed over all cases.
struct BackendResult {
  ExecutionReport report{};
  std::string label{};                         // "c (gcc -O2)"
  std::optional<std::string> contradiction{};  // a difference or a crash, as a sentence
  std::optional<Observation> observation{};    // the case that shows it
  std::optional<std::string> incomplete{};     // it could not be compiled or run to the end
  std::vector<std::string> notes{};            // what was run beside the interpreted cases
  std::vector<std::string> omissions{};        // what was left out
};

/// Two programs compiled by one compiler.
class CompiledPair {
 public:
  /// `reordered`: the programs may differ in the order of additions; they are then not compared with each other. `copies`:
  /// the asynchronous copies of each.
  CompiledPair(const Program& before, const Program& after, const codegen::CompilerSpec& compiler, bool reordered,
               const std::vector<CopyPieces>& copies = {});
  /// Runs one interpreted case and compares with the interpreter's outcomes. False when there is no point in going on.
  bool run_interpreted(const ParameterMap& size, const InputChoice& choice, const TensorMap& inputs,
                       const interp::Outcome& before, const interp::Outcome& after);
  /// Runs both programs at a size that was not interpreted and compares them with each other.
  void run_full(const ParameterMap& size, const std::vector<InputChoice>& choices);
  const BackendResult& result() const { return result_; }

 private:
  bool usable() const { return before_ && after_ && !refused_ && !result_.contradiction && !result_.incomplete; }
  /// The outputs, or nothing after having recorded why there are none.
  std::optional<TensorMap> run(codegen::Kernel& kernel, const std::string& which, const ParameterMap& size,
                               const InputChoice& choice, const TensorMap& inputs, int seconds);
  /// Where functions are promised up to an error only: whether what was executed lies in the enclosure (ENC-5).
  bool enclosed(const Program& p, const std::string& which, const ParameterMap& size, const InputChoice& choice,
                const TensorMap& inputs, const TensorMap& executed);
  /// What the interpreter leaves that follows the model of the backend's instructions (MMA-25); nothing, and recorded, where
  /// that does not come to an end.
  std::optional<TensorMap> modelled(const Program& p, const std::string& which, const ParameterMap& size,
                                    const InputChoice& choice, const TensorMap& inputs);
  bool agree(const TensorMap& expected, const TensorMap& actual, const std::string& expected_name,
             const std::string& actual_name, const ParameterMap& size, const InputChoice& choice,
             const TensorMap& inputs);

  const Program& program_;
  const Program& final_program_;
  std::unique_ptr<codegen::Kernel> before_, after_;
  TileUnit tiles_ = TileUnit::none;
  bool reordered_ = false, compared_ = true;
  bool refused_ = false;        // a device does not allow a launch, or there is none
  std::string not_compared_{};  // the omission that stands until a case was compared with its enclosure
  int not_modelled_ = 0;        // runs by a model that did not come to an end
  int not_enclosed_ = 0;        // programs run on cases that have no enclosure
  BackendResult result_{};
};

/// Names that `--backends` and `--require` take, and whether they are built.
bool is_backend_name(const std::string& name);
bool is_backend_built(const std::string& name);
std::vector<std::string> backend_names();

/// The compilers that are here and that `chosen` allows: by name ("c", "clang-O3") or by command ("gcc"); empty `chosen`
/// allows each at its usual level.
std::vector<codegen::CompilerSpec> chosen_compilers(const std::set<std::string>& chosen);
/// The same for programs with threads: `simt`, or what `chosen` names of it and `cuda` (BACK-1).
std::vector<codegen::CompilerSpec> thread_compilers(const std::set<std::string>& chosen);
/// "NAME: why" for every chosen backend that is not here.
std::vector<std::string> absent_backends(const std::set<std::string>& chosen);

}  // namespace assay::oracle
