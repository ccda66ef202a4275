// Pieces of asynchronous copies: which neighbours are proved to be one, beside a count over all iterations; what they leave; and
// pieces that are none.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/device/device.hpp"
#include "device_support.hpp"
#include "nvcc_support.hpp"
#include "oracle/judges.hpp"
#include "proofs/validate/async.hpp"
#include "support.hpp"
#include "tests/support/files.hpp"

namespace assay::codegen::test {
namespace {

CopyPieces pieces_of(const Program& p) {
  const std::unique_ptr<Query> query = oracle::Judges{}.query(default_query_budget);
  return proved_copies(p, *query);
}
/// Elements of the one copy of a program; 0 when it is an ordinary store.
int elements(const std::string& text) {
  const CopyPieces found = pieces_of(parse(text));
  return found.empty() ? 0 : found.begin()->second;
}

/// `for g in 0..2 @grid { for t in 0..threads { for i in 0..2 { if t < most { S[i, t + to] = A[i, t + apart*g + from] } } } }`, the
/// last two loops in either order.
struct Shape {
  Type type = Type::f16;
  int to_row = 0, from_row = 0, to = 0, from = 0, threads = 0, most = 0, apart = 0;
  bool serial = false;  // t is the serial loop, i that of the threads
  bool swizzled = false;

