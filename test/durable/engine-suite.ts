import { type ExecutorRequest, type JsonValue, type RunEvent, ToolFailure, type ToolLayer } from '@toolgen/runtime'
import type { RunPolicy } from '@toolgen/runtime/agents'
import { validateHistory } from '@toolgen/runtime/chat'
import type {
  DurableAgents,
  DurableClient,
  DurableFacts,
  DurableSessionsOptions,
  DurableStatus,
  UnknownOutcome,
} from '@toolgen/runtime/durable'
import { describe, expect, it } from 'vitest'
import { scriptedAgents } from './scripted-agents.mjs'

/** Starts an engine with these agents. */
export type EngineFactory = (agents: DurableAgents) => DurableClient | Promise<DurableClient>

/** An engine whose agents follow scripts, with the effects of their tools. */
interface World {
  readonly engine: DurableClient
  /** Effects in the order in which they happened. */
  readonly effects: string[]
  readonly requests: ExecutorRequest[]
  /** Facts of each attempt of a run or of a call of a session. */
  readonly starts: DurableFacts[]
}

interface WorldOptions {
  readonly policy?: RunPolicy
  readonly unknownOutcome?: UnknownOutcome
  readonly aroundResearch?: ToolLayer
  readonly sessions?: DurableSessionsOptions
  /** Called when an effect has happened. The tool waits for the promise. */
  readonly afterEffect?: (effect: string) => unknown
}

/** Creates agents and an engine for one test. */
export async function startWorld(
  factory: EngineFactory,
  { afterEffect, ...options }: WorldOptions = {},
): Promise<World> {
  const effects: string[] = []
  const requests: ExecutorRequest[] = []
  const starts: DurableFacts[] = []
  const effect = (name: string, request: ExecutorRequest): unknown => {
    effects.push(name)
    requests.push(request)
    return afterEffect?.(name)
  }
  const agents = scriptedAgents({ effect, onStart: (facts) => starts.push(facts), ...options })
  return { engine: await factory(agents), effects, requests, starts }
}

/** Waits until a run is suspended. */
export async function suspended(
  engine: DurableClient,
  runId: string,
): Promise<Extract<DurableStatus, { status: 'suspended' }>['suspension']> {
  let status = await engine.status(runId)
  await expect
    .poll(async () => {
      status = await engine.status(runId)
      return status.status
    })
    .toBe('suspended')
  if (status.status !== 'suspended') throw new Error('The run is not suspended.')
  return status.suspension
}

/** Returns the events of a run after its end. */
export async function eventsOf(engine: DurableClient, runId: string, from?: number): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of engine.subscribe(runId, from === undefined ? {} : { from })) events.push(event)
  return events
}

