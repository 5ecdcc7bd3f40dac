// Compares queries with phrases, required and excluded words with their definition, which scans the documents token by
// token. The block-max and the exhaustive search must both give the same doubles in the same order.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <random>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "io/index/writer.hpp"
#include "search/block_max_ranker.hpp"
#include "search/collection.hpp"
#include "search/exhaustive_ranker.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

constexpr const char* kStopped = "w2";
using Tokens = std::vector<std::string>;

struct Corpus {
  std::vector<Tokens> documents;  // ids are their numbers from 1
  double mean_length = 0;
};

std::uint32_t kept(const Tokens& tokens) {
  return static_cast<std::uint32_t>(tokens.size() -
                                    static_cast<std::size_t>(std::count(tokens.begin(), tokens.end(), kStopped)));
}

Corpus make_corpus(std::mt19937_64& random, std::size_t count) {
  Corpus corpus;
  for (std::size_t i = 0; i < count; ++i) {
    Tokens tokens(random() % 4 == 0 ? random() % 200 : random() % 12);
    for (std::string& token : tokens) token = "w" + std::to_string(random() % (1 + random() % 25));
    corpus.mean_length += kept(tokens);
    corpus.documents.push_back(std::move(tokens));
  }
  corpus.mean_length /= static_cast<double>(count);
  return corpus;
}

// Writes the documents [begin, end).
struct Part {
  std::uint32_t begin, end;
};
std::string index_part(const testing::ScratchDirectory& scratch, const Corpus& corpus, const Part& part,
                       bool with_positions) {
  ContentOptions options;
  options.tokenizer = Tokenizer::kAscii;
  options.stop_words = std::string(kStopped) + "\n";
  options.positions = with_positions;
  std::map<std::string, std::map<std::uint32_t, std::vector<std::uint32_t>>> lists;
  std::vector<std::uint8_t> codes;
  std::string directory = scratch / "index";
  IndexWriter writer(posix_file_system(), directory, options);
  std::vector<std::pair<std::string, std::uint32_t>> ids;
  for (std::uint32_t d = 0; d < part.end - part.begin; ++d) {
    const Tokens& tokens = corpus.documents[part.begin + d];
    RunDocument stored;
    stored.length = kept(tokens);
    if (part.begin != 0) {
      ids.emplace_back(std::to_string(part.begin + d + 1), d);
      stored.fields = RunDocument::kId;
      stored.id = ids.back().first;
    }
    writer.append_document(stored);
    codes.push_back(length_code(stored.length));
    for (std::uint32_t at = 0; at < tokens.size(); ++at) {
      if (tokens[at] != kStopped) lists[tokens[at]][d].push_back(at);
    }
  }
  std::ranges::sort(ids);
  for (const auto& [id, document] : ids) writer.append_id_order(document);
  ListEncoder encoder(codes, with_positions ? Positions::kStored : Positions::kNone);
  IndexTotals totals;
  totals.source_document_count = part.end - part.begin;
  for (const auto& [term, postings] : lists) {
    encoder.begin(term);
    DocumentWeight weight;
    for (const auto& [document, positions] : postings) {
      const auto frequency = static_cast<std::uint32_t>(positions.size());
      encoder.add({&document, 1}, {&frequency, 1});
      weight.add(document, frequency);
      std::vector<std::uint32_t> distances(positions);
      for (std::size_t i = distances.size() - 1; i > 0; --i) distances[i] -= distances[i - 1];
      if (with_positions) encoder.add_positions(distances);
    }
    encoder.end();
    totals.source_sum.add(hash_term(term), weight.take());
  }
  writer.append_lists(encoder.take());
  writer.finish(totals);
  return directory;
}

std::string index_corpus(const testing::ScratchDirectory& scratch, const Corpus& corpus, bool with_positions) {
  return index_part(scratch, corpus, {0, static_cast<std::uint32_t>(corpus.documents.size())}, with_positions);
}

std::uint32_t occurrences(const Tokens& tokens, const std::vector<QueryClause::Word>& words) {
  std::uint32_t count = 0;
  for (std::size_t begin = 0; begin < tokens.size(); ++begin) {
    count += std::all_of(words.begin(), words.end(), [&](const QueryClause::Word& word) {
      return begin + word.place < tokens.size() && tokens[begin + word.place] == word.term;
    });
  }
  return count;
}

