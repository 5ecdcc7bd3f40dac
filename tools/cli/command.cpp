#include "tools/cli/command.hpp"

#include <algorithm>
#include <set>
#include <sstream>

namespace spillway {

namespace options = boost::program_options;

namespace {

constexpr unsigned kHelpWidth = 100;
constexpr const char* kOperands = "operands";  // Boost requires a name for operands; it is never shown

// An option name from an exception of Boost, safe for a terminal.
std::string shown(const std::string& option) { return printable(option); }

std::vector<std::string> long_names(const Command& command) {
  std::vector<std::string> names;
  for (const auto& group : command.groups) {
    for (const auto& option : group.options()) names.push_back("--" + option->long_name());
  }
  return names;
}

[[noreturn]] void refuse_unknown(const Command& command, const std::string& given) {
  const std::string option = given.substr(0, given.find('='));
  std::string message = "unknown option " + shown(option);
  if (const auto near = nearest_name(option, long_names(command))) message += "; did you mean " + *near + "?";
  throw UsageError(message + " ('spillway " + command.name + " --help' lists all)");
}

// The value of an option that takes a name.
class ChoiceValue final : public options::typed_value<std::string> {
 public:
  explicit ChoiceValue(const std::vector<std::string>& choices) : typed_value(nullptr), choices_(choices) {}
  const std::vector<std::string>& choices() const { return choices_; }

