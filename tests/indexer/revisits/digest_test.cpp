#include "indexer/revisits/digest.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <string>

namespace spillway {
namespace {

// Of no bytes; the values are those of sha1sum, md5sum and sha256sum, and of coreutils' basenc --base32.
TEST(Digest, IsTheSameInEveryForm) {
  const std::string sha1 = comparable_digest("sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
  for (const char* const form :
       {"sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709", "SHA-1:DA39A3EE5E6B4B0D3255BFEF95601890AFD80709",
        "sha1:3i42h3s6nnfq2msvx7xzkyayscx5qbyj", "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709"}) {
    EXPECT_EQ(comparable_digest(form), sha1) << form;
  }
  const std::string md5 = comparable_digest("md5:d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(comparable_digest("d41d8cd98f00b204e9800998ecf8427e"), md5);
  EXPECT_EQ(comparable_digest("MD5:2QOYZWMPACZAJ2MABGMOZ6CCPY======"), md5);
  const std::string sha256 =
      comparable_digest("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(comparable_digest("sha-256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ===="), sha256);
  EXPECT_EQ((std::set<std::string>{sha1, md5, sha256}).size(), 3u);
}

TEST(Digest, WhatCannotBeReadIsComparedWithoutRegardToCase) {
  for (const char* const form : {"", ":", "sha1:", "sha1:xyz", "SHA1:DA39A3EE5E6B4B0D3255BFEF95601890AFD8070",
                                 "blake2b:00", "sha1:===", "md5:d41d8cd98f00b204e9800998ecf8427g"}) {
    std::string lower(form);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    EXPECT_EQ(comparable_digest(form), lower);
  }
  EXPECT_NE(comparable_digest("sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            comparable_digest("sha1:da39a3ee5e6b4b0d3255bfef95601890afd80708"));
}

}  // namespace
}  // namespace spillway
