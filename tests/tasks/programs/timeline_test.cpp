#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "flopcast/support/exception.hpp"
#include "flopcast/tasks/programs/program_schemas.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "flopcast/tasks/programs/recorded_timeline.hpp"
#include "tests/kernel/plain_call.hpp"
#include "tests/message_of.hpp"
#include "tests/own_folder.hpp"
#include "tests/program/program_in_memory.hpp"
#include "tests/program/recording_file.hpp"
#include "tests/schema_check.hpp"
#include "tests/trace_event_rules.hpp"

namespace flopcast {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using tests::TraceEventRules;

/// Returns a call from its thread and its begin and end in nanoseconds.
Timeline::Event timed_call(std::uint32_t thread, std::int64_t begin, std::int64_t end) {
  return {"X", "dgemm", "", static_cast<double>(begin) / 1000, static_cast<double>(end - begin) / 1000, 1, thread, {}};
}

struct CallSpan {
  std::int64_t begin = 0, end = 0;
};
CallSpan span_of(const Timeline::Event& call) {
  const std::int64_t begin = std::llround(1000 * call.start_microseconds.value());
  return {begin, begin + std::llround(1000 * call.microseconds.value())};
}

TEST(NestedCalls, ContainOneAnotherOrFollowOneAnother) {
  std::vector<Timeline::Event> calls = {
      timed_call(1, 0, 100),   timed_call(2, 50, 150),  timed_call(1, 100, 200),   // they may touch
      timed_call(1, 199, 300),                                                     // begins a little too early
      timed_call(1, 199, 250),                                                     // within the one before
      timed_call(1, 310, 400), timed_call(1, 320, 360), timed_call(1, 330, 361)};  // ends a little too late
  nest(calls);
  std::vector<std::string> texts;
  for (const Timeline::Event& one : calls) {
    texts.push_back(fmt::format("{}: {} to {}", one.tid, span_of(one).begin, span_of(one).end));
  }
  EXPECT_THAT(texts, ElementsAre("1: 0 to 100", "2: 50 to 150", "1: 100 to 200", "1: 200 to 300", "1: 200 to 250", "1: 310 to 400",
                                 "1: 320 to 360", "1: 330 to 360"));
}

TEST(NestedCalls, AreNestedWhateverTheTimes) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Timeline::Event> calls;
    for (int i = 0; i < 8; ++i) {
      const auto begin = static_cast<std::int64_t>(random() % 20);
      calls.push_back(timed_call(1 + random() % 2, begin, begin + static_cast<std::int64_t>(random() % 10)));
    }
    std::sort(calls.begin(), calls.end(), [](const auto& a, const auto& b) {
      return std::pair(a.start_microseconds, b.microseconds) < std::pair(b.start_microseconds, a.microseconds);
    });
    nest(calls);
    for (const Timeline::Event& one : calls) {
      for (const Timeline::Event& other : calls) {
        const CallSpan a = span_of(one), b = span_of(other);
        const bool apart = a.end <= b.begin || b.end <= a.begin;
        const bool within = (a.begin <= b.begin && b.end <= a.end) || (b.begin <= a.begin && a.end <= b.end);
        EXPECT_LE(a.begin, a.end);
        EXPECT_TRUE(one.tid != other.tid || apart || within)
            << "round " << round << ": " << a.begin << " to " << a.end << ", " << b.begin << " to " << b.end;
      }
    }
  }
}

/// A recording that tests make call by call, in process 100 with the threads 100 and 101.
class Timelines : public ::testing::Test {
 protected:
  Timelines() {
    trace_.summary.finished = true;
    trace_.summary.loaded = 1;
    trace_.summary.command = {"/home/ada/bin/solve", "secret"};
    trace_.summary.machine.cpu = "a CPU";
    trace_.summary.threads = {{100, 100}, {100, 101}};
    trace_.summary.names = {"dgemm", "dpotrf", "cblas_dgemm_batch", "older_routine", "dgemm (/home/ada/lib/libown.so)"};
    trace_.summary.name_libraries = {"", "", "", "", "/home/ada/lib/libown.so"};
    trace_.summary.libraries = {"/home/ada/lib/libown.so"};
    trace_.events.resize(2);
  }

  program::ProgramEvent& add(std::size_t thread, std::uint32_t name, Seconds start, Seconds seconds) {
    program::ProgramEvent& event = trace_.events[thread].emplace_back();
    event.name = name;
    event.start = start;
    event.seconds = seconds;
    return event;
  }

