// The JSON form of a file: the schema is in spec/language.md, and json_reader.cpp reads it back.
#include <nlohmann/json.hpp>

#include "ir/literal.hpp"
#include "ir/text/source.hpp"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

// Integers that a double cannot hold exactly are strings.
Json integer(Int128 v) {
  constexpr Int128 exact = Int128{1} << 53;
  if (v > exact || v < -exact) return decimal_text(v);
  return static_cast<std::int64_t>(v);
}

Json value(Scalar s) {
  if (s.type == Type::boolean) return s.bits != 0;
  if (is_float(s.type)) return to_text(s);
  return integer(int_value(s));
}

Json index(const Index& i);
Json indices(const std::vector<Index>& all) {
  Json out = Json::array();
  for (const Index& i : all) out.push_back(index(i));
  return out;
}

Json index(const Index& i) {
  if (i.is_constant()) return integer(i.constant());
  Json terms = Json::array();
  for (const auto& [atom, coefficient] : i.terms()) {
    Json term = {{"times", integer(coefficient)}};
    switch (atom->kind) {
      case IndexAtom::Kind::symbol: term["symbol"] = atom->symbol; break;
      case IndexAtom::Kind::floordiv:
      case IndexAtom::Kind::floormod:
        term[atom->kind == IndexAtom::Kind::floordiv ? "floordiv" : "floormod"] = index(atom->args[0]);
        term["by"] = integer(atom->divisor);
        break;
      case IndexAtom::Kind::min: term["min"] = indices(atom->args); break;
      case IndexAtom::Kind::max: term["max"] = indices(atom->args); break;
    }
    terms.push_back(std::move(term));
  }
  return {{"constant", integer(i.constant())}, {"terms", std::move(terms)}};
}

Json block(const Block& b);

std::string operation(Op op) {
  if (op == Op::neg) return "neg";
  if (op == Op::choice) return "?:";
  return std::string(info(op).text);
}

Json expression(const Expr& e);
Json expressions(const std::vector<Expr>& all) {
  Json out = Json::array();
  for (const Expr& e : all) out.push_back(expression(e));
  return out;
}

Json expression(const Expr& e) {
  switch (e->op) {
    case Op::literal: return {{"op", "literal"}, {"type", name(e->type)}, {"value", value(e->literal)}};
    case Op::index: return {{"op", "index"}, {"value", index(e->index)}};
    case Op::variable: return {{"op", "variable"}, {"name", e->name}, {"type", name(e->type)}};
    case Op::load:
      return {{"op", "load"}, {"buffer", e->name}, {"type", name(e->type)}, {"indices", expressions(e->args)}};
    case Op::convert: return {{"op", "convert"}, {"type", name(e->type)}, {"args", expressions(e->args)}};
    case Op::scope: return {{"op", "scope"}, {"name", e->name}, {"type", name(e->type)}, {"body", block(e->body)}};
    case Op::uniform:
    case Op::uniform_lane: return {{"op", operation(e->op)}, {"type", name(e->type)}, {"args", expressions(e->args)}};
    default: return {{"op", operation(e->op)}, {"args", expressions(e->args)}};
  }
}

Json statement(const Stmt& s) {
  switch (s->kind) {
    case StmtKind::loop:
      return {{"stmt", "for"},         {"symbol", s->name},        {"lo", index(s->lo)},
              {"hi", index(s->hi)},    {"step", integer(s->step)}, {"axis", name(s->axis)},
              {"body", block(s->body)}};
    case StmtKind::branch:
      return {{"stmt", "if"}, {"condition", expression(s->value)}, {"then", block(s->body)}, {"else", block(s->other)}};
    case StmtKind::zero: return {{"stmt", "zero"}, {"buffer", s->name}};
    case StmtKind::barrier: return {{"stmt", "barrier"}};
    case StmtKind::launch: return {{"stmt", "launch"}};
    case StmtKind::declare: {
      Json out = {{"stmt", "var"}, {"name", s->name}, {"type", name(s->type)}};
      if (s->value) out["value"] = expression(s->value);
      return out;
    }
    case StmtKind::assign: return {{"stmt", "assign"}, {"name", s->name}, {"value", expression(s->value)}};
    case StmtKind::store:
      return {{"stmt", "store"},
              {"buffer", s->name},
              {"indices", expressions(s->indices)},
              {"value", expression(s->value)}};
  }
  return {};
}

Json block(const Block& b) {
  Json out = Json::array();
  for (const Stmt& s : b) out.push_back(statement(s));
  return out;
}

Json buffer(const Buffer& b) {
  Json out = {{"name", b.name}, {"kind", name(b.kind)}, {"type", name(b.type)}, {"dims", indices(b.dims)}};
  if (b.range) out["range"] = Json::array({integer(b.range->first), integer(b.range->second)});
  if (b.swizzle != Swizzle::none) out["swizzle"] = name(b.swizzle);
  if (!b.data.empty()) {
    Json data = Json::array();
    for (const Scalar s : b.data) data.push_back(value(s));
    out["data"] = std::move(data);
  }
  return out;
}

Json program(const Program& p) {
  Json parameters = Json::array();
  for (const Parameter& q : p.parameters)
    parameters.push_back({{"name", q.name}, {"lo", integer(q.lo)}, {"hi", integer(q.hi)}});
  Json buffers = Json::array();
  for (const Buffer& b : p.buffers) buffers.push_back(buffer(b));
  return {{"name", p.name},
          {"parameters", std::move(parameters)},
          {"requirements", expressions(p.requirements)},
          {"buffers", std::move(buffers)},
          {"body", block(p.body)}};
}

Json words(const std::vector<ScheduleWord>& all) {
  Json out = Json::array();
  for (const ScheduleWord& w : all) out.push_back(w.text);
  return out;
}

Json schedule(const Schedule& s) {
  Json lines = Json::array();
  for (const ScheduleLine& line : s.lines) {
    Json keys = Json::array();
    for (const auto& [key, values] : line.keys) keys.push_back({{"key", key.text}, {"values", words(values)}});
    lines.push_back({{"op", line.op},
                     {"operands", words(line.operands)},
                     {"keys", std::move(keys)},
                     {"results", words(line.results)}});
  }
  return {{"name", s.name}, {"lines", std::move(lines)}};
}

}  // namespace

std::string to_json(const SourceFile& f) {
  Json programs = Json::array();
  for (const Program& p : f.programs) programs.push_back(program(p));
  Json schedules = Json::array();
  for (const Schedule& s : f.schedules) schedules.push_back(schedule(s));
  Json expectations = Json::array();
  for (const Expectation& e : f.expectations) {
    expectations.push_back({{"command", e.command},
                            {"verdict", e.verdict},
                            {"code", e.code},
                            {"programs", e.programs},
                            {"schedules", e.schedules}});
  }
  const Json file = {{"air", 1},
                     {"programs", std::move(programs)},
                     {"schedules", std::move(schedules)},
                     {"expectations", std::move(expectations)}};
  // A line for each value, and no indentation, which deep trees would turn into most of the text. Schedule lines and
  // expectations keep what was written; bytes that are not UTF-8 cannot stand in JSON and are replaced.
  return file.dump(0, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace assay
