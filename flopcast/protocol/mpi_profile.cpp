#include "flopcast/protocol/mpi_profile.hpp"

#include <algorithm>
#include <limits>

#include "flopcast/protocol/mpi_kernel_rows.hpp"
#include "flopcast/protocol/mpi_profile_fields.hpp"
#include "flopcast/selective/prediction_interval.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/json.hpp"

namespace flopcast {
namespace {

using nlohmann::json;

/// Reads a member that the library in the program writes as null if it is infinite.
double number_or_infinity(const json& document, const char* name) {
  const auto found = document.find(name);
  return found != document.end() && found->is_null() ? std::numeric_limits<double>::infinity() : member<double>(document, name);
}

/// Returns the head of the document, whose kernels are written one a line.
std::string lines_of(const nlohmann::ordered_json& head, const std::vector<MpiKernel>& kernels) {
  std::string text = head.dump(-1, ' ', false, json::error_handler_t::replace);
  text.back() = ',';
  text += "\"kernels\":[";
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    text += (i == 0 ? "\n" : ",\n") + json(kernels[i]).dump(-1, ' ', false, json::error_handler_t::replace);
  }
  return text + "]}\n";
}

}  // namespace

void to_json(json& document, const MpiTimes& times) {
  document = {{"count", times.count}, {"mean", times.mean}, {"variance", times.variance}, {"seconds", times.seconds}};
}

void from_json(const json& document, MpiTimes& times) {
  times.count = member<std::int64_t>(document, "count");
  if (times.count < 0) {
    throw MemberError("count", fmt::format("{} given, expected 0 or more", times.count));
  }
  times.mean = number_or_infinity(document, "mean");
  times.variance = document.contains("variance") ? number_or_infinity(document, "variance") : 0;
  times.seconds = document.contains("seconds") ? number_or_infinity(document, "seconds") : times.mean * static_cast<double>(times.count);
}

void to_json(json& document, const MpiCallSequence& sequence) { document = json::array({sequence.calls, sequence.hash}); }

void from_json(const json& document, MpiCallSequence& sequence) {
  sequence.calls = element<std::int64_t>(document, 0);
  sequence.hash = element<std::string>(document, 1);
}

selective::KernelStatistics statistics_of(const MpiTimes& times) noexcept {
  return {times.count, times.mean, times.variance * static_cast<double>(std::max<std::int64_t>(times.count - 1, 0))};
}

MpiTimes times_of(const selective::KernelStatistics& statistics) noexcept {
  return {statistics.count, statistics.mean, statistics.variance(), statistics.mean * static_cast<double>(statistics.count)};
}

const MpiTimes& representative_times(const MpiKernel& kernel) noexcept { return kernel.in_context ? *kernel.in_context : kernel.executed; }

std::optional<double> MpiProfile::cores_got() const noexcept {
  double got = 0;
  for (const MpiProcess& process : processes) {
    got += elapsed > 0 ? std::clamp(1 - process.without_core / elapsed, 0.0, 1.0) : 1;
  }
  const bool known = std::any_of(processes.begin(), processes.end(), [](const MpiProcess& process) { return process.cpu > 0; });
  return known ? std::optional(got) : std::nullopt;
}

bool MpiProfile::lacked_cores() const noexcept {
  constexpr double nearly_all = 0.95;
  return cores_got().value_or(ranks) < nearly_all * ranks;
}

Seconds MpiProfile::computing(const MpiProcess& process) const noexcept {
  const Seconds lost = clock == protocol::MpiClock::wall ? process.program_without_core + process.blocked : 0;
  return std::max(process.own.computation - lost, 0.0);
}

double MpiProfile::imbalance() const noexcept {
  Seconds most = 0;
  Seconds sum = 0;
  for (const MpiProcess& process : processes) {
    most = std::max(most, computing(process));
    sum += computing(process);
  }
  return sum > 0 ? most * static_cast<double>(processes.size()) / sum : 1;
}

bool MpiProfile::is_blocked(const MpiProcess& process) const noexcept {
  constexpr double considerable = 0.05;
  return process.blocked > considerable * elapsed;
}

const MpiProcess* MpiProfile::most_blocked() const noexcept {
  const MpiProcess* most = nullptr;
  for (const MpiProcess& process : processes) {
    most = is_blocked(process) && (most == nullptr || process.blocked > most->blocked) ? &process : most;
  }
  return most;
}

void MpiKernelSums::add(selective::KernelKind kind, const MpiTimes& along_path, const selective::KernelStatistics& representative,
                        std::int64_t executions, std::int64_t skips) noexcept {
  along += along_path.seconds;
  computation += kind == selective::KernelKind::communication ? 0 : along_path.seconds;
  executed += executions;
  skipped += skips;
  path_variance += selective::variance_along(static_cast<double>(along_path.count), representative);
}

MpiKernelSums MpiProfile::sums() const noexcept {
  if (kernel_sums) {
    return *kernel_sums;
  }
  MpiKernelSums sums;
  for (const MpiKernel& kernel : kernels) {
    sums.add(kernel.kind, kernel.along, statistics_of(representative_times(kernel)), kernel.executed.count, kernel.skipped);
  }
  return sums;
}

Seconds MpiProfile::kernel_seconds() const noexcept { return sums().computation; }

double MpiProfile::coverage() const noexcept { return critical_path.time > 0 ? sums().along / critical_path.time : 0; }

double MpiProfile::executed_share() const noexcept {
  const MpiKernelSums all = sums();
  return all.executed + all.skipped > 0 ? static_cast<double>(all.executed) / static_cast<double>(all.executed + all.skipped) : 1;
}

double MpiProfile::path_variance() const noexcept { return program_variance + sums().path_variance; }

std::string to_json(const MpiProfile& profile) {
  nlohmann::ordered_json head = to_document(profile, mpi_profile_schema);
  head.erase("kernels");
  return lines_of(head, profile.kernels);
}

MpiProfile mpi_profile_from_json(std::string_view text, const std::string& source) {
  return from_document<MpiProfile>(text, source, mpi_profile_schema);
}

MpiProfile read_mpi_profile(const std::string& file) { return mpi_profile_from_json(read_file(file), file); }

MpiKernelList read_mpi_kernels(const std::string& file) {
  const json document = parse_json(read_file(file), file);
  return in_document(file, [&] { return kernel_list_of(document); });
}

}  // namespace flopcast
