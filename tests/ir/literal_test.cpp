// Literals: rounded once, and printed with the fewest digits that read back (TYPE-3, PRINT-3).
#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <random>

#include "ir/literal.hpp"
#include "ir/tensor.hpp"
#include "tests/support/rules.hpp"

namespace assay::test {
namespace {

std::uint64_t bits(Type t, std::string_view text) {
  const auto s = literal_from_float(t, text);
  return s ? s->bits : ~std::uint64_t{0};
}
Scalar from_integer(Type t, Int128 v) { return literal_from_integer(t, v).value_or(Scalar{}); }
std::size_t digits_of(std::string text) {
  text = text.substr(0, text.find('e'));
  std::string digits;
  for (const char c : text) {
    if (c >= '0' && c <= '9') digits += c;
  }
  const auto first = digits.find_first_not_of('0');
  if (first == std::string::npos) return 0;
  return digits.find_last_not_of('0') - first + 1;
}

TEST(Literals, RoundOnceTiesToEven) {
  RULE_EQ("TYPE-3", std::uint64_t{0x3c01}, bits(Type::f16, "1.0009765625"));
  RULE_EQ("TYPE-3", std::uint64_t{0x3c00}, bits(Type::f16, "1.00048828125"));  // a tie: to even
  RULE_EQ("TYPE-3", std::uint64_t{0x3c02}, bits(Type::f16, "1.00146484375"));  // a tie: to even
  RULE_EQ("TYPE-3", std::uint64_t{0x3c01},
          bits(Type::f16,
               "1.000488281250000000000000000000001"));  // just above a tie: through a double it would be the tie
  RULE_EQ("TYPE-3", std::uint64_t{0x7bff}, bits(Type::f16, "65519.99"));
  RULE_EQ("TYPE-3", std::uint64_t{0x7c00}, bits(Type::f16, "65520.0"));
  RULE_EQ("TYPE-3", std::uint64_t{0x0001}, bits(Type::f16, "5.9604644775390625e-8"));
  RULE_EQ("TYPE-3", std::uint64_t{0x0000}, bits(Type::f16, "2.98023223876953125e-8"));
  RULE_EQ("TYPE-3", std::uint64_t{0x0001}, bits(Type::f16, "2.980232238769531250000001e-8"));
  RULE_EQ("TYPE-3", std::uint64_t{0x0002}, bits(Type::f16, "8.94069671630859375e-8"));
  RULE_EQ("TYPE-3", std::uint64_t{0x0400}, bits(Type::f16, "6.1035e-5"));
  RULE_EQ("TYPE-3", std::uint64_t{0x3f80}, bits(Type::bf16, "1.00390625"));
  RULE_EQ("TYPE-3", std::uint64_t{0x3f82}, bits(Type::bf16, "1.01171875"));
  RULE_EQ("TYPE-3", std::uint64_t{0x0001}, bits(Type::bf16, "1e-40"));
  RULE_EQ("TYPE-3", std::uint64_t{0x7f80}, bits(Type::bf16, "1e39"));
  RULE_EQ("TYPE-3", std::uint64_t{0x00000001}, bits(Type::f32, "1e-45"));
  RULE_EQ("TYPE-3", std::uint64_t{0}, bits(Type::f32, "1e-999999999999"));
  RULE_EQ("TYPE-3", std::uint64_t{0x80000000}, bits(Type::f32, "-1e-999999999999"));
  RULE_EQ("TYPE-3", std::uint64_t{0x7ff0000000000000}, bits(Type::f64, "1e999999999999999999999"));
  RULE_EQ("TYPE-3", std::uint64_t{0x4028000000000000}, bits(Type::f64, "0x1.8p3"));
  RULE_EQ("TYPE-3", std::uint64_t{1}, bits(Type::f64, "0x1p-1074"));
  RULE_EQ("TYPE-3", std::uint64_t{0}, bits(Type::f64, "0x1p-1075"));
  RULE_EQ("TYPE-3", std::uint64_t{0x4024000000000000}, bits(Type::f64, "0xA"));
  for (const char* bad : {"", "x", "1.0 ", "nan", "inf", "1.0f", "1e", "0x", "infinity", "--1"})
    RULE_TRUE("TYPE-3", !literal_from_float(Type::f64, bad)) << bad;
  RULE_TRUE("TYPE-3", !literal_from_float(Type::i32, "1.0"));
}

TEST(Literals, AgreeWithTheLibraryOnFloatAndDouble) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t pattern = random();
    const auto d = std::bit_cast<double>(pattern);
    if (std::isnan(d) || std::isinf(d)) continue;
    const std::string text = to_text({Type::f64, pattern});
    char shortest[64];
    const auto end = std::to_chars(shortest, shortest + sizeof shortest, d, std::chars_format::scientific).ptr;
    RULE_EQ("PRINT-3", digits_of(std::string(shortest, end)), digits_of(text));
    RULE_EQ("PRINT-3", pattern, bits(Type::f64, text));
    const auto f = std::bit_cast<float>(static_cast<std::uint32_t>(pattern));
    if (std::isnan(f) || std::isinf(f)) continue;
    const auto float_end = std::to_chars(shortest, shortest + sizeof shortest, f, std::chars_format::scientific).ptr;
    RULE_EQ("PRINT-3", digits_of(std::string(shortest, float_end)),
            digits_of(to_text({Type::f32, pattern & 0xffffffff})));
    // The text of a double read as a float is rounded once.
    double parsed = 0;
    std::from_chars(text.data(), text.data() + text.size(), parsed);
    float direct = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), direct);
    if (read.ec == std::errc())
      RULE_EQ("TYPE-3", static_cast<std::uint64_t>(std::bit_cast<std::uint32_t>(direct)), bits(Type::f32, text));
  }
}

