#include "flopcast/contract/einsum/strided_sum.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "flopcast/contract/einsum/odometer.hpp"
#include "flopcast/contract/einsum/row_kernel.hpp"
#include "flopcast/contract/einsum/transposition.hpp"
#include "flopcast/contract/notation/element.hpp"
#include "flopcast/machine/cpu/helper_threads.hpp"
#include "flopcast/support/division.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::contract {

namespace {

constexpr std::int64_t bytes_of_row = SumTiles::bytes_of_row;
constexpr std::int64_t largest_side = SumTiles::largest_side;
constexpr std::int64_t chunk_of_dot = 256;  ///< terms of a dot product that are collected at a time

template <class T>
constexpr std::int64_t longest_row = bytes_of_row / static_cast<std::int64_t>(sizeof(T));

/// Fuses neighbours of dimensions sorted by one tensor's strides that are one dimension in every tensor.
std::vector<SumDimension> fused(const std::vector<SumDimension>& sorted) {
  std::vector<SumDimension> all;
  for (const SumDimension& next : sorted) {
    const auto continues = [&](std::size_t t) { return next.strides[t] == all.back().strides[t] * all.back().extent; };
    if (!all.empty() && continues(in_a) && continues(in_b) && continues(in_c)) {
      all.back().extent *= next.extent;
    } else {
      all.push_back(next);
    }
  }
  return all;
}

template <class T>
constexpr const auto& kernel_of(const RowKernels& kernels) {
  if constexpr (std::is_same_v<T, float>) {
    return kernels.s;
  } else if constexpr (std::is_same_v<T, double>) {
    return kernels.d;
  } else if constexpr (std::is_same_v<T, std::complex<float>>) {
    return kernels.c;
  } else {
    return kernels.z;
  }
}

}  // namespace

/// Computes tiles on one thread.
template <class T>
class SumWorker {
 public:
  using R = typename NumberOfElement<T>::type;

  SumWorker(const StridedSum& sum, const T* a, const T* b, T* c, T alpha, T beta, bool reads)
      : sum_(sum), kernel_(kernel_of<T>(row_kernels())), data_{a, b}, c_(c), alpha_(alpha), beta_(beta), reads_(reads) {
    const bool is_computed = sum.has_b_ || sum.tiles_.sums_up;  // not a row of A that would be copied
    writes_in_place_ = is_computed && sum.tiles_.columns.steps[in_c] == 1 && alpha == T(1) && beta == T(0) && !sum.conjugate_sum_;
  }

  /// Computes tiles [first, last).
  void run(std::int64_t first, std::int64_t last) {
    Odometer tile(sum_.tiles_.tiles, first);
    for (std::int64_t number = first; number < last; ++number) {
      compute(tile);
      if (number + 1 < last) {
        tile.next();
      }
    }
  }

 private:
  /// A row of contiguous elements, or one element that stands for all.
  struct SumRow {
    const T* data = nullptr;
    bool is_one = false;
  };

  static const R* numbers(const T* x) { return reinterpret_cast<const R*>(x); }
  static R* numbers(T* x) { return reinterpret_cast<R*>(x); }
  T* scratch(std::size_t number) { return reinterpret_cast<T*>(scratch_) + number * static_cast<std::size_t>(longest_row<T>); }

