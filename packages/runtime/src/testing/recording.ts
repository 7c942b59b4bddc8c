import { AsyncLocalStorage } from 'node:async_hooks'
import { appendFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { untilAborted } from '../agents/run-signal.js'
import { classify } from '../call/classify.js'
import { isFields } from '../schema/json-values.js'
import { parseJson } from '../schema/parse-json.js'
import type { JsonText } from '../types/json.js'
import type { ToolRequest, ToolService } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { ModelDriver, ModelRequest, ModelResponse } from '../types/planner.js'
import type { RunEvent } from '../types/run.js'
import type { AgentToolSpec, ToolCallRef } from '../types/tool.js'
import { CassetteError } from './cassette-error.js'
import { recordingPath } from './cassette-file.js'
import { whyOf } from './differences.js'
import {
  type Asked,
  askedModel,
  CASSETTE_VERSION,
  calledTool,
  type Exchange,
  isExchange,
  type RecordedError,
  recordedData,
  recordedOutcome,
  type Tape,
  type ToolExchange,
} from './exchanges.js'
import { ANSWER, ERROR, type FormatWords, OUTCOME, type Redact, redactedAsked, redactedTexts } from './redact.js'

/** A recorded call: what it asks for in turn is part of its outcome, and no replay asks for it. */
interface RecordedCall {
  readonly tape: Tape
  readonly outer: RecordedCall | undefined
}

/** One for all recordings: each that has been used makes every promise of the process dearer, until it is disabled. */
const recordedCalls = new AsyncLocalStorage<RecordedCall>()

function isWithin(tape: Tape): boolean {
  let call = recordedCalls.getStore()
  while (call !== undefined && call.tape !== tape) call = call.outer
  return call !== undefined
}

/** What a recording is made of. */
interface RecordingParts {
  /** As the application names it. */
  readonly file: string
  readonly recordedAt: number
  readonly lines: RecordingFile
  readonly redact: Redact
}

/** A cassette that is being recorded: models and tools are asked, and what they answer is written. */
export class Recording implements Tape {
  readonly #parts: RecordingParts
  readonly #updates = new WeakMap<ToolCallRef, JsonText[]>()
  /** The number of the last model's exchange of each run. */
  readonly #lastOfRun = new Map<string, number>()
  #asked = 0
  #underWay = 0
  #fault: CassetteError | undefined

  constructor(parts: RecordingParts) {
    this.#parts = parts
  }

  get recordedAt(): number {
    return this.#parts.recordedAt
  }

  async ask(request: ModelRequest, driver: () => ModelDriver): Promise<ModelResponse> {
    if (isWithin(this)) return driver().ask(request)
    const asked = this.#begin(() => askedModel(request))
    this.#lastOfRun.set(request.meta.runId, asked.asked)
    const [said] = await Promise.allSettled([untilAborted(request.meta.signal, async () => driver().ask(request))])
    this.#underWay -= 1
    if (said.status === 'rejected') {
      await this.#write(() => readableExchange({ ...asked, error: this.#redacted(recordedError(said.reason), ERROR) }))
      throw said.reason
    }
    await this.#write(() => readableExchange({ ...asked, answer: this.#redacted(said.value, ANSWER) }))
    return said.value
  }

  async call<Env>(request: ToolRequest<Env>, next: ToolService<Env>): Promise<ToolOutcome> {
    if (isWithin(this)) return next(request)
    const after = this.#lastOfRun.get(request.meta.runId ?? '')
    const called = { ...this.#begin(() => calledTool(request)), ...(after !== undefined && { after }) }
    const [ended] = await Promise.allSettled([
      recordedCalls.run({ tape: this, outer: recordedCalls.getStore() }, () => next(request)),
    ])
    this.#underWay -= 1
    if (ended.status === 'rejected') throw ended.reason
    await this.#write(() => {
      const updates = this.#updatesOf(request)
      const outcome = this.#redacted(recordedOutcome(ended.value, request.tool), OUTCOME)
      const exchange = { ...called, ...(updates !== undefined && { updates: this.#redacted(updates, {}) }), outcome }
      return readableCall(exchange, request.tool)
    })
    return ended.value
  }

  hear(event: RunEvent): void {
    if (event.type !== 'call_updated') return
    const updates = this.#updates.get(event.call) ?? []
    // By its number: a sink of the runtime and of the agent hears it twice.
    updates[event.index - 1] = event.update
    this.#updates.set(event.call, updates)
  }

  async close(): Promise<void> {
    const { file, lines } = this.#parts
    if (this.#fault === undefined && this.#underWay > 0) {
      this.#fail(`${this.#underWay} of its exchanges are under way: close it when all runs have ended`)
    }
    if (this.#fault === undefined && this.#asked === 0) {
      this.#fail('no model and no tool was asked: nothing takes the place of the file')
    }
    if (this.#fault !== undefined) {
      await lines.abandon()
      throw this.#fault
    }
    this.#fault = new CassetteError('closed', `The recording ${file} is closed.`, { file })
    await lines.finish()
  }

  /** What is asked for, as it is written; its place among all of them is fixed now. */
  #begin<Given extends Asked>(asking: () => Given): Given & { readonly asked: number } {
    if (this.#fault !== undefined) throw this.#fault
    try {
      const asked = redactedAsked(asking(), this.#parts.redact)
      this.#asked += 1
      this.#underWay += 1
      return { ...asked, asked: this.#asked }
    } catch (error) {
      throw this.#broken(error)
    }
  }

  #redacted<Json>(json: Json, words: FormatWords): Json {
    return redactedTexts(json, words, this.#parts.redact)
  }

  #updatesOf({ call, emitted, tool }: Pick<ToolRequest, 'call' | 'emitted' | 'tool'>): readonly JsonText[] | undefined {
    const updates = this.#updates.get(call)
    if (!emitted || updates !== undefined) return updates
    throw new TypeError(
      `the updates of ${tool.id} were not heard: give its runtime \`sinks: [cassette.sink]\`, and to a run whose tools are agents \`deepTracing: true\` beside it`,
    )
  }

  async #write(exchange: () => Exchange): Promise<void> {
    if (this.#fault !== undefined) throw this.#fault
    try {
      await this.#parts.lines.append(exchange())
    } catch (error) {
      throw this.#broken(error)
    }
  }

  /** What cannot be recorded spoils the recording: nothing more is recorded, and `close` tells. */
  #broken(error: unknown): CassetteError {
    return this.#fail(whyOf(error), error)
  }

  #fail(why: string, cause?: unknown): CassetteError {
    const { file } = this.#parts
    this.#fault ??= new CassetteError('not_written', `The recording ${file} failed: ${why}.`, { file, cause })
    return this.#fault
  }
}

function recordedError(error: unknown): RecordedError {
  const { reason, message } = classify(error, 0)
  return { reason, message }
}

/** Names the process that records a cassette, as long as it does. */
function claimPath(file: string): string {
  return `${file}.recording.lock`
}

/**
 * Claims a file for one recording. A claim of a process that has ended is taken over; one of a process that lives holds
 * until its recording is closed.
 *
 * @throws {CassetteError} `already_recording` where another recording of the file has not been closed.
 */
async function claimRecording(file: string): Promise<void> {
  if (await claimed(file)) return
  const path = claimPath(file)
  const owner = await ownerOf(path)
  if (owner === undefined || !isAlive(owner)) {
    await rm(path, { force: true })
    if (await claimed(file)) return
  }
  const message = `Another recording of ${file} is under way, in process ${owner?.process ?? 'unknown'}. Close that first; if there is none, delete ${path}.`
  throw new CassetteError('already_recording', message, { file })
}

/** Gives the file free for other recordings. */
async function releaseRecording(file: string): Promise<void> {
  await rm(claimPath(file), { force: true })
}

interface Owner {
  readonly process: number
  /** Milliseconds since the epoch. */
  readonly since: number
}

/** Whether the file was free. */
async function claimed(file: string): Promise<boolean> {
  const owner: Owner = { process: process.pid, since: Date.now() }
  try {
    await writeFile(claimPath(file), JSON.stringify(owner), { flag: 'wx' })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

/** Who has the claim; `undefined` where it was cut off, or released just now. */
async function ownerOf(path: string): Promise<Owner | undefined> {
  const parsed = parseJson(await readFile(path, 'utf8').catch(() => ''))
  if (!parsed.ok || !isFields(parsed.value)) return undefined
  const { process: pid, since } = parsed.value
  return typeof pid === 'number' && typeof since === 'number' ? { process: pid, since } : undefined
}

function isAlive({ process: pid, since }: Owner): boolean {
  // Ids are used again, in containers soon: a claim from before this process began is not its own.
  if (pid === process.pid) return since >= Date.now() - process.uptime() * 1_000
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It lives where it may only not be sent a signal.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/**
 * A recording that is being written: each line goes to the disk as it comes, into a file beside the cassette, which takes
 * its place when all is well.
 */
export class RecordingFile {
  readonly #file: string
  /** When the lines that were given so far are written. */
  #written: Promise<void> = Promise.resolve()

  private constructor(file: string) {
    this.#file = file
  }

  /**
   * Begins a recording; one that was never closed is lost, unless it is under way.
   *
   * @throws {CassetteError} where it is.
   */
  static async begin(file: string, recordedAt: number): Promise<RecordingFile> {
    await mkdir(dirname(file), { recursive: true })
    await claimRecording(file)
    const header = { cassette: CASSETTE_VERSION, recordedAt: new Date(recordedAt).toISOString() }
    await writeFile(recordingPath(file), `${JSON.stringify(header)}\n`)
    return new RecordingFile(file)
  }

  /** Writes a line behind all lines that were given before. */
  append(exchange: Exchange): Promise<void> {
    const line = `${JSON.stringify(exchange)}\n`
    const written = this.#written.then(() => appendFile(recordingPath(this.#file), line))
    this.#written = written.catch(() => undefined)
    return written
  }

  /** Puts the recording into the place of the cassette. */
  async finish(): Promise<void> {
    await this.#written
    await rename(recordingPath(this.#file), this.#file)
    await releaseRecording(this.#file)
  }

  /** Ends the recording; the cassette stays as it was. */
  async abandon(): Promise<void> {
    await this.#written
    await releaseRecording(this.#file)
  }
}

/**
 * An exchange as it may be written: one that a replay can read.
 *
 * @throws {TypeError} for any other, since `redact` made something else of it.
 */
function readableExchange<Given extends Exchange>(exchange: Given): Given {
  if (isExchange(exchange)) return exchange
  throw new TypeError(
    'an exchange could not be replayed as it would be written: what it holds, or `redact`, broke its form',
  )
}

/** The same for the exchange of a tool, whose values have to fit its schemas too. */
function readableCall(exchange: ToolExchange, { id, result, updates = true }: AgentToolSpec): ToolExchange {
  const { outcome } = readableExchange(exchange)
  const values = (exchange.updates ?? []).map((update) => recordedData(update, updates))
  if (outcome.status === 'completed') values.push(recordedData(outcome.data ?? outcome.json, result))
  const [issue] = values.flatMap((decoded) => (decoded.ok ? [] : decoded.issues))
  if (issue === undefined) return exchange
  const place = issue.path === '' ? '' : `${issue.path}: `
  throw new TypeError(
    `a value of ${id} would not fit its schema any more as \`redact\` made it: ${place}${issue.message}`,
  )
}
