// Decides which of the documents with the same id are left out: by the policy of the index and, where documents are
// appended to an index, by what is to happen to ids that it has already.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "indexer/options/index_options.hpp"
#include "io/format/content_options.hpp"

namespace spillway {

// The index to which other documents are appended.
struct AppendedTo {
  std::uint64_t document_count = 0;  // of its source: the first documents of the merge. 0: nothing is appended
  KnownIds known_ids = KnownIds::kRefuse;
  bool replace_urls = false;  // drops them where an appended document has their URL
};

class SameIds {
 public:
  SameIds(DuplicateIds policy, const AppendedTo& appended_to) : policy_(policy), appended_to_(appended_to) {}

  // Returns whether documents may be left out, or refused.
  static bool may_drop(DuplicateIds policy, const AppendedTo& appended_to);

  // To be set before take(). Documents are named by their numbers in the source; `number` is left out.
  std::function<void(std::string_view id, std::uint32_t kept, std::uint32_t number)> on_duplicate;
  std::function<void(std::string_view id, std::uint32_t kept, std::uint32_t number)> on_known;  // `kept`: in the index
  std::function<void(std::uint32_t number)> on_replaced;  // by an appended document

  // Takes ids in byte order, equal ones in order of number. InputError for a duplicate under the policy `fail`.
  void take(std::string_view id, std::uint32_t number);
  // InputError, which names the first few, if appended documents have known ids and may not.
  void finish() const;

 private:
  bool is_known(std::uint32_t number) const { return number < appended_to_.document_count; }
  void meet_known(std::uint32_t number);
  void meet_same(std::uint32_t number);
  [[noreturn]] void refuse(std::uint32_t number) const;

  const DuplicateIds policy_;
  const AppendedTo appended_to_;
  std::string id_;
  std::uint32_t kept_ = 0;  // the document that has it
  bool any_ = false;
  std::uint64_t refused_ = 0;
  std::vector<std::pair<std::string, std::uint64_t>> refused_examples_;  // id, and number in the appended input
};

}  // namespace spillway
