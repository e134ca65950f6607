internal import OfflineTree

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// A number for each of any number of paths, in a mapped nameless file: memory holds only what is in use.
///
/// Open addressing over 128-bit hashes of the paths; a slot is hash 16 ‖ number 8 ‖ used 8, in the machine's order.
@safe
final class CountTable {
  private static let slotBytes = 32

  private let descriptor: Int32
  private let folder: String
  private var slots: Int
  private var used = 0
  private var memory: UnsafeMutableRawPointer

  /// - Throws: `full` or `inputOutput`.
  init(folder: String, slots: Int = 4_096) throws(TreeError) {
    self.folder = folder
    self.slots = slots
    descriptor = try NamelessFile.make(in: folder)
    do throws(TreeError) {
      unsafe memory = try CountTable.map(descriptor, slots, folder)
    } catch {
      close(descriptor)
      throw error
    }
  }

  deinit {
    unsafe munmap(memory, slots * CountTable.slotBytes)
    close(descriptor)
  }

  var isEmpty: Bool { used == 0 }

  func add(_ number: Int64, to path: PathKey) throws(TreeError) {
    if used * 2 >= slots { try grow() }
    insert(CountTable.hash(path), number)
  }

  /// 0 for a path that nothing was added to.
  func count(_ path: PathKey) -> Int64 {
    let offset = slot(CountTable.hash(path))
    return unsafe memory.load(fromByteOffset: offset + 16, as: Int64.self)
  }

  private static func hash(_ path: PathKey) -> UInt128 {
    unsafe path.textBytes.withUnsafeBytes { unsafe Sodium.checksum128($0) }
  }

  private func insert(_ hash: UInt128, _ number: Int64) {
    let offset = slot(hash)
    if unsafe memory.load(fromByteOffset: offset + 24, as: UInt64.self) == 0 {
      unsafe memory.storeBytes(of: hash, toByteOffset: offset, as: UInt128.self)
      unsafe memory.storeBytes(of: 1, toByteOffset: offset + 24, as: UInt64.self)
      used += 1
    }
    let old = unsafe memory.load(fromByteOffset: offset + 16, as: Int64.self)
    unsafe memory.storeBytes(of: old &+ number, toByteOffset: offset + 16, as: Int64.self)
  }

  /// Where the hash stands, or the free slot where it belongs. There always is one: half the slots are free.
  private func slot(_ hash: UInt128) -> Int {
    var index = Int(truncatingIfNeeded: hash & UInt128(slots - 1))
    while true {
      let offset = index * CountTable.slotBytes
      let isUsed = unsafe memory.load(fromByteOffset: offset + 24, as: UInt64.self) != 0
      let stands = unsafe memory.load(fromByteOffset: offset, as: UInt128.self)
      if !isUsed || stands == hash { return offset }
      index = (index + 1) & (slots - 1)
    }
  }

  private func grow() throws(TreeError) {
    let larger = try CountTable(folder: folder, slots: slots * 4)
    for index in 0..<slots {
      let offset = index * CountTable.slotBytes
      if unsafe memory.load(fromByteOffset: offset + 24, as: UInt64.self) != 0 {
        unsafe larger.insert(
          memory.load(fromByteOffset: offset, as: UInt128.self),
          memory.load(fromByteOffset: offset + 16, as: Int64.self))
      }
    }
    let bytes = larger.slots * CountTable.slotBytes
    let mapped = unsafe try CountTable.map(larger.descriptor, larger.slots, folder)
    guard dup2(larger.descriptor, descriptor) >= 0 else {
      unsafe munmap(mapped, bytes)
      throw systemError("cannot keep the counts in \(folder)")
    }
    unsafe munmap(memory, slots * CountTable.slotBytes)
    unsafe memory = mapped
    slots = larger.slots
  }

  private static func map(
    _ descriptor: Int32, _ slots: Int, _ folder: String
  ) throws(TreeError) -> UnsafeMutableRawPointer {
    let bytes = slots * slotBytes
    // Blocks are taken now: a full disk shall be an error here, and not a signal at the first touch of a page.
    guard reserve(descriptor, bytes) else { throw systemError("cannot keep the counts in \(folder)") }
    let memory = unsafe mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    guard let memory = unsafe memory, unsafe memory != MAP_FAILED else {
      throw systemError("cannot keep the counts in \(folder)")
    }
    return unsafe memory
  }

  private static func reserve(_ descriptor: Int32, _ bytes: Int) -> Bool {
    #if canImport(Glibc)
      let code = posix_fallocate(descriptor, 0, off_t(bytes))
      if code != 0 { errno = code }
      return code == 0
    #else
      return ftruncate(descriptor, off_t(bytes)) == 0
    #endif
  }
}
