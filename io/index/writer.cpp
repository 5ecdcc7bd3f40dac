#include "io/index/writer.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

#include "io/base/bytes.hpp"
#include "io/base/error.hpp"
#include "io/base/varint.hpp"
#include "io/docstore/writer.hpp"
#include "io/index/manifest.hpp"
#include "io/section/writer.hpp"
#include "io/termdict/writer.hpp"

namespace spillway {

namespace {

// Parts of lists get large blocks without copies, so their buffers take short lists only.
constexpr std::size_t kListBufferBytes = 2 * kPageBytes;

// Many batches wait, because a long list keeps one part busy and the other parts then need the batches after it.
constexpr std::size_t kBatchesBehind = 16;

// The blocks of a part that wait: its share of the batches.
constexpr std::size_t blocks_behind(std::size_t most_owned) {
  constexpr std::size_t kMost = 128;
  return std::clamp(kBatchesBehind * most_owned / kListParts / kPartStretchBytes, SectionWriter::kUsualWaiting, kMost);
}

// Large appends for the largest sections, one page for the others.
constexpr std::size_t buffer_bytes_of(Section section) {
  if (is_part_of(Section::kPostings, section) || is_part_of(Section::kPositions, section)) return kListBufferBytes;
  switch (section) {
    case Section::kText:
      return 4 * kPageBytes;
    case Section::kTerms:
    case Section::kFields:
      return 2 * kPageBytes;
    default:
      return kPageBytes;
  }
}

// The thread that appends documents is what a merge of short documents waits for: threads of their own write these.
constexpr std::array kLargeDocumentSections{Section::kLengths, Section::kDocuments, Section::kIds, Section::kFields};

// Where helpers are few, so are processors.
constexpr bool has_document_writers(unsigned helpers) { return helpers >= 7; }

// The batches that threads have not written yet.
class BatchesBehind {
 public:
  // Returns an owner that also owns `owner`. Waits until the batch fits `most_bytes` together with all others, or no
  // other is there.
  std::shared_ptr<const void> hold(std::size_t bytes, std::size_t most_bytes, std::shared_ptr<const void> owner) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return bytes_ == 0 || bytes_ + bytes <= most_bytes; });
      bytes_ += bytes;
    }
    return {static_cast<const void*>(this), [this, bytes, kept = std::move(owner)](const void*) mutable {
              kept.reset();
              const std::lock_guard lock(mutex_);
              bytes_ -= bytes;
              changed_.notify_all();
            }};
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t bytes_ = 0;
};

bool is_single(const ListBatch::Entry& entry) { return entry.ends && entry.document_count == 1; }

}  // namespace

struct IndexWriter::State {
  State(FileSystem& file_system, std::string path, const ContentOptions& content);

  SectionWriter& section(Section name) { return *sections[section_index(name)]; }
  SectionWriter& postings(unsigned of) { return section(list_part(Section::kPostings, of)); }
  SectionWriter& positions(unsigned of) { return section(list_part(Section::kPositions, of)); }
  void begin_next_part();
  DocumentSectionsWriter::Sections document_sections();
  void add_entry(const ListBatch::Entry& entry, const std::uint8_t* posting_bytes);
  void end_list(const ListBatch::Entry& entry, const std::uint8_t* posting_bytes);
  void check_totals(const IndexTotals& totals) const;

  FileSystem& files;
  std::string directory;
  ContentOptions options;
  BatchesBehind batches_behind;  // lives longer than the threads of sections
  std::array<std::optional<SectionWriter>, kSectionCount> sections;
  std::optional<DocumentSectionsWriter> documents;
  std::optional<TermTableWriter> terms;
  TermEntry open;  // of the open list: its term and bytes so far
  bool list_open = false;
  std::uint64_t list_bound_bytes = 0;
  unsigned part = 0;                // of the open list, or of the next one
  std::uint64_t stretch_bytes = 0;  // of postings in this part since it was begun
  std::size_t most_owned = 0;
  std::uint64_t posting_count = 0, occurrence_count = 0;
  std::uint64_t id_order_count = 0, dropped_count = 0;
  std::uint32_t next_dropped = 0;
  std::atomic<std::uint64_t> manifest_bytes{0};
};

IndexWriter::State::State(FileSystem& file_system, std::string path, const ContentOptions& content)
    : files(file_system), directory(std::move(path)), options(content) {
  files.make_directory(directory);
  for (std::size_t i = 0; i < kSectionCount; ++i) {
    const auto name = static_cast<Section>(i + 1);
    sections[i].emplace(files, directory, name, buffer_bytes_of(name));
  }
  documents.emplace(document_sections());
  terms.emplace(section(Section::kTerms), options.positions ? Positions::kStored : Positions::kNone);
}

DocumentSectionsWriter::Sections IndexWriter::State::document_sections() {
  return {.lengths = section(Section::kLengths),
          .documents = section(Section::kDocuments),
          .groups = section(Section::kDocumentGroups),
          .ids = section(Section::kIds),
          .fields = section(Section::kFields),
          .field_blocks = section(Section::kFieldBlocks),
          .text = section(Section::kText),
          .text_blocks = section(Section::kTextBlocks)};
}

