#include "flopcast/tasks/programs/opened_recording.hpp"

#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/program/recorded_place.hpp"
#include "flopcast/program/thread_safety.hpp"

namespace flopcast {

OpenedRecording::OpenedRecording(const std::filesystem::path& path)
    : file(path), breakdown(file), place(program::recorded_place(file.summary())) {}

std::string OpenedRecording::complete_place(std::optional<int> threads_option, const RunContext& context) {
  if (threads_option) {
    place.threads = threads_option;
  }
  std::string assumed = program::assume_threads(place);
  kernels = recorded_kernels(place, context);
  place.kernel_settings = kernels ? kernels->had_setting : KernelSettings();
  return assumed;
}

machine::LibraryChoice libraries_for(const OpenedRecording& opened, const WhatIf& change) {
  const program::RecordedPlace& place = opened.place;
  machine::LibraryChoice libraries;
  if (change.threads == 0) {
    throw bad_input("'{}' is predicted by the method placed with the cache state filled only. Ask with these, or for a number of threads",
                    to_string(change));
  }
  libraries.threads = change.threads.value_or(place.threads.value_or(1));
  libraries.kernels = change.kernels.empty() ? "library" : change.kernels;
  libraries.blas = change.blas;
  libraries.lapack = change.lapack;
  program::require_thread_safe(opened.file, libraries.blas, libraries.lapack);
  if (libraries.blas.empty()) {
    constexpr int several = 2;
    libraries.blas = place.blas.empty() && program::threads_overlap(opened.file) ? machine::default_blas(several) : place.blas;
    libraries.lapack = libraries.lapack.empty() ? place.lapack : libraries.lapack;
    libraries.kernel_settings = change.kernels.empty() ? place.kernel_settings : machine::KernelSettings();
  }
  return libraries;
}

}  // namespace flopcast
