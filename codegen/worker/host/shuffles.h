/* The shuffles and votes of a warp, for CUDA text on the CPU (shuffles.c). `line` tells them apart, as it does barriers. */
#ifndef ASSAY_WORKER_SHUFFLES_H
#define ASSAY_WORKER_SHUFFLES_H

#include <stddef.h>

/* Puts the value of the lane `source` in place of this lane's; at most eight bytes. */
void assay_shuffle(int line, unsigned lanes, void* value, size_t bytes, int source);
/* 1 in all lanes when the value of one of them is not 0, else 0. */
int assay_any(int line, unsigned lanes, int value);
/* Waits for the lanes. */
void assay_meet_only(int line, unsigned lanes);

#endif
