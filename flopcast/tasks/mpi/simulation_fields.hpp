#pragma once

#include "flopcast/protocol/mpi_profile_fields.hpp"
#include "flopcast/tasks/mpi/mpi.hpp"

/// Members of documents about simulated programs.
namespace flopcast {

template <>
inline Fields FieldTable<SimulatedKernel>::fields() {
  return {
      field<&T::name>("a BLAS or LAPACK routine with flags and sizes, a region of the program's own, or an MPI routine").named("kernel"),
      field<&T::kind>("computation, communication or region"),
      field<&T::routine>("name of the routine or region"),
      field<&T::words>("sizes and flags"),
      field<&T::all>("executions in all simulated processes"),
      field<&T::along>("along the critical path"),
      optional_field<&T::known>("a model predicts its time; otherwise it is assumed to run with 20 GFLOP/s"),
      optional_field<&T::flops>("flops of one execution")};
}

template <>
inline Fields FieldTable<SimulatedProcess>::fields() {
  return {field<&T::seconds>("simulated time of the process"),
          field<&T::computation>("time outside of MPI").named("computation_seconds"),
          field<&T::communication>("data transfer").named("communication_seconds"),
          field<&T::waiting>("waiting for other processes").named("waiting_seconds"),
          optional_field<&T::own_code_on_path>("time of the process's own code on the critical path").named("own_code_on_path_seconds"),
          field<&T::messages>("number of messages sent"),
          field<&T::message_bytes>("bytes of these messages"),
          field<&T::flops>("flops of kernels that the catalogue knows")};
}

template <>
inline Fields FieldTable<SimulatedRun>::fields() {
  return {
      field<&T::ranks>("number of simulated processes"),
      field<&T::seconds>("simulated time"),
      field<&T::blas>("file of the program's BLAS; empty if it has none"),
      field<&T::lapack>("file of the program's LAPACK; empty if it has none"),
      field<&T::path_complete>("false if a process had more events than are kept"),
      field<&T::critical_path>("costs along the critical path").named("path"),
      optional_field<&T::own_code>("the program's own code on the critical path: computation outside of kernels").named("own_code_seconds"),
      field<&T::efficiencies>("parallel efficiencies (POP)"),
      field<&T::timeline>("what processes did when, by the simulated clock"),
      optional_field<&T::waits>("longest waits for other processes, by falling time"),
      field<&T::processes>("processes by rank"),
      field<&T::kernels>("kernels by falling time along the critical path"),
      optional_field<&T::simulation_seconds>("wall time of the simulation")};
}

}  // namespace flopcast
