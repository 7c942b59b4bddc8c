import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import process from 'node:process'
import { setTimeout } from 'node:timers/promises'
import { type Disk, type DiskError, isDiskError } from '../files.js'

/** The folder for a run's files while it changes the output; a dot folder, so that compilers and linters ignore it. */
export const stagingName = '.toolgen'

/** The identity of a run, and its clock; the only clock and randomness of this subsystem. */
export interface RunIdentity {
  readonly pid: number
  /** The machine's name. */
  readonly host: string
  /** Lower-case letters and digits; differs in every run. */
  readonly nonce: string
  /** Milliseconds since 1970. */
  now(): number
  /** Checks whether a process of this machine still runs. */
  isAlive(pid: number): boolean
  /** Waits a short, random time. */
  pause(): Promise<void>
}

/** The right to change an output folder. */
interface Turn {
  readonly kind: 'taken'
  /** The staging folder, which may hold what a run left that died. */
  readonly staging: string
  /** Gives the right back and removes the folders made for it that are empty; returns what the disk refused. */
  end(): readonly DiskError[]
}

/** Another run holds the output. */
interface Busy {
  readonly kind: 'busy'
  readonly owner: Owner
}

/** The time that a run waits for others, in milliseconds. */
const maxWaitMs = 10_000

/** A claim older than this belongs to a dead run, in milliseconds; publishing takes seconds at most. */
const claimLifetimeMs = 600_000

/** The maximum number of times in a row that the staging folder may vanish. */
const maxLostRaces = 20

/**
 * Waits until no other run changes the output folder, and keeps others out. Every run writes a claim file of its own
 * and then lists all claims: of two runs at least the later one sees the other and steps back. Claims of dead runs are
 * removed. Disk errors are thrown, with nothing left behind.
 */
export async function takeTurn(disk: Disk, folder: string, run: RunIdentity): Promise<Turn | Busy> {
  const staging = `${folder}/${stagingName}`
  const startedAt = run.now()
  const claim = `${staging}/${claimName({ startedAt, pid: run.pid, host: run.host, nonce: run.nonce })}`
  const made: string[] = []
  const end = (): readonly DiskError[] =>
    doAll([
      () => removeFileIfThere(disk, claim),
      ...[staging, ...made.toReversed()].map((path) => () => void removeFolderIfEmpty(disk, path)),
    ])
  try {
    for (let races = 0; ; ) {
      const others = writeClaim(disk, { staging, claim, made, patient: races < maxLostRaces })
      const rivals = others?.filter((other) => isLive(other.owner, run)) ?? []
      if (others !== undefined && rivals.length === 0) {
        for (const other of others) removeFileIfThere(disk, other.path)
        return { kind: 'taken', staging, end }
      }
      removeFileIfThere(disk, claim)
      races = others === undefined ? races + 1 : 0
      const rival = rivals[0]
      if (rival !== undefined && run.now() - startedAt > maxWaitMs) {
        end()
        return { kind: 'busy', owner: rival.owner }
      }
      await run.pause()
    }
  } catch (error) {
    end()
    throw error
  }
}

interface ClaimAttempt {
  readonly staging: string
  readonly claim: string
  /** The folders made so far, without the staging folder; added to. */
  readonly made: string[]
  /** True if a vanished folder may be another run's doing. */
  readonly patient: boolean
}

interface OtherClaim {
  readonly path: string
  readonly owner: Owner
}

/** Writes the claim and lists the others'; undefined when another run just made or removed the staging folder. */
function writeClaim(disk: Disk, { staging, claim, made, patient }: ClaimAttempt): readonly OtherClaim[] | undefined {
  try {
    for (const missing of missingFolders(disk, staging)) {
      disk.makeFolder(missing)
      if (missing !== staging) made.push(missing)
    }
    disk.write(claim, '')
    return disk.list(staging).flatMap(({ name }) => {
      const path = `${staging}/${name}`
      const owner = path === claim ? undefined : ownerOf(name)
      return owner === undefined ? [] : [{ path, owner }]
    })
  } catch (error) {
    if (patient && isDiskError(error) && (error.code === 'EEXIST' || error.code === 'ENOENT')) return undefined
    throw error
  }
}

