/* CUDA text to PTX (nvrtc.c). */
#ifndef ASSAY_WORKER_NVRTC_H
#define ASSAY_WORKER_NVRTC_H

/* Compiles the file `input` with NVRTC, the library at that path, and writes PTX, or for an architecture sm_N
 * machine code, to `output`. What the compiler says goes to
 * standard error. Returns 0, 1 when the text does not compile, or 2. */
int compile_by_nvrtc(const char* library, const char* input, const char* output, int options, char* const* option);

#endif
