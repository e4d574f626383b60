#include <cstddef>

/// Answers 24 for every block size and counts the queries.
extern "C" {
int queries = 0;

int ilaenv_(const int* /*ispec*/, const char* /*name*/, const char* /*options*/, const int* /*n1*/, const int* /*n2*/, const int* /*n3*/,
            const int* /*n4*/, std::size_t /*name_length*/, std::size_t /*options_length*/) {
  ++queries;
  return 24;
}
}
