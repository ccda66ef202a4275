/* What matrix instructions do with their addends, asked of the instructions themselves (spec/tiles.md, MMA-30).
 *
 * Compiled by nvcc it asks the GPU that is here; by gcc or g++, with codegen/worker/host/tile_unit.c, the model of a generation.
 * Every probe sees one cell: row 0 of A, column 0 of B and element (0, 0) of C. It prints what it found beside what the model says,
 * and ends with status 1 where they differ on a point that the model claims, 0 else, 77 without a GPU.
 *
 *   nvcc -arch=sm_90 tile_probe.cu tile_unit.c -o tile_probe && ./tile_probe
 *   gcc -x c tile_probe.cu -x c tile_unit.c -lm -o tile_probe && ./tile_probe 90 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/worker/host/tile_unit.h"

enum { most = 16, most_f8 = 32 };

struct instruction {
  const char* name;
  int factor_is_bf16, sum_is_f16, terms;
};
static const struct instruction instructions[] = {
    {"m16n8k16 f32 f16", 0, 0, 16},  {"m16n8k8 f32 f16", 0, 0, 8},  {"m16n8k16 f32 bf16", 1, 0, 16},
    {"m16n8k8 f32 bf16", 1, 0, 8}, {"m16n8k16 f16 f16", 0, 1, 16}, {"m16n8k8 f16 f16", 0, 1, 8},
};
enum { instruction_count = sizeof instructions / sizeof instructions[0] };

#ifdef __CUDACC__
#define COMMA ,
#define MMA_F32(shape, type, lefts, a, b)                                                                    \
  asm volatile("mma.sync.aligned." shape ".row.col.f32." type "." type ".f32 {%0, %1, %2, %3}, " lefts      \
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                              \
               : a, b)
#define LONG_A "r"(x[0]), "r"(0), "r"(x[1]), "r"(0)
#define SHORT_A "r"(x[0]), "r"(0)
#define LONG_LIST "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
#define SHORT_LIST "{%4, %5}, {%6}, {%0, %1, %2, %3};"

/* Lane m < 4 has elements 2m, 2m + 1 (and 8 further on) of row 0 of A and of column 0 of B. */
__global__ void ask_block(int which, const uint16_t* a, const uint16_t* b, uint32_t* result) {
  const unsigned lane = threadIdx.x;
  uint32_t x[2] = {0, 0}, y[2] = {0, 0};
  const int terms = which % 2 == 0 ? 16 : 8;
  if (lane < 4) {
    for (int half = 0; half < terms / 8; ++half) {
      x[half] = a[8 * half + 2 * lane] | (uint32_t)a[8 * half + 2 * lane + 1] << 16;
      y[half] = b[8 * half + 2 * lane] | (uint32_t)b[8 * half + 2 * lane + 1] << 16;
    }
  }
  const uint32_t start = lane == 0 ? *result : 0;
  if (which < 4) {
    float c[4] = {__uint_as_float(start), 0, 0, 0};
    if (which == 0) MMA_F32("m16n8k16", "f16", LONG_LIST, LONG_A, "r"(y[0]) COMMA "r"(y[1]));
    if (which == 1) MMA_F32("m16n8k8", "f16", SHORT_LIST, SHORT_A, "r"(y[0]));
    if (which == 2) MMA_F32("m16n8k16", "bf16", LONG_LIST, LONG_A, "r"(y[0]) COMMA "r"(y[1]));
    if (which == 3) MMA_F32("m16n8k8", "bf16", SHORT_LIST, SHORT_A, "r"(y[0]));
    if (lane == 0) *result = __float_as_uint(c[0]);
  } else {
    uint32_t c[2] = {start, 0};
    if (which == 4)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
                   : "+r"(c[0]), "+r"(c[1])
                   : LONG_A, "r"(y[0]), "r"(y[1]));
    if (which == 5)
      asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
                   : "+r"(c[0]), "+r"(c[1])
                   : SHORT_A, "r"(y[0]));
    if (lane == 0) *result = c[0] & 0xffff;
  }
}
__global__ void ask_f64(const double* a, const double* b, double* result) {
  const unsigned lane = threadIdx.x;
  double c[2] = {lane == 0 ? *result : 0, 0};
  const double x = lane < 4 ? a[lane] : 0, y = lane < 4 ? b[lane] : 0;
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(c[0]), "+d"(c[1])
               : "d"(x), "d"(y));
  if (lane == 0) *result = c[0];
}
/* Floats of 8 bits (e4m3): lane m < 4 has elements 4m to 4m + 3 (and 16 further on). Devices have the instruction from 8.9 on. */
__global__ void ask_f8(const uint8_t* a, const uint8_t* b, uint32_t* result) {
#if __CUDA_ARCH__ >= 890
  const unsigned lane = threadIdx.x;
  uint32_t x[2] = {0, 0}, y[2] = {0, 0};
  for (int half = 0; lane < 4 && half < 2; ++half) {
    for (int e = 0; e < 4; ++e) {
      x[half] |= (uint32_t)a[16 * half + 4 * lane + e] << 8 * e;
      y[half] |= (uint32_t)b[16 * half + 4 * lane + e] << 8 * e;
    }
  }
  float c[4] = {__uint_as_float(lane == 0 ? *result : 0), 0, 0, 0};
  MMA_F32("m16n8k32", "e4m3", LONG_LIST, LONG_A, "r"(y[0]) COMMA "r"(y[1]));
  if (lane == 0) *result = __float_as_uint(c[0]);
#endif
}

