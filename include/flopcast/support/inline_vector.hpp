#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <type_traits>

namespace flopcast {

/// A vector of at most `Capacity` elements that never allocates, for the few operands, parts and sizes of one call. Only the elements in
/// use are constructed and copied, because one trace has millions of such vectors.
template <class T, std::size_t Capacity>
class InlineVector {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  InlineVector() noexcept {}  // NOLINT(modernize-use-equals-default): a union's members are begun by hand
  InlineVector(std::initializer_list<T> items) {
    for (const T& item : items) {
      push_back(item);
    }
  }
  InlineVector(const InlineVector& other) { append(other); }
  InlineVector& operator=(const InlineVector& other) {
    if (this != &other) {
      clear();
      append(other);
    }
    return *this;
  }
  ~InlineVector() = default;

  void push_back(const T& item) {
    assert(size_ < Capacity);
    std::construct_at(items_.data() + size_, item);
    ++size_;
  }
  void clear() noexcept { size_ = 0; }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] static constexpr std::size_t capacity() noexcept { return Capacity; }

  T& operator[](std::size_t i) noexcept { return items_[i]; }
  const T& operator[](std::size_t i) const noexcept { return items_[i]; }
  [[nodiscard]] T* begin() noexcept { return items_.data(); }
  [[nodiscard]] T* end() noexcept { return items_.data() + size_; }
  [[nodiscard]] const T* begin() const noexcept { return items_.data(); }
  [[nodiscard]] const T* end() const noexcept { return items_.data() + size_; }
  [[nodiscard]] const T* data() const noexcept { return items_.data(); }

  friend bool operator==(const InlineVector& a, const InlineVector& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

 private:
  void append(const InlineVector& other) {
    for (const T& item : other) {
      push_back(item);
    }
  }

  union {
    std::array<T, Capacity> items_;
  };
  std::uint32_t size_ = 0;
};

}  // namespace flopcast
