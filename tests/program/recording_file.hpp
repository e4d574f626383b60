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
namespace flopcast::interpose {

using Contents = std::vector<std::byte>;

constexpr const char* dictionary = "dpotrf fiai-\nddot iaiai\ndgesvd\nolder_routine ia\ndscal ia\n";
enum : std::uint32_t { dpotrf, ddot, dgesvd, older_routine, dscal_of_another_version };

template <class T>
void put(Contents& bytes, const T& value) {
  const auto raw = std::as_bytes(std::span(&value, 1));
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}

inline void put_header(Contents& bytes, std::uint32_t routine, std::uint64_t start, std::uint64_t duration = 5, std::uint8_t notes = 0) {
  put(bytes, record_header(start, duration, routine, Treatment::executed, notes));
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
  File() : bytes_(2 * trace_page) {
    const std::string document = R"({"schema": "flopcast-program-trace-1", "command": ["a.out", "x"]})";
    auto* header = new (bytes_.data()) FileHeader{};
    std::memcpy(header->magic, trace_magic, sizeof trace_magic);
    header->version = trace_version;
    header->document_bytes = static_cast<std::uint32_t>(document.size());
    header->ticks_per_second = 1e9;
    header->finished = 1;
    header->ended = 1000;
    header->exit_code = 3;
    header->dropped = 2;
    std::memcpy(bytes_.data() + trace_page, document.data(), document.size());
    add(ChunkKind::dictionary, 0, 0, 0, std::as_bytes(std::span(std::string_view(dictionary))));
  }

  void add(ChunkKind kind, std::uint32_t thread, std::uint64_t live, std::uint64_t sequence, std::span<const std::byte> contents,
           std::uint32_t pid = 100) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + (kind == ChunkKind::live ? live_bytes : round_to_page(sizeof(ChunkHeader) + contents.size())));
    auto* chunk = new (bytes_.data() + at) ChunkHeader{};
    chunk->magic = chunk_magic;
    chunk->kind = kind;
    chunk->thread = thread;
    chunk->pid = pid;
    chunk->tid = 100 + thread;
    chunk->live = kind == ChunkKind::live ? at : live;
    chunk->sequence = sequence;
    chunk->bytes = contents.size();
    chunk->checksum = kind == ChunkKind::live ? 0 : chunk_checksum(contents.data(), contents.size());
    if (!contents.empty()) {
      std::memcpy(bytes_.data() + at + sizeof(ChunkHeader), contents.data(), contents.size());
    }
  }
  void add_text(ChunkKind kind, std::string_view text) { add(kind, 0, 0, 0, std::as_bytes(std::span(text))); }

  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  Contents& bytes() { return bytes_; }

 private:
  Contents bytes_;
};

}  // namespace flopcast::interpose
