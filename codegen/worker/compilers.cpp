// Which compilers this machine has.
#include <array>
#include <filesystem>
#include <system_error>

#include "codegen/c.hpp"
#include "codegen/worker/cuda.hpp"
#include "codegen/worker/worker.hpp"

namespace assay::codegen {
namespace {

bool runs_v3() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

/// Whether OpenCL's loader and a platform for it are installed; which devices it has only a run can tell.
bool has_opencl() {
  std::error_code error;
  bool loader = false;
  for (const char* folder :
       {"/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"})
    loader = loader || std::filesystem::exists(std::filesystem::path(folder) / "libOpenCL.so.1", error);
  const std::filesystem::directory_iterator platforms("/etc/OpenCL/vendors", error);
  return loader && !error && platforms != std::filesystem::directory_iterator();
}

struct Family {
  const char* name;
  const char* command;
};
// The first command of a family that is here.
constexpr std::array families{Family{"c", "gcc"}, Family{"clang", "clang"}, Family{"clang", "clang-14"}};

}  // namespace

std::vector<CompilerSpec> available_compilers() {
  std::vector<CompilerSpec> found;
  if (!worker_path()) return found;
  for (const Family& f : families) {
    const bool known = !found.empty() && found.back().name == f.name;
    if (!known && find_command(f.command)) found.push_back({f.name, f.command, "-O2", Dialect::gnu});
  }
#ifdef ASSAY_HAS_TCC
  found.push_back({"tcc", "tcc", "", Dialect::tcc});
#endif
  return found;
}

std::vector<CompilerSpec> compiler_levels() {
  std::vector<CompilerSpec> found;
  for (const CompilerSpec& usual : available_compilers()) {
    if (usual.dialect == Dialect::tcc) continue;
    for (const char* level : {"-O0", "-O1", "-O3"})
      found.push_back({usual.name + level, usual.command, level, usual.dialect});
    if (runs_v3()) found.push_back({usual.name + "-v3", usual.command, "-O3 -march=x86-64-v3", usual.dialect});
  }
  return found;
}

std::vector<CompilerSpec> device_compilers() {
  std::vector<CompilerSpec> found;
  if (!worker_path()) return found;
  if (find_command("gcc")) {
    found.push_back({"simt", "gcc", "-O1", Dialect::simt});
    found.push_back({"simt-sm_80", "gcc", "-O1", Dialect::simt, TileUnit::sm_80});
    found.push_back({"simt-sm_90", "gcc", "-O1", Dialect::simt, TileUnit::sm_90});
    if (find_nvrtc() || find_nvcc()) {
      found.push_back({"cuda", "gcc", "-O1", Dialect::cuda});
      found.push_back({"cuda-sm_80", "gcc", "-O1", Dialect::cuda, TileUnit::sm_80});
      found.push_back({"cuda-sm_90", "gcc", "-O1", Dialect::cuda, TileUnit::sm_90});
    }
    if (has_opencl()) found.push_back({"opencl", "gcc", "-O1", Dialect::opencl});
    if (find_command("oclgrind")) found.push_back({"oclgrind", "gcc", "-O1", Dialect::oclgrind});
  }
  return found;
}

}  // namespace assay::codegen
