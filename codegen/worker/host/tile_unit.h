/* The arithmetic of matrix instructions as published models of two generations of devices state it (spec/tiles.md, MMA-6 to
 * MMA-11), on the bits of the operands. */
#ifndef ASSAY_WORKER_TILE_UNIT_H
#define ASSAY_WORKER_TILE_UNIT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum assay_tile_type { tile_f16, tile_bf16, tile_f32 };

/* One fused sum: c, of type `sum` (f16 or f32), and `count` products of factors of type `factor`; addends are cut to
 * `fraction` bits below the greatest exponent. */
uint32_t assay_fused_sum(enum assay_tile_type factor, enum assay_tile_type sum, int fraction, const uint16_t* a,
                         const uint16_t* b, int count, uint32_t c);
/* A block of terms for one cell on the generation `unit` (80, 90): its fused sums in order. */
uint32_t assay_tile_block(int unit, enum assay_tile_type factor, enum assay_tile_type sum, const uint16_t* a,
                          const uint16_t* b, int terms, uint32_t c);

/* What units of CUDA text call on the CPU. `line` tells calls apart: the 32 lanes of a warp make the same one. The fragments are
 * those of mma.sync: `sum` and `factor` name its types, 'h' f16, 'b' bf16, 'f' f32, 'd' f64, and for integers with sums of
 * 32 bits 's' or 'u' for A and B in turn. */
void assay_mma(int line, int unit, const char* types, int terms, void* c, const void* a, const void* b);
/* ldmatrix of `count` matrices of 8 x 8 elements of 16 bits: lanes 8m to 8m + 7 give the rows of matrix m. */
void assay_ldmatrix(int line, uint32_t* to, const void* row, int count, int transposed);

#ifdef __cplusplus
}
#endif

#endif
