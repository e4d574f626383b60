#include "flopcast/cli/thread_safety.hpp"

#include "flopcast/core/error.hpp"
#include "flopcast/machine/installed.hpp"
#include "flopcast/machine/library.hpp"

namespace flopcast::cli {
namespace {

[[noreturn]] void refuse(const std::string& library, const std::string& asked) {
  throw bad_input(
      "{}: {} was built for one thread and has no lock. Threads of the recorded program may call BLAS at the same time, and would get "
      "wrong "
      "results from it. Choose a library that several threads may call, such as openblas-pthread or blis",
      asked, library);
}

}  // namespace

void require_thread_safe(const interpose::ProgramTraceFile& file, const LibraryOptions& libraries, const std::string& asked) {
  if (!interpose::threads_overlap(file)) {
    return;
  }
  const std::string blas = libraries.blas.empty() ? machine::default_blas(libraries.threads) : libraries.blas;
  if (!machine::Library::open(blas, machine::Role::blas).may_be_called_by_several_threads()) {
    refuse(blas, asked);
  }
  if (!libraries.lapack.empty() && !machine::Library::open(libraries.lapack, machine::Role::lapack).may_be_called_by_several_threads()) {
    refuse(libraries.lapack, asked);
  }
}

void require_thread_safe(const interpose::ProgramTraceFile& file, const Environment& environment, const std::string& asked) {
  for (const LibraryIdentity& library : {environment.blas, environment.lapack}) {
    if (library.name == "openblas" && library.threading == "serial" && interpose::threads_overlap(file)) {
      refuse(library.path, asked);
    }
  }
}

}  // namespace flopcast::cli