  std::string text() const {
    const std::string copy = fmt::format("if t < {} {{ S[i, t + {}] = A[i, t + {}*g + {}] }}", most, to, apart, from);
    const std::string read =
        fmt::format("if {0} - t < {1} {{ C[g, i, t] = S[1 - i, {0} - t + {2}] }}", threads - 1, most, to);
    const std::string outer =
        serial ? "for i in 0..2 @workgroup {" : fmt::format("for t in 0..{} @workgroup {{", threads);
    const auto inner = [&](const std::string& body) {
      return serial ? fmt::format("for t in 0..{} {{ {} }}", threads, body)
                    : fmt::format("for i in 0..2 {{ {} }}", body);
    };
    return fmt::format(
        "program p {{ input A: {0}[2, {1}]  inout C: {0}[2, 2, {2}]  shared S: {0}[2, {3}]{4}\n  for g in 0..2 @grid "
        "{{ {5}\n"
        "    {6}\n    barrier\n    {7}\n  }} }} }}\n",
        name(type), from_row, threads, to_row, swizzled ? " swizzle b128" : "", outer, inner(copy), inner(read));
  }
  int copied() const { return std::min(threads, most); }
  bool holds(int v) const {
    for (int g = 0; g < 2; ++g) {
      for (int i = 0; i < 2; ++i) {
        for (int t = 0; t < copied(); ++t) {
          const int first = (t + to) / v * v - to;  // the iteration of the first element
          if (first < 0 || first + v > copied()) return false;
          if ((i * to_row + first + to) % v != 0 || (i * from_row + first + apart * g + from) % v != 0) return false;
        }
      }
    }
    return true;
  }
  int longest() const {
    const int width = static_cast<int>(byte_width(type));
    for (const int bytes : {16, 8, 4}) {
      if (bytes / width >= 2 && holds(bytes / width)) return bytes / width;
    }
    return width >= 4 ? 1 : 0;
  }
};

std::vector<Shape> shapes() {
  std::vector<Shape> out;
  for (const Type type : {Type::i8, Type::f16, Type::f32, Type::f64})
    for (const int to_row : {24, 32})
      for (const int from_row : {22, 24, 32})
        for (const int to : {0, 1, 2, 8})
          for (const int from : {0, 1, 4, 8})
            for (const int most : {16, 8, 6})
              for (const int apart : {0, 2, 4, 8})
                out.push_back({type, to_row, from_row, to, from, most == 16 ? 16 : 12, most, apart});
  for (std::size_t n = 0; n < out.size(); ++n) {
    out[n].serial = n / 4 % 2 != 0;
    out[n].swizzled = n / 4 % 3 == 0 && out[n].to_row == 32;
  }
  std::erase_if(
      out, [](const Shape& s) { return s.to + s.copied() > s.to_row || s.from + s.apart + s.copied() > s.from_row; });
  return out;
}

std::string wrong(Kernel& kernel, const Program& p) {
  for (const Case& c : right_cases(p)) {
    const KernelOutcome out = kernel.run(c.parameters, c.inputs, std::chrono::seconds(20));
    if (out.status != KernelOutcome::Status::ok) return out.message;
    if (!same_outputs(c.expected, out.outputs)) return "it differs";
  }
  return {};
}

TEST(CopyPieces, AreAsLongAsACountOverAllIterationsSays) {
  std::vector<Program> programs;
  std::vector<CopyPieces> pieces;
  int whole = 0, single = 0, none = 0, number = 0;
  for (const Shape& s : shapes()) {
    Program p = parse(s.text());
    CopyPieces found = pieces_of(p);
    const int length = found.empty() ? 0 : found.begin()->second;
    RULE_TRUE("ASYNC-7", s.longest() == length) << length << ", not " << s.longest() << "\n" << s.text();
    (length > 1 ? whole : length == 1 ? single : none) += 1;
    if (length > 1 && ++number % 12 == 0) {
      programs.push_back(std::move(p));
      pieces.push_back(std::move(found));
    }
  }
  std::printf("pieces: %d copies of several elements, %d of one, %d ordinary stores\n", whole, single, none);
  EXPECT_GT(whole, 60);
  EXPECT_GT(single, 20);
  EXPECT_GT(none, 60);
  if (sm_80_compiler() == nullptr) return;
  std::vector<const Program*> pointers;
  for (const Program& p : programs) pointers.push_back(&p);
  const std::vector<Compiled> compiled = compile_batch(pointers, *sm_80_compiler(), pieces);
  for (std::size_t n = 0; n < programs.size(); ++n) {
    ASSERT_TRUE(compiled[n].kernel != nullptr) << compiled[n].error.message;
    const std::string why = wrong(*compiled[n].kernel, programs[n]);
    RULE_TRUE("ASYNC-8", why.empty()) << why << print(programs[n]);
  }
}

std::string rows(const std::string& declarations, const std::string& copy, const char* more = "") {
  return "program p { " + declarations + "  inout C: f16[64, 64]  for t in 0..64 @workgroup { " + copy +
         "  barrier  for k in 0..8 { C[k, t] = S[k, 63 - t] } " + more + " } }";
}

TEST(CopyPieces, NeedOneLoopThatMovesNeighboursAndNothingElse) {
  const std::string plain = "input A: f16[64, 64]  shared S: f16[8, 64]";
  RULE_EQ("ASYNC-7", 8, elements(rows(plain, "for i in 0..8 { S[i, t] = A[i, t] }")));
  RULE_EQ("ASYNC-7", 8, elements(rows(plain + " swizzle b128", "for i in 0..8 { S[i, t] = A[i, t] }")));
  RULE_EQ("ASYNC-7", 0, elements(rows(plain + " swizzle elem", "for i in 0..8 { S[i, t] = A[i, t] }")));
  RULE_EQ("ASYNC-7", 8,
          elements(rows("input A: f16[64, 64]  shared S: f16[8, 72]", "for i in 0..8 { S[i, t] = A[i, t] }")));
  RULE_EQ("ASYNC-7", 2,
          elements(rows("input A: f16[64, 64]  shared S: f16[8, 66]", "for i in 0..8 { S[i, t] = A[i, t] }")));
  RULE_EQ("ASYNC-7", 0,
          elements(rows("input A: f16[64, 64]  shared S: f16[8, 65]", "for i in 0..8 { S[i, t] = A[i, t] }")));
  // Backwards, by two, transposed, in another index too, and with a bound that follows.
  for (const char* copy :
       {"for i in 0..8 { S[i, 63 - t] = A[i, 63 - t] }", "for i in 0..8 { S[i, t] = A[t, i] }",
        "for i in 0..8 { S[i, t] = A[floordiv(t, 2), t] }", "for i in 0..min(8, t + 1) { S[i, t] = A[i, t] }",
        "for i in 0..8 { S[i, t] = A[i, floordiv(t, 2)] }"})
    RULE_EQ("ASYNC-7", 0, elements(rows(plain, copy)));
  // A barrier between the elements; none; a condition on data; and one on whole pieces.
  const std::string serial = "input A: f16[64, 64]  shared S: f16[64, 64]";
  const char* by_rows = "for k in 0..64 {{ S[t, k] = A[t, k]  {} }}";
  const auto back = [&](const std::string& inside) {
    return "program p { " + serial + "  inout C: f16[64, 64]  for t in 0..64 @workgroup { " +
           fmt::format(fmt::runtime(by_rows), inside) + "  barrier  for k in 0..64 { C[t, k] = S[63 - t, k] } } }";
  };
  RULE_EQ("ASYNC-7", 8, elements(back("")));
  RULE_EQ("ASYNC-7", 0, elements(back("barrier")));
  RULE_EQ("ASYNC-7", 0,
          elements(rows(plain, "for i in 0..8 { if 0.0 < A[i, 0] { S[i, t] = A[i, t] } else { S[i, t] = 0.0 } }")));
  RULE_EQ("ASYNC-7", 8,
          elements(rows(plain, "for i in 0..8 { if t < 40 { S[i, t] = A[i, t] } else { S[i, t] = 0.0 } }")));
  RULE_EQ("ASYNC-7", 4,
          elements(rows(plain, "for i in 0..8 { if t < 36 { S[i, t] = A[i, t] } else { S[i, t] = 0.0 } }")));
  RULE_EQ("ASYNC-7", 0,
          elements(rows(plain, "for i in 0..8 { if t < 35 { S[i, t] = A[i, t] } else { S[i, t] = 0.0 } }")));
  // Rows of a length that is not known, or known to be a multiple.
  const char* open = "param m in 64..129  {} input A: f16[64, m]  shared S: f16[8, 64]";
  RULE_EQ("ASYNC-7", 0, elements(rows(fmt::format(fmt::runtime(open), ""), "for i in 0..8 { S[i, t] = A[i, t] }")));
  RULE_EQ("ASYNC-7", 8,
          elements(rows(fmt::format(fmt::runtime(open), "require floormod(m, 8) == 0"),
                        "for i in 0..8 { S[i, t] = A[i, t] }")));
}

TEST(CopyPieces, AreTheTextOfTheFirstElement) {
  const Program p =
      parse(rows("input A: f16[64, 64]  shared S: f16[8, 64] swizzle b128", "for i in 0..8 { S[i, t] = A[i, t] }"));
  const std::string text = emit_device_batch({&p}, Dialect::simt, TileUnit::sm_80, {pieces_of(p)}).text;
  RULE_TRUE("ASYNC-7", text.find("if (index_floormod(t, 8) == 0) assay_copy_async_16(&S[") != std::string::npos)
      << text;
}

TEST(CopyPieces, ThatAreNoneAreFound) {
  if (sm_80_compiler() == nullptr) GTEST_SKIP() << "gcc is not here";
  const auto claimed = [](const std::string& text, int length) {
    const Program p = parse(text);
    CopyPieces pieces;
    const std::unique_ptr<Query> query = oracle::Judges{}.query(default_query_budget);
    for (const AsyncCopy& c : async_copies(p, *query)) pieces.emplace(c.statement, length);
    EXPECT_EQ(pieces.size(), 1U);
    const std::vector<Compiled> compiled = compile_batch({&p}, *sm_80_compiler(), {pieces});
    return compiled[0].kernel ? wrong(*compiled[0].kernel, p) : "it does not compile: " + compiled[0].error.message;
  };
  const Shape right{Type::f16, 32, 32, 0, 0, 16, 16};
  RULE_EQ("ASYNC-5", std::string(), claimed(right.text(), 8));
  Shape shifted = right, odd = right, other = right;
  shifted.to = 4;           // the pieces begin at half of one
  odd.from_row = 30;        // the second row begins within a piece
  other.from = 4;           // read at half of one
  const std::string part =  // the last piece is copied in part
      "program p { input A: f16[16]  output C: f16[16]  shared S: f16[16]  for t in 0..16 @workgroup {"
      " if t < 12 { S[t] = A[t] } else { S[t] = 0.0 }  barrier  C[t] = S[15 - t] } }";
  RULE_TRUE("ASYNC-5", !claimed(part, 8).empty());
  RULE_EQ("ASYNC-7", 4, elements(part));
  for (const Shape& s : {shifted, odd, other}) {
    RULE_TRUE("ASYNC-5", !claimed(s.text(), 8).empty()) << s.text();
    RULE_EQ("ASYNC-7", s.longest(), elements(s.text()));
  }
  RULE_TRUE("ASYNC-8", claimed(odd.text(), 8).find("SIGABRT") != std::string::npos) << claimed(odd.text(), 8);
  // Too long for the first element of each, or copied by another than the first.
  const Program p = parse(right.text());
  const std::string text = emit_device_batch({&p}, Dialect::simt, TileUnit::sm_80, {pieces_of(p)}).text;
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"(t, 8) == 0", "(t, 16) == 0"},
                                 {"(t, 8) == 0", "(t, 8) == 1"},
                                 {"assay_copy_async_16(&", "assay_copy_async_8(&"}}) {
    std::string changed = text;
    const std::size_t at = changed.find(from, changed.find("void assay_kernel"));
    ASSERT_NE(at, std::string::npos) << text;
    changed.replace(at, from.size(), to);
    if (to.find("async_8") != std::string::npos)
      changed.insert(changed.find("#define assay_copy_async_16"),
                     "#define assay_copy_async_8(to, from) assay_copy_async(to, from, 8)\n");
    KernelOutcome error;
    const auto kernel = compile_text(changed, p, *sm_80_compiler(), error);
    ASSERT_TRUE(kernel != nullptr) << error.message;
    RULE_TRUE("ASYNC-5", !wrong(*kernel, p).empty()) << to;
  }
}

TEST(CopyPieces, CompileByNvcc) {
  if (nvcc().empty()) GTEST_SKIP() << "nvcc is not here";
  const Program p =
      parse(rows("input A: f16[64, 64]  shared S: f16[8, 64] swizzle b128", "for i in 0..8 { S[i, t] = A[i, t] }"));
  const assay::test::TemporaryDirectory directory;
  assay::test::write_file(directory.file("unit.cu"),
                          emit_device_batch({&p}, Dialect::cuda, TileUnit::sm_80, {pieces_of(p)}).device_text);
  RULE_EQ("ASYNC-6", std::string(), compiled(directory, "-ptx -arch=compute_80 -o unit.ptx"));
  RULE_TRUE("ASYNC-6", content(directory.file("unit.ptx")).find("], 16;") != std::string::npos);
}

}  // namespace
}  // namespace assay::codegen::test
