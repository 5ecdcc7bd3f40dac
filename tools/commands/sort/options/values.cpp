#include "tools/commands/sort/options/values.hpp"

#include <sys/resource.h>

#include <cctype>
#include <cerrno>
#include <cinttypes>
#include <limits>
#include <string_view>

#include "io/memory/limits.hpp"
#include "tools/commands/sort/options/message.hpp"

namespace spillway {

namespace {

constexpr std::string_view kSizeUnits = "KMGTPEZY";

// Choices of options, and the short options that they stand for, or letters of their own.
struct Word {
  const char* name;
  char option;
};
constexpr Word kSortWords[] = {{"general-numeric", 'g'}, {"human-numeric", 'h'}, {"month", 'M'},
                               {"numeric", 'n'},         {"random", 'R'},        {"version", 'V'}};
constexpr Word kCheckWords[] = {{"quiet", 'C'}, {"silent", 'C'}, {"diagnose-first", 'c'}};

constexpr Word kPackingWords[] = {{"gzip", 'g'}, {"none", 'n'}, {"zstd", 'z'}};
constexpr Word kUnpackWords[] = {{"auto", 'a'}, {"never", 'n'}};

// Throws SortError, or another one that is named.
template <typename Refusal = SortError, std::size_t count>
char find_word(const char* option, const std::string& text, const Word (&words)[count]) {
  std::string options;  // of the words that begin with `text`
  for (const Word& word : words) {
    if (text == word.name) return word.option;
    if (std::string_view(word.name).starts_with(text) && options.find(word.option) == std::string::npos) {
      options += word.option;
    }
  }
  if (options.size() == 1) return options.front();
  std::string message = (options.empty() ? "invalid argument " : "ambiguous argument ") + quote(text) + " for " +
                        quote(option) + "\nValid arguments are:";
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_same = i != 0 && words[i].option == words[i - 1].option;
    message += (is_same ? ", " : "\n  - ") + quote(words[i].name);
  }
  throw Refusal(message, true);
}

struct Number {
  std::uint64_t value = 0;
  const char* rest = nullptr;
  bool is_valid = false, overflows = false;
};

Number parse_number(const char* text) {
  Number number;
  const char* at = text;
  while (std::isspace(static_cast<unsigned char>(*at)) != 0) ++at;
  if (*at == '-') return number;
  char* rest = nullptr;
  errno = 0;
  number.value = std::strtoumax(text, &rest, 10);
  number.overflows = errno == ERANGE;
  number.rest = rest;
  number.is_valid = rest != text;
  return number;
}

[[noreturn]] void refuse_number(const std::string& option, const char* text, const Number& number) {
  if (!number.is_valid) throw SortError("invalid " + option + " argument " + quote(text));
  if (*number.rest != '\0') throw SortError("invalid suffix in " + option + " argument " + quote(text));
  throw SortError(option + " argument " + quote(text) + " too large");
}

}  // namespace

std::uint64_t parse_buffer_size(const std::string& option, const char* text) {
  Number number = parse_number(text);
  if (!number.is_valid) refuse_number(option, text, number);
  const auto times = [&](std::uint64_t factor) {
    if (number.value > std::numeric_limits<std::uint64_t>::max() / factor) number.overflows = true;
    number.value *= factor;
  };
  char unit = *number.rest;
  if (unit != '\0' && number.rest[1] != '\0') refuse_number(option, text, number);
  if (unit == '\0') unit = 'K';
  if (unit == 'k' || unit == 'm' || unit == 'g' || unit == 't') {
    unit = static_cast<char>(std::toupper(static_cast<unsigned char>(unit)));
  }
  const std::size_t power = kSizeUnits.find(unit);
  if (unit == '%') {
    const double bytes = static_cast<double>(memory_limits().ram_bytes) * static_cast<double>(number.value) / 100;
    if (bytes >= 0x1p64) number.overflows = true;
    if (!number.overflows) number.value = static_cast<std::uint64_t>(bytes);
  } else if (power != std::string_view::npos) {
    for (std::size_t i = 0; i <= power; ++i) times(1024);
  } else if (unit != 'b') {
    refuse_number(option, text, number);
  }
  if (!number.overflows) return number.value;
  throw SortError(option + " argument " + quote(text) + " too large");
}

std::size_t parse_batch_size(const char* text) {
  const Number number = parse_number(text);
  if (!number.is_valid || *number.rest != '\0') refuse_number("--batch-size", text, number);
  rlimit limit{};
  const std::uint64_t most = getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur - 3 : 20;
  const auto option = [](const std::string& before) { return before + " --batch-size argument "; };
  if (!number.overflows && number.value < 2) {
    throw SortError("invalid --batch-size argument " + quote(text) + "\n" + option("minimum") + "is '2'");
  }
  if (number.overflows || number.value > most) {
    throw SortError("--batch-size argument " + quote(text) + " too large\n" + option("maximum") +
                    "with current rlimit is " + std::to_string(most));
  }
  return number.value;
}

std::size_t parse_thread_count(const char* text) {
  const Number number = parse_number(text);
  if (!number.is_valid || *number.rest != '\0') refuse_number("--parallel", text, number);
  if (number.value == 0) throw SortError("number in parallel must be nonzero");
  return number.overflows ? std::numeric_limits<std::size_t>::max() : number.value;
}

std::uint64_t parse_count(const std::string& option, const char* text) {
  const Number number = parse_number(text);
  if (!number.is_valid || *number.rest != '\0') refuse_number(option, text, number);
  return number.overflows ? std::numeric_limits<std::uint64_t>::max() : number.value;
}

char parse_separator(const std::string& text) {
  if (text.empty()) throw SortError("empty tab");
  if (text.size() == 1) return text.front();
  if (text == "\\0") return '\0';
  throw SortError("multi-character tab " + quote(text));
}

char parse_sort_word(const std::string& text) { return find_word<SortWordError>("--sort", text, kSortWords); }

char parse_check_word(const std::string& text) { return find_word<SortWordError>("--check", text, kCheckWords); }

SortPacking parse_output_packing(const std::string& text) {
  const char word = find_word("--output-compress", text, kPackingWords);
  return word == 'n' ? SortPacking::kNone : word == 'g' ? SortPacking::kGzip : SortPacking::kZstd;
}

bool parse_unpack_word(const std::string& text) { return find_word("--unpack", text, kUnpackWords) == 'a'; }

}  // namespace spillway