  void compute(const Odometer& tile) {
    const std::int64_t columns = tile.length(sum_.tiles_.columns), rows = tile.length(sum_.tiles_.rows);
    T* const c = c_ + tile.offset(in_c);
    T* const buffer = reinterpret_cast<T*>(tile_);
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::array<std::int64_t, 2> at = {tile.offset(in_a) + sum_.tiles_.rows.offset(in_a, i),
                                              tile.offset(in_b) + sum_.tiles_.rows.offset(in_b, i)};
      if (sum_.tiles_.by_columns) {
        const T* const row = row_of(at, columns, buffer + i * largest_side);
        kernel_.combine(columns, numbers(row), sum_.conjugate_sum_, numbers(&alpha_), nullptr, false, numbers(buffer + i * largest_side));
      } else if (T* const row = c + sum_.tiles_.rows.offset(in_c, i); writes_in_place_) {
        row_of(at, columns, row);
      } else {
        write_row(row_of(at, columns, scratch(2)), columns, row);
      }
    }
    if (sum_.tiles_.by_columns) {
      write_columns(buffer, rows, columns, c);
    }
  }

  /// Returns a row of sums before they are scaled: in `buffer`, or in A if nothing need be computed.
  const T* row_of(const std::array<std::int64_t, 2>& at, std::int64_t columns, T* buffer) {
    if (!reads_) {
      std::fill_n(buffer, columns, T(0));
      return buffer;
    }
    if (!sum_.tiles_.sums_up) {
      const SumRow a = row(in_a, data_[in_a] + at[in_a], sum_.tiles_.columns, columns, buffer);
      if (!sum_.has_b_) {
        if (a.is_one) {
          std::fill_n(buffer, columns, *a.data);
          return buffer;
        }
        return a.data;
      }
      multiply(a, row(in_b, data_[in_b] + at[in_b], sum_.tiles_.columns, columns, scratch(1)), columns, false, buffer);
      return buffer;
    }
    std::fill_n(buffer, columns, T(0));
    if (sum_.sum_count_ == 1) {
      add_terms(at, columns, sum_.tiles_.terms_of_row.length, buffer);
      return buffer;
    }
    Odometer outer(sum_.tiles_.sums, 0);
    for (std::int64_t number = 0;;) {
      add_terms({at[in_a] + outer.offset(in_a), at[in_b] + outer.offset(in_b)}, columns, outer.length(sum_.tiles_.terms_of_row), buffer);
      if (++number == sum_.sum_count_) {
        return buffer;
      }
      outer.next();
    }
  }

  /// Adds terms of the sum to all elements of a row.
  void add_terms(const std::array<std::int64_t, 2>& at, std::int64_t columns, std::int64_t count, T* sums) {
    const SumSide& terms = sum_.tiles_.terms_of_row;
    if (sum_.tiles_.by_dots) {
      for (std::int64_t j = 0; j < columns; ++j) {
        add_dot({at[in_a] + sum_.tiles_.columns.offset(in_a, j), at[in_b] + sum_.tiles_.columns.offset(in_b, j)}, count, sums + j);
      }
      return;
    }
    // An operand whose elements repeat along the row is collected for one period.
    const std::array<std::int64_t, 3>& periods = sum_.tiles_.columns.periods;
    const auto length = [&](std::size_t t) { return periods[t] > 0 && sum_.has_b_ ? std::min(periods[t], columns) : columns; };
    const std::int64_t piece = std::min(length(in_a), length(in_b));
    const auto from = [&](const SumRow& whole, std::size_t t, std::int64_t first) {
      return whole.is_one || length(t) < columns ? whole : SumRow{whole.data + first};
    };
    for (std::int64_t k = 0; k < count; ++k) {
      const SumRow a = row(in_a, data_[in_a] + at[in_a] + terms.offset(in_a, k), sum_.tiles_.columns, length(in_a), scratch(0));
      if (sum_.has_b_) {
        const SumRow b = row(in_b, data_[in_b] + at[in_b] + terms.offset(in_b, k), sum_.tiles_.columns, length(in_b), scratch(1));
        for (std::int64_t first = 0; first < columns; first += piece) {
          multiply(from(a, in_a, first), from(b, in_b, first), std::min(piece, columns - first), true, sums + first);
        }
      } else if (a.is_one) {
        std::transform(sums, sums + columns, sums, [&](const T& x) { return x + *a.data; });
      } else {
        kernel_.add(columns, numbers(a.data), numbers(sums));
      }
    }
  }

  void add_dot(const std::array<std::int64_t, 2>& at, std::int64_t count, T* result) {
    const SumSide& terms = sum_.tiles_.terms_of_row;
    const auto is_contiguous = [&](std::size_t t) { return terms.steps[t] == 1; };
    const bool in_one = is_contiguous(in_a) && (!sum_.has_b_ || is_contiguous(in_b));
    const std::int64_t chunk = in_one ? count : chunk_of_dot;
    for (std::int64_t first = 0; first < count; first += chunk) {
      const std::int64_t length = std::min(chunk, count - first);
      const SumRow a = part(in_a, at[in_a], first, length, scratch(0));
      if (!sum_.has_b_) {
        if (a.is_one) {
          *result += *a.data * T(static_cast<R>(length));
        } else {
          kernel_.sum(length, numbers(a.data), numbers(result));
        }
        continue;
      }
      const SumRow b = part(in_b, at[in_b], first, length, scratch(1));
      if (a.is_one || b.is_one) {
        add_scaled_sum(a, b, length, result);
      } else {
        kernel_.dot(length, numbers(a.data), numbers(b.data), sum_.conjugate_a_, numbers(result));
      }
    }
  }

  /// Adds a sum in which an operand is a single element.
  void add_scaled_sum(const SumRow& a, const SumRow& b, std::int64_t length, T* result) {
    T sum_a(0), sum_b(0);
    for (const auto& [row, sum] : {std::pair{&a, &sum_a}, {&b, &sum_b}}) {
      if (row->is_one) {
        *sum = *row->data;
      } else {
        kernel_.sum(length, numbers(row->data), numbers(sum));
      }
    }
    if (a.is_one && b.is_one) {
      sum_b *= static_cast<R>(length);
    }
    kernel_.multiply(1, numbers(&sum_a), numbers(&sum_b), sum_.conjugate_a_, true, numbers(result));
  }

  /// Returns `length` terms of a sum, from number `first` on, as a contiguous row.
  SumRow part(std::size_t t, std::int64_t at, std::int64_t first, std::int64_t length, T* buffer) {
    const SumSide& terms = sum_.tiles_.terms_of_row;
    const T* const data = data_[t] + at;
    if (terms.steps[t] == SumSide::scattered) {
      const std::int64_t* const offsets = terms.offsets[t].data() + first;
      for (std::int64_t k = 0; k < length; ++k) {
        buffer[k] = data[offsets[k]];
      }
      return {buffer};
    }
    return with_step(data + first * terms.steps[t], terms.steps[t], length, buffer);
  }

  static SumRow with_step(const T* data, std::int64_t step, std::int64_t length, T* buffer) {
    if (step == 1 || length == 1) {
      return {data};
    }
    if (step == 0) {
      return {data, true};
    }
    for (std::int64_t k = 0; k < length; ++k) {
      buffer[k] = data[k * step];
    }
    return {buffer};
  }

  /// Returns a row of an operand, collected in `buffer` if need be.
  static SumRow row(std::size_t t, const T* data, const SumSide& side, std::int64_t length, T* buffer) {
    if (side.steps[t] != SumSide::scattered) {
      return with_step(data, side.steps[t], length, buffer);
    }
    const std::int64_t* const offsets = side.offsets[t].data();
    for (std::int64_t j = 0; j < length; ++j) {
      buffer[j] = data[offsets[j]];
    }
    return {buffer};
  }

  /// sums := op(a) b, or adds this product.
  void multiply(const SumRow& a, const SumRow& b, std::int64_t columns, bool adds, T* sums) {
    if (!a.is_one && !b.is_one) {
      kernel_.multiply(columns, numbers(a.data), numbers(b.data), sum_.conjugate_a_, adds, numbers(sums));
    } else if (a.is_one && !b.is_one) {
      const T factor = first_factor(*a.data);
      kernel_.scale(columns, numbers(b.data), numbers(&factor), false, adds, numbers(sums));
    } else if (!a.is_one) {
      const T factor = *b.data;
      kernel_.scale(columns, numbers(a.data), numbers(&factor), sum_.conjugate_a_, adds, numbers(sums));
    } else {
      T product(0);
      kernel_.multiply(1, numbers(a.data), numbers(b.data), sum_.conjugate_a_, false, numbers(&product));
      for (std::int64_t j = 0; j < columns; ++j) {
        sums[j] = adds ? sums[j] + product : product;
      }
    }
  }

  T first_factor(const T& a) const {
    if constexpr (!std::is_floating_point_v<T>) {
      return sum_.conjugate_a_ ? std::conj(a) : a;
    }
    return a;
  }

  void combine(std::int64_t count, const T* x, bool conjugate, const T& alpha, bool adds, T* c) {
    kernel_.combine(count, numbers(x), conjugate, numbers(&alpha), numbers(&beta_), adds, numbers(c));
  }

  /// Writes a row of sums to C.
  void write_row(const T* sums, std::int64_t columns, T* c) {
    const SumSide& side = sum_.tiles_.columns;
    const bool adds = beta_ != T(0);
    if (side.steps[in_c] == 1 || columns == 1) {
      combine(columns, sums, sum_.conjugate_sum_, alpha_, adds, c);
      return;
    }
    T* const scaled = scratch(2);
    combine(columns, sums, sum_.conjugate_sum_, alpha_, false, scaled);
    const std::int64_t step = side.steps[in_c];
    const std::int64_t* const offsets = side.offsets[in_c].data();
    const auto write = [&](auto place) {
      for (std::int64_t j = 0; j < columns; ++j) {
        T& element = c[place(j)];
        element = adds ? scaled[j] + scaled_by_beta(element) : scaled[j];
      }
    };
    if (step == SumSide::scattered) {
      write([&](std::int64_t j) { return offsets[j]; });
    } else {
      write([&](std::int64_t j) { return j * step; });
    }
  }

  /// Writes a buffered and scaled tile to C, along its rows' numbers.
  void write_columns(const T* tile, std::int64_t rows, std::int64_t columns, T* c) {
    const SumSide& across = sum_.tiles_.rows;
    const bool adds = beta_ != T(0), is_contiguous = across.steps[in_c] == 1 || rows == 1;
    if (is_contiguous && !adds) {
      std::array<std::int64_t, largest_side> from_of, to_of;
      for (std::int64_t i = 0; i < largest_side; ++i) {
        from_of[static_cast<std::size_t>(i)] = i * largest_side;
        to_of[static_cast<std::size_t>(i)] = i < columns ? sum_.tiles_.columns.offset(in_c, i) : 0;
      }
      const MovedBlock whole;
      row_kernels().moves(sizeof(T)).squares(1, &whole, rows, from_of.data(), columns, to_of.data(), tile, c);
      return;
    }
    for (std::int64_t j = 0; j < columns; ++j) {
      T* const to = c + sum_.tiles_.columns.offset(in_c, j);
      for (std::int64_t i = 0; i < rows; ++i) {
        T& element = to[is_contiguous ? i : across.offset(in_c, i)];
        const T value = tile[i * largest_side + j];
        element = adds ? value + scaled_by_beta(element) : value;
      }
    }
  }

  T scaled_by_beta(const T& element) const {
    if constexpr (std::is_floating_point_v<T>) {
      return beta_ * element;
    } else {
      return {beta_.real() * element.real() - beta_.imag() * element.imag(), beta_.real() * element.imag() + beta_.imag() * element.real()};
    }
  }

  const StridedSum& sum_;
  const RowKernel<R>& kernel_;
  std::array<const T*, 2> data_;
  T* c_;
  T alpha_, beta_;
  bool reads_;
  bool writes_in_place_ = false;                     ///< rows of C are computed where they lie
  alignas(64) std::byte scratch_[3 * bytes_of_row];  // not initialised
  alignas(64) std::byte tile_[largest_side * largest_side * static_cast<std::int64_t>(sizeof(T))];  // not initialised
};

