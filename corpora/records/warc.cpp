#include "corpora/records/warc.hpp"

#include <algorithm>

#include "corpora/document/field_table.hpp"
#include "corpora/records/page_reader.hpp"
#include "corpora/warc/date.hpp"
#include "io/base/error.hpp"

namespace spillway {

namespace {

using Kind = WarcPiece::Kind;

bool is_http_message(std::string_view content_type) {
  return starts_with_ignoring_case(content_type, "application/http");
}

// A body longer than this is not read: as much markup as longest_record_bytes() allows for.
std::uint64_t most_body_bytes(std::uint64_t max_document_bytes) { return longest_record_bytes(max_document_bytes); }

}  // namespace

WarcParser::WarcParser(const CorpusOptions& options, std::span<char> scratch, DecoderAllowance& decoders,
                       const RevisitTable* revisits)
    : crawl_(options.crawl),
      max_document_bytes_(options.max_document_bytes),
      page_(std::make_unique<PageReader>(scratch)),
      decoders_(decoders) {
  if (revisits != nullptr) revisits_.emplace(*revisits);
}

WarcParser::~WarcParser() = default;

std::size_t WarcParser::memory_bytes() { return PageReader::memory_bytes(); }

void WarcParser::parse(const WarcPiece& piece, RecordSource& record, const SourcePlace& place, DocumentSink& sink) {
  read_header(piece, record);
  Verdict page = judge_piece(piece);  // why there is no page
  if (!page && crawl_.revisits == Revisits::kFollow && header_.header().type == WarcType::kRevisit) {
    return parse_revisit(place, sink);
  }
  if (!page) page = judge_type();
  const std::string& date = header_.header().date;
  Verdict own = page ? std::nullopt : judge_date(date);  // why the page makes no document for this record
  const bool has_revisits = seek_revisits(place);
  const auto is_needed = [&] { return !page && (!own || has_revisits); };
  if (is_needed()) page = read_response_head(piece, record);
  if (is_needed()) page = judge_response();
  if (!page && !own) own = judge_id(id_);
  if (is_needed()) page = read_page(record, sink);
  if (const Verdict& verdict = own ? own : page) {
    sink.skip(verdict->reason, cut_record(place), verdict->detail);
  } else {
    emit({id_, url_, repair_utf8(date)}, record, place, sink);
  }
  if (has_revisits) take_revisits(page, record, place, sink);
  page_->drop_file();
}

bool WarcParser::seek_revisits(const SourcePlace& place) {
  return revisits_ && revisits_->seek({origin_.file, origin_.offset + place.offset});
}

// A revisit that is followed counts where the record is whose text it repeats.
void WarcParser::parse_revisit(const SourcePlace& place, DocumentSink& sink) {
  if (seek_revisits(place) && revisits_->next() == RevisitEntry::kFollowed) return;
  Verdict verdict = judge_date(header_.header().date);
  if (!verdict) {
    verdict =
        Skip{SkipReason::kRevisitTargetNotFound, "expected the response that it refers to in the input, found none"};
  }
  sink.skip(verdict->reason, cut_record(place), verdict->detail);
}

// Takes the revisits of the record at which revisits_ is. `page`: why there is no page for them.
void WarcParser::take_revisits(const Verdict& page, RecordSource& record, const SourcePlace& place,
                               DocumentSink& sink) {
  while (const auto entry = revisits_->next()) {
    const Revisit revisit = revisits_->table().revisit(*entry);
    Verdict verdict = judge_date(revisit.date);
    if (!verdict) verdict = judge_id(revisit.id);
    if (!verdict && page) {
      verdict = Skip{SkipReason::kRevisitTargetSkipped,
                     "the record that it refers to (" + printable(place.path, 4096) + ", byte " +
                         std::to_string(place.offset) + ") is skipped as " +
                         std::string(skip_reason_name(page->reason)) + ": " + page->detail};
    }
    const SourcePlace own{revisit.path, revisit.offset, revisit.id, revisit.url};
    if (verdict) {
      sink.skip(verdict->reason, own, verdict->detail);
    } else {
      emit({revisit.id, revisit.url, revisit.date}, record, own, sink);
    }
    sink.consumed(0);  // there may be many, and a signal ends the job
  }
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
WarcParser::Verdict WarcParser::judge_date(std::string_view written) const {
  if (!crawl_.since) return std::nullopt;
  const auto date = parse_crawl_date(written);
  if (!date || *date >= *crawl_.since) return std::nullopt;
  return Skip{SkipReason::kBeforeSince, "a record of " + std::string(written) + ", before --since"};
}

// Reads the head of the response that body_begin_ is at, if it is.
void WarcParser::read_head(RecordSource& record) {
  head_reader_.reset();
  record.visit(body_begin_, body_end_, [&](std::string_view bytes) {
    if (head_reader_.state() == FieldReader::State::kOpen) head_reader_.feed(bytes);
  });
}

// Goes past heads such as "100 Continue", if another head follows. Few, because each costs a pass over the record.
void WarcParser::skip_interim_heads(RecordSource& record) {
  constexpr int kMostHeads = 8;
  constexpr unsigned kSwitchingProtocols = 101;
  const auto is_interim = [&] {
    const ResponseHead& head = head_reader_.head();
    return head.status / 100 == 1 && head.status != kSwitchingProtocols;
  };
  for (int heads = 0; heads < kMostHeads && is_interim(); ++heads) {
    const std::uint64_t begin = body_begin_;
    body_begin_ += head_reader_.head().head_bytes;
    read_head(record);
    if (head_reader_.head().is_http) continue;
    body_begin_ = begin;
    return read_head(record);
  }
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
  read_head(record);
  skip_interim_heads(record);
  if (!head_reader_.head().is_http) return std::nullopt;  // as in ClueWeb22
  if (head_reader_.state() == FieldReader::State::kBad) {
    return Skip{SkipReason::kBadRecordHeader,
                "expected the end of the head of an HTTP response, found none within 4 MiB and 10,000 fields"};
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
  if (body_end_ == body_begin_) return Skip{SkipReason::kEmptyPage, "expected a page, found an empty one"};
  return std::nullopt;
}

WarcParser::Verdict WarcParser::judge_id(std::string_view id) {
  if (id.empty()) return Skip{SkipReason::kMissingId, "expected WARC-Record-ID, found neither it nor a URI"};
  if (id.size() <= kMaxFieldBytes) return std::nullopt;
  return Skip{SkipReason::kIdTooLong, "expected an id of at most " + std::to_string(kMaxFieldBytes) + " bytes, found " +
                                          std::to_string(id.size())};
}

WarcParser::Verdict WarcParser::read_page(RecordSource& record, DocumentSink& sink) {
  const BodyFault fault = read_body(record, sink);
  repaired_ = repaired_ || fault != BodyFault::kNone;
  // Servers name encodings and types as codings. What begins with markup is not encoded.
  if (!head_.unknown_coding.empty() && !page_->page().starts_with_markup()) {
    return Skip{SkipReason::kContentCoding, "expected gzip, deflate, br or zstd, found " + head_.unknown_coding};
  }
  return judge_page(fault);
}

// A body whose decoders need more memory than this thread has for them is read once only, while no other thread does
// so. It can be decoded if a window of br fits that is whole, or one that grows.
BodyFault WarcParser::read_body(RecordSource& record, DocumentSink& sink) {
  Decoded decoded;
  page_->read(head_.type, [&](BodyOutput& out) { decoded = decode(record, decoders_.own(), out); });
  if (!decoded.was_refused_memory) return decoded.fault;
  const auto shared = decoders_.take_shared();
  for (const WindowMemory windows : {WindowMemory::kWhole, WindowMemory::kGrowing}) {
    sink.consumed(0);  // other bodies may have taken long, and a signal ends the job
    const PageReader::Feed feed = [&](BodyOutput& out) { decoded = decode(record, {kBodyDecoderBytes, windows}, out); };
    page_->read_once(head_.type, feed, decoders_.temp(), max_document_bytes_);
    if (!decoded.was_refused_memory) break;
  }
  return decoded.fault;
}

WarcParser::Decoded WarcParser::decode(RecordSource& record, const DecoderLimit& limit, BodyOutput& out) {
  HttpBody body(head_, most_body_bytes(max_document_bytes_), limit);
  bool wants_more = true;
  record.visit(body_begin_, body_end_, [&](std::string_view bytes) {
    if (wants_more) wants_more = body.feed(bytes, out);
  });
  if (wants_more) body.finish(out);
  return {body.fault(), body.decoder_memory().refused()};
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
    return Skip{SkipReason::kContentCoding, "expected codings that 20 MiB of memory undo, found one that needs more"};
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

void WarcParser::emit(const DocumentNames& names, RecordSource& record, const SourcePlace& place, DocumentSink& sink) {
  DocumentFields fields;
  fields.id = names.id;
  fields.url = names.url;
  fields.date = names.date;
  fields.has_url = !names.url.empty();
  fields.has_date = !names.date.empty();
  fields.repaired = repaired_;
  page_->emit(fields, place, sink, [&](BodyOutput& out) { decode(record, decoders_.own(), out); });
}

}  // namespace spillway
