import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Checked } from '../../diagnostics/diagnostic.js'
import { foundAt } from '../../evaluate/found-at.js'
import { inWords, isDiskError } from '../../write/disk.js'
import { lockPath } from '../../write/lock-text.js'
import { emptyBase, noSuchPath, notReadable } from './base-diagnostics.js'
import { lockAtRevision } from './lock-at-revision.js'

/** What the design is compared with. */
export interface Base {
  /** The text of the lock. */
  readonly text: string
  /** What people call it: `HEAD`, `main`, or the path of a file. */
  readonly shown: string
  readonly kind: 'revision' | 'file'
}

/** Where the base is looked for. */
export interface BaseChoice {
  /** A revision of Git, `revision:path of a lock`, or the path of a lock or of a folder with one. Default: `HEAD`. */
  readonly base?: string
  /** Where the command was started: absolute. */
  readonly cwd: string
  /** The project's root: absolute. */
  readonly root: string
  /** The output folder, relative to the root. */
  readonly output: string
}

/** Finds the lock to compare with: a path that leads to one comes before a revision of the same name. */
export async function findBase({ base = 'HEAD', cwd, root, output }: BaseChoice): Promise<Checked<Base>> {
  if (base.trim() === '' || base === ':') return { diagnostics: [emptyBase(base)] }
  const path = lockFileAt(resolve(cwd, base))
  if (path !== undefined) return readBase(path, base)
  if (isPath(base)) return { diagnostics: [noSuchPath(base)] }
  const found = await lockAtRevision(base, { root, lock: `${output}/${lockPath}` })
  if (found.value === undefined) return { diagnostics: found.diagnostics }
  return { value: { text: found.value, shown: base, kind: 'revision' }, diagnostics: [] }
}

function lockFileAt(path: string): string | undefined {
  return [path, join(path, lockPath)].find((file) => foundAt(file)?.isFile() === true)
}

/** Whether a text can only be meant as a path. */
function isPath(text: string): boolean {
  return /^(?:\.{1,2}(?:[\\/]|$)|[\\/]|[A-Za-z]:[\\/])|^[^:]*\.json$/.test(text)
}

function readBase(path: string, base: string): Checked<Base> {
  try {
    return { value: { text: readFileSync(path, 'utf8'), shown: base, kind: 'file' }, diagnostics: [] }
  } catch (error) {
    if (!isDiskError(error)) throw error
    return { diagnostics: [notReadable(base, inWords(error))] }
  }
}
