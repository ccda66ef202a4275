// The printed form (PRINT-1, PRINT-2): the fewest parentheses and types of literals that the parser needs.
//
// The parser types literals from their surroundings: a tree of literals alone ("flexible") takes the type of a typed
// sibling or of its place. The printer mirrors that. Where neither is there, the first literal is written `f32(1.5)`.
#include <fmt/format.h>

#include <unordered_map>

#include "ir/literal.hpp"
#include "ir/text/source.hpp"
#include "ir/typing.hpp"

namespace assay {
namespace {

// Binding strength, as in the grammar.
enum Level : int {
  choice_level,
  or_level,
  and_level,
  comparison_level,
  sum_level,
  product_level,
  unary_level,
  primary_level
};

int level_of(const Expr& e) {
  switch (e->op) {
    case Op::choice: return choice_level;
    case Op::lor: return or_level;
    case Op::land: return and_level;
    case Op::eq:
    case Op::ne:
    case Op::lt:
    case Op::le:
    case Op::gt:
    case Op::ge: return comparison_level;
    case Op::add:
    case Op::sub: return sum_level;
    case Op::mul:
    case Op::div: return product_level;
    case Op::neg:
    case Op::lnot: return unary_level;
    case Op::index:
      if (e->index.as_symbol() != nullptr) return primary_level;
      return e->index.is_constant() ? unary_level : sum_level;
    case Op::literal: return unary_level;
    default: return primary_level;
  }
}

class Printer {
 public:
  Printer(int indent, bool one_line) : indent_(indent), one_line_(one_line) {}
  std::string take() { return std::move(out_); }

  /// `typed`: the surroundings give literals their type.
  void expression(const Expr& e, int level, bool typed) {
    const bool parentheses = level_of(e) < level;
    if (parentheses) out_ += '(';
    bare(e, typed);
    if (parentheses) out_ += ')';
  }
  void statement(const Stmt& s, bool header_only = false);
  void block(const Block& b) {
    if (b.empty()) {
      out_ += "{}";
      return;
    }
    out_ += '{';
    ++indent_;
    bool first = true;
    for (const Stmt& s : b) {
      if (one_line_ && !first) out_ += ';';
      separate();
      statement(s);
      first = false;
    }
    --indent_;
    separate();
    out_ += '}';
  }
  void separate() {
    if (one_line_) {
      out_ += ' ';
    } else {
      out_ += '\n';
      out_.append(static_cast<std::size_t>(indent_) * 2, ' ');
    }
  }
  void text(std::string_view t) { out_ += t; }

 private:
  void bare(const Expr& e, bool typed);
  void literal(const Expr& e, bool typed);
  void operation(const Expr& e, bool typed);
  void list(const std::vector<Expr>& es, bool typed) {
    for (std::size_t i = 0; i < es.size(); ++i) {
      if (i > 0) out_ += ", ";
      expression(es[i], choice_level, typed);
    }
  }
  bool flexible(const Expr& e);

