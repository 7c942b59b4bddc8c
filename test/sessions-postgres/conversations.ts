import { beforeEach, expect, it } from 'vitest'
import { answer, callTools, type Planner } from '../../packages/runtime/src/agents.js'
import { peek } from '../../packages/runtime/src/call/tool-failure.js'
import { validateHistory } from '../../packages/runtime/src/chat.js'
import { type BoundAgent, Runtime, tool, toolset } from '../../packages/runtime/src/index.js'
import { migrate, postgresStore, type Query } from '../../packages/runtime/src/postgres.js'
import { type Session, SessionRegistry } from '../../packages/runtime/src/sessions.js'
import type { Database } from './databases.js'

const planner: Planner = ({ turn }) =>
  turn < 4 ? callTools({ tool: 'desk.work', arguments: '{}', toolCallId: `call-${turn}` }) : answer('ok')

interface Process {
  readonly agent: BoundAgent
  open(): Promise<Session>
}

/** Creates a process with the database. Its tool calls `work`. */
function processOn(query: Query, work: () => Promise<string>, maxMessages = 1_000): Process {
  const works = tool({ name: 'work', description: 'Works.', parameters: { type: 'object' }, run: work })
  const agent = new Runtime().registerAgent({ name: 'clerk', description: 'Clerk.' }, [toolset('desk', works)], {
    planner,
  })
  const sessions = new SessionRegistry({
    agents: { clerk: agent },
    store: postgresStore({ query }),
    conversation: { maxMessages, maxBytes: 10_000_000 },
  })
  return { agent, open: () => sessions.open('s-1', { userId: 'u-7', namespaces: ['clerk'], takeOver: true }) }
}

/** Declares tests of conversations in a database. */
export function describeConversations({ query }: Database): void {
  const result = `${'a "b" \\ \u0000 \ud800 \u{1f600} '.repeat(200)}`
  beforeEach(async () => {
    await migrate(query)
    await query('delete from session_tool_state', [])
  })

  it('are read by another process as they were kept', async () => {
    const { agent, open } = processOn(query, async () => result)
    const session = await open()
    for (const text of ['One', result, 'Three']) await session.run(agent, text)
    const read = await processOn(query, async () => result).open()
    expect(read.messages).toEqual(session.messages)
    expect(read.messages).toHaveLength(24)
  })

  it.each([1, 2, 3, 4, 5, 6, 7])('are valid if the process dies at its save %i of a run', async (fatal) => {
    let saves = Number.NEGATIVE_INFINITY
    const dying: Query = async (text, values) => {
      if (!text.includes('on conflict')) return query(text, values)
      saves += 1
      // The process has crashed: this save and all later ones never reach the database.
      if (saves >= fatal) return new Promise<never>(() => undefined)
      return query(text, values)
    }
    const begun: number[] = []
    const { agent, open } = processOn(dying, async () => {
      begun.push(saves)
      return result
    })
    const session = await open()
    await session.run(agent, 'First')
    begun.length = 0
    saves = 0
    void session.run(agent, 'Second')
    while (saves < fatal) await new Promise((resolve) => setTimeout(resolve, 1))
    const { messages } = await processOn(query, async () => result).open()
    expect(validateHistory(messages)).toEqual([])
    // Save 1 precedes the first call, save 2 its result, and so on. The conversation must contain every call that has begun.
    const calls = messages.slice(8).filter(({ role }) => role === 'tool')
    expect(calls.length).toBe(begun.length)
    const isInterrupted = fatal % 2 === 0
    expect(calls.filter(({ content }) => String(content).startsWith('The call was interrupted'))).toHaveLength(
      isInterrupted ? 1 : 0,
    )
  })

  it('write a long message once, and remove the rows of messages that they no longer keep', async () => {
    const written: string[] = []
    const watched: Query = (text, values) => {
      if (text.includes('on conflict')) written.push(JSON.stringify(values))
      return query(text, values)
    }
    const { agent, open } = processOn(watched, async () => 'done', 10)
    const session = await open()
    const long = `long ${'x'.repeat(20_000)}`
    await session.run(agent, long)
    expect(written.filter((values) => values.includes(long))).toHaveLength(1)
    for (const text of ['Two', 'Three']) await session.run(agent, text)
    expect(session.messages).toHaveLength(8)
    const { rows } = await query('select count(*)::int as count from session_tool_state_entries', [])
    expect(peek(rows[0], 'count')).toBeLessThanOrEqual(8)
    await session.clearMessages()
    expect((await query('select sequence from session_tool_state_entries', [])).rows).toEqual([])
  })
}
