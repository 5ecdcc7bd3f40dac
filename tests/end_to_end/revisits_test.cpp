// --revisits follow: which documents revisits make, and that packing, files, threads, memory and interruptions do not
// change them. The oracle is a crawl in which each revisit is a response of its own, right after the one it repeats.
#include <gtest/gtest.h>
#include <signal.h>
#include <zlib.h>

#include <random>

#include "corpora/warc/date.hpp"
#include "io/index/reader.hpp"
#include "tests/corpora/reader/packing.hpp"
#include "tests/end_to_end/indexing.hpp"
#include "tests/support/corpora_path.hpp"
#include "tests/support/run_program.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;
namespace fs = std::filesystem;
using Skipped = std::map<SkipReason, std::uint64_t>;
using Strings = std::vector<std::string>;

struct Record {
  std::string type, id, uri, date = "2024-01-02T03:04:05Z", fields, block;
  std::string text() const {
    return "WARC/1.1\r\nWARC-Type: " + type + "\r\nWARC-Record-ID: <" + id + ">\r\nWARC-Target-URI: " + uri +
           "\r\nWARC-Date: " + date + "\r\nContent-Type: application/http; msgtype=response\r\n" + fields +
           "Content-Length: " + std::to_string(block.size()) + "\r\n\r\n" + block + "\r\n\r\n";
  }
};

Record page(const std::string& id, const std::string& body, const std::string& fields = "",
            const std::string& status = "200 OK") {
  return {"response",       id,
          "http://a/" + id, "2024-01-02T03:04:05Z",
          fields,           "HTTP/1.1 " + status + "\r\nContent-Type: text/html\r\n\r\n" + body};
}

Record revisit(const std::string& id, const std::string& fields) {
  return {"revisit", id, "http://a/" + id, "2024-02-03T04:05:06Z", fields, "HTTP/1.1 304 Not Modified\r\n\r\n"};
}

std::string joined(const std::vector<Record>& records) {
  std::string text;
  for (const Record& record : records) text += record.text();
  return text;
}

void append_le(std::string& to, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to += static_cast<char>(value >> (8 * i));
}

// A zip file whose entries are stored as they are.
std::string zip_of(const std::map<std::string, std::string>& entries) {
  std::string zip, directory;
  for (const auto& [name, bytes] : entries) {
    std::string common;
    append_le(common, 20, 2);
    append_le(common, 0, 8);
    append_le(common, crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())), 4);
    append_le(common, bytes.size(), 4);
    append_le(common, bytes.size(), 4);
    append_le(common, name.size(), 2);
    append_le(common, 0, 2);
    directory += std::string("PK\1\2\x14\0", 6) + common;
    directory.append(10, '\0');
    append_le(directory, zip.size(), 4);
    directory += name;
    zip += "PK\3\4" + common + name + bytes;
  }
  std::string end("PK\5\6\0\0\0\0", 8);
  append_le(end, entries.size(), 2);
  append_le(end, entries.size(), 2);
  append_le(end, directory.size(), 4);
  append_le(end, zip.size(), 4);
  append_le(end, 0, 2);
  return zip + directory + end;
}

class FollowedRevisits : public ::testing::Test {
 protected:
  IndexOptions job(const Strings& inputs) const {
    IndexOptions options = index_job(inputs, scratch_ / "index");
    options.content.store = StorePolicy::kText;
    options.corpus.crawl.revisits = Revisits::kFollow;
    options.force = true;
    return options;
  }
  IndexOptions job_of(const std::vector<Record>& records) {
    write_bytes(scratch_ / "in.warc", joined(records));
    return job({scratch_ / "in.warc"});
  }
  // Runs the job, and checks that it counts each record once.
  IndexReport run(const IndexOptions& options) {
    skips_.clear();
    std::atomic<int> signal_number{0};
    IndexProgress progress;
    const auto ignore = [](const std::string&) {};
    IndexReport report;
    run_index(options,
              {posix_file_system(), signal_number, progress, ignore, ignore,
               [this](const SkippedRecord& record) { skips_.push_back(record); }},
              report);
    std::uint64_t skipped = 0;
    for (const auto& [reason, count] : report.skipped) skipped += count;
    EXPECT_EQ(report.records_in, report.documents + skipped);
    EXPECT_EQ(skips_.size(), skipped);
    EXPECT_FALSE(fs::exists(options.output + ".work"));
    return report;
  }
  static Skipped reasons(const IndexReport& report) { return {report.skipped.begin(), report.skipped.end()}; }

