import { isToolgenError } from '@toolgen/runtime'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { getOrder } from '../../packages/runtime/src/agents/orders.fixture.js'
import { answer, callTools, modelPlanner, type Planner } from '../../packages/runtime/src/agents.js'
import { validateHistory } from '../../packages/runtime/src/chat.js'
import {
  type BoundAgent,
  provenanced,
  type RunEvent,
  retry,
  runConfig,
  ToolFailure,
  type ToolLayer,
} from '../../packages/runtime/src/index.js'
import { calls, says, scriptedModel } from '../../packages/runtime/src/testing.js'
import { agents, investigation, lookingUp, type Setting } from './agents.fixture.js'

afterEach(() => void vi.useRealTimers())

const outcomeOf = async (setting: Setting) => {
  const { support, asked } = agents(setting)
  const outcome = await support.execute(investigation())
  return { outcome, asked }
}
const list = {
  type: 'array',
  items: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
} as const

describe('the result of a tool that an agent serves', () => {
  it('is the typed answer of its run, before the results of its calls', async () => {
    const planner = lookingUp(['A'], () => answer({ id: 'R', total: 1, more: true }))
    const { outcome } = await outcomeOf({ inner: { planner } })
    expect(outcome).toMatchObject({ status: 'completed', json: '{"id":"R","total":1}', result: { data: { id: 'R' } } })
  })

  it('is that of the one call that completed', async () => {
    const execute = ({ meta }: { meta: { toolCallId: string } }): unknown => {
      if (meta.toolCallId === 'inner-A') throw new ToolFailure('No such order.')
      return { id: 'B', total: 2 }
    }
    const { outcome } = await outcomeOf({ inner: { planner: lookingUp(['A', 'B']) }, execute: execute as never })
    expect(outcome).toMatchObject({ status: 'completed', json: '{"id":"B","total":2}' })
  })

  it('is the list of several, in call order', async () => {
    const execute = async ({ meta, payload }: any): Promise<unknown> => {
      if (meta.toolCallId === 'inner-A') await new Promise((resolve) => setTimeout(resolve, 5))
      return { id: (await payload()).orderId, total: 1 }
    }
    const { outcome } = await outcomeOf({ inner: { planner: lookingUp(['A', 'B', 'C']) }, execute, result: list })
    expect(outcome).toMatchObject({ status: 'completed', json: '[{"id":"A"},{"id":"B"},{"id":"C"}]' })
  })

  it('defect 3a: is a list of one where one call completed and the tool answers with a list', async () => {
    const { outcome, asked } = await outcomeOf({ inner: { planner: lookingUp(['A']) }, result: list })
    expect(outcome).toMatchObject({ status: 'completed', json: '[{"id":"A-1"}]' })
    expect(asked).toHaveLength(2)
  })

  it('defect 3a: says what is wrong in the list where neither the result nor a list of it fits', async () => {
    const strict = { ...list, items: { ...list.items, required: ['id', 'weight'] } }
    const { outcome } = await outcomeOf({ inner: { planner: lookingUp(['A']) }, result: strict })
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { reason: 'malformed_result', issues: [{ path: '/0/weight', constraint: 'missing_field' }] },
    })
  })

  it('defect 3b: is what the tools of the run declare, before a result adapter or a layer changes what models read', async () => {
    const shortening: ToolLayer = (next) => async (request) => {
      const outcome = await next(request)
      return outcome.status === 'completed' ? { ...outcome, json: '"see the page"' } : outcome
    }
    for (const setting of [
      { innerOptions: { resultAdapter: (json: string) => json.replace('12.5', '"12.50 EUR"') } },
      { innerOptions: { resultAdapter: () => 'A-1 costs 12.50 EUR.' } },
      { around: (research: BoundAgent) => research.layer(shortening) },
    ] satisfies Setting[]) {
      const one = await outcomeOf({ ...setting, inner: { planner: lookingUp(['A']) } })
      expect(one.outcome).toMatchObject({ status: 'completed', json: '{"id":"A-1","total":12.5}' })
      const several = await outcomeOf({ ...setting, inner: { planner: lookingUp(['A', 'B']) }, result: list })
      expect(several.outcome).toMatchObject({ status: 'completed', json: '[{"id":"A-1"},{"id":"A-1"}]' })
    }
  })

  it.each([
    [{ text: 5 }, 'tools.investigate.text must be a string'],
    [{ template: ['a'] }, 'tools.investigate.template must be a string'],
    [{ systemPrompt: 5 }, 'tools.investigate.systemPrompt must be a string'],
    [{ prose: 'yes' }, 'tools.investigate.prose must be a boolean'],
    [{ aggregate: {} }, 'tools.investigate.aggregate must be a function'],
  ])('cannot be asked for with %j', (tool, message) => {
    const options: object = { tools: { investigate: tool } }
    const setting = () => agents({ options })
    expect(setting).toThrow(TypeError)
    expect(setting).toThrow(message)
  })

  it('is what the application makes of the run, whatever it answered', async () => {
    const tool: Setting['tool'] = {
      aggregate: (run) => ({ id: run.status, total: run.outcomes.length }),
    }
    const { outcome } = await outcomeOf({ inner: { planner: lookingUp(['A', 'B']) }, tool })
    expect(outcome).toMatchObject({ status: 'completed', json: '{"id":"completed","total":2}' })
    const broken = await outcomeOf({
      tool: {
        aggregate: () => {
          throw new Error('secret')
        },
      },
    })
    expect(broken.outcome).toMatchObject({ status: 'failed', hint: { reason: 'internal' } })
    expect(JSON.stringify(broken.outcome)).not.toContain('secret')
  })

  it('is asked for once as JSON where the run ended in prose', async () => {
    const planner: Planner = (request) =>
      request.responseFormat === undefined ? answer('I looked into it.') : answer({ id: 'R', total: 3 })
    const { outcome, asked } = await outcomeOf({ inner: { planner } })
    expect(outcome).toMatchObject({ status: 'completed', json: '{"id":"R","total":3}' })
    expect(asked).toHaveLength(2)
    expect(asked[1]).toMatchObject({
      tools: [],
      responseFormat: { name: 'investigate', schema: { required: ['id', 'total'] } },
    })
    expect(asked[1]?.messages.at(-1)).toMatchObject({ role: 'user' })
    expect(validateHistory(asked[1]?.messages ?? [])).toEqual([])
  })

  it('is not asked for again by a run that has reached a limit', async () => {
    const { outcome, asked } = await outcomeOf({ inner: { planner: () => answer('Prose.'), policy: { maxTurns: 1 } } })
    expect(asked).toHaveLength(1)
    expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'malformed_result' } })
  })

  it('is malformed where it is prose even then', async () => {
    const { outcome, asked } = await outcomeOf({ inner: { planner: () => answer('I looked into it.') } })
    expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'malformed_result', action: 'replan' } })
    expect(asked).toHaveLength(2)
    const calls: Planner = ({ responseFormat: form }) =>
      form === undefined ? answer('prose') : callTools(getOrder.call({ orderId: 'A' }))
    expect((await outcomeOf({ inner: { planner: calls } })).outcome).toMatchObject({
      hint: { reason: 'malformed_result' },
    })
  })

  it('is prose where the design says so and the tool takes a text', async () => {
    const setting: Setting = { inner: { planner: () => answer('All is well.') }, result: { type: 'string' } }
    const { outcome, asked } = await outcomeOf({ ...setting, tool: { prose: true } })
    expect([outcome.status === 'completed' && outcome.json, asked.length]).toEqual(['"All is well."', 1])
    expect((await outcomeOf(setting)).asked).toHaveLength(2)
  })

  it('fails with the hint of the last call where every call failed', async () => {
    const execute = ({ meta }: any): never => {
      throw meta.toolCallId === 'inner-B'
        ? new ToolFailure('Come back later.', { reason: 'rate_limited', retryAfterMs: 3_000 })
        : new ToolFailure('No.')
    }
    const planner = lookingUp(['A', 'B'], () => answer('I could not find out.'))
    const { outcome, asked } = await outcomeOf({ inner: { planner }, execute })
    expect(outcome).toMatchObject({
      status: 'failed',
      hint: { reason: 'rate_limited', action: 'wait', retryAfterMs: 3_000, message: 'Come back later.' },
    })
    expect(asked).toHaveLength(2)
  })

  it('lists the calls of the run in its provenance, with who served it and what it cost', async () => {
    const planner: Planner = (request) => ({
      ...(request.outcomes.length === 0
        ? callTools(getOrder.call({ orderId: 'A' }, { toolCallId: 'a' }))
        : answer('ok')),
      usage: { promptTokens: 10, completionTokens: 2 },
    })
    const { outcome } = await outcomeOf({ inner: { planner } })
    expect(outcome.provenance).toMatchObject({
      tool: 'investigation.investigate',
      attempts: 1,
      service: 'research',
      children: [{ tool: 'orders.getOrder', toolCallId: 'a', parentToolCallId: 'outer-1' }],
      extra: { turns: 2, promptTokens: 20, completionTokens: 4 },
    })
    const failed = await outcomeOf({
      execute: () => {
        throw new ToolFailure('No.')
      },
    })
    expect(failed.outcome.provenance.children).toHaveLength(1)
  })
})

