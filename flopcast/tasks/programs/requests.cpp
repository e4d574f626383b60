#include "flopcast/support/request_types.hpp"
#include "flopcast/tasks/programs/advice.hpp"
#include "flopcast/tasks/programs/predict.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "flopcast/tasks/programs/request_names.hpp"
#include "flopcast/tasks/programs/wisdom.hpp"

namespace flopcast {
namespace {

/// The members of a LAPACK routine's problems. The command line has them as words NAME=VALUE.
template <auto problems>
Fields fields_of_problems() {
  using P = LapackProblems;
  return {field<problems, &P::routine>("LAPACK routine, such as dgeqrf").within(bounds::given).option(""),
          optional_field<problems, &P::n>("orders; all sizes that `sizes` doesn't name are equal").option(""),
          optional_field<problems, &P::sizes>("sizes by the names of arguments").within(bounds::given).option(""),
          optional_field<problems, &P::arguments>("flags and other arguments: {\"uplo\": \"L\"}").option(""),
          optional_field<problems, &P::nb>("block sizes; empty: LAPACK's own").option(""),
          optional_field<problems, &P::nbmin>("least block sizes").within(bounds::between(0, SizeList::max_size)).option(""),
          optional_field<problems, &P::nx>("crossover points").within(bounds::between(0, SizeList::max_size)).option("")};
}

template <auto... options>
Fields fields_of_method() {
  using P = PredictionOptions;
  return {optional_field<options..., &P::method>("how the cache is treated").named("cache_model"),
          optional_field<options..., &P::start>(
              "what came before: filled (the caller wrote all matrices), repeated (the same run), paper (one access to as much memory) or "
              "cold; missing: filled, and paper for the cache treated so")
              .rare(),
          optional_field<options..., &P::capacity_bytes>("cache that the method paper looks at, such as 2MiB; 0: the largest measured one")
              .option("capacity")
              .rare(),
          optional_field<options..., &P::generator>(
              "models for all but placed: refined (adaptive refinement), levels (few points per memory level) or demand (as for placed)")
              .one_of({"refined", "levels", "demand"})
              .rare(),
          optional_field<options..., &P::time_budget>("time budget: for sampling kernels that models on demand lack; 0: none")
              .within(bounds::seconds),
          optional_field<options..., &P::with_calls>("also predict every single call")
              .option("explain", "also show the time of every kernel and call")};
}

/// The libraries that a program gets, as members of `Request` or of the member `run`.
template <class Request, auto... run>
Fields fields_of_libraries(const char* blas = "BLAS: for the program to load as libblas.so.3, by name or path; empty: its own") {
  return {optional_field<run..., &Request::blas>(blas).within(bounds::path_or_nothing),
          optional_field<run..., &Request::lapack>(
              "LAPACK: to load as liblapack.so.3; empty: its own, with another BLAS the reference where it is installed")
              .within(bounds::path_or_nothing)};
}

/// Returns the member for a tuning file.
template <auto... path>
Field field_of_tuning() {
  return optional_field<path...>("tuning file: tuned block sizes; empty: what 'flopcast tune --save' keeps")
      .within(bounds::path_or_nothing);
}

/// The members of a program's run, with which it also says where its settings come from.
template <auto... run>
Fields fields_of_run() {
  using P = RunRequest;
  return Fields{field_of_tuning<run..., &P::tuning>()} +
         fields_of_libraries<P, run...>(
             "BLAS: for the program to load as libblas.so.3, by name or path; empty: its own; auto: its own, but for each call of BLAS 3, "
             "getrf and potrf the library with the least predicted time") +
         Fields{
             optional_field<run..., &P::kernels>("kernels of BLAS. auto: where the BLAS detects the wrong CPU, those of the tuning file or "
                                                 "those found best by trying; library: the "
                                                 "BLAS chooses by itself")
                 .one_of({"auto", "library"}),
             optional_field<run..., &P::threads>(
                 "threads of BLAS; auto: for each call of BLAS 3 and of some LAPACK routines the number with the least predicted time")
                 .within(bounds::between(0, bounds::threads.max)),
             optional_field<run..., &P::time_budget>("time budget: for measuring what the choice of threads and libraries lacks, before "
                                                     "the program starts; what is measured is kept")
                 .within(bounds::seconds),
             optional_field<run..., &P::other_machine>("take what was made on other machines, too: a tuning file")};
}

}  // namespace

/// The options in results, where two of them have other names than in requests.
template <>
Fields FieldTable<PredictionOptions>::fields() {
  Fields fields = fields_of_method<>();
  for (Field& field : fields) {
    field.name = field.name == "start" ? "initial_cache" : field.name == "time_budget" ? "time_budget_seconds" : field.name;
  }
  return fields;
}

template <>
Fields FieldTable<PredictRequest>::fields() {
  return fields_of_problems<&T::problems>() + fields_of_method<&T::options>();
}

template <>
Fields FieldTable<PredictTraceRequest>::fields() {
  return Fields{field<&T::trace>("file with the trace of a routine or with a recorded program").within(bounds::path).option("")} +
         fields_of_method<&T::options>() +
         Fields{optional_field<&T::what_if>("change of a recorded program: same, or blas=NAME,lapack=NAME,threads=N").option("")};
}

template <>
Fields FieldTable<TraceRequest>::fields() {
  return fields_of_problems<&T::problem>() +
         Fields{optional_field<&T::own_algorithm>("flopcast's own algorithm, not LAPACK").option(""),
                optional_field<&T::observe>("execute and time the kernels instead of skipping them").option("")};
}

template <>
Fields FieldTable<RecordRequest>::fields() {
  return Fields{field<&T::command>("program and its arguments").within(bounds::command).option("")} + fields_of_libraries<T>() +
         Fields{optional_field<&T::threads>("threads of BLAS").within(bounds::threads),
                optional_field<&T::skip_kernels>("skip calls that compute much; for programs whose flow doesn't depend on their results"),
                optional_field<&T::anonymous>("leave private names out: folders, arguments and texts of the environment"),
                optional_field<&T::probes>("note where the program computes outside of BLAS and LAPACK, for 'doctor'"),
                optional_field<&T::output>("file of the recording").within(bounds::path).option("")};
}

template <>
Fields FieldTable<RecordingRequest>::fields() {
  return {field<&T::file>("file of the recording").within(bounds::path).option(""),
          optional_field<&T::events>("list every call").option("every_call", "with --show: every call instead of sums by routine")};
}

template <>
Fields FieldTable<ProfileRequest>::fields() {
  using O = WhatIfOptions;
  return {field<&T::recording>("file of the recording, which 'flopcast record' wrote").within(bounds::path).option("trace"),
          optional_field<&T::with_peak>("measure the peak that rates are compared with")
              .option("no_peak", "don't measure the peak that rates are compared with")
              .rare(),
          optional_field<&T::what_if>("changes to predict, such as blas=blis,threads=2 or nb"),
          optional_field<&T::options, &O::time_budget>("time budget: for measuring kernels that the store lacks, all changes together")
              .within(bounds::seconds),
          optional_field<&T::options, &O::kernels>(
              "kernels of BLAS: in predictions. library: as BLAS chooses them in a program; auto: the best ones for this CPU")
              .one_of({"auto", "library"})
              .rare(),
          optional_field<&T::options, &O::threads>(
              "threads of BLAS: in the recorded run; missing: those of 'record --threads', else as many as BLAS takes by itself")
              .within(bounds::threads)
              .rare(),
          optional_field<&T::anonymous>("leave private names out: folders and arguments, for pages that are sent around")};
}

/// The command line has these options beside those of a profile, which names recording and anonymity.
template <>
Fields FieldTable<TimelineRequest>::fields() {
  return {field<&T::recording>("file of the recording, which 'flopcast record' wrote").within(bounds::path).option(""),
          optional_field<&T::max_events>("largest number of calls in the timeline: the longest ones, and a random sample of the others")
              .within(bounds::between(1, 1e6))
              .option("max_events",
                      "largest number of events in the timeline: with --export, the longest calls and a random sample of the others")
              .rare(),
          optional_field<&T::seed>("seed of random numbers: the sample of calls")
              .option("seed", "seed of random numbers: the sample of calls of --export")
              .rare(),
          optional_field<&T::anonymous>("leave folders and arguments out").option("")};
}

template <>
Fields FieldTable<DoctorRequest>::fields() {
  return {
      optional_field<&T::command>("program to run and record once, and its arguments")
          .within(Bounds{.max_length = bounds::command.max_length, .is_command = true})
          .option(""),
      optional_field<&T::recording>("recording of 'flopcast record': read instead of running a program").within(bounds::path_or_nothing),
      optional_field<&T::keep>("file that keeps the recording; empty: none").within(bounds::path_or_nothing),
      optional_field<&T::threads>("threads of BLAS: in the program's run; missing: as it takes by itself").within(bounds::threads),
      optional_field<&T::time_budget>(
          "time budget: for measuring kernels that the store lacks, for all changes together, and a quarter of it for each other driver")
          .within(bounds::seconds),
      optional_field<&T::anonymous>("leave private names out: folders and arguments, of the diagnosis and the kept recording"),
      optional_field<&T::restart>("begin anew where the same command was interrupted")};
}

template <>
Fields FieldTable<ExtractRequest>::fields() {
  return {field<&T::recording>("file of the recording, which 'flopcast record' wrote").within(bounds::path).option("trace"),
          optional_field<&T::worst>("number of kinds of calls to repeat").within(bounds::between(1, 1e6)),
          optional_field<&T::worst_by>(
              "which ones are the worst. time: those with most time; rate: those with the fewest flops per second and 1 % of the time"),
          optional_field<&T::anonymous>("leave private names out: the program's arguments and folders of libraries")};
}

template <>
Fields FieldTable<ScaleRequest>::fields() {
  return {field<&T::recordings>("recordings, each with the parameter that the program had in it: small.trace=500").within(bounds::given),
          optional_field<&T::to>("parameter for which the program's time is predicted").within(bounds::between(1, 1e9)),
          optional_field<&T::time_budget>("time budget: for measuring kernels that the store lacks").within(bounds::seconds)};
}

template <>
Fields FieldTable<RunRequest>::fields() {
  return Fields{field<&T::command>("program and its arguments").within(bounds::command).option("")} + fields_of_run<>() +
         Fields{optional_field<&T::explain>("say for every tuned routine what happened")
                    .option("report",
                            "say afterwards which block sizes the program's LAPACK queried, and how many threads its calls got (with "
                            "--json, --output)")};
}

template <>
Fields FieldTable<EnvironmentRequest>::fields() {
  return fields_of_run<&T::run>() +
         Fields{
             optional_field<&T::links>(
                 "folder for links to the libraries of --blas and --lapack; it must remain; empty: 'libraries' in the user's data folder")
                 .within(bounds::path_or_nothing)};
}

template <>
Fields FieldTable<IlaenvRequest>::fields() {
  return {field_of_tuning<&T::tuning>(),
          optional_field<&T::blas>("BLAS: of the program, by name or path; empty: that of the newest entry of the tuning file")
              .within(bounds::path_or_nothing),
          optional_field<&T::threads>("threads of BLAS; missing: as the entry has them").within(bounds::threads),
          optional_field<&T::language>("language of the source")};
}

template <>
Fields FieldTable<OwnWisdomRequest>::fields() {
  return {field_of_tuning<&T::tuning>()};
}
template <>
Fields FieldTable<ExportWisdomRequest>::fields() {
  return {field_of_tuning<&T::tuning>(),
          optional_field<&T::anonymous>("leave private names out: entries for libraries outside of /usr, /lib, /lib64 and /opt")};
}
template <>
Fields FieldTable<PruneRequest>::fields() {
  return {optional_field<&T::dry_run>("do nothing: only list what would be removed"),
          optional_field<&T::other_cpus>("also remove entries for other CPUs, which may be those of machines with the same home folder"),
          field_of_tuning<&T::tuning>()};
}
template <>
Fields FieldTable<WisdomRequest>::fields() {
  return {field<&T::file>("file of wisdom; - is standard input").option(""), field_of_tuning<&T::tuning>()};
}
template <>
Fields FieldTable<ListWisdomRequest>::fields() {
  return {optional_field<&T::file>("file of wisdom; empty: your own and the system's").argument(), field_of_tuning<&T::tuning>()};
}
template <>
Fields FieldTable<MergeRequest>::fields() {
  return {field<&T::files>("files of wisdom; of entries with one name, that of the later file stays").within(bounds::path)};
}
template <>
Fields FieldTable<ForgetRequest>::fields() {
  return {optional_field<&T::ids>("identifiers of 'flopcast wisdom list', or their beginnings").argument(),
          optional_field<&T::kind>("remove all entries of this kind").one_of({"block-sizes", "kernels", "plans"}),
          optional_field<&T::all>("remove all entries"), field_of_tuning<&T::tuning>()};
}

}  // namespace flopcast
