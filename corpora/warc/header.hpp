// The header of a record of a web archive: of WARC (ISO 28500; 0.17 to 1.1) or of ARC version 1, whose records begin
// with one line, "URL IP-address date type length". It arrives in pieces of any size; what crawlers get wrong is read
// where it is clear what was meant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "corpora/http/field_reader.hpp"

namespace spillway {

enum class WarcType : std::uint8_t {
  kWarcinfo,
  kResponse,
  kResource,
  kRequest,
  kMetadata,
  kRevisit,
  kConversion,
  kContinuation,
  kOther  // no type, or one that the standard does not know
};
inline constexpr std::size_t kWarcTypeCount = 9;
// As in WARC-Type: "warcinfo", "response", ...; "other" for kOther.
std::string_view warc_type_name(WarcType type);

struct WarcHeader {
  bool is_arc = false;
  WarcType type = WarcType::kOther;
  std::string version = {};     // "1.0"; of ARC: empty
  std::string target_uri = {};  // without < >
  std::string date = {};        // as written: 2014-02-16T05:02:21Z, of ARC 20140216050221
  std::string record_id = {};   // without < >; of ARC: empty
  std::string trec_id = {};     // WARC-TREC-ID
  std::string clueweb_id = {};  // ClueWeb22-ID
  std::string content_type = {};
  std::string payload_type = {};    // WARC-Identified-Payload-Type
  std::string truncated = {};       // the reason, if the crawler cut the record
  std::string payload_digest = {};  // WARC-Payload-Digest: "sha1:..."
  // The record whose content a revisit repeats: WARC-Refers-To, ...-Target-URI (both without < >) and ...-Date.
  std::string refers_to = {}, refers_to_uri = {}, refers_to_date = {};
  bool has_length = false;   // a Content-Length that cannot be read counts as none
  std::uint64_t length = 0;  // of the block
  std::uint64_t header_bytes = 0;
  std::uint64_t broken_lines = 0;  // lines that are no fields
  bool has_bare_line_feeds = false;
};

// Returns the id of the record: WARC-TREC-ID, else ClueWeb22-ID, else WARC-Record-ID, else date and URI,
// "20140216050221/http://...", else nothing.
std::string external_id(const WarcHeader& header);

// Not movable.
class WarcHeaderReader final : private FieldHandler {
 public:
  WarcHeaderReader() : fields_(*this) {}
  WarcHeaderReader(const WarcHeaderReader&) = delete;
  WarcHeaderReader& operator=(const WarcHeaderReader&) = delete;

  void reset();
  // Reads up to the end of the header and returns how many bytes that were. Requires: state() is kOpen.
  std::size_t feed(std::string_view bytes);
  // kBad: this is no header, or it has bytes that no header has, or two have run into each other.
  FieldReader::State state() const { return state_; }
  const WarcHeader& header() const { return header_; }

 private:
  std::size_t feed_arc(std::string_view bytes);
  bool first_line(std::string_view line) override;
  void field(std::string_view name, std::string_view value) override;
  bool broken_line(std::string_view line) override;
  void take_length(std::string_view value);
  void keep_once(std::string& member, std::string_view value);
  void reference(std::string_view name, std::string_view value);

  FieldReader fields_;
  FieldReader::State state_ = FieldReader::State::kOpen;
  WarcHeader header_;
  std::string arc_line_;  // of an ARC, as far as it was read
  enum class Kind : std::uint8_t { kUnknown, kWarc, kArc } kind_ = Kind::kUnknown;
  bool has_type_ = false, has_bad_length_ = false, is_contradictory_ = false, is_damaged_ = false;
};

}  // namespace spillway
