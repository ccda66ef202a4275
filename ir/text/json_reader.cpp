// Reads the JSON form. What was read is checked (WF-…), printed, and parsed as text: so there is one parser that decides
// what a program is, and places in later messages have a text to refer to.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "ir/literal.hpp"
#include "ir/text/elaborate.hpp"
#include "ir/text/json.hpp"
#include "ir/text/json_locate.hpp"
#include "ir/text/lexer.hpp"
#include "ir/typing.hpp"

namespace assay::text {
namespace {

using Json = nlohmann::json;

// Steps of a path; deeper trees break LIM-2 or LIM-3 in any case. An expression takes two steps (its operands, one of
// them), a statement in a block likewise.
constexpr int deepest = 2 * (max_nesting + max_expression_height) + 16;

const std::unordered_map<std::string, Op>& operations() {
  static const auto table = [] {
    std::unordered_map<std::string, Op> ops;
    for (std::size_t i = 0; i < op_count; ++i) {
      const Op op = static_cast<Op>(i);
      if (!is_operation(op)) continue;
      ops[op == Op::neg ? "neg" : op == Op::choice ? "?:" : std::string(info(op).text)] = op;
    }
    return ops;
  }();
  return table;
}

// Every reading function answers false once something is wrong; the first message and its path are kept.
class Reader {
 public:
  bool file(const Json& j, SourceFile& out);

  const std::string& message() const { return message_; }
  const JsonPath& path() const { return path_; }

 private:
  // One step of the path while it lives; the path stays as it was when something went wrong.
  class Step {
   public:
    Step(Reader& r, std::string name) : reader_(r), active_(r.message_.empty()) {
      if (active_) reader_.path_.push_back(std::move(name));
      ++reader_.depth_;
    }
    ~Step() {
      if (active_ && reader_.message_.empty()) reader_.path_.pop_back();
      --reader_.depth_;
    }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    Reader& reader_;
    bool active_;
  };

  bool wrong(std::string message) {
    if (message_.empty()) message_ = std::move(message);
    return false;
  }
  /// An object with exactly these members, but for those after `optional` which may be missing.
  bool object(const Json& j, std::initializer_list<const char*> required,
              std::initializer_list<const char*> optional = {});
  template <typename F>
  bool member(const Json& j, const char* name, F read) {
    const Step step(*this, name);
    return read(j.at(name));
  }
  template <typename F>
  bool elements(const Json& j, F read) {
    if (!j.is_array()) return wrong("an array is needed");
    for (std::size_t i = 0; i < j.size(); ++i) {
      const Step step(*this, std::to_string(i));
      if (!read(j[i])) return false;
    }
    return true;
  }
  bool text(const Json& j, std::string& out) {
    if (!j.is_string()) return wrong("a string is needed");
    out = j.get<std::string>();
    return true;
  }
  template <typename T, typename Parse>
  bool word(const Json& j, T& out, Parse parse, const char* what) {
    std::string s;
    if (!text(j, s)) return false;
    const std::optional<T> value = parse(s);
    if (!value) return wrong(fmt::format("`{}` is not {}", s.substr(0, 40), what));
    out = *value;
    return true;
  }
  bool type(const Json& j, Type& out) { return word(j, out, parse_type, "a type"); }
  bool integer(const Json& j, Int128& out);
  bool integer64(const Json& j, std::int64_t& out);
  bool value(const Json& j, Type t, Scalar& out);
  bool index(const Json& j, Index& out);
  bool term(const Json& j, Index& sum);
  bool indices(const Json& j, std::vector<Index>& out) {
    return elements(j, [&](const Json& e) { return index(e, out.emplace_back()); });
  }
  bool expression(const Json& j, Expr& out);
  bool operation(const Json& j, Op op, Expr& out);
  bool other_expression(const Json& j, Expr& out);
  bool expressions(const Json& j, std::vector<Expr>& out) {
    return elements(j, [&](const Json& e) { return expression(e, out.emplace_back()); });
  }
  bool block(const Json& j, Block& out) {
    return elements(j, [&](const Json& s) { return statement(s, out.emplace_back()); });
  }
  bool statement(const Json& j, Stmt& out);
  bool buffer(const Json& j, Buffer& out);
  bool program(const Json& j, Program& out);
  bool words(const Json& j, std::vector<ScheduleWord>& out) {
    return elements(j, [&](const Json& w) { return text(w, out.emplace_back().text); });
  }
  bool schedule(const Json& j, Schedule& out);
  bool expectation(const Json& j, const SourceFile& f, Expectation& out);

