#include "tools/bench/paper/item.hpp"

namespace spillway {

namespace {

struct Places {
  bool cpu = false, gpu = false;

  void add(const std::vector<std::string>& names, std::string_view of_cpu) {
    for (const std::string& name : names) (name.starts_with(of_cpu) ? cpu : gpu) = true;
  }
  void add(const KeysRun& run) { add(run.sorters, "cpu-"); }
  void add(const StringsRun& run) { add(run.sorters, "cpu-"); }
  void add(const SetsRun&) { cpu = true; }
  void add(const ModesRun& run) { add(run.modes, "cpu"); }
};

}  // namespace

std::string paper_item_place(const PaperItem& item) {
  if (!item.script.empty()) return "script";
  Places places;
  for (const PaperRun& run : item.runs) std::visit([&](const auto& one) { places.add(one); }, run);
  if (places.cpu && places.gpu) return "both";
  return places.gpu ? "GPU" : places.cpu ? "CPU" : "-";
}

const std::vector<Paper>& papers() {
  static const std::vector<Paper> kAll{satish_2009(), davidson_2012(), capannini_2012(), deshpande_2013(),
                                       drozd_2014()};
  return kAll;
}

}  // namespace spillway
