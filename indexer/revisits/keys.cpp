#include "indexer/revisits/keys.hpp"

#include <string>

#include "corpora/warc/date.hpp"
#include "indexer/revisits/digest.hpp"
#include "io/base/bytes.hpp"

namespace spillway {

namespace {

struct Fields {
  const std::string &id, &uri, &date, &digest;
};

std::string comparable_date(const std::string& date) {
  const auto time = parse_crawl_date(date);
  return time ? std::to_string(time->time_since_epoch().count()) : date;
}

// No URI has a line feed in it, and it stands last.
std::optional<Hash128> key_of(RevisitKey key, const Fields& fields) {
  std::string text(1, static_cast<char>('0' + static_cast<int>(key)));
  if (key == RevisitKey::kId) {
    if (fields.id.empty()) return std::nullopt;
    text += fields.id;
  } else if (key == RevisitKey::kUriAndDate) {
    if (fields.uri.empty() || fields.date.empty()) return std::nullopt;
    text += comparable_date(fields.date) + "\n" + fields.uri;
  } else {
    if (fields.digest.empty()) return std::nullopt;
    text += comparable_digest(fields.digest);
    if (key == RevisitKey::kDigestAndUri) text += "\n" + fields.uri;
  }
  return hash128(bytes_of(text));
}

}  // namespace

std::optional<Hash128> own_key(RevisitKey key, const WarcHeader& record) {
  return key_of(key, {record.record_id, record.target_uri, record.date, record.payload_digest});
}

std::optional<Hash128> sought_key(RevisitKey key, const WarcHeader& revisit) {
  const std::string& uri = revisit.refers_to_uri.empty() ? revisit.target_uri : revisit.refers_to_uri;
  return key_of(key, {revisit.refers_to, uri, revisit.refers_to_date, revisit.payload_digest});
}

}  // namespace spillway