TEST(Literals, EveryHalfReadsBack) {
  for (const Type t : {Type::f16, Type::bf16}) {
    int printed_wrong = 0;
    int rounded_wrong = 0;
    for (std::uint64_t pattern = 0; pattern < 0x10000; ++pattern) {
      const Scalar s{t, pattern};
      const std::string text = to_text(s);
      if (is_nan(s) || text == "inf" || text == "-inf") continue;
      if (bits(t, text) != pattern || text.find_first_of(".e") == std::string::npos) ++printed_wrong;
      // The same value as a double's text.
      if (bits(t, to_text({Type::f64, std::bit_cast<std::uint64_t>(to_double(s))})) != pattern) ++rounded_wrong;
    }
    RULE_EQ("PRINT-3", 0, printed_wrong);
    RULE_EQ("TYPE-3", 0, rounded_wrong);
  }
}

TEST(Literals, Texts) {
  const auto text = [](Type t, double v) { return to_text({t, std::bit_cast<std::uint64_t>(v)}); };
  RULE_EQ("PRINT-3", std::string("0.1"), text(Type::f64, 0.1));
  RULE_EQ("PRINT-3", std::string("-0.0"), text(Type::f64, -0.0));
  RULE_EQ("PRINT-3", std::string("5e-324"), text(Type::f64, 5e-324));
  RULE_EQ("PRINT-3", std::string("1e23"), text(Type::f64, 1e23));
  RULE_EQ("PRINT-3", std::string("9007199254740994.0"), text(Type::f64, 9007199254740994.0));
  RULE_EQ("PRINT-3", std::string("5.684341886080802e-14"), text(Type::f64, std::ldexp(1.0, -44)));
  RULE_EQ("PRINT-3", std::string("-inf"), to_text(infinity(Type::bf16, true)));
  RULE_EQ("PRINT-3", std::string("nan"), to_text(canonical_nan(Type::f16)));
  RULE_EQ("PRINT-3", std::string("true"), to_text(bool_scalar(true)));
  RULE_EQ("PRINT-3", std::string("-128"), to_text({Type::i8, 0x80}));
  RULE_EQ("PRINT-3", std::string("18446744073709551615"), to_text({Type::u64, ~std::uint64_t{0}}));
}

TEST(Literals, Integers) {
  RULE_EQ("TYPE-3", (Scalar{Type::i8, 0x80}), from_integer(Type::i8, -128));
  RULE_TRUE("TYPE-3", !literal_from_integer(Type::i8, 128) && !literal_from_integer(Type::u8, -1) &&
                          !literal_from_integer(Type::boolean, 1));
  RULE_EQ("TYPE-3", (Scalar{Type::f32, 0x4b800000}), from_integer(Type::f32, 16777217));
  RULE_EQ("TYPE-3", (Scalar{Type::f16, 0x7c00}), from_integer(Type::f16, 65520));
  RULE_EQ("TYPE-3", (Scalar{Type::f64, 0xc3e0000000000000}), from_integer(Type::f64, static_cast<Int128>(INT64_MIN)));
}

}  // namespace
}  // namespace assay::test
