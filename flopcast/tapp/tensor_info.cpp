#include <algorithm>
#include <cstddef>

#include "flopcast/tapp/objects.hpp"

namespace flopcast::tapp {
namespace {

void require_type(TAPP_datatype type) {
  if (type < TAPP_F32 || type > TAPP_C64) {
    throw failure(FLOPCAST_TAPP_TYPE, "elements of type {}{} aren't supported; expected TAPP_F32, TAPP_F64, TAPP_C32 or TAPP_C64", type,
                  type == TAPP_F16    ? " (TAPP_F16)"
                  : type == TAPP_BF16 ? " (TAPP_BF16)"
                                      : "");
  }
}

std::size_t dimensions(int nmode) {
  constexpr int most = 1024;
  if (nmode < 0 || nmode > most) {
    throw failure(nmode < 0 ? FLOPCAST_TAPP_NEGATIVE_NMODES : FLOPCAST_TAPP_VALUE, "the number of dimensions is {}, expected 0 to {}",
                  nmode, most);
  }
  return static_cast<std::size_t>(nmode);
}

/// Returns `count` numbers, which a null pointer gives only if there are none.
std::vector<std::int64_t> list_of(const std::int64_t* numbers, std::size_t count, const char* name) {
  if (count == 0) {
    return {};
  }
  const std::int64_t* const first = &required(numbers, name);
  return {first, first + count};
}

std::vector<std::int64_t> extents_of(const std::int64_t* extents, std::size_t count) {
  std::vector<std::int64_t> list = list_of(extents, count, "extents");
  for (std::size_t i = 0; i < count; ++i) {
    if (list[i] < 0) {
      throw failure(FLOPCAST_TAPP_NEGATIVE_EXTENT, "the extent of dimension {} is {}, expected 0 or more", i, list[i]);
    }
  }
  return list;
}

/// Copies numbers of a tensor to the program, if there is such a tensor.
void copy_list(TAPP_tensor_info info, std::vector<std::int64_t> TensorInfo::*list, std::int64_t* to) {
  static_cast<void>(guarded([&] {
    const auto tensor = object_of<TensorInfo>(info, "info");
    if (!((*tensor).*list).empty()) {
      std::copy(((*tensor).*list).begin(), ((*tensor).*list).end(), &required(to, "the list to be filled"));
    }
  }));
}

}  // namespace
}  // namespace flopcast::tapp

TAPP_error TAPP_create_tensor_info(TAPP_tensor_info* info, TAPP_datatype type, int nmode, const int64_t* extents, const int64_t* strides) {
  using namespace flopcast::tapp;
  return guarded([&] {
    TAPP_tensor_info& made = required(info, "info");
    const std::size_t count = dimensions(nmode);
    require_type(type);
    made = objects().add(std::make_shared<TensorInfo>(TensorInfo{type, extents_of(extents, count), list_of(strides, count, "strides")}));
  });
}

TAPP_error TAPP_destroy_tensor_info(TAPP_tensor_info info) {
  using namespace flopcast::tapp;
  return guarded([&] { end_object<TensorInfo>(info, "info"); });
}

int TAPP_get_nmodes(TAPP_tensor_info info) {
  using namespace flopcast::tapp;
  int count = -1;
  static_cast<void>(guarded([&] { count = static_cast<int>(object_of<TensorInfo>(info, "info")->extents.size()); }));
  return count;
}

TAPP_error TAPP_set_nmodes(TAPP_tensor_info info, int nmodes) {
  using namespace flopcast::tapp;
  return guarded([&] {
    const auto tensor = object_of<TensorInfo>(info, "info");
    const std::size_t count = dimensions(nmodes);
    tensor->extents.resize(count, 1);
    tensor->strides.resize(count, 0);
  });
}

void TAPP_get_extents(TAPP_tensor_info info, int64_t* extents) {
  flopcast::tapp::copy_list(info, &flopcast::tapp::TensorInfo::extents, extents);
}

TAPP_error TAPP_set_extents(TAPP_tensor_info info, const int64_t* extents) {
  using namespace flopcast::tapp;
  return guarded([&] {
    const auto tensor = object_of<TensorInfo>(info, "info");
    tensor->extents = extents_of(extents, tensor->extents.size());
  });
}

void TAPP_get_strides(TAPP_tensor_info info, int64_t* strides) {
  flopcast::tapp::copy_list(info, &flopcast::tapp::TensorInfo::strides, strides);
}

TAPP_error TAPP_set_strides(TAPP_tensor_info info, const int64_t* strides) {
  using namespace flopcast::tapp;
  return guarded([&] {
    const auto tensor = object_of<TensorInfo>(info, "info");
    tensor->strides = list_of(strides, tensor->strides.size(), "strides");
  });
}