std::vector<RankedDocument> rank_by_definition(const Corpus& corpus, const Query& query, std::size_t k) {
  const auto n = static_cast<double>(corpus.documents.size());
  std::vector<std::vector<std::uint32_t>> frequencies;
  std::vector<double> weights;
  for (const QueryClause& clause : query.clauses) {
    auto& of_part = frequencies.emplace_back();
    for (const Tokens& tokens : corpus.documents) of_part.push_back(occurrences(tokens, clause.words));
    const auto df = n - static_cast<double>(std::count(of_part.begin(), of_part.end(), 0u));
    weights.push_back(clause.count * std::log(1 + (n - df + .5) / (df + .5)));
  }
  std::vector<RankedDocument> ranking;
  for (std::uint32_t d = 0; d < corpus.documents.size(); ++d) {
    double score = 0;
    bool is_found = true;
    for (std::size_t i = 0; i < query.clauses.size(); ++i) {
      const double tf = frequencies[i][d];
      if (tf == 0) is_found &= !query.clauses[i].is_required;
      if (tf == 0 || query.clauses[i].count == 0) continue;
      score += weights[i] * tf / (tf + 0.9 * (1 - 0.4 + 0.4 * kept(corpus.documents[d]) / corpus.mean_length));
    }
    for (const auto& group : query.excluded) {
      is_found &= !std::all_of(group.begin(), group.end(), [&](std::size_t i) { return frequencies[i][d] != 0; });
    }
    if (is_found && score > 0) ranking.push_back({d, score});
  }
  std::sort(ranking.begin(), ranking.end(), [](const RankedDocument& a, const RankedDocument& b) {
    return a.score != b.score ? a.score > b.score : std::to_string(a.document + 1) > std::to_string(b.document + 1);
  });
  if (ranking.size() > k) ranking.resize(k);
  return ranking;
}

std::string random_item(std::mt19937_64& random) {
  const auto word = [&] { return "w" + std::to_string(random() % (1 + random() % 28)); };
  std::string item = std::array{"", "", "", "+", "-"}[random() % 5];
  switch (random() % 4) {
    case 0:
      item += '"' + word();
      for (std::uint64_t more = 1 + random() % 3; more > 0; --more) item += " " + word();
      return item + '"';
    case 1:
      return item + word() + "-" + word();
    default:
      return item + word();
  }
}

void expect_same(const std::vector<RankedDocument>& found, const std::vector<RankedDocument>& expected,
                 const std::string& query) {
  ASSERT_EQ(found.size(), expected.size()) << query;
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].document, expected[i].document) << query << " rank " << i + 1;
    ASSERT_EQ(found[i].score, expected[i].score) << query << " rank " << i + 1;  // bit for bit
  }
}

TEST(Search, EqualsItsDefinitionForPhrasesRequiredAndExcludedWords) {
  std::mt19937_64 random(77);
  std::size_t found_phrases = 0;
  for (const std::size_t count : {30u, 700u, 3000u}) {
    const testing::ScratchDirectory scratch;
    const Corpus corpus = make_corpus(random, count);
    const IndexReader index(posix_file_system(), index_corpus(scratch, corpus, true));
    Analyzer analyzer(index.options());
    const Bm25 bm25(index.counts(), {});
    ExhaustiveRanker exhaustive(index, bm25);
    BlockMaxRanker pruned(index, bm25);
    for (int i = 0; i < 60; ++i) {
      std::string text = random_item(random);
      for (std::uint64_t more = random() % 4; more > 0; --more) text += " " + random_item(random);
      const Query query = parse_query(analyzer, text);
      const auto expected = rank_by_definition(corpus, query, 10);
      expect_same(exhaustive.best(query, 10), expected, text);
      expect_same(pruned.best(query, 10), expected, text);
      ASSERT_FALSE(HasFailure());
      if (text.starts_with('"') && !expected.empty()) ++found_phrases;
    }
  }
  EXPECT_GT(found_phrases, 10u);
}

// A corpus cut into indexes, some of them of few documents or of none.
class CutCorpus {
 public:
  CutCorpus(std::mt19937_64& random, const Corpus& corpus, std::size_t parts) {
    std::vector<std::uint32_t> cuts{0, static_cast<std::uint32_t>(corpus.documents.size())};
    while (cuts.size() <= parts) cuts.push_back(static_cast<std::uint32_t>(random() % (corpus.documents.size() + 1)));
    std::ranges::sort(cuts);
    for (std::size_t i = 0; i < parts; ++i) {
      scratch_.push_back(std::make_unique<testing::ScratchDirectory>());
      readers_.push_back(std::make_unique<IndexReader>(
          posix_file_system(), index_part(*scratch_.back(), corpus, {cuts[i], cuts[i + 1]}, true)));
    }
  }
  Collection collection() const {
    std::vector<const IndexReader*> shards;
    for (const auto& reader : readers_) shards.push_back(reader.get());
    return Collection(std::move(shards));
  }

