#pragma once

/// Kinds of documents that the store keeps beside samples and models, with what distinguishes documents of one kind.
namespace flopcast::model::artifact {

inline constexpr const char* reference_time = "reference-time";        ///< per environment: times of the reference kernels
inline constexpr const char* kernel_choice = "kernel-choice";          ///< per library: kernels that suit the CPU
inline constexpr const char* kernel_comparison = "kernel-comparison";  ///< per library and kernels: rates of two choices of kernels
inline constexpr const char* thread_thresholds = "thread-thresholds";  ///< per kernel and domain: sizes where a BLAS changes its threads
inline constexpr const char* sampled_segment = "sampled-segment";  ///< per environment, kernel and digest: calls that samples were timed in
inline constexpr const char* mpi_machine = "mpi-machine";          ///< per host: costs of messages
inline constexpr const char* mpi_kernels = "mpi-kernels";          ///< per host: kernel times of MPI programs
inline constexpr const char* mpi_self_checks = "mpi-self-checks";  ///< per program: results of self-checks
inline constexpr const char* contraction_plan = "contraction-plan";      ///< per contraction, machine and options: the plan that won
inline constexpr const char* contraction_rates = "contraction-rates-3";  ///< per environment: rates of the planner's kernels
inline constexpr const char* micro_benchmark = "micro-benchmark";        ///< per kernel call and context: timings of micro-benchmarks

}  // namespace flopcast::model::artifact
