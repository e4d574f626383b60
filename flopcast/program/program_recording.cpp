#include "flopcast/program/program_recording.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <new>
#include <string>
#include <vector>

#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/machine/cpu/other_load.hpp"
#include "flopcast/program/component.hpp"
#include "flopcast/program/prepared_program.hpp"
#include "flopcast/program/recording_document.hpp"
#include "flopcast/protocol/trace_format.hpp"
#include "flopcast/support/anonymous.hpp"
#include "flopcast/support/child_process.hpp"
#include "flopcast/support/descriptor.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/process_environment.hpp"

namespace flopcast::program {
namespace {

namespace fs = std::filesystem;

/// Returns whether the CPU's counter ticks evenly and alike on all cores. Where it doesn't, the kernel uses one of the two slow clocks.
bool counter_is_even() {
  std::string source;
  std::ifstream("/sys/devices/system/clocksource/clocksource0/current_clocksource") >> source;
  return machine::has_invariant_counter() && source != "hpet" && source != "acpi_pm";
}

/// A reading of the ticks and of the system's clock.
struct RecordingMoment {
  std::uint64_t ticks = 0, nanoseconds = 0;

  static RecordingMoment now(bool counter) { return {protocol::trace_ticks(counter), protocol::trace_ticks(false)}; }
};

double rate(const RecordingMoment& from, const RecordingMoment& to) {
  return 1e9 * static_cast<double>(to.ticks - from.ticks) / static_cast<double>(to.nanoseconds - from.nanoseconds);
}

/// Returns the tick rate from two readings some milliseconds apart.
double calibrated_rate(const RecordingMoment& start, bool counter) {
  constexpr std::uint64_t calibration = 5'000'000;
  RecordingMoment end = start;
  while (end.nanoseconds - start.nanoseconds < calibration) {
    end = RecordingMoment::now(counter);
  }
  return rate(start, end);
}

/// Returns the document without folder and arguments. Variables keep numbers only.
RecordingDocument anonymous_document(RecordingDocument document) {
  document.command = anonymous_command(document.command);
  document.folder.clear();
  std::erase_if(document.thread_variables,
                [](const auto& variable) { return variable.second.find_first_not_of("0123456789,") != std::string::npos; });
  return document;
}

std::string folder_of(const fs::path& file) { return file.parent_path().empty() ? "." : file.parent_path().string(); }

/// The recording's file with its header mapped. It has a temporary name until start(), so that an older recording is kept until then.
class TraceFile {
 public:
  TraceFile(const fs::path& path, const RecordingDocument& document, bool anonymous)
      : path_(fs::absolute(path)), temporary_(path_.string() + ".XXXXXX") {
    if (std::error_code none; fs::exists(path_, none) && !fs::is_regular_file(path_, none)) {
      throw environment_error("can't record into {}: it isn't a regular file", path.string());
    }
    const int file = mkstemp(temporary_.data());
    if (file < 0) {
      throw environment_error("can't write {}: {}: {}", path.string(), folder_of(path), std::strerror(errno));
    }
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(file, 0666 & ~mask);
    const int error = fill(file, to_json(anonymous ? anonymous_document(document) : document));
    close(file);
    if (error == 0) {
      header_->anonymous = anonymous ? 1 : 0;
    } else {
      unlink(temporary_.c_str());
      throw environment_error("can't write {}: {}", path.string(), std::strerror(error));
    }
  }
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  ~TraceFile() {
    munmap(header_, protocol::trace_page);
    if (!kept_) {
      unlink(temporary_.c_str());
    }
  }

  void start(bool probes) {
    header_->probed = probes ? 1 : 0;
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
      throw environment_error("can't write {}: {}", path_.string(), std::strerror(errno));
    }
    temporary_ = path_.string();
    const bool counter = counter_is_even();
    start_ = RecordingMoment::now(counter);
    header_->counter = counter ? 1 : 0;
    header_->ticks_per_second = counter ? calibrated_rate(start_, counter) : 1e9;
    start_ = RecordingMoment::now(counter);
    header_->origin = start_.ticks;
    header_->started = std::time(nullptr);
  }

  void finish(int exit_code, Seconds cpu_seconds, double other_cores, std::int64_t resident_bytes) {
    kept_ = true;
    const RecordingMoment end = RecordingMoment::now(header_->counter != 0);
    constexpr std::uint64_t long_enough = 50'000'000;  // nanoseconds above which this rate is better than the calibration
    if (header_->counter != 0 && end.nanoseconds - start_.nanoseconds > long_enough) {
      header_->ticks_per_second = rate(start_, end);
    }
    add_checksums();
    header_->ended = end.ticks;
    header_->exit_code = exit_code;
    header_->cpu_seconds = cpu_seconds;
    header_->other_cores = other_cores;
    header_->resident_bytes = resident_bytes;
    header_->finished = 1;
  }

