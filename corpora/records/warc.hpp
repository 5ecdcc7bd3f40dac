// `warc`: the records of web archives. Pages and texts that a crawl kept become documents; every other record is
// skipped with a reason. With Revisits::kFollow a page is handed out again for each revisit of it, right after itself.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "corpora/document/corpus_options.hpp"
#include "corpora/document/record_source.hpp"
#include "corpora/http/body.hpp"
#include "corpora/http/decoder_allowance.hpp"
#include "corpora/http/response_head.hpp"
#include "corpora/records/media_kind.hpp"
#include "corpora/records/parser.hpp"
#include "corpora/revisits/table.hpp"
#include "corpora/warc/framer.hpp"

namespace spillway {

class PageReader;

class WarcParser final : public ArchiveParser {
 public:
  // `scratch`: at least 64 bytes; a text that fits is decoded once only.
  // `decoders`: of the whole job. It must outlive the parser.
  // `revisits`: of the whole input, with Revisits::kFollow; nullptr: there are none. It must outlive the parser.
  WarcParser(const CorpusOptions& options, std::span<char> scratch, DecoderAllowance& decoders,
             const RevisitTable* revisits = nullptr);
  ~WarcParser() override;
  static std::size_t memory_bytes();

  void start(const RecordLocation& origin) override { origin_ = origin; }
  void parse(const WarcPiece& piece, RecordSource& record, const SourcePlace& place, DocumentSink& sink) override;
  void read_header(const WarcPiece& piece, RecordSource& record) override;
  SourcePlace cut_record(const SourcePlace& fault) const override;

 private:
  struct Skip {
    SkipReason reason;
    std::string detail;
  };
  using Verdict = std::optional<Skip>;
  // The names that a document has for itself, while its text may be that of another record.
  struct DocumentNames {
    std::string_view id, url, date;
  };
  Verdict judge_piece(const WarcPiece& piece) const;
  Verdict judge_type() const;
  Verdict judge_date(std::string_view written) const;
  void read_head(RecordSource& record);
  void skip_interim_heads(RecordSource& record);
  Verdict read_response_head(const WarcPiece& piece, RecordSource& record);
  Verdict judge_response() const;
  static Verdict judge_id(std::string_view id);
  Verdict read_page(RecordSource& record, DocumentSink& sink);
  BodyFault read_body(RecordSource& record, DocumentSink& sink);
  Verdict judge_page(BodyFault fault) const;
  bool is_wanted(MediaKind kind) const;
  struct Decoded {
    BodyFault fault = BodyFault::kNone;
    bool was_refused_memory = false;
  };
  Decoded decode(RecordSource& record, const DecoderLimit& limit, BodyOutput& out);
  bool seek_revisits(const SourcePlace& place);
  void parse_revisit(const SourcePlace& place, DocumentSink& sink);
  void take_revisits(const Verdict& page, RecordSource& record, const SourcePlace& place, DocumentSink& sink);
  void emit(const DocumentNames& names, RecordSource& record, const SourcePlace& place, DocumentSink& sink);

  const CrawlOptions crawl_;
  const std::uint64_t max_document_bytes_;
  std::unique_ptr<PageReader> page_;
  DecoderAllowance& decoders_;
  std::optional<RevisitCursor> revisits_;
  RecordLocation origin_;
  WarcHeaderReader header_;
  ResponseHeadReader head_reader_;
  ResponseHead head_;  // of the record; without HTTP, the type that the record has
  std::string id_, url_;
  std::uint64_t body_begin_ = 0, body_end_ = 0;
  bool repaired_ = false;
};

}  // namespace spillway
