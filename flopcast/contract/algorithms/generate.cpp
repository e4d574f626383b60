#include "flopcast/contract/algorithms/algorithm.hpp"

#include <algorithm>
#include <array>

#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {
namespace {

constexpr std::array<BlasKernel, 5> all_kernels = {BlasKernel::dot, BlasKernel::axpy, BlasKernel::gemv, BlasKernel::ger, BlasKernel::gemm};

/// Numbers of kernel indices of each role: contracted, free in A, free in B (Peise et al. 2015, table 1).
struct KernelShape {
  int contracted, free_a, free_b;
};

std::vector<KernelShape> shapes(BlasKernel kernel) {
  switch (kernel) {
    case BlasKernel::dot: return {{1, 0, 0}};
    case BlasKernel::axpy: return {{0, 1, 0}, {0, 0, 1}};
    case BlasKernel::gemv: return {{1, 1, 0}, {1, 0, 1}};
    case BlasKernel::ger: return {{0, 1, 1}};
    case BlasKernel::gemm: return {{1, 1, 1}};
  }
  return {};
}

/// Returns each of `indices` as a string of its own, or one empty string if no index is wanted.
std::vector<std::string> choices(const std::string& indices, int wanted) {
  if (wanted == 0) {
    return {""};
  }
  std::vector<std::string> all;
  for (const char index : indices) {
    all.emplace_back(1, index);
  }
  return all;
}

/// Returns every set of indices that `kernel` can work along.
std::vector<std::string> kernel_choices(const Contraction& contraction, BlasKernel kernel) {
  std::vector<std::string> all;
  for (const KernelShape& shape : shapes(kernel)) {
    for (const std::string& k : choices(contraction.indices(IndexRole::contracted), shape.contracted)) {
      for (const std::string& m : choices(contraction.indices(IndexRole::free_a), shape.free_a)) {
        for (const std::string& n : choices(contraction.indices(IndexRole::free_b), shape.free_b)) {
          all.push_back(std::string(k).append(m).append(n));
        }
      }
    }
  }
  if (kernel == BlasKernel::axpy && contraction.indices(IndexRole::batch) == contraction.indices()) {
    all.emplace_back();
  }
  return all;
}

std::string others(const std::string& indices, const std::string& taken) {
  std::string left;
  std::copy_if(indices.begin(), indices.end(), std::back_inserter(left), [&](char c) { return taken.find(c) == std::string::npos; });
  return left;
}

double factorial(std::size_t n) { return n < 2 ? 1 : static_cast<double>(n) * factorial(n - 1); }

bool is_wanted(BlasKernel kernel, std::span<const BlasKernel> kernels) {
  return kernels.empty() || std::find(kernels.begin(), kernels.end(), kernel) != kernels.end();
}

void check_strides(const Contraction& contraction) {
  for (const Operand operand : all_operands) {
    const Tensor& tensor = contraction.tensor(operand);
    for (std::size_t i = 0; i < tensor.indices.size(); ++i) {
      if (tensor.strides[i] < 1) {
        throw bad_input("index {} of {} has a stride of {}; algorithms of BLAS calls need strides of at least 1", tensor.indices[i],
                        letter(operand), tensor.strides[i]);
      }
    }
  }
}

}  // namespace

double algorithm_count(const Contraction& contraction, std::span<const BlasKernel> kernels) {
  double count = 0;
  for (const BlasKernel kernel : all_kernels) {
    if (is_wanted(kernel, kernels)) {
      for (const std::string& taken : kernel_choices(contraction, kernel)) {
        count += factorial(contraction.indices().size() - taken.size());
      }
    }
  }
  return count;
}

Algorithm with_copies(Algorithm algorithm, const Contraction& contraction) {
  for (const Operand operand : all_operands) {
    const std::string taken = kernel_indices(algorithm, contraction, operand);
    const Tensor& tensor = contraction.tensor(operand);
    if (taken.size() < 2 || matrix_view(tensor, taken, contraction.extents)) {
      continue;
    }
    const std::size_t innermost = algorithm.loops.find_last_of(tensor.indices);
    algorithm.copies.push_back({operand, innermost == std::string::npos ? 0 : innermost + 1});
  }
  std::stable_sort(algorithm.copies.begin(), algorithm.copies.end(), [](const Copy& x, const Copy& y) { return x.depth < y.depth; });
  return algorithm;
}

std::vector<Algorithm> generate(const Contraction& contraction, std::span<const BlasKernel> kernels, double most) {
  check_strides(contraction);
  if (const double count = algorithm_count(contraction, kernels); count > most) {
    throw bad_input("{} has {:.0f} algorithms{}, more than the {:.0f} that are generated; {}let the planner choose (contract --run)",
                    to_string(contraction.notation()), count, kernels.size() == 1 ? fmt::format(" of {}", name(kernels.front())) : "", most,
                    kernels.size() == 1 ? "" : "choose kernels, or ");
  }
  std::vector<Algorithm> all;
  for (const BlasKernel kernel : all_kernels) {
    if (!is_wanted(kernel, kernels)) {
      continue;
    }
    for (const std::string& taken : kernel_choices(contraction, kernel)) {
      std::string loops = others(contraction.indices(), taken);
      std::sort(loops.begin(), loops.end());
      do {
        all.push_back(with_copies({kernel, taken, loops, {}}, contraction));
      } while (std::next_permutation(loops.begin(), loops.end()));
    }
  }
  return all;
}

Algorithm find_algorithm(const std::string& name, std::span<const Algorithm> algorithms) {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : algorithms) {
    names.push_back(algorithm.name());
    if (names.back() == name) {
      return algorithm;
    }
  }
  const std::vector<std::string> nearest = nearest_names(name, names);
  throw bad_input("there is no algorithm '{}' of this contraction{}; --list shows all {}", name,
                  nearest.empty() ? "" : fmt::format("; did you mean {}?", fmt::join(nearest, " or ")), names.size());
}

std::vector<Algorithm> choose_algorithms(const Contraction& contraction, std::span<const BlasKernel> kernels, const std::string& wanted) {
  std::vector<std::string_view> names;
  for (const BlasKernel kernel : kernels) {
    names.push_back(name(kernel));
  }
  for (const char index : contraction.notation().a + contraction.notation().b) {
    if (contraction.extent(index) == 0) {
      throw bad_input("size of {}: 0 is out of range for algorithms, which would compute nothing; expected 1 or more", index);
    }
  }
  std::vector<Algorithm> all = generate(contraction, kernels);
  if (all.empty()) {
    throw bad_input("{} has no algorithm of {}", to_string(contraction.notation()), fmt::join(names, ", "));
  }
  if (wanted.empty()) {
    return all;
  }
  const std::string kernel = wanted.substr(wanted.rfind('-') + 1);
  if (!names.empty() && std::find(names.begin(), names.end(), kernel) == names.end()) {
    throw bad_input("algorithm '{}' isn't one of {}; name it without a choice of kernels", wanted, fmt::join(names, " or "));
  }
  return {find_algorithm(wanted, all)};
}

}  // namespace flopcast::contract