  // "id url date title|text" of each document of the index.
  Strings documents() const {
    const IndexReader index(posix_file_system(), scratch_ / "index");
    verify_index(index);
    Strings found;
    for (std::uint32_t i = 0; i < index.counts().documents; ++i) {
      const StoredDocument document = index.document(i);
      found.push_back(std::string(document.id) + " " + std::string(document.url) + " " + std::string(document.date) +
                      " " + std::string(document.title) + "|" + index.document_text(i));
    }
    return found;
  }
  Strings ids() const {
    Strings found;
    for (const std::string& document : documents()) found.push_back(document.substr(0, document.find(' ')));
    return found;
  }

  ScratchDirectory scratch_;
  std::vector<SkippedRecord> skips_;
};

TEST_F(FollowedRevisits, HaveTheTextOfTheRecordAndTheirOwnIdUrlAndDate) {
  const IndexReport report = run(job_of({revisit("before", "WARC-Refers-To: <a>\r\n"),
                                         page("a", "<title>T</title>one two", "WARC-Payload-Digest: sha1:AB\r\n"),
                                         revisit("r", "WARC-Payload-Digest: sha1:ab\r\n"), page("b", "three")}));
  EXPECT_EQ(
      documents(),
      (Strings{"a http://a/a 2024-01-02T03:04:05Z T|one two", "before http://a/before 2024-02-03T04:05:06Z T|one two",
               "r http://a/r 2024-02-03T04:05:06Z T|one two", "b http://a/b 2024-01-02T03:04:05Z |three"}));
  EXPECT_EQ(report.records_in, 4U);
  EXPECT_TRUE(report.skipped.empty());
}

// A body that takes much memory to decode is decoded once, and its text waits in a scratch file.
TEST_F(FollowedRevisits, HaveTextsThatWaitInFiles) {
  std::string text;
  for (int i = 0; i < 120'000; ++i) text += (i == 0 ? "word" : " word") + std::to_string(i);
  Record large = page("large", "");
  large.block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: zstd\r\n\r\n" +
                zstd_frame("<p>" + text, {.window_log = 23, .content_size = false});
  IndexOptions options =
      job_of({large, revisit("r", "WARC-Refers-To: <large>\r\n"), revisit("s", "WARC-Refers-To: <r>\r\n")});
  EXPECT_TRUE(run(options).skipped.empty());
  const Strings found = documents();
  ASSERT_EQ(found.size(), 3U);
  for (const std::string& document : found) EXPECT_EQ(document.substr(document.find('|') + 1), text);
}

TEST_F(FollowedRevisits, AreSkippedByDefault) {
  IndexOptions options = job_of({page("a", "one"), revisit("r", "WARC-Refers-To: <a>\r\n")});
  options.corpus.crawl.revisits = Revisits::kSkip;
  EXPECT_EQ(reasons(run(options)), (Skipped{{SkipReason::kRevisit, 1}}));
}

TEST_F(FollowedRevisits, WithoutATargetAreSkippedAndNamed) {
  const std::vector<Record> records{revisit("lost", "WARC-Refers-To: <x>\r\n"), revisit("empty", ""),
                                    revisit("round", "WARC-Refers-To: <trip>\r\n"),
                                    revisit("trip", "WARC-Refers-To: <round>\r\n"), page("a", "one")};
  const IndexReport report = run(job_of(records));
  EXPECT_EQ(ids(), Strings{"a"});
  EXPECT_EQ(reasons(report), (Skipped{{SkipReason::kRevisitTargetNotFound, 4}}));
  std::uint64_t offset = 0;
  std::ranges::sort(skips_, {}, &SkippedRecord::offset);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(skips_[i].path, scratch_ / "in.warc");
    EXPECT_EQ(skips_[i].offset, offset);
    EXPECT_EQ(skips_[i].id, records[i].id);
    EXPECT_EQ(skips_[i].url, records[i].uri);
    offset += records[i].text().size();
  }
}

