// Cholesky factorisation on a 3D grid, recursive and bulk-synchronous.
//
// The factor and its inverse are computed together, so that all work is in products of matrices, which are split among the layers of the
// grid and summed. A is distributed cyclically over each layer and replicated in all layers. Sources: Hutter and Solomonik, "Communication-
// avoiding Cholesky-QR2 for rectangular matrices", 2019, section 2; Tiskin, "Bulk-synchronous parallel Gaussian elimination", 2002.
//   for      authors of MPI programs
//   build    cmake --build --preset check --target mpi_subjects
//   run      OPENBLAS_NUM_THREADS=1 mpirun.openmpi --oversubscribe -n 4
//              build/check/bin/recursive_cholesky_openmpi --n 1024 --nb 256 --grid 2x2x1 --check
//   picture  OPENBLAS_NUM_THREADS=1 mpirun.openmpi --oversubscribe -n 4
//              flopcast mpi run --figure recursive_cholesky.svg --
//              build/check/bin/recursive_cholesky_openmpi --n 1024 --nb 256 --grid 2x2x1
//   read     docs/reference/mpi_examples.md
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/check.hpp"
#include "common/distribution.hpp"
#include "common/grid.hpp"
#include "common/lapack.hpp"
#include "common/run.hpp"
#include "flopcast/regions.h"

namespace {

using subject::Communicator;
using subject::Distribution;
using subject::Matrix;
using subject::View;

constexpr const char* usage = "[--n N] [--nb NB] [--grid ROWSxROWSxLAYERS] [--base-case gather|everywhere|layer] [--check]";

/// A 3D grid of side x side x layers.
struct CubeExtents {
  int side = 1, layers = 1;
};

/// Returns the extents of --grid, or those closest to a cube.
CubeExtents cube_option(subject::CommandLine& line) {
  const int processes = subject::world_size();
  if (const std::optional<std::vector<int>> given = line.extents("--grid", 3)) {
    const std::vector<int>& extents = *given;
    const std::string text = std::to_string(extents[0]) + 'x' + std::to_string(extents[1]) + 'x' + std::to_string(extents[2]);
    if (extents[0] != extents[1]) {
      throw subject::UsageError("a grid of " + text + " has layers that aren't square");
    }
    if (static_cast<long>(extents[0]) * extents[1] * extents[2] != processes) {
      throw subject::UsageError("a grid of " + text + " doesn't have " + std::to_string(processes) + " processes");
    }
    return {extents[0], extents[2]};
  }
  CubeExtents best = {1, processes};
  for (int side = 2; side * side <= processes; ++side) {
    const int layers = processes / (side * side);
    if (layers * side * side == processes && std::abs(side - layers) <= std::abs(best.side - best.layers)) {
      best = {side, layers};
    }
  }
  return best;
}

/// The place of this process in the grid; processes are numbered layer by layer, and row by row within a layer.
struct Cube {
  explicit Cube(CubeExtents extents)
      : side(extents.side),
        layers(extents.layers),
        layer(subject::world_rank() / (side * side)),
        row(subject::world_rank() / side % side),
        column(subject::world_rank() % side),
        along_row(MPI_COMM_WORLD, layer * side + row, column),
        along_column(MPI_COMM_WORLD, layer * side + column, row),
        in_layer(MPI_COMM_WORLD, layer, row * side + column),
        through_layers(MPI_COMM_WORLD, row * side + column, layer) {}

