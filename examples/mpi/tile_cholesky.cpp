// Cholesky factorisation by tiles on a 2D grid of processes, with nonblocking messages and look-ahead: one of the programs that flopcast mpi is tried on. The lower triangle,
// tile (i, j) at process (i mod rows, j mod columns).
//   mpirun -n 4 tile_cholesky --n 1000 --nb 64 --grid 2x2 --lookahead 1 --check
#include <mpi.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

extern "C" {
void dpotrf_(const char*, const int*, double*, const int*, int*, std::size_t);
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*, const double*, const int*, double*,
            const int*, std::size_t, std::size_t, std::size_t, std::size_t);
void dsyrk_(const char*, const char*, const int*, const int*, const double*, const double*, const int*, const double*, double*, const int*,
            std::size_t, std::size_t);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*,
            const int*, const double*, double*, const int*, std::size_t, std::size_t);
}

namespace {

struct Options {
  int n = 1000, nb = 64, rows = 0, columns = 0, lookahead = 1;
  bool check = false;
};

[[noreturn]] void refuse(const std::string& what) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    std::fprintf(stderr, "tile_cholesky: %s\nusage: tile_cholesky [--n N] [--nb NB] [--grid ROWSxCOLUMNS] [--lookahead DEPTH] [--check]\n",
                 what.c_str());
  }
  MPI_Finalize();
  std::exit(2);
}

int integer(std::string_view text, const char* option, int least) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least) {
    refuse(std::string(option) + " needs an integer of at least " + std::to_string(least) + ", not '" + std::string(text) + "'");
  }
  return value;
}

Options parse(int argc, char** argv, int processes) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--check") {
      options.check = true;
      continue;
    }
    if (i + 1 == argc) {
      refuse("option '" + std::string(name) + "' is unknown or lacks its value");
    }
    const std::string_view value = argv[++i];
    if (name == "--n") {
      options.n = integer(value, "--n", 1);
    } else if (name == "--nb") {
      options.nb = integer(value, "--nb", 1);
    } else if (name == "--lookahead") {
      options.lookahead = integer(value, "--lookahead", 0);
    } else if (name == "--grid" && value.find('x') != std::string_view::npos) {
      options.rows = integer(value.substr(0, value.find('x')), "--grid", 1);
      options.columns = integer(value.substr(value.find('x') + 1), "--grid", 1);
    } else {
      refuse("option '" + std::string(name) + "' is unknown or has a wrong value, '" + std::string(value) + "'");
    }
  }
  if (options.rows == 0) {  // as square as it gets
    options.rows = static_cast<int>(std::sqrt(processes));
    while (processes % options.rows != 0) {
      --options.rows;
    }
    options.columns = processes / options.rows;
  }
  if (options.rows * options.columns != processes) {
    refuse("a grid of " + std::to_string(options.rows) + "x" + std::to_string(options.columns) + " isn't one of " +
           std::to_string(processes) + " processes");
  }
  return options;
}

/// The matrix: symmetric, and definite by its diagonal.
double element(int i, int j, int n) { return i == j ? n : 1.0 / (1 + std::abs(i - j)); }

