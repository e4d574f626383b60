#include "flopcast/preload/mpi/results.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "flopcast/preload/mpi/process_values.hpp"

namespace flopcast::preload::mpi {
namespace {

constexpr int token_tag = 3;
constexpr int kernels_tag = 4;
constexpr int regions_tag = 5;

/// The walk back along the critical path in this process's parts.
class PathWalk {
 public:
  PathWalk(int rank, const path::CriticalPath& path, selective::KernelTable& kernels, const std::function<Seconds(std::uint32_t)>& estimate,
           TimelineBins* timeline, TimelineEvents* parts)
      : rank_(rank),
        path_(path),
        kernels_(kernels),
        estimate_(estimate),
        timeline_(timeline),
        parts_(parts),
        estimates_(kernels.kernels().size(), -1) {}

  /// Counts the kernels from `end` back to where another process's part begins, and moves `end` there, or to `finished` at the begin of the
  /// program.
  void walk_back(PathEnd& end, const path::LogCursor& finished) {
    const auto visit = [this](const path::EventLog::Step& step) { count(step); };
    while (end.place.rank == rank_) {
      const std::optional<path::EventLog::Jump> jump = path_.log().walk(end.place.position, visit);
      end_region();
      const PathEnd before = jump ? PathEnd{jump->place, jump->time} : PathEnd{finished, 0};
      if (timeline_ != nullptr) {
        timeline_->add(Activity::on_path, before.time, end.time);
        parts_->add(before.time, std::max(end.time - before.time, 0.0), path::EventLog::own_code);
      }
      end = before;
    }
  }
  [[nodiscard]] const PathParts& found() const noexcept { return found_; }

 private:
  void count(const path::EventLog::Step& step) {
    const auto [kernel, seconds, estimated, is_part] = step;
    if (kernel == path::EventLog::own_code) {
      found_.own_code += seconds;
      return;
    }
    if (kernels_[kernel].key.kind == selective::KernelKind::region) {
      count_region(step);
      return;
    }
    if (estimated && estimates_[kernel] < 0) {
      estimates_[kernel] = estimate_(kernel);
    }
    const Seconds better = estimated && estimates_[kernel] > 0 ? estimates_[kernel] : seconds;
    kernels_[kernel].along.add(better);
    found_.kernels += better;
    const bool communicates = kernels_[kernel].key.kind == selective::KernelKind::communication;
    found_.correction += {
        .time = better - seconds, .computation = communicates ? 0 : better - seconds, .communication = communicates ? better - seconds : 0};
  }

  /// Counts a part of an execution of a region. Its last part comes first.
  void count_region(const path::EventLog::Step& step) {
    if (!step.is_part || !region_ || region_->kernel != step.kernel) {
      end_region();
      region_ = {.kernel = step.kernel};
    }
    region_->seconds += step.seconds;
  }
  /// Counts the latest execution of a region, as far as it is on the path, as one.
  void end_region() {
    if (region_) {
      kernels_[region_->kernel].along.add(region_->seconds);
      found_.kernels += region_->seconds;
      region_.reset();
    }
  }

  int rank_;
  const path::CriticalPath& path_;
  selective::KernelTable& kernels_;
  const std::function<Seconds(std::uint32_t)>& estimate_;
  TimelineBins* timeline_;
  TimelineEvents* parts_;
  PageVector<Seconds> estimates_;  ///< the latest of each kernel; negative: not asked for yet
  PathParts found_;
  std::optional<path::EventLog::Step> region_;  ///< the sum of the parts of an execution
};

}  // namespace

PathParts visit_critical_path(MPI_Comm world, const path::CriticalPath& path, const PathEnd& end, selective::KernelTable& kernels,
                              const std::function<Seconds(std::uint32_t)>& estimate, TimelineBins* timeline, TimelineEvents* parts) {
  const int rank = rank_in(world), size = processes_in(world);
  PathWalk walk(rank, path, kernels, estimate, timeline, parts);
  const path::LogCursor finished{-1, 0};
  PathEnd token = end;
  bool mine = token.place.rank == rank;
  for (;;) {
    if (!mine) {
      PMPI_Recv(&token, static_cast<int>(sizeof token), MPI_BYTE, MPI_ANY_SOURCE, token_tag, world, MPI_STATUS_IGNORE);
      if (token.place == finished) {
        return walk.found();
      }
    }
    walk.walk_back(token, finished);
    mine = false;
    if (token.place != finished) {
      PMPI_Send(&token, static_cast<int>(sizeof token), MPI_BYTE, token.place.rank, token_tag, world);
      continue;
    }
    for (int other = 0; other < size; ++other) {
      if (other != rank) {
        PMPI_Send(&token, static_cast<int>(sizeof token), MPI_BYTE, other, token_tag, world);
      }
    }
    return walk.found();
  }
}

void collect_kernels(MPI_Comm world, selective::KernelTable& kernels) {
  collect(world, kernels_tag, kernels.kernels(), [&kernels](const selective::KernelRecord& kernel) { kernels.merge(kernel); });
}

void collect_region_names(MPI_Comm world, RegionNames& regions) {
  std::vector<RegionName> mine;
  for (const auto& [number, name] : regions.all()) {
    mine.push_back(name);
  }
  collect(world, regions_tag, mine, [&regions](const RegionName& name) { regions.add(name); });
}

}  // namespace flopcast::preload::mpi
