#include "flopcast/tapp/objects.hpp"

#include "flopcast/tapp/product.hpp"

namespace flopcast::tapp {

Objects& objects() {
  static Objects& all = *new Objects;
  return all;
}

}  // namespace flopcast::tapp

TAPP_error TAPP_create_handle(TAPP_handle* handle) {
  using namespace flopcast::tapp;
  return guarded([&] { required(handle, "handle") = objects().add(std::make_shared<Handle>()); });
}

TAPP_error TAPP_destroy_handle(TAPP_handle handle) {
  using namespace flopcast::tapp;
  return guarded([&] { end_object<Handle>(handle, "handle"); });
}

TAPP_error TAPP_create_executor(TAPP_executor* exec) {
  using namespace flopcast::tapp;
  return guarded([&] { required(exec, "exec") = objects().add(std::make_shared<ExecutorSettings>()); });
}

TAPP_error TAPP_destroy_executor(TAPP_executor exec) {
  using namespace flopcast::tapp;
  return guarded([&] { end_object<ExecutorSettings>(exec, "exec", FLOPCAST_TAPP_NO_EXECUTOR); });
}

TAPP_error TAPP_destroy_status(TAPP_status status) {
  using namespace flopcast::tapp;
  return guarded([&] {
    if (status != 0) {
      throw failure(FLOPCAST_TAPP_NO_OBJECT, "status is {:#x}; libtapp-flopcast gives only 0", static_cast<std::uint64_t>(status));
    }
  });
}