static void* memory;
static int has_f8;
static void on_device(cudaError_t state) {
  if (state == cudaSuccess) return;
  printf("tile_probe: %s\n", cudaGetErrorString(state));
  exit(1);
}
static uint32_t block(int which, const uint16_t* a, const uint16_t* b, uint32_t c) {
  uint16_t* const at = (uint16_t*)memory;
  on_device(cudaMemcpy(at, a, most * 2, cudaMemcpyHostToDevice));
  on_device(cudaMemcpy(at + most, b, most * 2, cudaMemcpyHostToDevice));
  on_device(cudaMemcpy(at + 2 * most, &c, 4, cudaMemcpyHostToDevice));
  ask_block<<<1, 32>>>(which, at, at + most, (uint32_t*)(at + 2 * most));
  on_device(cudaMemcpy(&c, at + 2 * most, 4, cudaMemcpyDeviceToHost));
  return c;
}
static double block_f64(const double* a, const double* b, double c) {
  double* const at = (double*)memory;
  on_device(cudaMemcpy(at, a, 32, cudaMemcpyHostToDevice));
  on_device(cudaMemcpy(at + 4, b, 32, cudaMemcpyHostToDevice));
  on_device(cudaMemcpy(at + 8, &c, 8, cudaMemcpyHostToDevice));
  ask_f64<<<1, 32>>>(at, at + 4, at + 8);
  on_device(cudaMemcpy(&c, at + 8, 8, cudaMemcpyDeviceToHost));
  return c;
}
static uint32_t block_f8(const uint8_t* a, const uint8_t* b, uint32_t c) {
  uint8_t* const at = (uint8_t*)memory;
  on_device(cudaMemcpy(at, a, most_f8, cudaMemcpyHostToDevice));
  on_device(cudaMemcpy(at + most_f8, b, most_f8, cudaMemcpyHostToDevice));
  on_device(cudaMemcpy(at + 2 * most_f8, &c, 4, cudaMemcpyHostToDevice));
  ask_f8<<<1, 32>>>(at, at + most_f8, (uint32_t*)(at + 2 * most_f8));
  on_device(cudaMemcpy(&c, at + 2 * most_f8, 4, cudaMemcpyDeviceToHost));
  return c;
}
static int unit_here(const char* asked) {
  (void)asked;
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    printf("tile_probe: there is no GPU\n");
    exit(77);
  }
  struct cudaDeviceProp p;
  on_device(cudaGetDeviceProperties(&p, 0));
  on_device(cudaMalloc(&memory, 256));
  printf("%s, compute capability %d.%d\n", p.name, p.major, p.minor);
  has_f8 = 10 * p.major + p.minor >= 89;
  return p.major >= 9 ? 90 : 80;
}
#else
static int model_here;
static const int has_f8 = 0;
static uint32_t block_f8(const uint8_t* a, const uint8_t* b, uint32_t c) {
  (void)a;
  (void)b;
  return c;
}
static uint32_t block(int which, const uint16_t* a, const uint16_t* b, uint32_t c) {
  const struct instruction* const i = &instructions[which];
  return assay_tile_block(model_here, i->factor_is_bf16 ? tile_bf16 : tile_f16, i->sum_is_f16 ? tile_f16 : tile_f32, a, b,
                          i->terms, c);
}
static double block_f64(const double* a, const double* b, double c) {
  for (int k = 0; k < 4; ++k) c = fma(a[k], b[k], c);
  return c;
}
static int unit_here(const char* asked) { return model_here = asked != NULL && atoi(asked) == 80 ? 80 : 90; }
#endif

