#include <algorithm>
#include <cstdint>
#include <map>

#include <nlohmann/json.hpp>

#include "flopcast/core/documents.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/program/recording_document.hpp"
#include "flopcast/program/saved_tuning_json.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/tasks/programs/program_schemas.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "flopcast/tasks/programs/request_names.hpp"

namespace flopcast {

template <>
Fields FieldTable<BlockChoice>::fields() {
  return {field<&T::shape>("index into the profile's shapes"),
          field<&T::routine>("routine that queries ilaenv: the shape's own or, as dgetrf in dgesv, one below it"),
          field<&T::default_nb>("LAPACK's own block size"),
          field<&T::chosen_nb>("block size with the least predicted time"),
          field<&T::chosen_nx>("crossover point of the chosen block size"),
          field<&T::default_seconds>("predicted time of the routine in the shape's longest call with the default block size"),
          field<&T::chosen_seconds>("predicted time of the routine in the shape's longest call with the chosen block size"),
          field<&T::regret>("greatest possible loss, as a fraction of the best time"),
          field<&T::undecided>("the measurements show no best one, so that the default is kept"),
          field<&T::workspace_allows>("largest block size that fits into the program's workspace; 0: any")};
}

/// A result with a failure has no other member than its question and that.
template <>
Fields FieldTable<WhatIfResult>::fields() {
  return {field<&T::question>("the change, such as \"blas=blis,threads=2,nb\"").named("what_if"),
          field<&T::place>("libraries, kernels and threads of the answer, such as \"blis 0.9.0 with 2 threads, LAPACK reference 3.11.0\""),
          field<&T::environment>("environment of the prediction"),
          field<&T::recorded>("recorded time of the calls that are predicted").named("recorded_seconds"),
          field<&T::by_models>("time that the models alone expect of these calls in that place").named("models_seconds"),
          field<&T::predicted>("recorded time with the change that the models expect").named("predicted_seconds"),
          field<&T::interval>("interval of the predicted time, confidence 95 %").measured_in("s", Best::small),
          field<&T::gain>("recorded / predicted - 1, so that larger is better; missing for dry runs, which have no times"),
          field<&T::extrapolated_share>("share of the predicted time outside of the sampled domain"),
          field<&T::slow_by_numbers>("recorded time of calls that NaN or denormal numbers made slow; these calls stay as recorded")
              .named("slow_by_numbers_seconds"),
          field<&T::shapes>("predicted time per shape of the profile; null where calls can't be predicted").named("shape_seconds"),
          field<&T::blocks>("chosen block sizes if the question asks for them"),
          field<&T::untuned_shapes>("shapes whose block sizes are not tuned because they take too little time")};
}

/// The members of a prediction are missing from a result with a failure.
template <>
struct SchemaOf<WhatIfResult> {
  static nlohmann::ordered_json make(SchemaMaker& maker) {
    nlohmann::ordered_json result = maker.object<WhatIfResult>();
    result["required"] = {"what_if"};
    add_member(result, "failure", described(maker.of<std::string>(), "reason why nothing is predicted"), false);
    add_member(result, "failure_code", described(maker.of<int>(), "exit code of the failure"), false);
    return result;
  }
};

}  // namespace flopcast

template <>
struct nlohmann::adl_serializer<flopcast::WhatIfResult> {
  static void to_json(json& json, const flopcast::WhatIfResult& result) {
    json = {{"what_if", result.question}, {"failure", result.failure}, {"failure_code", result.failure_code}};
    if (result.failure.empty()) {
      json = nlohmann::json::object();
      write_fields(json, result);
    }
  }
  static void from_json(const json& json, flopcast::WhatIfResult& result) {
    result = {};
    result.failure = flopcast::member_or(json, "failure", "");
    if (result.failure.empty()) {
      read_fields(json, result);
    } else {
      flopcast::read_member(json, "what_if", result.question);
      result.failure_code = flopcast::member_or(json, "failure_code", 0);
    }
  }
};

