#include "flopcast/contract/kernels/along_batch.hpp"

#include <algorithm>
#include <atomic>
#include <complex>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "flopcast/contract/kernels/panel_kernel.hpp"
#include "flopcast/contract/notation/element.hpp"
#include "flopcast/machine/cpu/helper_threads.hpp"
#include "flopcast/support/division.hpp"

namespace flopcast::contract {

AlongBatch::AlongBatch(const Folded& folded) : run_(batch_run(folded)) {
  constexpr std::int64_t in_l2 = std::int64_t{256} << 10, whole_vectors = 16;
  const std::int64_t m = folded.m.extent, n = folded.n.extent, k = folded.k.extent;
  const std::int64_t fitting = in_l2 / element_bytes(folded.precision) / std::max<std::int64_t>(1, m * k + k * n + m * n);
  share_ = std::max(whole_vectors, fitting / whole_vectors * whole_vectors);
}

template <class Element>
void AlongBatch::run(const Folded& folded, int threads, const Element* a, const Element* b, Element* c, Element alpha, Element beta) const {
  if (folded.swapped) {
    std::swap(a, b);
  }
  const Fold& batch = folded.batch;
  const std::int64_t parts = ceil_div(run_.length, share_);
  const std::int64_t units = run_.length == 0 ? 0 : batch.extent / run_.length * parts;
  std::atomic<std::int64_t> next = 0;
  const auto work = [&](std::size_t) {
    for (std::int64_t unit = next++; unit < units; unit = next++) {
      const std::int64_t first = unit % parts * share_;
      const auto at = static_cast<std::size_t>(unit / parts * run_.length + first);
      const BatchProduct<Element> product{std::min(share_, run_.length - first),
                                          folded.m.extent,
                                          folded.n.extent,
                                          folded.k.extent,
                                          a + batch.a[at],
                                          b + batch.b[at],
                                          c + batch.c[at],
                                          folded.m.a.data(),
                                          folded.k.a.data(),
                                          folded.k.b.data(),
                                          folded.n.b.data(),
                                          folded.m.c.data(),
                                          folded.n.c.data(),
                                          alpha,
                                          beta};
      if constexpr (std::is_floating_point_v<Element>) {
        if (run_.is_contiguous()) {
          panel_kernels<Element>().front().run_batch(product);
          continue;
        }
      }
      run_strided_batch(product, run_.step_a, run_.step_b, run_.step_c);
    }
  };
  machine::share_with_helpers(static_cast<std::size_t>(std::clamp<std::int64_t>(units, 1, threads)), work);
}

template void AlongBatch::run(const Folded&, int, const float*, const float*, float*, float, float) const;
template void AlongBatch::run(const Folded&, int, const double*, const double*, double*, double, double) const;
template void AlongBatch::run(const Folded&, int, const std::complex<float>*, const std::complex<float>*, std::complex<float>*,
                              std::complex<float>, std::complex<float>) const;
template void AlongBatch::run(const Folded&, int, const std::complex<double>*, const std::complex<double>*, std::complex<double>*,
                              std::complex<double>, std::complex<double>) const;

}  // namespace flopcast::contract