static int differences;

/* A power of two at a type of 16 bits, and at the type of the sum. */
static uint16_t factor(int which, int exponent, int negative) {
  const int bf16 = instructions[which].factor_is_bf16, least = bf16 ? -126 : -14, stored = bf16 ? 7 : 10;
  const int bits = exponent < least ? 1 << (exponent - least + stored) : (exponent + (bf16 ? 127 : 15)) << stored;
  return (uint16_t)(bits | negative << 15);
}
static uint32_t sum_of(int which, int exponent, int negative) {
  if (instructions[which].sum_is_f16) return exponent < -14 ? (1u << (exponent + 24)) | (uint32_t)negative << 15 : ((uint32_t)(exponent + 15) << 10) | (uint32_t)negative << 15;
  return (exponent < -126 ? 1u << (exponent + 149) : (uint32_t)(exponent + 127) << 23) | (uint32_t)negative << 31;
}

struct terms {
  uint16_t a[most], b[most];
};
/* Term `place` becomes 2^exponent, or minus it. */
static void put(struct terms* t, int which, int place, int exponent, int negative) {
  t->a[place] = factor(which, exponent / 2, negative);
  t->b[place] = factor(which, exponent - exponent / 2, 0);
}

/* What the model says stands beside what was found; a point is claimed or open. */
static void report(int which, const char* what, int place, uint32_t found, uint32_t model, int claimed) {
  const int differ = found != model;
  if (differ && claimed) ++differences;
  if (!differ && place > 0) return; /* like place 0 */
  printf("  %-22s %-42s", instructions[which].name, what);
  if (place >= 0) printf(" [%2d]", place);
  printf(" %08x  model %08x%s%s\n", found, model, claimed ? "" : "  (open)", differ ? "  DIFFERS" : "");
}

static void compare(int which, int unit, const char* what, int place, const struct terms* t, uint32_t c, int claimed) {
  const struct instruction* const i = &instructions[which];
  const uint32_t model = assay_tile_block(unit, i->factor_is_bf16 ? tile_bf16 : tile_f16, i->sum_is_f16 ? tile_f16 : tile_f32,
                                          t->a, t->b, i->terms, c);
  report(which, what, place, block(which, t->a, t->b, c), model, claimed);
}

/* How many bits of an addend stay beside a larger one at `place` that another term takes away again. */
static int kept_bits(int which, int place, int other, int of_c) {
  int kept = 0;
  for (int s = 1; s <= 36; ++s) {
    struct terms t = {{0}, {0}};
    const int top = instructions[which].factor_is_bf16 || !of_c ? 15 : 10;
    const int small = top - s;
    put(&t, which, place, top, 0);
    put(&t, which, other, top, 1);
    uint32_t c = 0;
    if (of_c) {
      if (instructions[which].sum_is_f16 && small < -24) break;
      c = sum_of(which, small, 0);
    } else {
      if (small / 2 < -24) break;
      int third = 0;
      while (third == place || third == other) ++third;
      put(&t, which, third, small, 0);
    }
    if (block(which, t.a, t.b, c) != 0) kept = s;
  }
  return kept;
}

