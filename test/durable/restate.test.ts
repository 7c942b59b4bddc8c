import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RunEvent } from '@toolgen/runtime'
import type { DurableClient } from '@toolgen/runtime/durable'
import { type RestateAgentsOptions, type RestateClientOptions, restateClient } from '@toolgen/runtime/restate'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { NoRestateError, startRestate } from '../../scripts/lib/restate.mjs'
import { suspended, testEngine } from './engine-suite.js'
import { serveWorkers, type Workers } from './restate-workers.js'

const server = await startRestate().catch((error: unknown) => {
  if (error instanceof NoRestateError) return undefined
  throw error
})

if (server === undefined) {
  describe('durable runs on Restate', () => it.skip('need a Restate server, which npm could not install'))
} else {
  afterAll(() => server.stop())
  testOnRestate(server)
}

function testOnRestate(server: Awaited<ReturnType<typeof startRestate>>): void {
  const { url, adminUrl } = server
  const workers: Workers[] = []
  afterAll(() => Promise.all(workers.map((each) => each.close())))

  testEngine('Restate', async (agents) => {
    const name = `toolgen-${workers.length + 1}`
    const each = await serveWorkers(agents, { name })
    workers.push(each)
    await server.register(each.address)
    return restateClient({ url, adminUrl, name })
  })

  describe('worker processes of Restate', () => {
    let services = 0
    const started: WorkerProcess[] = []
    afterEach(() => Promise.all(started.splice(0).map((each) => each.stop())))

    /** Starts a worker process with a service of its own. */
    async function startWorker(setting: WorkerSetting = {}): Promise<{ worker: WorkerProcess; runs: DurableClient }> {
      services += 1
      const name = `process-${services}`
      const worker = new WorkerProcess({ ...setting, options: { maxRetryDelayMs: 200, ...setting.options, name } })
      started.push(worker)
      await worker.start()
      await server.register(worker.address)
      return { worker, runs: restateClient({ url, adminUrl, name, ...setting.client }) }
    }

    it('run no tool twice that must not run twice, after SIGKILL', async () => {
      const { worker, runs } = await startWorker({ crashes: { 'cancel B': 1, 'pay C': 1, 'pay E': 1 } })
      const { runId } = await runs.start('support', 'get A; cancel B | pay C | investigate get D, pay E')
      expect(await runs.result(runId)).toMatchObject({
        status: 'completed',
        result: { text: 'get A, unknown_outcome, pay C, get D, pay E' },
      })
      const effects = worker.effects()
      expect(effects.filter((effect) => effect.startsWith('cancel B'))).toHaveLength(1)
      const ofPayment = effects.filter((effect) => effect.startsWith('pay'))
      expect(ofPayment).toHaveLength(4)
      expect(new Set(ofPayment).size).toBe(2)
    })

    it('publish the events of a run with crashes once, to subscribers before and after its end', async () => {
      const { runs } = await startWorker({ crashes: { 'get B': 1, 'get D': 1 } })
      const script = 'get A; get B | investigate get C, get D | get E'
      const { runId } = await runs.start('support', script)
      const events = await eventsOf(runs, runId)
      const own = events.filter((event) => event.runId === runId)
      expect(own.map(({ sequence }) => sequence)).toEqual(own.map((event) => events.indexOf(event) + 1))
      expect(own.at(-1)).toMatchObject({ type: 'run_ended', status: 'completed' })
      expect(await eventsOf(runs, runId)).toEqual(events)
      expect(await eventsOf(runs, runId, 7)).toEqual(events.slice(6))
      expect(await eventsOf(runs, runId, events.length + 1)).toEqual([])
    })

    it('continue after an approval, although no worker ran when the run waited', async () => {
      const { worker, runs } = await startWorker()
      const { runId } = await runs.start('support', 'get A; refund B | get C')
      const { id } = await suspended(runs, runId)
      await worker.kill()
      expect(await runs.status(runId)).toMatchObject({ status: 'suspended' })
      const isAnswered = runs.answer(runId, id, { call_1_2: 'approve' })
      await worker.start()
      await isAnswered
      expect(await runs.result(runId)).toMatchObject({ result: { text: 'get A, refund B, get C' } })
      expect(worker.effects()).toHaveLength(3)
    })

    it('park a run that ends every worker, with a report', async () => {
      const { runs } = await startWorker({ crashes: { 'pay X': 100 }, options: { maxAttempts: 3 } })
      await runs.start('support', 'get A | pay X', { runId: 'poisoned' })
      const report = { attempts: 3, message: expect.any(String) }
      await expect(runs.result('poisoned')).rejects.toMatchObject({ code: 'run_parked', runId: 'poisoned', report })
      expect(await runs.status('poisoned')).toEqual({ status: 'parked', report })
      await expect(eventsOf(runs, 'poisoned')).rejects.toMatchObject({ code: 'run_parked' })
    })

    it('park a run whose nested run is parked', async () => {
      const { worker, runs } = await startWorker({ options: { maxAttempts: 3 } })
      await runs.start('support', 'investigate refund A | get B', { runId: 'parent' })
      await suspended(runs, 'parent')
      await worker.kill()
    })

    it('park a run whose journal does not fit the code, and continue it with the code that fits', async () => {
      const setting = { options: { maxAttempts: 3 } }
      const { worker, runs } = await startWorker(setting)
      await runs.start('support', 'get A; refund B | get C', { runId: 'changed' })
      const { id } = await suspended(runs, 'changed')
      await worker.kill()
      await worker.start({ replace: { 'get A; refund B | get C': 'get Z; refund B | get C' } })
      await runs.answer('changed', id, { call_1_2: 'approve' })
      await expect(runs.result('changed')).rejects.toMatchObject({
        code: 'run_parked',
        report: { attempts: 3, code: 'journal_mismatch', message: expect.stringContaining('"Z"') },
      })
    })

    it('store large values outside of the journal', async () => {
      const minLength = 20_000
      const { worker, runs } = await startWorker({ minLength })
      const text = 'x'.repeat(minLength)
      await runs.start('support', `get ${text} | investigate get ${text} | refund B`, { runId: 'large' })
      const { id } = await suspended(runs, 'large')
      await runs.answer('large', id, { call_3_1: 'approve' })
    })
  })
}

