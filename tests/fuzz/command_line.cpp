// Command lines: the words of every command, and the options and inputs of `index`, are taken or refused with an error
// of the program.
#include "corpora/reader/input_list.hpp"
#include "io/base/error.hpp"
#include "tests/fuzz/support/target.hpp"
#include "tests/support/faulty_file_system.hpp"
#include "tools/commands/commands.hpp"
#include "tools/options/index.hpp"

using namespace spillway;

namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

void check_index_options(const Arguments& arguments, FileSystem& files) {
  const IndexOptions options = index_options(arguments, files);
  EXPECT_FALSE(options.output.empty());
  EXPECT_EQ(ContentOptions::parse(options.content.serialize(), "options"), options.content);
  EXPECT_GE(options.content.max_term_bytes, 1u);
  EXPECT_TRUE(options.max_error_rate >= 0 && options.max_error_rate <= 1);
  EXPECT_LE(options.corpus.part_number, options.corpus.part_count);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<Command> kCommands = all_commands();
  const fuzz::Input input(data, size);
  const Command& command = kCommands[input.options % kCommands.size()];
  spillway::testing::FaultyFileSystem files;
  files.put("/job/stop", "the\nof\n");
  files.put("/job/a", "text");
  files.put("/job/b", "text");
  files.put("/job/list", input.text);
  try {
    const Arguments arguments = parse_arguments(command, words_of(input.text));
    const bool only_tells = arguments.has("help") || arguments.has("version");
    if (command.name == "index" && !only_tells) check_index_options(arguments, files);
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string_view(error.what()).find('\x1B'), std::string_view::npos);
  } catch (const Error&) {
  }
  try {
    const auto check_input = [&](const CorpusFile& file) {
      EXPECT_EQ(file.path.find('\n'), std::string::npos);
      EXPECT_TRUE(files.status(file.path));
    };
    list_inputs(files, {"@/job/list"}, {.check = {}, .names_bytes = 1 << 20, .visit = check_input});
  } catch (const Error&) {
  }
  return 0;
}