StridedSum::StridedSum(const SumProblem& problem, int threads)
    : precision_(problem.precision),
      has_b_(problem.has_b),
      conjugate_a_(problem.has_b && problem.conjugate_a && is_complex(problem.precision)),
      conjugate_sum_(problem.conjugate_sum && is_complex(problem.precision)) {
  SumShape shape = normalised(problem);
  if (is_empty_ || is_empty_sum_) {
    terms_ = 0;
  }
  constexpr std::size_t most_dimensions = Odometer::max_loops - 2;
  if (std::max(shape.kept.size(), shape.summed.size()) > most_dimensions) {
    throw bad_input("{} dimensions are too many for a sum; expected {} at most", std::max(shape.kept.size(), shape.summed.size()),
                    most_dimensions);
  }
  tiles_ = choose_tiles(shape);
  tile_count_ = repetitions(tiles_.tiles);
  if (!has_b_ && !tiles_.sums_up && !conjugate_sum_ && !is_empty_) {
    transposition_ = std::make_shared<const Transposition>(shape.kept, element_bytes(precision_));
  }
  sum_count_ = repetitions(tiles_.sums);
  constexpr double worth_a_thread = 1 << 16;  // elements: some ten microseconds
  const double wanted =
      std::min(static_cast<double>(std::max(1, threads)), std::max({terms_, elements_[in_a], elements_[in_c]}) / worth_a_thread);
  threads_ = static_cast<int>(std::clamp<double>(std::min(wanted, static_cast<double>(tile_count_)), 1, std::max(1, threads)));
  if (tiles_.sums_up && wanted >= 2 && static_cast<double>(tile_count_) < wanted) {
    split(problem, static_cast<int>(wanted));
  }
}

