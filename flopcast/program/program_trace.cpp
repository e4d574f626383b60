#include "flopcast/program/program_trace.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/program/recorded_place.hpp"
#include "flopcast/program/recording_document.hpp"
#include "flopcast/protocol/record_layout.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::program {
namespace {

namespace fs = std::filesystem;
using View = std::span<const std::byte>;

/// Returns whether a mapping's holes need memory that a full disk lacks. Reading such a hole would end the process.
bool is_unsafe_to_map(int file) {
  struct statfs disk {};
  return fstatfs(file, &disk) == 0 && disk.f_type == TMPFS_MAGIC && lseek(file, 0, SEEK_HOLE) < lseek(file, 0, SEEK_END);
}

/// Returns the first `bytes` of a file in this process's memory, which takes no more memory than the file has data. Returns MAP_FAILED on
/// error, as mmap does.
void* copy_of(int file, std::size_t bytes) {
  void* const copy = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  const auto end = static_cast<off_t>(bytes);
  for (off_t at = copy != MAP_FAILED ? lseek(file, 0, SEEK_DATA) : -1; at >= 0 && at < end; at = lseek(file, at, SEEK_DATA)) {
    const off_t hole = std::min(lseek(file, at, SEEK_HOLE), end);
    while (at < hole) {
      const ssize_t read = pread(file, static_cast<std::byte*>(copy) + at, static_cast<std::size_t>(hole - at), at);
      if (read <= 0) {
        return copy;  // the rest stays zero, as in a file that was cut off
      }
      at += read;
    }
  }
  return copy;
}

/// A file's contents, mapped.
class MappedFile {
 public:
  explicit MappedFile(const fs::path& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file < 0 || fstat(file, &status) != 0) {
      const int error = errno;
      if (file >= 0) {
        close(file);
      }
      throw bad_input("can't read {}: {}", path.string(), std::strerror(error));
    }
    bytes_ = S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) : 0;
    if (bytes_ > 0) {
      data_ = is_unsafe_to_map(file) ? copy_of(file, bytes_) : mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, file, 0);
    }
    close(file);
    if (data_ == MAP_FAILED) {
      throw bad_input("can't map {}: {}", path.string(), std::strerror(errno));
    }
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (bytes_ > 0) {
      munmap(data_, bytes_);
    }
  }

  [[nodiscard]] View view() const noexcept { return {static_cast<const std::byte*>(data_), bytes_}; }

 private:
  std::size_t bytes_ = 0;
  void* data_ = nullptr;
};

bool has_address(const Argument& argument) {
  return argument.kind == Kind::data || argument.kind == Kind::work || argument.kind == Kind::pivots;
}

std::string_view text_of(View bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// Returns the parts of `text` that end with `separator`. The last part may lack it.
std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// Returns the header; throws bad_input if the file isn't a recording.
const protocol::FileHeader& checked_header(View file, const fs::path& path) {
  if (file.size() < sizeof protocol::trace_magic || std::memcmp(file.data(), protocol::trace_magic, sizeof protocol::trace_magic) != 0) {
    throw bad_input("{} isn't a recording of a program. It doesn't begin as files of 'flopcast record' do", path.string());
  }
  if (file.size() < sizeof(protocol::FileHeader)) {
    throw bad_input("{} is cut off after {} bytes, within its header", path.string(), file.size());
  }
  const auto& header = *reinterpret_cast<const protocol::FileHeader*>(file.data());
  if (header.version < protocol::oldest_trace_version || header.version > protocol::trace_version) {
    throw bad_input("{} has version {} of the format, but this flopcast reads versions {} to {}: {}", path.string(), header.version,
                    protocol::oldest_trace_version, protocol::trace_version,
                    header.version > protocol::trace_version ? "a newer flopcast wrote it" : "it is damaged");
  }
  return header;
}

RecordingDocument read_header_document(View file, const protocol::FileHeader& header, const fs::path& path) {
  if (file.size() < protocol::trace_page || file.size() - protocol::trace_page < header.document_bytes) {
    throw bad_input("{} is cut off after {} bytes, before its first call", path.string(), file.size());
  }
  return recording_document_from_json(text_of(file.subspan(protocol::trace_page, header.document_bytes)), path.string() + ": its document");
}

/// A piece of one thread's records.
struct FilePiece {
  std::uint64_t live = 0, sequence = 0;
  bool sealed = false;
  View records;
  std::uint32_t pid = 0;
};

/// A routine's entry in the dictionary.
struct PieceEntry {
  std::size_t bytes = 0;             ///< size of its arguments
  const Routine* routine = nullptr;  ///< null unless the catalogue has the routine with the same arguments
  int integer_bytes = 4;
};

}  // namespace

