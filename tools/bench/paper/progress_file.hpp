// What a benchmark of papers has done so far: a file beside that of --json, from which the same command goes on after
// an interruption.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/cli/command.hpp"

namespace spillway {

class PaperProgressFile {
 public:
  // `options`: must equal those of the interrupted benchmark. Reads the file, if there is one. Throws UsageError naming
  // --restart if it was begun with other options, FormatError naming path and offset if it is damaged.
  PaperProgressFile(Session& session, const std::string& json_path, nlohmann::ordered_json options, bool restart);

  // The result of an item that is done; nullptr if it is not.
  const nlohmann::ordered_json* find(const std::string& paper, const std::string& id) const;
  std::size_t count() const { return items_.size(); }
  // Keeps a result: replaces the file in one step.
  void add(const nlohmann::ordered_json& item);
  void remove();

 private:
  Session& session_;
  std::string path_;
  nlohmann::ordered_json options_;
  std::vector<nlohmann::ordered_json> items_;
};

}  // namespace spillway
