#include "tools/bench/paper/progress_file.hpp"

#include <algorithm>

#include "tools/bench/paper/runner.hpp"
#include "tools/cli/output_file.hpp"
#include "tools/report/json.hpp"
#include "tools/report/parse_json.hpp"

namespace spillway {

using nlohmann::ordered_json;

namespace {

constexpr const char* kRemedy = "it is damaged: give --restart to begin anew";

[[noreturn]] void refuse_item(const std::string& path, std::size_t number) {
  throw FormatError("'" + printable(path, 4096) + "', at /items/" + std::to_string(number) +
                    ": expected a row of bench paper with all its members; " + kRemedy);
}

// An item is shown and written again, so it must have what these need.
bool is_item(const ordered_json& item) {
  try {
    paper_item_text(item);
    return item.at("paper").is_string() && item.at("paper_figures").is_array();
  } catch (const ordered_json::exception&) {
    return false;
  }
}

// Whatever the order of their members.
bool equal(const ordered_json& one, const ordered_json& other) { return nlohmann::json(one) == nlohmann::json(other); }

}  // namespace

PaperProgressFile::PaperProgressFile(Session& session, const std::string& json_path, ordered_json options, bool restart)
    : session_(session), path_(json_path + ".partial"), options_(std::move(options)) {
  if (restart || !session_.files.status(path_)) return;
  const ordered_json json = parse_json(path_, read_file(session_.files, path_, std::size_t{1} << 28), kRemedy);
  if (!json.is_object() || !equal(json.value("options", ordered_json()), options_)) {
    throw UsageError("'" + printable(path_, 4096) +
                     "' is of a benchmark with other options, or by another commit; give its options to go on with it, "
                     "or --restart to begin anew");
  }
  for (const ordered_json& item : json.value("items", ordered_json::array())) {
    if (!is_item(item)) refuse_item(path_, items_.size());
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