function isLive(owner: Owner, run: RunIdentity): boolean {
  if (run.now() - owner.startedAt > claimLifetimeMs) return false
  return owner.host !== run.host || run.isAlive(owner.pid)
}

/** The run that made a claim on an output folder. */
export interface Owner {
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly pid: number
  /** The machine's name. */
  readonly host: string
  /** Lower-case letters and digits; differs in every run. */
  readonly nonce: string
}

/** Returns the name of a claim file. The whole claim stands in the name, so that it appears and vanishes in one step. */
export function claimName({ startedAt, pid, host, nonce }: Owner): string {
  return `claim.${startedAt}.${pid}.${Buffer.from(host).toString('hex')}.${nonce}`
}

/** Reads a claim file's name; undefined when it is another file. */
function ownerOf(name: string): Owner | undefined {
  const [, startedAt, pid, host, nonce] = /^claim\.(\d+)\.(\d+)\.([0-9a-f]*)\.([0-9a-z]+)$/.exec(name) ?? []
  if (startedAt === undefined || pid === undefined || host === undefined || nonce === undefined) return undefined
  return { startedAt: Number(startedAt), pid: Number(pid), host: Buffer.from(host, 'hex').toString(), nonce }
}

/** A folder and its missing parents, outermost first. */
export function missingFolders(disk: Disk, folder: string): readonly string[] {
  if (folder === '' || disk.kind(folder) !== undefined) return []
  const end = folder.lastIndexOf('/')
  return end === -1 ? [folder] : [...missingFolders(disk, folder.slice(0, end)), folder]
}

/** Removes a file if it is there; another run may be faster. */
function removeFileIfThere(disk: Disk, path: string): void {
  tolerating(['ENOENT'], () => {
    if (disk.kind(path) === undefined) return false
    disk.removeFile(path)
    return true
  })
}

/** Removes a folder if it is there and empty; returns whether it did. Another run may be faster, or use it again. */
export function removeFolderIfEmpty(disk: Disk, path: string): boolean {
  return tolerating(['ENOENT', 'ENOTEMPTY', 'EEXIST'], () => {
    if (disk.kind(path) !== 'folder' || disk.list(path).length > 0) return false
    disk.removeFolder(path)
    return true
  })
}

/** Removes whatever stands at a path, with everything below; links are removed, not followed. */
export function removeTree(disk: Disk, path: string): void {
  const kind = disk.kind(path)
  if (kind === undefined) return
  if (kind !== 'folder') {
    disk.removeFile(path)
    return
  }
  for (const { name } of disk.list(path)) removeTree(disk, `${path}/${name}`)
  disk.removeFolder(path)
}

/** Does every step, each a second time when the disk refuses it; returns the errors of those that it refused twice. */
export function doAll(steps: readonly (() => void)[]): readonly DiskError[] {
  return steps.flatMap((step) => (attempt(step) === undefined ? [] : (attempt(step) ?? [])))
}

function attempt(step: () => void): DiskError | undefined {
  try {
    step()
    return undefined
  } catch (error) {
    if (!isDiskError(error)) throw error
    return error
  }
}

function tolerating(codes: readonly string[], step: () => boolean): boolean {
  try {
    return step()
  } catch (error) {
    if (isDiskError(error) && codes.includes(error.code)) return false
    throw error
  }
}

/** This process, as a run of the generator. */
export function thisRun(): RunIdentity {
  return {
    pid: process.pid,
    host: hostname(),
    nonce: randomBytes(8).toString('hex'),
    now: () => Date.now(),
    isAlive,
    pause: () => setTimeout(20 + Math.random() * 60),
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user refuses the signal, but lives.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