  [[nodiscard]] Timeline timeline() const { return timeline_of(program::ProgramInMemory(trace_), request_, context_); }
  static std::vector<Timeline::Event> calls(const Timeline& timeline) {
    std::vector<Timeline::Event> all;
    std::copy_if(timeline.events.begin(), timeline.events.end(), std::back_inserter(all),
                 [](const Timeline::Event& event) { return event.phase == "X"; });
    return all;
  }
  /// Returns the starts of the calls, in whole microseconds.
  static std::set<std::int64_t> starts(const Timeline& timeline) {
    std::set<std::int64_t> all;
    for (const Timeline::Event& event : calls(timeline)) {
      all.insert(std::llround(event.start_microseconds.value()));
    }
    return all;
  }

  program::ProgramTrace trace_;
  TimelineRequest request_;
  RunContext context_;
};

TEST_F(Timelines, HaveTheArgumentsOfEachCall) {
  add(0, 0, 1e-6, 2e-6).call = kernel::call("dgemm", {'N', 'T', 10, 20, 30, 0x1000, 10, 0x9000, 20, 0x20000, 10});
  add(1, 1, 4.5e-6, 1e-6).call = kernel::call("dpotrf", {'L', 8, 0x1000, 8});
  add(1, 2, 7e-6, 1e-6);
  add(1, 3, 8e-6, 1e-6);
  add(1, 4, 9e-6, 1e-6);
  const std::vector<Timeline::Event> all = calls(timeline());
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[0].name, "dgemm");
  EXPECT_EQ(all[0].category, "blas");
  EXPECT_EQ(all[0].start_microseconds, 1);
  EXPECT_EQ(all[0].microseconds, 2);
  EXPECT_EQ(all[0].tid, 100U);
  EXPECT_EQ(all[0].arguments.flags, "NT");
  EXPECT_EQ(all[0].arguments.sizes, (std::map<std::string, std::int64_t>{{"m", 10}, {"n", 20}, {"k", 30}}));
  EXPECT_EQ(all[0].arguments.flops, flops(trace_.events[0][0].call));
  EXPECT_DOUBLE_EQ(all[0].arguments.flops_per_second, all[0].arguments.flops / 2e-6);
  EXPECT_EQ(all[1].category, "lapack");
  EXPECT_EQ(all[1].start_microseconds, 4.5);
  EXPECT_EQ(all[1].tid, 101U);
  EXPECT_EQ(all[2].category, "blas");
  EXPECT_EQ(all[2].arguments, Timeline::Arguments());
  EXPECT_EQ(all[3].category, "other");
  EXPECT_EQ(all[4].arguments.library, "/home/ada/lib/libown.so");
}

TEST_F(Timelines, TellBlasFromLapack) {
  trace_.summary.names.clear();
  for (const Routine& routine : kernel::catalogue()) {
    add(0, static_cast<std::uint32_t>(trace_.summary.names.size()), 1e-6 * static_cast<double>(trace_.summary.names.size()), 1e-7);
    trace_.summary.names.push_back(routine.name);
  }
  std::set<std::string> blas;
  for (const Timeline::Event& event : calls(timeline())) {
    if (event.category == "blas") {
      blas.insert(kernel::require(event.name).family);
    }
  }
  EXPECT_THAT(blas, ::testing::UnorderedElementsAreArray(
                        {"asum", "axpy",  "copy",  "dot",  "dotc", "dotu",   "dsdot", "gbmv", "gemm", "gemv", "ger",   "gerc", "geru",
                         "hbmv", "hemm",  "hemv",  "her",  "her2", "her2k",  "herk",  "hpmv", "hpr",  "hpr2", "iamax", "nrm2", "rot",
                         "rotg", "rotm",  "rotmg", "sbmv", "scal", "sdsdot", "spmv",  "spr",  "spr2", "swap", "symm",  "symv", "syr",
                         "syr2", "syr2k", "syrk",  "tbmv", "tbsv", "tpmv",   "tpsv",  "trmm", "trmv", "trsm", "trsv"}));
}

TEST_F(Timelines, NameTheProcessesAndThreadsThatTheyShow) {
  trace_.summary.threads.push_back({200, 201});
  trace_.summary.processes = {{200, {"/usr/bin/worker", "1"}}};
  trace_.events.resize(3);
  add(0, 0, 0, 1e-6);
  add(2, 0, 0, 1e-6);
  std::vector<std::string> names;
  for (const Timeline::Event& event : timeline().events) {
    if (event.phase == "M") {
      names.push_back(event.name + ' ' + std::to_string(event.pid) + ' ' + std::to_string(event.tid) + ": " + event.arguments.name);
    }
  }
  EXPECT_THAT(names, ElementsAre("process_name 100 100: /home/ada/bin/solve", "thread_name 100 100: main thread",
                                 "process_name 200 201: /usr/bin/worker", "thread_name 200 201: thread 201"));
}

