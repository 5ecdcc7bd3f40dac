#include "tools/commands/sort/options/option_groups.hpp"

#include "tools/cli/command.hpp"

namespace spillway {

namespace {

boost::program_options::options_description ordering_options() {
  auto group = option_group("Order");
  add_flag(group, "ignore-leading-blanks,b", "ignore blanks before a key");
  add_flag(group, "dictionary-order,d", "compare only blanks, letters and digits");
  add_flag(group, "ignore-case,f", "compare lower case letters as upper case");
  add_flag(group, "general-numeric-sort,g", "compare numbers as strtold() reads them: 1e3, 0x1p4, inf, nan");
  add_flag(group, "ignore-nonprinting,i", "compare only printable characters");
  add_flag(group, "month-sort,M", "compare months: anything else < JAN < ... < DEC");
  add_flag(group, "human-numeric-sort,h", "compare numbers with units: 2K < 1G");
  add_flag(group, "numeric-sort,n", "compare decimal numbers of any length");
  add_flag(group, "random-sort,R", "shuffle, with equal keys together");
  add_value(group, "collate", "LOCALE",
            "compare texts as LOCALE does, en_US or de@collation=phonebook for example, by ICU's rules");
  add_value(group, "random-source", "FILE", "take the random bytes from FILE: the same bytes give the same order");
  add_flag(group, "reverse,r", "reverse the result of comparisons");
  add_choice(group, "sort", "WORD", {"general-numeric", "human-numeric", "month", "numeric", "random", "version"},
             "the same as -g, -h, -M, -n, -R, -V");
  add_flag(group, "version-sort,V", "compare numbers in text as numbers: a9 < a10");
  add_values(group, "key,k", "KEYDEF", "compare by a part of the line: F[.C][OPTS][,F[.C][OPTS]]; may be repeated");
  add_value(group, "field-separator,t", "SEP", "fields end at SEP, not before blanks");
  add_flag(group, "stable,s", "lines with equal keys keep their order");
  add_flag(group, "unique,u", "keep the first of lines with equal keys; with -c: want strict order");
  return group;
}

boost::program_options::options_description work_options() {
  auto group = option_group("Work");
  add_choice(group, "check,c", "WORD", {"diagnose-first", "quiet", "silent"},
             "check whether the input is sorted (exit code 1: it is not); -C and --check=quiet do not say where");
  add_flag(group, "merge,m", "merge inputs, each of which is sorted");
  add_value(group, "output,o", "FILE", "write to FILE, which may be an input, not to standard output");
  add_flag(group, "count", "put out the first of lines with equal keys after their number, as uniq -c does");
  add_choice(group, "output-compress", "WORD", {"gzip", "none", "zstd"}, "gzip or zstd: pack the output");
  add_value(group, "head", "N", "put out the first N lines only, without sorting the others");
  add_value(group, "files0-from", "FILE", "read the inputs that FILE names, each name ended by a zero byte");
  add_value(group, "record-size", "N", "sort records of N bytes without ends, not lines");
  add_value(group, "key-size", "K", "compare records by K bytes; the whole record breaks ties (default: to its end)");
  add_value(group, "key-offset", "N", "where the key begins in a record (default: 0)");
  add_flag(group, "zero-terminated,z", "lines end with a zero byte, not with a line feed");
  add_choice(group, "unpack", "WORD", {"auto", "never"},
             "auto: unpack inputs that gzip or zstd packed (default, but not under the name sort or for records)");
  add_flag(group, "debug", "show what is compared in each line, and warn of questionable options");
  return group;
}

boost::program_options::options_description resource_options() {
  auto group = option_group("Resources");
  add_value(group, "buffer-size,S", "SIZE", "memory: KiB, or with a unit of b K M G T P E Z Y %");
  add_value(group, "memory", "SIZE", "limit of all memory of the process (default: half of what is available)");
  add_values(group, "temporary-directory,T", "DIR", "put scratch files there; may be repeated");
  add_value(group, "temp-limit", "SIZE", "limit of the scratch files");
  add_flag(group, "resumable",
           "if the sort is interrupted, keep sorted runs in FILE.work (-o FILE), so that the same command goes on; and "
           "go on with such a sort");
  add_flag(group, "restart", "with --resumable: discard an interrupted sort, and begin anew");
  add_flag(group, "direct-io",
           "read files and write the output past the page cache, for sets that are larger than memory");
  add_value(group, "parallel", "N", "threads (default: one per usable processor)");
  add_value(group, "batch-size", "N", "merge at most N runs or inputs at once");
  add_value(group, "compress-program", "PROGRAM", "accepted; scratch files are compressed without it");
  add_value(group, "block-bytes", "SIZE", "for tests: memory of the lines that are sorted at once");
  add_value(group, "sorter", "NAME",
            "auto, cpu-msd or cpu-multikey; on a GPU: gpu-string-radix, gpu-string-merge or hybrid-msd");
  add_value(group, "gpu", "IDS", "auto (default): sort on GPUs if that is sooner; never; or the numbers of GPUs: 0,1");
  add_value(group, "gpu-memory", "SIZE", "memory to use on each GPU (default: four fifths of what is free)");
  return group;
}

boost::program_options::options_description report_options() {
  auto group = option_group("Report");
  add_flag(group, "progress", "show progress on standard error");
  add_value(group, "json", "FILE", "write a report as JSON; - is standard output, if the lines go to a file by -o");
  add_flag(group, "force", "replace an existing report");
  return group;
}

}  // namespace

std::vector<boost::program_options::options_description> sort_option_groups() {
  return {ordering_options(), work_options(), resource_options(), report_options()};
}

}  // namespace spillway
