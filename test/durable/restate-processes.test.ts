import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { DurableClient } from '@toolgen/runtime/durable'
import { type RestateAgentsOptions, restateClient } from '@toolgen/runtime/restate'
import type { SessionEntry } from '@toolgen/runtime/sessions'
import { afterAll, afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { balance } from '../../examples/durable/src/workers.js'
import { NoPostgresError } from '../../scripts/lib/postgres.mjs'
import type { RestateServer } from '../../scripts/lib/restate.mjs'
import { type Effects, startEffects } from './effects.js'
import { eventsOf, suspended } from './engine-suite.js'
import { newServiceName, restateServer, serveWorkers } from './restate-workers.js'
import { scriptedAgents } from './scripted-agents.mjs'
import { callOf, contentOf, idle } from './session-suite.js'

const server = await restateServer()
if (server === undefined) {
  describe('worker processes of Restate', () => it.skip('need a Restate server, which npm could not install'))
} else {
  const effects = await startEffects().catch((error: unknown) => {
    if (error instanceof NoPostgresError) return undefined
    throw error
  })
  afterAll(() => Promise.all([server.stop(), effects?.stop()]))
  if (effects === undefined) {
    describe('worker processes of Restate', () => it.skip('need a PostgreSQL server, which counts effects'))
  } else testProcesses(server, effects)
  // The last tests: they end the server.
  testOutages(server)
}

function testProcesses(server: RestateServer, effects: Effects): void {
  const { url, adminUrl } = server
  describe('worker processes of Restate', () => {
    const started: WorkerProcess[] = []
    afterEach(() => Promise.all(started.splice(0).map((each) => each.kill())))

    async function start(
      setting: Omit<WorkerSetting, 'database'> = {},
    ): Promise<{ name: string; worker: WorkerProcess; runs: DurableClient }> {
      const name = newServiceName()
      const options = { maxRetryDelayMs: 200, ...setting.options, name }
      const worker = new WorkerProcess({ ...setting, options, database: effects.database })
      started.push(worker)
      await worker.start()
      await server.register(worker.address)
      return { name, worker, runs: restateClient({ url, adminUrl, name }) }
    }

    it('run no tool twice that must not run twice, after SIGKILL', async () => {
      const { name, runs } = await start({ crashes: { 'cancel B': 1, 'pay C': 1, 'pay E': 1 } })
      const { runId } = await runs.start('support', 'get A; cancel B | pay C | investigate get D, pay E')
      expect(await runs.result(runId)).toMatchObject({
        status: 'completed',
        result: { text: 'get A, unknown_outcome, pay C, get D, pay E' },
      })
      const happened = await effects.of(name)
      expect(happened.filter((effect) => effect.startsWith('cancel B'))).toHaveLength(1)
      const payments = happened.filter((effect) => effect.startsWith('pay'))
      expect(payments).toHaveLength(4)
      expect(new Set(payments).size).toBe(2)
    })

    it('publish the events of a run with crashes once, to subscribers before and after its end', async () => {
      const { runs } = await start({ crashes: { 'get B': 1, 'get D': 1 } })
      const { runId } = await runs.start('support', 'get A; get B | investigate get C, get D | get E')
      const events = await eventsOf(runs, runId)
      const own = events.filter((event) => event.runId === runId)
      expect(own.map(({ sequence }) => sequence)).toEqual(own.map((event) => events.indexOf(event) + 1))
      expect(own.at(-1)).toMatchObject({ type: 'run_ended', status: 'completed' })
      expect(await eventsOf(runs, runId)).toEqual(events)
      expect(await eventsOf(runs, runId, 7)).toEqual(events.slice(6))
      expect(await eventsOf(runs, runId, events.length + 1)).toEqual([])
    })

    it('continue after an approval, although no worker ran while the run waited', async () => {
      const { name, worker, runs } = await start()
      const { runId } = await runs.start('support', 'get A; refund B | get C')
      const { id } = await suspended(runs, runId)
      await worker.kill()
      expect(await runs.status(runId)).toMatchObject({ status: 'suspended' })
      const isAnswered = runs.answer(runId, id, { call_1_2: 'approve' })
      await worker.start()
      await isAnswered
      expect(await runs.result(runId)).toMatchObject({ result: { text: 'get A, refund B, get C' } })
      expect(await effects.of(name)).toHaveLength(3)
    })

    it('store the entries of streaming calls once, although SIGKILL ends their worker', async () => {
      const { name, worker, runs } = await start({ crashes: { 'report A': 1, 'print B': 1 } })
      const session = await runs.openSession('s-1', { userId: 'u-7', namespaces: ['support'] })
      await session.execute(callOf('report', 'A'), { callId: 'A' })
      await idle(session)
      await session.execute(callOf('print', 'B'), { callId: 'B' })
      await idle(session)
      await session.execute(callOf('watch', 'C'), { callId: 'C' })
      await expect.poll(async () => (await session.poll()).at(-1)).toMatchObject({ callId: 'C', kind: 'update' })
      await worker.kill()
      await worker.start()
      const happened = async (): Promise<readonly string[]> =>
        (await effects.of(name)).map((effect) => effect.split(' ').slice(0, 2).join(' '))
      await expect.poll(async () => (await happened()).filter((effect) => effect === 'watch C')).toHaveLength(2)
      expect(await session.cancel('C')).toBe(true)
      await idle(session)
      const entries = await session.consume()
      expect(contentOf(entries)).toEqual([
        ...['A "one A"', 'A "two A"', 'A completed', 'B failed', 'C "sees C"', 'C failed'],
      ])
      expect(entries[3]).toMatchObject({ outcome: { hint: { reason: 'unknown_outcome' } } })
      expect(await happened()).toEqual(['report A', 'report A', 'print B', 'watch C', 'watch C'])
    })

    it('lose nothing of a session while one of two workers is killed', async () => {
      const name = newServiceName()
      const setting = { database: effects.database, options: { maxRetryDelayMs: 200, name } }
      const workers = [new WorkerProcess(setting), new WorkerProcess(setting)]
      started.push(...workers)
      await Promise.all(workers.map((worker) => worker.start()))
      const balancer = await balance(workers)
      onTestFinished(() => void balancer.server.close())
      await server.register(balancer.address)
      const client = restateClient({ url, adminUrl, name, timeoutMs: 60_000 })
      const session = await client.openSession('s-1', { userId: 'u-7', namespaces: ['support'] })
      const consumed: SessionEntry[] = []
      let isOver = false
      const kill = async (): Promise<void> => {
        for (let kills = 0; kills < 3 || !isOver; kills += 1) {
          const worker = workers[kills % 2]
          await worker?.kill()
          await worker?.start()
          await expect.poll(async () => isOver || (await session.poll()).length > 0).toBe(true)
        }
      }
      const killing = kill()
      const call = async (tool: string): Promise<void> => {
        for (let index = 0; index < 15; index += 1) {
          await session.execute(callOf(tool, `${index}`), { callId: `${tool}-${index}` })
          if (index % 5 === 4) consumed.push(...(await session.consume()))
        }
      }
      await Promise.all(['report', 'print'].map(call))
      await idle(session)
      isOver = true
      await killing
      consumed.push(...(await session.consume()))
      expect(new Set(consumed.map(({ sequence }) => sequence)).size).toBe(consumed.length)
      const completed = consumed.filter((entry) => entry.kind === 'completed')
      expect(new Set(completed.map(({ callId }) => callId)).size).toBe(30)
      const reports = contentOf(consumed.filter(({ tool }) => tool === 'orders.report'))
      const expected = Array.from({ length: 15 }, (_, index) => [`"one ${index}"`, `"two ${index}"`, 'completed'])
      expect([...reports].sort()).toEqual(
        expected.flatMap((parts, index) => parts.map((part) => `report-${index} ${part}`)).sort(),
      )
      const printed = (await effects.of(name)).filter((effect) => effect.startsWith('print'))
      expect(new Set(printed).size).toBe(printed.length)
      const failures = completed.filter(({ outcome }) => outcome.status === 'failed')
      for (const { outcome } of failures) expect(outcome).toMatchObject({ hint: { reason: 'unknown_outcome' } })
    })

    it('park a run that ends every worker, and cancel it', async () => {
      const { runs } = await start({ crashes: { 'pay X': 100, 'report Y': 100 }, options: { maxAttempts: 3 } })
      await runs.start('support', 'get A | pay X', { runId: 'poisoned' })
      const report = { attempts: 3, message: expect.any(String) }
      await expect(runs.result('poisoned')).rejects.toMatchObject({ code: 'run_parked', report })
      expect(await runs.status('poisoned')).toEqual({ status: 'parked', report })
      const session = await runs.openSession('s-1', { userId: 'u-7', namespaces: ['support'] })
      await session.execute(callOf('report', 'Y'), { callId: 'Y' })
      await expect.poll(() => runs.status('/s-1/Y')).toMatchObject({ status: 'parked' })
      expect(await session.cancel('Y')).toBe(true)
      await idle(session)
      expect(await session.consume()).toMatchObject([{ outcome: { hint: { reason: 'cancelled' } } }])
      await runs.cancel('poisoned')
      await expect.poll(() => runs.status('poisoned')).toMatchObject({ result: { status: 'cancelled' } })
    })
  })
}

function testOutages(server: RestateServer): void {
  const { url, adminUrl } = server
  describe('an unreachable Restate server', () => {
    it('is reported before and during runs, and runs continue when it is back', async () => {
      const name = newServiceName()
      const workers = await serveWorkers(scriptedAgents({ effect: () => undefined }), { name })
      await server.register(workers.address)
      const patient = restateClient({ url, adminUrl, name, timeoutMs: 600_000 })
      const impatient = restateClient({ url, adminUrl, name, timeoutMs: 1 })
      await patient.start('support', 'get A; refund B', { runId: 'interrupted' })
      const { id } = await suspended(patient, 'interrupted')
      const session = await patient.openSession('s-1', { userId: 'u-7', namespaces: ['support'] })
      const brief = restateClient({ url, adminUrl, name, timeoutMs: 1_000 })
      const ofBrief = await brief.openSession('s-1', { userId: 'u-7' })
      const isEnded = patient.result('interrupted')
      const events = eventsOf(patient, 'interrupted')
      await server.kill()
      const code = 'engine_unreachable'
      await expect(impatient.start('support', 'get A')).rejects.toMatchObject({ name: 'DurableError', code })
      for (const call of ['status', 'result', 'cancel'] as const) {
        await expect(impatient[call]('interrupted')).rejects.toMatchObject({ code })
      }
      await expect(impatient.answer('interrupted', id, { call_1_2: 'approve' })).rejects.toMatchObject({ code })
      await expect(eventsOf(impatient, 'interrupted')).rejects.toMatchObject({ code })
      await expect(ofBrief.poll()).rejects.toMatchObject({ name: 'DurableError', code })
      const outcome = session.execute(callOf('get', 'C'))
      await server.restart()
      expect(await outcome).toMatchObject({ status: 'completed', json: '"get C"' })
      await patient.answer('interrupted', id, { call_1_2: 'approve' })
      expect(await isEnded).toMatchObject({ result: { text: 'get A, refund B' } })
      expect((await events).at(-1)).toMatchObject({ type: 'run_ended' })
      await workers.close()
    })
  })
}

interface WorkerSetting {
  /** Address of the database for effects. */
  readonly database: string
  /** For each effect, the number of times that the process ends after it. */
  readonly crashes?: Readonly<Record<string, number>>
  readonly options?: RestateAgentsOptions
}

/** Worker process that starts again when it ends, with the same address. */
class WorkerProcess {
  address = ''
  port = 0
  readonly #setting: WorkerSetting
  #process: ChildProcess | undefined

  constructor(setting: WorkerSetting) {
    this.#setting = setting
  }

  async start(): Promise<void> {
    const setting = { ...this.#setting, port: this.port }
    const script = fileURLToPath(new URL('restate-worker.mjs', import.meta.url))
    const worker = spawn(process.execPath, [script, JSON.stringify(setting)], { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#process = worker
    worker.once('exit', () => {
      if (this.#process === worker) this.start().catch(() => undefined)
    })
    const [address] = await once(worker.stdout.setEncoding('utf8'), 'data')
    this.address = address.trim()
    this.port = Number(new URL(this.address).port)
  }

  /** Ends the process with SIGKILL. It does not start again by itself. */
  async kill(): Promise<void> {
    const worker = this.#process
    this.#process = undefined
    if (worker === undefined || worker.exitCode !== null || worker.signalCode !== null) return
    worker.kill('SIGKILL')
    await once(worker, 'exit')
  }
}
