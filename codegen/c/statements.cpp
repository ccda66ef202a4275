// Statements in scalar mode, and the layout of the text.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "codegen/c/emitter.hpp"
#include "codegen/device/device.hpp"
#include "codegen/device/tiles.hpp"
#include "ir/traverse.hpp"

namespace assay::codegen {

Emitter::Emitter(const Program& p, Dialect dialect, Helpers& helpers)
    : program_(p),
      dialect_(dialect),
      names_(is_device(dialect) ? is_opencl(dialect) ? Words::opencl : Words::cuda : Words::c),
      helpers_(helpers) {
  // Parameters and buffers are what a reader of the unit knows: they have the first choice of names.
  for (const Parameter& parameter : p.parameters) names_.of(parameter.name);
  for (const Buffer& buffer : p.buffers) names_.of(buffer.name);
  if (mentions(p, Type::u32x4)) helpers_.use("u32x4");  // the type, before everything that uses it
}

void Emitter::line(std::string_view text) {
  out_.append(2 * static_cast<std::size_t>(depth_), ' ');
  out_ += text;
  out_ += '\n';
}

void Emitter::braces(std::string_view header, const std::function<void()>& inner) {
  line(header.empty() ? "{" : std::string(header) + " {");
  ++depth_;
  inner();
  --depth_;
  line("}");
}

std::string Emitter::indented(const std::function<void()>& inner) {
  std::string text;
  std::swap(text, out_);
  ++depth_;
  inner();
  --depth_;
  std::swap(text, out_);
  return text;
}

std::string Emitter::loop_header(const std::string& variable, const Index& lo, const Index& hi, std::int64_t step) {
  const std::string end = within(index(hi), Binding::sum);
  std::string advance = "++" + variable;
  if (step > 1) {
    const bool safe = hi.is_constant() && hi.constant() <= std::numeric_limits<std::int64_t>::max() - step;
    advance = safe ? fmt::format("{} += {}", variable, c_integer(step).s)
                   : fmt::format("{} = {}({}, {}, {})", variable, helpers_.use("index_next"), variable,
                                 c_integer(step).s, end);
  }
  return fmt::format("for (int64_t {0} = {1}; {0} < {2}; {3})", variable, index(lo).s, end, advance);
}

std::string Emitter::trip_count(const Stmt& loop) {
  const Index span = loop->hi - loop->lo;
  if (span.is_constant()) return c_integer(span.constant() <= 0 ? 0 : (span.constant() - 1) / loop->step + 1).s;
  return fmt::format("{}({}, {}, {})", helpers_.use("trip_count"), index(loop->lo).s, index(loop->hi).s,
                     c_integer(loop->step).s);
}

void Emitter::lines(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) line(text);
}

void Emitter::array(Type element, const std::string& name, const std::string& count,
                    std::optional<std::int64_t> constant, Arrays& into) {
  constexpr std::int64_t array_limit = 8 << 10, unit_limit = 64 << 10;  // bytes on the stack
  const std::int64_t width = byte_width(element);
  if (constant && *constant <= array_limit / width && stack_bytes_ + *constant * width <= unit_limit) {
    stack_bytes_ += *constant * width;
    into.declarations.push_back(fmt::format("{} {}[{}];", c_type(element), name, std::max<std::int64_t>(*constant, 1)));
  } else {
    into.declarations.push_back(fmt::format("{0} *const {1} = ({0} *){2}({3}, sizeof({0}));", c_type(element), name,
                                            helpers_.use("allocate"), count));
    into.release.push_back(fmt::format("free({});", name));
  }
}

void Emitter::with_locals(const Program& part) {
  Arrays arrays;
  for (const Buffer& b : part.buffers) {
    if (b.kind != BufferKind::local) continue;
    Index product(1);
    bool constant = true;
    for (const Index& d : b.dims) {
      constant = constant && d.is_constant();
      if (constant) product = product * d.constant();
    }
    std::optional<std::int64_t> known;
    if (constant && !product.overflowed()) known = product.constant();
    array(b.type, names_.of(b.name), cells(b).s, known, arrays);
  }
  lines(arrays.declarations);
  block(part.body);
  lines(arrays.release);
}

void Emitter::block(const Block& b) {
  for (const Stmt& s : b) {
    if (lanes_ != nullptr) {
      lane_statement(s);
    } else {
      statement(s);
    }
  }
}

