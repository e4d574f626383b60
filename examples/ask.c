/* Asks flopcast for the best block sizes of a LAPACK routine in JSON, and prints its answer:  example_ask
   Tuning measures kernels for about a second. */
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
