// swift-tools-version: 6.2
import PackageDescription

/// Set by script/fuzz: everything is built for libFuzzer, and the program that drives it as well.
let isFuzzing = Context.environment["FUZZ"] == "1"
let sanitizers = ["-sanitize=fuzzer,address"]

let strict: [SwiftSetting] =
  [
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableExperimentalFeature("Lifetimes"),
  ] + (isFuzzing ? [.unsafeFlags(sanitizers)] : [])

/// SwiftPM renames `main`, which libFuzzer's own then takes the place of; only lld links that.
let fuzzing: [Target] = [
  .systemLibrary(name: "CLibFuzzer", path: "Fuzzing/CLibFuzzer"),
  .executableTarget(
    name: "fuzz", dependencies: ["FuzzTargets", "CLibFuzzer"], path: "Fuzzing/Program", swiftSettings: strict,
    linkerSettings: [.unsafeFlags(sanitizers + ["-use-ld=lld"])]),
]

let package = Package(
  name: "OfflineTree",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "OfflineTree", targets: ["OfflineTree"]),
    .library(name: "OfflineTreeFoundation", targets: ["OfflineTreeFoundation"]),
    .library(name: "Replicator", targets: ["Replicator"]),
    .executable(name: "jokes-sync", targets: ["jokes-sync"]),
  ],
  targets: [
    .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
    .systemLibrary(
      name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
    .systemLibrary(name: "CGnuTLS", pkgConfig: "gnutls", providers: [.apt(["libgnutls28-dev"]), .brew(["gnutls"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    .systemLibrary(
      name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"]), .brew(["qrencode"])]),
    .systemLibrary(name: "CProcess"),
    .target(name: "OfflineTree", dependencies: ["CLMDB", "CSodium", "CZstd"], swiftSettings: strict),
    .target(name: "OfflineTreeFoundation", dependencies: ["OfflineTree"], swiftSettings: strict),
    .target(name: "Replicator", dependencies: ["OfflineTree", "CGnuTLS"], swiftSettings: strict),
    .executableTarget(
      name: "jokes-sync", dependencies: ["OfflineTree", "Replicator", "CProcess", "CQREncode"], swiftSettings: strict),
    .executableTarget(
      name: "FirebaseJokes", dependencies: ["OfflineTree"], path: "Examples/FirebaseJokes", exclude: ["expected.txt"],
      swiftSettings: strict),
    .executableTarget(
      name: "Murals", dependencies: ["OfflineTree"], path: "Examples/Murals", exclude: ["expected.txt"],
      swiftSettings: strict),
    .executableTarget(name: "Benchmarks", dependencies: ["OfflineTree", "Replicator", "CLMDB"], swiftSettings: strict),
    .target(
      name: "FuzzTargets", dependencies: ["OfflineTree", "Replicator"], path: "Fuzzing/Targets", swiftSettings: strict),
    .systemLibrary(name: "CHeap", path: "Tests/CHeap"),
    .target(name: "TestSupport", dependencies: ["OfflineTree"], path: "Tests/TestSupport", swiftSettings: strict),
    .target(
      name: "Simulation", dependencies: ["OfflineTree", "Replicator", "TestSupport"], path: "Tests/Simulation",
      exclude: ["Mutations"], swiftSettings: strict),
    .executableTarget(
      name: "simulate", dependencies: ["OfflineTree", "Simulation", "TestSupport"], path: "Tests/SimulateProgram",
      swiftSettings: strict),
    .testTarget(name: "SimulationTests", dependencies: ["Simulation", "TestSupport"], swiftSettings: strict),
    .testTarget(name: "OfflineTreeTests", dependencies: ["OfflineTree", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "OfflineTreeFoundationTests", dependencies: ["OfflineTree", "OfflineTreeFoundation"], swiftSettings: strict),
    .testTarget(
      name: "ReplicatorTests", dependencies: ["OfflineTree", "Replicator", "FuzzTargets", "TestSupport", "CHeap"],
      swiftSettings: strict),
  ] + (isFuzzing ? fuzzing : []),
  swiftLanguageModes: [.v6]
)
