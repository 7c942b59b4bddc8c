import { Runtime, type ToolsetRegistration, tool, toolset } from '@toolgen/runtime'
import { base, type RunPart, useHook, useTools } from '@toolgen/runtime/agents'
import { agentToolsetRegistration } from '@toolgen/runtime/codegen/v1'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'
import { describe, expect, it } from 'vitest'
import { toolOf, toolsetOf } from '../../packages/runtime/src/agents/orders.fixture.js'

const look = toolset('local', tool({ name: 'look', description: 'Looks.', parameters: {}, run: () => ({ found: 3 }) }))
const script = () => scriptedModel([calls({ tool: 'look', arguments: {} }), says('There are three.')])

function helperOf(model = script(), ...features: readonly ReturnType<typeof useHook>[]) {
  const agent = features.reduce((builder, feature) => builder.with(feature), base(model).with(useTools(look))).build()
  return new Runtime().registerAgent({ name: 'helper', description: 'Helps.' }, [], { agent })
}

const shape = (part: RunPart): string =>
  part.kind === 'event'
    ? part.event.type
    : part.kind === 'delta'
      ? `${part.delta.type}: ${part.delta.text}`
      : part.item.kind

async function shapes(parts: AsyncIterable<RunPart>): Promise<readonly string[]> {
  const all: string[] = []
  for await (const part of parts) all.push(shape(part))
  return all
}

const whole = [
  'run_started',
  ...['step_started', 'arguments: {}', 'message', 'call_started', 'call_ended', 'tool_output', 'step_ended'],
  ...['step_started', 'text: There ', 'text: are ', 'text: three.', 'message', 'step_ended'],
  'run_ended',
]

describe('the parts of a run', () => {
  it('are its events, items and deltas in order', async () => {
    expect(await shapes(helperOf().run('How many?').parts())).toEqual(whole)
  })

  it('are complete for an iteration that starts late, but without the deltas before it', async () => {
    const run = helperOf().run('How many?')
    await run
    expect(await shapes(run.parts())).toEqual(whole.filter((part) => !part.includes(': ')))
  })

  it('have no deltas if a hook can change the response', async () => {
    const hook = useHook('afterModel', ({ text }) => (text === '' ? undefined : { text: 'Three.' }))
    const run = helperOf(script(), hook).run('How many?')
    expect(await shapes(run.parts())).toEqual(whole.filter((part) => !part.includes(': ')))
    expect((await run).result).toEqual({ text: 'Three.' })
  })

  it('no deltas are requested after the last iteration has ended', async () => {
    const model = script()
    const run = helperOf(model).run('How many?')
    for await (const part of run.parts()) if (shape(part) === 'call_started') break
    expect((await run).status).toBe('completed')
    expect(model.requests.map(({ onDelta }) => onDelta !== undefined)).toEqual([true, false])
  })

  it('contain the items of nested runs at every depth with `deepTracing`, as event sinks may read them', async () => {
    const secret = 'ada@example.com'
    const own = tool({
      name: 'find',
      description: 'Finds.',
      parameters: {},
      sensitive: { result: { '/email': { events: 'omit' } } },
      run: () => ({ email: secret }),
    })
    const runtime = new Runtime()
    const exported = (agent: string) =>
      toolsetOf(toolOf(`${agent}.ask`, { arguments: { type: 'object' }, result: { type: 'string' } }))
    const registered = (name: string, tools: readonly ToolsetRegistration[], asked: string) => {
      const model = scriptedModel([calls({ tool: asked, toolCallId: 'c-1' }), says(`${name} found ${secret}.`)])
      return runtime.registerAgent({ name, description: 'Helps.' }, tools, { agent: base(model).build() })
    }
    const servedBy = (agent: ReturnType<typeof registered>, name: string) =>
      agentToolsetRegistration(
        { toolset: exported(name), agent: { name, description: 'Helps.' }, tools: { ask: { prose: true } } },
        agent,
      )
    const inner = registered('inner', [toolset('local', own)], 'find')
    const middle = registered('middle', [servedBy(inner, 'inner')], 'inner_ask')
    const outer = registered('outer', [servedBy(middle, 'middle')], 'middle_ask')
    const traced = outer.run('Find Ada.', { deepTracing: true })
    const parts: RunPart[] = []
    for await (const part of traced.parts()) parts.push(part)
    const { events } = await traced
    const agentOf = new Map(events.map(({ runId, agent }) => [runId, agent]))
    const nested = parts.flatMap((part) => (part.kind === 'nested_item' ? [part] : []))
    expect(nested.map(({ runId, item }) => `${agentOf.get(runId)} ${item.kind}`)).toEqual([
      ...['middle message', 'middle handoff', 'inner message', 'inner tool_output', 'inner message'],
      ...['middle handoff', 'middle tool_output', 'middle message'],
    ])
    expect(JSON.stringify(parts)).not.toContain(secret)
    expect(JSON.stringify(nested)).toContain('inner found')
    const untraced = registered('other', [servedBy(middle, 'middle')], 'middle_ask').run('Find Ada.')
    const kinds = new Set<string>()
    for await (const { kind } of untraced.parts()) kinds.add(kind)
    expect(kinds).toEqual(new Set(['event', 'item', 'delta']))
  })

  it('end with the run that `cancel` ends', async () => {
    const run = helperOf().run('How many?')
    const seen: string[] = []
    for await (const part of run.parts()) {
      seen.push(shape(part))
      if (shape(part) === 'call_started') run.cancel()
    }
    expect(seen.at(-1)).toBe('run_ended')
    expect(await run).toMatchObject({ status: 'cancelled', stop: { reason: 'cancelled' } })
    run.cancel()
    expect((await run).status).toBe('cancelled')
  })
})
