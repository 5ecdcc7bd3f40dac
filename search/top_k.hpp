// Keeps the k best of the documents that are offered, whatever their order. Time O(log k) per offer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/collection.hpp"

namespace spillway {

// A higher score is better. Equal scores are ordered by external id, descending in byte order, and equal ids by number
// in the collection, ascending. Ids are read only to compare equal scores. Not thread-safe.
class TopK {
 public:
  // Requires: k >= 1. The collection must outlive this object.
  TopK(const Collection& collection, std::size_t k) : collection_(collection), k_(k) {}
  TopK(const TopK&) = delete;
  TopK& operator=(const TopK&) = delete;

  // A document with a lower score is not among the best k; one with this score may be. Until k documents were offered,
  // the threshold is below every score.
  double threshold() const { return threshold_; }
  void offer(const RankedDocument& ranked);
  // Returns the documents, best first, and forgets them.
  std::vector<RankedDocument> take();

 private:
  struct Entry {
    RankedDocument ranked;
    mutable std::optional<std::string> id;
  };
  struct IsBetter {
    const TopK* owner;
    bool operator()(const Entry& a, const Entry& b) const { return owner->is_better(a, b); }
  };
  const std::string& id_of(const Entry& entry) const;
  bool is_better(const Entry& a, const Entry& b) const;

  const Collection& collection_;
  std::size_t k_;
  double threshold_ = -1;
  std::vector<Entry> heap_;  // the worst on top
  const IsBetter is_better_{this};
};

}  // namespace spillway
