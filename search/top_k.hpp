// The k best documents seen so far, whatever the order in which they come.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/index/reader.hpp"

namespace spillway {

struct RankedDocument {
  std::uint32_t document = 0;
  double score = 0;
};

// Best is the higher score; equal scores go by external id, descending in byte order, and equal ids by number,
// ascending. Ids are read where scores are equal only. Not thread-safe.
class TopK {
 public:
  // k >= 1. The index lives longer.
  TopK(const IndexReader& index, std::size_t k) : index_(index), k_(k) {}
  TopK(const TopK&) = delete;
  TopK& operator=(const TopK&) = delete;

  // A document with a score below this one is not among the best; one with an equal score may be. Below every score
  // until k documents are there.
  double threshold() const { return threshold_; }
  void offer(std::uint32_t document, double score);
  // Best first; leaves nothing.
  std::vector<RankedDocument> take();

 private:
  struct Entry {
    std::uint32_t document;
    double score;
    mutable std::optional<std::string> id;
  };
  struct IsBetter {
    const TopK* owner;
    bool operator()(const Entry& a, const Entry& b) const { return owner->is_better(a, b); }
  };
  const std::string& id_of(const Entry& entry) const;
  bool is_better(const Entry& a, const Entry& b) const;

  const IndexReader& index_;
  std::size_t k_;
  double threshold_ = -1;
  std::vector<Entry> heap_;  // the worst of them on top
  const IsBetter is_better_{this};
};

}  // namespace spillway