  int side, layers, layer, row, column;
  Communicator along_row, along_column;  ///< a process's rank is its column in along_row, its row in along_column
  Communicator in_layer;
  Communicator through_layers;  ///< the processes with the same part of the matrix; a process's rank is its layer
};

/// Ways to factor those blocks on the diagonal that aren't split further.
enum class BaseCase {
  /// One process of the first layer factors the block and scatters the result to its layer, which passes it on to the other layers.
  gather,
  everywhere,  ///< each process gets the whole block from its layer and factors it
  layer        ///< each process of the first layer factors the block and passes the result on to the other layers
};

struct Options {
  int n = 0, nb = 0;
  CubeExtents grid;
  BaseCase base_case = BaseCase::gather;
  std::string base_case_name;
  bool check = false;
};

Options parse(subject::CommandLine& line) {
  Options options;
  options.n = line.integer("--n", 1000, 1);
  options.nb = line.integer("--nb", 128, 1);
  options.grid = cube_option(line);
  options.base_case_name = line.choice("--base-case", {"gather", "everywhere", "layer"});
  options.base_case = options.base_case_name == "gather"       ? BaseCase::gather
                      : options.base_case_name == "everywhere" ? BaseCase::everywhere
                                                               : BaseCase::layer;
  options.check = line.flag("--check");
  line.finish();
  return options;
}

/// Extents in this class are those of local blocks, which are the extent of the whole block divided by the side of the grid. The order is
/// rounded up to a multiple of the side, with rows and columns of the identity. All processes thus have equally large blocks, and a lower
/// triangle is a lower triangle at each process too. Where the process's row is before its column, the local diagonal lies above the
/// triangle's, and is zero in L and its inverse.
class RecursiveCholesky {
 public:
  RecursiveCholesky(const Options& options, const Cube& cube)
      : options_(options),
        cube_(cube),
        extent_((options.n + cube.side - 1) / cube.side),
        base_(std::max(1, options.nb / cube.side)),
        factor_(subject::input_matrix().reshape(extent_, extent_)),
        inverse_(extent_, extent_) {
    for (int j = 0; j < extent_; ++j) {
      for (int i = 0; i < extent_; ++i) {
        const int row = i * cube.side + cube.row;
        const int column = j * cube.side + cube.column;
        factor_(i, j) = std::max(row, column) < options.n ? subject::definite_element(row, column, options.n) : row == column ? 1 : 0;
      }
    }
  }

  void factor() { factor(0, extent_, false); }

  /// Collective; rank 0 returns the result.
  bool check() {
    if (cube_.layer != 0) {
      return true;
    }
    const Distribution cyclic({extent_ * cube_.side}, 1, cube_.side);
    Matrix whole = subject::gather(factor_, cyclic, cyclic, cube_.in_layer);
    return subject::world_rank() != 0 || subject::check_cholesky(whole.view().block(0, 0, options_.n, options_.n));
  }

 private:
  /// Factors the block of `n` from `begin` on the diagonal, and inverts the factor if `inverted`.
  void factor(int begin, int n, bool inverted) {
    if (n <= base_) {
      factor_base_case(begin, n, inverted);
      return;
    }
    int n1 = base_;  // a power of two times the base case, so that products of the same sizes recur
    while (2 * n1 < n) {
      n1 *= 2;
    }
    const int n2 = n - n1;
    const int middle = begin + n1;
    const View l21 = factor_.view().block(middle, begin, n2, n1);
    factor(begin, n1, true);
    subject::lacpy('A', times_transposed_triangle(l21, inverse_.view().block(begin, begin, n1, n1)), l21);
    subtract_square(l21, factor_.view().block(middle, middle, n2, n2));
    factor(middle, n2, inverted);
    if (inverted) {  // the part of the inverse below the diagonal is -inverse(L22) (L21 inverse(L11))
      Matrix right = times_triangle(l21, inverse_.view().block(begin, begin, n1, n1));
      subject::lacpy('A', triangle_times(-1, inverse_.view().block(middle, middle, n2, n2), right),
                     inverse_.view().block(middle, begin, n2, n1));
    }
  }

  // Factors a block on the diagonal of the base case.

