import { CassetteError } from './cassette-error.js'
import { exchangeLine, headerLine } from './cassette-file.js'
import { Recording } from './recording.js'
import type { Redact } from './redaction.js'
import { type Cassette, cassetteOf } from './tape.js'

/** Options of {@link memoryCassette}: the maximum size, and a function that changes strings before the recording stores them. */
export interface MemoryCassetteOptions {
  /** Maximum size of the cassette in bytes of UTF-8. A larger recording fails. Default: no limit. */
  readonly maxBytes?: number
  /**
   * Changes each string of a request or response before the recording stores the string, like the option `redact` of `openCassette`. Default:
   * no changes.
   */
  readonly redact?: Redact
}

/** Recording of a run in memory. Created by {@link memoryCassette}. */
export interface MemoryCassette extends Pick<Cassette, 'modelLayer' | 'toolLayer' | 'sink'> {
  /** Size of the recorded requests and responses in bytes of UTF-8. 0 after a failure of the recording. */
  readonly bytes: number
  /**
   * Returns the recording as the content of a cassette file, for a replay with `openCassette`.
   *
   * @throws {CassetteError} `not_written` if the recording failed or is empty, or if a request has not ended.
   */
  text(): string
}

/**
 * Records a run in memory. An error of the recording does not affect the run: only the method `text` throws the error.
 *
 * @throws {RangeError} if `maxBytes` is not a positive integer
 *
 * @example
 * const cassette = memoryCassette({ maxBytes: 1_000_000 })
 * const config = runConfig().layer(cassette.toolLayer()).modelLayer(cassette.modelLayer())
 * await support.run('Where is A-1001?', { config, deepTracing: true, onEvent: cassette.sink })
 * await writeFile('run.jsonl', cassette.text())
 */
export function memoryCassette({
  maxBytes = Number.POSITIVE_INFINITY,
  redact = (text) => text,
}: MemoryCassetteOptions = {}): MemoryCassette {
  if (maxBytes !== Number.POSITIVE_INFINITY && (!Number.isSafeInteger(maxBytes) || maxBytes < 1)) {
    throw new RangeError(`memoryCassette: maxBytes is ${String(maxBytes)}. Expected a positive integer.`)
  }
  const recordedAt = Date.now()
  const lines = new Lines(maxBytes)
  const recording = new MemoryRecording(redact, lines)
  const { modelLayer, toolLayer, sink } = cassetteOf('record', recording, recordedAt)
  return {
    ...{ modelLayer, toolLayer, sink },
    get bytes() {
      return lines.bytes
    },
    text() {
      recording.requireComplete()
      return headerLine(recordedAt) + lines.text
    },
  }
}

class Lines {
  readonly #maxBytes: number
  #lines: string[] = []
  bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get text(): string {
    return this.#lines.join('')
  }

  async append(exchange: Parameters<typeof exchangeLine>[0]): Promise<void> {
    const line = exchangeLine(exchange)
    this.bytes += Buffer.byteLength(line)
    if (this.bytes > this.#maxBytes) throw new RangeError(`it is larger than ${this.#maxBytes} bytes`)
    this.#lines.push(line)
  }

  clear(): void {
    this.#lines = []
    this.bytes = 0
  }
}

class MemoryRecording extends Recording {
  readonly #lines: Lines

  constructor(redact: Redact, lines: Lines) {
    super('in memory', redact, lines)
    this.#lines = lines
  }

  requireComplete(): void {
    this.requireNoError()
    const { file, gap } = this
    if (gap !== undefined) throw new CassetteError('not_written', `The recording ${file} failed: ${gap}.`, { file })
  }

  protected override failed(): void {
    this.#lines.clear()
  }

  // Closes nothing, because `text` can return the recording at any time.
  async close(): Promise<void> {}
}
