#include "flopcast/search/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>

namespace flopcast::search {
namespace {

double log_choose(std::size_t n, std::size_t k) {
  const auto log_factorial = [](std::size_t i) { return std::lgamma(static_cast<double>(i) + 1); };
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

/// Row t, column h: probability of h or more heads in t tosses of a fair coin; t up to n.
std::vector<std::vector<double>> heads_or_more(std::size_t n) {
  std::vector<std::vector<double>> rows(n + 1, std::vector<double>(n + 1, 0.0));
  rows[0][0] = 1;
  for (std::size_t t = 1; t <= n; ++t) {
    rows[t][0] = 1;
    for (std::size_t h = 1; h <= t; ++h) {
      rows[t][h] = (rows[t - 1][h - 1] + rows[t - 1][h]) / 2;
    }
  }
  return rows;
}

/// Probability that exactly t of n values lie above the margin-th largest of N values of the same distribution (negative hypergeometric).
double beyond_margin(std::size_t t, std::size_t n, std::size_t N, std::size_t margin) {
  return std::exp(log_choose(t + margin - 1, t) + log_choose(n + N - t - margin, n - t) - log_choose(n + N, n));
}

std::size_t calibrated_rank(std::size_t aa, std::size_t margin, double alpha, const std::vector<std::vector<double>>& heads) {
  if (margin < 1 || aa < margin) {
    return 0;
  }
  const std::size_t n = heads.size() - 1;
  std::vector<double> beyond(n + 1);
  for (std::size_t t = 0; t <= n; ++t) {
    beyond[t] = beyond_margin(t, n, aa, margin);
  }
  for (std::size_t i = 1; i <= n; ++i) {
    const std::size_t above = n - i + 1;  // number of values at or above the i-th smallest
    double probability = 0;
    for (std::size_t t = above; t <= n; ++t) {
      probability += beyond[t] * heads[t][above];
    }
    if (probability > alpha) {
      return i - 1;
    }
  }
  return n;
}

/// Returns for u = 0 ... `most` the probability that in u of the n N pairs of a value and another number of the same distribution the
/// value is the smaller one. Recurrence over the largest of all n + N numbers: if it is a value, that value is below none of the others;
/// if it is one of the others, all n values are below it.
std::vector<double> pairs_below(std::size_t n, std::size_t N, std::size_t most) {
  std::vector<std::vector<double>> rows(N + 1, std::vector<double>(most + 1, 0.0));  // rows[j]: j others; initially for 0 values
  for (std::vector<double>& row : rows) {
    row[0] = 1;
  }
  for (std::size_t i = 1; i <= n; ++i) {
    for (std::size_t j = 1; j <= N; ++j) {
      const double of_values = static_cast<double>(i) / static_cast<double>(i + j);
      for (std::size_t u = 0; u <= most; ++u) {
        rows[j][u] = of_values * rows[j][u] + (u < i ? 0 : (1 - of_values) * rows[j - 1][u - i]);
      }
    }
  }
  return rows[N];
}

std::size_t exact_shift_rank(std::size_t n, std::size_t aa, double alpha) {
  const std::vector<double> below = pairs_below(n, aa, n * aa / 2);
  double sum = 0;
  for (std::size_t i = 0; i < below.size(); ++i) {
    sum += below[i];
    if (sum > alpha) {
      return i;
    }
  }
  return n * aa / 2;
}

/// Normal approximation for many values, for which the exact distribution takes long. The exact tails are lighter than the normal ones, so
/// that the error probability is kept.
std::size_t normal_shift_rank(std::size_t n, std::size_t aa, double alpha) {
  const double pairs = static_cast<double>(n) * static_cast<double>(aa);
  const double deviation = std::sqrt(pairs * static_cast<double>(n + aa + 1) / 12);
  const double rank = pairs / 2 + normal_quantile(std::min(alpha, 0.5)) * deviation - 0.5;
  return static_cast<std::size_t>(std::max(rank, 0.0));
}

}  // namespace

std::size_t sign_rank(std::size_t n, double alpha) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum += std::exp(log_choose(n, i) - static_cast<double>(n) * std::log(2.0));
    if (sum > alpha) {
      return i;
    }
  }
  return n;
}

std::size_t calibrated_rank(std::size_t n, std::size_t aa, std::size_t margin, double alpha) {
  return calibrated_rank(aa, margin, alpha, heads_or_more(n));
}