/// Returns the dimensions of more than one value, fused, with positive strides in C or, if summed, in A. Counts elements and terms.
SumShape StridedSum::normalised(const SumProblem& problem) {
  SumShape shape{{}, {}, has_b_, element_bytes(precision_)};
  for (SumDimension dimension : problem.dimensions) {
    if (dimension.extent < 0) {
      throw bad_input("a dimension of a sum has size {}; expected 0 or more", dimension.extent);
    }
    (dimension.is_summed ? is_empty_sum_ : is_empty_) |= dimension.extent == 0;
    if (dimension.extent <= 1) {
      continue;
    }
    terms_ *= static_cast<double>(dimension.extent);
    dimension.strides[in_b] *= has_b_ ? 1 : 0;
    dimension.strides[in_c] *= dimension.is_summed ? 0 : 1;
    if (dimension.strides[dimension.is_summed ? in_a : in_c] < 0) {
      for (std::size_t t = 0; t < base_.size(); ++t) {
        base_[t] += (dimension.extent - 1) * dimension.strides[t];
        dimension.strides[t] = -dimension.strides[t];
      }
    }
    (dimension.is_summed ? shape.summed : shape.kept).push_back(dimension);
  }
  sort_by(shape.kept, in_c);
  sort_by(shape.summed, in_a);
  shape.kept = fused(shape.kept);
  shape.summed = fused(shape.summed);
  for (std::size_t t = 0; t < elements_.size(); ++t) {
    elements_[t] = elements_of(shape, t);
  }
  return shape;
}

