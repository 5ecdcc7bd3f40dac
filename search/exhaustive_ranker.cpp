#include "search/exhaustive_ranker.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "io/index/postings_cursor.hpp"
#include "search/clause_postings.hpp"

namespace spillway {

namespace {

// Documents whose scores are summed at a time: their accumulators fit the L2 cache.
constexpr std::uint64_t kRangeDocuments = std::uint64_t{1} << 16;

}  // namespace

// Reads the postings of one clause, one range of documents at a time.
class ExhaustiveRanker::ListScan {
 public:
  ListScan(const IndexReader& index, ClausePostings postings) : postings_(std::move(postings)) {
    if (postings_.entry) {
      cursor_.emplace(index, *postings_.entry);
      next_block();
    } else {
      documents_ = postings_.phrase.documents;
      frequencies_ = postings_.phrase.frequencies;
    }
  }
  ListScan(const ListScan&) = delete;  // its views refer to postings_
  ListScan& operator=(const ListScan&) = delete;

  std::uint64_t document_count() const { return postings_.document_count(); }
  bool is_done() const { return at_ == documents_.size(); }
  std::uint32_t next_document() const { return documents_[at_]; }

  // Calls take(document, frequency) for all remaining documents below `end`.
  template <typename Take>
  void scan(std::uint64_t end, Take&& take) {
    while (!is_done() && documents_[at_] < end) {
      take(documents_[at_], frequencies_[at_]);
      if (++at_ == documents_.size() && cursor_) next_block();
    }
  }

 private:
  void next_block() {
    at_ = 0;
    cursor_->next_block();
    documents_ = cursor_->documents();
    frequencies_ = cursor_->frequencies();
  }
  ClausePostings postings_;
  std::optional<PostingsCursor> cursor_;
  std::span<const std::uint32_t> documents_, frequencies_;
  std::size_t at_ = 0;
};

// The search of one shard for one query.
class ExhaustiveRanker::Search {
 public:
  Search(ExhaustiveRanker& ranker, ShardQuery query, TopK& best)
      : ranker_(ranker), index_(ranker.collection_.shard(query.shard)), shard_(query.shard), best_(best) {
    open(std::move(query));
  }

  void run() {
    while (const auto next = next_document()) {
      begin_ = *next / kRangeDocuments * kRangeDocuments;
      count_ = std::min<std::uint64_t>(kRangeDocuments, index_.counts().documents - begin_);
      score_range();
      exclude();
      for (std::size_t i = 0; i < count_; ++i) {
        if (ranker_.scores_[i] == 0) continue;
        best_.offer({static_cast<std::uint32_t>(begin_ + i), ranker_.scores_[i], shard_});
        ranker_.scores_[i] = 0;
      }
    }
  }

 private:
  struct Clause {
    std::unique_ptr<ListScan> list;
    double weight;
    bool is_required;
  };

  void open(ShardQuery query) {
    for (const auto& group : query.query.excluded) open_group(query.found, group);
    for (std::size_t i = 0; i < query.found.size(); ++i) {
      const QueryClause& clause = query.query.clauses[i];
      if (clause.count == 0 || !query.found[i]) continue;
      count_work(*query.found[i]);
      clauses_.push_back(
          {std::make_unique<ListScan>(index_, std::move(*query.found[i])), query.weights[i], clause.is_required});
    }
  }

  // Counts the whole list, because all of it will be read.
  void count_work(const ClausePostings& postings) {
    const std::uint64_t count = postings.document_count();
    ranker_.work_ += {count, count, count, (count + 127) / 128, (count + 127) / 128};
  }

  void open_group(const FoundClauses& found, const std::vector<std::size_t>& group) {
    std::vector<std::unique_ptr<ListScan>> lists;
    for (const std::size_t place : group) {
      if (!found[place]) return;  // no document contains the whole group
      lists.push_back(std::make_unique<ListScan>(index_, *found[place]));
    }
    excluded_.push_back(std::move(lists));
  }

  std::optional<std::uint64_t> next_document() const {
    std::optional<std::uint64_t> next;
    for (const Clause& clause : clauses_) {
      if (!clause.list->is_done())
        next = std::min<std::uint64_t>(next.value_or(UINT64_MAX), clause.list->next_document());
    }
    return next;
  }

  void score_range() {
    const auto lengths = index_.document_lengths(begin_, count_);
    const auto required = static_cast<std::uint32_t>(
        std::count_if(clauses_.begin(), clauses_.end(), [](const Clause& clause) { return clause.is_required; }));
    for (const Clause& clause : clauses_) {
      clause.list->scan(begin_ + kRangeDocuments, [&](std::uint32_t document, std::uint32_t frequency) {
        const std::size_t at = document - begin_;
        ranker_.scores_[at] += ranker_.bm25_.term_score(clause.weight, frequency, lengths[at]);
        ranker_.marks_[at] += clause.is_required ? 1 : 0;
      });
    }
    if (required != 0) {
      for (std::size_t i = 0; i < count_; ++i) {
        if (ranker_.marks_[i] != required) ranker_.scores_[i] = 0;
      }
      std::fill(ranker_.marks_.begin(), ranker_.marks_.end(), 0);
    }
  }

  void exclude() {
    for (const auto& group : excluded_) {
      for (const auto& list : group) {
        list->scan(begin_, [](std::uint32_t, std::uint32_t) {});
        list->scan(begin_ + kRangeDocuments,
                   [&](std::uint32_t document, std::uint32_t) { ++ranker_.marks_[document - begin_]; });
      }
      for (std::size_t i = 0; i < count_; ++i) {
        if (ranker_.marks_[i] == group.size()) ranker_.scores_[i] = 0;
      }
      std::fill(ranker_.marks_.begin(), ranker_.marks_.end(), 0);
    }
  }

  ExhaustiveRanker& ranker_;
  const IndexReader& index_;
  const std::uint32_t shard_;
  TopK& best_;
  std::vector<Clause> clauses_;
  std::vector<std::vector<std::unique_ptr<ListScan>>> excluded_;
  std::uint64_t begin_ = 0, count_ = 0;  // documents of the range
};

ExhaustiveRanker::ExhaustiveRanker(Collection collection, const Bm25& bm25)
    : Ranker(std::move(collection), bm25), scores_(kRangeDocuments), marks_(kRangeDocuments) {}

void ExhaustiveRanker::search(ShardQuery query, TopK& best) { Search(*this, std::move(query), best).run(); }

}  // namespace spillway
