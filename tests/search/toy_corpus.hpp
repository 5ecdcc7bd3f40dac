// Small artificial corpora as indexes, and their ranking by definition, for the tests of the rankers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "io/file/posix_file_system.hpp"
#include "io/index/writer.hpp"
#include "search/bm25.hpp"
#include "search/query.hpp"
#include "search/top_k.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway::testing {

struct ToyDocument {
  std::string id;
  std::map<std::string, std::uint32_t> frequencies;
  std::uint32_t length() const {
    std::uint32_t sum = 0;
    for (const auto& [term, frequency] : frequencies) sum += frequency;
    return sum;
  }
};
using ToyCorpus = std::vector<ToyDocument>;

inline void append_lists(const ToyCorpus& corpus, IndexWriter& writer, IndexTotals& totals) {
  std::map<std::string, std::vector<std::pair<std::uint32_t, std::uint32_t>>> lists;
  std::vector<std::uint8_t> codes;
  for (std::uint32_t i = 0; i < corpus.size(); ++i) {
    codes.push_back(length_code(corpus[i].length()));
    for (const auto& [term, frequency] : corpus[i].frequencies) lists[term].emplace_back(i, frequency);
  }
  ListEncoder encoder(codes);
  for (const auto& [term, postings] : lists) {
    encoder.begin(term);
    DocumentWeight weight;
    for (const auto& [document, frequency] : postings) {
      encoder.add({&document, 1}, {&frequency, 1});
      weight.add(document, frequency);
    }
    encoder.end();
    totals.source_sum.add(hash_term(term), weight.take());
  }
  writer.append_lists(encoder.take());
}

inline std::string write_index(const ScratchDirectory& scratch, const ToyCorpus& corpus) {
  ContentOptions options;
  options.tokenizer = Tokenizer::kAscii;
  std::string directory = scratch / "index";
  IndexWriter writer(posix_file_system(), directory, options);
  std::vector<std::uint32_t> order;
  for (const ToyDocument& document : corpus) {
    RunDocument stored;
    stored.fields = RunDocument::kId;
    stored.id = document.id;
    stored.length = document.length();
    writer.append_document(stored);
    order.push_back(static_cast<std::uint32_t>(order.size()));
  }
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return std::pair(corpus[a].id, a) < std::pair(corpus[b].id, b); });
  for (const std::uint32_t document : order) writer.append_id_order(document);
  IndexTotals totals;
  totals.source_document_count = corpus.size();
  append_lists(corpus, writer, totals);
  writer.finish(totals);
  return directory;
}

// The definition of the ranking, written as plainly as possible.
inline std::vector<RankedDocument> rank_naively(const ToyCorpus& corpus, const std::vector<QueryTerm>& query,
                                                const Bm25Parameters& parameters, std::size_t k) {
  double total = 0;
  for (const ToyDocument& document : corpus) total += document.length();
  const auto n = static_cast<double>(corpus.size());
  std::vector<RankedDocument> ranking;
  for (std::uint32_t i = 0; i < corpus.size(); ++i) {
    double score = 0;
    for (const QueryTerm& term : query) {
      const auto found = corpus[i].frequencies.find(term.term);
      if (found == corpus[i].frequencies.end()) continue;
      double df = 0;
      for (const ToyDocument& document : corpus) df += static_cast<double>(document.frequencies.count(term.term));
      const double tf = found->second;
      score += term.count * std::log(1 + (n - df + .5) / (df + .5)) * tf /
               (tf + parameters.k1 * (1 - parameters.b + parameters.b * corpus[i].length() / (total / n)));
    }
    if (score > 0) ranking.push_back({i, score});
  }
  std::sort(ranking.begin(), ranking.end(), [&](const RankedDocument& a, const RankedDocument& b) {
    if (a.score != b.score) return a.score > b.score;
    if (corpus[a.document].id != corpus[b.document].id) return corpus[a.document].id > corpus[b.document].id;
    return a.document < b.document;
  });
  if (ranking.size() > k) ranking.resize(k);
  return ranking;
}

inline void expect_same(const std::vector<RankedDocument>& found, const std::vector<RankedDocument>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].document, expected[i].document) << "rank " << i + 1;
    EXPECT_EQ(found[i].score, expected[i].score) << "rank " << i + 1;  // bit for bit
  }
}

inline std::string word(std::uint64_t number) { return "w" + std::to_string(number); }

// Few words and short documents, so that equal scores are common.
inline ToyCorpus random_corpus(std::mt19937_64& random, std::size_t count) {
  ToyCorpus corpus(count);
  for (std::size_t i = 0; i < count; ++i) {
    corpus[i].id = std::to_string(i * 7919 % count);
    for (std::uint64_t words = random() % 6; words > 0; --words) ++corpus[i].frequencies[word(random() % 12)];
  }
  return corpus;
}

}  // namespace spillway::testing
