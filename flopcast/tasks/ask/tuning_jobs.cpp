#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/ask/job.hpp"
#include "flopcast/tasks/ask/size_list.hpp"
#include "flopcast/tasks/tuning/tuning.hpp"

namespace flopcast {
namespace {

/// Members that the requests of all jobs of this family have.
struct CommonTuning {
  SizeList n;
  NamedSizes sizes;
  std::map<std::string, std::string> flags;
  bool tune_crossover = true;
  std::int64_t repetitions = 5;
  std::uint64_t seed = 1;
  bool fresh = false;
};

struct TuneQuestion {
  std::string routine;
  CommonTuning common;
  SizeList nb = {tuned_block_sizes()};
  Seconds time_budget = TuneRequest().time_budget;
  bool validate = false;
  std::optional<Seconds> validation_budget;
  std::string profile;
};

struct LapackQuestion {
  LapackRequest request;
  SizeList n = {LapackRequest().n}, nb = {tuned_block_sizes()};
};

struct RankQuestion {
  std::string family;
  CommonTuning common;
  std::string precision = "d";
  std::optional<std::vector<std::string>> variants;
  SizeList nb = {ranked_block_sizes()};
  LibraryRow library = LibraryRow::default_blocks;
  Seconds time_budget = RankRequest().time_budget;
  std::optional<tuning::Extent> validate;
  std::optional<Seconds> validation_budget;
  std::vector<std::string> blas;
  SizeList threads;
};

struct JointQuestion {
  RankQuestion ranking;
};

template <class Request>
Request request_of(const CommonTuning& common) {
  Request request;
  request.n = common.n.values;
  request.sizes = values_of(common.sizes);
  request.flags = common.flags;
  request.tune_crossover = common.tune_crossover;
  request.repetitions = common.repetitions;
  request.seed = common.seed;
  request.fresh = common.fresh;
  return request;
}

RankRequest request_of(const RankQuestion& question) {
  auto request = request_of<RankRequest>(question.common);
  if (question.precision.size() != 1 || std::string("sdcz").find(question.precision) == std::string::npos) {
    throw MemberError("precision", "'" + question.precision + "' given, expected s, d, c or z");
  }
  request.precision = question.precision.front();
  request.variants = question.variants;
  request.nb = question.nb.values;
  request.library = question.library;
  request.time_budget = question.time_budget;
  request.validate = question.validate;
  request.validation_budget = question.validation_budget.value_or(request.validation_budget);
  return request;
}

std::vector<machine::LibraryChoice> places_of(const Workbench& bench, const RankQuestion& question, const RunContext& context) {
  if (question.blas.empty() && question.threads.values.empty()) {
    return {bench.choice()};
  }
  const std::vector<std::string> blas = question.blas.empty() ? std::vector<std::string>{bench.choice().blas} : question.blas;
  const std::vector<std::int64_t> threads =
      question.threads.values.empty() ? std::vector<std::int64_t>{bench.choice().threads} : question.threads.values;
  return places(blas, threads, bench.choice(), context);
}

}  // namespace

template <>
struct EnumNames<LibraryRow> {
  static constexpr std::array names{std::pair{LibraryRow::none, "none"}, std::pair{LibraryRow::default_blocks, "default_blocks"},
                                    std::pair{LibraryRow::tuned, "tuned"}};
};
template <>
struct EnumNames<tuning::Extent> {
  static constexpr std::array names{std::pair{tuning::Extent::all, "all"}, std::pair{tuning::Extent::ranking, "ranking"}};
};

template <>
struct FieldTable<CommonTuning> {
  using T = CommonTuning;
  static constexpr auto fields = std::tuple(
      optional_field("n", &T::n, "orders; all sizes that `sizes` doesn't name are equal"),
      within(bounds::given, optional_field("sizes", &T::sizes, "sizes by the names of arguments: every combination is a problem")),
      optional_field("flags", &T::flags, "flags by the names of arguments: {\"uplo\": \"U\"}"),
      optional_field("tune_crossover", &T::tune_crossover, "choose LAPACK's crossover point nx, too"),
      within(bounds::between(1, 1000),
             optional_field("repetitions", &T::repetitions, "repetitions of long runs in a validation; short ones get more")),
      optional_field("seed", &T::seed, "seed of the order of measurements"),
      optional_field("fresh", &T::fresh, "use no samples of earlier runs"));
};
template <>
struct FieldTable<TuneQuestion> {
  using T = TuneQuestion;
  static constexpr auto fields = std::tuple(
      within(bounds::given, field("routine", &T::routine, "LAPACK routine, such as \"dgeqrf\"")), inlined_field(&T::common),
      within(bounds::given, optional_field("nb", &T::nb, "block sizes to choose from")),
      within(bounds::seconds, optional_field("time_budget", &T::time_budget, "seconds for tuning")),
      optional_field("validate", &T::validate, "run the routine with every block size and compare"),
      within(bounds::seconds, optional_field("validation_budget", &T::validation_budget, "seconds for the validation; missing: no limit")),
      within(bounds::path_or_nothing, optional_field("profile", &T::profile, "file in which the decisions are kept; empty: none")));
};
template <>
struct FieldTable<LapackRequest> {
  using T = LapackRequest;
  static constexpr auto fields =
      std::tuple(within(bounds::given, optional_field("precisions", &T::precisions, "letters of s, d, c and z, the most used first")),
                 within(bounds::seconds,
                        optional_field("time_budget", &T::time_budget, "seconds for all routines together, without their validation")),
                 optional_field("tune_crossover", &T::tune_crossover, "choose LAPACK's crossover point nx, too"),
                 optional_field("validate", &T::validate, "run every routine with every block size and compare"),
                 optional_field("limits_validation", &T::limits_validation, "a routine's validation may take as long as its tuning"),
                 within(bounds::between(1, 1000),
                        optional_field("repetitions", &T::repetitions, "repetitions of long runs in a validation; short ones get more")),
                 optional_field("seed", &T::seed, "seed of the order of measurements"),
                 optional_field("fresh", &T::fresh, "use no samples of earlier runs, and tune again what the profile has"),
                 within(bounds::path_or_nothing,
                        optional_field("profile", &T::profile, "file that keeps each routine's decisions; empty: the default profile")));
};
template <>
struct FieldTable<LapackQuestion> {
  using T = LapackQuestion;
  static constexpr auto fields = std::tuple(inlined_field(&T::request), optional_field("n", &T::n, "orders of the problems"),
                                            within(bounds::given, optional_field("nb", &T::nb, "block sizes to choose from")));
};
template <>
struct FieldTable<RankQuestion> {
  using T = RankQuestion;
  static constexpr auto fields = std::tuple(
      within(bounds::given, field("family", &T::family, "family such as \"cholesky\", or a LAPACK routine")), inlined_field(&T::common),
      within(bounds::given,
             optional_field("precision", &T::precision, "precision of a family: s, d, c or z; a routine's name has its own")),
      optional_field("variants", &T::variants, "names of the variants to compare; missing: all of the family"),
      within(bounds::given, optional_field("nb", &T::nb, "block sizes to choose from; a recursion ends at nb")),
      optional_field("library", &T::library, "row of the library's own routine"),
      within(bounds::seconds, optional_field("time_budget", &T::time_budget, "seconds for all places together")),
      optional_field("validate", &T::validate, "alternatives that are run and compared; missing: none"),
      within(bounds::seconds,
             optional_field("validation_budget", &T::validation_budget, "seconds for all places together; missing: no limit")),
      within(bounds::path_or_nothing, optional_field("blas", &T::blas, "BLAS libraries to compare; empty: the workbench's")),
      optional_field("threads", &T::threads, "numbers of threads to compare; empty: the workbench's"));
};
template <>
struct FieldTable<JointQuestion> {
  static constexpr auto fields = std::tuple(inlined_field(&JointQuestion::ranking));
};

std::vector<Job> tuning_jobs() {
  return {
      job<TuneQuestion>("tune", "Choose the block size of a LAPACK routine without running it", "flopcast-tune-3", DoneIn::own_process,
                        [](const Workbench& bench, const TuneQuestion& question, const RunContext& context) {
                          auto request = request_of<TuneRequest>(question.common);
                          request.nb = question.nb.values;
                          request.time_budget = question.time_budget;
                          request.validate = question.validate;
                          request.validation_budget = question.validation_budget.value_or(request.validation_budget);
                          request.profile = question.profile;
                          return tune(bench, question.routine, request, context);
                        }),
      job<LapackQuestion>("tune_lapack", "Choose the block sizes of all of LAPACK, the most used routines first", "flopcast-tune-lapack-3",
                          DoneIn::own_process,
                          [](const Workbench& bench, const LapackQuestion& question, const RunContext& context) {
                            LapackRequest request = question.request;
                            request.n = question.n.values;
                            request.nb = question.nb.values;
                            return tune_lapack(bench, request, context);
                          }),
      job<RankQuestion>("rank", "Rank the variants of an algorithm, each at its own best block size, without running them",
                        "flopcast-rank-3", DoneIn::own_process,
                        [](const Workbench& bench, const RankQuestion& question, const RunContext& context) {
                          return rank_everywhere(places_of(bench, question, context), question.family, request_of(question), context);
                        }),
      job<JointQuestion>("tune_jointly", "Choose variant, block size, threads and library together", "flopcast-rank-3", DoneIn::own_process,
                         [](const Workbench& bench, const JointQuestion& question, const RunContext& context) {
                           const RankQuestion& ranking = question.ranking;
                           return tune_jointly(places_of(bench, ranking, context), ranking.family, request_of(ranking), context);
                         }),
  };
}

}  // namespace flopcast
