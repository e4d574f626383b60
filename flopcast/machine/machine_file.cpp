#include "flopcast/machine/machine_file.hpp"

#include "flopcast/machine/machine_file_json.hpp"

#include <fstream>
#include <vector>

#include "flopcast/core/environment_json.hpp"
#include "flopcast/machine/caches/shared_bandwidth_json.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/support/user_folders.hpp"
#include "flopcast/support/whole_file.hpp"

namespace flopcast::machine {
namespace {

namespace fs = std::filesystem;

constexpr const char* schema = "flopcast-measured-machine-1";

nlohmann::json curve_to_json(const std::vector<CurvePoint>& curve) {
  nlohmann::json json = nlohmann::json::array();
  for (const CurvePoint& point : curve) {
    json.push_back({point.x, point.y});
  }
  return json;
}

std::vector<CurvePoint> curve_from_json(const nlohmann::json& json) {
  std::vector<CurvePoint> curve;
  for (const nlohmann::json& point : json) {
    curve.push_back({element<double>(point, 0), element<double>(point, 1)});
  }
  return curve;
}

std::vector<nlohmann::json> patterns_to_json(const std::vector<PatternCapacities>& patterns) {
  std::vector<nlohmann::json> json;
  json.reserve(patterns.size());
  for (const PatternCapacities& level : patterns) {
    json.push_back(
        {{"stream_bytes", level.stream}, {"parallel_chase_bytes", level.parallel_chase}, {"serial_chase_bytes", level.serial_chase}});
  }
  return json;
}

std::vector<PatternCapacities> patterns_from_json(const nlohmann::json& json) {
  std::vector<PatternCapacities> patterns;
  for (const nlohmann::json& level : json) {
    patterns.push_back({member<std::int64_t>(level, "stream_bytes"), member<std::int64_t>(level, "parallel_chase_bytes"),
                        member<std::int64_t>(level, "serial_chase_bytes")});
  }
  return patterns;
}

}  // namespace

void to_json(nlohmann::json& json, const MachineMeasurement& measurement) {
  json = {{"schema", schema},
          {"cpu", measurement.cpu},
          {"quick", measurement.quick},
          {"busy_cores", measurement.busy_cores},
          {"huge_pages", measurement.sweep.huge_pages},
          {"triad", curve_to_json(measurement.sweep.triad)},
          {"chase", curve_to_json(measurement.sweep.chase)},
          {"parallel_chase", curve_to_json(measurement.sweep.parallel_chase)},
          {"levels", measurement.hierarchy.levels},
          {"patterns", patterns_to_json(measurement.hierarchy.patterns)},
          {"memory_bandwidth", measurement.hierarchy.memory_bandwidth},
          {"memory_latency_seconds", measurement.hierarchy.memory_latency},
          {"peaks", measurement.peaks},
          {"peak_moments", measurement.peak_moments},
          {"dgemm_rates", measurement.dgemm_rates}};
  if (measurement.bandwidth_shares) {
    json["bandwidth_shares"] = *measurement.bandwidth_shares;
  }
}

void from_json(const nlohmann::json& json, MachineMeasurement& measurement) {
  if (json.at("schema") != schema) {
    throw MemberError("schema", fmt::format("{} given, expected \"{}\"", shown(json.at("schema")), schema));
  }
  read_member(json, "cpu", measurement.cpu);
  read_member(json, "quick", measurement.quick);
  read_member(json, "huge_pages", measurement.sweep.huge_pages);
  measurement.sweep.triad = curve_from_json(json.at("triad"));
  measurement.sweep.chase = curve_from_json(json.at("chase"));
  if (json.contains("parallel_chase")) {
    measurement.sweep.parallel_chase = curve_from_json(json.at("parallel_chase"));
    measurement.hierarchy.patterns = patterns_from_json(json.at("patterns"));
  }
  read_member(json, "levels", measurement.hierarchy.levels);
  read_member(json, "memory_bandwidth", measurement.hierarchy.memory_bandwidth);
  read_member(json, "memory_latency_seconds", measurement.hierarchy.memory_latency);
  read_member(json, "peaks", measurement.peaks);
  measurement.peak_moments = member_or(json, "peak_moments", measurement.peak_moments);  // files of earlier versions lack these
  measurement.dgemm_rates = member_or(json, "dgemm_rates", measurement.dgemm_rates);
  measurement.busy_cores = member_or(json, "busy_cores", measurement.busy_cores);
  if (json.contains("bandwidth_shares")) {
    measurement.bandwidth_shares = member<std::vector<BandwidthShare>>(json, "bandwidth_shares");
  }
}

fs::path machine_directory() { return user_cache_folder("measurements of this machine"); }

std::optional<MachineMeasurement> read_measurement(const fs::path& file) {
  std::ifstream stream(file);
  if (!stream) {
    return std::nullopt;
  }
  try {
    return nlohmann::json::parse(stream).get<MachineMeasurement>();
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void write_measurement(const fs::path& file, const MachineMeasurement& measurement) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  try {
    if (error) {
      throw environment_error("cannot make '{}': {}", file.parent_path().string(), error.message());
    }
    replace_file(file.string(), nlohmann::json(measurement).dump(1) + '\n');
  } catch (const Error& failure) {
    throw environment_error("{}; FLOPCAST_HOME names another directory for it", failure.what());
  }
}

}  // namespace flopcast::machine
