#ifndef FLOPCAST_FLOPCAST_H
#define FLOPCAST_FLOPCAST_H

/* flopcast for C: tensor contractions that are planned once and executed often, tuned block sizes, predictions, and every command of
   the program `flopcast` as a request and an answer in JSON. Link libflopcast (pkg-config flopcast, or the CMake target flopcast::c).

     flopcast_workbench* bench = NULL;
     flopcast_plan* plan = NULL;
     const int64_t shape_a[] = {8, 8, 50}, shape_b[] = {8, 50, 8, 50};
     const int64_t* const shapes[] = {shape_a, shape_b};
     const void* const operands[] = {a, b};
     if (flopcast_workbench_open(&bench, NULL) ||
         flopcast_plan_einsum(&plan, bench, "ija,jbic->abc", FLOPCAST_F64, 2, shapes, NULL, NULL, NULL, NULL) ||
         flopcast_execute(plan, NULL, 2, operands, NULL, NULL, c)) {
       fprintf(stderr, "%s\n", flopcast_error_message());
     }
     flopcast_plan_destroy(plan);
     flopcast_workbench_close(bench);

   Functions return a status: 0, or the exit code that `flopcast` has for the same error. After an error handles and results that were to be
   made are unchanged. Different threads may use different handles at once; flopcast_execute() may use one plan from several threads, and
   calls with one workbench wait for each other. Functions that end a handle take NULL, too. */

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define FLOPCAST_API __attribute__((visibility("default")))
#else
#define FLOPCAST_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Status of a function, which is the program's exit code for the same error. */
typedef int flopcast_status;
enum {
  FLOPCAST_DONE = 0,
  FLOPCAST_CHECK_FAILED = 1,         /**< a check that was asked for failed */
  FLOPCAST_USAGE = 2,                /**< an argument is no value that the function can have */
  FLOPCAST_BAD_INPUT = 3,            /**< a given file, size or name is wrong */
  FLOPCAST_ENVIRONMENT = 4,          /**< the machine, a library or the file system refuses; too little memory */
  FLOPCAST_UNUSABLE_MEASUREMENT = 5, /**< the measurement was made, but its result can't be used */
  FLOPCAST_INTERNAL = 70,            /**< a bug of flopcast */
  FLOPCAST_INTERRUPTED = 130         /**< flopcast_workbench_options::cancelled said so, or Ctrl-C ended a child process */
};

/** Returns the message of the last function that failed in this thread: problem, reason, remedy. The text is valid until the next failure
    in this thread. It is empty if nothing has failed. */
FLOPCAST_API const char* flopcast_error_message(void);

/** Returns the library's version, such as "1.0.0". */
FLOPCAST_API const char* flopcast_version(void);

/** Frees a text that a function made. */
FLOPCAST_API void flopcast_free(char* text);

/** The tools of one place: BLAS and LAPACK with threads set, the measured environment, the store of samples and models. */
typedef struct flopcast_workbench flopcast_workbench;

/** Options of a workbench. A member that is 0 or NULL has its default. */
typedef struct flopcast_workbench_options {
  size_t size;         /**< sizeof(flopcast_workbench_options) */
  const char* blas;    /**< name or path of the BLAS; default: the one that `flopcast machine` lists first for the threads */
  const char* lapack;  /**< name or path of the LAPACK */
  const char* kernels; /**< kernels of the BLAS: "auto" (default: those that suit the CPU best) or "library" (its own choice) */
  int32_t threads; /**< threads of the BLAS for predictions and requests, 1 to 1024; default: 1. Contractions have threads of their own */
  void (*note)(const char* text, void* user); /**< receives remarks, such as one that nothing can be kept */
  int (*cancelled)(void* user);               /**< polled by long operations; a result other than 0 ends them */
  void* user;                                 /**< passed to note and cancelled */
} flopcast_workbench_options;
#define FLOPCAST_WORKBENCH_OPTIONS \
  { sizeof(flopcast_workbench_options), NULL, NULL, NULL, 0, NULL, NULL, NULL }

