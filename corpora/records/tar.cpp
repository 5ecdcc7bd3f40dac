#include "corpora/records/tar.hpp"

#include <algorithm>

#include "corpora/document/field_table.hpp"
#include "corpora/document/utf8.hpp"
#include "corpora/http/field_reader.hpp"
#include "corpora/records/page_reader.hpp"

namespace spillway {

namespace {

using Kind = ArchivePiece::Kind;
using Type = TarHeader::Type;

// What a name says about the file; any other file is judged by its first bytes.
constexpr struct {
  std::string_view ending, mime;
} kTypes[] = {{".html", "text/html"},     {".htm", "text/html"},         {".xhtml", "application/xhtml+xml"},
              {".shtml", "text/html"},    {".txt", "text/plain"},        {".css", "text/css"},
              {".js", "text/javascript"}, {".json", "application/json"}, {".svg", "image/svg+xml"},
              {".xml", "application/xml"}};

bool ends_with_ignoring_case(std::string_view name, std::string_view ending) {
  return name.size() >= ending.size() && starts_with_ignoring_case(name.substr(name.size() - ending.size()), ending);
}

// `tar -C DIR .` writes "./page.html" for what is "page.html" in the directory.
std::string_view without_dot(std::string_view name) {
  while (name.starts_with("./")) {
    name.remove_prefix(2);
    name.remove_prefix(std::min(name.find_first_not_of('/'), name.size()));
  }
  return name;
}

// Whether a part of the path begins with a dot and is not "." or "..".
bool is_hidden(std::string_view name) {
  while (!name.empty()) {
    const std::string_view part = name.substr(0, name.find('/'));
    if (part.starts_with('.') && part != "." && part != "..") return true;
    name.remove_prefix(std::min(part.size() + 1, name.size()));
  }
  return false;
}

}  // namespace

TarParser::TarParser(const CorpusOptions& options, std::span<char> scratch)
    : crawl_(options.crawl),
      all_are_html_(options.format == CorpusFormat::kHtml),
      max_document_bytes_(options.max_document_bytes),
      page_(std::make_unique<PageReader>(scratch)) {}

TarParser::~TarParser() = default;

std::size_t TarParser::memory_bytes() { return PageReader::memory_bytes() + 4 * PaxReader::kMaxNameBytes; }

void TarParser::parse(const ArchivePiece& piece, RecordSource& record, const SourcePlace& place, DocumentSink& sink) {
  read_header(piece, record);
  Verdict verdict = judge_piece(piece);
  if (!verdict && (header_.header().type == Type::kDirectory || header_.header().type == Type::kVolume)) return;
  if (!verdict) verdict = judge_member(piece);
  if (!verdict && piece.block_bytes == 0) return;  // an empty file is no document in a directory either
  if (!verdict) verdict = judge_id();
  const PageReader::Feed feed = [&](BodyOutput& out) {
    bool wants_more = true;
    record.visit(piece.header_bytes, piece.header_bytes + piece.block_bytes,
                 [&](std::string_view bytes) { wants_more = wants_more && out.body(bytes); });
  };
  if (!verdict) {
    page_->read({std::string(declared_type()), ""}, feed);
    verdict = judge_page();
  }
  if (verdict) return sink.skip(verdict->reason, cut_record(place), verdict->detail);
  DocumentFields fields;
  fields.id = id_;
  fields.repaired = is_id_repaired_ || header_.header().is_repaired || piece.kind == Kind::kCorrected;
  page_->emit(fields, place, sink, feed);
}

void TarParser::read_header(const ArchivePiece& piece, RecordSource& record) {
  header_.reset();
  if (piece.kind != Kind::kJunk) {
    record.visit(0, std::min(piece.header_bytes, record.size()), [&](std::string_view bytes) { header_.feed(bytes); });
  }
  const std::string_view name = without_dot(header_.header().name);
  id_ = repair_utf8(name);
  is_id_repaired_ = id_ != name;
}

SourcePlace TarParser::cut_record(const SourcePlace& fault) const { return {fault.path, fault.offset, id_}; }

TarParser::Verdict TarParser::judge_piece(const ArchivePiece& piece) const {
  const std::string bytes = std::to_string(piece.block_bytes) + " bytes";
  const std::string size = std::to_string(header_.header().stored_bytes) + " bytes";
  switch (piece.kind) {
    case Kind::kRecord:
    case Kind::kCorrected:
      break;
    case Kind::kTooLong:
      return Skip{SkipReason::kDocumentTooLong, "expected a file that can be held, found one of " + size};
    case Kind::kBadHeader:
    case Kind::kNoLength:
      return Skip{SkipReason::kBadRecordHeader,
                  "expected a header of tar with the right checksum and a size, found something else; " + bytes +
                      " after it are lost"};
    case Kind::kWrongLength:
      return Skip{SkipReason::kBadRecordLength,
                  "expected a file of " + size + ", found the next one after " + bytes + ", and the end before"};
    case Kind::kCut:
      return Skip{SkipReason::kRecordTruncated, "expected the rest of a member, found the end of the input"};
    case Kind::kJunk:
      return Skip{SkipReason::kOutsideRecord, "expected a header of tar, found " + bytes + " of something else"};
  }
  return std::nullopt;
}

TarParser::Verdict TarParser::judge_member(const ArchivePiece& piece) const {
  const std::uint64_t longest = longest_record_bytes(max_document_bytes_);
  switch (header_.header().type) {
    case Type::kHardLink:
      return Skip{SkipReason::kRecordType, "a hard link"};
    case Type::kSymbolicLink:
      return Skip{SkipReason::kRecordType, "a symbolic link"};
    case Type::kDevice:
      return Skip{SkipReason::kRecordType, "a device or a pipe"};
    case Type::kSparse:
      return Skip{SkipReason::kContentCoding, "expected a whole file, found one that is stored without its holes"};
    case Type::kPart:
      return Skip{SkipReason::kContentCoding, "expected a whole file, found the rest of one from another volume"};
    default:
      break;
  }
  if (is_hidden(id_)) return Skip{SkipReason::kRecordType, "a hidden file"};
  if (piece.header_bytes + piece.block_bytes > longest) {
    return Skip{SkipReason::kDocumentTooLong,
                "expected a file that can be held, found one of " + std::to_string(piece.block_bytes) + " bytes"};
  }
  return std::nullopt;
}

TarParser::Verdict TarParser::judge_id() const {
  if (id_.empty()) return Skip{SkipReason::kMissingId, "expected a file with a name, found one without"};
  if (id_.size() <= kMaxFieldBytes) return std::nullopt;
  return Skip{SkipReason::kIdTooLong, "expected a name of at most " + std::to_string(kMaxFieldBytes) +
                                          " bytes, found " + std::to_string(id_.size())};
}

TarParser::Verdict TarParser::judge_page() const {
  const MediaKind kind = page_->page().kind();
  const bool is_wanted = kind == MediaKind::kHtml ? crawl_.html : kind == MediaKind::kPlain && crawl_.text;
  if (!is_wanted) {
    constexpr std::string_view kKinds[] = {"HTML", "plain text", "neither"};
    return Skip{SkipReason::kMediaType, "expected HTML or plain text as asked for, found " +
                                            std::string(kKinds[static_cast<std::size_t>(kind)])};
  }
  if (const std::uint64_t bytes = page_->document_bytes(); bytes > max_document_bytes_) {
    return Skip{SkipReason::kDocumentTooLong, document_too_long_detail(bytes, max_document_bytes_)};
  }
  return std::nullopt;
}

std::string_view TarParser::declared_type() const {
  if (all_are_html_) return "text/html";
  for (const auto& [ending, mime] : kTypes) {
    if (ends_with_ignoring_case(id_, ending)) return mime;
  }
  return "";
}

}  // namespace spillway
