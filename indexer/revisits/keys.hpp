// The keys by which a revisit record and the record whose content it repeats are matched.
#pragma once

#include <cstdint>
#include <optional>

#include "corpora/warc/header.hpp"
#include "io/base/checksum.hpp"

namespace spillway {

// The first that finds a record counts.
enum class RevisitKey : std::uint8_t {
  kId,            // WARC-Refers-To: WARC-Record-ID
  kUriAndDate,    // WARC-Refers-To-Target-URI (else the revisit's own URI) and WARC-Refers-To-Date
  kDigestAndUri,  // WARC-Payload-Digest, and the URI
  kDigest,
  kCount
};

// The hash of a record's key; nullopt if the record does not have all of its fields. Dates are compared as times, to
// the second, if they can be read; digests as comparable_digest() says.
std::optional<Hash128> own_key(RevisitKey key, const WarcHeader& record);
// The hash of the key that the record to which a revisit refers has.
std::optional<Hash128> sought_key(RevisitKey key, const WarcHeader& revisit);

}  // namespace spillway
