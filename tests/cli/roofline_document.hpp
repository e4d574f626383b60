#pragma once

#include <utility>

#include <nlohmann/json.hpp>

namespace flopcast::testing {

/// Returns a roofline document with these roofs and nothing else.
inline nlohmann::json roofline_document(nlohmann::json compute, nlohmann::json bandwidth) {
  using nlohmann::json;
  return {{"schema", "flopcast-roofline-1"},
          {"cpu", "CPU (family 6)"},
          {"fingerprint", "0"},
          {"date", "2026-01-02T03:04:05Z"},
          {"cpus", {0, 1}},
          {"affinity", "close"},
          {"levels", json::array()},
          {"compute", std::move(compute)},
          {"bandwidth", std::move(bandwidth)},
          {"triad_lengths", json::array()},
          {"gemm", json::array()},
          {"peaks", json::array()},
          {"points", json::array()},
          {"findings", json::array()},
          {"options", json::object()},
          {"seconds", 1.0}};
}

}  // namespace flopcast::testing
