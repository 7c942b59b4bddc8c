import { describe, expect, it } from 'vitest'
import { registrationOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { hookPriority, useHook } from '../../packages/runtime/src/agents.js'
import {
  type JsonValue,
  runConfig,
  type Service,
  stack,
  type ToolLayer,
  transformOutput,
} from '../../packages/runtime/src/index.js'
import { modes, play, Trail, toolIn, toolOfMode } from './modes.fixture.js'

/** Appends to what a model reads: the innermost word comes first. */
const says = (word: string): ToolLayer => transformOutput((json) => JSON.stringify(`${JSON.parse(json)} ${word}`))

/** Ends the run with a value. */
const ends =
  (value: JsonValue): ToolLayer =>
  (next) =>
  async (request) => ({
    ...(await next(request)),
    stop: { reason: 'final', value },
  })

/** The tool, which answers `base` to models. */
const base = transformOutput(() => '"base"')

describe.each(modes)('layers of three scopes, %s', (mode) => {
  it('cross_scope_layer_ordering', async () => {
    const trail = new Trail()
    const tool = registrationOf(toolOfMode(mode), async (request) => {
      if (mode === 'streaming') await request.emit(1)
      trail.note(request, 'base')
      return { id: 'A', total: 1 }
    })
    const { outcomes } = await play(mode, {
      tools: [tool.layer(trail.layer('tool'))],
      agent: (agent) => agent.layer(trail.layer('agent')),
      config: runConfig().layer(trail.layer('run')),
    })
    expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => 'completed'))
    expect(trail.byCall).toHaveLength(outcomes.length)
    for (const passages of trail.byCall) {
      expect(passages).toEqual([
        'run-enter',
        'agent-enter',
        'tool-enter',
        'base',
        'tool-exit',
        'agent-exit',
        'run-exit',
      ])
    }
  })

  it('defect 17: the canonical order has hooks between the layers of the registered agent and of its builder', async () => {
    const trail = new Trail()
    const tool = registrationOf(toolOfMode(mode), async (request) => {
      if (mode === 'streaming') await request.emit(1)
      trail.note(request, 'base')
      return { id: 'A', total: 1 }
    })
    const { outcomes } = await play(mode, {
      tools: [tool.tool(toolOfMode(mode), (each) => each.layer(trail.layer('tool'))).layer(trail.layer('toolset'))],
      // The order of features does not matter.
      builder: (builder) =>
        builder
          .layer(trail.layer('builder 1'))
          .with(useHook('beforeTool', (call) => trail.note(call, 'guard'), { priority: hookPriority.guard }))
          .with(useHook('beforeTool', (call) => trail.note(call, 'before')))
          .with(useHook('afterTool', (call) => trail.note(call, 'after')))
          .layer(trail.layer('builder 2')),
      agent: (agent) => agent.layer(trail.layer('agent 1')).layer(trail.layer('agent 2')),
      config: runConfig().layer(trail.layer('run')),
    })
    expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => 'completed'))
    expect(trail.byCall).toHaveLength(outcomes.length)
    const layers = ['run', 'agent 2', 'agent 1', 'builder 2', 'builder 1', 'toolset', 'tool']
    const enter = layers.map((name) => `${name}-enter`)
    const exit = layers.map((name) => `${name}-exit`).reverse()
    for (const passages of trail.byCall) {
      expect(passages).toEqual([
        ...enter.slice(0, 3),
        ...['guard', 'before'],
        ...enter.slice(3),
        'base',
        ...exit.slice(0, 4),
        'after',
        ...exit.slice(4),
      ])
    }
  })

  it('defect 17: layers and hooks of steps and runs have the same order', async () => {
    const trail: string[] = []
    const noted =
      (name: string) =>
      <Request, Response>(next: Service<Request, Response>): Service<Request, Response> =>
      async (request) => {
        trail.push(`${name}-enter`)
        const response = await next(request)
        trail.push(`${name}-exit`)
        return response
      }
    const note = (name: string) => () => void trail.push(name)
    await play(mode, {
      tools: [toolIn(mode)],
      builder: (builder) =>
        builder
          .with(useHook('beforeRun', note('before run')))
          .with(useHook('afterRun', note('after run')))
          .with(useHook('beforeStep', note('before step')))
          .with(useHook('afterStep', note('after step')))
          .runLayer(noted('builder run'))
          .stepLayer(noted('builder step')),
      agent: (agent) => agent.runLayer(noted('agent run')).stepLayer(noted('agent step')),
      config: runConfig().runLayer(noted('config run')).stepLayer(noted('config step')),
    })
    const step = [
      ...['config step-enter', 'agent step-enter', 'before step', 'builder step-enter'],
      ...['builder step-exit', 'after step', 'agent step-exit', 'config step-exit'],
    ]
    const steps = trail.filter((name) => name === 'before step').length
    expect(steps).toBeGreaterThan(1)
    expect(trail).toEqual([
      ...['config run-enter', 'agent run-enter', 'before run', 'builder run-enter'],
      ...Array.from({ length: steps }, () => step).flat(),
      ...['builder run-exit', 'after run', 'agent run-exit', 'config run-exit'],
    ])
  })

  it('final_effect_precedence', async () => {
    const tools = [toolIn(mode).layer(ends('tool'))]
    const ofTool = await play(mode, { tools })
    expect(ofTool.run).toMatchObject({ status: 'completed', result: { value: 'tool' } })
    const ofAgent = await play(mode, { tools, agent: (agent) => agent.layer(ends('agent')) })
    expect(ofAgent.run).toMatchObject({ status: 'completed', result: { value: 'agent' } })
    const ofRun = await play(mode, {
      tools,
      agent: (agent) => agent.layer(ends('agent')),
      config: runConfig().layer(ends('run')),
    })
    expect(ofRun.run).toMatchObject({
      status: 'completed',
      result: { value: 'run' },
      stop: { reason: 'final', value: 'run' },
      usage: { turns: 1 },
    })
    expect(ofRun.executed.map(({ stop }) => stop?.reason === 'final' && stop.value)).toEqual(
      ofRun.executed.map(() => 'run'),
    )
  })

  it('defect 23: a final value ends the run in the step of its call, also in the second one', async () => {
    const endsSecond: ToolLayer = (next) => {
      const ending = ends('second')(next)
      return (request) => (request.meta.toolCallId === 'two' ? ending : next)(request)
    }
    const { run } = await play(mode, { tools: [toolIn(mode).layer(endsSecond)] })
    expect(run).toMatchObject({
      status: 'completed',
      result: { value: 'second' },
      stop: { reason: 'final', value: 'second' },
      usage: { turns: mode === 'sequential' ? 2 : 1, toolCalls: mode === 'parallel' ? 3 : 2 },
    })
    expect(run.outcomes.map(({ stop }) => stop?.reason === 'final' && stop.value)).toEqual(
      run.outcomes.map(({ call }) => call.toolCallId === 'two' && 'second'),
    )
  })

  it('runtime_uses_service_tools', async () => {
    let executed = 0
    const played = await play(mode, {
      tools: [
        toolIn(mode, () => {
          executed += 1
          return { id: `A-${executed}`, total: executed }
        }),
      ],
    })
    const calls = played.executed.length
    expect(executed).toBe(2 * calls)
    expect(played.executed[0]).toMatchObject({ status: 'completed', json: '{"id":"A-1","total":1}' })
    expect(played.run).toMatchObject({
      status: 'completed',
      result: { text: 'done' },
      usage: { toolCalls: calls, turns: mode === 'sequential' ? calls + 1 : 2 },
    })
    expect(played.run.outcomes[0]).toMatchObject({ result: { data: { id: `A-${calls + 1}`, total: calls + 1 } } })
    expect(played.run.messages.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual(
      Array.from({ length: calls }, (_, index) => `{"id":"A-${calls + index + 1}","total":${calls + index + 1}}`),
    )
    const updates = played.run.events.flatMap((event) => (event.type === 'call_updated' ? [event.update] : []))
    const expected = mode === 'streaming' ? Array.from({ length: calls }, () => ['1', '2']).flat() : []
    expect([...updates].sort()).toEqual([...expected].sort())
    expect(played.updates).toEqual(expected)
  })

  it('agent_layer_chaining', async () => {
    const { outcomes } = await play(mode, {
      tools: [toolIn(mode).layer(base)],
      agent: (agent) => agent.layer(says('first')).layer(says('second')).layer(says('third')),
    })
    for (const outcome of outcomes) expect(outcome).toMatchObject({ json: '"base first second third"' })
  })

  it('run_layer_chaining', async () => {
    const { outcomes } = await play(mode, {
      tools: [toolIn(mode).layer(base)],
      agent: (agent) => agent.layer(says('agent')),
      config: runConfig().layer(says('first')).layer(says('second')),
    })
    for (const outcome of outcomes) expect(outcome).toMatchObject({ json: '"base agent first second"' })
  })

  it('tool_level_layer_applies_in_service_path', async () => {
    const whole = toolIn(mode).layer(base)
    const { outcomes } = await play(mode, {
      tools: [whole.tool(toolOfMode(mode), (tool) => tool.layer(says('own')).layer(says('outer'))).layer(says('all'))],
    })
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ json: '"base own outer all"', result: { data: { id: 'A-1', total: 12.5 } } })
    }
  })

  it('layer_composition', async () => {
    const trail = new Trail()
    const pair = stack(trail.layer('a'), trail.layer('b'))
    const stacked = await play(mode, {
      tools: [toolIn(mode).layer(stack(pair, trail.layer('c')))],
      agent: (agent) => agent.layer(pair),
      config: runConfig().layer(pair),
    })
    expect(stacked.outcomes.map(({ status }) => status)).toEqual(stacked.outcomes.map(() => 'completed'))
    const chained = new Trail()
    await play(mode, {
      tools: [toolIn(mode).layer(chained.layer('a')).layer(chained.layer('b')).layer(chained.layer('c'))],
      agent: (agent) => agent.layer(chained.layer('a')).layer(chained.layer('b')),
      config: runConfig().layer(chained.layer('a')).layer(chained.layer('b')),
    })
    expect(trail.byCall[0]?.slice(0, 7)).toEqual(['b', 'a', 'b', 'a', 'c', 'b', 'a'].map((name) => `${name}-enter`))
    expect(trail.byCall).toEqual(chained.byCall)
  })
})
