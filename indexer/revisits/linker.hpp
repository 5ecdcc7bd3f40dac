// Finds for each revisit record the record whose content it repeats, out of core: by external sorts of keys.
//
// A revisit refers to the first record of the input that has the best of its keys (RevisitKey) that any record has. If
// that is another revisit, it goes on from there; each step doubles the length of the paths that are known (pointer
// jumping), so that paths of any length take O(log n) sorts, and paths that end in a circle are found. A revisit that
// is led nowhere takes the best key that leads it, or else the revisits on its path, to a response.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "corpora/revisits/location.hpp"
#include "corpora/warc/header.hpp"
#include "io/memory/budget.hpp"
#include "io/scratch/temp_space.hpp"
#include "sort/external/string_sort.hpp"

namespace spillway {

struct RevisitSorts {
  MemoryBudget& budget;
  TempSpace& temp;
  const StringSorter& sorter;
  std::size_t memory_bytes = 0;      // of each sort; at least 256 KiB are used
  std::function<void()> check = {};  // called often; throws to stop. May be empty
};

class RevisitLinker {
 public:
  static constexpr std::size_t kMostSorts = 3;  // at a time

  // Reserves the memory of two sorts.
  explicit RevisitLinker(const RevisitSorts& sorts);

  // Takes a record that revisits may refer to. Locations of records and revisits together ascend.
  void add_record(const RecordLocation& location, const WarcHeader& header);
  // `place`: what link() says instead of the location.
  void add_revisit(const RecordLocation& location, const WarcHeader& header, std::uint64_t place);

  // Is called with a record and the place of one of its revisits.
  using Take = std::function<void(const RecordLocation& record, std::uint64_t place)>;
  // Calls `take` for each revisit that leads to a record: with that record, and once more with the location of the
  // revisit itself and RevisitEntry::kFollowed. Records ascend, and so do the revisits of a record. Returns the number
  // of revisits that lead to records. Call it once, after all records were added.
  std::uint64_t link(const Take& take);
  std::uint64_t revisits() const { return revisits_; }

 private:
  using Sort = std::unique_ptr<ExternalStringSort>;
  struct Path;
  using TakePath = std::function<void(const Path&)>;
  Sort make_sort() const;
  void add_own_keys(const RecordLocation& location, const WarcHeader& header, bool is_revisit);
  void match_keys();
  void read_paths(const TakePath& take);
  Sort first_paths();
  std::uint64_t lengthen(Sort& paths) const;
  void check() const;

  const RevisitSorts sorts_;
  Sort keys_, matches_;
  std::uint64_t revisits_ = 0;
  std::uint64_t to_revisits_ = 0;  // matches of revisits with other revisits
};

}  // namespace spillway
