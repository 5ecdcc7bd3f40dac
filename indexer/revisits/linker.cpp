#include "indexer/revisits/linker.hpp"

#include <algorithm>
#include <cassert>

#include "corpora/revisits/table.hpp"
#include "indexer/revisits/keys.hpp"

namespace spillway {

namespace {

constexpr std::size_t kKeys = static_cast<std::size_t>(RevisitKey::kCount);
// In place of a key: the row has the place of the revisit and follows those of its keys.
constexpr std::uint8_t kPlaceRow = 0xFF;

// In the order in which rows with one key are wanted.
enum class Role : std::uint8_t { kResponse, kRevisit, kSeeker };

// A row of a sort. Numbers are big-endian, so that rows order as they do.
class RowWriter {
 public:
  template <typename T>
  RowWriter& put(T value) {
    for (std::size_t i = sizeof value; i-- > 0;) put_byte(static_cast<std::uint8_t>(value >> (8 * i)));
    return *this;
  }
  RowWriter& put(Role role) { return put(static_cast<std::uint8_t>(role)); }
  RowWriter& put(const Hash128& hash) {
    for (const std::uint8_t byte : hash) put_byte(byte);
    return *this;
  }
  RowWriter& put(const RecordLocation& location) {
    return put(static_cast<std::uint32_t>(location.file)).put(location.offset);
  }
  void add_to(ExternalStringSort& sort) const { sort.add({bytes_.data(), size_}, 0); }

 private:
  void put_byte(std::uint8_t byte) {
    assert(size_ < bytes_.size());
    bytes_[size_++] = static_cast<char>(byte);
  }
  std::array<char, 96> bytes_;
  std::size_t size_ = 0;
};

class RowReader {
 public:
  explicit RowReader(std::string_view row) : row_(row) {}
  template <typename T>
  T take() {
    T value = 0;
    for (std::size_t i = 0; i < sizeof value; ++i) value = static_cast<T>(value << 8 | static_cast<T>(take_byte()));
    return value;
  }
  Role role() { return static_cast<Role>(take_byte()); }
  Hash128 hash() {
    Hash128 hash;
    for (std::uint8_t& byte : hash) byte = take_byte();
    return hash;
  }
  RecordLocation location() {
    const auto file = take<std::uint32_t>();
    return {file, take<std::uint64_t>()};
  }

 private:
  std::uint8_t take_byte() {
    const auto byte = static_cast<std::uint8_t>(row_.front());
    row_.remove_prefix(1);
    return byte;
  }
  std::string_view row_;
};

// A record, or nothing.
using Link = std::optional<RecordLocation>;

RowWriter& put(RowWriter& row, const Link& link) {
  return row.put(static_cast<std::uint8_t>(link ? 1 : 0)).put(link.value_or(RecordLocation()));
}

Link take_link(RowReader& row) {
  const bool is_set = row.take<std::uint8_t>() != 0;
  const RecordLocation location = row.location();
  return is_set ? Link(location) : std::nullopt;
}

// The first records that have a key: those that the others would come before.
class KeyOwners {
 public:
  void start(const Hash128& key) {
    key_ = key;
    count_ = 0;
  }
  bool are_of(const Hash128& key) const { return count_ != 0 && key_ == key; }
  void add(const RecordLocation& location, Role role) {
    if (count_ < owners_.size()) owners_[count_++] = {location, role};
  }
  struct Owner {
    RecordLocation location;
    Role role = Role::kResponse;
  };
  // The first that is not the revisit itself.
  std::optional<Owner> first_but(const RecordLocation& revisit) const {
    for (std::size_t i = 0; i < count_; ++i) {
      if (owners_[i].location != revisit) return owners_[i];
    }
    return std::nullopt;
  }

 private:
  Hash128 key_{};
  std::array<Owner, 2> owners_;
  std::size_t count_ = 0;
};

}  // namespace

// Where a revisit leads, as far as it is known.
struct RevisitLinker::Path {
  RecordLocation revisit;
  std::uint64_t place = 0;
  Link response;  // the end, or
  Link next;      // a revisit farther on
  Link other;     // the response to take if the path from `next` ends nowhere

