// Sorts the occurrences of a block by one uint64 key each, [term rank | document], with any RecordSorter: the papers'
// way. Equal keys fold into a term frequency. With positions the key is [term rank | number of the occurrence in the
// block]: the number stands for document and position in fewer bits. Takes the record sorter's time for one key per
// occurrence, plus O(s log d) for s strings of all chunk tables, d distinct.
#pragma once

#include <memory>

#include "indexer/block/sorter.hpp"

namespace spillway {

std::unique_ptr<BlockSorter> make_key_block_sorter(const RecordSorter& records, const StringSorter& strings);

}  // namespace spillway
