import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { DurableAgents, DurableClient } from '@toolgen/runtime/durable'
import {
  type RestateAgentsOptions,
  type RestateClientOptions,
  restateClient,
  type ValueStore,
} from '@toolgen/runtime/restate'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import type { RestateServer } from '../../scripts/lib/restate.mjs'
import { eventsOf, suspended, testEngine } from './engine-suite.js'
import { newServiceName, restateServer, serveWorkers, type Workers } from './restate-workers.js'
import { scriptedAgents } from './scripted-agents.mjs'
import { callOf, idle, testSessions } from './session-suite.js'

const server = await restateServer()
if (server === undefined) {
  describe('durable runs on Restate', () => it.skip('need a Restate server, which npm could not install'))
} else {
  afterAll(() => server.stop())
  testInProcess(server)
}

function testInProcess(server: RestateServer): void {
  const { url, adminUrl } = server

  describe('workers in this process', () => {
    const started: Workers[] = []
    afterAll(() => Promise.all(started.map((each) => each.close())))

    async function start(
      agents: DurableAgents,
      options: RestateAgentsOptions = {},
      ofClient: Partial<RestateClientOptions> = {},
    ): Promise<{ name: string; workers: Workers; runs: DurableClient }> {
      const name = newServiceName()
      const workers = await serveWorkers(agents, { name, maxRetryDelayMs: 100, ...options })
      started.push(workers)
      await server.register(workers.address)
      return { name, workers, runs: restateClient({ url, adminUrl, name, ...ofClient }) }
    }

    testEngine('Restate', async (agents) => (await start(agents)).runs)
    testSessions('Restate', async (agents) => (await start(agents)).runs)

    it('park a run whose journal does not fit the code', async () => {
      const setting = { isDeployed: false, disconnect: (): void => undefined }
      const effect = (name: string): void => {
        if (name !== 'pay B' || setting.isDeployed) return
        setting.isDeployed = true
        setting.disconnect()
      }
      const before = scriptedAgents({ effect })
      const after = scriptedAgents({ effect, only: ['pay'] })
      const agents = {
        ...before,
        get agents() {
          return (setting.isDeployed ? after : before).agents
        },
      }
      const { workers, runs } = await start(agents, { maxAttempts: 4 })
      setting.disconnect = workers.disconnect
      await runs.start('support', 'get A | pay B', { runId: 'changed' })
      const message = expect.stringContaining(
        "The journal of run 'changed' does not fit the code: it has the call 'call_1_1'",
      )
      const report = { attempts: 4, code: 'journal_mismatch', message }
      await expect(runs.result('changed')).rejects.toMatchObject({ code: 'run_parked', runId: 'changed', report })
      expect(await runs.status('changed')).toEqual({ status: 'parked', report })
      await runs.cancel('changed')
      await expect
        .poll(() => runs.status('changed'))
        .toEqual({ status: 'parked', report: { attempts: 1, message: 'killed' } })
    })

    it('cancel a run that waited for an answer when its tool was removed', async () => {
      const setting = { isDeployed: false }
      const before = scriptedAgents({ effect: () => undefined })
      const after = scriptedAgents({ effect: () => undefined, only: ['get'] })
      const agents = {
        ...before,
        get agents() {
          return (setting.isDeployed ? after : before).agents
        },
      }
      const { workers, runs } = await start(agents, { maxAttempts: 3 })
      await runs.start('support', 'get A | refund B', { runId: 'without-refund' })
      const { id } = await suspended(runs, 'without-refund')
      setting.isDeployed = true
      workers.disconnect()
      await runs.answer('without-refund', id, { call_2_1: 'approve' })
      await expect
        .poll(() => runs.status('without-refund'))
        .toMatchObject({ status: 'parked', report: { code: 'journal_mismatch' } })
      await runs.cancel('without-refund')
      await expect
        .poll(() => runs.status('without-refund'))
        .toEqual({ status: 'parked', report: { attempts: 1, message: 'killed' } })
    })

    it('park a run whose env fails, and cancel it with its outcomes', async () => {
      const setting = { isFailing: false, disconnect: (): void => undefined }
      const effect = (name: string): void => {
        if (name !== 'pay B' || setting.isFailing) return
        setting.isFailing = true
        setting.disconnect()
      }
      const agents = scriptedAgents({ effect })
      const env = (facts: Parameters<NonNullable<DurableAgents['env']>>[0]): unknown => {
        if (setting.isFailing) throw new Error('No database.')
        return agents.env?.(facts)
      }
      const { workers, runs } = await start({ ...agents, env }, { maxAttempts: 4 })
      setting.disconnect = workers.disconnect
      await runs.start('support', 'get A | pay B', { runId: 'without-env' })
      const report = { attempts: 4, message: 'No database.' }
      await expect(runs.result('without-env')).rejects.toMatchObject({ code: 'run_parked', report })
      await runs.cancel('without-env')
      await expect
        .poll(() => runs.status('without-env'))
        .toMatchObject({ result: { status: 'cancelled', outcomes: [{ status: 'completed' }, { status: 'failed' }] } })
    })

    it('park a run whose nested run is parked', async () => {
      const agents = scriptedAgents({ effect: () => undefined })
      const env = ({ agent }: { readonly agent: string }): void => {
        if (agent === 'research') throw new Error('No configuration.')
      }
      const { runs } = await start({ ...agents, env }, { maxAttempts: 3 })
      const { runId } = await runs.start('support', 'investigate get A', { runId: "parent's run 1" })
      const message = `Nested run '${runId}/call_1_1': No configuration.`
      const report = { attempts: 3, message }
      await expect(runs.result(runId)).rejects.toMatchObject({ code: 'run_parked', report })
      await expect(eventsOf(runs, runId)).rejects.toMatchObject({ code: 'run_parked', report })
    })

    it('continue with the other calls if an operator kills a nested run', async () => {
      const { runs } = await start(scriptedAgents({ effect: () => undefined }))
      await runs.start('support', 'investigate slow A; get B', { runId: 'parent' })
      const kill = async (): Promise<boolean> => {
        const rows = await rowsOf("select id from sys_invocation where target_service_key = 'parent/call_1_1'")
        for (const { id } of rows) await fetch(`${adminUrl}/invocations/${id}/kill`, { method: 'PATCH' })
        return rows.length > 0
      }
      await expect.poll(kill).toBe(true)
      expect(await runs.result('parent')).toMatchObject({ status: 'completed', result: { text: 'internal, get B' } })
      expect(await runs.status('parent/call_1_1')).toEqual({
        status: 'parked',
        report: { attempts: 1, message: 'killed' },
      })
    })

    it('end calls and runs of a session that an operator kills', async () => {
      const { runs } = await start(scriptedAgents({ effect: () => undefined, sessions: { conversation: true } }))
      const session = await runs.openSession('s-1', { userId: 'u-7', namespaces: ['support'] })
      const { runId } = await session.run('support', 'new: slow A')
      await session.execute(callOf('watch', 'B'), { callId: 'B' })
      await expect.poll(() => session.poll()).toHaveLength(1)
      for (const id of [runId, '/s-1/B']) {
        const [row] = await rowsOf(`select id from sys_invocation where target_service_key = '${id}'`)
        await fetch(`${adminUrl}/invocations/${row?.id}/kill`, { method: 'PATCH' })
        await expect.poll(() => runs.status(id)).toMatchObject({ status: 'parked', report: { message: 'killed' } })
      }
      expect(await session.pending()).toHaveLength(1)
      expect(await session.cancel('B')).toBe(true)
      expect(await session.consume()).toMatchObject([
        { kind: 'update' },
        { outcome: { hint: { reason: 'interrupted' } } },
      ])
      const next = await session.run('support', 'new: get C')
      expect(await runs.result(next.runId)).toMatchObject({ status: 'completed', result: { text: 'get C' } })
    })

    it('store large values outside of Restate', async () => {
      const texts = new Map<string, string>()
      const store: ValueStore = {
        put: async (key, text) => {
          texts.set(key, text)
        },
        get: async (key) => texts.get(key),
      }
      const largeValues = { store, minLength: 50_000 }
      const agents = scriptedAgents({ effect: () => undefined })
      const { name, workers, runs } = await start(agents, { largeValues }, { largeValues })
      const text = 'x'.repeat(50_000)
      await runs.start('support', `get ${text} | investigate get ${text} | refund ${text}`, { runId: 'large' })
      const { id } = await suspended(runs, 'large')
      workers.disconnect()
      await runs.answer('large', id, { call_3_1: 'approve' })
      const { result } = await runs.result('large')
      expect(result?.text).toBe(`get ${text}, get ${text}, refund ${text}`)
      expect((await eventsOf(runs, 'large')).at(-1)).toMatchObject({ type: 'run_ended' })
      const session = await runs.openSession('s-1', { userId: 'u-7', namespaces: ['support'] })
      await session.execute(callOf('report', text))
      await idle(session)
      expect(await session.consumeCompleted()).toMatchObject([
        { completion: { outcome: { json: `"report ${text}"` } }, updates: [{ update: `"one ${text}"` }, {}] },
      ])
      const lengths = await rowsOf('select max(raw_length) as length from sys_journal')
      for (const { length } of lengths) expect(Number(length)).toBeLessThan(largeValues.minLength)
      const withoutStore = restateClient({ url, adminUrl, name })
      await expect(withoutStore.result('large')).rejects.toThrow('Set `largeValues` to the store of the workers.')
    })

    // After the test of stored values, which reads the largest value of the server.
    it('name `largeValues` if a value is too large for Restate', async () => {
      const { runs } = await start(scriptedAgents({ effect: () => undefined }), { maxAttempts: 2 })
      const next = 'Set `largeValues`, so that large values are stored outside of Restate.'
      await expect(runs.start('support', `get ${'x'.repeat(34_000_000)}`)).rejects.toThrow(next)
      const { runId } = await runs.start('support', `get ${'x'.repeat(8_000_000)}`)
      await expect
        .poll(() => runs.status(runId))
        .toMatchObject({
          status: 'parked',
          report: { message: expect.stringContaining(next) },
        })
    })

    it('repeat requests while a restarted server does not know its services yet', async () => {
      const { name } = await start(scriptedAgents({ effect: () => undefined }))
      const restarted = { missing: 0, rejected: 0 }
      const ingress = createServer(async (request, response) => {
        const isCall = !request.url?.startsWith('/restate/')
        if (isCall && restarted.missing > 0) {
          restarted.missing -= 1
          restarted.rejected += 1
          response.writeHead(404, { 'content-type': 'application/json', 'x-restate-error-source': 'ingress' })
          response.end(JSON.stringify({ code: 404, message: `service '${name}' not found`, source: 'ingress' }))
          return
        }
        const headers = Object.entries(request.headers).filter(([key]) => !['host', 'connection'].includes(key))
        const sent = await fetch(`${url}${request.url}`, {
          method: request.method ?? 'GET',
          headers: Object.fromEntries(headers) as Record<string, string>,
          ...(request.method === 'POST' && { body: await text(request) }),
        })
        response.writeHead(sent.status, Object.fromEntries(sent.headers))
        response.end(await sent.text())
      })
      await once(ingress.listen(0, '127.0.0.1'), 'listening')
      onTestFinished(() => void ingress.close())
      const { port } = ingress.address() as AddressInfo
      const options = { url: `http://127.0.0.1:${port}`, adminUrl, name }
      const runs = restateClient(options)
      const session = await runs.openSession('s-1', { userId: 'u-7', namespaces: ['support'] })
      await runs.start('support', 'get A', { runId: 'first' })

      restarted.missing = 2
      expect(await session.execute(callOf('get', 'B'))).toMatchObject({ status: 'completed', json: '"get B"' })
      restarted.missing = 2
      await runs.start('support', 'get C | refund D', { runId: 'second' })
      const { id } = await suspended(runs, 'second')
      restarted.missing = 2
      await runs.answer('second', id, { call_2_1: 'approve' })
      expect(await runs.result('second')).toMatchObject({ result: { text: 'get C, refund D' } })
      expect(restarted.rejected).toBe(6)

      restarted.missing = Number.POSITIVE_INFINITY
      const brief = restateClient({ ...options, timeoutMs: 1 })
      const message = `Restate has no service '${name}-sessions'. Register the address of the workers.`
      await expect(brief.openSession('s-1', { userId: 'u-7' })).rejects.toMatchObject({ message })
    })

    async function rowsOf(query: string): Promise<readonly Record<string, string>[]> {
      const response = await fetch(`${adminUrl}/query`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ query }),
      })
      const { rows } = (await response.json()) as { readonly rows: readonly Record<string, string>[] }
      return rows
    }
  })
}
