// QR factorisation on a 2D block-cyclic distribution, with panels by TSQR or Cholesky-QR2 and look-ahead.
//
// Each panel is factored by its column of processes alone, by a tree of QRs (TSQR) or twice by the Cholesky factor of its Gram matrix
// (Cholesky-QR2). An LU factorisation then rewrites the panel as a block reflector, which updates the columns to its right. With look-ahead
// the next panel is factored and sent before the other columns are updated. Sources: Ballard, Demmel, Grigori, Jacquelin, Nguyen,
// Solomonik, "Reconstructing Householder vectors from tall-skinny QR", 2014; Demmel, Grigori, Hoemmen, Langou, "Communication-optimal
// parallel and sequential QR and LU factorizations", 2012; Fukaya, Nakatsukasa, Yanagisawa, Yamamoto, "CholeskyQR2", 2014.
//   for      authors of MPI programs
//   build    cmake --build --preset check --target mpi_subjects
//   run      OPENBLAS_NUM_THREADS=1 mpirun.openmpi --oversubscribe -n 4
//              build/check/bin/pipelined_qr_openmpi --m 2048 --n 512 --nb 32 --grid 4x1 --panel tsqr --check
//   picture  OPENBLAS_NUM_THREADS=1 mpirun.openmpi --oversubscribe -n 4
//              flopcast mpi run --figure pipelined_qr.svg --
//              build/check/bin/pipelined_qr_openmpi --m 2048 --n 512 --nb 32 --grid 4x1 --panel tsqr
//   read     docs/reference/mpi_examples.md
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <memory>
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

constexpr const char* usage =
    "[--m M] [--n N] [--nb NB] [--grid ROWSxCOLUMNS] [--panel tsqr|cholesky-qr2] [--lookahead 0|1] [--check]; M >= N";

struct Options : subject::QrOptions {
  std::string panel;
  bool lookahead = true;
};

Options parse(subject::CommandLine& line) {
  Options options{subject::qr_options(line, 32)};
  options.panel = line.choice("--panel", {"tsqr", "cholesky-qr2"});
  options.lookahead = line.choice("--lookahead", {"1", "0"}) == "1";
  line.finish();
  return options;
}

/// A block reflector I - Y T Y^T. This process has the rows of Y that lie in its row of the grid. Y and T are contiguous, so that one
/// message contains both.
class Panel {
 public:
  Panel(int rows, int width) : rows_(rows), elements_(1, (rows + width) * width), width_(width) {}

  View y() { return {elements_.data(), rows_, width_, std::max(1, rows_)}; }
  View t() { return {&elements_(0, rows_ * width_), width_, width_, width_}; }
  double* data() { return elements_.data(); }
  [[nodiscard]] int size() const { return elements_.size(); }

  std::vector<MPI_Request> requests;  ///< requests of the panel's messages: receives for a panel of another process, sends for an own panel

 private:
  int rows_;
  Matrix elements_;
  int width_;
};

class PipelinedQr {
 public:
  /// For the check the matrix is [A I], so that A's columns become R, and the columns of the identity become Q^T.
  PipelinedQr(const Options& options, const Grid& grid)
      : options_(options),
        grid_(grid),
        rows_({options.m}, options.nb, grid.rows),
        columns_({options.n, options.check ? options.m : 0}, options.nb, grid.columns),
        panels_((options.n + options.nb - 1) / options.nb),
        local_(subject::input_matrix().reshape(rows_.local_extent(grid.row), columns_.local_extent(grid.column))) {
    subject::for_each_element(rows_, columns_, grid.row, grid.column, [&](int li, int lj, int i, int j) {
      local_(li, lj) = j < options_.n ? subject::random_element(i, j) : j - options_.n == i ? 1 : 0;
    });
  }

  void factor() {
    std::unique_ptr<Panel> panel = options_.lookahead ? begin_panel(0) : nullptr;
    for (int k = 0; k < panels_; ++k) {
      if (!options_.lookahead) {
        panel = broadcast_panel(k);
        update(k, *panel, k + 1, columns_.blocks());
        continue;
      }
      if (!owns(k)) {
        finish(*panel);
      }
      std::unique_ptr<Panel> next;
      int first = k + 1;
      if (k + 1 < panels_) {
        if (owns(k + 1)) {
          update(k, *panel, k + 1, k + 2);
          ++first;
        }
        next = begin_panel(k + 1);
      }
      update(k, *panel, first, columns_.blocks());
      if (owns(k)) {
        finish(*panel);  // waits for the sends of the panel
      }
      panel = std::move(next);
    }
  }

  /// Collective; rank 0 returns the result.
  bool check() {
    Matrix whole = subject::gather(local_, rows_, columns_, MPI_COMM_WORLD);
    return subject::world_rank() != 0 ||
           subject::check_qr(whole.view().block(0, 0, options_.m, options_.n), whole.view().block(0, options_.n, options_.m, options_.m));
  }

