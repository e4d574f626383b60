// Records the BLAS and LAPACK calls of a program and shows where their time went.
//   for      authors of tools that look into other programs
//   build    cmake --build --preset check --target example_profile example_cholesky
//   run      build/check/bin/example_profile cholesky.trace build/check/bin/example_cholesky 1000
//   picture  flopcast profile cholesky.trace --figure profile.svg
//   read     docs/howto/why_slow.md
#include <cstdio>

#include "flopcast/flopcast.hpp"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::puts("usage: profile RECORDING PROGRAM [ARGUMENT...]");
    return 2;
  }
  flopcast::record_program({.command = {argv + 2, argv + argc}, .output = argv[1]});
  const flopcast::ProgramProfile profile = flopcast::profile_program({.recording = argv[1], .with_peak = false});
  for (const flopcast::ProgramProfile::Routine& routine : profile.routines) {
    std::printf("%-8s %6lld calls  %.3g s\n", routine.routine.c_str(), static_cast<long long>(routine.calls), routine.seconds);
  }
}
