// Input generation. Each buffer has a stream of its own, seeded by its name, so that its values do not depend on the
// rest.
#include "interp/inputs.hpp"

#include <algorithm>
#include <array>

#include "interp/random.hpp"
#include "interp/values.hpp"

namespace assay::interp {
namespace {

constexpr std::array<std::string_view, 3> kind_names{"exact", "adversarial", "special"};

/// What the elements of one buffer may be.
struct Domain {
  Type type = Type::f32;
  IntRange range{0, 0};   // integers: both ends inclusive
  bool declared = false;  // the range is the program's, not the type's
};

/// Produces the elements of one buffer in row-major order.
class Generator {
 public:
  Generator(Domain domain, Random random) : domain_(domain), random_(random), last_{domain.type, 0} {}
  virtual ~Generator() = default;
  virtual Scalar next() = 0;

 protected:
  Generator(const Generator&) = default;
  Generator& operator=(const Generator&) = default;

  Scalar integer(Int128 v) const { return wrap_int(domain_.type, std::clamp(v, domain_.range.lo, domain_.range.hi)); }
  Scalar uniform_integer() { return wrap_int(domain_.type, random_.between(domain_.range.lo, domain_.range.hi)); }
  Scalar small_integer(Int128 bound) {
    const Int128 lo = std::max(domain_.range.lo, -bound), hi = std::min(domain_.range.hi, bound);
    return lo <= hi ? wrap_int(domain_.type, random_.between(lo, hi)) : uniform_integer();
  }
  Scalar any_block() {
    const std::uint64_t low = random_.next();
    return {Type::u32x4, low, random_.next()};
  }
  template <std::size_t N>
  Scalar one_of(const std::array<Scalar, N>& values) {
    return values[random_.below(N)];
  }

  Domain domain_;
  Random random_;
  Scalar last_;  // the element before
};

/// GEN-3: k · 2^e with so few values of k that sums and products of moderate length are exact.
class Exact final : public Generator {
 public:
  Exact(Domain domain, Random random, std::uint64_t seed) : Generator(domain, random) {
    switch (domain.type) {
      case Type::f64: grid_ = {64, -4}; break;
      case Type::f32: grid_ = {16, -2}; break;
      case Type::f16: grid_ = {2, -1}; break;
      case Type::bf16: grid_ = {seed % 2 == 0 ? 1 : 2, 0}; break;
      default: break;
    }
  }
  Scalar next() override {
    if (domain_.type == Type::u32x4) return any_block();
    if (is_f8(domain_.type) && random_.below(4) != 0) return {domain_.type, 0};  // GEN-6: room for few terms only
    if (is_float(domain_.type))
      return float_value(domain_.type, static_cast<double>(random_.between(-grid_.bound, grid_.bound)), grid_.exponent);
    if (domain_.type == Type::boolean) return bool_scalar(random_.coin());
    return domain_.declared ? uniform_integer() : small_integer(8);
  }

 private:
  struct Grid {
    int bound = 1, exponent = 0;
  } grid_;
};

/// GEN-4: values that provoke rounding, cancellation, underflow and overflow, alone and with the element before.
class Adversarial final : public Generator {
 public:
  Adversarial(Domain domain, Random random, std::uint64_t seed) : Generator(domain, random), mood_(seed % 4) {}
  Scalar next() override {
    if (domain_.type == Type::boolean) return bool_scalar(random_.coin());
    if (domain_.type == Type::u32x4) return block_element();
    last_ = is_float(domain_.type) ? float_element() : integer_element();
    return last_;
  }

 private:
  enum class Shape { ordinary, small_integer, repeat, negation, near_negation, tie, power, tiny, subnormal, huge, any };