 private:
  [[nodiscard]] bool owns(int k) const { return columns_.owner(k) == grid_.column; }
  /// Returns the number of rows that this process has from block k on.
  [[nodiscard]] int rows_from(int k) const { return local_.rows() - rows_.local_begin(grid_.row, k); }
  /// Returns this process's part of the rows from block k on, in the columns of blocks [first, end).
  View local(int k, int first, int end) {
    const int from = columns_.local_begin(grid_.column, first);
    return local_.view().block(rows_.local_begin(grid_.row, k), from, rows_from(k), columns_.local_begin(grid_.column, end) - from);
  }

  static void finish(Panel& panel) {
    MPI_Waitall(static_cast<int>(panel.requests.size()), panel.requests.data(), MPI_STATUSES_IGNORE);
    panel.requests.clear();
  }

  /// Factors the panel and begins to send it along the row if this process owns it; other processes begin to receive it.
  std::unique_ptr<Panel> begin_panel(int k) {
    if (!owns(k)) {
      auto panel = std::make_unique<Panel>(rows_from(k), columns_.width(k));
      panel->requests.emplace_back();
      MPI_Irecv(panel->data(), panel->size(), MPI_DOUBLE, columns_.owner(k), k, grid_.along_row, &panel->requests.back());
      return panel;
    }
    auto panel = factor_panel(k);
    for (int step = 1; step < grid_.columns; ++step) {  // the process that needs the panel first comes first
      panel->requests.emplace_back();
      MPI_Isend(panel->data(), panel->size(), MPI_DOUBLE, (grid_.column + step) % grid_.columns, k, grid_.along_row,
                &panel->requests.back());
    }
    return panel;
  }

  std::unique_ptr<Panel> broadcast_panel(int k) {
    auto panel = owns(k) ? factor_panel(k) : std::make_unique<Panel>(rows_from(k), columns_.width(k));
    if (grid_.columns > 1) {
      MPI_Bcast(panel->data(), panel->size(), MPI_DOUBLE, columns_.owner(k), grid_.along_row);
    }
    return panel;
  }

  std::unique_ptr<Panel> factor_panel(int k) {
    const View a = local(k, k, k + 1);
    auto panel = std::make_unique<Panel>(a.rows, a.columns);
    subject::lacpy('A', a, panel->y());
    Matrix r = options_.panel == "tsqr" ? tsqr(k, panel->y()) : cholesky_qr2(panel->y());
    reconstruct(k, *panel, r);
    subject::lacpy('A', panel->y(), a);
    if (holds_diagonal(k)) {
      subject::lacpy('U', r, a.block(0, 0, a.columns, a.columns));
    }
    return panel;
  }

  [[nodiscard]] bool holds_diagonal(int k) const { return rows_.owner(k) == grid_.row; }

  /// Computes columns [first, end) := H^T times these columns, with the reflector H of the panel.
  void update(int k, Panel& panel, int first, int end) {
    const View c = local(k, first, end);
    if (c.columns == 0) {
      return;
    }
    Matrix w(panel.t().rows, c.columns);
    subject::gemm('T', 'N', 1, panel.y(), c, 0, w);
    if (grid_.rows > 1) {
      MPI_Allreduce(MPI_IN_PLACE, w.data(), w.size(), MPI_DOUBLE, MPI_SUM, grid_.along_column);
    }
    subject::trmm('L', 'U', 'T', 'N', 1, panel.t(), w);
    subject::gemm('N', 'N', -1, panel.y(), w, 1, c);
  }

  // Panels: Q replaces the panel's rows, R is the result.

  /// A merge of two triangles in the tree: the other process, and the reflectors.
  struct Merge {
    int other;
    Matrix v, t;
  };

  /// Returns the row in the grid of the process that is `distance` behind the process with the diagonal block.
  [[nodiscard]] int behind(int k, int distance) const { return (rows_.owner(k) + distance) % grid_.rows; }