/** Tests that every durable engine must pass. */
export function testEngine(name: string, factory: EngineFactory): void {
  describe(`durable runs on ${name}`, () => {
    it('complete with the results of sequential, parallel and nested calls', async () => {
      const { engine, effects } = await startWorld(factory)
      const { runId } = await engine.start('support', 'get A; cancel B | investigate get C, cancel D | flaky E')
      const result = await engine.result(runId)
      expect(result).toMatchObject({
        version: 1,
        runId,
        agent: 'support',
        status: 'completed',
        result: { text: 'get A, cancel B, get C, cancel D, flaky E' },
        usage: { turns: 4, toolCalls: 4 },
      })
      expect([...effects].sort()).toEqual(['cancel B', 'cancel D', 'flaky E', 'flaky E', 'get A', 'get C'])
      expect(validateHistory(result.messages)).toEqual([])
      expect(result.outcomes.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed', 'completed'])
      expect(await engine.status(runId)).toEqual({ status: 'ended', result })
    })

    it('pass ids, session and labels to tools, with an idempotency key for each call', async () => {
      const { engine, requests } = await startWorld(factory)
      const options = { runId: 'r-1', sessionId: 's-1', turnId: 't-1', labels: { tenant: 'acme' } }
      expect(await engine.start('support', 'get A', options)).toEqual({ runId: 'r-1' })
      await engine.result('r-1')
      expect(requests.map(({ meta }) => meta)).toMatchObject([
        { ...options, toolCallId: 'call_1_1', idempotencyKey: 'r-1/call_1_1', agent: 'support' },
      ])
    })

    it('publish their events once, in order, from any position', async () => {
      const { engine } = await startWorld(factory)
      const { runId } = await engine.start('support', 'report A; get B | investigate get C')
      const events = await eventsOf(engine, runId)
      const own = events.filter((event) => event.runId === runId)
      expect(own.map(({ type }) => type)).toEqual([
        ...['run_started', 'step_started', 'call_started', 'call_started'],
        ...own.slice(4, 8).map(({ type }) => type),
        ...['step_ended', 'step_started', 'call_started', 'handoff', 'handoff', 'call_ended', 'step_ended'],
        ...['step_started', 'step_ended', 'run_ended'],
      ])
      const duringCalls = own.slice(4, 8)
      expect(duringCalls.map(({ type }) => type).sort()).toEqual([
        'call_ended',
        'call_ended',
        'call_updated',
        'call_updated',
      ])
      expect(duringCalls.flatMap((event) => (event.type === 'call_updated' ? [event.update] : []))).toEqual([
        '"one A"',
        '"two A"',
      ])
      const nested = events.filter(({ agent }) => agent === 'research')
      expect(nested.some(({ type }) => type === 'call_ended')).toBe(true)
      expect(new Set(nested.map(({ parentRunId }) => parentRunId))).toEqual(new Set([runId]))
      expect(own.some((event) => 'parentRunId' in event)).toBe(false)
      expect(await eventsOf(engine, runId, 5)).toEqual(events.slice(4))
      expect(own.map(({ sequence }) => sequence)).toEqual(own.map((event) => events.indexOf(event) + 1))
    })

    it('wait for an approval and continue once', async () => {
      const { engine, effects } = await startWorld(factory)
      const { runId } = await engine.start('support', 'get A; refund B | get C')
      const suspension = await suspended(engine, runId)
      expect(suspension.pending).toMatchObject([{ id: 'call_1_2', kind: 'approval', call: { tool: 'orders.refund' } }])
      expect(effects).toEqual(['get A'])
      await expect(engine.answer(runId, suspension.id, { nobody: 'approve' })).rejects.toMatchObject({
        name: 'SuspensionError',
        code: 'wrong_answers',
      })
      await expect(engine.answer(runId, 'unknown', 'yes')).rejects.toMatchObject({ code: 'unknown_suspension' })
      const answers = await Promise.allSettled([
        engine.answer(runId, suspension.id, { call_1_2: 'approve' }),
        engine.answer(runId, suspension.id, { call_1_2: 'deny' }),
      ])
      expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      // On a slow machine, the run may have ended before the second answer arrives.
      const second = answers.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []))
      expect(['already_answered', 'run_ended']).toEqual(expect.arrayContaining(second))
      const result = await engine.result(runId)
      const approved = answers[0]?.status === 'fulfilled'
      expect(result).toMatchObject({
        status: 'completed',
        result: { text: approved ? 'get A, refund B, get C' : 'get A, denied, get C' },
      })
      expect(effects).toEqual(approved ? ['get A', 'refund B', 'get C'] : ['get A', 'get C'])
      await expect(engine.answer(runId, suspension.id, { call_1_2: 'approve' })).rejects.toMatchObject({
        code: 'run_ended',
      })
    })

    it.each([
      ['of their own', 'refund B | get C', 'call_1_1'],
      ['of a nested run', 'investigate refund B, get C', 'call_1_1/call_1_1'],
    ])('ask again if an approver edits the arguments of a call %s to invalid ones', async (_, script, id) => {
      const { engine, effects } = await startWorld(factory)
      const { runId } = await engine.start('support', script)
      const first = await suspended(engine, runId)
      const answer = (suspensionId: string, edited: JsonValue) =>
        engine.answer(runId, suspensionId, { [id]: { decision: 'approve', arguments: edited } })
      await answer(first.id, { id: 7 })
      const next = async (last: string) => {
        await expect.poll(async () => (await suspended(engine, runId)).id).not.toBe(last)
        return suspended(engine, runId)
      }
      const second = await next(first.id)
      expect(second.pending[0]?.prompt).toMatch(
        /The arguments in the answer to 'call_1_1' are invalid: \/id: Expected a string but got a number\.$/,
      )
      await expect(engine.answer(runId, first.id, { [id]: 'approve' })).rejects.toMatchObject({
        code: 'already_answered',
      })
      await answer(second.id, { id: 'B', extra: 1 })
      const third = await next(second.id)
      expect(third.pending).toMatchObject([{ id, prompt: expect.stringMatching(/invalid: .*extra/) }])
      expect(third.pending[0]?.prompt).not.toContain('a number')
      expect(effects).toEqual([])
      await answer(third.id, { id: 'D' })
      expect(await engine.result(runId)).toMatchObject({ status: 'completed', result: { text: 'refund D, get C' } })
      expect(effects).toEqual(['refund D', 'get C'])
    })

    it('wait for the approval of a call in a nested run', async () => {
      const { engine, effects } = await startWorld(factory)
      const { runId } = await engine.start('support', 'investigate get A+refund B, pay C; get D')
      const suspension = await suspended(engine, runId)
      expect(suspension.pending).toMatchObject([{ id: 'call_1_1/call_1_2', agent: 'research' }])
      await engine.answer(runId, suspension.id, { 'call_1_1/call_1_2': 'approve' })
      const result = await engine.result(runId)
      expect(result).toMatchObject({ status: 'completed', result: { text: 'get A, refund B, pay C, get D' } })
      expect([...effects].sort()).toEqual(['get A', 'get D', 'pay C', 'refund B'])
    })

    it('end a subscription when its reader leaves, also while the run waits', async () => {
      const { engine } = await startWorld(factory)
      const { runId } = await engine.start('support', 'get A | ? Which one?')
      await suspended(engine, runId)
      const events = engine.subscribe(runId)[Symbol.asyncIterator]()
      // The run has fewer events. The other reads wait.
      const reads = Array.from({ length: 50 }, () => events.next())
      expect(await reads[0]).toMatchObject({ value: { type: 'run_started' } })
      expect(await events.return?.()).toEqual({ done: true, value: undefined })
      expect((await Promise.all(reads)).at(-1)).toEqual({ done: true, value: undefined })
      expect(await events.next()).toEqual({ done: true, value: undefined })
    })

    it('wait for the answer to a question', async () => {
      const { engine } = await startWorld(factory)
      const { runId } = await engine.start('support', 'get A | ? Which one?')
      const suspension = await suspended(engine, runId)
      expect(suspension).toMatchObject({ kind: 'clarification', question: 'Which one?' })
      await engine.answer(runId, suspension.id, 'the second')
      expect(await engine.result(runId)).toMatchObject({ status: 'completed', result: { text: 'get A, the second' } })
    })

    it('end as cancelled, with their nested runs', async () => {
      const { engine, effects } = await startWorld(factory)
      const { runId } = await engine.start('support', 'slow A; investigate slow B | cancel C')
      await expect.poll(() => [...effects].sort()).toEqual(['slow A', 'slow B'])
      await engine.cancel(runId)
      const result = await engine.result(runId)
      expect(result).toMatchObject({ status: 'cancelled', stop: { reason: 'cancelled' } })
      expect(validateHistory(result.messages)).toEqual([])
      expect(effects).toHaveLength(2)
      await expect(engine.cancel(runId)).rejects.toMatchObject({ code: 'run_ended' })
    })

    it('cancel a nested run whose result they no longer need', async () => {
      let started: () => void = () => undefined
      const hasStarted = new Promise<void>((resolve) => {
        started = resolve
      })
      const { engine, effects } = await startWorld(factory, {
        policy: { onFailure: 'fail_fast' },
        afterEffect: async (effect) => {
          if (effect === 'slow B') started()
          if (effect !== 'get A') return
          await hasStarted
          throw new ToolFailure('There is no A.', { reason: 'domain_rejection' })
        },
      })
      const { runId } = await engine.start('support', 'get A; investigate slow B | cancel C')
      expect(await engine.result(runId)).toMatchObject({
        status: 'completed',
        result: { text: 'domain_rejection, cancelled, cancel C' },
      })
      expect(await engine.result(`${runId}/call_1_2`)).toMatchObject({ status: 'cancelled' })
      expect([...effects].sort()).toEqual(['cancel C', 'get A', 'slow B'])
    })

    it('run the layers around a call of another agent once, although they wait', async () => {
      let layers = 0
      const aroundResearch: ToolLayer = (next) => async (request) => {
        layers += 1
        await new Promise((resolve) => setTimeout(resolve, 20))
        const outcome = await next(request)
        await new Promise((resolve) => setTimeout(resolve, 20))
        return outcome
      }
      const { engine, effects } = await startWorld(factory, { aroundResearch })
      const { runId } = await engine.start('support', 'get A; investigate cancel B, refund C; cancel D | cancel E')
      const suspension = await suspended(engine, runId)
      await engine.answer(runId, suspension.id, { 'call_1_2/call_2_1': 'approve' })
      expect(await engine.result(runId)).toMatchObject({
        result: { text: 'get A, cancel B, refund C, cancel D, cancel E' },
      })
      // One call for the original call, and one because the suspended call continues.
      expect(layers).toBe(2)
      expect([...effects].sort()).toEqual(['cancel B', 'cancel D', 'cancel E', 'get A', 'refund C'])
    })

    it('end as cancelled while they wait for an answer', async () => {
      const { engine, effects } = await startWorld(factory)
      const { runId } = await engine.start('support', 'get A; refund B')
      await suspended(engine, runId)
      await engine.cancel(runId)
      const result = await engine.result(runId)
      expect(result).toMatchObject({ status: 'cancelled', outcomes: [{ status: 'completed' }, { status: 'failed' }] })
      expect(validateHistory(result.messages)).toEqual([])
      expect((await eventsOf(engine, runId)).at(-1)).toMatchObject({ type: 'run_ended', status: 'cancelled' })
      expect(effects).toEqual(['get A'])
    })

    it('ignore an answer after the cancellation', async () => {
      const { engine, effects } = await startWorld(factory)
      const { runId } = await engine.start('support', 'get A; refund B')
      const suspension = await suspended(engine, runId)
      await engine.cancel(runId)
      await engine.answer(runId, suspension.id, { call_1_2: 'approve' }).catch(() => undefined)
      const result = await engine.result(runId)
      expect(result).toMatchObject({ status: 'cancelled', outcomes: [{ status: 'completed' }, { status: 'failed' }] })
      expect(effects).toEqual(['get A'])
    })

    it('end at their limits', async () => {
      const { engine } = await startWorld(factory, { policy: { timeBudgetMs: 300 } })
      const { runId } = await engine.start('support', 'slow A | get B')
      expect(await engine.result(runId)).toMatchObject({
        status: 'stopped',
        stop: { reason: 'time_budget', limit: 300 },
      })
      const other = await startWorld(factory, { policy: { toolTimeoutMs: 100 } })
      const { runId: limited } = await other.engine.start('support', 'slow A; get B')
      expect(await other.engine.result(limited)).toMatchObject({
        status: 'completed',
        result: { text: 'timeout, get B' },
      })
    })

    it('report wrong use', async () => {
      const { engine } = await startWorld(factory)
      await expect(engine.start('nobody', 'get A')).rejects.toMatchObject({
        name: 'DurableError',
        code: 'unknown_agent',
      })
      await expect(engine.start('support', 'get A', { runId: 'r/call_1_1' })).rejects.toThrow(TypeError)
      await engine.start('support', 'get A', { runId: 'r-2' })
      await expect(engine.start('support', 'get A', { runId: 'r-2' })).rejects.toMatchObject({ code: 'duplicate_run' })
      const requests = [() => engine.status('r-3'), () => engine.result('r-3'), () => engine.cancel('r-3')]
      for (const request of requests) {
        await expect(request()).rejects.toMatchObject({ code: 'unknown_run', runId: 'r-3' })
      }
      await expect(engine.answer('r-3', 's', 'yes')).rejects.toMatchObject({ code: 'unknown_run' })
      await expect(eventsOf(engine, 'r-3')).rejects.toMatchObject({ code: 'unknown_run' })
      expect(() => engine.subscribe('r-2', { from: 0 })).toThrow(RangeError)
      await engine.result('r-2')
      expect(await eventsOf(engine, 'r-2', 1_000)).toEqual([])
    })
  })
}
