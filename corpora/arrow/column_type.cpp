#include "corpora/arrow/column_type.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace spillway {

std::optional<ArrowType> arrow_type(std::string_view format) {
  using Named = std::pair<std::string_view, ArrowType>;
  static constexpr std::array kTypes{
      Named{"n", ArrowType::kNull},      Named{"u", ArrowType::kText},      Named{"z", ArrowType::kText},
      Named{"U", ArrowType::kLargeText}, Named{"Z", ArrowType::kLargeText}, Named{"vu", ArrowType::kTextView},
      Named{"vz", ArrowType::kTextView}, Named{"c", ArrowType::kInt8},      Named{"C", ArrowType::kUint8},
      Named{"s", ArrowType::kInt16},     Named{"S", ArrowType::kUint16},    Named{"i", ArrowType::kInt32},
      Named{"I", ArrowType::kUint32},    Named{"l", ArrowType::kInt64},     Named{"L", ArrowType::kUint64}};
  const auto* const found = std::ranges::find(kTypes, format, &Named::first);
  return found == kTypes.end() ? std::nullopt : std::optional(found->second);
}

bool is_text(ArrowType type) {
  return type == ArrowType::kText || type == ArrowType::kLargeText || type == ArrowType::kTextView;
}

std::size_t integer_bytes(ArrowType type) {
  switch (type) {
    case ArrowType::kInt8:
    case ArrowType::kUint8:
      return 1;
    case ArrowType::kInt16:
    case ArrowType::kUint16:
      return 2;
    case ArrowType::kInt32:
    case ArrowType::kUint32:
      return 4;
    default:
      return 8;
  }
}

}  // namespace spillway
