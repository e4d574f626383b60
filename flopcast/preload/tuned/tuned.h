#ifndef FLOPCAST_INTERPOSE_PRELOADED_TUNED_H
#define FLOPCAST_INTERPOSE_PRELOADED_TUNED_H

/* Functions of libflopcast-tuned.so for the process into which it is loaded, apart from ilaenv_. */

#ifdef __cplusplus
extern "C" {
#endif

/* Sets the block parameters that LAPACK's later queries for `routine` ("dgeqrf", in any case) return, whatever the tuning file says. No other
   thread may be inside this routine meanwhile. Returns 0, or -1 if too many routines are set already. */
int flopcast_set_block(const char* routine, int nb, int nbmin, int nx);

/* Undoes all calls of flopcast_set_block. */
void flopcast_clear_blocks(void);

/* Returns the number of block size queries for `routine` since the process began. The routine must be set or in the tuning file. */
unsigned long flopcast_queries(const char* routine);

#ifdef __cplusplus
}
#endif

#endif
