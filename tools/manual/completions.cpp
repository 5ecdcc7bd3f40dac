#include "tools/manual/completions.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "tools/cli/option_table.hpp"

namespace spillway {

namespace {

enum class Completes { kNothing, kFile, kDirectory };

Completes what_completes(const std::string& value_name) {
  if (value_name == "DIR" || value_name == "INDEX") return Completes::kDirectory;
  return value_name == "FILE" || value_name == "LIST" ? Completes::kFile : Completes::kNothing;
}

// By the first word of the usage line: "INPUT... -o DIR [OPTIONS]", "[INPUT...] [OPTIONS]".
Completes what_operands_complete(const Command& command) {
  if (command.operands.starts_with("INDEX") || command.operands.starts_with("[DIR")) return Completes::kDirectory;
  const bool has_inputs = command.operands.starts_with("INPUT") || command.operands.starts_with("[INPUT");
  return has_inputs ? Completes::kFile : Completes::kNothing;
}

std::vector<OptionText> all_options(const Command& command) {
  std::vector<OptionText> options;
  for (const OptionGroupText& group : option_table(command)) {
    options.insert(options.end(), group.options.begin(), group.options.end());
  }
  return options;
}

// Maps each prefix of a command's name (words joined by blanks) to the words that may follow.
std::map<std::string, std::set<std::string>> next_words(const std::vector<Command>& commands) {
  std::map<std::string, std::set<std::string>> next;
  for (const Command& command : commands) {
    for (std::size_t begin = 0; begin < command.name.size();) {
      const std::size_t end = std::min(command.name.find(' ', begin), command.name.size());
      next[command.name.substr(0, begin == 0 ? 0 : begin - 1)].insert(command.name.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  const auto of_commands = next;
  for (const auto& [beginning, words] : of_commands) next[beginning.empty() ? "help" : "help " + beginning] = words;
  next[""].insert({"help", "--help", "--version"});
  return next;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<std::string> names_of(const OptionText& option) {
  if (option.short_name.empty()) return {option.long_name};
  return {option.short_name, option.long_name};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// Puts a text in single quotes for a shell.
std::string quoted(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }

// The shell's words that fill in a value: names to offer, and "f" for files or "d" for directories.
std::string bash_value(const std::vector<std::string>& choices, Completes kind) {
  const std::string names = kind == Completes::kFile ? "f" : kind == Completes::kDirectory ? "d" : "";
  return "choices=" + quoted(joined(choices)) + " names=" + quoted(names);
}

std::string bash_command(const Command& command) {
  std::vector<std::string> words;
  std::string values;
  for (const OptionText& option : all_options(command)) {
    const std::vector<std::string> names = names_of(option);
    words.insert(words.end(), names.begin(), names.end());
    if (option.value_name.empty()) continue;
    values += "        " + replaced(joined(names), " ", " | ") + ") " +
              bash_value(option.choices, what_completes(option.value_name)) + " ;;\n";
  }
  return "    " + quoted(command.name) + ")\n      words='" + joined(words) + "'\n      case $previous in\n" + values +
         "        *) takes_value='' " + bash_value(command.operand_choices, what_operands_complete(command)) +
         " ;;\n      esac\n      ;;\n";
}

// Escapes brackets and colons, which have a meaning in the specifications of zsh's _arguments.
std::string zsh_text(const std::string& text) {
  return replaced(replaced(replaced(replaced(text, "\\", "\\\\"), "[", "\\["), "]", "\\]"), ":", "\\:");
}

// The action of _arguments that fills in a value.
std::string zsh_value(const std::vector<std::string>& choices, Completes kind) {
  const std::string files = kind == Completes::kFile ? "_files" : kind == Completes::kDirectory ? "_files -/" : "";
  if (choices.empty()) return files.empty() ? " " : files;
  return files.empty() ? "(" + joined(choices) + ")" : "{compadd -- " + joined(choices) + "; " + files + "}";
}

std::string zsh_option(const OptionText& option) {
  std::string end = "[" + zsh_text(option.meaning) + "]";
  if (!option.value_name.empty()) {
    end += ":" + zsh_text(option.value_name) + ":" + zsh_value(option.choices, what_completes(option.value_name));
  }
  std::string lines;
  for (const std::string& name : names_of(option)) lines += "        " + quoted("*" + name + end) + " \\\n";
  return lines;
}

// The part of `complete` that fills in a value.
std::string fish_value(const std::vector<std::string>& choices, Completes kind) {
  std::vector<std::string> words = choices;
  if (kind == Completes::kDirectory) words.emplace_back("(__fish_complete_directories)");
  const std::string files = kind == Completes::kFile ? " -r -F" : " -x";
  return words.empty() ? files : files + " -a " + quoted(joined(words));
}

std::string fish_option(const std::string& condition, const OptionText& option) {
  std::string line = "complete -c spillway -n " + quoted(condition);
  if (!option.short_name.empty()) line += " -s " + option.short_name.substr(1);
  line += " -l " + option.long_name.substr(2);
  if (!option.value_name.empty()) line += fish_value(option.choices, what_completes(option.value_name));
  return line + " -d " + quoted(replaced(option.meaning, "\n", " ")) + "\n";
}

std::string fish_command(const Command& command) {
  const std::string condition = "__spillway_begins " + quoted(command.name);
  std::string text;
  const Completes kind = what_operands_complete(command);
  if (kind == Completes::kDirectory) {
    text += "complete -c spillway -n " + quoted(condition) + " -f -a '(__fish_complete_directories)'\n";
  } else if (kind == Completes::kNothing) {
    text += "complete -c spillway -n " + quoted(condition) + " -f\n";
  }
  if (!command.operand_choices.empty()) {
    text += "complete -c spillway -n " + quoted(condition) + " -a " + quoted(joined(command.operand_choices)) + "\n";
  }
  for (const OptionText& option : all_options(command)) text += fish_option(condition, option);
  return text;
}

}  // namespace

std::string bash_completions(const std::vector<Command>& commands) {
  std::string names, cases, nexts;
  for (const Command& command : commands) {
    names += (names.empty() ? "" : " | ") + quoted(command.name);
    cases += bash_command(command);
  }
  for (const auto& [beginning, words] : next_words(commands)) {
    nexts += "      " + quoted(beginning) + ") words='" + joined({words.begin(), words.end()}) + "' ;;\n";
  }
  return "# bash completion for spillway: to be sourced, or put where bash-completion looks for it.\n"
         "_spillway() {\n"
         "  local IFS=$' \\t\\n' current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
         "  local command='' words='' choices='' names='' takes_value=y i\n"
         "  COMPREPLY=()\n"
         "  # --option=value arrives as three words.\n"
         "  if [[ $previous == = ]]; then\n"
         "    previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
         "  elif [[ $current == = ]]; then\n"
         "    current=''\n"
         "  fi\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    case \"${COMP_WORDS[*]:1:i}\" in\n"
         "    " +
         names +
         ") command=${COMP_WORDS[*]:1:i} ;;\n"
         "    esac\n"
         "  done\n"
         "  if [[ -z $command ]]; then\n"
         "    case \"${COMP_WORDS[*]:1:COMP_CWORD - 1}\" in\n" +
         nexts +
         "    esac\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "    return\n"
         "  fi\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "  if [[ -z $takes_value && $current == -* ]]; then\n"
         "    choices=$words names=''\n"
         "  fi\n"
         "  mapfile -t COMPREPLY < <(\n"
         "    [[ -z $choices ]] || compgen -W \"$choices\" -- \"$current\"\n"
         "    [[ -z $names ]] || compgen -\"$names\" -- \"$current\"\n"
         "  )\n"
         "}\n"
         "complete -o filenames -F _spillway spillway\n";
}

std::string zsh_completions(const std::vector<Command>& commands) {
  std::string cases, nexts;
  for (const Command& command : commands) {
    cases += "      " + quoted(command.name) + ")\n        _arguments \\\n";
    for (const OptionText& option : all_options(command)) cases += zsh_option(option);
    cases += "        " + quoted("*:operand:" + zsh_value(command.operand_choices, what_operands_complete(command))) +
             "\n        return ;;\n";
  }
  for (const auto& [beginning, words] : next_words(commands)) {
    nexts += "    " + quoted(beginning) + ") compadd -- " + joined({words.begin(), words.end()}) + " ;;\n";
  }
  return "#compdef spillway\n"
         "# zsh completion for spillway: to be put into a directory of $fpath as _spillway.\n"
         "_spillway() {\n"
         "  local i\n"
         "  for ((i = CURRENT - 1; i >= 2; i--)); do\n"
         "    case \"${words[2,i]}\" in\n" +
         cases +
         "    esac\n"
         "  done\n"
         "  case \"${words[2,CURRENT-1]}\" in\n" +
         nexts +
         "  esac\n"
         "}\n"
         "_spillway \"$@\"\n";
}

std::string fish_completions(const std::vector<Command>& commands) {
  std::string text =
      "# fish completion for spillway: to be put into a directory of $fish_complete_path as spillway.fish.\n"
      "function __spillway_begins\n"
      "  set -l words (commandline -opc)[2..-1]\n"
      "  set -l name (string split ' ' -- $argv[1])\n"
      "  test -n \"$argv[1]\"; or set name\n"
      "  test (count $words) -ge (count $name); or return 1\n"
      "  test (count $name) -eq 0; or test \"$words[1..(count $name)]\" = \"$name\"\n"
      "end\n"
      "function __spillway_is\n"
      "  set -l words (commandline -opc)[2..-1]\n"
      "  test \"$words\" = \"$argv[1]\"\n"
      "end\n";
  for (const auto& [beginning, words] : next_words(commands)) {
    for (const std::string& word : words) {
      text +=
          "complete -c spillway -f -n " + quoted("__spillway_is " + quoted(beginning)) + " -a " + quoted(word) + "\n";
    }
  }
  for (const Command& command : commands) text += fish_command(command);
  return text;
}

}  // namespace spillway
