// Indexes of any content whose checksums match: opening, verifying, dumping, looking documents up, searching and the
// cursors of a merge either refuse them with an error or read them; and what `verify` accepts is read without any
// error, alike by all readers.
#include "io/base/error.hpp"
#include "io/index/cursors.hpp"
#include "io/index/verify.hpp"
#include "search/block_max_ranker.hpp"
#include "search/exhaustive_ranker.hpp"
#include "tests/fuzz/support/index_archive.hpp"
#include "tests/fuzz/support/target.hpp"
#include "tests/support/index_files.hpp"

using namespace spillway;

namespace {

template <typename Call>
bool succeeds(const Call& call) {
  try {
    call();
    return true;
  } catch (const FormatError&) {
    return false;
  }
}

std::vector<std::string> some_terms(const IndexReader& index) {
  std::vector<std::string> terms;
  TermTableCursor cursor(index, "");
  for (std::uint64_t i = 0; cursor.next() && terms.size() < 4; ++i) {
    if (i % 3 == 0) terms.push_back(cursor.entry().term);
  }
  return terms;
}

std::vector<Query> some_queries(const IndexReader& index) {
  const std::vector<std::string> terms = some_terms(index);
  Query all;
  for (const std::string& term : terms) all.clauses.push_back({{{term, 0}}, 1, false});
  std::vector<Query> queries{all};
  if (index.options().positions && terms.size() > 1) {
    Query phrase;
    phrase.clauses.push_back({{{terms[0], 0}, {terms[1], 1}}, 1, true});
    queries.push_back(phrase);
  }
  return queries;
}

void search(const IndexReader& index) {
  const Bm25 bm25(index.counts(), {});
  ExhaustiveRanker exhaustive(index, bm25);
  BlockMaxRanker pruned(index, bm25, 6);
  for (const Query& query : some_queries(index)) {
    const auto expected = exhaustive.best(query, 5), found = pruned.best(query, 5);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].document, expected[i].document);
      EXPECT_EQ(found[i].score, expected[i].score);
    }
  }
}

// A broken index may give the rankers anything; only the end of the process would be wrong.
void search_broken(const IndexReader& index) {
  const Bm25 bm25(index.counts(), {});
  succeeds([&] {
    for (const Query& query : some_queries(index)) BlockMaxRanker(index, bm25, 6).best(query, 5);
  });
  succeeds([&] {
    for (const Query& query : some_queries(index)) ExhaustiveRanker(index, bm25).best(query, 5);
  });
}

// Reads as a merge does. Returns the number of occurrences.
std::uint64_t read_for_merge(const IndexReader& index) {
  std::uint64_t occurrences = 0;
  IndexTermCursor terms(index, "", "");
  while (terms.next()) occurrences += terms.entry().occurrence_count;
  IndexDocumentCursor documents(index);
  IndexTextCursor texts(index);
  while (documents.next()) {
    const bool has_text = (documents.document().fields & RunDocument::kText) != 0;
    while (has_text && texts.next() && !texts.fragment().ends_document) {
    }
  }
  return occurrences;
}

void check_good(const IndexReader& index) {
  EXPECT_EQ(spillway::testing::read_everything(index).find(" not found\n"), std::string::npos);
  EXPECT_EQ(read_for_merge(index), index.counts().occurrences);
  search(index);
  for (std::uint32_t d = 0; d < index.counts().documents; ++d) {
    const auto found = index.find_documents(index.document_id(d));
    EXPECT_FALSE(found.empty());
  }
}

void check_broken(const IndexReader& index) {
  succeeds([&] { spillway::testing::read_everything(index); });
  succeeds([&] { read_for_merge(index); });
  succeeds([&] { search_broken(index); });
  for (std::uint32_t d = 0; d < std::min<std::uint64_t>(index.counts().documents, 4); ++d) {
    succeeds([&] { index.document_text(d); });
    succeeds([&] { index.find_documents(index.document_id(d)); });
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  spillway::testing::FaultyFileSystem files;
  fuzz::put_index(files, input.text);
  if (input.options % 2 == 0) succeeds([&] { fuzz::heal_sums(files); });
  std::unique_ptr<IndexReader> index;
  if (!succeeds([&] { index = std::make_unique<IndexReader>(files, "/job/index"); })) return 0;
  if (succeeds([&] { verify_index(*index); })) {
    check_good(*index);
  } else {
    check_broken(*index);
  }
  return 0;
}