describe('the facts of a call that an agent served and that failed', () => {
  const model = 'm-1'
  const usage = { promptTokens: 10, completionTokens: 2 }
  const looking = { ...callTools(getOrder.call({ orderId: 'A' }, { toolCallId: 'a' })), usage, model }
  const child = { tool: 'orders.getOrder', toolCallId: 'a', parentToolCallId: 'outer-1' }
  const facts = {
    tool: 'investigation.investigate',
    attempts: 1,
    service: 'research',
    model,
    children: [child],
    extra: { runId: expect.stringMatching(/^run_/), turns: 1, promptTokens: 10, completionTokens: 2 },
  }
  const failing: Planner = ({ turn }) => {
    if (turn === 1) return looking
    throw new ToolFailure('The model is away.', { reason: 'unavailable' })
  }

  it('defect 3c: are those of its run: tokens, model, run id and calls', async () => {
    const { outcome } = await outcomeOf({ inner: { planner: failing } })
    expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'unavailable' }, provenance: facts })
  })

  it('defect 3c: are reported to operators', async () => {
    const ended: RunEvent[] = []
    const { support } = agents({ inner: { planner: failing } })
    await support.execute(investigation(), { onEvent: (event) => ended.push(event) })
    expect(ended.at(-1)).toMatchObject({
      type: 'call_ended',
      telemetry: { status: 'failed', service: 'research', model, promptTokens: 10, completionTokens: 2, children: 1 },
    })
  })

  it('defect 3c: are there where every call of the run failed, and where its result does not fit', async () => {
    const planner: Planner = ({ turn }) => (turn === 1 ? looking : { ...answer('I could not.'), usage, model })
    const refused = await outcomeOf({
      inner: { planner },
      execute: () => {
        throw new ToolFailure('No.')
      },
    })
    const extra = { turns: 2, promptTokens: 20, completionTokens: 4 }
    expect(refused.outcome).toMatchObject({ hint: { message: 'No.' }, provenance: { ...facts, extra } })
    const unfit = await outcomeOf({ inner: { planner: () => ({ ...answer('Prose.'), usage, model }) } })
    expect(unfit.outcome).toMatchObject({ hint: { reason: 'malformed_result' }, provenance: { model, extra } })
    const broken = await outcomeOf({
      inner: { planner },
      tool: {
        aggregate: () => {
          throw new Error('secret')
        },
      },
    })
    expect(broken.outcome).toMatchObject({ hint: { reason: 'internal' }, provenance: { ...facts, extra } })
  })

  it('defect 3c: are there where the call is cancelled while the run is under way', async () => {
    const controller = new AbortController()
    const planner: Planner = ({ turn }) => {
      if (turn === 1) return looking
      controller.abort()
      return new Promise(() => undefined)
    }
    const { support } = agents({ inner: { planner } })
    const outcome = await support.execute(investigation(), { signal: controller.signal })
    expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'cancelled' }, provenance: facts })
  })

  it('defect 3c: count the tokens and the calls of all attempts', async () => {
    let runs = 0
    const planner: Planner = ({ turn }) => {
      if (turn === 1) {
        runs += 1
        return looking
      }
      if (runs === 1) throw new ToolFailure('The model is away.', { reason: 'unavailable', action: 'wait' })
      return { ...answer({ id: 'R', total: 1 }), usage, model }
    }
    const execute = (): never => {
      throw new ToolFailure('No.', { reason: 'denied' })
    }
    const { support } = agents({ inner: { planner }, execute })
    const outcome = await support.layer(retry({ attempts: 2, delayMs: () => 0 })).execute(investigation())
    expect(outcome).toMatchObject({
      status: 'completed',
      provenance: { attempts: 2, children: [child, child], extra: { turns: 2, promptTokens: 30, completionTokens: 6 } },
    })
  })

  it('defect 3d: name the model that the run asked last, as it calls itself', async () => {
    const driver = scriptedModel([
      { ...calls({ tool: 'orders_getOrder', arguments: { orderId: 'A' } }), model: 'm-small', usage },
      { ...says('Found.'), model: 'm-large', usage },
    ])
    const completed = await outcomeOf({ inner: { planner: modelPlanner(driver) } })
    expect(completed.outcome).toMatchObject({ status: 'completed', provenance: { model: 'm-large' } })
    const failing = scriptedModel([
      { ...calls({ tool: 'orders_getOrder', arguments: { orderId: 'A' } }), model: 'm-small', usage },
      new ToolFailure('The model is away.', { reason: 'unavailable' }),
    ])
    const { support } = agents({ inner: { planner: modelPlanner(failing) } })
    const run = await support.run('?')
    expect(run.outcomes).toMatchObject([
      { status: 'failed', provenance: { model: 'm-small', extra: { promptTokens: 10 } } },
    ])
    // The outer planner asks no model.
    expect(run.usage).not.toHaveProperty('model')
  })

  it('defect 3c: are there beside what an aggregation says of its result', async () => {
    const tool: Setting['tool'] = {
      aggregate: () => provenanced({ id: 'R', total: 1 }, { extra: { pages: 3 } }),
    }
    const planner: Planner = ({ turn }) => (turn === 1 ? looking : answer('Done.'))
    const { outcome } = await outcomeOf({ inner: { planner }, tool })
    expect(outcome).toMatchObject({
      status: 'completed',
      provenance: { children: [child], model, extra: { pages: 3, turns: 2, promptTokens: 10 } },
    })
  })

  it('defect 3d: name the agent also where no run was begun', async () => {
    const { support } = agents()
    const outcome = await support.execute({ tool: 'investigation.investigate', arguments: '{}' })
    expect(outcome).toMatchObject({
      hint: { reason: 'missing_fields' },
      provenance: { attempts: 0, service: 'research' },
    })
    expect(outcome.provenance).not.toHaveProperty('children')
  })
})

