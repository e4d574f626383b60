#include "flopcast/contract/plan.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "flopcast/contract/candidates.hpp"
#include "flopcast/contract/validate.hpp"
#include "flopcast/core/error.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/machine/clock.hpp"
#include "flopcast/machine/detect.hpp"
#include "flopcast/machine/installed.hpp"
#include "flopcast/machine/library.hpp"

namespace flopcast::contract {
namespace {

constexpr const char* wisdom_kind = "contraction-plan";

/// A candidate that was considered, with its time if it was executed.
struct Considered {
  Blocking blocking;
  Seconds expected = 0;
  std::optional<Seconds> measured;
  [[nodiscard]] Seconds seconds() const { return measured.value_or(expected); }
};

/// Lowest and one past the highest address of a tensor whose first element lies at `first`.
std::pair<const std::byte*, const std::byte*> span_of(const Contraction& contraction, Place place, const void* first) {
  const std::int64_t element = element_bytes(contraction.precision);
  std::int64_t low = 0, high = element;
  const Tensor& tensor = contraction.tensor(place);
  for (std::size_t i = 0; i < tensor.indices.size(); ++i) {
    const std::int64_t extent = contraction.extent(tensor.indices[i]);
    if (extent == 0) {
      return {nullptr, nullptr};
    }
    const std::int64_t reach = (extent - 1) * tensor.strides[i] * element;
    (reach < 0 ? low : high) += reach;
  }
  return {static_cast<const std::byte*>(first) + low, static_cast<const std::byte*>(first) + high};
}

std::string wisdom_name(const Contraction& contraction, const Machine& machine, const PlanOptions& options) {
  return fmt::format("{} threads {} {}", folded_key(contraction), options.threads, machine.environment.fingerprint);
}

nlohmann::json to_json(const Considered& one) {
  return {{"m", one.blocking.m},
          {"n", one.blocking.n},
          {"k", one.blocking.k},
          {"streaming", one.blocking.streaming},
          {"threads", one.blocking.threads},
          {"seconds", one.seconds()}};
}

Considered from_json(const nlohmann::json& json) {
  Considered one;
  one.blocking = {json.at("m"), json.at("n"), json.at("k"), json.at("streaming"), json.at("threads")};
  one.measured = json.at("seconds").get<Seconds>();
  return one;
}

/// What an earlier plan of the same contraction found out; nothing if there is none or it can't be read.
std::optional<Considered> remembered(const Contraction& contraction, const Machine& machine, const PlanOptions& options) {
  if (options.wisdom == nullptr) {
    return std::nullopt;
  }
  const std::optional<nlohmann::json> found = options.wisdom->find_artifact(wisdom_kind, wisdom_name(contraction, machine, options));
  if (!found) {
    return std::nullopt;
  }
  try {
    return from_json(*found);
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;  // written by another version: planned anew, and replaced
  }
}

/// Executes the most promising candidates in turn until the budget is spent; those that are clearly slower than the best drop out after their first time.
void measure_candidates(std::vector<Considered>& all, const Contraction& contraction, const Folded& folded, const Machine& machine,
                        const PlanOptions& options) {
  constexpr int rounds = 5;
  constexpr double clearly_slower = 1.3;
  Workspace tensors(contraction);
  const machine::WallClock clock;
  const std::int64_t begin = clock.ticks();
  const std::size_t tried = std::min(all.size(), static_cast<std::size_t>(options.most_measured));
  std::vector<std::vector<Seconds>> times(tried);
  Seconds best = std::numeric_limits<Seconds>::infinity();
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < tried; ++i) {
      const bool over = clock.seconds(clock.ticks() - begin) > options.time_budget;
      if ((over && best < std::numeric_limits<Seconds>::infinity()) ||
          (round > 0 && (times[i].empty() || times[i].front() > clearly_slower * best))) {
        continue;
      }
      const Blocked blocked(folded, all[i].blocking, machine.find);
      const std::int64_t start = clock.ticks();
      blocked.run(tensors.tensor(Place::a), tensors.tensor(Place::b), tensors.tensor(Place::c), 1.0, 0.0);
      times[i].push_back(clock.seconds(clock.ticks() - start));
      best = std::min(best, times[i].back());
    }
  }
  for (std::size_t i = 0; i < tried; ++i) {
    if (!times[i].empty()) {
      all[i].measured = median(times[i]);
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Considered& x, const Considered& y) {
    return x.measured.has_value() != y.measured.has_value() ? x.measured.has_value() : x.seconds() < y.seconds();
  });
}

}  // namespace

/// What a plan shares between its copies.
struct Plan::State {
  Contraction contraction;
  std::vector<Considered> considered;  ///< the chosen one first
  bool from_wisdom = false;
  std::unique_ptr<Blocked> chosen;
  std::unique_ptr<Blocked> updating;  ///< takes over where C is not overwritten and the chosen one streams
};

void Plan::execute(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta) const {
  const auto [c_low, c_high] = span_of(state_->contraction, Place::c, c);
  for (const auto& [place, first] : {std::pair{Place::a, a}, {Place::b, b}}) {
    const auto [low, high] = span_of(state_->contraction, place, first);
    if (low < c_high && c_low < high) {
      throw bad_input("C overlaps {} in memory; the result needs memory of its own", letter(place));
    }
  }
  const bool overwrites = beta == 0.0;
  (overwrites || state_->updating == nullptr ? *state_->chosen : *state_->updating).run(a, b, c, alpha, beta);
}

