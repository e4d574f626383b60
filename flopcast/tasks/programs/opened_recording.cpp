#include "flopcast/tasks/programs/opened_recording.hpp"

#include "flopcast/program/recorded_place.hpp"

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

}  // namespace flopcast
