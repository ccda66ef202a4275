// One function per program: parameters and the caller's buffers as arguments, the others as local arrays. What C cannot say
// (kinds of loops and buffers, ranges, launches) stands in comments; operations that C lacks, or has with other results for
// some operands, are calls by their name in the language.
#include "ir/text/c_like.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ir/literal.hpp"
#include "ir/text/source.hpp"
#include "ir/typing.hpp"

namespace assay {
namespace {

// Binding strength of the operators that C shares with the language.
enum Level : int {
  choice_level,
  or_level,
  and_level,
  equality_level,
  order_level,
  sum_level,
  product_level,
  unary_level,
  primary_level
};

struct Spelling {
  std::string_view text;  // the operator; empty for calls
  Level level;
};

Spelling spelling(Op op) {
  switch (op) {
    case Op::choice: return {"?", choice_level};
    case Op::lor: return {"||", or_level};
    case Op::land: return {"&&", and_level};
    case Op::eq: return {"==", equality_level};
    case Op::ne: return {"!=", equality_level};
    case Op::lt: return {"<", order_level};
    case Op::le: return {"<=", order_level};
    case Op::gt: return {">", order_level};
    case Op::ge: return {">=", order_level};
    case Op::add: return {"+", sum_level};
    case Op::sub: return {"-", sum_level};
    case Op::mul: return {"*", product_level};
    case Op::div:
    case Op::truncdiv: return {"/", product_level};
    case Op::truncmod: return {"%", product_level};
    case Op::neg: return {"-", unary_level};
    case Op::lnot: return {"!", unary_level};
    default: return {{}, primary_level};
  }
}

/// The functions of <math.h> that go by the same name, with `f` at f32.
bool in_math_h(Op op) {
  static constexpr std::array those{Op::fma,  Op::exp,  Op::exp2,  Op::log,   Op::log2, Op::sin, Op::cos,
                                    Op::tanh, Op::sqrt, Op::trunc, Op::floor, Op::ceil, Op::pow};
  return std::find(those.begin(), those.end(), op) != those.end();
}

std::string_view type_name(Type t) {
  switch (t) {
    case Type::index: return "int64_t";
    case Type::boolean: return "bool";
    case Type::f64: return "double";
    case Type::f32: return "float";
    case Type::f16: return "half";
    case Type::bf16: return "bfloat16";
    case Type::f8e5m2: return "f8e5m2";
    case Type::f8e4m3fn: return "f8e4m3fn";
    case Type::i8: return "int8_t";
    case Type::i16: return "int16_t";
    case Type::i32: return "int32_t";
    case Type::i64: return "int64_t";
    case Type::u8: return "uint8_t";
    case Type::u16: return "uint16_t";
    case Type::u32: return "uint32_t";
    case Type::u64: return "uint64_t";
    case Type::u32x4: return "u32x4";
  }
  return "";
}

/// Names of the program as C names: `i.1` is `i_1`, and words of C get a `_`; no two names become one.
class Names {
 public:
  explicit Names(const Program& p) {
    const std::set<Symbol> all = p.bound_names();
    std::set<std::string> taken = words();
    // Names that need no change keep it; the others find a free form beside them.
    for (const Symbol& s : all) {
      if (s.find('.') == std::string::npos && taken.insert(s).second) names_[s] = s;
    }
    for (const Symbol& s : all) {
      if (names_.count(s) != 0) continue;
      std::string wanted = s;
      std::replace(wanted.begin(), wanted.end(), '.', '_');
      while (!taken.insert(wanted).second) wanted += '_';
      names_[s] = wanted;
      changed_.emplace(s, Index::symbol(wanted));
    }
  }
  const std::string& operator()(const Symbol& s) const { return names_.at(s); }
  std::string operator()(const Index& e) const { return e.substitute(changed_).text(); }