void Emitter::statement(const Stmt& s) {
  if (const auto by = rendered_.find(&*s); by != rendered_.end()) return by->second(s);
  switch (s->kind) {
    case StmtKind::loop: return loop(s);
    case StmtKind::branch: return branch(s);
    case StmtKind::zero: {
      const Buffer& b = *program_.find_buffer(s->name);
      if (is_opencl(dialect_)) return clear(b);
      return line(fmt::format("memset({0}, 0, (size_t)({1}) * sizeof *{0});", names_.of(s->name), cells(b).s));
    }
    case StmtKind::declare:
      if (!s->value) return line(fmt::format("{} {};", c_type(s->type), names_.of(s->name)));
      return line(fmt::format("{} {} = {};", c_type(s->type), names_.of(s->name), expression(s->value).s));
    case StmtKind::assign: return line(fmt::format("{} = {};", names_.of(s->name), expression(s->value).s));
    case StmtKind::store: {
      const std::string target = fmt::format("{}[{}]", names_.of(s->name), offset(s->name, s->indices).s);
      if (const auto found = copies_.find(&*s); found != copies_.end()) return copy(s, target, found->second);
      return line(fmt::format("{} = {};", target, expression(s->value).s));
    }
    case StmtKind::barrier: return barrier();  // elsewhere refused
    case StmtKind::launch: return;             // the entry is cut there
  }
}

void Emitter::copy(const Stmt& s, const std::string& target, int elements) {
  const std::string function = fmt::format("assay_copy_async_{}", elements * byte_width(s->value->type));
  tile_functions_.insert(function);
  const std::string call = fmt::format("{}(&{}, &{});", function, target, expression(s->value).s);
  if (elements == 1) return line(call);
  const Index place = floormod(s->indices.back()->index, elements);
  line(fmt::format("if ({} == 0) {}", within(index(place), Binding::comparison), call));
}

void Emitter::branch(const Stmt& s) {
  const std::string condition = expression(s->value).s;
  line("if (" + condition + ") {");
  ++depth_;
  block(s->body);
  --depth_;
  if (!s->other.empty()) {
    line("} else {");
    ++depth_;
    block(s->other);
    --depth_;
  }
  line("}");
}

void Emitter::loop(const Stmt& s) {
  if (s->axis == Axis::vectorized) return vectorized(s);
  const std::string variable = names_.of(s->name);
  if (const auto bound = coordinates_.find(&*s); bound != coordinates_.end()) {
    const std::string& coordinate = bound->second;
    const bool plain = s->lo == Index(0) && s->step == 1;
    const std::string trips = plain ? within(index(s->hi), Binding::sum) : trip_count(s);
    return braces(fmt::format("if ({} < {})", coordinate, trips), [&] {
      if (s->axis == Axis::tile) return product(s, coordinate);
      bind(s, coordinate);
      block(s->body);
    });
  }
  const std::string header = loop_header(variable, s->lo, canonical_end(*s), s->step);
  line(header + " {" + (s->axis == Axis::serial ? "" : fmt::format(" /* @{} */", name(s->axis))));
  ++depth_;
  block(s->body);
  --depth_;
  line("}");
}

void Emitter::bind(const Stmt& loop, const std::string& coordinate) {
  const std::string stride = loop->step == 1 ? coordinate : coordinate + " * " + c_integer(loop->step).s;
  const std::string first = loop->lo == Index(0) ? "" : within(index(loop->lo), Binding::sum) + " + ";
  line(fmt::format("const int64_t {} = {}{}; /* @{} */", names_.of(loop->name), first, stride, name(loop->axis)));
}

// The first lane runs the nest, or all of them an instruction (MMA-1); then all wait (EXEC-76).
void Emitter::product(const Stmt& s, const std::string& lane) {
  if (const auto found = instructions_.find(&*s); found != instructions_.end()) {
    if (found->second) {
      emit_tile_product(*this, program_, *found->second, lane, tile_functions_);
      return barrier();
    }
    line(fmt::format("/* no instruction: {} */", found->second.error()));
  }
  braces(fmt::format("if ({} == 0)", lane), [&] {
    line(fmt::format("const int64_t {} = {}; /* @tile */", names_.of(s->name), index(s->lo).s));
    block(s->body);
  });
  barrier();
}

// OpenCL has no memset.
void Emitter::clear(const Buffer& b) {
  const std::string cell = names_.fresh("cell");
  const std::string zero = b.type == Type::u32x4 ? helpers_.use(Op::block, Type::u32x4) + "(0, 0, 0, 0)" : "0";
  braces(fmt::format("for (int64_t {0} = 0; {0} < {1}; ++{0})", cell, within(cells(b), Binding::sum)),
         [&] { line(fmt::format("{}[{}] = {};", names_.of(b.name), cell, zero)); });
}

void Emitter::barrier() {
  if (!copies_.empty()) {
    tile_functions_.insert("assay_copies_commit");
    line("assay_copies_commit();");
    line("assay_copies_wait(0);");
  }
  line(is_opencl(dialect_) ? "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);" : "__syncthreads();");
}

}  // namespace assay::codegen
