#include "tools/query_file.hpp"

#include "io/error.hpp"

namespace spillway {

namespace {
constexpr std::size_t kLineBytes = std::size_t{1} << 20;
constexpr std::size_t kReadBytes = std::size_t{64} << 10;
}  // namespace

QueryFile::QueryFile(FileSystem& files, const std::string& path, std::function<void()> wait_check)
    : path_(path == "-" ? "standard input" : printable(path, 4096)), stream_(files.open_stream(path)) {
  stream_->set_wait_check(std::move(wait_check));
}

std::optional<std::string> QueryFile::next_line() {
  std::size_t searched = at_;
  while (true) {
    const std::size_t end = pending_.find('\n', searched);
    if (end != std::string::npos) {
      std::string line = pending_.substr(at_, end - at_);
      at_ = end + 1;
      return line;
    }
    if (pending_.size() - at_ > kLineBytes) {
      throw UsageError(path_ + ", line " + std::to_string(line_number_ + 1) + ": longer than 1 MiB");
    }
    pending_.erase(0, at_);
    at_ = 0;
    searched = pending_.size();
    pending_.resize(searched + kReadBytes);
    const auto room = reinterpret_cast<std::uint8_t*>(pending_.data()) + searched;
    const std::size_t got = stream_->read({room, kReadBytes});
    pending_.resize(searched + got);
    if (got > 0) continue;
    if (pending_.empty()) return std::nullopt;
    at_ = pending_.size();
    return pending_;
  }
}

std::optional<QueryLine> QueryFile::next() {
  std::optional<std::string> line = next_line();
  if (!line) return std::nullopt;
  ++line_number_;
  if (line->ends_with('\r')) line->pop_back();
  const std::size_t tab = line->find('\t');
  if (tab == std::string::npos || tab == 0) {
    throw UsageError(path_ + ", line " + std::to_string(line_number_) + ": expected id<TAB>query, found '" +
                     printable(*line, 60) + "'");
  }
  return QueryLine{line->substr(0, tab), line->substr(tab + 1)};
}

}  // namespace spillway
