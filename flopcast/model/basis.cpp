#include "flopcast/core/kernel_model.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include "flopcast/support/combinations.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::model {
namespace {

constexpr std::size_t difference_points = 4;  // differences up to third order suffice: no kernel is above O(n^3) in one size

int total(const Monomial& monomial) { return std::accumulate(monomial.begin(), monomial.end(), 0); }

/// Returns all monomials with exponents of at most limits[d].
std::vector<Monomial> monomials_up_to(std::span<const int> limits) {
  std::vector<Monomial> all = {Monomial{}};
  for (std::size_t d = 0; d < limits.size(); ++d) {
    const std::size_t count = all.size();
    for (int exponent = 1; exponent <= limits[d]; ++exponent) {
      for (std::size_t i = 0; i < count; ++i) {
        all.push_back(all[i]);
        all.back()[d] = static_cast<std::uint8_t>(exponent);
      }
    }
  }
  return all;
}

bool divides(const Monomial& a, const Monomial& b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](std::uint8_t x, std::uint8_t y) { return x <= y; });
}

void check_degree(std::size_t dimensions, int degree) {
  if (dimensions == 0 || dimensions > max_sizes || degree < 0 || degree > highest_degree) {
    throw bad_input("a basis of degree {} in {} sizes; expected degree 0 to {} and 1 to {} sizes", degree, dimensions, highest_degree,
                    max_sizes);
  }
}

struct Differences {
  std::vector<double> values;
  double largest = 0;  ///< largest magnitude of the function's values in the differences
};

/// Returns the forward differences of `function` in unit steps from `base` on, in the order of `monomials`: difference i has order
/// monomials[i][d] in dimension d. A difference is nonzero if and only if the function has a monomial that monomials[i] divides.
Differences differences(const std::function<double(std::span<const std::int64_t>)>& function, const Sizes& base,
                        const std::vector<Monomial>& monomials, const std::vector<int>& limits) {
  Differences table;
  Sizes point(base);
  for (const Monomial& step : monomials) {
    for (std::size_t d = 0; d < base.size(); ++d) {
      point[d] = base[d] + step[d];
    }
    table.values.push_back(function(point));
    table.largest = std::max(table.largest, std::fabs(table.values.back()));
  }
  std::size_t stride = 1;
  for (const int limit : limits) {
    const auto points = static_cast<std::size_t>(limit) + 1;
    for (std::size_t order = 1; order < points; ++order) {
      for (std::size_t i = table.values.size(); i-- > 0;) {
        if (i / stride % points >= order) {
          table.values[i] -= table.values[i - stride];
        }
      }
    }
    stride *= points;
  }
  return table;
}

/// Returns points spread over the domain: low, middle and high of every dimension. The coordinates of different dimensions are further
/// apart than the differences' reach, so that no point straddles a kink such as that of min(m, n) at m = n.
std::vector<Sizes> bases(const Box& domain) {
  std::vector<Sizes> by_dimension;
  for (std::size_t d = 0; d < domain.dimensions(); ++d) {
    const std::int64_t low = domain.low[d];
    const std::int64_t high = domain.high[d];
    const auto shift = static_cast<std::int64_t>(d * difference_points);
    by_dimension.push_back(low == high ? Sizes{low} : Sizes{low + shift, (low + high) / 2 + shift, high + shift});
  }
  return combinations(by_dimension);
}

std::vector<Monomial> united(std::vector<Monomial> a, const std::vector<Monomial>& b) {
  for (const Monomial& monomial : b) {
    if (std::find(a.begin(), a.end(), monomial) == a.end()) {
      a.push_back(monomial);
    }
  }
  return a;
}

void sort_by_degree(std::vector<Monomial>& monomials) {
  std::sort(monomials.begin(), monomials.end(),
            [](const Monomial& a, const Monomial& b) { return total(a) != total(b) ? total(a) < total(b) : a > b; });
}

}  // namespace

std::vector<Monomial> tensor_basis(std::size_t dimensions, int degree) {
  check_degree(dimensions, degree);
  std::vector<Monomial> all = monomials_up_to(std::vector<int>(dimensions, degree));
  sort_by_degree(all);
  return all;
}

std::vector<Monomial> total_basis(std::size_t dimensions, int degree) {
  std::vector<Monomial> all = tensor_basis(dimensions, degree);
  all.erase(std::remove_if(all.begin(), all.end(), [degree](const Monomial& m) { return total(m) > degree; }), all.end());
  return all;
}

std::vector<Monomial> divisors(const std::function<double(std::span<const std::int64_t>)>& function, const Box& domain) {
  // rounding error of one value; a difference of order i adds up 2^i values
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  std::vector<int> limits(domain.dimensions(), static_cast<int>(difference_points) - 1);
  for (std::size_t d = 0; d < limits.size(); ++d) {
    limits[d] = domain.low[d] == domain.high[d] ? 0 : limits[d];
  }
  const std::vector<Monomial> candidates = monomials_up_to(limits);
  std::vector<Monomial> found = {Monomial{}};
  for (const Sizes& base : bases(domain)) {
    const Differences table = differences(function, base, candidates, limits);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (std::fabs(table.values[i]) > std::ldexp(rounding * table.largest, total(candidates[i]))) {
        found = united(std::move(found), {candidates[i]});
      }
    }
  }
  std::vector<Monomial> closed;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(closed), [&](const Monomial& candidate) {
    return std::any_of(found.begin(), found.end(), [&](const Monomial& monomial) { return divides(candidate, monomial); });
  });
  sort_by_degree(closed);
  return closed;
}

std::vector<Monomial> adapted_basis(const Call& call, const Box& domain) {
  const auto work = [&call](std::span<const std::int64_t> at) { return flops(with_sizes(call, at)); };
  const auto bytes = [&call](std::span<const std::int64_t> at) { return static_cast<double>(footprint_bytes(with_sizes(call, at))); };
  std::vector<Monomial> both = united(divisors(work, domain), divisors(bytes, domain));
  sort_by_degree(both);
  return both;
}

std::vector<Monomial> basis(BasisKind kind, int degree, const Call& call, const Box& domain) {
  switch (kind) {
    case BasisKind::total: return total_basis(domain.dimensions(), degree);
    case BasisKind::tensor: return tensor_basis(domain.dimensions(), degree);
    case BasisKind::adapted: return adapted_basis(call, domain);
  }
  throw internal_error("basis kind {}", static_cast<int>(kind));
}

std::vector<int> degrees(const std::vector<Monomial>& monomials, std::size_t dimensions) {
  std::vector<int> largest(dimensions, 0);
  for (const Monomial& monomial : monomials) {
    for (std::size_t d = 0; d < dimensions; ++d) {
      largest[d] = std::max<int>(largest[d], monomial[d]);
    }
  }
  return largest;
}

Call with_sizes(Call call, std::span<const std::int64_t> sizes) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    if (call.routine->arguments[i].kind == Kind::size) {
      if (next == sizes.size()) {
        throw internal_error("{} sizes were given for {}, which has more", sizes.size(), call.routine->name);
      }
      call.arguments[i] = sizes[next++];
    }
  }
  return call;
}

}  // namespace flopcast::model
