#include "tests/support/gpu_host_forms/host_forms.hpp"

#include "tests/support/gpu_host_forms/bitonic.hpp"
#include "tests/support/gpu_host_forms/davidson_merge.hpp"
#include "tests/support/gpu_host_forms/hybrid_msd.hpp"
#include "tests/support/gpu_host_forms/satish_merge.hpp"
#include "tests/support/gpu_host_forms/satish_radix.hpp"
#include "tests/support/gpu_host_forms/string_merge.hpp"
#include "tests/support/gpu_host_forms/string_radix.hpp"

namespace spillway {

const std::vector<const RecordSorter*>& gpu_record_sorter_host_forms() {
  static const SatishRadixHostForm satish_radix;
  static const DavidsonHostForm davidson;
  static const SatishMergeHostForm satish_merge;
  static const BitonicHostForm bitonic;
  static const std::vector<const RecordSorter*> all{&satish_radix, &davidson, &satish_merge, &bitonic};
  return all;
}

const std::vector<const StringSorter*>& gpu_string_sorter_host_forms() {
  static const StringRadixHostForm radix;
  static const StringMergeHostForm merge;
  static const HybridMsdHostForm hybrid;
  static const std::vector<const StringSorter*> all{&radix, &merge, &hybrid};
  return all;
}

}  // namespace spillway
