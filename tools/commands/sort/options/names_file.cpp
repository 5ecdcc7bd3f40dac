#include "tools/commands/sort/options/names_file.hpp"

#include <algorithm>

#include "tools/commands/sort/options/message.hpp"

namespace spillway {

namespace {

constexpr std::size_t kNamesBytes = std::size_t{1} << 30;

}  // namespace

void refuse_inputs_with_names(const std::vector<std::string>& inputs) {
  if (inputs.empty()) return;
  throw SortError("extra operand " + quote(inputs.front()) + "\nfile operands cannot be combined with --files0-from",
                  true);
}

std::vector<std::string> read_names(const std::string& path, FileSystem& files) {
  std::string names;
  if (path != "-" && !files.status(path))
    throw SortError("open failed: " + quoted_name(path) + ": No such file or directory");
  try {
    names = read_stream(files, path, kNamesBytes, {});
  } catch (const IoError&) {
    throw SortError("cannot read file names from " + quote(path));
  }
  std::vector<std::string> inputs;
  std::size_t number = 1;
  for (std::size_t begin = 0; begin < names.size(); ++number) {
    const std::size_t end = std::min(names.find('\0', begin), names.size());
    const std::string name = names.substr(begin, end - begin);
    if (name == "-") {
      throw SortError("when reading file names from stdin, no file name of " + quote(name) + " allowed");
    }
    if (name.empty()) {
      throw SortError(quoted_name(path) + ":" + std::to_string(number) + ": invalid zero-length file name");
    }
    inputs.push_back(name);
    begin = end + 1;
  }
  if (inputs.empty()) throw SortError("no input from " + quote(path));
  return inputs;
}

}  // namespace spillway
