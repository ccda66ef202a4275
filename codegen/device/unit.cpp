// Device units: what is not covered, and the order of the text: head, helpers, kernels, host code.
#include <fmt/format.h>

#include "codegen/c/emitter.hpp"
#include "codegen/c/launches.hpp"
#include "codegen/device/device.hpp"
#include "ir/analysis/launch.hpp"
#include "ir/traverse.hpp"

namespace assay::codegen {
namespace {

Diagnostic refusal(std::string what, Location where, std::string help) {
  Diagnostic d;
  d.code = "CUDA-1";
  d.message = "generated CUDA does not cover " + std::move(what);
  d.where = where;
  d.help = std::move(help);
  return d;
}

/// Whether a block stores to a cell that threads share.
bool stores_shared(const Program& p, const Block& b) {
  bool found = false;
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind == StmtKind::store || s->kind == StmtKind::zero) {
      const Buffer* buffer = p.find_buffer(s->name);
      found = found || (buffer != nullptr && buffer->kind != BufferKind::local);
    }
    return !found;
  };
  v.enter_expr = [](const Expr&) { return false; };
  visit(b, v);
  return found;
}

std::vector<Diagnostic> refusals(const Program& p) {
  std::vector<Diagnostic> found;
  const auto slots = hardware_slots(p);
  Visitor v;
  v.enter_stmt = [&](const Stmt& s) {
    if (s->kind != StmtKind::loop) return true;
    if (is_hardware(s->axis) && slots.count(&*s) == 0)
      found.push_back(
          refusal("hardware loops inside @vectorized loops or scopes", s->where, "put the hardware loop around them"));
    if (s->axis == Axis::reduce && slots.count(&*s) != 0 && stores_shared(p, s->body))
      found.push_back(refusal("@reduce loops that accumulate into a cell that threads share", s->where,
                              "a `var` or a `local` cell as accumulator is covered"));
    return true;
  };
  visit(p.body, v);
  return found;
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
  explicit Unit(Dialect dialect) : dialect_(dialect), helpers_(Helpers::Target::device) {}

  /// Why the program is not part of the unit; empty when it is.
  std::vector<Diagnostic> add(const Program& p, const std::string& number) {
    std::vector<Diagnostic> found = refusals(p);
    if (!found.empty()) return found;
    Helpers with = helpers_;
    Emitter emit(p, dialect_, with);
    const std::vector<KernelPart> kernels = kernel_parts(p, "assay_kernel" + (number.empty() ? "_launch" : number));
    std::string text;
    bool shared = false;
    for (const KernelPart& kernel : kernels) {
      text += "\n" + kernel_text(kernel, emit);
      for (const Buffer& b : kernel.part.buffers) shared = shared || b.kind == BufferKind::shared;
    }
    if (!with.uncovered().empty()) {
      return {refusal(fmt::format("`{}`", fmt::join(with.uncovered(), "`, `")), p.where,
                      "the interpreter and generated C cover it")};
    }
    helpers_ = std::move(with);
    kernels_ += text;
    shared_ = shared_ || shared;
    hosts_.push_back({&p, kernels, number});
    return {};
  }

  std::string text() const {
    Helpers host = helpers_;
    std::string entries;
    for (const Entry& e : hosts_) entries += "\n" + host_text(*e.program, e.kernels, e.number, host);
    const std::string& helpers = helpers_.text();
    std::string out = device_head(dialect_) + "\n";
    if (shared_) out += "extern __shared__ __align__(16) unsigned char assay_shared[];\n";
    out += qualified(helpers, "__host__ __device__");
    out += "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n" + kernels_;
    out += "\n/* The host. */\n" + host.text().substr(helpers.size()) + entries;
    return out + "\n#ifdef __cplusplus\n}\n#endif\n";
  }

 private:
  struct Entry {
    const Program* program = nullptr;
    std::vector<KernelPart> kernels{};
    std::string number{};
  };

  Dialect dialect_;
  Helpers helpers_;  // of the kernels
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

Result<std::string> emit_device(const Program& p, Dialect dialect) {
  Unit unit(dialect);
  std::vector<Diagnostic> found = unit.add(p, "");
  if (!found.empty()) return tl::unexpected(std::move(found));
  return description(p) + unit.text();
}

Result<std::string> emit_cuda(const Program& p) { return emit_device(p, Dialect::cuda); }

Batch emit_device_batch(const std::vector<const Program*>& programs, Dialect dialect) {
  Batch batch;
  Unit unit(dialect);
  int number = 0;
  for (const Program* p : programs) {
    std::vector<Diagnostic> found = unit.add(*p, fmt::format("_{}", number));
    batch.entries.push_back(found.empty() ? number++ : -1);
    batch.refusals.push_back(std::move(found));
  }
  batch.text = unit.text();
  return batch;
}

}  // namespace assay::codegen
