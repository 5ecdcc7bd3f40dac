// The options of reading a job's input: format, field names, limits and part.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/warc/header.hpp"

namespace spillway {

// kArrow: the rows of CorpusOptions::arrow. No file has this format, and --format does not take it.
enum class CorpusFormat : std::uint8_t { kAuto, kHtml, kJsonl, kLines, kTar, kText, kTrec, kTsv, kWarc, kArrow };
inline constexpr std::size_t kCorpusFormatCount = 9;  // that --format takes
// The name that --format takes: "jsonl", "text", ...
std::string_view corpus_format_name(CorpusFormat format);
// Whether a file of this format is one document.
inline bool is_document_a_file(CorpusFormat format) {
  return format == CorpusFormat::kText || format == CorpusFormat::kHtml;
}

// Whether records of this format say how long they are, so that only reading from the start finds them.
inline bool is_archive(CorpusFormat format) { return format == CorpusFormat::kWarc || format == CorpusFormat::kTar; }

enum class Compression : std::uint8_t { kNone, kGzip, kZstd, kZip };

// JSON member names, trec element names (in lower case) or tsv column numbers, counted from 1. Of several names for one
// field, the first that a record has is used.
struct FieldNames {
  std::vector<std::string> id{"id", "docid", "_id"};
  std::vector<std::string> title{"title"};
  std::vector<std::string> text{"text", "contents", "content", "body"};
  std::vector<std::string> url{"url"};
  std::vector<std::string> date{"date"};
};

// A revisit record says that a page had not changed since an earlier record. This says what becomes of it.
enum class Revisits : std::uint8_t {
  kSkip,
  kFollow  // they are documents with the text of that record
};
// "skip", "follow".
const std::vector<std::string>& revisits_names();

// Which records of a crawl are documents.
struct CrawlOptions {
  std::uint32_t types = bit(WarcType::kResponse) | bit(WarcType::kResource) | bit(WarcType::kConversion);
  std::vector<unsigned> statuses{200};                 // of HTTP responses; empty: any
  bool html = true, text = true;                       // kinds of pages
  std::optional<std::chrono::sys_seconds> since = {};  // older records are none
  Revisits revisits = Revisits::kSkip;

  static constexpr std::uint32_t bit(WarcType type) { return std::uint32_t{1} << static_cast<unsigned>(type); }
  bool has_type(WarcType type) const { return (types & bit(type)) != 0; }
  bool has_status(unsigned status) const {
    return statuses.empty() || std::find(statuses.begin(), statuses.end(), status) != statuses.end();
  }
};

class ArrowStream;

struct CorpusOptions {
  CorpusFormat format = CorpusFormat::kAuto;
  FieldNames fields;  // jsonl, and columns of Arrow
  // Takes the place of all files (corpora/arrow/stream.hpp). It is read once.
  std::shared_ptr<ArrowStream> arrow = nullptr;
  // Without names for the text, all of a trec document that is in no other field is its text.
  FieldNames trec_fields{{"docno"}, {"title", "headline", "hl", "head"}, {}, {"url"}, {"date"}};
  // Without any number, the columns are id and text, or id, title and text, depending on how many there are.
  FieldNames tsv_fields{{}, {}, {}, {}, {}};
  CrawlOptions crawl;
  // Longer documents are skipped: bytes of a line, of a file, or of a record's title and text together.
  std::uint64_t max_document_bytes = std::uint64_t{64} << 20;
  std::uint32_t part_number = 1, part_count = 1;  // --part I/N
};

}  // namespace spillway