struct ProgramTraceFile::State {
  explicit State(const fs::path& path) : file(path) {
    const protocol::FileHeader& header = checked_header(file.view(), path);
    read_header(header, path);
    read_chunks(protocol::round_to_page(protocol::trace_page + header.document_bytes));
    order_threads();
    split_names();
    finish_summary(header, path);
  }

  void read_header(const protocol::FileHeader& header, const fs::path& path) {
    RecordingDocument document = read_header_document(file.view(), header, path);
    summary.command = std::move(document.command);
    summary.machine = std::move(document.machine);
    summary.dry_run = document.dry_run;
    summary.threads_option = document.threads;
    summary.thread_variables = std::move(document.thread_variables);
    summary.ticks_per_second = header.ticks_per_second;
    if (!(summary.ticks_per_second > 1 && summary.ticks_per_second < 1e12)) {
      throw bad_input("{} is damaged: its clock ticks {} times per second", path.string(), summary.ticks_per_second);
    }
    summary.started = header.started;
    summary.dropped = header.dropped.load();
    summary.loaded = header.processes.load();
    const std::uint64_t end = header.end.load(), there = protocol::round_to_page(file.view().size());
    // If there was no room, the end lies behind the last byte that could be written.
    summary.missing_bytes = summary.dropped == 0 && end > there ? end - there : 0;
  }

  void read_chunks(std::size_t at) {
    const View all = file.view();
    while (at < all.size() && all.size() - at >= sizeof(protocol::ChunkHeader)) {
      const auto& chunk = *reinterpret_cast<const protocol::ChunkHeader*>(all.data() + at);
      at += chunk.magic == protocol::chunk_magic ? read_chunk(chunk, all.subspan(at + sizeof(protocol::ChunkHeader)), at)
                                                 : protocol::trace_page;
    }
  }

  /// Returns the size of the chunk at `at`, whose contents are at the start of `rest`. Kinds of chunks stand in one list: the reason why
  /// this is one function.
  std::size_t read_chunk(const protocol::ChunkHeader& chunk, View rest, std::size_t at) {
    const std::uint64_t bytes = chunk.bytes.load();
    const bool live = chunk.kind == protocol::ChunkKind::live;
    const std::uint64_t checked = live ? chunk.checked : bytes;
    const bool fits = live ? bytes <= protocol::live_bytes - sizeof(protocol::ChunkHeader) && checked <= bytes : bytes <= rest.size();
    const bool is_cut = live && checked > rest.size();
    if (!fits || ((!live || checked > 0) && !is_cut && protocol::chunk_checksum(rest.data(), checked) != chunk.checksum)) {
      ++summary.damaged;
      return protocol::trace_page;
    }
    const View contents = rest.first(std::min<std::size_t>(bytes, rest.size()));
    switch (chunk.kind) {
      case protocol::ChunkKind::live:
      case protocol::ChunkKind::sealed: add_piece(chunk, contents, at); break;
      case protocol::ChunkKind::dictionary: read_dictionary(text_of(contents)); break;
      case protocol::ChunkKind::library:
        numbered[{chunk.pid, chunk.library}] = library_of(text_of(contents));
        add_path(summary.libraries, numbered[{chunk.pid, chunk.library}]);
        break;
      case protocol::ChunkKind::unseen: add_path(summary.unseen_libraries, library_of(text_of(contents))); break;
      case protocol::ChunkKind::state: add_state(text_of(contents)); break;
      case protocol::ChunkKind::probes: add_probes(text_of(contents)); break;
      case protocol::ChunkKind::process: summary.processes.push_back({chunk.pid, split(text_of(contents), '\0')}); break;
      default: ++summary.damaged;
    }
    return live ? protocol::live_bytes : protocol::round_to_page(sizeof(protocol::ChunkHeader) + bytes);
  }

