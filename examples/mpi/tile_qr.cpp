// QR factorisation by tiles on a 2D grid of processes, with nonblocking messages.
//
// In each panel every process reduces its tiles to one triangle, and a binary tree merges the triangles of different processes. Columns to
// the right follow tile by tile, the next panel first. Tile (i, j) is at process (i mod rows, j mod columns). Sources: Buttari, Langou,
// Kurzak, Dongarra, "A class of parallel tiled linear algebra algorithms for multicore architectures", 2009; Hadri, Ltaief, Agullo,
// Dongarra, "Tile QR factorization with parallel panel processing for multicore architectures", 2010.
//   for      authors of MPI programs
//   build    cmake --build --preset check --target mpi_subjects
//   run      OPENBLAS_NUM_THREADS=1 mpirun.openmpi --oversubscribe -n 4
//              build/check/bin/tile_qr_openmpi --m 1024 --n 512 --nb 128 --ib 16 --grid 2x2 --check
//   picture  OPENBLAS_NUM_THREADS=1 mpirun.openmpi --oversubscribe -n 4
//              flopcast mpi run --figure tile_qr.svg --
//              build/check/bin/tile_qr_openmpi --m 1024 --n 512 --nb 128 --ib 16 --grid 2x2
//   read     docs/reference/mpi_examples.md
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/check.hpp"
#include "common/distribution.hpp"
#include "common/grid.hpp"
#include "common/lapack.hpp"
#include "common/qr_options.hpp"
#include "common/run.hpp"

namespace {

using subject::Distribution;
using subject::Grid;
using subject::Matrix;
using subject::View;

constexpr const char* usage = "[--m M] [--n N] [--nb NB] [--ib IB] [--grid ROWSxCOLUMNS] [--check]; M >= N, NB >= IB";

struct Options : subject::QrOptions {
  int ib = 0;
};

Options parse(subject::CommandLine& line) {
  Options options{subject::qr_options(line, 96)};
  options.ib = line.integer("--ib", std::min(16, options.nb), 1);
  line.finish();
  if (options.ib > options.nb) {
    throw subject::UsageError("inner blocks of " + std::to_string(options.ib) + " don't fit tiles of " + std::to_string(options.nb));
  }
  return options;
}

/// Tasks on a panel, which are repeated on the tiles to its right.
enum class Kind {
  triangulate,  ///< makes the process's first tile of the panel a triangle
  annihilate,   ///< eliminates tile `row` by that triangle
  merge,        ///< eliminates the triangle of process `peer`, which is at tile `row` there, by that triangle
  hand_over     ///< sends that triangle to process `peer`
};

struct Task {
  Kind kind;
  int row;   ///< row of the tile that becomes reflectors
  int peer;  ///< row of the other process in the grid
};

/// Reflectors V, with the number of rows that they have in their tile, and the triangular factors T of their blocks. Both are sent in one
/// message.
class Reflectors {
 public:
  Reflectors(int rows, int columns, int block)
      : rows_(rows), columns_(columns), block_(std::min(block, columns)), elements_(1, (rows + block_) * columns) {}

  View v() { return {elements_.data(), rows_, columns_, rows_}; }
  View t() { return {&elements_(0, rows_ * columns_), block_, columns_, block_}; }
  double* data() { return elements_.data(); }
  [[nodiscard]] int size() const { return elements_.size(); }

  MPI_Request arrival = MPI_REQUEST_NULL;

 private:
  int rows_, columns_, block_;
  Matrix elements_;
};

class TileQr {
 public:
  /// For the check the matrix is [A I], so that A's columns become R, and the columns of the identity become Q^T.
  TileQr(const Options& options, const Grid& grid)
      : options_(options),
        grid_(grid),
        rows_({options.m}, options.nb, grid.rows),
        columns_({options.n, options.check ? options.m : 0}, options.nb, grid.columns),
        panels_((options.n + options.nb - 1) / options.nb) {
    for (int j = grid.column; j < columns_.blocks(); j += grid.columns) {
      for (int i = grid.row; i < rows_.blocks(); i += grid.rows) {
        tiles_.emplace(std::pair(i, j), made_tile(i, j));
      }
    }
  }