  std::string out_{};
  int indent_;
  bool one_line_;
  std::unordered_map<const ExprNode*, bool> flexible_{};
};

// Whether the parser sees literals alone. Memorised: every ancestor asks.
bool Printer::flexible(const Expr& e) {
  if (e->op == Op::literal) return e->type != Type::boolean;
  if (e->op == Op::index) return e->index.is_constant();
  if (operand_type(e->op, 0) || is_ruled_conversion(e->op)) return false;
  if (!is_operation(e->op) || is_comparison(e->op) || e->type == Type::boolean) return false;
  const auto known = flexible_.find(&*e);
  if (known != flexible_.end()) return known->second;
  bool all = true;
  for (std::size_t i = has_condition(e->op) ? 1 : 0; i < e->args.size() && all; ++i) all = flexible(e->args[i]);
  flexible_.emplace(&*e, all);
  return all;
}

void Printer::literal(const Expr& e, bool typed) {
  const std::string text = to_text(e->literal);
  if (typed || e->type == Type::boolean) {
    out_ += text;
  } else if (is_float(e->type)) {
    out_ += fmt::format("{}({})", name(e->type), text);
  } else {
    out_ += fmt::format("{}(({}))", name(e->type), text);
  }
}

void Printer::operation(const Expr& e, bool typed) {
  const OpInfo& op = info(e->op);
  // What each value operand is told about types: see the opening comment.
  const bool alone = flexible(e);
  bool tell = alone ? typed : true;
  if (is_comparison(e->op) || e->op == Op::land || e->op == Op::lor || e->op == Op::lnot) {
    tell = false;
    for (const Expr& a : e->args) tell = tell || !flexible(a);
  }
  if (is_ruled_conversion(e->op)) tell = false;
  const auto operand = [&](std::size_t i, int level) {
    const bool condition = has_condition(e->op) && i == 0;
    expression(e->args[i], level, condition ? false : tell);
    if (!condition) tell = true;  // the first one has the type now
  };
  if (op.function) {
    out_ += op.text;
    out_ += '(';
    if (has_written_type(e->op)) out_ += fmt::format("{}, ", name(e->type));
    for (std::size_t i = 0; i < e->args.size(); ++i) {
      if (i > 0) out_ += ", ";
      operand(i, choice_level);
    }
    out_ += ')';
    return;
  }
  if (e->op == Op::choice) {
    operand(0, or_level);
    out_ += " ? ";
    operand(1, choice_level);
    out_ += " : ";
    operand(2, choice_level);
    return;
  }
  if (e->args.size() == 1) {
    out_ += op.text;
    // `-1.5` would be one literal.
    const Expr& a = e->args[0];
    const bool positive_literal = e->op == Op::neg && a->op == Op::literal && to_text(a->literal)[0] != '-' && tell;
    if (positive_literal) out_ += '(';
    operand(0, unary_level);
    if (positive_literal) out_ += ')';
    return;
  }
  const int level = level_of(e);
  const bool comparison = is_comparison(e->op);
  operand(0, comparison ? level + 1 : level);
  out_ += fmt::format(" {} ", op.text);
  operand(1, level + 1);
}

void Printer::bare(const Expr& e, bool typed) {
  switch (e->op) {
    case Op::literal: return literal(e, typed);
    case Op::index: out_ += e->index.text(); return;
    case Op::variable: out_ += e->name; return;
    case Op::load:
      out_ += e->name;
      out_ += '[';
      list(e->args, false);
      out_ += ']';
      return;
    case Op::convert: {
      out_ += name(e->type);
      out_ += '(';
      expression(e->args[0], choice_level, false);
      out_ += ')';
      return;
    }
    case Op::scope:
      out_ += fmt::format("scope {}: {} ", e->name, name(e->type));
      block(e->body);
      return;
    default: return operation(e, typed);
  }
}

// `P[i] op= e`, when the store is of that form: the operation, else nothing.
std::string_view update_operator(const StmtNode& s) {
  const Op op = s.value->op;
  if (op != Op::add && op != Op::mul && op != Op::max && op != Op::min) return {};
  const Expr& element = s.value->args[0];
  if (element->op != Op::load || element->name != s.name || element->args != s.indices) return {};
  return op == Op::add ? "+=" : op == Op::mul ? "*=" : op == Op::max ? "max=" : "min=";
}

void Printer::statement(const Stmt& s, bool header_only) {
  switch (s->kind) {
    case StmtKind::loop:
      out_ += fmt::format("for {} in {}..{}", s->name, s->lo.text(), s->hi.text());
      if (s->step != 1) out_ += fmt::format(" step {}", s->step);
      if (s->axis != Axis::serial) out_ += fmt::format(" @{}", name(s->axis));
      if (header_only) return;
      out_ += ' ';
      block(s->body);
      return;
    case StmtKind::branch:
      out_ += "if ";
      expression(s->value, choice_level, false);
      if (header_only) return;
      out_ += ' ';
      block(s->body);
      if (s->other.empty()) return;
      out_ += " else ";
      if (s->other.size() == 1 && s->other[0]->kind == StmtKind::branch) {
        statement(s->other[0]);
      } else {
        block(s->other);
      }
      return;
    case StmtKind::zero: out_ += "zero " + s->name; return;
    case StmtKind::barrier: out_ += "barrier"; return;
    case StmtKind::launch: out_ += "launch"; return;
    case StmtKind::declare:
      out_ += fmt::format("var {}: {}", s->name, name(s->type));
      if (s->value) {
        out_ += " = ";
        expression(s->value, choice_level, true);
      }
      return;
    case StmtKind::assign:
      out_ += s->name + " = ";
      expression(s->value, choice_level, true);
      return;
    case StmtKind::store: {
      out_ += s->name + "[";
      list(s->indices, false);
      out_ += "] ";
      const std::string_view update = update_operator(*s);
      out_ += update.empty() ? "=" : update;
      out_ += ' ';
      expression(update.empty() ? s->value : s->value->args[1], choice_level, true);
      return;
    }
  }
}

std::string buffer_text(const Buffer& b) {
  std::string out = fmt::format("{} {}: {}[", name(b.kind), b.name, name(b.type));
  for (std::size_t i = 0; i < b.dims.size(); ++i) out += (i > 0 ? ", " : "") + b.dims[i].text();
  out += ']';
  if (b.range) out += fmt::format(" in {}..{}", decimal_text(b.range->first), decimal_text(b.range->second));
  if (b.swizzle != Swizzle::none) out += fmt::format(" swizzle {}", name(b.swizzle));
  for (std::size_t i = 0; i < b.data.size(); ++i) out += (i > 0 ? ", " : " = {") + to_text(b.data[i]);
  if (!b.data.empty()) out += '}';
  return out;
}

}  // namespace

std::string print(const Program& p) {
  Printer printer(1, false);
  printer.text("program " + p.name + " {");
  const auto line = [&](std::string_view text) {
    printer.separate();
    printer.text(text);
  };
  for (const Parameter& q : p.parameters) line(fmt::format("param {} in {}..{}", q.name, q.lo, q.hi));
  for (const Expr& e : p.requirements) line("require " + print(e));
  for (const Buffer& b : p.buffers) line(buffer_text(b));
  for (const Stmt& s : p.body) {
    printer.separate();
    printer.statement(s);
  }
  printer.text("\n}\n");
  return printer.take();
}

std::string print(const Block& b, int indent) {
  std::string out;
  for (const Stmt& s : b) out += print(s, indent) + "\n";
  return out;
}

std::string print(const Stmt& s, int indent) {
  if (indent < 0) {
    Printer printer(0, true);
    printer.statement(s, true);
    return printer.take();
  }
  Printer printer(indent, false);
  printer.statement(s);
  return std::string(static_cast<std::size_t>(indent) * 2, ' ') + printer.take();
}

std::string print(const Expr& e) {
  Printer printer(0, true);
  printer.expression(e, choice_level, false);
  return printer.take();
}

namespace {

std::string schedule_text(const Schedule& s) {
  std::string out;
  const bool bare = s.name.empty();
  if (!bare) out += "schedule " + s.name + " {\n";
  for (const ScheduleLine& line : s.lines) out += (bare ? "" : "  ") + line.text + "\n";
  if (!bare) out += "}\n";
  return out;
}

}  // namespace

std::string print(const SourceFile& f) {
  std::string out;
  std::vector<bool> program_judged(f.programs.size()), schedule_judged(f.schedules.size());
  for (const Expectation& e : f.expectations) {
    for (const std::size_t i : e.programs) program_judged[i] = true;
    for (const std::size_t i : e.schedules) schedule_judged[i] = true;
  }
  const auto item = [&](const std::string& text) {
    if (!out.empty() && out.back() == '\n' && text[0] != '#') out += '\n';
    out += text;
  };
  for (std::size_t i = 0; i < f.programs.size(); ++i) {
    if (!program_judged[i]) item(print(f.programs[i]));
  }
  for (std::size_t i = 0; i < f.schedules.size(); ++i) {
    if (!schedule_judged[i]) item(schedule_text(f.schedules[i]));
  }
  for (const Expectation& e : f.expectations) {
    std::string line = "# expect:";
    for (const std::string* word : {&e.command, &e.verdict, &e.code}) {
      if (!word->empty()) line += " " + *word;
    }
    if (!out.empty()) out += '\n';
    out += line + "\n";
    for (const std::size_t i : e.programs) out += print(f.programs[i]);
    for (const std::size_t i : e.schedules) out += schedule_text(f.schedules[i]);
  }
  return out;
}

}  // namespace assay
