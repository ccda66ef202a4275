// The functions that stand for instructions that devices have from sm_80 on: mma.sync, ldmatrix and cp.async as inline PTX, and
// on the CPU what the worker has in their place (codegen/worker/host/tiles.c, copies.c). A function's name holds all of its
// instruction: assay_mma_m16n8k16_f32_f16_f16, assay_ldmatrix_x4_trans, assay_copy_async_16.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/device/device.hpp"
#include "codegen/device/tiles.hpp"

namespace assay::codegen {
namespace {

std::vector<std::string> words(const std::string& name) {
  std::vector<std::string> out(1);
  for (const char c : name) {
    if (c == '_') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

/// `prefix`first`suffix`, … for `count` numbers from `first` on.
std::string numbered(std::string_view prefix, std::string_view suffix, int first, int count) {
  std::vector<std::string> parts;
  for (int n = first; n < first + count; ++n) parts.push_back(fmt::format("{}{}{}", prefix, n, suffix));
  return fmt::format("{}", fmt::join(parts, ", "));
}

struct Instruction {
  std::string shape, sum, left, right;  // m16n8k16, f32, f16, f16
  int rows, terms;

  explicit Instruction(const std::string& name) {
    const std::vector<std::string> parts = words(name);  // assay mma SHAPE SUM LEFT RIGHT
    shape = parts[2];
    sum = parts[3];
    left = parts[4];
    right = parts[5];
    rows = shape[1] == '8' ? 8 : 16;
    terms = std::stoi(shape.substr(shape.find('k') + 1));
  }
  bool wide() const { return sum == "f64"; }
  int registers_of_b() const { return wide() ? 1 : left.find('8') != std::string::npos ? terms / 16 : terms / 8; }
  int registers_of_a() const { return registers_of_b() * rows / 8; }
  int sums() const { return wide() || sum == "f16" ? 2 : 4; }
  const char* sum_type() const {
    return sum == "f32" ? "float" : wide() ? "double" : sum == "f16" ? "uint32_t" : "int32_t";
  }
  const char* factor_type() const { return wide() ? "double" : "uint32_t"; }
};

std::string ptx_mma(const std::string& name) {
  const Instruction i(name);
  const char* const sum = i.sum == "f32" ? "\"+f\"" : i.wide() ? "\"+d\"" : "\"+r\"";
  const char* const factor = i.wide() ? "\"d\"" : "\"r\"";
  const int a = i.registers_of_a(), b = i.registers_of_b(), s = i.sums();
  return fmt::format(
      "static __device__ __forceinline__ void {0}({1} *c, const {2} *a, const {2} *b) {{\n"
      "  asm volatile(\n"
      "      \"mma.sync.aligned.{3}.row.col.{4}.{5}.{6}.{4} {{{7}}}, {{{8}}}, {{{9}}}, {{{7}}};\"\n"
      "      : {10}\n      : {11}, {12});\n}}\n",
      name, i.sum_type(), i.factor_type(), i.shape, i.sum, i.left, i.right, numbered("%", "", 0, s),
      numbered("%", "", s, a), numbered("%", "", s + a, b), numbered(std::string(sum) + "(c[", "])", 0, s),
      numbered(std::string(factor) + "(a[", "])", 0, a), numbered(std::string(factor) + "(b[", "])", 0, b));
}

std::string ptx_ldmatrix(const std::string& name) {
  const std::vector<std::string> parts = words(name);  // assay ldmatrix xN [trans]
  const int count = parts[2][1] - '0';
  return fmt::format(
      "static __device__ __forceinline__ void {0}(uint32_t *to, const uint16_t *row) {{\n"
      "  asm volatile(\n"
      "      \"ldmatrix.sync.aligned.m8n8.{1}{2}.shared.b16 {{{3}}}, [%{4}];\"\n"
      "      : {5}\n      : \"r\"((uint32_t)__cvta_generic_to_shared(row))\n      : \"memory\");\n}}\n",
      name, parts[2], parts.size() > 3 ? ".trans" : "", numbered("%", "", 0, count), count,
      numbered("\"=r\"(to[", "])", 0, count));
}

std::string ptx_copy(const std::string& name) {
  return fmt::format(
      "static __device__ __forceinline__ void {}(void *to, const void *from) {{\n"
      "  asm volatile(\"cp.async.ca.shared.global [%0], [%1], {};\"\n"
      "               :\n               : \"r\"((uint32_t)__cvta_generic_to_shared(to)), "
      "\"l\"(__cvta_generic_to_global(from))\n               : \"memory\");\n}}\n",
      name, words(name)[3]);
}

constexpr std::string_view ptx_groups =
    "static __device__ __forceinline__ void assay_copies_commit(void) {\n"
    "  asm volatile(\"cp.async.commit_group;\" ::: \"memory\");\n}\n"
    "#define assay_copies_wait(count) asm volatile(\"cp.async.wait_group \" #count \";\" ::: \"memory\")\n";

std::string ptx(const std::string& name) {
  const std::string kind = words(name)[1];
  if (kind == "mma") return ptx_mma(name);
  if (kind == "ldmatrix") return ptx_ldmatrix(name);
  return kind == "copy" ? ptx_copy(name) : std::string(ptx_groups);
}

/// The types of an instruction as the worker reads them.
std::string type_letters(const Instruction& i) {
  const auto one = [](const std::string& type) {
    if (type == "f16") return 'h';
    if (type == "bf16") return 'b';
    if (type == "f32") return 'f';
    return type == "f64" ? 'd' : type[0];
  };
  return {one(i.sum), one(i.left), one(i.right)};
}

std::string on_cpu(const std::string& name, TileUnit unit) {
  const std::vector<std::string> parts = words(name);
  if (parts[1] == "copies") return {};
  if (parts[1] == "copy") return fmt::format("#define {}(to, from) assay_copy_async(to, from, {})\n", name, parts[3]);
  if (parts[1] == "ldmatrix")
    return fmt::format("#define {}(to, row) assay_ldmatrix(__LINE__, to, row, {}, {})\n", name, parts[2][1],
                       parts.size() > 3 ? 1 : 0);
  const Instruction i(name);
  return fmt::format("#define {}(c, a, b) assay_mma(__LINE__, {}, \"{}\", {}, c, a, b)\n", name,
                     unit == TileUnit::sm_80 ? 80 : 90, type_letters(i), i.terms);
}

}  // namespace

std::string tile_head(Dialect dialect, TileUnit unit, const std::set<std::string>& functions) {
  if (functions.empty()) return {};
  if (dialect == Dialect::cuda) {
    std::string s = "#define ASSAY_UNROLL _Pragma(\"unroll\")\n";
    for (const std::string& f : functions) s += ptx(f);
    return s;
  }
  std::string s =
      "#define ASSAY_UNROLL\n"
      "extern void assay_mma(int line, int unit, const char *types, int terms, void *c, const void *a, const void "
      "*b);\n"
      "extern void assay_ldmatrix(int line, uint32_t *to, const void *row, int count, int transposed);\n"
      "extern void assay_copy_async(void *to, const void *from, int bytes);\n"
      "extern void assay_copies_commit(void);\n"
      "extern void assay_copies_wait(int count);\n";
  for (const std::string& f : functions) s += on_cpu(f, unit);
  return s;
}

}  // namespace assay::codegen
