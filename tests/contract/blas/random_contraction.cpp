#include "tests/contract/blas/random_contraction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "flopcast/contract/notation/element.hpp"
#include "flopcast/contract/notation/overlap.hpp"

namespace flopcast::contract {
namespace {

/// Offsets in elements from the first element of A, B and C.
using Offsets = std::array<std::int64_t, 3>;

/// Visits every combination of `indices`, the last one changing fastest.
void visit(const Contraction& contraction, std::string_view indices, Offsets offsets, const std::function<void(const Offsets&)>& work) {
  if (indices.empty()) {
    work(offsets);
    return;
  }
  const char index = indices.front();
  for (std::int64_t i = 0; i < contraction.extent(index); ++i) {
    visit(contraction, indices.substr(1), offsets, work);
    for (std::size_t t = 0; t < offsets.size(); ++t) {
      offsets[t] += contraction.tensors[t].stride(index);
    }
  }
}

std::vector<std::byte> random_memory(Precision precision, std::size_t elements, std::mt19937& random) {
  return with_element(precision, [&](auto element) {
    using Element = decltype(element);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<std::byte> memory(elements * sizeof(Element));
    auto* numbers = reinterpret_cast<Element*>(memory.data());
    std::generate_n(numbers, elements, [&] { return to_element<Element>({uniform(random), uniform(random)}); });
    return memory;
  });
}

/// Returns random strides that keep elements apart, possibly interleaved, or nothing if none were found within a few tries.
std::vector<std::int64_t> interleaved_strides(const std::string& indices, const Extents& extents, std::mt19937& random) {
  constexpr int max_tries = 20;
  for (int i = 0; i < max_tries; ++i) {
    std::vector<std::int64_t> strides;
    std::vector<Axis> axes;
    for (const char index : indices) {
      strides.push_back(1 + static_cast<std::int64_t>(random() % 30));
      axes.push_back({strides.back(), extents.at(index)});
    }
    if (!may_share_addresses(axes)) {
      return strides;
    }
  }
  return {};
}

std::vector<std::int64_t> spread_strides(const std::string& indices, const Extents& extents, std::mt19937& random) {
  if (random() % 3 == 0) {
    if (const std::vector<std::int64_t> interleaved = interleaved_strides(indices, extents, random); !interleaved.empty()) {
      return interleaved;
    }
  }
  std::vector<std::size_t> order(indices.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  std::vector<std::int64_t> strides(indices.size());
  std::int64_t next = 1 + static_cast<std::int64_t>(random() % 2);
  for (const std::size_t i : order) {
    strides[i] = next;
    next = next * std::max<std::int64_t>(1, extents.at(indices[i])) + static_cast<std::int64_t>(random() % 3);
  }
  return strides;
}

}  // namespace

std::size_t span_elements(const Tensor& tensor, const Extents& extents) {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < tensor.indices.size(); ++i) {
    const std::int64_t extent = extents.at(tensor.indices[i]);
    if (extent == 0) {
      return 0;
    }
    last += (extent - 1) * tensor.strides[i];
  }
  return static_cast<std::size_t>(last + 1);
}

Buffers random_buffers(const Contraction& contraction, std::mt19937& random) {
  const auto memory = [&](Operand operand) {
    return random_memory(contraction.precision, span_elements(contraction.tensor(operand), contraction.extents), random);
  };
  return {memory(Operand::a), memory(Operand::b), memory(Operand::c)};
}

double largest_difference(Precision precision, const std::vector<std::byte>& x, const std::vector<std::byte>& y) {
  double largest = 0;
  const auto step = static_cast<std::size_t>(element_bytes(precision));
  for (std::size_t i = 0; i + step <= x.size(); i += step) {
    const double difference = std::abs(load(precision, x.data() + i) - load(precision, y.data() + i));
    largest = std::isnan(difference) ? difference : std::max(largest, difference);
    if (std::isnan(largest)) {
      return largest;
    }
  }
  return largest;
}

double tolerance(const Contraction& contraction) {
  double length = 4;
  for (const char index : contraction.indices(IndexRole::contracted)) {
    length *= static_cast<double>(std::max<std::int64_t>(1, contraction.extent(index)));
  }
  return 8 * length * (real_bytes(contraction.precision) == 4 ? 1.2e-7 : 2.3e-16);
}

void contract_naively(const Contraction& contraction, const void* a, const void* b, void* c, std::complex<double> alpha,
                      std::complex<double> beta) {
  with_element(contraction.precision, [&](auto zero) {
    using Element = decltype(zero);
    const std::string contracted = contraction.indices(IndexRole::contracted);
    visit(contraction, contraction.tensor(Operand::c).indices, {}, [&](const Offsets& row) {
      Element sum = zero;
      visit(contraction, contracted, row,
            [&](const Offsets& at) { sum += static_cast<const Element*>(a)[at[0]] * static_cast<const Element*>(b)[at[1]]; });
      Element& result = static_cast<Element*>(c)[row[2]];
      result = to_element<Element>(alpha) * sum + (beta == 0.0 ? zero : to_element<Element>(beta) * result);
    });
  });
}

Contraction random_contraction(std::mt19937& random, std::array<int, 4> counts, int smallest, int largest, bool gaps) {
  std::array<std::string, 4> groups;
  char next = 'a';
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (int i = 0; i < counts[g]; ++i) {
      groups[g] += next++;
    }
  }
  Notation notation{groups[0] + groups[2] + groups[3], groups[1] + groups[2] + groups[3], groups[0] + groups[1] + groups[3]};
  for (std::string* indices : {&notation.a, &notation.b, &notation.c}) {
    std::shuffle(indices->begin(), indices->end(), random);
  }
  Extents extents;
  for (char index = 'a'; index < next; ++index) {
    extents[index] = std::uniform_int_distribution<int>(smallest, largest)(random);
  }
  static constexpr std::array<Precision, 4> precisions = {Precision::s, Precision::d, Precision::c, Precision::z};
  const Precision precision = precisions[random() % precisions.size()];
  const Order order = random() % 2 == 0 ? Order::column_major : Order::row_major;
  if (!gaps) {
    return make_contraction(notation, extents, precision, order);
  }
  return make_contraction(notation, extents, precision, order,
                          {spread_strides(notation.a, extents, random), spread_strides(notation.b, extents, random),
                           spread_strides(notation.c, extents, random)});
}

}  // namespace flopcast::contract
