// Random programs whose indices pass through storage: what is proved runs without a fault (PRF-120 to PRF-123).
// ASSAY_PROPERTY_CASES sets the number of programs (default 400), ASSAY_PROPERTY_SEED the seed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "interp/random.hpp"
#include "report_support.hpp"

namespace assay::oracle {
namespace {

class RandomIndices {
 public:
  explicit RandomIndices(std::uint64_t seed) : random_(interp::seed_for("stored ranges", seed)) {}

  std::string program() {
    std::string out = fmt::format(
        "program p {{ param n in 1..7 input ids: i32[8] in {}..{} input any: i32[8] in -40..40 input A: f32[{}] input "
        "N: "
        "f32[n] inout io: i32[8] output O: f32[8] temp t: i32[8] local u: {}[8] shared s: i32[8] ",
        pick(-6, 0), pick(1, 7), pick(3, 12), any_of({"i32", "i8", "u8", "i64"}));
    u_ = out.substr(out.find("local u: ") + 9, out.find("[8] shared") - out.find("local u: ") - 9);
    out += "for q in 0..8 { t[q] = " + value("q", 1) + " u[q] = " + in_u(value("q", 1)) + " s[q] = " + value("q", 1) +
           " } ";
    for (int k = pick(0, 2); k > 0; --k) out += fill();
    if (pick(0, 4) == 0) out += "launch for q in 0..8 { u[q] = " + in_u("ids[q]") + " s[q] = t[q] } ";
    out += "for k in 0..8 { O[k] = 0.0 " + guarded(load("k"), "k") + " } ";
    if (pick(0, 3) == 0) out += fill();
    return out + "}";
  }

 private:
  int pick(int lo, int hi) { return lo + static_cast<int>(random_.below(static_cast<std::uint64_t>(hi - lo + 1))); }
  std::string any_of(const std::vector<std::string>& list) { return list[random_.below(list.size())]; }
  std::string in_u(const std::string& e) const { return u_ == "i32" ? e : u_ + "(" + e + ")"; }
  std::string of_u(const std::string& e) const { return u_ == "i32" ? e : "i32(" + e + ")"; }

  std::string leaf(const std::string& at) {
    const std::string cell = any_of({at, "7 - " + at, "3"});
    switch (pick(0, 8)) {
      case 0: return "i32(" + at + ")";
      case 1: return std::to_string(pick(-3, 12));
      case 2: return "any[" + cell + "]";
      case 3: return "i32(n)";
      case 4:
      case 5: return "ids[" + cell + "]";
      case 6: return filled_ ? "t[" + cell + "]" : "ids[" + cell + "]";
      case 7: return filled_ ? of_u("u[" + cell + "]") : "i32(" + at + ")";
      default: return filled_ ? "s[" + cell + "]" : "any[" + cell + "]";
    }
  }
  std::string value(const std::string& at, int depth) {
    if (depth == 0) return leaf(at);
    const std::string a = value(at, depth - 1), b = leaf(at);
    switch (pick(0, 9)) {
      case 0: return "(" + a + " + " + std::to_string(pick(-2, 3)) + ")";
      case 1: return "max(0, min(" + a + ", " + any_of({"i32(n) - 1", "2", "i32(n)", "5"}) + "))";
      case 2: return "floormod(" + a + ", " + std::to_string(pick(1, 9)) + ")";
      case 3: return "(" + condition(a, at) + " ? " + a + " : " + b + ")";
      case 4: return "(" + a + " < 0 ? " + a + " + " + any_of({"6", "i32(n)"}) + " : " + a + ")";
      case 5: return "select(" + condition(a, at) + ", " + b + ", " + a + ")";
      case 6: return "i32(" + any_of({"i8", "u8"}) + "(" + a + "))";
      case 7: return "min(" + a + ", " + b + ")";
      default: return a;
    }
  }
  std::string condition(const std::string& e, const std::string& at) {
    const std::string least = e + any_of({" >= 0", " > -1", " >= 1", " != 0"});
    const std::string most = e + any_of({" < i32(n)", " <= 2", " < 3", " < " + leaf(at)});
    switch (pick(0, 4)) {
      case 0: return least;
      case 1: return most;
      case 2: return "!(" + least + ")";
      case 3: return "(" + least + " || " + most + ")";
      default: return "(" + least + " && " + most + ")";
    }
  }
  std::string fill() {
    filled_ = true;
    const std::string to = any_of({"t", "u", "s"}), v = value("f", pick(0, 2)), cell = any_of({"f", "7 - f", "2"});
    const std::string store = to + "[" + cell + "] = " + (to == "u" ? in_u(v) : v);
    switch (pick(0, 3)) {
      case 0: return "for f in 0..8 { if " + condition(leaf("f"), "f") + " { " + store + " } } ";
      case 1: return "for f in 0..8 { if f < " + std::to_string(pick(1, 8)) + " { " + store + " } } ";
      case 2: return "for r in 0..2 { for f in 0..8 { " + store + " } } ";
      default: return "for f in 0..8 { " + store + " } ";
    }
  }
  std::string load(const std::string& at) {
    filled_ = true;
    index_ = pick(0, 1) == 0 ? any_of({"t[" + at + "]", of_u("u[" + at + "]"), "s[" + at + "]"}) : value(at, 1);
    return any_of({"A", "N"}) + "[" + index_ + "]";
  }
  std::string guarded(const std::string& e, const std::string& at) {
    switch (pick(0, 3)) {
      case 0: return "if " + condition(index_, at) + " { O[k] = " + e + " }";
      case 1: return "if " + condition(index_, at) + " { t[k] = " + leaf(at) + " O[k] = " + e + " }";
      case 2: return "O[k] = " + condition(index_, at) + " ? " + e + " : 1.0";
      default: return "O[k] = " + e;
    }
  }

  interp::Random random_;
  std::string u_, index_;
  bool filled_ = false;
};

TEST(StoredRangesProperty, WhatIsProvedRuns) {
  const char* cases = std::getenv("ASSAY_PROPERTY_CASES");
  const char* seed = std::getenv("ASSAY_PROPERTY_SEED");
  const int programs = cases ? std::atoi(cases) : 400;
  std::map<Verdict, int> verdicts;
  for (int k = 0; k < programs; ++k) {
    const std::string text =
        RandomIndices((seed ? std::strtoull(seed, nullptr, 10) : 1) * 1000003 + static_cast<std::uint64_t>(k))
            .program();
    const Report r = test::lint_text(text);
    ++verdicts[r.verdict];
    if (r.verdict == Verdict::undecided && std::getenv("ASSAY_SHOW")) fmt::print("{}\n", text);
    for (const char* rule : {"PRF-120", "PRF-121", "PRF-122", "PRF-123"})
      RULE_TRUE(rule, r.verdict == Verdict::clean || r.verdict == Verdict::faulty || r.verdict == Verdict::undecided)
          << text;
  }
  fmt::print("{} clean, {} faulty, {} undecided\n", verdicts[Verdict::clean], verdicts[Verdict::faulty],
             verdicts[Verdict::undecided]);
  EXPECT_GT(verdicts[Verdict::clean], programs / 20);
  EXPECT_GT(verdicts[Verdict::faulty], programs / 5);
}

}  // namespace
}  // namespace assay::oracle