 private:
  std::vector<std::unique_ptr<testing::ScratchDirectory>> scratch_;
  std::vector<std::unique_ptr<IndexReader>> readers_;
};

TEST(Search, FindsInSeveralIndexesWhatItFindsInOneOfAllDocuments) {
  std::mt19937_64 random(78);
  for (const std::size_t parts : {1u, 2u, 7u, 40u}) {
    const Corpus corpus = make_corpus(random, 800);
    const CutCorpus cut(random, corpus, parts);
    const Collection collection = cut.collection();
    Analyzer analyzer(collection.options());
    const Bm25 bm25 = bm25_of(collection, {});
    ExhaustiveRanker exhaustive(collection, bm25);
    BlockMaxRanker pruned(collection, bm25);
    for (int i = 0; i < 60; ++i) {
      std::string text = random_item(random);
      for (std::uint64_t more = random() % 4; more > 0; --more) text += " " + random_item(random);
      const Query query = parse_query(analyzer, text);
      for (const std::size_t k : {1u, 10u, 1000u}) {
        const auto expected = rank_by_definition(corpus, query, k);
        for (Ranker* ranker : {static_cast<Ranker*>(&exhaustive), static_cast<Ranker*>(&pruned)}) {
          auto found = ranker->best(query, k);
          for (RankedDocument& ranked : found) {
            const std::string id = collection.shard_of(ranked).document_id(ranked.document);
            ranked.document = static_cast<std::uint32_t>(collection.number_of(ranked));
            ASSERT_EQ(id, std::to_string(ranked.document + 1));
          }
          expect_same(found, expected, text);
          ASSERT_FALSE(HasFailure()) << parts << " indexes, k " << k;
        }
      }
    }
  }
}

TEST(Search, RefusesIndexesWithOtherTermsAndNamesTheOption) {
  const testing::ScratchDirectory scratch[2];
  const Corpus corpus{{{"one", "two"}}, 2};
  const IndexReader first(posix_file_system(), index_corpus(scratch[0], corpus, false));
  ContentOptions options = first.options();
  options.stop_words = "w3\n";
  const std::string directory = scratch[1] / "index";
  IndexWriter(posix_file_system(), directory, options).finish({});
  const IndexReader second(posix_file_system(), directory);
  try {
    const Collection collection({&first, &second});
    FAIL() << "was taken";
  } catch (const UsageError& error) {
    for (const std::string& part : {std::string("--stop"), first.directory(), directory}) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
}

TEST(Search, TakesIndexesThatDifferInMoreThanTerms) {
  const testing::ScratchDirectory scratch[2];
  const Corpus corpus{{{"one", "two"}}, 2};
  const IndexReader plain(posix_file_system(), index_corpus(scratch[0], corpus, false));
  const IndexReader with_positions(posix_file_system(), index_corpus(scratch[1], corpus, true));
  const Collection collection({&plain, &with_positions});
  const Bm25 bm25 = bm25_of(collection, {});
  Analyzer analyzer(collection.options());
  BlockMaxRanker ranker(collection, bm25);
  EXPECT_EQ(ranker.best(parse_query(analyzer, "two"), 10).size(), 2u);
  EXPECT_THROW(ranker.best(parse_query(analyzer, "\"one two\""), 10), UsageError);
}

TEST(Search, RefusesPhrasesWithoutPositionsAndNamesTheOption) {
  const testing::ScratchDirectory scratch;
  const IndexReader index(posix_file_system(), index_corpus(scratch, {{{"one", "two"}}, 2}, false));
  Analyzer analyzer(index.options());
  const Bm25 bm25(index.counts(), {});
  const Query query = parse_query(analyzer, "\"one two\"");
  try {
    BlockMaxRanker(index, bm25).best(query, 10);
    FAIL() << "was answered";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("--positions"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(index.directory()), std::string::npos) << error.what();
  }
  EXPECT_THROW(ExhaustiveRanker(index, bm25).best(query, 10), UsageError);
}

}  // namespace
}  // namespace spillway