class TileCholesky {
 public:
  TileCholesky(const Options& options, int rank)
      : o_(options), rank_(rank), tiles_((options.n + options.nb - 1) / options.nb), applied_(static_cast<std::size_t>(tiles_)) {
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
      const bool ahead = o_.lookahead > 0;
      if (ahead && k + 1 < tiles_) {
        apply(k + 1, k + 1);
        factor_panel(k + 1);
      }
      for (int j = k + 1; j < tiles_; ++j) {
        apply(j, std::max(k + 1 - o_.lookahead, 0));
      }
      if (!ahead && k + 1 < tiles_) {
        factor_panel(k + 1);
      }
      forget(k - o_.lookahead);
    }
    MPI_Waitall(static_cast<int>(sending_.size()), sending_.data(), MPI_STATUSES_IGNORE);
  }

  /// Largest difference from LAPACK's factor over its largest element; collective, the answer at rank 0.
  double difference() {
    if (rank_ != 0) {
      std::vector<MPI_Request> requests;
      for (const auto& [place, tile] : own_) {
        requests.emplace_back();
        MPI_Isend(tile.data(), static_cast<int>(tile.size()), MPI_DOUBLE, 0, tag(place.first, place.second), MPI_COMM_WORLD,
                  &requests.back());
      }
      MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
      return 0;
    }
    const int n = o_.n;
    std::vector<double> whole(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        whole[static_cast<std::size_t>(j) * static_cast<std::size_t>(n) + static_cast<std::size_t>(i)] = element(i, j, n);
      }
    }
    int info = 0;
    dpotrf_("L", &n, whole.data(), &n, &info, 1);
    double worst = info == 0 ? 0 : 1;
    double largest = 0;
    for (int tj = 0; tj < tiles_; ++tj) {
      for (int ti = tj; ti < tiles_; ++ti) {
        std::vector<double> tile(static_cast<std::size_t>(extent(ti) * extent(tj)));
        if (owner(ti, tj) == 0) {
          tile = own_.at({ti, tj});
        } else {
          MPI_Recv(tile.data(), static_cast<int>(tile.size()), MPI_DOUBLE, owner(ti, tj), tag(ti, tj), MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        for (int j = 0; j < extent(tj); ++j) {
          for (int i = ti == tj ? j : 0; i < extent(ti); ++i) {
            const std::size_t at =
                static_cast<std::size_t>(tj * o_.nb + j) * static_cast<std::size_t>(n) + static_cast<std::size_t>(ti * o_.nb + i);
            worst = std::max(worst, std::abs(whole[at] - tile[static_cast<std::size_t>(j * extent(ti) + i)]));
            largest = std::max(largest, std::abs(whole[at]));
          }
        }
      }
    }
    return worst / largest;
  }

 private:
  using Tile = std::vector<double>;

  int owner(int i, int j) const { return i % o_.rows * o_.columns + j % o_.columns; }
  int extent(int i) const { return std::min(o_.nb, o_.n - i * o_.nb); }
  int tag(int i, int k) const { return k * tiles_ + i; }

  Tile make(int i, int j) const {
    Tile tile;
    for (int c = 0; c < extent(j); ++c) {
      for (int r = 0; r < extent(i); ++r) {
        tile.push_back(element(i * o_.nb + r, j * o_.nb + c, o_.n));
      }
    }
    return tile;
  }

  /// Whether process `rank` updates with tile (i, k): it has a tile of row i right of column k, or of column i.
  bool needs(int rank, int i, int k) const {
    if (i == k) {  // for the triangular solves below it
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

  /// Begins to receive what this process needs of panel k.
  void expect(int k) {
    std::vector<MPI_Request>& requests = incoming_[k];
    for (int i = k; i < tiles_; ++i) {
      if (owner(i, k) == rank_ || !needs(rank_, i, k)) {
        continue;
      }
      Tile& tile = received_[{i, k}];
      tile.resize(static_cast<std::size_t>(extent(i) * extent(k)));
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Irecv(tile.data(), static_cast<int>(tile.size()), MPI_DOUBLE, owner(i, k), tag(i, k), MPI_COMM_WORLD, &request);
      if (i == k) {
        diagonal_ = request;
      } else {
        requests.push_back(request);
      }
    }
  }

  void send(int i, int k) {
    const Tile& tile = own_.at({i, k});
    for (int rank = 0; rank < o_.rows * o_.columns; ++rank) {
      if (rank != rank_ && needs(rank, i, k)) {
        sending_.emplace_back();
        MPI_Isend(tile.data(), static_cast<int>(tile.size()), MPI_DOUBLE, rank, tag(i, k), MPI_COMM_WORLD, &sending_.back());
      }
    }
  }

  const double* tile(int i, int k) const { return owner(i, k) == rank_ ? own_.at({i, k}).data() : received_.at({i, k}).data(); }

  void factor_panel(int k) {
    const int nk = extent(k);
    if (owner(k, k) == rank_) {
      int info = 0;
      dpotrf_("L", &nk, own_.at({k, k}).data(), &nk, &info, 1);
      if (info != 0) {
        std::fprintf(stderr, "tile_cholesky: the matrix is not definite\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
      }
      send(k, k);
    }
    MPI_Wait(&diagonal_, MPI_STATUS_IGNORE);  // nothing for its owner
    const double one = 1;
    for (int i = k + 1; i < tiles_; ++i) {
      if (owner(i, k) == rank_) {
        const int ni = extent(i);
        dtrsm_("R", "L", "T", "N", &ni, &nk, &one, tile(k, k), &nk, own_.at({i, k}).data(), &ni, 1, 1, 1, 1);
        send(i, k);
      }
    }
  }

  /// Column j gets the updates of all panels before `end` that it hasn't yet.
  void apply(int j, int end) {
    int& done = applied_[static_cast<std::size_t>(j)];
    for (; done < end; ++done) {
      update(done, j);
    }
  }

  void update(int k, int j) {
    const double one = 1;
    const double minus_one = -1;
    const int nj = extent(j);
    const int nk = extent(k);
    for (int i = j; i < tiles_; ++i) {
      if (owner(i, j) != rank_) {
        continue;
      }
      const int ni = extent(i);
      double* c = own_.at({i, j}).data();
      if (i == j) {
        dsyrk_("L", "N", &ni, &nk, &minus_one, tile(i, k), &ni, &one, c, &ni, 1, 1);
      } else {
        dgemm_("N", "T", &ni, &nj, &nk, &minus_one, tile(i, k), &ni, tile(j, k), &nj, &one, c, &ni, 1, 1);
      }
    }
  }

  /// Nobody here needs panel k any more.
  void forget(int k) {
    for (int i = k; k >= 0 && i < tiles_; ++i) {
      received_.erase({i, k});
    }
  }

  Options o_;
  int rank_;
  int tiles_;
  std::vector<int> applied_;  ///< panels whose update each column has
  std::map<std::pair<int, int>, Tile> own_, received_;
  std::map<int, std::vector<MPI_Request>> incoming_;
  std::vector<MPI_Request> sending_;
  MPI_Request diagonal_ = MPI_REQUEST_NULL;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int processes = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const Options options = parse(argc, argv, processes);
  int failed = 0;
  {
    TileCholesky cholesky(options, rank);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    cholesky.factor();
    MPI_Barrier(MPI_COMM_WORLD);
    const double seconds = MPI_Wtime() - start;
    if (rank == 0) {
      std::printf("Cholesky of order %d, tiles of %d, grid %dx%d, look-ahead %d: %.4f s\n", options.n, options.nb, options.rows,
                  options.columns, options.lookahead, seconds);
    }
    if (options.check) {
      const double difference = cholesky.difference();
      failed = rank == 0 && !(difference < 1e-13) ? 1 : 0;
      if (rank == 0) {
        std::printf("difference from LAPACK's factor: %.1e\n", difference);
      }
    }
  }
  MPI_Finalize();
  return failed;
}
