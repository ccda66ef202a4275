// Sorting out a schedule line by an operation's declaration: operands, keys, flags and result names, each checked
// against the program (rules SCH-7 to SCH-12 of spec/schedule.md).
#include <algorithm>
#include <charconv>

#include "transforms/define.hpp"
#include "transforms/names.hpp"

namespace assay {

Location Arguments::place(const std::string& parameter) const {
  const auto it = places.find(parameter);
  return it == places.end() ? where : it->second;
}

Refusal error(std::string code, Location where, std::string message, std::string help) {
  return {Refusal::Kind::error,
          Diagnostic{std::move(code), std::move(message), where, std::move(help), {}, Severity::error},
          {}};
}

std::optional<Refusal> wrong_number_of_names(const Arguments& line, const std::string& parameter, std::size_t wanted) {
  const auto given = line.result_lists.find(parameter);
  if (given == line.result_lists.end() || given->second.size() == wanted) return std::nullopt;
  return error("SCH-12", line.place(parameter),
               fmt::format("`{}` makes {} new name{}, and the line gives {}", line.text.substr(0, line.text.find(' ')),
                           wanted, wanted == 1 ? "" : "s", given->second.size()));
}

Refusal inapplicable(const Arguments& line, std::string code, const std::string& reason, Location note,
                     std::string help) {
  return {Refusal::Kind::inapplicable,
          Diagnostic{std::move(code),
                     fmt::format("`{}` does not apply: {}", line.text, reason),
                     line.where,
                     std::move(help),
                     {},
                     Severity::error},
          note};
}

Refusal inapplicable(const Arguments& line, Misfit why) {
  return inapplicable(line, std::move(why.code), why.reason, why.where);
}

std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& candidates) {
  const std::string close = suggest(wrong, candidates);
  return close.empty() ? close : fmt::format("did you mean `{}`?", close);
}

