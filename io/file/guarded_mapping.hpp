// A mapping of a file that may be truncated, or whose disk may fail, while it is read. The system then sends SIGBUS to
// the thread that touches a lost page. A handler puts zeros there, so that the thread goes on, and the owner of the
// mapping finds out afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace spillway {

// Thread-safe, except for construction and destruction.
//
// The first mapping of a process installs the handler for SIGBUS, which stays. It passes every signal that no mapping
// caused to the handler that was installed before it. A program that installs its own handler later calls the earlier
// one in the same way. SIGBUS must not be blocked in threads that read mappings: the system ends the process then.
class GuardedMapping {
 public:
  // Maps the first `size` bytes of an open file. The descriptor may be closed afterwards. Requires: size >= 1.
  GuardedMapping(int descriptor, std::size_t size);
  // Maps where.size() bytes of the file from `offset` on in place of pages of the caller's memory, which is private and
  // stays writable; what is written there does not reach the file. The pages stay when this object is gone, but are
  // not guarded any more. Requires: `where` begins a page, and ends one or the file; offset is a multiple of the page
  // size.
  GuardedMapping(int descriptor, std::uint64_t offset, std::span<std::uint8_t> where);
  ~GuardedMapping();
  GuardedMapping(const GuardedMapping&) = delete;
  GuardedMapping& operator=(const GuardedMapping&) = delete;

  // Empty if the system could not map. When the system cannot load a page, all bytes from there to the end become zeros
  // and stay so. Bytes past the end of a truncated file become zeros at once if they are in its last page.
  std::span<const std::uint8_t> bytes() const { return {bytes_, size_}; }
  // Where in the file the zeros begin if the system failed to load a page: at a multiple of the page size.
  std::optional<std::uint64_t> lost_from() const;
  // Unloads the pages from this process's memory; later reads load them again.
  void release_pages() const;

 private:
  struct Place;  // in the table that the handler reads
  friend struct BusErrorHandler;
  Place* place_ = nullptr;
  const std::uint8_t* bytes_ = nullptr;
  std::size_t size_ = 0;
  std::uint64_t offset_ = 0;
  bool owns_pages_ = true;
};

// Loads pages of a mapping before they are touched, which takes less time than one by one. Pages that cannot be loaded
// are left to who touches them.
void load_pages(std::span<const std::uint8_t> bytes);
// Bytes of a page of memory.
std::size_t page_bytes();

}  // namespace spillway
