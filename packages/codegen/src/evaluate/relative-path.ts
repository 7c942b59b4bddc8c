import { relative, sep } from 'node:path'

/** A path as the project writes it: relative to its root, with `/`. */
export function relativePath(root: string, file: string): string {
  return relative(root, file).split(sep).join('/')
}
