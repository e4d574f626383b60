/* Computes D := alpha A B + beta C by TAPP, in C.

   Link flopcast::tapp, or compile with `pkg-config --cflags --libs tapp-flopcast`. Without the second header, the program works with any
   implementation of TAPP.
     for      authors of programs that use the standard interface of tensor products
     build    cmake --build --preset check --target example_tapp_c
     run      build/check/bin/example_tapp_c
     read     docs/reference/tapp.md */
#include <stdio.h>
#include <stdlib.h>

#include <tapp.h>
#include <tapp_flopcast.h>

enum { I = 8, N = 50 };

static void require(TAPP_error error) {
  if (!TAPP_check_success(error)) {
    char text[512];
    TAPP_explain_error(error, sizeof text, text);
    fprintf(stderr, "%s\n", text);
    exit(1);
  }
}

static double* filled(size_t count, double value) {
  double* values = malloc(count * sizeof *values);
  for (size_t i = 0; values != NULL && i < count; ++i) values[i] = value;
  return values;
}

int main(void) {
  /* D_abc := alpha A_ija B_jbic + beta C_abc, in column-major order */
  const int64_t extents_a[] = {I, I, N}, strides_a[] = {1, I, I * I}, idx_a[] = {'i', 'j', 'a'};
  const int64_t extents_b[] = {I, N, I, N}, strides_b[] = {1, I, I * N, I * N * I}, idx_b[] = {'j', 'b', 'i', 'c'};
  const int64_t extents_d[] = {N, N, N}, strides_d[] = {1, N, N * N}, idx_d[] = {'a', 'b', 'c'};
  double *a = filled(I * I * N, 0.5), *b = filled(I * N * I * N, 2.0), *d = filled(N * N * N, 0.0);

  TAPP_handle handle = 0;
  TAPP_executor exec = 0;
  TAPP_tensor_info info_a = 0, info_b = 0, info_d = 0;
  TAPP_tensor_product plan = 0, wrong = 0;
  int effort = FLOPCAST_TAPP_MICROBENCH;
  require(TAPP_create_handle(&handle));
  require(TAPP_attr_set(handle, FLOPCAST_TAPP_EFFORT, &effort));
  require(TAPP_create_executor(&exec));
  require(TAPP_create_tensor_info(&info_a, TAPP_F64, 3, extents_a, strides_a));
  require(TAPP_create_tensor_info(&info_b, TAPP_F64, 4, extents_b, strides_b));
  require(TAPP_create_tensor_info(&info_d, TAPP_F64, 3, extents_d, strides_d));
  require(TAPP_create_tensor_product(&plan, handle, TAPP_IDENTITY, info_a, idx_a, TAPP_IDENTITY, info_b, idx_b, TAPP_IDENTITY, info_d,
                                     idx_d, TAPP_IDENTITY, info_d, idx_d, TAPP_DEFAULT_PREC));

  TAPP_status status = 0;
  const double one = 1, minus_half = -0.5, zero = 0;
  require(TAPP_execute_product(plan, exec, &status, &one, a, b, &zero, NULL, d));
  printf("D[0,0,0] = %g, a sum of 64 ones\n", d[0]);
  require(TAPP_execute_product(plan, exec, &status, &minus_half, a, b, &one, d, d));
  printf("after D := D - A B / 2: %g\n", d[0]);

  /* An index that has another extent in D */
  const int64_t short_extents[] = {N, N, N - 1};
  require(TAPP_set_extents(info_d, short_extents));
  const TAPP_error error = TAPP_create_tensor_product(&wrong, handle, TAPP_IDENTITY, info_a, idx_a, TAPP_IDENTITY, info_b, idx_b,
                                                      TAPP_IDENTITY, info_d, idx_d, TAPP_IDENTITY, info_d, idx_d, TAPP_DEFAULT_PREC);
  char text[512];
  TAPP_explain_error(error, sizeof text, text);
  printf("refused with code %d: %s\n", error, text);

  require(TAPP_destroy_tensor_product(plan));
  require(TAPP_destroy_tensor_info(info_a));
  require(TAPP_destroy_tensor_info(info_b));
  require(TAPP_destroy_tensor_info(info_d));
  require(TAPP_destroy_executor(exec));
  require(TAPP_destroy_handle(handle));
  free(a);
  free(b);
  free(d);
  return 0;
}
