#include "indexer/job/duplicates/repeats.hpp"

#include "corpora/document/field_table.hpp"
#include "indexer/parse/text_hash.hpp"
#include "merge/input/documents.hpp"
#include "sort/external/string_sort.hpp"

namespace spillway {

namespace {

// A longer URL was cut at the end of a character, so two different ones may look alike.
constexpr std::size_t kLongestUncut = kMaxFieldBytes - 4;
// Broken UTF-8 was replaced by this, so two different URLs with it may look alike.
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Computes the hashes of the first documents of the source, which must be handed over in order.
class StoredHashes {
 public:
  StoredHashes(std::span<const MergeInput* const> inputs, std::uint64_t count) : texts_(inputs), count_(count) {}

  bool has(std::uint32_t number) const { return number < count_; }

  // The view lives until the next call. Returns nothing for a document that an index has dropped.
  std::string_view next(const RunDocument& document) {
    TextHash hash(document.title);
    texts_.next_document([&](std::string_view fragment) { hash.add(fragment); });
    hash_ = hash.digest();
    if (document.fields == RunDocument::kDropped) return {};
    return {reinterpret_cast<const char*>(hash_.data()), hash_.size()};
  }

 private:
  SourceTexts texts_;
  const std::uint64_t count_;
  Hash128 hash_{};
};

// Returns what is compared; nothing if the document has none.
std::string_view value_of(Dedup what, const RunDocument& document) {
  if (document.fields == RunDocument::kDropped) return {};
  if (what == Dedup::kExact) return document.text_hash;
  if ((document.fields & RunDocument::kUrl) == 0) return {};
  const bool is_whole =
      document.url.size() <= kLongestUncut && document.url.find(kReplacement) == std::string_view::npos;
  return is_whole ? document.url : std::string_view();
}

}  // namespace

void find_repeats(std::span<const MergeInput* const> inputs, const DroppedDocuments& dropped,
                  const RepeatSearch& search, const TakeRepeat& take) {
  ExternalStringSort sort(search.budget, search.temp, search.sorter, search.memory_bytes);
  StoredHashes stored(inputs, search.unhashed_count);
  for_each_document(inputs, search.check, [&](std::uint32_t number, const RunDocument& document) {
    const std::string_view value = stored.has(number) ? stored.next(document) : value_of(search.what, document);
    if (!value.empty() && !dropped.contains(number)) sort.add(value, number);
    return ReadStep::kGoOn;
  });
  sort.sort();
  std::string value;  // not empty once there is a first document
  std::uint32_t first = 0;
  const auto compare = [&](std::string_view next, std::uint32_t number) {
    if (search.check) search.check();
    if (next == value) return take(value, first, number);
    value = next;
    first = number;
  };
  sort.read_repeated(compare, search.check);
}

SkipReason repeat_reason(Dedup what) {
  return what == Dedup::kExact ? SkipReason::kDuplicateText : SkipReason::kDuplicateUrl;
}

std::string_view repeat_name(Dedup what) { return what == Dedup::kExact ? "title and text" : "URL"; }

std::string describe_repeat(Dedup what, std::string_view value, const std::string& first) {
  return what == Dedup::kExact ? "title and text are those of " + first
                               : "URL " + std::string(value) + " is that of " + first;
}

}  // namespace spillway