/// Sums over parts of a dimension, which threads compute into a buffer, and the sum of these.
struct StridedSum::Split {
  struct PartialSum {
    StridedSum sum;
    std::int64_t first_a = 0, first_b = 0, first_c = 0;  ///< offsets in A, B and the buffer
  };
  std::vector<PartialSum> parts;
  std::int64_t buffer_elements = 0;
  std::optional<StridedSum> total;  ///< adds the parts in the buffer up; always set
};

void StridedSum::split(const SumProblem& problem, int threads) {
  std::size_t longest = problem.dimensions.size();
  SumProblem part{problem.precision, {}, problem.has_b, problem.conjugate_a, false};
  SumProblem total{problem.precision, {}, false, false, problem.conjugate_sum};
  std::int64_t stride = 1;
  for (SumDimension dimension : problem.dimensions) {
    if (dimension.is_summed) {
      const bool is_longer = longest == problem.dimensions.size() || dimension.extent > part.dimensions[longest].extent;
      longest = is_longer ? part.dimensions.size() : longest;
    } else {
      total.dimensions.push_back({dimension.extent, {stride, 0, dimension.strides[in_c]}});
      dimension.strides[in_c] = stride;
      stride *= dimension.extent;
    }
    part.dimensions.push_back(dimension);
  }
  const SumDimension whole = part.dimensions[longest];
  const std::int64_t count = std::min<std::int64_t>(threads, whole.extent);
  auto made = std::make_shared<Split>();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t first = i * whole.extent / count, last = (i + 1) * whole.extent / count;
    part.dimensions[longest].extent = last - first;
    made->parts.push_back({StridedSum(part), first * whole.strides[in_a], first * whole.strides[in_b], i * stride});
  }
  total.dimensions.push_back({count, {stride, 0, 0}, true});
  made->buffer_elements = count * stride;
  made->total.emplace(total);
  threads_ = static_cast<int>(count);
  split_ = std::move(made);
}

