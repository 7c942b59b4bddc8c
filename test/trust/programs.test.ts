import { Runtime, tool, toolset } from '@toolgen/runtime'
import {
  type AgentBuilder,
  answer,
  base,
  budget,
  type ToolCallGuardrail,
  type ToolResultGuardrail,
  useBudget,
  useGuardrails,
} from '@toolgen/runtime/agents'
import { quickJsSandbox, typescriptChecker, useCodeMode } from '@toolgen/runtime/code-mode'
import { agentToolsetRegistration } from '@toolgen/runtime/codegen/v1'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { toolOf, toolsetOf } from '../../packages/runtime/src/agents/orders.fixture.js'

const checker = typescriptChecker()
const sandbox = quickJsSandbox()
afterAll(() => Promise.all([checker.close(), sandbox.close()]))

const oneUnit = { usage: { promptTokens: 1_000_000, completionTokens: 0 }, model: 'small' }

const program = (code: string) => calls({ tool: 'run_program', arguments: { code } })

/** A run in which the model writes a program that reads customers. Returns the run and the ids that the tool received. */
async function play(code: string, features: (builder: AgentBuilder) => AgentBuilder) {
  const read: string[] = []
  const customers = toolset(
    'customers',
    tool({
      name: 'read',
      description: 'Read a customer.',
      parameters: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
      run: ({ id }: { id: string }) => {
        read.push(id)
        return { name: `Customer ${id}` }
      },
    }),
  )
  const model = scriptedModel([program(code), says('done')])
  const agent = features(base(model)).with(useCodeMode({ checker, sandbox })).build()
  const support = new Runtime().registerAgent({ name: 'support', description: 'x' }, [customers], { agent })
  const run = await support.run('?')
  return { run, read, messages: JSON.stringify(model.requests.map(({ messages }) => messages)) }
}

describe('guardrails of tools', () => {
  const readBoth = `const one = await customers.read({ id: 'a' })
try { await customers.read({ id: 'b' }) } catch (error) { return [one, error instanceof Error ? error.message : String(error)] }
return [one]`

  it('block calls of programs, which can continue', async () => {
    const noB: ToolCallGuardrail = {
      name: 'no b',
      check: ({ arguments: payload }) =>
        JSON.stringify(payload) === '{"id":"b"}' ? { action: 'block', message: 'Not b.' } : 'pass',
    }
    const { run, read, messages } = await play(readBoth, (builder) => builder.with(useGuardrails({ toolCall: [noB] })))
    expect(read).toEqual(['a'])
    expect(run.status).toBe('completed')
    expect(messages).toContain('Not b.')
  })

  it('rewrite the results that programs receive', async () => {
    const hide: ToolResultGuardrail = {
      name: 'hide',
      check: ({ tool: { id } }) =>
        id === 'customers.read' ? { action: 'rewrite', value: { name: '(hidden)' } } : 'pass',
    }
    const { run, messages } = await play(readBoth, (builder) => builder.with(useGuardrails({ toolResult: [hide] })))
    expect(run.status).toBe('completed')
    expect(messages).toContain('(hidden)')
    expect(messages).not.toContain('Customer a')
  })

  it('end the run from within a program', async () => {
    const stop: ToolCallGuardrail = {
      name: 'stop',
      check: ({ tool: { id } }) => (id === 'customers.read' ? { action: 'stop', message: 'Enough.' } : 'pass'),
    }
    const { run, read } = await play(readBoth, (builder) => builder.with(useGuardrails({ toolCall: [stop] })))
    expect(run).toMatchObject({ status: 'stopped', stop: { reason: 'guardrail', by: 'stop', message: 'Enough.' } })
    expect(read).toEqual([])
  })
})

describe('a budget', () => {
  it('covers the nested runs that a program starts', async () => {
    const shared = budget({ maxCost: 3 })
    const runtime = new Runtime({ prices: { small: { inputPerMillion: 1, outputPerMillion: 10 } } })
    const descriptor = { name: 'research', description: 'Finds out.' }
    const research = runtime.registerAgent(descriptor, [], { planner: () => ({ ...answer('found'), ...oneUnit }) })
    const ask = toolOf('investigation.ask', {
      arguments: { type: 'object', properties: { about: { type: 'string' } }, required: ['about'] },
      result: { type: 'string' },
    })
    const exported = { toolset: toolsetOf(ask), agent: descriptor, tools: { ask: { prose: true } } }
    const asking = 'const ask = (about: string) => investigation.ask({ about })'
    const code = `${asking}
return [await ask('a'), await ask('b')]`
    const model = scriptedModel([{ ...program(code), ...oneUnit }, says('never')])
    const agent = base(model).with(useBudget(shared)).with(useCodeMode({ checker, sandbox })).build()
    const support = runtime.registerAgent(
      { name: 'support', description: 'x' },
      [agentToolsetRegistration(exported, research)],
      { agent },
    )
    const run = await support.run('?')
    expect(run.outcomes).toMatchObject([{ status: 'completed' }])
    expect(run).toMatchObject({ stop: { reason: 'budget', used: 3 }, usage: { cost: 3 } })
    expect(model.stepsLeft).toBe(1)
  })
})