describe('a run that serves a call and does not end well', () => {
  const broken = (planner: Planner) => outcomeOf({ inner: { planner } })

  it('fails the call as itself failed, without what was thrown', async () => {
    const { outcome } = await broken(() => {
      throw new Error('no route to 10.0.0.7')
    })
    expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'internal' } })
    expect(JSON.stringify(outcome)).not.toContain('10.0.0.7')
    const told = await broken(() => {
      throw new ToolFailure('The model is away.', { reason: 'unavailable' })
    })
    expect(told.outcome).toMatchObject({ hint: { reason: 'unavailable', message: 'The model is away.' } })
    expect(told.outcome.status === 'failed' && isToolgenError(told.outcome.error.cause, 'ToolFailure')).toBe(true)
  })

  it('interrupts the call where a limit stopped it before it had a result', async () => {
    const { outcome } = await outcomeOf({ inner: { planner: () => callTools(), policy: { maxTurns: 0 } } })
    expect(outcome).toMatchObject({
      hint: { reason: 'interrupted', message: "The agent 'research' was stopped before it had a result (max_turns)." },
    })
    const half = await outcomeOf({ inner: { planner: lookingUp(['A']), policy: { maxTurns: 1 } } })
    expect(half.outcome).toMatchObject({ status: 'completed', json: '{"id":"A-1","total":12.5}' })
  })

  it('ends with the call: by its signal, its deadline, the time of the run above', async () => {
    const never: Planner = () => new Promise(() => undefined)
    const { support } = agents({ inner: { planner: never } })
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 5)
    expect(await support.execute(investigation(), { signal: controller.signal })).toMatchObject({
      hint: { reason: 'cancelled' },
    })
    expect(await support.execute(investigation(), { deadline: Date.now() + 5 })).toMatchObject({
      hint: { reason: 'timeout' },
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const running = support.run('?', { config: runConfig().policy({ timeBudgetMs: 10 }) })
    await vi.advanceTimersByTimeAsync(10)
    const run = await running
    expect(run).toMatchObject({ status: 'stopped', stop: { reason: 'time_budget' } })
    expect(run.outcomes).toMatchObject([{ hint: { reason: 'timeout' } }])
  })
})

