/* Asks flopcast for the best block sizes of a LAPACK routine in JSON, and prints its answer. Tuning measures kernels for about a second.
     for      authors of C programs that want decisions of flopcast as data
     build    cmake --build --preset check --target example_ask_c
     run      build/check/bin/example_ask_c
     picture  build/check/bin/example_ask_c | grep -A 11 '"chosen"'
     read     docs/reference/c.md */
#include <stdio.h>

#include "flopcast/flopcast.h"

int main(void) {
  flopcast_workbench_options options = FLOPCAST_WORKBENCH_OPTIONS;
  options.blas = "openblas-serial";
  flopcast_workbench* bench = NULL;
  char* answer = NULL;
  flopcast_status status = flopcast_workbench_open(&bench, &options);
  if (!status) {
    status = flopcast_ask(
        bench, "{\"tune\": {\"routine\": \"dpotrf\", \"n\": 200, \"flags\": {\"uplo\": \"L\"}, \"nb\": [16, 32, 64], \"time_budget\": 1}}",
        &answer);
  }
  if (status) {
    fprintf(stderr, "%s\n", flopcast_error_message());
  } else {
    puts(answer);
  }
  flopcast_free(answer);
  flopcast_workbench_close(bench);
  return status;
}
