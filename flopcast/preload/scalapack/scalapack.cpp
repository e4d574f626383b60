#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "flopcast/regions.h"

/// Calls a routine of ScaLAPACK on random data, once for every configuration that `flopcast mpi advise` asks for:
///   flopcast-scalapack-<mpi> LIBRARIES [ROUTINE N NB ROWSxCOLUMNS]
/// LIBRARIES are names of ScaLAPACK with commas between, of which the first that can be loaded counts. Without a routine the program only
/// loads the library, and needs no mpirun.
namespace {

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "flopcast: %s\n", why.c_str());
  int begun = 0;
  MPI_Initialized(&begun);
  if (begun != 0) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  std::exit(1);
}

void* scalapack = nullptr;

/// Calls ScaLAPACK's procedure `name`. Numbers are passed by reference as in Fortran, except to the C procedures of BLACS.
template <class... Arguments>
void call(const std::string& name, Arguments... arguments) {
  void* found = dlsym(scalapack, name.c_str());
  if (found == nullptr) {
    stop("ScaLAPACK has no " + name);
  }
  reinterpret_cast<void (*)(Arguments...)>(found)(arguments...);
}

/// Returns a number from -0.5 to 0.5 that depends on (i, j) only (finaliser of SplitMix64: Steele, Lea and Flood, 2014).
double random_element(std::uint64_t i, std::uint64_t j) {
  std::uint64_t bits = (i << 32U) + j + 1;
  bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBU;
  return static_cast<double>((bits ^ (bits >> 31U)) >> 11U) * 0x1.0p-53 - 0.5;
}

/// Rows of a matrix in blocks of nb that one of `count` processes has, or its columns.
struct Distribution {
  int n, nb, index, count;
  [[nodiscard]] int global(int local) const { return (local / nb * count + index) * nb + local % nb; }
  [[nodiscard]] int extent() const {
    int local = 0;
    while (global(local) < n) {
      ++local;
    }
    return local;
  }
};

/// Returns this process's part of a matrix, whose diagonal is larger by `shift`.
std::vector<double> local_part(const Distribution& rows, const Distribution& columns, int lead, bool is_symmetric, int shift) {
  const int local_rows = rows.extent(), local_columns = columns.extent();
  std::vector<double> a(static_cast<std::size_t>(lead) * std::max(local_columns, 1));
  for (int j = 0; j < local_columns; ++j) {
    for (int i = 0; i < local_rows; ++i) {
      const int r = rows.global(i), c = columns.global(j);
      a[static_cast<std::size_t>(j) * lead + i] =
          random_element(is_symmetric ? std::min(r, c) : r, is_symmetric ? std::max(r, c) : c) + (r == c ? shift : 0);
    }
  }
  return a;
}

/// Makes an n x n matrix on a grid and calls the routine, which alone is on the path. Calls of all routines share the memory made here: the
/// reason why this is one function.
void execute(const std::string& routine, int n, int nb, const char* extents) {
  int grid_rows = 0, grid_columns = 0, row = 0, column = 0, context = 0, processes = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  if (std::sscanf(extents, "%dx%d", &grid_rows, &grid_columns) != 2 || grid_rows * grid_columns != processes || n < 1 || nb < 1) {
    stop(std::string("grid ") + extents + " is not that of all processes, or a size is less than 1");
  }
  call("Cblacs_get", 0, 0, &context);
  call("Cblacs_gridinit", &context, "Row", grid_rows, grid_columns);
  call("Cblacs_gridinfo", context, &grid_rows, &grid_columns, &row, &column);

  const bool is_definite = routine == "pdpotrf", is_symmetric = is_definite || routine == "pdsyevd";
  const bool has_vectors = routine == "pdsyevd" || routine == "pdgesvd";
  const Distribution rows{n, nb, row, grid_rows}, columns{n, nb, column, grid_columns};
  const int lead = std::max(rows.extent(), 1), one = 1;
  const std::array descriptor = {1, context, n, n, nb, nb, 0, 0, lead};
  std::vector<double> a = local_part(rows, columns, lead, is_symmetric, is_definite ? n : 0), values(n), work(1);
  std::vector<double> left(has_vectors ? a.size() : 0), right(routine == "pdgesvd" ? a.size() : 0);
  std::vector<int> integers(lead + nb);
  const std::string name = routine + '_';
  const int* const layout = descriptor.data();
  const std::size_t length = 1;  // of a text, as Fortran passes it
  const auto compute = [&](int work_size, int integers_size) {
    int info = 0;
    if (routine == "pdpotrf") {
      call(name, "L", &n, a.data(), &one, &one, layout, &info, length);
    } else if (routine == "pdgetrf") {
      call(name, &n, &n, a.data(), &one, &one, layout, integers.data(), &info);
    } else if (routine == "pdgeqrf") {
      call(name, &n, &n, a.data(), &one, &one, layout, values.data(), work.data(), &work_size, &info);
    } else if (routine == "pdsyevd") {
      call(name, "V", "L", &n, a.data(), &one, &one, layout, values.data(), left.data(), &one, &one, layout, work.data(), &work_size,
           integers.data(), &integers_size, &info, length, length);
    } else {
      call(name, "V", "V", &n, &n, a.data(), &one, &one, layout, values.data(), left.data(), &one, &one, layout, right.data(), &one, &one,
           layout, work.data(), &work_size, &info, length, length);
    }
    if (info != 0) {
      stop(routine + " ended with info " + std::to_string(info));
    }
  };
  if (has_vectors || routine == "pdgeqrf") {
    compute(-1, -1);  // asks for the workspace, of which pdsyevd gets too little on some grids
    work.resize(static_cast<std::size_t>(work[0]) + 1024 * static_cast<std::size_t>(nb));
    integers.resize(static_cast<std::size_t>(integers[0]) + 1024);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  flopcast_start();
  compute(static_cast<int>(work.size()), static_cast<int>(integers.size()));
  MPI_Barrier(MPI_COMM_WORLD);
  flopcast_stop();
  call("Cblacs_gridexit", context);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 6) {
    stop("expected LIBRARIES [ROUTINE N NB ROWSxCOLUMNS]");
  }
  std::stringstream names(argv[1]);
  for (std::string name; scalapack == nullptr && std::getline(names, name, ',');) {
    scalapack = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);  // before MPI_Init, where flopcast looks for the program's BLAS
  }
  if (scalapack == nullptr) {
    stop(std::string("ScaLAPACK can't be loaded: ") + dlerror());
  }
  if (argc == 2) {
    return 0;
  }
  MPI_Init(&argc, &argv);
  flopcast_stop();
  const int n = std::atoi(argv[3]), nb = std::atoi(argv[4]);
  execute(argv[2], std::min(n, 256), std::min(nb, 32), argv[5]);  // first uses of libraries take long
  while (flopcast_next_configuration() != 0) {
    execute(argv[2], n, static_cast<int>(flopcast_integer_parameter("nb", nb)), argv[5]);
  }
  MPI_Finalize();
}
