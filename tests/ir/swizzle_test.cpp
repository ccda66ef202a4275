// Swizzles of buffers: text, JSON, equality and canonical form, and where one may stand (WF-40, WF-41).
#include <gtest/gtest.h>

#include "ir/analysis/canonical.hpp"
#include "tests/support/rules.hpp"
#include "text_support.hpp"

namespace assay::test {
namespace {

std::string declared(const std::string& declarations) {
  return "program p { param n in 1..9 " + declarations + " output Y: f32[1]  Y[0] = 1.0 }";
}

TEST(Swizzle, IsPrintedAndReadBack) {
  const Program p = program_of(declared("shared S: f16[n, 16] swizzle b128 local T: f32[3, 4, 8] swizzle elem"));
  RULE_TRUE("PRINT-1", print(p).find("shared S: f16[n, 16] swizzle b128\n  local T: f32[3, 4, 8] swizzle elem\n") !=
                           std::string::npos)
      << print(p);
  RULE_TRUE("PRINT-1", program_of(print(p)) == p);
  SourceFile file;
  file.programs.push_back(p);
  const auto again = parse_source(to_json(file), "-");
  ASSERT_TRUE(again);
  RULE_TRUE("JSON-1", again->programs[0] == p && again->programs[0].buffers[0].swizzle == Swizzle::b128);
  RULE_TRUE("SYN-3", has_error(declared("shared S: f16[n, 16] swizzle ~b64~"), "SYN-3"));
  RULE_TRUE("SYN-5", has_error(declared("local ~swizzle~: f16[n, 16]"), "SYN-5"));
}

// Two programs that differ in a swizzle are two.
TEST(Swizzle, TellsProgramsApart) {
  const Program plain = program_of(declared("local T: f32[3, 8]")),
                elem = program_of(declared("local T: f32[3, 8] swizzle elem"));
  RULE_TRUE("PRINT-1", !(plain == elem) && !(canonical(plain) == canonical(elem)) && print(plain) != print(elem));
}

TEST(Swizzle, StandsWhereThereAreRows) {
  for (const char* kind : {"temp", "local", "shared"})
    RULE_TRUE("WF-40", errors(declared(kind + std::string(" T: f32[n, 8] swizzle b128"))).empty()) << kind;
  for (const char* kind : {"input", "inout", "output"})
    RULE_TRUE("WF-40", has_error(declared("~" + std::string(kind) + " T: f32[n, 8]~ swizzle b128"), "WF-40")) << kind;
  RULE_TRUE("WF-40", has_error(declared("~const T: f32[1, 2]~ swizzle elem = {1.0, 2.0}"), "WF-40"));
  for (const char* shape : {"f32[8] swizzle elem", "f32[] swizzle elem", "f32[8, n] swizzle elem",
                            "f32[8, 0] swizzle elem", "f32[8, 3] swizzle b128", "i8[8, 24] swizzle b128"}) {
    const std::string s = shape;
    const auto at = s.find(']') + 1;
    RULE_TRUE("WF-41", has_error(declared("~local T: " + s.substr(0, at) + "~" + s.substr(at)), "WF-41")) << shape;
  }
  // Rows of three units are well formed; that they do not keep elements apart is for the obligations to say.
  RULE_TRUE("WF-41", errors(declared("local T: f32[8, 12] swizzle b128 temp U: u32x4[8, 12] swizzle b128")).empty());
}

}  // namespace
}  // namespace assay::test
