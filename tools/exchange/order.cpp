#include "tools/exchange/order.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "tools/exchange/documents.hpp"

namespace spillway {

namespace {

// A list in fewer than one of so many documents is short: sorting it is faster than a look at every document.
constexpr std::uint64_t kShortShare = 32;

std::uint64_t most_short_postings(std::uint64_t documents) { return documents / kShortShare; }

// The URLs of all documents, one after the other.
class Urls {
 public:
  Urls(const IndexReader& index, MemoryBudget& budget, const std::function<void()>& check)
      : ends_(budget, (index.counts().documents + 1) * sizeof(std::uint64_t), "the order of URLs"),
        bytes_(budget, total_bytes(index, check), "the URLs, to put documents in their order") {
    const std::span<std::uint64_t> ends = ends_.as<std::uint64_t>();
    std::uint64_t end = 0;
    for (ExportedDocuments documents(index); documents.next();) {
      check();
      const std::string_view url = documents.document().url;
      if (!url.empty()) std::memcpy(bytes_.data() + end, url.data(), url.size());
      ends[documents.number() + 1] = end += url.size();
    }
  }
  std::string_view operator[](std::uint32_t document) const {
    const auto* const ends = reinterpret_cast<const std::uint64_t*>(ends_.data());
    return {reinterpret_cast<const char*>(bytes_.data()) + ends[document], ends[document + 1] - ends[document]};
  }

 private:
  static std::size_t total_bytes(const IndexReader& index, const std::function<void()>& check) {
    std::size_t bytes = 1;  // a buffer is not empty
    for (ExportedDocuments documents(index); documents.next();) {
      check();
      bytes += documents.document().url.size();
    }
    return bytes;
  }
  Buffer ends_, bytes_;  // ends_[i] is where URL i begins
};

}  // namespace

DocumentOrder DocumentOrder::by_url(const IndexReader& index, MemoryBudget& budget,
                                    const std::function<void()>& check) {
  DocumentOrder order;
  const std::uint64_t documents = index.counts().documents;
  if (documents == 0) return order;
  const std::size_t bytes = documents * sizeof(std::uint32_t);
  order.old_numbers_ = Buffer(budget, bytes, "the order of documents");
  const std::span<std::uint32_t> old_numbers = order.old_numbers_.as<std::uint32_t>();
  std::iota(old_numbers.begin(), old_numbers.end(), 0U);
  {
    const Urls urls(index, budget, check);
    std::sort(old_numbers.begin(), old_numbers.end(), [&](std::uint32_t a, std::uint32_t b) {
      const int difference = urls[a].compare(urls[b]);
      return difference != 0 ? difference < 0 : a < b;
    });
  }
  check();
  order.new_numbers_ = Buffer(budget, bytes, "the order of documents");
  const std::span<std::uint32_t> new_numbers = order.new_numbers_.as<std::uint32_t>();
  for (std::size_t i = 0; i < old_numbers.size(); ++i) new_numbers[old_numbers[i]] = static_cast<std::uint32_t>(i);
  order.frequencies_ = Buffer(budget, bytes, "lists in another order");
  order.postings_ =
      Buffer(budget, (most_short_postings(documents) + 1) * sizeof(std::uint64_t), "lists in another order");
  return order;
}

void each_ordered_document(const IndexReader& index, const DocumentOrder& order, const std::function<void()>& check,
                           const std::function<void(const OrderedDocument&)>& take) {
  OrderedDocument document;
  if (order.is_input()) {
    for (ExportedDocuments documents(index); documents.next(); ++document.number) {
      check();
      document.length = documents.document().length;
      document.id = documents.id();
      document.url = documents.document().url;
      take(document);
    }
    return;
  }
  for (; document.number < index.counts().documents; ++document.number) {
    check();
    StoredDocument stored = index.document(order.old_number(document.number));
    document.length = stored.length;
    document.id = std::move(stored.id);
    document.url = std::move(stored.url);
    take(document);
  }
}

OrderedPostings::OrderedPostings(const IndexReader& index, const TermEntry& entry, DocumentOrder& order,
                                 const std::function<void()>& check)
    : cursor_(index, entry),
      order_(order),
      is_short_(entry.document_count <= most_short_postings(index.counts().documents)) {
  if (!order.is_input()) read_list(check);
}

// The cursor gives out no more than the documents of the entry, or throws.
void OrderedPostings::read_list(const std::function<void()>& check) {
  const std::span<const std::uint32_t> new_numbers = DocumentOrder::numbers(order_.new_numbers_);
  const std::span<std::uint32_t> frequencies = order_.frequencies_.as<std::uint32_t>();
  const std::span<std::uint64_t> postings = order_.postings_.as<std::uint64_t>();
  while (cursor_.next_block()) {
    if (cursor_.block() % 256 == 0) check();
    for (std::size_t i = 0; i < cursor_.documents().size(); ++i) {
      const std::uint32_t document = new_numbers[cursor_.documents()[i]], frequency = cursor_.frequencies()[i];
      if (is_short_) {
        postings[left_] = std::uint64_t{document} << 32 | frequency;
      } else {
        frequencies[document] = frequency;
      }
      ++left_;
    }
  }
  if (is_short_) std::sort(postings.begin(), postings.begin() + static_cast<std::ptrdiff_t>(left_));
}

void OrderedPostings::add(std::uint32_t document, std::uint32_t frequency) {
  block_documents_[block_count_] = document;
  block_frequencies_[block_count_++] = frequency;
  --left_;
}

bool OrderedPostings::next_block() {
  if (order_.is_input()) {
    if (!cursor_.next_block()) return false;
    documents_ = cursor_.documents();
    frequencies_ = cursor_.frequencies();
    return true;
  }
  if (left_ == 0) return false;
  block_count_ = 0;
  const std::span<const std::uint64_t> postings = order_.postings_.as<std::uint64_t>();
  const std::span<std::uint32_t> frequencies = order_.frequencies_.as<std::uint32_t>();
  for (; left_ != 0 && block_count_ < kPostingsBlock; ++next_document_) {
    if (is_short_) {
      add(static_cast<std::uint32_t>(postings[next_document_] >> 32),
          static_cast<std::uint32_t>(postings[next_document_]));
    } else if (const std::uint32_t frequency = std::exchange(frequencies[next_document_], 0); frequency != 0) {
      add(next_document_, frequency);
    }
  }
  documents_ = {block_documents_, block_count_};
  frequencies_ = {block_frequencies_, block_count_};
  return true;
}

}  // namespace spillway
