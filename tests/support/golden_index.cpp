#include "tests/support/golden_index.hpp"

namespace spillway::testing {

namespace {

void add_documents(SampleIndex& sample) {
  for (std::uint32_t d = 0; d < 300; ++d) {
    IndexedSample document;
    if (d < 20) {
      document.fields = RunDocument::kId | RunDocument::kTitle;
      document.id = "doc/" + std::to_string(d * 7 % 20);
      document.title = "Title " + std::to_string(d);
    }
    if (d % 4 == 1 && d < 20) {
      document.fields |= RunDocument::kUrl | RunDocument::kDate;
      document.url = "http://example.org/" + document.id;
      document.date = "2026-01-0" + std::to_string(1 + d % 9);
    }
    if (d % 10 == 3) {
      document.fields |= RunDocument::kText;
      for (std::uint32_t i = 0; i < d; ++i) document.text += "word" + std::to_string(i % 17) + " ";
    }
    sample.documents.push_back(document);
  }
  sample.documents[2].id.clear();     // present and empty
  sample.documents[3].title.clear();  // present and empty
}

Postings every(std::uint32_t step, std::size_t count, std::uint32_t most_frequency) {
  Postings postings;
  for (std::uint32_t i = 0; i < count; ++i) postings.emplace_back(i * step, 1 + i % most_frequency);
  return postings;
}

}  // namespace

SampleIndex golden_sample() {
  SampleIndex sample;
  sample.options.tokenizer = Tokenizer::kAscii;
  sample.options.stop_words = "and\nthe\n";
  sample.options.stemmer = "porter";
  sample.options.positions = true;
  sample.options.store = StorePolicy::kText;
  sample.options.stemmer_version = "2.2.0";
  sample.options.zstd_version = "1.5.4";
  add_documents(sample);
  sample.lists["single"] = {{299, 1}};
  sample.lists["singles"] = {{7, 3}};
  sample.lists["pair"] = every(250, 2, 1);
  sample.lists["pairs"] = every(250, 2, 2);
  sample.lists["tail"] = every(2, 127, 1);
  sample.lists["tails"] = every(2, 127, 5);
  sample.lists["block"] = every(2, 128, 1);
  sample.lists["blocks"] = every(2, 128, 3);
  sample.lists["bound"] = every(2, 129, 1);
  sample.lists["bounds"] = every(2, 129, 40);
  sample.lists["dense"] = every(1, 300, 1);
  sample.lists["denser"] = every(1, 256, 2);
  for (std::uint32_t i = 0; i < 700; ++i) sample.lists["t" + std::to_string(i * i)] = {{i % 300, 1}};
  sample.lists[std::string(300, 'l') + "ong"] = {{1, 1}};
  sample.lists[std::string("\0\xFF", 2)] = {{0, 1}, {1, 1}};
  sample.dropped = {0, 5, 6, 301, 304};
  return sample;
}

}  // namespace spillway::testing
