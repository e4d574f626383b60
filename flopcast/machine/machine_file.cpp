#include "flopcast/machine/machine_file.hpp"

#include "flopcast/machine/machine_file_json.hpp"

#include <fstream>

#include "flopcast/core/documents.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/user_folders.hpp"
#include "flopcast/support/whole_file.hpp"

namespace flopcast {

namespace machine {

void to_json(nlohmann::json& json, const CurvePoint& point) { json = {point.x, point.y}; }
void from_json(const nlohmann::json& json, CurvePoint& point) { point = {element<double>(json, 0), element<double>(json, 1)}; }

}  // namespace machine

template <>
struct SchemaOf<machine::CurvePoint> {
  static nlohmann::ordered_json make(SchemaMaker& maker) { return maker.of<std::array<double, 2>>(); }
};

template <>
Fields FieldTable<machine::PatternCapacities>::fields() {
  return {field<&T::stream>("capacity seen by reading one array in order; 0: none").named("stream_bytes"),
          field<&T::parallel_chase>("capacity seen by independent random reads; 0: none").named("parallel_chase_bytes"),
          field<&T::serial_chase>("capacity seen by reads that wait for each other; 0: none").named("serial_chase_bytes")};
}

template <>
Fields FieldTable<machine::BandwidthShare>::fields() {
  return {field<&T::threads>("number of threads that stream at once"),
          field<&T::cache>("share of one thread's bandwidth that each thread keeps in the outermost cache, 0 to 1"),
          field<&T::memory>("share of one thread's bandwidth that each thread keeps in memory, 0 to 1")};
}

/// Files of earlier versions lack the members that are optional.
template <>
Fields FieldTable<machine::MachineMeasurement>::fields() {
  using machine::CacheSweep, machine::MemoryHierarchy;
  return {
      field<&T::cpu>("model name of the CPU"),
      field<&T::quick>("true if the coarser sweep measured the caches"),
      optional_field<&T::busy_cores>("cores that other programs kept busy"),
      field<&T::sweep, &CacheSweep::huge_pages>("most of the memory lay in huge pages"),
      field<&T::sweep, &CacheSweep::triad>("working set in bytes, seconds per byte"),
      field<&T::sweep, &CacheSweep::chase>("working set in bytes, seconds per access"),
      optional_field<&T::sweep, &CacheSweep::parallel_chase>("working set in bytes, seconds per access"),
      field<&T::hierarchy, &MemoryHierarchy::levels>("caches from L1 outwards"),
      optional_field<&T::hierarchy, &MemoryHierarchy::patterns>("capacity of each level as the access patterns see it"),
      field<&T::hierarchy, &MemoryHierarchy::memory_bandwidth>("bandwidth of the triad in memory").measured_in("B/s", Best::large),
      field<&T::hierarchy, &MemoryHierarchy::memory_latency>("latency of a serial pointer chase in memory").named("memory_latency_seconds"),
      field<&T::peaks>("rate of one core, by library").measured_in("flop/s", Best::large),
      optional_field<&T::peak_moments>("number of processes that measured that peak, of which the best one counts"),
      optional_field<&T::dgemm_rates>("best rate of dgemm seen of a library").measured_in("flop/s", Best::large),
      field<&T::bandwidth_shares>("bandwidth that each of several threads keeps, by rising numbers of threads")};
}

namespace machine {
namespace {

namespace fs = std::filesystem;

constexpr const char* schema = "flopcast-measured-machine-1";

}  // namespace

void to_json(nlohmann::json& json, const MachineMeasurement& measurement) {
  json = {{"schema", schema}};
  write_fields(json, measurement);
}

void from_json(const nlohmann::json& json, MachineMeasurement& measurement) {
  if (json.at("schema") != schema) {
    throw MemberError("schema", fmt::format("{} given, expected \"{}\"", shown(json.at("schema")), schema));
  }
  read_fields(json, measurement);
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

}  // namespace machine

nlohmann::ordered_json SchemaOf<machine::MachineMeasurement>::make(SchemaMaker& maker) {
  nlohmann::ordered_json root = maker.object<machine::MachineMeasurement>();
  add_member(root, "schema", {{"const", machine::schema}});
  return root;
}

}  // namespace flopcast
