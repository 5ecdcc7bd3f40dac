#include "tests/support/sample_index.hpp"

#include <algorithm>
#include <memory>

#include "io/index/source_numbering.hpp"

namespace spillway::testing {

namespace {

constexpr unsigned kManyHelpers = 7;  // from this number on, threads of their own write documents

std::vector<std::uint8_t> set_lengths(SampleIndex& sample) {
  for (IndexedSample& document : sample.documents) document.length = 0;
  for (const auto& [term, postings] : sample.lists) {
    for (const auto& [document, frequency] : postings) sample.documents[document].length += frequency;
  }
  std::vector<std::uint8_t> codes;
  for (const IndexedSample& document : sample.documents) codes.push_back(length_code(document.length));
  return codes;
}

void put(IndexWriter& writer, ListBatch batch, const WriteOptions& options) {
  if (!options.helpers) return writer.append_lists(batch);
  const auto kept = std::make_shared<const ListBatch>(std::move(batch));
  writer.append_lists(*kept, kept);
}

void add_list(ListEncoder& encoder, IndexWriter& writer, const Postings& postings, const SampleIndex& sample,
              const WriteOptions& options) {
  for (std::size_t at = 0; at < postings.size(); at += options.add_postings) {
    std::vector<std::uint32_t> documents, frequencies;
    std::vector<std::uint32_t> positions;
    for (std::size_t i = at; i < std::min(postings.size(), at + options.add_postings); ++i) {
      documents.push_back(postings[i].first);
      frequencies.push_back(postings[i].second);
      if (!sample.options.positions) continue;
      const auto more = sample_positions(postings[i]);
      positions.insert(positions.end(), more.begin(), more.end());
    }
    encoder.add(documents, frequencies);
    encoder.add_positions(positions);
    if (encoder.batch_bytes() >= options.batch_bytes) put(writer, encoder.take(), options);
  }
}

void append_lists(IndexWriter& writer, const SampleIndex& sample, const std::vector<std::uint8_t>& codes,
                  const WriteOptions& options) {
  const Positions positions = sample.options.positions ? Positions::kStored : Positions::kNone;
  if (options.helpers) writer.start_list_helpers(~std::size_t{0});
  ListEncoder encoder(codes, positions);
  std::size_t terms = 0;
  for (const auto& [term, postings] : sample.lists) {
    if (terms++ == options.terms_per_encoder) {
      put(writer, encoder.take(), options);
      encoder = ListEncoder(codes, positions);
      terms = 1;
    }
    encoder.begin(term);
    add_list(encoder, writer, postings, sample, options);
    encoder.end();
    if (encoder.batch_bytes() >= options.batch_bytes) put(writer, encoder.take(), options);
  }
  put(writer, encoder.take(), options);
  if (options.helpers) writer.end_list_helpers();
}

}  // namespace

std::vector<std::uint32_t> sample_positions(const Posting& posting) {
  std::vector<std::uint32_t> distances{posting.first};
  for (std::uint32_t i = 1; i < posting.second; ++i) distances.push_back(i % 29 == 0 ? 1 + 64 * i % 5000 : 1 + i % 7);
  return distances;
}

ContentChecksum sum_of(const SampleIndex& sample) {
  const SourceNumbering numbering(sample.dropped);
  ContentChecksum sum;
  for (const auto& [term, postings] : sample.lists) {
    DocumentWeight weight, position_weight;
    for (const Posting& posting : postings) {
      const std::uint32_t document = numbering.to_source(posting.first);
      weight.add(document, posting.second);
      if (!sample.options.positions) continue;
      std::uint32_t position = 0;
      for (const std::uint32_t distance : sample_positions(posting)) {
        position += distance;
        position_weight.add(document, position_value(position));
      }
    }
    sum.add(hash_term(term), weight.take());
    sum.add_positions(hash_term(term), position_weight.take());
  }
  return sum;
}

SampleIndex make_sample(std::uint32_t documents, std::size_t terms, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  SampleIndex sample;
  sample.options.icu_version = "72.1";
  sample.options.zstd_version = "1.5.4";
  for (std::uint32_t d = 0; d < documents; ++d) {
    IndexedSample document;
    document.fields = static_cast<std::uint8_t>(random() % 32);
    if ((document.fields & RunDocument::kId) != 0)
      document.id = "http://host/" + std::to_string(random() % 1000) + "/" + std::to_string(d);
    if ((document.fields & RunDocument::kTitle) != 0) document.title = "Title of " + std::to_string(d);
    if ((document.fields & RunDocument::kUrl) != 0) document.url = std::string(random() % 40, 'u');
    if ((document.fields & RunDocument::kDate) != 0) document.date = "2024-01-01";
    if ((document.fields & RunDocument::kText) != 0) {
      for (std::uint64_t i = random() % 200; i != 0; --i) document.text += static_cast<char>('a' + random() % 26);
    }
    sample.documents.push_back(document);
  }
  while (sample.lists.size() < terms && documents != 0) {
    std::string term = "t" + std::to_string(random() % (terms * 20));
    Postings& postings = sample.lists[term];
    if (!postings.empty()) continue;
    const std::uint64_t step = std::uint64_t{1} << random() % 12;
    for (std::uint64_t d = random() % documents; d < documents; d += 1 + random() % step) {
      postings.emplace_back(static_cast<std::uint32_t>(d), random() % 4 == 0 ? 1 + random() % 300 : 1);
      if (random() % 1024 == 0) break;
    }
  }
  for (std::uint32_t source = 3; source < documents; source += 1 + static_cast<std::uint32_t>(random() % 97)) {
    sample.dropped.push_back(source);
  }
  return sample;
}

void write_sample(FileSystem& files, const std::string& directory, SampleIndex& sample,
                  const WriteOptions& write_options) {
  const std::vector<std::uint8_t> codes = set_lengths(sample);
  IndexWriter writer(files, directory, sample.options);
  if (write_options.helpers) writer.start_document_helpers(kManyHelpers);
  std::vector<std::uint32_t> with_id;
  for (std::uint32_t d = 0; d < sample.documents.size(); ++d) {
    writer.append_document(sample.documents[d].view());
    if ((sample.documents[d].fields & RunDocument::kId) != 0) with_id.push_back(d);
  }
  if (write_options.helpers) writer.end_document_helpers();
  std::sort(with_id.begin(), with_id.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(sample.documents[a].id, a) < std::pair(sample.documents[b].id, b);
  });
  for (const std::uint32_t d : with_id) writer.append_id_order(d);
  for (const std::uint32_t d : sample.dropped) writer.append_dropped(d);
  append_lists(writer, sample, codes, write_options);
  IndexTotals totals;
  totals.source_document_count = sample.source_document_count();
  totals.dropped_sum.add(hash_term("dropped"), sample.dropped.empty() ? 0 : 12345);
  totals.source_sum = sum_of(sample);
  totals.source_sum.join(totals.dropped_sum, 0);
  writer.finish(totals);
}

}  // namespace spillway::testing
