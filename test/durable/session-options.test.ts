import { Runtime, tool, toolset } from '@toolgen/runtime'
import { answer } from '@toolgen/runtime/agents'
import { agentToolsetRegistration } from '@toolgen/runtime/codegen/v1'
import {
  type DurableAgentsOptions,
  durableAgents,
  openDurableSession,
  type SessionTransport,
} from '@toolgen/runtime/durable'
import { memoryEngine } from '@toolgen/runtime/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { toolOf, toolsetOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { startWorld } from './engine-suite.js'
import { scriptedAgents } from './scripted-agents.mjs'
import { callOf } from './session-suite.js'

const clock = tool({
  name: 'time',
  description: 'Returns the time.',
  parameters: { type: 'object' },
  run: async () => 12,
})
const runtime = new Runtime()
const guide = runtime.registerAgent({ name: 'guide', description: 'Answers.' }, [toolset('clock', clock)], {
  planner: () => answer('Yes.'),
})
const tools = runtime.registerToolset(toolset('tools', clock))
const helpdesk = runtime.registerToolset(
  agentToolsetRegistration(
    { toolset: toolsetOf(toolOf('helpdesk.ask')), agent: guide.agent, tools: { ask: { prose: true } } },
    guide,
  ),
)

describe('the options of durable agents for sessions', () => {
  it('add toolsets, whose calls receive the name of the namespace', async () => {
    const starts: unknown[] = []
    const engine = memoryEngine(
      durableAgents({ agents: { guide }, toolsets: { shared: tools }, env: (facts) => starts.push(facts) }),
    )
    const session = await engine.openSession('s-1', { userId: 'u-7', namespaces: ['shared'] })
    expect(await session.execute({ tool: 'tools.time', arguments: '{}' })).toMatchObject({ json: '12' })
    expect(starts).toEqual([{ agent: 'shared', sessionId: 's-1', userId: 'u-7' }])
  })

  it.each<[Partial<DurableAgentsOptions>, string]>([
    [{ sessions: { maxBytes: 0 } }, 'durableAgents: sessions.maxBytes is 0. Expected an integer of at least 1.'],
    [{ sessions: { maxUpdatesPerCall: 1.5 } }, 'durableAgents: sessions.maxUpdatesPerCall is 1.5.'],
    [{ sessions: { conversation: { maxMessages: 1 } } }, 'durableAgents: sessions: conversation.maxMessages is 1.'],
    [{ sessions: { conversation: 'yes' as unknown as true } }, 'conversation must be `true` or an object'],
    [{ toolsets: { guide: tools } }, "the toolset name 'guide' is also the name of an agent"],
    [{ toolsets: { 'my.tools': tools } }, "the toolset name 'my.tools' is invalid"],
    [{ toolsets: { tools: {} as typeof tools } }, 'toolsets.tools must be a registered toolset'],
    [
      { toolsets: { helpdesk } },
      'durableAgents: `toolsets.helpdesk` has the tool helpdesk.ask, which calls an agent. Remove the toolset from `toolsets`, and let an agent in `agents` use it.',
    ],
  ])('are checked: %j', (options, message) => {
    expect(() => durableAgents({ agents: { guide }, ...options })).toThrow(message)
  })
})

describe('a session after a deployment', () => {
  it('keeps its entries, and its calls of tools that no longer exist fail', async () => {
    let isDeployed = false
    const before = scriptedAgents({ effect: () => undefined })
    const after = scriptedAgents({ effect: () => undefined, only: ['get'] })
    const agents = {
      ...before,
      get agents() {
        return (isDeployed ? after : before).agents
      },
    }
    const engine = memoryEngine(agents)
    const session = await engine.openSession('s-1', { userId: 'u-7', namespaces: ['support'] })
    await session.execute(callOf('report', 'A'), { callId: 'A' })
    await expect.poll(() => session.pending()).toEqual([])
    isDeployed = true
    expect(await session.execute(callOf('report', 'B'))).toMatchObject({ hint: { reason: 'unknown_tool' } })
    expect(await session.execute(callOf('get', 'C'))).toMatchObject({ json: '"get C"' })
    expect(await session.consumeCompleted()).toMatchObject([{ completion: { callId: 'A' }, updates: [{}, {}] }])
  })
})

describe('a subscriber', () => {
  it('misses no entry that arrives while it reads', async () => {
    const { engine } = await startWorld((agents) => memoryEngine(agents))
    const session = await engine.openSession('s-1', { userId: 'u-7', namespaces: ['support'] })
    for (let round = 0; round < 30; round += 1) {
      await session.execute(callOf('report', 'A'), { callId: `A-${round}` })
      const after = 3 * round
      const kinds: string[] = []
      for await (const entry of session.subscribe({ after })) {
        kinds.push(entry.kind)
        if (entry.kind === 'completed') break
      }
      expect(kinds).toEqual(['update', 'update', 'completed'])
    }
  })
})

describe('a subscriber of a session', () => {
  it('reads less and less often while the engine does not let it wait, and at once after an entry', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    let reads = 0
    let position = 0
    const transport: SessionTransport = {
      command: async () => ({ value: { namespaces: ['support'] } }),
      read: async () => {
        reads += 1
        // Reads without a pause would never end.
        if (reads > 1_000) throw new Error('too many reads')
        const isNew = position > 0 && reads % 2 === 0
        if (isNew) position += 1
        return { value: { entries: isNew ? [{ sequence: position }] : [], position, isClosed: false } }
      },
      callResult: () => Promise.reject(new Error('not called')),
      invocationState: async () => 'unknown',
    }
    const session = await openDurableSession(transport, 's-1', { userId: 'u-7' })
    const entries = session.subscribe()[Symbol.asyncIterator]()
    const next = entries.next()
    await vi.advanceTimersByTimeAsync(60_000)
    // Two reads without a delay before, then after 50, 100, 200, ... ms, then every 5 s.
    expect(reads).toBe(20)
    position = 1
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await next).toMatchObject({ done: false })
    for (let count = 0; count < 20; count += 1) expect(await entries.next()).toMatchObject({ done: false })
  })
})
