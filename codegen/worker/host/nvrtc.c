/* CUDA text to PTX or machine code by NVRTC, the compiler library of CUDA, in a process of its own: the worker's program, started with other
 * arguments. The library is loaded here and by nobody else, so neither the build nor any other run needs it. */
#include "nvrtc.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
  int (*create)(void**, const char*, const char*, int, const char* const*, const char* const*);
  int (*compile)(void*, int, const char* const*);
  int (*log_size)(void*, size_t*);
  int (*log)(void*, char*);
  int (*ptx_size)(void*, size_t*);
  int (*ptx)(void*, char*);
  int (*code_size)(void*, size_t*);
  int (*code)(void*, char*);
} rtc;

static int load(const char* path) {
  static const struct {
    const char* name;
    void* to;
  } calls[] = {{"nvrtcCreateProgram", &rtc.create},         {"nvrtcCompileProgram", &rtc.compile},
               {"nvrtcGetProgramLogSize", &rtc.log_size}, {"nvrtcGetProgramLog", &rtc.log},
               {"nvrtcGetPTXSize", &rtc.ptx_size},          {"nvrtcGetPTX", &rtc.ptx},
               {"nvrtcGetCUBINSize", &rtc.code_size},       {"nvrtcGetCUBIN", &rtc.code}};
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return 0;
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
    void* const found = dlsym(library, calls[i].name);
    if (found == NULL) return 0;
    memcpy(calls[i].to, &found, sizeof found);
  }
  return 1;
}

static char* read_all(const char* path) {
  FILE* const file = fopen(path, "rb");
  if (file == NULL) return NULL;
  const long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  char* text = size < 0 ? NULL : calloc((size_t)size + 1, 1);
  rewind(file);
  if (text != NULL && fread(text, 1, (size_t)size, file) != (size_t)size) {
    free(text);
    text = NULL;
  }
  fclose(file);
  return text;
}

int compile_by_nvrtc(const char* library, const char* input, const char* output, int options, char* const* option) {
  if (!load(library)) {
    const char* const why = dlerror();
    fprintf(stderr, "%s\n", why != NULL ? why : "this is not NVRTC");
    return 2;
  }
  char* const text = read_all(input);
  void* program = NULL;
  if (text == NULL || rtc.create(&program, text, "unit.cu", 0, NULL, NULL) != 0) return 2;
  const int state = rtc.compile(program, options, (const char* const*)option);
  size_t size = 0;
  if (rtc.log_size(program, &size) == 0 && size > 1) {
    char* const log = calloc(size + 1, 1);
    if (log != NULL && rtc.log(program, log) == 0) fputs(log, stderr);
    free(log);
  }
  if (state != 0) return 1;
  /* For an architecture sm_N there is machine code. */
  int code = 0;
  for (int i = 0; i < options; ++i) code = code || strncmp(option[i], "--gpu-architecture=sm_", 22) == 0;
  if ((code ? rtc.code_size : rtc.ptx_size)(program, &size) != 0 || size == 0) return 2;
  char* const image = calloc(size + 1, 1);
  FILE* const file = fopen(output, "wb");
  if (image == NULL || file == NULL || (code ? rtc.code : rtc.ptx)(program, image) != 0) return 2;
  const size_t length = code ? size : strlen(image); /* the size of PTX counts the zero byte at the end */
  return fwrite(image, 1, length, file) == length && fclose(file) == 0 ? 0 : 2;
}
