#include "tests/sweep/requests.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>

#include "io/base/error.hpp"
#include "io/memory/budget.hpp"
#include "io/memory/program_bytes.hpp"

namespace spillway::sweep {

namespace {

std::atomic<bool> counting{false};
std::array<std::atomic<std::uint64_t>, kResources> counts{};
Refusal refused;
thread_local int own = 0;

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (refuses(Resource::kHeap)) throw std::bad_alloc();
  void* const memory = alignment == 0 ? std::malloc(bytes == 0 ? 1 : bytes)
                                      : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

std::string_view resource_name(Resource resource) {
  constexpr std::array<std::string_view, kResources> kNames{"operator new", "pages of memory", "reservation",
                                                            "call of the GPU"};
  return kNames.at(static_cast<std::size_t>(resource));
}

void count_requests(const Refusal& refusal) {
  for (auto& count : counts) count.store(0);
  refused = refusal;
  counting.store(true);
}

Requests end_count() {
  counting.store(false);
  Requests requests;
  for (std::size_t i = 0; i < kResources; ++i) requests[i] = counts[i].load();
  return requests;
}

bool refuses(Resource resource) {
  if (!counting.load(std::memory_order_relaxed) || own != 0) return false;
  const std::uint64_t number = counts[static_cast<std::size_t>(resource)].fetch_add(1, std::memory_order_relaxed);
  return refused.resource == resource && refused.number == number;
}

OwnRequests::OwnRequests() { ++own; }
OwnRequests::~OwnRequests() { --own; }

}  // namespace spillway::sweep

// The forms that the others of the standard library call.
void* operator new(std::size_t bytes) { return spillway::sweep::allocate(bytes, 0); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return spillway::sweep::allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

// The linker gives calls of the budget to these (tests/CMakeLists.txt). A member function has the budget as its first
// parameter.
using spillway::Buffer;
using spillway::MemoryBudget;
using spillway::Reservation;
using spillway::sweep::refuses;
using spillway::sweep::Resource;

namespace {

constexpr const char* kRefusal = "the sweep refuses this reservation of memory";

}  // namespace

extern "C" {

#define RESERVE(prefix) prefix##_ZN8spillway12MemoryBudget7reserveEmSt17basic_string_viewIcSt11char_traitsIcEE
#define TRY_RESERVE(prefix) prefix##_ZN8spillway12MemoryBudget11try_reserveEmSt17basic_string_viewIcSt11char_traitsIcEE
#define TRY_RESERVE_PATIENTLY(prefix) \
  prefix##_ZN8spillway12MemoryBudget11try_reserveEmNSt6chrono8durationIlSt5ratioILl1ELl1000EEEESt17basic_string_viewIcSt11char_traitsIcEE
#define MAKE_BUFFER(prefix) prefix##_ZN8spillway6BufferC1ERNS_12MemoryBudgetEmSt17basic_string_viewIcSt11char_traitsIcEE

#define REUSE_BUFFER(prefix) \
  prefix##_ZN8spillway6Buffer6reusedERNS_12MemoryBudgetEmSt17basic_string_viewIcSt11char_traitsIcEE

Reservation RESERVE(__real_)(MemoryBudget* budget, std::size_t bytes, std::string_view consumer);
Reservation RESERVE(__wrap_)(MemoryBudget* budget, std::size_t bytes, std::string_view consumer) {
  if (refuses(Resource::kBudget)) throw spillway::BudgetError(kRefusal);
  return RESERVE(__real_)(budget, bytes, consumer);
}

std::optional<Reservation> TRY_RESERVE(__real_)(MemoryBudget* budget, std::size_t bytes, std::string_view consumer);
std::optional<Reservation> TRY_RESERVE(__wrap_)(MemoryBudget* budget, std::size_t bytes, std::string_view consumer) {
  if (refuses(Resource::kBudget)) return std::nullopt;
  return TRY_RESERVE(__real_)(budget, bytes, consumer);
}

std::optional<Reservation> TRY_RESERVE_PATIENTLY(__real_)(MemoryBudget* budget, std::size_t bytes,
                                                          std::chrono::milliseconds patience,
                                                          std::string_view consumer);
std::optional<Reservation> TRY_RESERVE_PATIENTLY(__wrap_)(MemoryBudget* budget, std::size_t bytes,
                                                          std::chrono::milliseconds patience,
                                                          std::string_view consumer) {
  if (refuses(Resource::kBudget)) return std::nullopt;
  return TRY_RESERVE_PATIENTLY(__real_)(budget, bytes, patience, consumer);
}

void MAKE_BUFFER(__real_)(Buffer* buffer, MemoryBudget* budget, std::size_t bytes, std::string_view consumer);
void MAKE_BUFFER(__wrap_)(Buffer* buffer, MemoryBudget* budget, std::size_t bytes, std::string_view consumer) {
  if (refuses(Resource::kBudget)) throw spillway::BudgetError(kRefusal);
  MAKE_BUFFER(__real_)(buffer, budget, bytes, consumer);
}

Buffer REUSE_BUFFER(__real_)(MemoryBudget* budget, std::size_t bytes, std::string_view consumer);
Buffer REUSE_BUFFER(__wrap_)(MemoryBudget* budget, std::size_t bytes, std::string_view consumer) {
  if (refuses(Resource::kBudget)) throw spillway::BudgetError(kRefusal);
  return REUSE_BUFFER(__real_)(budget, bytes, consumer);
}

// A job charges what the program itself has at its start. A worker of the sweep also has the record of its trials,
// which grows, so the same job would plan otherwise at each point.
std::size_t __wrap__ZN8spillway13program_bytesEv() { return spillway::kLibraryProgramBytes; }

}  // extern "C"
