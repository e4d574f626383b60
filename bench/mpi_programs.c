/* The program of bench/mpi_overhead.py and bench/mpi_path.py. `messages COUNT`: a ping-pong of COUNT messages of 8 bytes between ranks 0 and 1.
   `work ORDER STEPS`: products of that order, then a reduction of the result, STEPS times; rank 0 does a fifth more. `cg ORDER STEPS`: STEPS
   steps of conjugate gradients for the five-point Laplacian of a square grid with ORDER x ORDER points, whose rows are divided among the
   processes. Each step exchanges one row with either neighbour and reduces two numbers. Prints the seconds between MPI_Init and MPI_Finalize in
   the slowest process. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*,
                   const int*, const double*, double*, const int*, size_t, size_t);

static void messages(int count, int rank) {
  double data = 1;
  for (int i = 0; i < count / 2 && rank < 2; ++i) {
    if (rank == 0) MPI_Send(&data, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(&data, 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(&data, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  }
}

static void work(int n, int steps, int rank) {
  const double one = 1, zero = 0;
  const size_t count = (size_t)n * (size_t)n;
  double* a = malloc(sizeof(double) * count);
  double* b = calloc(count, sizeof(double));
  double* c = calloc(count, sizeof(double));
  for (size_t i = 0; i < count; ++i) a[i] = 1.0 / (1 + (double)(i % 17));
  for (int step = 0; step < steps; ++step) {
    const int products = rank == 0 ? 6 : 5;
    for (int i = 0; i < products; ++i) dgemm_("N", "T", &n, &n, &n, &one, a, &n, a, &n, &zero, b, &n, 1, 1);
    MPI_Allreduce(b, c, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  free(a);
  free(b);
  free(c);
}

static double sum_of_products(const double* x, const double* y, size_t count) {
  double sum = 0, total = 0;
  for (size_t i = 0; i < count; ++i) sum += x[i] * y[i];
  MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return total;
}

/* y := A x; x has a row of its neighbours (or of zeros) before its first and after its last row. */
static void laplacian(int n, int rows, double* x, double* y, int rank, int ranks) {
  const int above = rank > 0 ? rank - 1 : MPI_PROC_NULL, below = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  MPI_Sendrecv(x + n, n, MPI_DOUBLE, above, 0, x + (size_t)(rows + 1) * (size_t)n, n, MPI_DOUBLE, below, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(x + (size_t)rows * (size_t)n, n, MPI_DOUBLE, below, 1, x, n, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= rows; ++i) {
    const double* row = x + (size_t)i * (size_t)n;
    double* result = y + (size_t)(i - 1) * (size_t)n;
    for (int j = 0; j < n; ++j) result[j] = 4 * row[j] - row[j - n] - row[j + n] - (j > 0 ? row[j - 1] : 0) - (j + 1 < n ? row[j + 1] : 0);
  }
}

static void conjugate_gradients(int n, int steps, int rank) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rows = n / ranks + (rank < n % ranks);
  const size_t count = (size_t)rows * (size_t)n;
  double* solution = calloc(count, sizeof(double));
  double* residual = malloc(sizeof(double) * count);
  double* image = malloc(sizeof(double) * count);
  double* padded = calloc(count + 2 * (size_t)n, sizeof(double));
  double* direction = padded + n;
  for (size_t i = 0; i < count; ++i) residual[i] = direction[i] = 1.0 / (1 + (double)(i % 17));
  double square = sum_of_products(residual, residual, count);
  for (int step = 0; step < steps; ++step) {
    laplacian(n, rows, padded, image, rank, ranks);
    const double length = square / sum_of_products(direction, image, count);
    for (size_t i = 0; i < count; ++i) {
      solution[i] += length * direction[i];
      residual[i] -= length * image[i];
    }
    const double next = sum_of_products(residual, residual, count);
    for (size_t i = 0; i < count; ++i) direction[i] = residual[i] + next / square * direction[i];
    square = next;
  }
  free(solution);
  free(residual);
  free(image);
  free(padded);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  if (argc == 3 && strcmp(argv[1], "messages") == 0) {
    messages(atoi(argv[2]), rank);
  } else if (argc == 4 && strcmp(argv[1], "work") == 0) {
    work(atoi(argv[2]), atoi(argv[3]), rank);
  } else if (argc == 4 && strcmp(argv[1], "cg") == 0) {
    conjugate_gradients(atoi(argv[2]), atoi(argv[3]), rank);
  } else {
    fprintf(stderr, "usage: mpi_programs messages COUNT | work ORDER STEPS | cg ORDER STEPS\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  double seconds = MPI_Wtime() - start, most = 0;
  MPI_Reduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("seconds %.9f\n", most);
  MPI_Finalize();
  return 0;
}
