// What stands before the host code of a unit whose kernels a device's own compiler reads: gcc compiles that code, and the worker
// launches for it (codegen/worker/host/opencl.c, cuda.c). The kernels are a string of the unit, OpenCL C or PTX.
#include <fmt/format.h>

#include "codegen/c/helpers.hpp"
#include "codegen/device/device.hpp"

namespace assay::codegen {

std::string host_head(Dialect dialect, TileUnit tiles) {
  constexpr std::string_view head = R"(#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern int assay_$api_launch($simulateconst char *image, const char *kernel, void *const *arguments, const uint64_t *grid,
                          const uint64_t *block, uint64_t shared);
extern int assay_$api_run($chooseint (*run)(const long long *, void *const *), const long long *parameters, void *const *buffers,
                       const uint64_t *bytes, const unsigned char *writable, int count);
#define ASSAY_KERNEL(kernel) #kernel
#define assay_launch(kernel, arguments, grid, block, shared) \
  assay_$api_launch($howassay_image, kernel, arguments, grid, block, shared)
#define assay_run(run, parameters, buffers, bytes, writable, count) \
  assay_$api_run($whichrun, parameters, buffers, bytes, writable, count)
)";
  const bool opencl = is_opencl(dialect);
  const char* const how = dialect == Dialect::oclgrind ? "1, " : "0, ";
  const char* const generation = tiles == TileUnit::sm_80 ? "80, " : tiles == TileUnit::sm_90 ? "90, " : "0, ";
  return fill(head, {{"$api", opencl ? "opencl" : "cuda"},
                     {"$simulate", opencl ? "int simulate, " : ""},
                     {"$choose", opencl ? "int simulate, " : "int generation, "},
                     {"$how", opencl ? how : ""},
                     {"$which", opencl ? how : generation}});
}

std::string image_text(const std::string& image) {
  std::string out = "static const char assay_image[] =\n    \"";
  int column = 0;
  for (const char c : image) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '"' || c == '\\') {
      out.append("\\").push_back(c);
    } else if (byte >= 32 && byte < 127) {
      out += c;
    } else {
      out += fmt::format("\\{:03o}", byte);
    }
    column = c == '\n' ? 0 : column + 1;
    if (column % 100 == 0) out += "\"\n    \"";  // at the end of a line, or of a long one
  }
  return out + "\";\n";
}

}  // namespace assay::codegen
