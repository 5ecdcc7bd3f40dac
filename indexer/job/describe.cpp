#include "indexer/job/describe.hpp"

#include "io/base/error.hpp"
#include "io/format/index.hpp"

namespace spillway {

namespace {

void refuse_stream(const CorpusFile& file) {
  if (!file.is_stream) return;
  throw UsageError("--resumable needs inputs that can be read again, and " +
                   (file.path == "-" ? "standard input" : printable(file.path, 4096)) +
                   " cannot (a pipe, or a file without a size): copy it to a file first");
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

void add_fields(JobDescription& job, const std::string& format, const FieldNames& names) {
  const std::pair<const char*, const std::vector<std::string>&> fields[] = {{"--id-field", names.id},
                                                                            {"--title-field", names.title},
                                                                            {"--text-field", names.text},
                                                                            {"--url-field", names.url},
                                                                            {"--date-field", names.date}};
  for (const auto& [option, list] : fields) job.options.emplace_back(option + (" (" + format + ")"), joined(list));
}

void add_crawl(JobDescription& job, const CrawlOptions& crawl) {
  std::vector<std::string> types, statuses;
  for (std::size_t i = 0; i < kWarcTypeCount; ++i) {
    const auto type = static_cast<WarcType>(i);
    if (crawl.has_type(type)) types.emplace_back(warc_type_name(type));
  }
  for (const unsigned status : crawl.statuses) statuses.push_back(std::to_string(status));
  job.options.emplace_back("--warc-types", joined(types));
  job.options.emplace_back("--http-status", statuses.empty() ? "any" : joined(statuses));
  std::vector<std::string> media;
  if (crawl.html) media.emplace_back("html");
  if (crawl.text) media.emplace_back("text");
  job.options.emplace_back("--media", joined(media));
  job.options.emplace_back("--revisits", revisits_names()[static_cast<std::size_t>(crawl.revisits)]);
  job.options.emplace_back(
      "--since", crawl.since ? std::to_string(crawl.since->time_since_epoch().count()) + " s after 1970" : "");
}

// Reads the file in pieces.
std::string hash_of_file(FileSystem& files, const std::string& path) {
  const auto file = files.open(path);
  std::vector<std::uint8_t> piece(std::size_t{64} << 10);
  StreamingHash128 hash;
  std::uint64_t at = 0;
  while (const std::size_t count = file->read_at(at, piece)) {
    hash.update(std::span(piece).first(count));
    at += count;
  }
  return to_hex(hash.digest());
}

// The manifest of an index holds the hashes of its files.
std::string identity_of_index(FileSystem& files, const std::string& index) {
  return "an index with the hash " + hash_of_file(files, index + "/" + std::string(kManifestName));
}

void add_base(JobDescription& job, FileSystem& files, const IndexOptions& options) {
  constexpr const char* kNames[] = {"refused", "--replace", "--skip-known"};
  job.options.emplace_back("the index to append to", identity_of_index(files, options.output));
  job.options.emplace_back("known ids", kNames[static_cast<std::size_t>(*options.append)]);
  job.options.emplace_back("--replace-url", options.replace_urls ? "yes" : "");
}

}  // namespace

JobDescription describe_index_job(FileSystem& files, const IndexOptions& options, const ContentOptions& content,
                                  const CorpusPlan& corpus) {
  JobDescription job;
  job.command = options.append ? "append" : "index";
  job.release = options.resume.release;
  job.content = content;
  const CorpusOptions& read = options.corpus;
  job.options.emplace_back("--format", corpus_format_name(read.format));
  job.options.emplace_back("--part", std::to_string(read.part_number) + "/" + std::to_string(read.part_count));
  add_fields(job, "jsonl", read.fields);
  add_fields(job, "trec", read.trec_fields);
  add_fields(job, "tsv", read.tsv_fields);
  add_crawl(job, read.crawl);
  job.options.emplace_back("--dedup", dedup_names()[static_cast<std::size_t>(options.dedup)]);
  if (options.append) add_base(job, files, options);
  for (const CorpusFile& file : corpus.files) {
    refuse_stream(file);
    job.inputs.add({std::to_string(file.size) + " bytes, modified at " + std::to_string(file.modified_ns) +
                        " ns, id from byte " + std::to_string(file.id_begin) + ", bytes " + std::to_string(file.begin) +
                        " to " + std::to_string(file.end),
                    file.path},
                   file.end - file.begin);
  }
  return job;
}

JobDescription describe_merge_job(FileSystem& files, const MergeOptions& options, const ContentOptions& content) {
  JobDescription job;
  job.command = "merge";
  job.release = options.resume.release;
  job.content = content;
  std::string lists;
  for (const std::string& list : options.drop_ids.files) {
    if (list == "-") {
      throw UsageError(
          "--resumable needs inputs that can be read again, and the standard input that --drop - names "
          "cannot: copy it to a file first");
    }
    lists += (lists.empty() ? "a list with the hash " : ", ") + hash_of_file(files, list);
  }
  job.options.emplace_back("--drop", lists);
  job.options.emplace_back("--dedup", dedup_names()[static_cast<std::size_t>(options.dedup)]);
  for (const std::string& input : options.inputs) {
    job.inputs.add({identity_of_index(files, input), input}, 0);
  }
  return job;
}

}  // namespace spillway
