import { readFile, stat } from 'node:fs/promises'
import { isFields } from '../schema/json-values.js'
import { parseJson } from '../schema/parse-json.js'
import { CassetteError } from './cassette-error.js'
import { mismatch, type ToldDifference } from './differences.js'
import { type Asked, askedKey, CASSETTE_VERSION, type Exchange, isExchange, isSameExchange } from './exchanges.js'

/** What a cassette holds. */
export interface CassetteContent {
  /** Milliseconds since the epoch. */
  readonly recordedAt: number
  readonly exchanges: readonly Recorded<Exchange>[]
}

/** Where a recording is written until it is closed. */
export function recordingPath(file: string): string {
  return `${file}.recording`
}

/** Whether there is such a file. */
export async function exists(file: string): Promise<boolean> {
  try {
    await stat(file)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/**
 * Reads a whole cassette.
 *
 * @throws {CassetteError} naming the line, for anything that is no complete cassette of a known version.
 */
export async function readCassette(file: string): Promise<CassetteContent> {
  const [header = '', ...lines] = (await textOf(file)).split('\n')
  const recordedAt = readHeader(header, file)
  // What follows the last line break: nothing, or a line that was cut off.
  const last = lines.pop() ?? ''
  if (last.trim() === '' || parseJson(last).ok) {
    const whole = last.trim() === '' ? lines : [...lines, last]
    const exchanges = whole.map((line, index) => readLine(line, index + 2, file))
    requireOnce(exchanges, file)
    return { recordedAt, exchanges }
  }
  const line = lines.length + 2
  const message = `${file}, line ${line}: the last line is cut off, so its recording broke off. Record again, or delete the line to replay what stands before it.`
  throw new CassetteError('incomplete_line', message, { file, line })
}

async function textOf(file: string): Promise<string> {
  try {
    const text = await readFile(file, 'utf8')
    // Some editors write a byte order mark.
    return text.startsWith('\uFEFF') ? text.slice(1) : text
  } catch (error) {
    if (!isMissing(error)) throw error
    const unfinished = await exists(recordingPath(file))
    const hint = unfinished
      ? ` ${recordingPath(file)} is one that was never closed: call close() when all runs have ended.`
      : ''
    throw new CassetteError(
      'no_recording',
      `There is no recording ${file}. Record it first, with the mode 'record'.${hint}`,
      {
        file,
        cause: error,
      },
    )
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

function readHeader(text: string, file: string): number {
  const parsed = parseJson(text)
  const header = parsed.ok && isFields(parsed.value) ? parsed.value : {}
  const { cassette: version, recordedAt } = header
  if (typeof version === 'number' && version > CASSETTE_VERSION) {
    const message = `${file} is a recording of version ${version}, and this package reads up to ${CASSETTE_VERSION}: update @toolgen/runtime, or record again.`
    throw new CassetteError('newer_version', message, { file, line: 1 })
  }
  const at = typeof recordedAt === 'string' ? Date.parse(recordedAt) : Number.NaN
  if (version === CASSETTE_VERSION && !Number.isNaN(at)) return at
  const message = `${file}, line 1: a cassette begins with {"cassette":${CASSETTE_VERSION},"recordedAt":"…"}. Give the file of a recording, or record again.`
  throw new CassetteError('not_a_cassette', message, { file, line: 1 })
}

/** Two lines for one exchange would let a replay answer more than was recorded, e.g. after a bad merge. */
function requireOnce(exchanges: readonly Recorded<Exchange>[], file: string): void {
  const lines = new Map<number, number>()
  for (const { line, exchange } of exchanges) {
    const first = lines.get(exchange.asked)
    if (first === undefined) lines.set(exchange.asked, line)
    else throw corruptLine(`line ${first} is exchange ${exchange.asked} already.`, line, file)
  }
}

function readLine(text: string, line: number, file: string): Recorded<Exchange> {
  const parsed = parseJson(text)
  if (parsed.ok && isExchange(parsed.value)) return { line, exchange: parsed.value }
  const fault = parsed.ok ? 'it is no exchange of a model or a tool.' : parsed.message
  throw corruptLine(fault, line, file)
}

function corruptLine(fault: string, line: number, file: string): CassetteError {
  return new CassetteError('corrupt_line', `${file}, line ${line}: ${fault} Record again.`, { file, line })
}

/** An exchange with the line where it stands, from 1. */
export interface Recorded<Kind extends Exchange> {
  readonly line: number
  readonly exchange: Kind
}

/** Where the exchange stands that comes nearest to what is asked for, and where that differs. */
interface Nearest {
  readonly line: number
  readonly told: readonly ToldDifference[]
}

/** How many exchanges are compared to find the nearest one. */
const MAX_COMPARED = 100

/** The exchanges of a recording, of one kind, that nobody has asked for yet. */
export class UnusedExchanges<Kind extends Exchange> {
  readonly #unused: Set<Recorded<Kind>>
  readonly #byKey = new Map<string, Recorded<Kind>[]>()

  constructor(recorded: readonly Recorded<Kind>[]) {
    this.#unused = new Set([...recorded].sort((a, b) => a.exchange.asked - b.exchange.asked))
    for (const each of this.#unused) {
      const key = askedKey(each.exchange)
      const near = this.#byKey.get(key)
      if (near === undefined) this.#byKey.set(key, [each])
      else near.push(each)
    }
  }

  /** The first exchange that asks for the same, if possible one that is preferred; it is used then. */
  take(asked: Asked, isPreferred: (exchange: Kind) => boolean = () => true): Recorded<Kind> | undefined {
    const near = this.#byKey.get(askedKey(asked)) ?? []
    const isSame = ({ exchange }: Recorded<Kind>): boolean => isSameExchange(exchange, asked)
    const found = near.find((each) => isPreferred(each.exchange) && isSame(each)) ?? near.find(isSame)
    if (found === undefined) return undefined
    near.splice(near.indexOf(found), 1)
    this.#unused.delete(found)
    return found
  }

  /** Of the exchanges of the same agent the one with the fewest differences, of these the first. */
  nearest(asked: Asked): Nearest | undefined {
    let nearest: Nearest | undefined
    let compared = 0
    for (const each of this.#unused) {
      if (each.exchange.agent !== asked.agent) continue
      const told = mismatch(each.exchange, asked)
      if (nearest === undefined || told.length < nearest.told.length) nearest = { line: each.line, told }
      compared += 1
      if (compared === MAX_COMPARED) break
    }
    return nearest
  }

  /** Those that are left, in the order in which they were asked for. */
  all(): readonly Recorded<Kind>[] {
    return [...this.#unused]
  }
}
