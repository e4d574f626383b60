#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/protocol/trace_format.hpp"

/// Builds recordings by hand, for tests of code that reads them.
namespace flopcast::program {

using Contents = std::vector<std::byte>;

constexpr const char* dictionary = "dpotrf fiai-\nddot iaiai\ndgesvd\nolder_routine ia\ndscal ia\n";
enum : std::uint32_t { dpotrf, ddot, dgesvd, older_routine, dscal_of_another_version };

template <class T>
void put(Contents& bytes, const T& value) {
  const auto raw = std::as_bytes(std::span(&value, 1));
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}

inline void put_header(Contents& bytes, std::uint32_t routine, std::uint64_t start, std::uint64_t duration = 5, std::uint8_t notes = 0) {
  put(bytes, protocol::record_header(start, duration, routine, protocol::Treatment::executed, notes));
}

inline void put_dpotrf(Contents& bytes, std::uint64_t start, std::int32_t n, std::uint64_t address, std::uint64_t duration = 5,
                       std::uint8_t notes = 0) {
  put_header(bytes, dpotrf, start, duration, notes);
  put(bytes, 'L');
  put(bytes, n);
  put(bytes, address);
  put(bytes, n);
}

inline void put_ddot(Contents& bytes, std::uint64_t start, std::int32_t n, std::uint64_t x, std::uint64_t y) {
  put_header(bytes, ddot, start);
  put(bytes, n);
  put(bytes, x);
  put(bytes, std::int32_t{1});
  put(bytes, y);
  put(bytes, std::int32_t{1});
}

/// A recording in memory, whose clock ticks every nanosecond.
class File {
 public:
  File() : bytes_(2 * protocol::trace_page) {
    const std::string document = R"({"schema": "flopcast-program-trace-1", "command": ["a.out", "x"]})";
    auto* header = new (bytes_.data()) protocol::FileHeader{};
    std::memcpy(header->magic, protocol::trace_magic, sizeof protocol::trace_magic);
    header->version = protocol::trace_version;
    header->document_bytes = static_cast<std::uint32_t>(document.size());
    header->ticks_per_second = 1e9;
    header->finished = 1;
    header->ended = 1000;
    header->exit_code = 3;
    header->dropped = 2;
    std::memcpy(bytes_.data() + protocol::trace_page, document.data(), document.size());
    add(protocol::ChunkKind::dictionary, 0, 0, 0, std::as_bytes(std::span(std::string_view(dictionary))));
  }

  void add(protocol::ChunkKind kind, std::uint32_t thread, std::uint64_t live, std::uint64_t sequence, std::span<const std::byte> contents,
           std::uint32_t pid = 100, std::uint32_t library = 0) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + (kind == protocol::ChunkKind::live ? protocol::live_bytes
                                                          : protocol::round_to_page(sizeof(protocol::ChunkHeader) + contents.size())));
    auto* chunk = new (bytes_.data() + at) protocol::ChunkHeader{};
    chunk->magic = protocol::chunk_magic;
    chunk->kind = kind;
    chunk->thread = thread;
    chunk->pid = pid;
    chunk->tid = 100 + thread;
    chunk->library = library;
    chunk->live = kind == protocol::ChunkKind::live ? at : live;
    chunk->sequence = sequence;
    chunk->bytes = contents.size();
    chunk->checksum = kind == protocol::ChunkKind::live ? 0 : protocol::chunk_checksum(contents.data(), contents.size());
    if (!contents.empty()) {
      std::memcpy(bytes_.data() + at + sizeof(protocol::ChunkHeader), contents.data(), contents.size());
    }
  }
  void add_text(protocol::ChunkKind kind, std::string_view text) { add(kind, 0, 0, 0, std::as_bytes(std::span(text))); }
  void add_library(std::string_view path, std::uint32_t number, std::uint32_t pid) {
    add(protocol::ChunkKind::library, 0, 0, 0, std::as_bytes(std::span(path)), pid, number);
  }

  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  Contents& bytes() { return bytes_; }

 private:
  Contents bytes_;
};

}  // namespace flopcast::program
