#include "flopcast/tasks/roofline/requirements.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/measure/memory.hpp"
#include "flopcast/program/program_trace.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/roofline/points.hpp"

namespace flopcast {
namespace {

void require_libraries(const RooflineRequest& request) {
  std::map<std::filesystem::path, std::string> files;
  for (const std::string& library : request.blas) {
    const auto [same, is_new] = files.try_emplace(machine::locate(library, machine::Role::blas), library);
    if (!is_new) {
      throw usage_error("the BLAS libraries '{}' and '{}' are the same file", same->second, library);
    }
    if (!request.searches_gemm) {
      machine::locate_usable(library, machine::Role::blas);
      continue;
    }
    for (const std::string& routine : request.gemm) {
      machine::locate_usable(library, machine::Role::blas, routine);
    }
  }
}

}  // namespace

void require_memory(const roofline::GemmSpace& space) {
  const auto needed = 8.0 * static_cast<double>(space.elements()), available = static_cast<double>(measure::available_memory_bytes());
  if (needed > available) {
    throw bad_input("the largest matrices of the space need {} of memory, but only {} are available", format_bytes(needed),
                    format_bytes(available));
  }
}

void require_measurable(const RooflineRequest& request) {
  require_memory(request.space);
  require_libraries(request);
  require_points(request.calls);
  for (const std::string& file : request.recordings) {
    const program::ProgramTraceFile readable(file);
  }
}

}  // namespace flopcast