TEST_F(FollowedRevisits, OfSkippedRecordsAreSkippedAndSayWhy) {
  const std::vector<std::pair<Record, SkipReason>> targets{
      {page("status", "x", "", "404 Not Found"), SkipReason::kHttpStatus},
      {page("empty", ""), SkipReason::kEmptyPage},
      {page("media", std::string("%PDF-1.4\0", 9)), SkipReason::kMediaType},
      {page("long", std::string(3000, 'x')), SkipReason::kDocumentTooLong}};
  std::vector<Record> records;
  Skipped expected{{SkipReason::kRevisitTargetSkipped, 8}};
  for (const auto& [target, reason] : targets) {
    records.push_back(revisit("r" + target.id, "WARC-Refers-To: " + target.id + "\r\n"));
    records.push_back(target);
    records.push_back(revisit("s" + target.id, "WARC-Refers-To: r" + target.id + "\r\n"));
    expected[reason] = 1;
  }
  IndexOptions options = job_of(records);
  options.content.max_document_bytes = 2000;
  EXPECT_EQ(reasons(run(options)), expected);
  for (const SkippedRecord& skip : skips_) {
    if (skip.reason != SkipReason::kRevisitTargetSkipped) continue;
    const std::string target = skip.id.substr(1);
    const auto found = std::ranges::find(targets, target, [](const auto& pair) { return pair.first.id; });
    ASSERT_NE(found, targets.end());
    EXPECT_NE(skip.detail.find("is skipped as " + std::string(skip_reason_name(found->second))), std::string::npos);
    EXPECT_EQ(skip.url, "http://a/" + skip.id);
  }
}

TEST_F(FollowedRevisits, OfATypeThatIsNotWantedAreSkipped) {
  IndexOptions options = job_of({page("a", "one"), revisit("r", "WARC-Refers-To: <a>\r\n")});
  options.corpus.crawl.types = CrawlOptions::bit(WarcType::kConversion);
  EXPECT_EQ(reasons(run(options)), (Skipped{{SkipReason::kRecordType, 1}, {SkipReason::kRevisitTargetSkipped, 1}}));
}

// Each record goes by its own date: what was seen again since then is indexed, though its text is older.
TEST_F(FollowedRevisits, AreAsOldAsTheirOwnDates) {
  Record old_revisit = revisit("old", "WARC-Refers-To: new\r\n"), lost = revisit("lost", ""),
         fresh = page("new", "fresh");
  old_revisit.date = lost.date = "2023-01-01T00:00:00Z";
  fresh.date = "2024-03-01T00:00:00Z";
  IndexOptions options = job_of({page("a", "one"), revisit("r", "WARC-Refers-To: <a>\r\n"), fresh, old_revisit, lost});
  options.corpus.crawl.since = parse_crawl_date("2024-02");
  EXPECT_EQ(reasons(run(options)), (Skipped{{SkipReason::kBeforeSince, 3}}));
  EXPECT_EQ(ids(), (Strings{"r", "new"}));
}

TEST_F(FollowedRevisits, AreDuplicatesAsOtherPagesAre) {
  Record same_url = revisit("same", "WARC-Refers-To: a\r\n"), again = page("b", "other");
  same_url.uri = "http://a/a";
  const std::vector<Record> records{page("a", "one"), again, same_url, revisit("r", "WARC-Refers-To: a\r\n"),
                                    revisit("b", "WARC-Refers-To: a\r\n")};
  IndexOptions options = job_of(records);
  EXPECT_EQ(reasons(run(options)), (Skipped{{SkipReason::kDuplicateId, 1}}));
  EXPECT_EQ(ids(), (Strings{"a", "same", "r", "b"}));
  options.dedup = Dedup::kUrl;
  EXPECT_EQ(reasons(run(options)), (Skipped{{SkipReason::kDuplicateUrl, 2}}));
  EXPECT_EQ(ids(), (Strings{"a", "r", "b"})) << "they follow the page, and come before the next one";
  options.dedup = Dedup::kExact;
  EXPECT_EQ(reasons(run(options)), (Skipped{{SkipReason::kDuplicateText, 3}}));
  EXPECT_EQ(ids(), (Strings{"a", "b"}));
}

