#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "flopcast/support/error.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/schema.hpp"
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
inline Fields FieldTable<selective::RunTimeRatio>::fields() {
  return {field<&T::taken>().named("taken_seconds"), field<&T::expected>().named("expected_seconds")};
}
template <>
inline Fields FieldTable<scale::Link>::fields() {
  return {field<&T::latency>().named("latency_seconds"), field<&T::bytes_per_second>()};
}
template <>
inline Fields FieldTable<MpiTraffic>::fields() {
  return {field<&T::messages>(), field<&T::bytes>(), field<&T::largest_bytes>()};
}
template <>
inline Fields FieldTable<MpiWait>::fields() {
  return {field<&T::routine>(), field<&T::awaited_rank>("the other process; missing or null if there are several"), field<&T::seconds>()};
}
template <>
inline Fields FieldTable<MpiOtherTool>::fields() {
  return {field<&T::library>("file; empty for the program itself"),
          optional_field<&T::functions>("functions that the program calls first, and that call flopcast's"),
          optional_field<&T::unseen_functions>("functions that don't call flopcast's")};
}
void to_json(nlohmann::json& json, const MpiTimes& times);
void from_json(const nlohmann::json& json, MpiTimes& times);

template <>
inline Fields FieldTable<MpiKernel>::fields() {
  return {
      field<&T::name>("a BLAS or LAPACK routine with flags and sizes, a region of the program's own, or an MPI routine").named("kernel"),
      field<&T::kind>(),
      field<&T::routine>(),
      field<&T::words>("sizes and flags that the time is taken to depend on"),
      optional_field<&T::size_count>("number of a region's words that are sizes"),
      field<&T::along>("along the critical path, measured or estimated"),
      field<&T::executed>("all executions"),
      field<&T::in_context>("executions among their neighbours, if these were told apart"),
      field<&T::skipped>("executions that were replaced by an estimate"),
      optional_field<&T::flops>("flops of one execution; 0 if unknown"),
      field<&T::where>("place for which the times hold, if it isn't the whole document's")};
}
template <>
inline Fields FieldTable<MpiKernelList>::fields() {
  return {optional_field<&T::where>("place for which the times hold: MPI, clock, number of processes, BLAS"), optional_field<&T::policy>(),
          field<&T::kernels>()};
}

void to_json(nlohmann::json& json, const MpiProcess& process);
void from_json(const nlohmann::json& json, MpiProcess& process);
void to_json(nlohmann::json& json, const MpiCallSequence& sequence);
void from_json(const nlohmann::json& json, MpiCallSequence& sequence);

template <>
inline Fields FieldTable<MpiProfile>::fields() {
  return {field<&T::mpi>("name and version: \"Open MPI v4.1.4\""),
          field<&T::ranks>(),
          optional_field<&T::where>("place for which the kernels' times hold"),
          field<&T::clock>(),
          optional_field<&T::granted_cpus>("CPUs that a control group grants; 0 if none limits them"),
          optional_field<&T::policy>(),
          optional_field<&T::tolerance>(),
          optional_field<&T::confidence>(),
          field<&T::elapsed>().named("elapsed_seconds"),
          field<&T::path_complete>("false if a process had more events than are kept"),
          optional_field<&T::sessions>("the program uses sessions beside MPI_Init"),
          optional_field<&T::spawned_processes>("processes that aren't followed"),
          field<&T::message_model>("cost of a message between two processes"),
          field<&T::critical_path>("along the critical path").named("path"),
          field<&T::longest>("the longest path by each metric"),
          field<&T::per_process>("the most of any process, by metric"),
          field<&T::volumetric>("mean of all processes"),
          optional_field<&T::processes>(),
          optional_field<&T::prediction_error>("half-width that predictions across sizes add to the path's time")
              .named("prediction_error_seconds"),
          optional_field<&T::program_variance>("variance of the time of the program's own code along the path, in square seconds"),
          field<&T::pace>(),
          field<&T::spent>("means of the processes"),
          field<&T::own_messages>(),
          optional_field<&T::calls>(),
          optional_field<&T::bypassing_messages>("messages seen at one end only, or at none"),
          optional_field<&T::prefixed_calls>("calls by names with PMPI_, or by addresses from dlsym"),
          optional_field<&T::simultaneous_calls>("calls beside another thread's, not followed"),
          optional_field<&T::other_tools>("other tools in the process that define MPI functions, too"),
          field<&T::kernels>()};
}

namespace mpi_detail {

/// Returns the schema of the numbers that `table` names. A number is null where the library in the program had infinity.
template <class Table>
nlohmann::ordered_json numbers_schema(SchemaMaker& maker, const Table& table, bool required) {
  nlohmann::ordered_json object = object_schema({});
  for (const auto& entry : table) {
    add_member(object, entry.name, schema_detail::with_unit(maker.of<double>(), unit_of(entry.name)), required);
  }
  return object;
}

}  // namespace mpi_detail

template <>
struct SchemaOf<path::Costs> {
  static nlohmann::ordered_json make(SchemaMaker& maker) { return mpi_detail::numbers_schema(maker, path::metrics, true); }
};
template <>
struct SchemaOf<selective::TimeSpent> {
  static nlohmann::ordered_json make(SchemaMaker& maker) { return mpi_detail::numbers_schema(maker, selective::spent_parts, false); }
};
template <>
struct SchemaOf<selective::Policy> {
  static nlohmann::ordered_json make(SchemaMaker& maker) { return described(maker.of<std::string>(), "policy of selective execution"); }
};
template <>
struct SchemaOf<protocol::MpiClock> {
  static nlohmann::ordered_json make(SchemaMaker& maker) { return described(maker.of<std::string>(), "clock of the paths"); }
};
template <>
struct SchemaOf<MpiTimes> {
  static nlohmann::ordered_json make(SchemaMaker& maker) {
    const nlohmann::ordered_json number = described(maker.of<std::optional<double>>(), "null: infinite");
    return object_schema({{"count", maker.of<std::uint64_t>()}, {"mean", number}, {"variance", number}, {"seconds", number}},
                         {"variance", "seconds"});
  }
};
template <>
struct SchemaOf<MpiProcess> {
  static nlohmann::ordered_json make(SchemaMaker& maker) {
    nlohmann::ordered_json process = maker.of<path::Costs>();
    add_member(process, "rank", maker.of<int>());
    add_member(process, "host", maker.of<decltype(MpiProcess::host)>());
    add_member(process, "on_path_seconds", maker.of<double>());
    const auto add_later = [&process, &maker](const char* name, const char* description) {
      add_member(process, name, described(schema_detail::with_unit(maker.of<double>(), unit_of(name)), description), false);
    };
    add_later("cpu_seconds", "CPU time of all threads");
    add_later("without_core_seconds", "ready to run, but without a core");
    add_later("program_without_core_seconds", "the part of that outside of MPI");
    add_later("blocked_seconds", "outside of MPI neither computing nor ready to run: asleep, or waiting for a file");
    add_member(process, "longest_wait", maker.of<MpiWait>(), false);
    return process;
  }
};
template <>
struct SchemaOf<MpiCallSequence> {
  static nlohmann::ordered_json make(SchemaMaker& maker) {
    const nlohmann::ordered_json parts = nlohmann::ordered_json::array({maker.of<std::int64_t>(), maker.of<std::string>()});
    return {{"type", "array"}, {"prefixItems", parts}, {"minItems", 2}, {"maxItems", 2}, {"description", "number of calls, hash of them"}};
  }
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
