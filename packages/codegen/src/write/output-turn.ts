import { claimName, type Owner, ownerOf } from './claim.js'
import { type Disk, type DiskError, isDiskError } from './disk.js'
import { doAll, missingFolders, removeFileIfThere, removeFolderIfEmpty } from './tidy.js'

/** Where a run keeps its files while it changes the output; a dot folder, so that compilers and linters pass it by. */
export const stagingName = '.toolgen'

/** Who a run is and how it waits; the only clock and randomness of this room. */
export interface RunIdentity {
  readonly pid: number
  /** The machine's name. */
  readonly host: string
  /** Lower-case letters and digits; differs in every run. */
  readonly nonce: string
  /** Milliseconds since 1970. */
  now(): number
  /** Whether a process of this machine still runs. */
  isAlive(pid: number): boolean
  /** Waits a short, random time. */
  pause(): Promise<void>
}

/** The right to change an output folder. */
export interface Turn {
  readonly kind: 'taken'
  /** The staging folder, which may hold what a run left that died. */
  readonly staging: string
  /** Gives the right back and removes the folders made for it that are empty; returns what the disk refused. */
  end(): readonly DiskError[]
}

/** Another run holds the output. */
export interface Busy {
  readonly kind: 'busy'
  readonly owner: Owner
}

/** How long a run waits for others, in milliseconds. */
const patience = 10_000

/** A claim older than this belongs to a run that died, in milliseconds; publishing takes seconds at most. */
const claimLifetime = 600_000

/** How often the staging folder may vanish in a row before that counts as an error of the disk. */
const lostRaces = 20

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
      const others = standUp(disk, { staging, claim, made, patient: races < lostRaces })
      const rivals = others?.filter((other) => isLive(other.owner, run)) ?? []
      if (others !== undefined && rivals.length === 0) {
        for (const other of others) removeFileIfThere(disk, other.path)
        return { kind: 'taken', staging, end }
      }
      removeFileIfThere(disk, claim)
      races = others === undefined ? races + 1 : 0
      const rival = rivals[0]
      if (rival !== undefined && run.now() - startedAt > patience) {
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

interface Stand {
  readonly staging: string
  readonly claim: string
  /** The folders made so far, without the staging folder; added to. */
  readonly made: string[]
  /** Whether a vanished folder may be another run's doing. */
  readonly patient: boolean
}

interface OtherClaim {
  readonly path: string
  readonly owner: Owner
}

/** Writes the claim and lists the others'; undefined when another run just made or removed the staging folder. */
function standUp(disk: Disk, { staging, claim, made, patient }: Stand): readonly OtherClaim[] | undefined {
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
  if (run.now() - owner.startedAt > claimLifetime) return false
  return owner.host !== run.host || run.isAlive(owner.pid)
}