// An old crawl is given again for the texts that the new one refers to.
TEST_F(FollowedRevisits, AreAppendedWithTheCrawlThatTheyReferTo) {
  write_bytes(scratch_ / "old.warc", joined({page("a", "one"), page("b", "two")}));
  Record same_url = revisit("a2", "WARC-Refers-To: a\r\n");
  same_url.uri = "http://a/a";
  write_bytes(scratch_ / "new.warc", joined({same_url, page("c", "three")}));
  const auto append = [&](const Strings& inputs, KnownIds known, bool replaces_urls) {
    run(job({scratch_ / "old.warc"}));
    IndexOptions options = job(inputs);
    options.append = known;
    options.replace_urls = replaces_urls;
    return reasons(run(options));
  };
  EXPECT_EQ(append({scratch_ / "new.warc"}, KnownIds::kRefuse, false),
            (Skipped{{SkipReason::kRevisitTargetNotFound, 1}}));
  EXPECT_EQ(ids(), (Strings{"a", "b", "c"}));
  const Strings both{scratch_ / "old.warc", scratch_ / "new.warc"};
  EXPECT_EQ(append(both, KnownIds::kSkip, false), (Skipped{{SkipReason::kKnownId, 2}}));
  EXPECT_EQ(ids(), (Strings{"a", "b", "a2", "c"}));
  EXPECT_EQ(append({scratch_ / "new.warc"}, KnownIds::kRefuse, true),
            (Skipped{{SkipReason::kRevisitTargetNotFound, 1}}));
  EXPECT_EQ(ids(), (Strings{"a", "b", "c"})) << "a page that is not indexed replaces none";
}

TEST_F(FollowedRevisits, OfDamagedRecordsTakeAnotherOrNone) {
  const std::string digest = "WARC-Payload-Digest: sha1:AB\r\n";
  std::string cut = page("a", std::string(5000, 'x'), digest).text();
  cut.resize(2000);
  std::string bytes = cut + page("b", "whole", digest).text() + revisit("r", "WARC-Refers-To: a\r\n" + digest).text() +
                      revisit("s", "WARC-Refers-To: a\r\n").text() + revisit("t", "WARC-Refers-To: b\r\n").text();
  bytes.resize(bytes.size() - 10);
  write_bytes(scratch_ / "in.warc", bytes);
  const IndexReport report = run(job({scratch_ / "in.warc"}));
  EXPECT_EQ(ids(), (Strings{"b", "r"}));
  EXPECT_EQ(reasons(report), (Skipped{{SkipReason::kBadRecordLength, 1},
                                      {SkipReason::kRevisitTargetNotFound, 1},
                                      {SkipReason::kRecordTruncated, 1}}));
}