std::size_t shift_rank(std::size_t n, std::size_t aa, double alpha) {
  constexpr std::size_t exact_up_to = 6;
  return n <= exact_up_to ? exact_shift_rank(n, aa, alpha) : normal_shift_rank(n, aa, alpha);
}

std::size_t min_aa_pairs(std::size_t n, std::size_t margin, double alpha, std::size_t most) {
  const std::vector<std::vector<double>> heads = heads_or_more(n);
  std::size_t aa = margin;
  while (aa <= most && calibrated_rank(aa, margin, alpha, heads) == 0) {
    ++aa;
  }
  return aa;
}

namespace {

/// Returns the admissible pair of ranks that lies furthest inside, which is the sharpest one for exponential tails.
BoundRanks calibrated_ranks(std::size_t n, std::size_t aa, double alpha) {
  const std::vector<std::vector<double>> heads = heads_or_more(n);
  BoundRanks best;
  for (std::size_t margin = 2; margin <= aa; ++margin) {
    const std::size_t rank = calibrated_rank(aa, margin, alpha, heads);
    if (rank == 0) {
      break;
    }
    if (rank * margin > best.calibrated * best.margin) {
      best.calibrated = rank;
      best.margin = margin;
    }
  }
  return best;
}

/// Chooses the shift if there are enough values and A/A differences, otherwise calibrated ranks.
BoundRanks aa_ranks(std::size_t n, std::size_t aa, double alpha) {
  const std::size_t rank = shift_rank(n, aa, alpha);
  if (rank <= n) {
    return calibrated_ranks(n, aa, alpha);
  }
  BoundRanks ranks;
  ranks.shift = rank;
  return ranks;
}

}  // namespace

BoundRanks bound_ranks(std::size_t n, std::size_t aa, double alpha) {
  const std::size_t sign = sign_rank(n, alpha / 2);
  if (sign == 0) {
    return aa_ranks(n, aa, alpha);
  }
  BoundRanks ranks = aa_ranks(n, aa, alpha / 2);
  ranks.sign = ranks.tells() ? sign : sign_rank(n, alpha);
  return ranks;
}

double median_lower_bound(std::vector<double> values, std::span<const double> aa, const BoundRanks& ranks) {
  std::sort(values.begin(), values.end());
  double bound = -std::numeric_limits<double>::infinity();
  if (ranks.sign > 0) {
    bound = values[ranks.sign - 1];
  }
  if (ranks.calibrated > 0) {
    std::vector<double> margins(aa.size());
    std::transform(aa.begin(), aa.end(), margins.begin(), [](double one) { return std::abs(one); });
    const auto margin = margins.begin() + static_cast<std::ptrdiff_t>(ranks.margin - 1);
    std::nth_element(margins.begin(), margin, margins.end(), std::greater<>());
    bound = std::max(bound, values[ranks.calibrated - 1] - *margin);
  }
  if (ranks.shift > 0) {
    std::vector<double> differences;
    differences.reserve(values.size() * aa.size());
    for (const double value : values) {
      std::transform(aa.begin(), aa.end(), std::back_inserter(differences), [value](double one) { return value - one; });
    }
    const auto shift = differences.begin() + static_cast<std::ptrdiff_t>(ranks.shift - 1);
    std::nth_element(differences.begin(), shift, differences.end());
    bound = std::max(bound, *shift);
  }
  return bound;
}

double median_lower_bound(std::vector<double> values, std::span<const double> aa, double alpha) {
  const BoundRanks ranks = bound_ranks(values.size(), aa.size(), alpha);
  return median_lower_bound(std::move(values), aa, ranks);
}

std::int64_t next_look_round(std::int64_t round) { return round + std::max<std::int64_t>(round / 4, 1); }

double share_of_looks(std::int64_t looks, std::int64_t min_rounds, std::int64_t max_rounds) {
  std::int64_t max_looks = 1;
  for (std::int64_t round = min_rounds; round <= max_rounds; round = next_look_round(round)) {
    ++max_looks;
  }
  const auto harmonic = [](std::int64_t n) {
    double sum = 0;
    for (std::int64_t i = 1; i <= n; ++i) {
      sum += 1 / static_cast<double>(i);
    }
    return sum;
  };
  return harmonic(looks) / harmonic(max_looks);
}

Interval sign_interval(const std::vector<double>& values, double alpha) {
  std::vector<double> mirrored(values.size());
  std::transform(values.begin(), values.end(), mirrored.begin(), std::negate<>());
  return {median_lower_bound(values, {}, alpha / 2), -median_lower_bound(std::move(mirrored), {}, alpha / 2)};
}

}  // namespace flopcast::search