  /// Returns R at the process with the diagonal block.
  Matrix tsqr(int k, View panel) {
    const int w = panel.columns;
    const int place = (grid_.row - rows_.owner(k) + grid_.rows) % grid_.rows;
    const int active = std::min(grid_.rows, rows_.blocks() - k);  // number of processes that have rows: the owners of consecutive blocks
    Matrix r(w, w);
    if (place >= active) {
      return r;
    }
    // A leaf with fewer rows than columns is filled up with zeros, which stay zeros in Q.
    Matrix leaf(std::max(panel.rows, w), w);
    std::vector<double> tau(static_cast<std::size_t>(w));
    subject::lacpy('A', panel, leaf);
    subject::geqrf(leaf, tau.data());
    subject::lacpy('U', leaf.view().block(0, 0, w, w), r);

    std::vector<Merge> merges;
    int step = 1;
    for (; place % (2 * step) == 0 && step < active; step *= 2) {
      if (place + step < active) {
        merges.push_back({behind(k, place + step), Matrix(w, w), Matrix(std::min(w, tree_block), w)});
        MPI_Recv(merges.back().v.data(), w * w, MPI_DOUBLE, merges.back().other, k, grid_.along_column, MPI_STATUS_IGNORE);
        subject::tpqrt(w, r, merges.back().v, merges.back().t);
      }
    }
    Matrix top(w, w);  // the part of Q at this place of the tree
    if (place == 0) {
      subject::laset('A', 0, 1, top);
    } else {
      const int parent = behind(k, place - step);
      MPI_Send(r.data(), w * w, MPI_DOUBLE, parent, k, grid_.along_column);
      MPI_Recv(top.data(), w * w, MPI_DOUBLE, parent, k, grid_.along_column, MPI_STATUS_IGNORE);
    }
    for (; !merges.empty(); merges.pop_back()) {
      Matrix bottom(w, w);
      subject::tpmqrt('N', w, merges.back().v, merges.back().t, top, bottom);
      MPI_Send(bottom.data(), w * w, MPI_DOUBLE, merges.back().other, k, grid_.along_column);
    }
    Matrix q(leaf.rows(), w);
    subject::lacpy('A', top, q);
    subject::ormqr('L', 'N', leaf, tau.data(), q);
    subject::lacpy('A', q.view().block(0, 0, panel.rows, w), panel);
    return r;
  }

  /// Returns R at all processes of the column.
  Matrix cholesky_qr2(View panel) {
    Matrix first = cholesky_qr(panel);
    Matrix r = cholesky_qr(panel);
    subject::trmm('R', 'U', 'N', 'N', 1, first, r);
    return r;
  }

  Matrix cholesky_qr(View panel) {
    Matrix r(panel.columns, panel.columns);
    subject::syrk('U', 'T', 1, panel, 0, r);
    if (grid_.rows > 1) {
      MPI_Allreduce(MPI_IN_PLACE, r.data(), r.size(), MPI_DOUBLE, MPI_SUM, grid_.along_column);
    }
    subject::potrf('U', r);
    subject::trsm('R', 'U', 'N', 'N', 1, r, panel);
    return r;
  }

  /// Computes Q - S = Y U by LU with signs S, then T = -U S Y1^-T. S R replaces R: [S R; 0] = (I - Y T Y^T)^T A. Source: section 3.2 of the
  /// cited report.
  void reconstruct(int k, Panel& panel, View r) {
    const View y = panel.y();
    const int w = y.columns;
    Matrix factors(w, 2 * w);  // U and T
    const View u = factors.view().block(0, 0, w, w);
    const View t = factors.view().block(0, w, w, w);
    View rest = y;
    if (holds_diagonal(k)) {
      std::vector<double> signs(static_cast<std::size_t>(w));
      const View y1 = y.block(0, 0, w, w);
      rest = y.block(w, 0, y.rows - w, w);
      subject::signed_lu(y1, signs.data());
      subject::lacpy('U', y1, u);
      for (int j = 0; j < w; ++j) {
        for (int i = 0; i <= j; ++i) {
          t(i, j) = -u(i, j) * signs[static_cast<std::size_t>(j)];
          r(i, j) *= signs[static_cast<std::size_t>(i)];
        }
      }
      subject::trsm('R', 'L', 'T', 'U', 1, y1, t);
      subject::laset('U', 0, 1, y1);
    }
    if (grid_.rows > 1) {
      MPI_Bcast(factors.data(), factors.size(), MPI_DOUBLE, rows_.owner(k), grid_.along_column);
    }
    subject::lacpy('A', t, panel.t());
    subject::trsm('R', 'U', 'N', 'N', 1, u, rest);
  }

  static constexpr int tree_block = 16;  ///< columns of a block in the tree's merges

  const Options& options_;
  const Grid& grid_;
  Distribution rows_, columns_;
  int panels_;
  Matrix& local_;
};

bool pipelined_qr(subject::CommandLine& line) {
  const Options options = parse(line);
  const Grid grid(options.grid);
  PipelinedQr qr(options, grid);
  const double seconds = subject::seconds_of([&] { qr.factor(); });
  if (subject::world_rank() == 0) {
    std::printf("QR of %d x %d%s, blocks of %d, grid %dx%d, %s, look-ahead %d: %.4f s\n", options.m, options.n,
                options.check ? " with Q" : "", options.nb, grid.rows, grid.columns, options.panel.c_str(), options.lookahead ? 1 : 0,
                seconds);
  }
  return !options.check || qr.check();
}

}  // namespace

int main(int argc, char** argv) { return subject::run(argc, argv, usage, pipelined_qr); }