  void factor() {
    expect(0);
    factor_panel(0);
    for (int k = 0; k < panels_; ++k) {
      int column = columns_.next(grid_.column, k + 1);
      if (k + 1 < panels_) {
        expect(k + 1);
        if (columns_.owner(k + 1) == grid_.column) {
          update(k, k + 1);
          factor_panel(k + 1);
          column += grid_.columns;
        }
      }
      for (; column < columns_.blocks(); column += grid_.columns) {
        update(k, column);
      }
      // The sends of the previous panel are complete, or complete without further work of this process.
      finish_sends(k - 1);
    }
    finish_sends(panels_ - 1);
    for (auto& [place, tile] : tiles_) {
      settle(tile);
    }
  }

  /// Collective; rank 0 returns the result.
  bool check() {
    Matrix local(rows_.local_extent(grid_.row), columns_.local_extent(grid_.column));
    for (auto& [place, tile] : tiles_) {
      const View own = tile.elements;
      subject::lacpy('A', own,
                     local.view().block(rows_.local_begin(grid_.row, place.first), columns_.local_begin(grid_.column, place.second),
                                        own.rows, own.columns));
    }
    Matrix whole = subject::gather(local, rows_, columns_, MPI_COMM_WORLD);
    return subject::world_rank() != 0 ||
           subject::check_qr(whole.view().block(0, 0, options_.m, options_.n), whole.view().block(0, options_.n, options_.m, options_.m));
  }

 private:
  /// A tile whose upper rows may be on their way back from the process that merged them.
  struct Tile {
    Matrix elements, returning;
    MPI_Request arrival = MPI_REQUEST_NULL;
  };

  /// A message, kept until its send is complete.
  struct Message {
    int panel;
    Matrix elements;
    MPI_Request request;
  };

  Tile made_tile(int ti, int tj) const {
    Matrix tile(rows_.width(ti), columns_.width(tj));
    for (int j = 0; j < tile.columns(); ++j) {
      for (int i = 0; i < tile.rows(); ++i) {
        const int row = rows_.begin(ti) + i;
        const int column = columns_.begin(tj) + j;
        tile(i, j) = column < options_.n ? subject::random_element(row, column) : column - options_.n == row ? 1 : 0;
      }
    }
    return {std::move(tile), {}};
  }

  static void settle(Tile& tile) {
    if (tile.arrival != MPI_REQUEST_NULL) {
      MPI_Wait(&tile.arrival, MPI_STATUS_IGNORE);
      subject::lacpy('A', tile.returning, tile.elements);
      tile.returning = {};
    }
  }

  View tile(int i, int j) {
    Tile& found = tiles_.at({i, j});
    settle(found);
    return found.elements;
  }

  /// Returns the first tile row of this process in panel k, whose triangle eliminates the others; past the end if there is none.
  [[nodiscard]] int head(int k) const { return rows_.next(grid_.row, k); }

  /// Returns the tasks of this process for panel k: its own tiles, then its part of a binary tree, in which processes are ordered by their
  /// heads. The last tile row may have fewer rows than the panel has columns; in this order its triangle never eliminates others.
  [[nodiscard]] std::vector<Task> tasks(int k) const {
    std::vector<Task> all;
    const int active = std::min(grid_.rows, rows_.blocks() - k);
    const int place = head(k) - k;
    if (place >= active) {
      return all;
    }
    all.push_back({Kind::triangulate, head(k), grid_.row});
    for (int i = head(k) + grid_.rows; i < rows_.blocks(); i += grid_.rows) {
      all.push_back({Kind::annihilate, i, grid_.row});
    }
    int step = 1;
    for (; place % (2 * step) == 0 && step < active; step *= 2) {
      if (place + step < active) {
        all.push_back({Kind::merge, k + place + step, (k + place + step) % grid_.rows});
      }
    }
    if (place != 0) {
      all.push_back({Kind::hand_over, head(k), (k + place - step) % grid_.rows});
    }
    return all;
  }

