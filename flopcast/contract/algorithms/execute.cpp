#include "flopcast/contract/algorithms/algorithm.hpp"

#include <algorithm>
#include <cassert>

#include "flopcast/contract/notation/element.hpp"
#include "flopcast/contract/notation/overlap.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {
namespace {

std::size_t at(Operand operand) { return static_cast<std::size_t>(operand); }

kernel::Function required(const FindRoutine& find, const std::string& routine) {
  const kernel::Function function = find(routine);
  if (function == nullptr) {
    throw environment_error("no open library has {}", routine);
  }
  return function;
}

std::uintptr_t address(const std::byte* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

/// C := beta C along `indices` of C, element by element. With beta = 0, zeros are written whatever C holds.
template <class Element>
void scale(const Contraction& contraction, std::string_view indices, Element* c, std::complex<double> beta) {
  if (indices.empty()) {
    *c = beta == 0.0 ? Element{} : to_element<Element>(beta) * *c;
    return;
  }
  const std::int64_t stride = contraction.tensor(Operand::c).stride(indices.front());
  for (std::int64_t i = 0; i < contraction.extent(indices.front()); ++i) {
    scale(contraction, indices.substr(1), c + i * stride, beta);
  }
}

}  // namespace

Execution::Execution(const Algorithm& algorithm, const Contraction& contraction, const FindRoutine& find)
    : precision_(contraction.precision),
      contraction_(contraction),
      kernel_(algorithm.kernel),
      call_(kernel_call(algorithm, contraction)),
      invocation_(required(find, call_.call.routine->name), call_.call),
      alpha_argument_(call_.call.routine->index("alpha")) {
  const std::int64_t bytes = element_bytes(precision_);
  for (const char index : algorithm.loops) {
    Loop loop{contraction.extent(index), {}};
    for (const Operand operand : all_operands) {
      loop.step_bytes[at(operand)] = contraction.tensor(operand).stride(index) * bytes;
    }
    loops_.push_back(loop);
  }
  for (const Copy& copy : algorithm.copies) {
    buffers_.push_back(make_buffer(algorithm, contraction, copy.operand, copy.depth, find));
  }
  if (kernel_ == BlasKernel::axpy) {
    factor_ = call_.argument_of(Operand::a) < 0 ? Operand::a : Operand::b;
  }
  function_ = required(find, call_.call.routine->name);
  is_direct_ = (kernel_ == BlasKernel::dot || kernel_ == BlasKernel::axpy) && !is_complex(precision_) && !call_.call.routine->double_result;
  bind_arguments();
}

void Execution::bind_arguments() {
  for (const Operand operand : all_operands) {
    const int argument = call_.argument_of(operand);
    if (argument < 0) {
      continue;
    }
    if (const std::span<std::byte> buffer = buffer_of(operand); !buffer.empty()) {
      invocation_.set_address(static_cast<std::size_t>(argument), address(buffer.data()));
    } else {
      moving_.emplace_back(static_cast<std::size_t>(argument), at(operand));
    }
  }
}

std::span<std::byte> Execution::buffer_of(Operand operand) {
  const auto found = std::find_if(buffers_.begin(), buffers_.end(), [&](const Buffer& buffer) { return buffer.operand == operand; });
  return found == buffers_.end() ? std::span<std::byte>{} : std::span<std::byte>(found->memory);
}

Execution::Buffer Execution::make_buffer(const Algorithm& algorithm, const Contraction& contraction, Operand operand, std::size_t depth,
                                         const FindRoutine& find) {
  const Tensor dense = kernel_tensor(algorithm, contraction, operand);
  const Call in = column_copy(algorithm, contraction, operand);
  const Call out = column_copy(algorithm, contraction, operand, true);
  const kernel::Function function = required(find, in.routine->name);
  const std::int64_t bytes = element_bytes(precision_);
  Buffer buffer{operand, depth, {function, in}, {function, out}, {}, 0, 0, 0, {}};
  buffer.from_to = {static_cast<std::size_t>(in.routine->index("x")), static_cast<std::size_t>(in.routine->index("y"))};
  buffer.columns = contraction.extent(dense.indices[1]);
  buffer.operand_step_bytes = contraction.tensor(operand).stride(dense.indices[1]) * bytes;
  buffer.buffer_step_bytes = dense.strides[1] * bytes;
  try {
    buffer.memory.resize(static_cast<std::size_t>(copy_bytes(algorithm, contraction, operand)));
  } catch (const std::bad_alloc&) {
    throw environment_error("{} needs {} for a copy of {}, which aren't available", algorithm.name(),
                            format_bytes(static_cast<double>(copy_bytes(algorithm, contraction, operand))), letter(operand));
  }
  return buffer;
}

void Execution::run(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta) {
  require_apart(contraction_, a, b, c);
  if (beta != 1.0) {
    with_element(precision_,
                 [&](auto zero) { scale(contraction_, contraction_.tensor(Operand::c).indices, static_cast<decltype(zero)*>(c), beta); });
  }
  alpha_ = alpha;
  if (alpha_argument_ >= 0 && kernel_ != BlasKernel::axpy) {
    invocation_.set_scalar(static_cast<std::size_t>(alpha_argument_), alpha);
  }
  // BLAS's interface has no const; A and B are only read.
  descend(0, {static_cast<std::byte*>(const_cast<void*>(a)), static_cast<std::byte*>(const_cast<void*>(b)), static_cast<std::byte*>(c)});
}

Execution::Pointers Execution::inside(Pointers tensors, std::span<const std::int64_t> outer) const {
  for (std::size_t depth = 0; depth < outer.size(); ++depth) {
    for (std::size_t t = 0; t < tensors.size(); ++t) {
      tensors[t] += outer[depth] * loops_[depth].step_bytes[t];
    }
  }
  return tensors;
}

void Execution::run_iterations(const Pointers& tensors, std::span<const std::int64_t> outer, std::int64_t begin, std::int64_t end) {
  assert(outer.size() < loops_.size() && begin <= end && end <= loops_[outer.size()].length);
  Pointers pointers = inside(tensors, outer);
  for (std::size_t t = 0; t < pointers.size(); ++t) {
    pointers[t] += begin * loops_[outer.size()].step_bytes[t];
  }
  iterate(outer.size(), pointers, end - begin);
}

void Execution::run_copies(const Pointers& tensors, std::span<const std::int64_t> outer, bool back) {
  const Pointers pointers = inside(tensors, outer);
  for (Buffer& buffer : buffers_) {
    if (buffer.depth == outer.size() && !back) {
      fill(buffer, pointers);
    } else if (buffer.depth == outer.size() && buffer.operand == Operand::c) {
      write_back(buffer, pointers);
    }
  }
}

void Execution::descend(std::size_t depth, const Pointers& pointers) {
  for (Buffer& buffer : buffers_) {
    if (buffer.depth == depth) {
      fill(buffer, pointers);
    }
  }
  if (depth == loops_.size()) {
    run_kernel(pointers);
  } else {
    iterate(depth, pointers, loops_[depth].length);
  }
  for (Buffer& buffer : buffers_) {
    if (buffer.depth == depth && buffer.operand == Operand::c) {
      write_back(buffer, pointers);
    }
  }
}

void Execution::iterate(std::size_t depth, Pointers pointers, std::int64_t iterations) {
  const std::array<std::int64_t, 3>& steps = loops_[depth].step_bytes;
  const bool calls_only = depth + 1 == loops_.size() &&
                          std::none_of(buffers_.begin(), buffers_.end(), [&](const Buffer& buffer) { return buffer.depth == depth + 1; });
  if (calls_only && is_direct_) {
    precision_ == Precision::d ? iterate_directly<double>(pointers, steps, iterations)
                               : iterate_directly<float>(pointers, steps, iterations);
    return;
  }
  for (std::int64_t i = 0; i < iterations; ++i) {
    calls_only ? run_kernel(pointers) : descend(depth + 1, pointers);
    for (std::size_t t = 0; t < pointers.size(); ++t) {
      pointers[t] += steps[t];
    }
  }
}

/// Calls dot or axpy directly, like the emitted code.
template <class Real>
void Execution::iterate_directly(Pointers pointers, const std::array<std::int64_t, 3>& steps, std::int64_t iterations) {
  using Integer = const std::int32_t*;
  using Dot = Real (*)(Integer, const Real*, Integer, const Real*, Integer);
  using Axpy = void (*)(Integer, const Real*, const Real*, Integer, Real*, Integer);
  const auto integer = [&](std::string_view name) {
    return static_cast<std::int32_t>(call_.call.arguments[static_cast<std::size_t>(call_.call.routine->index(name))]);
  };
  const std::int32_t n = integer("n"), incx = integer("incx"), incy = integer("incy");
  const auto alpha = static_cast<Real>(alpha_.real());
  const std::size_t factor = at(factor_), vector = at(factor_ == Operand::a ? Operand::b : Operand::a);
  for (std::int64_t i = 0; i < iterations; ++i) {
    const auto* const a = reinterpret_cast<const Real*>(pointers[0]);
    const auto* const b = reinterpret_cast<const Real*>(pointers[1]);
    auto* const c = reinterpret_cast<Real*>(pointers[2]);
    if (kernel_ == BlasKernel::dot) {
      *c += alpha * reinterpret_cast<Dot>(function_)(&n, a, &incx, b, &incy);
    } else {
      const Real scaled = alpha * *reinterpret_cast<const Real*>(pointers[factor]);
      reinterpret_cast<Axpy>(function_)(&n, &scaled, reinterpret_cast<const Real*>(pointers[vector]), &incx, c, &incy);
    }
    for (std::size_t t = 0; t < pointers.size(); ++t) {
      pointers[t] += steps[t];
    }
  }
}

void Execution::run_kernel(const Pointers& pointers) {
  for (const auto& [argument, tensor] : moving_) {
    invocation_.set_address(argument, address(pointers[tensor]));
  }
  if (kernel_ == BlasKernel::axpy) {
    invocation_.set_scalar(static_cast<std::size_t>(alpha_argument_), scaled(load(precision_, pointers[at(factor_)])));
  }
  invocation_.run();
  if (kernel_ == BlasKernel::dot) {
    add(precision_, pointers[at(Operand::c)], scaled(invocation_.outcome().value));
  }
}

std::complex<double> Execution::scaled(std::complex<double> value) const {
  return is_complex(precision_) ? alpha_ * value : alpha_.real() * value.real();
}

void Execution::fill(Buffer& buffer, const Pointers& pointers) {
  for (std::int64_t j = 0; j < buffer.columns; ++j) {
    buffer.in.set_address(buffer.from_to[0], address(pointers[at(buffer.operand)] + j * buffer.operand_step_bytes));
    buffer.in.set_address(buffer.from_to[1], address(buffer.memory.data() + j * buffer.buffer_step_bytes));
    buffer.in.run();
  }
}

void Execution::write_back(Buffer& buffer, const Pointers& pointers) {
  for (std::int64_t j = 0; j < buffer.columns; ++j) {
    buffer.out.set_address(buffer.from_to[0], address(buffer.memory.data() + j * buffer.buffer_step_bytes));
    buffer.out.set_address(buffer.from_to[1], address(pointers[at(buffer.operand)] + j * buffer.operand_step_bytes));
    buffer.out.run();
  }
}

}  // namespace flopcast::contract
