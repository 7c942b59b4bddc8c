import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isToolgenError } from '@toolgen/runtime'
import type { DurableClient } from '@toolgen/runtime/durable'
import { restateClient } from '@toolgen/runtime/restate'
import { balance } from '../../examples/durable/src/workers.js'
import { startRestateCluster } from '../../scripts/lib/restate.mjs'
import { Random } from '../codec/differential/random.js'
import { callsOf, faultsOf, observe, play, randomScript } from './crash-rounds.js'
import { startEffects } from './effects.js'

/** Number of runs at the same time. */
const PARALLEL = 8

/** Maximum time in milliseconds before and after the effect of a call. */
const CALL_MS = 15

/** Maximum number of calls that start in a worker process before it is killed. */
const MAX_CALLS = 4

/** Mean number of kills per kill of a server. */
const SERVER_SHARE = 12

/** Maximum time in milliseconds until a killed node of a cluster starts again. */
const NODE_DOWN_MS = 5_000

/** Counts of {@link restateRounds}. */
export interface RestateCounts {
  readonly runs: number
  readonly calls: number
  readonly workerKills: number
  readonly serverKills: number
  /** Number of calls whose outcome was unknown. */
  readonly unknown: number
  /** Number of times that a subscriber lost its stream and subscribed again. */
  readonly reconnects: number
}

/** A worker process that starts again, on the same port, after it was killed. */
class Worker {
  port = 0
  readonly #database: string
  readonly #onCall: (worker: Worker) => void
  #process: ChildProcess | undefined

  /** @param onCall called when a call starts in the process */
  constructor(database: string, onCall: (worker: Worker) => void) {
    this.#database = database
    this.#onCall = onCall
  }

  async start(): Promise<void> {
    const options = { maxRetryDelayMs: 200, maxAttempts: 10_000 }
    const setting = JSON.stringify({ database: this.#database, port: this.port, callMs: CALL_MS, options })
    const file = fileURLToPath(new URL('restate-worker.mjs', import.meta.url))
    const child = spawn(process.execPath, [file, setting], { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#process = child
    const lines = createInterface({ input: child.stdout })
    const [line] = await once(lines, 'line')
    this.port = Number(new URL(String(line)).port)
    lines.on('line', () => {
      if (this.#process === child && child.exitCode === null && child.signalCode === null) this.#onCall(this)
    })
  }

  async end(): Promise<void> {
    const child = this.#process
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
}

/** Options of {@link restateRounds}. */
export interface RestateRoundsOptions {
  readonly seed: number
  readonly goesOn: (counts: RestateCounts) => boolean
  /** Number of nodes of the Restate cluster. */
  readonly nodes: number
}

/**
 * Runs random scripts on Restate with three worker processes, until `goesOn` returns false. Kills workers (SIGKILL) shortly after the start of a
 * call, sometimes a Restate server in place of the worker, and starts them again. Starts a run through one node of the cluster, and observes it
 * through another. Compares each run with the same run in memory without a crash. Workers count their effects in a PostgreSQL database.
 *
 * @throws {NoRestateError} if no Restate server can be started
 * @throws {NoPostgresError} if no PostgreSQL server can be started
 */
export async function restateRounds({
  seed,
  goesOn,
  nodes,
}: RestateRoundsOptions): Promise<RestateCounts & { readonly faults: readonly string[] }> {
  const random = new Random(seed)
  const effects = await startEffects()
  const cluster = await startRestateCluster(nodes).catch(async (error: unknown) => {
    await effects.stop()
    throw error
  })
  const counts = { runs: 0, calls: 0, workerKills: 0, serverKills: 0, unknown: 0, reconnects: 0 }
  const faults: string[] = []
  const kills = new Set<Promise<void>>()
  const callsLeft = new Map<Worker, number>()
  let isServerKilled = false
  const oneOf = <T>(all: readonly T[]): T => all[random.below(all.length)] as T

  const kill = async (worker: Worker): Promise<void> => {
    await setTimeout(random.below(2 * CALL_MS))
    if (random.below(SERVER_SHARE) === 0 && !isServerKilled) {
      isServerKilled = true
      const server = oneOf(cluster.nodes)
      await server.kill()
      if (nodes > 1) await setTimeout(random.below(NODE_DOWN_MS))
      await server.restart()
      isServerKilled = false
      counts.serverKills += 1
    } else {
      await worker.end()
      await worker.start()
      counts.workerKills += 1
    }
    callsLeft.set(worker, 1 + random.below(MAX_CALLS))
  }
  const onCall = (worker: Worker): void => {
    const left = (callsLeft.get(worker) ?? MAX_CALLS) - 1
    callsLeft.set(worker, left)
    if (left !== 0 || !goesOn(counts)) return
    const killing = kill(worker).catch((error: unknown) => void faults.push(`a process did not start again: ${error}`))
    kills.add(killing)
    killing.finally(() => kills.delete(killing))
  }
  const workers = Array.from({ length: 3 }, () => new Worker(effects.database, onCall))
  await Promise.all(workers.map((worker) => worker.start()))
  const balancer = await balance(workers)
  let started = 0
  const lane = async (): Promise<void> => {
    while (goesOn(counts)) {
      const script = randomScript(random)
      const runId = `run-${seed}-${started}`
      started += 1
      const undisturbed = await play(script, () => false)
      const disconnects = (): boolean => {
        if (random.below(10) > 0) return false
        counts.reconnects += 1
        return true
      }
      try {
        await start(oneOf(clients), script, runId)
        const observed = await observe(oneOf(clients), runId, { disconnects, pollMs: 150 })
        const seen = { ...observed, effects: await effects.ofRun(runId) }
        const { calls, unknown } = callsOf(seen.events)
        counts.calls += calls
        counts.unknown += unknown
        for (const fault of faultsOf(seen, undisturbed)) faults.push(`${runId}, '${script}': ${fault}`)
      } catch (error) {
        faults.push(`${runId}, '${script}': ${error instanceof Error ? error.stack : String(error)}`)
      }
      counts.runs += 1
    }
  }
  const clients = cluster.nodes.map((node) => restateClient({ ...node, timeoutMs: 60_000 }))
  try {
    await cluster.register(balancer.address)
    await Promise.all(Array.from({ length: PARALLEL }, lane))
    await Promise.all(kills)
    return { ...counts, faults }
  } finally {
    balancer.server.close()
    await Promise.all(workers.map((worker) => worker.end()))
    await cluster.stop()
    await effects.stop()
  }
}

/** Starts a run. If the server was killed during the request, starts the run again with its id, unless it has started. */
async function start(runs: DurableClient, script: string, runId: string): Promise<void> {
  for (;;) {
    try {
      await runs.start('support', script, { runId })
      return
    } catch (error) {
      if (!isToolgenError(error, 'DurableError')) throw error
      if (error.code === 'duplicate_run') return
      if (error.code !== 'engine_unreachable') throw error
    }
  }
}
