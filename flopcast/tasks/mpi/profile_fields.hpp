#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

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
template <>
struct FieldTable<MpiWait> {
  static constexpr auto fields =
      std::tuple(field("routine", &MpiWait::routine),
                 field("awaited_rank", &MpiWait::awaited_rank, "the other process; missing or null if there are several"),
                 field("seconds", &MpiWait::seconds));
};
template <>
struct FieldTable<MpiOtherTool> {
  static constexpr auto fields =
      std::tuple(field("library", &MpiOtherTool::library, "file; empty for the program itself"),
                 optional_field("functions", &MpiOtherTool::functions, "functions that the program calls first, and that call flopcast's"),
                 optional_field("unseen_functions", &MpiOtherTool::unseen_functions, "functions that don't call flopcast's"));
};
void to_json(nlohmann::json& json, const MpiTimes& times);
void from_json(const nlohmann::json& json, MpiTimes& times);

template <>
struct FieldTable<MpiKernel> {
  static constexpr auto fields = std::tuple(
      field("kernel", &MpiKernel::name, "for readers: \"dgemm m=64 n=64 k=64\""), field("kind", &MpiKernel::kind),
      field("routine", &MpiKernel::routine), field("words", &MpiKernel::words, "sizes and flags that the time is taken to depend on"),
      optional_field("size_count", &MpiKernel::size_count, "number of a region's words that are sizes"),
      field("along", &MpiKernel::along, "along the critical path, measured or estimated"),
      field("executed", &MpiKernel::executed, "all executions"),
      field("in_context", &MpiKernel::in_context, "executions among their neighbours, if these were told apart"),
      field("skipped", &MpiKernel::skipped, "executions that were replaced by an estimate"),
      optional_field("flops", &MpiKernel::flops, "flops of one execution; 0 if unknown"),
      field("where", &MpiKernel::where, "place for which the times hold, if it isn't the whole document's"));
};
template <>
struct FieldTable<MpiKernelList> {
  static constexpr auto fields =
      std::tuple(optional_field("where", &MpiKernelList::where, "place for which the times hold: MPI, clock, number of processes, BLAS"),
                 optional_field("policy", &MpiKernelList::policy), field("kernels", &MpiKernelList::kernels));
};

void to_json(nlohmann::json& json, const MpiProcess& process);
void from_json(const nlohmann::json& json, MpiProcess& process);
void to_json(nlohmann::json& json, const MpiCallSequence& sequence);
void from_json(const nlohmann::json& json, MpiCallSequence& sequence);

template <>
struct FieldTable<MpiProfile> {
  static constexpr auto fields =
      std::tuple(field("mpi", &MpiProfile::mpi, "name and version: \"Open MPI v4.1.4\""), field("ranks", &MpiProfile::ranks),
                 optional_field("where", &MpiProfile::where, "place for which the kernels' times hold"), field("clock", &MpiProfile::clock),
                 optional_field("granted_cpus", &MpiProfile::granted_cpus, "CPUs that a control group grants; 0 if none limits them"),
                 optional_field("policy", &MpiProfile::policy), optional_field("tolerance", &MpiProfile::tolerance),
                 optional_field("confidence", &MpiProfile::confidence), field("elapsed_seconds", &MpiProfile::elapsed),
                 field("path_complete", &MpiProfile::path_complete, "false if a process had more events than are kept"),
                 optional_field("sessions", &MpiProfile::sessions, "the program uses sessions beside MPI_Init"),
                 optional_field("spawned_processes", &MpiProfile::spawned_processes, "processes that aren't followed"),
                 field("message_model", &MpiProfile::message_model, "cost of a message between two processes"),
                 field("path", &MpiProfile::critical_path, "along the critical path"),
                 field("longest", &MpiProfile::longest, "the longest path by each metric"),
                 field("per_process", &MpiProfile::per_process, "the most of any process, by metric"),
                 field("volumetric", &MpiProfile::volumetric, "mean of all processes"), optional_field("processes", &MpiProfile::processes),
                 optional_field("prediction_error_seconds", &MpiProfile::prediction_error,
                                "half-width that predictions across sizes add to the path's time"),
                 optional_field("program_variance", &MpiProfile::program_variance,
                                "variance of the time of the program's own code along the path, in square seconds"),
                 field("pace", &MpiProfile::pace), field("spent", &MpiProfile::spent, "means of the processes"),
                 field("own_messages", &MpiProfile::own_messages), optional_field("calls", &MpiProfile::calls),
                 optional_field("bypassing_messages", &MpiProfile::bypassing_messages, "messages seen at one end only, or at none"),
                 optional_field("prefixed_calls", &MpiProfile::prefixed_calls, "calls by names with PMPI_, or by addresses from dlsym"),
                 optional_field("simultaneous_calls", &MpiProfile::simultaneous_calls, "calls beside another thread's, not followed"),
                 optional_field("other_tools", &MpiProfile::other_tools, "other tools in the process that define MPI functions, too"),
                 field("kernels", &MpiProfile::kernels));
};

namespace mpi_detail {

/// Returns the schema of the numbers that `table` names. A number is null where the library in the program had infinity.
template <class Table>
nlohmann::ordered_json numbers_schema(SchemaMaker& maker, const Table& table, bool required) {
  nlohmann::ordered_json object = object_schema({});
  for (const auto& entry : table) {
    add_member(object, entry.name, schema_detail::member_schema(entry.name, maker.of<double>(), ""), required);
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
      add_member(process, name, schema_detail::member_schema(name, maker.of<double>(), description), false);
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