describe('the first message of a run that serves a call', () => {
  const told = async (tool?: Setting['tool'], options?: Setting['options']) => {
    const { asked } = await outcomeOf({ ...(tool && { tool }), ...(options && { options }) })
    return asked[0]?.messages.map(({ role, content }) => `${role}: ${content}`)
  }

  it('is the description of the tool and the arguments, behind the instructions of the agent', async () => {
    expect(await told()).toEqual(['system: Be thorough.', 'user: Find out all about a topic.\n\n{"topic":"lamps"}'])
  })

  it('is the text or the template of the design, whole', async () => {
    expect(await told({ text: 'Go.' })).toEqual(['system: Be thorough.', 'user: Go.'])
    expect(await told({ template: 'Look into {{topic}}, {{nothing}}!' })).toEqual([
      'system: Be thorough.',
      'user: Look into lamps, !',
    ])
  })

  it('is sent with its own system prompt', async () => {
    expect(await told({ systemPrompt: 'Be quick.', text: 'Go.' })).toEqual(['system: Be quick.', 'user: Go.'])
  })

  it('is what the application says before what the design says', async () => {
    const options = { tools: { investigate: { template: 'About {{topic}}.' } } }
    expect(await told({ text: 'Go.', systemPrompt: 'Be quick.' }, options)).toEqual([
      'system: Be quick.',
      'user: About lamps.',
    ])
  })
})

