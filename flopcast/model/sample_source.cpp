#include "flopcast/model/sample_source.hpp"

#include <utility>

namespace flopcast::model {

SampleSource with_known(SampleSource source, std::map<Sizes, Seconds> known) {
  return [source = std::move(source), known = std::move(known)](std::span<const Sizes> points) -> std::optional<MeasuredBatch> {
    std::vector<Sizes> missing;
    for (const Sizes& point : points) {
      if (!known.contains(point)) {
        missing.push_back(point);
      }
    }
    std::optional<MeasuredBatch> fresh = missing.empty() ? MeasuredBatch{} : source(missing);
    if (!fresh) {
      return std::nullopt;
    }
    MeasuredBatch all;
    all.spent = fresh->spent;
    std::size_t next = 0;
    for (const Sizes& point : points) {
      const auto at = known.find(point);
      all.seconds.push_back(at != known.end() ? at->second : fresh->seconds.at(next++));
    }
    return all;
  };
}

}  // namespace flopcast::model