IndexWriter::IndexWriter(FileSystem& files, const std::string& directory, const ContentOptions& options)
    : state_(std::make_unique<State>(files, directory, options)) {}

IndexWriter::~IndexWriter() = default;

bool IndexWriter::reserve_lists(std::uint64_t posting_bytes, std::uint64_t position_bytes) {
  bool is_there = true;
  for (unsigned part = 0; part < kListParts; ++part) {
    is_there &= state_->postings(part).file().reserve(posting_bytes / kListParts);
    is_there &= state_->positions(part).file().reserve(position_bytes / kListParts);
  }
  return is_there;
}

void IndexWriter::start_document_helpers(unsigned count) {
  state_->documents->start_helpers(count);
  if (!has_document_writers(count)) return;
  for (const Section section : kLargeDocumentSections) state_->section(section).start_behind();
}

void IndexWriter::end_document_helpers() {
  state_->documents->end_helpers();
  for (const Section section : kLargeDocumentSections) state_->section(section).end_behind();
}

std::size_t IndexWriter::document_helper_bytes(unsigned count) {
  std::size_t bytes = count * DocumentSectionsWriter::helper_bytes();
  if (!has_document_writers(count)) return bytes;
  for (const Section section : kLargeDocumentSections) bytes += SectionWriter::behind_bytes(buffer_bytes_of(section));
  return bytes;
}

void IndexWriter::start_list_helpers(std::size_t most_owned, SectionWriter::BehindThreads of_each) {
  state_->most_owned = most_owned;
  state_->section(Section::kBounds).start_behind();
  for (unsigned part = 0; part < kListParts; ++part) {
    state_->postings(part).start_behind(blocks_behind(most_owned), of_each);
    if (state_->options.positions) state_->positions(part).start_behind(blocks_behind(most_owned), of_each);
  }
}

void IndexWriter::end_list_helpers() {
  state_->section(Section::kBounds).end_behind();
  for (unsigned part = 0; part < kListParts; ++part) {
    state_->postings(part).end_behind();
    state_->positions(part).end_behind();
  }
}

std::size_t IndexWriter::list_helper_bytes(const ContentOptions& options, std::size_t most_owned) {
  const std::size_t of_part = SectionWriter::behind_bytes(kListBufferBytes, blocks_behind(most_owned));
  return (options.positions ? 2 : 1) * kListParts * of_part + kBatchesBehind * most_owned +
         SectionWriter::behind_bytes(buffer_bytes_of(Section::kBounds));
}

void IndexWriter::append_document(const RunDocument& document) { state_->documents->append(document); }

void IndexWriter::append_documents(const EncodedDocuments& documents) { state_->documents->append(documents); }

void IndexWriter::append_text(std::string_view fragment) { state_->documents->append_text(fragment); }

void IndexWriter::append_dropped(std::uint32_t source_document) {
  if (source_document < state_->next_dropped || source_document >= kMaxIndexDocuments) {
    throw std::logic_error("IndexWriter: dropped documents do not ascend");
  }
  state_->section(Section::kDropped).append_varint(source_document - state_->next_dropped);
  state_->next_dropped = source_document + 1;
  ++state_->dropped_count;
}

void IndexWriter::append_id_order(std::uint32_t document) {
  state_->section(Section::kIdOrder).append_integer(document);
  ++state_->id_order_count;
}

void IndexWriter::append_lists(const ListBatch& batch, const std::shared_ptr<const void>& owner) {
  std::size_t terms = 0, postings = 0, bounds = 0, positions = 0;
  std::size_t appended_postings = 0, appended_positions = 0;
  State& state = *state_;
  const std::size_t held_bytes = batch.held_bytes();
  std::shared_ptr<const void> kept;
  if (owner != nullptr && held_bytes <= state.most_owned) {
    kept = state.batches_behind.hold(held_bytes, kBatchesBehind * state.most_owned, owner);
  }
  const auto append_postings = [&] {
    const auto from = std::exchange(appended_postings, postings);
    state.postings(state.part).append({batch.postings.data() + from, postings - from}, kept);
  };
  const auto append_positions = [&] {
    const auto from = std::exchange(appended_positions, positions);
    state.positions(state.part).append({batch.positions.data() + from, positions - from}, kept);
  };
  for (const ListBatch::Entry& entry : batch.entries) {
    if (entry.term_bytes > batch.terms.size() - terms || entry.posting_bytes > batch.postings.size() - postings ||
        entry.bound_bytes > batch.bounds.size() - bounds || entry.position_bytes > batch.positions.size() - positions ||
        entry.starts == state.list_open) {
      throw std::logic_error("IndexWriter: a batch whose entries do not fit it");
    }
    if (entry.starts) {
      if (state.stretch_bytes >= kPartStretchBytes) {
        append_postings();
        append_positions();
        state.begin_next_part();
      }
      state.open.term.assign(reinterpret_cast<const char*>(batch.terms.data()) + terms, entry.term_bytes);
      state.list_open = true;
    }
    // A list of one posting has it in its term entry only.
    if (is_single(entry)) {
      append_postings();
      appended_postings += entry.posting_bytes;
    }
    state.add_entry(entry, batch.postings.data() + postings);
    terms += entry.term_bytes;
    postings += entry.posting_bytes;
    bounds += entry.bound_bytes;
    positions += entry.position_bytes;
  }
  append_postings();
  append_positions();
  state.section(Section::kBounds).append({batch.bounds.data(), bounds});
}

