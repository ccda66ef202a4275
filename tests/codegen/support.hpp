// What the tests of generated code share: programs from text, tensors from numbers, compiled runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/c.hpp"
#include "tests/support/rules.hpp"

namespace assay::codegen::test {

/// The first program of a text; the test fails when it has errors.
Program parse(std::string_view text);
std::string c_text(const Program& p);

inline bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// Rank-1 tensors from values, rounded to the type.
Tensor tensor(Type t, const std::vector<double>& values);
Tensor tensor_of_bits(Type t, const std::vector<std::uint64_t>& bits);
std::vector<double> numbers(const Tensor& t);

/// The compiler of that name at its usual level; null when it is not here.
const CompilerSpec* find_compiler(const std::string& name);
KernelOutcome compile_and_run_with(const CompilerSpec& compiler, const Program& p, const ParameterMap& parameters,
                                   const TensorMap& inputs);
/// Whether the same buffers hold the same values, NaN being one.
bool same_outputs(const TensorMap& a, const TensorMap& b);
/// Compiles and runs with the first compiler of this machine. Where tcc is here too the test fails when it gives another
/// outcome, unless it does not cover the program.
KernelOutcome compile_and_run(const Program& p, const ParameterMap& parameters, const TensorMap& inputs);
/// The numbers of one output of a program text; fails the test when the run is not ok.
std::vector<double> run_text(std::string_view text, const std::string& output, const TensorMap& inputs = {},
                             const ParameterMap& parameters = {});

/// A generated unit as a loaded library, for calls of its entry from here.
class Library {
 public:
  explicit Library(const std::string& c);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  int call(const std::vector<long long>& parameters, const std::vector<void*>& buffers) const {
    return entry_(parameters.data(), buffers.data());
  }

 private:
  void* handle_ = nullptr;
  int (*entry_)(const long long*, void* const*) = nullptr;
};

}  // namespace assay::codegen::test
