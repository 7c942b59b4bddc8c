import { validateHistory } from '@toolgen/runtime/chat'
import type { DurableClient, DurableSession } from '@toolgen/runtime/durable'
import type { SessionEntry } from '@toolgen/runtime/sessions'
import { describe, expect, it } from 'vitest'
import { type EngineFactory, startWorld, suspended } from './engine-suite.js'

const USER = { userId: 'u-7' }
const SUPPORT = { ...USER, namespaces: ['support'] }

/** Returns a call of a tool of `orders`. */
export function callOf(name: string, id: string): { readonly tool: string; readonly arguments: string } {
  return { tool: `orders.${name}`, arguments: JSON.stringify({ id }) }
}

/** Returns the content of entries: `call update` for an update, `call status` for a completion. */
export function contentOf(entries: readonly SessionEntry[]): readonly string[] {
  return entries.map((entry) =>
    entry.kind === 'update' ? `${entry.callId} ${entry.update}` : `${entry.callId} ${entry.outcome.status}`,
  )
}

/** Waits until a session has no running streaming call. */
export async function idle(session: DurableSession): Promise<void> {
  await expect.poll(() => session.pending()).toEqual([])
}

async function ended(engine: DurableClient, { runId }: { readonly runId: string }): Promise<string | undefined> {
  return (await engine.result(runId)).result?.text
}

