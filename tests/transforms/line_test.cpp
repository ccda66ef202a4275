// Schedule lines: operations, operands, keys, flags, results, copies and the two kinds of refusal (spec/schedule.md).
#include <algorithm>

#include "steps.hpp"

namespace assay::test {
namespace {

const char* const two_loops = "for i in 0..4 { for j in 0..6 { B[i, j] = Y[i, j] } }";

// The refusal of a line against two loops and a copy of j.
Step refused(const std::string& text) {
  const Step s =
      step(nest(std::string(two_loops) + " var v: f32 = 1.0  for j in 0..6 { A[j] = v }", "param n in 1..9"), text);
  EXPECT_FALSE(s.after) << text;
  EXPECT_TRUE(s.error) << text;
  EXPECT_FALSE(s.refusal.diagnostic.message.empty());
  return s;
}

TEST(Line, UnknownOperation) {
  const Step s = refused("slpit i factor=2");
  RULE_EQ("SCH-5", "SCH-5", s.code);
  RULE_EQ("SCH-5", "did you mean `split`?", s.refusal.diagnostic.help);
  RULE_EQ("SCH-5", "", refused("frobnicate i").refusal.diagnostic.help);
}

TEST(Line, Operands) {
  for (const char* text : {"split factor=2", "swap i", "swap", "swap i j j", "split i j factor=2", "split factor=2 i",
                           "unroll i shared", "retype"})
    RULE_EQ("SCH-7", "SCH-7", refused(text).code);
  RULE_EQ("SCH-7", "did you mean `materialize`?", refused("unroll i materialise").refusal.diagnostic.help);
  // The place is that of the word.
  RULE_EQ("SCH-7", 10, refused("swap i j  j").refusal.diagnostic.where.column - 1);
}

TEST(Line, LoopsByName) {
  for (const char* text : {"split k factor=2", "unroll B", "unroll n", "unroll v", "swap i k", "split k* factor=2"})
    RULE_EQ("SCH-8", "SCH-8", refused(text).code);
  RULE_TRUE("SCH-8", refused("unroll B").refusal.diagnostic.message.find("buffer") != std::string::npos);
  RULE_TRUE("SCH-8", refused("unroll n").refusal.diagnostic.message.find("parameter") != std::string::npos);
  RULE_TRUE("SCH-8", refused("unroll v").refusal.diagnostic.message.find("variable") != std::string::npos);
  const Step s = step(nest("for row in 0..4 { A[row] = 1.0 }"), "unroll rwo");
  RULE_EQ("SCH-8", "did you mean `row`?", s.refusal.diagnostic.help);
}

TEST(Line, Copies) {
  const Program p = nest(std::string(two_loops) +
                         " for j in 0..6 { A[j] = scope s: f32 { s = 0.0 for j.4 in 0..3 { s = s + X[j.4] } } }");
  const Step all = step(p, "retype j* axis=unrolled");
  ASSERT_TRUE(all.after);
  for (const char* copy : {"j", "j.1", "j.4"}) RULE_EQ("SCH-9", Axis::unrolled, axis_of(*all.after, copy));
  RULE_EQ("SCH-9", Axis::serial, axis_of(*all.after, "i"));
  const Step one = step(p, "retype j axis=unrolled");
  ASSERT_TRUE(one.after);
  RULE_EQ("SCH-9", Axis::serial, axis_of(*one.after, "j.1"));
  RULE_EQ("SCH-9", "SCH-9", refused("unroll j.1*").code);
  // All or none: the copy in the scope cannot be a grid loop.
  RULE_EQ("SCH-9", "SCH-15", step(p, "retype j* axis=grid").code);
}

TEST(Line, Keys) {
  for (const char* text :
       {"split i", "split i facter=2", "unroll i materialize materialize=true", "retype i", "swap i j factor=2"})
    RULE_EQ("SCH-10", "SCH-10", refused(text).code);
  RULE_EQ("SCH-10", "did you mean `factor`?", refused("split i facter=2").refusal.diagnostic.help);
  ScheduleLine twice = line("split i factor=2");
  twice.keys.push_back(twice.keys[0]);
  EnumeratingQuery query;
  const StepResult refusal = apply_line(nest(two_loops), twice, query);
  RULE_EQ("SCH-10", "SCH-10", refusal.error().diagnostic.code);
}

TEST(Line, Values) {
  for (const char* text : {"split i factor=two", "split i factor=99999999999999999999", "split i factor=2,3",
                           "retype i axis=gird", "unroll i materialize=yes", "split i factor"})
    RULE_EQ("SCH-11", "SCH-11", refused(text).code);
  RULE_EQ("SCH-11", "did you mean `grid`?", refused("retype i axis=gird").refusal.diagnostic.help);
  const Step flag = step(nest(two_loops), "unroll i materialize");
  const Step key = step(nest(two_loops), "unroll i materialize=true");
  const Step off = step(nest(two_loops), "unroll i materialize=false");
  ASSERT_TRUE(flag.after && key.after && off.after);
  RULE_TRUE("SCH-11", *flag.after == *key.after && !(*off.after == *key.after));
}

TEST(Line, ResultNames) {
  for (const char* text :
       {"split i factor=2 -> a", "split i factor=2 -> a, b, c", "split i factor=2 -> j, b", "split i factor=2 -> i, b",
        "split i factor=2 -> B, b", "split i factor=2 -> n, b", "split i factor=2 -> v, b", "split i factor=2 -> a, a",
        "split i factor=2 -> for, b", "split i factor=2 -> f32, b", "split i factor=2 -> max, b",
        "split i factor=2 -> shared, b", "split i factor=2 -> a*, b", "split i factor=2 -> 3, b", "unroll i -> a",
        "swap i j -> a, b"}) {
    RULE_EQ("SCH-12", "SCH-12", refused(text).code);
  }
  RULE_EQ("SCH-12", "`j.2` is free", refused("split i factor=2 -> j, b").refusal.diagnostic.help);
  RULE_TRUE("SCH-12", step(nest(two_loops), "split i factor=2 -> grid, i.7")
                          .after.has_value());  // axes are names, and so are numbered ones
}

TEST(Line, DefaultNames) {
  const Program p = run(nest(two_loops),
                        {"split j factor=2", "split j_i factor=2", "unroll i materialize=true", "split j_o* factor=2"});
  for (const char* name : {"j_o_o", "j_o_i", "j_o_o.1", "j_o_i.3"}) RULE_EQ("SCH-13", 1U, find_loops(p, name).size());
  const Program taken = run(nest("for i in 0..4 { for i_o in 0..4 { B[i, i_o] = 1.0 } }"), {"split i factor=2"});
  RULE_EQ("SCH-13", 1U, find_loops(taken, "i_o.1").size());
  RULE_EQ("SCH-13", 1U, find_loops(taken, "i_i").size());
}

TEST(Line, RefusalsSayWhatAndWhere) {
  const Step error = step(nest(two_loops), "split i factor=0");
  RULE_TRUE("SCH-14", error.error);
  EXPECT_EQ(1, error.refusal.diagnostic.where.line);
  const Step form = step(nest("for i in 0..n { A[i] = X[i] }", "param n in 1..9"), "unroll i materialize=true");
  RULE_TRUE("SCH-14", !form.error && !form.after);
  EXPECT_EQ(8, form.refusal.program_note.line);
  EXPECT_EQ("`unroll i materialize=true` does not apply: `i` runs n times, which is not a constant",
            form.refusal.diagnostic.message);
}

// What operations say about themselves is enough to write their lines, and is true of them.
TEST(Registry, EveryOperationDescribesItself) {
  ASSERT_LE(14U, operations().size());
  EXPECT_TRUE(std::is_sorted(operations().begin(), operations().end(),
                             [](const auto& a, const auto& b) { return a.declaration.name < b.declaration.name; }));
  for (const OperationEntry& e : operations()) {
    const Declaration& d = e.declaration;
    EXPECT_EQ(&e, find_operation(d.name));
    EXPECT_FALSE(d.summary.empty() || d.rule_prefix.empty() || d.schema.empty() || d.obligations.empty());
    EXPECT_FALSE(d.refusals.empty());
    for (const ParameterInfo& p : d.parameters) EXPECT_FALSE(p.help.empty()) << d.name << " " << p.name;
    const Program p = program(d.example_program);
    static const std::set<std::string> reordering{"swap", "fuse_epilogue", "sink_zero"};
    run(p, {d.example_schedule.substr(0, d.example_schedule.find('\n'))}, reordering.count(d.name) == 0);
  }
  EXPECT_EQ(nullptr, find_operation("merge"));
}

}  // namespace
}  // namespace assay::test
