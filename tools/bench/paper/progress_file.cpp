#include "tools/bench/paper/progress_file.hpp"

#include <algorithm>

#include "tools/cli/output_file.hpp"
#include "tools/report/json.hpp"

namespace spillway {

using nlohmann::ordered_json;

namespace {

[[noreturn]] void refuse_damaged(const std::string& path, const std::string& where) {
  throw FormatError("'" + printable(path, 4096) + "'" + where + ": it is damaged; give --restart to begin anew");
}

ordered_json parsed(const std::string& path, const std::string& text) {
  try {
    return ordered_json::parse(text);
  } catch (const ordered_json::parse_error& error) {
    refuse_damaged(path, ", byte " + std::to_string(error.byte));
  } catch (const ordered_json::out_of_range&) {
    refuse_damaged(path, ", a number out of range");
  }
}

bool is_item(const ordered_json& item) {
  const auto has_text = [&](const char* name) { return item.contains(name) && item.at(name).is_string(); };
  return item.is_object() && has_text("paper") && has_text("id");
}

// Whatever the order of their members.
bool equal(const ordered_json& one, const ordered_json& other) { return nlohmann::json(one) == nlohmann::json(other); }

}  // namespace

PaperProgressFile::PaperProgressFile(Session& session, const std::string& json_path, ordered_json options, bool restart)
    : session_(session), path_(json_path + ".partial"), options_(std::move(options)) {
  if (restart || !session_.files.status(path_)) return;
  const ordered_json json = parsed(path_, read_file(session_.files, path_, std::size_t{1} << 28));
  if (!json.is_object() || !equal(json.value("options", ordered_json()), options_)) {
    throw UsageError("'" + printable(path_, 4096) +
                     "' is of a benchmark with other options, or by another commit; give its options to go on with it, "
                     "or --restart to begin anew");
  }
  for (const ordered_json& item : json.value("items", ordered_json::array())) {
    if (!is_item(item)) refuse_damaged(path_, ", item " + std::to_string(items_.size()));
    items_.push_back(item);
  }
}

const ordered_json* PaperProgressFile::find(const std::string& paper, const std::string& id) const {
  const auto found = std::find_if(items_.begin(), items_.end(), [&](const ordered_json& item) {
    return item.at("paper") == paper && item.at("id") == id;
  });
  return found == items_.end() ? nullptr : &*found;
}

void PaperProgressFile::add(const ordered_json& item) {
  items_.push_back(item);
  OutputFile file(session_, "--json", path_, OutputFile::IfThere::kReplace);
  file.write(json_text({{"options", options_}, {"items", items_}}));
  file.finish();
}

void PaperProgressFile::remove() {
  if (session_.files.status(path_)) session_.files.remove(path_);
}

}  // namespace spillway
