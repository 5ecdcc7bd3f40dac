// A fixture of indexes that grow and shrink in place.
#pragma once

#include <filesystem>
#include <string>

#include "tests/end_to_end/merge_parts.hpp"
#include "tests/support/run_program.hpp"

namespace spillway::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr const char* kSmallMemory = "1G";
#else
inline constexpr const char* kSmallMemory = "96M";  // so little that runs are spilled
#endif

class Growing : public MergeParts {
 protected:
  // Copies an index to another name.
  std::string copy(const std::string& index, const std::string& name) {
    std::filesystem::remove_all(scratch_ / name);
    std::filesystem::copy(index, scratch_ / name);
    return scratch_ / name;
  }
  // Appends documents in the form of a file, in small blocks.
  IndexReport append(const std::string& index, const std::string& content, const ContentOptions& options,
                     KnownIds known = KnownIds::kRefuse, CorpusFormat format = CorpusFormat::kJsonl) {
    write_bytes(scratch_ / "appended.in", content);
    IndexOptions job = index_job({scratch_ / "appended.in"}, index);
    job.content = options;
    job.corpus.format = format;
    job.block_bytes = 3000;
    job.append = known;
    job.force = true;
    return run_job(job);
  }
  static ProgramResult expect_done(const std::vector<std::string>& words, const ProgramSetting& setting = {}) {
    const ProgramResult result = run_spillway(words, setting);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result;
  }
  // The job ends with the code, and with a message that has the parts; the index and its neighbours stay.
  void expect_refused(const std::vector<std::string>& words, int code, const std::vector<std::string>& parts,
                      const ProgramSetting& setting = {}) {
    const auto before = bytes_of(words[1]);
    const ProgramResult result = run_spillway(words, setting);
    EXPECT_EQ(result.exit_code, code) << result.err;
    for (const std::string& part : parts) EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    EXPECT_TRUE(same_index(before, words[1]));
    EXPECT_FALSE(std::filesystem::exists(words[1] + ".work"));
  }
  nlohmann::json report() const { return nlohmann::json::parse(read_bytes(scratch_ / "report.json")); }

  // Documents whose ids are distinct.
  static Documents documents(std::uint64_t seed, std::size_t count) {
    RandomDocuments shape;
    shape.count = count;
    shape.words = 40;
    shape.long_document_words = 500;
    return random_corpus(seed, shape, false);
  }
};

inline Documents part_of(const Documents& documents, std::size_t first, std::size_t end) {
  return {documents.begin() + static_cast<std::ptrdiff_t>(first), documents.begin() + static_cast<std::ptrdiff_t>(end)};
}

}  // namespace spillway::testing