namespace flopcast {

template <>
Fields FieldTable<program::RecordedProcess>::fields() {
  return {field<&T::pid>("number of the process"), field<&T::command>("program and its arguments")};
}

template <>
Fields FieldTable<program::RecordedThread>::fields() {
  return {field<&T::pid>("number of the process"), field<&T::tid>("number of the thread")};
}

template <>
Fields FieldTable<program::RecordedRun>::fields() {
  return {field<&T::command>("program and its arguments"),
          optional_field<&T::started>("seconds since 1970; 0: not known"),
          field<&T::dry_run>("calls that compute much were skipped"),
          field<&T::finished>("false if the recorder was killed or is still running"),
          field<&T::seconds>("from start to end of the program"),
          field<&T::damaged>("pieces of the file that can't be read"),
          field<&T::missing_bytes>("bytes that are cut off the file's end")};
}

template <>
Fields FieldTable<program::RecordingFacts>::fields() {
  return {inherited_fields<T, program::RecordedRun>(),
          field<&T::machine>("machine of the recording"),
          field<&T::exit_code>("the program's own, or 128 plus the signal that ended it"),
          optional_field<&T::cores_got>("CPU time of the program over its seconds; 0: not known"),
          optional_field<&T::other_cores>("cores that other programs kept busy meanwhile, on average"),
          optional_field<&T::waited_seconds>("time that its threads were ready to run and waited for a core"),
          optional_field<&T::cpus>("most CPUs on which the threads of a process with calls could run; 0: not known"),
          optional_field<&T::resident_bytes>("peak of resident memory of the largest of its processes; 0: not known")
              .measured_in("B", Best::small),
          field<&T::dropped>("calls that were not recorded because the disk was full"),
          field<&T::libraries>("files that define the called routines"),
          field<&T::processes>("processes that made calls"),
          field<&T::threads>("threads that made calls")};
}

template <>
Fields FieldTable<Recording::Routine>::fields() {
  return {field<&T::routine>("called routine; 'first calls' stands for calls in which a library started"),
          field<&T::calls>("number of outermost calls"),
          field<&T::seconds>("time of these calls. Threads that run at the same time add up"),
          field<&T::skipped>("calls that a dry run skipped").measured_in("", Best::large),
          field<&T::blind>("calls of a dry run whose operands were never computed").measured_in("", Best::small),
          field<&T::flops>("flops of these calls; missing where only the routine's name is known")};
}

template <>
Fields FieldTable<Recording::FirstCalls>::fields() {
  return {field<&T::calls>("number of calls"), field<&T::seconds>("time in these calls")};
}

template <>
Fields FieldTable<Recording::Event>::fields() {
  return {field<&T::thread>("thread that called, as an index into `threads` (--every-call)"),
          field<&T::start>("begin of the call after that of the recording (--every-call)").measured_in("s", Best::neither),
          field<&T::seconds>("time of the call; 0 where a dry run skipped it"),
          field<&T::routine>("called routine"),
          field<&T::call>("the call with its arguments as far as they are known, such as \"dpotrf(L, 100, 0x...)\" (--every-call)"),
          field<&T::what_happened>("executed or skipped, and in a dry run \"executed blindly\" or \"skipped blindly\" (--every-call)")};
}

template <>
Fields FieldTable<Recording>::fields() {
  return {inherited_fields<T, program::RecordingFacts>(),
          optional_field<&T::file>("file of the recording"),
          optional_field<&T::bytes>("size of the file"),
          optional_field<&T::own_code_seconds>(
              "time outside of BLAS and LAPACK in the thread with the longest time in calls: own code, and waiting"),
          field<&T::calls>("number of all calls"),
          optional_field<&T::skipped>("calls that a dry run skipped"),
          optional_field<&T::blind>("calls of a dry run whose operands were never computed"),
          optional_field<&T::routine_names>("number of routines, those with first calls only included"),
          field<&T::call_seconds>("time in all calls"),
          field<&T::first_calls>("calls in which a library starts, or memory is used for the first time; in no routine's sum"),
          optional_field<&T::faults>("defects of the recording"),
          field<&T::remarks>("how to read its times"),
          field<&T::routines>("routines by falling time, without first calls"),
          field<&T::events>("every call, if read_recording() was asked for them")};
}

/// Profiles of earlier versions lack the members that are optional.
template <>
Fields FieldTable<program::CallSum>::fields() {
  return {field<&T::calls>("number of outermost calls"),
          optional_field<&T::skipped>("calls that a dry run skipped").measured_in("", Best::large),
          optional_field<&T::blind>("calls of a dry run whose operands were never computed"),
          field<&T::seconds>("time of these calls. Threads that run at the same time add up"),
          field<&T::flops>("flops of the calls that the catalogue describes, without first calls"),
          optional_field<&T::peak_flops>("flops with single precision counted half, which the peak is compared with").named("rate_flops"),
          optional_field<&T::described_seconds>("time in the calls that `flops` counts").named("rate_seconds"),
          optional_field<&T::invalid_seconds>("time in calls that met NaN or Inf"),
          optional_field<&T::denormal_seconds>("time in calls that met denormal numbers")};
}

template <>
Fields FieldTable<CallTotals>::fields() {
  return {
      inherited_fields<T, program::CallSum>(),
      field<&T::flops_per_second>("flops over time. Calls known by name only have no rate, and the rate of a sum leaves their time out"),
      field<&T::of_peak>(
          "the rate over that of the best dgemm with the program's BLAS, threads and best kernels; single precision counts half")
          .measured_in("fraction", Best::large)};
}

template <>
Fields FieldTable<PeakRate>::fields() {
  return {field<&T::flops_per_second>("rate in double precision"),
          field<&T::what>("\"the best dgemm of openblas 0.3.21 (kernels SkylakeX) with 1 thread\"")};
}

template <>
Fields FieldTable<program::RecordedPlace>::fields() {
  return {field<&T::blas>("BLAS by name or path; empty: not known"),
          field<&T::lapack>("LAPACK by name or path; empty: not known"),
          field<&T::cpu>("CPU of the machine; empty: not known"),
          field<&T::threads>("threads of BLAS; missing: not known"),
          field<&T::kernels>("kernels that BLAS had chosen; empty: not known"),
          optional_field<&T::kernel_settings>("variables that make this machine's BLAS take those kernels")};
}

template <>
Fields FieldTable<ProgramProfile::Routine>::fields() {
  return {inherited_fields<T, CallTotals>(),
          field<&T::routine>("called routine; 'first calls' stands for calls in which a library started or memory was touched first"),
          field<&T::described>("false where only the routine's name is known")};
}

template <>
Fields FieldTable<ProgramProfile::Shape>::fields() {
  return {inherited_fields<T, CallTotals>(), field<&T::routine>("called routine"),
          field<&T::flags>("flags of the routine, such as \"NT\"; empty where only the name is known"),
          field<&T::first_calls>("the routine's first calls, which are kept apart"),
          field<&T::longest_seconds>("time of the longest call")};
}

template <>
Fields FieldTable<ProgramProfile::Thread>::fields() {
  return {inherited_fields<T, CallTotals>(), field<&T::pid>("number of the process"), field<&T::tid>("number of the thread"),
          field<&T::heaviest>("routine in which the thread spent most time")};
}

template <>
Fields FieldTable<ProgramProfile::Process>::fields() {
  return {inherited_fields<T, CallTotals>(), field<&T::pid>("number of the process"),
          optional_field<&T::program>("file of the process's program; empty: not known"),
          field<&T::threads>("number of the process's threads that made calls")};
}

template <>
Fields FieldTable<ProgramProfile::Timeline::Thread>::fields() {
  return {
      field<&T::tid>("number of the thread"),
      field<&T::shares>("share of each bin, in per cent with blanks between, that the thread spent in a routine; one text per routine")};
}

template <>
Fields FieldTable<ProgramProfile::Timeline>::fields() {
  return {
      field<&T::begin>("begin of the first call since the start of the recording").named("begin_seconds").measured_in("s", Best::neither),
      field<&T::end>("end of the last call since the start of the recording").named("end_seconds").measured_in("s", Best::neither),
      field<&T::routines>("the routines with most time; 'others' stands for all others"),
      field<&T::threads>("the first threads with calls")};
}

template <>
Fields FieldTable<ProgramProfile>::fields() {
  return {inherited_fields<T, program::RecordedRun>(),
          field<&T::recorded>("where the program was recorded"),
          field<&T::warnings>("remarks that the reader must know first"),
          optional_field<&T::own_code_seconds>(
              "time outside of BLAS and LAPACK in the thread with the longest time in calls; no answer includes it"),
          optional_field<&T::thread_count>("threads with calls, also those whose calls can't be read"),
          field<&T::all>("sum of all calls"),
          field<&T::first_calls>("calls in which a library starts, or memory is used for the first time"),
          field<&T::peak>("rate that the rates of calls are compared with"),
          field<&T::routines>("sums by routine without first calls, by falling time"),
          field<&T::shapes>("sums over calls of one routine with equal flags and sizes, by falling time"),
          field<&T::threads>("sums by thread, in the order of their first calls"),
          field<&T::processes>("sums by process, in the order of their first calls"),
          field<&T::timeline>("when the threads were in which routines; the run is cut into equal bins; missing without timed calls"),
          field<&T::what_if>("predicted changes in the order of the questions")};
}

template <>
Fields FieldTable<program::RoutineUse>::fields() {
  return {field<&T::routine>("name of the routine"),
          field<&T::flags>("options of ilaenv for which the block sizes hold; empty: all"),
          field<&T::queries>("number of ilaenv queries for the block size"),
          field<&T::smallest>("smallest order of the problems queried"),
          field<&T::largest>("largest order of the problems queried"),
          field<&T::returned>("largest block size returned"),
          field<&T::short_workspaces>("times that the program's workspace was too short for it"),
          field<&T::allowed>("least block size that such a workspace allowed; 0: not known"),
          field<&T::other_queries>("queries with options for which the tuning file has nothing"),
          field<&T::other_options>("options of the first such query"),
          field<&T::lapack>("library that made the queries or defines the routine; empty: none was seen"),
          field<&T::what_happened>("block sizes that the routine got, and why; empty if no report was asked for")};
}

template <>
Fields FieldTable<program::SizeUse>::fields() {
  return {field<&T::routine>("name of the routine"),
          field<&T::options>("options that the routine passed to ilaenv"),
          field<&T::m>("first size that the routine passed to ilaenv"),
          field<&T::n>("second size; equals m for routines with one size"),
          field<&T::queries>("number of ilaenv queries for the block size"),
          field<&T::answered>("block size that was returned last").named("nb"),
          field<&T::reason>("\"tuned\", or why LAPACK's own block size was returned"),
          field<&T::short_workspaces>(
              "times that the program's workspace was too short for the block size, so that LAPACK took a smaller one")};
}

template <>
Fields FieldTable<program::ThreadUse>::fields() {
  return {field<&T::routine>("name of the routine"),
          field<&T::threads>("threads of the calls; 0, in tables 'own': as many as the program had set"),
          field<&T::calls>("number of calls"),
          optional_field<&T::library>("file of the library that computed the calls; empty, in tables 'own': the program's")};
}

template <>
Fields FieldTable<RunOutcome>::fields() {
  return {field<&T::exit_code>("the program's own, or 128 plus the signal that ended it"),
          field<&T::processes>("processes into which the preloaded library was loaded"),
          field<&T::blas>("library that defined dgemm; empty: none was seen"),
          field<&T::settings>("variables for kernels that were set"),
          field<&T::routines>("in the order of the tuning file; then, if a report was asked for, routines that the tuning file lacks"),
          optional_field<&T::sizes>("queries by routine and problem size; empty if no report was asked for"),
          optional_field<&T::unlisted>("queries for further sizes, which sizes had no room for"),
          optional_field<&T::ended_by>("signal that ended the program, whose queries count up to then; empty: none did"),
          optional_field<&T::threads>("calls by routine, library and number of threads; empty unless these were chosen for each call"),
          optional_field<&T::counted>("false if queries could not be counted, so that only exit code and settings are known")};
}

}  // namespace flopcast

