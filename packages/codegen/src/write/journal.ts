import type { Disk } from './disk.js'
import { stagingName } from './output-turn.js'

/**
 * What a run is about to write: path → content hashes. It stands in the staging folder while files are renamed, so that
 * after a crash between two renames the next run knows the new content as toolgen's own.
 */
export type Journal = ReadonlyMap<string, ReadonlySet<string>>

const journalName = 'journal.json'

/** Reads what a run that died left in the staging folder; empty when there is nothing. */
export function readJournal(disk: Disk, folder: string): Journal {
  const path = `${folder}/${stagingName}/${journalName}`
  if (disk.kind(path) !== 'file') return new Map()
  const parsed = parseJson(Buffer.from(disk.read(path)).toString('utf8'))
  const entries = Array.isArray(parsed) ? parsed.filter(isEntry) : []
  return new Map(entries.map(([file, hashes]) => [file, new Set(hashes)]))
}

/** Writes the journal in one step. */
export function writeJournal(disk: Disk, staging: string, journal: Journal): void {
  const entries = [...journal].map(([file, hashes]) => [file, [...hashes]])
  disk.write(`${staging}/${journalName}.new`, JSON.stringify(entries))
  disk.move(`${staging}/${journalName}.new`, `${staging}/${journalName}`)
}

/** Every hash that either side knows. */
export function joinJournals(a: Journal, b: Journal): Journal {
  return new Map(
    [...new Set([...a.keys(), ...b.keys()])].map((path) => [
      path,
      new Set([...(a.get(path) ?? []), ...(b.get(path) ?? [])]),
    ]),
  )
}

/** A journal that a failing machine spoilt counts as none: its files then show as changed by hand, which loses nothing. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isEntry(value: unknown): value is readonly [string, readonly string[]] {
  return Array.isArray(value) && typeof value[0] === 'string' && Array.isArray(value[1])
}
