// Blocks of 128 bits as a struct of four words: making, reading and comparing them, the random functions, and the
// conversions to numbers.
#include "codegen/c/helpers.hpp"
#include "codegen/c/text.hpp"

namespace assay::codegen {
namespace {

std::string_view block_pattern(Op op) {
  switch (op) {
    case Op::block:
      return "static inline u32x4 $w_$t(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {\n"
             "  const u32x4 block = {{a, b, c, d}};\n"
             "  return block;\n"
             "}\n";
    case Op::word: return "static inline uint32_t $w_$t(u32x4 b, uint32_t k) { return b.w[k & 3]; }\n";
    case Op::eq: return "static inline int $w_$t(u32x4 a, u32x4 b) { return memcmp(&a, &b, sizeof a) == 0; }\n";
    case Op::ne: return "static inline int $w_$t(u32x4 a, u32x4 b) { return memcmp(&a, &b, sizeof a) != 0; }\n";
    case Op::threefry_crypto:
      return "static u32x4 $w_$t(u32x4 key, u32x4 counter) {\n"
             "  threefry_key(counter.w, key.w, 0);\n"
             "  for (uint32_t i = 1; i < 11; ++i) {\n"
             "    threefry_mix(counter.w, 13, 15, 26, 6);\n"
             "    threefry_mix(counter.w, 17, 29, 16, 24);\n"
             "    if (i % 2 == 0) threefry_key(counter.w, key.w, i / 2);\n"
             "  }\n"
             "  return counter;\n"
             "}\n";
    case Op::threefry_light:
      return "static u32x4 $w_$t(u32x4 key, u32x4 counter) {\n"
             "  threefry_key(counter.w, key.w, 0);\n"
             "  threefry_mix(counter.w, 13, 15, 26, 6);\n"
             "  threefry_mix(counter.w, 17, 29, 16, 24);\n"
             "  threefry_key(counter.w, key.w, 1);\n"
             "  return counter;\n"
             "}\n";
    default: return {};
  }
}

// The bits of lane k as an unsigned integer.
std::string_view lane_bits(int width) {
  switch (width) {
    case 8: return "(b.w[k / 4 % 4] >> k % 4 * 8 & 0xff)";
    case 16: return "(b.w[k / 2 % 4] >> k % 2 * 16 & 0xffff)";
    case 32: return "b.w[k % 4]";
    default: return "(b.w[k % 2 * 2] | (uint64_t)b.w[k % 2 * 2 + 1] << 32)";
  }
}

}  // namespace

std::string Helpers::random(Op op, Type t) {
  use("u32x4");
  if (op == Op::threefry_crypto || op == Op::threefry_light) {
    use("threefry_mix");
    use("threefry_key");
  }
  if (const std::string_view pattern = block_pattern(op); !pattern.empty())
    return fill(pattern, {{"$w", word(op)}, {"$t", name(t)}});
  const std::string bits(lane_bits(bit_width(t)));
  std::string value = fill("($T)$b", {{"$T", c_type(t)}, {"$b", bits}});
  if (t == Type::f64) value = "(double)" + bits + " * 0x1p-64";
  if (t == Type::f32) value = "(float)(" + bits + " >> 8) * 0x1p-24f";
  if (t == Type::f16 || t == Type::bf16) value = use(std::string(name(t)) + "_from_f64") + "(" + bits + " * 0x1p-16)";
  if (t == Type::bf16 && op == Op::uniform) value = use("bf16_from_f64") + "((b.w[0] >> 8) * 0x1p-24)";
  if (is_f8(t)) {  // any NaN is the one of the type
    const std::string_view magnitude = t == Type::f8e5m2 ? "0x7d" : "0x7f", nan = t == Type::f8e5m2 ? "0x7e" : "0x7f";
    value = fill("(uint8_t)(($b & 0x7f) >= $m ? $n : $b)", {{"$b", bits}, {"$m", magnitude}, {"$n", nan}});
  }
  const bool one = op == Op::uniform;
  const bool reads_lane = !(one && t == Type::bf16);
  return fill("static inline $T $w_$t(u32x4 b$k) {\n$0  return $v;\n}\n",
              {{"$T", c_type(t)},
               {"$k", one ? "" : ", uint32_t k"},
               {"$0", one && reads_lane ? "  const uint32_t k = 0;\n" : ""},
               {"$v", value},
               {"$w", word(op)},
               {"$t", name(t)}});
}

}  // namespace assay::codegen