/// The sizes of a shape are an object {"m": [low, high], ...}; the interface of the routine gives their order.
template <>
struct nlohmann::adl_serializer<flopcast::ProgramProfile::Shape> {
  static void to_json(json& json, const flopcast::ProgramProfile::Shape& shape) {
    json = nlohmann::json::object();
    flopcast::write_fields(json, shape);
    nlohmann::json& sizes = json["sizes"] = nlohmann::json::object();
    for (const flopcast::program::SizeSpan& size : shape.sizes) {
      sizes[size.name] = {size.low, size.high};
    }
  }
  static void from_json(const json& json, flopcast::ProgramProfile::Shape& shape) {
    flopcast::read_fields(json, shape);
    std::map<std::string, std::array<std::int64_t, 2>> sizes;
    flopcast::read_member(json, "sizes", sizes);
    shape.sizes.clear();
    for (const auto& [name, range] : sizes) {
      shape.sizes.push_back({name, range[0], range[1]});
    }
    if (const flopcast::Routine* routine = flopcast::kernel::find(shape.routine)) {
      std::stable_sort(shape.sizes.begin(), shape.sizes.end(),
                       [&](const auto& a, const auto& b) { return routine->index(a.name) < routine->index(b.name); });
    }
  }
};

namespace flopcast {

template <>
struct SchemaOf<ProgramProfile::Shape> {
  static nlohmann::ordered_json make(SchemaMaker& maker) {
    nlohmann::ordered_json shape = maker.object<ProgramProfile::Shape>();
    add_member(shape, "sizes", described(maker.of<std::map<std::string, std::array<std::int64_t, 2>>>(), "least and largest value"));
    return shape;
  }
};

std::string to_json(const Recording& recording) { return to_document(recording, "flopcast-recording-1").dump(2); }
Recording recording_from_json(std::string_view text) { return from_document<Recording>(text, "recording", "flopcast-recording-1"); }

std::string to_json(const ProgramProfile& profile) { return to_document(profile, "flopcast-program-profile-2").dump(2); }
ProgramProfile program_profile_from_json(std::string_view text) {
  return from_document<ProgramProfile>(text, "program profile", "flopcast-program-profile-2");
}

std::string to_json(const RunOutcome& outcome) { return to_document(outcome, "flopcast-run-2").dump(2); }
RunOutcome run_outcome_from_json(std::string_view text) { return from_document<RunOutcome>(text, "run report", "flopcast-run-2"); }

std::vector<PublishedSchema> recording_schemas() {
  return {published<Recording>("flopcast-recording-1", "Contents of a recording"),
          published<ProgramProfile>("flopcast-program-profile-2", "Where a recorded program's time went"),
          published<RunOutcome>("flopcast-run-2", "Outcome of a program that ran with tuned block sizes"),
          program::saved_tuning_schema(),
          program::recording_document_schema(),
          diagnosis_schema()};
}

}  // namespace flopcast
