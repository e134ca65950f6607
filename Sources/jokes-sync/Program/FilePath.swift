#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The path from the root of the file system, without a slash at its end.
func absolutePath(_ path: String) -> String {
  var path = path
  while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
  if path.hasPrefix("/") { return path }
  guard let folder = unsafe getcwd(nil, 0) else { return path }
  defer { unsafe free(folder) }
  let current = unsafe String(cString: folder)
  return current == "/" ? "/" + path : current + "/" + path
}
