#pragma once

/// Loads and stores of vectors whose addresses are aligned to a single number only. Included, like panel_loops.hpp, by one source file per
/// instruction set.
namespace flopcast::contract {

template <class Vector, class T>
[[gnu::always_inline]] static inline Vector load(const T* from) {
  Vector value;
  __builtin_memcpy(&value, from, sizeof(Vector));
  return value;
}

template <class Vector, class T>
[[gnu::always_inline]] static inline void store(T* to, const Vector& value) {
  __builtin_memcpy(to, &value, sizeof(Vector));
}

}  // namespace flopcast::contract
