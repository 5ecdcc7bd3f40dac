#include "sort/lines/gpu/sample.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <span>
#include <string_view>

#include "io/base/bytes.hpp"
#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr std::size_t kMostPlaces = 128, kLinesOfPlace = 4, kBytesOfPlace = 4096;

// The measured limits between the two sorters (docs/sorters.md, one H200). gpu-string-merge has 1.2 times the rate of
// gpu-string-radix on a million equal strings of 100 bytes, and 1.3 times on sentences of 70 bytes, which 9 bytes tell
// apart in a sample of 512. It is as fast on random strings of 100 bytes (2 bytes), and slower on paths (66 and 29
// bytes), addresses (30 and 16), words (11 and 4), and the letter A repeated 1 to 100 times (a fifth is distinct).
constexpr std::size_t kLeastLines = 64;
constexpr double kEqualShare = 1.0 / 64, kLeastEqualBytes = 32;
constexpr double kLongLine = 48, kLeastTold = 6, kMostTold = 20, kDistinctShare = 0.95;

// Appends the first lines that begin after `offset` to `lines`; at the begin of the file, its first lines.
void take_lines(const ReadableFile& file, std::uint64_t offset, char line_end, std::vector<std::string>& lines) {
  std::array<std::uint8_t, kBytesOfPlace> bytes;
  const std::size_t read = file.read_at(offset, bytes);
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), read);
  if (offset != 0) text.remove_prefix(std::min(text.find(line_end), text.size() - 1) + 1);
  for (std::size_t i = 0; i != kLinesOfPlace && !text.empty(); ++i) {
    const std::size_t end = text.find(line_end);
    if (end == text.npos && i != 0 && read == bytes.size()) return;  // cut, and there are whole ones
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
}

std::string describe(const LineSample& sample) {
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(),
                "%zu sampled lines have %.1f bytes, %.1f bytes tell one from the others, and %.0f %% are distinct",
                sample.lines, sample.mean_bytes, sample.distinguishing_bytes, 100 * sample.distinct_share);
  return text.data();
}

LineSample measure(std::vector<std::string>& lines) {
  std::ranges::sort(lines);
  LineSample sample;
  sample.lines = lines.size();
  const auto share = 1 / static_cast<double>(std::max<std::size_t>(lines.size(), 1));
  const auto shared = [&](std::size_t i) {
    return i == 0 || i == lines.size() ? 0 : shared_bytes(lines[i - 1], lines[i]);
  };
  for (std::size_t i = 0; i != lines.size(); ++i) {
    sample.mean_bytes += static_cast<double>(lines[i].size()) * share;
    const std::size_t told = std::min(std::max(shared(i), shared(i + 1)) + 1, lines[i].size());
    sample.distinguishing_bytes += static_cast<double>(told) * share;
    if (i == 0 || lines[i] != lines[i - 1]) sample.distinct_share += share;
  }
  return sample;
}

}  // namespace

LineSample sample_lines(FileSystem& files, const std::vector<std::string>& paths, char line_end) {
  std::vector<std::string> lines;
  std::uint64_t bytes = 0, before = 0;
  try {
    for (const std::string& path : paths) bytes += files.status(path).value_or(FileStatus{}).size;
    // Places of small files do not overlap.
    const std::size_t places = std::clamp<std::uint64_t>(bytes / kBytesOfPlace, 1, kMostPlaces);
    const auto place_at = [&](std::size_t i) { return bytes / places * i + bytes % places * i / places; };
    std::size_t place = 0;
    for (const std::string& path : paths) {
      if (place == places) break;
      const std::uint64_t size = files.status(path).value_or(FileStatus{}).size;
      if (size != 0 && place_at(place) < before + size) {
        const std::unique_ptr<ReadableFile> file = files.open(path);
        for (; place != places && place_at(place) < before + size; ++place) {
          take_lines(*file, place_at(place) - before, line_end, lines);
        }
      }
      before += size;
    }
  } catch (const IoError&) {
    // The sort reads the file again, and reports the error.
  }
  return measure(lines);
}

SorterChoice choose_line_gpu_sorter(const LineSample& sample) {
  const std::string radix = "gpu-string-radix", merge = "gpu-string-merge";
  if (sample.lines == 0) return {radix, "the fastest on most sets of strings, and no lines were sampled"};
  const std::string stats = describe(sample);
  if (sample.lines < kLeastLines) return {radix, stats + ": too few to choose another sorter by"};
  if (sample.distinct_share <= kEqualShare && sample.mean_bytes >= kLeastEqualBytes) {
    return {merge, stats + ": it finishes equal lines in the fewest rounds"};
  }
  const bool is_told_late = sample.distinguishing_bytes >= kLeastTold && sample.distinguishing_bytes <= kMostTold;
  if (sample.mean_bytes >= kLongLine && is_told_late && sample.distinct_share >= kDistinctShare) {
    return {merge, stats + ": it compares long lines that begin alike in the fewest rounds"};
  }
  return {radix, stats + ": it is the fastest on such lines"};
}

}  // namespace spillway
