#include "flopcast/tapp/product.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "flopcast/contract/notation/overlap.hpp"
#include "flopcast/support/no_fork_scope.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::tapp {
namespace {

/// Names labels in messages: characters if all labels are ASCII letters, as in examples of the specification; otherwise numbers.
class Namer {
 public:
  explicit Namer(const std::array<ProductTensor, 4>& tensors) {
    const auto is_letter = [](std::int64_t label) { return (label >= 'a' && label <= 'z') || (label >= 'A' && label <= 'Z'); };
    has_letters_ = std::all_of(tensors.begin(), tensors.end(), [&](const ProductTensor& tensor) {
      return std::all_of(tensor.labels.begin(), tensor.labels.end(), is_letter);
    });
  }
  [[nodiscard]] std::string operator()(std::int64_t label) const {
    return has_letters_ ? std::string(1, static_cast<char>(label)) : std::to_string(label);
  }

 private:
  bool has_letters_;
};

void require_same_type(const std::array<ProductTensor, 4>& tensors) {
  constexpr std::array names = {"TAPP_F32", "TAPP_F64", "TAPP_C32", "TAPP_C64"};
  const ProductTensor& first = tensors.front();
  for (const ProductTensor& tensor : tensors) {
    if (tensor.info.type != first.info.type) {
      throw failure(FLOPCAST_TAPP_MIXED_TYPES, "{} has elements of type {}, but {} of type {}; one type is supported per product",
                    first.name, names[static_cast<std::size_t>(first.info.type)], tensor.name,
                    names[static_cast<std::size_t>(tensor.info.type)]);
    }
  }
}

void require_precision(TAPP_prectype precision, TAPP_datatype type) {
  switch (precision) {
    case TAPP_DEFAULT_PREC:
    case TAPP_F32F32_ACCUM_F32:
    case TAPP_F16F16_ACCUM_F16:
    case TAPP_F16F16_ACCUM_F32:
    case TAPP_BF16BF16_ACCUM_F32: return;  // the elements' own is at least as high
    case TAPP_F64F64_ACCUM_F64:
      if (type == TAPP_F64 || type == TAPP_C64) {
        return;
      }
      throw failure(FLOPCAST_TAPP_PRECISION,
                    "TAPP_F64F64_ACCUM_F64 isn't supported for elements of single precision; TAPP_DEFAULT_PREC computes in theirs");
    default:
      throw failure(FLOPCAST_TAPP_PRECISION, "the precision {} is unknown; expected TAPP_DEFAULT_PREC or another TAPP_prectype", precision);
  }
}

using Extents = std::map<std::int64_t, std::int64_t>;

/// Returns the extent of each label of a tensor. Throws a Failure if the tensor repeats a label with another extent.
Extents extents_of(const ProductTensor& tensor, TAPP_error code, const Namer& name) {
  Extents extents;
  for (std::size_t i = 0; i < tensor.labels.size(); ++i) {
    const auto [known, is_new] = extents.emplace(tensor.labels[i], tensor.info.extents[i]);
    if (known->second != tensor.info.extents[i]) {
      throw failure(code, "index {} has the extents {} and {} in {}", name(tensor.labels[i]), known->second, tensor.info.extents[i],
                    tensor.name);
    }
  }
  return extents;
}

void require_equal_extents(const Extents& x, const Extents& y, const char* names, TAPP_error code, const Namer& name) {
  for (const auto& [label, extent] : x) {
    if (const auto other = y.find(label); other != y.end() && other->second != extent) {
      throw failure(code, "index {} has extent {} in {}, but {} in {}", name(label), extent, names[0], other->second, names[1]);
    }
  }
}

void require_like_result(const ProductTensor& c, const ProductTensor& d, const Namer& name) {
  if (c.labels.size() != d.labels.size()) {
    throw failure(FLOPCAST_TAPP_DIMENSIONS_OF_C, "C has {}, but D has {}", counted(c.labels.size(), "dimension"), d.labels.size());
  }
  for (std::size_t i = 0; i < c.labels.size(); ++i) {
    if (c.labels[i] != d.labels[i]) {
      throw failure(FLOPCAST_TAPP_INDICES_OF_C, "dimension {} has index {} in C, but {} in D; expected the indices of D in the same order",
                    i, name(c.labels[i]), name(d.labels[i]));
    }
    if (c.info.extents[i] != d.info.extents[i]) {
      throw failure(FLOPCAST_TAPP_EXTENTS_OF_C, "index {} has extent {} in C, but {} in D", name(c.labels[i]), c.info.extents[i],
                    d.info.extents[i]);
    }
  }
}

/// Throws a Failure if indices of the tensors contradict each other.
void require_consistent(const std::array<ProductTensor, 4>& tensors) {
  const auto& [a, b, c, d] = tensors;
  const Namer name(tensors);
  for (const std::int64_t label : d.labels) {
    const auto has = [label](const ProductTensor& tensor) {
      return std::find(tensor.labels.begin(), tensor.labels.end(), label) != tensor.labels.end();
    };
    if (!has(a) && !has(b)) {
      throw failure(FLOPCAST_TAPP_INDEX_OF_D_ALONE, "D has index {}, which neither A nor B has", name(label));
    }
  }
  const Extents in_a = extents_of(a, FLOPCAST_TAPP_EXTENTS_IN_A, name), in_b = extents_of(b, FLOPCAST_TAPP_EXTENTS_IN_B, name),
                in_d = extents_of(d, FLOPCAST_TAPP_EXTENTS_IN_D, name);
  require_equal_extents(in_a, in_b, "AB", FLOPCAST_TAPP_EXTENTS_OF_A_AND_B, name);
  require_equal_extents(in_a, in_d, "AD", FLOPCAST_TAPP_EXTENTS_OF_A_AND_D, name);
  require_equal_extents(in_b, in_d, "BD", FLOPCAST_TAPP_EXTENTS_OF_B_AND_D, name);
  require_like_result(c, d, name);
}

/// Returns C or D with one dimension per label: a repeated label becomes the stride of the diagonal.
ProductTensor with_diagonals(const ProductTensor& tensor) {
  ProductTensor result{tensor.name, {tensor.info.type, {}, {}}, {}, tensor.conjugated};
  for (std::size_t i = 0; i < tensor.labels.size(); ++i) {
    const auto known = std::find(result.labels.begin(), result.labels.end(), tensor.labels[i]);
    if (known == result.labels.end()) {
      result.labels.push_back(tensor.labels[i]);
      result.info.extents.push_back(tensor.info.extents[i]);
      result.info.strides.push_back(tensor.info.strides[i]);
    } else if (std::int64_t& stride = result.info.strides[static_cast<std::size_t>(known - result.labels.begin())];
               __builtin_add_overflow(stride, tensor.info.strides[i], &stride)) {
      throw failure(FLOPCAST_TAPP_BAD_INPUT, "the strides of the diagonal of {} don't fit 64 bits", tensor.name);
    }
  }
  return result;
}

/// Throws a Failure if elements of D share addresses. Leaves tensors that reach too far to the planner, which refuses them.
void require_no_aliasing(const ProductTensor& d) {
  constexpr double max_reach = 1e17;  // elements
  std::vector<contract::Axis> axes;
  double reach = 0;
  for (std::size_t i = 0; i < d.labels.size(); ++i) {
    const std::int64_t extent = d.info.extents[i], stride = extent == 1 ? 0 : d.info.strides[i];
    axes.push_back({stride, extent});
    reach += std::abs(static_cast<double>(stride)) * static_cast<double>(extent);
  }
  const bool is_empty = std::any_of(axes.begin(), axes.end(), [](const contract::Axis& axis) { return axis.extent == 0; });
  if (!is_empty && reach < max_reach && contract::may_share_addresses(axes)) {
    throw failure(FLOPCAST_TAPP_ALIASING_IN_D, "elements of D, of shape ({}) with the strides ({}), share addresses",
                  fmt::join(d.info.extents, ", "), fmt::join(d.info.strides, ", "));
  }
}

/// Returns the labels of all tensors as C has them: numbered by their first appearance unless all of them fit 32 bits.
std::array<std::vector<std::int32_t>, 4> short_labels(const std::array<ProductTensor, 4>& tensors) {
  std::map<std::int64_t, std::int32_t> numbers;
  for (const ProductTensor& tensor : tensors) {
    for (const std::int64_t label : tensor.labels) {
      numbers.emplace(label, static_cast<std::int32_t>(numbers.size()));
    }
  }
  const bool fit = std::ranges::all_of(numbers, [](const auto& label) { return std::in_range<std::int32_t>(label.first); });
  std::array<std::vector<std::int32_t>, 4> result;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    std::ranges::transform(tensors[t].labels, std::back_inserter(result[t]),
                           [&](std::int64_t label) { return fit ? static_cast<std::int32_t>(label) : numbers.at(label); });
  }
  return result;
}