void IndexWriter::State::begin_next_part() {
  part = (part + 1) % kListParts;
  stretch_bytes = 0;
  terms->begin_part(part);
}

void IndexWriter::State::add_entry(const ListBatch::Entry& entry, const std::uint8_t* posting_bytes) {
  if (!is_single(entry) || open.posting_bytes != 0) open.posting_bytes += entry.posting_bytes;
  open.position_bytes += entry.position_bytes;
  list_bound_bytes += entry.bound_bytes;
  if (entry.ends) end_list(entry, posting_bytes);
}

void IndexWriter::State::end_list(const ListBatch::Entry& entry, const std::uint8_t* posting_bytes) {
  open.document_count = entry.document_count;
  open.occurrence_count = entry.occurrence_count;
  std::uint64_t document = 0;
  const bool figures_agree = entry.document_count != 0 && entry.occurrence_count >= entry.document_count &&
                             list_bound_bytes == bound_bytes_of(entry.document_count) &&
                             (options.positions || open.position_bytes == 0);
  const bool single_agrees =
      entry.document_count != 1 ||
      (open.posting_bytes == 0 && read_varint(&posting_bytes, posting_bytes + entry.posting_bytes, &document));
  if (!figures_agree || !single_agrees) throw std::logic_error("IndexWriter: a list whose figures do not agree");
  open.single_document = static_cast<std::uint32_t>(document);
  terms->add(open);
  stretch_bytes += open.posting_bytes;
  posting_count += entry.document_count;
  occurrence_count += entry.occurrence_count;
  open.posting_bytes = open.position_bytes = list_bound_bytes = 0;
  list_open = false;
}

void IndexWriter::State::check_totals(const IndexTotals& totals) const {
  const auto check = [&](std::uint64_t expected, std::uint64_t found, std::string_view what) {
    if (expected == found) return;
    throw FormatError("the index " + printable(directory) + " would hold " + std::to_string(found) + " " +
                      std::string(what) + " where its inputs have " + std::to_string(expected) +
                      ": an input is damaged");
  };
  check(totals.source_document_count, documents->document_count() + dropped_count, "kept and dropped documents");
  check(documents->stored_ids(), id_order_count, "ids in order");
  check(documents->length_sum(), occurrence_count, "occurrences");
  if (list_open) throw std::logic_error("IndexWriter: the last list is not ended");
  if (totals.source_document_count > kMaxIndexDocuments) {
    throw UsageError("an index takes at most 2147483647 documents: make several with --part");
  }
}

void IndexWriter::finish(const IndexTotals& totals) {
  State& state = *state_;
  state.check_totals(totals);
  state.documents->finish();
  state.terms->finish();
  Manifest manifest;
  manifest.options = state.options;
  manifest.counts = {.documents = state.documents->document_count(),
                     .source_documents = totals.source_document_count,
                     .stored_ids = state.documents->stored_ids(),
                     .terms = state.terms->term_count(),
                     .postings = state.posting_count,
                     .occurrences = state.occurrence_count,
                     .source_sum = totals.source_sum,
                     .dropped_sum = totals.dropped_sum};
  for (std::size_t i = 0; i < kSectionCount; ++i) manifest.sections[i] = state.sections[i]->finish();
  const std::string bytes = manifest.serialize();
  const auto file = state.files.create(state.directory + "/" + std::string(kManifestName));
  file->append(bytes_of(bytes));
  std::vector<WritableFile*> written{file.get()};
  for (auto& section : state.sections) written.push_back(&section->file());
  sync_and_close(written);
  state.files.sync_directory(state.directory);
  state.manifest_bytes = bytes.size();
}

std::uint64_t IndexWriter::term_count() const { return state_->terms->term_count(); }

std::uint64_t IndexWriter::bytes_written() const {
  std::uint64_t bytes = state_->manifest_bytes;
  for (const auto& section : state_->sections) bytes += section->bytes_written();
  return bytes;
}

std::size_t IndexWriter::memory_bytes() {
  std::size_t bytes = DocumentSectionsWriter::memory_bytes();
  for (std::size_t i = 0; i < kSectionCount; ++i) {
    bytes += buffer_bytes_of(static_cast<Section>(i + 1)) + SectionWriter::kTableBytes + 1024;
  }
  return bytes + 4 * (kMaxTermBytes + kNodeBytes);  // open nodes, and the terms they are compared with
}

}  // namespace spillway
