// A launch as a kernel: arguments, the coordinates of its slots, memory, and the statements with hardware loops bound.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/c/emitter.hpp"
#include "codegen/c/launches.hpp"
#include "codegen/device/device.hpp"
#include "ir/analysis/launch.hpp"

namespace assay::codegen {
namespace {

/// Slots 0 and 1 are x and y; the others share z (CUDA-5).
constexpr int own_dimensions = 2;

/// The extents that take z apart: of every slot from 2 up but the last.
std::vector<int> folded_slots(int slots) {
  std::vector<int> out;
  for (int slot = own_dimensions; slot + 1 < slots; ++slot) out.push_back(slot);
  return out;
}

/// Declares the coordinate of every slot of a kind, and binds the kind's loops to them. `extents` names those of the slots
/// that are folded.
void bind_slots(Emitter& emit, const KernelPart& kernel, Axis kind, Dialect dialect,
                const std::map<int, std::string>& extents, std::map<const StmtNode*, std::string>& coordinates) {
  const bool groups = kind == Axis::grid;
  const int count = groups ? kernel.group_slots : kernel.thread_slots;
  const auto source = [&](int dimension) {
    if (is_opencl(dialect)) return fmt::format("(int64_t){}({})", groups ? "get_group_id" : "get_local_id", dimension);
    return fmt::format("{}.{}", groups ? "blockIdx" : "threadIdx", "xyz"[dimension]);
  };
  std::vector<std::string> names;
  std::string rest = source(own_dimensions);
  for (int slot = 0; slot < count; ++slot) {
    names.push_back(emit.names().fresh(fmt::format("{}_{}", groups ? "group" : "thread", slot)));
    std::string value = slot < own_dimensions ? source(slot) : rest;
    if (slot >= own_dimensions && slot + 1 < count) {
      value = fmt::format("{} % {}", rest, extents.at(slot));
      rest = fmt::format("{} / {}", rest, extents.at(slot));
    }
    emit.line(fmt::format("const int64_t {} = {};", names.back(), value));
  }
  for (const auto& [loop, slot] : hardware_slots(kernel.part)) {
    if (slot_kind(loop->axis).value_or(Axis::workgroup) == kind)
      coordinates[loop] = names[static_cast<std::size_t>(slot)];
  }
}

void tables(Emitter& emit, const Program& part, Dialect dialect) {
  for (const Buffer& b : part.buffers) {
    if (b.kind != BufferKind::constant) continue;
    std::string values;
    for (std::size_t i = 0; i < b.data.size(); ++i)
      values += (i == 0 ? "" : i % 16 == 0 ? ",\n      " : ", ") + c_literal(b.data[i]).s;
    if (b.data.empty()) values = "0";
    emit.line(fmt::format("{} {} {}[{}] = {{{}}};", is_opencl(dialect) ? "__constant" : "static const", c_type(b.type),
                          emit.names().of(b.name), std::max<std::size_t>(b.data.size(), 1), values));
  }
}

}  // namespace

bool gathers_in_memory(const KernelPart& kernel) {
  return std::any_of(kernel.collectives.begin(), kernel.collectives.end(),
                     [](const auto& c) { return c.second.way == Collective::Way::group; });
}

std::vector<KernelPart> kernel_parts(const Program& p, const std::string& stem, Dialect dialect) {
  std::vector<KernelPart> out;
  for (Program& part : launches_of(p)) {
    KernelPart kernel{std::move(part), fmt::format("{}_{}", stem, out.size())};
    const std::set<Symbol> used = used_names(kernel.part.body);
    for (const Parameter& a : p.parameters) kernel.parameters.push_back(&a);
    int number = 0;
    for (const Buffer& b : p.buffers) {
      if (!is_argument(b)) continue;
      if (used.count(b.name) != 0) kernel.buffers.push_back(number);
      ++number;
    }
    const auto idle = [&](const Buffer& b) { return used.count(b.name) == 0; };
    std::vector<Buffer>& buffers = kernel.part.buffers;
    buffers.erase(std::remove_if(buffers.begin(), buffers.end(), idle), buffers.end());
    for (const auto& [loop, slot] : hardware_slots(kernel.part)) {
      int& count = slot_kind(loop->axis) == Axis::grid ? kernel.group_slots : kernel.thread_slots;
      count = std::max(count, slot + 1);
    }
    kernel.folded_groups = folded_slots(kernel.group_slots);
    kernel.folded_threads = folded_slots(kernel.thread_slots);
    for (const auto& [loop, collective] : collectives_of(kernel.part, dialect)) {
      if (collective) kernel.collectives.emplace(loop, *collective);
    }
    kernel.shares_memory =
        gathers_in_memory(kernel) ||
        std::any_of(buffers.begin(), buffers.end(), [](const Buffer& b) { return b.kind == BufferKind::shared; });
    out.push_back(std::move(kernel));
  }
  return out;
}

std::string shared_bytes_text(const Program& part, Emitter& emit, std::vector<std::string>* at) {
  std::int64_t known = 0;
  std::string sum;  // what is not known here
  const auto total = [&] {
    if (sum.empty()) return fmt::format("{}", known);
    return known == 0 ? sum : fmt::format("{} + {}", sum, known);
  };
  for (const Buffer& b : part.buffers) {
    if (b.kind != BufferKind::shared) continue;
    if (at != nullptr) at->push_back(total());
    std::int64_t bytes = byte_width(b.type);
    bool fixed = true;
    for (const Index& d : b.dims)
      fixed = fixed && d.is_constant() && !__builtin_mul_overflow(bytes, d.constant(), &bytes) && bytes < (1 << 30);
    if (fixed) {
      known += (bytes + 15) / 16 * 16;
    } else {
      sum += fmt::format("{}({} * {} + 15) / 16 * 16", sum.empty() ? "" : " + ",
                         within(emit.cells(b), Binding::product), byte_width(b.type));
    }
  }
  return total();
}

std::string kernel_text(const KernelPart& kernel, Emitter& emit, Dialect dialect) {
  const bool opencl = is_opencl(dialect);
  std::string arguments;
  std::map<int, std::string> groups, threads;
  const auto argument = [&](const std::string& text) { arguments += (arguments.empty() ? "" : ", ") + text; };
  for (const Parameter* a : kernel.parameters) argument("const int64_t " + emit.names().of(a->name));
  const auto folded = [&](const std::vector<int>& slots, const char* stem, std::map<int, std::string>& extents) {
    for (const int slot : slots) {
      extents[slot] = emit.names().fresh(fmt::format("{}_{}", stem, slot));
      argument("const int64_t " + extents[slot]);
    }
  };
  folded(kernel.folded_groups, "groups", groups);
  folded(kernel.folded_threads, "threads", threads);
  for (const Buffer& b : kernel.part.buffers) {
    if (!is_argument(b)) continue;
    // Only what no thread writes may be promised not to change behind the compiler's back.
    const bool fixed = b.kind == BufferKind::input;
    const std::string_view restricted = !fixed ? "" : opencl ? "restrict " : "__restrict__ ";
    argument(fmt::format("{}{}{} *{}const {}", opencl ? "__global " : "", fixed ? "const " : "", c_type(b.type),
                         restricted, emit.names().of(b.name)));
  }
  // Memory of a group is aligned as the type of the argument asks: of 16 bytes, as in CUDA text.
  if (opencl && kernel.shares_memory) argument("__local ulong2 *const assay_memory");
  const std::string body = emit.indented([&] {
    tables(emit, kernel.part, dialect);
    if (opencl && kernel.shares_memory)
      emit.line("__local uint8_t *const assay_shared = (__local uint8_t *)assay_memory;");
    std::vector<std::string> places;
    const std::string behind = shared_bytes_text(kernel.part, emit, &places);
    std::size_t next = 0;
    for (const Buffer& b : kernel.part.buffers) {
      if (b.kind != BufferKind::shared) continue;
      emit.line(fmt::format("{0}{1} *const {2} = ({0}{1} *)(assay_shared + {3});", opencl ? "__local " : "",
                            c_type(b.type), emit.names().of(b.name), places[next++]));
    }
    std::map<const StmtNode*, std::string> coordinates;
    bind_slots(emit, kernel, Axis::grid, dialect, groups, coordinates);
    bind_slots(emit, kernel, Axis::workgroup, dialect, threads, coordinates);
    std::map<const StmtNode*, std::function<void(const Stmt&)>> rendered;
    for (const auto& [loop, slot] : hardware_slots(kernel.part)) {
      if (loop->axis != Axis::reduce) continue;
      const CollectivePlace place{dialect, coordinates.at(loop), behind};
      coordinates.erase(loop);  // the others are serial loops in each thread
      const auto collective = kernel.collectives.find(loop);
      if (collective == kernel.collectives.end()) continue;
      rendered[loop] = [&emit, &kernel, place, how = collective->second](const Stmt& s) {
        emit_collective(emit, kernel.part, s, how, place);
      };
    }
    emit.bind_loops(std::move(coordinates));
    emit.render(std::move(rendered));
    emit.with_locals(kernel.part);
  });
  return fmt::format("{} void {}({}) {{\n{}}}\n", opencl ? "__kernel" : "__global__", kernel.name,
                     arguments.empty() ? "void" : arguments, body);
}

}  // namespace assay::codegen