/// Returns the tensors with one dimension per label of C and D. Throws a Failure if they contradict each other.
std::array<ProductTensor, 4> checked(const std::array<ProductTensor, 4>& tensors, TAPP_prectype precision) {
  require_same_type(tensors);
  require_precision(precision, tensors[0].info.type);
  require_consistent(tensors);
  std::array<ProductTensor, 4> result = {tensors[0], tensors[1], with_diagonals(tensors[2]), with_diagonals(tensors[3])};
  require_no_aliasing(result[3]);
  return result;
}

/// Returns the value of an attribute that programs may change meanwhile.
int value_of(const int& attribute) { return std::atomic_ref(const_cast<int&>(attribute)).load(std::memory_order_relaxed); }

/// Returns the handle with the number. A number that this library never gave stands for default settings: programs written for the reference
/// implementation, which has no use for handles, pass variables without a value.
std::shared_ptr<const Handle> handle_of(TAPP_handle number) {
  return objects().was_given(number) ? object_of<Handle>(number, "handle") : std::make_shared<Handle>();
}

/// Returns the product with the number. The number of a product that couldn't be made is the negative code of the reason.
std::shared_ptr<const Product> product_of(TAPP_tensor_product number) {
  if (number < 0 && number >= -std::numeric_limits<TAPP_error>::max()) {
    throw Failure(static_cast<TAPP_error>(-number), {});
  }
  return object_of<Product>(number, "plan");
}

}  // namespace

