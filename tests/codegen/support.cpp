#include "support.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "codegen/c/unit.hpp"
#include "ir/literal.hpp"
#include "ir/text/source.hpp"
#include "tests/support/files.hpp"

namespace assay::codegen::test {
using assay::test::TemporaryDirectory;
using assay::test::write_file;

Program parse(std::string_view text) {
  auto file = parse_source(text, "test.air");
  if (!file) {
    for (const Diagnostic& d : file.error()) ADD_FAILURE() << d.where.line << ": " << d.code << ": " << d.message;
    return {};
  }
  if (file->programs.empty()) {
    ADD_FAILURE() << "no program in the text";
    return {};
  }
  return file->programs.front();
}

std::string c_text(const Program& p) {
  const auto text = emit_c(p);
  if (text) return *text;
  ADD_FAILURE() << text.error().front().message;
  return {};
}

Tensor tensor_of_bits(Type t, const std::vector<std::uint64_t>& bits) {
  Tensor out(t, {static_cast<std::int64_t>(bits.size())});
  for (std::size_t i = 0; i < bits.size(); ++i) out.set(static_cast<std::int64_t>(i), Scalar{t, bits[i]});
  return out;
}

Tensor tensor(Type t, const std::vector<double>& values) {
  Tensor out(t, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Scalar s = is_float(t) ? literal_from_float(t, fmt::format("{}", values[i])).value_or(canonical_nan(t))
                                 : wrap_int(t, static_cast<Int128>(values[i]));
    out.set(static_cast<std::int64_t>(i), s);
  }
  return out;
}

std::vector<double> numbers(const Tensor& t) {
  std::vector<double> out;
  for (std::int64_t i = 0; i < t.size(); ++i) out.push_back(to_double(t.get(i)));
  return out;
}

const CompilerSpec* find_compiler(const std::string& name) {
  static const std::vector<CompilerSpec> here = available_compilers();
  const auto found = std::find_if(here.begin(), here.end(), [&](const CompilerSpec& c) { return c.name == name; });
  return found == here.end() ? nullptr : &*found;
}

KernelOutcome compile_and_run_with(const CompilerSpec& compiler, const Program& p, const ParameterMap& parameters,
                                   const TensorMap& inputs) {
  KernelOutcome out;
  const auto kernel = compile(p, compiler, out);
  // A platform of OpenCL compiles in the run, and takes its time.
  const std::chrono::seconds limit(compiler.dialect == Dialect::opencl ? 120 : 20);
  return kernel ? kernel->run(parameters, inputs, limit) : out;
}

bool same_outputs(const TensorMap& a, const TensorMap& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [name, tensor] : a) {
    const auto other = b.find(name);
    if (other == b.end() || other->second.size() != tensor.size()) return false;
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
      if (!same_value(tensor.get(i), other->second.get(i))) return false;
    }
  }
  return true;
}

KernelOutcome compile_and_run(const Program& p, const ParameterMap& parameters, const TensorMap& inputs) {
  const auto compilers = available_compilers();
  KernelOutcome out;
  if (compilers.empty()) {
    out.status = KernelOutcome::Status::unavailable;
    return out;
  }
  out = compile_and_run_with(compilers.front(), p, parameters, inputs);
  if (const CompilerSpec* tcc = find_compiler("tcc"); tcc != nullptr && compilers.front().name != "tcc") {
    const KernelOutcome other = compile_and_run_with(*tcc, p, parameters, inputs);
    if (other.status == KernelOutcome::Status::unavailable) {
      EXPECT_NE(other.message.find("tcc"), std::string::npos) << other.message;
    } else {
      EXPECT_EQ(out.status, other.status) << "tcc: " << other.message;
      RULE_TRUE("CGEN-26", same_outputs(out.outputs, other.outputs)) << "tcc and " << compilers.front().command;
    }
  }
  return out;
}

std::vector<double> run_text(std::string_view text, const std::string& output, const TensorMap& inputs,
                             const ParameterMap& parameters) {
  const KernelOutcome out = compile_and_run(parse(text), parameters, inputs);
  EXPECT_EQ(out.status, KernelOutcome::Status::ok) << out.message;
  const auto found = out.outputs.find(output);
  return found == out.outputs.end() ? std::vector<double>{} : numbers(found->second);
}

Library::Library(const std::string& c) {
  const TemporaryDirectory directory;
  write_file(directory.file("unit.c"), c);
  const std::string command = fmt::format("gcc -O2 -w -shared -fPIC {} -o {} {} -lquadmath -lm", required_flags,
                                          directory.file("unit.so"), directory.file("unit.c"));
  EXPECT_EQ(std::system(command.c_str()), 0);
  handle_ = ::dlopen(directory.file("unit.so").c_str(), RTLD_NOW);
  if (handle_ == nullptr) throw std::runtime_error(::dlerror());
  entry_ = reinterpret_cast<int (*)(const long long*, void* const*)>(::dlsym(handle_, "assay_kernel"));
}
Library::~Library() {
  if (handle_ != nullptr) ::dlclose(handle_);
}

}  // namespace assay::codegen::test
