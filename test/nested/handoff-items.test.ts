import { describe, expect, it } from 'vitest'
import { toolOf, toolsetOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { answer, callTools, type Planner } from '../../packages/runtime/src/agents.js'
import { chatMessages, type RunItem, runItems } from '../../packages/runtime/src/chat.js'
import { agentToolsetRegistration } from '../../packages/runtime/src/executors/agent-toolset.js'
import { approval, type BoundAgent, Runtime } from '../../packages/runtime/src/index.js'
import { agents, investigation, lookingUp, onceThen, supportAgent } from './agents.fixture.js'

/** An item in one line. */
function shown(item: RunItem): string {
  if (item.kind === 'handoff') return `${item.from_agent} to ${item.to_agent}: ${item.reason}`
  if (item.kind === 'tool_output') return `output of ${item.tool_call_id}`
  const calls = item.role === 'assistant' ? (item.tool_calls ?? []).map(({ id }) => id) : []
  return calls.length === 0 ? item.role : `${item.role} calls ${calls.join()}`
}

describe('the handoffs of a run', () => {
  it('defect 6d: are items after the message with the call, when the nested run starts and when it ends', async () => {
    const run = await agents().support.run('?', { deepTracing: true })
    const items = runItems(run)
    expect(items.map(shown)).toEqual([
      'user',
      'assistant calls outer-1',
      'support to research: started',
      'research to support: completed',
      'output of outer-1',
      'assistant',
    ])
    expect(chatMessages(items)).toEqual(run.messages)
    expect(runItems(run.messages)).toEqual(items.filter(({ kind }) => kind !== 'handoff'))
  })

  it('defect 6d: follow their own calls where ids repeat, in the conversation before the run too', async () => {
    const planner: Planner = ({ turn }) =>
      turn < 3 ? callTools(investigation('call_0'), investigation('call_1')) : answer('done')
    const { support } = agents({ outer: { planner } })
    const first = await support.run('?', { deepTracing: true })
    const run = await support.run([...first.messages, { role: 'user', content: 'Again' }], { deepTracing: true })
    const step = (status: string): readonly string[] => [
      'assistant calls call_0,call_1',
      ...['started', 'started', status, status].map((reason) =>
        reason === 'started' ? 'support to research: started' : `research to support: ${reason}`,
      ),
      'output of call_0',
      'output of call_1',
    ]
    const again = runItems(run).map(shown)
    expect(again.slice(0, again.lastIndexOf('user')).filter((line) => line.includes(' to '))).toEqual([])
    expect(again.slice(again.lastIndexOf('user') + 1)).toEqual([
      ...step('completed'),
      ...step('completed'),
      'assistant',
    ])
  })

  it('defect 6d: say that a nested run continues, and include those inside of it', async () => {
    const runtime = new Runtime()
    const { support } = agents({ runtime, around: (research) => research.layer(approval()) as BoundAgent })
    const desk = toolOf('desk.serve', { arguments: {}, spec: { description: 'Serve.' } })
    const boss: BoundAgent = runtime.registerAgent(
      { name: 'boss', description: 'Delegates.' },
      [agentToolsetRegistration({ toolset: toolsetOf(desk), agent: supportAgent }, support)],
      { planner: onceThen([{ tool: 'desk.serve', arguments: '{}', toolCallId: 'top' }]) },
    )
    const options = { deepTracing: true, env: { approval: { approve: async () => 'suspend' as const } } }
    const waiting = await boss.run('?', options)
    expect(runItems(waiting).map(shown)).toEqual([
      'user',
      'assistant calls top',
      'boss to support: started',
      'support to research: started',
      'research to support: suspended',
      'support to boss: suspended',
    ])
    if (waiting.suspension === undefined) throw new Error('nothing waits')
    const run = await boss.resume(waiting.suspension, { 'top/outer-1/inner-A': 'approve' }, options)
    expect(runItems(run).map(shown)).toEqual([
      'user',
      'assistant calls top',
      'boss to support: resumed',
      'support to research: resumed',
      'research to support: completed',
      'support to boss: completed',
      'output of top',
      'assistant',
    ])
  })

  it('defect 6d: are none of a run without agents behind its tools', async () => {
    const { research } = agents({ inner: { planner: lookingUp(['A']) } })
    const run = await (research as BoundAgent).run('?', { deepTracing: true })
    expect(runItems(run)).toEqual(runItems(run.messages))
  })
})
