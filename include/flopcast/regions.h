#ifndef FLOPCAST_REGIONS_H
#define FLOPCAST_REGIONS_H

/* Regions of a program's own code for `flopcast mpi`: kernels beside BLAS, LAPACK and MPI. A program links the small
   static library flopcast::regions (libflopcast_regions.a). Without flopcast the program runs as if it had no regions.
   The thread that called MPI_Init may call these functions between MPI_Init and MPI_Finalize; other calls have no
   effect.

     int64_t sizes[] = {m, n};
     flopcast_begin("pack", 2, sizes);
     ...
     flopcast_end();

     if (flopcast_kernel("block_to_cyclic", 2, sizes)) {  // false: its time is known, and the region is skipped
       ...
       flopcast_end();
     }

   A region's time is that of the computation inside it, BLAS and LAPACK calls included. Regions don't nest: code inside
   several belongs to the outermost. Sizes are the values on which the time depends, at most 8 of them. */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Begins a region that is always executed; `sizes` has `count` values, 0 to 8. */
void flopcast_begin(const char* name, int count, const int64_t* sizes);

/** Begins a region that may be skipped. Returns 1 if the program is to execute the region, which flopcast_end() then
    ends; 0 if the region's time is known and the region is skipped. Each process decides for itself, so the region may
    neither communicate nor steer the program. A region that has communicated once is always executed afterwards. */
int flopcast_kernel(const char* name, int count, const int64_t* sizes);

/** Ends the region that was begun last. */
void flopcast_end(void);

/** Takes this process's actions off the path, and puts later ones on it again. While stopped, everything is executed. */
void flopcast_stop(void);
void flopcast_start(void);

/** Forgets paths and counts, but keeps the statistics of kernels' times. All processes of MPI_COMM_WORLD must call it,
    with no communication under way. */
void flopcast_reset(void);

/** Goes on to the next of several configurations of the program in one launch of `flopcast mpi tune`. This saves
    starting the program for each configuration, and shares the statistics of kernels at once.

      while (flopcast_next_configuration()) {
        const char* grid = flopcast_parameter("grid", option_grid);
        int64_t nb = flopcast_integer_parameter("nb", option_nb);
        ... makes its data anew, flopcast_start(), works, flopcast_stop() ...
      }

    Returns whether there is another configuration to run; without flopcast mpi tune, 1 once in each loop. All processes
    of MPI_COMM_WORLD must call it, with no communication under way. Only parameters that the program reads by name may
    differ from the command line's values; for other configurations the program is launched again. */
int flopcast_next_configuration(void);

/** Returns the current configuration's value of parameter `name`, as written in the space of configurations. Returns
    `otherwise`, the command line's value, where flopcast has none. The text is valid until the next
    configuration. */
const char* flopcast_parameter(const char* name, const char* otherwise);
/** Returns the value as an integer. A value that is no integer ends the program with a message. */
int64_t flopcast_integer_parameter(const char* name, int64_t otherwise);

/** Functions of flopcast to which the functions above forward; not for programs. */
struct flopcast_region_hooks {
  int (*enter)(const char* name, int count, const int64_t* sizes, int may_be_left_out);
  void (*leave)(void);
  void (*measure)(int on);
  void (*reset)(void);
  int (*next_configuration)(void);            /* -1: behave as without flopcast */
  const char* (*parameter)(const char* name); /* NULL: use the command line's value */
};
/** Name of the preloaded library's function that returns the hooks. */
#define FLOPCAST_REGION_HOOKS "flopcast_region_hooks_2"

#ifdef __cplusplus
}

#include <initializer_list>

/** Overloads with the sizes as a list: `if (flopcast_kernel("pack", {m, n})) { ...; flopcast_end(); }`. */
inline bool flopcast_kernel(const char* name, std::initializer_list<int64_t> sizes) {
  return flopcast_kernel(name, static_cast<int>(sizes.size()), sizes.begin()) != 0;
}
inline void flopcast_begin(const char* name, std::initializer_list<int64_t> sizes) {
  flopcast_begin(name, static_cast<int>(sizes.size()), sizes.begin());
}
#endif

#endif
