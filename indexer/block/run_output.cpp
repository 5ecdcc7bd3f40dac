#include "indexer/block/run_output.hpp"

#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "indexer/block/documents.hpp"
#include "io/base/error.hpp"
#include "io/base/stopwatch.hpp"
#include "io/base/varint.hpp"
#include "io/checksum/position_sums.hpp"
#include "io/checksum/position_weight.hpp"
#include "io/memory/in_flight.hpp"
#include "io/run/decode_positions.hpp"
#include "io/run/postings_decoder.hpp"

namespace spillway {

namespace {

constexpr std::size_t kRangesOfThread = 2;  // one that is being encoded, one that waits for its turn

struct EncodedRange {
  std::vector<TermBlock> blocks;
  std::vector<RunWriter::Place> places;
  ContentChecksum sum;
  double seconds = 0;
};

// Decodes every entry of the run's blocks and adds up its checksum, to prove that sorting, folding and encoding lost
// nothing.
class SumCheck {
 public:
  void add(const RunEntry& entry, ContentChecksum& sum) {
    decode_postings(entry, "a new run", documents_, frequencies_);
    weight_.add(documents_, frequencies_);
    const TermHash hash = hash_term(entry.term);
    sum.add(hash, weight_.take());
    if (!entry.positions.empty()) add_positions(entry, hash, sum);
  }

 private:
  void add_positions(const RunEntry& entry, const TermHash& hash, ContentChecksum& sum) {
    decode_positions(entry, "a new run", distances_);
    position_sums_.take(frequencies_, distances_);
    sum.add_positions(hash, position_weight(documents_, position_sums_.sums()));
  }

  std::vector<std::uint32_t> documents_, frequencies_, distances_;
  PositionSums position_sums_;
  DocumentWeight weight_;
};

EncodedRange encode_range(const RunOutput& output, std::size_t range) {
  const Stopwatch watch;
  const StageSpan span(output.options.timeline, JobStage::kEncode);
  EncodedRange result;
  SumCheck check;
  PostingsConcatenator::SeeEntry see_entry;
  if (output.options.check_sum) see_entry = [&](const RunEntry& entry) { check.add(entry, result.sum); };
  PostingsConcatenator lists(
      output.options.run_block_bytes, output.options.positions == Positions::kStored,
      [&](TermBlock&& block) { result.blocks.push_back(std::move(block)); }, std::move(see_entry));
  output.encode(range, lists);
  lists.finish();
  result.seconds = watch.seconds();
  return result;
}

// Ranges in the pipeline at once, so that the encoded ones stay within their memory.
std::size_t ranges_at_once(const RunOutput& output) {
  constexpr std::size_t kLeast = 2;
  const std::size_t most = kRangesOfThread * output.options.threads;
  const std::size_t range_bytes = output.list_bytes / std::max<std::size_t>(output.range_count, 1) + 1;
  if (output.options.encode_bytes == 0) return most;
  return std::clamp(output.options.encode_bytes / range_bytes, std::min(kLeast, most), most);
}

}  // namespace

std::size_t most_encoded_bytes(unsigned threads) {
  constexpr std::size_t kBytesPerOccurrence = 5;  // with positions, and words that are distinct often
  return kRangesOfThread * std::max(threads, 1U) * kMostRangeOccurrences * kBytesPerOccurrence;
}

RunSummary block_summary(const Block& block) {
  RunSummary summary;
  const std::vector<std::uint32_t> bases = chunk_bases(block);
  summary.document_count = bases.back();
  for (std::size_t c = 0; c < block.chunks.size(); ++c) {
    const ParsedChunk& chunk = block.chunks[c];
    summary.occurrence_count += chunk.occurrence_count;
    summary.sum.join(chunk.sum, bases[c]);
    summary.has_stored_ids |= chunk.has_stored_ids;
  }
  return summary;
}

RunIdentity run_identity(const Block& block, const BlockSortOptions& options) {
  RunIdentity identity;
  identity.job = options.job;
  identity.has_positions = options.positions == Positions::kStored;
  identity.has_texts = options.has_texts;
  identity.number = block.number;
  identity.first_document_open = block.first_document_open();
  identity.last_document_open = block.last_document_open();
  return identity;
}

RunSummary write_run_output(const RunOutput& output, WritableFile& file, BlockSortStats& stats) {
  RunWriter writer(file, run_identity(output.block, output.options), output.options.run_block_bytes);
  RunSummary summary = block_summary(output.block);
  summary.sum.join(output.sum_besides, 0);
  ContentChecksum written;
  std::size_t next = 0;
  std::mutex stats_mutex;
  InFlight<EncodedRange> ranges;
  tbb::parallel_pipeline(
      ranges_at_once(output),
      tbb::make_filter<void, std::size_t>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& flow) {
        if (next == output.range_count) flow.stop();
        return next++;
      }) & tbb::make_filter<std::size_t, EncodedRange*>(tbb::filter_mode::parallel, [&](std::size_t range) {
        return ranges.add(encode_range(output, range));
      }) & tbb::make_filter<EncodedRange*, EncodedRange*>(tbb::filter_mode::serial_in_order, [&](EncodedRange* range) {
        const Stopwatch watch;
        const StageSpan span(output.options.timeline, JobStage::kSpill);
        for (const TermBlock& block : range->blocks) {
          range->places.push_back(writer.place_terms(block));
          summary.entry_count += block.entry_count;
          summary.posting_count += block.posting_count;
        }
        written.join(range->sum, 0);
        const std::scoped_lock lock(stats_mutex);
        stats.encode_seconds += range->seconds;
        stats.write_seconds += watch.seconds();
        return range;
      }) & tbb::make_filter<EncodedRange*, void>(tbb::filter_mode::parallel, [&](EncodedRange* range) {
        const Stopwatch watch;
        const StageSpan span(output.options.timeline, JobStage::kSpill);
        for (std::size_t i = 0; i < range->blocks.size(); ++i) writer.fill(range->places[i], range->blocks[i]);
        ranges.remove(range);
        const std::scoped_lock lock(stats_mutex);
        stats.write_seconds += watch.seconds();
      }));
  if (output.options.check_sum && written != summary.sum) {
    throw FormatError("block " + std::to_string(output.block.number) +
                      ": the sum of its postings after the sort is not the sum taken while parsing; the memory of this "
                      "machine or this program is at fault, and the index was not written");
  }
  const Stopwatch watch;
  const StageSpan span(output.options.timeline, JobStage::kSpill);
  write_block_documents(output.block, writer);
  for (const ParsedChunk& chunk : output.block.chunks) writer.append_texts(chunk.texts);
  writer.finish(summary);
  stats.write_seconds += watch.seconds();
  return summary;
}

}  // namespace spillway
