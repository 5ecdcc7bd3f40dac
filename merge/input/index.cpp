#include "merge/input/index.hpp"

#include <algorithm>

namespace spillway {

namespace {

constexpr std::uint64_t kSamples = 256;
// A term costs about as much as 8 bytes of postings, and a byte of bounds belongs to about 20 of them. Lists of up to
// 128 postings have no bounds and count as their term alone.
constexpr std::uint64_t kTermWeight = 8, kBoundWeight = 20;

ContentChecksum minus(const ContentChecksum& whole, const ContentChecksum& part) {
  const auto subtract = [](std::uint64_t a, std::uint64_t b) {
    return field61::add(a, (field61::kPrime - b) % field61::kPrime);
  };
  ContentChecksum rest;
  for (int lane = 0; lane < 2; ++lane) rest.lanes[lane] = subtract(whole.lanes[lane], part.lanes[lane]);
  rest.positions = subtract(whole.positions, part.positions);
  return rest;
}

// The first term >= a prefix, and the weight of all lists before its own.
struct Place {
  std::string term;  // at most kSampleTermBytes; empty: no such term
  std::uint64_t weight = 0;
};

Place place_of(const IndexReader& index, std::uint64_t prefix) {
  std::string first(sizeof prefix, '\0');
  for (std::size_t i = 0; i < first.size(); ++i) first[i] = static_cast<char>(prefix >> (56 - 8 * i));
  TermTableCursor terms(index, first);
  if (!terms.next()) return {};
  const TermEntry& entry = terms.entry();
  return {entry.term.substr(0, kSampleTermBytes), kBoundWeight * entry.bound_offset + kTermWeight * entry.number};
}

// Samples the terms by bisecting the range of 8-byte prefixes until neighbouring samples are at most `step` of weight
// apart. Each bisection is one lookup in the term table: about kSamples * 16 lookups in all.
class Sampler {
 public:
  Sampler(const IndexReader& index, std::uint64_t step) : index_(index), step_(step) {}

  void bisect(std::uint64_t low, std::uint64_t low_weight, std::uint64_t high, std::uint64_t high_weight) {
    if (high_weight - std::min(low_weight, high_weight) <= step_ || high - low <= 1) return;
    const std::uint64_t middle = low + (high - low) / 2;
    Place place = place_of(index_, middle);
    const std::uint64_t weight = place.term.empty() ? high_weight : place.weight;
    bisect(low, low_weight, middle, weight);
    if (!place.term.empty() && (samples.empty() || samples.back().first_term < place.term)) {
      samples.push_back({std::move(place.term), 0, 0});
    }
    bisect(middle, weight, high, high_weight);
  }

  std::vector<TermSample> samples;

 private:
  const IndexReader& index_;
  std::uint64_t step_;
};

}  // namespace

IndexInput::IndexInput(const IndexReader& index) : index_(index) {
  const IndexCounts& counts = index.counts();
  identity_.job = index.options().job();
  identity_.has_texts = index.options().store == StorePolicy::kText;
  identity_.has_positions = index.options().positions;
  summary_.document_count = counts.source_documents;
  summary_.entry_count = counts.terms;
  summary_.posting_count = counts.postings;
  summary_.occurrence_count = counts.occurrences;
  summary_.sum = minus(counts.source_sum, counts.dropped_sum);
  summary_.has_stored_ids = counts.stored_ids != 0;
}

std::vector<TermSample> IndexInput::term_samples() const {
  std::uint64_t bounds = 0;
  for (const IndexReader::FileStats& file : index_.files()) {
    if (file.name == section_name(Section::kBounds)) bounds = file.bytes;
  }
  const std::uint64_t total = kBoundWeight * bounds + kTermWeight * index_.counts().terms;
  Sampler sampler(index_, std::max<std::uint64_t>(1, total / kSamples));
  sampler.bisect(0, 0, ~std::uint64_t{0}, total);
  return std::move(sampler.samples);
}

std::unique_ptr<TermCursor> IndexInput::terms(std::string first, std::string last) const {
  return std::make_unique<IndexTermCursor>(index_, first, last, &cuts_);
}

}  // namespace spillway
