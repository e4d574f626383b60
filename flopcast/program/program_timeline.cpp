#include "flopcast/program/program_timeline.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace flopcast::program {
namespace {

/// Sets the begin of the first call and the end of the last one.
void find_extent(const RecordedProgram& program, ProgramTimeline& timeline) {
  timeline.begin = std::numeric_limits<Seconds>::infinity();
  for (std::size_t t = 0; t < program.summary().threads.size(); ++t) {
    program.visit(t, [&](const ProgramEvent& event) {
      timeline.begin = std::min(timeline.begin, event.start);
      timeline.end = std::max(timeline.end, event.start + event.seconds);
    });
  }
  timeline.begin = std::min(timeline.begin, timeline.end);
}

void spread(const ProgramEvent& event, std::size_t series, const ProgramTimeline& timeline, std::vector<std::vector<double>>& bins) {
  const double width = (timeline.end - timeline.begin) / static_cast<double>(bins.size());
  if (width <= 0) {
    return;
  }
  const double from = (event.start - timeline.begin) / width;
  const double to = (event.start + event.seconds - timeline.begin) / width;
  for (auto bin = static_cast<std::size_t>(from); bin < bins.size() && static_cast<double>(bin) < to; ++bin) {
    const double low = std::max(from, static_cast<double>(bin));
    const double high = std::min(to, static_cast<double>(bin + 1));
    bins[bin][series] += high - low;
  }
}

}  // namespace

ProgramTimeline program_timeline(const RecordedProgram& program, const ProgramBreakdown& breakdown, std::size_t bins,
                                 std::size_t max_routines) {
  ProgramTimeline timeline;
  find_extent(program, timeline);
  std::map<std::uint32_t, std::size_t> series;
  for (const RoutineSum& routine : breakdown.routines()) {
    if (timeline.routines.size() < max_routines) {
      series[routine.name] = timeline.routines.size();
      timeline.routines.push_back(program.summary().names[routine.name]);
    }
  }
  const std::size_t others = timeline.routines.size();
  for (std::size_t t = 0; t < program.summary().threads.size(); ++t) {
    std::vector<std::vector<double>> of_thread(bins, std::vector<double>(others + 1, 0.0));
    program.visit(t, [&](const ProgramEvent& event) {
      const auto at = series.find(event.name);
      spread(event, at == series.end() ? others : at->second, timeline, of_thread);
    });
    timeline.busy.push_back(std::move(of_thread));
  }
  return timeline;
}

}  // namespace flopcast::program
