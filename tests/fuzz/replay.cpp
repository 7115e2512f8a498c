// SPDX-License-Identifier: MIT
// replay FOLDER ROUNDS: runs the body on each file of a corpus, then on ROUNDS mutations of them.

#include <algorithm>
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
    run(clockwise_mutate(corpus[random() % corpus.size()], corpus[random() % corpus.size()],
                         random));
  }
  std::cout << corpus.size() << " files and " << rounds << " mutations of them\n";
}
