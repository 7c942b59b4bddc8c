import { readFile, rm, writeFile } from 'node:fs/promises'
import { isFields } from '../codec/json/kind.js'
import { parseJson } from '../codec/json/parse.js'
import { CassetteError } from './cassette-error.js'

/** Names the process that records a cassette, as long as it does. */
function claimPath(file: string): string {
  return `${file}.recording.lock`
}

/**
 * Claims a file for one recording. A claim of a process that has ended is taken over; one of a process that lives holds
 * until its recording is closed.
 *
 * @throws {CassetteError} `under_way` where another recording of the file has not been closed.
 */
export async function claimRecording(file: string): Promise<void> {
  if (await claimed(file)) return
  const path = claimPath(file)
  const owner = await ownerOf(path)
  if (owner === undefined || !isAlive(owner)) {
    await rm(path, { force: true })
    if (await claimed(file)) return
  }
  const message = `Another recording of ${file} is under way, in process ${owner?.process ?? 'unknown'}. Close that first; if there is none, delete ${path}.`
  throw new CassetteError('under_way', message, { file })
}

/** Gives the file free for other recordings. */
export async function releaseRecording(file: string): Promise<void> {
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
