#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "flopcast/protocol/mpi_profile_fields.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/request_types.hpp"
#include "flopcast/tasks/mpi/mpi.hpp"

namespace flopcast {

template <>
struct EnumNames<MpiSelfCheck> {
  static constexpr std::array names{std::pair{MpiSelfCheck::none, "none"}, std::pair{MpiSelfCheck::once, "once"},
                                    std::pair{MpiSelfCheck::one, "one"}, std::pair{MpiSelfCheck::all, "all"}};
};
template <>
struct EnumNames<MpiLibrary> {
  static constexpr std::array names{std::pair{MpiLibrary::openmpi, "openmpi"}, std::pair{MpiLibrary::mpich, "mpich"}};
};

/// A space is named by its file, which tune_mpi() reads.
template <>
struct SchemaOf<search::ParameterSpace> {
  static nlohmann::ordered_json make(SchemaMaker& maker) { return maker.of<std::string>(); }
};
namespace search {
static void to_json(nlohmann::json& json, const ParameterSpace& space) { json = space.file; }
static void from_json(const nlohmann::json& json, ParameterSpace& space) { space = {.file = json_detail::text(json)}; }
}  // namespace search

template <>
struct SchemaOf<Timeout> {
  static nlohmann::ordered_json make(SchemaMaker& maker) {
    return or_text(maker, {{"type", "number"}, {"minimum", 0}, {"maximum", bounds::seconds.max}, {"unit", "s"}},
                   "a time with its unit, or none");
  }
};
static void to_json(nlohmann::json& json, const Timeout& timeout) { json = static_cast<Seconds>(timeout); }
static void from_json(const nlohmann::json& json, Timeout& timeout) {
  read_number(json, timeout, "a number of seconds, or a text such as \"60s\"");
}

template <>
struct SchemaOf<FinalistCount> {
  static nlohmann::ordered_json make(SchemaMaker& maker) {
    return or_text(maker, {{"type", "integer"}, {"minimum", 0}, {"maximum", FinalistCount::max}}, "auto");
  }
};
static void to_json(nlohmann::json& json, const FinalistCount& count) {
  json = count.are_ties ? nlohmann::json("auto") : nlohmann::json(count.number);
}
static void from_json(const nlohmann::json& json, FinalistCount& count) {
  if (json.is_string()) {
    count = parsed_value(json, parse_finalist_count);
  } else {
    count = {};
    read_value(json, count.number);
  }
}

template <>
struct SchemaOf<Latency> {
  static nlohmann::ordered_json make(SchemaMaker& maker) {
    return or_text(maker, {{"type", "number"}, {"minimum", 0}, {"maximum", 1e18}, {"unit", "s"}}, "a time with its unit: \"2us\"");
  }
};
static void to_json(nlohmann::json& json, const Latency& latency) { json = static_cast<Seconds>(latency); }
static void from_json(const nlohmann::json& json, Latency& latency) {
  read_number(json, latency, "a number of seconds, or a text such as \"2us\"");
}

template <>
struct SchemaOf<BytesPerSecond> {
  static nlohmann::ordered_json make(SchemaMaker& maker) {
    return or_text(maker, {{"type", "number"}, {"minimum", 0}, {"maximum", 1e18}, {"unit", "B/s"}}, "in GB/s: \"12.5\"");
  }
};
static void to_json(nlohmann::json& json, const BytesPerSecond& rate) { json = static_cast<double>(rate); }
static void from_json(const nlohmann::json& json, BytesPerSecond& rate) {
  read_number(json, rate, "a number of bytes per second, or a text in GB/s");
}

template <>
struct SchemaOf<RankCounts> {
  static nlohmann::ordered_json make(SchemaMaker& maker) {
    nlohmann::ordered_json schema = or_text(maker, maker.of<std::vector<int>>(), "a list \"4,8\", or a range that doubles, \"16:1024\"");
    if (maker.makes_request()) {
      schema["anyOf"].insert(schema["anyOf"].begin(), maker.of<int>());
    }
    return schema;
  }
};
static void to_json(nlohmann::json& json, const RankCounts& counts) { json = static_cast<const std::vector<int>&>(counts); }
static void from_json(const nlohmann::json& json, RankCounts& counts) {
  if (json.is_string()) {
    counts = parsed_text(json, [](const std::string& text) { return parse_rank_counts(text, "ranks"); });
  } else if (json.is_number()) {
    counts.clear();
    read_value(json, counts.emplace_back());
  } else {
    read_value(json, static_cast<std::vector<int>&>(counts));
  }
}

Seconds parse_timeout(std::string_view text, std::string_view what) {
  const Seconds timeout = text == "none" ? 0 : parse_duration(text, what);
  if (text != "none" && !(timeout > 0)) {
    throw Error(what.starts_with("--") ? ExitCode::usage : ExitCode::bad_input,
                fmt::format("{}: '{}' is no duration above 0 such as 60s, nor none", what, text));
  }
  return timeout;
}

FinalistCount parse_finalist_count(std::string_view text, std::string_view what) {
  FinalistCount count{0, text == "auto"};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count.number);
  if (!count.are_ties && (error != std::errc() || end != text.data() + text.size() || count.number > FinalistCount::max)) {
    throw Error(what.starts_with("--") ? ExitCode::usage : ExitCode::bad_input,
                fmt::format("{} must be auto or a number from 0 to {}, not '{}'", what, FinalistCount::max, text));
  }
  return count;
}

