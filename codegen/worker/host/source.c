/* The in-memory compiler of a module host: libtcc, in this process and in no other.
 *
 * Texts include no header: they declare what they call (codegen/c/dialect.cpp), and every function that they may call is
 * named here. So neither headers nor libraries of a C compiler are needed where this runs. */
#include "host.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef ASSAY_HAS_TCC
#include <fenv.h>
#include <libtcc.h>
#include <math.h>
#include <string.h>

struct source_module {
  TCCState* state;
};

/* Conversions between 64-bit unsigned integers and floats, which tcc calls by names of its own. */
static float to_float(uint64_t a) { return (float)a; }
static double to_double(uint64_t a) { return (double)a; }
static long double to_long_double(uint64_t a) { return (long double)a; }
static uint64_t from_float(float a) { return (uint64_t)a; }
static uint64_t from_double(double a) { return (uint64_t)a; }
static uint64_t from_long_double(long double a) { return (uint64_t)a; }

static const struct {
  const char* name;
  const void* at;
} symbols[] = {
#define SYMBOL(call) \
  { #call, (const void*)(call) }
#define THREE(call) SYMBOL(call), SYMBOL(call##f), SYMBOL(call##l)
    SYMBOL(abort),
    SYMBOL(calloc),
    SYMBOL(free),
    SYMBOL(malloc),
    SYMBOL(memcmp),
    SYMBOL(memcpy),
    SYMBOL(memmove),
    SYMBOL(memset),
    SYMBOL(fegetround),
    THREE(ceil),
    THREE(cos),
    THREE(exp),
    THREE(exp2),
    THREE(fabs),
    THREE(floor),
    THREE(fma),
    THREE(ldexp),
    THREE(log),
    THREE(log2),
    THREE(nearbyint),
    THREE(pow),
    THREE(rint),
    THREE(sin),
    THREE(sqrt),
    THREE(tanh),
    THREE(trunc),
    {"__floatundisf", (const void*)to_float},
    {"__floatundidf", (const void*)to_double},
    {"__floatundixf", (const void*)to_long_double},
    {"__fixunssfdi", (const void*)from_float},
    {"__fixunsdfdi", (const void*)from_double},
    {"__fixunsxfdi", (const void*)from_long_double}};

static void take_message(void* to, const char* message) {
  char* const text = to;
  const size_t used = strnlen(text, most_text);
  if (used + 1 < most_text) snprintf(text + used, most_text - used, "%s\n", message);
}

struct source_module* load_source(const char* text, char* message, size_t room) {
  static struct source_module module;
  (void)room; /* it is most_text */
  module.state = tcc_new();
  if (module.state == NULL) return NULL;
  tcc_set_error_func(module.state, message, take_message);
  tcc_set_options(module.state, "-nostdlib -nostdinc -Werror -Wimplicit-function-declaration");
  tcc_set_output_type(module.state, TCC_OUTPUT_MEMORY);
  for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; ++i)
    tcc_add_symbol(module.state, symbols[i].name, symbols[i].at);
  if (tcc_compile_string(module.state, text) != 0) return NULL;
  return tcc_relocate(module.state, TCC_RELOCATE_AUTO) == 0 ? &module : NULL;
}

void* find_in_source(struct source_module* module, const char* name) { return tcc_get_symbol(module->state, name); }

#else

struct source_module {
  int unused;
};

struct source_module* load_source(const char* text, char* message, size_t room) {
  (void)text;
  snprintf(message, room, "this worker was built without libtcc");
  return NULL;
}

void* find_in_source(struct source_module* module, const char* name) {
  (void)module;
  (void)name;
  return NULL;
}

#endif
