import { type EmittedFile, hashOf, isOutputPath } from './files.js'
import { lockContract } from './lock-text.js'

/** What a run needs of the lock: which files toolgen wrote, with the hash of each. */
export interface Lock {
  /** Path below the output folder → content hash. */
  readonly files: ReadonlyMap<string, string>
}

/** The outcome of reading a lock's text. */
export type LockReading =
  | { readonly kind: 'read'; readonly lock: Lock }
  /** Written by a later toolgen. */
  | { readonly kind: 'newer'; readonly contract: number }
  /** Not a lock; `reason` ends the sentence "it ...". */
  | { readonly kind: 'corrupt'; readonly reason: string }

/** The lock that this process wrote last: a large one takes longer to read than all else of a run while watching. */
let written: { readonly text: string; readonly lock: Lock } | undefined

/** A lock was written, which lists these files. */
export function rememberLock(text: string, files: readonly EmittedFile[]): void {
  written = { text, lock: { files: new Map(files.map((file) => [file.path, hashOf(file)])) } }
}

/** Reads `toolgen.lock.json`; a path that leaves the output folder makes the whole lock corrupt. */
export function readLock(text: string): LockReading {
  if (written?.text === text) return { kind: 'read', lock: written.lock }
  const parsed = parseJson(text)
  if (parsed === undefined) {
    return corrupt(/^(<<<<<<<|=======|>>>>>>>)/m.test(text) ? 'holds the marks of a merge conflict' : 'is not JSON')
  }
  const contract = ownValue(parsed.value, 'contract')
  if (typeof contract !== 'number' || !Number.isInteger(contract) || contract < 1) {
    return corrupt('has no contract version')
  }
  if (contract > lockContract) return { kind: 'newer', contract }
  const listed = ownValue(parsed.value, 'files')
  if (!isRecord(listed)) return corrupt('has no list of files')
  const files = new Map<string, string>()
  for (const [path, hash] of Object.entries(listed)) {
    if (!isOutputPath(path))
      return corrupt(`lists the path ${JSON.stringify(path)}, which lies outside the output folder`)
    if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash)) {
      return corrupt(`gives ${JSON.stringify(path)} no SHA-256 hash`)
    }
    files.set(path, hash)
  }
  return { kind: 'read', lock: { files } }
}

function corrupt(reason: string): LockReading {
  return { kind: 'corrupt', reason }
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

function ownValue(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
