#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
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
struct FieldTable<Recording::Machine> {
  static constexpr auto fields =
      std::tuple(optional_field("cpu", &Recording::Machine::cpu), optional_field("cores", &Recording::Machine::cores, "0: not known"));
};

template <>
struct FieldTable<Recording::Process> {
  static constexpr auto fields = std::tuple(field("pid", &Recording::Process::pid), field("command", &Recording::Process::command));
};

template <>
struct FieldTable<Recording::Thread> {
  static constexpr auto fields = std::tuple(field("pid", &Recording::Thread::pid), field("tid", &Recording::Thread::tid));
};

template <>
struct FieldTable<Recording::Routine> {
  static constexpr auto fields = std::tuple(
      field("routine", &Recording::Routine::routine), field("calls", &Recording::Routine::calls),
      field("seconds", &Recording::Routine::seconds), field("skipped", &Recording::Routine::skipped, "calls that a dry run skipped"),
      field("blind", &Recording::Routine::blind, "calls of a dry run whose operands were never computed"),
      field("flops", &Recording::Routine::flops, "missing where only the routine's name is known"));
};

template <>
struct FieldTable<Recording::FirstCalls> {
  static constexpr auto fields =
      std::tuple(field("calls", &Recording::FirstCalls::calls), field("seconds", &Recording::FirstCalls::seconds));
};

template <>
struct FieldTable<Recording::Event> {
  static constexpr auto fields = std::tuple(
      field("thread", &Recording::Event::thread, "index into `threads`"),
      field("start", &Recording::Event::start, "since the recording began"),
      field("seconds", &Recording::Event::seconds, "0 where a dry run skipped the call"), field("routine", &Recording::Event::routine),
      field("call", &Recording::Event::call, "\"dpotrf\", \"dpotrf(L, 100, 0x...)\""),
      field("what_happened", &Recording::Event::what_happened, "\"executed\", \"skipped\", \"executed blindly\", \"skipped blindly\""));
};

template <>
struct FieldTable<Recording> {
  static constexpr auto fields =
      std::tuple(optional_field("file", &Recording::file), optional_field("bytes", &Recording::bytes, "size of the file"),
                 field("command", &Recording::command), field("machine", &Recording::machine), field("dry_run", &Recording::dry_run),
                 field("finished", &Recording::finished, "false if the recorder was killed or is still running"),
                 field("exit_code", &Recording::exit_code, "the program's own, or 128 plus the signal that ended it"),
                 field("seconds", &Recording::seconds, "from start to end of the program"),
                 optional_field("cores_got", &Recording::cores_got, "CPU time of the program over its seconds; 0: not known"),
                 optional_field("other_cores", &Recording::other_cores, "cores that other programs kept busy meanwhile, on average"),
                 optional_field("own_code_seconds", &Recording::own_code_seconds,
                                "time outside of BLAS and LAPACK in the thread with the longest time in calls: own code, and waiting"),
                 field("calls", &Recording::calls), optional_field("skipped", &Recording::skipped, "calls that a dry run skipped"),
                 optional_field("blind", &Recording::blind, "calls of a dry run whose operands were never computed"),
                 optional_field("routine_names", &Recording::routine_names, "number of routines, those with first calls only included"),
                 field("call_seconds", &Recording::call_seconds, "time in all calls"),
                 field("first_calls", &Recording::first_calls,
                       "calls in which a library starts, or memory is used for the first time; in no routine's sum"),
                 optional_field("faults", &Recording::faults, "defects of the recording"),
                 field("remarks", &Recording::remarks, "how to read its times"), field("dropped", &Recording::dropped),
                 field("damaged", &Recording::damaged, "pieces of the file that can't be read"),
                 field("missing_bytes", &Recording::missing_bytes, "bytes that are cut off the file's end"),
                 field("libraries", &Recording::libraries, "files that define the called routines"),
                 field("processes", &Recording::processes, "processes that made calls"),
                 field("threads", &Recording::threads, "threads that made calls"),
                 field("routines", &Recording::routines, "routines by falling time, without first calls"),
                 field("events", &Recording::events, "every call, if read_recording() was asked for them"));
};

