extension Sodium {
  /// Of fixtures/signatures: the names say what is wrong with each.
  static let vectors: [Vector] = [
    Vector(
      "the second of RFC 8032",
      key: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00", counts: true),
    Vector(
      "the key is the neutral point",
      key: "0100000000000000000000000000000000000000000000000000000000000000", "6d6573736167652030",
      "bd1978aec82630870f2df1518ab3cf95a2ca92be86515a973a990f2db808c6ce"
        + "89e86cfd5694650170f83f4602e1063c9c3a6979ed6d70cab70b2ad843f24b01"),
    Vector(
      "the key is outside of the main subgroup",
      key: "b154bd62188ae283dd187fefe8c31f5e276edf083b4cff11c9d5cff856c74440", "6d6573736167652034",
      "d2332636dbbc4820d0f8b41061b534b821ecd5c576c818b1da7176a059475d79"
        + "f4d5710b9e97435da35eb9aadb1ba6612cf877e5d31300c4d8819b0fd0a80009"),
    Vector(
      "the key is not canonical",
      key: "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", "6d6573736167652030",
      "bd1978aec82630870f2df1518ab3cf95a2ca92be86515a973a990f2db808c6ce"
        + "89e86cfd5694650170f83f4602e1063c9c3a6979ed6d70cab70b2ad843f24b01"),
    Vector(
      "R is the neutral point",
      key: "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8", "6d6573736167652030",
      "0100000000000000000000000000000000000000000000000000000000000000"
        + "a048884fc1c953e70e9d18b6bad836b39b84997eb4ef89e34fb6af15a672a606"),
    Vector(
      "R is outside of the main subgroup",
      key: "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8", "6d65737361676520313031",
      "20ecc2b0d900f12f0f580c35bedfb7fb96576d3fc013ee1fd7cb9e79d18e7800"
        + "0e4af88b80da051d45e6a4e262c23927b0c4731c56a22096f420dd6cd81dbd01"),
    Vector(
      "S is beyond the order of the group",
      key: "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8", "6d65737361676520333030",
      "67aaeb11db80d23148da9c75ab329c6fa7a5f85369ebb210049d673ed47ab3de"
        + "c1c1f92888c84b9ecf9b99e1191486852b8fe266af0ade4ce079b37dc90ea814"),
  ]
}
