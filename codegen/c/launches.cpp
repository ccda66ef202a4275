// Cutting a program at its `launch` statements, and the code that finds extents before a launch.
#include "codegen/c/launches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ir/analysis/launch.hpp"

namespace assay::codegen {
namespace {

using Extents = std::map<const StmtNode*, std::string>;

bool contains_any(const Block& b, const Extents& extent_of) {
  return std::any_of(b.begin(), b.end(), [&](const Stmt& s) {
    return extent_of.count(&*s) != 0 || contains_any(s->body, extent_of) || contains_any(s->other, extent_of);
  });
}

// No value of a variable passes from one launch to another (PRF-29): each launch that names it has one of its own.
void redeclare_variables(const Program& p, std::vector<Program>& parts) {
  for (std::size_t k = 1; k < parts.size(); ++k) {
    const std::set<Symbol> used = used_names(parts[k].body);
    Block own;
    for (const Stmt& s : p.body) {
      const bool elsewhere = s->kind == StmtKind::declare && used.count(s->name) != 0 &&
                             std::find(parts[k].body.begin(), parts[k].body.end(), s) == parts[k].body.end();
      if (elsewhere) own.push_back(make_declare(s->name, s->type, {}, s->where));
    }
    parts[k].body.insert(parts[k].body.begin(), own.begin(), own.end());
  }
}

}  // namespace

std::vector<Program> launches_of(const Program& p) {
  std::vector<Program> parts(1, p);
  if (std::none_of(p.body.begin(), p.body.end(), [](const Stmt& s) { return s->kind == StmtKind::launch; }))
    return parts;
  parts[0].body.clear();
  for (const Stmt& s : p.body) {
    if (s->kind == StmtKind::launch) {
      parts.push_back(p);
      parts.back().body.clear();
    } else {
      parts.back().body.push_back(s);
    }
  }
  redeclare_variables(p, parts);
  for (Program& part : parts) {
    const std::set<Symbol> used = used_names(part.body);
    const auto idle = [&](const Buffer& b) {
      return (b.kind == BufferKind::local || b.kind == BufferKind::shared) && used.count(b.name) == 0;
    };
    part.buffers.erase(std::remove_if(part.buffers.begin(), part.buffers.end(), idle), part.buffers.end());
  }
  return parts;
}

void measure(Emitter& emit, const Block& b, const Extents& extent_of) {
  for (const Stmt& s : b) {
    if (const auto slot = extent_of.find(&*s); slot != extent_of.end())
      emit.line(fmt::format("{0} = {1}({0}, {2});", slot->second, emit.helpers().use("index_max"), emit.trip_count(s)));
    if (!contains_any(s->body, extent_of) && !contains_any(s->other, extent_of)) continue;
    const auto inner = [&] {
      measure(emit, s->body, extent_of);
      measure(emit, s->other, extent_of);
    };
    if (s->kind != StmtKind::loop) {
      inner();
    } else if (!bounds_mention(s->body, s->name)) {
      emit.braces(fmt::format("if ({} > 0)", emit.trip_count(s)), inner);
    } else {
      emit.braces(emit.loop_header(emit.names().of(s->name), s->lo, s->hi, s->step), inner);
    }
  }
}

bool is_argument(const Buffer& b) {
  return b.kind != BufferKind::constant && b.kind != BufferKind::local && b.kind != BufferKind::shared;
}

std::string shape_text(const Buffer& b) {
  std::string s;
  for (const Index& d : b.dims) s += (s.empty() ? "" : ", ") + d.text();
  return fmt::format("{}[{}]", name(b.type), s);
}

std::string arguments_text(const Program& p) {
  std::string s;
  int n = 0;
  for (const Parameter& a : p.parameters)
    s += fmt::format(" * parameters[{}]  {}, {} <= {} < {}\n", n++, a.name, a.lo, a.name, a.hi);
  n = 0;
  for (const Buffer& b : p.buffers) {
    if (!is_argument(b)) continue;
    s += fmt::format(" * buffers[{}]  {} {}: {}, row major\n", n++, name(b.kind), b.name, shape_text(b));
  }
  return s;
}

}  // namespace assay::codegen
