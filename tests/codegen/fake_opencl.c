/* A platform of OpenCL in place of a real one, that builds nothing: what is refused is refused before. The first platform has no
 * device. $FAKE_OPENCL_LACKS takes away what it names: `device`, `f64`, `subnormals`, `division`, `threads`, `local`. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int lacks(const char* what) {
  const char* const chosen = getenv("FAKE_OPENCL_LACKS");
  return chosen != NULL && strcmp(chosen, what) == 0;
}
static int something;

/* What a call that makes something returns; `error` may be left out. */
static void* made(int wrong, int* error) {
  if (error != NULL) *error = wrong;
  return wrong ? NULL : &something;
}

int clGetPlatformIDs(uint32_t room, void** platforms, uint32_t* count) {
  for (uint32_t p = 0; p < room && p < 2; ++p) platforms[p] = (char*)&something + p;
  *count = 2;
  return 0;
}
int clGetDeviceIDs(void* platform, uint64_t kind, uint32_t room, void** devices, uint32_t* count) {
  if (platform == &something || lacks("device")) return -1;
  *count = 1;
  *devices = &something;
  return kind == 0 || room == 0;
}
int clGetDeviceInfo(void* device, uint32_t what, size_t room, void* value, size_t* size) {
  uint64_t numbers[3] = {0, 64, 64};
  size_t count = 1;
  if (device == NULL || size != NULL) return -1;
  switch (what) {
    case 0x1032: numbers[0] = lacks("f64") ? 0 : 0xBF; break;
    case 0x101B: numbers[0] = 0xBF & ~(lacks("subnormals") ? 1u : lacks("division") ? 0x80u : 0u); break;
    case 0x1004: numbers[0] = lacks("threads") ? 4 : 1024; break;
    case 0x1005:
      numbers[0] = 1024;
      count = 3;
      break;
    case 0x1023: numbers[0] = lacks("local") ? 16 : 49152; break;
    default: return -1;
  }
  memcpy(value, numbers, room < 8 * count ? room : 8 * count);
  return 0;
}
void* clCreateContext(const intptr_t* p, uint32_t n, void* const* d, void* f, void* u, int* error) {
  return made(p != NULL || n != 1 || d == NULL || f != NULL || u != NULL, error);
}
void* clCreateCommandQueue(void* c, void* d, uint64_t p, int* error) {
  return made(c == NULL || d == NULL || p != 0, error);
}
void* clCreateProgramWithSource(void* c, uint32_t n, const char** text, const size_t* length, int* error) {
  return made(c == NULL || n != 1 || strstr(*text, "__kernel") == NULL || length != NULL, error);
}
int clBuildProgram(void* p, uint32_t n, void* const* d, const char* options, void* f, void* u) {
  return p == NULL || n != 1 || d == NULL || options == NULL || f != NULL || u != NULL || 1;
}
void* clCreateBuffer(void* c, uint64_t flags, size_t bytes, void* host, int* error) {
  return made(c == NULL || flags == 0 || bytes == 0 || host != NULL, error);
}
int clEnqueueWriteBuffer(void) { return 0; }
/* Never called, since nothing is built. */
void clCreateKernel(void) { abort(); }
void clGetKernelInfo(void) { abort(); }
void clGetKernelWorkGroupInfo(void) { abort(); }
void clSetKernelArg(void) { abort(); }
void clEnqueueReadBuffer(void) { abort(); }
void clEnqueueNDRangeKernel(void) { abort(); }
void clFinish(void) { abort(); }