/** Tests of sessions that every durable engine must pass. */
export function testSessions(name: string, factory: EngineFactory): void {
  describe(`sessions on ${name}`, () => {
    it('remember approvals for later calls and runs', async () => {
      const { engine, effects } = await startWorld(factory)
      const session = await engine.openSession('s-1', SUPPORT)
      const remembering = { decision: 'approve', by: 'ann', remember: 'tool' } as const
      const run = async (script: string, answers: readonly (readonly [id: string, answer: object | 'approve'])[]) => {
        const { runId } = await session.run('support', script)
        let last = ''
        for (const [id, answer] of answers) {
          await expect.poll(async () => (await suspended(engine, runId)).id).not.toBe(last)
          last = (await suspended(engine, runId)).id
          await engine.answer(runId, last, { [id]: answer } as Record<string, 'approve'>)
        }
        return ended(engine, { runId })
      }
      expect(await session.approvals()).toEqual([])
      expect(await run('refund A | refund B', [['call_1_1', remembering]])).toBe('refund A, refund B')
      const approval = { tool: 'orders.refund', agent: 'support', by: 'ann', rule: 'tool', at: expect.any(Number) }
      expect(await session.approvals()).toEqual([approval])
      expect(await run('refund C; refund D', [])).toBe('refund C, refund D')
      const nested = 'investigate refund E | investigate refund F'
      expect(await run(nested, [['call_1_1/call_1_1', remembering]])).toBe('refund E, refund F')
      expect(await session.approvals()).toEqual([approval, { ...approval, agent: 'research' }])
      expect(await run('investigate refund G, refund H', [])).toBe('refund G, refund H')
      await session.forgetApprovals('orders.pay')
      expect(await session.approvals()).toHaveLength(2)
      await session.forgetApprovals()
      expect(await session.approvals()).toEqual([])
      expect(await run('refund I', [['call_1_1', 'approve']])).toBe('refund I')
      const other = await engine.openSession('s-2', SUPPORT)
      expect(await other.approvals()).toEqual([])
      expect([...effects].sort()).toEqual([...'ABCDEFGHI'].map((id) => `refund ${id}`))
    })

    it('return the outcomes of calls, and join repeated calls', async () => {
      const { engine, effects, requests, starts } = await startWorld(factory)
      const session = await engine.openSession('s-1', SUPPORT)
      expect(session).toMatchObject({ id: 's-1', userId: 'u-7', namespaces: ['support'] })
      const options = { callId: 'c-1', turnId: 't-1', labels: { tenant: 'acme' }, data: { plan: 'gold' } }
      const outcome = await session.execute(callOf('cancel', 'A'), options)
      expect(outcome).toMatchObject({ status: 'completed', json: '"cancel A"' })
      const again = await engine.openSession('s-1', SUPPORT)
      expect(await again.execute(callOf('cancel', 'A'), options)).toEqual(outcome)
      expect(effects).toEqual(['cancel A'])
      expect(requests[0]?.meta).toMatchObject({
        ...{ sessionId: 's-1', turnId: 't-1', labels: { tenant: 'acme' }, toolCallId: 'c-1' },
        idempotencyKey: '%2Fs-1%2Fc-1/c-1',
      })
      const { turnId, labels, data } = options
      expect(starts[0]).toEqual({ agent: 'support', sessionId: 's-1', userId: 'u-7', turnId, labels, data })
      expect(await session.execute(callOf('sell', 'A'))).toMatchObject({
        status: 'failed',
        hint: { reason: 'unknown_tool' },
      })
      expect(await session.execute({ tool: 'orders.get', arguments: '{}' })).toMatchObject({ status: 'failed' })
      expect(await session.execute(callOf('refund', 'A'))).toMatchObject({ status: 'suspended' })
      const nested = { tool: 'investigation.investigate', arguments: '{"topic":"get B, pay C"}' }
      expect(await session.execute(nested)).toMatchObject({ status: 'completed', json: '"get B, pay C"' })
      expect(starts.at(-1)).toMatchObject({ agent: 'research', userId: 'u-7', sessionId: 's-1' })
      expect(await session.poll()).toEqual([])
    })

    it('keep the updates and results of streaming calls until they are consumed once', async () => {
      const { engine } = await startWorld(factory)
      const session = await engine.openSession('s-1', SUPPORT)
      const call = { ...callOf('report', 'A'), toolCallId: 'model-1' }
      const acknowledgement = {
        ...{ status: 'streaming', callId: 'c-1', toolCallId: 'model-1', tool: 'orders.report' },
        message: "The tool 'orders_report' has started. Its result will follow with the call id 'c-1'.",
      }
      expect(await session.execute(call, { callId: 'c-1' })).toEqual(acknowledgement)
      await session.execute(callOf('watch', 'B'), { callId: 'c-2' })
      await expect.poll(async () => (await session.poll()).length).toBe(4)
      const entries = await session.poll()
      expect(entries.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4])
      expect([...contentOf(entries)].sort()).toEqual([
        ...['c-1 "one A"', 'c-1 "two A"', 'c-1 completed', 'c-2 "sees B"'],
      ])
      expect(entries.filter(({ callId }) => callId === 'c-1')).toMatchObject([
        { kind: 'update', toolCallId: 'model-1', tool: 'orders.report', isRun: false, index: 1 },
        { kind: 'update', index: 2 },
        { kind: 'completed', outcome: { status: 'completed', json: '"report A"' } },
      ])
      expect(await session.pending()).toMatchObject([{ callId: 'c-2', tool: 'orders.watch' }])
      const consumed = await session.consumeCompleted({ requestId: 'first' })
      expect(consumed).toMatchObject([{ completion: { callId: 'c-1' }, updates: [{ index: 1 }, { index: 2 }] }])
      expect(await session.consumeCompleted({ requestId: 'first' })).toEqual(consumed)
      expect(await session.consumeCompleted()).toEqual([])
      expect(contentOf(await session.consume())).toEqual(['c-2 "sees B"'])
      expect(await session.poll()).toEqual([])
      expect(await session.execute(call, { callId: 'c-1' })).toEqual(acknowledgement)
      expect(await session.cancel('c-2')).toBe(true)
      await idle(session)
      expect(await session.cancel('c-2')).toBe(false)
      expect(await session.consume()).toMatchObject([{ outcome: { hint: { reason: 'cancelled' } } }])
    })

    it('lose nothing of four concurrent clients', async () => {
      const { engine, effects } = await startWorld(factory)
      const consumed: SessionEntry[] = []
      const client = async (name: string): Promise<void> => {
        const session = await engine.openSession('s-1', SUPPORT)
        for (let index = 0; index < 25; index += 1) {
          const [, entries] = await Promise.all([
            session.execute(callOf('report', `${name}-${index}`), { callId: `${name}-${index}` }),
            session.consume(),
          ])
          consumed.push(...entries)
        }
      }
      await Promise.all(['a', 'b', 'c', 'd'].map(client))
      const session = await engine.openSession('s-1', SUPPORT)
      await idle(session)
      consumed.push(...(await session.consume()))
      expect(effects).toHaveLength(100)
      expect(new Set(consumed.map(({ sequence }) => sequence)).size).toBe(300)
      const expected = ['a', 'b', 'c', 'd'].flatMap((client) =>
        Array.from({ length: 25 }, (_, index) => `${client}-${index}`).flatMap((id) => [
          ...[`${id} "one ${id}"`, `${id} "two ${id}"`, `${id} completed`],
        ]),
      )
      expect([...contentOf(consumed)].sort()).toEqual(expected.sort())
    })

    it('continue a bounded conversation', async () => {
      const { engine } = await startWorld(factory, { sessions: { conversation: { maxMessages: 6 } } })
      const session = await engine.openSession('s-1', SUPPORT)
      expect(await ended(engine, await session.run('support', 'new: get A', { runId: 'r-1' }))).toBe('get A')
      const other = await engine.openSession('s-1', USER)
      expect(await other.run('support', 'new: get A', { runId: 'r-1' })).toEqual({ runId: 'r-1' })
      const second = await other.run('support', [{ role: 'user', content: 'new: get B' }])
      const { messages, result } = await engine.result(second.runId)
      expect(result?.text).toBe('get B')
      expect(messages.map(({ role }) => role)).toEqual([
        ...['user', 'assistant', 'tool', 'assistant', 'user', 'assistant', 'tool', 'assistant'],
      ])
      await ended(engine, await session.run('support', 'new: get C', { conversation: false }))
      expect(await session.messages()).toEqual(messages.slice(4))
      await ended(engine, await session.run('support', 'new: get D'))
      expect((await session.messages())[0]).toEqual({ role: 'user', content: 'new: get D' })
      expect(validateHistory(await session.messages())).toEqual([])
      await session.clearMessages()
      expect(await session.messages()).toEqual([])
      const invalid = [{ role: 'tool', tool_call_id: 'call_1', content: 'get A' }] as const
      await expect(session.run('support', invalid)).rejects.toMatchObject({
        name: 'ToolFailure',
        message: expect.stringContaining('Pass only the new messages') as unknown,
      })
    })

    it('serve other requests while a run waits for an answer, but no second run', async () => {
      const { engine, starts } = await startWorld(factory, { sessions: { conversation: true } })
      const session = await engine.openSession('s-1', SUPPORT)
      const { runId } = await session.run('support', 'new: refund A', { runId: 'r-1', data: { plan: 'gold' } })
      const { id } = await suspended(engine, runId)
      expect(starts[0]).toMatchObject({ agent: 'support', sessionId: 's-1', userId: 'u-7', data: { plan: 'gold' } })
      const inProgress = { name: 'SessionError', code: 'run_in_progress' }
      await expect(session.run('support', 'new: get B')).rejects.toMatchObject({
        ...inProgress,
        message: expect.stringContaining("'r-1'") as unknown,
      })
      await expect(session.clearMessages()).rejects.toMatchObject(inProgress)
      expect(await session.execute(callOf('get', 'C'))).toMatchObject({ status: 'completed' })
      expect(await session.consume()).toEqual([])
      await engine.answer(runId, id, { call_1_1: 'approve' })
      expect(await ended(engine, { runId })).toBe('refund A')
      expect(await ended(engine, await session.run('support', 'new: get B'))).toBe('get B')
      expect(validateHistory(await session.messages())).toEqual([])
    })

    it('let subscribers read each entry once, also after they reconnect', async () => {
      const { engine } = await startWorld(factory)
      const session = await engine.openSession('s-1', SUPPORT)
      const seen: SessionEntry[] = []
      const read = async (until: number): Promise<void> => {
        for await (const entry of session.subscribe({ after: seen.at(-1)?.sequence ?? 0 })) {
          seen.push(entry)
          if (seen.length === until) return
        }
      }
      const first = read(2)
      await session.execute(callOf('report', 'A'), { callId: 'A' })
      await first
      await session.execute(callOf('report', 'B'), { callId: 'B' })
      await idle(session)
      await session.consume()
      await read(5)
      const last = read(100)
      await session.execute(callOf('report', 'C'), { callId: 'C' })
      await idle(session)
      await session.close()
      await last
      expect(contentOf(seen)).toEqual(
        ['A', 'B', 'C'].flatMap((id) => [`${id} "one ${id}"`, `${id} "two ${id}"`, `${id} completed`]),
      )
      expect(seen.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
      expect(() => session.subscribe({ after: -1 })).toThrow(RangeError)
    })

    it('keep their limits', async () => {
      const sessions = { maxBytes: 2_200, maxUpdatesPerCall: 1 }
      const { engine } = await startWorld(factory, { sessions })
      const session = await engine.openSession('s-1', SUPPORT)
      const long = 'x'.repeat(700)
      await session.execute(callOf('report', long))
      await idle(session)
      expect(await session.poll()).toMatchObject([
        { kind: 'update', index: 2 },
        { kind: 'completed', droppedUpdates: 1 },
      ])
      await session.execute(callOf('report', long))
      await idle(session)
      expect((await session.poll()).at(-1)).toMatchObject({
        ...{ kind: 'completed', droppedUpdates: 2, droppedBytes: expect.any(Number) as unknown },
        outcome: { status: 'failed', hint: { reason: 'internal' } },
      })
      expect(await session.execute(callOf('report', 'B'))).toMatchObject({
        ...{ status: 'failed', hint: { reason: 'unavailable' } },
      })
      await session.consume()
      for (const id of ['C', 'D', 'E']) {
        await session.execute(callOf('report', id + long))
        await idle(session)
        await session.consume()
      }
      const expired = async (): Promise<void> => {
        for await (const entry of session.subscribe({ after: 0 })) throw new Error(`${entry.sequence} is still kept`)
      }
      await expect(expired()).rejects.toMatchObject({ name: 'SessionError', code: 'entries_expired' })
    })

    it('end their calls and runs when they are closed or deleted', async () => {
      const { engine, effects } = await startWorld(factory, { sessions: { conversation: true } })
      const session = await engine.openSession('s-1', SUPPORT)
      const cancelled = { status: 'failed', hint: { reason: 'cancelled' } }
      const slow = session.execute(callOf('slow', 'A'))
      const { runId } = await session.run('support', 'new: slow B')
      await expect.poll(() => [...effects].sort()).toEqual(['slow A', 'slow B'])
      await session.close({ cancel: true })
      expect(await slow).toMatchObject(cancelled)
      expect(await engine.result(runId)).toMatchObject({ status: 'cancelled' })
      await expect(session.execute(callOf('get', 'C'))).rejects.toMatchObject({ code: 'closed' })
      await expect(session.run('support', 'new: get C')).rejects.toMatchObject({ code: 'closed' })
      const reopened = await engine.openSession('s-1', USER)
      expect(await ended(engine, await reopened.run('support', 'new: get C'))).toBe('get C')
      await reopened.execute(callOf('watch', 'D'), { callId: 'D' })
      await expect.poll(async () => contentOf(await session.poll())).toEqual(['D "sees D"'])
      const seen: SessionEntry[] = []
      for await (const entry of session.subscribe({ after: 0 })) {
        seen.push(entry)
        await session.delete()
      }
      expect(contentOf(seen)).toEqual(['D "sees D"'])
      await expect(session.poll()).rejects.toMatchObject({ name: 'SessionError', code: 'unknown_session' })
      const next = await engine.openSession('s-1', { userId: 'u-8', namespaces: ['support'] })
      expect([await next.messages(), await next.poll(), await next.pending()]).toEqual([[], [], []])
    })

    it('report wrong use', async () => {
      const { engine } = await startWorld(factory)
      const failing = (code: string) => expect.objectContaining({ name: 'SessionError', code }) as unknown
      await expect(engine.openSession('s-1', USER)).rejects.toEqual(failing('unknown_session'))
      await expect(engine.openSession('', SUPPORT)).rejects.toEqual(failing('invalid_id'))
      const unknown = { ...USER, namespaces: ['sales'] }
      await expect(engine.openSession('s-1', unknown)).rejects.toEqual(failing('unknown_namespace'))
      const session = await engine.openSession('s-1', { ...USER, namespaces: ['support.orders'] })
      const stranger = { userId: 'u-8' }
      await expect(engine.openSession('s-1', stranger)).rejects.toEqual(failing('wrong_user'))
      await expect(engine.openSession('s-1', SUPPORT)).rejects.toEqual(failing('other_namespaces'))
      await expect(session.run('support', 'get A')).rejects.toEqual(failing('unknown_namespace'))
      await expect(session.run('nobody', 'get A')).rejects.toMatchObject({
        name: 'DurableError',
        code: 'unknown_agent',
      })
      await expect(session.execute(callOf('get', 'A'), { callId: '' })).rejects.toEqual(failing('invalid_id'))
      await expect(session.run('support', 'get A', { runId: 'a/b' })).rejects.toThrow(TypeError)
      const other = await engine.openSession('s-2', SUPPORT)
      await engine.start('support', 'get A', { runId: 'r-1' })
      await expect(other.run('support', 'get A', { runId: 'r-1' })).rejects.toMatchObject({ code: 'duplicate_run' })
      await engine.result('r-1')
    })
  })
}
