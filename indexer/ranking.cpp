#include "indexer/ranking.hpp"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cmath>
#include <memory>
#include <optional>

namespace spillway {

namespace {

// Documents whose scores are summed side by side: their accumulators fit the L2 cache.
constexpr std::uint64_t kWindow = std::uint64_t{1} << 16;

}  // namespace

std::vector<QueryTerm> query_terms(Analyzer& analyzer, std::string_view query) {
  std::vector<QueryTerm> terms;
  boost::unordered_flat_map<std::string, std::size_t> places;
  analyzer.analyze(query, [&](std::string_view term) {
    const auto [place, is_new] = places.try_emplace(std::string(term), terms.size());
    if (is_new) terms.push_back({std::string(term), 0});
    ++terms[place->second].count;
  });
  return terms;
}

// One term's list, consumed a window at a time.
class Bm25Ranker::TermScan {
 public:
  TermScan(const Bm25Ranker& ranker, TermEntry entry, double weight)
      : ranker_(ranker), entry_(std::move(entry)), cursor_(ranker.index_, entry_), weight_(weight) {
    is_done_ = !cursor_.next_block();
  }
  TermScan(const TermScan&) = delete;  // the cursor refers to entry_
  TermScan& operator=(const TermScan&) = delete;

  bool is_done() const { return is_done_; }
  std::uint32_t next_document() const { return cursor_.documents()[at_]; }

  // Adds this term's share to the scores of documents [begin, begin + kWindow).
  void add_scores(std::uint64_t begin, std::span<const std::uint32_t> lengths, std::span<double> scores) {
    const double k1 = ranker_.parameters_.k1, b = ranker_.parameters_.b, mean = ranker_.mean_length_;
    while (!is_done_) {
      const auto documents = cursor_.documents();
      const auto frequencies = cursor_.frequencies();
      for (; at_ < documents.size(); ++at_) {
        const std::uint32_t document = documents[at_];
        if (document >= begin + kWindow) return;
        const double tf = frequencies[at_];
        scores[document - begin] += weight_ * tf / (tf + k1 * (1 - b + b * lengths[document] / mean));
      }
      at_ = 0;
      is_done_ = !cursor_.next_block();
    }
  }

 private:
  const Bm25Ranker& ranker_;
  TermEntry entry_;
  PostingsCursor cursor_;
  double weight_;
  std::size_t at_ = 0;  // in the cursor's block
  bool is_done_ = false;
};

// The k best so far, as a heap with the worst of them on top. External ids are read where scores are equal only.
class Bm25Ranker::BestDocuments {
 public:
  BestDocuments(const IndexReader& index, std::size_t k) : index_(index), k_(k) {}
  BestDocuments(const BestDocuments&) = delete;
  BestDocuments& operator=(const BestDocuments&) = delete;

  void offer(std::uint32_t document, double score) {
    if (heap_.size() == k_ && score < heap_.front().score) return;
    Entry entry{document, score, std::nullopt};
    if (heap_.size() == k_) {
      if (!is_better(entry, heap_.front())) return;
      std::pop_heap(heap_.begin(), heap_.end(), is_better_);
      heap_.pop_back();
    }
    heap_.push_back(std::move(entry));
    std::push_heap(heap_.begin(), heap_.end(), is_better_);
  }

  std::vector<RankedDocument> take() {
    std::sort_heap(heap_.begin(), heap_.end(), is_better_);
    std::vector<RankedDocument> result;
    result.reserve(heap_.size());
    for (const Entry& entry : heap_) result.push_back({entry.document, entry.score});
    return result;
  }

 private:
  struct Entry {
    std::uint32_t document;
    double score;
    mutable std::optional<std::string> id;
  };
  struct IsBetter {
    const BestDocuments* owner;
    bool operator()(const Entry& a, const Entry& b) const { return owner->is_better(a, b); }
  };
  const std::string& id_of(const Entry& entry) const {
    if (!entry.id) entry.id = index_.document_id(entry.document);
    return *entry.id;
  }
  bool is_better(const Entry& a, const Entry& b) const {
    if (a.score != b.score) return a.score > b.score;
    if (a.document == b.document) return false;
    const int order = id_of(a).compare(id_of(b));
    return order != 0 ? order > 0 : a.document < b.document;
  }
  const IndexReader& index_;
  std::size_t k_;
  std::vector<Entry> heap_;
  const IsBetter is_better_{this};
};

Bm25Ranker::Bm25Ranker(const IndexReader& index, const Bm25Parameters& parameters)
    : index_(index),
      parameters_(parameters),
      mean_length_(static_cast<double>(index.counts().occurrences) / static_cast<double>(index.counts().documents)),
      scores_(kWindow) {}

std::vector<RankedDocument> Bm25Ranker::best(std::span<const QueryTerm> terms, std::size_t k) {
  if (k == 0) return {};
  const auto documents = static_cast<double>(index_.counts().documents);
  std::vector<std::unique_ptr<TermScan>> scans;  // in the order of the query
  for (const QueryTerm& term : terms) {
    auto entry = index_.find_term(term.term);
    if (!entry) continue;
    const auto df = static_cast<double>(entry->document_count);
    const double weight = term.count * std::log(1 + (documents - df + .5) / (df + .5));
    scans.push_back(std::make_unique<TermScan>(*this, std::move(*entry), weight));
  }
  if (scans.empty()) return {};

  const std::span<const std::uint32_t> lengths = index_.document_lengths();
  BestDocuments best(index_, k);
  while (true) {
    std::optional<std::uint64_t> next;
    for (const auto& scan : scans) {
      if (!scan->is_done()) next = std::min<std::uint64_t>(next.value_or(UINT64_MAX), scan->next_document());
    }
    if (!next) return best.take();
    const std::uint64_t begin = *next / kWindow * kWindow;
    const std::size_t count = std::min<std::uint64_t>(kWindow, lengths.size() - begin);
    for (const auto& scan : scans) scan->add_scores(begin, lengths, scores_);
    for (std::size_t i = 0; i < count; ++i) {
      if (scores_[i] == 0) continue;
      best.offer(static_cast<std::uint32_t>(begin + i), scores_[i]);
      scores_[i] = 0;
    }
  }
}

}  // namespace spillway
