// Reads queries from a file: lines id<TAB>text, TREC topics, JSON lines, or plain lines.
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

// kAuto chooses by the first line that is not blank: JSON if it begins with {, id<TAB>text if it has a tab, topics if
// it begins with <, plain lines otherwise.
enum class QueryFormat { kAuto, kTsv, kTrec, kJsonl, kLines };

class QueryFile {
 public:
  struct Options {
    QueryFormat format = QueryFormat::kAuto;
    TopicField topic_field = TopicField::kTitle;
  };

  // "-" is standard input. Calls `wait_check` while a read waits; it may throw.
  QueryFile(FileSystem& files, const std::string& path, Options options, std::function<void()> wait_check = {});

  // The next query, or nothing at the end. The id of a plain line is its number; blank lines are skipped. Throws
  // UsageError naming file and line for what the format does not allow, and for a line or topic longer than 1 MiB.
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
  bool is_recognised_ = false;  // the format was chosen by the first line
  bool found_topic_ = false;
  std::unique_ptr<ByteStream> stream_;
  std::string pending_;
  std::size_t at_ = 0;            // first byte of pending_ that was not returned yet
  std::deque<std::string> held_;  // lines read to recognise the format
  std::uint64_t line_number_ = 0;
};

}  // namespace spillway
