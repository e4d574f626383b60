#ifndef FLOPCAST_REGIONS_H
#define FLOPCAST_REGIONS_H

/* Regions of a program's own code for `flopcast mpi`: kernels beside BLAS, LAPACK and MPI. Link the small static library flopcast::regions (libflopcast_regions.a); without
   flopcast around it the program runs as if none of this were there. To be called by the thread that called MPI_Init, between MPI_Init and MPI_Finalize; elsewhere it does nothing.

     int64_t sizes[] = {m, n};
     flopcast_begin("pack", 2, sizes);
     ...
     flopcast_end();

     if (flopcast_kernel("block_to_cyclic", 2, sizes)) {  // false: its time is known, and it is left out
       ...
       flopcast_end();
     }

   A region's time is that of the computation inside of it; BLAS and LAPACK calls in it belong to it. Regions don't nest: what is inside of one belongs to the outermost. Sizes are
   whatever the time depends on, at most 8 of them. */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A region that is always executed begins; `sizes` has `count` values, 0 to 8. */
void flopcast_begin(const char* name, int count, const int64_t* sizes);

/** Whether the program is to execute what follows, which flopcast_end() then ends; 0 if its time is known and it is left out. Each process decides for itself: no communication
    and nothing that steers the program may be inside. A region that has communicated once is executed from then on. */
int flopcast_kernel(const char* name, int count, const int64_t* sizes);

/** The region begun last ends. */
void flopcast_end(void);

/** What this process does from now on is not on the path, or is again; while stopped everything is executed. */
void flopcast_stop(void);
void flopcast_start(void);

/** Forgets paths and counts, not what is known of kernels' times. All processes of MPI_COMM_WORLD must call it, with no communication under way. */
void flopcast_reset(void);

/** Several configurations of the program in one launch of `flopcast mpi tune`, which spares the others' starting and shares what was learnt of kernels at once:

      while (flopcast_next_configuration()) {
        const char* grid = flopcast_parameter("grid", option_grid);
        int64_t nb = flopcast_integer_parameter("nb", option_nb);
        ... makes its data anew, flopcast_start(), works, flopcast_stop() ...
      }

    Whether there is another configuration to be run; without flopcast mpi tune, once. All processes of MPI_COMM_WORLD must call it, with no communication under way. Only what is
    asked for by name may differ from the command line's values: for the rest the program is launched again. */
int flopcast_next_configuration(void);

/** The present configuration's value of parameter `name`, as the space of configurations has it; `otherwise`, which is the command line's, where flopcast has none. The text is valid
    until the next configuration. */
const char* flopcast_parameter(const char* name, const char* otherwise);
/** The same as an integer. A value that is none ends the program with a message. */
int64_t flopcast_integer_parameter(const char* name, int64_t otherwise);

/** What the functions above call where flopcast is there; not for programs. */
struct flopcast_region_hooks {
  int (*enter)(const char* name, int count, const int64_t* sizes, int may_be_left_out);
  void (*leave)(void);
  void (*measure)(int on);
  void (*reset)(void);
  int (*next_configuration)(void);            /* -1: as without flopcast */
  const char* (*parameter)(const char* name); /* NULL: as the command line says */
};
/** Name of the function that returns them, which the preloaded library defines. */
#define FLOPCAST_REGION_HOOKS "flopcast_region_hooks_2"

#ifdef __cplusplus
}

#include <initializer_list>

/** The same with the sizes as a list: `if (flopcast_kernel("pack", {m, n})) { ...; flopcast_end(); }`. */
inline bool flopcast_kernel(const char* name, std::initializer_list<int64_t> sizes) {
  return flopcast_kernel(name, static_cast<int>(sizes.size()), sizes.begin()) != 0;
}
inline void flopcast_begin(const char* name, std::initializer_list<int64_t> sizes) {
  flopcast_begin(name, static_cast<int>(sizes.size()), sizes.begin());
}
#endif

#endif
