// SPDX-License-Identifier: MIT
// clang-format off
#ifndef CLOCKWISE_TESTS_GOLDEN_VECTORS_HPP
#define CLOCKWISE_TESTS_GOLDEN_VECTORS_HPP

// Made by tests/support/golden.py, from the contract and xxHash alone:
//
//   python3 tests/support/golden.py > tests/golden_vectors.hpp
//
// A test that these vectors turn red means that every deployed fleet would reshuffle. Do not make
// them anew to turn it green: placement is a wire contract, and a new rule is a new version of it.

#include <cstdint>      // int64_t, uint32_t, uint64_t
#include <string_view>  // string_view

namespace golden {

struct TextKey {
  std::string_view key;
  std::uint64_t xxh3;
  std::uint64_t xxh3_seed_42;
  std::uint64_t xxh64;
  std::uint64_t xxh64_seed_42;
};
inline constexpr TextKey text_keys[] = {
    {std::string_view("", 0), 0x2d06800538d394c2, 0xb029411ff43d84d2, 0xef46db3751d8e999, 0x98b1582b0977e704},
    {std::string_view("a", 1), 0xe6c632b61e964e1f, 0x4c437dd47f0716f4, 0xd24ec4f1a98c6e5b, 0x88e4fe59adf7b0cc},
    {std::string_view("user:42", 7), 0x9fc1e605fa7174aa, 0x1d4738214b98f74f, 0xdc1fea7da8d2d1c2, 0x42f62c1d8560c7a2},
    {std::string_view("session/9f86d081884c7d65", 24), 0x351e502066b687d1, 0xf30a46b4c644774d, 0xb789f1717cc983c3, 0xa2c1c75ffe18bf99},
    {std::string_view("caf\303\251", 5), 0x4c83dbd5f29d367f, 0xae7dac8a4c2ef646, 0x9a40a9b974d85a6a, 0x463e7f101eed355f},
    {std::string_view("a\000b", 3), 0xd5a06cd078125351, 0xded1de69c192a4b0, 0xb51b25d68d1338c1, 0x9e76fe6aef47ebf2},
    {std::string_view("https://shop.example/berlin/boots/12345.html", 44), 0xd471a5149ad3d84f, 0x97598e8d8d560e4a, 0x6ad9934ff9c9d59b, 0x349f0576c96868b3},
    {std::string_view("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 300), 0xa5d1b4607dc83554, 0x3d7bd01799f47492, 0x8377db93c80fd5bf, 0x31c4fe9b75551564},
};

// Integers of any width: 64 bits in two's complement, little-endian.
struct IntegerKey {
  std::int64_t key;
  std::uint64_t xxh3;
};
inline constexpr IntegerKey integer_keys[] = {
    {0, 0xc77b3abb6f87acd9},
    {1, 0x2fbc593564db792e},
    {42, 0xd5a6f8c838df27c8},
    {255, 0x0d00568a2225a3e5},
    {65536, 0xf55f97f4cfd225b0},
    {72623859790382856, 0x908faf195058ca9e},
    {-1, 0x5111c7e47d784413},
    {-42, 0x3bf78c9bb5baba6b},
    {-9223372036854775807 - 1, 0x828f2476789a0e5f},
};

// The fleet, in the order of the bytes of its ids.
struct Node {
  std::string_view id;
  double weight;
  std::string_view rack;
  std::string_view datacenter;
  std::uint32_t vnodes;
  std::uint64_t share_high;  // the share of the circle is this * 2^64 + share_low positions
  std::uint64_t share_low;
};
inline constexpr std::uint32_t vnodes = 40;
inline constexpr Node fleet[] = {
    {std::string_view("cache-a", 7), 1.0, std::string_view("r1", 2), std::string_view("east", 4), 40, 0, 0x318bd4c5a972d27f},
    {std::string_view("cache-b", 7), 2.0, std::string_view("r1", 2), std::string_view("east", 4), 80, 0, 0x63fc8208607f3852},
    {std::string_view("cache-c", 7), 0.5, std::string_view("r2", 2), std::string_view("east", 4), 20, 0, 0x101ef96d92c650fb},
    {std::string_view("cache-d", 7), 0.0, std::string_view("r3", 2), std::string_view("west", 4), 0, 0, 0x0000000000000000},
    {std::string_view("cache-e", 7), 0.001, std::string_view("r2", 2), std::string_view("west", 4), 1, 0, 0x031a2445008bd0a9},
    {std::string_view("cache-f", 7), 1.0, std::string_view("", 0), std::string_view("west", 4), 40, 0, 0x2703495d8fd2c1ef},
    {std::string_view("caf\303\251", 5), 1.2625, std::string_view("r4", 2), std::string_view("west", 4), 51, 0, 0x303b4221d2e9119c},
};
inline constexpr std::string_view fingerprint = "e633300ab115b0c67df61363058b2321";

// Every vnode, clockwise: its position and its owner's place in the fleet.
struct Vnode {
  std::uint64_t position;
  std::uint32_t owner;
};
inline constexpr Vnode ring[] = {
    {0x012350337ac9a93a, 1}, {0x0126c7671631a4a9, 2}, {0x02557fc31b2c20fa, 0},
    {0x04db67ecb1568ee3, 5}, {0x05067c5a35570f4b, 1}, {0x05f81e73ffb66222, 5},
    {0x075ee892931a3fa6, 6}, {0x083ef63f4b33fb53, 1}, {0x0880b68bccb2a461, 1},
    {0x0b5fe35be97510f9, 1}, {0x0c6b3ca8fac35653, 1}, {0x0c6c8fdfb61083bf, 1},
    {0x0d8a7c98449747b3, 0}, {0x0efeeaa703b4eb39, 6}, {0x0f5bd8f94a45e95b, 6},
    {0x10175bd3f2a5f2fa, 0}, {0x11180dd7a9471f5e, 5}, {0x13cd830754458d6c, 1},
    {0x15a6cc10fe50bf3c, 1}, {0x16904fbcd8bfae34, 2}, {0x17c18c866013a3be, 5},
    {0x1844d80674cb76ee, 1}, {0x1a8f0a23f1bc19aa, 0}, {0x1aaf0a576a3bebd3, 2},
    {0x1c11ecc2f93ae653, 1}, {0x1e4a9a415110c3f9, 1}, {0x1ebe6b8fd5642c9e, 5},
    {0x20e491a48be4e219, 0}, {0x215924c1523ed6e7, 6}, {0x238f3ee6fabab6e1, 0},
    {0x24b41e9d54c4cf1a, 1}, {0x26022748dfa13fbe, 1}, {0x2705754c7ae4b689, 0},
    {0x2a1f99917b708732, 4}, {0x2add88f3c45c6c95, 6}, {0x2b6c005d7c2558bc, 0},
    {0x2d2e353cbdaa9a9d, 0}, {0x2e25ce1585c3d868, 0}, {0x2e4bd2edc3c58543, 6},
    {0x2fa91f91d54c7fd1, 6}, {0x2fc1483aeffcce3a, 6}, {0x30c5c076ed25ccd2, 2},
    {0x34ab05299f595c97, 2}, {0x34b775a1291f80e7, 6}, {0x352894c79c418d66, 1},
    {0x371ce8a3600a0f9f, 1}, {0x3769b0dfdf5cfc96, 6}, {0x38f590bb59c663ed, 2},
    {0x3a7e6d2cd69e6bac, 1}, {0x3a9ec9b6405c1665, 1}, {0x3bc7f05561c76042, 6},
    {0x3fab1a20650cb11a, 1}, {0x413ab43eff8ab295, 1}, {0x43984c459da9fc0c, 0},
    {0x43c1376a8eda22c6, 6}, {0x43d17654acfaa70f, 1}, {0x4670850a1f39a42e, 0},
    {0x4692de9dd85541ce, 1}, {0x470ef2467c4e8888, 2}, {0x49bfc814083837f0, 1},
    {0x4a4f718c05271935, 5}, {0x4b7f84942519f092, 1}, {0x4d6abd931afcbc2f, 1},
    {0x4db04cf0882ea4bf, 0}, {0x4e312560ef42b587, 5}, {0x4e713a4876c8875c, 0},
    {0x4e86011fe48f26a7, 0}, {0x50170de1b3a9bade, 1}, {0x504df6a94c1cd4d0, 6},
    {0x51b47a947e06fd7c, 6}, {0x53fec59fc0e45222, 6}, {0x54c39be987ea513a, 0},
    {0x57bcee26a69032bf, 0}, {0x58077b2030d75cf4, 2}, {0x5827684d7238ed58, 0},
    {0x58a831fcadb8f50d, 6}, {0x5bb5c378bab0ea81, 6}, {0x5d64a1655326a813, 1},
    {0x5d82e5ffffbd9602, 6}, {0x5d96436226983469, 1}, {0x5e1e9b86a4945d63, 0},
    {0x5f301b9b910b327a, 1}, {0x60159965a788d802, 1}, {0x6039ae8caba80f46, 1},
    {0x62a4243b3b7f4cd2, 1}, {0x62b72bee99a62f76, 1}, {0x62f77392c4611ac1, 5},
    {0x63400ab599059e7f, 0}, {0x63570ac2680f506f, 5}, {0x635dee5cce995dfa, 1},
    {0x63d768590e775700, 5}, {0x65e1972edf6205ab, 0}, {0x6983665283b47da1, 1},
    {0x69c978d8803e62ec, 6}, {0x69cbd1b31c5df0eb, 1}, {0x6c567a15f88b4f9b, 1},
    {0x6c687491f3f732bd, 2}, {0x6d42742d020c413f, 1}, {0x6dd18a77c0dda73c, 2},
    {0x6edcf08cbddd6f25, 1}, {0x6f035663d45353b9, 6}, {0x7171aab777aff374, 1},
    {0x71ee9d589714d2d3, 1}, {0x733ba790f2ff9333, 5}, {0x7593151bb85b5428, 5},
    {0x7625e14e57754227, 1}, {0x78e3723385e67122, 5}, {0x7b1a8b6cb89fdeb1, 1},
    {0x7b9065a50495d20a, 1}, {0x7c54613f46ac8bc1, 5}, {0x7c663b904f140f5f, 0},
    {0x7ce81090ee9acb12, 2}, {0x7d9a7a74566fb74f, 0}, {0x7dd5e65a49f4f58f, 1},
    {0x7f35432034870356, 1}, {0x80620c6e02f0ca0e, 1}, {0x835019fafca5509a, 0},
    {0x84f9595fe5d73dd6, 6}, {0x8632b6aac9a7ebc5, 1}, {0x872636a3e0430eb7, 6},
    {0x87bc6edc20d67c8b, 5}, {0x8e8315d7751dba77, 6}, {0x90e77d6a9b057f27, 0},
    {0x925ebfaa13d9a136, 1}, {0x93e1e1769106c589, 5}, {0x94ece32a037aec99, 2},
    {0x972307788320fd4c, 1}, {0x996074e658220ba9, 1}, {0x99b30b6d5edbc552, 1},
    {0x99c618c8f3d84ca2, 0}, {0x99c94842c10e1543, 6}, {0x9a94b85ffbae867c, 6},
    {0x9c1328abe4476650, 1}, {0x9ce32a32da9b6e85, 5}, {0x9d11ba92453825cb, 6},
    {0x9e17b24f34b29c04, 1}, {0x9e1ac88de7b65048, 5}, {0x9fc4ad60e89f6952, 1},
    {0xa4686ece224f0b6c, 0}, {0xa48f328a4a14c1c5, 5}, {0xa57955cccbaad962, 1},
    {0xa5a9577a81effb09, 1}, {0xa6667abf2564638a, 6}, {0xa7192cdc841b9f99, 6},
    {0xa939fa9472f0a100, 6}, {0xaa2ee43d4453d43f, 0}, {0xaa54a7e912b2105b, 0},
    {0xab6c31ef3ad4cdec, 1}, {0xaba2abdd63e1c2d2, 5}, {0xac2c17e193a860d6, 5},
    {0xaf7c37d3e24e6545, 2}, {0xafbd20a969730525, 1}, {0xb27a6009118438ab, 1},
    {0xb2c4d6b5aa4ad197, 5}, {0xb3f2623b1ca7b1a0, 6}, {0xb5a62fe46d829f27, 1},
    {0xb695b1fdf50b9717, 1}, {0xb82898b1e50a39a1, 0}, {0xb8504b5acf953661, 6},
    {0xb8b4b4cd7f049a2b, 1}, {0xbb00cedee82ec79e, 1}, {0xbbbb716e40fd1168, 6},
    {0xbc7557144394f05e, 6}, {0xbc79583cbc1dd981, 0}, {0xbca59660c8b064db, 1},
    {0xbceac5b866e74538, 1}, {0xbd36e89c18e25a89, 6}, {0xbd64f3b0c7555a91, 0},
    {0xbfac9a87214bc7dd, 1}, {0xc01a0da338309169, 6}, {0xc42f7803968df00a, 0},
    {0xc69a6b6777f0cbf9, 5}, {0xc6a7470c004e90b1, 2}, {0xc6a826417c55369e, 0},
    {0xc6dff00a87acac78, 0}, {0xc778625f161b32c6, 5}, {0xc7e19f816e2ea227, 1},
    {0xc935bf8d2fd0bfe7, 1}, {0xc95c14d3ea8992cc, 6}, {0xc9a39b981a1ce427, 5},
    {0xcaa5496b6b75bdf4, 1}, {0xcc4e0954233929a9, 5}, {0xcd68d0b36e1fa70c, 5},
    {0xcd9cccca327781b1, 6}, {0xcde0d4d308eaf167, 6}, {0xce524f1c8d490517, 1},
    {0xcee587da3164e9b7, 1}, {0xcf3a615cbb8aa9a7, 6}, {0xcfaf81991f5d8134, 2},
    {0xcfd264a85975037c, 1}, {0xd47415606d03d26e, 6}, {0xd819be0e8cedf182, 1},
    {0xd889ee2ef33b4b08, 2}, {0xd9bc06f17f18fdbb, 0}, {0xd9ff7146fcc0e750, 5},
    {0xdc156692baeec6e0, 5}, {0xdd421b026e056a12, 6}, {0xe086fdcc8e858402, 5},
    {0xe28b97044c2e0553, 1}, {0xe3763eefaa467ccc, 6}, {0xe3dafcc59783b4ec, 6},
    {0xe5891f5cde4affbf, 0}, {0xe647d610a72a9675, 0}, {0xe7851fd4440619bd, 6},
    {0xe7d539c1ee8b4650, 5}, {0xe8d5c1db477fa3f4, 6}, {0xe8e579333eedfc8e, 5},
    {0xe9f7d27a20166536, 6}, {0xeab407dc0715bd9d, 2}, {0xeaf42b234d4b6cc6, 5},
    {0xeb281b45795638c7, 2}, {0xeb2d92b45b3d0e43, 5}, {0xeb7df135d5038ab4, 5},
    {0xeccfdaefa611ba58, 5}, {0xee2381c873b37b03, 6}, {0xee863b444c6a29dd, 2},
    {0xf19f9d30af58c7eb, 5}, {0xf1a36e8fccf00680, 6}, {0xf206621052fc1dca, 1},
    {0xf2a111c6655030ec, 6}, {0xf2ca733230adb52a, 5}, {0xf4fa0f728b354455, 1},
    {0xf5a3be56c46a57a5, 1}, {0xf64749fed5c6771f, 6}, {0xf776ef829225fdb6, 1},
    {0xf7899e0285723220, 2}, {0xf8a43960da4f2d0d, 5}, {0xf9e6dc90bfc27c6a, 0},
    {0xfa4b6d40bb523ffa, 0}, {0xfb6b53a73ff56965, 1}, {0xfc88e5f2bf1319c5, 6},
    {0xfdf841d5e5b51a58, 5},
};

// Owners and copies: the first three nodes, and the first three and six by the rule of racks.
struct Placement {
  std::uint64_t position;
  std::string_view nodes;
  std::string_view racks;
  std::string_view six_by_racks;
};
inline constexpr Placement placements[] = {
    {0x2d06800538d394c2, std::string_view("cache-a|caf\303\251|cache-c", 21), std::string_view("cache-a|caf\303\251|cache-c", 21), std::string_view("cache-a|caf\303\251|cache-c|cache-b|cache-f|cache-e", 45)},
    {0xe6c632b61e964e1f, std::string_view("caf\303\251|cache-f|cache-c", 21), std::string_view("caf\303\251|cache-f|cache-c", 21), std::string_view("caf\303\251|cache-f|cache-c|cache-b|cache-a|cache-e", 45)},
    {0x9fc1e605fa7174aa, std::string_view("cache-b|cache-a|cache-f", 23), std::string_view("cache-b|cache-f|caf\303\251", 21), std::string_view("cache-b|cache-a|cache-f|caf\303\251|cache-c|cache-e", 45)},
    {0x351e502066b687d1, std::string_view("cache-b|caf\303\251|cache-c", 21), std::string_view("cache-b|caf\303\251|cache-c", 21), std::string_view("cache-b|caf\303\251|cache-c|cache-a|cache-f|cache-e", 45)},
    {0x4c83dbd5f29d367f, std::string_view("cache-b|cache-a|cache-f", 23), std::string_view("cache-b|cache-f|caf\303\251", 21), std::string_view("cache-b|cache-a|cache-f|caf\303\251|cache-c|cache-e", 45)},
    {0xd5a06cd078125351, std::string_view("cache-b|cache-c|cache-a", 23), std::string_view("cache-b|cache-c|cache-f", 23), std::string_view("cache-b|cache-c|cache-a|cache-f|caf\303\251|cache-e", 45)},
    {0xd471a5149ad3d84f, std::string_view("caf\303\251|cache-b|cache-c", 21), std::string_view("caf\303\251|cache-b|cache-c", 21), std::string_view("caf\303\251|cache-b|cache-c|cache-a|cache-f|cache-e", 45)},
    {0xa5d1b4607dc83554, std::string_view("caf\303\251|cache-a|cache-b", 21), std::string_view("caf\303\251|cache-a|cache-f", 21), std::string_view("caf\303\251|cache-a|cache-b|cache-f|cache-c|cache-e", 45)},
    {0xc77b3abb6f87acd9, std::string_view("cache-b|caf\303\251|cache-f", 21), std::string_view("cache-b|caf\303\251|cache-f", 21), std::string_view("cache-b|caf\303\251|cache-f|cache-c|cache-a|cache-e", 45)},
    {0x2fbc593564db792e, std::string_view("caf\303\251|cache-c|cache-b", 21), std::string_view("caf\303\251|cache-c|cache-b", 21), std::string_view("caf\303\251|cache-c|cache-b|cache-a|cache-f|cache-e", 45)},
    {0xd5a6f8c838df27c8, std::string_view("cache-b|cache-c|cache-a", 23), std::string_view("cache-b|cache-c|cache-f", 23), std::string_view("cache-b|cache-c|cache-a|cache-f|caf\303\251|cache-e", 45)},
    {0x0d00568a2225a3e5, std::string_view("cache-a|caf\303\251|cache-f", 21), std::string_view("cache-a|caf\303\251|cache-f", 21), std::string_view("cache-a|caf\303\251|cache-f|cache-b|cache-c|cache-e", 45)},
    {0xf55f97f4cfd225b0, std::string_view("cache-b|caf\303\251|cache-c", 21), std::string_view("cache-b|caf\303\251|cache-c", 21), std::string_view("cache-b|caf\303\251|cache-c|cache-f|cache-a|cache-e", 45)},
    {0x908faf195058ca9e, std::string_view("cache-a|cache-b|cache-f", 23), std::string_view("cache-a|cache-f|cache-c", 23), std::string_view("cache-a|cache-b|cache-f|cache-c|caf\303\251|cache-e", 45)},
    {0x5111c7e47d784413, std::string_view("caf\303\251|cache-a|cache-c", 21), std::string_view("caf\303\251|cache-a|cache-c", 21), std::string_view("caf\303\251|cache-a|cache-c|cache-b|cache-f|cache-e", 45)},
    {0x3bf78c9bb5baba6b, std::string_view("cache-b|cache-a|caf\303\251", 21), std::string_view("cache-b|caf\303\251|cache-c", 21), std::string_view("cache-b|cache-a|caf\303\251|cache-c|cache-f|cache-e", 45)},
    {0x828f2476789a0e5f, std::string_view("cache-a|caf\303\251|cache-b", 21), std::string_view("cache-a|caf\303\251|cache-f", 21), std::string_view("cache-a|caf\303\251|cache-b|cache-f|cache-c|cache-e", 45)},
    {0x0000000000000000, std::string_view("cache-b|cache-c|cache-a", 23), std::string_view("cache-b|cache-c|cache-f", 23), std::string_view("cache-b|cache-c|cache-a|cache-f|caf\303\251|cache-e", 45)},
    {0xffffffffffffffff, std::string_view("cache-b|cache-c|cache-a", 23), std::string_view("cache-b|cache-c|cache-f", 23), std::string_view("cache-b|cache-c|cache-a|cache-f|caf\303\251|cache-e", 45)},
    {0x012350337ac9a93a, std::string_view("cache-b|cache-c|cache-a", 23), std::string_view("cache-b|cache-c|cache-f", 23), std::string_view("cache-b|cache-c|cache-a|cache-f|caf\303\251|cache-e", 45)},
    {0x012350337ac9a93b, std::string_view("cache-c|cache-a|cache-f", 23), std::string_view("cache-c|cache-a|cache-f", 23), std::string_view("cache-c|cache-a|cache-f|cache-b|caf\303\251|cache-e", 45)},
    {0xfdf841d5e5b51a58, std::string_view("cache-f|cache-b|cache-c", 23), std::string_view("cache-f|cache-b|cache-c", 23), std::string_view("cache-f|cache-b|cache-c|cache-a|caf\303\251|cache-e", 45)},
    {0xfdf841d5e5b51a59, std::string_view("cache-b|cache-c|cache-a", 23), std::string_view("cache-b|cache-c|cache-f", 23), std::string_view("cache-b|cache-c|cache-a|cache-f|caf\303\251|cache-e", 45)},
    {0x13cd830754458d6c, std::string_view("cache-b|cache-c|cache-f", 23), std::string_view("cache-b|cache-c|cache-f", 23), std::string_view("cache-b|cache-c|cache-f|cache-a|caf\303\251|cache-e", 45)},
    {0x13cd830754458d6d, std::string_view("cache-b|cache-c|cache-f", 23), std::string_view("cache-b|cache-c|cache-f", 23), std::string_view("cache-b|cache-c|cache-f|cache-a|caf\303\251|cache-e", 45)},
};

// All of key-0 .. key-9999: FNV-1a, 64 bits, over each owner's id and a newline.
inline constexpr std::uint64_t owners_of_10000_keys = 0x5025f9e37808ebbb;

}  // namespace golden

#endif  // CLOCKWISE_TESTS_GOLDEN_VECTORS_HPP
