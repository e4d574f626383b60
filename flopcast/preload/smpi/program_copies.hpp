#pragma once

namespace flopcast::preload::smpi {

/// Makes a copy of the program, and libraries loaded with it, call this library's functions where they would call another library's of the
/// same name. `opened` is the copy's handle, opened with RTLD_DEEPBIND. All else stays bound as without flopcast, and this library forwards
/// to the functions that the copy would have called.
/// Opening the copy without RTLD_DEEPBIND would not work, because the simulator's own dependencies (a CBLAS, through GSL) would come before
/// the program's.
void follow_copy(void* opened) noexcept;

}  // namespace flopcast::preload::smpi