std::shared_ptr<ProductPlanner> shared_planner() {
  struct Shared {
    pid_t process = ::getpid();
    std::shared_ptr<ProductPlanner> planner = std::make_shared<ProductPlanner>();
  };
  static std::mutex mutex;
  static auto shared = std::make_unique<Shared>();
  const ForkSafeLock lock(mutex);
  if (shared->process != ::getpid()) {
    static_cast<void>(shared.release());  // the parent's: another thread of it may have been within, and its store isn't for two processes
    shared = std::make_unique<Shared>();
  }
  return shared->planner;
}

ProductTensor tensor_of(char name, TAPP_tensor_info info, const std::int64_t* labels, TAPP_element_op op) {
  const auto known = object_of<TensorInfo>(info, std::string{name}.c_str());
  if (op != TAPP_IDENTITY && op != TAPP_CONJUGATE) {
    throw failure(FLOPCAST_TAPP_OPERATION, "op_{} is {}, expected TAPP_IDENTITY (0) or TAPP_CONJUGATE (1)", name, op);
  }
  ProductTensor tensor{name, *known, {}, op == TAPP_CONJUGATE};
  if (const std::size_t count = known->extents.size(); count > 0) {
    const std::int64_t* const first = &required(labels, fmt::format("idx_{}", name).c_str());
    tensor.labels.assign(first, first + count);
  }
  return tensor;
}

Product::Product(const Handle& handle, const std::array<ProductTensor, 4>& tensors, TAPP_prectype precision)
    : tensors_(checked(tensors, precision)),
      effort_(value_of(handle.effort)),
      threads_(value_of(handle.threads)),
      plan_(planned(threads_)),
      seconds_(plan_.seconds()) {}

c::OwnedPlan Product::planned(int threads) const {
  const auto labels = short_labels(tensors_);
  std::array<flopcast_tensor, 4> described{};
  for (std::size_t t = 0; t < tensors_.size(); ++t) {
    described[t] = {static_cast<std::int32_t>(labels[t].size()), tensors_[t].conjugated ? 1 : 0, labels[t].data(),
                    tensors_[t].info.extents.data(), tensors_[t].info.strides.data()};
  }
  flopcast_plan_options options = FLOPCAST_PLAN_OPTIONS;
  options.effort = effort_;
  options.threads = threads;
  options.addend = &described[2];
  return c::OwnedPlan([&](flopcast_plan** plan) {  // by the planner of this process, which may be a child of the product's
    return flopcast_plan_from_labels(plan, shared_planner()->bench(), static_cast<flopcast_type>(tensors_[0].info.type), 2,
                                     described.data(), &described[3], &options);
  });
}

