#include "search/block_max_ranker.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>

#include "search/clause_postings.hpp"
#include "search/exhaustive_ranker.hpp"

namespace spillway {

namespace {

// Ranges of an index: few enough that looking at all of them costs less than reading the lists of a query, and many
// enough that their bounds differ. In an index of 12.7 million documents, ranges of 2^9, 2^10, 2^11 and 2^12 documents
// took 5.1, 5.0, 4.6 and 5.3 ms per query (2 virtual processors of a Xeon of 2023).
constexpr std::uint64_t kRanges = std::uint64_t{1} << 14;
constexpr unsigned kLeastBits = 6, kMostBits = 16;

// A clause takes up to 300 KB of bounds, so 512 clauses take up to 150 MB. An exhaustive scan takes 2 KB per clause.
constexpr std::size_t kMostClauses = 512;

RangeGrid grid_of(std::uint64_t documents, unsigned bits) {
  if (bits == 0)
    bits = std::clamp<unsigned>(static_cast<unsigned>(std::bit_width(documents / kRanges)), kLeastBits, kMostBits);
  return {bits, static_cast<std::uint32_t>(documents)};
}

}  // namespace

// The search of one shard for one query.
class BlockMaxRanker::Search {
 public:
  Search(BlockMaxRanker& ranker, ShardQuery query, TopK& best)
      : index_(ranker.collection_.shard(query.shard)),
        shard_(query.shard),
        bm25_(ranker.bm25_),
        grid_(grid_of(index_.counts().documents, ranker.range_bits_)),
        work_(ranker.work_),
        context_{index_, bm25_, grid_, work_},
        best_(best),
        taken_(grid_.range_documents()) {
    open(std::move(query));
  }

  void run();

 private:
  struct Clause {
    std::unique_ptr<RangeList> list;
    double weight = 0;
    bool is_required = false;
    // In the range that is being searched:
    double bound = 0;
    const float* by_length = nullptr;  // by length code: the bound without the weight
    bool is_loaded = false;
  };
  struct Range {
    std::size_t number;
    double threshold;
    double sum, slack;  // sum of the bounds of its clauses, and by how much it may be too small
    std::span<const std::uint32_t> lengths;
  };

  void open(ShardQuery query);
  void open_group(const FoundClauses& found, const std::vector<std::size_t>& group);
  std::unique_ptr<RangeList> list_of(ClausePostings postings);
  void sum_bounds();
  std::vector<std::uint32_t> by_falling_sum() const;
  void search(std::size_t number);
  void find_candidates(const Range& range);
  std::uint32_t longest(const Range& range) const;
  void take(const Range& range, Clause& clause);
  void take_more(const Range& range, Clause& clause);
  void keep(const Clause& clause);
  void exclude(const Range& range);
  void judge(const Range& range, std::size_t place);
  void load(Clause& clause, const Range& range) {
    if (!clause.is_loaded) clause.list->load(range.number);
    clause.is_loaded = true;
  }
  double score(std::size_t place, std::uint32_t length);