  [[nodiscard]] const fs::path& path() const noexcept { return path_; }

 private:
  /// Gives the threads' live chunks checksums, as the sealed ones have. Live chunks keep no checksum where writing it fails.
  void add_checksums() const {
    const int file = open(path_.c_str(), O_RDWR | O_CLOEXEC);
    std::vector<std::byte> contents(protocol::live_bytes);
    const std::uint64_t end = header_->end.load();
    protocol::ChunkHeader chunk{};
    for (std::uint64_t at = protocol::trace_page + protocol::round_to_page(header_->document_bytes); file >= 0 && at < end;) {
      if (pread(file, &chunk, sizeof chunk, static_cast<off_t>(at)) != sizeof chunk) {
        break;
      }
      const std::size_t bytes = chunk.bytes.load();
      const bool live = chunk.magic == protocol::chunk_magic && chunk.kind == protocol::ChunkKind::live;
      if (live && bytes <= protocol::live_bytes - sizeof chunk &&
          pread(file, contents.data(), bytes, static_cast<off_t>(at + sizeof chunk)) == static_cast<ssize_t>(bytes)) {
        const std::uint64_t sums[] = {protocol::chunk_checksum(contents.data(), bytes), bytes};
        static_assert(offsetof(protocol::ChunkHeader, checked) == offsetof(protocol::ChunkHeader, checksum) + sizeof sums[0]);
        if (pwrite(file, sums, sizeof sums, static_cast<off_t>(at + offsetof(protocol::ChunkHeader, checksum))) < 0) {
          break;
        }
      }
      at += live                                   ? protocol::live_bytes
            : chunk.magic == protocol::chunk_magic ? protocol::round_to_page(sizeof chunk + bytes)
                                                   : protocol::trace_page;
    }
    if (file >= 0) {
      close(file);
    }
  }

  /// Returns 0 or the errno of the failure.
  int fill(int file, const std::string& document) {
    const std::size_t bytes = protocol::trace_page + protocol::round_to_page(document.size());
    if (const int error = posix_fallocate(file, 0, static_cast<off_t>(bytes)); error != 0) {
      return error;
    }
    if (pwrite(file, document.data(), document.size(), protocol::trace_page) != static_cast<ssize_t>(document.size())) {
      return errno;
    }
    void* mapped = mmap(nullptr, protocol::trace_page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) {
      return errno;
    }
    header_ = new (mapped) protocol::FileHeader{};
    header_->version = protocol::trace_version;
    header_->document_bytes = static_cast<std::uint32_t>(document.size());
    header_->end = bytes;
    header_->ticks_per_second = 1e9;
    std::memcpy(header_->magic, protocol::trace_magic, sizeof protocol::trace_magic);
    return 0;
  }

  fs::path path_;
  std::string temporary_;
  protocol::FileHeader* header_ = nullptr;
  RecordingMoment start_;
  bool kept_ = false;
};

}  // namespace

int record_program(const ProgramOptions& program, const RecordingOptions& options) {
  PreparedProgram prepared(program, "libflopcast-trace.so");
  std::vector<std::string>& environment = prepared.environment();
  if (options.dry_run) {
    process::set_variable(environment, protocol::dry_run_variable, find_component("libflopcast-dry-run.so").string());
  }
  TraceFile trace(
      options.output,
      {program.command, fs::current_path().string(), options.dry_run, options.machine, program.threads, thread_variables(environment)},
      options.anonymous);
  process::set_variable(environment, protocol::trace_variable, trace.path().string());
  trace.start(options.probes);
  const machine::OtherLoad others;
  const Seconds before = machine::cpu_seconds(RUSAGE_CHILDREN);
  ChildSetup setup;
  setup.silent = options.silent;
  setup.limit = options.limit;
  const Descriptor nothing(options.silent ? ::open("/dev/null", O_RDONLY | O_CLOEXEC) : -1);
  if (options.silent) {
    setup.files = {{STDIN_FILENO, nothing.get()}};
  }
  const std::int64_t known_bytes = std::max(machine::peak_resident_bytes(RUSAGE_SELF), machine::peak_resident_bytes(RUSAGE_CHILDREN));
  const int exit_code = run_in_foreground(prepared.file(), program.command, environment, setup).code();
  const std::int64_t resident_bytes = machine::peak_resident_bytes(RUSAGE_CHILDREN);
  trace.finish(exit_code, machine::cpu_seconds(RUSAGE_CHILDREN) - before, others.cores().value_or(0),
               resident_bytes > known_bytes ? resident_bytes : 0);
  return exit_code;
}

}  // namespace flopcast::program
