// `tar`: the regular files in a tar file that are pages or plain text become documents, as files in a directory do.
// Links, devices and hidden files are skipped with a reason.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "corpora/document/corpus_options.hpp"
#include "corpora/records/parser.hpp"
#include "corpora/tar/header.hpp"

namespace spillway {

class PageReader;

class TarParser final : public ArchiveParser {
 public:
  // `scratch`: at least 64 bytes; a text that fits is decoded once only.
  TarParser(const CorpusOptions& options, std::span<char> scratch);
  ~TarParser() override;
  static std::size_t memory_bytes();

  void start(const RecordLocation&) override {}

  void parse(const ArchivePiece& piece, RecordSource& record, const SourcePlace& place, DocumentSink& sink) override;
  void read_header(const ArchivePiece& piece, RecordSource& record) override;
  SourcePlace cut_record(const SourcePlace& fault) const override;

 private:
  struct Skip {
    SkipReason reason;
    std::string detail;
  };
  using Verdict = std::optional<Skip>;
  Verdict judge_piece(const ArchivePiece& piece) const;
  Verdict judge_member(const ArchivePiece& piece) const;
  Verdict judge_id() const;
  Verdict judge_page() const;
  std::string_view declared_type() const;

  const CrawlOptions crawl_;
  const bool all_are_html_;  // --format html
  const std::uint64_t max_document_bytes_;
  std::unique_ptr<PageReader> page_;
  TarHeaderReader header_;
  std::string id_;
  bool is_id_repaired_ = false;
};

}  // namespace spillway
