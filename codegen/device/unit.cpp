// Device units: what is not covered, and the order of the text: head, helpers, kernels, host code.
#include <fmt/format.h>

#include "codegen/c/emitter.hpp"
#include "codegen/c/launches.hpp"
#include "codegen/device/device.hpp"
#include "codegen/device/tiles.hpp"
#include "ir/analysis/launch.hpp"
#include "ir/traverse.hpp"

namespace assay::codegen {
namespace {

Diagnostic refusal(Dialect dialect, std::string what, Location where, std::string help) {
  Diagnostic d;
  d.code = is_opencl(dialect) ? "OCL-1" : "CUDA-1";
  d.message = fmt::format("generated {} does not cover {}", is_opencl(dialect) ? "OpenCL" : "CUDA", what);
  d.where = where;
  d.help = std::move(help);
  return d;
}

std::vector<Diagnostic> refusals(const Program& p, Dialect dialect) {
  std::vector<Diagnostic> found;
  const auto slots = hardware_slots(p);
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind != StmtKind::loop) return true;
    if (is_hardware(s->axis) && slots.count(&*s) == 0)
      found.push_back(refusal(dialect, "hardware loops inside @vectorized loops or scopes", s->where,
                              "put the hardware loop around them"));
    return true;
  };
  visit(p.body, v);
  for (const Program& launch : launches_of(p)) {
    const StmtNode* const barrier = is_opencl(dialect) ? barrier_in_uneven_loop(launch) : nullptr;
    if (barrier != nullptr)
      found.push_back(refusal(dialect, "barriers in loops that may have more iterations in one thread than in another",
                              barrier->where, "give the loop the same number of iterations in all threads"));
    for (const auto& [loop, way] : collectives_of(launch, dialect)) {
      if (way) continue;
      found.push_back(
          refusal(dialect, "@reduce loops that not all threads of a group are known to reach", loop->where,
                  is_opencl(dialect)
                      ? "put them where every thread of the group comes"
                      : "put them where every thread of the group comes, or give the slot of the loop 2, 4, 8, 16 "
                        "or 32 threads, or the whole group no more than 32: then shuffles do"));
    }
  }
  return found;
}

/// Copies by their statements.
std::map<const StmtNode*, int> pieces_of(const Program& p, const CopyPieces& copies) {
  std::map<const StmtNode*, int> out;
  int next = 0;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (const auto found = copies.find(next++); found != copies.end()) out.emplace(&*s, found->second);
    return true;
  };
  visit(p.body, v);
  return out;
}

/// The text with a qualifier in front of every function in it.
std::string qualified(const std::string& text, std::string_view qualifier) {
  constexpr std::string_view start = "static ";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    if (text.compare(at, start.size(), start) == 0) {
      out.append(start).append(qualifier).append(" ");
      at += start.size();
    }
    out.append(text, at, end - at);
    at = end;
  }
  return out;
}

/// Programs as they are put into one unit.
class Unit {
 public:
  explicit Unit(Dialect dialect, TileUnit tiles = TileUnit::none)
      : dialect_(dialect),
        tiles_(tiles),
        helpers_(is_opencl(dialect) ? Helpers::Target::opencl : Helpers::Target::cuda) {}

  /// Why the program is not part of the unit; empty when it is.
  std::vector<Diagnostic> add(const Program& p, const std::string& number, const CopyPieces& copies = {}) {
    std::vector<Diagnostic> found = refusals(p, dialect_);
    if (!found.empty()) return found;
    Helpers with = helpers_;
    Emitter emit(p, dialect_, with);
    if (tiles_ != TileUnit::none) {
      emit.use_instructions(tile_instructions(p));
      emit.use_copies(pieces_of(p, copies));
    }
    const std::vector<KernelPart> kernels =
        kernel_parts(p, "assay_kernel" + (number.empty() ? "_launch" : number), dialect_);
    std::string text;
    bool shared = false;
    for (const KernelPart& kernel : kernels) {
      text += "\n" + kernel_text(kernel, emit, dialect_);
      shared = shared || kernel.shares_memory;
    }
    if (!with.uncovered().empty()) {
      return {refusal(dialect_, fmt::format("{}", fmt::join(with.uncovered(), ", ")), p.where,
                      "the interpreter and generated C cover it")};
    }
    helpers_ = std::move(with);
    tile_functions_.insert(emit.tile_functions().begin(), emit.tile_functions().end());
    kernels_ += text;
    shared_ = shared_ || shared;
    hosts_.push_back({&p, kernels, number});
    return {};
  }

