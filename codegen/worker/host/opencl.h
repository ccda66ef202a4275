/* What units of OpenCL text call (opencl.c). */
#ifndef ASSAY_WORKER_OPENCL_H
#define ASSAY_WORKER_OPENCL_H

#include <stdint.h>

/* Builds `source` once and launches one of its kernels; `arguments` end with NULL. Returns 0, 5 too many threads, 6 too much
 * shared memory, 9, or 16: the platform does not compile the text. */
int assay_opencl_launch(int simulate, const char* source, const char* name, void* const* arguments,
                        const uint64_t* grid, const uint64_t* block, uint64_t shared);
/* Runs the launches of a program on copies of the buffers. 8: there is no OpenCL; 12: the simulator reports something;
 * 14: the device has no f64; 15: its f32 is not that of IEEE 754. */
int assay_opencl_run(int simulate, int (*run)(const long long*, void* const*), const long long* parameters,
                     void* const* buffers, const uint64_t* bytes, const unsigned char* writable, int count);

#endif