describe('a run that has worked and then failed', () => {
  it('is not made again by a retry, unless the tool may be repeated', async () => {
    let ran = 0
    const setting: Setting = {
      inner: {
        planner: ({ outcomes }) => {
          if (outcomes.length === 0) return callTools(getOrder.call({ orderId: 'A' }))
          throw new ToolFailure('The model is away.', { reason: 'unavailable', action: 'wait' })
        },
      },
      execute: () => {
        ran += 1
        return { id: 'A', total: 1 }
      },
    }
    const { support } = agents(setting)
    const outcome = await support.layer(retry({ attempts: 3, delayMs: () => 0 })).execute(investigation())
    expect(outcome).toMatchObject({ hint: { reason: 'unavailable', action: 'replan' }, provenance: { attempts: 1 } })
    expect(ran).toBe(1)
  })

  it('is made again where nothing had been done', async () => {
    let asked = 0
    const planner: Planner = () => {
      asked += 1
      if (asked === 1) throw new ToolFailure('The model is away.', { reason: 'unavailable', action: 'wait' })
      return answer({ id: 'R', total: 1 })
    }
    const { support } = agents({ inner: { planner } })
    const outcome = await support.layer(retry({ attempts: 3, delayMs: () => 0 })).execute(investigation())
    expect(outcome).toMatchObject({ status: 'completed', provenance: { attempts: 2 } })
  })

  it('reports its last call without blaming the arguments of the outer call', async () => {
    const planner: Planner = ({ outcomes }) =>
      outcomes.length === 0 ? callTools({ tool: 'orders.getOrder', arguments: '{}' }) : answer('I could not.')
    const { outcome } = await outcomeOf({ inner: { planner } })
    expect(outcome).toMatchObject({ hint: { reason: 'domain_rejection', action: 'replan' } })
    expect(outcome.status === 'failed' && outcome.hint.message).toContain(
      "The agent 'research' could not complete the task. Its last call failed: Invalid arguments: orderId is missing",
    )
  })
})

describe('an answer in prose that is JSON', () => {
  it('is the result where it fits, and nobody is asked again', async () => {
    const { outcome, asked } = await outcomeOf({ inner: { planner: () => answer('{"id":"P","total":4}') } })
    expect(outcome).toMatchObject({ status: 'completed', json: '{"id":"P","total":4}' })
    expect(asked).toHaveLength(1)
    expect((await outcomeOf({ inner: { planner: () => answer('{"id":"P"}') } })).asked).toHaveLength(2)
  })
})
