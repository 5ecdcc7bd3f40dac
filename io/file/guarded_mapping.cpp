#include "io/file/guarded_mapping.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <utility>

namespace spillway {

// Places are reused but never freed, because the handler may be reading any of them. It finds them in a list that only
// grows, at its head.
struct GuardedMapping::Place {
  std::atomic<std::uintptr_t> begin{0}, end{0};  // both 0: free
  std::atomic<std::uintptr_t> lost{UINTPTR_MAX};
  std::atomic<int> protection{PROT_READ};
  Place* next = nullptr;       // in the list of all
  Place* next_free = nullptr;  // in the list of free ones

  static inline std::atomic<Place*> all{nullptr};
  static inline std::mutex mutex;  // of free and of additions to all
  static inline Place* free = nullptr;

  static Place* take() {
    const std::scoped_lock lock(mutex);
    if (free != nullptr) return std::exchange(free, free->next_free);
    Place* const place = new Place;
    place->next = all.load(std::memory_order_relaxed);
    all.store(place, std::memory_order_release);
    return place;
  }
  void fill(std::uintptr_t from, std::uintptr_t to, int protected_by) {
    lost = UINTPTR_MAX;
    protection = protected_by;
    begin = from;
    end = to;
  }
  static void give_back(Place* place) {
    place->end = 0;
    place->begin = 0;
    const std::scoped_lock lock(mutex);
    place->next_free = std::exchange(free, place);
  }
};

static_assert(std::atomic<std::uintptr_t>::is_always_lock_free, "signal handlers may touch lock-free atomics only");

// Runs in the thread that touched the page, so it does nothing that could wait: no locks, no allocations.
struct BusErrorHandler {
  using Place = GuardedMapping::Place;
  static inline struct sigaction earlier;

  static void install() {
    static std::once_flag once;
    std::call_once(once, [] {
      static_cast<void>(page_bytes());  // before ours can run, as the next one
      sigaction(SIGBUS, nullptr, &earlier);
      struct sigaction ours = {};
      ours.sa_sigaction = handle;
      ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
      sigemptyset(&ours.sa_mask);
      sigaction(SIGBUS, &ours, nullptr);
    });
  }

  static void handle(int number, siginfo_t* info, void* context) {
    const int error = errno;
    const bool by_the_system = info->si_code > 0;  // rather than by kill()
    const bool is_ours = by_the_system && replace_pages(reinterpret_cast<std::uintptr_t>(info->si_addr));
    errno = error;
    if (!is_ours) pass_on(number, info, context);
  }

  // Returns false if no mapping contains the address, or the system has no memory for the table of pages.
  static bool replace_pages(std::uintptr_t address) {
    for (Place* place = Place::all.load(std::memory_order_acquire); place != nullptr; place = place->next) {
      const std::uintptr_t begin = place->begin, end = place->end;
      if (address < begin || address >= end) continue;
      if (begin == 0 || place->begin != begin) continue;  // another thread was just reusing the place
      const std::uintptr_t lost = address / page_bytes() * page_bytes();
      note(*place, lost);
      // The call of the system itself: what a library or a sanitizer puts around it may take locks.
      const long mapped = syscall(SYS_mmap, lost, end - lost, place->protection.load(),
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
      return static_cast<std::uintptr_t>(mapped) == lost;
    }
    return false;
  }

  static void note(Place& place, std::uintptr_t lost) {
    std::uintptr_t least = place.lost;
    while (lost < least && !place.lost.compare_exchange_weak(least, lost)) {
    }
  }

  static void pass_on(int number, siginfo_t* info, void* context) {
    const bool by_the_system = info->si_code > 0;
    if (earlier.sa_handler == SIG_IGN && !by_the_system) return;
    if (earlier.sa_handler == SIG_DFL || earlier.sa_handler == SIG_IGN) {
      signal(number, SIG_DFL);
      if (!by_the_system) raise(number);  // delivered when this handler returns; a bad access happens again by itself
    } else if ((earlier.sa_flags & SA_SIGINFO) != 0) {
      earlier.sa_sigaction(number, info, context);
    } else {
      earlier.sa_handler(number);
    }
  }
};

namespace {

std::size_t whole_pages(std::size_t bytes) { return (bytes + page_bytes() - 1) / page_bytes() * page_bytes(); }

}  // namespace

GuardedMapping::GuardedMapping(int descriptor, std::size_t size) : place_(Place::take()) {
  BusErrorHandler::install();
  void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (mapped == MAP_FAILED) return;
  bytes_ = static_cast<const std::uint8_t*>(mapped);
  size_ = size;
  const auto begin = reinterpret_cast<std::uintptr_t>(mapped);
  place_->fill(begin, begin + whole_pages(size), PROT_READ);
}

GuardedMapping::GuardedMapping(int descriptor, std::uint64_t offset, std::span<std::uint8_t> where)
    : place_(Place::take()), offset_(offset), owns_pages_(false) {
  BusErrorHandler::install();
  constexpr int kProtection = PROT_READ | PROT_WRITE;
  void* const elsewhere =
      ::mmap(nullptr, where.size(), kProtection, MAP_PRIVATE, descriptor, static_cast<off_t>(offset));
  if (elsewhere == MAP_FAILED) return;
  // Mapping there at once would leave a hole in the caller's memory where the file cannot be mapped.
  void* const mapped = ::mremap(elsewhere, where.size(), where.size(), MREMAP_MAYMOVE | MREMAP_FIXED, where.data());
  if (mapped == MAP_FAILED) {
    ::munmap(elsewhere, where.size());
    return;
  }
  bytes_ = where.data();
  size_ = where.size();
  const auto begin = reinterpret_cast<std::uintptr_t>(mapped);
  place_->fill(begin, begin + whole_pages(size_), kProtection);
}

GuardedMapping::~GuardedMapping() {
  Place::give_back(place_);  // first: the addresses may be mapped again at once
  if (bytes_ != nullptr && owns_pages_) ::munmap(const_cast<std::uint8_t*>(bytes_), size_);
}

std::optional<std::uint64_t> GuardedMapping::lost_from() const {
  if (bytes_ == nullptr || place_->lost == UINTPTR_MAX) return std::nullopt;
  return offset_ + (place_->lost - reinterpret_cast<std::uintptr_t>(bytes_));
}

void GuardedMapping::release_pages() const {
  if (bytes_ != nullptr) ::madvise(const_cast<std::uint8_t*>(bytes_), size_, MADV_DONTNEED);
}

void load_pages(std::span<const std::uint8_t> bytes) {
#ifdef MADV_POPULATE_READ
  ::madvise(const_cast<std::uint8_t*>(bytes.data()), bytes.size(), MADV_POPULATE_READ);
#else
  static_cast<void>(bytes);
#endif
}

std::size_t page_bytes() {
  static const auto kBytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return kBytes;
}

}  // namespace spillway