  void add_piece(const protocol::ChunkHeader& chunk, View records, std::size_t at) {
    const bool sealed = chunk.kind == protocol::ChunkKind::sealed;
    if (records.empty()) {
      return;
    }
    std::vector<FilePiece>& thread = pieces[chunk.thread];
    thread.push_back({sealed ? chunk.live : at, chunk.sequence, sealed, records, chunk.pid});
    identities.try_emplace(chunk.thread, RecordedThread{chunk.pid, chunk.tid});
  }

  void read_dictionary(std::string_view text) {
    if (!entries.empty()) {
      return;
    }
    for (const std::string& line : split(text, '\n')) {
      const std::size_t blank = line.find(' ');
      const std::string name = line.substr(0, blank);
      const std::string layout = blank == std::string::npos ? "" : line.substr(blank + 1);
      const Routine* routine = layout.empty() ? nullptr : kernel::find(name);
      const int integer_bytes = routine != nullptr && protocol::record_layout(*routine, 8) == layout ? 8 : 4;
      if (routine != nullptr && protocol::record_layout(*routine, integer_bytes) != layout) {
        routine = nullptr;  // another version of the catalogue: only its name and times can be used
      }
      entries.push_back({protocol::record_bytes(layout), routine, integer_bytes});
      summary.names.push_back(name);
    }
  }

  /// Returns library_here(), which is looked up once for every library.
  const std::string& library_of(std::string_view recorded) {
    const auto [at, is_new] = libraries_here.try_emplace(std::string(recorded));
    if (is_new) {
      at->second = library_here(at->first);
    }
    return at->second;
  }

  static void add_path(std::vector<std::string>& paths, std::string_view path) {
    if (std::find(paths.begin(), paths.end(), path) == paths.end()) {
      paths.emplace_back(path);
    }
  }

  /// Adds a library's state. The state from the first process counts.
  void add_state(std::string_view text) {
    const std::vector<std::string> lines = split(text, '\n');
    LibraryState state;
    state.path = lines.empty() ? "" : library_of(lines.front());
    for (const std::string& line : lines) {
      int threads = 0;
      if (std::sscanf(line.c_str(), "threads %d", &threads) == 1 && threads > 0) {
        state.threads = threads;
      } else if (line.rfind("kernels ", 0) == 0) {
        state.kernels = line.substr(std::strlen("kernels "));
      }
    }
    const auto same = [&](const LibraryState& known) { return known.path == state.path; };
    if (std::none_of(summary.states.begin(), summary.states.end(), same)) {
      summary.states.push_back(std::move(state));
    }
  }

  void add_probes(std::string_view text) {
    Seconds each = protocol::probe_seconds;
    for (const std::string& line : split(text, '\n')) {
      constexpr std::size_t fields = 5;
      std::vector<std::string> field = split(line, '\t');
      field.resize(fields);
      const auto number = [&](std::size_t i, int base = 10) { return std::strtoull(field[i].c_str(), nullptr, base); };
      if (field[0] == "call") {
        const double tick = 1 / summary.ticks_per_second;
        summary.watched.push_back({static_cast<double>(number(1)) * tick, number(2), 1e-9 * static_cast<double>(number(3))});
      } else if (field[0] == "time") {  // ticks miss programs that often wait
        each = 1e-9 * static_cast<double>(number(1)) / static_cast<double>(std::max(1ULL, number(2)));
      } else {
        summary.probed.push_back({each * static_cast<double>(number(0)), field[1], number(2, 16), field[3], field[4]});
      }
    }
  }

  /// Sorts pieces by time. If a process was killed while it sealed a live chunk, that chunk has two copies, and the sealed one counts.
  void order_threads() {
    for (auto& [number, all] : pieces) {
      std::sort(all.begin(), all.end(), [](const FilePiece& a, const FilePiece& b) {
        return std::tuple(a.sequence, a.live, !a.sealed) < std::tuple(b.sequence, b.live, !b.sealed);
      });
      const auto same = [](const FilePiece& a, const FilePiece& b) { return a.sequence == b.sequence && a.live == b.live; };
      all.erase(std::unique(all.begin(), all.end(), same), all.end());
      summary.threads.push_back(identities.at(number));
      ordered.push_back(std::move(all));
    }
    pieces.clear();
  }