TEST_F(Timelines, ShowSkippedCallsOfADryRun) {
  trace_.summary.dry_run = true;
  program::ProgramEvent& event = add(0, 0, 1e-6, 0);
  event.call = kernel::call("dgemm", {'N', 'N', 10, 10, 10, 0x1000, 10, 0x9000, 10, 0x20000, 10});
  event.treatment = protocol::Treatment::skipped;
  event.skipping = 3e-6;
  const Timeline all = timeline();
  EXPECT_TRUE(all.about.dry_run);
  EXPECT_EQ(calls(all)[0].microseconds, 3);
  EXPECT_TRUE(calls(all)[0].arguments.skipped);
  EXPECT_EQ(calls(all)[0].arguments.flops_per_second, 0);
}

/// Adds 1000 calls to two threads, one every 10 microseconds. The call number i takes i mod 97 + 1 nanoseconds, but for 59 calls that take
/// 5 to 9 microseconds.
class SampledTimelines : public Timelines {
 protected:
  SampledTimelines() {
    for (std::int64_t i = 0; i < 1000; ++i) {
      const bool is_long = i % 17 == 3;
      const Seconds seconds = is_long ? (5 + static_cast<double>(i % 5)) * 1e-6 : static_cast<double>(i % 97 + 1) * 1e-9;
      add(static_cast<std::size_t>(i % 2), 0, 1e-5 * static_cast<double>(i), seconds);
      all_seconds_ += seconds;
      if (is_long) {
        long_.insert(10 * i);
      }
    }
  }

  std::set<std::int64_t> long_;  ///< starts of the long calls, in microseconds
  Seconds all_seconds_ = 0;
};

TEST_F(SampledTimelines, KeepTheLongestCallsAndSomeOfTheOthers) {
  request_.max_events = 120;
  const Timeline all = timeline();
  ASSERT_EQ(long_.size(), 59U);
  const std::set<std::int64_t> shown = starts(all);
  EXPECT_EQ(shown.size(), 120U);
  EXPECT_TRUE(std::includes(shown.begin(), shown.end(), long_.begin(), long_.end()));
  EXPECT_EQ(all.about.calls, 1000);
  EXPECT_EQ(all.about.omitted, 880);
  Seconds kept = 0;
  for (const Timeline::Event& event : calls(all)) {
    kept += 1e-6 * event.microseconds.value();
  }
  EXPECT_NEAR(all.about.omitted_seconds, all_seconds_ - kept, 1e-12);
  EXPECT_EQ(TraceEventRules::violation(json::parse(to_json(all))), "");
}

TEST_F(SampledTimelines, DependOnTheSeedAlone) {
  request_.max_events = 100;
  const Timeline first = timeline();
  EXPECT_EQ(timeline(), first);
  request_.seed = 2;
  EXPECT_NE(starts(timeline()), starts(first));
}

TEST_F(SampledTimelines, HaveExactlyAsManyCallsAsAreAllowed) {
  for (const std::int64_t most : {1, 2, 3, 999, 1000, 1001}) {
    request_.max_events = most;
    const Timeline some = timeline();
    EXPECT_EQ(std::ssize(starts(some)), std::min<std::int64_t>(most, 1000));
    EXPECT_EQ(some.about.omitted, std::max<std::int64_t>(0, 1000 - most));
    EXPECT_EQ(some.about.omitted_seconds == 0, most >= 1000);
  }
}

TEST_F(Timelines, SampleEveryShortCallEquallyOften) {
  request_.max_events = 2;
  for (int i = 0; i < 6; ++i) {
    add(0, 0, 1e-5 * i, i == 2 ? 5e-6 : (1 + i % 3) * 1e-6);
  }
  std::map<std::int64_t, int> often;
  for (request_.seed = 1; request_.seed <= 2000; ++request_.seed) {
    for (const std::int64_t start : starts(timeline())) {
      ++often[start];
    }
  }
  ASSERT_EQ(often.size(), 6U);
  for (const auto& [start, times] : often) {
    EXPECT_NEAR(times, start == 20 ? 2000 : 400, start == 20 ? 0 : 100) << start;
  }
}

