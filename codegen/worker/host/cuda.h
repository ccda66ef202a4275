/* What units of CUDA text call when a GPU runs them (cuda.c). */
#ifndef ASSAY_WORKER_CUDA_H
#define ASSAY_WORKER_CUDA_H

#include <stdint.h>

/* Loads `image`, PTX, once, and launches one of its kernels; `arguments` are pointers to their values. Returns 0, 5 too many
 * threads, 6 too much shared memory, 7 too many groups, or 9. */
int assay_cuda_launch(const char* image, const char* name, void* const* arguments, const uint64_t* grid,
                      const uint64_t* block, uint64_t shared);
/* Runs the launches of a program on copies of the buffers in device memory, on the first device whose compute capability is
 * `generation` (80: 8.0), or on the first one where that is 0. 8: there is no device, 13: there is none of that generation. */
int assay_cuda_run(int generation, int (*run)(const long long*, void* const*), const long long* parameters,
                   void* const* buffers, const uint64_t* bytes, const unsigned char* writable, int count);

#endif
