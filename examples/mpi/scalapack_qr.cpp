// ScaLAPACK's QR factorisation, pdgeqrf, with block size and grid as parameters.
//   for      authors of MPI programs
//   build    cmake --build --preset check --target mpi_subjects
//   run      OPENBLAS_NUM_THREADS=1 mpirun.openmpi --oversubscribe -n 4
//              build/check/bin/scalapack_qr_openmpi --m 1024 --n 512 --nb 32 --grid 2x2 --check
//   picture  OPENBLAS_NUM_THREADS=1 mpirun.openmpi --oversubscribe -n 4
//              flopcast mpi run --figure scalapack_qr.svg --
//              build/check/bin/scalapack_qr_openmpi --m 1024 --n 512 --nb 32 --grid 2x2
//   read     docs/reference/mpi_examples.md
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "common/check.hpp"
#include "common/qr_options.hpp"
#include "common/run.hpp"
#include "common/scalapack.hpp"

namespace {

constexpr const char* usage = "[--m M] [--n N] [--nb NB] [--grid ROWSxCOLUMNS] [--check]; M >= N";

void expect_success(const char* routine, int info) {
  if (info != 0) {
    subject::stop(std::string(routine) + " failed with info " + std::to_string(info));
  }
}

/// Calls work(space, its size), first as a query of the size.
template <class Work>
void with_space(Work work) {
  double needed = 0;
  work(&needed, -1);
  std::vector<double> space(static_cast<std::size_t>(needed));
  work(space.data(), static_cast<int>(needed));
}

bool scalapack_qr(subject::CommandLine& line) {
  const subject::QrOptions options = subject::qr_options(line, 32);
  line.finish();
  const subject::Grid grid(options.grid);
  const subject::BlacsGrid blacs(options.grid);
  const int one = 1;
  const int m = options.m;
  const int n = options.n;
  subject::DistributedMatrix a(m, n, options.nb, grid, blacs, subject::random_element, subject::input_matrix());
  std::vector<double> tau(static_cast<std::size_t>(std::max(1, a.local_columns())));
  int info = 0;
  const double seconds = subject::seconds_of([&] {
    with_space([&](double* work, int size) {
      pdgeqrf_(&m, &n, a.data(), &one, &one, a.descriptor(), tau.data(), work, &size, &info);
      expect_success("pdgeqrf", info);
    });
  });
  if (subject::world_rank() == 0) {
    std::printf("pdgeqrf of %d x %d, blocks of %d, grid %dx%d: %.4f s\n", m, n, options.nb, grid.rows, grid.columns, seconds);
  }
  if (!options.check) {
    return true;
  }
  subject::Matrix memory;
  subject::DistributedMatrix q(
      m, m, options.nb, grid, blacs, [](int i, int j) { return i == j ? 1.0 : 0.0; }, memory);
  with_space([&](double* work, int size) {
    pdormqr_("L", "T", &m, &m, &n, a.data(), &one, &one, a.descriptor(), tau.data(), q.data(), &one, &one, q.descriptor(), work, &size,
             &info, 1, 1);
    expect_success("pdormqr", info);
  });
  subject::Matrix r = a.gathered();
  subject::Matrix q_transposed = q.gathered();
  return subject::world_rank() != 0 || subject::check_qr(r, q_transposed);
}

}  // namespace

int main(int argc, char** argv) { return subject::run(argc, argv, usage, scalapack_qr); }