// A crawl of several files, and the same one with copies instead of revisits.
class RandomRevisits : public FollowedRevisits {
 protected:
  RandomRevisits() {
    std::mt19937_64 random(3);
    std::vector<std::vector<std::size_t>> repeated(kRecords);  // records after each one
    std::vector<std::size_t> end(kRecords);
    for (std::size_t i = 0; i < kRecords; ++i) {
      end[i] = i;
      const std::string id = "urn:uuid:" + std::to_string(i);
      if (i < 3 || random() % 3 == 0) {
        std::string body = "<title>page " + std::to_string(i) + "</title>";
        const std::size_t words = random() % 40 == 0 ? 60000 : random() % 200;
        for (std::size_t k = 0; k < words; ++k) body += " word" + std::to_string(random() % 5000);
        const bool is_gone = i % 17 == 5;
        records_.push_back(page(id, body, "WARC-Payload-Digest: sha1:" + std::to_string(i) + "\r\n",
                                is_gone ? "404 Not Found" : "200 OK"));
        continue;
      }
      const std::size_t other = random() % i;
      const std::string digest = "WARC-Payload-Digest: SHA1:" + std::to_string(end[other]) + "\r\n";
      const std::string forms[] = {"WARC-Refers-To: <" + records_[other].id + ">\r\n",
                                   "WARC-Refers-To-Target-URI: " + records_[other].uri +
                                       "\r\nWARC-Refers-To-Date: " + records_[other].date + "\r\n",
                                   digest, "WARC-Refers-To: urn:uuid:lost\r\n" + digest};
      end[i] = end[other];
      records_.push_back(revisit(id, forms[random() % 4]));
      repeated[end[i]].push_back(i);
    }
    for (std::size_t i = 0; i < kRecords; ++i) {
      if (records_[i].type == "revisit") continue;
      copies_.push_back(records_[i]);
      for (const std::size_t other : repeated[i]) {
        copies_.push_back(records_[other]);
        copies_.back().type = "response";
        copies_.back().block = records_[i].block;
      }
    }
    write_bytes(scratch_ / "in.warc", joined(copies_));
    reference_ = job({scratch_ / "in.warc"});
    reference_.threads = 1;
    report_ = run(reference_);
    expected_ = bytes_of(reference_.output);
    write_bytes(scratch_ / "in.warc", joined(records_));
  }
  void expect_same(const IndexOptions& options) {
    const IndexReport report = run(options);
    EXPECT_TRUE(same_index(expected_, options.output));
    EXPECT_EQ(report.documents, report_.documents);
    EXPECT_EQ(report.records_in, report_.records_in);
    Skipped skipped = reasons(report);
    skipped[SkipReason::kHttpStatus] += skipped[SkipReason::kRevisitTargetSkipped];
    skipped.erase(SkipReason::kRevisitTargetSkipped);
    EXPECT_EQ(skipped, reasons(report_));
  }

  static constexpr std::size_t kRecords = 400;
  std::vector<Record> records_, copies_;
  IndexOptions reference_;
  IndexReport report_;
  std::map<std::string, std::string> expected_;
};

TEST_F(RandomRevisits, GiveTheIndexOfCopiesHoweverTheyArePacked) {
  const std::string bytes = joined(records_), half = joined({records_.begin(), records_.begin() + 150});
  std::string by_record, frames;
  for (const Record& record : records_) {
    by_record += gzip_member(record.text());
    frames += zstd_frame(record.text());
  }
  write_bytes(scratch_ / "record.warc.gz", by_record);
  write_bytes(scratch_ / "whole.warc.gz", gzip_member(bytes));
  write_bytes(scratch_ / "in.warc.zst", frames);
  write_bytes(scratch_ / "in.wacz", zip_of({{"archive/1.warc.gz", gzip_member(half)},
                                            {"archive/2.warc", bytes.substr(half.size())},
                                            {"datapackage.json", "{}"}}));
  fs::create_directory(scratch_ / "files");
  for (std::size_t i = 0; i < records_.size(); i += 7) {
    const auto begin = records_.begin() + static_cast<std::ptrdiff_t>(i);
    const std::string part =
        joined({begin, begin + static_cast<std::ptrdiff_t>(std::min<std::size_t>(7, records_.size() - i))});
    write_bytes(scratch_ / ("files/" + std::to_string(1000 + i)), i % 2 == 0 ? part : gzip_member(part));
  }
  for (const char* const input : {"in.warc", "record.warc.gz", "whole.warc.gz", "in.warc.zst", "in.wacz", "files"}) {
    SCOPED_TRACE(input);
    expect_same(job({scratch_ / input}));
  }
}

