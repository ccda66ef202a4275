// Rounding of literals and their shortest text. MPFR does the arithmetic: mpfr_strtofr rounds a text of any length once
// to the precision and exponent range of the type (subnormals included, by mpfr_subnormalize with the ternary value).
#include "ir/literal.hpp"

#include <mpfr.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <string>

namespace assay {
namespace {

// A binary format: `fraction` stored bits of the significand, `exponent` bits of the exponent. Where it is not `ieee`, there
// is no infinity: the patterns with all exponent bits are ordinary values, but for the greatest, which is the NaN.
struct Format {
  int fraction;
  int exponent;
  bool ieee = true;
  int bias() const { return (1 << (exponent - 1)) - 1; }
  int sign_bit() const { return fraction + exponent; }
  std::uint64_t infinity() const { return ((std::uint64_t{1} << exponent) - 1) << fraction; }
  std::uint64_t nan() const {
    return ieee ? infinity() | std::uint64_t{1} << (fraction - 1) : (std::uint64_t{1} << sign_bit()) - 1;
  }
  bool is_nan(std::uint64_t magnitude) const { return ieee ? magnitude > infinity() : magnitude == nan(); }
  int greatest_exponent() const { return ieee ? bias() : bias() + 1; }
};

Format format_of(Type t) {
  switch (t) {
    case Type::f64: return {52, 11};
    case Type::f32: return {23, 8};
    case Type::f16: return {10, 5};
    case Type::f8e5m2: return {2, 5};
    case Type::f8e4m3fn: return {3, 4, false};
    default: return {7, 8};  // bf16
  }
}

// MPFR's exponent range is global to the thread; this narrows it to one format and puts it back.
class ExponentRange {
 public:
  explicit ExponentRange(const Format& f) : lo_(mpfr_get_emin()), hi_(mpfr_get_emax()) {
    // MPFR's significand lies in [1/2, 1): its exponents are one above IEEE's.
    mpfr_set_emin(2 - f.bias() - f.fraction);
    mpfr_set_emax(f.greatest_exponent() + 1);
  }
  ~ExponentRange() {
    mpfr_set_emin(lo_);
    mpfr_set_emax(hi_);
  }
  ExponentRange(const ExponentRange&) = delete;
  ExponentRange& operator=(const ExponentRange&) = delete;

 private:
  mpfr_exp_t lo_, hi_;
};

class Number {
 public:
  explicit Number(const Format& f) { mpfr_init2(value_, f.fraction + 1); }
  ~Number() { mpfr_clear(value_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

// The bits of a value that is already rounded to the significand and the exponents of the format.
std::uint64_t encode(const Format& f, mpfr_srcptr x) {
  const std::uint64_t sign = mpfr_signbit(x) != 0 ? std::uint64_t{1} << f.sign_bit() : 0;
  if (mpfr_zero_p(x) != 0) return sign;
  if (mpfr_inf_p(x) != 0) return sign | f.infinity();
  // Every finite value of every format is a double exactly; its fields give the format's.
  const auto bits = std::bit_cast<std::uint64_t>(mpfr_get_d(x, MPFR_RNDN));
  int exponent = static_cast<int>((bits >> 52) & 0x7ff);
  std::uint64_t significand = bits & ((std::uint64_t{1} << 52) - 1);
  if (f.fraction == 52) return sign | (bits & ~(std::uint64_t{1} << 63));
  significand |= std::uint64_t{1} << 52;  // no value of a narrower format is a subnormal double
  exponent += f.bias() - 1023;
  if (exponent >= 1) {
    significand &= ~(std::uint64_t{1} << 52);
    return sign | (static_cast<std::uint64_t>(exponent) << f.fraction) | (significand >> (52 - f.fraction));
  }
  return sign | (significand >> (52 - f.fraction + 1 - exponent));
}

constexpr unsigned long largest_f8e4m3fn = 448;  // the only format without infinity

std::optional<Scalar> round_text(Type to, const std::string& text, int base) {
  const Format f = format_of(to);
  const ExponentRange range(f);
  Number x(f);
  char* end = nullptr;
  int ternary = mpfr_strtofr(x.get(), text.c_str(), &end, base, MPFR_RNDN);
  if (end == text.c_str() || *end != '\0') return std::nullopt;
  mpfr_subnormalize(x.get(), ternary, MPFR_RNDN);
  const bool overflow = mpfr_inf_p(x.get()) != 0 || (!f.ieee && mpfr_cmpabs_ui(x.get(), largest_f8e4m3fn) > 0);
  if (!f.ieee && overflow) return std::nullopt;  // TYPE-3
  return Scalar{to, encode(f, x.get())};
}

// Digits d1d2… with the point before d1 and a power of ten: the text that the grammar reads as a float.
std::string float_text(std::string digits, long exponent) {
  while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
  const auto n = static_cast<long>(digits.size());
  if (exponent >= -3 && exponent <= 17) {
    if (exponent <= 0) return "0." + std::string(static_cast<std::size_t>(-exponent), '0') + digits;
    if (n <= exponent) return digits + std::string(static_cast<std::size_t>(exponent - n), '0') + ".0";
    return digits.substr(0, static_cast<std::size_t>(exponent)) + "." +
           digits.substr(static_cast<std::size_t>(exponent));
  }
  std::string out = digits.substr(0, 1);
  if (n > 1) out += "." + digits.substr(1);
  return out + "e" + std::to_string(exponent - 1);
}

// The standard library knows the shortest digits of float and double; `d.ddde±x` is rewritten in the language's form.
template <typename T>
std::string shortest_of(T magnitude) {
  std::array<char, 64> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), magnitude, std::chars_format::scientific).ptr;
  const std::string_view written(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const std::size_t mark = written.find('e');
  std::string digits(written.substr(0, 1));
  if (mark > 2) digits += written.substr(2, mark - 2);
  long exponent = 0;
  const std::size_t start = written[mark + 1] == '+' ? mark + 2 : mark + 1;
  std::from_chars(buffer.data() + start, end, exponent);
  return float_text(std::move(digits), exponent + 1);
}

// For the types of 16 and 8 bits: more and more digits until they read back.
std::string shortest_narrow(Scalar magnitude) {
  Number x(format_of(magnitude.type));
  mpfr_set_d(x.get(), to_double(magnitude), MPFR_RNDN);
  for (std::size_t digits = 1;; ++digits) {
    // Next to a power of two the nearest text may lie outside the rounding interval while the one on the other side is inside.
    for (const mpfr_rnd_t rounding : {MPFR_RNDN, MPFR_RNDU, MPFR_RNDD}) {
      std::array<char, 64> buffer{};
      mpfr_exp_t exponent = 0;
      mpfr_get_str(buffer.data(), &exponent, 10, digits, x.get(), rounding);
      std::string text = float_text(buffer.data(), static_cast<long>(exponent));
      const auto back = round_text(magnitude.type, text, 10);
      if (back && back->bits == magnitude.bits) return text;
    }
  }
}

std::string shortest_float(Scalar s) {
  const Format f = format_of(s.type);
  const bool negative = (s.bits >> f.sign_bit() & 1) != 0;
  const std::string sign = negative ? "-" : "";
  const Scalar magnitude{s.type, s.bits & ~(std::uint64_t{1} << f.sign_bit())};
  if (f.is_nan(magnitude.bits)) return "nan";
  if (f.ieee && magnitude.bits == f.infinity()) return sign + "inf";
  if (magnitude.bits == 0) return sign + "0.0";
  if (s.type == Type::f64) return sign + shortest_of(std::bit_cast<double>(magnitude.bits));
  if (s.type == Type::f32) return sign + shortest_of(std::bit_cast<float>(static_cast<std::uint32_t>(magnitude.bits)));
  return sign + shortest_narrow(magnitude);
}

}  // namespace

std::string decimal_text(Int128 value) {
  const bool negative = value < 0;
  auto magnitude = static_cast<UInt128>(value);
  if (negative) magnitude = 0 - magnitude;
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(magnitude % 10)));
    magnitude /= 10;
  } while (magnitude != 0);
  return negative ? "-" + digits : digits;
}

