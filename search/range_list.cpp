#include "search/range_list.hpp"

#include <algorithm>

namespace spillway {

RangeList::RangeList(const Context& context, const TermEntry& entry)
    : context_(context),
      document_count_(entry.document_count),
      blocks_(std::in_place, context.index, entry),
      bounds_(context.grid.size()),
      first_blocks_(context.grid.size()),
      frequency_codes_(context.grid.size()),
      in_block_(context.grid.range_documents()),
      places_(context.grid.range_documents()) {
  const bool is_sparse = document_count_ <= std::max<std::uint64_t>(kPostingsBlock, bounds_.size() * kSparse);
  if (!is_sparse) {
    bound_blocks();
    return;
  }
  std::vector<std::uint32_t> documents(block_count() * kPostingsBlock);
  for (std::size_t block = 0; block < block_count(); ++block) {
    blocks_->decode_documents(block, documents.data() + block * kPostingsBlock);
  }
  context_.work.decoded_blocks += block_count();
  documents.resize(document_count_);
  documents_ = std::move(documents);
  if (blocks_->has_bounds()) {
    bound_documents();
  } else {
    frequencies_.resize(kPostingsBlock);
    blocks_->decode_frequencies(0, frequencies_.data());
    frequencies_.resize(document_count_);
    ++context_.work.frequency_blocks;
    bound_postings();
  }
}

RangeList::RangeList(const Context& context, std::vector<std::uint32_t> documents,
                     std::vector<std::uint32_t> frequencies)
    : context_(context),
      document_count_(documents.size()),
      documents_(std::move(documents)),
      frequencies_(std::move(frequencies)),
      bounds_(context.grid.size()),
      first_blocks_(context.grid.size()),
      frequency_codes_(context.grid.size()),
      in_block_(context.grid.range_documents()),
      places_(context.grid.range_documents()) {
  bound_postings();
}

void RangeList::bound_range(std::size_t range, std::size_t block, float bound, std::uint8_t frequency_code) {
  if (bounds_[range] == 0) first_blocks_[range] = static_cast<std::uint32_t>(block);
  bounds_[range] = std::max(bounds_[range], bound);
  frequency_codes_[range] = std::max(frequency_codes_[range], frequency_code);
}

// Dense list: a range takes the bounds of all blocks that reach into it.
void RangeList::bound_blocks() {
  const unsigned bits = context_.grid.bits;
  for (std::size_t block = 0; block < blocks_->size(); ++block) {
    const std::uint8_t code = blocks_->frequency_code(block);
    const float bound = context_.bm25.bound(code, blocks_->length_code(block));
    const std::size_t last = blocks_->last_document(block) >> bits;
    for (std::size_t range = blocks_->least_document(block) >> bits; range <= last; ++range) {
      bound_range(range, block, bound, code);
    }
  }
}

// Sparse list: only ranges that contain a document of the block take its bound.
void RangeList::bound_documents() {
  const bool by_length = document_count_ <= kByLength;
  if (by_length) context_.work.read_lengths += document_count_;
  for (std::size_t block = 0; block < block_count(); ++block) {
    const std::uint8_t code = blocks_->frequency_code(block);
    float bound = context_.bm25.bound(code, blocks_->length_code(block));
    for (const std::uint32_t document : documents_of(block)) {
      if (by_length) bound = context_.bm25.bound(code, length_code(context_.index.document_length(document)));
      bound_range(document >> context_.grid.bits, block, bound, code);
    }
  }
}

// Computes a bound for each posting. For phrases, and for lists without block bounds.
void RangeList::bound_postings() {
  context_.work.read_lengths += documents_.size();
  for (std::size_t i = 0; i < documents_.size(); ++i) {
    const std::uint8_t code = frequency_code(frequencies_[i]);
    const float bound = context_.bm25.bound(code, length_code(context_.index.document_length(documents_[i])));
    bound_range(documents_[i] >> context_.grid.bits, i / kPostingsBlock, bound, code);
  }
}

std::span<const std::uint32_t> RangeList::documents_of(std::size_t block) {
  const std::size_t begin = block * kPostingsBlock;
  const std::size_t count = std::min<std::uint64_t>(kPostingsBlock, document_count_ - begin);
  if (!documents_.empty()) return std::span(documents_).subspan(begin, count);
  blocks_->decode_documents(block, block_documents_.data());
  ++context_.work.decoded_blocks;
  return std::span(block_documents_).first(count);
}

void RangeList::append_segment(std::size_t block, std::size_t last_place) {
  if (segment_count_ == segments_.size()) segments_.emplace_back();
  Segment& segment = segments_[segment_count_++];
  segment.block = block;
  segment.last_place = last_place;
  segment.has_frequencies = false;
}

void RangeList::load(std::size_t range) {
  const auto begin = static_cast<std::uint32_t>(range << context_.grid.bits);
  const std::uint64_t end = std::uint64_t{begin} + context_.grid.range_documents();
  segment_count_ = place_count_ = 0;
  std::fill(in_block_.begin(), in_block_.end(), std::uint8_t{0});
  if (bounds_[range] == 0) return;
  for (std::size_t block = first_blocks_[range]; block < block_count(); ++block) {
    if (documents_.empty() && blocks_->least_document(block) >= end) break;
    const auto documents = documents_of(block);
    std::size_t first = 0, last = documents.size();
    if (documents.front() < begin) {
      first = static_cast<std::size_t>(std::lower_bound(documents.begin(), documents.end(), begin) - documents.begin());
    }
    if (documents.back() >= end) {
      last = static_cast<std::size_t>(std::lower_bound(documents.begin(), documents.end(), end) - documents.begin());
    }
    for (std::size_t i = first; i < last; ++i) {
      const std::uint32_t place = documents[i] - begin;
      places_[place_count_++] = place;
      in_block_[place] = static_cast<std::uint8_t>(i + 1);
    }
    if (first < last) append_segment(block, documents[last - 1] - begin);
    if (last != documents.size()) break;
  }
}

std::uint32_t RangeList::frequency(std::size_t place) {
  std::size_t at = 0;
  while (segments_[at].last_place < place) ++at;
  Segment& segment = segments_[at];
  const std::size_t in_block = in_block_[place] - std::size_t{1};
  if (!frequencies_.empty()) return frequencies_[segment.block * kPostingsBlock + in_block];
  if (!segment.has_frequencies) {
    blocks_->decode_frequencies(segment.block, segment.frequencies.data());
    ++context_.work.frequency_blocks;
    segment.has_frequencies = true;
  }
  return segment.frequencies[in_block];
}

}  // namespace spillway