namespace {

constexpr double max_value = 1e18;  ///< limit of latencies and bandwidths

double positive(std::string_view text, std::string_view what, std::string_view expected) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0) || value > max_value) {
    throw bad_input("{}: '{}' is not {}", what, text, expected);
  }
  return value;
}

}  // namespace

Seconds parse_latency(std::string_view text, std::string_view what) {
  const Seconds latency = parse_duration(text, what);
  if (!(latency > 0) || latency > max_value) {
    throw bad_input("{}: '{}' is not a duration above 0 such as 2us", what, text);
  }
  return latency;
}

double parse_gigabytes_per_second(std::string_view text, std::string_view what) {
  constexpr double giga = 1e9;
  return giga * positive(text, what, "a number of GB/s such as 12.5");
}

RankCounts parse_rank_counts(std::string_view text, std::string_view what) {
  constexpr std::int64_t max_ranks = 1 << 20;
  RankCounts counts;
  for (const std::string_view part : split(text, ',')) {
    const std::vector<std::string_view> ends = split(part, ':');
    const std::int64_t first = parse_integer(ends.front(), what, 1, max_ranks);
    const std::int64_t last = parse_integer(ends.back(), what, 1, max_ranks);
    if (ends.size() > 2 || last < first) {
      throw bad_input("{}: '{}' is no number of processes such as 16, nor a range such as 16:1024, which doubles", what, part);
    }
    for (std::int64_t count = first; count <= last; count *= 2) {
      if (std::find(counts.begin(), counts.end(), count) != counts.end()) {
        throw bad_input("{}: {} has {} processes twice", what, text, count);
      }
      counts.push_back(static_cast<int>(count));
    }
  }
  return counts;
}

