import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { findDesignFiles } from '../config/design-files.js'
import { foundAt } from '../evaluate/found-at.js'
import { readCache } from '../service/cache/cache.js'
import { readCacheText, writeCacheText } from '../service/cache/cache-text.js'
import { probeDisk } from '../service/cache/probed-files.js'
import { contentHash } from '../write/content-hash.js'
import { readLock } from '../write/lock.js'
import { lockPath } from '../write/lock-text.js'
import { stagingName } from '../write/output-turn.js'
import { isUnchanged } from './input-mark.js'
import { type FinishedRun, type RunRecord, recordForm, recordOf } from './run-record.js'

const recordName = 'run.json'
/** Written by the service room into the same folder. */
const servicesName = 'service-binding.json'

/**
 * The record of the last successful run, if everything is still as that run found and left it: the configuration, the
 * design and all that they import, the types of the clients, what is installed, and every file of the output. Loads
 * neither the design nor anything that reads it.
 *
 * @param cacheFolder where the runs of this configuration keep what they learnt
 */
export function recallRun(cacheFolder: string): RecalledRun | undefined {
  const record = parseRecord(readCacheText(join(cacheFolder, recordName)))
  if (record === undefined || record.node !== process.version) return undefined
  const { root, output, design, patterns } = record.project
  if (!record.inputs.every((mark) => isUnchanged(mark))) return undefined
  const found = new Set(patterns.flatMap((pattern) => findDesignFiles(root, pattern, output)))
  if (found.size !== design.length || design.some((file) => !found.has(file))) return undefined
  if (!areServicesAsRead(join(cacheFolder, servicesName), record.services)) return undefined
  const files = filesAsLeft(join(root, output), record.lock)
  return files === undefined ? undefined : { ...record, files }
}

/** A run of which nothing has changed since. */
export interface RecalledRun extends RunRecord {
  /** The files of the output, below it, without the lock. */
  readonly files: readonly string[]
}

/** Leaves the record of a successful run, or none where the design depends on more than files. */
export function rememberRun(cacheFolder: string, run: Omit<FinishedRun, 'services'>): void {
  const services = readCacheText(join(cacheFolder, servicesName))
  const record = recordOf({ ...run, ...(services !== undefined && { services }) })
  writeCacheText(join(cacheFolder, recordName), JSON.stringify(record ?? null))
}

/** Asks the file system again everything that was asked for the clients' types. */
function areServicesAsRead(file: string, hash: string | null): boolean {
  const text = readCacheText(file)
  if (text === undefined || hash === null) return text === undefined && hash === null
  if (contentHash(text) !== hash) return false
  const stored: unknown = JSON.parse(text)
  const key = typeof stored === 'object' && stored !== null && 'key' in stored ? stored.key : undefined
  return typeof key === 'string' && readCache(text, key, probeDisk) !== undefined
}

/** The files of the output, if the lock and they are as the lock says. */
function filesAsLeft(folder: string, lock: string): readonly string[] | undefined {
  const path = join(folder, lockPath)
  if (!isFile(path) || foundAt(join(folder, stagingName), { links: 'show' }) !== undefined) return undefined
  const text = readFileSync(path, 'utf8')
  const reading = readLock(text)
  if (contentHash(text) !== lock || reading.kind !== 'read') return undefined
  const files = [...reading.lock.files]
  const untouched = files.every(([file, hash]) => {
    const target = join(folder, file)
    return isFile(target) && contentHash(readFileSync(target)) === hash
  })
  return untouched ? files.map(([file]) => file) : undefined
}

/** A link is none: writing refuses it, so the whole work must be done to say so. */
function isFile(path: string): boolean {
  return foundAt(path, { links: 'show' })?.isFile() === true
}

/** Reads a record of this version, whose fields are then as written; others are no record. */
function parseRecord(text: string | undefined): RunRecord | undefined {
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is RunRecord {
  return typeof value === 'object' && value !== null && 'form' in value && value.form === recordForm
}