const c::OwnedPlan& Product::plan(int threads) const {
  if (threads == 0 || threads == threads_) {
    return plan_;
  }
  const std::scoped_lock lock(mutex_);
  auto known = others_.find(threads);
  if (known == others_.end()) {
    known = others_.emplace(threads, planned(threads)).first;
  }
  return known->second;
}

void Product::execute(const ExecutorSettings& executor, const void* alpha, const void* a, const void* b, const void* beta, const void* c,
                      void* d) const {
  required(static_cast<const char*>(alpha), "alpha");
  required(static_cast<const char*>(beta), "beta");
  if (c == nullptr && !plan_.is_zero(beta)) {
    throw failure(FLOPCAST_TAPP_MISSING_C, "C is a null pointer, but beta is not 0");
  }
  plan(value_of(executor.threads)).execute(alpha, std::array{a, b}, beta, c, d);
}

const std::string& Product::explanation() const {
  const std::scoped_lock lock(mutex_);
  if (explanation_.empty()) {
    explanation_ = plan_.explain() + planner_->remarks();
  }
  return explanation_;
}

}  // namespace flopcast::tapp

TAPP_error TAPP_create_tensor_product(TAPP_tensor_product* plan, TAPP_handle handle, TAPP_element_op op_A, TAPP_tensor_info A,
                                      const int64_t* idx_A, TAPP_element_op op_B, TAPP_tensor_info B, const int64_t* idx_B,
                                      TAPP_element_op op_C, TAPP_tensor_info C, const int64_t* idx_C, TAPP_element_op op_D,
                                      TAPP_tensor_info D, const int64_t* idx_D, TAPP_prectype prec) {
  using namespace flopcast::tapp;
  const TAPP_error error = guarded([&] {
    TAPP_tensor_product& made = required(plan, "plan");
    const std::array tensors = {tensor_of('A', A, idx_A, op_A), tensor_of('B', B, idx_B, op_B), tensor_of('C', C, idx_C, op_C),
                                tensor_of('D', D, idx_D, op_D)};
    made = objects().add(std::make_shared<Product>(*handle_of(handle), tensors, prec));
  });
  if (error != FLOPCAST_TAPP_DONE && plan != nullptr) {
    *plan = -static_cast<TAPP_tensor_product>(error);
  }
  return error;
}

TAPP_error TAPP_destroy_tensor_product(TAPP_tensor_product plan) {
  using namespace flopcast::tapp;
  return guarded([&] {
    if (plan >= 0 || plan < -std::numeric_limits<TAPP_error>::max()) {
      end_object<Product>(plan, "plan");
    }
  });
}

TAPP_error TAPP_execute_product(TAPP_tensor_product plan, TAPP_executor exec, TAPP_status* status, const void* alpha, const void* A,
                                const void* B, const void* beta, const void* C, void* D) {
  using namespace flopcast::tapp;
  if (status != nullptr) {
    *status = 0;
  }
  return guarded([&] {
    const auto product = product_of(plan);
    product->execute(*object_of<ExecutorSettings>(exec, "exec", FLOPCAST_TAPP_NO_EXECUTOR), alpha, A, B, beta, C, D);
  });
}

TAPP_error TAPP_execute_batched_product(TAPP_tensor_product plan, TAPP_executor exec, TAPP_status* status, int num_batches,
                                        const void* alpha, const void** A, const void** B, const void* beta, const void** C, void** D) {
  using namespace flopcast::tapp;
  if (status != nullptr) {
    *status = 0;
  }
  return guarded([&] {
    const auto product = product_of(plan);
    const auto executor = object_of<ExecutorSettings>(exec, "exec", FLOPCAST_TAPP_NO_EXECUTOR);
    if (num_batches < 0) {
      throw failure(FLOPCAST_TAPP_VALUE, "the number of products is {}, expected 0 or more", num_batches);
    }
    if (num_batches == 0) {
      return;
    }
    const auto count = static_cast<std::size_t>(num_batches);
    const std::span a(&required(A, "A"), count), b(&required(B, "B"), count);
    const std::span d(&required(D, "D"), count);
    for (std::size_t i = 0; i < count; ++i) {
      product->execute(*executor, alpha, a[i], b[i], beta, C == nullptr ? nullptr : C[i], d[i]);
    }
  });
}