namespace {

constexpr Bounds time_precisions = {.min = 0, .max = 1e18, .above_min = true};

template <auto... path>
Field field_of_kernels() {
  return optional_field<path...>(
             "kernels of BLAS: the program's. auto: where it detects the wrong CPU, the kernels found best by trying; library: its own "
             "choice")
      .one_of({"auto", "library"})
      .rare();
}

template <auto... path>
Field field_of_launcher() {
  return optional_field<path...>("command that starts MPI programs, with its options; empty: mpirun.openmpi or mpirun.mpich");
}

/// Members with one meaning in a run and in tuning. `request` is a path to the request in which they stand.
template <class R, auto... request>
Fields fields_of_tracing() {
  using P = selective::TimePrecision;
  return {
      optional_field<request..., &R::clock>("clock: wall; cpu: CPU time and modelled messages; auto: cpu where processes outnumber cores"),
      optional_field<request..., &R::precision, &P::tolerance>(
          "relative half-width of the interval of a kernel's mean time at which the time counts as known")
          .named("time_precision")
          .within(time_precisions),
      optional_field<request..., &R::precision, &P::confidence>("confidence level of the intervals of kernel times")
          .within(bounds::between(0.5, 0.9999))
          .rare(),
      optional_field<request..., &R::windows>("execute segments as a whole, so that kernels are timed among their neighbours")
          .option("no_windows", "never execute segments as a whole: kernels are then timed among skipped ones (as Critter does)")
          .rare(),
      optional_field<request..., &R::thread_multiple>("let the program have MPI_THREAD_MULTIPLE, which can't be traced")
          .option("no_thread_multiple",
                  "tell a program that asks for MPI_THREAD_MULTIPLE, which can't be traced, that MPI offers MPI_THREAD_SERIALIZED")
          .rare(),
      optional_field<request..., &R::timeout>("time after which a program is stopped: for which it calls skipped kernels and meets no new "
                                              "one, because its course seems to depend "
                                              "on results. Without any call it has five times as long. none or 0: for ever")
          .rare(),
      field_of_kernels<request..., &R::kernels>(),
      optional_field<request..., &R::prior_profile>("profile of an earlier or another user's run, whose kernel times save executions")
          .within(bounds::path_or_nothing)};
}

template <auto... request>
Fields fields_of_run() {
  using R = MpiRunRequest;
  return Fields{
             optional_field<request..., &R::policy>(
                 "kernels that are executed. full: all; random and rehearsal: some by chance, to test the program; any other policy: only "
                 "those whose time isn't known yet. Under any policy but full the program's results are garbage"),
             optional_field<request..., &R::across_sizes>(
                 "predict kernels of sizes never seen from other sizes instead of executing them, unless the policy is full")
                 .rare(),
             optional_field<request..., &R::max_events>("largest number of events in the timeline: of all processes, the long ones and "
                                                        "some of the short ones; 0 for none. Events need "
                                                        "wall time and policy full")
                 .within(bounds::between(0, 1e7))
                 .option("max_events",
                         "largest number of events in the timeline: of all processes, the long ones and some of the short "
                         "ones; 0 for 100000 with --timeline, and for none without. Events need wall time and policy full")
                 .rare()} +
         fields_of_tracing<R, request...>();
}

}  // namespace

template <>
Fields FieldTable<MpiRunRequest>::fields() {
  return Fields{field<&T::command>("program and its arguments").within(bounds::command).option(""),
                optional_field<&T::mpi>(
                    "MPI: that of the program; missing: the one that it is linked with, else the one whose mpirun started this process")} +
         fields_of_run<>();
}

template <>
Fields FieldTable<MpiLaunchRequest>::fields() {
  return Fields{field<&T::launcher>("command that starts the processes: [\"mpirun\", \"-n\", \"4\"]").within(bounds::command),
                field<&T::run, &MpiRunRequest::command>("program and its arguments").within(bounds::command)} +
         fields_of_run<&T::run>();
}