std::string Plan::explain() const {
  const Considered& chosen = state_->considered.front();
  const std::string packed = state_->chosen->packed();
  std::string text = fmt::format("{}: tiles of M x N x K = {}; packs {}; {} {}, {} of workspace\n",
                                 to_string(state_->contraction.notation()), to_string(chosen.blocking), packed.empty() ? "nothing" : packed,
                                 chosen.measured ? (state_->from_wisdom ? "measured before:" : "measured") : "expected",
                                 format_seconds(chosen.seconds()), format_bytes(static_cast<double>(workspace_bytes())));
  constexpr std::size_t most = 4;
  for (std::size_t i = 1; i < std::min(most, state_->considered.size()); ++i) {
    const Considered& other = state_->considered[i];
    text += fmt::format("  instead of {}: {} {}\n", to_string(other.blocking), other.measured ? "measured" : "expected",
                        format_seconds(other.seconds()));
  }
  return text;
}

std::int64_t Plan::workspace_bytes() const { return state_->chosen->workspace_bytes(); }
Seconds Plan::seconds() const { return state_->considered.front().seconds(); }
const Contraction& Plan::contraction() const { return state_->contraction; }

Machine local_machine(const std::string& blas) {
  const machine::LibrarySet libraries = machine::LibrarySet::open(blas.empty() ? machine::default_blas() : blas, machine::default_lapack());
  libraries.set_threads(1);
  return {[libraries](std::string_view routine) { return libraries.find(routine); }, machine::detect(libraries, 1, {})};
}

Plan plan(const Contraction& contraction, const Machine& machine, const PlanOptions& options) {
  if (options.threads < 1) {
    throw bad_input("a plan for {} threads; at least 1 is needed", options.threads);
  }
  auto state = std::make_shared<Plan::State>();
  state->contraction = contraction;
  const Folded folded = fold(contraction);
  if (const std::optional<Considered> known = remembered(contraction, machine, options)) {
    state->considered = {*known};
    state->from_wisdom = true;
  } else {
    for (const Candidate& candidate : candidates(folded, machine.environment, options.threads)) {
      state->considered.push_back({candidate.blocking, candidate.seconds, std::nullopt});
    }
    if (options.effort == Effort::measure && flops(contraction) > 0) {
      measure_candidates(state->considered, contraction, folded, machine, options);
      if (options.wisdom != nullptr) {
        options.wisdom->put_artifact(wisdom_kind, wisdom_name(contraction, machine, options), to_json(state->considered.front()));
      }
    }
  }
  const Blocking chosen = state->considered.front().blocking;
  state->chosen = std::make_unique<Blocked>(folded, chosen, machine.find);
  if (chosen.streaming) {
    const std::vector<Candidate> all = candidates(folded, machine.environment, options.threads);
    const auto plain = std::find_if(all.begin(), all.end(), [](const Candidate& candidate) { return !candidate.blocking.streaming; });
    state->updating = std::make_unique<Blocked>(folded, plain->blocking, machine.find);
  }
  return Plan(std::move(state));
}

Plan plan(std::string_view text, const Shapes& shapes, const Machine& machine, const PlanOptions& options) {
  const Notation notation = parse_notation(text);
  Extents extents;
  const auto read = [&](const std::string& indices, const std::vector<std::int64_t>& shape, Place place) {
    if (shape.size() != indices.size()) {
      throw bad_input("{} of {} has {} indices, but a shape of {} sizes", letter(place), to_string(notation), indices.size(), shape.size());
    }
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const auto [found, is_new] = extents.emplace(indices[i], shape[i]);
      if (!is_new && found->second != shape[i]) {
        throw bad_input("index {} of {} is {} long in {}, but {} elsewhere", indices[i], to_string(notation), shape[i], letter(place),
                        found->second);
      }
    }
  };
  read(notation.a, shapes.a, Place::a);
  read(notation.b, shapes.b, Place::b);
  read(notation.c, shapes.c, Place::c);
  return plan(make_contraction(notation, extents, options.precision, options.order), machine, options);
}

std::vector<double> einsum(std::string_view text, std::span<const double> a, const std::vector<std::int64_t>& shape_a,
                           std::span<const double> b, const std::vector<std::int64_t>& shape_b, const Machine& machine,
                           std::vector<std::int64_t>* shape) {
  const Notation notation = parse_notation(text);
  std::vector<std::int64_t> shape_c;
  for (const char index : notation.c) {
    const std::size_t in_a = notation.a.find(index);
    const std::vector<std::int64_t>& from = in_a != std::string::npos ? shape_a : shape_b;
    const std::size_t at = in_a != std::string::npos ? in_a : notation.b.find(index);
    shape_c.push_back(at < from.size() ? from[at] : 0);  // a shape that is too short is refused by plan()
  }
  const Plan chosen = plan(text, {shape_a, shape_b, shape_c}, machine);
  const auto check = [&](Place place, std::size_t given) {
    if (static_cast<std::int64_t>(given) != chosen.contraction().elements(place)) {
      throw bad_input("{} of {} has {} elements, but its shape says {}", letter(place), text, given, chosen.contraction().elements(place));
    }
  };
  check(Place::a, a.size());
  check(Place::b, b.size());
  std::vector<double> c(static_cast<std::size_t>(chosen.contraction().elements(Place::c)));
  chosen.execute(a.data(), b.data(), c.data());
  if (shape != nullptr) {
    *shape = shape_c;
  }
  return c;
}

}  // namespace flopcast::contract
