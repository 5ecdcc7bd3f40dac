// Seven retrieval collections, indexed and searched through the library. Counts and quality measures must equal those
// of an independent program (reference_scores.txt), the measures to 4 decimals. Every score must equal that of a second
// implementation of BM25 over InvertedOracle, to a relative difference of 1e-12; and pruned search must return what
// exhaustive search returns, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "indexer/job/index_job.hpp"
#include "io/file/posix_file_system.hpp"
#include "search/block_max_ranker.hpp"
#include "search/exhaustive_ranker.hpp"
#include "tests/end_to_end/indexing.hpp"
#include "tests/support/corpora_path.hpp"
#include "tests/support/evaluation.hpp"
#include "tests/support/scratch_directory.hpp"
#include "tools/options/index.hpp"

namespace spillway {
namespace {

using testing::Evaluation;
using testing::ScratchDirectory;

// A line of reference_scores.txt.
struct Reference {
  Bm25Parameters parameters;
  std::uint64_t documents = 0, terms = 0, tokens = 0, queries = 0;
  std::map<std::string, double> measures;
};

// The number after `name` in the line.
double value_behind(const std::string& line, const std::string& name) {
  const std::size_t at = line.find(name);
  if (at == std::string::npos) throw std::runtime_error("no " + name + " in " + line);
  return std::stod(line.substr(at + name.size()));
}

std::vector<Reference> references(const std::string& path, const std::string& collection, const std::string& analysis) {
  std::ifstream file(path);
  std::vector<Reference> found;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name, row;
    words >> name >> row;
    if (name != collection || row != analysis) continue;
    Reference reference;
    reference.parameters = {value_behind(line, " k1="), value_behind(line, " b=")};
    reference.documents = static_cast<std::uint64_t>(value_behind(line, " docs="));
    reference.terms = static_cast<std::uint64_t>(value_behind(line, " terms="));
    reference.tokens = static_cast<std::uint64_t>(value_behind(line, " tokens="));
    reference.queries = static_cast<std::uint64_t>(value_behind(line, " q="));
    for (const char* measure : {"MAP", "nDCG10", "P10", "P30", "R100", "R1000"}) {
      reference.measures[measure] = value_behind(line, std::string("'") + measure + "': ");
    }
    found.push_back(reference);
  }
  return found;
}

ContentOptions content_of(const std::string& analysis) {
  ContentOptions content;
  content.tokenizer = Tokenizer::kAscii;
  if (analysis == "plain") return content;
  content.stemmer = "porter";
  content.stop_words = normalize_stop_words(english_stop_words(), content);
  return content;
}

void index_collection(const std::string& documents, const std::string& output, const ContentOptions& content) {
  IndexOptions options;
  options.inputs = {documents};
  options.output = output;
  options.content = content;
  options.memory_bytes = std::uint64_t{256} << 20;
  options.threads = 2;
  std::atomic<int> signal_number{0};
  IndexProgress progress;
  const auto ignore = [](const std::string&) {};
  IndexReport report;
  run_index(options, {posix_file_system(), signal_number, progress, ignore, ignore}, report);
}

testing::Quality evaluate(const IndexReader& index, const std::string& collection, const Bm25Parameters& parameters) {
  Evaluation evaluation(testing::read_judgements(collection + "/qrels.txt"));
  Analyzer analyzer(index.options());
  const Bm25 bm25(index.counts(), parameters);
  BlockMaxRanker ranker(index, bm25);
  for (const testing::Query& query : testing::read_queries(collection + "/queries.tsv")) {
    if (!evaluation.counts(query.id)) continue;
    std::vector<std::string> ids;
    for (const RankedDocument& ranked : ranker.best(query_of(query_terms(analyzer, query.text)), 1000)) {
      ids.push_back(index.document_id(ranked.document));
    }
    evaluation.add(query.id, ids);
  }
  return evaluation.quality();
}

std::string four_decimals(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", value);
  return text;
}

// All queries, judged or not.
void expect_pruned_equals_exhaustive(const IndexReader& index, const std::string& collection,
                                     const Bm25Parameters& parameters) {
  Analyzer analyzer(index.options());
  const Bm25 bm25(index.counts(), parameters);
  ExhaustiveRanker exhaustive(index, bm25);
  BlockMaxRanker pruned(index, bm25);
  std::size_t queries = 0;
  for (const testing::Query& query : testing::read_queries(collection + "/queries.tsv")) {
    const auto terms = query_terms(analyzer, query.text);
    for (const std::size_t k : {1u, 10u, 1000u}) {
      const auto expected = exhaustive.best(query_of(terms), k), found = pruned.best(query_of(terms), k);
      ASSERT_EQ(found.size(), expected.size()) << query.id << ": " << query.text;
      for (std::size_t i = 0; i < found.size(); ++i) {
        ASSERT_EQ(found[i].document, expected[i].document) << query.id << " rank " << i + 1;
        ASSERT_EQ(found[i].score, expected[i].score) << query.id << " rank " << i + 1;  // bit for bit
      }
    }
    ++queries;
  }
  EXPECT_GE(queries, 30u);
}

// The scores of all documents by the definition in docs/search.md, from documents that were not read from an index.
std::vector<double> naive_scores(const testing::InvertedOracle& oracle, const std::vector<QueryTerm>& terms,
                                 const Bm25Parameters& parameters) {
  const auto n = static_cast<double>(oracle.lengths.size());
  const double mean_length = static_cast<double>(oracle.occurrence_count()) / n;
  std::vector<double> scores(oracle.lengths.size());
  for (const QueryTerm& term : terms) {
    const auto list = oracle.lists.find(term.term);
    if (list == oracle.lists.end()) continue;
    const auto df = static_cast<double>(list->second.size());
    for (const auto& [document, frequency] : list->second) {
      const double length = oracle.lengths[document] / mean_length, tf = frequency;
      scores[document] += term.count * std::log(1 + (n - df + .5) / (df + .5)) * tf /
                          (tf + parameters.k1 * (1 - parameters.b + parameters.b * length));
    }
  }
  return scores;
}

// Every document that holds a term of a query must be ranked, in descending order of scores. Returns the number of
// scores compared.
std::size_t expect_scores_of_the_definition(const IndexReader& index, const testing::InvertedOracle& oracle,
                                            const std::vector<testing::Query>& queries,
                                            const Bm25Parameters& parameters) {
  Analyzer analyzer(index.options());
  const Bm25 bm25(index.counts(), parameters);
  BlockMaxRanker ranker(index, bm25);
  std::size_t compared = 0;
  for (const testing::Query& query : queries) {
    const auto terms = query_terms(analyzer, query.text);
    const auto expected = naive_scores(oracle, terms, parameters);
    const auto found = ranker.best(query_of(terms), index.counts().documents);
    const auto matching = std::count_if(expected.begin(), expected.end(), [](double score) { return score > 0; });
    EXPECT_EQ(found.size(), static_cast<std::size_t>(matching)) << query.id << ": " << query.text;
    const auto is_equal = [&](const RankedDocument& ranked) {
      const double score = expected.at(ranked.document);
      return score > 0 && std::abs(ranked.score - score) <= 1e-12 * score;
    };
    EXPECT_TRUE(std::all_of(found.begin(), found.end(), is_equal)) << query.id << ": " << query.text;
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end(), [](const auto& a, const auto& b) {
      return a.score > b.score;
    })) << query.id;
    compared += found.size();
  }
  return compared;
}

