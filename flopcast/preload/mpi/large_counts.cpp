#include <mpi.h>

#include <limits>

/// MPI-4's point-to-point functions with large counts. Each calls the function with a small count, with elements made of many if necessary.
/// A receive must find a shadow whichever of the two functions sent its message.
#if MPI_VERSION >= 4
namespace {

/// Represents `count` elements of `type` such that their number is an int.
class Elements {
 public:
  Elements(MPI_Count count, MPI_Datatype type) : count_(static_cast<int>(count)), type_(type), made_(too_large(count)) {
    if (made_) {
      PMPI_Type_contiguous_c(count, type, &type_);
      PMPI_Type_commit(&type_);
      count_ = 1;
    }
  }
  Elements(const Elements&) = delete;
  Elements& operator=(const Elements&) = delete;
  ~Elements() {
    if (made_) {
      PMPI_Type_free(&type_);  // MPI keeps it for communication under way
    }
  }
  [[nodiscard]] int count() const noexcept { return count_; }
  [[nodiscard]] MPI_Datatype type() const noexcept { return type_; }

 private:
  static bool too_large(MPI_Count count) noexcept { return count > std::numeric_limits<int>::max(); }

  int count_;
  MPI_Datatype type_;
  bool made_;
};

}  // namespace

extern "C" {

#pragma GCC visibility push(default)

int MPI_Send_c(const void* buffer, MPI_Count count, MPI_Datatype type, int destination, int tag, MPI_Comm comm) {
  const Elements all(count, type);
  return MPI_Send(buffer, all.count(), all.type(), destination, tag, comm);
}

int MPI_Ssend_c(const void* buffer, MPI_Count count, MPI_Datatype type, int destination, int tag, MPI_Comm comm) {
  const Elements all(count, type);
  return MPI_Ssend(buffer, all.count(), all.type(), destination, tag, comm);
}

int MPI_Bsend_c(const void* buffer, MPI_Count count, MPI_Datatype type, int destination, int tag, MPI_Comm comm) {
  const Elements all(count, type);
  return MPI_Bsend(buffer, all.count(), all.type(), destination, tag, comm);
}

int MPI_Rsend_c(const void* buffer, MPI_Count count, MPI_Datatype type, int destination, int tag, MPI_Comm comm) {
  const Elements all(count, type);
  return MPI_Rsend(buffer, all.count(), all.type(), destination, tag, comm);
}

int MPI_Isend_c(const void* buffer, MPI_Count count, MPI_Datatype type, int destination, int tag, MPI_Comm comm, MPI_Request* request) {
  const Elements all(count, type);
  return MPI_Isend(buffer, all.count(), all.type(), destination, tag, comm, request);
}

int MPI_Issend_c(const void* buffer, MPI_Count count, MPI_Datatype type, int destination, int tag, MPI_Comm comm, MPI_Request* request) {
  const Elements all(count, type);
  return MPI_Issend(buffer, all.count(), all.type(), destination, tag, comm, request);
}

int MPI_Ibsend_c(const void* buffer, MPI_Count count, MPI_Datatype type, int destination, int tag, MPI_Comm comm, MPI_Request* request) {
  const Elements all(count, type);
  return MPI_Ibsend(buffer, all.count(), all.type(), destination, tag, comm, request);
}

int MPI_Irsend_c(const void* buffer, MPI_Count count, MPI_Datatype type, int destination, int tag, MPI_Comm comm, MPI_Request* request) {
  const Elements all(count, type);
  return MPI_Irsend(buffer, all.count(), all.type(), destination, tag, comm, request);
}

int MPI_Send_init_c(const void* buffer, MPI_Count count, MPI_Datatype type, int destination, int tag, MPI_Comm comm, MPI_Request* request) {
  const Elements all(count, type);
  return MPI_Send_init(buffer, all.count(), all.type(), destination, tag, comm, request);
}

int MPI_Ssend_init_c(const void* buffer, MPI_Count count, MPI_Datatype type, int destination, int tag, MPI_Comm comm,
                     MPI_Request* request) {
  const Elements all(count, type);
  return MPI_Ssend_init(buffer, all.count(), all.type(), destination, tag, comm, request);
}

int MPI_Bsend_init_c(const void* buffer, MPI_Count count, MPI_Datatype type, int destination, int tag, MPI_Comm comm,
                     MPI_Request* request) {
  const Elements all(count, type);
  return MPI_Bsend_init(buffer, all.count(), all.type(), destination, tag, comm, request);
}

int MPI_Rsend_init_c(const void* buffer, MPI_Count count, MPI_Datatype type, int destination, int tag, MPI_Comm comm,
                     MPI_Request* request) {
  const Elements all(count, type);
  return MPI_Rsend_init(buffer, all.count(), all.type(), destination, tag, comm, request);
}

int MPI_Recv_c(void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  const Elements all(count, type);
  return MPI_Recv(buffer, all.count(), all.type(), source, tag, comm, status);
}

int MPI_Irecv_c(void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  const Elements all(count, type);
  return MPI_Irecv(buffer, all.count(), all.type(), source, tag, comm, request);
}

int MPI_Recv_init_c(void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  const Elements all(count, type);
  return MPI_Recv_init(buffer, all.count(), all.type(), source, tag, comm, request);
}

int MPI_Mrecv_c(void* buffer, MPI_Count count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  const Elements all(count, type);
  return MPI_Mrecv(buffer, all.count(), all.type(), message, status);
}

int MPI_Imrecv_c(void* buffer, MPI_Count count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  const Elements all(count, type);
  return MPI_Imrecv(buffer, all.count(), all.type(), message, request);
}

int MPI_Sendrecv_c(const void* send_buffer, MPI_Count send_count, MPI_Datatype send_type, int destination, int send_tag,
                   void* receive_buffer, MPI_Count receive_count, MPI_Datatype receive_type, int source, int receive_tag, MPI_Comm comm,
                   MPI_Status* status) {
  const Elements sent(send_count, send_type);
  const Elements received(receive_count, receive_type);
  return MPI_Sendrecv(send_buffer, sent.count(), sent.type(), destination, send_tag, receive_buffer, received.count(), received.type(),
                      source, receive_tag, comm, status);
}

int MPI_Sendrecv_replace_c(void* buffer, MPI_Count count, MPI_Datatype type, int destination, int send_tag, int source, int receive_tag,
                           MPI_Comm comm, MPI_Status* status) {
  const Elements all(count, type);
  return MPI_Sendrecv_replace(buffer, all.count(), all.type(), destination, send_tag, source, receive_tag, comm, status);
}

int MPI_Isendrecv_c(const void* send_buffer, MPI_Count send_count, MPI_Datatype send_type, int destination, int send_tag,
                    void* receive_buffer, MPI_Count receive_count, MPI_Datatype receive_type, int source, int receive_tag, MPI_Comm comm,
                    MPI_Request* request) {
  const Elements sent(send_count, send_type);
  const Elements received(receive_count, receive_type);
  return MPI_Isendrecv(send_buffer, sent.count(), sent.type(), destination, send_tag, receive_buffer, received.count(), received.type(),
                       source, receive_tag, comm, request);
}

int MPI_Isendrecv_replace_c(void* buffer, MPI_Count count, MPI_Datatype type, int destination, int send_tag, int source, int receive_tag,
                            MPI_Comm comm, MPI_Request* request) {
  const Elements all(count, type);
  return MPI_Isendrecv_replace(buffer, all.count(), all.type(), destination, send_tag, source, receive_tag, comm, request);
}

#pragma GCC visibility pop
}
#endif
