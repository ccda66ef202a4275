#include "nvcc_support.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "codegen/device/device.hpp"
#include "codegen/worker/build.hpp"
#include "codegen/worker/cuda.hpp"

namespace assay::codegen::test {

std::string nvcc() { return find_nvcc().value_or(""); }

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string compiled(const assay::test::TemporaryDirectory& directory, const std::string& arguments) {
  const std::string log = directory.file("log");
  const std::string command =
      fmt::format("cd {} && {} {} {} -Werror all-warnings -diag-suppress 177,549,550 unit.cu > {} 2>&1",
                  directory.file("."), nvcc(), cuda_flags, arguments, log);
  const int status = std::system(command.c_str());
  const std::string said = content(log);
  return status == 0 ? said : "nvcc fails: " + said.substr(0, 4000);
}

}  // namespace assay::codegen::test
