import { appendFile, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { peek } from '../call/tool-failure.js'
import { parseJson } from '../schema/parse-json.js'
import { CassetteError } from './cassette-error.js'
import { type Exchange, isExchange } from './exchanges.js'

const VERSION = 1

export interface RecordedExchange<Kind extends Exchange = Exchange> {
  readonly line: number
  readonly exchange: Kind
}

export interface CassetteContent {
  /** Start of the recording, in milliseconds since the Unix epoch. */
  readonly recordedAt: number
  readonly exchanges: readonly RecordedExchange[]
}

export async function readCassette(file: string): Promise<CassetteContent> {
  const [header = '', ...lines] = (await textOf(file)).split('\n')
  const recordedAt = readHeader(header, file)
  // A complete file ends with a line break. Text after the last line break can be an incomplete line.
  const last = lines.pop() ?? ''
  if (last.trim() !== '') {
    if (!parseJson(last).ok) {
      const line = lines.length + 2
      const message = `${file}, line ${line}: the last line is incomplete, because the recording was interrupted. Record again, or delete the line to replay the lines before it.`
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
    if (!isExchange(exchange)) throw corrupt('the line is not an exchange with a model or a tool.')
    // Duplicates, for example after an incorrect merge, would let a replay return more than was recorded.
    const first = lineOf.get(exchange.asked)
    if (first !== undefined)
      throw corrupt(`line ${first} already contains the exchange with the number ${exchange.asked}.`)
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
      ? ` The recording ${unfinished} was never closed: call close() after all runs have ended.`
      : ''
    const message = `The cassette ${file} does not exist. Record it first, with the mode 'record'.${hint}`
    throw new CassetteError('no_recording', message, { file, cause })
  }
}

function readHeader(text: string, file: string): number {
  const parsed = parseJson(text)
  const header = parsed.ok ? parsed.value : undefined
  const version = peek(header, 'cassette')
  if (typeof version === 'number' && version > VERSION) {
    const message = `${file} is a cassette of version ${version}, but this package supports versions up to ${VERSION}. Update @toolgen/runtime, or record again.`
    throw new CassetteError('newer_version', message, { file, line: 1 })
  }
  const recordedAt = peek(header, 'recordedAt')
  const time = typeof recordedAt === 'string' ? Date.parse(recordedAt) : Number.NaN
  if (version === VERSION && !Number.isNaN(time)) return time
  const message = `${file}, line 1: a cassette must begin with {"cassette":${VERSION},"recordedAt":"…"}. Use the file of a recording, or record again.`
  throw new CassetteError('not_a_cassette', message, { file, line: 1 })
}

export function headerLine(recordedAt: number): string {
  return `${JSON.stringify({ cassette: VERSION, recordedAt: new Date(recordedAt).toISOString() })}\n`
}

export function exchangeLine(exchange: Exchange): string {
  return `${JSON.stringify(exchange)}\n`
}

export async function exists(file: string): Promise<boolean> {
  return await trueUnless('ENOENT', stat(file))
}

function trueUnless(code: string, work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    (error) => {
      if (peek(error, 'code') === code) return false
      throw error
    },
  )
}

function recordingPath(file: string): string {
  return `${file}.recording`
}

export class RecordingFile {
  readonly #file: string
  #written: Promise<void> = Promise.resolve()

  private constructor(file: string) {
    this.#file = file
  }

  static async begin(file: string, recordedAt: number): Promise<RecordingFile> {
    await requireReplaceable(file)
    await mkdir(dirname(file), { recursive: true })
    await lock(file)
    try {
      await writeFile(recordingPath(file), headerLine(recordedAt))
    } catch (error) {
      await rm(lockPath(file), { force: true })
      throw error
    }
    return new RecordingFile(file)
  }

  append(exchange: Exchange): Promise<void> {
    const line = exchangeLine(exchange)
    const written = this.#written.then(() => appendFile(recordingPath(this.#file), line))
    this.#written = written.catch(() => undefined)
    return written
  }

  async end(isComplete: boolean): Promise<void> {
    await this.#written
    try {
      if (isComplete) await rename(recordingPath(this.#file), this.#file)
    } finally {
      await rm(recordingPath(this.#file), { force: true })
      await rm(lockPath(this.#file), { force: true })
    }
  }
}

const MAX_HEADER = 4096

async function requireReplaceable(file: string): Promise<void> {
  if (!(await exists(file))) return
  const found = await stat(file)
  const refuse = (what: string): never => {
    const message = `A recording cannot replace ${file}, because it is ${what}. Use another path.`
    throw new CassetteError('not_a_cassette', message, { file })
  }
  if (found.isDirectory()) refuse('a folder')
  if (!found.isFile()) refuse('not a regular file')
  if (found.size > 0 && !(await hasHeader(file))) refuse('not a cassette')
}

async function hasHeader(file: string): Promise<boolean> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_HEADER))
    const [first = ''] = buffer
      .toString('utf8', 0, bytesRead)
      .replace(/^\uFEFF/, '')
      .split('\n')
    const parsed = parseJson(first)
    return parsed.ok && typeof peek(parsed.value, 'cassette') === 'number'
  } finally {
    await handle.close()
  }
}

function lockPath(file: string): string {
  return `${recordingPath(file)}.lock`
}

async function lock(file: string): Promise<void> {
  const path = lockPath(file)
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
  const message = `Another recording of ${file} is running in process ${isOwned ? pid : 'unknown'}. Close that recording first. If no recording is running, delete ${path}.`
  throw new CassetteError('already_recording', message, { file })
}

function isAlive(pid: number, since: number): boolean {
  // Operating systems reuse process ids. A lock that has this process id and is older than this process belongs to an
  // earlier process.
  if (pid === process.pid) return since >= Date.now() - process.uptime() * 1_000
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // `EPERM`: the process runs under another user.
    return peek(error, 'code') === 'EPERM'
  }
}