void StridedSum::run_split(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta) const {
  const auto bytes = element_bytes(precision_);
  std::vector<std::complex<double>> buffer;  // no precision needs more alignment
  buffer.resize(static_cast<std::size_t>(ceil_div(split_->buffer_elements * bytes, std::int64_t{sizeof(std::complex<double>)})));
  auto* const sums = reinterpret_cast<std::byte*>(buffer.data());
  const auto at = [&](const void* tensor, std::int64_t offset) { return static_cast<const std::byte*>(tensor) + offset * bytes; };
  std::atomic<std::size_t> next = 0;
  machine::share_with_helpers(split_->parts.size(), [&](std::size_t) {
    for (std::size_t i = next++; i < split_->parts.size(); i = next++) {
      const Split::PartialSum& part = split_->parts[i];
      part.sum.run(at(a, part.first_a), has_b_ ? at(b, part.first_b) : nullptr, sums + part.first_c * bytes, 1.0, 0.0);
    }
  });
  split_->total->run(sums, nullptr, c, alpha, beta);
}

template <class T>
void StridedSum::run_as(const T* a, const T* b, T* c, T alpha, T beta, bool reads) const {
  if (is_empty_) {
    return;
  }
  if (is_empty_sum_) {
    reads = false;
  }
  const T* const first_a = a == nullptr ? nullptr : a + base_[in_a];
  const T* const first_b = b == nullptr ? nullptr : b + base_[in_b];
  const bool moves = transposition_ != nullptr && reads && alpha == T(1) && beta == T(0);
  const std::int64_t tiles = moves ? transposition_->tiles() : tile_count_;
  const auto work = [&](std::int64_t first, std::int64_t last) {
    if (moves) {
      transposition_->run(first_a, c + base_[in_c], first, last);
      return;
    }
    SumWorker<T>(*this, first_a, first_b, c + base_[in_c], alpha, beta, reads).run(first, last);
  };
  if (threads_ == 1 || split_ != nullptr) {
    work(0, tiles);
    return;
  }
  constexpr std::int64_t shares = 4;  // of a thread, because threads don't advance equally fast
  const std::int64_t parts = std::min<std::int64_t>(tiles, shares * threads_);
  std::atomic<std::int64_t> next = 0;
  machine::share_with_helpers(static_cast<std::size_t>(threads_), [&](std::size_t) {
    for (std::int64_t part = next++; part < parts; part = next++) {
      work(part * tiles / parts, (part + 1) * tiles / parts);
    }
  });
}

void StridedSum::run(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta) const {
  if (split_ != nullptr) {
    run_split(a, b, c, alpha, beta);
    return;
  }
  with_element(precision_, [&](auto zero) {
    using T = decltype(zero);
    run_as(static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(c), to_element<T>(alpha), to_element<T>(beta), true);
  });
}

void StridedSum::clear(void* c) const {
  with_element(precision_, [&](auto zero) {
    using T = decltype(zero);
    run_as<T>(nullptr, nullptr, static_cast<T*>(c), T(1), T(0), false);
  });
}

double StridedSum::moved_bytes() const {
  return (elements_[in_a] + (has_b_ ? elements_[in_b] : 0) + 2 * elements_[in_c]) * static_cast<double>(element_bytes(precision_));
}

Seconds StridedSum::expected_seconds(double bytes_per_second) const {
  constexpr double elements_per_second = 2e9, rows_per_second = 2e8, calls_per_second = 2e7;
  const double length = static_cast<double>(std::max<std::int64_t>(1, tiles_.by_dots ? tiles_.terms_of_row.length : tiles_.columns.length));
  const Seconds rows = transposition_ != nullptr ? 0 : terms_ / length / rows_per_second;
  return 1 / calls_per_second + std::max(moved_bytes() / bytes_per_second, terms_ / elements_per_second + rows) / threads_;
}

}  // namespace flopcast::contract
