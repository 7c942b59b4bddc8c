import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { restateClient } from '@toolgen/runtime/restate'
import { balance } from '../../examples/durable/src/workers.js'
import { startRestate } from '../../scripts/lib/restate.mjs'
import { Random } from '../codec/differential/random.js'
import { faultsOf, follow, play, randomScript } from './crash-rounds.js'

/** Number of runs at the same time. */
const PARALLEL = 4

/** Result of {@link restateRounds}. */
export interface RestateRounds {
  readonly runs: number
  readonly workerKills: number
  readonly serverKills: number
  /** Number of runs with a call whose outcome was unknown. */
  readonly unknown: number
  readonly faults: readonly string[]
}

/** A worker process that starts again, on the same port, after it was killed. */
class Worker {
  readonly name: string
  port = 0
  readonly #folder: string
  #process: ChildProcess | undefined

  constructor(name: string, folder: string) {
    this.name = name
    this.#folder = folder
  }

  async start(): Promise<void> {
    const options = { maxRetryDelayMs: 200, maxAttempts: 10_000 }
    const setting = JSON.stringify({ folder: this.#folder, port: this.port, options })
    const file = fileURLToPath(new URL('restate-worker.mjs', import.meta.url))
    const child = spawn(process.execPath, [file, setting], { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#process = child
    const [line] = await once(createInterface({ input: child.stdout }), 'line')
    this.port = Number(new URL(String(line)).port)
  }

  async restart(): Promise<void> {
    await this.end('SIGKILL')
    await this.start()
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
}

/**
 * Runs random scripts on a Restate server with three worker processes, kills random processes (SIGKILL), also the server, and starts them
 * again, until `goesOn` returns false. Compares each run with the same run in memory without a crash.
 *
 * @throws {NoRestateError} if no Restate server can be started
 */
export async function restateRounds(seed: number, goesOn: (runs: number) => boolean): Promise<RestateRounds> {
  const random = new Random(seed)
  const server = await startRestate()
  const folder = mkdtempSync(join(tmpdir(), 'toolgen-durable-'))
  const workers = ['one', 'two', 'three'].map((name) => new Worker(name, folder))
  await Promise.all(workers.map((worker) => worker.start()))
  const balancer = await balance(workers)
  const counts = { runs: 0, workerKills: 0, serverKills: 0, unknown: 0 }
  const faults: string[] = []
  let isOver = false
  const kill = async (): Promise<void> => {
    while (!isOver) {
      await setTimeout(50 + random.below(400))
      if (random.below(12) === 0) {
        await server.kill()
        await server.restart()
        counts.serverKills += 1
      } else {
        await workers[random.below(workers.length)]?.restart()
        counts.workerKills += 1
      }
    }
  }
  const effectsOf = (runId: string): readonly string[] =>
    readFileSync(join(folder, 'effects'), { encoding: 'utf8', flag: 'a+' })
      .split('\n')
      .filter((line) => line.split(' ')[2]?.split(/\/|%2F/)[0] === runId)
      .map((line) => line.split(' ').slice(0, 2).join(' '))
  try {
    await server.register(balancer.address)
    const runs = restateClient({ ...server, timeoutMs: 60_000 })
    const killing = kill()
    while (goesOn(counts.runs)) {
      const scripts = Array.from({ length: PARALLEL }, () => randomScript(random))
      await Promise.all(
        scripts.map(async (script, index) => {
          const runId = `run-${seed}-${counts.runs + index}`
          const undisturbed = await play(script, () => false)
          try {
            const seen = { ...(await follow(runs, script, runId)), effects: effectsOf(runId) }
            if (JSON.stringify(seen.events).includes('"reason":"unknown_outcome"')) counts.unknown += 1
            for (const fault of faultsOf(seen, undisturbed)) faults.push(`${runId}, '${script}': ${fault}`)
          } catch (error) {
            faults.push(`${runId}, '${script}': ${error instanceof Error ? error.stack : String(error)}`)
          }
        }),
      )
      counts.runs += PARALLEL
    }
    isOver = true
    await killing
    return { ...counts, faults }
  } finally {
    isOver = true
    balancer.server.close()
    await Promise.all(workers.map((worker) => worker.end('SIGKILL')))
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