/** Makes a workbench. Its libraries are opened, and the caches are measured, when they are first needed (up to 15 s, once per machine).
    `options` may be NULL. */
FLOPCAST_API flopcast_status flopcast_workbench_open(flopcast_workbench** bench, const flopcast_workbench_options* options);
/** Ends a workbench. Plans that were made with it go on. */
FLOPCAST_API void flopcast_workbench_close(flopcast_workbench* bench);

/** Type of a tensor's elements. */
typedef enum flopcast_type {
  FLOPCAST_F32 = 0, /**< float */
  FLOPCAST_F64 = 1, /**< double */
  FLOPCAST_C32 = 2, /**< complex of two floats */
  FLOPCAST_C64 = 3  /**< complex of two doubles */
} flopcast_type;

/** Effort with which a plan is chosen. */
typedef enum flopcast_effort {
  FLOPCAST_ESTIMATE = 0,   /**< a model decides; milliseconds */
  FLOPCAST_MICROBENCH = 1, /**< tiles of the best candidates are timed; tens of milliseconds */
  FLOPCAST_MEASURE = 2,    /**< the best candidates are executed on tensors of the planner's own */
  FLOPCAST_INCREMENTAL = 3 /**< a model decides at first; then each execution tries one of the best candidates and is timed, until the
                                fastest is known, after 2 to 80 executions. Executions with beta = 0 and others decide separately. What
                                was measured serves all plans of equal contractions of a workbench, and the decision is kept */
} flopcast_effort;

/** Order of the elements of tensors for which no strides are given. */
typedef enum flopcast_order { FLOPCAST_ROW_MAJOR = 0, FLOPCAST_COLUMN_MAJOR = 1 } flopcast_order;

/** A tensor's indices and its place in memory: element (i0, i1, ...) lies strides[0] i0 + strides[1] i1 + ... elements after the first. */
typedef struct flopcast_tensor {
  int32_t rank;           /**< number of indices, 0 to 1024; 0 for a scalar */
  int32_t conjugated;     /**< other than 0: the complex conjugate of the tensor is meant */
  const int32_t* labels;  /**< name of each index; an index has the same name in all tensors */
  const int64_t* extents; /**< elements along each index */
  const int64_t* strides; /**< in elements; NULL: dense in the options' order */
} flopcast_tensor;

/** Options of a plan. A member that is 0 has its default. */
typedef struct flopcast_plan_options {
  size_t size;        /**< sizeof(flopcast_plan_options) */
  int32_t effort;     /**< flopcast_effort; default: FLOPCAST_ESTIMATE */
  int32_t order;      /**< flopcast_order; default: FLOPCAST_ROW_MAJOR */
  int32_t threads;    /**< threads that share the contraction; default: 1 */
  int32_t fresh;      /**< other than 0: measure choices again that the store already has */
  double time_budget; /**< seconds for measuring candidates; default: 2 */
  /** Numbers of dimensions of the operands, and then of the result; default: as many as the notation has indices. A notation with `...`
      needs this member. Only flopcast_plan_einsum() reads it. */
  const int32_t* ranks;
  /** Largest number of bytes of the intermediates of three operands and more. Indices are cut into blocks where nothing else fits.
      Default: half of the available memory, which larger numbers don't exceed either. */
  double max_bytes;
  /** Strides and conjugation of C, which has the indices of D; other members aren't read. Default: C lies as D does, and isn't conjugated. */
  const flopcast_tensor* addend;
  /** A number for each operand of three and more. Operands with equal numbers from 0 on are one tensor, so that equal products are computed
      once. Default: no two operands are known to be one. */
  const int32_t* tensors;
} flopcast_plan_options;
#define FLOPCAST_PLAN_OPTIONS \
  { sizeof(flopcast_plan_options), 0, 0, 0, 0, 0.0, NULL, 0.0, NULL, NULL }