  void finish_summary(const protocol::FileHeader& header, const fs::path& path) {
    summary.finished = header.finished != 0;
    if (summary.finished && header.ended < header.origin) {
      throw bad_input("{} is damaged: the program has ended before it began", path.string());
    }
    const double tick = 1 / summary.ticks_per_second;
    if (summary.finished) {
      summary.exit_code = header.exit_code;
      summary.seconds = static_cast<double>(header.ended - header.origin) * tick;
      summary.cores_got =
          summary.seconds > 0 && std::isfinite(header.cpu_seconds) ? std::max(0.0, header.cpu_seconds) / summary.seconds : 0;
      summary.other_cores = std::isfinite(header.other_cores) ? std::max(0.0, header.other_cores) : 0;
      summary.waited_seconds = 1e-9 * static_cast<double>(header.waited_nanoseconds.load());
      summary.cpus = static_cast<int>(header.cpus.load());
      summary.resident_bytes = std::max<std::int64_t>(0, header.resident_bytes);
      return;
    }
    for (std::size_t t = 0; t < ordered.size(); ++t) {
      if (!ordered[t].empty()) {
        Queried queried;
        visit_piece(ordered[t].back(), queried,
                    [&](const ProgramEvent& event) { summary.seconds = std::max(summary.seconds, event.start + event.seconds); });
      }
    }
  }

  /// Caches the verdict on the previous call, because calls of one kind often follow each other.
  class Judge {
   public:
    bool operator()(const Call& call) {
      if (last_.routine != nullptr && call.routine == last_.routine && same_but_addresses(call)) {
        return possible_;
      }
      last_ = call;
      possible_ = fault_of(call).empty();
      return possible_;
    }

   private:
    [[nodiscard]] bool same_but_addresses(const Call& call) const {
      for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
        if (call.arguments[i] != last_.arguments[i] && (!has_address(call.routine->arguments[i]) || call.address(i) > highest_address)) {
          return false;
        }
      }
      return true;
    }
    static constexpr std::uintptr_t highest_address = std::uintptr_t{1} << 60U;