/* Ones in all places, a large term at p and minus it at q: what is added after both are gone survives. */
static int survivors(int which, int p, int q) {
  struct terms t = {{0}, {0}};
  for (int k = 0; k < instructions[which].terms; ++k) put(&t, which, k, 0, 0);
  put(&t, which, p, 30, 0);
  put(&t, which, q, 30, 1);
  const uint32_t bits = block(which, t.a, t.b, 0);
  float f;
  memcpy(&f, &bits, sizeof f);
  return (int)f;
}

static void probe(int which, int unit) {
  const struct instruction* const i = &instructions[which];
  const int last = i->terms - 1;
  printf("%s\n", i->name);
  printf("  bits kept below the largest addend: c %d, a term %d, a term of the other half %d (model %d)\n",
         kept_bits(which, 0, 1, 1), kept_bits(which, 0, 1, 0), kept_bits(which, last - 1, last, 0), unit == 80 ? 24 : 25);
  if (!i->sum_is_f16)
    printf("  ones that survive 2^30 at p and -2^30 at q: (0, 1) %d, (0, last) %d, (last - 1, last) %d: %d terms at once (model %d)\n",
           survivors(which, 0, 1), survivors(which, 0, last), survivors(which, last - 1, last),
           i->terms - survivors(which, 0, 1), unit == 80 ? 8 : i->terms);
  for (int place = 0; place <= last; ++place) {
    for (int negative = 0; negative < 2; ++negative) {
      for (int s = 22; s <= 28; ++s) {
        struct terms t = {{0}, {0}};
        const int other = place == 0 ? 1 : 0;
        put(&t, which, other, 4, 0);
        t.a[place] = (uint16_t)(factor(which, (4 - s) / 2, negative) | (i->factor_is_bf16 ? 0x40 : 0x200)); /* 1.5 times */
        t.b[place] = factor(which, 4 - s - (4 - s) / 2, 0);
        compare(which, unit, s == 24 ? "16 and 1.5 * 2^-20" : "16 and a small term, cut", place, &t, sum_of(which, 4, 1), 1);
      }
    }
  }
  for (int negative = 0; negative < 2; ++negative) {
    struct terms t = {{0}, {0}};
    put(&t, which, 0, 0, negative);
    put(&t, which, 1, i->sum_is_f16 ? -11 : -24, negative);
    compare(which, unit, "rounding of the result: a tie", -1, &t, 0, 1);
    t.a[1] = (uint16_t)(t.a[1] | 1);
    compare(which, unit, "rounding of the result: above a tie", -1, &t, 0, 1);
    memset(&t, 0, sizeof t);
    put(&t, which, 0, i->factor_is_bf16 ? -130 : -20, negative);
    compare(which, unit, "a subnormal or small result", -1, &t, 0, 1);
  }
  struct terms t = {{0}, {0}};
  put(&t, which, 0, 15, 0);
  put(&t, which, 1, 15, 0);
  if (i->sum_is_f16) compare(which, unit, "2^15 + 2^15 at f16", -1, &t, 0, 1);
  memset(&t, 0, sizeof t);
  t.a[0] = factor(which, 0, 1);
  compare(which, unit, "-1 * 0 - 0: the sign of a zero", -1, &t, i->sum_is_f16 ? 0x8000 : 0x80000000u, 0);
  if (!i->factor_is_bf16) return;
  memset(&t, 0, sizeof t);
  put(&t, which, 0, 127, 0);
  compare(which, unit, "2^127 + 2^127: the largest or an infinity", -1, &t, sum_of(which, 127, 0), 1);
  memset(&t, 0, sizeof t);
  t.b[0] = factor(which, 127, 0);
  compare(which, unit, "0 * 2^127 beside 1 + 2^-23", -1, &t, 0x3f800001u, 0);
  for (int e = -148; e >= -162; --e) {
    memset(&t, 0, sizeof t);
    for (int k = 0; k <= last; ++k) put(&t, which, k, e, 0);
    char what[64];
    snprintf(what, sizeof what, "%d terms of 2^%d, c = 0: the least E", i->terms, e);
    compare(which, unit, what, -1, &t, 0, 0);
  }
}

