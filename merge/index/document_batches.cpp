#include "merge/index/document_batches.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "merge/cursor/ordered_ranges.hpp"
#include "merge/input/documents.hpp"
#include "merge/input/placed_ranges.hpp"

namespace spillway {

namespace {

// Batches of this size take little memory, and few of their groups are shared with another batch.
constexpr std::size_t kBatchDocuments = 8192;
constexpr std::uint32_t kCheckedDocuments = 64;  // between two checks

// A document that does not lie in a group of one batch, or a part of one.
struct LooseDocument {
  std::uint32_t number = 0;  // in the source
  bool is_cut = false;
  RunDocument document;
};

// Consecutive documents of one input, in this order: `before`; `dropped` and `groups`, which exclude each other; then
// `after`.
struct DocumentBatch {
  std::size_t input = 0;
  std::vector<LooseDocument> before, after;
  std::vector<std::uint32_t> dropped;  // numbers in the source
  EncodedDocuments groups;

  std::size_t held_bytes() const {
    return sizeof *this + groups.held_bytes() + (before.capacity() + after.capacity()) * sizeof(LooseDocument) +
           dropped.capacity() * sizeof(std::uint32_t);
  }
};

// Returns the document as an index stores it.
RunDocument as_stored(RunDocument document) {
  if (document.fields == RunDocument::kDropped) {
    throw std::logic_error("a document that an index has dropped was not dropped again");
  }
  document.fields &= RunDocument::kIndexFields;
  return document;
}

// Fills a batch.
class BatchEncoder {
 public:
  BatchEncoder(const DroppedDocuments& dropped, DocumentBatch& batch) : dropped_(dropped), batch_(batch) {}

  // Takes the next document; a cut one is the first or the last of its input.
  void add(std::uint32_t number, const RunDocument& document, bool is_cut) {
    const bool is_first = std::exchange(is_first_, false);
    if (is_cut) return (is_first ? batch_.before : batch_.after).push_back({number, true, document});
    if (dropped_.contains(number)) return batch_.dropped.push_back(number);
    const LooseDocument next{number, false, as_stored(document)};
    // No group of this batch is open or complete: it begins with the rest of a group.
    if (open_.empty() && dropped_.renumber(number) % kDocumentGroup != 0) return batch_.before.push_back(next);
    open_.push_back(next);
    if (open_.size() != kDocumentGroup) return;
    for (const LooseDocument& of_group : open_) batch_.groups.append(of_group.document);
    open_.clear();
  }
  void finish() { batch_.after.insert(batch_.after.begin(), open_.begin(), open_.end()); }

 private:
  const DroppedDocuments& dropped_;
  DocumentBatch& batch_;
  std::vector<LooseDocument> open_;  // of a group that this batch begins
  bool is_first_ = true;             // no document was taken yet
};

class DocumentMerger {
 public:
  explicit DocumentMerger(const DocumentMergeJob& job) : job_(job), ranges_(job.inputs) { divide(); }

  bool run() {
    std::size_t threads = std::min<std::size_t>(job_.threads, batch_ends_.size());
    for (; threads > 1; --threads) {
      const std::size_t waiting_bytes = threads * most_batch_bytes_;
      const auto memory = job_.budget.try_reserve(2 * waiting_bytes, "documents of the merge");
      if (!memory) continue;
      run_threads(threads, waiting_bytes);
      return true;
    }
    return false;
  }

 private:
  using Batches = OrderedRanges<std::unique_ptr<DocumentBatch>>;

  // Divides the ranges into batches of one input each.
  void divide() {
    std::size_t documents = 0, bytes = 0;
    for (std::size_t r = 0; r < ranges_.count(); ++r) {
      const PlacedRanges::Range& range = ranges_[r];
      documents += range.end - std::min(range.first, range.end);
      bytes += range.bytes;
      const bool is_last = r + 1 == ranges_.count() || ranges_[r + 1].input != range.input;
      if (documents < kBatchDocuments && !is_last) continue;
      batch_ends_.push_back(r + 1);
      most_batch_bytes_ = std::max(most_batch_bytes_, batch_bytes(documents, bytes));
      documents = bytes = 0;
    }
  }

