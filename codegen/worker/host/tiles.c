/* mma.sync and ldmatrix for fibers: the 32 lanes of a warp meet, and one call computes what all of them get. The places of
 * elements in the fragments of the lanes are those of the PTX manual. */
#include <math.h>
#include <string.h>

#include "fibers.h"
#include "tile_unit.h"

enum { lanes_of_a_warp = 32, most_rows = 16, columns = 8, most_terms = 32 };
static const unsigned all_lanes = 0xffffffffu;

/* One lane's part of a product. */
struct product {
  int unit;
  const char* types;
  int terms;
  void* c;
  const void *a, *b;
};

/* Element k of row `row` of A (or of a column of B), as its bits: `each` of them in a register; two rows of registers in A. */
static uint32_t element(const void* registers, int bits, int rows_of_registers, int row, int k) {
  const int each = 32 / bits;
  uint32_t word;
  memcpy(&word, (const char*)registers + (row / 8 + rows_of_registers * (k / (4 * each))) * (int)sizeof word,
         sizeof word);
  return word >> (k % each * bits) & ((UINT32_C(1) << bits) - 1);
}
static int lane_of(int bits, int row, int k) { return row % 8 * 4 + k / (32 / bits) % 4; }

static void multiply_f64(const struct product* const* lanes) {
  for (int lane = 0; lane < lanes_of_a_warp; ++lane) {
    for (int q = 0; q < 2; ++q) {
      const int row = lane / 4, column = lane % 4 * 2 + q;
      double* const c = (double*)lanes[lane]->c + q;
      for (int k = 0; k < 4; ++k)
        *c = fma(*(const double*)lanes[row * 4 + k]->a, *(const double*)lanes[column * 4 + k]->b, *c);
    }
  }
}

static int32_t of_8_bits(char type, uint32_t bits) { return type == 's' ? (int8_t)bits : (int32_t)bits; }

/* One cell from its row of A and column of B. */
static void add(const struct product* p, const uint16_t* a, const uint16_t* b, int q) {
  if (p->types[0] == 's') {
    uint32_t sum;
    memcpy(&sum, (char*)p->c + q * (int)sizeof sum, sizeof sum);
    for (int k = 0; k < p->terms; ++k) sum += (uint32_t)(of_8_bits(p->types[1], a[k]) * of_8_bits(p->types[2], b[k]));
    memcpy((char*)p->c + q * (int)sizeof sum, &sum, sizeof sum);
    return;
  }
  const enum assay_tile_type factor = p->types[1] == 'h' ? tile_f16 : tile_bf16;
  const int wide = p->types[0] == 'f', bytes = wide ? 4 : 2;
  uint32_t sum = 0; /* little-endian: its first bytes are its low ones */
  memcpy(&sum, (char*)p->c + q * bytes, (size_t)bytes);
  sum = assay_tile_block(p->unit, factor, wide ? tile_f32 : tile_f16, a, b, p->terms, sum);
  memcpy((char*)p->c + q * bytes, &sum, (size_t)bytes);
}

static void multiply(void* const* mine, unsigned lanes) {
  (void)lanes;
  const struct product* of_lane[lanes_of_a_warp];
  for (int lane = 0; lane < lanes_of_a_warp; ++lane) of_lane[lane] = mine[lane];
  const struct product* const p = of_lane[0];
  if (p->types[0] == 'd') {
    multiply_f64(of_lane);
    return;
  }
  const int bits = p->types[1] == 'h' || p->types[1] == 'b' ? 16 : 8;
  uint16_t a[most_rows][most_terms], b[columns][most_terms];
  for (int k = 0; k < p->terms; ++k) {
    for (int row = 0; row < most_rows; ++row)
      a[row][k] = (uint16_t)element(of_lane[lane_of(bits, row, k)]->a, bits, 2, row, k);
    for (int column = 0; column < columns; ++column)
      b[column][k] = (uint16_t)element(of_lane[lane_of(bits, column, k)]->b, bits, 1, column, k);
  }
  for (int lane = 0; lane < lanes_of_a_warp; ++lane) {
    for (int q = 0; q < 4; ++q) add(of_lane[lane], a[lane / 4 + q / 2 * 8], b[lane % 4 * 2 + q % 2], q);
  }
}

void assay_mma(int line, int unit, const char* types, int terms, void* c, const void* a, const void* b) {
  struct product mine = {unit, types, terms, c, a, b};
  assay_meet(line, all_lanes, multiply, &mine);
}

/* One lane's part of ldmatrix. */
struct matrices {
  uint32_t* to;
  const void* row;
  int count, transposed;
};

static void load(void* const* mine, unsigned lanes) {
  (void)lanes;
  for (int lane = 0; lane < lanes_of_a_warp; ++lane) {
    const struct matrices* const own = mine[lane];
    const int first = lane / 4, second = lane % 4 * 2;
    for (int m = 0; m < own->count; ++m) {
      uint16_t pair[2];
      for (int e = 0; e < 2; ++e) {
        const int i = own->transposed ? second + e : first, j = own->transposed ? first : second + e;
        const struct matrices* const giver = mine[8 * m + i];
        memcpy(&pair[e], (const char*)giver->row + j * (int)sizeof pair[e], sizeof pair[e]);
      }
      memcpy(&own->to[m], pair, sizeof pair);
    }
  }
}

void assay_ldmatrix(int line, uint32_t* to, const void* row, int count, int transposed) {
  struct matrices mine = {to, row, count, transposed};
  assay_meet(line, all_lanes, load, &mine);
}
