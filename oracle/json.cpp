// Answers as JSON. The only file that includes the JSON library for writing reports.
//
// Keys stand in the order of the fixed surface. Integers beyond 2^53 and every float are strings, so that no reader rounds
// them; bytes that are not UTF-8 (they can come from source text) are replaced.
#include "oracle/json.hpp"

#include <nlohmann/json.hpp>

#include "ir/literal.hpp"

namespace assay::oracle {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t exact_integers = std::int64_t{1} << 53;

Json integer(std::int64_t v) {
  if (v > exact_integers || v < -exact_integers) return std::to_string(v);
  return v;
}

Json scalar(Scalar s) {
  if (s.type == Type::boolean) return s.bits != 0;
  if (is_float(s.type) || s.type == Type::u32x4) return to_text(s);
  const Int128 v = int_value(s);
  if (v > exact_integers || v < -exact_integers) return to_text(s);
  return static_cast<std::int64_t>(v);
}

Json integers(const std::vector<std::int64_t>& values) {
  Json out = Json::array();
  for (std::int64_t v : values) out.push_back(integer(v));
  return out;
}

Json object(const ParameterMap& parameters) {
  Json out = Json::object();
  for (const auto& [symbol, value] : parameters) out[symbol] = integer(value);
  return out;
}

Json object(const std::vector<std::pair<Symbol, std::int64_t>>& iteration) {
  Json out = Json::object();
  for (const auto& [symbol, value] : iteration) out[symbol] = integer(value);
  return out;
}

/// The file that holds the program: places of statements are lines in it.
std::string place(const std::string& file, const Location& where) {
  return where.known() ? file + ":" + std::to_string(where.line) : file;
}

Json witness(const Witness& w, bool replayed, const std::string& file) {
  Json out;
  out["params"] = object(w.parameters);
  out["buffer"] = w.buffer;
  out["cell"] = integers(w.cell);
  Json statements = Json::array();
  out["first"] = object(w.first.iteration);
  statements.push_back(place(file, w.first.where));
  if (w.second.statement >= 0) {
    out["second"] = object(w.second.iteration);
    statements.push_back(place(file, w.second.where));
  }
  out["statements"] = std::move(statements);
  if (w.of_new_program) out["program"] = "after the step";
  out["replayed"] = replayed;
  return out;
}

std::string_view status_word(Obligation::Status s) {
  switch (s) {
    case Obligation::Status::proved: return "proved";
    case Obligation::Status::violated: return "violated";
    case Obligation::Status::undecided: return "undecided";
  }
  return "undecided";
}

/// How far an answer of this engine may be trusted (validation.md, marks).
std::string_view mark(const std::string& engine) {
  if (engine == "table") return "axiom";
  if (engine == "gf2" || engine.rfind("gf2, ", 0) == 0) return "gf2";
  if (engine == "structure" || engine == "intervals") return "structural";
  return "solver";  // the native prover too, as long as it writes no certificate
}

Json obligation(const ObligationReport& o, const std::string& file) {
  Json out;
  out["id"] = o.id;
  out["kind"] = o.obligation.kind;
  out["claim"] = o.obligation.claim;
  out["status"] = status_word(o.obligation.status);
  out["engine"] = o.obligation.engine;
  out["mark"] = mark(o.obligation.engine);
  if (!o.obligation.code.empty()) out["code"] = o.obligation.code;
  if (!o.obligation.reason.empty()) out["reason"] = o.obligation.reason;
  if (o.obligation.vacuous) out["vacuous"] = true;
  if (!o.opinions.empty()) {
    Json opinions = Json::object();
    for (const EngineOpinion& e : o.opinions) opinions[e.engine] = status_word(e.status);
    out["cross_check"] = std::move(opinions);
  }
  if (o.obligation.witness) out["witness"] = witness(*o.obligation.witness, o.replayed, file);
  return out;
}

Json obligations(const std::vector<ObligationReport>& list, const std::string& file) {
  Json out = Json::array();
  for (const ObligationReport& o : list) out.push_back(obligation(o, file));
  return out;
}

Json instance(const interp::Instance& at, const std::string& file) {
  Json out{{"place", place(file, at.where)}, {"iteration", object(at.iteration)}};
  if (!at.group.empty()) out["group"] = integers({at.group.rbegin(), at.group.rend()});
  if (!at.thread.empty()) out["thread"] = integers({at.thread.rbegin(), at.thread.rend()});
  return out;
}

Json side(const ThreadPair::Side& s, const std::string& file) {
  Json out{{"place", place(file, s.where)}, {"does", s.does}, {"iteration", object(s.iteration)}};
  out["group"] = integers(s.group);
  out["thread"] = integers(s.thread);
  if (s.interval) out["interval"] = integer(static_cast<std::int64_t>(*s.interval));
  return out;
}

Json threads(const ThreadPair& pair, const std::string& file) {
  Json out{{"a", side(pair.a, file)}, {"b", side(pair.b, file)}};
  out["program"] = pair.of_new_program ? "after the step" : "given";
  if (pair.affected) out["affected"] = integer(*pair.affected);
  if (pair.cells) out["cells"] = integer(*pair.cells);
  return out;
}

Json observation(const Observation& o, const std::string& file) {
  Json out;
  out["params"] = object(o.parameters);
  out["inputs"] = name(o.inputs.kind);
  out["seed"] = integer(static_cast<std::int64_t>(o.inputs.seed));
  if (!o.turns.empty()) out["turns"] = o.turns;
  if (!o.input_values.empty()) {
    Json values = Json::object();
    for (const auto& [buffer, text] : o.input_values) values[buffer] = text;
    out["values"] = std::move(values);
  }
  if (o.kind == Observation::Kind::difference) {
    out["shows"] = "difference";
    out["buffer"] = o.buffer;
    out["cell"] = integers(o.cell);
    out["before"] = scalar(o.before);
    out["after"] = scalar(o.after);
    out["differing"] = integer(o.differing);
    out["compared"] = integer(o.compared);
  } else if (o.kind == Observation::Kind::fault) {
    out["shows"] = "fault";
    out["code"] = o.fault->code;
    out["message"] = o.fault->message;
    out["buffer"] = o.fault->buffer;
    out["cell"] = integers(o.fault->cell);
    out["at"] = instance(o.fault->at, file);
  } else {
    out["shows"] = "race";
    out["buffer"] = o.race->buffer;
    out["cell"] = integers(o.race->cell);
    out["first"] = instance(o.race->first, file);
    out["second"] = instance(o.race->second, file);
  }
  return out;
}

Json step(const StepReport& s, const std::string& file) {
  Json out;
  out["step"] = s.number;
  out["line"] = s.line;
  out["op"] = s.op;
  out["operands"] = s.operands;
  out["text"] = s.text;
  out["status"] = s.judged ? std::string(word(s.status)) : std::string("not judged");
  out["licence"] = name(s.licence);
  out["obligations"] = obligations(s.obligations, file);
  if (s.observation) out["observation"] = observation(*s.observation, file);
  return out;
}

Json execution(const ExecutionReport& e) {
  Json out;
  out["backend"] = e.backend;
  if (!e.detail.empty()) out["detail"] = e.detail;
  out["rigour"] = std::string(1, e.rigour);
  out["equal"] = e.equal ? Json(*e.equal) : Json(nullptr);
  out["cases"] = e.cases;
  out["cells"] = integer(e.cells);
  Json sizes = Json::array();
  for (const ParameterMap& p : e.sizes) sizes.push_back(object(p));
  out["sizes"] = std::move(sizes);
  return out;
}

Json diagnostic(const Finding& f, const std::string& program_file) {
  Json out;
  out["code"] = f.diagnostic.code;
  out["severity"] = name(f.kind);
  out["file"] = f.diagnostic.file;
  out["line"] = f.diagnostic.where.line;
  out["column"] = f.diagnostic.where.column;
  out["message"] = f.diagnostic.message;
  out["help"] = f.diagnostic.help;
  if (!f.labels.empty()) {
    Json labels = Json::array();
    for (const Label& l : f.labels) {
      labels.push_back({{"file", l.file}, {"line", l.where.line}, {"column", l.where.column}, {"message", l.text}});
    }
    out["labels"] = std::move(labels);
  }
  if (f.threads) out["threads"] = threads(*f.threads, program_file);
  if (!f.remarks.empty()) out["notes"] = f.remarks;
  return out;
}

Json expectation(const ExpectationReport& e) {
  return {{"file", e.file},
          {"line", e.line},
          {"expected", e.expected},
          {"command", e.command},
          {"verdict", word(e.verdict)},
          {"codes", e.codes},
          {"passed", e.passed}};
}

Json output(const OutputReport& o) {
  Json out;
  out["buffer"] = o.buffer;
  out["type"] = name(o.type);
  out["shape"] = integers(o.dims);
  out["values"] = o.values;
  if (!o.file.empty()) out["file"] = o.file;
  return out;
}

template <typename T, typename F>
void add_list(Json& out, const char* key, const std::vector<T>& items, F convert) {
  if (items.empty()) return;
  Json list = Json::array();
  for (const T& item : items) list.push_back(convert(item));
  out[key] = std::move(list);
}

std::string dump(const Json& value) { return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string_view version() { return ASSAY_VERSION; }

std::string to_json(const Report& r, const std::optional<std::string>& product) {
  const std::string file = r.texts.empty() ? r.program : r.texts.front().file;
  Json out;
  out["schema"] = json_schema;
  out["assay"] = version();
  out["command"] = r.command;
  out["program"] = r.program;
  out["verdict"] = word(r.verdict);
  if (r.licence) out["licence"] = name(*r.licence);
  out["claim"] = r.claim;
  Json steps = Json::array();
  for (const StepReport& s : r.steps) steps.push_back(step(s, file));
  out["steps"] = std::move(steps);
  if (!r.obligations.empty()) out["obligations"] = obligations(r.obligations, file);
  Json executions = Json::array();
  for (const ExecutionReport& e : r.executions) executions.push_back(execution(e));
  out["executions"] = std::move(executions);
  if (r.observation) out["observation"] = observation(*r.observation, file);
  add_list(out, "tests", r.expectations, expectation);
  add_list(out, "outputs", r.outputs, output);
  out["assumptions"] = r.assumptions;
  if (!r.omissions.empty()) out["not_done"] = r.omissions;
  if (product) out["product"] = *product;
  if (!r.kept.empty()) out["kept"] = r.kept;
  Json findings = Json::array();
  for (const Finding& f : r.findings) findings.push_back(diagnostic(f, file));
  out["diagnostics"] = std::move(findings);
  if (r.seconds) out["seconds"] = *r.seconds;
  return dump(out);
}

namespace {

// A switch, so that the compiler asks for the name of a kind that is added.
const char* kind_name(ParameterInfo::Kind kind) {
  using Kind = ParameterInfo::Kind;
  switch (kind) {
    case Kind::loop: return "loop";
    case Kind::loops: return "loops";
    case Kind::buffer: return "buffer";
    case Kind::value: return "value";
    case Kind::storage: return "storage";
    case Kind::integer: return "integer";
    case Kind::integers: return "integers";
    case Kind::boolean: return "boolean";
    case Kind::choice: return "choice";
    case Kind::names: return "names";
    case Kind::result: return "result";
    case Kind::results: return "results";
  }
  return "";
}

}  // namespace

std::string to_json(const std::vector<OperationEntry>& entries) {
  Json list = Json::array();
  for (const OperationEntry& e : entries) {
    const Declaration& d = e.declaration;
    Json parameters = Json::array();
    for (const ParameterInfo& p : d.parameters) {
      Json one{{"name", p.name}, {"kind", kind_name(p.kind)}, {"required", p.required}};
      if (!p.fallback.empty()) one["default"] = p.fallback;
      if (!p.choices.empty()) one["choices"] = p.choices;
      one["help"] = p.help;
      parameters.push_back(std::move(one));
    }
    Json refusals = Json::array();
    for (const PreconditionInfo& p : d.refusals) refusals.push_back({{"code", p.code}, {"text", p.text}});
    list.push_back({{"name", d.name},
                    {"rules", d.rule_prefix},
                    {"summary", d.summary},
                    {"parameters", std::move(parameters)},
                    {"preconditions", std::move(refusals)},
                    {"schema", d.schema},
                    {"licence", {{"least", name(d.least)}, {"greatest", name(d.greatest)}}},
                    {"obligations", d.obligations},
                    {"example", {{"program", d.example_program}, {"schedule", d.example_schedule}}}});
  }
  Json out;
  out["schema"] = json_schema;
  out["assay"] = version();
  out["command"] = "ops";
  out["verdict"] = "ok";
  out["operations"] = std::move(list);
  return dump(out);
}

std::string to_json(const Menu& m, const std::string& program, const std::string& claim) {
  Json out;
  out["schema"] = json_schema;
  out["assay"] = version();
  out["command"] = "menu";
  out["program"] = program;
  out["verdict"] = "ok";
  out["claim"] = claim;
  Json steps = Json::array();
  for (const MenuStep& s : m.steps) {
    Json one{{"line", s.line}};
    if (s.licence) one["licence"] = name(*s.licence);
    one["digest"] = s.digest;
    steps.push_back(std::move(one));
  }
  out["steps"] = std::move(steps);
  out["left_out"] = {
      {"unfit", m.unfit}, {"same", m.same}, {"not_proved", m.not_proved}, {"over", m.over}, {"untried", m.untried}};
  return dump(out);
}

}  // namespace assay::oracle
