#include "indexer/job/id_list.hpp"

#include <algorithm>

#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr std::size_t kStepBytes = std::size_t{64} << 10;
constexpr std::size_t kMostIdBytes = 65535;

}  // namespace

IdList::IdList(FileSystem& files, const std::string& path, MemoryBudget& budget, std::function<void()> wait_check) {
  read(files, path, budget, std::move(wait_check));
  const auto ends = static_cast<std::size_t>(std::count(text_.begin(), text_.end(), '\n'));
  line_memory_ = budget.reserve((ends + 1) * sizeof(Line), "the lines of the ids to drop");
  lines_.reserve(ends + 1);
  find_lines(path);
  std::sort(lines_.begin(), lines_.end(), [this](const Line& a, const Line& b) { return view(a) < view(b); });
  const auto same = [this](const Line& a, const Line& b) { return view(a) == view(b); };
  lines_.erase(std::unique(lines_.begin(), lines_.end(), same), lines_.end());
}

// The text doubles its capacity as it grows; the old and the new buffer are both reserved while it moves.
void IdList::read(FileSystem& files, const std::string& path, MemoryBudget& budget, std::function<void()> wait_check) {
  const auto stream = files.open_stream(path);
  stream->set_wait_check(std::move(wait_check));
  while (true) {
    if (text_.capacity() - text_.size() < kStepBytes) {
      const std::size_t wanted = 2 * text_.capacity() + kStepBytes;
      Reservation grown = budget.reserve(wanted, "the ids to drop");
      text_.reserve(wanted);
      text_memory_ = std::move(grown);
    }
    const std::size_t before = text_.size();
    text_.resize(before + kStepBytes);
    const std::size_t got = stream->read({reinterpret_cast<std::uint8_t*>(text_.data()) + before, kStepBytes});
    text_.resize(before + got);
    if (got == 0) return;
  }
}

void IdList::find_lines(const std::string& path) {
  for (std::size_t begin = 0; begin < text_.size();) {
    const std::size_t feed = std::min(text_.find('\n', begin), text_.size());
    const std::size_t end = feed > begin && text_[feed - 1] == '\r' ? feed - 1 : feed;
    if (end - begin > kMostIdBytes) {
      throw UsageError(printable(path, 4096) + ": offset " + std::to_string(begin) +
                       ": expected an id of at most 65535 bytes a line, found " + std::to_string(end - begin) +
                       ": name a file with one id a line");
    }
    if (end != begin) lines_.push_back({begin, static_cast<std::uint32_t>(end - begin), false});
    begin = feed + 1;
  }
}

bool IdList::take(std::string_view id) {
  const auto found = std::lower_bound(lines_.begin(), lines_.end(), id,
                                      [this](const Line& line, std::string_view key) { return view(line) < key; });
  if (found == lines_.end() || view(*found) != id) return false;
  found->taken = true;
  return true;
}

std::uint64_t IdList::unknown_count() const {
  return static_cast<std::uint64_t>(
      std::count_if(lines_.begin(), lines_.end(), [](const Line& line) { return !line.taken; }));
}

std::vector<std::string> IdList::unknown_examples() const {
  std::vector<std::string> examples;
  for (const Line& line : lines_) {
    if (!line.taken && examples.size() < kExamples) examples.emplace_back(view(line));
  }
  return examples;
}

}  // namespace spillway
