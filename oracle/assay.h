/* The C API: the text of a program and of a schedule in, a verdict and the JSON of `assay check --json` out (LIB-…).
 *
 * Handles are opaque. A call that can go wrong returns an error, or NULL when it went well; an error is a message to print
 * and is released with assay_error_delete. A wrong text is not an error of the call: it is an answer of status 2, whose JSON
 * says what is wrong and where. Nothing is thrown. Calls on different handles may run at the same time in different threads;
 * one handle belongs to one thread at a time. Texts are UTF-8. Every _delete accepts NULL.
 */
#ifndef ASSAY_ASSAY_H
#define ASSAY_ASSAY_H

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when an existing function changes; adding functions does not raise it. */
#define ASSAY_ABI_VERSION 1
int assay_abi_version(void);
/* "0.1.0". Lives as long as the program. */
const char* assay_version(void);

typedef struct assay_error assay_error;
/* The message; lives as long as the error. */
const char* assay_error_message(const assay_error* error);
void assay_error_delete(assay_error* error);

typedef struct assay_options assay_options;
/* The defaults of the command line. NULL when memory is exhausted. */
assay_options* assay_options_new(void);
/* Sets an option by the name that it has on the command line, without dashes:
 *   "licence"   "exact", "reassociates" or "rounds"       (check)
 *   "budget"    "1" to "1000000"                          (check, lint)
 *   "param"     "n=7"; adds to the earlier ones           (check, lint)
 *   "backends"  one name, as "interp" or "c"; adds        (check)
 *   "require"   one name; adds                            (check) */
assay_error* assay_options_set(assay_options* options, const char* name, const char* value);
void assay_options_delete(assay_options* options);

typedef struct assay_answer assay_answer;
/* Judges a schedule: every step proved, interpreted and executed. `schedule` may be NULL: the first schedule of `program`
 * then, or none. `options` may be NULL. On success *answer holds the answer; on an error it is NULL. Runs the C compiler
 * and what it compiled in child processes. */
assay_error* assay_check(const char* program, const char* schedule, const assay_options* options,
                         assay_answer** answer);
/* Judges a program alone: bounds, undefined reads, races, coverage. */
assay_error* assay_lint(const char* program, const assay_options* options, assay_answer** answer);
/* The verdict word ("legal", "undecided" …) and the exit status that the command would have (0, 1, 2, 3, 4, 70). */
const char* assay_answer_verdict(const assay_answer* answer);
int assay_answer_status(const assay_answer* answer);
/* The JSON object of the command (schema 1), and the screen that it prints without colour. Live as long as the answer. */
const char* assay_answer_json(const assay_answer* answer);
const char* assay_answer_text(const assay_answer* answer);
void assay_answer_delete(assay_answer* answer);

#ifdef __cplusplus
}
#endif
#endif