  /// Returns the number of rows of a triangle that is handed over in tile `row`; its columns are those of the panel.
  [[nodiscard]] int triangle_rows(int row, int k) const { return std::min(rows_.width(row), columns_.width(k)); }

  [[nodiscard]] Reflectors made_reflectors(const Task& task, int k) const {
    const int width = columns_.width(k);
    if (task.kind == Kind::merge) {
      return {triangle_rows(task.row, k), width, options_.ib};
    }
    return {rows_.width(task.row), task.kind == Kind::triangulate ? triangle_rows(task.row, k) : width, options_.ib};
  }

  using Place = std::pair<int, std::pair<int, Kind>>;  ///< panel, row and kind of a task
  static Place place_of(const Task& task, int k) { return {k, {task.row, task.kind}}; }

  [[nodiscard]] int reflectors_tag(const Task& task) const { return 2 * task.row + (task.kind == Kind::merge ? 1 : 0); }
  [[nodiscard]] int tile_tag(int row, int column) const { return column * rows_.blocks() + row; }

  /// Begins to receive the reflectors of panel k that this process needs from its row.
  void expect(int k) {
    if (columns_.owner(k) == grid_.column || columns_.next(grid_.column, k + 1) >= columns_.blocks()) {
      return;
    }
    for (const Task& task : tasks(k)) {
      if (task.kind != Kind::hand_over) {
        Reflectors& expected = reflectors_.emplace(place_of(task, k), made_reflectors(task, k)).first->second;
        MPI_Irecv(expected.data(), expected.size(), MPI_DOUBLE, columns_.owner(k), reflectors_tag(task), grid_.along_row,
                  &expected.arrival);
      }
    }
  }

  void send_along_row(Reflectors& reflectors, const Task& task, int k) {
    for (int step = 1; step < std::min(grid_.columns, columns_.blocks() - k); ++step) {
      requests_[k].emplace_back();
      MPI_Isend(reflectors.data(), reflectors.size(), MPI_DOUBLE, (grid_.column + step) % grid_.columns, reflectors_tag(task),
                grid_.along_row, &requests_[k].back());
    }
  }

  void send_along_column(int k, Matrix elements, int peer, int tag) {
    messages_.push_back({k, std::move(elements), MPI_REQUEST_NULL});
    Message& message = messages_.back();
    MPI_Isend(message.elements.data(), message.elements.size(), MPI_DOUBLE, peer, tag, grid_.along_column, &message.request);
  }

  void finish_sends(int k) {
    if (k < 0) {
      return;
    }
    std::vector<MPI_Request>& requests = requests_[k];
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    requests_.erase(k);
    reflectors_.erase(reflectors_.begin(), reflectors_.lower_bound({k + 1, {0, Kind::triangulate}}));
    while (!messages_.empty() && messages_.front().panel <= k) {
      MPI_Wait(&messages_.front().request, MPI_STATUS_IGNORE);
      messages_.pop_front();
    }
  }

  void factor_panel(int k) {
    if (columns_.owner(k) != grid_.column) {
      return;
    }
    for (const Task& task : tasks(k)) {
      const View first = tile(head(k), k);
      if (task.kind == Kind::hand_over) {
        Matrix triangle(triangle_rows(task.row, k), first.columns);
        subject::lacpy('U', first.block(0, 0, triangle.rows(), first.columns), triangle);
        send_along_column(k, std::move(triangle), task.peer, tile_tag(task.row, k));
        continue;
      }
      Reflectors& reflectors = reflectors_.emplace(place_of(task, k), made_reflectors(task, k)).first->second;
      factor_task(task, k, first, reflectors);
      send_along_row(reflectors, task, k);
    }
  }

