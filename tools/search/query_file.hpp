// Reads queries from a file: lines id<TAB>text, topics of TREC, JSON lines, or plain lines.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "io/file/file_system.hpp"
#include "tools/search/trec_topics.hpp"

namespace spillway {

struct QueryLine {
  std::string id, text;
};

// kAuto goes by the first line that is not blank: JSON where it begins with {, topics where it begins with < and has no
// tab, id<TAB>text where it has a tab, else plain lines.
enum class QueryFormat { kAuto, kTsv, kTrec, kJsonl, kLines };

class QueryFile {
 public:
  struct Options {
    QueryFormat format = QueryFormat::kAuto;
    TopicField topic_field = TopicField::kTitle;
  };

  // "-" is standard input. wait_check is called while a read waits; it may throw.
  QueryFile(FileSystem& files, const std::string& path, Options options, std::function<void()> wait_check = {});

  // The next query; nothing at the end. Plain lines have their numbers for ids; blank ones are no queries. Throws
  // UsageError naming file and line for what the format does not allow, and for a line or topic above 1 MiB.
  std::optional<QueryLine> next();

 private:
  std::optional<std::string> read_line();
  std::optional<std::string> next_line();
  std::optional<std::string> next_full_line();
  void recognise();
  std::optional<QueryLine> next_tsv();
  std::optional<QueryLine> next_topic();
  std::optional<QueryLine> next_json();
  std::optional<QueryLine> next_plain();
  [[noreturn]] void refuse(const std::string& what) const;
  [[noreturn]] void refuse_format(const char* expected, const std::string& found) const;

  std::string path_;
  Options options_;
  bool is_recognised_ = false;  // the format was not given
  bool found_topic_ = false;
  std::unique_ptr<ByteStream> stream_;
  std::string pending_;
  std::size_t at_ = 0;            // of the first byte of pending_ that was not handed out
  std::deque<std::string> held_;  // lines that were read to recognise the format
  std::uint64_t line_number_ = 0;
};

}  // namespace spillway