  void end_here() {
    next.reset();
    response = other;
  }
  // Goes on from `next`, whose path is `farther`.
  void join(const Path& farther) {
    if (farther.other) other = farther.other;
    if (farther.next) {
      next = farther.next;
    } else if (farther.response) {
      next.reset();
      response = farther.response;
    } else {
      end_here();
    }
  }
  RowWriter& put_to(RowWriter& row) const {
    row.put(revisit).put(place);
    return put(put(put(row, response), next), other);
  }
  static Path read(RowReader row) {
    Path path;
    path.revisit = row.location();
    path.place = row.take<std::uint64_t>();
    for (Link* const link : {&path.response, &path.next, &path.other}) *link = take_link(row);
    return path;
  }
};

RevisitLinker::RevisitLinker(const RevisitSorts& sorts) : sorts_(sorts), keys_(make_sort()), matches_(make_sort()) {}

RevisitLinker::Sort RevisitLinker::make_sort() const {
  return std::make_unique<ExternalStringSort>(sorts_.budget, sorts_.temp, sorts_.sorter, sorts_.memory_bytes);
}

void RevisitLinker::check() const {
  if (sorts_.check) sorts_.check();
}

void RevisitLinker::add_record(const RecordLocation& location, const WarcHeader& header) {
  for (std::size_t i = 0; i < kKeys; ++i) {
    const auto key = own_key(static_cast<RevisitKey>(i), header);
    if (key) RowWriter().put(*key).put(Role::kResponse).put(location).add_to(*keys_);
  }
}

// Others may refer to a revisit by its id, or by URI and date. Its digest is that of a response.
void RevisitLinker::add_revisit(const RecordLocation& location, const WarcHeader& header, std::uint64_t place) {
  ++revisits_;
  RowWriter().put(location).put(kPlaceRow).put(place).add_to(*matches_);
  for (const RevisitKey key : {RevisitKey::kId, RevisitKey::kUriAndDate}) {
    if (const auto own = own_key(key, header)) RowWriter().put(*own).put(Role::kRevisit).put(location).add_to(*keys_);
  }
  for (std::uint8_t i = 0; i < kKeys; ++i) {
    const auto key = sought_key(static_cast<RevisitKey>(i), header);
    if (key) RowWriter().put(*key).put(Role::kSeeker).put(location).put(i).add_to(*keys_);
  }
}

// Rows of keys_: key, role, location; of seekers also the kind of key. Rows of matches_: location of the revisit, kind
// of key, role and location of the record.
void RevisitLinker::match_keys() {
  keys_->sort();
  KeyOwners owners;
  keys_->read([&](std::string_view text, std::uint32_t) {
    check();
    RowReader row(text);
    const Hash128 key = row.hash();
    const Role role = row.role();
    const RecordLocation location = row.location();
    if (!owners.are_of(key)) owners.start(key);
    if (role != Role::kSeeker) return owners.add(location, role);
    const auto owner = owners.first_but(location);
    if (!owner) return;
    RowWriter().put(location).put(row.take<std::uint8_t>()).put(owner->role).put(owner->location).add_to(*matches_);
    to_revisits_ += owner->role == Role::kRevisit ? 1 : 0;
  });
  keys_.reset();
  matches_->sort();
}

// Reads the paths that the matches begin, in order of the revisits.
void RevisitLinker::read_paths(const TakePath& take) {
  Path path;
  matches_->read([&](std::string_view text, std::uint32_t) {
    check();
    RowReader row(text);
    path.revisit = row.location();
    if (row.take<std::uint8_t>() == kPlaceRow) {
      path.place = row.take<std::uint64_t>();
      take(path);
      path = {};
      return;
    }
    const bool is_first = !path.response && !path.next;
    const bool is_response = row.role() == Role::kResponse;
    const RecordLocation record = row.location();
    if (is_first) (is_response ? path.response : path.next) = record;
    if (is_response && !path.other) path.other = record;
  });
}

RevisitLinker::Sort RevisitLinker::first_paths() {
  Sort paths = make_sort();
  read_paths([&](const Path& path) {
    RowWriter row;
    path.put_to(row).add_to(*paths);
  });
  paths->sort();
  return paths;
}

// Doubles the paths that have not ended. Returns how many there still are.
std::uint64_t RevisitLinker::lengthen(Sort& paths) const {
  enum Kind : std::uint8_t { kOwn, kJoining };
  Sort joined = make_sort();
  paths->read([&](std::string_view text, std::uint32_t) {
    check();
    const Path path = Path::read(RowReader(text));
    RowWriter own, joining;
    path.put_to(own.put(path.revisit).put(kOwn)).add_to(*joined);
    if (path.next) path.put_to(joining.put(*path.next).put(kJoining)).add_to(*joined);
  });
  joined->sort();
  Sort longer = make_sort();
  std::uint64_t open = 0;
  Path farther;
  const auto keep = [&](const Path& path) {
    RowWriter row;
    path.put_to(row).add_to(*longer);
    open += path.next ? 1 : 0;
  };
  joined->read([&](std::string_view text, std::uint32_t) {
    check();
    RowReader row(text);
    row.location();
    const bool is_own = row.take<std::uint8_t>() == kOwn;
    Path path = Path::read(row);
    if (is_own) {
      farther = path;
      if (!path.next) keep(path);
      return;
    }
    assert(farther.revisit == path.next);
    path.join(farther);
    keep(path);
  });
  joined.reset();
  longer->sort();
  paths = std::move(longer);
  return open;
}

std::uint64_t RevisitLinker::link(const Take& take) {
  match_keys();
  Sort linked = make_sort();
  std::uint64_t count = 0;
  const auto end_path = [&](Path path) {
    if (path.next) path.end_here();  // in a circle
    if (!path.response) return;
    ++count;
    RowWriter().put(*path.response).put(path.revisit).put(path.place).add_to(*linked);
    RowWriter().put(path.revisit).put(path.revisit).put(RevisitEntry::kFollowed).add_to(*linked);
  };
  if (to_revisits_ == 0) {
    read_paths(end_path);
  } else {
    linked.reset();
    Sort paths = first_paths();
    matches_.reset();
    std::uint64_t open = to_revisits_;
    for (std::uint64_t steps = 1; open != 0 && steps <= revisits_; steps *= 2) open = lengthen(paths);
    linked = make_sort();
    paths->read([&](std::string_view text, std::uint32_t) { end_path(Path::read(RowReader(text))); });
  }
  matches_.reset();
  linked->sort();
  linked->read([&](std::string_view text, std::uint32_t) {
    check();
    RowReader row(text);
    const RecordLocation record = row.location();
    row.location();
    take(record, row.take<std::uint64_t>());
  });
  return count;
}

}  // namespace spillway