  Shape shape() {
    // Moods: rounding and cancellation at ordinary sizes; the lower end of the range; the upper end; everything.
    using enum Shape;
    static constexpr std::array<Shape, 8> rounding{ordinary, ordinary,      small_integer, repeat,
                                                   negation, near_negation, tie,           tie};
    static constexpr std::array<Shape, 8> lower{ordinary,  tiny,     tiny,          subnormal,
                                                subnormal, negation, near_negation, small_integer};
    static constexpr std::array<Shape, 8> upper{ordinary,      huge,   huge,  negation,
                                                near_negation, repeat, power, small_integer};
    static constexpr std::array<Shape, 8> mixed{ordinary, power, any, any, tie, subnormal, huge, near_negation};
    const auto& shapes = mood_ == 0 ? rounding : mood_ == 1 ? lower : mood_ == 2 ? upper : mixed;
    return shapes[random_.below(shapes.size())];
  }

  Scalar float_element() {
    const Type t = domain_.type;
    const FloatLayout f = float_layout(t);
    switch (shape()) {
      case Shape::ordinary: return pattern(random_.between(f.bias - 4, f.bias + 3));
      case Shape::small_integer: return float_value(t, static_cast<double>(random_.between(-16, 16)), 0);
      case Shape::repeat: return last_;
      case Shape::negation: return {t, last_.bits ^ f.sign()};
      case Shape::near_negation: return near_negation();
      case Shape::tie: return tie();
      case Shape::power:
        return {t, sign() | static_cast<std::uint64_t>(random_.between(1, greatest_field(f))) << f.stored_bits};
      case Shape::tiny: return pattern(random_.between(1, 3));
      case Shape::subnormal: return pattern(0);
      case Shape::huge: return pattern(random_.between(greatest_field(f) - 2, greatest_field(f)));
      case Shape::any: break;
    }
    return pattern(random_.between(0, greatest_field(f)));
  }

  /// Counters, repetitions and blocks of few bits, beside uniform ones.
  Scalar block_element() {
    switch (random_.below(4)) {
      case 0: return last_;
      case 1: last_ = {Type::u32x4, random_.below(16)}; break;
      case 2: last_.bits ^= std::uint64_t{1} << random_.below(64); break;
      default: last_ = any_block(); break;
    }
    return last_;
  }

  std::uint64_t sign() { return random_.coin() ? float_layout(domain_.type).sign() : 0; }
  /// The exponent field of the largest value.
  static Int128 greatest_field(const FloatLayout& f) { return static_cast<Int128>(f.largest >> f.stored_bits); }
  /// Random sign and significand under the given exponent field.
  Scalar pattern(Int128 exponent_field) {
    const FloatLayout f = float_layout(domain_.type);
    const std::uint64_t significand = random_.next() & ((std::uint64_t{1} << f.stored_bits) - 1);
    const std::uint64_t magnitude = static_cast<std::uint64_t>(exponent_field) << f.stored_bits | significand;
    return {domain_.type, sign() | std::min(magnitude, f.largest)};
  }
  /// Cancels all but the last place of the element before.
  Scalar near_negation() {
    const FloatLayout f = float_layout(domain_.type);
    const std::uint64_t magnitude = last_.bits & ~f.sign();
    const bool up = magnitude == 0 || (magnitude < f.largest && random_.coin());
    return {domain_.type, ((last_.bits ^ f.sign()) & f.sign()) | (up ? magnitude + 1 : magnitude - 1)};
  }
  /// Half a unit in the last place of the element before: their sum lies half way between two values.
  Scalar tie() {
    const FloatLayout f = float_layout(domain_.type);
    const std::uint64_t exponent_field = (last_.bits & ~f.sign()) >> f.stored_bits;
    const auto needed = static_cast<std::uint64_t>(f.stored_bits) + 1;
    if (exponent_field <= needed) return pattern(f.bias);
    return {domain_.type, sign() | (exponent_field - needed) << f.stored_bits};
  }

