// Counts what the program asks for in every thread, and refuses one request: operator new, pages from the system,
// reservations of its memory budget, and calls of the GPU.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace spillway::sweep {

enum class Resource : std::uint8_t { kHeap, kPages, kBudget, kDevice };
constexpr std::size_t kResources = 4;
std::string_view resource_name(Resource resource);

using Requests = std::array<std::uint64_t, kResources>;  // by resource

// The request to refuse, numbered from 0.
struct Refusal {
  Resource resource = Resource::kHeap;
  std::uint64_t number = ~std::uint64_t{0};  // more than there are: none is refused
};

void count_requests(const Refusal& refusal);
// Ends the count and returns it.
Requests end_count();
// Counts a request of the program. Returns whether it is refused.
bool refuses(Resource resource);

// While one exists, requests of this thread are not the program's.
class OwnRequests {
 public:
  OwnRequests();
  ~OwnRequests();
  OwnRequests(const OwnRequests&) = delete;
  OwnRequests& operator=(const OwnRequests&) = delete;
};

}  // namespace spillway::sweep
