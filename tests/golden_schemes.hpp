// SPDX-License-Identifier: MIT
// clang-format off
#ifndef CLOCKWISE_TESTS_GOLDEN_SCHEMES_HPP
#define CLOCKWISE_TESTS_GOLDEN_SCHEMES_HPP

// Made by tests/support/golden_schemes.py, from the documented rules and xxHash alone:
//
//   python3 tests/support/golden_schemes.py > tests/golden_schemes.hpp
//
// As with golden_vectors.hpp, red means that fleets would reshuffle: do not make these anew.

#include <cstdint>      // uint32_t
#include <string_view>  // string_view

namespace golden {

struct SchemeNode {
  std::string_view id;
  double weight;
};
inline constexpr SchemeNode scheme_nodes[] = {
    {"cache-a", 1.0},
    {"cache-b", 2.0},
    {"cache-c", 0.5},
    {"cache-d", 0.0},
    {"cache-e", 0.25},
    {"cache-f", 1.0},
    {"caf\303\251", 1.5},
};

// Numbers of nodes in order of preference, the owner first: of all of them with equal weights, or
// with theirs.
struct SchemeOwners {
  std::string_view key;
  std::string_view rendezvous;           // the whole order
  std::string_view rendezvous_weighted;  // the whole order
  std::string_view jump;                 // three
  std::string_view jump_back;            // three
  std::string_view jump_back_gaps;       // three, without nodes 2 and 6
  std::string_view maglev;               // three, of 251 entries
  std::string_view maglev_weighted;      // three
  std::string_view multi_probe;          // the whole order
  std::uint32_t slot;                    // of 100
};
inline constexpr std::uint32_t maglev_size = 251;
inline constexpr std::uint32_t slots = 100;
inline constexpr SchemeOwners scheme_owners[] = {
    {"", "4162035", "416052", "031", "043", "043", "345", "065", "1403256", 17},
    {"a", "5361042", "561024", "162", "036", "035", "642", "615", "0631245", 90},
    {"user:42", "5640231", "560124", "142", "012", "015", "245", "201", "5160324", 62},
    {"key0", "6140325", "610542", "140", "213", "135", "604", "610", "4156032", 45},
    {"key1", "6143520", "615042", "452", "514", "514", "162", "162", "5640231", 21},
    {"key2", "2106543", "120654", "240", "603", "034", "346", "016", "3521406", 44},
    {"key3", "6143502", "615042", "154", "610", "103", "514", "514", "0653214", 44},
    {"key4", "1340265", "106542", "501", "601", "013", "465", "065", "6250314", 76},
    {"key5", "3146025", "160542", "106", "653", "530", "423", "610", "4520316", 2},
    {"key6", "3504261", "506241", "514", "541", "541", "465", "165", "2035461", 93},
    {"key7", "6024513", "601524", "150", "250", "504", "432", "162", "3260154", 15},
    {"key8", "4306152", "601452", "410", "214", "143", "013", "165", "6312405", 13},
    {"key9", "0145632", "016542", "120", "435", "435", "103", "106", "1406352", 61},
    {"key10", "5143206", "516042", "361", "360", "304", "136", "165", "2564031", 37},
    {"key11", "2506143", "250164", "230", "024", "043", "146", "164", "2146035", 41},
    {"key12", "3265014", "621504", "106", "641", "410", "305", "105", "3650142", 96},
    {"key13", "6024315", "602145", "342", "360", "305", "016", "160", "5640321", 4},
    {"key14", "3062541", "601254", "524", "312", "315", "615", "610", "2035164", 48},
    {"key15", "0231654", "012654", "013", "013", "013", "326", "165", "0321564", 62},
    {"key16", "1624350", "162504", "051", "264", "401", "346", "016", "6203415", 9},
    {"key17", "2145603", "216504", "301", "036", "031", "352", "152", "4612035", 20},
    {"key18", "5203164", "501264", "513", "024", "041", "162", "162", "3421065", 92},
    {"key19", "6431250", "614502", "235", "213", "134", "146", "154", "6524031", 80},
    {"key20", "2014653", "210654", "016", "604", "043", "031", "061", "0352614", 61},
    {"key21", "5402163", "501426", "216", "453", "453", "042", "102", "2564031", 97},
    {"key22", "2315064", "125064", "405", "132", "135", "235", "265", "5403126", 19},
    {"key23", "6102345", "160254", "041", "514", "514", "456", "016", "5603214", 32},
    {"key24", "0352146", "015264", "403", "520", "501", "560", "605", "2403156", 97},
    {"key25", "5614203", "516024", "521", "325", "354", "152", "152", "0361425", 17},
    {"key26", "5310624", "156024", "501", "654", "543", "326", "165", "5246031", 2},
    {"key27", "2653014", "265104", "410", "503", "503", "351", "251", "0431526", 63},
    {"key28", "2056314", "205614", "106", "512", "510", "236", "201", "2165403", 91},
};

// The owner of each slot, all nodes added at once with their weights.
inline constexpr std::string_view slot_owners =
    "1605126105614160512610561160512610561416051261056116051261056141605126105611605126105614160512610561";

}  // namespace golden

#endif  // CLOCKWISE_TESTS_GOLDEN_SCHEMES_HPP
