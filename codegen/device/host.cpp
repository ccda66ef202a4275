// The host's side of a unit: extents and checks before a launch, and the entry that every unit has (CGEN-2).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "codegen/c/emitter.hpp"
#include "codegen/c/launches.hpp"
#include "codegen/device/device.hpp"
#include "ir/analysis/launch.hpp"

namespace assay::codegen {
namespace {

class Host {
 public:
  Host(const Program& p, const std::vector<KernelPart>& kernels, Helpers& helpers)
      : p_(p), kernels_(kernels), emit_(p, Dialect::gnu, helpers) {
    for (const char* own : {"arguments", "grid", "block", "writable"}) name_[own] = emit_.names().fresh(own);
  }

  std::string text(const std::string& number) {
    const std::string run = emit_.indented([&] {
      parameters();
      for (const KernelPart& kernel : kernels_) emit_.braces("", [&] { launch(kernel); });
      emit_.line("return 0;");
    });
    const std::string entry = emit_.indented([&] {
      emit_.line(fmt::format("const int state = {}();", emit_.helpers().use("environment")));
      emit_.line("if (state != 0) return state;");
      parameters();
      checks(number);
    });
    constexpr std::string_view arguments = "(const long long *parameters, void *const *buffers)";
    return fmt::format("static int assay_launches{0}{1} {{\n{2}}}\nint assay_kernel{0}{1} {{\n{3}}}\n", number,
                       arguments, run, entry);
  }

 private:
  void parameters() {
    int n = 0;
    for (const Parameter& a : p_.parameters)
      emit_.line(fmt::format("const int64_t {} = parameters[{}];", emit_.names().of(a.name), n++));
  }

  void launch(const KernelPart& kernel) {
    const auto extents = [&](const char* stem, int count) {
      std::vector<std::string> names;
      for (int slot = 0; slot < count; ++slot) {
        names.push_back(emit_.names().fresh(fmt::format("{}_{}", stem, slot)));
        emit_.line(fmt::format("int64_t {} = 1;", names.back()));
      }
      return names;
    };
    const std::vector<std::string> groups = extents("groups", kernel.group_slots),
                                   threads = extents("threads", kernel.thread_slots);
    std::map<const StmtNode*, std::string> extent_of;
    for (const auto& [loop, slot] : hardware_slots(kernel.part))
      extent_of[loop] = (slot_kind(loop->axis) == Axis::grid ? groups : threads)[static_cast<std::size_t>(slot)];
    measure(emit_, kernel.part.body, extent_of);
    emit_.line(fmt::format("const uint64_t {}[3] = {}, {}[3] = {};", name_["grid"], dimensions(groups), name_["block"],
                           dimensions(threads)));
    std::string arguments;
    int count = 0;
    const auto argument = [&](const std::string& place) {
      arguments += fmt::format("{}(void *)&{}", count++ == 0 ? "" : ", ", place);
    };
    for (const Parameter* a : kernel.parameters) argument(emit_.names().of(a->name));
    for (const int slot : kernel.folded_groups) argument(groups[static_cast<std::size_t>(slot)]);
    for (const int slot : kernel.folded_threads) argument(threads[static_cast<std::size_t>(slot)]);
    for (const int b : kernel.buffers) argument(fmt::format("buffers[{}]", b));
    emit_.line(
        fmt::format("void *const {}[] = {{{}}};", name_["arguments"], count == 0 ? "NULL" : arguments + ", NULL"));
    std::string shared = fmt::format("(uint64_t)({})", shared_bytes_text(kernel.part, emit_));
    if (gathers_in_memory(kernel))
      shared += fmt::format(" + {0} * {1}[0] * {1}[1] * {1}[2]", bytes_per_contribution, name_["block"]);
    emit_.line(fmt::format("const int state = assay_launch(ASSAY_KERNEL({}), {}, {}, {}, {});", kernel.name,
                           name_["arguments"], name_["grid"], name_["block"], shared));
    emit_.line("if (state != 0) return state;");
  }

  /// Slots from 2 up share the third dimension.
  std::string dimensions(const std::vector<std::string>& extents) {
    std::array<std::string, 3> of{"1", "1", "1"};
    for (std::size_t slot = 0; slot < extents.size(); ++slot) {
      std::string& here = of[std::min<std::size_t>(slot, 2)];
      const std::string extent = "(uint64_t)" + extents[slot];
      here = slot <= 2 ? extent : fmt::format("{}({}, {})", emit_.helpers().use("extent_product"), here, extent);
    }
    return fmt::format("{{{}, {}, {}}}", of[0], of[1], of[2]);
  }

  void checks(const std::string& number) {
    std::string sizes, writable;
    int n = 0;
    for (const Buffer& b : p_.buffers) {
      if (!is_argument(b)) continue;
      sizes += fmt::format("{}(uint64_t){} * {}", n == 0 ? "" : ", ", within(emit_.cells(b), Binding::unary),
                           byte_width(b.type));
      writable += fmt::format("{}{}", n++ == 0 ? "" : ", ", is_writable(b.kind) ? 1 : 0);
    }
    emit_.line(fmt::format("const uint64_t bytes[] = {{{}}};", n == 0 ? "0" : sizes));
    emit_.line(fmt::format("const unsigned char {}[] = {{{}}};", name_["writable"], n == 0 ? "0" : writable));
    if (n > 1) emit_.line(fmt::format("if ({}(buffers, bytes, {})) return 3;", emit_.helpers().use("overlap"), n));
    emit_.line(fmt::format("return assay_run(assay_launches{}, parameters, buffers, bytes, {}, {});", number,
                           name_["writable"], n));
  }

  const Program& p_;
  const std::vector<KernelPart>& kernels_;
  Emitter emit_;
  std::map<std::string, std::string> name_;  // of what the host code declares itself
};

}  // namespace

std::string call_text(const KernelPart& kernel) {
  std::string arguments;
  int n = 0;
  const auto argument = [&](const std::string& type) {
    arguments += fmt::format("{}*({} const *)arguments[{}]", n == 0 ? "" : ", ", type, n);
    ++n;
  };
  const std::size_t integers = kernel.parameters.size() + kernel.folded_groups.size() + kernel.folded_threads.size();
  for (std::size_t i = 0; i < integers; ++i) argument("int64_t");
  for (const Buffer& b : kernel.part.buffers) {
    if (is_argument(b)) argument(fmt::format("{}{} *", b.kind == BufferKind::input ? "const " : "", c_type(b.type)));
  }
  return fmt::format("static void {0}_call(void *const *arguments) {{ {0}({1}); }}\n", kernel.name, arguments);
}

std::string host_text(const Program& p, const std::vector<KernelPart>& kernels, const std::string& number,
                      Helpers& helpers) {
  return Host(p, kernels, helpers).text(number);
}

}  // namespace assay::codegen
