// Searches an index and shows, for each document that is found, where it stands in the list of the query's first term.
//
//   search_index docs.index out of core sorting
#include <spillway/spillway.hpp>

#include <cstdio>
#include <string>

namespace {

void show_postings(const spillway::Index& index, const std::string& term) {
  spillway::Postings postings = index.postings(term);
  std::printf("\"%s\" is in %llu documents, %llu times\n", term.c_str(),
              static_cast<unsigned long long>(postings.document_count()),
              static_cast<unsigned long long>(postings.occurrence_count()));
  for (int shown = 0; shown < 3 && postings.next(); ++shown) {
    std::printf("  document %u: %u", postings.document(), postings.frequency());
    if (index.has_positions()) std::printf(", first at %u", postings.positions().front());
    std::printf("\n");
  }
}

}  // namespace

int main(int count, char** words) try {
  if (count < 3) {
    std::fprintf(stderr, "usage: search_index INDEX WORD...\n");
    return 2;
  }
  const spillway::Index index(words[1]);
  std::string query = words[2];
  for (int i = 3; i < count; ++i) query += std::string(" ") + words[i];

  spillway::Searcher searcher(index);
  for (const spillway::Hit& hit : searcher.search(query, 3)) {
    const spillway::StoredFields fields = index.document(hit.document);
    std::printf("%.4f  %s  %s (%u words)\n", hit.score, hit.id.c_str(), fields.title.c_str(), fields.length);
  }
  for (const std::string& term : index.analyze(words[2])) show_postings(index, term);
  return 0;
} catch (const spillway::Failure& failure) {
  std::fprintf(stderr, "search_index: %s\n", failure.what());
  return 1;
}
