#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "flopcast/core/core_schemas.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/program/profile_json.hpp"
#include "flopcast/program/recording_document.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/tasks/programs/program_schemas.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "flopcast/tasks/programs/what_if_fields.hpp"

namespace flopcast {

template <>
Fields FieldTable<Recording::Machine>::fields() {
  return {optional_field<&T::cpu>(), optional_field<&T::cores>("0: not known")};
}

template <>
Fields FieldTable<Recording::Process>::fields() {
  return {field<&T::pid>(), field<&T::command>()};
}

template <>
Fields FieldTable<Recording::Thread>::fields() {
  return {field<&T::pid>(), field<&T::tid>()};
}

template <>
Fields FieldTable<Recording::Routine>::fields() {
  return {field<&T::routine>("called routine; 'first calls' stands for calls in which a library started"),
          field<&T::calls>("number of outermost calls"),
          field<&T::seconds>("time of these calls. Threads that run at the same time add up"),
          field<&T::skipped>("calls that a dry run skipped").measured_in("", Best::large),
          field<&T::blind>("calls of a dry run whose operands were never computed").measured_in("", Best::small),
          field<&T::flops>("flops of the calls; missing where only the routine's name is known")};
}

template <>
Fields FieldTable<Recording::FirstCalls>::fields() {
  return {field<&T::calls>(), field<&T::seconds>()};
}

template <>
Fields FieldTable<Recording::Event>::fields() {
  return {field<&T::thread>("thread that called, as an index into `threads`"),
          field<&T::start>("begin of the call after that of the recording").measured_in("s", Best::neither),
          field<&T::seconds>("time of the call; 0 where a dry run skipped it"),
          field<&T::routine>("called routine"),
          field<&T::call>("the call with its arguments: \"dpotrf\", \"dpotrf(L, 100, 0x...)\""),
          field<&T::what_happened>("\"executed\", \"skipped\", \"executed blindly\", \"skipped blindly\"")};
}

template <>
Fields FieldTable<Recording>::fields() {
  return {optional_field<&T::file>(),
          optional_field<&T::bytes>("size of the file"),
          field<&T::command>(),
          field<&T::machine>(),
          field<&T::dry_run>(),
          field<&T::finished>("false if the recorder was killed or is still running"),
          field<&T::exit_code>("the program's own, or 128 plus the signal that ended it"),
          field<&T::seconds>("from start to end of the program"),
          optional_field<&T::cores_got>("CPU time of the program over its seconds; 0: not known"),
          optional_field<&T::other_cores>("cores that other programs kept busy meanwhile, on average"),
          optional_field<&T::own_code_seconds>(
              "time outside of BLAS and LAPACK in the thread with the longest time in calls: own code, and waiting"),
          field<&T::calls>(),
          optional_field<&T::skipped>("calls that a dry run skipped"),
          optional_field<&T::blind>("calls of a dry run whose operands were never computed"),
          optional_field<&T::routine_names>("number of routines, those with first calls only included"),
          field<&T::call_seconds>("time in all calls"),
          field<&T::first_calls>("calls in which a library starts, or memory is used for the first time; in no routine's sum"),
          optional_field<&T::faults>("defects of the recording"),
          field<&T::remarks>("how to read its times"),
          field<&T::dropped>(),
          field<&T::damaged>("pieces of the file that can't be read"),
          field<&T::missing_bytes>("bytes that are cut off the file's end"),
          field<&T::libraries>("files that define the called routines"),
          field<&T::processes>("processes that made calls"),
          field<&T::threads>("threads that made calls"),
          field<&T::routines>("routines by falling time, without first calls"),
          field<&T::events>("every call, if read_recording() was asked for them")};
}

template <>
Fields FieldTable<CallTotals>::fields() {
  return {
      field<&T::calls>("number of outermost calls"),
      optional_field<&T::skipped>("calls that a dry run skipped").measured_in("", Best::large),
      field<&T::seconds>("time of these calls. Threads that run at the same time add up"),
      field<&T::flops>("flops of calls that the catalogue describes"),
      optional_field<&T::rate_flops>("flops of the calls that the rate is about"),
      optional_field<&T::rate_seconds>("time of the calls that the rate is about"),
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
Fields FieldTable<ProgramProfile::Place>::fields() {
  return {field<&T::blas>(), field<&T::lapack>("LAPACK; empty: not known"), field<&T::cpu>(),
          field<&T::threads>("threads of BLAS; missing: not known"), field<&T::kernels>("kernels that BLAS had chosen; empty: not known")};
}

template <>
Fields FieldTable<ProgramProfile::Routine>::fields() {
  return {inherited_fields<ProgramProfile::Routine, CallTotals>(),
          field<&T::routine>("called routine; 'first calls' stands for calls in which a library started or memory was touched first"),
          field<&T::described>("false where only the routine's name is known")};
}

template <>
Fields FieldTable<ProgramProfile::Shape>::fields() {
  return {inherited_fields<ProgramProfile::Shape, CallTotals>(), field<&T::routine>("called routine"),
          field<&T::flags>("flags of the routine, such as \"NT\"; empty where only the name is known"),
          field<&T::first_calls>("the routine's first calls, which are kept apart"),
          field<&T::longest_seconds>("time of the longest call")};
}

template <>
Fields FieldTable<ProgramProfile::Thread>::fields() {
  return {inherited_fields<ProgramProfile::Thread, CallTotals>(), field<&T::pid>("number of the process"),
          field<&T::tid>("number of the thread"), field<&T::heaviest>("routine in which the thread spent most time")};
}

template <>
Fields FieldTable<ProgramProfile::Process>::fields() {
  return {inherited_fields<ProgramProfile::Process, CallTotals>(), field<&T::pid>("number of the process"),
          optional_field<&T::program>("file of the program; empty: not known"), field<&T::threads>("threads of the process that called")};
}

template <>
Fields FieldTable<ProgramProfile>::fields() {
  return {field<&T::command>(),
          optional_field<&T::started>("seconds since 1970; 0: not known"),
          field<&T::recorded>("where the program was recorded"),
          field<&T::dry_run>(),
          field<&T::finished>(),
          field<&T::damaged>(),
          field<&T::missing_bytes>(),
          field<&T::warnings>("remarks that the reader must know first"),
          field<&T::seconds>("time of the whole run"),
          optional_field<&T::own_code_seconds>(
              "time outside of BLAS and LAPACK in the thread with the longest time in calls; no answer includes it"),
          optional_field<&T::thread_count>("threads with calls, also those whose calls can't be read"),
          field<&T::all>(),
          field<&T::first_calls>(),
          field<&T::peak>(),
          field<&T::routines>("by falling time, as are shapes; without first calls"),
          field<&T::shapes>(),
          field<&T::threads>(),
          field<&T::processes>(),
          field<&T::what_if>()};
}

template <>
Fields FieldTable<RunOutcome::Routine>::fields() {
  return {field<&T::routine>("routine that asked for a block size"),
          field<&T::flags>("flags of the routine"),
          field<&T::queries>("ilaenv queries for the block size"),
          field<&T::smallest>("smallest order of the problems queried"),
          field<&T::largest>("largest order of the problems queried"),
          field<&T::returned>("largest block size returned"),
          field<&T::short_workspaces>("times that the program's workspace was too short for it"),
          field<&T::allowed>("least block size that such a workspace allowed; 0: not known"),
          field<&T::other_queries>("queries with options for which the profile has nothing"),
          field<&T::other_options>("options of the first such query"),
          field<&T::lapack>("library that made the queries or defines the routine; empty: none was seen"),
          field<&T::what_happened>("what happened to the routine, as a clause; empty if nobody asked")};
}

template <>
Fields FieldTable<RunOutcome>::fields() {
  return {field<&T::exit_code>("the program's own, or 128 plus the signal that ended it"),
          field<&T::processes>("processes into which the preloaded library was loaded"),
          field<&T::blas>("library that defined dgemm; empty: none was seen"),
          field<&T::settings>("variables for kernels that were set"),
          field<&T::routines>("in the order of the profile"),
          optional_field<&T::ended_by>("signal that ended the program, whose queries count up to then; empty: none did"),
          optional_field<&T::counted>("false if queries could not be counted, so that only exit code and settings are known")};
}

namespace {

/// The answers as a document of their own.
struct Answers {
  std::vector<WhatIfResult> answers;
};

}  // namespace

template <>
Fields FieldTable<Answers>::fields() {
  return {field<&T::answers>()};
}

}  // namespace flopcast

/// The sizes of a shape are an object {"m": [low, high], ...}; the interface of the routine gives their order.
template <>
struct nlohmann::adl_serializer<flopcast::ProgramProfile::Shape> {
  static void to_json(json& json, const flopcast::ProgramProfile::Shape& shape) {
    json = nlohmann::json::object();
    flopcast::write_fields(json, shape);
    nlohmann::json& sizes = json["sizes"] = nlohmann::json::object();
    for (const flopcast::SizeSpan& size : shape.sizes) {
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

std::string to_json(const std::vector<WhatIfResult>& results) { return to_document(Answers{results}, "flopcast-what-if-1").dump(2); }
std::vector<WhatIfResult> what_if_from_json(std::string_view text) {
  return from_document<Answers>(text, "what-if answers", "flopcast-what-if-1").answers;
}

std::string to_json(const RunOutcome& outcome) { return to_document(outcome, "flopcast-run-2").dump(2); }
RunOutcome run_outcome_from_json(std::string_view text) { return from_document<RunOutcome>(text, "run report", "flopcast-run-2"); }

std::vector<PublishedSchema> recording_schemas() {
  return {published<Recording>("flopcast-recording-1", "Contents of a recording"),
          published<ProgramProfile>("flopcast-program-profile-2", "Where a recorded program's time went"),
          published<Answers>("flopcast-what-if-1", "Predictions of a recorded program after changes"),
          published<RunOutcome>("flopcast-run-2", "Outcome of a program that ran with tuned block sizes"),
          program::profile_schema(),
          program::recording_document_schema()};
}

}  // namespace flopcast
