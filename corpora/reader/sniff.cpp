#include "corpora/reader/sniff.hpp"

#include <algorithm>
#include <string>

#include "corpora/document/field_table.hpp"
#include "corpora/document/utf8.hpp"
#include "corpora/json/scanner.hpp"
#include "corpora/records/borders.hpp"
#include "corpora/records/media_kind.hpp"
#include "corpora/records/text.hpp"
#include "corpora/tar/header.hpp"
#include "corpora/unpack/gzip_start.hpp"
#include "corpora/unpack/zstd_codec.hpp"
#include "corpora/warc/start.hpp"

namespace spillway {

namespace {

// Whether the first line is a JSON object, or, if the head ends inside that line, the start of one.
bool starts_with_json(std::string_view head, bool is_whole) {
  if (head.starts_with(kByteOrderMark)) head.remove_prefix(kByteOrderMark.size());
  const std::size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || head[begin] != '{') return false;
  const std::size_t newline = head.find('\n', begin);
  const bool is_line_whole = is_whole || newline != std::string_view::npos;
  const FieldTable no_fields(FieldNames{{}, {}, {}, {}, {}});
  JsonScanner scanner(no_fields);
  if (!scanner.feed(head.substr(begin, newline - begin))) return false;
  return !is_line_whole || scanner.finish();
}

bool starts_with_doc_tag(std::string_view head) {
  if (head.starts_with(kByteOrderMark)) head.remove_prefix(kByteOrderMark.size());
  const std::size_t begin = std::min(head.find_first_not_of(" \t\r\n"), head.size());
  return RecordBorders(CorpusFormat::kTrec).find(head.substr(begin), 0) == 0;
}

// ARC files begin with a record about the file.
bool starts_with_record(std::string_view head) {
  head.remove_prefix(std::min(head.find_first_not_of("\r\n"), head.size()));
  if (head.starts_with(kWarcMagic)) return is_record_start(WarcKind::kWarc, head);
  return head.starts_with("filedesc:") && is_record_start(WarcKind::kArc, head);
}

}  // namespace

Compression sniff_compression(std::string_view head, CorpusFormat format) {
  const bool may_be_wacz = format == CorpusFormat::kAuto || format == CorpusFormat::kWarc;
  if (is_gzip_start(head)) return Compression::kGzip;
  if (is_zstd_start(head)) return Compression::kZstd;
  if (may_be_wacz && head.starts_with(kZipMagic)) return Compression::kZip;
  return Compression::kNone;
}

std::optional<Compression> compression_of_crawl(std::string_view path) {
  std::string name(path.substr(path.rfind('/') + 1));
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  if (name.ends_with(".wacz")) return Compression::kZip;
  const bool is_gzip = name.ends_with(".gz"), is_zstd = name.ends_with(".zst");
  if (is_gzip || is_zstd) name.resize(name.rfind('.'));
  for (const std::string_view end : {".warc", ".arc", ".warc.wet", ".warc.wat"}) {
    if (!name.ends_with(end)) continue;
    return is_gzip ? Compression::kGzip : is_zstd ? Compression::kZstd : Compression::kNone;
  }
  return std::nullopt;
}

std::optional<CorpusFormat> sniff_format(std::string_view head, bool is_whole) {
  const std::string_view start = head.substr(0, kFormatSniffBytes);
  if (is_tar_start(start)) return CorpusFormat::kTar;
  if (starts_with_json(start, is_whole && start.size() == head.size())) return CorpusFormat::kJsonl;
  if (starts_with_doc_tag(start)) return CorpusFormat::kTrec;
  if (starts_with_record(head)) return CorpusFormat::kWarc;
  if (starts_like_page(start)) return CorpusFormat::kHtml;
  if (looks_binary(head.substr(0, kBinarySniffBytes))) return std::nullopt;
  return CorpusFormat::kText;
}

}  // namespace spillway
