#include "search/spillway.hpp"

#include <optional>
#include <utility>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "io/index/position_cursor.hpp"
#include "search/block_max_ranker.hpp"

namespace spillway {

namespace {

// Turns the exceptions of the project into Failure.
template <typename Call>
auto guarded(Call&& call) {
  try {
    return call();
  } catch (const UsageError& error) {
    throw Failure(Failure::Kind::kUsage, error.what());
  } catch (const IoError& error) {
    throw Failure(Failure::Kind::kIo, error.what());
  } catch (const FormatError& error) {
    throw Failure(Failure::Kind::kCorrupt, error.what());
  } catch (const Error& error) {
    throw Failure(Failure::Kind::kOther, error.what());
  }
}

}  // namespace

struct Index::State {
  explicit State(const std::string& directory) : reader(posix_file_system(), directory) {}
  void check(std::uint32_t document) const {
    if (document < reader.counts().documents) return;
    throw UsageError("document " + std::to_string(document) + " of an index of " +
                     std::to_string(reader.counts().documents) + " documents, which are numbered from 0");
  }
  IndexReader reader;
};

Index::Index(const std::string& directory)
    : state_(guarded([&] { return std::make_shared<const State>(directory); })) {}
Index::~Index() = default;
Index::Index(Index&&) noexcept = default;
Index& Index::operator=(Index&&) noexcept = default;

std::uint64_t Index::document_count() const { return state_->reader.counts().documents; }
std::uint64_t Index::term_count() const { return state_->reader.counts().terms; }
bool Index::has_positions() const { return state_->reader.options().positions; }

StoredFields Index::document(std::uint32_t document) const {
  return guarded([&] {
    state_->check(document);
    StoredDocument stored = state_->reader.document(document);
    return StoredFields{std::move(stored.id), std::move(stored.title), std::move(stored.url), std::move(stored.date),
                        stored.length};
  });
}

std::string Index::text(std::uint32_t document) const {
  return guarded([&] {
    state_->check(document);
    return state_->reader.document_text(document);
  });
}

std::vector<std::uint32_t> Index::find(std::string_view id) const {
  return guarded([&] { return state_->reader.find_documents(id); });
}

std::vector<std::string> Index::analyze(std::string_view text) const {
  return guarded([&] {
    std::vector<std::string> terms;
    Analyzer(state_->reader.options()).analyze(text, [&](std::string_view term) { terms.emplace_back(term); });
    return terms;
  });
}

struct Postings::State {
  State(std::shared_ptr<const Index::State> from, std::string_view term)
      : index(std::move(from)), entry(index->reader.find_term(term)) {
    if (entry) cursor.emplace(index->reader, *entry);
  }
  bool next() {
    if (!cursor) return false;
    if (++at < cursor->documents().size()) return true;
    at = 0;
    return cursor->next_block();
  }
  std::shared_ptr<const Index::State> index;
  std::optional<TermEntry> entry;
  std::optional<PostingsCursor> cursor;
  std::optional<PositionCursor> positions;  // opened by the first call of positions()
  std::size_t at = 0;
};

Postings Index::postings(std::string_view term) const {
  return guarded([&] { return Postings(std::make_unique<Postings::State>(state_, term)); });
}

Postings::Postings(std::unique_ptr<State> state) : state_(std::move(state)) {}
Postings::~Postings() = default;
Postings::Postings(Postings&&) noexcept = default;
Postings& Postings::operator=(Postings&&) noexcept = default;

std::uint64_t Postings::document_count() const { return state_->entry ? state_->entry->document_count : 0; }
std::uint64_t Postings::occurrence_count() const { return state_->entry ? state_->entry->occurrence_count : 0; }
bool Postings::next() {
  return guarded([&] { return state_->next(); });
}
std::uint32_t Postings::document() const { return state_->cursor->documents()[state_->at]; }
std::uint32_t Postings::frequency() const { return state_->cursor->frequencies()[state_->at]; }

std::vector<std::uint32_t> Postings::positions() {
  return guarded([&] {
    if (!state_->positions) state_->positions.emplace(state_->index->reader, *state_->entry);
    std::vector<std::uint32_t> all;
    state_->positions->seek(*state_->cursor, state_->at);
    for (auto some = state_->positions->next(); !some.empty(); some = state_->positions->next()) {
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  });
}

struct Searcher::State {
  using Shards = std::vector<std::shared_ptr<const Index::State>>;
  State(Shards from, const Ranking& ranking)
      : shards(std::move(from)),
        collection(collection_of(shards)),
        analyzer(collection.options()),
        bm25(bm25_of(collection, {ranking.k1, ranking.b})),
        ranker(collection, bm25) {}
  static Collection collection_of(const Shards& shards) {
    std::vector<const IndexReader*> readers;
    for (const auto& shard : shards) readers.push_back(&shard->reader);
    return Collection(std::move(readers));
  }
  static std::unique_ptr<State> make(Shards shards, const Ranking& ranking) {
    return guarded([&] {
      if (!(ranking.k1 >= 0 && ranking.b >= 0 && ranking.b <= 1)) {
        throw UsageError("k1 is at least 0 and b is 0 to 1");
      }
      if (shards.empty()) throw UsageError("there is no index to search");
      return std::make_unique<State>(std::move(shards), ranking);
    });
  }
  std::vector<Hit> best(const Query& query, std::size_t k) {
    std::vector<Hit> hits;
    for (const RankedDocument& ranked : ranker.best(query, k)) {
      std::string id = collection.shard_of(ranked).document_id(ranked.document);
      hits.push_back({ranked.document, ranked.score, std::move(id), ranked.shard});
    }
    return hits;
  }
  Shards shards;
  Collection collection;
  Analyzer analyzer;
  Bm25 bm25;
  BlockMaxRanker ranker;
};

Searcher::Searcher(const Index& index, Ranking ranking) : state_(State::make({index.state_}, ranking)) {}
Searcher::Searcher(const std::vector<Index>& indexes, Ranking ranking) {
  State::Shards shards;
  for (const Index& index : indexes) shards.push_back(index.state_);
  state_ = State::make(std::move(shards), ranking);
}
Searcher::~Searcher() = default;
Searcher::Searcher(Searcher&&) noexcept = default;
Searcher& Searcher::operator=(Searcher&&) noexcept = default;

std::vector<Hit> Searcher::search(std::string_view query, std::size_t k) {
  return guarded([&] { return state_->best(parse_query(state_->analyzer, query), k); });
}

std::vector<Hit> Searcher::search_plain(std::string_view text, std::size_t k) {
  return guarded([&] { return state_->best(query_of(query_terms(state_->analyzer, text)), k); });
}

}  // namespace spillway
