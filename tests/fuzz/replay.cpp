// SPDX-License-Identifier: MIT
// replay FOLDER ROUNDS: runs the body on each file of a corpus, then on ROUNDS mutations of them.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "fuzz/fuzz.hpp"

namespace {

std::string mutated(std::string bytes, const std::string& other, std::mt19937_64& random) {
  for (std::uint64_t edits = 1 + random() % 4; edits > 0; --edits) {
    const std::size_t at = random() % (bytes.size() + 1);
    switch (random() % 5) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(random());
        break;
      case 1:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        break;
      case 2:
        bytes.insert(at, random() % 9, static_cast<char>(random()));
        break;
      case 3:
        bytes.erase(at, random() % 9);
        break;
      default:
        bytes = bytes.substr(0, at) + other.substr(random() % (other.size() + 1));
    }
  }
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "replay FOLDER ROUNDS\n";
    return 2;
  }
  std::vector<std::string> corpus;
  for (const auto& file : std::filesystem::directory_iterator(argv[1])) {
    std::ifstream in(file.path(), std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  std::sort(corpus.begin(), corpus.end());  // the same order on every file system
  if (corpus.empty()) {
    std::cerr << "no corpus in " << argv[1] << '\n';
    return 2;
  }
  const auto run = [](const std::string& bytes) {
    clockwise_fuzz(std::as_bytes(std::span(bytes)));
  };
  for (const auto& bytes : corpus) run(bytes);
  std::mt19937_64 random(1);
  const long rounds = std::atol(argv[2]);
  for (long round = 0; round < rounds; ++round) {
    run(mutated(corpus[random() % corpus.size()], corpus[random() % corpus.size()], random));
  }
  std::cout << corpus.size() << " files and " << rounds << " mutations of them\n";
}