 private:
  static std::set<std::string> words() {
    return {"auto",     "break",    "case",   "char",     "const",  "continue", "default",  "do",       "double",
            "else",     "enum",     "extern", "float",    "goto",   "inline",   "int",      "long",     "register",
            "restrict", "return",   "short",  "signed",   "sizeof", "static",   "struct",   "switch",   "typedef",
            "union",    "unsigned", "void",   "volatile", "while",  "half",     "bfloat16", "INFINITY", "NAN"};
  }
  std::map<Symbol, std::string> names_;
  std::map<Symbol, Index> changed_;
};

class Printer {
 public:
  explicit Printer(const Program& p) : program_(p), name_(p) {}

  std::string run() {
    for (const Expr& e : program_.requirements) out_ += fmt::format("// requires {}\n", print(e));
    std::vector<std::string> arguments;
    for (const Parameter& q : program_.parameters)
      arguments.push_back(fmt::format("int64_t {} /* {}..{} */", name_(q.name), q.lo, q.hi));
    for (const Buffer& b : program_.buffers) {
      if (is_argument(b)) arguments.push_back(declaration(b));
    }
    out_ += fmt::format("void {}({}) {{", program_.name, fmt::join(arguments, ", "));
    ++depth_;
    for (const Buffer& b : program_.buffers) {
      if (is_argument(b)) continue;
      line();
      out_ += declaration(b) + ";";
    }
    for (const Stmt& s : program_.body) statement(s);
    --depth_;
    out_ += "\n}\n";
    return std::move(out_);
  }

 private:
  static bool is_argument(const Buffer& b) { return b.kind == BufferKind::input || is_observed(b.kind); }

  std::string declaration(const Buffer& b) const {
    std::string out = is_writable(b.kind) ? "" : b.kind == BufferKind::constant ? "static const " : "const ";
    out += fmt::format("{} {}", type_name(b.type), name_(b.name));
    for (const Index& d : b.dims) out += fmt::format("[{}]", name_(d));
    if (b.dims.empty()) out += "[1]";
    if (b.kind == BufferKind::constant) {
      std::vector<std::string> values;
      for (const Scalar& s : b.data) values.push_back(literal(s));
      return out + fmt::format(" = {{{}}}", fmt::join(values, ", "));
    }
    if (b.kind != BufferKind::input) out += fmt::format(" /* {} */", name(b.kind));
    if (b.swizzle != Swizzle::none) out += fmt::format(" /* swizzle {} */", name(b.swizzle));
    if (b.range) out += fmt::format(" /* {}..{} */", decimal_text(b.range->first), decimal_text(b.range->second));
    return out;
  }

  void line() {
    out_ += '\n';
    out_.append(static_cast<std::size_t>(depth_) * 2, ' ');
  }

  void block(const Block& b) {
    out_ += '{';
    ++depth_;
    for (const Stmt& s : b) statement(s);
    --depth_;
    line();
    out_ += '}';
  }

  void statement(const Stmt& s) {
    line();
    switch (s->kind) {
      case StmtKind::loop: {
        const std::string& i = name_(s->name);
        out_ += fmt::format("for (int64_t {0} = {1}; {0} < {2}; {3}) ", i, name_(s->lo), name_(s->hi),
                            s->step == 1 ? "++" + i : fmt::format("{} += {}", i, s->step));
        if (s->axis != Axis::serial) out_ += fmt::format("/* {} */ ", name(s->axis));
        return block(s->body);
      }
      case StmtKind::branch:
        out_ += "if (";
        expression(s->value, choice_level);
        out_ += ") ";
        block(s->body);
        if (s->other.empty()) return;
        out_ += " else ";
        return block(s->other);
      case StmtKind::zero: out_ += fmt::format("zero({});", name_(s->name)); return;
      case StmtKind::barrier: out_ += "barrier();"; return;
      case StmtKind::launch: out_ += "// ---- next launch"; return;
      case StmtKind::declare:
        out_ += fmt::format("{} {}", type_name(s->type), name_(s->name));
        if (s->value) {
          out_ += " = ";
          expression(s->value, choice_level);
        }
        out_ += ';';
        return;
      case StmtKind::assign:
        out_ += name_(s->name) + " = ";
        expression(s->value, choice_level);
        out_ += ';';
        return;
      case StmtKind::store: return store(*s);
    }
  }

