// Tile products by matrix instructions: their text, runs by the model beside the interpreter that follows it, planted faults,
// and nvcc.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "codegen/device/device.hpp"
#include "device_support.hpp"
#include "interp/inputs.hpp"
#include "interp/numerics.hpp"
#include "interp/random.hpp"
#include "ir/text/source.hpp"
#include "nvcc_support.hpp"
#include "support.hpp"
#include "tests/support/files.hpp"

namespace assay::codegen::test {
namespace {

using assay::test::TemporaryDirectory;
using assay::test::write_file;

const CompilerSpec* unit_compiler(TileUnit unit) {
  static const std::vector<CompilerSpec> here = device_compilers();
  const auto found = std::find_if(here.begin(), here.end(), [&](const CompilerSpec& c) { return c.tiles == unit; });
  return unit == TileUnit::none || found == here.end() ? nullptr : &*found;
}

/// A tile product: what is drawn of it, and its text.
struct Drawn {
  std::string left = "f16", right = "f16", sum = "f32";
  int rows = 16, columns = 8, terms = 16, warps = 1, swizzle = 0;
  bool left_transposed = false, right_transposed = false, shared = false, fused = false, swapped = false;
  std::string guards{};

  std::string text() const {
    const auto convert = [&](const std::string& from, const std::string& element) {
      return from == sum ? element : sum + "(" + element + ")";
    };
    const std::string a = shared ? "As" : "A", b = shared ? "Bs" : "B";
    const std::string x = convert(
        left, left_transposed ? a + fmt::format("[k, {}*w + i]", rows) : a + fmt::format("[{}*w + i, k]", rows));
    const std::string y = convert(right, b + (right_transposed ? "[j, k]" : "[k, j]"));
    const std::string cell = fmt::format("C[{}*w + i, j]", rows);
    const std::string update = fused ? fmt::format("{0} = fma({1}, {2}, {0})", cell, x, y)
                                     : fmt::format("{} += {} * {}", cell, swapped ? y : x, swapped ? x : y);
    const int all = rows * warps;
    const auto shape = [](bool transposed, int first, int second) {
      return transposed ? fmt::format("[{}, {}]", second, first) : fmt::format("[{}, {}]", first, second);
    };
    std::string s = fmt::format("program t {{ param m in 1..40  input A: {}{}  input B: {}{}  inout C: {}[{}, {}]",
                                left, shape(left_transposed, all, terms), right,
                                shape(right_transposed, terms, columns), sum, all, columns);
    std::string copies;
    if (shared) {
      const std::string layout = swizzle == 0 ? "" : swizzle == 1 ? " swizzle b128" : " swizzle elem";
      s += fmt::format("  shared As: {}{}{}  shared Bs: {}{}{}", left, shape(left_transposed, all, terms), layout,
                       right, shape(right_transposed, terms, columns), layout);
      const auto copy = [&](const char* to, const char* from, bool transposed, int first, int second) {
        return fmt::format(
            "    for l{0} in 0..32 @workgroup {{ if w == 0 {{ for x{0} in 0..{1} {{ for y{0} in 0..{2} {{ if "
            "l{0} == floormod(y{0}, 32) {{ {3}[x{0}, y{0}] = {4}[x{0}, y{0}] }} }} }} }} }}\n",
            to, transposed ? second : first, transposed ? first : second, to, from);
      };
      copies = copy("As", "A", left_transposed, all, terms) + copy("Bs", "B", right_transposed, terms, columns) +
               "    barrier\n";
    }
    return s +
           fmt::format(
               "\n  for w in 0..{} @workgroup {{\n{}    for lane in 0..32 @tile {{ for i in 0..{} {{ for j in 0..{} "
               "{{ for k in 0..{} {{ {} }} }} }} }}\n  }} }}\n",
               warps, copies, rows, columns, terms, guards.empty() ? update : "if " + guards + " { " + update + " }");
  }
};

Drawn draw(interp::Random& r) {
  Drawn d;
  const auto one_of = [&](std::initializer_list<const char*> list) {
    return std::string(*(list.begin() + r.below(list.size())));
  };
  switch (r.below(6)) {
    case 0: break;
    case 1: d.left = d.right = "bf16"; break;
    case 2:
      d.left = one_of({"f8e5m2", "f8e4m3fn", "f16"});
      d.right = one_of({"f8e5m2", "f8e4m3fn"});
      break;
    case 3:
      d.sum = "f16";
      d.left = one_of({"f16", "f8e4m3fn"});
      break;
    case 4:
      d.sum = "f64";
      d.left = one_of({"f64", "f32", "bf16"});
      d.right = "f64";
      break;
    default:
      d.sum = "i32";
      d.left = one_of({"i8", "u8"});
      d.right = one_of({"i8", "u8"});
      break;
  }
  const bool wide = d.sum == "f64", whole = d.sum == "i32";
  d.rows = (wide ? 8 : 16) * (1 + static_cast<int>(r.below(2)));
  d.columns = 8 * (1 + static_cast<int>(r.below(3)));
  d.terms = (wide ? 4 : whole ? 16 : 8) * (1 + static_cast<int>(r.below(4)));
  d.warps = 1 + static_cast<int>(r.below(2));
  d.left_transposed = r.below(2) == 0;
  d.right_transposed = r.below(2) == 0;
  d.shared = r.below(3) != 0;
  d.swizzle = 0;
  const auto power = [](int n) { return (n & (n - 1)) == 0; };
  const int a_row = d.left_transposed ? d.rows * d.warps : d.terms, b_row = d.right_transposed ? d.terms : d.columns;
  if (d.shared && power(a_row) && power(b_row) && a_row >= 16 && b_row >= 16 && !wide)
    d.swizzle = static_cast<int>(r.below(3));
  if (whole || d.left[1] == '8' || d.right[1] == '8') d.swizzle = d.swizzle == 1 ? 0 : d.swizzle;
  d.fused = !whole && r.below(3) == 0;
  d.swapped = r.below(2) == 0;
  if (r.below(3) == 0) {
    const char* list[] = {"i < m", "j < m", "k < m", "k + 1 < m && i < 12", "j != 3 && k != m", "k >= m && k < 20"};
    d.guards = list[r.below(6)];
  }
  return d;
}

/// The cases of a program with what the interpreter leaves that follows a model.
std::vector<Case> modelled_cases(const Program& p, const ParameterMap& parameters, TileUnit unit,
                                 bool from_minus_zero = false) {
  std::vector<Case> out;
  for (const auto kind : {interp::InputKind::exact, interp::InputKind::adversarial, interp::InputKind::special}) {
    for (const std::uint64_t seed : {1, 2}) {
      interp::Options options;
      options.parameters = parameters;
      options.tiles = unit;
      Case c{parameters, interp::generate_inputs(p, parameters, kind, seed), {}};
      Tensor& sums = c.inputs.at("C");
      for (std::int64_t i = 0; from_minus_zero && seed == 2 && i < sums.size(); ++i)
        sums.set(i, {Type::f32, 0x80000000u});
      interp::Outcome outcome = interp::run(p, c.inputs, options);
      EXPECT_EQ(outcome.status, interp::Status::ok) << print(p);
      c.expected = std::move(outcome.outputs);
      out.push_back(std::move(c));
    }
  }
  return out;
}

TEST(Tiles, AgreeWithTheInterpreterThatFollowsTheModel) {
  const std::vector<CompilerSpec> compilers = instruction_compilers();
  if (compilers.empty()) GTEST_SKIP() << "gcc is not here, or with ASSAY_DEVICE=cuda neither NVRTC nor nvcc";
  interp::Random r(20261202);
  std::map<std::string, int> used;
  int generations = 0;
  for (const CompilerSpec& compiler : compilers) {
    const TileUnit unit = compiler.tiles;
    std::vector<Program> programs;
    std::vector<ParameterMap> parameters;
    for (int n = 0; n < 45; ++n) {
      const Drawn d = draw(r);
      programs.push_back(parse(d.text()));
      ASSERT_TRUE(has_tile_instruction(programs.back())) << d.text();
      parameters.push_back({{"m", 1 + static_cast<std::int64_t>(r.below(20))}});
      const std::string text = *emit_cuda(programs.back(), {TileUnit::sm_90, {}});
      for (const char* part : {"assay_ldmatrix_x4(", "assay_ldmatrix_x4_trans(", "assay_ldmatrix_x2(",
                               "assay_ldmatrix_x2_trans(", "assay_ldmatrix_x1(", "assay_ldmatrix_x1_trans("})
        used[part] += contains(text, std::string("  ") + part) ? 1 : 0;
      used[d.sum + " " + d.left] += 1;
    }
    std::vector<const Program*> pointers;
    for (const Program& p : programs) pointers.push_back(&p);
    const std::vector<Compiled> compiled = compile_batch(pointers, compiler);
    int compared = 0;
    bool here = true;
    for (std::size_t i = 0; i < programs.size() && here; ++i) {
      ASSERT_TRUE(compiled[i].kernel != nullptr) << compiled[i].error.message << print(programs[i]);
      std::vector<Case> cases = modelled_cases(programs[i], parameters[i], unit);
      if (on_gpu()) cases.resize(2);
      for (const Case& c : cases) {
        const KernelOutcome out = compiled[i].kernel->run(c.parameters, c.inputs, std::chrono::seconds(20));
        if (out.status == KernelOutcome::Status::unavailable) {
          std::printf("%s: left out: %s\n", compiler.name.c_str(), out.message.c_str());
          here = false;
          break;
        }
        ASSERT_EQ(out.status, KernelOutcome::Status::ok) << out.message << print(programs[i]);
        RULE_TRUE("MMA-23", same_outputs(c.expected, out.outputs)) << print(programs[i]);
        ++compared;
      }
    }
    generations += here ? 1 : 0;
    std::printf("%s: %d runs compared;", compiler.name.c_str(), compared);
    for (const auto& [what, times] : used) std::printf(" %s %d", what.c_str(), times);
    std::printf("\n");
  }
  RULE_TRUE("MMA-20", used["assay_ldmatrix_x4("] > 0 && used["assay_ldmatrix_x4_trans("] > 0 &&
                          used["assay_ldmatrix_x2("] > 0 && used["assay_ldmatrix_x2_trans("] > 0);
  if (!on_gpu()) {
    EXPECT_EQ(2, generations);
  } else if (generations == 0) {
    GTEST_SKIP() << "no GPU of a generation that has a model";
  }
}

TEST(Tiles, NestAndModelLeaveTheSameExactCells) {
  interp::Random r(20261203);
  int compared = 0, inexact = 0;
  for (int n = 0; n < 60; ++n) {
    const Program p = parse(draw(r).text());
    std::set<int> all;
    for (int s = 0; s < 200; ++s) all.insert(s);
    for (const auto kind : {interp::InputKind::exact, interp::InputKind::adversarial}) {
      interp::Options options;
      options.parameters = {{"m", 9}};
      options.reordered = all;
      const TensorMap inputs = interp::generate_inputs(p, options.parameters, kind, 2);
      const interp::Outcome nest = interp::run(p, inputs, options);
      options.tiles = n % 2 == 0 ? TileUnit::sm_80 : TileUnit::sm_90;
      const interp::Outcome model = interp::run(p, inputs, options);
      ASSERT_TRUE(nest.status == interp::Status::ok && model.status == interp::Status::ok);
      const Tensor &a = nest.outputs.at("C"), &b = model.outputs.at("C");
      const std::vector<bool>&from_nest = nest.tainted.at("C"), &from_model = model.tainted.at("C");
      for (std::int64_t i = 0; i < a.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (from_nest[at] || from_model[at]) {
          ++inexact;
          continue;
        }
        // The sign of a zero is the model's own (MMA-10).
        numerics::Flags unused;
        const Scalar operands[] = {a.get(i), b.get(i)}, itself[] = {a.get(i), a.get(i)};
        const bool nan = numerics::apply(Op::ne, itself, unused).bits != 0;
        RULE_TRUE("MMA-13", nan || numerics::apply(Op::eq, operands, unused).bits != 0) << print(p) << i;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 5000);
  EXPECT_GT(inexact, 1000);
}

std::string why_not(std::string_view text) {
  const std::string s = *emit_cuda(parse(text), {TileUnit::sm_90, {}});
  const std::size_t at = s.find("/* no instruction: ");
  return at == std::string::npos ? std::string() : s.substr(at + 19, s.find(" */", at) - at - 19);
}

std::string plain(const std::string& lanes, const std::string& types, const std::string& update, int terms = 16,
                  const std::string& around = "for w in 0..2 @workgroup { ") {
  return fmt::format(
      "program t {{ input A: {1}[32, {3}]  input B: {1}[{3}, 8]  inout C: f32[32, 8]  {4}for lane in 0..{0} @tile {{"
      " for i in 0..16 {{ for j in 0..8 {{ for k in 0..{3} {{ {2} }} }} }} }} {5} }}",
      lanes, types, update, terms, around, around.empty() ? "" : "}");
}

TEST(Tiles, SayWhyThereIsNoInstruction) {
  const std::string update = "C[16*w + i, j] += f32(A[16*w + i, k]) * f32(B[k, j])";
  RULE_EQ("MMA-1", std::string(), why_not(plain("32", "f16", update)));
  RULE_EQ("MMA-1", std::string("it has not the 32 lanes of a warp"), why_not(plain("16", "f16", update)));
  RULE_EQ("MMA-1", std::string("its slot may have more threads than a warp"),
          why_not(plain(
              "32", "f16", update, 16,
              "for w in 0..2 @workgroup { for z in 0..33 @workgroup { if z < 8 { C[16*w, z] = 0.0 } }  barrier ")));
  RULE_EQ("MMA-2", std::string("there is no instruction that adds products of f32 and f32 to f32"),
          why_not(plain("32", "f32", "C[16*w + i, j] += A[16*w + i, k] * B[k, j]")));
  RULE_EQ("MMA-3", std::string("`k` runs 12 times, which is no multiple of 8"),
          why_not(plain("32", "f16", update, 12)));
  RULE_EQ("MMA-4", std::string("a condition is about more than one loop of the nest"),
          why_not(plain("32", "f16", "if i + k < 20 { " + update + " }")));
  RULE_EQ("MMA-4", std::string(), why_not(plain("32", "f16", "if i < 12 && k < 11 { " + update + " }")));
}

TEST(Tiles, ComputeBlocksAsThePageSays) {
  // A block of which nothing is executed leaves -0 as it is, one of which something is does not (MMA-5, MMA-10).
  const auto left = [](int m, TileUnit unit) {
    Drawn d;
    d.terms = 32;
    d.guards = "k < m - 1";
    const Program p = parse(d.text());
    interp::Options options;
    options.parameters = {{"m", m}};
    options.tiles = unit;
    TensorMap inputs = interp::generate_inputs(p, options.parameters, interp::InputKind::exact, 1);
    std::fill(inputs.at("A").bytes.begin(), inputs.at("A").bytes.end(), 0);
    for (std::int64_t i = 0; i < inputs.at("C").size(); ++i) inputs.at("C").set(i, {Type::f32, 0x80000000u});
    const interp::Outcome modelled = interp::run(p, inputs, options);
    const CompilerSpec* compiler = unit_compiler(unit);
    if (compiler != nullptr) {
      RULE_TRUE("MMA-5",
                same_outputs(modelled.outputs, compile_and_run_with(*compiler, p, options.parameters, inputs).outputs));
    }
    return modelled.outputs.at("C").get(0).bits;
  };
  RULE_EQ("MMA-5", std::uint64_t{0x80000000u}, left(1, TileUnit::sm_90));
  RULE_EQ("MMA-5", std::uint64_t{0}, left(2, TileUnit::sm_80));
  // f64 is a chain of fused operations, and integers wrap.
  const auto run = [](const char* types, const char* sum, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    Drawn d;
    d.left = d.right = types;
    d.sum = sum;
    d.rows = d.sum == "f64" ? 8 : 16;
    d.terms = d.sum == "f64" ? 4 : 16;
    const Program p = parse(d.text());
    interp::Options options;
    options.parameters = {{"m", 1}};
    options.tiles = TileUnit::sm_80;
    TensorMap inputs = interp::generate_inputs(p, options.parameters, interp::InputKind::exact, 1);
    for (const auto& [buffer, bits] : {std::pair{"A", a}, {"B", b}, {"C", c}}) {
      Tensor& t = inputs.at(buffer);
      for (std::int64_t i = 0; i < t.size(); ++i) t.set(i, {t.type, bits});
    }
    return interp::run(p, inputs, options).outputs.at("C").get(0).bits;
  };
  const auto f64 = [](double v) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &v, sizeof bits);
    return bits;
  };
  const double x = 1 + 0x1p-30;
  double sum = -4;
  for (int n = 0; n < 4; ++n) sum = std::fma(x, x, sum);
  RULE_EQ("MMA-6", f64(sum), run("f64", "f64", f64(x), f64(x), f64(-4)));
  RULE_EQ("MMA-7", std::uint64_t{0x8003ffff}, run("i8", "i32", 0x80, 0x80, 0x7fffffff));
}

TEST(Tiles, AreTheSameTextForTheCpu) {
  interp::Random r(1);
  const Program p = parse(draw(r).text());
  const std::string here = emit_device_batch({&p}, Dialect::simt, TileUnit::sm_80).text;
  const std::string there = emit_device_batch({&p}, Dialect::cuda, TileUnit::sm_80).device_text;
  const auto body = [](const std::string& s) { return s.substr(s.find("__global__ void assay_kernel")); };
  RULE_TRUE("MMA-21",
            body(here) == body(there) && contains(here, "assay_mma(__LINE__, 80") && contains(there, "mma.sync"));
  // Lanes that wait at different instructions.
  if (unit_compiler(TileUnit::sm_80) == nullptr) return;
  Drawn d;
  const Program q = parse(d.text());
  std::string text = emit_device_batch({&q}, Dialect::simt, TileUnit::sm_80).text;
  const std::size_t at = text.find("      assay_mma_m16n8k16", text.find("__global__"));
  ASSERT_NE(at, std::string::npos);
  text.insert(at, "if (threadIdx.x != 3)");
  KernelOutcome error;
  const auto kernel = compile_text(text, q, *unit_compiler(TileUnit::sm_80), error);
  ASSERT_TRUE(kernel != nullptr) << error.message;
  const Case c = modelled_cases(q, {{"m", 1}}, TileUnit::sm_80).front();
  RULE_EQ("MMA-21", std::string("threads of a group do not wait at the same barrier"),
          kernel->run(c.parameters, c.inputs, std::chrono::seconds(20)).message);
}

TEST(Tiles, PlantedFaultsAreFound) {
  if (unit_compiler(TileUnit::sm_90) == nullptr) GTEST_SKIP() << "gcc is not here";
  Drawn d;
  d.terms = 32;
  d.columns = 16;
  d.shared = true;
  d.swizzle = 1;
  Drawn guarded;
  guarded.guards = "k + 1 < m && i < 12";
  guarded.terms = 32;
  struct Fault {
    const Drawn* in;
    std::string right, wrong;
  };
  const std::vector<Fault> faults{
      {&d, " / 8 % 4) / 2", " / 8 % 2) / 2"},                  // an address of ldmatrix
      {&d, "row, 2, 1)", "row, 2, 0)"},                        // a matrix the other way round
      {&d, " % 8);", " % 4);"},                                // a row of it
      {&d, "member * 2 + q % 2", "member + q % 2"},            // a place in the result
      {&d, "group + q / 2 * 8", "group + q % 2 * 8"},          //
      {&d, "terms < 32", "terms < 16"},                        // a block left out
      {&d, "columns += 8", "columns += 16"},                   //
      {&d, "__LINE__, 90, \"fhh\"", "__LINE__, 80, \"fhh\""},  // the other generation: F and the order of halves
      {&guarded, "i < 12 && k + 1 < m", "i < 12"},  // a guard of one factor: infinities meet the zeros of the other
      {&guarded, "if (!some) continue;", ""},       // a block that is not executed
      {&guarded, "part % 2 * 8", "0"},              // a register
      {&guarded, "<< 16 * e", "<< 16 * (1 - e)"},   // an element
  };
  for (const Fault& f : faults) {
    const Program p = parse(f.in->text());
    std::string text = emit_device_batch({&p}, Dialect::simt, TileUnit::sm_90).text;
    std::size_t at = text.find(f.right, text.find("__global__ void assay_kernel"));
    if (at == std::string::npos) at = text.find(f.right);  // at the head
    if (at == std::string::npos) {
      ADD_FAILURE() << f.right << "\n" << text;
      continue;
    }
    text.replace(at, f.right.size(), f.wrong);
    KernelOutcome error;
    const auto kernel = compile_text(text, p, *unit_compiler(TileUnit::sm_90), error);
    if (!kernel) {
      ADD_FAILURE() << f.right << ": " << error.message;
      continue;
    }
    bool found = false;
    for (const std::int64_t m : {1, 9, 14, 20}) {
      for (const Case& c : modelled_cases(p, {{"m", m}}, TileUnit::sm_90, true)) {
        const KernelOutcome out = kernel->run(c.parameters, c.inputs, std::chrono::seconds(20));
        found = found || out.status != KernelOutcome::Status::ok || !same_outputs(c.expected, out.outputs);
      }
    }
    RULE_TRUE("MMA-24", found) << f.right << " -> " << f.wrong;
  }
}

Drawn draw_transposed() {
  Drawn d;
  d.shared = d.left_transposed = d.right_transposed = true;
  d.terms = 8;
  return d;
}

TEST(Tiles, CompileByNvcc) {
  if (nvcc().empty()) GTEST_SKIP() << "nvcc is not here: CUDA text is compiled by gcc only";
  std::vector<Program> programs;
  const auto add = [&](const char* left, const char* right, const char* sum, int rows, int terms) {
    Drawn d;
    d.left = left;
    d.right = right;
    d.sum = sum;
    d.rows = rows;
    d.terms = terms;
    d.shared = programs.size() % 2 == 0;
    d.guards = programs.size() % 3 == 1 ? "k < m && i < m" : "";
    programs.push_back(parse(d.text()));
  };
  add("f16", "f16", "f32", 16, 16);
  add("bf16", "bf16", "f32", 16, 24);
  add("f64", "f64", "f64", 8, 8);
  add("i8", "u8", "i32", 16, 16);
  add("f16", "f16", "f16", 32, 32);
  add("f8e4m3fn", "f8e5m2", "f32", 16, 16);
  add("u8", "i8", "i32", 16, 32);
  programs.push_back(parse(draw_transposed().text()));
  std::vector<const Program*> pointers;
  for (const Program& p : programs) pointers.push_back(&p);
  const TemporaryDirectory directory;
  write_file(directory.file("unit.cu"), emit_device_batch(pointers, Dialect::cuda, TileUnit::sm_80).device_text);
  RULE_EQ("MMA-22", std::string(), compiled(directory, "-ptx -arch=compute_80 -o unit.ptx"));
  const std::string ptx = content(directory.file("unit.ptx"));
  for (const char* part :
       {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16", "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16",
        "m16n8k32.row.col.s32.u8.s8.s32", "m16n8k8.row.col.f32.bf16.bf16.f32", "m16n8k16.row.col.f16.f16.f16.f16"})
    RULE_TRUE("MMA-22", contains(ptx, part)) << part;
  for (const char* arch : {"80", "90"})
    RULE_EQ("MMA-22", std::string(),
            compiled(directory, fmt::format("-cubin -gencode arch=compute_{0},code=sm_{0} -o unit.cubin", arch)));
}

}  // namespace
}  // namespace assay::codegen::test
