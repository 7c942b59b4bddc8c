import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../codec/differential/random.js'
import { Ledger } from './ledger.js'
import type { Place } from './place.js'
import { type LifeOptions, ProcessLife } from './process-life.js'
import { readRecords } from './records.js'

const SESSIONS = 12

/** When a process is killed: after a while of work, at one of its statements, or before it has opened its sessions. */
const KINDS = ['working', 'working', 'statements', 'statements', 'starting'] as const

/** The first process of a place makes the database, which is not what is tried here. */
const WITH_START = ['working', 'statements'] as const

const STATEMENTS = 400
const LASTS_MS = 2_000

/** How many processes were killed when, and how many of them had taken over the lock of another. */
export interface KillCounts {
  working: number
  statements: number
  starting: number
  /** While another process had taken over the sessions. */
  overtaken: number
  staleLocks: number
}

interface Started {
  readonly life: ProcessLife
  /** The file that it writes its records to. */
  readonly log: string
}

interface Work {
  readonly lastsMs: number
  /** Whether the process before has left its lock. */
  readonly wasLocked: boolean
  readonly kind: (typeof KINDS)[number]
}

/** The rounds at one place: a process is started, killed, and its successor finds what it has left. */
export class PlaceRounds {
  readonly place: Place
  readonly ledger = new Ledger()
  readonly kills: KillCounts = { working: 0, statements: 0, starting: 0, overtaken: 0, staleLocks: 0 }
  #lives = 0
  /** How long the last process took to open its sessions; absent: none has. */
  #startMs: number | undefined = undefined

  constructor(place: Place) {
    this.place = place
  }

  /** One process, or two, from the start to the end by SIGKILL. */
  round(random: Random): Promise<void> {
    const isOvertaken = this.place.isShared && this.#lives > 2 && random.chance(0.25)
    return isOvertaken ? this.#overtake(random) : this.#kill(random)
  }

  /** A process is killed while it works, at one of its statements, or while it starts. */
  async #kill(random: Random): Promise<void> {
    const wasLocked = this.place.hasStaleLock()
    const kind = random.pick(this.#startMs === undefined ? WITH_START : KINDS)
    const death = { statement: 1 + random.below(STATEMENTS), isAfter: random.chance(0.5) }
    const { life, log } = this.#start({ seed: random.below(2 ** 31), ...(kind === 'statements' && { death }) })
    this.kills[kind] += 1
    if (kind === 'starting') await Promise.race([pause(random.below(this.#startMs ?? 0)), life.ended])
    else await this.#work(life, { lastsMs: 10 + random.below(LASTS_MS), wasLocked, kind })
    this.#tell(await life.kill())
    this.#read(log)
  }

  /** A process opens the sessions that another one works with; that one is killed a while later. */
  async #overtake(random: Random): Promise<void> {
    const first = this.#start({ seed: random.below(2 ** 31), stays: true })
    await first.life.ready
    await Promise.race([pause(200 + random.below(300)), first.life.ended])
    const second = this.#start({ seed: random.below(2 ** 31) })
    await second.life.ready
    await Promise.race([pause(random.below(300)), first.life.ended])
    this.#tell(await first.life.kill())
    this.kills.overtaken += 1
    this.#read(first.log, { isOvertaken: true })
    await Promise.race([pause(random.below(LASTS_MS)), second.life.ended])
    this.#tell(await second.life.kill())
    this.kills.working += 1
    this.#read(second.log)
  }

  /** A last process takes all that is left, and ends by itself. */
  async finish(): Promise<void> {
    const { life, log } = this.#start({ seed: 0, drains: true })
    this.#tell(await life.end())
    this.#tell(this.place.wrongAtTheEnd())
    this.#read(log)
    this.ledger.finish()
  }

  async #work(life: ProcessLife, { lastsMs, wasLocked, kind }: Work): Promise<void> {
    const startMs = await life.ready
    // It died at a statement of its start.
    if (startMs === undefined) return
    this.#startMs = startMs
    // One that dies by itself may have done so just now.
    if (kind === 'working') this.#tell(this.place.wrongWhileHeld(life.pid))
    if (wasLocked) this.kills.staleLocks += 1
    await Promise.race([pause(lastsMs), life.ended])
  }

  #start(options: Omit<LifeOptions, 'place' | 'life' | 'sessions' | 'log'>): Started {
    this.#lives += 1
    const log = join(tmpdir(), `toolgen-soak-sessions-${process.pid}-${performance.now()}.log`)
    const life = new ProcessLife({ place: this.place.address, life: this.#lives, sessions: SESSIONS, log, ...options })
    return { life, log }
  }

  #read(log: string, { isOvertaken = false } = {}): void {
    this.ledger.read(readRecords(log), { isOvertaken })
    rmSync(log, { force: true })
  }

  #tell(faults: readonly string[]): void {
    this.ledger.faults.push(...faults.map((fault) => `process ${this.#lives}: ${fault}`))
  }
}
