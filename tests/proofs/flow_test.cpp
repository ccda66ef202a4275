// Schema F: moving values through new storage is proved where every read sees what it saw, and nothing wrong is proved.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "claimed_pairs.hpp"
#include "tests/support/rules.hpp"

namespace assay {
namespace {

using Status = Obligation::Status;

const std::string rows = "param n in 0..9 param m in 0..9 input A: f32[9, 9] inout y: f32[9] ";
const std::string sum = rows + "for i in 0..n { for k in 0..m { y[i] = y[i] + A[i, k] } }";

TEST(Flow, a_value_kept_through_a_loop_is_the_same_value) {
  const Judged scalar = judge(
      sum, rows + "for i in 0..n { var s: f32 = y[i] for k in 0..m { s = s + A[i, k] } y[i] = s }", {0, -1, 1, 2, -1});
  RULE_EQ("PRF-42", std::string(), scalar.codes());
  // Written back in every iteration: needless, and right.
  const Judged often = judge(
      sum, rows + "for i in 0..n { var s: f32 = y[i] for k in 0..m { s = s + A[i, k] y[i] = s } }", {0, -1, 1, 2, -1});
  RULE_EQ("PRF-42", std::string(), often.codes());
  // Around both loops: one variable for all rows is wrong, a buffer of rows is right.
  const Judged one = judge(sum, rows + "var s: f32 = y[0] for i in 0..n { for k in 0..m { s = s + A[i, k] } y[i] = s }",
                           {-1, 0, 1, 2, -1});
  RULE_TRUE("PRF-42", one.find("flow-equal", Status::violated) != nullptr) << one.codes();
  const Judged all =
      judge(sum,
            rows +
                "local t: f32[9] for a in 0..n { t[a] = y[a] } for i in 0..n { for k in 0..m { t[i] = t[i] + "
                "A[i, k] } } for b in 0..n { y[b] = t[b] }",
            {-1, -1, 0, 1, 2, -1, -1});
  RULE_EQ("PRF-42", std::string(), all.codes());
}

TEST(Flow, a_conversion_is_left_out_where_the_storage_holds_its_result) {
  const auto codes = [](const std::string& from, const std::string& to) {
    const std::string head = "input A: " + from + "[8] inout Y: " + to + "[8] ";
    return judge(
               head + "for k in 0..8 { Y[k] = " + to + "(A[k]) }",
               head + "local T: " + to + "[8] for a in 0..8 { T[a] = " + to + "(A[a]) } for k in 0..8 { Y[k] = T[k] }",
               {-1, -1, 0, 1})
        .codes();
  };
  for (const auto& [from, to] : {std::pair{"f16", "f32"}, {"f32", "f64"}, {"i8", "i32"}, {"u8", "i16"}})
    RULE_EQ("PRF-102", std::string(), codes(from, to));
  for (const auto& [from, to] : {std::pair{"f32", "f16"}, {"f64", "f32"}, {"i32", "f32"}, {"i8", "u8"}})
    RULE_TRUE("PRF-102", !codes(from, to).empty()) << from << ' ' << to;
}

TEST(Flow, private_storage_does_not_outlive_a_launch) {
  const std::string head = "inout X: f32[9] inout Y: f32[9] ";
  const auto codes = [&](const std::string& between, const std::string& storage, const std::vector<int>& sources) {
    const std::string first = "for z in 0..9 { X[z] = X[z] + 1.0 } ", last = " for i in 0..9 { Y[i] = ";
    return judge(head + first + between + last + "X[i] }",
                 head + storage + " T: f32[9] " + first + "for a in 0..9 { T[a] = X[a] } " + between + last + "T[i] }",
                 sources)
        .codes();
  };
  RULE_EQ("PRF-42", std::string(), codes("", "local", {0, 1, -1, -1, 2, 3}));
  RULE_TRUE("PRF-42", !codes("launch", "local", {0, 1, -1, -1, 2, 3, 4}).empty());
}

TEST(Flow, values_pass_from_launch_to_launch_through_device_memory) {
  // Threads of the second launch read what others wrote in the first, through a tile of their group or a copy of their own.
  const std::string head = "input A: f32[8] temp T: f32[8] inout Y: f32[8] ";
  const std::string first = "for g in 0..2 @grid { for t in 0..4 @workgroup { T[4*g + t] = A[4*g + t] } } launch ";
  const auto codes = [&](const std::string& storage, const std::string& body, const std::vector<int>& sources) {
    const std::string second = "for h in 0..2 @grid { for u in 0..4 @workgroup { ";
    return judge(head + first + second + "Y[4*h + u] = T[7 - 4*h - u] } }",
                 head + storage + first + second + body + " } }", sources)
        .codes();
  };
  const std::vector<int> tile{0, 1, 2, 3, 4, 5, -1, -1, 6};
  RULE_EQ("PLL-20", std::string(), codes("shared S: f32[4] ", "S[u] = T[7 - 4*h - u] barrier Y[4*h + u] = S[u]", tile));
  RULE_EQ("PLL-20", std::string(),
          codes("shared S: f32[4] ", "S[3 - u] = T[4 + u - 4*h] barrier Y[4*h + u] = S[u]", tile));
  RULE_TRUE("PLL-20", !codes("shared S: f32[4] ", "S[u] = T[4*h + u] barrier Y[4*h + u] = S[u]", tile).empty());
  RULE_EQ("PLL-20", std::string("RACE-2"),
          codes("shared S: f32[4] ", "S[3 - u] = T[4 + u - 4*h] Y[4*h + u] = S[u]", {0, 1, 2, 3, 4, 5, -1, 6}));
  RULE_EQ("PLL-20", std::string(),
          codes("local r: f32[1] ", "r[0] = T[7 - 4*h - u] Y[4*h + u] = r[0]", {0, 1, 2, 3, 4, 5, -1, 6}));
  // A copy of the launch before, in either kind of memory.
  const auto early = [&](const std::string& kind) {
    const std::string loops = "for a in 0..2 @grid { for b in 0..4 @workgroup { ";
    const std::string last = "for h in 0..2 @grid { for u in 0..4 @workgroup { Y[4*h + u] = ";
    return judge(head + first + loops + "Y[4*a + b] = 1.0 } } launch " + last + "T[4*h + u] } }",
                 head + kind + " S: f32[8] " + first + loops + "S[4*a + b] = T[4*a + b] Y[4*a + b] = 1.0 } } launch " +
                     last + "S[4*h + u] } }",
                 {0, 1, 2, 3, 4, 5, -1, 6, 7, 8, 9, 10})
        .codes();
  };
  RULE_EQ("PLL-20", std::string(), early("temp"));
  RULE_TRUE("PLL-20", !early("shared").empty());
  RULE_TRUE("PLL-20", !early("local").empty());
}

TEST(Flow, what_one_arm_stores_is_not_there_in_the_other) {
  const std::string head = "input C: f32[4] input D: f32[4] temp T: f32[1] inout Y: f32[4] T[0] = 5.0 ";
  for (const char* condition : {"C[i] > 0.0", "!(C[i] > 0.0) && !(D[i] > 0.0)", "C[i] > 0.0 || D[i] > 0.0"}) {
    const auto loop = [&](const std::string& cell) {
      return fmt::format("for i in 0..4 {{ if {0} {{ {1} = 1.0 }} else {{ Y[i] = {1} }} }}", condition, cell);
    };
    RULE_EQ("PRF-46", std::string(),
            judge(head + loop("T[0]"), head + "var s: f32 = T[0] " + loop("s"), {0, -1, 1, 2, 3, 4}).codes());
    RULE_TRUE("PRF-46",
              !judge(head + loop("T[0]"), head + "var s: f32 " + loop("s"), {0, -1, 1, 2, 3, 4}).codes().empty());
  }
}

TEST(Flow, conditions_inside_expressions_stand_where_they_stood) {
  const std::string head = "input A: f32[4, 4] input B: f32[4, 4] inout X: f32[4] inout Y: f32[4] ";
  const auto text = [](const std::string& c, const std::string& d, const std::string& cell) {
    return fmt::format(
        "for i in 0..4 {{ {} = A[i, 0] Y[i] = ({} > 0.0 ? scope u: f32 {{ u = 1.0 for k in 0..4 {{ u = u + A[i, k] }} "
        "}} "
        ": {} > 1.0 ? scope v: f32 {{ v = {} for l in 0..4 {{ v = v + B[i, l] }} }} : 2.0) + {} }}",
        cell, c, d, c, cell);
  };
  const std::string before = head + text("B[0, i]", "A[i, i]", "X[i]");
  const auto at = [&](const std::string& after, const std::vector<int>& sources) {
    return judge(before, head + after, sources).codes();
  };
  const std::string loop = text("B[0, i]", "A[i, i]", "s");
  const std::string inside = "for i in 0..4 { var s: f32 " + loop.substr(std::string("for i in 0..4 { ").size());
  const std::string back = inside.substr(0, inside.size() - 1) + " X[i] = s }";
  RULE_EQ("PRF-41", std::string(), at(back, {0, -1, 1, 2, 3, 4, 5, 6, 7, 8, -1}));
  // The conditions are exchanged: the scopes run under others.
  const std::string other = text("A[i, i]", "B[0, i]", "s");
  const std::string exchanged = "for i in 0..4 { var s: f32 " + other.substr(std::string("for i in 0..4 { ").size());
  RULE_TRUE(
      "PRF-41",
      !at(exchanged.substr(0, exchanged.size() - 1) + " X[i] = s }", {0, -1, 1, 2, 3, 4, 5, 6, 7, 8, -1}).empty());
  // The statements of one scope claim those of the other.
  RULE_TRUE("PRF-41", !at(back, {0, -1, 1, 2, 6, 7, 8, 3, 4, 5, -1}).empty());
}

TEST(Flow, an_engine_that_gives_up_proves_nothing) {
  const Judged j = judge(sum, rows + "for i in 0..n { var s: f32 = y[i] for k in 0..m { s = s + A[i, k] } y[i] = s }",
                         {0, -1, 1, 2, -1}, {}, 1);
  RULE_TRUE("FLOW-2", j.codes().find("FLOW-2") != std::string::npos) << j.codes();
  RULE_TRUE("FLOW-2", j.find("flow-equal", Status::violated) == nullptr);
}

TEST(Flow, what_goes_wrong_is_found) {
  const auto codes = [&](const std::string& after, const std::vector<int>& sources) {
    return judge(sum, rows + after, sources).codes();
  };
  // Not copied in: the variable is undefined.
  RULE_EQ("FLOW-4", std::string("FLOW-4"),
          codes("for i in 0..n { var s: f32 for k in 0..m { s = s + A[i, k] } y[i] = s }", {0, -1, 1, 2, -1}));
  // Not copied back.
  RULE_EQ("FLOW-3", std::string("FLOW-3"),
          codes("for i in 0..n { var s: f32 = y[i] for k in 0..m { s = s + A[i, k] } }", {0, -1, 1, 2}));
  // Copied from the wrong row.
  RULE_EQ("FLOW-1", std::string("FLOW-1"),
          codes("for i in 0..n { var s: f32 = y[0] for k in 0..m { s = s + A[i, k] } y[i] = s }", {0, -1, 1, 2, -1}));
  // Copied in again in every iteration: the sum starts anew.
  RULE_TRUE("FLOW-1", codes("for i in 0..n { var s: f32 for k in 0..m { s = y[i] s = s + A[i, k] } y[i] = s }",
                            {0, -1, 1, -1, 2, -1})
                              .substr(0, 6) == "FLOW-1");
  // Started from a constant that the old program does not have.
  RULE_TRUE("FLOW-1",
            codes("for i in 0..n { var s: f32 = 0.0 for k in 0..m { s = s + A[i, k] } y[i] = s }", {0, -1, 1, 2, -1})
                    .substr(0, 6) == "FLOW-1");
}

TEST(Flow, a_tile_shows_the_source_as_it_was_when_it_was_filled) {
  const std::string head = "inout X: f32[9] inout Y: f32[9] ";
  const std::string plain = head + "for i in 0..9 { Y[i] = X[i] }";
  RULE_EQ(
      "PRF-42", std::string(),
      judge(plain, head + "local T: f32[9] for a in 0..9 { T[a] = X[a] } for i in 0..9 { Y[i] = T[i] }", {-1, -1, 0, 1})
          .codes());
  // A tile one cell short, by its loop and by a condition.
  for (const char* fill : {"for a in 0..8 { T[a] = X[a] }", "for a in 0..9 { if a < 8 { T[a] = X[a] } }"}) {
    const bool guarded = std::string(fill).find("if") != std::string::npos;
    const Judged j = judge(plain, head + "local T: f32[9] " + fill + " for i in 0..9 { Y[i] = T[i] }",
                           guarded ? std::vector<int>{-1, -1, -1, 0, 1} : std::vector<int>{-1, -1, 0, 1});
    RULE_EQ("PRF-43", std::string("FLOW-4"), j.codes());
    RULE_EQ("PRF-43", std::string("window-cover"), j.find("window-cover", Status::violated)->kind);
    EXPECT_EQ(8, j.find("window-cover", Status::violated)->witness->first.iteration.at(0).second);
  }
  // A fringe that holds a constant is no copy of the source.
  RULE_EQ("PRF-43", std::string("FLOW-1"),
          judge(plain,
                head + "local T: f32[9] for a in 0..9 { if a < 8 { T[a] = X[a] } else { T[a] = 0.0 } } for i in "
                       "0..9 { Y[i] = T[i] }",
                {-1, -1, -1, -1, 0, 1})
              .codes());
  // The source changes between the copy and the read.
  const std::string changing = head + "for i in 0..8 { X[i + 1] = X[i] + 1.0 }";
  const Judged stale =
      judge(changing, head + "local T: f32[9] for a in 0..9 { T[a] = X[a] } for i in 0..8 { X[i + 1] = T[i] + 1.0 }",
            {-1, -1, 0, 1});
  RULE_EQ("FLOW-1", std::string("FLOW-1"), stale.codes());
  const Witness& w = *stale.find("flow-equal", Status::violated)->witness;
  RULE_TRUE("PRF-44", w.buffer == "X" && w.first.writes && !w.second.writes);
  RULE_EQ("PRF-44", w.second.iteration.at(0).second, w.first.iteration.at(0).second + 1);
  // The same with the copy inside the loop.
  RULE_EQ("PRF-42", std::string(),
          judge(changing, head + "for i in 0..8 { var t: f32 = X[i] X[i + 1] = t + 1.0 }", {0, -1, 1}).codes());
}

TEST(Flow, copies_under_conditions) {
  const std::string head = "input A: f32[9] inout y: f32[9] ";
  const std::string before = head + "for i in 0..9 { if A[i] > 0.0 { for k in 0..3 { y[i] = y[i] + A[k] } } }";
  RULE_EQ("PRF-46", std::string(),
          judge(before,
                head + "for i in 0..9 { if A[i] > 0.0 { var s: f32 = y[i] for k in 0..3 { s = s + A[k] } y[i] = s } }",
                {0, 1, -1, 2, 3, -1})
              .codes());
  // Copied in only when the condition holds, used and copied back always.
  const std::string inner = head + "for i in 0..9 { for k in 0..3 { if A[k] > 0.0 { y[i] = y[i] + A[k] } } }";
  RULE_EQ("PRF-46", std::string(),
          judge(inner,
                head + "for i in 0..9 { var s: f32 = y[i] for k in 0..3 { if A[k] > 0.0 { s = s + A[k] } } y[i] = s }",
                {0, -1, 1, 2, 3, -1})
              .codes());
  const Judged open = judge(before,
                            head +
                                "for i in 0..9 { var s: f32 if A[i] > 0.0 { s = y[i] for k in 0..3 { s = s + A[k] } } "
                                "y[i] = s }",
                            {0, -1, 1, -1, 2, 3, -1});
  RULE_TRUE("PRF-46", !open.codes().empty());
  // Under a condition that the source is not under, and free of the one that it is under.
  RULE_EQ("CLAIM-1", std::string("CLAIM-1"),
          judge(before, head + "for i in 0..9 { for k in 0..3 { var s: f32 = y[i] y[i] = s + A[k] } }", {0, 2, -1, 3})
              .codes());
}

TEST(Flow, statements_may_run_again_where_that_changes_nothing) {
  const std::string head = "input A: f32[9] output B: f32[9] temp T: f32[9] ";
  const std::string before = head + "for i in 0..9 { T[i] = A[i] * 2.0 } for j in 0..9 { B[j] = T[j] }";
  // Recomputed at the use, through a variable; the copy keeps the old buffer up to date.
  const Judged again = judge(before, head + "for j in 0..9 { var t: f32 = A[j] * 2.0 T[j] = t B[j] = T[j] }",
                             {2, 1, -1, 3}, {{"i", Index::symbol("j")}});
  RULE_EQ("PRF-41", std::string(), again.codes());
  const Judged beyond =
      judge(before, head + "for j in 0..10 { var t: f32 = A[floormod(j, 9)] * 2.0 T[floormod(j, 9)] = t B[j] = T[j] }",
            {2, 1, -1, 3}, {{"i", Index::symbol("j")}});
  RULE_TRUE("PRF-41", beyond.codes().find("DOM-3") != std::string::npos) << beyond.codes();
  RULE_TRUE("DOM-3", beyond.codes().find("DOM-3") != std::string::npos) << beyond.codes();
}

TEST(Flow, a_new_statement_that_is_no_copy_is_refused) {
  const std::string head = "input A: f32[9] inout y: f32[9] input ids: i32[9] in 0..9 ";
  const std::string before = head + "for i in 0..9 { y[i] = A[i] }";
  const auto code = [&](const std::string& after, const std::vector<int>& sources) {
    return judge(before, head + after, sources).codes();
  };
  for (const char* added : {"y[i] = 0.0", "y[i] = A[0]", "var s: f16 = f16(A[i])"}) {
    SCOPED_TRACE(added);
    RULE_EQ("PRF-40", std::string("CLAIM-1"),
            code(std::string("for i in 0..9 { ") + added + " y[i] = A[i] }", {0, -1, 1}));
  }
  // Changed declarations.
  RULE_EQ(
      "PRF-40", std::string("CLAIM-1"),
      judge(before, "input A: f32[9] inout y: f32[9] input ids: i32[9] in 0..8 for i in 0..9 { y[i] = A[i] }", {0, 1})
          .codes());
  RULE_EQ("PRF-40", std::string("CLAIM-1"),
          judge(before, head + "output z: f32[9] for i in 0..9 { z[i] = A[i] y[i] = A[i] }", {0, -1, 1}).codes());
}

TEST(Flow, a_wider_tile_keeps_every_bit) {
  const std::string head = "input A: f16[9] output B: f16[9] ";
  const std::string before = head + "for i in 0..9 { B[i] = A[i] * A[i] }";
  RULE_EQ("PRF-40", std::string(),
          judge(before, head + "local T: f32[9] for i in 0..9 { T[i] = f32(A[i]) B[i] = f16(T[i]) * f16(T[i]) }",
                {0, -1, 1})
              .codes());
  // The arithmetic in the wider type rounds elsewhere.
  RULE_EQ("CLAIM-1", std::string("CLAIM-1"),
          judge(before, head + "local T: f32[9] for i in 0..9 { T[i] = f32(A[i]) B[i] = f16(T[i] * T[i]) }", {0, -1, 1})
              .codes());
}

TEST(Flow, copies_are_accesses_and_must_be_allowed) {
  // The loop never runs: the copy reads a cell that nothing wrote.
  const std::string head = "param m in 0..3 input A: f32[9] output y: f32[9] ";
  const std::string before = head + "for i in 0..9 { for k in 0..m { y[i] = A[i] } if m < 1 { y[i] = 0.0 } }";
  const Judged j = judge(
      before, head + "for i in 0..9 { var s: f32 = y[i] for k in 0..m { s = A[i] } y[i] = s if m < 1 { y[i] = 0.0 } }",
      {0, -1, 1, 2, -1, 3, 4});
  RULE_TRUE("PRF-45", j.codes().find("DEF-1") != std::string::npos) << j.codes();
  // And one outside of the buffer.
  const Judged out =
      judge("inout y: f32[9] for i in 0..10 { for k in 0..9 { if i < 9 { y[i] = y[i] + 1.0 } } }",
            "inout y: f32[9] for i in 0..10 { var s: f32 = y[i] for k in 0..9 { if i < 9 { s = s + 1.0 } } y[i] = s }",
            {0, -1, 1, 2, 3, -1});
  RULE_TRUE("PRF-45", out.codes().find("BND-1") != std::string::npos) << out.codes();
}

}  // namespace
}  // namespace assay
