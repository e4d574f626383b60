#include "flopcast/contract/blocked.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>

#include "flopcast/contract/element.hpp"
#include "flopcast/contract/helper_threads.hpp"
#include "flopcast/contract/mirror.hpp"
#include "flopcast/contract/scattered_matrix.hpp"
#include "flopcast/contract/streaming.hpp"
#include "flopcast/core/error.hpp"
#include "flopcast/machine/library_identity.hpp"

namespace flopcast::contract {
namespace {

using Tile = Blocked::Tile;

struct Free {
  void operator()(std::byte* memory) const noexcept { std::free(memory); }
};
using AlignedMemory = std::unique_ptr<std::byte, Free>;

/// At the start of a cache line; large buffers lie in huge pages where the system has some, which saves page faults at first, translations
/// and conflicts in L2 later. Throws std::bad_alloc.
AlignedMemory allocate(std::int64_t bytes) {
  constexpr std::size_t line = 64, huge_page = std::size_t{2} << 20;
  const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
  const std::size_t alignment = wanted >= huge_page ? huge_page : line;
  const std::size_t size = (wanted + alignment - 1) / alignment * alignment;
  AlignedMemory memory(static_cast<std::byte*>(std::aligned_alloc(alignment, size)));
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  if (alignment == huge_page) {
    static_cast<void>(madvise(memory.get(), size, MADV_HUGEPAGE));  // a wish: small pages do as well, only slower
  }
  return memory;
}

std::int64_t rounded(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }

/// Calls `work` with the panel kernel for the precision's type, if it is real.
template <class Work>
void with_panel_kernel(Precision precision, Work&& work) {
  with_element(precision, [&](auto zero) {
    using Element = decltype(zero);
    if constexpr (std::is_floating_point_v<Element>) {
      work(panel_kernels<Element>().front());
    }
  });
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

/// Of all plans: it is the library that several threads may not call.
std::mutex& turn() {
  static std::mutex mutex;
  return mutex;
}

using Gemv = void (*)(const char*, const Integer*, const Integer*, const void*, const void*, const Integer*, const void*, const Integer*,
                      const void*, void*, const Integer*, std::size_t);

/// Whether gemv multiplies 2 x 3 numbers right, as they lie and transposed.
bool is_right(Gemv gemv, Precision precision) {
  return with_element(precision, [&](auto zero) {
    using Element = decltype(zero);
    const std::array<Element, 6> a = {Element(1), Element(2), Element(3), Element(4), Element(5), Element(6)};
    const std::array<Element, 3> x = {Element(1), Element(2), Element(3)};
    const Integer m = 2, n = 3, step = 1;
    const Element one(1), none(0);
    const Element never_read(std::numeric_limits<float>::quiet_NaN());
    std::array<Element, 2> y{};
    std::array<Element, 3> transposed{};
    y.fill(never_read);
    transposed.fill(never_read);
    gemv("N", &m, &n, &one, a.data(), &m, x.data(), &step, &none, y.data(), &step, 1);
    gemv("T", &m, &n, &one, a.data(), &m, x.data(), &step, &none, transposed.data(), &step, 1);
    return y == std::array<Element, 2>{Element(22), Element(28)} &&
           transposed == std::array<Element, 3>{Element(5), Element(11), Element(17)};
  });
}

/// Tries gemm on a product of 2 x 3 x 2, which costs less than a microsecond, before it is trusted with data.
void require_right(Gemm gemm, Precision precision, const std::string& routine) {
  with_element(precision, [&](auto zero) {
    using Element = decltype(zero);
    const std::array<Element, 4> a = {Element(1), Element(2), Element(3), Element(4)};
    const std::array<Element, 6> b = {Element(1), Element(0), Element(2), Element(1), Element(0), Element(5)};
    std::array<Element, 6> c{};
    c.fill(Element(std::numeric_limits<float>::quiet_NaN()));  // which beta = 0 overwrites
    const std::array<Element, 6> expected = {Element(1), Element(2), Element(5), Element(8), Element(15), Element(20)};
    const Integer m = 2, n = 3, k = 2;
    const Element one(1), none(0);
    gemm("N", "N", &m, &n, &k, &one, a.data(), &m, b.data(), &k, &none, c.data(), &m, 1, 1);
    if (c != expected) {
      throw environment_error("{} of the library that is open gives wrong results for a product of 2 x 3 x 2", routine);
    }
  });
}

/// Length and step of a tile.
using Side = std::pair<std::int64_t, std::int64_t>;

/// The different ones: usually one or two, of any number of tiles.
std::set<Side> sides(const std::vector<Tile>& tiles, std::int64_t Tile::*step) {
  std::set<Side> all;
  for (const Tile& tile : tiles) {
    all.emplace(tile.length, tile.*step);
  }
  return all;
}

}  // namespace

/// Memory that runs have given back. Fresh memory of this size costs page faults in every run.
struct Blocked::Buffers {
  std::mutex mutex;
  std::vector<AlignedMemory> free;