  void factor_base_case(int begin, int n, bool inverted) {
    const View block = factor_.view().block(begin, begin, n, n);
    Matrix own(n, inverted ? 2 * n : n);  // own parts of the factor and of its inverse
    switch (options_.base_case) {
      case BaseCase::gather:
        if (cube_.layer == 0) {
          gather_and_scatter(block, own);
        }
        break;
      case BaseCase::everywhere: factor_redundantly(block, own); break;
      case BaseCase::layer:
        if (cube_.layer == 0) {
          factor_redundantly(block, own);
        }
        break;
    }
    if (options_.base_case != BaseCase::everywhere && cube_.layers > 1) {
      MPI_Bcast(own.data(), own.size(), MPI_DOUBLE, 0, cube_.through_layers);
    }
    subject::lacpy('A', own.view().block(0, 0, n, n), block);
    if (inverted) {
      subject::lacpy('A', own.view().block(0, n, n, n), inverse_.view().block(begin, begin, n, n));
    }
  }

  int layer_size() const { return cube_.side * cube_.side; }

  void gather_and_scatter(View block, Matrix& own) {
    const bool root = cube_.row == 0 && cube_.column == 0;
    Matrix mine = packed(block);
    Matrix all(block.rows, root ? layer_size() * block.columns : 0);
    MPI_Gather(mine.data(), mine.size(), MPI_DOUBLE, all.data(), mine.size(), MPI_DOUBLE, 0, cube_.in_layer);
    Matrix parts(own.rows(), root ? layer_size() * own.columns() : 0);
    if (root) {
      Matrix whole = factored(all, own.columns() > own.rows());
      for (int rank = 0; rank < layer_size(); ++rank) {
        take_part(whole, rank, parts.view().block(0, rank * own.columns(), own.rows(), own.columns()));
      }
    }
    MPI_Scatter(parts.data(), own.size(), MPI_DOUBLE, own.data(), own.size(), MPI_DOUBLE, 0, cube_.in_layer);
  }

  void factor_redundantly(View block, Matrix& own) {
    Matrix mine = packed(block);
    Matrix all(block.rows, layer_size() * block.columns);
    MPI_Allgather(mine.data(), mine.size(), MPI_DOUBLE, all.data(), mine.size(), MPI_DOUBLE, cube_.in_layer);
    Matrix whole = factored(all, own.columns() > own.rows());
    take_part(whole, cube_.row * cube_.side + cube_.column, own);
  }

  /// Returns the factor of the block whose parts stand side by side in `all`, with its inverse beside it if `inverted`; zero above their
  /// diagonals.
  Matrix factored(View all, bool inverted) const {
    const int n = all.rows;
    const int order = n * cube_.side;
    Matrix whole(order, inverted ? 2 * order : order);
    if (flopcast_kernel("put_together", {n, cube_.side})) {
      for (int rank = 0; rank < layer_size(); ++rank) {
        put_part(all.block(0, rank * n, n, n), rank, whole);
      }
      flopcast_end();
    }
    const View l = whole.view().block(0, 0, order, order);
    if (order > 1) {
      subject::laset('U', 0, 0, l.block(0, 1, order - 1, order - 1));
    }
    subject::potrf('L', l);
    if (inverted) {
      const View inverse = whole.view().block(0, order, order, order);
      subject::lacpy('A', l, inverse);
      subject::trtri('L', 'N', inverse);
    }
    return whole;
  }

  /// Puts the lower triangle of process `rank` of the layer into the whole matrix.
  void put_part(View part, int rank, Matrix& whole) const {
    for (int j = 0; j < part.columns; ++j) {
      for (int i = j; i < part.rows; ++i) {
        whole(i * cube_.side + rank / cube_.side, j * cube_.side + rank % cube_.side) = part(i, j);
      }
    }
  }

  /// Takes the parts of the factor and of its inverse that belong to process `rank` of the layer.
  void take_part(View whole, int rank, View part) const {
    const int n = part.rows;
    if (!flopcast_kernel("take_part", {n, part.columns, cube_.side})) {
      return;
    }
    for (int j = 0; j < part.columns; ++j) {
      const int first = j < n ? 0 : whole.rows;
      for (int i = 0; i < n; ++i) {
        part(i, j) = whole(i * cube_.side + rank / cube_.side, first + j % n * cube_.side + rank % cube_.side);
      }
    }
    flopcast_end();
  }

