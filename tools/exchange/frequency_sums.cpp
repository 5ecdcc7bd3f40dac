#include "tools/exchange/frequency_sums.hpp"

namespace spillway {

void FrequencySums::add_page(std::size_t page) {
  if (page >= pages_.size()) pages_.resize(page + 1);
  pages_[page] = Buffer(budget_, kPageDocuments * sizeof(std::uint32_t), "the lengths of the documents of the file");
}

}  // namespace spillway
