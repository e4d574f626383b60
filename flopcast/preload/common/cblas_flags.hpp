#pragma once

namespace flopcast::preload {

/// Converts CBLAS's numbers for flags to Fortran's letters.
enum : int { row_major = 101 };
inline char flag_of(long number) noexcept {
  switch (static_cast<int>(number)) {
    case 111: return 'N';
    case 112: return 'T';
    case 113: return 'C';
    case 121: return 'U';
    case 122: return 'L';
    case 131: return 'N';
    case 132: return 'U';
    case 141: return 'L';
    case 142: return 'R';
    default: return '?';
  }
}
/// The following functions return a flag of the transposed problem. A row-major problem is computed as its transpose, which swaps uplo and
/// side, and turns a transposition into T or C.
inline char other_triangle(char flag) noexcept { return flag == 'L' ? 'U' : 'L'; }
inline char other_side(char flag) noexcept { return flag == 'L' ? 'R' : 'L'; }
inline char transposed(char flag) noexcept { return flag == 'N' ? 'T' : 'N'; }
inline char conjugated(char flag) noexcept { return flag == 'N' ? 'C' : 'N'; }

}  // namespace flopcast::preload
