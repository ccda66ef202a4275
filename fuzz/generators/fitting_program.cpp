// Which generator fits follows from the operation's schema, and for a few from its name.
#include "fuzz/generators/fitting_program.hpp"

#include <algorithm>

#include "fuzz/generators/random_accumulation_line.hpp"
#include "fuzz/generators/random_chain.hpp"
#include "fuzz/generators/random_flow_line.hpp"
#include "fuzz/generators/random_line.hpp"
#include "fuzz/generators/random_phases.hpp"
#include "fuzz/generators/random_program.hpp"
#include "fuzz/generators/random_threads.hpp"
#include "fuzz/generators/rewritable.hpp"
#include "ir/text/source.hpp"
#include "ir/traverse.hpp"
#include "transforms/candidates.hpp"

namespace assay::fuzz {
namespace {

Program parsed(const std::string& text) {
  const auto file = parse_source(text, "fitting.air");
  return file && !file->programs.empty() ? file->programs.front() : Program{};
}

// Some barriers stand twice.
Program with_needless_barriers(interp::Random& random) {
  Program p = parsed(random.coin() ? random_phases(random) : random_threads(random));
  p.body = rewrite(p.body, {}, [&](const Stmt& s) {
    return s->kind == StmtKind::barrier && random.below(2) == 0 ? Block{s, s} : Block{s};
  });
  return p;
}

// `alias A B` of two scratch buffers.
ScheduleLine line_of_two_buffers(interp::Random& random, const Program& p, std::string_view operation) {
  std::vector<Symbol> scratch;
  for (const Buffer& b : p.buffers) {
    if (b.kind == BufferKind::temp || b.kind == BufferKind::shared || b.kind == BufferKind::local)
      scratch.push_back(b.name);
  }
  ScheduleLine line;
  line.op = std::string(operation);
  line.text = line.op;
  for (int k = 0; k < 2; ++k) {
    const Symbol name =
        scratch.empty() ? p.buffers[random.below(p.buffers.size())].name : scratch[random.below(scratch.size())];
    line.operands.push_back({name, {1, 1, 1}});
    line.text += " " + name;
  }
  return line;
}

std::ptrdiff_t number_of(const Declaration& d, ParameterInfo::Kind kind) {
  return std::count_if(d.parameters.begin(), d.parameters.end(),
                       [&](const ParameterInfo& p) { return p.kind == kind; });
}

}  // namespace

Program fitting_program(interp::Random& random, std::string_view operation) {
  const OperationEntry* entry = find_operation(operation);
  const bool rewrites = entry && entry->declaration.schema.front() == 'W';
  if (operation == "elide_barriers") return with_needless_barriers(random);
  if (operation == "alias" || operation == "sink_zero") return parsed(random_chain(random));
  if (operation == "zero_margins") return parsed(random_frame(random));
  ProgramShape shape;
  shape.product = operation == "tensorize" || operation == "fuse_epilogue";
  if (rewrites) {
    const Program p = random.below(4) == 0 ? parsed(random_phases(random)) : random_program(random, shape);
    Program out = rewritable(random, p);
    for (int k = 0; k < 12 && operation == "onehot" && find_loops(out, "hot").empty(); ++k) out = rewritable(random, p);
    return out;
  }
  return random_program(random, shape);
}

ScheduleLine fitting_line(interp::Random& random, const Program& p, std::string_view operation) {
  const Declaration& d = find_operation(operation)->declaration;
  if (random.below(3) == 0) {
    const std::vector<ScheduleLine> lines = candidate_lines(d, p, 256);
    if (!lines.empty()) return lines[random.below(lines.size())];
  }
  if (number_of(d, ParameterInfo::Kind::buffer) == 2) return line_of_two_buffers(random, p, operation);
  switch (d.schema.front()) {
    case 'A': return random_accumulation_line(random, p, d.name);
    case 'F':
      if (number_of(d, ParameterInfo::Kind::loops) > 0) return random_flow_line(random, p, d.name);
      break;
    case 'W': return random_rewrite_line(random, p, d.name);
    case 'K':
      if (d.name == "retype" && random.below(4) == 0) return random_accumulation_line(random, p, d.name);
      break;
    default: break;
  }
  return random_line(random, p, d.name);
}

}  // namespace assay::fuzz
