/* What lanes of a warp tell one another: the shuffles and votes of CUDA, on fibers that meet (fibers.c). */
#include "shuffles.h"

#include <stdlib.h>
#include <string.h>

#include "fibers.h"

enum { warp_lanes = 32, most_bytes = 8 };

struct shuffle {
  void* value;
  size_t bytes;
  int source;
};

/* All values are read before one is replaced. */
static void exchange(void* const* mine, unsigned lanes) {
  unsigned char values[warp_lanes][most_bytes];
  for (int lane = 0; lane < warp_lanes; ++lane) {
    const struct shuffle* const s = mine[lane];
    if (s != NULL) memcpy(values[lane], s->value, s->bytes);
  }
  for (int lane = 0; lane < warp_lanes; ++lane) {
    const struct shuffle* const s = mine[lane];
    if (s == NULL) continue;
    if (s->source < 0 || s->source >= warp_lanes || (lanes >> s->source & 1) == 0) abort(); /* no lane to read from */
    memcpy(s->value, values[s->source], s->bytes);
  }
}

static void vote(void* const* mine, unsigned lanes) {
  int any = 0;
  (void)lanes;
  for (int lane = 0; lane < warp_lanes; ++lane) any = any || (mine[lane] != NULL && *(const int*)mine[lane] != 0);
  for (int lane = 0; lane < warp_lanes; ++lane) {
    if (mine[lane] != NULL) *(int*)mine[lane] = any;
  }
}

static void nothing(void* const* mine, unsigned lanes) {
  (void)mine;
  (void)lanes;
}

void assay_shuffle(int line, unsigned lanes, void* value, size_t bytes, int source) {
  struct shuffle mine = {value, bytes, source};
  if (bytes > most_bytes) abort();
  assay_meet(line, lanes, exchange, &mine);
}

int assay_any(int line, unsigned lanes, int value) {
  assay_meet(line, lanes, vote, &value);
  return value;
}

void assay_meet_only(int line, unsigned lanes) { assay_meet(line, lanes, nothing, &lanes); }
