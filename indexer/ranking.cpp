#include "indexer/ranking.hpp"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
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
    const Bm25& bm25 = ranker_.bm25_;
    while (!is_done_) {
      const auto documents = cursor_.documents();
      const auto frequencies = cursor_.frequencies();
      for (; at_ < documents.size(); ++at_) {
        const std::uint32_t document = documents[at_];
        if (document >= begin + kWindow) return;
        scores[document - begin] += bm25.share(weight_, frequencies[at_], lengths[document]);
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

Bm25Ranker::Bm25Ranker(const IndexReader& index, const Bm25& bm25) : index_(index), bm25_(bm25), scores_(kWindow) {}

std::vector<RankedDocument> Bm25Ranker::best(std::span<const QueryTerm> terms, std::size_t k) {
  if (k == 0) return {};
  std::vector<std::unique_ptr<TermScan>> scans;  // in the order of the query
  for (const QueryTerm& term : terms) {
    auto entry = index_.find_term(term.term);
    if (!entry) continue;
    const double weight = bm25_.weight(entry->document_count, term.count);
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
