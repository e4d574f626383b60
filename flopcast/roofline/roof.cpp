#include "flopcast/roofline/roof.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"

namespace flopcast::roofline {

void to_json(nlohmann::json& json, const Rates& rates) {
  const Interval interval = rates.interval();
  json = {{"samples", rates.samples}};
  if (!rates.samples.empty()) {
    json["attained"] = rates.attained();
    json["median"] = rates.median();
    json["interval_95"] = {interval.low, interval.high};
  }
}
/// Throws bad_input unless `values`, clocks or rates, has at least one value and all values are finite and positive.
void require_positive(const std::vector<double>& values, const char* what) {
  if (values.empty() || !std::all_of(values.begin(), values.end(), [](double value) { return value > 0 && std::isfinite(value); })) {
    throw bad_input("this is no roofline: {} samples of {}, expected at least one, all of them finite and above 0", values.size(), what);
  }
}

void from_json(const nlohmann::json& json, Rates& rates) {
  read_member(json, "samples", rates.samples);
  require_positive(rates.samples, "a rate");
}

void to_json(nlohmann::json& json, const ComputeRoof& roof) {
  json = {{"name", roof.name},     {"precision", roof.precision},    {"lanes", roof.lanes},
          {"fused", roof.fused},   {"threads", roof.threads},        {"flops_per_lane", roof.flops_per_lane},
          {"clocks", roof.clocks}, {"flops_per_second", roof.flops}, {"instructions_per_cycle", roof.instructions_per_cycle}};
  if (!roof.flops.samples.empty()) {
    json["flops_per_second"]["attained"] = roof.ceiling();
  }
}
void from_json(const nlohmann::json& json, ComputeRoof& roof) {
  read_member(json, "name", roof.name);
  read_member(json, "precision", roof.precision);
  read_member(json, "lanes", roof.lanes);
  read_member(json, "fused", roof.fused);
  read_member(json, "threads", roof.threads);
  read_member(json, "flops_per_lane", roof.flops_per_lane);
  read_member(json, "clocks", roof.clocks);
  require_positive(roof.clocks, "the clock");
  read_member(json, "flops_per_second", roof.flops);
  read_member(json, "instructions_per_cycle", roof.instructions_per_cycle);
}

void to_json(nlohmann::json& json, const BandwidthRoof& roof) {
  json = {{"level", roof.level},
          {"stream", roof.stream},
          {"nontemporal", roof.nontemporal},
          {"threads", roof.threads},
          {"working_set_bytes", roof.working_set_bytes},
          {"flops_per_byte", roof.flops_per_byte},
          {"moved_per_byte", roof.moved_per_byte},
          {"bytes_per_second", roof.bytes}};
}
void from_json(const nlohmann::json& json, BandwidthRoof& roof) {
  read_member(json, "level", roof.level);
  read_member(json, "stream", roof.stream);
  read_member(json, "nontemporal", roof.nontemporal);
  read_member(json, "threads", roof.threads);
  read_member(json, "working_set_bytes", roof.working_set_bytes);
  read_member(json, "flops_per_byte", roof.flops_per_byte);
  read_member(json, "moved_per_byte", roof.moved_per_byte);
  read_member(json, "bytes_per_second", roof.bytes);
}

void to_json(nlohmann::json& json, const GemmShape& shape) { json = {{"m", shape.m}, {"n", shape.n}, {"k", shape.k}}; }
void from_json(const nlohmann::json& json, GemmShape& shape) {
  read_member(json, "m", shape.m);
  read_member(json, "n", shape.n);
  read_member(json, "k", shape.k);
}

void to_json(nlohmann::json& json, const GemmTrial& trial) {
  json = {{"shape", trial.shape}, {"state", trial.state}, {"flops_per_second", trial.flops}};
}
void from_json(const nlohmann::json& json, GemmTrial& trial) {
  read_member(json, "shape", trial.shape);
  read_member(json, "state", trial.state);
  read_member(json, "flops_per_second", trial.flops);
}

void to_json(nlohmann::json& json, const GemmRoof& roof) {
  json = {{"library", roof.library},
          {"routine", roof.routine},
          {"setting", roof.setting},
          {"threads", roof.threads},
          {"shape", roof.shape},
          {"flops_per_second", roof.flops},
          {"confirmed", roof.confirmed},
          {"search", roof.search},
          {"ending", roof.ending},
          {"possible_gain", roof.possible_gain},
          {"error_probability", roof.error_probability},
          {"evaluations", roof.evaluations},
          {"seconds", roof.seconds},
          {"trials", roof.trials}};
}
void from_json(const nlohmann::json& json, GemmRoof& roof) {
  read_member(json, "library", roof.library);
  roof.routine = member_or(json, "routine", roof.routine);  // files of versions that knew only dgemm lack it
  read_member(json, "setting", roof.setting);
  read_member(json, "threads", roof.threads);
  read_member(json, "shape", roof.shape);
  read_member(json, "flops_per_second", roof.flops);
  read_member(json, "confirmed", roof.confirmed);
  read_member(json, "search", roof.search);
  read_member(json, "ending", roof.ending);
  read_member(json, "possible_gain", roof.possible_gain);
  read_member(json, "error_probability", roof.error_probability);
  read_member(json, "evaluations", roof.evaluations);
  read_member(json, "seconds", roof.seconds);
  read_member(json, "trials", roof.trials);
}

void to_json(nlohmann::json& json, const Point& point) {
  json = {{"name", point.name},
          {"flops", point.flops},
          {"bytes", point.bytes},
          {"threads", point.threads},
          {"flops_per_second", point.flops_rate},
          {"level", point.level},
          {"precision", point.precision}};
}
void from_json(const nlohmann::json& json, Point& point) {
  point.level = member_or(json, "level", std::string());
  point.precision = member_or(json, "precision", point.precision);
  read_member(json, "name", point.name);
  read_member(json, "flops", point.flops);
  read_member(json, "bytes", point.bytes);
  read_member(json, "threads", point.threads);
  read_member(json, "flops_per_second", point.flops_rate);
}

void to_json(nlohmann::json& json, const PeakFactor& factor) {
  json = {{"name", factor.name}, {"value", factor.value}, {"unit", factor.unit}, {"source", factor.source}};
}
void from_json(const nlohmann::json& json, PeakFactor& factor) {
  read_member(json, "name", factor.name);
  read_member(json, "value", factor.value);
  read_member(json, "unit", factor.unit);
  read_member(json, "source", factor.source);
}

void to_json(nlohmann::json& json, const TheoreticalPeak& peak) {
  json = {{"name", peak.name}, {"threads", peak.threads}, {"factors", peak.factors}, {"flops_per_second", peak.flops}};
}
void from_json(const nlohmann::json& json, TheoreticalPeak& peak) {
  read_member(json, "name", peak.name);
  read_member(json, "threads", peak.threads);
  read_member(json, "factors", peak.factors);
  read_member(json, "flops_per_second", peak.flops);
}

std::string to_string(const GemmShape& shape) { return fmt::format("{}x{}x{}", shape.m, shape.n, shape.k); }

std::string precision(std::string_view gemm) { return gemm == "sgemm" ? "single" : "double"; }

int Roofline::max_threads() const {
  int most = 1;
  for (const ComputeRoof& roof : compute) {
    most = std::max(most, roof.threads);
  }
  return most;
}

void to_json(nlohmann::json& json, const Roofline& roofline) {
  json = {{"schema", schema},
          {"cpu", roofline.cpu},
          {"fingerprint", roofline.fingerprint},
          {"date", roofline.date},
          {"cpus", roofline.cpus},
          {"affinity", roofline.affinity},
          {"levels", roofline.levels},
          {"compute", roofline.compute},
          {"bandwidth", roofline.bandwidth},
          {"triad_lengths", roofline.triad_lengths},
          {"gemm", roofline.gemm},
          {"peaks", roofline.peaks},
          {"points", roofline.points},
          {"findings", roofline.findings},
          {"options", roofline.options},
          {"seconds", roofline.seconds}};
}

void from_json(const nlohmann::json& json, Roofline& roofline) {
  try {
    read_member(json, "cpu", roofline.cpu);
    read_member(json, "fingerprint", roofline.fingerprint);
    read_member(json, "date", roofline.date);
    read_member(json, "cpus", roofline.cpus);
    read_member(json, "affinity", roofline.affinity);
    read_member(json, "levels", roofline.levels);
    read_member(json, "compute", roofline.compute);
    read_member(json, "bandwidth", roofline.bandwidth);
    roofline.triad_lengths = member_or(json, "triad_lengths", roofline.triad_lengths);
    read_member(json, "gemm", roofline.gemm);
    read_member(json, "peaks", roofline.peaks);
    read_member(json, "points", roofline.points);
    read_member(json, "findings", roofline.findings);
    roofline.options = json.at("options");
    read_member(json, "seconds", roofline.seconds);
  } catch (const nlohmann::json::exception& error) {
    throw bad_input("this is no roofline: {}", reason(error));
  }
}

const ComputeRoof* best_compute(const Roofline& roofline, int threads, const std::string& precision) {
  const ComputeRoof* best = nullptr;
  for (const ComputeRoof& roof : roofline.compute) {
    if (roof.threads == threads && roof.precision == precision && roof.flops_per_lane == 2 &&
        (best == nullptr || roof.ceiling() > best->ceiling())) {
      best = &roof;
    }
  }
  return best;
}

const GemmRoof* best_gemm(const Roofline& roofline, int threads) {
  const GemmRoof* best = nullptr;
  for (const GemmRoof& roof : roofline.gemm) {
    if (roof.threads == threads && roof.routine == "dgemm" && (best == nullptr || roof.flops.attained() > best->flops.attained())) {
      best = &roof;
    }
  }
  return best;
}

const BandwidthRoof* find_bandwidth(const Roofline& roofline, const std::string& level, const std::string& stream, int threads,
                                    bool nontemporal) {
  const auto found = std::find_if(roofline.bandwidth.begin(), roofline.bandwidth.end(), [&](const BandwidthRoof& roof) {
    return roof.level == level && roof.stream == stream && roof.threads == threads && roof.nontemporal == nontemporal;
  });
  return found == roofline.bandwidth.end() ? nullptr : &*found;
}

std::string level_of(std::span<const CacheLevel> levels, double bytes) {
  const auto holds = [&](const CacheLevel& level) { return bytes <= static_cast<double>(level.capacity_bytes); };
  const auto found = std::find_if(levels.begin(), levels.end(), holds);
  return found == levels.end() ? "memory" : found->name;
}

Bound bound_of(const Roofline& roofline, const Point& point) {
  const int threads = std::min(std::max(point.threads, 1), roofline.max_threads());
  const BandwidthRoof* fastest = point.level.empty() ? find_bandwidth(roofline, "memory", "triad", threads) : nullptr;
  for (const BandwidthRoof& roof : roofline.bandwidth) {
    const bool counts = roof.level == point.level && roof.threads == threads && !roof.nontemporal;
    fastest = counts && (fastest == nullptr || roof.bytes.attained() > fastest->bytes.attained()) ? &roof : fastest;
  }
  Bound bound;
  if (fastest != nullptr) {
    bound = {fastest->name(), fastest->bytes.attained() * point.intensity()};
  }
  if (const ComputeRoof* compute = best_compute(roofline, threads, point.precision);
      compute != nullptr && (bound.flops <= 0 || compute->ceiling() < bound.flops)) {
    bound = {compute->name, compute->ceiling()};
  }
  return bound;
}

std::vector<std::string> impossible_figures(const Roofline& roofline) {
  constexpr double error = 1.03;
  std::vector<std::string> sentences;
  const auto check = [&](const std::string& what, double rate, const std::string& roof, double limit) {
    if (limit > 0 && rate > error * limit) {
      sentences.push_back(fmt::format(
          "the machine is restless: {} makes {}, more than {} allows ({}), which was measured in a slower moment; measure again "
          "when the machine is idle",
          what, format_flop_rate(rate), roof, format_flop_rate(limit)));
    }
  };
  for (const TheoreticalPeak& peak : roofline.peaks) {
    if (peak.name != "sustained clock") {  // the nominal clock is surpassed by turbo
      continue;
    }
    const std::string roof = fmt::format("the sustained clock's peak of {} thread{}", peak.threads, peak.threads == 1 ? "" : "s");
    if (const ComputeRoof* loop = best_compute(roofline, peak.threads)) {
      check("the " + loop->name + " loop", loop->ceiling(), roof, peak.flops);
    }
    if (const GemmRoof* gemm = best_gemm(roofline, peak.threads)) {
      check("dgemm of " + gemm->library.name, gemm->flops.attained(), roof, peak.flops);
    }
  }
  for (const Point& point : roofline.points) {
    const Bound bound = bound_of(roofline, point);
    check(point.name, point.flops_rate.median(), bound.name, bound.flops);
  }
  return sentences;
}

}  // namespace flopcast::roofline
