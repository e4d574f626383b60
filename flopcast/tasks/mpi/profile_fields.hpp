#pragma once

#include <array>
#include <tuple>

#include "flopcast/support/error.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/tasks/mpi/profile.hpp"

/// Members of documents about MPI programs.
namespace flopcast {

namespace mpi_detail {

/// Writes the members of `value` that `table` names: metrics of costs, parts of the time spent.
template <class Table, class Struct>
void write_numbers(nlohmann::json& json, const Table& table, const Struct& value) {
  for (const auto& entry : table) {
    json[entry.name] = value.*entry.value;
  }
}
template <class Table, class Struct>
void read_numbers(const nlohmann::json& json, const Table& table, Struct& value, bool required) {
  for (const auto& entry : table) {
    value.*entry.value = required ? member<double>(json, entry.name) : member_or(json, entry.name, 0.0);
  }
}

/// Reads a name that `named` understands.
template <class Named>
auto read_name(const nlohmann::json& json, Named named) {
  try {
    return named(json_detail::text(json));
  } catch (const Error& error) {
    throw MemberError("", error.what());
  }
}

}  // namespace mpi_detail

template <>
struct EnumNames<selective::KernelKind> {
  static constexpr std::array names{std::pair{selective::KernelKind::computation, "computation"},
                                    std::pair{selective::KernelKind::communication, "communication"},
                                    std::pair{selective::KernelKind::region, "region"}};
};
template <>
struct FieldTable<selective::RunTimeRatio> {
  static constexpr auto fields =
      std::tuple(field("taken_seconds", &selective::RunTimeRatio::taken), field("expected_seconds", &selective::RunTimeRatio::expected));
};
template <>
struct FieldTable<scale::Link> {
  static constexpr auto fields =
      std::tuple(field("latency_seconds", &scale::Link::latency), field("bytes_per_second", &scale::Link::bytes_per_second));
};
template <>
struct FieldTable<MpiTraffic> {
  static constexpr auto fields = std::tuple(field("messages", &MpiTraffic::messages), field("bytes", &MpiTraffic::bytes),
                                            field("largest_bytes", &MpiTraffic::largest_bytes));
};
void to_json(nlohmann::json& json, const MpiTimes& times);
void from_json(const nlohmann::json& json, MpiTimes& times);

template <>
struct FieldTable<MpiKernel> {
  static constexpr auto fields =
      std::tuple(field("kernel", &MpiKernel::name), field("kind", &MpiKernel::kind), field("routine", &MpiKernel::routine),
                 field("words", &MpiKernel::words), optional_field("size_count", &MpiKernel::size_count), field("along", &MpiKernel::along),
                 field("executed", &MpiKernel::executed), field("in_context", &MpiKernel::in_context),
                 field("skipped", &MpiKernel::skipped), optional_field("flops", &MpiKernel::flops), field("where", &MpiKernel::where));
};
template <>
struct FieldTable<MpiKernelList> {
  static constexpr auto fields = std::tuple(optional_field("where", &MpiKernelList::where),
                                            optional_field("policy", &MpiKernelList::policy), field("kernels", &MpiKernelList::kernels));
};

void to_json(nlohmann::json& json, const MpiProcess& process);
void from_json(const nlohmann::json& json, MpiProcess& process);
void to_json(nlohmann::json& json, const MpiCallSequence& sequence);
void from_json(const nlohmann::json& json, MpiCallSequence& sequence);

template <>
struct FieldTable<MpiProfile> {
  static constexpr auto fields = std::tuple(
      field("mpi", &MpiProfile::mpi), field("ranks", &MpiProfile::ranks), optional_field("where", &MpiProfile::where),
      field("clock", &MpiProfile::clock), optional_field("granted_cpus", &MpiProfile::granted_cpus),
      optional_field("policy", &MpiProfile::policy), optional_field("tolerance", &MpiProfile::tolerance),
      optional_field("confidence", &MpiProfile::confidence), field("elapsed_seconds", &MpiProfile::elapsed),
      field("path_complete", &MpiProfile::path_complete), optional_field("sessions", &MpiProfile::sessions),
      optional_field("spawned_processes", &MpiProfile::spawned_processes), field("message_model", &MpiProfile::message_model),
      field("path", &MpiProfile::critical_path), field("longest", &MpiProfile::longest), field("per_process", &MpiProfile::per_process),
      field("volumetric", &MpiProfile::volumetric), optional_field("processes", &MpiProfile::processes),
      optional_field("prediction_error_seconds", &MpiProfile::prediction_error),
      optional_field("program_variance", &MpiProfile::program_variance), field("pace", &MpiProfile::pace),
      field("spent", &MpiProfile::spent), field("own_messages", &MpiProfile::own_messages), optional_field("calls", &MpiProfile::calls),
      field("kernels", &MpiProfile::kernels));
};

}  // namespace flopcast

namespace flopcast::path {

inline void to_json(nlohmann::json& json, const Costs& costs) { mpi_detail::write_numbers(json, metrics, costs); }
inline void from_json(const nlohmann::json& json, Costs& costs) { mpi_detail::read_numbers(json, metrics, costs, true); }

}  // namespace flopcast::path

namespace flopcast::selective {

inline void to_json(nlohmann::json& json, const TimeSpent& spent) { mpi_detail::write_numbers(json, spent_parts, spent); }
/// Profiles of before lack some parts.
inline void from_json(const nlohmann::json& json, TimeSpent& spent) { mpi_detail::read_numbers(json, spent_parts, spent, false); }
inline void to_json(nlohmann::json& json, Policy policy) { json = to_string(policy); }
inline void from_json(const nlohmann::json& json, Policy& policy) { policy = mpi_detail::read_name(json, policy_named); }

}  // namespace flopcast::selective

namespace flopcast::protocol {

inline void to_json(nlohmann::json& json, MpiClock clock) { json = to_string(clock); }
inline void from_json(const nlohmann::json& json, MpiClock& clock) { clock = mpi_detail::read_name(json, clock_named); }

}  // namespace flopcast::protocol
