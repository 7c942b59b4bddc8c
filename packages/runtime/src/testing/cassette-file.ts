import { appendFile, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { peek } from '../call/tool-failure.js'
import { parseJson } from '../schema/parse-json.js'
import { CassetteError } from './cassette-error.js'
import { type Exchange, isExchange } from './exchanges.js'

/** Version of the format that is written, and the newest one that is read. */
const VERSION = 1

/** An exchange with its line in the file, from 1. */
export interface RecordedExchange<Kind extends Exchange = Exchange> {
  readonly line: number
  readonly exchange: Kind
}

/** Content of a cassette. */
export interface CassetteContent {
  /** Milliseconds since the epoch. */
  readonly recordedAt: number
  readonly exchanges: readonly RecordedExchange[]
}

/**
 * Reads a whole cassette.
 *
 * @throws {CassetteError} naming the line, if the file is not a complete cassette of a known version.
 */
export async function readCassette(file: string): Promise<CassetteContent> {
  const [header = '', ...lines] = (await textOf(file)).split('\n')
  const recordedAt = readHeader(header, file)
  // After the last line break there is nothing, or a line that was cut off.
  const last = lines.pop() ?? ''
  if (last.trim() !== '') {
    if (!parseJson(last).ok) {
      const line = lines.length + 2
      const message = `${file}, line ${line}: the last line is cut off, so its recording broke off. Record again, or delete the line to replay what stands before it.`
      throw new CassetteError('incomplete_line', message, { file, line })
    }
    lines.push(last)
  }
  const lineOf = new Map<number, number>()
  const exchanges = lines.map((text, index) => {
    const line = index + 2
    const corrupt = (problem: string): CassetteError =>
      new CassetteError('corrupt_line', `${file}, line ${line}: ${problem} Record again.`, { file, line })
    const parsed = parseJson(text)
    if (!parsed.ok) throw corrupt(parsed.message)
    const exchange = parsed.value
    if (!isExchange(exchange)) throw corrupt('it is no exchange of a model or a tool.')
    // Two lines for one exchange would let a replay answer more than was recorded, e.g. after a bad merge.
    const first = lineOf.get(exchange.asked)
    if (first !== undefined) throw corrupt(`line ${first} is exchange ${exchange.asked} already.`)
    lineOf.set(exchange.asked, line)
    return { line, exchange }
  })
  return { recordedAt, exchanges }
}

async function textOf(file: string): Promise<string> {
  try {
    const text = await readFile(file, 'utf8')
    // Some editors write a byte order mark.
    return text.startsWith('\uFEFF') ? text.slice(1) : text
  } catch (cause) {
    if (peek(cause, 'code') !== 'ENOENT') throw cause
    const unfinished = recordingPath(file)
    const hint = (await exists(unfinished))
      ? ` ${unfinished} is one that was never closed: call close() when all runs have ended.`
      : ''
    const message = `There is no recording ${file}. Record it first, with the mode 'record'.${hint}`
    throw new CassetteError('no_recording', message, { file, cause })
  }
}

function readHeader(text: string, file: string): number {
  const parsed = parseJson(text)
  const header = parsed.ok ? parsed.value : undefined
  const version = peek(header, 'cassette')
  if (typeof version === 'number' && version > VERSION) {
    const message = `${file} is a recording of version ${version}, and this package reads up to ${VERSION}: update @toolgen/runtime, or record again.`
    throw new CassetteError('newer_version', message, { file, line: 1 })
  }
  const recordedAt = peek(header, 'recordedAt')
  const time = typeof recordedAt === 'string' ? Date.parse(recordedAt) : Number.NaN
  if (version === VERSION && !Number.isNaN(time)) return time
  const message = `${file}, line 1: a cassette begins with {"cassette":${VERSION},"recordedAt":"…"}. Give the file of a recording, or record again.`
  throw new CassetteError('not_a_cassette', message, { file, line: 1 })
}

export async function exists(file: string): Promise<boolean> {
  return await trueUnless('ENOENT', stat(file))
}

/** @returns `false` if the work failed with this code of the system */
function trueUnless(code: string, work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    (error) => {
      if (peek(error, 'code') === code) return false
      throw error
    },
  )
}

/** Returns the path to which a recording is written until it is closed. */
function recordingPath(file: string): string {
  return `${file}.recording`
}

/** Writes a recording line by line to a file of its own, which replaces the cassette when it is finished. */
export class RecordingFile {
  readonly #file: string
  /** Resolves when all lines so far are written. */
  #written: Promise<void> = Promise.resolve()

  private constructor(file: string) {
    this.#file = file
  }

  /**
   * Starts a recording, in place of one that was never closed.
   *
   * @throws {CassetteError} `already_recording` if another recording of the file is in progress.
   */
  static async begin(file: string, recordedAt: number): Promise<RecordingFile> {
    await mkdir(dirname(file), { recursive: true })
    await lock(file)
    const header = { cassette: VERSION, recordedAt: new Date(recordedAt).toISOString() }
    await writeFile(recordingPath(file), `${JSON.stringify(header)}\n`)
    return new RecordingFile(file)
  }

  /** Appends a line. Resolves when it is on the disk. */
  append(exchange: Exchange): Promise<void> {
    const line = `${JSON.stringify(exchange)}\n`
    const written = this.#written.then(() => appendFile(recordingPath(this.#file), line))
    this.#written = written.catch(() => undefined)
    return written
  }

  /** Ends the recording. @param isComplete replaces the cassette; otherwise that stays as it was */
  async end(isComplete: boolean): Promise<void> {
    await this.#written
    if (isComplete) await rename(recordingPath(this.#file), this.#file)
    await rm(`${recordingPath(this.#file)}.lock`, { force: true })
  }
}

/** Locks a cassette for one recording. The lock of a process that has ended is taken over. */
async function lock(file: string): Promise<void> {
  const path = `${recordingPath(file)}.lock`
  const owner = JSON.stringify({ process: process.pid, since: Date.now() })
  const tryLock = (): Promise<boolean> => trueUnless('EEXIST', writeFile(path, owner, { flag: 'wx' }))
  if (await tryLock()) return
  const parsed = parseJson(await readFile(path, 'utf8').catch(() => ''))
  const other = parsed.ok ? parsed.value : undefined
  const [pid, since] = [peek(other, 'process'), peek(other, 'since')]
  const isOwned = typeof pid === 'number' && typeof since === 'number'
  if (!isOwned || !isAlive(pid, since)) {
    await rm(path, { force: true })
    if (await tryLock()) return
  }
  const message = `Another recording of ${file} is under way, in process ${isOwned ? pid : 'unknown'}. Close that first; if there is none, delete ${path}.`
  throw new CassetteError('already_recording', message, { file })
}

function isAlive(pid: number, since: number): boolean {
  // Ids are used again, in containers soon: a lock from before this process started is not its own.
  if (pid === process.pid) return since >= Date.now() - process.uptime() * 1_000
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process of another user runs, and may not be signalled.
    return peek(error, 'code') === 'EPERM'
  }
}
