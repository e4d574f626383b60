#include "flopcast/c/status.hpp"

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <utility>

#include "flopcast/support/exception.hpp"
#include "flopcast/support/run_context.hpp"

namespace flopcast::c {
namespace {

thread_local std::string last_message;
thread_local std::exception_ptr last_exception;

flopcast_status failed(int code, const char* message) noexcept {
  try {
    last_message = message;
  } catch (const std::bad_alloc&) {
    last_message.clear();
  }
  return code;
}

}  // namespace

flopcast_status failure() noexcept {
  last_exception = std::current_exception();
  try {
    throw;
  } catch (const Error& error) {
    return failed(static_cast<int>(error.code()), error.what());
  } catch (const Cancelled& cancelled) {
    return failed(FLOPCAST_INTERRUPTED, cancelled.what());
  } catch (const std::bad_alloc&) {
    return failed(FLOPCAST_ENVIRONMENT, "out of memory");
  } catch (const std::filesystem::filesystem_error& error) {
    return failed(FLOPCAST_ENVIRONMENT, error.what());
  } catch (const std::exception& error) {
    return failed(FLOPCAST_INTERNAL, error.what());
  } catch (...) {
    return failed(FLOPCAST_INTERNAL, "an unknown exception");
  }
}

void rethrow_failure() { std::rethrow_exception(std::exchange(last_exception, nullptr)); }

char* new_text(const std::string& text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) {
    throw std::bad_alloc();
  }
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

}  // namespace flopcast::c

const char* flopcast_error_message(void) { return flopcast::c::last_message.c_str(); }

const char* flopcast_version(void) { return flopcast::version(); }

void flopcast_free(char* text) { std::free(text); }
