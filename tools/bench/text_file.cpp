#include "tools/bench/text_file.hpp"

#include "corpora/synthetic/generate_text.hpp"
#include "io/file/job_files.hpp"
#include "tools/cli/signals.hpp"

namespace spillway {

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

}  // namespace spillway
