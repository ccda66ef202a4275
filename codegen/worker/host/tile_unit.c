/* Addends are integers: a product of two significands, or that of c, shifted to the place of the greatest exponent, where the
 * bits that fall off below are dropped. Sixteen of them and c fit 64 bits by far. */
#include "tile_unit.h"

struct format {
  int stored, bias; /* significand bits that are stored; greatest exponent */
};
static const struct format formats[] = {{10, 15}, {7, 127}, {23, 127}};

struct decoded {
  int negative, infinite, nan;
  int64_t significand; /* with `stored` bits behind the point */
  int exponent;
};

enum { least_place = -126 };

static struct decoded decode(uint32_t bits, struct format f) {
  const uint32_t stored = bits & ((UINT32_C(1) << f.stored) - 1);
  const int biased = (int)(bits >> f.stored) & (2 * f.bias + 1);
  struct decoded d = {(int)(bits >> (f.stored + (f.bias == 15 ? 5 : 8))) & 1, 0, 0, stored, 1 - f.bias};
  if (biased == 2 * f.bias + 1) {
    d.infinite = stored == 0;
    d.nan = stored != 0;
  } else if (biased != 0) {
    d.significand |= INT64_C(1) << f.stored;
    d.exponent = biased - f.bias;
  }
  return d;
}

/* |total| * 2^place as f32, cut toward zero. */
static uint32_t to_f32(uint64_t total, int place) {
  if (total == 0) return 0;
  int exponent = 63 - __builtin_clzll(total) + place; /* of the leading bit */
  if (exponent > 127) return UINT32_C(0x7f800000);
  const int last = exponent < -126 ? -149 : exponent - 23; /* the place of the last bit kept */
  const uint64_t kept = last >= place ? (last - place > 63 ? 0 : total >> (last - place)) : total << (place - last);
  if (exponent < -126) return (uint32_t)kept;
  return (uint32_t)kept - (UINT32_C(1) << 23) + ((uint32_t)(exponent + 127) << 23);
}

/* The same as f16, to nearest, ties to even. */
static uint32_t to_f16(uint64_t total, int place) {
  if (total == 0) return 0;
  const int exponent = 63 - __builtin_clzll(total) + place;
  if (exponent > 15) return 0x7c00;
  const int last = exponent < -14 ? -24 : exponent - 10;
  uint64_t kept = 0;
  if (last <= place) {
    kept = total << (place - last);
  } else if (last - place <= 63) {
    const uint64_t unit = UINT64_C(1) << (last - place), rest = total & (unit - 1);
    kept = total / unit;
    if (rest > unit / 2 || (rest == unit / 2 && (kept & 1) != 0)) ++kept;
  }
  /* What rounds up to the next power of two carries into the exponent. */
  return exponent < -14 ? (uint32_t)kept : (uint32_t)kept - 0x400 + ((uint32_t)(exponent + 15) << 10);
}

uint32_t assay_fused_sum(enum assay_tile_type factor, enum assay_tile_type sum, int fraction, const uint16_t* a,
                         const uint16_t* b, int count, uint32_t c) {
  enum { most = 33 };
  int64_t significand[most];
  int exponent[most], point[most];
  const uint32_t nan = sum == tile_f16 ? 0x7fff : UINT32_C(0x7fffffff);
  int positive = 0, negative = 0, greatest = least_place;
  for (int n = 0; n <= count; ++n) {
    int sign = 0;
    if (n == count) {
      const struct decoded d = decode(c, formats[sum]);
      if (d.nan) return nan;
      sign = d.negative;
      if (d.infinite) *(sign ? &negative : &positive) = 1;
      significand[n] = d.significand;
      exponent[n] = d.exponent;
      point[n] = formats[sum].stored;
    } else {
      const struct decoded x = decode(a[n], formats[factor]), y = decode(b[n], formats[factor]);
      if (x.nan || y.nan || (x.infinite && y.significand == 0 && !y.infinite) ||
          (y.infinite && x.significand == 0 && !x.infinite))
        return nan;
      sign = x.negative ^ y.negative;
      if (x.infinite || y.infinite) *(sign ? &negative : &positive) = 1;
      significand[n] = x.significand * y.significand;
      exponent[n] = x.exponent + y.exponent;
      point[n] = 2 * formats[factor].stored;
    }
    if (significand[n] != 0 && exponent[n] > greatest) greatest = exponent[n];
    if (sign) significand[n] = -significand[n];
  }
  if (positive && negative) return nan;
  const uint32_t infinity = sum == tile_f16 ? 0x7c00 : UINT32_C(0x7f800000),
                 minus = sum == tile_f16 ? 0x8000 : UINT32_C(1) << 31;
  if (positive || negative) return infinity | (negative ? minus : 0);
  int64_t total = 0;
  for (int n = 0; n <= count; ++n) {
    if (significand[n] == 0) continue;  // its exponent can be far above `greatest`
    const int up = fraction - point[n], down = greatest - exponent[n];
    const int64_t size = significand[n] < 0 ? -significand[n] : significand[n];
    const int64_t cut = down - up > 62 ? 0 : down > up ? size >> (down - up) : size << (up - down);
    total += significand[n] < 0 ? -cut : cut;
  }
  const uint64_t size = (uint64_t)(total < 0 ? -total : total);
  const uint32_t rounded = sum == tile_f16 ? to_f16(size, greatest - fraction) : to_f32(size, greatest - fraction);
  return rounded == 0 || total > 0 ? rounded : rounded | minus;
}

uint32_t assay_tile_block(int unit, enum assay_tile_type factor, enum assay_tile_type sum, const uint16_t* a,
                          const uint16_t* b, int terms, uint32_t c) {
  const int together = unit == 80 ? 8 : terms, fraction = unit == 80 ? 24 : 25;
  for (int n = 0; n < terms; n += together) c = assay_fused_sum(factor, sum, fraction, a + n, b + n, together, c);
  return c;
}
