#include "scalapack.hpp"

#include <string>

#include "run.hpp"

namespace subject {

DistributedMatrix::Descriptor DistributedMatrix::describe(int m, int n, int nb, const BlacsGrid& blacs, Matrix& local) {
  Descriptor descriptor = {};
  const int context = blacs.context();
  const int zero = 0;
  const int ld = local.view().ld;
  int info = 0;
  descinit_(descriptor.data(), &m, &n, &nb, &nb, &zero, &zero, &context, &ld, &info);
  if (info != 0) {
    stop("descinit failed with info " + std::to_string(info));
  }
  return descriptor;
}

}  // namespace subject
