#include "search/clause_postings.hpp"

#include <algorithm>
#include <memory>

#include "io/base/error.hpp"
#include "io/index/list_blocks.hpp"
#include "io/index/position_cursor.hpp"

namespace spillway {

namespace {

// Walks the list of one word of a phrase through ascending documents.
class PhraseWord {
 public:
  PhraseWord(const IndexReader& index, const TermEntry& entry, std::uint32_t place)
      : place_(place), blocks_(index, entry), positions_(index, entry) {}

  std::uint32_t place() const { return place_; }
  ListBlocks& blocks() { return blocks_; }

  // Moves to the document. Returns false if it does not contain the word.
  bool seek(std::uint32_t document) {
    std::size_t block = block_ == kNone ? 0 : block_;
    if (blocks_.has_bounds()) {
      while (block < blocks_.size() && blocks_.last_document(block) < document) ++block;
      if (block == blocks_.size()) return false;
    }
    if (block != block_) load(block);
    const auto end = documents_ + blocks_.posting_count(block);
    const auto found = std::lower_bound(documents_, end, document);
    in_block_ = static_cast<std::size_t>(found - documents_);
    return found != end && *found == document;
  }

  // Starts reading the positions in the current document.
  void begin_positions() {
    if (!has_frequencies_) blocks_.decode_frequencies(block_, frequencies_);
    has_frequencies_ = true;
    positions_.seek(block_, {frequencies_, blocks_.posting_count(block_)}, in_block_);
    next_ = {};
  }

  // Returns the first begin of the phrase, at `least` or later, that the word's positions allow; nothing at their end.
  std::optional<std::int64_t> advance(std::int64_t least) {
    while (true) {
      while (!next_.empty()) {
        const std::int64_t begin = std::int64_t{next_.front()} - place_;
        if (begin >= least) return begin;
        next_ = next_.subspan(1);
      }
      next_ = positions_.next();
      if (next_.empty()) return std::nullopt;
    }
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  void load(std::size_t block) {
    blocks_.decode_documents(block, documents_);
    block_ = block;
    has_frequencies_ = false;
  }
  std::uint32_t place_;
  ListBlocks blocks_;
  PositionCursor positions_;
  std::size_t block_ = kNone, in_block_ = 0;
  bool has_frequencies_ = false;
  std::span<const std::uint32_t> next_;
  std::uint32_t documents_[kPostingsBlock], frequencies_[kPostingsBlock];
};

using PhraseWords = std::vector<std::unique_ptr<PhraseWord>>;

// Counts the positions at which all words agree that the phrase begins.
std::uint32_t count_occurrences(PhraseWords& words) {
  for (const auto& word : words) word->begin_positions();
  std::uint32_t count = 0;
  std::int64_t least = 0;
  while (true) {
    std::size_t agreed = 0;
    for (const auto& word : words) {
      const auto begin = word->advance(least);
      if (!begin) return count;
      if (*begin != least) break;
      ++agreed;
      least = *begin;
    }
    if (agreed == words.size()) {
      ++count;
      ++least;
    } else {
      least = *words[agreed]->advance(least);
    }
  }
}

}  // namespace

PhrasePostings find_phrase(const IndexReader& index, const std::vector<QueryClause::Word>& words) {
  if (!index.options().positions) {
    throw UsageError("the index " + printable(index.directory()) +
                     " holds no positions, which phrases are found by; build it with --positions, or ask for the words "
                     "without quotes");
  }
  PhraseWords opened;
  for (const QueryClause::Word& word : words) {
    const auto entry = index.find_term(word.term);
    if (!entry) return {};
    opened.push_back(std::make_unique<PhraseWord>(index, *entry, word.place));
  }
  std::sort(opened.begin(), opened.end(),
            [](const auto& a, const auto& b) { return a->blocks().document_count() < b->blocks().document_count(); });
  PhrasePostings found;
  ListBlocks& rarest = opened.front()->blocks();
  std::uint32_t documents[kPostingsBlock];
  for (std::size_t block = 0; block < rarest.size(); ++block) {
    rarest.decode_documents(block, documents);
    for (std::size_t i = 0; i < rarest.posting_count(block); ++i) {
      const auto has_document = [&](const auto& word) { return word->seek(documents[i]); };
      if (!std::all_of(opened.begin(), opened.end(), has_document)) continue;
      const std::uint32_t count = count_occurrences(opened);
      if (count == 0) continue;
      found.documents.push_back(documents[i]);
      found.frequencies.push_back(count);
    }
  }
  return found;
}

namespace {

std::optional<ClausePostings> find_clause(const IndexReader& index, const QueryClause& clause) {
  ClausePostings found;
  if (clause.words.size() == 1) {
    found.entry = index.find_term(clause.words.front().term);
    if (!found.entry) return std::nullopt;
  } else {
    found.phrase = find_phrase(index, clause.words);
    if (found.phrase.documents.empty()) return std::nullopt;
  }
  return found;
}

}  // namespace

FoundClauses find_clauses(const IndexReader& index, const Query& query) {
  FoundClauses found;
  found.reserve(query.clauses.size());
  for (const QueryClause& clause : query.clauses) found.push_back(find_clause(index, clause));
  return found;
}

}  // namespace spillway
