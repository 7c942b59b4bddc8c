import { posix } from 'node:path'

/** How a module of a folder of the project imports another of its modules, both as paths from its root. */
export function importPath(folder: string, module: string): string {
  const path = posix.relative(folder, module)
  return path.startsWith('.') ? path : `./${path}`
}
