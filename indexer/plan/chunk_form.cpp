#include "indexer/plan/chunk_form.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "io/base/error.hpp"
#include "sort/gpu_plan.hpp"

namespace spillway {

namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;
// Larger blocks gain nothing; in smaller ones launches are most of a block pass.
constexpr std::size_t kMostBlockBytes = 1024 * kMebibyte, kLeastBlockBytes = 32 * kMebibyte;
constexpr std::uint64_t kUnknownBytes = std::uint64_t{16} << 30;

// Returns how many terms a run of a block is expected to have.
double terms_of(double block_bytes) { return expected_terms(block_bytes / kTextBytesPerToken); }

// Returns the cost of a byte of text if a block holds `block_bytes` of text.
double seconds_per_byte(double parse_second_per_byte, double block_bytes, const ChunkFormCosts& costs) {
  return parse_second_per_byte +
         (costs.pass_second + terms_of(block_bytes) * costs.merge_second_per_term) / std::max(1.0, block_bytes);
}

std::string rounded(double value, const char* format) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string mebibytes(double bytes) { return rounded(bytes / static_cast<double>(kMebibyte), "%.1f MiB"); }
std::string gigabytes_per_second(double second_per_byte) { return rounded(1e-9 / second_per_byte, "%.2f GB/s"); }

// Returns why chunks cannot go to a GPU as tokens; empty if they can.
std::string obstacle(const ChunkFormInput& input) {
  if (input.record_sorter == "auto") return "";
  return "--record-sorter " + printable(input.record_sorter) + " sorts the occurrences of tables";
}

}  // namespace

std::string_view chunk_form_name(ChunkForm form) {
  return form == ChunkForm::kPostings ? "postings" : form == ChunkForm::kTables ? "tables" : "tokens";
}

std::string ChunkFormChoice::describe() const { return std::string(chunk_form_name(form)) + " (" + reason + ")"; }

ChunkFormChoice choose_chunk_form(const ChunkFormInput& input, const ChunkFormCosts& costs) {
  const std::string why_not = obstacle(input);
  if (input.asked == GpuChunks::kTables) return {ChunkForm::kTables, "as --gpu-chunks says"};
  if (input.asked == GpuChunks::kTokens) {
    if (why_not.empty()) return {ChunkForm::kTokens, "as --gpu-chunks says"};
    throw UsageError("--gpu-chunks tokens: " + why_not +
                     ", and tokens take none: gpu-radix sorts their keys. Leave out one of the two options");
  }
  if (!why_not.empty()) return {ChunkForm::kTables, why_not};
  const auto most_text = [&](double device_bytes) {
    return std::min(static_cast<double>(kMostBlockBytes),
                    static_cast<double>(input.pass_bytes) / std::max(device_bytes, 1e-9));
  };
  const double table_block = most_text(input.table_device_bytes), token_block = most_text(input.token_device_bytes);
  const double tables = seconds_per_byte(costs.table_second_per_byte, table_block, costs);
  const double tokens = seconds_per_byte(costs.token_second_per_byte, token_block, costs);
  const std::string stats = "a block pass has device memory for " + mebibytes(token_block) + " of text as tokens, " +
                            mebibytes(table_block) + " with tables: about " + gigabytes_per_second(tokens) + " and " +
                            gigabytes_per_second(tables) + " with 16 threads";
  return {tokens < tables ? ChunkForm::kTokens : ChunkForm::kTables, stats};
}

// A job with blocks of b bytes costs exposed * b for the last block, and a pass and a merge for each of total / b runs.
// Takes the power of 2 with the least cost.
std::size_t token_block_bytes(std::size_t most_bytes, std::uint64_t total_bytes, unsigned threads,
                              const ChunkFormCosts& costs) {
  const double second_per_term = costs.gpu_merge_thread_second_per_term / threads;
  const double total = static_cast<double>(total_bytes == 0 ? kUnknownBytes : total_bytes);
  const auto seconds = [&](std::size_t bytes) {
    const auto block = static_cast<double>(bytes);
    return costs.exposed_second_per_byte * std::min(block, total) +
           std::max(1.0, total / block) * (costs.pass_second + terms_of(block) * second_per_term);
  };
  std::size_t best = kLeastBlockBytes;
  for (std::size_t bytes = best; bytes <= kMostBlockBytes; bytes *= 2) {
    if (seconds(bytes) < seconds(best)) best = bytes;
  }
  return std::min(best, most_bytes);
}

}  // namespace spillway