std::optional<Scalar> literal_from_integer(Type to, Int128 value) {
  if (is_float(to)) return round_text(to, decimal_text(value), 10);
  if (!is_int(to)) return std::nullopt;
  const IntRange range = int_range(to);
  if (value < range.lo || value > range.hi) return std::nullopt;
  return wrap_int(to, value);
}

std::optional<Scalar> literal_from_float(Type to, std::string_view text) {
  if (!is_float(to)) return std::nullopt;
  const bool hexadecimal = text.find("0x") != std::string_view::npos;
  // MPFR would also read words, digit groups and white space.
  constexpr std::string_view decimal_characters = "0123456789.eE+-";
  constexpr std::string_view hexadecimal_characters = "0123456789abcdefABCDEFxpP.+-";
  if (text.find_first_not_of(hexadecimal ? hexadecimal_characters : decimal_characters) != std::string_view::npos)
    return std::nullopt;
  return round_text(to, std::string(text), hexadecimal ? 16 : 10);
}

Scalar infinity(Type t, bool negative) {
  const Format f = format_of(t);
  return {t, f.infinity() | (negative ? std::uint64_t{1} << f.sign_bit() : 0)};
}

Scalar canonical_nan(Type t) { return {t, format_of(t).nan()}; }

double to_double(Scalar s) {
  if (!is_float(s.type)) return static_cast<double>(int_value(s));
  if (s.type == Type::f64) return std::bit_cast<double>(s.bits);
  const Format f = format_of(s.type);
  const std::uint64_t fraction = s.bits & ((std::uint64_t{1} << f.fraction) - 1);
  const int exponent = static_cast<int>(s.bits >> f.fraction & ((std::uint64_t{1} << f.exponent) - 1));
  const bool negative = (s.bits >> f.sign_bit() & 1) != 0;
  double magnitude = 0;
  if (f.is_nan(s.bits & ((std::uint64_t{1} << f.sign_bit()) - 1))) {
    magnitude = std::nan("");
  } else if (f.ieee && exponent == (1 << f.exponent) - 1) {
    magnitude = HUGE_VAL;
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<double>(fraction), 1 - f.bias() - f.fraction);
  } else {
    magnitude =
        std::ldexp(static_cast<double>(fraction | (std::uint64_t{1} << f.fraction)), exponent - f.bias() - f.fraction);
  }
  return negative ? -magnitude : magnitude;
}

std::string to_text(Scalar s) {
  if (s.type == Type::boolean) return s.bits != 0 ? "true" : "false";
  if (is_float(s.type)) return shortest_float(s);
  if (s.type == Type::u32x4) {
    const auto word = [](std::uint64_t pair, int shift) { return std::to_string(pair >> shift & 0xffffffffU); };
    return "u32x4(" + word(s.bits, 0) + ", " + word(s.bits, 32) + ", " + word(s.high, 0) + ", " + word(s.high, 32) +
           ")";
  }
  return decimal_text(int_value(s));
}

}  // namespace assay