    Call last_;
    bool possible_ = false;
  };

  /// Numbers of the routines whose workspace size a thread has queried.
  using Queried = std::set<std::uint64_t>;

  /// Visits the records of a piece as they are, up to the first one that can't be valid.
  template <class Visit>
  void visit_records(const FilePiece& piece, Visit visit) const {
    for (View rest = piece.records; rest.size() >= sizeof(protocol::RecordHeader);) {
      protocol::RecordHeader header;
      std::memcpy(&header, rest.data(), sizeof header);
      rest = rest.subspan(sizeof header);
      const std::uint64_t routine = header.packed >> protocol::routine_shift;
      if (routine >= entries.size() || entries[routine].bytes > rest.size()) {
        return;
      }
      visit(header, routine, rest.first(entries[routine].bytes));
      rest = rest.subspan(entries[routine].bytes);
    }
  }

  /// Returns the file of the library that was called; empty if the recording doesn't say.
  [[nodiscard]] std::string library_of(const FilePiece& piece, const protocol::RecordHeader& header) const {
    const auto number = static_cast<std::uint32_t>(header.start >> protocol::notes_shift >> protocol::library_shift);
    const auto found = number != 0 ? numbered.find({piece.pid, number}) : numbered.end();
    return found != numbered.end() ? found->second : "";
  }

  /// Gives routines for which several libraries were called a name for each of them.
  void split_names() {
    summary.name_libraries.resize(summary.names.size());
    if (summary.libraries.size() < 2) {
      return;
    }
    std::map<std::string, std::set<std::string>> libraries;                 // by the routine's name
    std::set<std::pair<std::uint64_t, std::string>> called;                 // routines' numbers and libraries
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> seen;  // libraries' numbers, as bits, by process and routine
    for (const std::vector<FilePiece>& thread : ordered) {
      for (const FilePiece& piece : thread) {
        visit_records(piece, [&](const protocol::RecordHeader& header, std::uint64_t routine, View) {
          std::uint64_t& known = seen[{piece.pid, routine}];
          const std::uint64_t bit = std::uint64_t{1} << (header.start >> protocol::notes_shift >> protocol::library_shift);
          if ((known & bit) == 0) {
            known |= bit;
            const std::string library = library_of(piece, header);
            libraries[summary.names[routine]].insert(library);
            called.emplace(routine, library);
          }
        });
      }
    }
    for (const auto& [routine, library] : called) {
      const std::string name = summary.names[routine];
      if (libraries.at(name).size() > 1 && !library.empty()) {
        own_names[{routine, library}] = static_cast<std::uint32_t>(summary.names.size());
        summary.names.push_back(fmt::format("{} ({})", name, library_name(library)));
        summary.name_libraries.push_back(library);
      }
    }
  }

  /// Visits the calls of a piece.
  void visit_piece(const FilePiece& piece, Queried& queried, const std::function<void(const ProgramEvent&)>& visit) const {
    const double tick = 1 / summary.ticks_per_second;
    Judge is_possible;
    visit_records(piece, [&](const protocol::RecordHeader& header, std::uint64_t routine, View arguments) {
      const PieceEntry& entry = entries[routine];
      const auto notes = static_cast<unsigned>(header.start >> protocol::notes_shift);
      if ((notes & protocol::size_query) != 0) {
        queried.insert(routine);
        return;
      }
      ProgramEvent event;
      event.name = static_cast<std::uint32_t>(routine);
      if (!own_names.empty()) {
        const auto own = own_names.find({routine, library_of(piece, header)});
        event.name = own != own_names.end() ? own->second : event.name;
      }
      event.treatment = static_cast<protocol::Treatment>(header.packed >> protocol::treatment_shift & 3U);
      event.met_invalid = (notes & protocol::invalid_operation) != 0;
      event.has_nan = (notes & protocol::nan_result) != 0;
      event.met_denormals = (notes & protocol::denormal_operand) != 0;
      event.size_was_queried = queried.count(routine) > 0;
      event.start = static_cast<double>(header.start & protocol::latest_start) * tick;
      const Seconds duration = static_cast<double>(header.packed & protocol::longest_duration) * tick;
      (event.was_skipped() ? event.skipping : event.seconds) = duration;
      if (entry.routine != nullptr) {
        event.call = *protocol::decode_call(*entry.routine, arguments, entry.integer_bytes);
        event.call.routine = is_possible(event.call) ? entry.routine : nullptr;
      }
      visit(event);
    });
  }

  MappedFile file;
  ProgramSummary summary;
  std::vector<PieceEntry> entries;
  std::map<std::uint32_t, std::vector<FilePiece>> pieces;  ///< keyed by the thread's number, used while reading
  std::map<std::uint32_t, RecordedThread> identities;
  std::map<std::string, std::string> libraries_here;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> numbered;  ///< files of libraries by process and number
  std::map<std::pair<std::uint64_t, std::string>, std::uint32_t>
      own_names;                                ///< names of routines by number and library, where there are several
  std::vector<std::vector<FilePiece>> ordered;  ///< in the order of summary.threads
};

ProgramTraceFile::ProgramTraceFile(const fs::path& path) : state_(std::make_unique<State>(path)) {}
ProgramTraceFile::ProgramTraceFile(ProgramTraceFile&&) noexcept = default;
ProgramTraceFile& ProgramTraceFile::operator=(ProgramTraceFile&&) noexcept = default;
ProgramTraceFile::~ProgramTraceFile() = default;

const ProgramSummary& ProgramTraceFile::summary() const noexcept { return state_->summary; }

void ProgramTraceFile::visit(std::size_t thread, const std::function<void(const ProgramEvent&)>& visit) const {
  State::Queried queried;
  for (const FilePiece& piece : state_->ordered.at(thread)) {
    state_->visit_piece(piece, queried, visit);
  }
}

bool threads_overlap(const RecordedProgram& program) {
  struct Active {
    std::uint32_t pid;
    Seconds begin, end;
  };
  std::vector<Active> spans;
  for (std::size_t t = 0; t < program.summary().threads.size(); ++t) {
    std::optional<Active> span;
    program.visit(t, [&](const ProgramEvent& event) {
      span = {program.summary().threads[t].pid, span ? span->begin : event.start, event.start + event.seconds};
    });
    const bool overlaps = span && std::any_of(spans.begin(), spans.end(), [&](const Active& other) {
                            return other.pid == span->pid && other.begin <= span->end && span->begin <= other.end;
                          });
    if (overlaps) {
      return true;
    }
    if (span) {
      spans.push_back(*span);
    }
  }
  return false;
}

