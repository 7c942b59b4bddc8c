import { appendFile, mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { recordingPath } from './cassette-file.js'
import { CASSETTE_VERSION, type Exchange } from './exchange.js'
import { claimRecording, releaseRecording } from './recording-claim.js'

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
