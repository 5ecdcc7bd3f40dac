// Tells by hashes whether any two documents may have the same id. That takes a fraction of the time of a sort of the
// ids, and where it finds none, lists and documents can be merged before the ids are sorted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "sort/interface/string_sorter.hpp"

namespace spillway {

using IdHash = std::uint64_t (*)(std::string_view id);

// XXH3-64.
std::uint64_t hash_id(std::string_view id);

// The hashes of the ids of all documents, 8 bytes each.
class IdHashes {
 public:
  // The memory of `count` documents, about 16 bytes for each. Call it in the TBB arena that may_repeat() is called in.
  static std::size_t memory_bytes(std::size_t count);
  // Requires: `memory` lives longer, is aligned for integers, and has memory_bytes(count).
  IdHashes(std::size_t count, std::span<std::uint8_t> memory, IdHash hash);

  // Requires: number < count. Each number is set before may_repeat(), by one thread at a time. An id without data is
  // none.
  void set(std::uint32_t number, const StringRef& id) {
    hashes_[number] = id.data == nullptr ? kNone : std::max<std::uint64_t>(hash_(id.view()), kNone + 1);
  }

  // Returns false only if no two ids are the same. Returns true if two hashes are, and perhaps if many are alike in
  // their highest bits. Uses all threads of the calling thread's TBB arena; O(documents). The hashes are lost. `check`
  // may be empty, is called by any thread and throws to stop.
  bool may_repeat(const std::function<void()>& check = {});

 private:
  static constexpr std::uint64_t kNone = 0;  // a document without an id; the hash of no id
  bool part_may_repeat(std::uint64_t part, std::span<std::uint64_t> table) const;

  std::span<std::uint64_t> hashes_;
  std::span<std::uint8_t> scratch_;
  const IdHash hash_;
  const unsigned part_bits_;
};

}  // namespace spillway
