// Support of the oracle's tests.
#include "report_support.hpp"

#include <algorithm>
#include <sstream>

namespace assay::test {

const char* const skew = R"(program skew {
  inout a: f32[8, 8]
  for i in 1..8 { for j in 0..7 { a[i, j] = a[i - 1, j + 1] + 1.0 } }
}
schedule s {
  swap i j
}
)";

const char* const tiled_copy = R"(program copy {
  param n in 1..40
  input A: f32[n, 8]
  output B: f32[n, 8]
  for i in 0..n { for j in 0..8 { B[i, j] = A[i, j] + 1.0 } }
}
schedule s {
  swap i j
  split i factor=4 -> io, ii
}
)";

const char* const sum_swap = R"(program total {
  input A: f32[6, 5]
  output S: f32[1]
  zero S
  for p in 0..6 { for q in 0..5 { S[0] += A[p, q] } }
}
schedule s {
  swap p q
}
)";

Material material(const std::string& text) {
  Material m;
  m.text = {"t.air", text};
  auto parsed = parse_source(text, "t.air");
  if (!parsed) {
    ADD_FAILURE() << render(parsed.error().front(), text, false, false);
    return m;
  }
  m.file = std::move(*parsed);
  return m;
}

oracle::CheckResult check_text(const std::string& text, const oracle::CheckOptions& options) {
  const Material m = material(text);
  return oracle::check(m.program(), m.text, m.schedule(), m.text, options);
}

oracle::Report lint_text(const std::string& text, const oracle::LintOptions& options) {
  const Material m = material(text);
  return oracle::lint(m.program(), m.text, options);
}

oracle::Report prove_text(const std::string& text, const oracle::ProveOptions& options) {
  const Material m = material(text);
  return oracle::prove(m.file.programs.at(0), m.text, m.file.programs.at(1), m.text, options);
}

bool has_code(const oracle::Report& r, const std::string& code) {
  return std::any_of(r.findings.begin(), r.findings.end(),
                     [&](const oracle::Finding& f) { return f.diagnostic.code == code; });
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

Obligation obligation(const std::string& kind, Obligation::Status status, const std::string& code) {
  Obligation o{};
  o.kind = kind;
  o.claim = "something holds";
  o.status = status;
  o.engine = "isl";
  o.code = code;
  return o;
}

Validation prove_anything(const Program&, const Program&, Query&) {
  Validation v;
  v.obligations.push_back(obligation("dependence-order", Obligation::Status::proved));
  return v;
}

}  // namespace assay::test