  // The most bytes of a batch: lengths and entries of groups besides the strings, in vectors that grow by doubling.
  static std::size_t batch_bytes(std::size_t documents, std::size_t bytes) {
    constexpr std::size_t kDocumentBytes = 8, kLooseDocuments = 3 * kDocumentGroup;
    return sizeof(DocumentBatch) + 3 * (documents * kDocumentBytes + bytes) +
           2 * kLooseDocuments * sizeof(LooseDocument);
  }

  void run_threads(std::size_t threads, std::size_t waiting_bytes) {
    Batches out([this](std::unique_ptr<DocumentBatch>&& batch) { append(*batch); }, batch_ends_.size(), waiting_bytes);
    out.run_threads(threads, [&] { work(out); });
    out.check_complete();
    end_open();
    ranges_.check_inputs();
  }

  void work(Batches& out) {
    while (const auto next = out.begin_range()) {
      auto batch = std::make_unique<DocumentBatch>();
      encode(*next, *batch, out);
      const std::size_t bytes = batch->held_bytes();
      out.put(*next, std::move(batch), bytes);
      out.finish(*next);
    }
  }

  void encode(std::size_t number, DocumentBatch& batch, Batches& out) {
    const std::size_t first = number == 0 ? 0 : batch_ends_[number - 1];
    batch.input = ranges_[first].input;
    BatchEncoder encoder(job_.dropped, batch);
    std::uint32_t unchecked = 0;
    for (std::size_t r = first; r < batch_ends_[number]; ++r) {
      ranges_.read(r, {}, [&](std::uint32_t of, const RunDocument& document, bool is_cut) {
        if (unchecked++ % kCheckedDocuments == 0) check(out);
        encoder.add(of, document, is_cut);
      });
    }
    encoder.finish();
  }

  // A merge of lists that stopped may tell so by OrderStopped, which means an error of these batches to the threads.
  void check(Batches& out) const {
    out.check_stopped();
    if (!job_.check) return;
    try {
      job_.check();
    } catch (const OrderStopped&) {
      out.fail(std::current_exception());
      throw;
    }
  }

  void append(const DocumentBatch& batch) {
    for (const LooseDocument& document : batch.before) append_loose(batch, document);
    if (!batch.dropped.empty() || batch.groups.count() != 0) end_open();
    for (const std::uint32_t number : batch.dropped) job_.writer.append_dropped(number);
    if (batch.groups.count() != 0) job_.writer.append_documents(batch.groups);
    for (const LooseDocument& document : batch.after) append_loose(batch, document);
  }

  void append_loose(const DocumentBatch& batch, const LooseDocument& document) {
    if (document.number != open_number_) end_open();
    if (!document.is_cut) return job_.writer.append_document(document.document);
    if (!open_) open_.emplace();
    open_number_ = document.number;
    open_->add(document.document, job_.inputs[batch.input]->name());
  }

  void end_open() {
    if (open_) append_merged_document(open_number_, open_->document(), job_.dropped, job_.writer);
    open_.reset();
  }

  const DocumentMergeJob& job_;
  PlacedRanges ranges_;
  std::vector<std::size_t> batch_ends_;  // the range after the last one of each batch
  std::size_t most_batch_bytes_ = 0;
  std::optional<OpenDocument> open_;
  std::uint32_t open_number_ = 0;
};

}  // namespace

bool merge_document_batches(const DocumentMergeJob& job) {
  if (job.threads <= 1 || job.inputs.front()->identity().has_texts) return false;
  return DocumentMerger(job).run();
}

void append_merged_document(std::uint32_t number, const RunDocument& document, const DroppedDocuments& dropped,
                            IndexWriter& writer) {
  if (dropped.contains(number)) {
    writer.append_dropped(number);
  } else {
    writer.append_document(as_stored(document));
  }
}

}  // namespace spillway
