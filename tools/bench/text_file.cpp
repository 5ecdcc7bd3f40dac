#include "tools/bench/text_file.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "corpora/synthetic/generate_text.hpp"
#include "io/scratch/job_files.hpp"
#include "tools/cli/signals.hpp"

namespace spillway {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

// Returns where the last line that ends within `bytes` ends, or the first one if it is longer.
std::uint64_t end_of_lines(const ReadableFile& file, std::uint64_t bytes) {
  if (file.size() <= bytes) return file.size();
  std::vector<std::uint8_t> piece(kPieceBytes);
  for (std::uint64_t end = bytes; end > 0;) {
    const std::size_t size = std::min<std::uint64_t>(end, kPieceBytes);
    end -= size;
    file.read_exactly(end, std::span(piece).first(size));
    const auto found = std::find(piece.rend() - static_cast<std::ptrdiff_t>(size), piece.rend(), '\n');
    if (found != piece.rend()) return end + static_cast<std::uint64_t>(piece.rend() - found);
  }
  for (std::uint64_t begin = bytes; const std::size_t size = file.read_at(begin, piece); begin += size) {
    const auto end = piece.begin() + static_cast<std::ptrdiff_t>(size), found = std::find(piece.begin(), end, '\n');
    if (found != end) return begin + static_cast<std::uint64_t>(found - piece.begin()) + 1;
  }
  return file.size();
}

}  // namespace

std::string text_path_in(const std::string& scratch) { return scratch + "/" + kScratchFilePrefix + "text.jsonl"; }

void write_text_file(Session& session, const std::string& path, const TextFile& text) {
  GenerateTextOptions options;
  options.total_bytes = text.bytes;
  options.mean_words = text.mean_words;
  options.threads = text.threads;
  const auto file = session.files.create(path);
  generate_text(options, [&](std::string_view fragment) {
    throw_if_interrupted(session.signal_number);
    file->append({reinterpret_cast<const std::uint8_t*>(fragment.data()), fragment.size()});
  });
  file->close();
}

std::uint64_t write_first_lines(Session& session, const std::string& source, std::uint64_t bytes,
                                const std::string& path) {
  const auto from = session.files.open(source);
  const auto to = session.files.create(path);
  const std::uint64_t end = end_of_lines(*from, bytes);
  std::vector<std::uint8_t> piece(kPieceBytes);
  for (std::uint64_t begin = 0; begin < end; begin += piece.size()) {
    throw_if_interrupted(session.signal_number);
    piece.resize(std::min<std::uint64_t>(end - begin, kPieceBytes));
    from->read_exactly(begin, piece);
    to->append(piece);
  }
  to->close();
  return end;
}

}  // namespace spillway
