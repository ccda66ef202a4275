// Setting up the buffers of a run, and taking the observed ones out at its end.
#include "interp/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "interp/stopped.hpp"
#include "ir/analysis/launch.hpp"

namespace assay::interp {
namespace {

// Whose accesses are watched for races.
enum class Watching { none, groups, threads };

[[noreturn]] void refuse(const Buffer& b, const char* code, std::string message) {
  Fault f;
  f.code = code;
  f.message = std::move(message);
  f.at.where = f.access = b.where;
  f.buffer = b.name;
  throw Faulted{std::move(f)};
}

const Tensor& checked_tensor(const Buffer& b, const std::vector<std::int64_t>& dims, std::int64_t size,
                             const TensorMap& inputs) {
  const auto it = inputs.find(b.name);
  if (it == inputs.end()) refuse(b, "RUN-5", fmt::format("no tensor is given for {} `{}`", name(b.kind), b.name));
  const Tensor& t = it->second;
  if (t.type != b.type || t.dims != dims || static_cast<std::int64_t>(t.bytes.size()) != size * byte_width(b.type)) {
    refuse(b, "RUN-5", fmt::format("the tensor given for `{}` has not its type and shape", b.name));
  }
  if (b.type == Type::boolean) {
    for (unsigned char c : t.bytes) {
      if (c > 1)
        refuse(b, "RUN-5", fmt::format("the tensor given for `{}` holds a byte that is neither 0 nor 1", b.name));
    }
  }
  return t;
}

// EXEC-70: every element of a row has a cell of its own in that row. The permutation is that of row r modulo the units.
void check_layout(const Memory& m) {
  const Buffer& b = *m.buffer;
  if (b.swizzle == Swizzle::none || m.size == 0) return;
  const std::int64_t columns = m.dims.back(), unit = swizzle_unit(b.swizzle, b.type), units = columns / unit;
  std::vector<std::int64_t> taken_by_row(static_cast<std::size_t>(units), -1);
  for (std::int64_t row = 0; row < std::min(m.size / columns, units); ++row) {
    for (std::int64_t u = 0; u < units; ++u) {
      const std::int64_t goes_to = u ^ row;
      if (goes_to < units && std::exchange(taken_by_row[static_cast<std::size_t>(goes_to)], row) != row) continue;
      Fault f;
      f.code = "RUN-9";
      f.message = fmt::format("the swizzle of `{}` gives an element no cell of its own in its row", b.name);
      f.at.where = f.access = b.where;
      f.buffer = b.name;
      f.cell = unflatten(row * columns + u * unit, m.dims);
      throw Faulted{std::move(f)};
    }
  }
}

void set_up(Memory& m, const Buffer& b, const ParameterMap& parameters, const TensorMap& inputs, Watching watching,
            std::int64_t& used) {
  const auto dims = shape(b, parameters);
  if (!dims) refuse(b, "RUN-9", fmt::format("a dimension of `{}` is negative, or its size leaves int64", b.name));
  m.buffer = &b;
  m.dims = *dims;
  m.width = byte_width(b.type);
  m.size = 1;
  for (std::int64_t d : m.dims) m.size *= d;
  check_layout(m);
  m.ranged = b.kind == BufferKind::input && b.range.has_value();

  const bool device = is_observed(b.kind) || b.kind == BufferKind::temp;
  const bool shadowed = device && watching != Watching::none;
  // Without threads nothing races in `shared`, but a witness may be about it.
  const bool recent =
      device ? watching == Watching::threads : b.kind == BufferKind::shared && watching != Watching::none;
  const std::int64_t shadow_bytes = (shadowed ? sizeof(Shadow) : 0) + (recent ? sizeof(ThreadShadow) : 0);
  const std::int64_t cell_bytes = (b.kind == BufferKind::input ? 0 : m.width + 1) + shadow_bytes;
  if (m.size > 0 && cell_bytes > (memory_limit - used) / m.size) {
    throw Exhausted{fmt::format("`{}` with {} cells needs more memory than a run may take", b.name, m.size)};
  }
  used += m.size * cell_bytes;

  if (shadowed) {
    m.shadow_cells = ZeroedArray<Shadow>(static_cast<std::size_t>(m.size));
    m.shadow = m.shadow_cells.get();
  }
  if (recent) {
    m.recent_cells = ZeroedArray<ThreadShadow>(static_cast<std::size_t>(m.size));
    m.recent = m.recent_cells.get();
  }
  switch (b.kind) {
    case BufferKind::input: m.elements = checked_tensor(b, m.dims, m.size, inputs).bytes.data(); break;
    case BufferKind::constant:
      if (static_cast<std::int64_t>(b.data.size()) != m.size)
        refuse(b, "RUN-9", fmt::format("`{}` has {} cells and {} values", b.name, m.size, b.data.size()));
      m.constant.resize(static_cast<std::size_t>(m.size * m.width));
      m.elements = m.constant.data();
      for (std::size_t i = 0; i < b.data.size(); ++i)
        std::memcpy(m.constant.data() + i * static_cast<std::size_t>(m.width), &b.data[i].bits,
                    static_cast<std::size_t>(m.width));
      break;
    case BufferKind::local: break;  // the copies belong to the threads
    default:
      m.own = m.new_copy();
      m.use(m.own);
      if (b.kind == BufferKind::inout) {
        const Tensor& t = checked_tensor(b, m.dims, m.size, inputs);
        if (m.size > 0) std::memcpy(m.writable, t.bytes.data(), t.bytes.size());
        std::memset(m.states, defined, static_cast<std::size_t>(m.size));
      }
      break;
  }
}

}  // namespace

std::vector<Memory> set_up_memory(const Program& p, const ParameterMap& parameters, const TensorMap& inputs,
                                  bool detect_races, const std::optional<Symbol>& only) {
  Watching watching = Watching::none;
  if (detect_races) watching = has_loop(p.body, {Axis::workgroup, Axis::reduce}) ? Watching::threads : Watching::groups;
  // Never resized: a Memory points into itself.
  std::vector<Memory> memory(p.buffers.size());
  std::int64_t used = 0;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const bool watched = !only || *only == p.buffers[i].name;
    set_up(memory[i], p.buffers[i], parameters, inputs, watched ? watching : Watching::none, used);
  }
  return memory;
}

void take_outputs(const std::vector<Memory>& memory, Outcome& into, bool with_marks) {
  for (const Memory& m : memory) {
    if (m.buffer->kind != BufferKind::output) continue;
    for (std::int64_t i = 0; i < m.size; ++i) {
      if ((m.states[i] & defined) != 0) continue;
      Fault f;
      f.code = "RUN-6";
      f.message = fmt::format("a cell of output `{}` is undefined at the end", m.buffer->name);
      f.at.where = f.access = m.buffer->where;
      f.buffer = m.buffer->name;
      f.cell = unflatten(i, m.dims);
      throw Faulted{std::move(f)};
    }
  }
  for (const Memory& m : memory) {
    if (!is_observed(m.buffer->kind)) continue;
    Tensor t(m.buffer->type, m.dims);
    if (m.size > 0) std::memcpy(t.bytes.data(), m.elements, t.bytes.size());
    into.outputs.emplace(m.buffer->name, std::move(t));
    if (!with_marks) continue;
    std::vector<bool> marks(static_cast<std::size_t>(m.size));
    for (std::size_t i = 0; i < marks.size(); ++i) marks[i] = ((m.states[i] | *m.blanket) & marked) != 0;
    into.tainted.emplace(m.buffer->name, std::move(marks));
  }
}

}  // namespace assay::interp
