// Cholesky factorisation by tiles on a 2D grid of processes, with nonblocking messages and look-ahead.
//
// Tile (i, j) of the lower triangle is at process (i mod rows, j mod columns).
//   for      authors of MPI programs
//   build    cmake --build --preset check --target mpi_subjects
//   run      OPENBLAS_NUM_THREADS=1 mpirun.openmpi --oversubscribe -n 4
//              build/check/bin/tile_cholesky_openmpi --n 1024 --nb 128 --grid 2x2 --lookahead 1 --check
//   picture  OPENBLAS_NUM_THREADS=1 mpirun.openmpi --oversubscribe -n 4
//              flopcast mpi run --figure tile_cholesky.svg --
//              build/check/bin/tile_cholesky_openmpi --n 1024 --nb 128 --grid 2x2 --lookahead 1
//   read     docs/reference/mpi_examples.md
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>
#include <vector>

#include "common/check.hpp"
#include "common/distribution.hpp"
#include "common/grid.hpp"
#include "common/lapack.hpp"
#include "common/run.hpp"

namespace {

using subject::Distribution;
using subject::Grid;
using subject::Matrix;
using subject::View;

constexpr const char* usage = "[--n N] [--nb NB] [--grid ROWSxCOLUMNS] [--lookahead DEPTH] [--check]";

struct Options {
  int n = 0, nb = 0, lookahead = 0;
  subject::Extents grid;
  bool check = false;
};

Options parse(subject::CommandLine& line) {
  Options options;
  options.n = line.integer("--n", 1000, 1);
  options.nb = line.integer("--nb", 64, 1);
  options.lookahead = line.integer("--lookahead", 1, 0);
  options.grid = subject::grid_option(line);
  options.check = line.flag("--check");
  line.finish();
  return options;
}

class TileCholesky {
 public:
  TileCholesky(const Options& options, const Grid& grid)
      : options_(options),
        grid_(grid),
        rank_(subject::world_rank()),
        rows_({options.n}, options.nb, grid.rows),
        columns_({options.n}, options.nb, grid.columns),
        tiles_(rows_.blocks()),
        applied_(static_cast<std::size_t>(tiles_)) {
    for (int j = 0; j < tiles_; ++j) {
      for (int i = j; i < tiles_; ++i) {
        if (owner(i, j) == rank_) {
          own_[{i, j}] = make(i, j);
        }
      }
    }
  }

  void factor() {
    expect(0);
    factor_panel(0);
    for (int k = 0; k < tiles_; ++k) {
      if (k + 1 < tiles_) {
        expect(k + 1);
      }
      MPI_Waitall(static_cast<int>(incoming_[k].size()), incoming_[k].data(), MPI_STATUSES_IGNORE);
      const bool ahead = options_.lookahead > 0;
      if (ahead && k + 1 < tiles_) {
        apply(k + 1, k + 1);
        factor_panel(k + 1);
      }
      for (int j = k + 1; j < tiles_; ++j) {
        apply(j, std::max(k + 1 - options_.lookahead, 0));
      }
      if (!ahead && k + 1 < tiles_) {
        factor_panel(k + 1);
      }
      forget(k - options_.lookahead);
    }
    MPI_Waitall(static_cast<int>(sending_.size()), sending_.data(), MPI_STATUSES_IGNORE);
  }

  /// Collective; rank 0 returns the result.
  bool check() {
    Matrix local(rows_.local_extent(grid_.row), columns_.local_extent(grid_.column));
    for (auto& [place, own] : own_) {
      subject::lacpy('A', own,
                     local.view().block(rows_.local_begin(grid_.row, place.first), columns_.local_begin(grid_.column, place.second),
                                        own.rows(), own.columns()));
    }
    Matrix whole = subject::gather(local, rows_, columns_, MPI_COMM_WORLD);
    return rank_ != 0 || subject::check_cholesky(whole);
  }

 private:
  int owner(int i, int j) const { return rows_.owner(i) * grid_.columns + columns_.owner(j); }
  int extent(int i) const { return rows_.width(i); }
  int tag(int i, int k) const { return k * tiles_ + i; }

  Matrix make(int i, int j) const {
    Matrix tile(extent(i), extent(j));
    for (int c = 0; c < tile.columns(); ++c) {
      for (int r = 0; r < tile.rows(); ++r) {
        tile(r, c) = subject::definite_element(rows_.begin(i) + r, columns_.begin(j) + c, options_.n);
      }
    }
    return tile;
  }