static void probe_f64(void) {
  /* Terms for which every order of fused operations, and one exact sum, give another result. */
  const double a[4] = {1 + 0x1p-30, 0x1p-31, -0x1p-29, 0x1p-40}, b[4] = {1 + 0x1p-30, 0x1p-31, 1, 0x1p-40}, c = -1;
  double chain = c, back = c, apart = c;
  for (int k = 0; k < 4; ++k) {
    chain = fma(a[k], b[k], chain);
    back = fma(a[3 - k], b[3 - k], back);
    apart = apart + a[k] * b[k];
  }
  const double found = block_f64(a, b, c);
  if (found != chain) ++differences;
  printf("m8n8k4 f64\n  %a: fused in order %a, in reverse %a, rounded apart %a%s\n", found, chain, back, apart,
         found != chain ? "  DIFFERS" : "");
}

/* Term `place` becomes 2^exponent, or minus it, at e4m3. */
static void put_f8(uint8_t* a, uint8_t* b, int place, int exponent, int negative) {
  const int halves[2] = {exponent / 2, exponent - exponent / 2};
  uint8_t bits[2];
  for (int h = 0; h < 2; ++h) bits[h] = (uint8_t)(halves[h] < -6 ? 1 << (halves[h] + 9) : (halves[h] + 7) << 3);
  a[place] = (uint8_t)(bits[0] | negative << 7);
  b[place] = bits[1];
}

/* Like kept_bits. */
static int kept_bits_f8(int place, int other, int of_c) {
  enum { top = 15, least = -17 };
  int kept = 0;
  for (int s = 1; s <= top - least; ++s) {
    uint8_t a[most_f8] = {0}, b[most_f8] = {0};
    uint32_t c = 0;
    put_f8(a, b, place, top, 0);
    put_f8(a, b, other, top, 1);
    if (of_c) {
      c = (uint32_t)(top - s + 127) << 23;
    } else {
      put_f8(a, b, place == 0 || other == 0 ? 2 : 0, top - s, 0);
    }
    if (block_f8(a, b, c) != 0) kept = s;
  }
  return kept;
}

static int survivors_f8(int p, int q) {
  uint8_t a[most_f8], b[most_f8];
  for (int k = 0; k < most_f8; ++k) put_f8(a, b, k, -16, 0);
  put_f8(a, b, p, 15, 0);
  put_f8(a, b, q, 15, 1);
  const uint32_t bits = block_f8(a, b, 0);
  float f;
  memcpy(&f, &bits, sizeof f);
  return (int)(f * 65536);
}

/* No text uses this instruction, since the published models disagree about it: all is open. */
static void probe_f8(void) {
  printf("m16n8k32 f32 e4m3\n");
  if (!has_f8) {
    printf("  not asked: there is no model, and no device of compute capability 8.9 or later  (open)\n");
    return;
  }
  printf("  bits kept below the largest addend: c %d, a term %d, a term of the other half %d  (open: 25 or 13)\n",
         kept_bits_f8(0, 1, 1), kept_bits_f8(0, 1, 0), kept_bits_f8(30, 31, 0));
  printf("  terms of 2^-16 that survive 2^15 at p and -2^15 at q: (0, 1) %d, (0, 31) %d, (30, 31) %d  (open)\n",
         survivors_f8(0, 1), survivors_f8(0, 31), survivors_f8(30, 31));
  const uint8_t none[most_f8] = {0};
  printf("  1 + 2^-23 and no term: %08x, 1 + 2^-13 and no term: %08x  (open: are the last 10 bits cut?)\n",
         block_f8(none, none, 0x3f800001u), block_f8(none, none, 0x3f800400u));
}

int main(int count, char** arguments) {
  const int unit = unit_here(count > 1 ? arguments[1] : NULL);
  printf("beside the model of sm_%d\n", unit);
  for (int which = 0; which < instruction_count; ++which) probe(which, unit);
  probe_f64();
  probe_f8();
  printf(differences == 0 ? "tile_probe: as the model says\n" : "tile_probe: %d points differ from the model\n", differences);
  return differences == 0 ? 0 : 1;
}