  void store(const StmtNode& s) {
    element(s.name, s.indices);
    const Expr& v = s.value;
    const bool operation = v->op == Op::add || v->op == Op::sub || v->op == Op::mul || v->op == Op::div;
    const bool update =
        operation && v->args[0]->op == Op::load && v->args[0]->name == s.name && v->args[0]->args == s.indices;
    out_ += update ? fmt::format(" {}= ", spelling(v->op).text) : " = ";
    expression(update ? v->args[1] : v, choice_level);
    out_ += ';';
  }

  void element(const Symbol& buffer, const std::vector<Expr>& indices) {
    out_ += name_(buffer);
    for (const Expr& e : indices) {
      out_ += '[';
      expression(e, choice_level);
      out_ += ']';
    }
    if (indices.empty()) out_ += "[0]";
  }

  static std::string literal(Scalar s) {
    if (s.type == Type::u32x4) return to_text(s);
    std::string text = to_text(s);
    if (is_float(s.type)) {
      const std::string magnitude = text[0] == '-' ? text.substr(1) : text;
      if (magnitude == "inf") text.replace(text.size() - 3, 3, "INFINITY");
      if (magnitude == "nan") text = "NAN";
      if (s.type == Type::f64 || magnitude == "inf" || magnitude == "nan") return text;
      if (s.type == Type::f32) return text + "f";
      return fmt::format("({}){}", type_name(s.type), text);
    }
    if (s.type == Type::boolean || s.type == Type::i32 || s.type == Type::index) return text;
    return fmt::format("({}){}", type_name(s.type), text);
  }

  static Level level_of(const Expr& e) {
    switch (e->op) {
      case Op::literal:
      case Op::convert: return unary_level;
      case Op::index:
        if (e->index.as_symbol() != nullptr) return primary_level;
        return e->index.is_constant() ? unary_level : sum_level;
      default: return spelling(e->op).level;
    }
  }

  void expression(const Expr& e, Level level) {
    const bool parentheses = level_of(e) < level;
    if (parentheses) out_ += '(';
    bare(e);
    if (parentheses) out_ += ')';
  }

  void bare(const Expr& e) {
    switch (e->op) {
      case Op::literal: out_ += literal(e->literal); return;
      case Op::index: out_ += name_(e->index); return;
      case Op::variable: out_ += name_(e->name); return;
      case Op::load: return element(e->name, e->args);
      case Op::convert: out_ += fmt::format("({})", type_name(e->type)); return expression(e->args[0], unary_level);
      case Op::scope:  // the statement expression of GNU C
        out_ += fmt::format("({{ {} {}; ", type_name(e->type), name_(e->name));
        block(e->body);
        out_ += fmt::format(" {}; }})", name_(e->name));
        return;
      default: return operation(e);
    }
  }

  void operation(const Expr& e) {
    const auto [text, level] = spelling(e->op);
    if (e->op == Op::choice) {
      expression(e->args[0], or_level);
      out_ += " ? ";
      expression(e->args[1], choice_level);
      out_ += " : ";
      return expression(e->args[2], choice_level);
    }
    if (text.empty()) return call(e);
    if (e->args.size() == 1) {
      out_ += text;
      // `--x` is another operator of C.
      const Expr& a = e->args[0];
      const bool sign = e->op == Op::neg && (a->op == Op::neg || a->op == Op::literal);
      return expression(a, sign ? primary_level : unary_level);
    }
    expression(e->args[0], level);
    out_ += fmt::format(" {} ", text);
    expression(e->args[1], static_cast<Level>(level + 1));
  }

  void call(const Expr& e) {
    out_ += info(e->op).text;
    if (in_math_h(e->op) && e->type == Type::f32) out_ += 'f';
    out_ += '(';
    if (has_written_type(e->op)) out_ += fmt::format("{}, ", type_name(e->type));
    for (std::size_t i = 0; i < e->args.size(); ++i) {
      if (i > 0) out_ += ", ";
      expression(e->args[i], choice_level);
    }
    out_ += ')';
  }

  const Program& program_;
  Names name_;
  std::string out_;
  int depth_ = 0;
};

}  // namespace

std::string print_c_like(const Program& p) { return Printer(p).run(); }

}  // namespace assay
