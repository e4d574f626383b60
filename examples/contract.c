/* Plans a tensor contraction once and executes it, in C.

   Link flopcast::c, or compile with `pkg-config --cflags --libs flopcast`.
     for      authors of C programs that contract tensors
     build    cmake --build --preset check --target example_contract_c
     run      build/check/bin/example_contract_c
     read     docs/howto/contract_from_c.md */
#include <stdio.h>
#include <stdlib.h>

#include "flopcast/flopcast.h"

static int report(flopcast_status status) {
  fprintf(stderr, "%s\n", flopcast_error_message());
  return status;
}

static double* filled(size_t count, double value) {
  double* values = malloc(count * sizeof *values);
  for (size_t i = 0; values != NULL && i < count; ++i) values[i] = value;
  return values;
}

int main(void) {
  /* C_abc := A_ija B_jbic, row-major as in C */
  const int64_t shape_a[] = {8, 8, 50}, shape_b[] = {8, 50, 8, 50};
  const int64_t* const shapes[] = {shape_a, shape_b};
  double *a = filled(8 * 8 * 50, 0.5), *b = filled(8 * 50 * 8 * 50, 2.0), *c = filled(50 * 50 * 50, 0.0);
  const void* const operands[] = {a, b};
  flopcast_workbench* bench = NULL;
  flopcast_plan* plan = NULL;
  char* explanation = NULL;
  flopcast_status status = flopcast_workbench_open(&bench, NULL);
  if (!status) {
    flopcast_plan_options options = FLOPCAST_PLAN_OPTIONS;
    options.effort = FLOPCAST_MICROBENCH;
    status = flopcast_plan_einsum(&plan, bench, "ija,jbic->abc", FLOPCAST_F64, 2, shapes, NULL, NULL, NULL, &options);
  }
  if (!status) status = flopcast_plan_explain(plan, &explanation);
  if (!status) status = flopcast_execute(plan, NULL, 2, operands, NULL, NULL, c);
  if (!status) printf("%sC[0,0,0] = %g, a sum of 64 ones\n", explanation, c[0]);

  const double minus_half = -0.5, one = 1;
  if (!status) status = flopcast_execute(plan, &minus_half, 2, operands, &one, c, c);
  if (!status) printf("after C := C - A B / 2: %g\n", c[0]);

  const int result = status ? report(status) : 0;
  flopcast_free(explanation);
  flopcast_plan_destroy(plan);
  flopcast_workbench_close(bench);
  free(a);
  free(b);
  free(c);
  return result;
}