  Scalar integer_element() {
    switch (random_.below(6)) {
      case 0: return small_integer(16);
      case 1: return integer(domain_.range.lo + random_.between(0, 2));
      case 2: return integer(domain_.range.hi - random_.between(0, 2));
      case 3: {
        const Int128 power = Int128{1} << random_.below(static_cast<std::uint64_t>(bit_width(domain_.type)));
        return integer((random_.coin() ? power : -power) + random_.between(-1, 1));
      }
      case 4: return in_range(last_) ? last_ : uniform_integer();
      default: return uniform_integer();
    }
  }
  bool in_range(Scalar s) const { return domain_.range.lo <= int_value(s) && int_value(s) <= domain_.range.hi; }

  std::uint64_t mood_;
};

/// GEN-5: the special values of the type: one for a whole buffer, or all mixed.
class Special final : public Generator {
 public:
  Special(Domain domain, Random random, std::uint64_t seed) : Generator(domain, random), values_(candidates()) {
    mood_ = seed % 4;
    if (mood_ == 0) fill_ = values_[seed / 4 % values_.size()];      // the same for all buffers of a type
    if (mood_ == 1) fill_ = values_[random_.below(values_.size())];  // each buffer its own
  }
  Scalar next() override {
    if (mood_ < 2) return fill_;
    if (mood_ == 2 || random_.below(8) == 0) return values_[random_.below(values_.size())];
    if (domain_.type == Type::u32x4) return any_block();
    if (is_float(domain_.type)) return float_value(domain_.type, static_cast<double>(random_.between(-4, 4)), -1);
    return small_integer(4);
  }

 private:
  std::vector<Scalar> candidates() const {
    if (!is_int(domain_.type)) return special_values(domain_.type);
    std::vector<Scalar> inside;
    for (const Scalar s : special_values(domain_.type)) {
      if (domain_.range.lo <= int_value(s) && int_value(s) <= domain_.range.hi) inside.push_back(s);
    }
    for (const Int128 v : {domain_.range.lo, domain_.range.hi, domain_.range.lo + 1, domain_.range.hi - 1}) {
      if (std::find(inside.begin(), inside.end(), integer(v)) == inside.end()) inside.push_back(integer(v));
    }
    return inside;
  }

  std::vector<Scalar> values_;
  std::uint64_t mood_ = 0;
  Scalar fill_{};
};

template <typename G>
void fill(Tensor& t, G generator) {
  const std::int64_t count = t.size();
  for (std::int64_t i = 0; i < count; ++i) t.set(i, generator.next());
}

Domain domain_of(const Buffer& b) {
  Domain d{b.type};
  if (is_float(b.type) || b.type == Type::u32x4) return d;
  d.range = int_range(b.type);
  if (b.range) d = {b.type, {std::max(d.range.lo, b.range->first), std::min(d.range.hi, b.range->second - 1)}, true};
  if (d.range.lo > d.range.hi) d.range.hi = d.range.lo;  // an empty range admits nothing; one value keeps this total
  return d;
}

}  // namespace

std::string_view name(InputKind k) { return kind_names[static_cast<std::size_t>(k)]; }

std::optional<InputKind> parse_input_kind(std::string_view text) {
  for (std::size_t i = 0; i < kind_names.size(); ++i) {
    if (kind_names[i] == text) return static_cast<InputKind>(i);
  }
  return std::nullopt;
}

TensorMap generate_inputs(const Program& p, const ParameterMap& parameters, InputKind kind, std::uint64_t seed) {
  TensorMap tensors;
  for (const Buffer& b : p.buffers) {
    if (b.kind != BufferKind::input && b.kind != BufferKind::inout) continue;
    auto dims = shape(b, parameters);
    if (!dims) continue;
    Tensor& t = tensors.emplace(b.name, Tensor(b.type, std::move(*dims))).first->second;
    const Domain domain = domain_of(b);
    const Random random(seed_for(b.name, seed ^ static_cast<std::uint64_t>(kind) << 62));
    switch (kind) {
      case InputKind::exact: fill(t, Exact(domain, random, seed)); break;
      case InputKind::adversarial: fill(t, Adversarial(domain, random, seed)); break;
      case InputKind::special: fill(t, Special(domain, random, seed)); break;
    }
  }
  return tensors;
}

}  // namespace assay::interp
