#include "flopcast/search/reference_race.hpp"

#include <algorithm>
#include <cmath>

#include "flopcast/search/bounds.hpp"

namespace flopcast::search {

std::string to_string(Verdict verdict) { return verdict_names.at(static_cast<std::size_t>(verdict)).second; }

ReferenceRace::ReferenceRace(std::size_t candidates, ReferenceRaceOptions options)
    : options_(std::move(options)), ledger_(all(candidates + 1), options_.seed), meter_(options_.limits), decided_(candidates + 1) {}

/// Returns the error probability that the next look may spend on one candidate.
double ReferenceRace::next_alpha() const {
  const auto share = [this](std::int64_t looks) { return share_of_looks(looks, options_.min_rounds, options_.max_rounds); };
  const std::size_t compared = std::max<std::size_t>(control(), 2) - 1;
  return options_.error_probability * (share(looks_ + 1) - share(looks_)) / static_cast<double>(compared);
}

ReferenceRatio ReferenceRace::look(std::size_t candidate) const {
  const std::vector<double> differences = ledger_.paired(candidate, 0);
  if (differences.empty()) {
    return {};
  }
  ReferenceRatio result{Verdict::unsure, std::exp(median(differences)), std::nullopt};
  const Interval logs = sign_interval(differences, next_alpha());
  if (std::isfinite(logs.high)) {
    const double same = std::log1p(options_.tolerance);
    result.interval = Interval{std::exp(logs.low), std::exp(logs.high)};
    result.verdict = logs.low >= -same && logs.high <= same ? Verdict::same
                     : logs.low > 0                         ? Verdict::slower
                     : logs.high < 0                        ? Verdict::faster
                                                            : Verdict::unsure;
  }
  return result;
}

bool ReferenceRace::all_decided() const {
  const auto has_verdict = [](const auto& one) { return one.has_value(); };
  return control() == 1 ? decided_[1].has_value() : std::all_of(decided_.begin() + 1, decided_.end() - 1, has_verdict);
}

void ReferenceRace::take_look() {
  last_look_ = rounds();
  for (std::size_t candidate = 1; candidate < decided_.size(); ++candidate) {
    const ReferenceRatio ratio = look(candidate);
    const bool is_beside_limit =
        !options_.limit || ratio.is_above(*options_.limit) || (ratio.interval && ratio.interval->high <= *options_.limit);
    if (!decided_[candidate] && ratio.verdict != Verdict::unsure && is_beside_limit) {
      decided_[candidate] = ratio;
      ledger_.set_active(candidate, candidate == control());
    }
  }
  ++looks_;
}

void ReferenceRace::run(const Evaluator& evaluator) {
  for (bool is_complete = true; is_complete && rounds() < options_.max_rounds;) {
    is_complete = ledger_.round(evaluator, meter_);
    const bool is_due = is_complete && rounds() >= std::max(options_.min_rounds, next_look_round(last_look_));
    if (is_due && sign_rank(static_cast<std::size_t>(rounds()), next_alpha() / 2) > 0) {
      take_look();
    }
    if (all_decided()) {
      ending_ = Ending::decided;
      return;
    }
    ending_ = is_complete ? Ending::budget : meter_.ending();
  }
}

}  // namespace flopcast::search
