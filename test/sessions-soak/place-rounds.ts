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

/** Times of a kill: during work, at a statement, or before the process has opened its sessions. */
const KINDS = ['working', 'working', 'statements', 'statements', 'starting'] as const

/** Kinds for the first process of a place. It creates the database, which these tests do not cover. */
const WITH_START = ['working', 'statements'] as const

const STATEMENTS = 400
const LASTS_MS = 2_000

/** Number of killed processes by kind, and number of processes that replaced the lock of another process. */
export interface KillCounts {
  working: number
  statements: number
  starting: number
  /** Killed after another process had opened the sessions. */
  overtaken: number
  staleLocks: number
}

interface Started {
  readonly life: ProcessLife
  /** Path of the file with its records. */
  readonly log: string
}

interface Work {
  readonly lastsMs: number
  /** True if the previous process has left its lock. */
  readonly wasLocked: boolean
  readonly kind: (typeof KINDS)[number]
}

/** Rounds in one place: starts a process, kills it, and checks the data that its successor finds. */
export class PlaceRounds {
  readonly place: Place
  readonly ledger = new Ledger()
  readonly kills: KillCounts = { working: 0, statements: 0, starting: 0, overtaken: 0, staleLocks: 0 }
  #lives = 0
  /** Milliseconds that the last process needed to open its sessions. `undefined` before the first one. */
  #startMs: number | undefined = undefined

  constructor(place: Place) {
    this.place = place
  }

  /** Starts one or two processes and kills them with SIGKILL. */
  round(random: Random): Promise<void> {
    const isOvertaken = this.place.isShared && this.#lives > 2 && random.chance(0.25)
    return isOvertaken ? this.#overtake(random) : this.#kill(random)
  }

  /** Kills a process during work, at one of its statements, or during its start. */
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

  /** Opens the sessions in a second process while the first one works, then kills both one after the other. */
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

  /** Consumes the remaining entries in a last process, which ends by itself. */
  async finish(): Promise<void> {
    const { life, log } = this.#start({ seed: 0, drains: true })
    this.#tell(await life.end())
    this.#tell(this.place.wrongAtTheEnd())
    this.#read(log)
    this.ledger.finish()
  }

  async #work(life: ProcessLife, { lastsMs, wasLocked, kind }: Work): Promise<void> {
    const startMs = await life.ready
    // The process died at a statement of its start.
    if (startMs === undefined) return
    this.#startMs = startMs
    // A process of the kind `statements` may have died in the meantime.
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
