#include "flopcast/contract/blocked.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <memory>
#include <new>
#include <system_error>
#include <thread>

#include "flopcast/contract/element.hpp"
#include "flopcast/contract/streaming.hpp"
#include "flopcast/core/error.hpp"

namespace flopcast::contract {
namespace {

using Tile = Blocked::Tile;

/// Gives memory back that operator new gave at this alignment.
struct AlignedDelete {
  static constexpr std::align_val_t alignment{64};
  void operator()(std::byte* memory) const noexcept { ::operator delete(memory, alignment); }
};
using AlignedMemory = std::unique_ptr<std::byte, AlignedDelete>;

AlignedMemory allocate(std::int64_t bytes) {
  return AlignedMemory(
      static_cast<std::byte*>(::operator new(static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)), AlignedDelete::alignment)));
}

std::int64_t rounded(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }

/// Buffers of one thread, in bytes.
struct BufferSizes {
  std::int64_t a, b, c;
  [[nodiscard]] std::int64_t total() const { return a + b + c; }
};

BufferSizes buffer_sizes(const Blocking& blocking, Precision precision) {
  const std::int64_t element = element_bytes(precision);
  return {rounded(blocking.m * blocking.k * element), rounded(blocking.k * blocking.n * element),
          rounded(blocking.m * blocking.n * element)};
}

using Integer = std::int32_t;
using Gemm = void (*)(const char*, const char*, const Integer*, const Integer*, const Integer*, const void*, const void*, const Integer*,
                      const void*, const Integer*, const void*, void*, const Integer*, std::size_t, std::size_t);

/// A matrix as gemm takes it.
template <class Pointer>
struct Matrix {
  Pointer data = nullptr;
  std::int64_t leading_dimension = 1;
  bool transposed = false;
};

/// Whether rows and columns with these steps are a matrix of BLAS; one with rows and columns exchanged is `transposed`.
template <class Pointer>
bool in_place(Pointer data, std::int64_t rows, std::int64_t row_step, std::int64_t columns, std::int64_t column_step,
              Matrix<Pointer>& matrix) {
  constexpr std::int64_t most = std::numeric_limits<Integer>::max();
  const auto fits = [&](std::int64_t unit, std::int64_t height, std::int64_t other, std::int64_t width) {
    return (unit == 1 || height == 1) && (other >= height || width == 1) && other > 0 && other <= most;
  };
  if (fits(row_step, rows, column_step, columns)) {
    matrix = {data, columns == 1 ? std::max(rows, column_step) : column_step, false};
    return true;
  }
  if (fits(column_step, columns, row_step, rows)) {
    matrix = {data, rows == 1 ? std::max(columns, row_step) : row_step, true};
    return true;
  }
  return false;
}

}  // namespace

/// Does the tiles of one thread.
template <class Element>
class Worker {
 public:
  Worker(const Blocked& plan, const Element* a, const Element* b, Element* c, Element alpha, Element beta)
      : plan_(plan),
        sizes_(buffer_sizes(plan.blocking_, plan.folded_.precision)),
        memory_(allocate(sizes_.total())),
        a_(a),
        b_(b),
        c_(c),
        alpha_(alpha),
        beta_(beta) {
    if (plan.folded_.swapped) {
      std::swap(a_, b_);
    }
  }

  /// Tiles of M from `m_begin` on, `m_step` apart, of one tile of N and one element of the batch.
  void run(std::int64_t batch, const Tile& n, std::size_t m_begin, std::size_t m_end) {
    const Fold& batches = plan_.folded_.batch;
    at_a_ = a_ + batches.a[static_cast<std::size_t>(batch)];
    at_b_ = b_ + batches.b[static_cast<std::size_t>(batch)];
    at_c_ = c_ + batches.c[static_cast<std::size_t>(batch)];
    bool first = true;
    for (const Tile& k : plan_.k_) {
      const Matrix<const Element*> b = plan_.blocking_.streaming ? packed_b(k, n) : matrix_b(k, n);
      for (std::size_t i = m_begin; i < m_end; ++i) {
        multiply(plan_.m_[i], n, k, b, first);
      }
      first = false;
    }
    if (plan_.blocking_.streaming) {
      finish_streaming();
    }
  }

 private:
  [[nodiscard]] Element* buffer(std::int64_t offset_bytes) const { return reinterpret_cast<Element*>(memory_.get() + offset_bytes); }

  Matrix<const Element*> matrix_b(const Tile& k, const Tile& n) {
    const Folded& folded = plan_.folded_;
    Matrix<const Element*> matrix;
    const Element* data = at_b_ + offset(folded.k.b, k) + offset(folded.n.b, n);
    return in_place(data, k.length, k.step_b, n.length, n.step_b, matrix) ? matrix : packed_b(k, n);
  }

  Matrix<const Element*> packed_b(const Tile& k, const Tile& n) {
    Element* const to = buffer(sizes_.a);
    pack(at_b_, plan_.folded_.k.b, k, plan_.folded_.n.b, n, to);
    return {to, std::max<std::int64_t>(1, k.length), false};
  }