  /// Head, helpers and kernels; for OpenCL that is all that the platform's compiler reads.
  std::string kernels() const {
    std::string out = device_head(dialect_) + tile_head(dialect_, tiles_, tile_functions_) + "\n";
    if (is_opencl(dialect_)) return out + helpers_.text() + kernels_;
    if (shared_) out += "extern __shared__ __align__(16) unsigned char assay_shared[];\n";
    out += qualified(helpers_.text(), "__host__ __device__");
    return out + "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n" + kernels_;
  }

  /// The whole unit as one text; not for OpenCL.
  std::string text() const {
    Helpers host = helpers_;
    const std::string code = entries(host);
    std::string out = kernels() + "\n/* The host. */\n#ifndef __CUDACC_RTC__\n" +
                      host.text().substr(helpers_.text().size()) + "\n#ifndef __CUDACC__\n";
    for (const Entry& e : hosts_) {
      for (const KernelPart& kernel : e.kernels) out += call_text(kernel);
    }
    return out + "#endif\n" + code + "#endif\n\n#ifdef __cplusplus\n}\n#endif\n";
  }

  /// Host code that needs the kernels as `assay_image`.
  std::string host() const {
    Helpers helpers;
    const std::string code = entries(helpers);
    return host_head(dialect_, tiles_) + helpers.text() + code;
  }

 private:
  struct Entry {
    const Program* program = nullptr;
    std::vector<KernelPart> kernels{};
    std::string number{};
  };

  std::string entries(Helpers& host) const {
    std::string out;
    for (const Entry& e : hosts_) out += "\n" + host_text(*e.program, e.kernels, e.number, host);
    return out;
  }

  Dialect dialect_;
  TileUnit tiles_;
  Helpers helpers_;  // of the kernels
  std::set<std::string> tile_functions_{};
  std::string kernels_{};
  std::vector<Entry> hosts_{};
  bool shared_ = false;
};

std::string description(const Program& p) {
  std::string s = fmt::format("/* {}: generated CUDA, one kernel for each launch.\n *\n", p.name);
  s += " *   int assay_kernel(const long long *parameters, void *const *buffers)\n *\n" + arguments_text(p);
  s +=
      " *\n * Buffers are in host memory; the entry copies them. f16 and bf16 are stored as their bits in uint16_t, "
      "bool "
      "as 0 or 1\n * in uint8_t. Returns 0; 1 to 3 as generated C does, 5 when a group has more threads than a device "
      "allows, 6 when its\n * shared memory is too large, 7 when there are too many groups, 8 without a device, 9 when "
      "the device reports an error.\n";
  return s + fmt::format(" * Compile with nvcc {}\n */\n", cuda_flags);
}

}  // namespace

Result<std::string> emit_device(const Program& p, Dialect dialect, const DeviceFeatures& features) {
  Unit unit(dialect, features.tiles);
  std::vector<Diagnostic> found = unit.add(p, "", features.copies);
  if (!found.empty()) return tl::unexpected(std::move(found));
  return description(p) + unit.text();
}

Result<std::string> emit_opencl(const Program& p) {
  Unit unit(Dialect::opencl);
  std::vector<Diagnostic> found = unit.add(p, "");
  if (!found.empty()) return tl::unexpected(std::move(found));
  return fmt::format(
             "/* {}: generated OpenCL C, one kernel for each launch, named assay_kernel_launch_0, … in order.\n *\n"
             " * Arguments are the parameters, the extents of slots that share the third dimension, the buffers that "
             "the\n"
             " * kernel uses, and the group's shared memory. f16 and bf16 are stored as their bits in ushort, bool as "
             "0 or 1\n"
             " * in uchar.\n * Build with {}\n */\n",
             p.name, opencl_flags) +
         unit.kernels();
}

Result<std::string> emit_cuda(const Program& p, const DeviceFeatures& features) {
  return emit_device(p, Dialect::cuda, features);
}

Batch emit_device_batch(const std::vector<const Program*>& programs, Dialect dialect, TileUnit tiles,
                        const std::vector<CopyPieces>& copies) {
  Batch batch;
  Unit unit(dialect, tiles);
  int number = 0;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    std::vector<Diagnostic> found =
        unit.add(*programs[i], fmt::format("_{}", number), i < copies.size() ? copies[i] : CopyPieces());
    batch.entries.push_back(found.empty() ? number++ : -1);
    batch.refusals.push_back(std::move(found));
  }
  if (is_opencl(dialect)) {
    batch.text = image_text(unit.kernels()) + unit.host();
  } else if (dialect == Dialect::cuda) {
    batch.text = unit.host();
    batch.device_text = unit.text();
  } else {
    batch.text = unit.text();
  }
  return batch;
}

}  // namespace assay::codegen
