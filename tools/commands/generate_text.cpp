// `spillway corpus generate text`: documents of random words.
#include "corpora/synthetic/generate_text.hpp"
#include "tools/cli/option_values.hpp"
#include "tools/commands/commands.hpp"
#include "tools/options/generate.hpp"

namespace spillway {

namespace {

constexpr std::uint64_t kDefaultBytes = 100'000'000;

GenerateTextOptions generate_options(const Arguments& arguments) {
  GenerateTextOptions result;
  take_count(arguments, "seed", 0, UINT64_MAX, result.seed);
  take_size(arguments, "bytes", result.total_bytes);
  take_count(arguments, "documents", 1, UINT64_MAX, result.documents);
  if (result.total_bytes == 0 && result.documents == 0) result.total_bytes = kDefaultBytes;
  take_choice(arguments, "format", result.format);
  take_count(arguments, "vocabulary", 1, UINT32_MAX, result.vocabulary);
  take_real(arguments, "exponent", 0, 16, result.exponent);
  take_real(arguments, "shift", 0, 1e6, result.shift);
  take_real(arguments, "mean-words", 1, static_cast<double>(kMaxGeneratedWords), result.mean_words);
  take_choice(arguments, "lengths", result.distribution);
  take_real(arguments, "spread", 0, 4, result.spread);
  if (arguments.has("spread") && result.distribution == LengthDistribution::kFixed) {
    throw UsageError("--spread does not apply to --lengths fixed");
  }
  result.threads = generating_threads(arguments);
  return result;
}

ExitCode run_generate_command(const Arguments& arguments, Session& session) {
  const GenerateTextOptions settings = generate_options(arguments);
  write_generated(arguments, session, [&](const auto& write) { generate_text(settings, write); });
  return ExitCode::kDone;
}

}  // namespace

Command generate_text_command() {
  Command command;
  command.name = "corpus generate text";
  command.summary = "generate documents of random words, for tests and benchmarks";
  command.examples = {
      {"spillway corpus generate text --bytes 1G -o synthetic.jsonl", "JSON lines, up to 1 GiB"},
      {"spillway corpus generate text --documents 1000 --format lines --seed 7 > small.txt", "a document per line"},
      {"spillway corpus generate text --bytes 1G --vocabulary 10000000 --exponent 0 -o hard.jsonl",
       "ten million words, all equally frequent"}};
  command.operands = "[OPTIONS]";
  command.notes =
      "\nThe same options give the same bytes on every machine. The word of rank r has a frequency proportional to\n"
      "1 / (r + shift)^exponent (Zipf-Mandelbrot).";
  auto output = option_group("Output"), words = option_group("Words"), lengths = option_group("Documents"),
       resources = option_group("Resources");
  add_generated_output_options(output);
  add_choice(output, "format", "NAME", {"jsonl", "lines"}, "jsonl (default: id, title, text) or lines");
  add_value(output, "bytes", "SIZE", "at most SIZE bytes (default 100MB, unless --documents is given)");
  add_value(output, "documents", "N", "at most N documents");
  add_value(words, "vocabulary", "N", "distinct words (default 1000000)");
  add_value(words, "exponent", "NUMBER", "Zipf's exponent, 0 to 16 (default 1.07; 0: all words equally frequent)");
  add_value(words, "shift", "NUMBER", "Mandelbrot's shift, 0 to 1000000 (default 2.7)");
  add_value(lengths, "mean-words", "NUMBER", "mean number of words in a document (default 300)");
  add_choice(lengths, "lengths", "NAME", {"fixed", "lognormal"}, "lognormal (default) or fixed");
  add_value(lengths, "spread", "NUMBER",
            "standard deviation of the logarithm of lognormal lengths, 0 to 4 (default 0.8)");
  add_generating_threads_option(resources);
  for (const auto& group : {output, words, lengths, resources}) command.groups.push_back(group);
  command.run = run_generate_command;
  return command;
}

}  // namespace spillway
