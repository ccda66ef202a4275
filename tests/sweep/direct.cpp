// The kernel is the C text that the product prints, built with the product's flags into a shared object.
#include "direct.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "codegen/c/unit.hpp"
#include "ir/literal.hpp"
#include "ir/tensor.hpp"

namespace assay::sweep {
namespace {

/// A folder of its own, removed with its files.
class Folder {
 public:
  Folder() {
    std::string path = (std::filesystem::temp_directory_path() / "assay-sweep-XXXXXX").string();
    if (::mkdtemp(path.data()) != nullptr) path_ = path;
  }
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

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

}  // namespace

std::unique_ptr<Direct> Direct::make(const Subject& s, const codegen::CompilerSpec& compiler, std::string& error) {
  const Program p = block_program(s);
  const auto text = codegen::emit_c(p, compiler.dialect);
  const Folder folder;
  if (!text || folder.path().empty()) {
    error = text ? "no temporary folder" : text.error().front().message;
    return nullptr;
  }
  const std::string source = folder.path() + "/unit.c", object = folder.path() + "/unit.so";
  std::ofstream(source) << *text;
  const std::string command = fmt::format("{} {} {} -w -shared -fPIC {} -o {} -lquadmath -lm", compiler.command,
                                          compiler.flags, codegen::required_flags, source, object);
  void* const handle = std::system(command.c_str()) == 0 ? ::dlopen(object.c_str(), RTLD_NOW) : nullptr;
  void* const entry = handle != nullptr ? ::dlsym(handle, "assay_kernel") : nullptr;
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