interface WorkerSetting {
  /** For each effect, the number of times that the process ends after it. */
  readonly crashes?: Readonly<Record<string, number>>
  /** For each script, the script that the agents follow instead. */
  readonly replace?: Readonly<Record<string, string>>
  readonly options?: RestateAgentsOptions
  readonly minLength?: number
  readonly client?: Partial<RestateClientOptions>
}

/** Worker process that starts again when it ends, with the same address. */
class WorkerProcess {
  address = ''
  readonly #setting: WorkerSetting
  readonly #folder = mkdtempSync(join(tmpdir(), 'toolgen-restate-worker-'))
  #process: ChildProcess | undefined
  #port = 0

  constructor(setting: WorkerSetting) {
    this.#setting = setting
  }

  async start(changes: WorkerSetting = {}): Promise<void> {
    const setting = { ...this.#setting, ...changes, folder: this.#folder, port: this.#port }
    const script = fileURLToPath(new URL('restate-worker.mjs', import.meta.url))
    const worker = spawn(process.execPath, [script, JSON.stringify(setting)], { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#process = worker
    worker.once('exit', () => {
      if (this.#process === worker) this.start(changes).catch(() => undefined)
    })
    const [address] = await once(worker.stdout.setEncoding('utf8'), 'data')
    this.address = address.trim()
    this.#port = Number(new URL(this.address).port)
  }

  /** Ends the process with SIGKILL. It does not start again by itself. */
  async kill(): Promise<void> {
    const worker = this.#process
    this.#process = undefined
    if (worker === undefined || worker.exitCode !== null || worker.signalCode !== null) return
    worker.kill('SIGKILL')
    await once(worker, 'exit')
  }

  async stop(): Promise<void> {
    await this.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Effects with their idempotency keys, in the order in which they happened. */
  effects(): readonly string[] {
    const file = join(this.#folder, 'effects')
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  }

  /** Keys of the stored large values. */
  values(): readonly string[] {
    return readdirSync(join(this.#folder, 'values'))
  }
}

async function eventsOf(runs: DurableClient, runId: string, from = 1): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of runs.subscribe(runId, { from })) events.push(event)
  return events
}