  Matrix<const Element*> matrix_a(const Tile& m, const Tile& k) {
    const Folded& folded = plan_.folded_;
    Matrix<const Element*> matrix;
    const Element* data = at_a_ + offset(folded.m.a, m) + offset(folded.k.a, k);
    return !plan_.blocking_.streaming && in_place(data, m.length, m.step_a, k.length, k.step_a, matrix) ? matrix : packed_a(m, k);
  }

  Matrix<const Element*> packed_a(const Tile& m, const Tile& k) {
    Element* const to = buffer(0);
    pack(at_a_, plan_.folded_.m.a, m, plan_.folded_.k.a, k, to);
    return {to, std::max<std::int64_t>(1, m.length), false};
  }

  static std::int64_t offset(const std::vector<std::int64_t>& offsets, const Tile& tile) {
    return tile.length == 0 ? 0 : offsets[static_cast<std::size_t>(tile.first)];
  }

  /// rows x columns of a tensor into a dense column-major matrix, reading along whichever has the smaller steps.
  static void pack(const Element* from, const std::vector<std::int64_t>& row_offsets, const Tile& rows,
                   const std::vector<std::int64_t>& column_offsets, const Tile& columns, Element* to) {
    const std::int64_t* row = row_offsets.data() + rows.first;
    const std::int64_t* column = column_offsets.data() + columns.first;
    const auto first_step = [](const std::int64_t* offsets, const Tile& tile) {
      return tile.length > 1 ? std::abs(offsets[1] - offsets[0]) : 1L << 60;
    };
    if (first_step(row, rows) <= first_step(column, columns)) {
      for (std::int64_t j = 0; j < columns.length; ++j) {
        const Element* const source = from + column[j];
        for (std::int64_t i = 0; i < rows.length; ++i) {
          to[i + j * rows.length] = source[row[i]];
        }
      }
      return;
    }
    constexpr std::int64_t strip = 16;  // columns at a time, so that lines of both sides stay in L1
    for (std::int64_t begin = 0; begin < columns.length; begin += strip) {
      const std::int64_t end = std::min(begin + strip, columns.length);
      for (std::int64_t i = 0; i < rows.length; ++i) {
        const Element* const source = from + row[i];
        for (std::int64_t j = begin; j < end; ++j) {
          to[i + j * rows.length] = source[column[j]];
        }
      }
    }
  }

  void multiply(const Tile& m, const Tile& n, const Tile& k, const Matrix<const Element*>& b, bool first) {
    const Matrix<const Element*> a = matrix_a(m, k);
    const Folded& folded = plan_.folded_;
    Element* const data = at_c_ + offset(folded.m.c, m) + offset(folded.n.c, n);
    if (plan_.blocking_.streaming) {
      if constexpr (std::is_same_v<Element, double>) {
        stream_product(m.length, n.length, k.length, alpha_, a.data, b.data, b.leading_dimension, data,
                       n.length == 1 ? m.length : n.step_c);
      }
      return;
    }
    const Element beta = first ? beta_ : Element(1);
    Matrix<Element*> c;
    if (in_place(data, m.length, m.step_c, n.length, n.step_c, c) && !c.transposed) {
      gemm(m.length, n.length, k.length, alpha_, a, b, beta, c.data, c.leading_dimension);
      return;
    }
    Element* const result = buffer(sizes_.a + sizes_.b);
    gemm(m.length, n.length, k.length, alpha_, a, b, Element(0), result, m.length);
    write_back(result, m, n, beta);
  }

  void write_back(const Element* result, const Tile& m, const Tile& n, Element beta) {
    const std::int64_t* row = plan_.folded_.m.c.data() + m.first;
    const std::int64_t* column = plan_.folded_.n.c.data() + n.first;
    for (std::int64_t j = 0; j < n.length; ++j) {
      Element* const to = at_c_ + column[j];
      const Element* const from = result + j * m.length;
      if (beta == Element(0)) {
        for (std::int64_t i = 0; i < m.length; ++i) {
          to[row[i]] = from[i];
        }
      } else {
        for (std::int64_t i = 0; i < m.length; ++i) {
          to[row[i]] = from[i] + beta * to[row[i]];
        }
      }
    }
  }

  void gemm(std::int64_t m, std::int64_t n, std::int64_t k, Element alpha, const Matrix<const Element*>& a, const Matrix<const Element*>& b,
            Element beta, Element* c, std::int64_t ldc) {
    const char transa = a.transposed ? 'T' : 'N', transb = b.transposed ? 'T' : 'N';
    const std::array<Integer, 6> integers = {static_cast<Integer>(m),
                                             static_cast<Integer>(n),
                                             static_cast<Integer>(k),
                                             static_cast<Integer>(a.leading_dimension),
                                             static_cast<Integer>(b.leading_dimension),
                                             static_cast<Integer>(ldc)};
    reinterpret_cast<Gemm>(plan_.gemm_)(&transa, &transb, &integers[0], &integers[1], &integers[2], &alpha, a.data, &integers[3], b.data,
                                        &integers[4], &beta, c, &integers[5], 1, 1);
  }