class Retrieval : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Retrieval, HasTheScoresOfTheDefinitionAndTheMeasuresOfTheReference) {
  const auto corpora = SPILLWAY_CORPORA_OR_SKIP();
  const auto [name, analysis] = GetParam();
  const std::string collection = corpora + "/retrieval/" + name;
  const auto expected = references(corpora + "/retrieval/reference_scores.txt", name, analysis);
  ASSERT_EQ(expected.size(), 2u) << "two pairs of (k1, b)";

  const ScratchDirectory scratch;
  index_collection(collection + "/docs.jsonl.zst", scratch / "index", content_of(analysis));
  const IndexReader index(posix_file_system(), scratch / "index");
  const auto documents = testing::parse_jsonl(testing::unpack_zstd(collection + "/docs.jsonl.zst"));
  ASSERT_EQ(documents.size(), index.counts().documents);
  const auto oracle = testing::invert(documents, index.options());
  const auto queries = testing::read_queries(collection + "/queries.tsv");
  for (const Reference& reference : expected) {
    EXPECT_GT(expect_scores_of_the_definition(index, oracle, queries, reference.parameters), 10 * queries.size());
    EXPECT_EQ(index.counts().documents, reference.documents);
    EXPECT_EQ(index.counts().terms, reference.terms);
    EXPECT_EQ(index.counts().occurrences, reference.tokens);
    expect_pruned_equals_exhaustive(index, collection, reference.parameters);
    const testing::Quality found = evaluate(index, collection, reference.parameters);
    EXPECT_EQ(found.queries, reference.queries);
    const std::map<std::string, double> measures{{"MAP", found.map},         {"nDCG10", found.ndcg_10},
                                                 {"P10", found.p_10},        {"P30", found.p_30},
                                                 {"R100", found.recall_100}, {"R1000", found.recall_1000}};
    for (const auto& [measure, value] : measures) {
      EXPECT_EQ(four_decimals(value), four_decimals(reference.measures.at(measure)))
          << measure << " with k1=" << reference.parameters.k1 << " b=" << reference.parameters.b;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Slow, Retrieval,
                         ::testing::Combine(::testing::Values("adi", "cacm", "cisi", "cranfield", "med", "scifact",
                                                              "vaswani"),
                                            ::testing::Values("plain", "ascii+stop+porter")),
                         [](const auto& tested) {
                           return std::string(std::get<0>(tested.param)) +
                                  (std::string(std::get<1>(tested.param)) == "plain" ? "Plain" : "StopPorter");
                         });

}  // namespace
}  // namespace spillway
