#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "flopcast/protocol/mpi_profile.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/schema.hpp"

/// Members of documents about MPI programs.
namespace flopcast {

template <>
struct EnumNames<selective::KernelKind> {
  static constexpr std::array names{std::pair{selective::KernelKind::computation, "computation"},
                                    std::pair{selective::KernelKind::communication, "communication"},
                                    std::pair{selective::KernelKind::region, "region"}};
};
template <>
struct EnumNames<protocol::MpiClock> {
  static constexpr std::array names{std::pair{protocol::MpiClock::automatic, "auto"}, std::pair{protocol::MpiClock::wall, "wall"},
                                    std::pair{protocol::MpiClock::cpu, "cpu"}};
};
template <>
inline Fields FieldTable<path::Costs>::fields() {
  return {field<&T::time>("time on the path, or of the process: computation, communication and waiting").named("seconds"),
          field<&T::computation>("time outside of MPI").named("computation_seconds"),
          field<&T::communication>("data transfer after everybody concerned has arrived").named("communication_seconds"),
          field<&T::idle>("waiting: of a process for others, on a path that nothing explains").named("idle_seconds"),
          field<&T::supersteps>("synchronisations: blocking communications, and waits or tests that completed something")
              .measured_in("", Best::small),
          field<&T::words>("numbers of 8 bytes sent and received by the processes").measured_in("8 B", Best::small),
          field<&T::flops>("flops of kernels that the catalogue knows")};
}
template <>
inline Fields FieldTable<selective::TimeSpent>::fields() {
  return {optional_field<&T::always>("computations that are never skipped").named("always_seconds"),
          optional_field<&T::brief>("computations as short as deciding about them").named("brief_seconds"),
          optional_field<&T::window>("computations in segments that are executed as a whole").named("window_seconds"),
          optional_field<&T::unseen>("computations whose time was unknown").named("unseen_seconds"),
          optional_field<&T::unsure>("computations whose time was known too little").named("unsure_seconds"),
          optional_field<&T::preparing>("decisions about executed kernels, and making their operands safe").named("preparing_seconds"),
          optional_field<&T::skipping>("decisions about skipped computations, and checks of the data that they would have written")
              .named("leaving_out_seconds"),
          optional_field<&T::messages>("data transfer").named("messages_seconds"),
          optional_field<&T::waiting>("waiting for other processes").named("waiting_seconds"),
          optional_field<&T::calls>("all calls of MPI: messages, waiting, and flopcast's own work for them").named("calls_seconds"),
          optional_field<&T::program>("the program's code between kernels").named("program_seconds"),
          optional_field<&T::system>("part of all of these in the system's kernel").named("system_seconds"),
          optional_field<&T::page_faults>("number of page faults")};
}
template <>
inline Fields FieldTable<selective::RunTimeRatio>::fields() {
  return {field<&T::taken>("time of kernels in the execution").named("taken_seconds"),
          field<&T::expected>("time of the same kernels in the executions before it").named("expected_seconds")};
}
template <>
inline Fields FieldTable<path::MessageModel>::fields() {
  return {field<&T::latency>("time of an empty message").named("latency_seconds"),
          field<&T::bytes_per_second>("bandwidth of long messages")};
}
template <>
inline Fields FieldTable<MpiTraffic>::fields() {
  return {field<&T::messages>("number of messages"), field<&T::bytes>("bytes of all messages"),
          field<&T::largest_bytes>("bytes of the longest message")};
}
template <>
inline Fields FieldTable<MpiWait>::fields() {
  return {field<&T::routine>("MPI routine that waited"), field<&T::awaited_rank>("the other process; missing or null if there are several"),
          field<&T::seconds>("time of the wait")};
}
template <>
inline Fields FieldTable<MpiOtherTool>::fields() {
  return {field<&T::library>("file; empty for the program itself"),
          optional_field<&T::functions>("functions that the program calls first, and that call flopcast's"),
          optional_field<&T::unseen_functions>("functions that don't call flopcast's")};
}
template <>
struct EnumNames<MpiWaitKind> {
  static constexpr std::array names{std::pair{MpiWaitKind::late_sender, "late sender"},
                                    std::pair{MpiWaitKind::late_receiver, "late receiver"},
                                    std::pair{MpiWaitKind::collective, "collective"}};
};
template <>
inline Fields FieldTable<MpiWaiting>::fields() {
  return {field<&T::rank>("process that waited"),
          field<&T::awaited_rank>("process that was late; missing or null, in tables 'several': not one alone, or not known"),
          field<&T::kind>("cause: a late sender, a late receiver, or a process that came later to a collective"),
          field<&T::routine>("MPI routine that waited"),
          optional_field<&T::region>("region of the program's own in which the call lies; empty: none"),
          optional_field<&T::site>("place of the call: function, and file with a number for addr2line; empty if it isn't known"),
          field<&T::count>("number of waits of 20 microseconds and more"),
          field<&T::seconds>("time of these waits; wall time even if the clock is CPU time")};
}
template <>
inline Fields FieldTable<MpiEfficiencies>::fields() {
  const auto share = [](const Field& field) { return field.measured_in("fraction", Best::large); };
  return {
      field<&T::run>("time of the run, of which the efficiencies are parts").named("run_seconds"),
      field<&T::ideal_run>("time with a network that takes no time: the longest chain of computation through the messages")
          .named("ideal_run_seconds"),
      share(field<&T::parallel>("mean computation of a process over the time of the run: load balance times communication efficiency")),
      share(field<&T::load_balance>("mean computation of a process over the most of one")),
      share(field<&T::communication>("most computation of a process over the time of the run: serialisation times transfer efficiency")),
      share(field<&T::serialisation>(
          "most computation of a process over the time with a network that takes no time: what waiting for each other leaves")),
      share(field<&T::transfer>("time with a network that takes no time over the time of the run"))};
}
template <>
inline Fields FieldTable<MpiRegion>::fields() {
  return {field<&T::name>("name of the region"), field<&T::efficiencies>("parallel efficiencies (POP) in the region")};
}
template <>
inline Fields FieldTable<MpiProcessTimeline>::fields() {
  return {field<&T::rank>("rank in MPI_COMM_WORLD"),
          field<&T::computation>("part of each bin in kernels and regions, 0 to 1"),
          field<&T::own_code>("part of each bin in the program's own code outside of them"),
          field<&T::communication>("part of each bin in MPI, without waiting"),
          field<&T::waiting>("part of each bin that the process waited"),
          field<&T::on_path>("part of each bin in which the critical path was in the process")};
}
template <>
inline Fields FieldTable<MpiEvent>::fields() {
  return {field<&T::rank>("rank in MPI_COMM_WORLD"), field<&T::name>("kernel, region, MPI routine, or critical path"),
          field<&T::category>("computation, communication, region or path"),
          field<&T::begin>("start since all processes began").named("begin_seconds"), field<&T::seconds>("duration")};
}
template <>
inline Fields FieldTable<MpiTimeline>::fields() {
  return {field<&T::bin>("width of a bin").named("bin_seconds"),
          field<&T::processes>("processes by rank, at most 64, with 240 bins at most"),
          optional_field<&T::events>("events of all processes, if they were asked for"),
          optional_field<&T::omitted_events>("events without a place among these: short ones")};
}
void to_json(nlohmann::json& json, const MpiTimes& times);
void from_json(const nlohmann::json& json, MpiTimes& times);

template <>
inline Fields FieldTable<MpiKernel>::fields() {
  return {
      field<&T::name>("a BLAS or LAPACK routine with flags and sizes, a region of the program's own, or an MPI routine").named("kernel"),
      field<&T::kind>("computation, communication or region"),
      field<&T::routine>("name of the routine or region"),
      field<&T::words>("sizes and flags that the time is taken to depend on"),
      optional_field<&T::size_count>("number of a region's words that are sizes"),
      field<&T::along>("along the critical path, measured or estimated"),
      field<&T::executed>("executions in all processes"),
      field<&T::in_context>("executions among their neighbours, if these were told apart"),
      field<&T::skipped>("executions that were replaced by an estimate"),
      optional_field<&T::flops>("flops of one execution; 0 if unknown"),
      field<&T::where>("place for which the times hold, if it isn't the whole document's")};
}
template <>
inline Fields FieldTable<MpiKernelList>::fields() {
  return {optional_field<&T::where>("place for which the times hold: MPI, clock, number of processes, BLAS"),
          optional_field<&T::policy>("policy of selective execution"), field<&T::kernels>("kernels with their times")};
}

template <>
inline Fields FieldTable<MpiKernelSums>::fields() {
  return {field<&T::along>("time of kernels on the critical path").named("along_seconds"),
          field<&T::computation>("the part of that outside of MPI").named("computation_seconds"),
          field<&T::executed>("executions in all processes"), field<&T::skipped>("executions that were replaced by an estimate"),
          field<&T::path_variance>("variance of the path's time from one execution to the next").measured_in("s^2", Best::small)};
}

template <>
inline Fields FieldTable<MpiProcess>::fields() {
  return {
      inlined_field<&T::own>(),
      field<&T::rank>("rank in MPI_COMM_WORLD"),
      field<&T::host>("name of the node"),
      field<&T::on_path>("time of this process's kernels on the critical path").named("on_path_seconds").measured_in("s", Best::neither),
      optional_field<&T::own_code_on_path>("time on the critical path of this process's code outside of kernels and regions")
          .named("own_code_on_path_seconds")
          .measured_in("s", Best::neither),
      optional_field<&T::cpu>("CPU time of all threads").named("cpu_seconds"),
      optional_field<&T::without_core>("wall time in which the process was ready to run, but had no core").named("without_core_seconds"),
      optional_field<&T::program_without_core>("the part of that outside of MPI").named("program_without_core_seconds"),
      optional_field<&T::blocked>(
          "wall time outside of MPI in which the process neither computed nor was ready to run: asleep, or waiting for a file")
          .named("blocked_seconds"),
      field<&T::longest_wait>("the longest wall time waited for another process in calls of one routine")};
}
void to_json(nlohmann::json& json, const MpiCallSequence& sequence);
void from_json(const nlohmann::json& json, MpiCallSequence& sequence);

template <>
inline Fields FieldTable<MpiProfile>::fields() {
  return {
      field<&T::mpi>("name and version: \"Open MPI v4.1.4\""),
      field<&T::ranks>("number of processes"),
      optional_field<&T::where>("place for which the kernels' times hold"),
      field<&T::clock>("clock of the times"),
      optional_field<&T::granted_cpus>("CPUs that a control group grants; 0 if none limits them"),
      optional_field<&T::policy>("policy of selective execution"),
      optional_field<&T::tolerance>("relative half-width from which on the time of a kernel counts as known"),
      optional_field<&T::confidence>("confidence of these intervals"),
      field<&T::elapsed>("time between MPI_Init and MPI_Finalize").named("elapsed_seconds"),
      field<&T::path_complete>("false if a process had more events than are kept"),
      optional_field<&T::sessions>("the program uses sessions beside MPI_Init"),
      optional_field<&T::spawned_processes>("processes that aren't traced"),
      field<&T::message_model>("cost of a message between two processes"),
      field<&T::critical_path>("along the critical path").named("path"),
      optional_field<&T::own_code>("the program's own code on the critical path: computation outside of kernels and regions")
          .named("own_code_seconds"),
      field<&T::efficiencies>("parallel efficiencies (POP)"),
      optional_field<&T::regions>("outermost regions of the program's own, by falling time"),
      field<&T::longest>("the longest path by each metric"),
      field<&T::per_process>("the most of any process, by metric"),
      field<&T::volumetric>("mean of all processes"),
      optional_field<&T::processes>("processes by rank"),
      field<&T::timeline>("what processes did when; missing without wall time, or if kernels are skipped"),
      optional_field<&T::waits>("longest waits for other processes, by falling time"),
      optional_field<&T::prediction_error>("half-width that predictions across sizes add to the path's time")
          .named("prediction_error_seconds"),
      optional_field<&T::program_variance>("variance of the time of the program's own code along the path").measured_in("s^2", Best::small),
      field<&T::pace>("times of kernels against those of earlier executions"),
      field<&T::spent>("means of the processes"),
      field<&T::own_messages>("messages of flopcast's own"),
      optional_field<&T::calls>("calls of MPI by all processes"),
      optional_field<&T::bypassing_messages>("messages seen at one end only, or at none"),
      optional_field<&T::prefixed_calls>("calls by names with PMPI_, or by addresses from dlsym"),
      optional_field<&T::simultaneous_calls>("calls beside another thread's, not traced"),
      optional_field<&T::other_tools>("other tools in the process that define MPI functions, too"),
      optional_field<&T::kernel_sums>("sums over all kernels, where only some of them are listed"),
      field<&T::kernels>("kernels by falling time along the critical path")};
}

template <>
struct SchemaOf<MpiTimes> {
  static nlohmann::ordered_json make(SchemaMaker& maker) {
    const nlohmann::ordered_json number = described(maker.of<std::optional<double>>(), "null: infinite");
    nlohmann::ordered_json mean = number, variance = number;
    mean["unit"] = "s";
    variance["unit"] = "s^2";
    return object_schema({{"count", described(maker.of<std::uint64_t>(), "number of executions")},
                          {"mean", std::move(mean)},
                          {"variance", std::move(variance)},
                          {"seconds", number}},
                         {"variance", "seconds"});
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
