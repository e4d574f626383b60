#include "flopcast/program/thread_safety.hpp"

#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::program {
namespace {

[[noreturn]] void refuse(const std::string& library) {
  throw bad_input(
      "{} was built for one thread and has no lock. Threads of the recorded program may call BLAS at the same time, and would get wrong "
      "results from it. Choose a library that several threads may call, such as openblas-pthread or blis",
      library);
}

void require_several_threads(const std::string& library, machine::Role role) {
  if (!library.empty() && !machine::Library::open(library, role).may_be_called_by_several_threads()) {
    refuse(library);
  }
}

}  // namespace

void require_thread_safe(const RecordedProgram& program, const std::string& blas, const std::string& lapack) {
  if (threads_overlap(program)) {
    require_several_threads(blas, machine::Role::blas);
    require_several_threads(lapack, machine::Role::lapack);
  }
}

void require_thread_safe(const RecordedProgram& program, const Environment& environment) {
  for (const LibraryIdentity& library : {environment.blas, environment.lapack}) {
    if (library.name == "openblas" && library.threading == "serial" && threads_overlap(program)) {
      refuse(library.path);
    }
  }
}

}  // namespace flopcast::program