  std::string message_{};
  JsonPath path_{};
  int depth_ = 0;
};

bool Reader::object(const Json& j, std::initializer_list<const char*> required,
                    std::initializer_list<const char*> optional) {
  if (depth_ > deepest) return wrong("values nest too deep");
  if (!j.is_object()) return wrong("an object is needed");
  for (const char* name : required) {
    if (!j.contains(name)) return wrong(fmt::format("the member `{}` is missing", name));
  }
  for (const auto& [key, ignored] : j.items()) {
    const auto is_key = [&k = key](const char* name) { return k == name; };
    if (std::none_of(required.begin(), required.end(), is_key) &&
        std::none_of(optional.begin(), optional.end(), is_key)) {
      return wrong(fmt::format("the member `{}` is not known here", key.substr(0, 40)));
    }
  }
  return true;
}

bool Reader::integer(const Json& j, Int128& out) {
  if (j.is_number_unsigned()) {
    out = static_cast<Int128>(j.get<std::uint64_t>());
    return true;
  }
  if (j.is_number_integer()) {
    out = j.get<std::int64_t>();
    return true;
  }
  if (!j.is_string()) return wrong("an integer is needed");
  const auto& digits = j.get_ref<const std::string&>();
  const std::size_t first = !digits.empty() && digits[0] == '-' ? 1 : 0;
  if (digits.size() == first || digits.size() > first + 38 ||
      !std::all_of(digits.begin() + static_cast<std::ptrdiff_t>(first), digits.end(), is_digit)) {
    return wrong("the digits of an integer are needed");
  }
  out = 0;
  for (std::size_t i = first; i < digits.size(); ++i) out = out * 10 + (digits[i] - '0');
  if (first == 1) out = -out;
  return true;
}

bool Reader::integer64(const Json& j, std::int64_t& out) {
  Int128 v = 0;
  if (!integer(j, v)) return false;
  if (v < std::numeric_limits<std::int64_t>::min() || v > std::numeric_limits<std::int64_t>::max())
    return wrong("the integer does not fit 64 bits");
  out = static_cast<std::int64_t>(v);
  return true;
}

bool Reader::value(const Json& j, Type t, Scalar& out) {
  if (t == Type::boolean) {
    if (!j.is_boolean()) return wrong("true or false is needed");
    out = bool_scalar(j.get<bool>());
    return true;
  }
  std::optional<Scalar> v;
  if (is_float(t)) {
    std::string s;
    if (!text(j, s)) return false;
    const bool negative = !s.empty() && s[0] == '-';
    if (s == "inf" || s == "-inf") {
      if (has_infinity(t)) v = infinity(t, negative);
    } else if (s == "nan") {
      v = canonical_nan(t);
    } else {
      v = literal_from_float(t, s);
    }
  } else {
    Int128 n = 0;
    if (!integer(j, n)) return false;
    v = literal_from_integer(t, n);
  }
  if (!v) return wrong(fmt::format("this is not a value of {}", name(t)));
  out = *v;
  return true;
}

bool Reader::term(const Json& j, Index& sum) {
  std::int64_t times = 0;
  Index atom;
  if (!j.is_object()) return wrong("an object is needed");
  const auto read_times = [&] { return member(j, "times", [&](const Json& m) { return integer64(m, times); }); };
  if (j.contains("symbol")) {
    if (!object(j, {"times", "symbol"}) || !read_times()) return false;
    std::string symbol;
    if (!member(j, "symbol", [&](const Json& m) { return text(m, symbol); })) return false;
    atom = Index::symbol(symbol);
  } else if (j.contains("floordiv") || j.contains("floormod")) {
    const char* kind = j.contains("floordiv") ? "floordiv" : "floormod";
    if (!object(j, {"times", kind, "by"}) || !read_times()) return false;
    std::int64_t by = 0;
    Index operand;
    if (!member(j, kind, [&](const Json& m) { return index(m, operand); })) return false;
    const bool good =
        member(j, "by", [&](const Json& m) { return integer64(m, by) && (by > 0 || wrong("a divisor is positive")); });
    if (!good) return false;
    atom = j.contains("floordiv") ? floordiv(operand, by) : floormod(operand, by);
  } else if (j.contains("min") || j.contains("max")) {
    const char* kind = j.contains("min") ? "min" : "max";
    if (!object(j, {"times", kind}) || !read_times()) return false;
    std::vector<Index> operands;
    const bool good = member(j, kind, [&](const Json& m) {
      return indices(m, operands) && (!operands.empty() || wrong("there is no operand"));
    });
    if (!good) return false;
    atom = j.contains("min") ? min(operands) : max(operands);
  } else {
    return wrong("a term has one of the members symbol, floordiv, floormod, min, max");
  }
  sum = sum + atom * times;
  return !sum.overflowed() || wrong("the index value does not fit 64 bits");
}

bool Reader::index(const Json& j, Index& out) {
  if (!j.is_object()) {
    std::int64_t constant = 0;
    if (!integer64(j, constant)) return false;
    out = Index(constant);
    return true;
  }
  if (!object(j, {"constant", "terms"})) return false;
  std::int64_t constant = 0;
  if (!member(j, "constant", [&](const Json& m) { return integer64(m, constant); })) return false;
  out = Index(constant);
  return member(j, "terms", [&](const Json& m) { return elements(m, [&](const Json& t) { return term(t, out); }); });
}

bool Reader::expression(const Json& j, Expr& out) {
  if (depth_ > deepest) return wrong("values nest too deep");
  if (!j.is_object() || !j.contains("op")) return wrong("an object with a member `op` is needed");
  if (!j.at("op").is_string()) {
    const Step step(*this, "op");
    return wrong("a string is needed");
  }
  const auto known = operations().find(j.at("op").get_ref<const std::string&>());
  return known == operations().end() ? other_expression(j, out) : operation(j, known->second, out);
}

// The deep case: kept apart so that its stack frame stays small.
bool Reader::operation(const Json& j, Op op, Expr& out) {
  Type written = Type::index;
  if (has_written_type(op)) {
    if (!object(j, {"op", "type", "args"})) return false;
    if (!member(j, "type", [&](const Json& m) { return type(m, written); })) return false;
  } else if (!object(j, {"op", "args"})) {
    return false;
  }
  std::vector<Expr> args;
  {
    const Step step(*this, "args");
    if (!expressions(j.at("args"), args)) return false;
  }
  if (args.size() != static_cast<std::size_t>(info(op).arity))
    return wrong(fmt::format("the operation has {} operands", args.size()));
  if (has_written_type(op)) {
    out = make_op(op, written, std::move(args));
  } else {
    out = make_op(op, std::move(args));
  }
  return true;
}

bool Reader::other_expression(const Json& j, Expr& out) {
  const auto op = j.at("op").get<std::string>();
  Type t = Type::f32;
  std::string name;
  const auto read_type = [&] { return member(j, "type", [&](const Json& m) { return type(m, t); }); };
  const auto read_name = [&](const char* key) { return member(j, key, [&](const Json& m) { return text(m, name); }); };
  std::vector<Expr> args;
  const auto read_args = [&](const char* key) {
    return member(j, key, [&](const Json& m) { return expressions(m, args); });
  };
  if (op == "literal") {
    Scalar s;
    if (!object(j, {"op", "type", "value"}) || !read_type()) return false;
    if (!member(j, "value", [&](const Json& m) { return value(m, t, s); })) return false;
    out = make_literal(s);
  } else if (op == "index") {
    Index i;
    if (!object(j, {"op", "value"}) || !member(j, "value", [&](const Json& m) { return index(m, i); })) return false;
    out = make_index(i);
  } else if (op == "variable") {
    if (!object(j, {"op", "name", "type"}) || !read_name("name") || !read_type()) return false;
    out = make_variable(name, t);
  } else if (op == "load") {
    if (!object(j, {"op", "buffer", "type", "indices"}) || !read_name("buffer") || !read_type() ||
        !read_args("indices"))
      return false;
    out = make_load(name, t, std::move(args));
  } else if (op == "convert") {
    if (!object(j, {"op", "type", "args"}) || !read_type() || !read_args("args")) return false;
    if (args.size() != 1) return wrong("a conversion has one operand");
    out = make_convert(t, args[0]);
  } else if (op == "scope") {
    Block body;
    if (!object(j, {"op", "name", "type", "body"}) || !read_name("name") || !read_type()) return false;
    if (!member(j, "body", [&](const Json& m) { return block(m, body); })) return false;
    out = make_scope(name, t, std::move(body));
  } else {
    const Step step(*this, "op");
    return wrong(fmt::format("`{}` is not an operation", op.substr(0, 40)));
  }
  return true;
}

bool Reader::statement(const Json& j, Stmt& out) {
  if (depth_ > deepest) return wrong("values nest too deep");
  if (!j.is_object() || !j.contains("stmt")) return wrong("an object with a member `stmt` is needed");
  std::string kind;
  if (!member(j, "stmt", [&](const Json& m) { return text(m, kind); })) return false;
  std::string name;
  const auto read_name = [&](const char* key) { return member(j, key, [&](const Json& m) { return text(m, name); }); };
  Expr e;
  const auto read_value = [&](const char* key) {
    return member(j, key, [&](const Json& m) { return expression(m, e); });
  };
  const auto read_block = [&](const char* key, Block& b) {
    return member(j, key, [&](const Json& m) { return block(m, b); });
  };
  if (kind == "for") {
    Index lo, hi;
    std::int64_t step = 1;
    Axis axis = Axis::serial;
    Block body;
    const bool good = object(j, {"stmt", "symbol", "lo", "hi", "step", "axis", "body"}) && read_name("symbol") &&
                      member(j, "lo", [&](const Json& m) { return index(m, lo); }) &&
                      member(j, "hi", [&](const Json& m) { return index(m, hi); }) &&
                      member(j, "step", [&](const Json& m) { return integer64(m, step); }) &&
                      member(j, "axis", [&](const Json& m) { return word(m, axis, parse_axis, "an axis"); }) &&
                      read_block("body", body);
    if (!good) return false;
    out = make_loop(name, lo, hi, step, axis, std::move(body));
  } else if (kind == "if") {
    Block then, other;
    if (!object(j, {"stmt", "condition", "then", "else"}) || !read_value("condition") || !read_block("then", then) ||
        !read_block("else", other))
      return false;
    out = make_branch(e, std::move(then), std::move(other));
  } else if (kind == "zero") {
    if (!object(j, {"stmt", "buffer"}) || !read_name("buffer")) return false;
    out = make_zero(name);
  } else if (kind == "barrier" || kind == "launch") {
    if (!object(j, {"stmt"})) return false;
    out = kind == "barrier" ? make_barrier() : make_launch();
  } else if (kind == "var") {
    Type t = Type::f32;
    if (!object(j, {"stmt", "name", "type"}, {"value"}) || !read_name("name") ||
        !member(j, "type", [&](const Json& m) { return type(m, t); }))
      return false;
    if (j.contains("value") && !read_value("value")) return false;
    out = make_declare(name, t, e);
  } else if (kind == "assign") {
    if (!object(j, {"stmt", "name", "value"}) || !read_name("name") || !read_value("value")) return false;
    out = make_assign(name, e);
  } else if (kind == "store") {
    std::vector<Expr> subscripts;
    const bool good = object(j, {"stmt", "buffer", "indices", "value"}) && read_name("buffer") &&
                      member(j, "indices", [&](const Json& m) { return expressions(m, subscripts); }) &&
                      read_value("value");
    if (!good) return false;
    out = make_store(name, std::move(subscripts), e);
  } else {
    const Step step(*this, "stmt");
    return wrong(fmt::format("`{}` is not a statement", kind.substr(0, 40)));
  }
  return true;
}

bool Reader::buffer(const Json& j, Buffer& out) {
  const bool good =
      object(j, {"name", "kind", "type", "dims"}, {"range", "swizzle", "data"}) &&
      member(j, "name", [&](const Json& m) { return text(m, out.name); }) &&
      member(j, "kind", [&](const Json& m) { return word(m, out.kind, parse_buffer_kind, "a kind of buffer"); }) &&
      member(j, "type", [&](const Json& m) { return type(m, out.type); }) &&
      member(j, "dims", [&](const Json& m) { return indices(m, out.dims); });
  if (!good) return false;
  if (j.contains("range")) {
    std::vector<Int128> ends;
    const bool read = member(j, "range", [&](const Json& m) {
      return elements(m, [&](const Json& e) { return integer(e, ends.emplace_back()); }) &&
             (ends.size() == 2 || wrong("a range has two ends"));
    });
    if (!read) return false;
    out.range = std::pair(ends[0], ends[1]);
  }
  if (j.contains("swizzle") &&
      !member(j, "swizzle", [&](const Json& m) { return word(m, out.swizzle, parse_swizzle, "a swizzle"); }))
    return false;
  if (!j.contains("data")) return true;
  return member(j, "data", [&](const Json& m) {
    return elements(m, [&](const Json& e) { return value(e, out.type, out.data.emplace_back()); });
  });
}

bool Reader::program(const Json& j, Program& out) {
  const auto parameter = [&](const Json& q) {
    Parameter& p = out.parameters.emplace_back();
    return object(q, {"name", "lo", "hi"}) && member(q, "name", [&](const Json& m) { return text(m, p.name); }) &&
           member(q, "lo", [&](const Json& m) { return integer64(m, p.lo); }) &&
           member(q, "hi", [&](const Json& m) { return integer64(m, p.hi); });
  };
  return object(j, {"name", "parameters", "requirements", "buffers", "body"}) &&
         member(j, "name", [&](const Json& m) { return text(m, out.name); }) &&
         member(j, "parameters", [&](const Json& m) { return elements(m, parameter); }) &&
         member(j, "requirements", [&](const Json& m) { return expressions(m, out.requirements); }) &&
         member(j, "buffers",
                [&](const Json& m) {
                  return elements(m, [&](const Json& b) { return buffer(b, out.buffers.emplace_back()); });
                }) &&
         member(j, "body", [&](const Json& m) { return block(m, out.body); });
}

bool Reader::schedule(const Json& j, Schedule& out) {
  const auto key = [&](const Json& k, ScheduleLine& line) {
    auto& [word, values] = line.keys.emplace_back();
    return object(k, {"key", "values"}) &&
           member(k, "key", [&, &w = word](const Json& m) { return text(m, w.text); }) &&
           member(k, "values", [&, &v = values](const Json& m) { return words(m, v); });
  };
  const auto line = [&](const Json& l) {
    ScheduleLine& s = out.lines.emplace_back();
    return object(l, {"op", "operands", "keys", "results"}) &&
           member(l, "op", [&](const Json& m) { return text(m, s.op); }) &&
           member(l, "operands", [&](const Json& m) { return words(m, s.operands); }) &&
           member(l, "keys", [&](const Json& m) { return elements(m, [&](const Json& k) { return key(k, s); }); }) &&
           member(l, "results", [&](const Json& m) { return words(m, s.results); });
  };
  return object(j, {"name", "lines"}) && member(j, "name", [&](const Json& m) { return text(m, out.name); }) &&
         member(j, "lines", [&](const Json& m) { return elements(m, line); });
}

bool Reader::expectation(const Json& j, const SourceFile& f, Expectation& out) {
  const auto positions = [&](const char* name, std::size_t count, std::vector<std::size_t>& into) {
    return member(j, name, [&](const Json& m) {
      return elements(m, [&](const Json& e) {
        std::int64_t v = 0;
        if (!integer64(e, v)) return false;
        if (v < 0 || v >= static_cast<std::int64_t>(count)) return wrong("there is nothing at this position");
        into.push_back(static_cast<std::size_t>(v));
        return true;
      });
    });
  };
  return object(j, {"command", "verdict", "code", "programs", "schedules"}) &&
         member(j, "command", [&](const Json& m) { return text(m, out.command); }) &&
         member(j, "verdict", [&](const Json& m) { return text(m, out.verdict); }) &&
         member(j, "code", [&](const Json& m) { return text(m, out.code); }) &&
         positions("programs", f.programs.size(), out.programs) &&
         positions("schedules", f.schedules.size(), out.schedules);
}

bool Reader::file(const Json& j, SourceFile& out) {
  if (!object(j, {"air", "programs", "schedules", "expectations"})) return false;
  const auto version = [&](const Json& m) {
    std::int64_t v = 0;
    return integer64(m, v) && (v == 1 || wrong("the version of the format is 1"));
  };
  if (!member(j, "air", version)) return false;
  if (!member(j, "programs", [&](const Json& m) {
        return elements(m, [&](const Json& p) { return program(p, out.programs.emplace_back()); });
      }))
    return false;
  if (!member(j, "schedules", [&](const Json& m) {
        return elements(m, [&](const Json& s) { return schedule(s, out.schedules.emplace_back()); });
      }))
    return false;
  return member(j, "expectations", [&](const Json& m) {
    return elements(m, [&](const Json& e) { return expectation(e, out, out.expectations.emplace_back()); });
  });
}

// The text of a line, from its words.
std::string line_text(const ScheduleLine& line) {
  const auto joined = [](const std::vector<ScheduleWord>& words, const char* separator) {
    std::string out;
    for (const ScheduleWord& w : words) out += (out.empty() ? "" : separator) + w.text;
    return out;
  };
  std::string out = line.op;
  for (const ScheduleWord& w : line.operands) out += " " + w.text;
  for (const auto& [key, values] : line.keys) out += " " + key.text + "=" + joined(values, ",");
  if (!line.results.empty()) out += " -> " + joined(line.results, ", ");
  return out;
}

bool same_words(const std::vector<ScheduleWord>& a, const std::vector<ScheduleWord>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ScheduleWord& x, const ScheduleWord& y) { return x.text == y.text; });
}
bool same_line(const ScheduleLine& a, const ScheduleLine& b) {
  return a.op == b.op && same_words(a.operands, b.operands) && same_words(a.results, b.results) &&
         std::equal(a.keys.begin(), a.keys.end(), b.keys.begin(), b.keys.end(), [](const auto& x, const auto& y) {
           return x.first.text == y.first.text && same_words(x.second, y.second);
         });
}
bool same_schedule(const Schedule& a, const Schedule& b) {
  return a.name == b.name && std::equal(a.lines.begin(), a.lines.end(), b.lines.begin(), b.lines.end(), same_line);
}
bool same_expectation(const Expectation& a, const Expectation& b) {
  return a.command == b.command && a.verdict == b.verdict && a.code == b.code && a.programs == b.programs &&
         a.schedules == b.schedules;
}

}  // namespace

