#include "flopcast/preload/smpi/matching.hpp"

namespace flopcast::preload::smpi {

std::shared_ptr<Message> Matching::meet(std::map<Route, Queue>& others, std::map<Route, Queue>& own, const Route& route) {
  if (const auto found = others.find(route); found != others.end()) {
    std::shared_ptr<Message> message = found->second.front();
    found->second.pop_front();
    if (found->second.empty()) {
      others.erase(found);
    }
    return message;
  }
  return own[route].emplace_back(std::make_shared<Message>());
}

std::shared_ptr<Message> Matching::send(const Route& route, const ProcessArrival& sender) {
  std::shared_ptr<Message> message = meet(unsent_, unreceived_, route);
  message->sender = sender;
  return message;
}

std::shared_ptr<Message> Matching::receive(const Route& route, const ProcessArrival& receiver) {
  std::shared_ptr<Message> message = meet(unreceived_, unsent_, route);
  message->receiver = receiver;
  return message;
}

OpenCollective& Collectives::arrive(const Key& key, int rank, const ProcessArrival& arrival) {
  OpenCollective& collective = open_[key];
  collective.arrivals[rank] = arrival;
  return collective;
}

void Collectives::leave(const Key& key, int size) {
  const auto found = open_.find(key);
  if (found != open_.end() && ++found->second.ended == size) {
    open_.erase(found);
  }
}

}  // namespace flopcast::preload::smpi
