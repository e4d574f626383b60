#include "flopcast/tapp/failure.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <string_view>

#include "flopcast/support/exception.hpp"
#include "flopcast/support/run_context.hpp"

namespace flopcast::tapp {
namespace {

/// Returns the general explanation of a code. A flat list of all codes is the clearest.
std::string_view explanation(TAPP_error code) {
  switch (code) {
    case FLOPCAST_TAPP_DONE: return "success";
    case FLOPCAST_TAPP_EXTENTS_OF_A_AND_B: return "an index has different extents in A and B";
    case FLOPCAST_TAPP_EXTENTS_OF_A_AND_D: return "an index has different extents in A and D";
    case FLOPCAST_TAPP_EXTENTS_OF_B_AND_D: return "an index has different extents in B and D";
    case FLOPCAST_TAPP_INDEX_OF_D_ALONE: return "D has an index that neither A nor B has";
    case FLOPCAST_TAPP_DIMENSIONS_OF_C: return "C and D have different numbers of dimensions";
    case FLOPCAST_TAPP_INDICES_OF_C: return "C and D have different indices, or the same in different orders";
    case FLOPCAST_TAPP_EXTENTS_OF_C: return "an index has different extents in C and D";
    case FLOPCAST_TAPP_ALIASING_IN_D: return "elements of D share addresses";
    case FLOPCAST_TAPP_EXTENTS_IN_A: return "an index that A repeats has different extents";
    case FLOPCAST_TAPP_EXTENTS_IN_B: return "an index that B repeats has different extents";
    case FLOPCAST_TAPP_EXTENTS_IN_D: return "an index that D repeats has different extents";
    case FLOPCAST_TAPP_MISSING_C: return "C is a null pointer, but beta is not 0";
    case FLOPCAST_TAPP_NEGATIVE_NMODES: return "the number of dimensions of a tensor is negative";
    case FLOPCAST_TAPP_NEGATIVE_EXTENT: return "an extent is negative";
    case FLOPCAST_TAPP_NO_EXECUTOR: return "the executor was never created, or is destroyed";
    case FLOPCAST_TAPP_NO_OBJECT: return "an object was never created, or is destroyed";
    case FLOPCAST_TAPP_NULL_POINTER: return "an argument is a null pointer";
    case FLOPCAST_TAPP_TYPE: return "the type of the elements isn't supported; expected TAPP_F32, TAPP_F64, TAPP_C32 or TAPP_C64";
    case FLOPCAST_TAPP_MIXED_TYPES: return "the tensors of a product have different types";
    case FLOPCAST_TAPP_PRECISION: return "the precision isn't supported for these elements; TAPP_DEFAULT_PREC always is";
    case FLOPCAST_TAPP_OPERATION: return "an operation on elements is neither TAPP_IDENTITY nor TAPP_CONJUGATE";
    case FLOPCAST_TAPP_KEY: return "the object has no such attribute, or the attribute can't be set";
    case FLOPCAST_TAPP_VALUE: return "a value is out of range";
    case FLOPCAST_TAPP_BAD_INPUT: return "the tensors can't be multiplied: they overlap, or have too many elements";
    case FLOPCAST_TAPP_ENVIRONMENT: return "the machine, a library or the file system refuses, or memory is lacking";
    case FLOPCAST_TAPP_INTERNAL: return "a bug of flopcast";
    default: return "this code is none of libtapp-flopcast's";
  }
}

/// The thread's last failure.
struct Last {
  TAPP_error code = FLOPCAST_TAPP_DONE;
  std::string text;
};
thread_local Last last;

TAPP_error failed(TAPP_error code, std::string_view text) noexcept {
  if (text.empty() && last.code == code) {
    return code;
  }
  try {
    last.text = text;
    last.code = code;
  } catch (const std::bad_alloc&) {
    last.code = FLOPCAST_TAPP_DONE;
  }
  return code;
}

TAPP_error code_of(ExitCode code) {
  switch (code) {
    case ExitCode::usage:
    case ExitCode::bad_input: return FLOPCAST_TAPP_BAD_INPUT;
    case ExitCode::environment: return FLOPCAST_TAPP_ENVIRONMENT;
    default: return FLOPCAST_TAPP_INTERNAL;
  }
}

}  // namespace

TAPP_error handled_failure() noexcept {
  try {
    throw;
  } catch (const Failure& failure) {
    return failed(failure.code(), failure.what());
  } catch (const Error& error) {
    return failed(code_of(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    return failed(FLOPCAST_TAPP_ENVIRONMENT, "out of memory");
  } catch (const std::filesystem::filesystem_error& error) {
    return failed(FLOPCAST_TAPP_ENVIRONMENT, error.what());
  } catch (const std::exception& error) {
    return failed(FLOPCAST_TAPP_INTERNAL, error.what());
  } catch (...) {
    return failed(FLOPCAST_TAPP_INTERNAL, "an unknown exception");
  }
}

}  // namespace flopcast::tapp

bool TAPP_check_success(TAPP_error error) { return error == FLOPCAST_TAPP_DONE; }

size_t TAPP_explain_error(TAPP_error error, size_t maxlen, char* message) {
  using namespace flopcast::tapp;
  const bool is_last = error != FLOPCAST_TAPP_DONE && last.code == error && !last.text.empty();
  const std::string_view text = is_last ? std::string_view(last.text) : explanation(error);
  if (maxlen == 0 || message == nullptr) {
    return text.size();
  }
  const std::size_t written = std::min(maxlen - 1, text.size());
  std::memcpy(message, text.data(), written);
  message[written] = '\0';
  return written;
}
