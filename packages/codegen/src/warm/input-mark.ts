import { readdirSync, readFileSync } from 'node:fs'
import { foundAt } from '../evaluate/found-at.js'
import { contentHash } from '../write/content-hash.js'

/** What an input was like when the record was made. Cheap to take again, and equal only when the input is. */
export type InputMark =
  /** The content decides. */
  | { readonly kind: 'content'; readonly path: string; readonly hash: string | null }
  /** A file of an installed package, which nobody edits: size and time decide, and only where they differ the content. */
  | {
      readonly kind: 'package file'
      readonly path: string
      readonly size: number
      readonly modifiedMs: number
      readonly hash: string
    }
  /** The names in a folder decide: a new file can change what an import or a pattern finds. */
  | { readonly kind: 'names'; readonly path: string; readonly hash: string | null }

/** Marks a file by its content; a file that does not exist is marked as absent. */
export function markContent(path: string): InputMark {
  return { kind: 'content', path, hash: hashOfFile(path) }
}

/** Marks a file of an installed package. */
export function markPackageFile(path: string): InputMark {
  const found = foundAt(path)
  const hash = hashOfFile(path)
  if (found === undefined || hash === null) return markContent(path)
  return { kind: 'package file', path, size: found.size, modifiedMs: found.mtimeMs, hash }
}

/** Marks a folder by the names in it. */
export function markNames(path: string): InputMark {
  return { kind: 'names', path, hash: hashOfNames(path) }
}

/** Whether an input is still as it was marked. */
export function isUnchanged(mark: InputMark): boolean {
  switch (mark.kind) {
    case 'content':
      return hashOfFile(mark.path) === mark.hash
    case 'names':
      return hashOfNames(mark.path) === mark.hash
    case 'package file': {
      const found = foundAt(mark.path)
      if (found === undefined) return false
      const untouched = found.size === mark.size && found.mtimeMs === mark.modifiedMs
      return untouched || hashOfFile(mark.path) === mark.hash
    }
  }
}

function hashOfFile(path: string): string | null {
  return foundAt(path)?.isFile() === true ? contentHash(readFileSync(path)) : null
}

function hashOfNames(path: string): string | null {
  if (foundAt(path)?.isDirectory() !== true) return null
  return contentHash(readdirSync(path).sort().join('\n'))
}
