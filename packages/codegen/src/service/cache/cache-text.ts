import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import process from 'node:process'
import { isDiskError } from '../../write/disk.js'

/** The text of a cache file; undefined when there is none that can be read. */
export function readCacheText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (!isDiskError(error)) throw error
    return undefined
  }
}

/**
 * Replaces a cache file in one step, so that no other run reads half a file. A cache that cannot be written costs time
 * and nothing else; the old file, which no longer tells of the last run, is then removed.
 */
export function writeCacheText(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`
  const written = attempt(() => {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(temporary, text)
    renameSync(temporary, file)
  })
  if (written) return
  attempt(() => rmSync(temporary, { force: true }))
  attempt(() => rmSync(file, { force: true }))
}

function attempt(step: () => void): boolean {
  try {
    step()
    return true
  } catch (error) {
    if (!isDiskError(error)) throw error
    return false
  }
}
