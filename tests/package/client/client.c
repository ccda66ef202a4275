/* The C API of an installed Assay: client PROGRAM SCHEDULE prints the JSON of a check. */
#include <assay/assay.h>
#include <stdio.h>
#include <stdlib.h>

static char* contents(const char* path) {
  static const size_t limit = 1 << 20;
  char* const text = calloc(1, limit);
  FILE* const file = fopen(path, "rb");
  if (text == NULL || file == NULL || fread(text, 1, limit - 1, file) == 0) exit(2);
  fclose(file);
  return text;
}

int main(int argc, char** argv) {
  if (argc != 3 || assay_abi_version() != ASSAY_ABI_VERSION) return 2;
  char* const program = contents(argv[1]);
  char* const schedule = contents(argv[2]);
  assay_options* const options = assay_options_new();
  assay_answer* answer = NULL;
  assay_error* error = assay_options_set(options, "licence", "exact");
  if (error == NULL) error = assay_check(program, schedule, options, &answer);
  if (error != NULL) {
    fprintf(stderr, "%s\n", assay_error_message(error));
    return 2;
  }
  fputs(assay_answer_json(answer), stdout);
  const int status = assay_answer_status(answer);
  assay_answer_delete(answer);
  assay_options_delete(options);
  free(schedule);
  free(program);
  return status;
}
