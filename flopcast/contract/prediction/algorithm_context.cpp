#include "flopcast/contract/prediction/micro_benchmark.hpp"

namespace flopcast::contract {

AlgorithmContext::AlgorithmContext(const Algorithm& for_algorithm, const Contraction& of_contraction, const Environment& on_environment)
    : algorithm(for_algorithm),
      contraction(of_contraction),
      environment(on_environment),
      tree(syntax_tree(algorithm, contraction)),
      path(path_to(tree, NodeKind::kernel)) {
  if (!environment.caches.empty()) {
    line_bytes = environment.caches.front().line_bytes;
  }
}

}  // namespace flopcast::contract
