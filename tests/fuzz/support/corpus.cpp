#include "tests/fuzz/support/corpus.hpp"

#include "tests/support/faulty_file_system.hpp"

namespace spillway::fuzz {

namespace {

using testing::ReadResult;

ReadResult read(std::string_view bytes, const testing::ReadSetup& setup) {
  testing::FaultyFileSystem files;
  files.put("/job/input", bytes);
  TempSpace temp(files, {"/job"}, "temp", 0);
  return testing::read_corpus({"/job/input"}, setup, {files, temp});
}

}  // namespace

ReadResult read_in_all_ways(std::string_view bytes, CorpusFormat format, std::uint64_t max_document_bytes) {
  const auto setup = [&](std::size_t buffer_bytes, std::size_t task_bytes) {
    testing::ReadSetup result = testing::setup_of(format, buffer_bytes, 1, task_bytes);
    result.options.max_document_bytes = max_document_bytes;
    return result;
  };
  ReadResult whole = read(bytes, setup(std::size_t{64} << 10, std::size_t{1} << 20));
  testing::expect_same_documents(read(bytes, setup(64, 1)), whole);
  testing::expect_same_documents(read(bytes, setup(100, 7)), whole);
  return whole;
}

std::uint64_t document_limit(std::uint8_t options) { return options % 4 == 0 ? std::uint64_t{64} << 20 : options; }

std::string_view without_mark(std::string_view bytes) {
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  return bytes;
}

std::vector<std::string_view> lines_of(std::string_view bytes) {
  std::vector<std::string_view> lines;
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    std::string_view line = bytes.substr(0, newline);
    bytes.remove_prefix(newline == std::string_view::npos ? bytes.size() : newline + 1);
    if (newline != std::string_view::npos && line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
  }
  return lines;
}

}  // namespace spillway::fuzz