/** A prepared expression D := alpha A B ... + beta C of any number of operands A, B ... . Three operands and more are a tree of pairwise
    contractions with the shortest predicted time. */
typedef struct flopcast_plan flopcast_plan;

/** Plans an expression of `count` operands in NumPy's notation: "ij,jk->ik", "...i,i->...", "conj(ki),kj->ij", "iij->j". The notation must
    have as many operands. `shapes` has the shape of each operand, and `strides` the strides of each in elements, or NULL for a dense tensor
    in the options' order; `strides` itself may be NULL, too. Shapes and strides have as many numbers as the tensor has dimensions. An axis of
    size 1 is repeated where its index is longer in another operand. `result_shape` may be NULL; else it must be the shape of the result.
    `options` may be NULL. */
FLOPCAST_API flopcast_status flopcast_plan_einsum(flopcast_plan** plan, flopcast_workbench* bench, const char* notation, flopcast_type type,
                                                  int32_t count, const int64_t* const* shapes, const int64_t* const* strides,
                                                  const int64_t* result_shape, const int64_t* result_strides,
                                                  const flopcast_plan_options* options);

/** Plans an expression of `count` operands whose indices have numbers for names; texts show the numbers as characters if all of them are
    ASCII letters. Indices that the result lacks are summed. A tensor with the same index twice stands for its diagonal. `options` may be
    NULL. */
FLOPCAST_API flopcast_status flopcast_plan_from_labels(flopcast_plan** plan, flopcast_workbench* bench, flopcast_type type, int32_t count,
                                                       const flopcast_tensor* operands, const flopcast_tensor* result,
                                                       const flopcast_plan_options* options);

/** Computes D := alpha A B ... + beta C, where C has the strides of D unless the plan's options have others. `operands` has the address of the
    first element of each of the `count` operands, in the plan's order. `alpha` and `beta` point to numbers of the plan's type; NULL stands
    for 1 and 0. C and D are one tensor or don't overlap; D must not overlap an operand, and is unchanged after an error. With beta = 0, C is
    not read and may be NULL. */
FLOPCAST_API flopcast_status flopcast_execute(const flopcast_plan* plan, const void* alpha, int32_t count, const void* const* operands,
                                              const void* beta, const void* c, void* d);

/** Returns the expected time of flopcast_execute() in seconds; with effort FLOPCAST_INCREMENTAL, the best time so far. */
FLOPCAST_API flopcast_status flopcast_plan_seconds(const flopcast_plan* plan, double* seconds);
/** Returns whether a plan's choice is final: 1, or 0 while executions of a plan of effort FLOPCAST_INCREMENTAL try candidates. */
FLOPCAST_API flopcast_status flopcast_plan_decided(const flopcast_plan* plan, int32_t* decided);
/** Returns several lines on the choice, its reason and other candidates, to be freed by flopcast_free(). Of three operands and more, the text
    has the pairwise contractions with their flops, bytes and predicted seconds. */
FLOPCAST_API flopcast_status flopcast_plan_explain(const flopcast_plan* plan, char** text);
FLOPCAST_API void flopcast_plan_destroy(flopcast_plan* plan);

/** Tuned block sizes, as `flopcast tune --save` keeps them. */
typedef struct flopcast_tuning flopcast_tuning;

/** Reads a tuning file. NULL stands for the file that `flopcast tune --save` writes. */
FLOPCAST_API flopcast_status flopcast_tuning_open(flopcast_tuning** tuning, const char* file);
FLOPCAST_API void flopcast_tuning_close(flopcast_tuning* tuning);
/** Returns the tuned block size of a LAPACK routine for an m x n problem, 0 if the tuning file has none for such a problem. `routine` is a name
    such as "dgeqrf", or a name and ilaenv's options such as "dpotrf:L". */
