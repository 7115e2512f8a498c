// SPDX-License-Identifier: MIT
// Mutates the fields of a membership and writes it again, with counts, order and checksum usually
// repaired, so most mutations reach the check that they aim at. The format is that of
// wire/membership.hpp, read and written here independently of the library, except for the checksum.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clockwise/detail/wire/writer.hpp"
#include "clockwise/hash.hpp"
#include "fuzz/fuzz.hpp"

namespace {

using Random = std::mt19937_64;

struct Domain {
  std::string datacenter;
  std::string rack;
};

struct Row {
  std::string id;
  std::uint64_t flags = 0;
  std::uint64_t weight = 0;  // its bits, if the flags are odd
  std::vector<std::uint64_t> tokens;
};

struct Message {
  std::string magic;
  std::uint64_t format = 1;
  std::uint64_t contract = 1;
  std::uint64_t kind = 0;
  std::string policy;
  std::uint64_t seeds = 0;
  std::uint64_t seed = 0;
  std::uint64_t circle = 0;
  std::uint64_t vnodes = 0;
  std::vector<Domain> domains;
  std::vector<Row> rows;
  std::string tail;  // excess bytes at the end
};

/// Reads to the end of the bytes; missing fields are 0 or empty.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  std::string raw(std::uint64_t size) {
    const auto taken = static_cast<std::size_t>((std::min)(size, std::uint64_t{bytes_.size()}));
    std::string text(bytes_.substr(0, taken));
    bytes_.remove_prefix(taken);
    return text;
  }
  std::uint64_t varint() {
    std::uint64_t number = 0;
    for (int shift = 0; shift < 64 && !bytes_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      number |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    return number;
  }
  std::string text() { return raw(varint()); }
  std::uint64_t word() {
    std::uint64_t number = 0;
    int shift = 0;
    for (const char c : raw(8)) {
      number |= std::uint64_t{static_cast<unsigned char>(c)} << shift;
      shift += 8;
    }
    return number;
  }
  bool at_end() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

Message read(std::string_view bytes) {
  Reader in(bytes.substr(0, bytes.size() < 8 ? 0 : bytes.size() - 8));
  Message message;
  message.magic = in.raw(4);
  message.format = in.varint();
  message.contract = in.varint();
  message.kind = in.varint();
  message.policy = in.text();
  message.seeds = in.varint();
  if (message.seeds != 0) message.seed = in.word();
  message.circle = in.word();
  message.vnodes = in.varint();
  for (std::uint64_t left = in.varint(); left > 0 && !in.at_end(); --left) {
    std::string datacenter = in.text();
    message.domains.push_back({std::move(datacenter), in.text()});
  }
  for (std::uint64_t left = in.varint(); left > 0 && !in.at_end(); --left) {
    Row row;
    row.id = in.text();
    row.flags = in.varint();
    if (row.flags % 2 != 0) row.weight = in.word();
    if (message.kind != 0) {
      for (std::uint64_t tokens = in.varint(); tokens > 0 && !in.at_end(); --tokens) {
        row.tokens.push_back(in.word());
      }
    }
    message.rows.push_back(std::move(row));
  }
  message.tail = in.raw(bytes.size());
  return message;
}

std::string write(const Message& message, std::uint64_t count_error, Random& random) {
  std::string bytes;
  const auto varint = [&](std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes += static_cast<char>((number & 0x7f) | 0x80);
    if (random() % 512 == 0) {  // not the shortest form
      bytes += static_cast<char>(number | 0x80);
      number = 0;
    }
    bytes += static_cast<char>(number);
  };
  const auto text = [&](const std::string& value) {
    varint(value.size());
    bytes += value;
  };
  const auto word = [&](std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(number >> shift & 0xff);
  };
  bytes += message.magic;
  varint(message.format);
  varint(message.contract);
  varint(message.kind);
  text(message.policy);
  varint(message.seeds);
  if (message.seeds != 0) word(message.seed);
  word(message.circle);
  varint(message.vnodes);
  varint(message.domains.size());
  for (const Domain& domain : message.domains) {
    text(domain.datacenter);
    text(domain.rack);
  }
  varint(message.rows.size() + count_error);
  for (const Row& row : message.rows) {
    text(row.id);
    varint(row.flags);
    if (row.flags % 2 != 0) word(row.weight);
    if (message.kind == 0) continue;
    varint(row.tokens.size());
    for (const std::uint64_t token : row.tokens) word(token);
  }
  bytes += message.tail;
  return bytes;
}

/// Makes the fields outside rows and domains valid.
void repair_head(Message& message) {
  message.magic = "cwrg";
  message.format = 1;
  message.contract = 1;
  message.kind %= 2;
  if (message.policy != "xxh64") message.policy = "xxh3-64";
  message.seeds = 1;
  message.circle = message.policy == "xxh64"
                       ? clockwise::detail::policy_probe(clockwise::Xxh64{message.seed})
                       : clockwise::detail::policy_probe(clockwise::Xxh3{message.seed});
  message.vnodes = message.kind == 1 ? 0 : 1 + (message.vnodes - 1) % 16;
  message.tail.clear();
}

/// Sorts rows and domains, removes duplicates, and drops domains without a row.
void repair_rows(Message& message) {
  constexpr std::uint64_t infinity = std::uint64_t{0x7ff} << 52;
  const std::uint64_t one = std::bit_cast<std::uint64_t>(1.0);
  if (message.domains.empty()) message.domains.emplace_back();
  for (Row& row : message.rows) {
    if (row.flags / 2 >= message.domains.size()) row.flags %= 2;
    if (row.weight >= infinity || row.weight == one) row.flags &= ~std::uint64_t{1};
    if (row.flags % 2 != 0 && row.weight == 0) row.tokens.clear();
    if (row.id.empty()) row.id = "a";
  }
  const auto before = [](const Domain& a, const Domain& b) {
    return std::pair(a.datacenter, a.rack) < std::pair(b.datacenter, b.rack);
  };
  const auto same = [](const Domain& a, const Domain& b) {
    return a.datacenter == b.datacenter && a.rack == b.rack;
  };
  std::stable_sort(message.rows.begin(), message.rows.end(),
                   [](const Row& a, const Row& b) { return a.id < b.id; });
  message.rows.erase(std::unique(message.rows.begin(), message.rows.end(),
                                 [](const Row& a, const Row& b) { return a.id == b.id; }),
                     message.rows.end());
  std::vector<Domain> used;
  for (const Row& row : message.rows) used.push_back(message.domains[row.flags / 2]);
  std::sort(used.begin(), used.end(), before);
  used.erase(std::unique(used.begin(), used.end(), same), used.end());
  for (Row& row : message.rows) {
    const auto at =
        std::lower_bound(used.begin(), used.end(), message.domains[row.flags / 2], before);
    row.flags = 2 * static_cast<std::uint64_t>(at - used.begin()) + row.flags % 2;
    std::sort(row.tokens.begin(), row.tokens.end());
    row.tokens.erase(std::unique(row.tokens.begin(), row.tokens.end()), row.tokens.end());
  }
  message.domains = std::move(used);
}

class Mutator {
 public:
  explicit Mutator(Random& random) : random_(random) {}

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  template <class T>
  T& any(std::vector<T>& items) {
    return items[below(items.size())];
  }

  void change(std::uint64_t& number) {
    static constexpr std::uint64_t edges[] = {
        0, 1, 2, 127, 128, 1 << 14, 1 << 24, (1 << 24) + 1, 0xffffffff, ~std::uint64_t{0}};
    switch (below(4)) {
      case 0:
        number += below(5) - 2;
        break;
      case 1:
        number ^= std::uint64_t{1} << below(64);
        break;
      case 2:
        number = random_();
        break;
      default:
        number = edges[below(std::size(edges))];
    }
  }
  void change(std::string& text) {
    text = clockwise_test::with_bytes_changed(std::move(text), "a", random_);
    if (one_in(64)) text.append(200, 'x');
  }
  /// A weight at which behaviour changes, or any weight.
  std::uint64_t weight() {
    static constexpr double weights[] = {0, -0.0, 1, 0.5, 2, 1e-300, 1e300, -1, 0.0025, 3.5};
    if (one_in(4)) return random_();
    return std::bit_cast<std::uint64_t>(weights[below(std::size(weights))]);
  }

  void change(Message& message, const Message& other) {
    switch (below(16)) {
      case 0:
        change(message.magic);
        break;
      case 1:
        change(one_in(2) ? message.format : message.contract);
        break;
      case 2:
        message.kind ^= 1;
        message.vnodes = message.kind == 1 ? 0 : 1 + below(8);
        break;
      case 3:
        if (one_in(2)) {
          message.policy = one_in(2) ? "xxh3-64" : "xxh64";
        } else {
          change(message.policy);
        }
        break;
      case 4:
        change(one_in(2) ? message.seed : message.seeds);
        if (one_in(2))
          message.circle = clockwise::detail::policy_probe(clockwise::Xxh3{message.seed});
        break;
      case 5:
        change(message.vnodes);
        break;
      case 6:
        change(message.circle);
        break;
      case 7:
        message.domains.push_back(
            other.domains.empty() || one_in(2)
                ? Domain{std::string(below(3), 'd'), std::string(below(3), 'r')}
                : other.domains[below(other.domains.size())]);
        if (!message.rows.empty()) any(message.rows).flags = 2 * (message.domains.size() - 1);
        break;
      case 8:
        if (!message.domains.empty()) {
          Domain& domain = any(message.domains);
          change(one_in(2) ? domain.datacenter : domain.rack);
        }
        break;
      case 9:
        change(message.tail);
        break;
      case 10:
        if (!message.rows.empty())
          message.rows.erase(message.rows.begin() +
                             static_cast<std::ptrdiff_t>(below(message.rows.size())));
        break;
      case 11:
        if (!other.rows.empty()) message.rows.push_back(other.rows[below(other.rows.size())]);
        break;
      default:
        if (message.rows.empty()) {
          message.rows.emplace_back().id = "a";
          if (message.domains.empty()) message.domains.emplace_back();
        }
        change(any(message.rows), message);
    }
  }

 private:
  void change(Row& row, const Message& message) {
    switch (below(5)) {
      case 0:
        change(row.id);
        break;
      case 1:
        row.flags ^= 1;
        row.weight = weight();
        break;
      case 2:
        row.flags = 2 * below(message.domains.size() + 1) + row.flags % 2;
        break;
      case 3:
        row.weight = weight();
        row.flags |= 1;
        break;
      default:
        if (row.tokens.empty() || one_in(3)) {
          row.tokens.push_back(random_());
        } else if (one_in(3)) {
          row.tokens.pop_back();
        } else {
          change(any(row.tokens));
        }
    }
  }

  Random& random_;
};

}  // namespace

std::string clockwise_mutate(const std::string& bytes, const std::string& other, Random& random) {
  if (random() % 8 == 0) return clockwise_test::with_bytes_changed(bytes, other, random);
  Message message = read(bytes);
  if (random() % 16 != 0) {  // otherwise errors would accumulate and hide each other
    repair_head(message);
    repair_rows(message);
  }
  Mutator mutator(random);
  for (std::uint64_t changes = 1 + random() % 3; changes > 0; --changes) {
    mutator.change(message, read(other));
  }
  if (random() % 8 != 0) repair_rows(message);
  if (random() % 2 != 0) repair_head(message);
  std::string written = write(message, random() % 64 == 0 ? random() % 5 : 0, random);
  const std::uint64_t sum =
      clockwise::detail::wire_checksum(written) + (random() % 64 == 0 ? 1 : 0);
  for (int shift = 0; shift < 64; shift += 8) written += static_cast<char>(sum >> shift & 0xff);
  return written;
}
