/* Functions of the program that MPI calls and that compute. Each prints how many products all processes have computed in them. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*,
                   const int*, const double*, double*, const int*);

enum { n = 24 };
static int products;
static int own_code_microseconds;

static void multiply(const double* a, const double* b, double* c) {
  const int order = n;
  const double one = 1, zero = 0;
  dgemm_("N", "N", &order, &order, &order, &one, a, &order, b, &order, &zero, c, &order);
  ++products;
}

static void product(void* in, void* in_and_out, int* count, MPI_Datatype* type) {
  (void)type;
  double result[n * n];
  for (int i = 0; i < *count; ++i) {
    multiply((double*)in + i * n * n, (double*)in_and_out + i * n * n, result);
    memcpy((double*)in_and_out + i * n * n, result, sizeof result);
  }
  if (own_code_microseconds > 0) {
    usleep(own_code_microseconds);
  }
}

static double some[n * n];
static int copies(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  double result[n * n];
  multiply(some, some, result);
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}
static int deletes(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  double result[n * n];
  multiply(some, some, result);
  return MPI_SUCCESS;
}
static void handles(MPI_Comm* comm, int* error, ...) {
  (void)comm, (void)error;
  double result[n * n];
  multiply(some, some, result);
}

/* Returns whether the program does `part`. */
static int does(const char* asked, const char* part) { return strcmp(asked, part) == 0 || strcmp(asked, "all") == 0; }

static void report(const char* what, double value) {
  int all = 0, rank = 0;
  double sum = 0;
  MPI_Reduce(&products, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    printf("%s %d %.17g\n", what, all, sum);
    fflush(stdout);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* what = argc > 1 ? argv[1] : "all";
  own_code_microseconds = argc > 2 ? atoi(argv[2]) : 0;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Datatype matrix;
  MPI_Type_contiguous(n * n, MPI_DOUBLE, &matrix);
  MPI_Type_commit(&matrix);
  MPI_Op op;
  argc > 3 && strcmp(argv[3], "prefixed") == 0 ? PMPI_Op_create(product, 0, &op) : MPI_Op_create(product, 0, &op);
  double mine[n * n], all[n * n];
  for (int i = 0; i < n * n; ++i) {
    mine[i] = (1 + rank + i % 3) / (3.0 * n);
    some[i] = 1;
    all[i] = mine[i];
  }
  MPI_Request request = MPI_REQUEST_NULL;
  for (int i = 0; i < 4; ++i) {
    if (does(what, "allreduce")) MPI_Allreduce(mine, all, 1, matrix, op, MPI_COMM_WORLD);
    if (does(what, "reduce")) MPI_Reduce(mine, all, 1, matrix, op, 0, MPI_COMM_WORLD);
    if (does(what, "scan")) MPI_Scan(mine, all, 1, matrix, op, MPI_COMM_WORLD);
    if (does(what, "exscan")) MPI_Exscan(mine, all, 1, matrix, op, MPI_COMM_WORLD);
    if (does(what, "local")) MPI_Reduce_local(mine, all, 1, matrix, op);
    if (does(what, "iallreduce")) {
      MPI_Iallreduce(mine, all, 1, matrix, op, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (does(what, "ireduce")) {
      int done = 0;
      MPI_Ireduce(mine, all, 1, matrix, op, 0, MPI_COMM_WORLD, &request);
      MPI_Barrier(MPI_COMM_WORLD);
      while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    if (does(what, "attributes")) {
      int key;
      MPI_Comm copy;
      MPI_Comm_create_keyval(copies, deletes, &key, 0);
      MPI_Comm_set_attr(MPI_COMM_WORLD, key, some);
      MPI_Comm_dup(MPI_COMM_WORLD, &copy);
      MPI_Comm_free(&copy);
      MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
      MPI_Comm_free_keyval(&key);
    }
    if (does(what, "errors")) {
      MPI_Errhandler handler;
      MPI_Comm_create_errhandler(handles, &handler);
      MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
      MPI_Send(mine, -1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
      MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
      MPI_Errhandler_free(&handler);
    }
  }
  double sum = 0;
  for (int i = 0; i < n * n; ++i) {
    sum += all[i];
  }
  report(what, sum);
  MPI_Op_free(&op);
  MPI_Type_free(&matrix);
  MPI_Finalize();
  return 0;
}
