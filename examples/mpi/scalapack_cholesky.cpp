// ScaLAPACK's Cholesky factorisation, pdpotrf, with block size and grid as parameters.
//   for      authors of MPI programs
//   build    cmake --build --preset check --target mpi_subjects
//   run      OPENBLAS_NUM_THREADS=1 mpirun.openmpi --oversubscribe -n 4
//              build/check/bin/scalapack_cholesky_openmpi --n 1024 --nb 64 --grid 2x2 --check
//   picture  OPENBLAS_NUM_THREADS=1 mpirun.openmpi --oversubscribe -n 4
//              flopcast mpi run --figure scalapack_cholesky.svg --
//              build/check/bin/scalapack_cholesky_openmpi --n 1024 --nb 64 --grid 2x2
//   read     docs/reference/mpi_examples.md
#include <cstdio>
#include <string>

#include "common/check.hpp"
#include "common/run.hpp"
#include "common/scalapack.hpp"

namespace {

constexpr const char* usage = "[--n N] [--nb NB] [--grid ROWSxCOLUMNS] [--check]";

bool scalapack_cholesky(subject::CommandLine& line) {
  const int n = line.integer("--n", 1000, 1);
  const int nb = line.integer("--nb", 64, 1);
  const subject::Extents extents = subject::grid_option(line);
  const bool check = line.flag("--check");
  line.finish();

  const subject::Grid grid(extents);
  const subject::BlacsGrid blacs(extents);
  subject::DistributedMatrix a(
      n, n, nb, grid, blacs, [n](int i, int j) { return subject::definite_element(i, j, n); }, subject::input_matrix());
  const int one = 1;
  int info = 0;
  const double seconds = subject::seconds_of([&] { pdpotrf_("L", &n, a.data(), &one, &one, a.descriptor(), &info, 1); });
  if (info != 0) {
    subject::stop("pdpotrf failed with info " + std::to_string(info));
  }
  if (subject::world_rank() == 0) {
    std::printf("pdpotrf of order %d, blocks of %d, grid %dx%d: %.4f s\n", n, nb, grid.rows, grid.columns, seconds);
  }
  if (!check) {
    return true;
  }
  subject::Matrix whole = a.gathered();
  return subject::world_rank() != 0 || subject::check_cholesky(whole);
}

}  // namespace

int main(int argc, char** argv) { return subject::run(argc, argv, usage, scalapack_cholesky); }