  // Products. C = A B is the sum over the grid's columns (of A) and rows (of B): in step s, column s broadcasts A along the rows and row s
  // broadcasts B along the columns. The layers share the steps. If there are more layers than steps, the layers share the columns of A and
  // rows of B of a step.

  /// Part of a step: the local columns of A, and rows of B, from `begin` to `end`.
  struct Part {
    int step, begin, end;
  };

  /// Returns the parts of this layer in products whose local inner extent is k.
  std::vector<Part> parts(int k) const {
    const long all = static_cast<long>(cube_.side) * k;
    const long from = all * cube_.layer / cube_.layers;
    const long to = all * (cube_.layer + 1) / cube_.layers;
    std::vector<Part> result;
    for (int step = 0; step < cube_.side; ++step) {
      const long begin = std::max(from, static_cast<long>(step) * k);
      const long end = std::min(to, static_cast<long>(step + 1) * k);
      if (begin < end) {
        result.push_back(
            {step, static_cast<int>(begin - static_cast<long>(step) * k), static_cast<int>(end - static_cast<long>(step) * k)});
      }
    }
    return result;
  }

  static Matrix packed(View block) {
    Matrix copy(block.rows, block.columns);
    subject::lacpy('A', block, copy);
    return copy;
  }

  /// Broadcasts `block` of rank `root`; the block has the same extents in every process.
  static Matrix broadcast(View block, int root, MPI_Comm along) {
    int rank = 0;
    int processes = 0;
    MPI_Comm_rank(along, &rank);
    MPI_Comm_size(along, &processes);
    Matrix copy = rank == root ? packed(block) : Matrix(block.rows, block.columns);
    if (processes > 1) {
      MPI_Bcast(copy.data(), copy.size(), MPI_DOUBLE, root, along);
    }
    return copy;
  }

  /// Returns the block of the process with row and column exchanged.
  Matrix exchanged(View block) const {
    Matrix copy = packed(block);
    if (cube_.row != cube_.column) {
      const int partner = cube_.column * cube_.side + cube_.row;
      MPI_Sendrecv_replace(copy.data(), copy.size(), MPI_DOUBLE, partner, 0, partner, 0, cube_.in_layer, MPI_STATUS_IGNORE);
    }
    return copy;
  }

  void add_up_layers(Matrix& sum) const {
    if (cube_.layers > 1) {
      MPI_Allreduce(MPI_IN_PLACE, sum.data(), sum.size(), MPI_DOUBLE, MPI_SUM, cube_.through_layers);
    }
  }

  /// Adds a part's contribution at (row, column); a first part as large as the product replaces the product.
  static void add_part(Matrix& part, bool first, Matrix& product, int row, int column) {
    if (first && part.size() == product.size()) {
      product = std::move(part);
    } else {
      add(part, product.view().block(row, column, part.rows(), part.columns()));
    }
  }

  static void add(View a, View sum) {
    if (!flopcast_kernel("add", {a.rows, a.columns})) {
      return;
    }
    for (int j = 0; j < a.columns; ++j) {
      for (int i = 0; i < a.rows; ++i) {
        sum(i, j) += a(i, j);
      }
    }
    flopcast_end();
  }

  /// Returns A W^T with a lower triangle W.
  Matrix times_transposed_triangle(View a, View w) const {
    Matrix partner = exchanged(w);
    Matrix product(a.rows, w.rows);
    bool first = true;
    for (const Part& part : parts(a.columns)) {
      const int width = part.end - part.begin;
      const int below = w.rows - part.end;
      Matrix left = broadcast(a.block(0, part.begin, a.rows, width), part.step, cube_.along_row);
      Matrix right = broadcast(partner.view().block(part.begin, part.begin, width + below, width), part.step, cube_.along_column);
      subject::gemm('N', 'T', 1, left, right.view().block(width, 0, below, width), 1, product.view().block(0, part.end, a.rows, below));
      subject::trmm('R', 'L', 'T', 'N', 1, right.view().block(0, 0, width, width), left);
      add_part(left, std::exchange(first, false), product, 0, part.begin);
    }
    add_up_layers(product);
    return product;
  }

