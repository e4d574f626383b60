#pragma once

namespace flopcast {

/// Returns flopcast's version: "0.9.0".
const char* version() noexcept;

}  // namespace flopcast
