#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "flopcast/support/no_fork_scope.hpp"
#include "flopcast/tapp/failure.hpp"

namespace flopcast::tapp {

/// Type, extents and strides (in elements) of a tensor.
struct TensorInfo {
  TAPP_datatype type = TAPP_F64;
  std::vector<std::int64_t> extents, strides;
};

/// Settings of products that are created with a handle. Programs get the addresses of members, which change by std::atomic_ref.
struct Handle {
  int threads = 1;
  int effort = FLOPCAST_TAPP_ESTIMATE;
};

/// Settings of executions, as those of a handle; 0 threads stand for those of the product's handle.
struct ExecutorSettings {
  int threads = 0;
};

class Product;

/// All objects that programs hold, by numbers that are never given twice. A program may pass any number: what it stands for is looked up.
class Objects {
 public:
  /// Returns the number of a new object.
  template <class Object>
  std::intptr_t add(std::shared_ptr<Object> object) {
    const ForkSafeLock lock(mutex_);
    objects_.emplace(next_, std::move(object));
    return next_++;
  }

  /// Returns the object of this kind with the number, or null.
  template <class Object>
  std::shared_ptr<Object> find(std::intptr_t number) const {
    const NoForkScope scope;
    const std::shared_lock lock(mutex_);
    const auto found = objects_.find(number);
    const auto* const object = found == objects_.end() ? nullptr : std::get_if<std::shared_ptr<Object>>(&found->second);
    return object == nullptr ? nullptr : *object;
  }

  /// Removes the object of this kind with the number. Returns the object, or null if there is none.
  template <class Object>
  std::shared_ptr<Object> remove(std::intptr_t number) {
    const ForkSafeLock lock(mutex_);
    const auto found = objects_.find(number);
    if (found == objects_.end() || !std::holds_alternative<std::shared_ptr<Object>>(found->second)) {
      return nullptr;
    }
    std::shared_ptr<Object> object = std::get<std::shared_ptr<Object>>(std::move(found->second));
    objects_.erase(found);
    return object;
  }

  /// Returns whether an object had this number at any time.
  [[nodiscard]] bool was_given(std::intptr_t number) const {
    const NoForkScope scope;
    const std::shared_lock lock(mutex_);
    return number >= first && number < next_;
  }

 private:
  static_assert(sizeof(std::intptr_t) == sizeof(std::int64_t));
  static constexpr std::intptr_t first = 0x464c'4f50'0000'0000;  // no address and no small number

  mutable std::shared_mutex mutex_;
  std::unordered_map<std::intptr_t, std::variant<std::shared_ptr<TensorInfo>, std::shared_ptr<Handle>, std::shared_ptr<ExecutorSettings>,
                                                 std::shared_ptr<Product>>>
      objects_;
  std::intptr_t next_ = first;
};

/// Returns the objects of this process. They outlive all static objects of the program, which may end their own as late as they like.
Objects& objects();

/// Returns an object. Throws a Failure with `code`, whose text has `name`, if there is none with this number.
template <class Object>
std::shared_ptr<Object> object_of(std::intptr_t number, const char* name, TAPP_error code = FLOPCAST_TAPP_NO_OBJECT) {
  auto object = objects().find<Object>(number);
  if (object == nullptr) {
    throw failure(code, "{} is {:#x}, which {}", name, static_cast<std::uint64_t>(number),
                  objects().was_given(number) ? "is destroyed or another kind of object" : "no function of libtapp-flopcast created");
  }
  return object;
}

/// Ends an object; 0 stands for none. Throws a Failure if there is none with another number.
template <class Object>
void end_object(std::intptr_t number, const char* name, TAPP_error code = FLOPCAST_TAPP_NO_OBJECT) {
  if (number != 0 && objects().remove<Object>(number) == nullptr) {
    static_cast<void>(object_of<Object>(number, name, code));
  }
}

}  // namespace flopcast::tapp