Result<SourceFile> parse_json(std::string_view text, std::string path) {
  const auto error = [&](const char* code, Location where, std::string message) {
    return fail({code, std::move(message), where, {}, path, Severity::error});
  };
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& e) {
    const auto* parse = dynamic_cast<const Json::parse_error*>(&e);
    const std::size_t byte = parse == nullptr || parse->byte == 0 ? 0 : parse->byte - 1;
    return error("JSON-2", place_at(text, byte), "the JSON text is not well formed");
  }
  SourceFile read;
  Reader reader;
  if (!reader.file(json, read)) {
    return error("JSON-3", locate(text, reader.path()),
                 fmt::format("{}: {}", path_text(reader.path()), reader.message()));
  }
  json = nullptr;
  for (std::size_t i = 0; i < read.programs.size(); ++i) {
    std::vector<Diagnostic> faults = check_well_formed(read.programs[i]);
    if (faults.empty()) continue;
    for (Diagnostic& d : faults) {
      d.where = locate(text, {"programs", std::to_string(i)});
      d.file = path;
    }
    return tl::unexpected(std::move(faults));
  }
  for (Schedule& s : read.schedules) {
    for (ScheduleLine& line : s.lines) line.text = line_text(line);
  }
  const bool bare = read.programs.empty() && read.schedules.size() == 1 && read.schedules[0].name.empty();
  Result<SourceFile> parsed = parse_text(print(read), path, bare ? TextSort::bare : TextSort::structured);
  if (!parsed) return parsed;
  const bool same = parsed->programs == read.programs &&
                    std::equal(read.schedules.begin(), read.schedules.end(), parsed->schedules.begin(),
                               parsed->schedules.end(), same_schedule) &&
                    std::equal(read.expectations.begin(), read.expectations.end(), parsed->expectations.begin(),
                               parsed->expectations.end(), same_expectation);
  if (!same) return error("JSON-3", {1, 1, 1}, "a name, word or place in this file has no text form");
  return parsed;
}

}  // namespace assay::text