 private:
  const std::vector<std::string> choices_;
};

// Leaves of each repeated option the last one, unless its values add up.
void keep_last(options::parsed_options& parsed, const options::options_description& all) {
  std::set<std::string> seen;
  std::vector<options::option> kept;
  for (auto option = parsed.options.rbegin(); option != parsed.options.rend(); ++option) {
    const std::string& key = option->string_key;
    const bool adds_up = key == kOperands || all.find(key, false).semantic()->is_composing();
    if (adds_up || seen.insert(key).second) kept.push_back(std::move(*option));
  }
  parsed.options.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

options::variables_map parse_with_boost(const Command& command, const std::vector<std::string>& words) {
  options::options_description all;
  for (const auto& group : command.groups) all.add(group);
  all.add_options()("help,h", "")("version,V", "")(kOperands, options::value<std::vector<std::string>>());
  options::positional_options_description operands;
  operands.add(kOperands, -1);
  using options::command_line_style::style_t;
  const int style = style_t::unix_style & ~style_t::allow_guessing;
  options::variables_map values;
  auto parsed = options::command_line_parser(words).options(all).positional(operands).style(style).run();
  for (const auto& option : parsed.options) {
    if (option.string_key == kOperands && option.position_key < 0) refuse_unknown(command, "--" + option.string_key);
  }
  keep_last(parsed, all);
  options::store(parsed, values);
  return values;
}

// Boost leaves blanks before its line breaks.
std::string without_trailing_blanks(const std::string& text) {
  std::string result;
  for (const char c : text) {
    while (c == '\n' && result.ends_with(' ')) result.pop_back();
    result += c;
  }
  return result;
}

}  // namespace

// Fills the private operands of Arguments.
class CommandParser {
 public:
  static Arguments parse(const Command& command, const std::vector<std::string>& words) {
    Arguments result(parse_with_boost(command, words));
    result.operands_ = result.texts(kOperands);
    if (result.has("help") || result.has("version")) return result;
    for (const auto& group : command.groups) {
      for (const auto& option : group.options()) result.choices_[option->long_name()] = choices_of(*option);
    }
    const std::size_t count = result.operands_.size();
    const std::string usage = "usage: spillway " + command.name + " " + command.operands;
    if (count < command.min_operands) throw UsageError("an argument is missing; " + usage);
    if (count > command.max_operands) {
      throw UsageError("'" + printable(result.operands_[command.max_operands]) + "' is one argument too many; " +
                       usage);
    }
    return result;
  }
};

std::optional<std::string> Arguments::text(const std::string& option) const {
  return has(option) ? std::optional(values_[option].as<std::string>()) : std::nullopt;
}

std::vector<std::string> Arguments::texts(const std::string& option) const {
  return has(option) ? values_[option].as<std::vector<std::string>>() : std::vector<std::string>();
}

Arguments Arguments::with(const std::string& option, const std::string& value) const {
  Arguments result = *this;
  result.values_.erase(option);
  result.values_.insert({option, options::variable_value(std::string(value), false)});
  return result;
}

options::options_description option_group(const char* caption) { return {caption, kHelpWidth, kHelpWidth / 2}; }

void add_flag(options::options_description& group, const char* names, const char* meaning) {
  group.add_options()(names, meaning);
}

void add_value(options::options_description& group, const char* names, const char* value_name, const char* meaning) {
  group.add_options()(names, options::value<std::string>()->value_name(value_name), meaning);
}

void add_values(options::options_description& group, const char* names, const char* value_name, const char* meaning) {
  group.add_options()(names, options::value<std::vector<std::string>>()->composing()->value_name(value_name), meaning);
}

void add_choice(options::options_description& group, const char* names, const char* value_name,
                const std::vector<std::string>& choices, const char* meaning) {
  auto* const value = new ChoiceValue(choices);  // the group owns it
  value->value_name(value_name);
  group.add_options()(names, value, meaning);
}

std::vector<std::string> choices_of(const options::option_description& option) {
  const auto* const value = dynamic_cast<const ChoiceValue*>(option.semantic().get());
  return value == nullptr ? std::vector<std::string>() : value->choices();
}

Arguments parse_arguments(const Command& command, const std::vector<std::string>& words) {
  try {
    return CommandParser::parse(command, words);
  } catch (const options::unknown_option& error) {
    refuse_unknown(command, error.get_option_name());
  } catch (const options::error_with_option_name& error) {
    throw UsageError(printable(error.what(), 1000));
  } catch (const options::error& error) {
    throw UsageError(printable(error.what(), 1000));
  }
}

std::string help_text(const Command& command) {
  std::ostringstream help;
  help << "spillway " << command.name << ": " << command.summary << "\n\nExamples:\n";
  for (const Example& example : command.examples) {
    help << "  " << example.command << "\n        " << example.meaning << "\n";
  }
  help << "\nUsage: spillway " << command.name << " " << command.operands << "\n";
  if (!command.notes.empty()) help << command.notes << "\n";
  unsigned column = 0;
  for (const auto& group : command.groups) column = std::max(column, group.get_option_column_width());
  for (const auto& group : command.groups) {
    std::ostringstream table;
    group.print(table, column);
    help << "\n" << without_trailing_blanks(table.str());
  }
  help << "\nExit codes:\n  0  done\n";
  for (const auto& [code, meaning] : command.exit_codes) {
    if (code < ExitCode::kUsageOrIo) help << "  " << static_cast<int>(code) << "  " << meaning << "\n";
  }
  help << "  2  wrong usage, or a file cannot be read or written\n";
  for (const auto& [code, meaning] : command.exit_codes) {
    if (code > ExitCode::kUsageOrIo) help << "  " << static_cast<int>(code) << "  " << meaning << "\n";
  }
  help << "  129, 130, 141, 143  ended by SIGHUP, SIGINT, SIGPIPE, SIGTERM, as a shell shows it\n";
  return help.str();
}

std::optional<std::string> nearest_name(std::string_view name, const std::vector<std::string>& known) {
  const auto distance = [](std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
      std::size_t diagonal = std::exchange(row[0], i);
      for (std::size_t j = 1; j <= b.size(); ++j) {
        const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
        diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
      }
    }
    return row.back();
  };
  if (name.size() > 64) return std::nullopt;
  std::optional<std::string> nearest;
  std::size_t least = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : known) {
    // A prefix of at least 4 letters counts as one wrong letter.
    const bool begins = name.size() >= 4 && candidate.starts_with(name);
    const std::size_t away = begins ? 1 : distance(name, candidate);
    if (away < least) {
      least = away;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace spillway