FLOPCAST_API flopcast_status flopcast_tuned_block_size(const flopcast_tuning* tuning, const char* routine, int64_t m, int64_t n,
                                                       int64_t* nb);

/** Wisdom is what was decided once: tuned block sizes, kernels of BLAS libraries, plans of contractions. One file carries all of it. Programs
    find the user's own wisdom, and below it the system's (/etc/flopcast/wisdom), without these functions. */

/** Writes the user's own wisdom to a file, as a whole or not at all. Fails with FLOPCAST_BAD_INPUT if there is none yet. */
FLOPCAST_API flopcast_status flopcast_wisdom_export_to_filename(flopcast_workbench* bench, const char* file);
/** Adds the entries of a file that hold on this machine to the user's own, all or none. An entry of the file replaces one of the same name.
    `taken` and `left_out` get the numbers of entries and may be NULL. The workbench's `note` gets a remark for each entry that is skipped,
    with the reason. */
FLOPCAST_API flopcast_status flopcast_wisdom_import_from_filename(flopcast_workbench* bench, const char* file, int64_t* taken,
                                                                  int64_t* left_out);
/** Adds the entries of the system's wisdom that hold on this machine to the user's own, where the user has none of the same name. Both numbers
    are 0 if the system has no wisdom. Later changes of the system's file don't change the user's copy. */
FLOPCAST_API flopcast_status flopcast_wisdom_import_system(flopcast_workbench* bench, int64_t* taken, int64_t* left_out);

/** A problem of a LAPACK routine. A member that is 0 or NULL has its default. */
typedef struct flopcast_problem {
  size_t size;        /**< sizeof(flopcast_problem) */
  int64_t n;          /**< order; all sizes that aren't given are equal */
  int64_t m, k;       /**< other sizes */
  int64_t nb;         /**< block size; default: LAPACK's own */
  const char* flags;  /**< flags and other arguments: "uplo=L trans=T" */
  double time_budget; /**< seconds for sampling kernels that were never sampled; default: 10; a negative number: none are sampled */
} flopcast_problem;
#define FLOPCAST_PROBLEM \
  { sizeof(flopcast_problem), 0, 0, 0, 0, NULL, 0.0 }

/** A predicted time. */
typedef struct flopcast_prediction {
  size_t size;               /**< sizeof(flopcast_prediction) */
  double seconds;            /**< expected time */
  double low, high;          /**< 95 % interval, seconds */
  double flops;              /**< floating-point operations of the routine */
  double extrapolated_share; /**< share of the time outside of what was sampled, 0 to 1: small is good */
} flopcast_prediction;
#define FLOPCAST_PREDICTION \
  { sizeof(flopcast_prediction), 0.0, 0.0, 0.0, 0.0, 0.0 }

/** Predicts the time of a LAPACK routine without running it. */
FLOPCAST_API flopcast_status flopcast_predict(flopcast_workbench* bench, const char* routine, const flopcast_problem* problem,
                                              flopcast_prediction* prediction);

/** Runs the command that a request in JSON names, and returns the result's document, to be freed by flopcast_free():
      flopcast_ask(bench, "{\"tune\": {\"routine\": \"dgeqrf\", \"n\": [1000, 2000]}}", &answer)
    flopcast_schema("request", &text) describes all requests. Commands that measure, preload or relink run the program `flopcast` as a
    child, with the libraries that the workbench's options name. The program is found beside this library, or by FLOPCAST_LIBEXEC. */
FLOPCAST_API flopcast_status flopcast_ask(flopcast_workbench* bench, const char* request, char** answer);

/** Returns the JSON Schema of a document that flopcast takes or gives ("request", "tune", "flopcast-tune-3", ...), to be freed by
    flopcast_free(). */
FLOPCAST_API flopcast_status flopcast_schema(const char* name, char** text);

#ifdef __cplusplus
}
#endif

#endif
