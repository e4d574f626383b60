#ifndef FLOPCAST_INTERPOSE_PRELOADED_TUNED_H
#define FLOPCAST_INTERPOSE_PRELOADED_TUNED_H

/* What libflopcast-tuned.so offers to the process it is loaded into, apart from ilaenv_. */

#ifdef __cplusplus
extern "C" {
#endif

/* From now on LAPACK's question for the block parameters of `routine` ("dgeqrf", in any case) is answered with these, whatever the profile says. Not while
   another thread is in that routine. Returns 0, or -1 if too many routines are set already. */
int flopcast_set_block(const char* routine, int nb, int nbmin, int nx);

/* Takes back what flopcast_set_block has set for all routines. */
void flopcast_clear_blocks(void);

/* How often a block size was asked for since the process began, for routines that are set or in the profile. */
unsigned long flopcast_questions(const char* routine);

#ifdef __cplusplus
}
#endif

#endif
