// From the numbers of an index's documents back to those of its source, where the dropped documents stand as holes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace spillway {

// Immutable; thread-safe.
class SourceNumbering {
 public:
  // `dropped` ascends, in source numbering.
  explicit SourceNumbering(std::vector<std::uint32_t> dropped) : dropped_(std::move(dropped)) {
    kept_before_.reserve(dropped_.size());
    for (std::size_t i = 0; i < dropped_.size(); ++i) {
      kept_before_.push_back(dropped_[i] - static_cast<std::uint32_t>(i));
    }
  }
  const std::vector<std::uint32_t>& dropped() const { return dropped_; }
  std::uint32_t to_source(std::uint32_t document) const {
    if (dropped_.empty()) return document;
    const auto behind = std::upper_bound(kept_before_.begin(), kept_before_.end(), document);
    return document + static_cast<std::uint32_t>(behind - kept_before_.begin());
  }

  // The same for documents that ascend: mostly one comparison each.
  class Ascending {
   public:
    explicit Ascending(const SourceNumbering& numbering) : kept_before_(numbering.kept_before_) {}
    std::uint32_t to_source(std::uint32_t document) {
      if (passed_ < kept_before_.size() && kept_before_[passed_] <= document) {
        const auto from = kept_before_.begin() + static_cast<std::ptrdiff_t>(passed_);
        passed_ = static_cast<std::size_t>(std::upper_bound(from, kept_before_.end(), document) - kept_before_.begin());
      }
      return document + static_cast<std::uint32_t>(passed_);
    }

   private:
    const std::vector<std::uint32_t>& kept_before_;
    std::size_t passed_ = 0;
  };

 private:
  std::vector<std::uint32_t> dropped_;
  std::vector<std::uint32_t> kept_before_;  // kept documents before each dropped one; ascends
};

}  // namespace spillway
