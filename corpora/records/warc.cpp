#include "corpora/records/warc.hpp"

#include <algorithm>

#include "corpora/document/field_table.hpp"
#include "corpora/records/page_reader.hpp"
#include "corpora/warc/date.hpp"

namespace spillway {

namespace {

using Kind = WarcPiece::Kind;

bool is_http_message(std::string_view content_type) {
  return starts_with_ignoring_case(content_type, "application/http");
}

// A body longer than this is not read: as much markup as longest_record_bytes() allows for.
std::uint64_t most_body_bytes(std::uint64_t max_document_bytes) { return longest_record_bytes(max_document_bytes); }

}  // namespace

WarcParser::WarcParser(const CorpusOptions& options, std::span<char> scratch)
    : crawl_(options.crawl),
      max_document_bytes_(options.max_document_bytes),
      page_(std::make_unique<PageReader>(scratch)) {}

WarcParser::~WarcParser() = default;

std::size_t WarcParser::memory_bytes() { return PageReader::memory_bytes(); }

void WarcParser::parse(const WarcPiece& piece, RecordSource& record, const SourcePlace& place, DocumentSink& sink) {
  read_header(piece, record);
  Verdict verdict = judge_piece(piece);
  if (!verdict) verdict = judge_type();
  if (!verdict) verdict = judge_date();
  if (!verdict) verdict = read_response_head(piece, record);
  if (!verdict) verdict = judge_response();
  if (verdict) return sink.skip(verdict->reason, cut_record(place), verdict->detail);
  BodyFault fault = BodyFault::kNone;
  page_->read(head_.type, [&](BodyOutput& out) { fault = decode(record, out); });
  repaired_ = repaired_ || fault != BodyFault::kNone;
  verdict = judge_page(fault);
  if (verdict) return sink.skip(verdict->reason, cut_record(place), verdict->detail);
  emit(record, place, sink);
}

void WarcParser::read_header(const WarcPiece& piece, RecordSource& record) {
  header_.reset();
  if (piece.kind != Kind::kJunk) {
    record.visit(0, std::min(piece.header_bytes, record.size()), [&](std::string_view bytes) {
      if (header_.state() == FieldReader::State::kOpen) header_.feed(bytes);
    });
  }
  id_ = repair_utf8(external_id(header_.header()));
  url_ = repair_utf8(header_.header().target_uri);
}

SourcePlace WarcParser::cut_record(const SourcePlace& fault) const { return {fault.path, fault.offset, id_, url_}; }

WarcParser::Verdict WarcParser::judge_piece(const WarcPiece& piece) const {
  const std::string block = std::to_string(piece.block_bytes) + " bytes";
  switch (piece.kind) {
    case Kind::kRecord:
    case Kind::kCorrected:
      return std::nullopt;
    case Kind::kTooLong:
      return Skip{SkipReason::kDocumentTooLong,
                  "expected a record that can be held, found one of " + block + " or more"};
    case Kind::kBadHeader:
      return Skip{SkipReason::kBadRecordHeader, "expected fields and an empty line, found something else"};
    case Kind::kNoLength:
      if (auto verdict = judge_type()) return verdict;
      return Skip{SkipReason::kBadRecordLength,
                  "expected a length, found none; the next record begins " + block + " after the header"};
    case Kind::kWrongLength:
      return Skip{SkipReason::kBadRecordLength, "expected a block of " + std::to_string(header_.header().length) +
                                                    " bytes, found the next record after " + block};
    case Kind::kCut:
      return Skip{SkipReason::kRecordTruncated, "expected the rest of the record, found the end of the input"};
    case Kind::kJunk:
      break;
  }
  return Skip{SkipReason::kOutsideRecord, "expected a record, found " + block + " of something else"};
}

WarcParser::Verdict WarcParser::judge_type() const {
  const WarcType type = header_.header().type;
  if (crawl_.has_type(type)) return std::nullopt;
  const SkipReason reason = type == WarcType::kRevisit ? SkipReason::kRevisit : SkipReason::kRecordType;
  return Skip{reason, "a record of type " + std::string(warc_type_name(type))};
}

// Records whose date is missing or cannot be read are kept: nothing says that they are old.
WarcParser::Verdict WarcParser::judge_date() const {
  if (!crawl_.since) return std::nullopt;
  const std::string& written = header_.header().date;
  const auto date = parse_crawl_date(written);
  if (!date || *date >= *crawl_.since) return std::nullopt;
  return Skip{SkipReason::kBeforeSince, "a record of " + written + ", before --since"};
}

// Reads the head of the response that the block begins with, if it does.
WarcParser::Verdict WarcParser::read_response_head(const WarcPiece& piece, RecordSource& record) {
  const WarcHeader& header = header_.header();
  body_begin_ = piece.header_bytes;
  body_end_ = std::min(piece.header_bytes + piece.block_bytes, record.size());
  repaired_ = piece.kind == Kind::kCorrected;
  head_ = {};
  head_.type = parse_media_type(is_http_message(header.content_type) ? std::string_view() : header.content_type);
  if (header.type == WarcType::kMetadata) head_.type.mime = "text/plain";
  const bool may_be_http = header.type == WarcType::kResponse || is_http_message(header.content_type);
  if (!may_be_http) return std::nullopt;
  head_reader_.reset();
  record.visit(body_begin_, body_end_, [&](std::string_view bytes) {
    if (head_reader_.state() == FieldReader::State::kOpen) head_reader_.feed(bytes);
  });
  if (!head_reader_.head().is_http) return std::nullopt;  // as in ClueWeb22
  if (head_reader_.state() == FieldReader::State::kBad) {
    return Skip{SkipReason::kBadRecordHeader,
                "expected the end of the head of an HTTP response, found more than 4 MiB"};
  }
  const MediaType of_record = head_.type;
  head_ = head_reader_.head();
  if (head_.type.mime.empty()) head_.type = of_record;
  body_begin_ += head_.head_bytes;
  return std::nullopt;
}

WarcParser::Verdict WarcParser::judge_response() const {
  if (head_.is_http && !crawl_.has_status(head_.status)) {
    return Skip{SkipReason::kHttpStatus, "HTTP status " + std::to_string(head_.status)};
  }
  if (!head_.unknown_coding.empty()) {
    return Skip{SkipReason::kContentCoding, "expected gzip, deflate, br or zstd, found " + head_.unknown_coding};
  }
  if (body_end_ == body_begin_) return Skip{SkipReason::kEmptyPage, "expected a page, found an empty one"};
  if (id_.empty()) return Skip{SkipReason::kMissingId, "expected WARC-Record-ID, found neither it nor a URI"};
  if (id_.size() > kMaxFieldBytes) {
    return Skip{SkipReason::kIdTooLong, "expected an id of at most " + std::to_string(kMaxFieldBytes) +
                                            " bytes, found " + std::to_string(id_.size())};
  }
  return std::nullopt;
}

BodyFault WarcParser::decode(RecordSource& record, BodyOutput& out) {
  HttpBody body(head_, most_body_bytes(max_document_bytes_));
  bool wants_more = true;
  record.visit(body_begin_, body_end_, [&](std::string_view bytes) {
    if (wants_more) wants_more = body.feed(bytes, out);
  });
  if (wants_more) body.finish(out);
  return body.fault();
}

bool WarcParser::is_wanted(MediaKind kind) const {
  return kind == MediaKind::kHtml ? crawl_.html : kind == MediaKind::kPlain && crawl_.text;
}

WarcParser::Verdict WarcParser::judge_page(BodyFault fault) const {
  if (fault == BodyFault::kTooLong) {
    return Skip{SkipReason::kDocumentTooLong,
                "the body unpacks to more than " + std::to_string(most_body_bytes(max_document_bytes_)) + " bytes"};
  }
  if (fault == BodyFault::kNoMemory) {
    return Skip{SkipReason::kContentCoding, "expected a window of at most 8 MiB, found one that needs more memory"};
  }
  if (const MediaKind kind = page_->page().kind(); !is_wanted(kind)) {
    constexpr std::string_view kKinds[] = {"HTML", "plain text", "neither"};
    const std::string mime = head_.type.mime.empty() ? "no type" : "type " + head_.type.mime;
    return Skip{SkipReason::kMediaType, "expected HTML or plain text as asked for, found " +
                                            std::string(kKinds[static_cast<std::size_t>(kind)]) + " (" + mime + ")"};
  }
  const std::uint64_t bytes = page_->document_bytes();
  if (bytes > max_document_bytes_) {
    return Skip{SkipReason::kDocumentTooLong, document_too_long_detail(bytes, max_document_bytes_)};
  }
  return std::nullopt;
}

void WarcParser::emit(RecordSource& record, const SourcePlace& place, DocumentSink& sink) {
  const std::string date = repair_utf8(header_.header().date);
  DocumentFields fields;
  fields.id = id_;
  fields.url = url_;
  fields.date = date;
  fields.has_url = !url_.empty();
  fields.has_date = !date.empty();
  fields.repaired = repaired_;
  page_->emit(fields, place, sink, [&](BodyOutput& out) { decode(record, out); });
}

}  // namespace spillway