namespace {

using Kind = ParameterInfo::Kind;

bool is_operand(const ParameterInfo& p) {
  return p.kind == Kind::loop || p.kind == Kind::buffer || p.kind == Kind::value;
}
bool is_result(const ParameterInfo& p) { return p.kind == Kind::result || p.kind == Kind::results; }
bool is_key(const ParameterInfo& p) { return !is_operand(p) && !is_result(p); }

std::optional<std::int64_t> integer(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool before(Location a, Location b) {
  return a.known() && b.known() && (a.line < b.line || (a.line == b.line && a.column < b.column));
}

// One pass over a line; the first error ends it.
class Binder {
 public:
  Binder(const Declaration& d, const ScheduleLine& line, const Program& p)
      : declaration_(d), line_(line), program_(p), taken_(p.bound_names()) {
    out_.text = line.text;
    out_.where = line.where;
  }

  tl::expected<Arguments, Refusal> bind() {
    if (operands() && keys() && flags() && order() && completeness() && results()) return std::move(out_);
    return tl::unexpected(std::move(refusal_));
  }

 private:
  bool refuse(std::string code, Location where, std::string message, std::string help = {}) {
    refusal_ = error(std::move(code), where.known() ? where : line_.where, std::move(message), std::move(help));
    return false;
  }

  std::vector<const ParameterInfo*> those(bool (*wanted)(const ParameterInfo&)) const {
    std::vector<const ParameterInfo*> found;
    for (const ParameterInfo& p : declaration_.parameters) {
      if (wanted(p)) found.push_back(&p);
    }
    return found;
  }
  std::vector<std::string> names(bool (*wanted)(const ParameterInfo&)) const {
    std::vector<std::string> found;
    for (const ParameterInfo* p : those(wanted)) found.push_back(p->name);
    return found;
  }
  const ParameterInfo* key(const std::string& name) const {
    for (const ParameterInfo& p : declaration_.parameters) {
      if (is_key(p) && p.name == name) return &p;
    }
    return nullptr;
  }

  bool operands() {
    const auto wanted = those(is_operand);
    if (line_.operands.size() < wanted.size()) {
      return refuse("SCH-7", line_.where,
                    fmt::format("`{}` takes {} operand{}: {}", declaration_.name, wanted.size(),
                                wanted.size() == 1 ? "" : "s", fmt::join(names(is_operand), ", ")));
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const ScheduleWord& word = line_.operands[i];
      out_.places[wanted[i]->name] = word.where;
      if (!operand(*wanted[i], word)) return false;
    }
    return true;
  }
  bool operand(const ParameterInfo& parameter, const ScheduleWord& word) {
    switch (parameter.kind) {
      case Kind::buffer: return buffer(parameter, word);
      case Kind::value: return variable(parameter, word);
      default: return loop(parameter, word);
    }
  }

  // The name, and whether its numbered copies are meant too; no name where that makes no sense.
  std::pair<Symbol, bool> starred(const ScheduleWord& word) {
    if (word.text.size() < 2 || word.text.back() != '*') return {word.text, false};
    const Symbol symbol = word.text.substr(0, word.text.size() - 1);
    if (stem(symbol) == symbol) return {symbol, true};
    refuse("SCH-9", word.where, fmt::format("`{}` is itself a numbered copy", symbol),
           fmt::format("`{}*` names `{}` and all its copies", stem(symbol), stem(symbol)));
    return {};
  }

  // Program text over the names of the program.
  bool expression(const ParameterInfo& parameter, const ScheduleWord& word) {
    auto parsed = parse_expression(word.text, program_);
    if (parsed) {
      out_.expressions[parameter.name] = *std::move(parsed);
      return true;
    }
    const Diagnostic& d = parsed.error().front();
    Location where = word.where;
    if (where.known() && d.where.known() && d.where.line == 1)
      where = {where.line, where.column + d.where.column - 1, d.where.length};
    return refuse(d.code, where, d.message, d.help);
  }

  bool variable(const ParameterInfo& parameter, const ScheduleWord& word) {
    if (word.text.front() == '(') return expression(parameter, word);
    const auto [symbol, copies] = starred(word);
    if (symbol.empty()) return false;
    const std::vector<std::string> all = variable_names(program_);
    for (const std::string& v : all) {
      if (v == symbol || (copies && stem(v) == symbol)) out_.values[parameter.name].push_back(v);
    }
    if (out_.values.count(parameter.name) != 0) return true;
    if (program_.find_buffer(symbol) != nullptr)
      return refuse("MAT-1", word.where, fmt::format("`{}` is a buffer already, not a variable", symbol));
    if (program_.find_parameter(symbol) != nullptr || program_.bound_names().count(symbol) != 0)
      return refuse("MAT-1", word.where, fmt::format("`{}` is a loop or a parameter, not a variable", symbol));
    return refuse("MAT-1", word.where, fmt::format("no variable `{}` in program `{}`", word.text, program_.name),
                  did_you_mean(symbol, all));
  }

  bool loop(const ParameterInfo& parameter, const ScheduleWord& word) {
    const auto [symbol, copies] = starred(word);
    if (symbol.empty()) return false;
    const std::vector<Stmt> found = find_loops(program_, symbol, copies);
    for (const Stmt& l : found) {
      if (l->axis == Axis::tile) {
        refusal_ = inapplicable(out_, "TILE-1", fmt::format("`{}` are the lanes of a tile product", l->name), l->where,
                                "schedule the nest before `tensorize`");
        return false;
      }
      out_.loops[parameter.name].push_back(l->name);
    }
    if (!found.empty()) return true;

    if (program_.find_buffer(symbol) != nullptr)
      return refuse("SCH-8", word.where, fmt::format("`{}` is a buffer, not a loop", symbol));
    if (program_.find_parameter(symbol) != nullptr)
      return refuse("SCH-8", word.where, fmt::format("`{}` is a parameter, not a loop", symbol));
    if (program_.bound_names().count(symbol) != 0)
      return refuse("SCH-8", word.where, fmt::format("`{}` is a variable, not a loop", symbol));
    return refuse("SCH-8", word.where, fmt::format("no loop `{}` in program `{}`", word.text, program_.name),
                  did_you_mean(symbol, loop_names(program_)));
  }

  bool buffer(const ParameterInfo& parameter, const ScheduleWord& word) {
    if (program_.find_buffer(word.text) == nullptr) {
      std::vector<std::string> known;
      for (const Buffer& b : program_.buffers) known.push_back(b.name);
      return refuse("SCH-8", word.where, fmt::format("no buffer `{}` in program `{}`", word.text, program_.name),
                    did_you_mean(word.text, known));
    }
    out_.buffers[parameter.name] = word.text;
    return true;
  }

  bool keys() {
    for (const auto& [word, values] : line_.keys) {
      const ParameterInfo* parameter = key(word.text);
      if (parameter == nullptr) {
        return refuse("SCH-10", word.where, fmt::format("`{}` has no key `{}`", declaration_.name, word.text),
                      did_you_mean(word.text, names(is_key)));
      }
      if (out_.places.count(word.text) != 0)
        return refuse("SCH-10", word.where, fmt::format("`{}` is given twice", word.text));
      out_.places[word.text] = word.where;
      if (!value(*parameter, word, values)) return false;
    }
    return true;
  }

  bool value(const ParameterInfo& parameter, const ScheduleWord& word, const std::vector<ScheduleWord>& values) {
    if (parameter.kind == Kind::loops) {
      for (const ScheduleWord& v : values) {
        if (!loop(parameter, v)) return false;
      }
      return true;
    }
    if (parameter.kind == Kind::integers) return integers(parameter, word, values);
    if (parameter.kind == Kind::names) {
      for (const ScheduleWord& v : values) {
        if (!new_name(v)) return false;
        out_.result_lists[parameter.name].push_back(v.text);
      }
      return true;
    }
    if (values.size() != 1) return refuse("SCH-11", word.where, fmt::format("`{}` takes one value", parameter.name));
    const std::string& text = values[0].text;
    const Location where = values[0].where;
    if (parameter.kind == Kind::storage) return buffer(parameter, values[0]);
    if (set(parameter, text)) return true;
    switch (parameter.kind) {
      case Kind::integer:
        return refuse("SCH-11", where, fmt::format("`{}` takes an integer of 64 bits, not `{}`", parameter.name, text));
      case Kind::boolean:
        return refuse("SCH-11", where, fmt::format("`{}` takes true or false, not `{}`", parameter.name, text));
      default:
        return refuse("SCH-11", where, fmt::format("`{}` is not one of {}", text, fmt::join(parameter.choices, " ")),
                      did_you_mean(text, parameter.choices));
    }
  }

  bool integers(const ParameterInfo& parameter, const ScheduleWord& word, const std::vector<ScheduleWord>& values) {
    if (values.size() == 1 && set_choice(parameter, values[0].text)) return true;
    std::vector<std::int64_t>& list = out_.integer_lists[word.text];
    for (const ScheduleWord& v : values) {
      const auto number = integer(v.text);
      if (!number) {
        return refuse(
            "SCH-11", v.where,
            fmt::format("`{}` takes integers of 64 bits{}, not `{}`", parameter.name,
                        parameter.choices.empty() ? "" : fmt::format(", or {}", fmt::join(parameter.choices, " or ")),
                        v.text),
            did_you_mean(v.text, parameter.choices));
      }
      list.push_back(*number);
    }
    return true;
  }

  bool set_choice(const ParameterInfo& parameter, const std::string& text) {
    if (std::find(parameter.choices.begin(), parameter.choices.end(), text) == parameter.choices.end()) return false;
    out_.choices[parameter.name] = text;
    return true;
  }

  // Stores a value given as text, if the parameter's kind can hold it.
  bool set(const ParameterInfo& parameter, const std::string& text) {
    if (parameter.kind == Kind::integer) {
      const auto number = integer(text);
      if (!number) return false;
      out_.integers[parameter.name] = *number;
    } else if (parameter.kind == Kind::boolean) {
      if (text != "true" && text != "false") return false;
      out_.booleans[parameter.name] = text == "true";
    } else {
      return set_choice(parameter, text);
    }
    return true;
  }

  bool flags() {
    for (std::size_t i = those(is_operand).size(); i < line_.operands.size(); ++i) {
      const ScheduleWord& word = line_.operands[i];
      const ParameterInfo* parameter = key(word.text);
      if (parameter == nullptr) {
        return refuse("SCH-7", word.where,
                      fmt::format("`{}` takes {} operand{} and has no flag `{}`", declaration_.name,
                                  those(is_operand).size(), those(is_operand).size() == 1 ? "" : "s", word.text),
                      did_you_mean(word.text, names([](const ParameterInfo& p) { return p.kind == Kind::boolean; })));
      }
      if (parameter->kind != Kind::boolean)
        return refuse("SCH-11", word.where, fmt::format("`{}` needs a value", word.text),
                      fmt::format("write `{}=…`", word.text));
      if (out_.places.count(word.text) != 0)
        return refuse("SCH-10", word.where, fmt::format("`{}` is given twice", word.text));
      out_.places[word.text] = word.where;
      out_.booleans[word.text] = true;
    }
    return true;
  }

  // Operands stand before keys (a place is unknown in lines that no text gave).
  bool order() {
    for (const auto& [word, values] : line_.keys) {
      for (std::size_t i = 0; i < those(is_operand).size(); ++i) {
        const ScheduleWord& operand = line_.operands[i];
        if (before(word.where, operand.where)) {
          return refuse("SCH-7", operand.where,
                        fmt::format("the operand `{}` stands after `{}=`", operand.text, word.text),
                        "operands first, then key=value, then flags, then `-> names`");
        }
      }
    }
    return true;
  }

  bool completeness() {
    for (const ParameterInfo* p : those(is_key)) {
      if (out_.places.count(p->name) != 0) continue;
      if (p->required)
        return refuse("SCH-10", line_.where, fmt::format("`{}` needs `{}=…`", declaration_.name, p->name));
      if (!p->fallback.empty()) set(*p, p->fallback);
    }
    return true;
  }

  bool results() {
    if (line_.results.empty()) return true;
    const auto parameters = those(is_result);
    const bool open = !parameters.empty() && parameters.back()->kind == Kind::results;
    const auto wanted = names(is_result);
    if (open ? line_.results.size() < wanted.size() : line_.results.size() != wanted.size()) {
      return refuse("SCH-12", line_.results.front().where,
                    fmt::format("`{}` makes {} new name{}, and the line gives {}", declaration_.name, wanted.size(),
                                wanted.size() == 1 ? "" : "s", line_.results.size()));
    }
    for (std::size_t i = 0; i < line_.results.size(); ++i) {
      const ScheduleWord& word = line_.results[i];
      if (!new_name(word)) return false;
      const std::string& parameter = wanted[std::min(i, wanted.size() - 1)];
      if (open && i + 1 >= wanted.size()) {
        out_.result_lists[parameter].push_back(word.text);
      } else {
        out_.results[parameter] = word.text;
      }
      out_.places.emplace(parameter, word.where);
    }
    return true;
  }

  // A name that nothing has, and that no other word of the line makes.
  bool new_name(const ScheduleWord& word) {
    if (!is_name(word.text))
      return refuse("SCH-12", word.where, fmt::format("`{}` is not a name that a loop can have", word.text));
    if (taken_.taken(word.text)) {
      return refuse("SCH-12", word.where, fmt::format("the name `{}` is taken", word.text),
                    fmt::format("`{}` is free", taken_.fresh(word.text)));
    }
    taken_.take(word.text);
    return true;
  }

  const Declaration& declaration_;
  const ScheduleLine& line_;
  const Program& program_;
  NameSupply taken_;
  Arguments out_;
  Refusal refusal_;
};

}  // namespace

tl::expected<Arguments, Refusal> bind_line(const Declaration& d, const ScheduleLine& line, const Program& p) {
  return Binder(d, line, p).bind();
}

}  // namespace assay
