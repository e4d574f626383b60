#pragma once

namespace flopcast::interpose::smpi {

/// Makes a copy of the program, and libraries that were loaded with it, call this library where it has a function that they take from another
/// one. `opened` is the handle of the copy, which was opened with RTLD_DEEPBIND: everything else stays bound as it is without flopcast, and
/// what this library calls in its turn is what the copy would have called. To open the copy without RTLD_DEEPBIND would not do: libraries
/// that the simulator itself needs would come before the program's own (a CBLAS, by way of GSL).
void follow_copy(void* opened) noexcept;

}  // namespace flopcast::interpose::smpi
