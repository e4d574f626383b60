#include "flopcast/core/environment.hpp"

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
  json.at("name").get_to(level.name);
  json.at("capacity_bytes").get_to(level.capacity_bytes);
  json.at("capacity_low_bytes").get_to(level.capacity_low_bytes);
  json.at("capacity_high_bytes").get_to(level.capacity_high_bytes);
  json.at("reported_bytes").get_to(level.reported_bytes);
  json.at("line_bytes").get_to(level.line_bytes);
  json.at("associativity").get_to(level.associativity);
  json.at("bandwidth").get_to(level.bandwidth);
  json.at("latency_seconds").get_to(level.latency_seconds);
  level.serial_chase_bytes = json.value("serial_chase_bytes", std::int64_t{0});  // not in environments kept by earlier versions
  level.parallel_chase_bytes = json.value("parallel_chase_bytes", std::int64_t{0});
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
  json.at("name").get_to(identity.name);
  json.at("path").get_to(identity.path);
  json.at("version").get_to(identity.version);
  json.at("kernels").get_to(identity.kernels);
  json.at("threading").get_to(identity.threading);
  json.at("digest").get_to(identity.digest);
  identity.integer_bytes = json.value("integer_bytes", 4);  // not in environments kept by earlier versions
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
  json.at("cpu").get_to(environment.cpu);
  json.at("cores").get_to(environment.cores);
  json.at("caches").get_to(environment.caches);
  json.at("memory_bandwidth").get_to(environment.memory_bandwidth);
  json.at("peak_flops").get_to(environment.peak_flops);
  json.at("blas").get_to(environment.blas);
  json.at("lapack").get_to(environment.lapack);
  json.at("threads").get_to(environment.threads);
  json.at("affinity").get_to(environment.affinity);
  json.at("fingerprint").get_to(environment.fingerprint);
}

}  // namespace flopcast