TEST_F(RandomRevisits, GiveTheIndexOfCopiesForAnyThreadsAndMemory) {
  write_bytes(scratch_ / "in.warc.gz", gzip_member(joined(records_)));
  for (unsigned threads = 1; threads <= 4; ++threads) {
    for (const std::uint64_t memory : {std::uint64_t{64} << 20, std::uint64_t{1} << 30}) {
      SCOPED_TRACE(std::to_string(threads) + " threads, memory " + std::to_string(memory));
      IndexOptions options = job({scratch_ / (threads % 2 == 0 ? "in.warc.gz" : "in.warc")});
      options.threads = threads;
      options.memory_bytes = std::max(memory, tight_memory(64));
      options.block_bytes = threads == 3 ? 20000 : 0;
      expect_same(options);
    }
  }
}

TEST_F(RandomRevisits, EndBySignalAndByTheLimitOfScratchFiles) {
  const IndexOptions options = job({scratch_ / "in.warc"});
  const auto before = bytes_of(options.output);
  std::atomic<int> signal_number{0};
  IndexProgress progress;
  const auto stop = [&](const std::string&) { signal_number = SIGINT; };  // it hears of the plan
  IndexReport report;
  EXPECT_THROW(run_index(options, {posix_file_system(), signal_number, progress, stop, stop}, report),
               InterruptedError);
  EXPECT_STREQ(progress.stage, "revisits");
  EXPECT_TRUE(same_index(before, options.output));
  EXPECT_FALSE(fs::exists(options.output + ".work"));
  IndexOptions limited = options;
  limited.temp_limit_bytes = 100;
  EXPECT_THROW(run(limited), BudgetError);
  EXPECT_FALSE(fs::exists(options.output + ".work"));
}

// Written by warcio: it names URI, date and digest of the response, and no id.
TEST_F(FollowedRevisits, OfARealCrawlAreFound) {
  const std::string warc = SPILLWAY_CORPORA_OR_SKIP() + "/warc/warcio__example.warc";
  for (const char* const end : {"", ".gz"}) {
    const IndexReport report = run(job({warc + end}));
    EXPECT_EQ(ids(), (Strings{"urn:uuid:a9c51e3e-0221-11e7-bf66-0242ac120005",
                              "urn:uuid:e6e395ca-0221-11e7-a18d-0242ac120005"}));
    EXPECT_EQ(reasons(report), (Skipped{{SkipReason::kRecordType, 4}}));
  }
}

// Size and time are as before, so nothing else tells.
TEST_F(FollowedRevisits, NoticeThatTheInputChangesBetweenThePasses) {
  const IndexOptions options = job_of({page("a", "one"), revisit("r", "WARC-Refers-To: a\r\n")});
  const std::string path = options.inputs[0];
  const auto say = [&](const std::string& words) {
    if (!words.starts_with("revisits")) return;
    const auto time = fs::last_write_time(path);
    std::string bytes = read_bytes(path);
    bytes.replace(bytes.find("revisit"), 7, "request");
    write_bytes(path, bytes);
    fs::last_write_time(path, time);
  };
  std::atomic<int> signal_number{0};
  IndexProgress progress;
  IndexReport report;
  EXPECT_THROW(run_index(options, {posix_file_system(), signal_number, progress, say, say}, report), IoError);
  EXPECT_FALSE(fs::exists(options.output));
}

TEST_F(FollowedRevisits, NeedInputThatCanBeReadTwice) {
  write_bytes(scratch_ / "in.warc", joined({page("a", "one")}));
  const auto refuse = [&](const Strings& more, const ProgramSetting& setting, const std::string& words) {
    Strings all{"index", "-o", scratch_ / "index", "--revisits", "follow"};
    all.insert(all.end(), more.begin(), more.end());
    const ProgramResult result = run_spillway(all, setting);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    EXPECT_FALSE(fs::exists(scratch_ / "index"));
    EXPECT_FALSE(fs::exists(scratch_ / "index.work"));
  };
  refuse({"-"}, {.input = joined({page("a", "one")})}, "standard input cannot be read again");
  refuse({scratch_ / "in.warc", "--part", "1/2"}, {}, "--part");
  refuse({scratch_ / "in.warc", "--format", "jsonl"}, {}, "--format warc or auto");
}

}  // namespace
}  // namespace spillway
