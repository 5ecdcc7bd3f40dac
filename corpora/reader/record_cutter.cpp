#include "corpora/reader/record_cutter.hpp"

#include <algorithm>
#include <cstring>

#include "corpora/document/field_table.hpp"
#include "corpora/document/record_source.hpp"
#include "corpora/document/spool.hpp"
#include "corpora/document/utf8.hpp"
#include "corpora/reader/archive_cutter.hpp"
#include "corpora/reader/sniff.hpp"
#include "corpora/records/text.hpp"
#include "corpora/tar/header.hpp"

namespace spillway {

namespace {

std::string_view text_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Whether the file is an entry of a WACZ, and only an archive may be read from it.
bool has_to_be_archive(const CorpusFile& file) {
  return file.is_stream && file.compression == Compression::kZip && file.format == CorpusFormat::kAuto;
}

bool may_be_wacz(CorpusFormat format) { return format == CorpusFormat::kAuto || format == CorpusFormat::kWarc; }

bool leaves_record_whole(const ContainerFault& fault) { return fault.reason == SkipReason::kTrailingGarbage; }

}  // namespace

RecordCutter::RecordCutter(std::shared_ptr<const CorpusFile> file, UnpackedSource& source,
                           std::uint64_t max_document_bytes, Memory memory, Emit emit)
    : file_(std::move(file)),
      source_(source),
      longest_spooled_bytes_(longest_record_bytes(max_document_bytes)),
      memory_(memory),
      emit_(std::move(emit)),
      format_(file_->format) {}

bool RecordCutter::run() {
  if (!read_head() || !recognise()) return false;
  bool go_on = true;
  if (is_document_a_file(format_)) {
    go_on = copy_text();
  } else if (is_archive(format_)) {
    go_on = cut_archive();
  } else if (format_ != CorpusFormat::kAuto) {
    go_on = cut_records();
  }
  if (!go_on) return false;
  // Includes stored bytes that the source did not have to look at.
  const std::uint64_t end = std::max(source_.stored_position(), file_->is_stream ? 0 : file_->size);
  UnpackedRecords rest;
  rest.file = file_;
  rest.stored_bytes = end - stored_reported_;
  return rest.stored_bytes == 0 || emit_(std::move(rest));
}

std::size_t RecordCutter::read(std::span<std::uint8_t> out) {
  if (head_begin_ == head_end_) return source_.read(out);
  const std::size_t count = std::min(out.size(), head_end_ - head_begin_);
  std::memcpy(out.data(), memory_.head.data() + head_begin_, count);
  head_begin_ += count;
  return count;
}

// Reads up to the first fault. Sends faults before the first byte at once.
bool RecordCutter::read_head() {
  while (head_end_ < memory_.head.size()) {
    const std::size_t count = source_.read(memory_.head.subspan(head_end_));
    head_end_ += count;
    if (count > 0) continue;
    if (head_end_ > 0) return true;
    auto fault = source_.take_fault();
    if (!fault) return true;
    if (!send_fault(std::move(*fault))) return false;
  }
  return true;
}

// Sets format_; kAuto means that there is nothing to read.
bool RecordCutter::recognise() {
  const std::string_view head = text_of(memory_.head.first(head_end_));
  if (head.empty()) {
    format_ = CorpusFormat::kAuto;
    return true;
  }
  if (may_be_wacz(format_) && head.starts_with(kZipMagic)) {
    format_ = CorpusFormat::kAuto;
    return send_fault({SkipReason::kBinary,
                       "expected records, found a zip file inside of another file or of a stream, where a WACZ cannot "
                       "be read; copy it to a file of its own",
                       0});
  }
  CorpusFormat found = format_;  // kAuto: none
  if (format_ == CorpusFormat::kAuto) {
    found = sniff_format(head, head.size() < memory_.head.size()).value_or(CorpusFormat::kAuto);
  }
  if (format_ == CorpusFormat::kHtml && is_tar_start(head)) found = CorpusFormat::kTar;
  if (format_ == CorpusFormat::kText && looks_binary(head)) found = CorpusFormat::kAuto;
  if (has_to_be_archive(*file_) && found != CorpusFormat::kWarc) {
    format_ = CorpusFormat::kAuto;
    return send_fault({SkipReason::kBinary, "expected a WARC or ARC file below archive/, found something else", 0});
  }
  format_ = found;
  borders_ = RecordBorders(format_);
  if (found == CorpusFormat::kAuto) return send_fault({SkipReason::kBinary, std::string(kBinaryDetail), 0});
  const bool may_have_mark = !is_document_a_file(format_) && format_ != CorpusFormat::kTar;
  if (may_have_mark && head.starts_with(kByteOrderMark)) {
    head_begin_ = kByteOrderMark.size();
    buffer_offset_ = kByteOrderMark.size();
  }
  return true;
}

std::span<std::uint8_t> RecordCutter::room() { return buffer_->span().first(memory_.text_bytes).subspan(filled_); }

// Requires: the bytes in the buffer are sent or no longer needed.
bool RecordCutter::next_buffer() {
  filled_ = 0;
  if (buffer_ != nullptr) return true;
  buffer_ = memory_.buffers.take();
  return buffer_ != nullptr;
}

UnpackedRecords RecordCutter::records() {
  UnpackedRecords made;
  made.file = file_;
  made.format = format_;
  made.unpacked_offset = buffer_offset_;
  made.ends_input = ends_input_;
  return made;
}

bool RecordCutter::emit(UnpackedRecords made) {
  // After a fault, the source may have gone back.
  made.stored_bytes = std::max(source_.stored_position(), stored_reported_) - stored_reported_;
  stored_reported_ += made.stored_bytes;
  return emit_(std::move(made));
}

// Sends the buffer with its first `bytes` bytes and drops the others.
bool RecordCutter::send(std::size_t bytes, Fault fault) {
  UnpackedRecords made = records();
  made.bytes = bytes;
  made.end_offset = buffer_offset_ + bytes;
  made.fault = std::move(fault);
  if (bytes > 0) {
    buffer_->span()[bytes] = '\n';  // stops the parsers
    made.buffer = std::move(buffer_);
  }
  buffer_offset_ += filled_;
  filled_ = 0;
  return bytes == 0 && !made.fault ? true : emit(std::move(made));
}

bool RecordCutter::send_fault(ContainerFault fault) {
  UnpackedRecords made = records();
  made.fault = std::move(fault);
  return emit(std::move(made));
}

bool RecordCutter::send_spooled(std::unique_ptr<TempFile> spooled, std::uint64_t bytes, std::uint64_t end_offset) {
  UnpackedRecords made = records();
  made.spooled = std::move(spooled);
  made.spooled_bytes = bytes;
  made.end_offset = end_offset;
  return emit(std::move(made));
}

bool RecordCutter::cut_records() {
  if (!next_buffer()) return false;
  for (;;) {
    if (room().empty() && !cut_full_buffer()) return false;
    if (room().empty()) continue;  // the bytes after a long record fill the buffer
    const std::size_t count = read(room());
    filled_ += count;
    if (count > 0) continue;
    if (auto fault = source_.take_fault()) {
      if (!handle_fault(std::move(*fault), false)) return false;
    } else {
      ends_input_ = true;
      return send(filled_);
    }
  }
}

// `cut_a_record`: the fault cut a record that was being spooled.
bool RecordCutter::handle_fault(ContainerFault fault, bool cut_a_record) {
  const bool leaves_whole = leaves_record_whole(fault);
  const std::size_t kept = leaves_whole ? filled_ : borders_.whole_bytes(text_of(buffer_->span().first(filled_)));
  // In lines and tsv, the rest of a cut record would look like a record of its own. In other formats it does not.
  const bool rest_looks_whole = format_ == CorpusFormat::kLines || format_ == CorpusFormat::kTsv;
  in_cut_record_ |= rest_looks_whole && !leaves_whole && (cut_a_record || kept < filled_);
  const std::uint64_t offset = fault.unpacked_offset;
  if (!send(kept, std::move(fault))) return false;
  buffer_offset_ = offset;
  return next_buffer() && (!in_cut_record_ || drop_rest_of_record());
}

// Drops bytes up to the next border or fault. Counts them as a skipped record if there are any.
bool RecordCutter::drop_rest_of_record() {
  const std::uint64_t begin = buffer_offset_;
  while (in_cut_record_) {
    const std::size_t count = read(room());
    if (count == 0) break;
    const std::size_t found = borders_.find(text_of(room().first(count)), 0);
    in_cut_record_ = found == RecordBorders::kNone;
    const std::size_t dropped = std::min(found, count);
    buffer_offset_ += dropped;
    filled_ = count - dropped;
    std::memmove(buffer_->span().data(), buffer_->span().data() + dropped, filled_);
  }
  if (buffer_offset_ == begin) return true;
  return send_fault({SkipReason::kRecordCut,
                     "expected a whole record, found the rest of one whose start was lost (" +
                         std::to_string(buffer_offset_ - begin) + " bytes)",
                     begin});
}

bool RecordCutter::cut_full_buffer() {
  const std::size_t border = borders_.find_last(text_of(buffer_->span().first(filled_)), 1);
  if (border == RecordBorders::kNone) return spool_record();
  UnpackBuffers::Taken full = std::move(buffer_);
  buffer_ = memory_.buffers.take();
  if (buffer_ == nullptr) return false;
  const std::size_t tail = filled_ - border;
  std::memcpy(buffer_->span().data(), full->span().data() + border, tail);
  std::swap(buffer_, full);
  filled_ = border;
  if (!send(border)) return false;
  buffer_ = std::move(full);
  filled_ = tail;
  return true;
}

// Spools the record that fills the whole buffer. Leaves the bytes after it in the buffer.
bool RecordCutter::spool_record() {
  Spool spool(memory_.temp, longest_spooled_bytes_);
  const auto all = buffer_->span().first(filled_);
  const std::size_t most_open = borders_.undecided_bytes();
  const std::size_t newline_bytes = borders_.are_newlines() ? 1 : 0;
  std::size_t held = filled_;
  std::uint64_t whole_bytes = 0;  // of the record, which a fault cannot harm
  std::size_t border = RecordBorders::kNone;
  std::size_t count = held;  // of the last read
  // Bytes that may start a border stay in front of the bytes that are read next.
  while (border == RecordBorders::kNone && count > 0) {
    const std::size_t open = std::min(held, most_open);
    const std::size_t whole = borders_.whole_bytes(text_of(all.first(held)));
    if (whole > 0) whole_bytes = spool.bytes() + whole;
    spool.append(all.first(held - open));
    std::memmove(all.data(), all.data() + held - open, open);
    count = read(all.subspan(open));
    held = open + count;
    border = borders_.find(text_of(all.first(held)), 0);
  }
  const bool ended = border != RecordBorders::kNone;
  spool.append(all.first(ended ? border - newline_bytes : held));
  std::optional<ContainerFault> fault;
  if (!ended) fault = source_.take_fault();
  ends_input_ = !ended && !fault;
  const bool is_cut = fault && !leaves_record_whole(*fault);
  // As in LineParser, a CR before a newline is part of the newline.
  const bool drop_cr = ended && newline_bytes == 1 && format_ != CorpusFormat::kJsonl && spool.last_byte() == '\r';
  const std::uint64_t bytes = is_cut ? whole_bytes : spool.bytes() - (drop_cr ? 1 : 0);
  const std::uint64_t end_offset = buffer_offset_ + spool.bytes() + (ended ? newline_bytes : 0);
  if (bytes > 0 && !send_spooled(spool.take(), bytes, end_offset)) return false;
  buffer_offset_ = end_offset;
  filled_ = ended ? held - border : 0;
  if (filled_ > 0) std::memmove(all.data(), all.data() + border, filled_);
  return fault ? handle_fault(std::move(*fault), is_cut) : true;
}

bool RecordCutter::cut_archive() {
  ArchiveCutter::Memory memory{memory_.buffers, memory_.temp, memory_.head, head_begin_, head_end_};
  head_begin_ = head_end_;
  ArchiveCutter cutter(source_, format_, longest_spooled_bytes_, memory, [this](UnpackedRecords made) {
    made.file = file_;
    return emit(std::move(made));
  });
  return cutter.run();
}

bool RecordCutter::copy_text() {
  if (!next_buffer()) return false;
  for (;;) {
    const std::size_t count = read(room());
    filled_ += count;
    if (count > 0) {
      if (room().empty()) return spool_text();
      continue;
    }
    auto fault = source_.take_fault();
    if (!fault) return send(filled_);
    const std::size_t kept = leaves_record_whole(*fault) ? filled_ : 0;
    return send(kept, std::move(fault)) && drain();
  }
}

// Spools a text that fills the whole buffer and may go on.
bool RecordCutter::spool_text() {
  Spool spool(memory_.temp, longest_spooled_bytes_);
  spool.append(buffer_->span().first(filled_));
  const auto all = buffer_->span().first(filled_);
  filled_ = 0;
  for (;;) {
    const std::size_t count = read(all);
    spool.append(all.first(count));
    if (spool.is_too_long()) return send_spooled(nullptr, longest_spooled_bytes_ + 1, longest_spooled_bytes_ + 1);
    if (count > 0) continue;
    auto fault = source_.take_fault();
    const std::uint64_t bytes = spool.bytes();
    if ((!fault || leaves_record_whole(*fault)) && !send_spooled(spool.take(), bytes, bytes)) return false;
    return fault ? send(0, std::move(fault)) && drain() : true;
  }
}

// Reads on after the end or the loss of a document, only to find further faults of the container.
bool RecordCutter::drain() {
  if (!next_buffer()) return false;
  for (;;) {
    if (read(room()) > 0) continue;
    auto fault = source_.take_fault();
    if (!fault) return true;
    if (!send(0, std::move(fault))) return false;
  }
}

}  // namespace spillway
