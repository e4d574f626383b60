#include "flopcast/machine/machine_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

#include "flopcast/core/error.hpp"

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
    curve.push_back({point.at(0).get<double>(), point.at(1).get<double>()});
  }
  return curve;
}

std::vector<nlohmann::json> patterns_to_json(const std::vector<PatternCapacities>& patterns) {
  std::vector<nlohmann::json> json;
  for (const PatternCapacities& level : patterns) {
    json.push_back(
        {{"stream_bytes", level.stream}, {"parallel_chase_bytes", level.parallel_chase}, {"serial_chase_bytes", level.serial_chase}});
  }
  return json;
}

std::vector<PatternCapacities> patterns_from_json(const nlohmann::json& json) {
  std::vector<PatternCapacities> patterns;
  for (const nlohmann::json& level : json) {
    patterns.push_back({level.at("stream_bytes").get<std::int64_t>(), level.at("parallel_chase_bytes").get<std::int64_t>(),
                        level.at("serial_chase_bytes").get<std::int64_t>()});
  }
  return patterns;
}

std::optional<fs::path> directory_in(const char* variable, std::string_view below) {
  const char* value = std::getenv(variable);
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional(fs::path(value) / below);
}

/// Writes and syncs; false with errno set if that fails.
bool write_all(const fs::path& file, std::string_view text) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    return false;
  }
  bool good = true;
  while (good && !text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    good = written > 0 || (written < 0 && errno == EINTR);
    text.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
  }
  good = good && fsync(descriptor) == 0;
  return close(descriptor) == 0 && good;
}

}  // namespace

void to_json(nlohmann::json& json, const MachineMeasurement& measurement) {
  json = {{"schema", schema},
          {"cpu", measurement.cpu},
          {"quick", measurement.quick},
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
    throw bad_input("schema '{}' of a measured machine; expected '{}'", json.at("schema").dump(), schema);
  }
  json.at("cpu").get_to(measurement.cpu);
  json.at("quick").get_to(measurement.quick);
  json.at("huge_pages").get_to(measurement.sweep.huge_pages);
  measurement.sweep.triad = curve_from_json(json.at("triad"));
  measurement.sweep.chase = curve_from_json(json.at("chase"));
  if (json.contains("parallel_chase")) {
    measurement.sweep.parallel_chase = curve_from_json(json.at("parallel_chase"));
    measurement.hierarchy.patterns = patterns_from_json(json.at("patterns"));
  }
  json.at("levels").get_to(measurement.hierarchy.levels);
  json.at("memory_bandwidth").get_to(measurement.hierarchy.memory_bandwidth);
  json.at("memory_latency_seconds").get_to(measurement.hierarchy.memory_latency);
  json.at("peaks").get_to(measurement.peaks);
  measurement.peak_moments = json.value("peak_moments", measurement.peak_moments);  // files of earlier versions lack these
  measurement.dgemm_rates = json.value("dgemm_rates", measurement.dgemm_rates);
  if (json.contains("bandwidth_shares")) {
    measurement.bandwidth_shares = json.at("bandwidth_shares").get<std::vector<BandwidthShare>>();
  }
}

std::string library_key(const LibraryIdentity& identity) {
  const std::string width = identity.integer_bytes == 4 ? "" : fmt::format(" {}-byte integers", identity.integer_bytes);
  return identity.digest + ' ' + identity.version + ' ' + identity.kernels + width;
}

fs::path machine_directory() {
  for (const auto& [variable, below] : {std::pair("FLOPCAST_HOME", ""), {"XDG_CACHE_HOME", "flopcast"}, {"HOME", ".cache/flopcast"}}) {
    if (const auto directory = directory_in(variable, below)) {
      return *directory;
    }
  }
  throw environment_error("nowhere to keep what is measured of this machine: none of FLOPCAST_HOME, XDG_CACHE_HOME and HOME is set");
}

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
  const fs::path temporary = file.string() + fmt::format(".{}.tmp", getpid());
  const bool written =
      !error && write_all(temporary, nlohmann::json(measurement).dump(1) + '\n') && rename(temporary.c_str(), file.c_str()) == 0;
  if (!written) {
    const std::string reason = error ? error.message() : std::strerror(errno);
    fs::remove(temporary, error);
    throw environment_error("can't write {}: {}; FLOPCAST_HOME names another directory for it", file.string(), reason);
  }
}

}  // namespace flopcast::machine
