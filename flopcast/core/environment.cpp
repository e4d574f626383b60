#include "flopcast/core/environment.hpp"

#include "flopcast/core/environment_json.hpp"

#include "flopcast/support/json.hpp"

namespace flopcast {

void to_json(nlohmann::json& json, const CacheLevel& level) {
  json = {{"name", level.name},
          {"capacity_bytes", level.capacity_bytes},
          {"capacity_low_bytes", level.capacity_low_bytes},
          {"capacity_high_bytes", level.capacity_high_bytes},
          {"reported_bytes", level.reported_bytes},
          {"line_bytes", level.line_bytes},
          {"associativity", level.associativity},
          {"bandwidth", level.bandwidth},
          {"latency_seconds", level.latency_seconds},
          {"serial_chase_bytes", level.serial_chase_bytes},
          {"parallel_chase_bytes", level.parallel_chase_bytes}};
}

void from_json(const nlohmann::json& json, CacheLevel& level) {
  read_member(json, "name", level.name);
  read_member(json, "capacity_bytes", level.capacity_bytes);
  read_member(json, "capacity_low_bytes", level.capacity_low_bytes);
  read_member(json, "capacity_high_bytes", level.capacity_high_bytes);
  read_member(json, "reported_bytes", level.reported_bytes);
  read_member(json, "line_bytes", level.line_bytes);
  read_member(json, "associativity", level.associativity);
  read_member(json, "bandwidth", level.bandwidth);
  read_member(json, "latency_seconds", level.latency_seconds);
  level.serial_chase_bytes = member_or(json, "serial_chase_bytes", std::int64_t{0});  // not in environments kept by earlier versions
  level.parallel_chase_bytes = member_or(json, "parallel_chase_bytes", std::int64_t{0});
}

void to_json(nlohmann::json& json, const LibraryIdentity& identity) {
  json = {{"name", identity.name},
          {"path", identity.path},
          {"version", identity.version},
          {"kernels", identity.kernels},
          {"threading", identity.threading},
          {"digest", identity.digest},
          {"integer_bytes", identity.integer_bytes}};
}

void from_json(const nlohmann::json& json, LibraryIdentity& identity) {
  read_member(json, "name", identity.name);
  read_member(json, "path", identity.path);
  read_member(json, "version", identity.version);
  read_member(json, "kernels", identity.kernels);
  read_member(json, "threading", identity.threading);
  read_member(json, "digest", identity.digest);
  identity.integer_bytes = member_or(json, "integer_bytes", 4);  // not in environments kept by earlier versions
}

void to_json(nlohmann::json& json, const Environment& environment) {
  json = {{"cpu", environment.cpu},
          {"cores", environment.cores},
          {"caches", environment.caches},
          {"memory_bandwidth", environment.memory_bandwidth},
          {"peak_flops", environment.peak_flops},
          {"blas", environment.blas},
          {"lapack", environment.lapack},
          {"threads", environment.threads},
          {"affinity", environment.affinity},
          {"fingerprint", environment.fingerprint}};
}

void from_json(const nlohmann::json& json, Environment& environment) {
  read_member(json, "cpu", environment.cpu);
  read_member(json, "cores", environment.cores);
  read_member(json, "caches", environment.caches);
  read_member(json, "memory_bandwidth", environment.memory_bandwidth);
  read_member(json, "peak_flops", environment.peak_flops);
  read_member(json, "blas", environment.blas);
  read_member(json, "lapack", environment.lapack);
  read_member(json, "threads", environment.threads);
  read_member(json, "affinity", environment.affinity);
  read_member(json, "fingerprint", environment.fingerprint);
}

}  // namespace flopcast