namespace {

/// Memory that operands cover. `first` is the position of its first use: the call, then the argument.
struct PieceSpan {
  std::uintptr_t begin = 0, end = 0;
  std::pair<std::size_t, std::size_t> first;
};

std::vector<PieceSpan> operand_spans(const std::vector<Call>& calls) {
  std::vector<PieceSpan> spans;
  for (std::size_t c = 0; c < calls.size(); ++c) {
    const Call& call = calls[c];
    for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
      if (has_address(call.routine->arguments[i]) && call.address(i) != 0) {
        const std::int64_t elements = std::max<std::int64_t>(span_elements(call, i), 1);
        const std::int64_t bytes = elements * argument_element_bytes(call, i);
        spans.push_back({call.address(i), call.address(i) + static_cast<std::uintptr_t>(bytes), {c, i}});
      }
    }
  }
  return spans;
}

/// Sorts spans by address, and joins those that overlap or touch.
std::vector<PieceSpan> joined(std::vector<PieceSpan> spans) {
  std::sort(spans.begin(), spans.end(), [](const PieceSpan& a, const PieceSpan& b) { return a.begin < b.begin; });
  std::vector<PieceSpan> result;
  for (const PieceSpan& span : spans) {
    if (result.empty() || span.begin > result.back().end) {
      result.push_back(span);
    } else {
      result.back().end = std::max(result.back().end, span.end);
      result.back().first = std::min(result.back().first, span.first);
    }
  }
  return result;
}

/// Returns each span's position in the order of first use.
std::vector<std::size_t> use_order(const std::vector<PieceSpan>& spans) {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> by_use;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    by_use[spans[i].first] = i;
  }
  std::vector<std::size_t> order(spans.size());
  std::size_t position = 0;
  for (const auto& [first, i] : by_use) {
    order[i] = position++;
  }
  return order;
}

}  // namespace

bool is_program_trace(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  char magic[sizeof protocol::trace_magic] = {};
  return in.read(magic, sizeof magic) && std::memcmp(magic, protocol::trace_magic, sizeof magic) == 0;
}

std::vector<Seconds> pauses(const std::vector<ProgramEvent>& events) {
  std::vector<Seconds> all;
  Seconds ended = 0;
  for (const ProgramEvent& event : events) {
    if (event.described()) {
      all.push_back(std::max(0.0, event.start - ended));
      ended = event.start + event.seconds + event.skipping;
    }
  }
  return all;
}

Trace to_trace(const std::vector<ProgramEvent>& events, const std::string& name) {
  Trace trace;
  trace.configuration.algorithm = name;
  for (const ProgramEvent& event : events) {
    if (event.described()) {
      trace.calls.push_back(event.call);
      trace.measured.push_back(event.seconds);
    }
  }
  const std::vector<PieceSpan> spans = joined(operand_spans(trace.calls));
  const std::vector<std::size_t> order = use_order(spans);
  trace.allocations.resize(spans.size());
  for (std::size_t s = 0; s < spans.size(); ++s) {
    if (spans[s].end - spans[s].begin > static_cast<std::uintptr_t>(max_operand_bytes)) {
      throw bad_input("the recording is damaged: operands that touch each other cover {} bytes; at most {} are possible",
                      spans[s].end - spans[s].begin, max_operand_bytes);
    }
    trace.allocations[order[s]] = {fmt::format("memory{}", order[s]), virtual_base(order[s]),
                                   static_cast<std::int64_t>(spans[s].end - spans[s].begin)};
  }
  for (Call& call : trace.calls) {
    for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
      if (has_address(call.routine->arguments[i]) && call.address(i) != 0) {
        const auto after = std::upper_bound(spans.begin(), spans.end(), call.address(i),
                                            [](std::uintptr_t address, const PieceSpan& s) { return address < s.begin; });
        const auto s = static_cast<std::size_t>(after - spans.begin()) - 1;
        call.arguments[i] = static_cast<std::int64_t>(virtual_base(order[s]) + (call.address(i) - spans[s].begin));
      }
    }
  }
  return trace;
}

}  // namespace flopcast::program