namespace {

/// Members of CallTotals within a structure that is derived from it.
template <class Part>
constexpr auto totals_fields() {
  const auto in = [](auto CallTotals::*member) {
    return static_cast<std::remove_reference_t<decltype(CallTotals().*member)> Part::*>(member);
  };
  return std::tuple(field("calls", in(&CallTotals::calls)), optional_field("skipped", in(&CallTotals::skipped)),
                    field("seconds", in(&CallTotals::seconds)), field("flops", in(&CallTotals::flops)),
                    optional_field("rate_flops", in(&CallTotals::rate_flops)),
                    optional_field("rate_seconds", in(&CallTotals::rate_seconds)),
                    field("flops_per_second", in(&CallTotals::flops_per_second)), field("of_peak", in(&CallTotals::of_peak)));
}

}  // namespace

template <>
struct FieldTable<CallTotals> {
  static constexpr auto fields = totals_fields<CallTotals>();
};

template <>
struct FieldTable<PeakRate> {
  static constexpr auto fields =
      std::tuple(field("flops_per_second", &PeakRate::flops_per_second, "rate in double precision"),
                 field("what", &PeakRate::what, "\"the best dgemm of openblas 0.3.21 (kernels SkylakeX) with 1 thread\""));
};

template <>
struct FieldTable<ProgramProfile::Place> {
  static constexpr auto fields = std::tuple(
      field("blas", &ProgramProfile::Place::blas), field("lapack", &ProgramProfile::Place::lapack, "LAPACK; empty: not known"),
      field("cpu", &ProgramProfile::Place::cpu), field("threads", &ProgramProfile::Place::threads, "threads of BLAS; missing: not known"),
      field("kernels", &ProgramProfile::Place::kernels, "kernels that BLAS had chosen; empty: not known"));
};

template <>
struct FieldTable<ProgramProfile::Routine> {
  static constexpr auto fields =
      std::tuple_cat(totals_fields<ProgramProfile::Routine>(),
                     std::tuple(field("routine", &ProgramProfile::Routine::routine),
                                field("described", &ProgramProfile::Routine::described, "false where only the routine's name is known")));
};

template <>
struct FieldTable<ProgramProfile::Shape> {
  static constexpr auto fields = std::tuple_cat(
      totals_fields<ProgramProfile::Shape>(),
      std::tuple(field("routine", &ProgramProfile::Shape::routine),
                 field("flags", &ProgramProfile::Shape::flags, "\"NT\"; empty where only the name is known"),
                 field("first_calls", &ProgramProfile::Shape::first_calls, "the routine's first calls, which are kept apart"),
                 field("longest_seconds", &ProgramProfile::Shape::longest_seconds, "time of the longest call")));
};

template <>
struct FieldTable<ProgramProfile::Thread> {
  static constexpr auto fields =
      std::tuple_cat(totals_fields<ProgramProfile::Thread>(),
                     std::tuple(field("pid", &ProgramProfile::Thread::pid), field("tid", &ProgramProfile::Thread::tid),
                                field("heaviest", &ProgramProfile::Thread::heaviest, "routine in which the thread spent most time")));
};

template <>
struct FieldTable<ProgramProfile::Process> {
  static constexpr auto fields =
      std::tuple_cat(totals_fields<ProgramProfile::Process>(),
                     std::tuple(field("pid", &ProgramProfile::Process::pid),
                                optional_field("program", &ProgramProfile::Process::program, "file of the program; empty: not known"),
                                field("threads", &ProgramProfile::Process::threads)));
};

template <>
struct FieldTable<ProgramProfile> {
  static constexpr auto fields = std::tuple(
      field("command", &ProgramProfile::command), optional_field("started", &ProgramProfile::started, "seconds since 1970; 0: not known"),
      field("recorded", &ProgramProfile::recorded, "where the program was recorded"), field("dry_run", &ProgramProfile::dry_run),
      field("finished", &ProgramProfile::finished), field("damaged", &ProgramProfile::damaged),
      field("missing_bytes", &ProgramProfile::missing_bytes),
      field("warnings", &ProgramProfile::warnings, "remarks that the reader must know first"),
      field("seconds", &ProgramProfile::seconds, "time of the whole run"),
      optional_field("own_code_seconds", &ProgramProfile::own_code_seconds,
                     "time outside of BLAS and LAPACK in the thread with the longest time in calls; no answer includes it"),
      optional_field("thread_count", &ProgramProfile::thread_count, "threads with calls, also those whose calls can't be read"),
      field("all", &ProgramProfile::all), field("first_calls", &ProgramProfile::first_calls), field("peak", &ProgramProfile::peak),
      field("routines", &ProgramProfile::routines, "by falling time, as are shapes; without first calls"),
      field("shapes", &ProgramProfile::shapes), field("threads", &ProgramProfile::threads), field("processes", &ProgramProfile::processes),
      field("what_if", &ProgramProfile::what_if));
};