  void factor_task(const Task& task, int k, View first, Reflectors& reflectors) {
    const View v = reflectors.v();
    if (task.kind == Kind::triangulate) {
      subject::geqrt(first, reflectors.t());
      subject::lacpy('A', first.block(0, 0, v.rows, v.columns), v);  // the reflectors don't need the triangle, but the part above R's
                                                                     // diagonal changes later
      return;
    }
    const View triangle = first.block(0, 0, first.columns, first.columns);
    if (task.kind == Kind::annihilate) {
      const View annihilated = tile(task.row, k);
      subject::tpqrt(0, triangle, annihilated, reflectors.t());
      subject::lacpy('A', annihilated, v);
    } else {
      MPI_Recv(v.data, v.rows * v.columns, MPI_DOUBLE, task.peer, tile_tag(task.row, k), grid_.along_column, MPI_STATUS_IGNORE);
      subject::tpqrt(v.rows, triangle, v, reflectors.t());
    }
  }

  /// Applies Q^T of panel k to the tiles of a column.
  void update(int k, int column) {
    for (const Task& task : tasks(k)) {
      const View first = tile(head(k), column);
      if (task.kind == Kind::hand_over) {
        hand_over(task, k, column, first);
        continue;
      }
      Reflectors& reflectors = reflectors_.at(place_of(task, k));
      MPI_Wait(&reflectors.arrival, MPI_STATUS_IGNORE);  // returns at once if the message came before, or if the reflectors are of this
                                                         // process
      if (task.kind == Kind::triangulate) {
        subject::gemqrt('L', 'T', reflectors.v(), reflectors.t(), first);
        continue;
      }
      const View top = first.block(0, 0, reflectors.v().columns, first.columns);
      if (task.kind == Kind::annihilate) {
        subject::tpmqrt('T', 0, reflectors.v(), reflectors.t(), top, tile(task.row, column));
      } else {
        Matrix other(reflectors.v().rows, first.columns);
        MPI_Recv(other.data(), other.size(), MPI_DOUBLE, task.peer, tile_tag(task.row, column), grid_.along_column, MPI_STATUS_IGNORE);
        subject::tpmqrt('T', other.rows(), reflectors.v(), reflectors.t(), top, other);
        send_along_column(k, std::move(other), task.peer, tile_tag(task.row, column));
      }
    }
  }

  /// Sends the upper rows of the tile to the process that merges them, and begins to receive them back.
  void hand_over(const Task& task, int k, int column, View first) {
    Matrix rows(triangle_rows(task.row, k), first.columns);
    subject::lacpy('A', first.block(0, 0, rows.rows(), first.columns), rows);
    Tile& waiting = tiles_.at({task.row, column});
    waiting.returning = Matrix(rows.rows(), rows.columns());
    MPI_Irecv(waiting.returning.data(), waiting.returning.size(), MPI_DOUBLE, task.peer, tile_tag(task.row, column), grid_.along_column,
              &waiting.arrival);
    send_along_column(k, std::move(rows), task.peer, tile_tag(task.row, column));
  }

  const Options& options_;
  const Grid& grid_;
  Distribution rows_, columns_;
  int panels_;
  std::map<std::pair<int, int>, Tile> tiles_;
  std::map<Place, Reflectors> reflectors_;
  std::map<int, std::vector<MPI_Request>> requests_;  ///< sends of reflectors, by panel
  std::list<Message> messages_;                       ///< ordered by panel, except for the panel that is ahead
};

bool tile_qr(subject::CommandLine& line) {
  const Options options = parse(line);
  const Grid grid(options.grid);
  TileQr qr(options, grid);
  const double seconds = subject::seconds_of([&] { qr.factor(); });
  if (subject::world_rank() == 0) {
    std::printf("QR of %d x %d%s, tiles of %d, inner blocks of %d, grid %dx%d: %.4f s\n", options.m, options.n,
                options.check ? " with Q" : "", options.nb, options.ib, grid.rows, grid.columns, seconds);
  }
  return !options.check || qr.check();
}

}  // namespace

int main(int argc, char** argv) { return subject::run(argc, argv, usage, tile_qr); }