  const IndexReader& index_;
  const std::uint32_t shard_;
  const Bm25& bm25_;
  const RangeGrid grid_;
  SearchWork& work_;
  RangeList::Context context_;
  TopK& best_;
  std::vector<Clause> clauses_;  // those that score, in the order of the query
  std::vector<std::vector<std::unique_ptr<RangeList>>> excluded_;
  std::vector<float> sums_;                // by range
  std::vector<Clause*> present_;           // clauses with postings in the range, by rising bound
  std::vector<std::uint32_t> candidates_;  // places in the range, in any order
  std::vector<std::uint8_t> taken_;        // by place: 1 if it was taken before
};

void BlockMaxRanker::Search::run() {
  if (clauses_.empty()) return;
  sum_bounds();
  for (const std::uint32_t range : by_falling_sum()) search(range);
}

void BlockMaxRanker::Search::open(ShardQuery query) {
  for (const auto& group : query.query.excluded) open_group(query.found, group);
  for (std::size_t i = 0; i < query.found.size(); ++i) {
    const QueryClause& clause = query.query.clauses[i];
    if (clause.count == 0 || !query.found[i]) continue;
    work_.query_postings += query.found[i]->document_count();
    clauses_.push_back({list_of(std::move(*query.found[i])), query.weights[i], clause.is_required});
  }
}

void BlockMaxRanker::Search::open_group(const FoundClauses& found, const std::vector<std::size_t>& group) {
  std::vector<std::unique_ptr<RangeList>> lists;
  for (const std::size_t place : group) {
    if (!found[place]) return;  // no document contains the whole group
    lists.push_back(list_of(*found[place]));
  }
  excluded_.push_back(std::move(lists));
}

std::unique_ptr<RangeList> BlockMaxRanker::Search::list_of(ClausePostings postings) {
  if (postings.entry) return std::make_unique<RangeList>(context_, *postings.entry);
  return std::make_unique<RangeList>(context_, std::move(postings.phrase.documents),
                                     std::move(postings.phrase.frequencies));
}

// The sum is 0 for a range that lacks a required clause.
void BlockMaxRanker::Search::sum_bounds() {
  sums_.assign(grid_.size(), 0);
  for (const Clause& clause : clauses_) {
    const float weight = Bm25::rounded_up(clause.weight);
    const float* bounds = clause.list->bounds().data();
    for (std::size_t range = 0; range < sums_.size(); ++range) sums_[range] += weight * bounds[range];
  }
  for (const Clause& clause : clauses_) {
    if (!clause.is_required) continue;
    for (std::size_t range = 0; range < sums_.size(); ++range) {
      if (clause.list->bounds()[range] == 0) sums_[range] = 0;
    }
  }
}

// The ranges whose sum is not 0, by falling sum: a counting sort of 1024 steps, in O(ranges).
std::vector<std::uint32_t> BlockMaxRanker::Search::by_falling_sum() const {
  constexpr std::size_t kSteps = 1024;
  const float most = *std::max_element(sums_.begin(), sums_.end());
  const float scale = static_cast<float>(kSteps - 1) / most;
  std::vector<std::uint32_t> places(kSteps + 1);
  const auto step_of = [&](float sum) {
    return kSteps - 1 - std::min(kSteps - 1, static_cast<std::size_t>(sum * scale));
  };
  for (const float sum : sums_) {
    if (sum > 0) ++places[step_of(sum) + 1];
  }
  std::partial_sum(places.begin(), places.end(), places.begin());
  std::vector<std::uint32_t> order(places.back());
  for (std::uint32_t range = 0; range < sums_.size(); ++range) {
    if (sums_[range] > 0) order[places[step_of(sums_[range])]++] = range;
  }
  return order;
}

void BlockMaxRanker::Search::search(std::size_t number) {
  const double slack = sums_[number] * Bm25::slack(clauses_.size());
  if (sums_[number] + slack < best_.threshold()) return;
  const std::uint64_t begin = number << grid_.bits;
  const std::uint64_t count = std::min<std::uint64_t>(grid_.range_documents(), grid_.documents - begin);
  const Range range{number, best_.threshold(), sums_[number], slack, index_.document_lengths(begin, count)};
  present_.clear();
  for (Clause& clause : clauses_) {
    clause.bound = clause.weight * static_cast<double>(clause.list->bounds()[number]);
    clause.by_length = bm25_.bounds(clause.list->frequency_codes()[number]);
    clause.is_loaded = false;
    if (clause.bound > 0) present_.push_back(&clause);
  }
  std::sort(present_.begin(), present_.end(), [](const Clause* a, const Clause* b) { return a->bound < b->bound; });
  find_candidates(range);
  if (!candidates_.empty()) exclude(range);
  for (const std::uint32_t place : candidates_) judge(range, place);
}

// Longer documents cannot reach the threshold, whatever clauses they contain.
std::uint32_t BlockMaxRanker::Search::longest(const Range& range) const {
  unsigned low = 0, high = 256;  // the first length code that does not reach it is in [low, high]
  while (low < high) {
    const unsigned code = (low + high) / 2;
    double sum = 0;
    for (const Clause* clause : present_) sum += clause->weight * static_cast<double>(clause->by_length[code]);
    if (sum + range.slack < range.threshold) {
      high = code;
    } else {
      low = code + 1;
    }
  }
  return low == 256 ? UINT32_MAX : length_of_code(static_cast<std::uint8_t>(low)) - 1;
}

// Collects all documents that may reach the threshold: those in all required lists, or, without required lists, those
// in any list whose bound reaches the threshold together with the bounds of all weaker lists.
void BlockMaxRanker::Search::find_candidates(const Range& range) {
  candidates_.clear();
  std::vector<Clause*> required;
  for (Clause* clause : present_) {
    if (clause->is_required || range.sum - clause->bound + range.slack < range.threshold) required.push_back(clause);
  }
  if (!required.empty()) {
    std::sort(required.begin(), required.end(),
              [](const Clause* a, const Clause* b) { return a->list->document_count() < b->list->document_count(); });
    take(range, *required.front());
    for (std::size_t i = 1; i < required.size() && !candidates_.empty(); ++i) {
      load(*required[i], range);
      keep(*required[i]);
    }
    return;
  }
  double below = 0;
  std::fill(taken_.begin(), taken_.end(), std::uint8_t{0});
  for (Clause* clause : present_) {
    below += clause->bound;
    if (below + range.slack >= range.threshold) take_more(range, *clause);
  }
}

// Takes the documents of the list that are short enough. No branch depends on a document, because it would often be
// mispredicted.
void BlockMaxRanker::Search::take(const Range& range, Clause& clause) {
  load(clause, range);
  const std::uint32_t longest_length = longest(range);
  candidates_.resize(clause.list->places().size());
  std::size_t count = 0;
  for (const std::uint32_t place : clause.list->places()) {
    candidates_[count] = place;
    count += range.lengths[place] <= longest_length ? 1u : 0u;
  }
  work_.read_lengths += candidates_.size();
  candidates_.resize(count);
}

// Adds to the candidates those documents of the list that are short enough and were not taken before.
void BlockMaxRanker::Search::take_more(const Range& range, Clause& clause) {
  load(clause, range);
  const std::uint32_t longest_length = longest(range);
  std::size_t count = candidates_.size();
  candidates_.resize(count + clause.list->places().size());
  for (const std::uint32_t place : clause.list->places()) {
    candidates_[count] = place;
    count += static_cast<std::size_t>(range.lengths[place] <= longest_length) & (taken_[place] ^ std::size_t{1});
    taken_[place] = 1;
  }
  work_.read_lengths += clause.list->places().size();
  candidates_.resize(count);
}

void BlockMaxRanker::Search::keep(const Clause& clause) {
  std::size_t count = 0;
  for (const std::uint32_t place : candidates_) {
    candidates_[count] = place;
    count += clause.list->has(place) ? 1u : 0u;
  }
  candidates_.resize(count);
}

void BlockMaxRanker::Search::exclude(const Range& range) {
  for (auto& group : excluded_) {
    for (const auto& list : group) list->load(range.number);
    std::erase_if(candidates_, [&](std::uint32_t place) {
      return std::all_of(group.begin(), group.end(), [&](const auto& list) { return list->has(place); });
    });
  }
}

// Offers the document if the bounds of the clauses that it contains reach the threshold. Checks the clauses by falling
// bound, and loads a clause only while the document may still reach it.
void BlockMaxRanker::Search::judge(const Range& range, std::size_t place) {
  const double needed = best_.threshold();
  const std::uint32_t length = range.lengths[place];
  const std::uint8_t code = length_code(length);
  double reach = range.slack;
  for (const Clause* clause : present_) reach += clause->weight * static_cast<double>(clause->by_length[code]);
  for (auto clause = present_.rbegin(); clause != present_.rend(); ++clause) {
    if (reach < needed) return;
    load(**clause, range);
    if (!(*clause)->list->has(place)) reach -= (*clause)->weight * static_cast<double>((*clause)->by_length[code]);
  }
  if (reach < needed) return;
  const auto document = static_cast<std::uint32_t>((range.number << grid_.bits) + place);
  best_.offer({document, score(place, length), shard_});
}

double BlockMaxRanker::Search::score(std::size_t place, std::uint32_t length) {
  double sum = 0;
  for (Clause& clause : clauses_) {
    if (clause.bound == 0 || !clause.list->has(place)) continue;
    sum += bm25_.term_score(clause.weight, clause.list->frequency(place), length);
    ++work_.scored_postings;
  }
  return sum;
}

void BlockMaxRanker::search(ShardQuery query, TopK& best) {
  if (query.query.clauses.size() <= kMostClauses) return Search(*this, std::move(query), best).run();
  ExhaustiveRanker scan(collection_, bm25_);
  scan.search(std::move(query), best);
  work_ += scan.work();
}

}  // namespace spillway