template <>
struct FieldTable<RunOutcome::Routine> {
  static constexpr auto fields = std::tuple(
      field("routine", &RunOutcome::Routine::routine), field("flags", &RunOutcome::Routine::flags),
      field("queries", &RunOutcome::Routine::queries, "ilaenv queries for the block size"),
      field("smallest", &RunOutcome::Routine::smallest, "smallest order of the problems queried"),
      field("largest", &RunOutcome::Routine::largest), field("returned", &RunOutcome::Routine::returned, "largest block size returned"),
      field("short_workspaces", &RunOutcome::Routine::short_workspaces, "times that the program's workspace was too short for it"),
      field("allowed", &RunOutcome::Routine::allowed, "least block size that such a workspace allowed; 0: not known"),
      field("other_queries", &RunOutcome::Routine::other_queries, "queries with options for which the profile has nothing"),
      field("other_options", &RunOutcome::Routine::other_options, "options of the first such query"),
      field("lapack", &RunOutcome::Routine::lapack, "library that made the queries or defines the routine; empty: none was seen"),
      field("what_happened", &RunOutcome::Routine::what_happened, "what happened to the routine, as a clause; empty if nobody asked"));
};

template <>
struct FieldTable<RunOutcome> {
  static constexpr auto fields = std::tuple(
      field("exit_code", &RunOutcome::exit_code, "the program's own, or 128 plus the signal that ended it"),
      field("processes", &RunOutcome::processes, "processes into which the preloaded library was loaded"),
      field("blas", &RunOutcome::blas, "library that defined dgemm; empty: none was seen"),
      field("settings", &RunOutcome::settings, "variables for kernels that were set"),
      field("routines", &RunOutcome::routines, "in the order of the profile"),
      optional_field("ended_by", &RunOutcome::ended_by, "signal that ended the program, whose queries count up to then; empty: none did"),
      optional_field("counted", &RunOutcome::counted,
                     "false if queries could not be counted, so that only exit code and settings are known"));
};

namespace {

/// The answers as a document of their own.
struct Answers {
  std::vector<WhatIfResult> answers;
};

}  // namespace

template <>
struct FieldTable<Answers> {
  static constexpr auto fields = std::tuple(field("answers", &Answers::answers));
};

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
Recording recording_from_json(std::string_view text) { return from_document<Recording>(text, "recording", {"flopcast-recording-1"}); }

std::string to_json(const ProgramProfile& profile) { return to_document(profile, "flopcast-program-profile-2").dump(2); }
ProgramProfile program_profile_from_json(std::string_view text) {
  return from_document<ProgramProfile>(text, "program profile", {"flopcast-program-profile-2"});
}

std::string to_json(const std::vector<WhatIfResult>& results) { return to_document(Answers{results}, "flopcast-what-if-1").dump(2); }
std::vector<WhatIfResult> what_if_from_json(std::string_view text) {
  return from_document<Answers>(text, "what-if answers", {"flopcast-what-if-1"}).answers;
}

std::string to_json(const RunOutcome& outcome) { return to_document(outcome, "flopcast-run-2").dump(2); }
RunOutcome run_outcome_from_json(std::string_view text) { return from_document<RunOutcome>(text, "run report", {"flopcast-run-2"}); }

std::vector<PublishedSchema> recording_schemas() {
  return {published<Recording>("flopcast-recording-1", "Contents of a recording"),
          published<ProgramProfile>("flopcast-program-profile-2", "Where a recorded program's time went"),
          published<Answers>("flopcast-what-if-1", "Predictions of a recorded program after changes"),
          published<RunOutcome>("flopcast-run-2", "Outcome of a program that ran with tuned block sizes"),
          program::profile_schema(),
          program::recording_document_schema()};
}

}  // namespace flopcast
