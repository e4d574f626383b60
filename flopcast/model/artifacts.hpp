#pragma once

/// Kinds of documents that the store keeps beside samples and models, by what their names tell apart.
namespace flopcast::model::artifact {

inline constexpr const char* reference_time = "reference-time";          ///< by environment: times of the reference kernels
inline constexpr const char* kernel_choice = "kernel-choice";            ///< by library: kernels that suit the CPU
inline constexpr const char* kernel_comparison = "kernel-comparison";    ///< by library and kernels: rates of two choices of kernels
inline constexpr const char* thread_thresholds = "thread-thresholds";    ///< by kernel and domain: sizes where a BLAS changes its threads
inline constexpr const char* roofline_study = "roofline-study";          ///< by study: state to go on with
inline constexpr const char* mpi_machine = "mpi-machine";                ///< by host: costs of messages
inline constexpr const char* mpi_kernels = "mpi-kernels";                ///< by host: kernel times of MPI programs
inline constexpr const char* mpi_self_checks = "mpi-self-checks";        ///< by program: results of self-checks
inline constexpr const char* contraction_plan = "contraction-plan";      ///< by contraction, machine and options: the plan that won
inline constexpr const char* contraction_rates = "contraction-rates-3";  ///< by environment: rates of the planner's kernels
inline constexpr const char* micro_benchmark = "micro-benchmark";        ///< by kernel call and context: timings of micro-benchmarks

}  // namespace flopcast::model::artifact