  /// Returns A W with a lower triangle W.
  Matrix times_triangle(View a, View w) const {
    Matrix product(a.rows, w.rows);
    bool first = true;
    for (const Part& part : parts(a.columns)) {
      const int width = part.end - part.begin;
      Matrix left = broadcast(a.block(0, part.begin, a.rows, width), part.step, cube_.along_row);
      Matrix right = broadcast(w.block(part.begin, 0, width, part.end), part.step, cube_.along_column);
      subject::gemm('N', 'N', 1, left, right.view().block(0, 0, width, part.begin), 1, product.view().block(0, 0, a.rows, part.begin));
      subject::trmm('R', 'L', 'N', 'N', 1, right.view().block(0, part.begin, width, width), left);
      add_part(left, std::exchange(first, false), product, 0, part.begin);
    }
    add_up_layers(product);
    return product;
  }

  /// Returns alpha W B with a lower triangle W.
  Matrix triangle_times(double alpha, View w, View b) const {
    Matrix product(w.rows, b.columns);
    bool first = true;
    for (const Part& part : parts(w.columns)) {
      const int width = part.end - part.begin;
      const int below = w.rows - part.end;
      Matrix left = broadcast(w.block(part.begin, part.begin, width + below, width), part.step, cube_.along_row);
      Matrix right = broadcast(b.block(part.begin, 0, width, b.columns), part.step, cube_.along_column);
      subject::gemm('N', 'N', alpha, left.view().block(width, 0, below, width), right, 1,
                    product.view().block(part.end, 0, below, b.columns));
      subject::trmm('L', 'L', 'N', 'N', alpha, left.view().block(0, 0, width, width), right);
      add_part(right, std::exchange(first, false), product, part.begin, 0);
    }
    add_up_layers(product);
    return product;
  }

  /// Computes C -= A A^T; only the lower triangle of C is used.
  void subtract_square(View a, View c) const {
    Matrix partner = exchanged(a);
    const bool alone = cube_.layers == 1;
    Matrix square = alone ? Matrix() : Matrix(a.rows, a.rows);
    const View sum = alone ? c : square.view();
    for (const Part& part : parts(a.columns)) {
      const int width = part.end - part.begin;
      Matrix left = broadcast(a.block(0, part.begin, a.rows, width), part.step, cube_.along_row);
      Matrix right = broadcast(partner.view().block(0, part.begin, a.rows, width), part.step, cube_.along_column);
      if (cube_.row == cube_.column) {
        subject::syrk('L', 'N', -1, left, 1, sum);
      } else {
        subject::gemm('N', 'T', -1, left, right, 1, sum);
      }
    }
    if (!alone) {
      add_up_layers(square);
      add(square, c);
    }
  }

  const Options& options_;
  const Cube& cube_;
  int extent_;  ///< local order
  int base_;    ///< local order of the largest base case
  Matrix& factor_;
  Matrix inverse_;
};

bool recursive_cholesky(subject::CommandLine& line) {
  const Options options = parse(line);
  const Cube cube(options.grid);
  RecursiveCholesky cholesky(options, cube);
  const double seconds = subject::seconds_of([&] { cholesky.factor(); });
  if (subject::world_rank() == 0) {
    std::printf("Cholesky of order %d, base cases of %d (%s), grid %dx%dx%d: %.4f s\n", options.n, options.nb,
                options.base_case_name.c_str(), cube.side, cube.side, cube.layers, seconds);
  }
  return !options.check || cholesky.check();
}

}  // namespace

int main(int argc, char** argv) { return subject::run(argc, argv, usage, recursive_cholesky); }
