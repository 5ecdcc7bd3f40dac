// Small indexes for the tests of the index format: their expected contents as plain data, and a way to write them
// through ListEncoder and IndexWriter.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "io/file/file_system.hpp"
#include "io/format/content_options.hpp"
#include "io/index/writer.hpp"
#include "io/postings/list_encoder.hpp"

namespace spillway::testing {

using Posting = std::pair<std::uint32_t, std::uint32_t>;  // document, frequency
using Postings = std::vector<Posting>;

struct IndexedSample {
  std::uint8_t fields = 0;
  std::uint32_t length = 0;
  std::string id, title, url, date, text;
  RunDocument view() const { return {fields, length, id, title, url, date, text, {}}; }
};

struct SampleIndex {
  ContentOptions options;
  std::vector<IndexedSample> documents;  // write() sets their lengths
  std::map<std::string, Postings> lists;
  std::vector<std::uint32_t> dropped;  // numbered as in the source
  std::uint64_t source_document_count() const { return documents.size() + dropped.size(); }
};

// Distances between the positions of one posting: the first from 0 and equal to the document; small and large ones.
std::vector<std::uint32_t> sample_positions(const Posting& posting);
// Computed from the definition, with documents numbered as in the source.
ContentChecksum sum_of(const SampleIndex& sample);

// Lists of few to many postings over documents with all kinds of fields. Equal arguments give equal samples.
SampleIndex make_sample(std::uint32_t documents, std::size_t terms, std::uint64_t seed);

struct WriteOptions {
  std::size_t batch_bytes = ~std::size_t{0};  // calls append_lists whenever a batch has that many bytes
  std::size_t add_postings = 1000;            // postings per call of ListEncoder::add
  std::size_t terms_per_encoder = ~std::size_t{0};
  bool helpers = false;  // threads write the documents and the lists
};
void write_sample(FileSystem& files, const std::string& directory, SampleIndex& sample,
                  const WriteOptions& write_options = {});

}  // namespace spillway::testing
