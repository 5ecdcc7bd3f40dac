// What `spillway sort` tells about its work: --progress on standard error, and the report of --json.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "io/base/stopwatch.hpp"
#include "sort/lines/block/input.hpp"
#include "sort/lines/block/output.hpp"
#include "sort/lines/resources.hpp"
#include "tools/cli/output_file.hpp"
#include "tools/commands/sort/options/options.hpp"
#include "tools/report/progress.hpp"

namespace spillway {

// Options and session outlive it.
class SortReport {
 public:
  // Throws UsageError, or SortError, for a report file that cannot be written, or is an input or the output.
  SortReport(const SortOptions& options, Session& session);

  // For progress: inputs are read as they stand in their files, so their sizes tell how much there is to read.
  void expect_sizes();
  // A check for interruptions, which notes how much of `input` is read. The input outlives its reads.
  std::function<void()> check_of(const LineInput*& input);
  void take(const LineSortSummary& summary);
  void note_resources(std::size_t memory_bytes, std::size_t threads);
  // Of the sorted lines, for progress; and of the whole output, which may be shorter or packed.
  void note_written(std::uint64_t bytes) { progress_.postings_done += bytes; }
  void note_output(std::uint64_t bytes) { output_bytes_ = bytes; }
  // About how much the output takes, once all input is read; nothing where that is not known before it is written.
  std::optional<std::uint64_t> expected_output_bytes() const;
  // The size of all inputs, if it is known.
  std::optional<std::uint64_t> expected_input_bytes() const;
  // Returns how many bytes were written to scratch files.
  std::uint64_t scratch_bytes() const { return summary_.spilled_bytes; }

  // Prints a line above the progress line.
  void say(const std::string& line) { display_.say(line); }
  // After the output is complete. Throws SortError if the report cannot be written.
  void finish();
  // After the sort failed: prints an error of writing the report.
  void finish_failed(const std::exception& error);

 private:
  nlohmann::ordered_json json(int exit_code, const std::string& error) const;
  void write(int exit_code, const std::string& error);

  const SortOptions& options_;
  Session& session_;
  std::optional<OutputFile> file_;
  IndexProgress progress_;
  LineSortSummary summary_;
  std::size_t memory_bytes_ = 0, threads_ = 0;
  std::uint64_t output_bytes_ = 0;
  Stopwatch watch_;
  ProgressDisplay display_;
};

// Counts what goes to an output.
class CountedOutput final : public LineOutput {
 public:
  CountedOutput(SortReport& report, LineOutput& output) : report_(report), output_(output) {}
  bool has_places() const override { return output_.has_places(); }
  bool is_full() const override { return output_.is_full(); }
  void expect_all(std::uint64_t bytes) override { output_.expect_all(bytes); }
  bool expect(std::uint64_t offset, std::size_t bytes) override { return output_.expect(offset, bytes); }
  void write(std::span<const std::uint8_t> bytes) override {
    output_.write(bytes);
    report_.note_written(bytes.size());
  }
  void write_at(std::uint64_t offset, std::span<const std::uint8_t> bytes) override {
    output_.write_at(offset, bytes);
    report_.note_written(bytes.size());
  }

 private:
  SortReport& report_;
  LineOutput& output_;
};

}  // namespace spillway
