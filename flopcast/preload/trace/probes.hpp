#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

/// Probes of where the main thread computes outside of BLAS and LAPACK. A timer on the user CPU time of the thread interrupts it where it
/// computes and never in a system call, so that no system call ends early (EINTR). In Python the line is noted where the interpreter next
/// handles pending calls, by functions of its public interface. Also counts the page faults of first calls.
namespace flopcast::preload {

/// A function that returns the part of a path that the recording keeps. The part ends with a zero, as the path does.
using KeptPath = std::string_view (*)(const char*) noexcept;

/// Begins the probes of the calling thread. Nothing is probed or watched where the program has a use for SIGURG. A forked process isn't
/// probed.
void start_probes(KeptPath kept_path) noexcept;

/// Watches the page faults of the calling thread's call that begins now, the first one of a routine or a thread.
void watch_call() noexcept;

/// Notes the page faults of the call that ends now and began at `start`, in ticks, if the call was watched.
void note_watched_call(std::uint64_t start) noexcept;

/// Passes what was noted, as the text of a chunk (trace_format.hpp), to `write`, unless there is nothing.
void write_probes(void (*write)(const char* text, std::size_t bytes)) noexcept;

}  // namespace flopcast::preload
