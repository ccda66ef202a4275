// Looks in the few places where CUDA is installed; nothing is loaded here.
#include "codegen/worker/cuda.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include "codegen/worker/process.hpp"

namespace assay::codegen {
namespace {

std::vector<std::string> homes() {
  std::vector<std::string> out;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* home = std::getenv(variable); home != nullptr && *home == '/') out.emplace_back(home);
  }
  out.emplace_back("/usr/local/cuda");
  return out;
}

}  // namespace

std::optional<std::string> find_nvrtc() {
  std::error_code error;
  if (const char* chosen = std::getenv("ASSAY_NVRTC"); chosen != nullptr && *chosen != '\0') {
    const bool there = *chosen == '/' && std::filesystem::exists(chosen, error);
    return there ? std::optional<std::string>(chosen) : std::nullopt;
  }
  std::vector<std::string> folders;
  for (const std::string& home : homes()) {
    folders.push_back(home + "/lib64");
    folders.push_back(home + "/lib");
  }
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/local/lib"})
    folders.emplace_back(folder);
  for (const std::string& folder : folders) {
    for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}) {
      std::string path = folder + "/" + name;
      if (std::filesystem::exists(path, error)) return path;
    }
  }
  return std::nullopt;
}

std::optional<std::string> find_nvcc() {
  if (auto found = find_command("nvcc")) return found;
  for (const std::string& home : homes()) {
    if (auto found = find_command(home + "/bin/nvcc")) return found;
  }
  return std::nullopt;
}

}  // namespace assay::codegen
