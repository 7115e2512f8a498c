// SPDX-License-Identifier: MIT
#include <catch2/catch_test_macros.hpp>

#include "input/amounts.hpp"
#include "output/amounts.hpp"

namespace amounts_test {

using namespace ringctl;

TEST_CASE("bytes") {
  CHECK(bytes_from("10.88TB") == 10.88e12);
  CHECK(bytes_from("500 GB") == 500e9);
  CHECK(bytes_from("2TiB") == 0x1p41);
  CHECK(bytes_from("0B") == 0);
  for (const char* const text :
       {"", "10", "TB", "-1TB", "nanTB", "1e999TB", "1tb", "1TB ", "1Gbps"}) {
    INFO(text);
    CHECK_FALSE(bytes_from(text));
  }
}

TEST_CASE("rates") {
  CHECK(rate_from("1Gbps") == 125e6);
  CHECK(rate_from("125MB/s") == 125e6);
  CHECK(rate_from("8 bps") == 1);
  for (const char* const text : {"", "0Gbps", "0B/s", "1Gb", "1GB", "1/s", "-1Gbps"}) {
    INFO(text);
    CHECK_FALSE(rate_from(text));
  }
}

TEST_CASE("shares") {
  CHECK(share_from("25%") == 0.25);
  CHECK(share_from("0.25") == 0.25);
  CHECK(share_from("1") == 1);
  CHECK(share_from("100%") == 1);
  for (const char* const text : {"", "0", "0%", "1.1", "150%", "-1%", "25 percent"}) {
    INFO(text);
    CHECK_FALSE(share_from(text));
  }
}

TEST_CASE("amounts as text") {
  CHECK(bytes_text(0) == "0 B");
  CHECK(bytes_text(999) == "999 B");
  CHECK(bytes_text(999.6e9) == "1.00 TB");
  CHECK(bytes_text(10.88e12) == "10.9 TB");
  CHECK(bytes_text(123.4e18) == "123 EB");
  CHECK(bytes_text(5e21) == "5000 EB");
  CHECK(duration_text(0) == "0.0 s");
  CHECK(duration_text(59.96) == "1 min 0 s");
  CHECK(duration_text(5120) == "1 h 25 min");
  CHECK(duration_text(79 * 3600) == "3 d 7 h");
}

}  // namespace amounts_test