  const Blocked& plan_;
  BufferSizes sizes_;
  AlignedMemory memory_;
  const Element *a_, *b_;
  Element* c_;
  Element alpha_, beta_;
  const Element *at_a_ = nullptr, *at_b_ = nullptr;
  Element* at_c_ = nullptr;
};

std::string to_string(const Blocking& blocking) {
  return fmt::format("{} x {} x {}{}{}", blocking.m, blocking.n, blocking.k, blocking.streaming ? " streaming" : "",
                     blocking.threads > 1 ? fmt::format(" on {} threads", blocking.threads) : "");
}

std::vector<Tile> tiles(const Fold& fold, std::int64_t length) {
  std::vector<Tile> all;
  for (std::int64_t first = 0; first < fold.extent; first += length) {
    const std::int64_t now = std::min(length, fold.extent - first);
    all.push_back({first, now, constant_step(fold.a, first, now), constant_step(fold.b, first, now), constant_step(fold.c, first, now)});
  }
  return all;
}

Blocked::Blocked(Folded folded, Blocking blocking, const FindRoutine& find) : folded_(std::move(folded)), blocking_(blocking) {
  const std::string routine = static_cast<char>(folded_.precision) + std::string("gemm");
  gemm_ = find(routine);
  if (gemm_ == nullptr) {
    throw environment_error("no library that is open has {}", routine);
  }
  for (const auto& [tile, fold] : {std::pair{&blocking_.m, &folded_.m}, {&blocking_.n, &folded_.n}, {&blocking_.k, &folded_.k}}) {
    *tile = std::clamp<std::int64_t>(*tile, 1, std::max<std::int64_t>(1, fold->extent));
    if (*tile > std::numeric_limits<Integer>::max()) {
      throw bad_input("a tile of {} is longer than BLAS's 32-bit integers can say", *tile);
    }
  }
  m_ = tiles(folded_.m, blocking_.m);
  n_ = tiles(folded_.n, blocking_.n);
  k_ = tiles(folded_.k, blocking_.k);
  if (k_.empty()) {
    k_ = {{0, 0, 1, 1, 1}};  // a sum of nothing: C := beta C
  }
}

std::int64_t Blocked::workspace_bytes() const { return buffer_sizes(blocking_, folded_.precision).total() * blocking_.threads; }

std::string Blocked::packed() const {
  const auto any = [](const std::vector<Tile>& rows, std::int64_t Tile::*row_step, const std::vector<Tile>& columns,
                      std::int64_t Tile::*column_step) {
    Matrix<const double*> ignored;
    return std::any_of(rows.begin(), rows.end(), [&](const Tile& row) {
      return std::any_of(columns.begin(), columns.end(), [&](const Tile& column) {
        return !in_place<const double*>(nullptr, row.length, row.*row_step, column.length, column.*column_step, ignored);
      });
    });
  };
  std::string names;
  const bool left = blocking_.streaming || any(m_, &Tile::step_a, k_, &Tile::step_a);
  const bool right = blocking_.streaming || any(k_, &Tile::step_b, n_, &Tile::step_b);
  names += (folded_.swapped ? right : left) ? "A" : "";
  names += (folded_.swapped ? left : right) ? "B" : "";
  names += any(m_, &Tile::step_c, n_, &Tile::step_c) ? "C" : "";
  return names;
}

void Blocked::run(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta) const {
  with_element(folded_.precision, [&](auto zero) {
    using Element = decltype(zero);
    std::vector<Worker<Element>> workers;
    try {
      for (int i = 0; i < blocking_.threads; ++i) {
        workers.emplace_back(*this, static_cast<const Element*>(a), static_cast<const Element*>(b), static_cast<Element*>(c),
                             to_element<Element>(alpha), to_element<Element>(beta));
      }
    } catch (const std::bad_alloc&) {
      throw environment_error("packing needs {} bytes of memory, which aren't there; C was not changed", workspace_bytes());
    }
    // One task per tile of N; where these are too few for the threads, each is split along M.
    const std::size_t parts = blocking_.threads == 1
                                  ? 1
                                  : std::clamp<std::size_t>((4 * static_cast<std::size_t>(blocking_.threads) + n_.size() - 1) /
                                                                std::max<std::size_t>(1, n_.size()),
                                                            1, std::max<std::size_t>(1, m_.size()));
    const std::size_t tasks = static_cast<std::size_t>(folded_.batch.extent) * n_.size() * parts;
    std::atomic<std::size_t> next = 0;
    const auto work = [&](Worker<Element>& worker) {
      for (std::size_t task = next++; task < tasks; task = next++) {
        const std::size_t part = task % parts, tile = task / parts % n_.size(), batch = task / parts / n_.size();
        worker.run(static_cast<std::int64_t>(batch), n_[tile], part * m_.size() / parts, (part + 1) * m_.size() / parts);
      }
    };
    std::vector<std::thread> threads;
    try {
      for (std::size_t i = 1; i < workers.size(); ++i) {
        threads.emplace_back(work, std::ref(workers[i]));
      }
    } catch (const std::system_error&) {  // the system refuses more threads: those that there are do all of it
    }
    work(workers.front());
    for (std::thread& thread : threads) {
      thread.join();
    }
  });
}

}  // namespace flopcast::contract
