// Reads queries from a file of lines "id<TAB>text".
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "io/file_system.hpp"

namespace spillway {

struct QueryLine {
  std::string id, text;
};

class QueryFile {
 public:
  // "-" is standard input. wait_check is called while a read waits; it may throw.
  QueryFile(FileSystem& files, const std::string& path, std::function<void()> wait_check = {});

  // The next query; nothing at the end. A carriage return before the line feed is dropped. Throws UsageError naming
  // file and line for a line without a tab or an id, and for one above 1 MiB.
  std::optional<QueryLine> next();

 private:
  std::optional<std::string> next_line();
  std::string path_;
  std::unique_ptr<ByteStream> stream_;
  std::string pending_;
  std::size_t at_ = 0;  // of the first byte of pending_ that was not handed out
  std::uint64_t line_number_ = 0;
};

}  // namespace spillway
