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

// The search for one query.
class ExhaustiveRanker::Search {
 public:
  Search(ExhaustiveRanker& ranker, std::size_t k) : ranker_(ranker), best_(ranker.index_, k) {}

  std::vector<RankedDocument> run(const Query& query) {
    if (!open(query)) return {};
    while (const auto next = next_document()) {
      begin_ = *next / kRangeDocuments * kRangeDocuments;
      count_ = std::min<std::uint64_t>(kRangeDocuments, ranker_.index_.counts().documents - begin_);
      score_range();
      exclude();
      for (std::size_t i = 0; i < count_; ++i) {
        if (ranker_.scores_[i] == 0) continue;
        best_.offer(static_cast<std::uint32_t>(begin_ + i), ranker_.scores_[i]);
        ranker_.scores_[i] = 0;
      }
    }
    return best_.take();
  }

 private:
  struct Clause {
    std::unique_ptr<ListScan> list;
    double weight;
    bool is_required;
  };

  // Returns false if no document contains a required clause.
  bool open(const Query& query) {
    for (const QueryClause& clause : query.clauses) {
      if (clause.count == 0) continue;
      auto postings = find_clause(ranker_.index_, clause);
      if (!postings && clause.is_required) return false;
      if (!postings) continue;
      count_work(*postings);
      const double weight = ranker_.bm25_.weight(postings->document_count(), clause.count);
      clauses_.push_back(
          {std::make_unique<ListScan>(ranker_.index_, std::move(*postings)), weight, clause.is_required});
    }
    for (const auto& group : query.excluded) open_group(query, group);
    return true;
  }

  // Counts the whole list, because all of it will be read.
  void count_work(const ClausePostings& postings) {
    const std::uint64_t count = postings.document_count();
    ranker_.work_ += {count, count, count, (count + 127) / 128, (count + 127) / 128};
  }

  void open_group(const Query& query, const std::vector<std::size_t>& group) {
    std::vector<std::unique_ptr<ListScan>> lists;
    for (const std::size_t place : group) {
      auto postings = find_clause(ranker_.index_, query.clauses[place]);
      if (!postings) return;  // no document contains the whole group
      lists.push_back(std::make_unique<ListScan>(ranker_.index_, std::move(*postings)));
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
    const auto lengths = ranker_.index_.document_lengths(begin_, count_);
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
  TopK best_;
  std::vector<Clause> clauses_;
  std::vector<std::vector<std::unique_ptr<ListScan>>> excluded_;
  std::uint64_t begin_ = 0, count_ = 0;  // documents of the range
};

ExhaustiveRanker::ExhaustiveRanker(const IndexReader& index, const Bm25& bm25)
    : index_(index), bm25_(bm25), scores_(kRangeDocuments), marks_(kRangeDocuments) {}

std::vector<RankedDocument> ExhaustiveRanker::best(const Query& query, std::size_t k) {
  if (k == 0) return {};
  auto ranking = Search(*this, k).run(query);
  index_.check_whole();
  return ranking;
}

}  // namespace spillway
