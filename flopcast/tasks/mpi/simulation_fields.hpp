#pragma once

#include <tuple>

#include "flopcast/tasks/mpi/profile_fields.hpp"
#include "flopcast/tasks/mpi/simulation_result.hpp"

/// Members of documents about simulated programs.
namespace flopcast {

template <>
struct FieldTable<SimulatedKernel> {
  static constexpr auto fields = std::tuple(
      field("kernel", &SimulatedKernel::name, "name for readers"), field("kind", &SimulatedKernel::kind),
      field("routine", &SimulatedKernel::routine), field("words", &SimulatedKernel::words, "sizes and flags"),
      field("all", &SimulatedKernel::all, "in all processes"), field("along", &SimulatedKernel::along, "along the critical path"),
      optional_field("known", &SimulatedKernel::known, "a model predicts its time; otherwise it is assumed to run with 20 GFLOP/s"),
      optional_field("flops", &SimulatedKernel::flops, "flops of one execution"));
};

template <>
struct FieldTable<SimulatedProcess> {
  static constexpr auto fields =
      std::tuple(field("seconds", &SimulatedProcess::seconds), field("computation_seconds", &SimulatedProcess::computation),
                 field("communication_seconds", &SimulatedProcess::communication), field("waiting_seconds", &SimulatedProcess::waiting),
                 field("messages", &SimulatedProcess::messages), field("message_bytes", &SimulatedProcess::message_bytes),
                 field("flops", &SimulatedProcess::flops));
};

template <>
struct FieldTable<SimulatedRun> {
  static constexpr auto fields = std::tuple(
      field("ranks", &SimulatedRun::ranks), field("seconds", &SimulatedRun::seconds), field("blas", &SimulatedRun::blas),
      field("lapack", &SimulatedRun::lapack, "file of the program's LAPACK; empty if it has none"),
      field("path_complete", &SimulatedRun::path_complete, "false if a process had more events than are kept"),
      field("path", &SimulatedRun::critical_path), field("processes", &SimulatedRun::processes), field("kernels", &SimulatedRun::kernels),
      optional_field("simulation_seconds", &SimulatedRun::simulation_seconds, "wall time of the simulation"));
};

}  // namespace flopcast