template <>
Fields FieldTable<MpiTuneRequest>::fields() {
  return Fields{field<&T::space>("file of the space (flopcast-mpi-space-1)").within(bounds::path),
                optional_field<&T::policy>("kernels that are executed. full: all; any other policy: only those whose time isn't known yet")
                    .one_of({"full", "conditional", "local", "online", "a-priori", "eager"}),
                optional_field<&T::across_sizes>("predict kernels of sizes never seen from other sizes")
                    .option("no_across_sizes", "execute kernels of sizes never seen, instead of predicting them from other sizes")
                    .rare()} +
         fields_of_tracing<T>() +
         Fields{
             optional_field<&T::precision, &selective::TimePrecision::min_count>(
                 "executions of a kernel that make its time known, at least")
                 .within(bounds::between(1, 1e9))
                 .option(""),
             optional_field<&T::min_coverage>(
                 "share of the path that must lie in MPI and in kernels which flopcast sees, such as 25%; with less there is no prediction")
                 .within(bounds::fraction)
                 .rare(),
             optional_field<&T::self_check>("configurations whose MPI calls are compared with a full execution's. If they differ, all "
                                            "are executed in full. once: one, "
                                            "unless the program passed lately"),
             optional_field<&T::confirm>(
                 "number of configurations with the least predictions that are executed in full at the end; the fastest of them is "
                 "chosen. auto: those whose intervals meet the best one's, as many as take no longer than all executions before"),
             optional_field<&T::validate>("also execute what was predicted, and compare: each configuration in full, before"),
             optional_field<&T::fresh>("measure again what is kept from earlier runs: kernel times and self-checks")};
}

template <>
Fields FieldTable<MpiAdviseRequest>::fields() {
  return {field<&T::routine>("routine of ScaLAPACK, with eigenvectors or singular vectors where there are any")
              .one_of({"pdpotrf", "pdgetrf", "pdgeqrf", "pdsyevd", "pdgesvd"}),
          field<&T::n>("order of the matrix, in elements").within(bounds::between(1, 1e6)).option("--n"),
          field<&T::ranks>("number of processes: as many may be started, each with a core of its own; fewer are used where that is faster")
              .within(bounds::between(1, 4096))
              .option("--ranks"),
          optional_field<&T::mpi>("MPI: that of ScaLAPACK"),
          field_of_launcher<&T::launcher>(),
          optional_field<&T::library>("file of ScaLAPACK; empty: the one that is installed for the MPI").within(bounds::path_or_nothing),
          optional_field<&T::time_budget>("time budget: after it nothing is launched, and a launch that is under way has 2 s to end. What "
                                          "was left out is printed. Predictions "
                                          "and executions are kept: another run goes on")
              .within(bounds::positive_seconds)};
}

template <>
Fields FieldTable<MpiSimulateRequest>::fields() {
  using M = MpiMachineChoice;
  return {
      field<&T::command>("program, built for SMPI, and its arguments").within(bounds::command).option(""),
      field<&T::ranks>("number of processes: each is simulated by itself; a number, a list, or a range that doubles, as 16:1024")
          .within(bounds::process_counts)
          .option("--ranks"),
      optional_field<&T::machine, &M::machine>("file with a description of the machine (flopcast-machine-description-1)")
          .within(bounds::path_or_nothing),
      optional_field<&T::machine, &M::platform>("the machine as a platform file of SimGrid; its cores are taken to be like this machine's")
          .within(bounds::path_or_nothing),
      optional_field<&T::machine, &M::latency>("latency of a message between nodes"),
      optional_field<&T::machine, &M::bandwidth>("bandwidth between nodes; a text is in GB/s")
          .option("bandwidth", "Bandwidth between nodes, in GB/s"),
      optional_field<&T::machine, &M::cores_per_node>("number of processes on each node; 0: as the machine is described")
          .within(bounds::between(0, 4096)),
      optional_field<&T::time_budget>("time budget: for measuring kernels without a good model, per number of processes")
          .within(bounds::seconds),
      field_of_kernels<&T::kernels>(),
      optional_field<&T::only_kernels>("let the program's own code take no time"),
      optional_field<&T::show_output>("show what programs write, on standard error")};
}

template <>
Fields FieldTable<MpiDescribeRequest>::fields() {
  return {optional_field<&T::mpi>("MPI: the one whose messages are measured"), field_of_launcher<&T::launcher>()};
}

}  // namespace flopcast