  AlignedMemory take(std::int64_t bytes) {
    {
      const std::lock_guard lock(mutex);
      if (!free.empty()) {
        AlignedMemory memory = std::move(free.back());
        free.pop_back();
        return memory;
      }
    }
    return allocate(bytes);
  }
  void give_back(AlignedMemory memory) {
    const std::lock_guard lock(mutex);
    free.push_back(std::move(memory));
  }
};

/// Does the tiles of one thread.
template <class Element>
class Worker {
 public:
  Worker(const Blocked& plan, const Element* a, const Element* b, Element* c, Element alpha, Element beta)
      : plan_(plan),
        memory_(plan.buffers_->take(plan.a_bytes_ + plan.b_bytes_ + plan.c_bytes_)),
        a_(a),
        b_(b),
        c_(c),
        alpha_(alpha),
        beta_(beta) {
    if (plan.folded_.swapped) {
      std::swap(a_, b_);
    }
    if constexpr (std::is_floating_point_v<Element>) {
      if (plan.blocking_.kernel == TileKernel::panels) {
        panels_.emplace(plan.folded_, panel_kernels<Element>().front(), buffer(0));
      }
    }
  }
  ~Worker() {
    if (memory_) {
      plan_.buffers_->give_back(std::move(memory_));
    }
  }
  Worker(Worker&&) noexcept = default;
  Worker(const Worker&) = delete;
  Worker& operator=(Worker&&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Room for a tile of B.
  [[nodiscard]] Element* b_buffer() const { return buffer(plan_.a_bytes_); }

  /// From now on works on one element of the batch, tile `n` of N and tile `k` of K. What must be packed of B goes to `b_buffer`.
  void take(std::int64_t batch, std::size_t n, std::size_t k, Element* b_buffer) {
    const Fold& batches = plan_.folded_.batch;
    at_a_ = a_ + batches.a[static_cast<std::size_t>(batch)];
    at_b_ = b_ + batches.b[static_cast<std::size_t>(batch)];
    at_c_ = c_ + batches.c[static_cast<std::size_t>(batch)];
    k_ = &plan_.k_[k];
    n_ = &plan_.n_[n];
    is_first_ = k == 0;
    if constexpr (std::is_floating_point_v<Element>) {
      if (panels_) {
        panels_->take_columns(at_b_, plan_.column_panels_[n], {k_->first, k_->length, k_->step_a, k_->step_b}, plan_.blocking_.pack_b,
                              b_buffer);
        panel_count_ = plan_.column_panels_[n].size();
        return;
      }
    }
    const Folded& folded = plan_.folded_;
    const Element* data = at_b_ + offset(folded.k.b, *k_) + offset(folded.n.b, *n_);
    packed_b_ = nullptr;
    if (streams() || !in_place(data, k_->length, k_->step_b, n_->length, n_->step_b, b_matrix_)) {
      packed_b_ = b_buffer;
      b_matrix_ = {b_buffer, std::max<std::int64_t>(1, k_->length), false};
    }
  }

  /// Parts in which the tile of B is packed; all must be, by whomever, before it is multiplied with.
  [[nodiscard]] std::size_t b_parts() const {
    if (panels_) {
      return (panel_count_ + panels_per_part - 1) / panels_per_part;
    }
    return packed_b_ == nullptr ? 0 : static_cast<std::size_t>((n_->length + columns_per_part - 1) / columns_per_part);
  }
  void pack_b(std::size_t part) {
    if constexpr (std::is_floating_point_v<Element>) {
      if (panels_) {
        panels_->pack_columns(part * panels_per_part, std::min((part + 1) * panels_per_part, panel_count_));
        return;
      }
    }
    const std::int64_t first = static_cast<std::int64_t>(part) * columns_per_part, length = std::min(columns_per_part, n_->length - first);
    const Folded& folded = plan_.folded_;
    pack_dense(ScatteredMatrix<Element>{at_b_, folded.k.b.data() + k_->first, k_->length, folded.n.b.data() + n_->first + first, length},
               packed_b_ + first * b_matrix_.leading_dimension);
  }

  /// Tile `m` of A, packed where it must be.
  void take_rows(std::size_t m) {
    m_ = m;
    if constexpr (std::is_floating_point_v<Element>) {
      if (panels_) {
        panels_->take_rows(at_a_, plan_.row_panels_[m], plan_.packing_orders_[m], plan_.blocking_.pack_a);
        return;
      }
    }
    a_matrix_ = matrix_a(plan_.m_[m], *k_);
  }
  /// The tile of A taken with that of B.
  void multiply() {
    if constexpr (std::is_floating_point_v<Element>) {
      if (panels_) {
        panels_->multiply(at_c_, alpha_, is_first_ ? beta_ : Element(1));
        return;
      }
    }
    multiply(plan_.m_[m_], *n_, *k_, a_matrix_, b_matrix_, is_first_);
  }

  /// After the last tile: what was stored past the caches is visible to other threads.
  void finish() {
    if (streams()) {
      finish_streaming();
    }
  }

 private:
  static constexpr std::size_t panels_per_part = 16;
  static constexpr std::int64_t columns_per_part = 64;

  [[nodiscard]] Element* buffer(std::int64_t offset_bytes) const { return reinterpret_cast<Element*>(memory_.get() + offset_bytes); }
  [[nodiscard]] bool streams() const { return plan_.blocking_.kernel == TileKernel::streaming; }

  Matrix<const Element*> matrix_a(const Tile& m, const Tile& k) {
    const Folded& folded = plan_.folded_;
    Matrix<const Element*> matrix;
    const Element* data = at_a_ + offset(folded.m.a, m) + offset(folded.k.a, k);
    return !streams() && in_place(data, m.length, m.step_a, k.length, k.step_a, matrix) ? matrix : packed_a(m, k);
  }

  Matrix<const Element*> packed_a(const Tile& m, const Tile& k) {
    Element* const to = buffer(0);
    pack_dense(ScatteredMatrix<Element>{at_a_, plan_.folded_.m.a.data() + m.first, m.length, plan_.folded_.k.a.data() + k.first, k.length},
               to);
    return {to, std::max<std::int64_t>(1, m.length), false};
  }

  static std::int64_t offset(const std::vector<std::int64_t>& offsets, const Tile& tile) {
    return tile.length == 0 ? 0 : offsets[static_cast<std::size_t>(tile.first)];
  }

  void multiply(const Tile& m, const Tile& n, const Tile& k, const Matrix<const Element*>& a, const Matrix<const Element*>& b, bool first) {
    const Folded& folded = plan_.folded_;
    Element* const data = at_c_ + offset(folded.m.c, m) + offset(folded.n.c, n);
    if (streams()) {
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
    Element* const result = buffer(plan_.a_bytes_ + plan_.b_bytes_);
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
    if (plan_.gemv_ != nullptr && m == 1 && n == 1 && k > 0) {
      dot(k, alpha, a, b, beta, c);
      return;
    }
    const std::unique_lock lock = plan_.takes_turns_ ? std::unique_lock(turn()) : std::unique_lock<std::mutex>();
    reinterpret_cast<Gemm>(plan_.gemm_)(&transa, &transb, &integers[0], &integers[1], &integers[2], &alpha, a.data, &integers[3], b.data,
                                        &integers[4], &beta, c, &integers[5], 1, 1);
  }

  /// A sum of k products as the transposed column of B by a row of A: gemm isn't made for that, and takes six times as long in OpenBLAS.
  void dot(std::int64_t k, Element alpha, const Matrix<const Element*>& a, const Matrix<const Element*>& b, Element beta, Element* c) {
    const char trans = b.transposed ? 'N' : 'T';
    const Integer length = static_cast<Integer>(k), one = 1, ldb = static_cast<Integer>(b.leading_dimension);
    const Integer a_step = a.transposed ? 1 : static_cast<Integer>(a.leading_dimension);
    const std::unique_lock lock = plan_.takes_turns_ ? std::unique_lock(turn()) : std::unique_lock<std::mutex>();
    reinterpret_cast<Gemv>(plan_.gemv_)(&trans, b.transposed ? &one : &length, b.transposed ? &length : &one, &alpha, b.data, &ldb, a.data,
                                        &a_step, &beta, c, &one, 1);
  }

  /// Nothing for types that have no panel kernel.
  struct NoPanels {
    explicit operator bool() const { return false; }
  };
  using Panels =
      typename std::conditional_t<std::is_floating_point_v<Element>,
                                  std::optional<PanelTiles<std::conditional_t<std::is_floating_point_v<Element>, Element, double>>>,
                                  NoPanels>;

  const Blocked& plan_;
  AlignedMemory memory_;
  Panels panels_;
  const Element *a_, *b_;
  Element* c_;
  Element alpha_, beta_;
  const Element *at_a_ = nullptr, *at_b_ = nullptr;
  Element* at_c_ = nullptr;
  const Tile *n_ = nullptr, *k_ = nullptr;
  bool is_first_ = true;                            ///< of the tiles of K
  std::size_t panel_count_ = 0;                     ///< of the tile of B, for the panel kernel
  std::size_t m_ = 0;                               ///< the tile of M taken
  Matrix<const Element*> a_matrix_{}, b_matrix_{};  ///< for the other kernels
  Element* packed_b_ = nullptr;                     ///< where it is packed, if it is
};

std::string to_string(const Blocking& blocking) {
  std::string how;
  switch (blocking.kernel) {
    case TileKernel::gemm: break;
    case TileKernel::panels:
      how = fmt::format(" in panels{}{}", blocking.pack_a ? ", A packed" : "", blocking.pack_b ? ", B packed" : "");
      break;
    case TileKernel::streaming: how = " streaming"; break;
    case TileKernel::batch: how = " along the batch"; break;
  }
  switch (blocking.rows) {
    case RowOrder::as_c: break;
    case RowOrder::crossed: how += ", lines of A and C crossed"; break;
    case RowOrder::led_by_a: how += ", rows as A has them"; break;
  }
  return fmt::format("{} x {} x {}{}{}{}", blocking.m, blocking.n, blocking.k, how, blocking.mirrored ? ", mirrored" : "",
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

double speedup_of(int threads, double extent, double length) {
  const double before = std::ceil(extent / length) - 1;  // tiles, all but the last
  const double rounds = std::floor(before / threads), last = before == rounds * threads ? extent - before * length : length;
  return extent > 0 ? extent / (rounds * length + last) : 1;
}

bool shares_columns(const Folded& folded, const Blocking& blocking) {
  constexpr double enough = 4;  // tiles for each thread
  const auto columns = static_cast<double>(folded.batch.extent * folded.n.extent), rows = static_cast<double>(folded.m.extent);
  const auto width = static_cast<double>(std::min(blocking.n, folded.n.extent)),
             height = static_cast<double>(std::min(blocking.m, folded.m.extent));
  return blocking.threads == 1 || columns >= enough * blocking.threads * width ||
         speedup_of(blocking.threads, columns, width) > speedup_of(blocking.threads, rows, height);
}

Blocked::Blocked(Folded folded, Blocking blocking, const FindRoutine& find) : folded_(std::move(folded)), blocking_(blocking) {
  if (&rows_in(blocking_.rows, folded_) == &folded_.m) {
    blocking_.rows = RowOrder::as_c;  // there is no other
  } else {
    folded_.m = Fold(rows_in(blocking_.rows, folded_));
  }
  folded_.crossed = folded_.led_by_a = Folded::no_fold();  // tables as long as M
  if (blocking_.kernel == TileKernel::gemm) {
    const std::string routine = static_cast<char>(folded_.precision) + std::string("gemm");
    gemm_ = find(routine);
    if (gemm_ == nullptr) {
      throw environment_error("no library that is open has {}", routine);
    }
    takes_turns_ = !machine::may_be_called_by_several_threads(reinterpret_cast<const void*>(gemm_));
    const std::unique_lock lock = takes_turns_ ? std::unique_lock(turn()) : std::unique_lock<std::mutex>();
    if (kernel::Function gemv = find(static_cast<char>(folded_.precision) + std::string("gemv"));
        gemv != nullptr && is_right(reinterpret_cast<Gemv>(gemv), folded_.precision)) {
      gemv_ = gemv;
    }
    require_right(reinterpret_cast<Gemm>(gemm_), folded_.precision, routine);
  }
  if (blocking_.kernel == TileKernel::batch) {
    along_batch_.emplace(folded_);
    blocking_.m = folded_.m.extent;
    blocking_.n = folded_.n.extent;
    blocking_.k = folded_.k.extent;
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
  if (blocking_.kernel == TileKernel::streaming) {
    require_streamable();
  }
  if (blocking_.mirrored && !is_symmetric_of_one(folded_)) {
    throw bad_input("C isn't symmetric even where A and B are one tensor: nothing can be mirrored");
  }
  if (blocking_.kernel == TileKernel::panels) {
    make_panels();
  } else {
    const std::int64_t element = element_bytes(folded_.precision);
    const auto none_if = [](bool absent, std::int64_t bytes) { return absent ? 0 : rounded(bytes); };
    const std::string where = packed();
    const auto is_packed = [&](char operand) { return where.find(operand) != std::string::npos; };
    a_bytes_ = none_if(!is_packed(folded_.swapped ? 'B' : 'A'), blocking_.m * blocking_.k * element);
    b_bytes_ = none_if(!is_packed(folded_.swapped ? 'A' : 'B'), blocking_.k * blocking_.n * element);
    c_bytes_ = none_if(!is_packed('C'), blocking_.m * blocking_.n * element);
  }
  packs_b_ = packed().find(folded_.swapped ? 'A' : 'B') != std::string::npos;
  buffers_ = std::make_shared<Buffers>();
}

/// The first tile of M that has to be computed beside these columns.
std::size_t Blocked::first_row_tile(const Tile& columns) const {
  if (!blocking_.mirrored) {
    return 0;
  }
  const auto below = [&](const Tile& rows) { return rows.first + rows.length > columns.first; };
  return static_cast<std::size_t>(std::find_if(m_.begin(), m_.end(), below) - m_.begin());
}

void Blocked::require_streamable() const {
  const bool contiguous = std::all_of(m_.begin(), m_.end(), [](const Tile& tile) { return tile.step_c == 1; });
  const bool regular = std::all_of(n_.begin(), n_.end(), [](const Tile& tile) { return tile.step_c != 0; });
  if (folded_.precision != Precision::d || k_.size() != 1 || folded_.k.extent > longest_streamed_sum || !contiguous || !regular ||
      !can_stream()) {
    throw bad_input(
        "the streaming kernel takes double precision, sums of at most {} products in one tile, and tiles of C with contiguous columns a "
        "constant step apart, on a CPU with AVX2; tiles of {} of this contraction aren't that",
        longest_streamed_sum, to_string(blocking_));
  }
}

void Blocked::make_panels() {
  if (is_complex(folded_.precision)) {
    throw bad_input("the panel kernel multiplies real numbers, not those of precision {}", static_cast<char>(folded_.precision));
  }
  with_panel_kernel(folded_.precision, [&](const auto& kernel) {
    const std::int64_t element = element_bytes(folded_.precision);
    constexpr std::int64_t private_cache = 1 << 20, line = 64;
    const bool is_far = folded_.batch.extent * folded_.m.extent * folded_.k.extent * element > private_cache;
    const RowPanels panels(folded_.m, kernel.rows, kernel.lanes, kernel.takes_pieces);
    for (const Tile& tile : m_) {
      row_panels_.push_back(panels.of(tile.first, tile.length));
      packing_orders_.push_back(packing_order(folded_.m, row_panels_.back(), folded_.k.a, is_far ? line / element : 0));
      a_bytes_ = std::max(a_bytes_, rounded(packed_elements(row_panels_.back(), kernel.lanes, blocking_.k) * element));
    }
    for (const Tile& tile : n_) {
      column_panels_.push_back(column_panels(folded_.n, tile.first, tile.length, kernel.columns));
      b_bytes_ = std::max(b_bytes_, rounded(packed_elements(column_panels_.back(), blocking_.k) * element));
    }
  });
}

std::int64_t Blocked::workspace_bytes() const { return (a_bytes_ + b_bytes_ + c_bytes_) * blocking_.threads; }

std::string Blocked::packed() const {
  if (along_batch_) {
    return {};
  }
  if (blocking_.kernel == TileKernel::panels) {
    return packed_in_panels();
  }
  const bool streams = blocking_.kernel == TileKernel::streaming;
  const auto any_not = [](const std::set<Side>& rows, const std::set<Side>& columns, bool transposed_too) {
    return std::any_of(rows.begin(), rows.end(), [&](const Side& row) {
      return std::any_of(columns.begin(), columns.end(), [&](const Side& column) {
        Matrix<const double*> matrix;
        return !in_place<const double*>(nullptr, row.first, row.second, column.first, column.second, matrix) ||
               (matrix.transposed && !transposed_too);
      });
    });
  };
  const bool left = streams || any_not(sides(m_, &Tile::step_a), sides(k_, &Tile::step_a), true);
  const bool right = streams || any_not(sides(k_, &Tile::step_b), sides(n_, &Tile::step_b), true);
  const bool result = !streams && any_not(sides(m_, &Tile::step_c), sides(n_, &Tile::step_c), false);
  return letters(left, right, result);
}

std::string Blocked::letters(bool left, bool right, bool result) const {
  std::string names;
  names += (folded_.swapped ? right : left) ? "A" : "";
  names += (folded_.swapped ? left : right) ? "B" : "";
  names += result ? "C" : "";
  return names;
}

std::string Blocked::packed_in_panels() const {
  bool left = blocking_.pack_a, right = blocking_.pack_b, result = false;
  const auto irregular = [&](std::int64_t Tile::*step) {
    return std::any_of(k_.begin(), k_.end(), [&](const Tile& tile) { return tile.*step == 0; });
  };
  left = left || irregular(&Tile::step_a);
  right = right || irregular(&Tile::step_b);
  for (const std::vector<RowPanel>& panels : row_panels_) {
    for (const RowPanel& panel : panels) {
      left = left || !panel.vectors_in_a;
      result = result || !panel.contiguous_c;
    }
  }
  for (const std::vector<ColumnPanel>& panels : column_panels_) {
    right = right || std::any_of(panels.begin(), panels.end(), [](const ColumnPanel& panel) { return panel.step_b == 0; });
  }
  return letters(left, right, result);
}

namespace {

/// Runs `work` on every worker, in threads of their own but for the first, which meet at `together`; where the system refuses threads, those
/// that there are do all of it.
template <class Workers, class Work>
void in_threads(Workers& workers, Work&& work, std::barrier<>* together = nullptr) {
  run_with_helpers(
      workers.size(), [&](std::size_t i) { work(workers[i]); },
      [&](std::size_t) {
        if (together != nullptr) {
          together->arrive_and_drop();
        }
      });
}

}  // namespace

/// All of M and K for a tile of N in an element of the batch. `after` hears what was just done: a member of PartTimes.
template <class Element, class After>
void Blocked::do_unit(Worker<Element>& worker, std::size_t unit, After&& after) const {
  const std::size_t n = unit % n_.size();
  for (std::size_t k = 0; k < k_.size(); ++k) {
    worker.take(static_cast<std::int64_t>(unit / n_.size()), n, k, worker.b_buffer());
    for (std::size_t part = 0; part < worker.b_parts(); ++part) {
      worker.pack_b(part);
    }
    after(&PartTimes::pack_b);
    for (std::size_t m = first_row_tile(n_[n]); m < m_.size(); ++m) {
      worker.take_rows(m);
      after(&PartTimes::pack_a);
      worker.multiply();
      after(&PartTimes::rest);
    }
  }
}

/// Every thread takes one unit after the other, and packs B for itself.
template <class Element>
void Blocked::share_units(std::vector<Worker<Element>>& workers, std::size_t units) const {
  std::atomic<std::size_t> next = 0;
  in_threads(workers, [&](Worker<Element>& worker) {
    for (std::size_t unit = next++; unit < units; unit = next++) {
      do_unit(worker, unit, [](Seconds PartTimes::*) {});
    }
    worker.finish();
  });
}

/// All threads work on the same tiles of B, one after the other: each packs parts of it, and when all are packed multiplies tiles of A with
/// it. A thread that finds none left goes on to pack the next tile of B, into another buffer, and waits there for the others.
template <class Element>
void Blocked::share_tiles(std::vector<Worker<Element>>& workers, std::size_t units) const {
  struct Step {
    std::atomic<std::size_t> next_part = 0, next_tile = 0;
  };
  std::vector<Step> steps(units * k_.size());
  const std::array<Element*, 2> b_buffers = {workers[0].b_buffer(), workers[1].b_buffer()};
  const bool in_order = k_.size() > 1 || packs_b_;  // sums of the same C, and B's buffers
  std::barrier<> together(static_cast<std::ptrdiff_t>(workers.size()));
  in_threads(
      workers,
      [&](Worker<Element>& worker) {
        for (std::size_t i = 0; i < steps.size(); ++i) {
          const std::size_t unit = i / k_.size(), n = unit % n_.size();
          worker.take(static_cast<std::int64_t>(unit / n_.size()), n, i % k_.size(), b_buffers[i % 2]);
          for (std::size_t part = steps[i].next_part++; part < worker.b_parts(); part = steps[i].next_part++) {
            worker.pack_b(part);
          }
          if (in_order) {
            together.arrive_and_wait();
          }
          const std::size_t first = first_row_tile(n_[n]);
          for (std::size_t m = first + steps[i].next_tile++; m < m_.size(); m = first + steps[i].next_tile++) {
            worker.take_rows(m);
            worker.multiply();
          }
        }
        worker.finish();
      },
      &together);
}

template <class Element>
Worker<Element> Blocked::make_worker(const Element* a, const Element* b, Element* c, Element alpha, Element beta) const {
  try {
    return Worker<Element>(*this, a, b, c, alpha, beta);
  } catch (const std::bad_alloc&) {
    throw environment_error("packing needs {} bytes of memory, which aren't there; C was not changed", workspace_bytes());
  }
}

void Blocked::run(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta) const {
  with_element(folded_.precision, [&](auto zero) {
    using Element = decltype(zero);
    if (along_batch_) {
      along_batch_->run(folded_, blocking_.threads, static_cast<const Element*>(a), static_cast<const Element*>(b),
                        static_cast<Element*>(c), to_element<Element>(alpha), to_element<Element>(beta));
      return;
    }
    std::vector<Worker<Element>> workers;
    workers.reserve(static_cast<std::size_t>(blocking_.threads));
    for (int i = 0; i < blocking_.threads; ++i) {
      workers.push_back(make_worker(static_cast<const Element*>(a), static_cast<const Element*>(b), static_cast<Element*>(c),
                                    to_element<Element>(alpha), to_element<Element>(beta)));
    }
    const std::size_t units = static_cast<std::size_t>(folded_.batch.extent) * n_.size();  // each a tile of N in an element of the batch
    if (shares_columns(folded_, blocking_)) {
      share_units(workers, units);
    } else {
      share_tiles(workers, units);
    }
  });
  if (blocking_.mirrored) {
    mirror(folded_, c);
  }
}

PartTimes Blocked::run_timed(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta,
                             const machine::WallClock& clock) const {
  PartTimes times;
  if (along_batch_) {
    const std::int64_t begin = clock.ticks();
    run(a, b, c, alpha, beta);
    times.rest = clock.seconds(clock.ticks() - begin);
    return times;
  }
  with_element(folded_.precision, [&](auto zero) {
    using Element = decltype(zero);
    Worker<Element> worker = make_worker(static_cast<const Element*>(a), static_cast<const Element*>(b), static_cast<Element*>(c),
                                         to_element<Element>(alpha), to_element<Element>(beta));
    const std::size_t units = static_cast<std::size_t>(folded_.batch.extent) * n_.size();
    std::int64_t last = clock.ticks();
    for (std::size_t unit = 0; unit < units; ++unit) {
      do_unit(worker, unit, [&](Seconds PartTimes::*part) {
        const std::int64_t now = clock.ticks();
        times.*part += clock.seconds(now - last);
        last = now;
      });
    }
    worker.finish();
  });
  return times;
}

}  // namespace flopcast::contract
