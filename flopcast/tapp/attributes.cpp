#include <atomic>

#include "flopcast/tapp/objects.hpp"
#include "flopcast/tapp/product.hpp"

namespace flopcast::tapp {
namespace {

constexpr int max_threads = 1024;

Failure unknown_key(TAPP_attr attr, TAPP_key key) {
  const char* kind = objects().find<Handle>(attr) != nullptr             ? "a handle"
                     : objects().find<ExecutorSettings>(attr) != nullptr ? "an executor"
                     : objects().find<Product>(attr) != nullptr          ? "a product"
                                                                         : "a description of a tensor";
  return failure(FLOPCAST_TAPP_KEY, "{} has no attribute with the key {} that can be set; tapp_flopcast.h lists attributes", kind, key);
}

/// An attribute that is an integer: its place in the object, its default value, and its range.
struct TappSetting {
  std::shared_ptr<void> object;  ///< keeps the place
  int* place = nullptr;
  int otherwise = 0, min = 0, max = 0;

  void set(int value) const { std::atomic_ref(*place).store(value, std::memory_order_relaxed); }
};

/// Returns an attribute that programs may set. Throws a Failure if there is no such object or no such attribute of the object.
TappSetting setting_of(TAPP_attr attr, TAPP_key key) {
  if (const auto handle = objects().find<Handle>(attr)) {
    if (key == FLOPCAST_TAPP_THREADS) {
      return {handle, &handle->threads, 1, 1, max_threads};
    }
    if (key == FLOPCAST_TAPP_EFFORT) {
      return {handle, &handle->effort, FLOPCAST_TAPP_ESTIMATE, FLOPCAST_TAPP_ESTIMATE, FLOPCAST_TAPP_MEASURE};
    }
  } else if (const auto executor = objects().find<ExecutorSettings>(attr)) {
    if (key == FLOPCAST_TAPP_THREADS) {
      return {executor, &executor->threads, 0, 0, max_threads};
    }
  } else if (objects().find<Product>(attr) == nullptr && objects().find<TensorInfo>(attr) == nullptr) {
    static_cast<void>(object_of<Handle>(attr, "attr"));
  }
  throw unknown_key(attr, key);
}

}  // namespace
}  // namespace flopcast::tapp

TAPP_error TAPP_attr_set(TAPP_attr attr, TAPP_key key, void* value) {
  using namespace flopcast::tapp;
  return guarded([&] {
    const TappSetting setting = setting_of(attr, key);
    const int given = required(static_cast<const int*>(value), "value");
    if (given < setting.min || given > setting.max) {
      throw failure(FLOPCAST_TAPP_VALUE, "{} is {}, expected {} to {}",
                    key == FLOPCAST_TAPP_THREADS ? "the number of threads" : "the effort of planning", given, setting.min, setting.max);
    }
    setting.set(given);
  });
}

TAPP_error TAPP_attr_get(TAPP_attr attr, TAPP_key key, void** value) {
  using namespace flopcast::tapp;
  return guarded([&] {
    void*& result = required(value, "value");
    if (const auto product = objects().find<Product>(attr); product != nullptr && key == FLOPCAST_TAPP_SECONDS) {
      result = const_cast<double*>(&product->seconds());
    } else if (product != nullptr && key == FLOPCAST_TAPP_EXPLANATION) {
      result = const_cast<char*>(product->explanation().c_str());
    } else {
      result = setting_of(attr, key).place;
    }
  });
}

TAPP_error TAPP_attr_clear(TAPP_attr attr, TAPP_key key) {
  using namespace flopcast::tapp;
  return guarded([&] {
    const TappSetting setting = setting_of(attr, key);
    setting.set(setting.otherwise);
  });
}