TEST_F(Timelines, AnonymousOnesHaveNoFoldersAndNoArguments) {
  add(0, 4, 0, 1e-6);
  EXPECT_THAT(to_json(timeline()), AllOf(HasSubstr("/home/ada/bin/solve"), HasSubstr("secret")));
  request_.anonymous = true;
  const std::string text = to_json(timeline());
  EXPECT_THAT(text, AllOf(Not(HasSubstr("ada")), Not(HasSubstr("secret")), HasSubstr("libown.so"), HasSubstr(R"("solve")")));
}

TEST_F(Timelines, AreReadBackAndFollowTheRulesOfTheFormat) {
  add(0, 0, 1e-6, 2e-6).call = kernel::call("dgemm", {'N', 'T', 10, 20, 30, 0x1000, 10, 0x9000, 20, 0x20000, 10});
  add(0, 1, 2.999e-6, 1e-6);  // begins a nanosecond too early
  add(1, 3, 0, 5e-6);
  const Timeline all = timeline();
  const std::string text = to_json(all);
  EXPECT_THAT(text, StartsWith(R"({"displayTimeUnit": "ns", "traceEvents": [)"));
  EXPECT_EQ(TraceEventRules::violation(json::parse(text)), "");
  EXPECT_EQ(timeline_from_json(text), all);
  EXPECT_EQ(tests::schema_violation(text, std::array{timeline_schema()}), "");
  trace_.events = {{}, {}};
  const Timeline none = timeline();
  EXPECT_TRUE(none.events.empty());
  EXPECT_EQ(timeline_from_json(to_json(none)), none);
}

TEST(TraceEventRules, FindWhatViewersDrop) {
  const auto fault_with = [](const char* events) {
    return TraceEventRules::violation(json::parse(std::string(R"({"displayTimeUnit": "ns", "traceEvents": [
        {"ph": "M", "name": "process_name", "pid": 1, "tid": 1, "args": {"name": "p"}},
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "t"}},)") +
                                                  events + "]}"));
  };
  EXPECT_EQ(fault_with(R"({"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 0, "dur": 1, "args": {}})"), "");
  EXPECT_THAT(fault_with(R"({"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 0, "dur": -1, "args": {}})"), HasSubstr("negative"));
  EXPECT_THAT(fault_with(R"({"ph": "X", "name": "a", "pid": 1, "tid": 2, "ts": 0, "dur": 1, "args": {}})"), HasSubstr("has no name"));
  EXPECT_THAT(fault_with(R"({"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 5, "dur": 1, "args": {}},
                            {"ph": "X", "name": "b", "pid": 1, "tid": 1, "ts": 4, "dur": 1, "args": {}})"),
              HasSubstr("before the event above"));
  EXPECT_THAT(fault_with(R"({"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 0, "dur": 5, "args": {}},
                            {"ph": "X", "name": "b", "pid": 1, "tid": 1, "ts": 4, "dur": 1.001, "args": {}})"),
              HasSubstr("ends after it"));
}

TEST_F(Timelines, StopWhenCancelled) {
  add(0, 0, 0, 1e-6);
  context_.cancelled = [] { return true; };
  EXPECT_THROW(timeline(), Cancelled);
}

TEST(ExportedTimelines, SayWhatIsMissing) {
  const tests::OwnFolder folder;
  TimelineRequest request{(folder.path() / "trace").string()};
  program::Contents records;
  for (const std::uint64_t start : {0, 100, 200}) {
    program::put_dpotrf(records, start, 4, 0x1000, 50);
  }
  program::File file;
  file.add(protocol::ChunkKind::sealed, 0, 0, 0, records);
  std::ofstream(request.recording, std::ios::binary)
      .write(reinterpret_cast<const char*>(file.bytes().data()), static_cast<std::streamsize>(file.size()));
  std::vector<std::string> notes;
  RunContext context;
  context.note = [&](const std::string& text) { notes.push_back(text); };
  request.max_events = 2;
  const Timeline timeline = export_timeline(request, context);
  EXPECT_EQ(timeline.about.omitted, 1);
  EXPECT_THAT(notes, ::testing::Contains(HasSubstr("the timeline lacks 1 of 3 calls")));
  EXPECT_EQ(TraceEventRules::violation(json::parse(to_json(timeline))), "");
  request.recording += ".missing";
  EXPECT_THAT(tests::message_of([&] { export_timeline(request, context); }), HasSubstr("can't read"));
}

}  // namespace
}  // namespace flopcast