  /// Returns whether process `rank` needs tile (i, k): for a tile of row i right of column k, or for a tile of column i.
  bool needs(int rank, int i, int k) const {
    if (i == k) {  // process `rank` needs the diagonal tile for the triangular solves below it
      for (int below = k + 1; below < tiles_; ++below) {
        if (owner(below, k) == rank) {
          return true;
        }
      }
      return false;
    }
    for (int j = k + 1; j <= i; ++j) {
      if (owner(i, j) == rank) {
        return true;
      }
    }
    for (int below = i; below < tiles_; ++below) {
      if (owner(below, i) == rank) {
        return true;
      }
    }
    return false;
  }

  /// Begins to receive the tiles of panel k that this process needs.
  void expect(int k) {
    std::vector<MPI_Request>& requests = incoming_[k];
    for (int i = k; i < tiles_; ++i) {
      if (owner(i, k) == rank_ || !needs(rank_, i, k)) {
        continue;
      }
      Matrix& tile = received_[{i, k}];
      tile = Matrix(extent(i), extent(k));
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Irecv(tile.data(), tile.size(), MPI_DOUBLE, owner(i, k), tag(i, k), MPI_COMM_WORLD, &request);
      if (i == k) {
        diagonal_ = request;
      } else {
        requests.push_back(request);
      }
    }
  }

  void send(int i, int k) {
    Matrix& tile = own_.at({i, k});
    for (int rank = 0; rank < grid_.rows * grid_.columns; ++rank) {
      if (rank != rank_ && needs(rank, i, k)) {
        sending_.emplace_back();
        MPI_Isend(tile.data(), tile.size(), MPI_DOUBLE, rank, tag(i, k), MPI_COMM_WORLD, &sending_.back());
      }
    }
  }

  View tile(int i, int k) { return owner(i, k) == rank_ ? own_.at({i, k}) : received_.at({i, k}); }

  void factor_panel(int k) {
    if (owner(k, k) == rank_) {
      subject::potrf('L', own_.at({k, k}));
      send(k, k);
    }
    MPI_Wait(&diagonal_, MPI_STATUS_IGNORE);  // the owner has nothing to wait for
    for (int i = k + 1; i < tiles_; ++i) {
      if (owner(i, k) == rank_) {
        subject::trsm('R', 'L', 'T', 'N', 1, tile(k, k), own_.at({i, k}));
        send(i, k);
      }
    }
  }

  /// Applies the updates of all panels before `end` that column j doesn't have yet.
  void apply(int j, int end) {
    int& done = applied_[static_cast<std::size_t>(j)];
    for (; done < end; ++done) {
      update(done, j);
    }
  }

  void update(int k, int j) {
    for (int i = j; i < tiles_; ++i) {
      if (owner(i, j) != rank_) {
        continue;
      }
      if (i == j) {
        subject::syrk('L', 'N', -1, tile(i, k), 1, own_.at({i, j}));
      } else {
        subject::gemm('N', 'T', -1, tile(i, k), tile(j, k), 1, own_.at({i, j}));
      }
    }
  }

  /// Frees panel k, which this process doesn't need any more.
  void forget(int k) {
    for (int i = k; k >= 0 && i < tiles_; ++i) {
      received_.erase({i, k});
    }
  }

  const Options& options_;
  const Grid& grid_;
  int rank_;
  Distribution rows_, columns_;
  int tiles_;
  std::vector<int> applied_;  ///< number of applied panels by column
  std::map<std::pair<int, int>, Matrix> own_, received_;
  std::map<int, std::vector<MPI_Request>> incoming_;
  std::vector<MPI_Request> sending_;
  MPI_Request diagonal_ = MPI_REQUEST_NULL;
};

bool tile_cholesky(subject::CommandLine& line) {
  const Options options = parse(line);
  const Grid grid(options.grid);
  TileCholesky cholesky(options, grid);
  const double seconds = subject::seconds_of([&] { cholesky.factor(); });
  if (subject::world_rank() == 0) {
    std::printf("Cholesky of order %d, tiles of %d, grid %dx%d, look-ahead %d: %.4f s\n", options.n, options.nb, grid.rows, grid.columns,
                options.lookahead, seconds);
  }
  return !options.check || cholesky.check();
}

}  // namespace

int main(int argc, char** argv) { return subject::run(argc, argv, usage, tile_cholesky); }
