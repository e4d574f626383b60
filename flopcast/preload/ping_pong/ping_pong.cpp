#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

/// Measures the cost of messages between ranks 0 and 1, and the slowdown of computing while both compute. Rank 0 prints a JSON document:
/// times of half a ping-pong, the size up to which a send doesn't wait for its receiver, and the speed of busy cores. `flopcast mpi
/// describe` runs this program.
namespace {

constexpr int tag = 1;
constexpr std::size_t receive_bytes = std::size_t{32} << 20U;  ///< so large that received data land in memory that no cache holds
constexpr int longest = 4 << 20;

/// Exchanges one message in each direction; each received message goes to another address.
class Partner {
 public:
  explicit Partner(int rank) : rank_(rank), sent_(longest, 1), received_(receive_bytes, 2) {}

  void exchange(int bytes) {
    if (rank_ == 0) {
      MPI_Send(sent_.data(), bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD);
      receive(bytes);
    } else {
      receive(bytes);
      MPI_Send(sent_.data(), bytes, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
    }
  }

 private:
  void receive(int bytes) {
    constexpr std::size_t page = 4096;
    const auto step = (static_cast<std::size_t>(bytes) + page - 1) / page * page;
    at_ = at_ + step > received_.size() - longest ? 0 : at_ + step;
    MPI_Recv(received_.data() + at_, bytes, MPI_BYTE, 1 - rank_, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

  int rank_;
  std::vector<char> sent_, received_;
  std::size_t at_ = 0;
};

/// A median and the distance of the quartiles relative to it.
struct MeasuredTimes {
  double median = 0, spread = 0;
};

MeasuredTimes measured(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double median = values[values.size() / 2];
  return {median, (values[values.size() * 3 / 4] - values[values.size() / 4]) / median};
}

/// Returns median and spread, over batches, of the mean of half an exchange.
MeasuredTimes half_exchange_seconds(Partner& partner, int bytes) {
  constexpr int batches = 15;
  const int exchanges = std::max(4, std::min(400, (8 << 20) / std::max(bytes, 1)));
  std::vector<double> seconds;
  for (int batch = 0; batch < batches; ++batch) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < exchanges; ++i) {
      partner.exchange(bytes);
    }
    seconds.push_back((MPI_Wtime() - start) / (2.0 * exchanges));
  }
  return measured(std::move(seconds));
}

/// Returns the duration of a send of `bytes` whose receiver is late. The shortest of several tries is taken, because the system interrupts
/// processes occasionally.
double lonely_send_seconds(int rank, int bytes) {
  constexpr useconds_t late = 5000;
  constexpr int tries = 5;
  std::vector<char> data(static_cast<std::size_t>(bytes));
  double min_seconds = 1;
  for (int i = 0; i < tries; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      const double start = MPI_Wtime();
      MPI_Send(data.data(), bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD);
      min_seconds = std::min(min_seconds, MPI_Wtime() - start);
    } else {
      usleep(late);
      MPI_Recv(data.data(), bytes, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  MPI_Bcast(&min_seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return min_seconds;
}

/// Returns the longest message, a power of two, whose send doesn't wait for its receiver.
int eager_bytes(int rank) {
  constexpr double waited = 2.5e-3;
  int bytes = 64;
  // Headers count too: a limit of 4096 may hold only for slightly shorter messages.
  while (bytes < longest && lonely_send_seconds(rank, 2 * bytes - 128) < waited) {
    bytes *= 2;
  }
  return bytes;
}

using Product = void (*)(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
                         const double*, const int*, const double*, double*, const int*, std::size_t, std::size_t);

/// Products of tiles that together exceed a core's own caches, as a program's tiles do.
class Tiles {
 public:
  explicit Tiles(Product product) : product_(product), memory_(tiles * order * order, 1e-3) {}

  /// Returns the mean time of a product, over as many products as take `min_seconds` seconds.
  double seconds_of_product(double min_seconds) {
    constexpr double minus_one = -1;
    constexpr double one = 1;
    const int n = order;
    int done = 0;
    const double start = MPI_Wtime();
    double seconds = 0;
    while (seconds < min_seconds) {
      product_("N", "T", &n, &n, &n, &minus_one, tile(0), &n, tile(1), &n, &one, tile(2), &n, 1, 1);
      at_ += 3;
      seconds = MPI_Wtime() - start;
      ++done;
    }
    return seconds / done;
  }

 private:
  static constexpr std::size_t order = 128;
  static constexpr std::size_t tiles = 192;  ///< 24 MiB
  double* tile(std::size_t i) { return memory_.data() + (at_ + i) % tiles * order * order; }

  Product product_;
  std::vector<double> memory_;
  std::size_t at_ = 0;
};

/// Waits with little load, by sleeping between two probes. MPI's own waiting would keep the core busy.
void sleep_until_message() {
  constexpr useconds_t pause = 500;
  for (int there = 0; there == 0;) {
    usleep(pause);
    MPI_Iprobe(0, tag, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
  }
}

/// Returns the speed of rank 0 while both ranks compute, relative to computing alone; 1 where there is no BLAS to compute with.
MeasuredTimes busy_core_speed(int rank) {
  constexpr int turns = 9;
  constexpr double min_seconds = 0.04;
  void* blas = dlopen("libblas.so.3", RTLD_NOW);
  auto* product = blas != nullptr ? reinterpret_cast<Product>(dlsym(blas, "dgemm_")) : nullptr;
  int both_have = product != nullptr ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &both_have, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (both_have == 0) {
    return {1, 0};
  }
  Tiles tiles(product);
  tiles.seconds_of_product(min_seconds);
  std::vector<double> ratios;
  for (int turn = 0; turn < turns; ++turn) {
    double alone = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      alone = tiles.seconds_of_product(min_seconds);
      MPI_Send(&alone, 1, MPI_DOUBLE, 1, tag, MPI_COMM_WORLD);
    } else {
      sleep_until_message();
      MPI_Recv(&alone, 1, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    ratios.push_back(alone / tiles.seconds_of_product(min_seconds));
  }
  const MeasuredTimes ratio = measured(std::move(ratios));
  return {std::min(1.0, ratio.median), ratio.spread};
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    if (rank == 0) {
      std::fprintf(stderr, "messages are measured between 2 processes, not %d\n", size);
    }
    MPI_Finalize();
    return 1;
  }
  Partner partner(rank);
  for (int i = 0; i < 1000; ++i) {
    partner.exchange(1024);  // the first messages set up the connection
  }
  std::vector<int> sizes = {1, 256, 1024, 3072, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1 << 20, 2 << 20, 4 << 20};
  if (rank == 0) {
    std::printf("{\"times\": [");
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const MeasuredTimes seconds = half_exchange_seconds(partner, sizes[i]);
    if (rank == 0) {
      std::printf("%s[%d, %.9g, %.4f]", i > 0 ? ", " : "", sizes[i], seconds.median, seconds.spread);
    }
  }
  const int eager = eager_bytes(rank);
  const MeasuredTimes busy = busy_core_speed(rank);
  if (rank == 0) {
    std::printf("], \"eager_bytes\": %d, \"busy_core_speed\": %.4f, \"busy_core_spread\": %.4f}\n", eager, busy.median, busy.spread);
  }
  MPI_Finalize();
  return 0;
}
