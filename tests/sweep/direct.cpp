// The kernel is the C text that the product prints, built with the product's flags into a shared object; or its CUDA text for the
// CPU, which here has a single thread.
#include "direct.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "codegen/c/unit.hpp"
#include "ir/literal.hpp"
#include "ir/tensor.hpp"
#include "tests/support/files.hpp"

namespace assay::sweep {
namespace {

template <typename Bits>
class Kernel final : public Direct {
 public:
  using Entry = int (*)(const std::int64_t*, void* const*);
  Kernel(Type type, void* handle, Entry entry)
      : type_(type), handle_(handle), entry_(entry), arguments_(block_size), results_(block_size) {}
  ~Kernel() override { ::dlclose(handle_); }
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  std::optional<std::uint64_t> hash(std::uint64_t block) override {
    for (std::uint64_t i = 0; i < block_size; ++i) arguments_[i] = static_cast<std::uint32_t>(block << block_bits | i);
    void* const buffers[] = {arguments_.data(), results_.data()};
    if (entry_(nullptr, buffers) != 0) return std::nullopt;
    return hash_bits(
        results_.data(), block_size,
        [this](Bits b) {
          return is_nan(Scalar{type_, b});
        },
        canonical_nan(type_).bits);
  }

 private:
  Type type_;
  void* handle_;
  Entry entry_;
  std::vector<std::uint32_t> arguments_;
  std::vector<Bits> results_;
};

/// What CUDA text calls of the worker, for programs without threads.
const std::string single_thread = R"(#include <stddef.h>
#include <stdint.h>
struct assay_index;
int assay_launch(void (*kernel)(void *const *), void *const *arguments, const uint64_t *grid, const uint64_t *block,
                 uint64_t shared) {
  kernel(arguments);
  return (grid[0] | grid[1] | grid[2] | block[0] | block[1] | block[2]) == 1 && shared == 0 ? 0 : 9;
}
int assay_run(int (*run)(const long long *, void *const *), const long long *parameters, void *const *buffers,
              const uint64_t *bytes, const unsigned char *writable, int count) {
  return run(parameters, buffers);
}
)";

}  // namespace

std::unique_ptr<Direct> Direct::make(const Subject& s, const codegen::CompilerSpec& compiler, std::string& error) {
  const Program p = block_program(s);
  const bool device = compiler.dialect == codegen::Dialect::simt;
  const auto text = device ? Result<std::string>(single_thread + codegen::emit_batch({&p}, compiler.dialect).text)
                           : codegen::emit_c(p, compiler.dialect);
  const test::TemporaryDirectory folder;
  if (!text || !folder) {
    error = text ? "no temporary folder" : text.error().front().message;
    return nullptr;
  }
  const std::string source = folder.file("unit.c"), object = folder.file("unit.so");
  test::write_file(source, *text);
  const std::string command = fmt::format("{} {} {} -w -shared -fPIC {} -o {} -lquadmath -lm", compiler.command,
                                          compiler.flags, codegen::required_flags, source, object);
  void* const handle = std::system(command.c_str()) == 0 ? ::dlopen(object.c_str(), RTLD_NOW) : nullptr;
  void* const entry = handle != nullptr ? ::dlsym(handle, device ? "assay_kernel_0" : "assay_kernel") : nullptr;
  if (entry == nullptr) {
    error = "failed: " + command;
    return nullptr;
  }
  const Type type = p.buffers.back().type;
  const auto kernel = [&](auto bits) -> std::unique_ptr<Direct> {
    using K = Kernel<decltype(bits)>;
    return std::make_unique<K>(type, handle, reinterpret_cast<typename K::Entry>(entry));
  };
  switch (byte_width(type)) {
    case 1: return kernel(std::uint8_t{});
    case 2: return kernel(std::uint16_t{});
    default: return kernel(std::uint32_t{});
  }
}

}  // namespace assay::sweep
