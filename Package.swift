// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableExperimentalFeature("Lifetimes"),
]

let package = Package(
  name: "OfflineTree",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "OfflineTree", targets: ["OfflineTree"]),
  ],
  targets: [
    .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
    .systemLibrary(
      name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
    .systemLibrary(name: "CGnuTLS", pkgConfig: "gnutls", providers: [.apt(["libgnutls28-dev"]), .brew(["gnutls"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    .systemLibrary(
      name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"]), .brew(["qrencode"])]),
    .target(name: "OfflineTree", dependencies: ["CLMDB", "CSodium"], swiftSettings: strict),
    .target(name: "TestSupport", dependencies: ["OfflineTree"], path: "Tests/TestSupport", swiftSettings: strict),
    .testTarget(name: "OfflineTreeTests", dependencies: ["OfflineTree", "TestSupport"], swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
