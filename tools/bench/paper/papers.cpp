#include "tools/bench/paper/item.hpp"

namespace spillway {

const std::vector<Paper>& papers() {
  static const std::vector<Paper> kAll{satish_2009(), davidson_2012(), capannini_2012(), deshpande_2013(),
                                       drozd_2014()};
  return kAll;
}

}  // namespace spillway
