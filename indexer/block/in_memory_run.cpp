#include "indexer/block/in_memory_run.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <utility>

#include "indexer/block/block_input.hpp"
#include "indexer/block/run_output.hpp"
#include "io/base/error.hpp"
#include "io/base/varint.hpp"

namespace spillway {

namespace {

// The cost of a block besides its chunks: partly used pages, samples, and two or more of the memory mappings that a
// process may have. It makes thousands of small blocks become runs in files.
constexpr std::size_t kBlockBytes = std::size_t{64} << 10;
constexpr std::size_t kStringsInSegment = 512;
constexpr std::size_t kSamples = 1024;
// The cost of a string besides the bytes of its list, in bytes.
constexpr std::size_t kStringWeight = 16;
// Bytes before a list in a run.
constexpr std::size_t kEntryHeadBytes = 8;
// Bytes of a document that is cut between chunks, besides its strings, in a run: fields, length.
constexpr std::size_t kCutDocumentBytes = 1 + kMaxVarintBytes;

std::uint32_t first_document(const ListFragment& fragment) {
  const std::uint8_t* at = fragment.postings.data();
  std::uint64_t head = 0;
  if (!read_varint(&at, at + fragment.postings.size(), &head)) {
    throw FormatError(
        "a list of a parsed chunk has no posting; the memory of this machine or this program is at fault");
  }
  return fragment.base + static_cast<std::uint32_t>(head >> 1);
}

}  // namespace

// The lists of terms in [first, last). Each is one RunEntry, unless a posting is cut between two chunks or the
// fragments are too long together.
class InMemoryRun::Terms final : public TermCursor {
 public:
  Terms(const InMemoryRun& source, std::string_view first, std::string_view last)
      : terms_(source.terms_),
        lists_(source.lists_),
        entry_bytes_(source.entry_bytes_),
        at_(first.empty() ? 0 : find(first)),
        end_(last.empty() ? terms_.size() : find(last)) {}

  bool next() override {
    if (at_ >= end_) return false;
    fragments_.clear();
    entry_ = RunEntry{};
    entry_.term = terms_.text(at_);
    std::size_t bytes = 0;
    do {
      lists_.prefetch(at_, end_);
      const ListFragment fragment = lists_[at_];
      bytes += fragment.postings.size() + fragment.positions.size();
      if (!fragments_.empty()) {
        entry_.goes_on = first_document(fragment) == entry_.last_document;
        if (entry_.goes_on || bytes > entry_bytes_) break;
      }
      entry_.document_count += fragment.document_count;
      entry_.occurrence_count += fragment.occurrence_count;
      entry_.last_document = fragment.last_document;
      fragments_.push_back(fragment);
    } while (++at_ < end_ && !terms_.starts_term(at_));
    entry_.fragments = fragments_;
    return true;
  }
  const RunEntry& entry() const override { return entry_; }

 private:
  // The first string that is not below `term`.
  std::size_t find(std::string_view term) const {
    std::size_t low = 0, high = terms_.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (terms_.text(middle) < term) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  const BlockTerms& terms_;
  const ChunkLists& lists_;
  const std::size_t entry_bytes_;
  std::size_t at_, end_;
  std::vector<ListFragment> fragments_;
  RunEntry entry_;
};

class InMemoryRun::Input final : public BlockInput {
 public:
  explicit Input(const InMemoryRun& source)
      : BlockInput(source.block_, source.identity_, source.summary, source.samples_), source_(source) {}
  std::unique_ptr<TermCursor> terms(std::string first, std::string last) const override {
    return std::make_unique<Terms>(source_, first, last);
  }

 private:
  const InMemoryRun& source_;
};

std::optional<std::size_t> InMemoryRun::memory_bytes(const Block& block, const BlockSortOptions& options) {
  if (options.has_texts) return std::nullopt;
  std::size_t bytes = kBlockBytes;
  for (const ParsedChunk& chunk : block.chunks) {
    if (chunk.postings().largest_list_bytes > options.run_block_bytes) return std::nullopt;
    bytes += chunk.memory.page_bytes() + sizeof chunk + chunk.postings().terms.size() * sizeof(std::uint64_t);
  }
  return bytes;
}

InMemoryRun::InMemoryRun(Block&& block, const StringSorter& strings, const BlockSortOptions& options,
                         MemoryBudget& budget)
    : block_(std::move(block)),
      terms_(block_, strings, budget),
      lists_(block_, terms_),
      entry_bytes_(options.run_block_bytes),
      identity_(run_identity(block_, options)) {
  choose_samples();
  summary = block_summary(block_);
  summary.entry_count = terms_.size();
  bytes = terms_.size() * kEntryHeadBytes;
  for (const ParsedChunk& chunk : block_.chunks) {
    const ChunkPostings& lists = chunk.postings();
    summary.posting_count += lists.posting_count;
    bytes += lists.postings.size() + lists.distances.size() + lists.text.size() + chunk.documents.size() +
             kCutDocumentBytes + chunk.open_strings.size();
  }
}

InMemoryRun::~InMemoryRun() = default;

// Spreads the samples evenly over the bytes of the lists.
void InMemoryRun::choose_samples() {
  const std::vector<std::size_t> segments = terms_.ranges(kStringsInSegment);
  std::vector<std::uint64_t> weights(segments.size());
  tbb::parallel_for(std::size_t{1}, segments.size(), [&](std::size_t s) {
    for (std::size_t i = segments[s - 1]; i < segments[s]; ++i) {
      const ListFragment list = lists_[i];
      weights[s] += list.postings.size() + list.positions.size() + kStringWeight;
    }
  });
  std::uint64_t total = 0, passed = 0;
  for (const std::uint64_t weight : weights) total += weight;
  for (std::size_t s = 0; s + 1 < segments.size(); ++s) {
    passed += weights[s];
    if (passed * kSamples < samples_.size() * total) continue;
    samples_.push_back({std::string(terms_.text(segments[s]).substr(0, kSampleTermBytes)), 0, 0});
  }
  for (const TermSample& sample : samples_) open_bytes_ += sizeof sample + sample.first_term.capacity();
}

const MergeInput& InMemoryRun::open(unsigned) {
  if (input_ == nullptr) input_ = std::make_unique<Input>(*this);
  return *input_;
}

std::size_t InMemoryRun::cursor_bytes() const { return 4096 + 2 * block_.chunks.size() * sizeof(ListFragment); }

}  // namespace spillway
