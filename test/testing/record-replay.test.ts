import { describe, expect, it } from 'vitest'
import { toolOf, toolsetOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import {
  type AgentRun,
  type ModelDriver,
  type ModelRequest,
  modelPlanner,
  type PendingAnswer,
} from '../../packages/runtime/src/agents.js'
import { agentToolsetRegistration } from '../../packages/runtime/src/executors/agent-toolset.js'
import {
  approval,
  type ExecutorRequest,
  type RunEvent,
  Runtime,
  runConfig,
  ToolFailure,
  transformOutput,
} from '../../packages/runtime/src/index.js'
import { CodecError } from '../../packages/runtime/src/schema.js'
import { calls, openCassette, says, scriptedModel } from '../../packages/runtime/src/testing.js'
import {
  anyOrder,
  asksFor,
  cassetteFile,
  configOf,
  faultOf,
  getOrder,
  linesOf,
  live,
  orderOf,
  record,
  shopOf,
  told,
  twice,
  type Work,
} from './shop.fixture.js'

const usage = { promptTokens: 12, completionTokens: 3 }
const desk = toolsetOf(toolOf('desk.investigate', { result: getOrder.spec.result }))
const follows = calls({ tool: 'orders_follow', arguments: { orderId: 'A-1' } })

describe('a recorded run', () => {
  it('is replayed without its model and its tools, with typed results', async () => {
    const model = scriptedModel([
      { ...asksFor('A-1', 'A-2'), usage },
      { ...asksFor('A-1'), text: 'Once more.' },
      { ...says('Both have shipped.'), usage },
    ])
    const { recorded, replayed } = await twice(model, (driver, cassette) =>
      shopOf(driver, { execute: live(cassette) }).run('Where are they?', configOf(cassette)),
    )
    expect(recorded).toMatchObject({ status: 'completed', usage: { turns: 3, toolCalls: 3, promptTokens: 24 } })
    expect(told(replayed)).toEqual(told(recorded))
    expect(replayed.outcomes[1]).toMatchObject({ result: { data: orderOf('A-2') } })
  })

  it('defect 8: has nothing of the issues that no model may see', async () => {
    const file = await cassetteFile()
    const failing = (): never => {
      const cause = new CodecError([{ constraint: 'check_failed', path: '/SECRET', message: 'It is not right.' }])
      throw new Error('broken', { cause })
    }
    const model = scriptedModel([asksFor('A-1'), says('I could not.')])
    const cassette = await openCassette(file, { mode: 'record' })
    const run = await shopOf(cassette.driver(model), { execute: failing }).run('Where is it?', configOf(cassette))
    await cassette.close()
    expect(run.outcomes).toMatchObject([{ error: { issues: [{ path: '/SECRET' }] } }])
    expect(JSON.stringify([run.messages, await linesOf(file)])).not.toContain('SECRET')
  })

  it('never makes the driver that a function would make', async () => {
    const file = await cassetteFile()
    await record(file, scriptedModel([says('Hello.')]), (driver) => shopOf(driver).run('Hi'))
    const cassette = await openCassette(file)
    const driver = cassette.driver(() => {
      throw new Error('there is no key here')
    })
    expect(await shopOf(driver).run('Hi')).toMatchObject({ result: { text: 'Hello.' } })
    await cassette.close()
  })

  it('cannot be made without a driver', async () => {
    const cassette = await openCassette(await cassetteFile(), { mode: 'record' })
    expect(() => cassette.driver()).toThrow('a recording needs a driver')
  })

  it('ends with the stop signal of a guardrail, whose name and stage are not redacted', async () => {
    const never = (): never => {
      throw new Error('A replay must not run the guardrail of a tool.')
    }
    const { recorded, replayed, file } = await twice(
      scriptedModel([{ ...asksFor('A-1'), usage }]),
      (driver, cassette) => {
        const check =
          cassette.mode === 'replay' ? never : () => ({ action: 'stop', message: 'Not toolCall A-1.' }) as const
        const guardrails = { toolCall: [{ name: 'A-1 toolCall', check }] }
        return shopOf(driver, { guardrails }).run('Where is it?', configOf(cassette))
      },
      { redact: (text) => text.replaceAll('toolCall', 'hidden').replaceAll('A-1', 'A-0') },
    )
    const stop = { reason: 'guardrail', by: 'A-1 toolCall', stage: 'toolCall' }
    expect(recorded).toMatchObject({ status: 'stopped', stop: { ...stop, message: 'Not toolCall A-1.' } })
    expect(replayed).toMatchObject({
      ...{ status: 'stopped', stop: { ...stop, message: 'Not hidden A-0.' } },
      usage: { ...usage, turns: 1, toolCalls: 1 },
      outcomes: [{ status: 'failed', hint: { reason: 'denied' } }],
    })
    expect(JSON.stringify(await linesOf(file))).not.toContain('Not toolCall')
  })

  it('ends with an input guardrail that blocks while the model is asked', async () => {
    const block = { action: 'block', message: 'No.' } as const
    let asked: () => void = () => undefined
    const model: ModelDriver = {
      name: 'hanging',
      ask: ({ meta: { signal } }) => {
        asked()
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
    }
    const { recorded, replayed, file } = await twice(model, (driver, { mode }) => {
      const isAsked = new Promise<void>((resolve) => {
        asked = resolve
      })
      const check = async () => {
        if (mode === 'record') await isAsked
        return block
      }
      return shopOf(driver, { guardrails: { input: [{ name: 'topic', check }] } }).run('Hi')
    })
    expect(recorded).toMatchObject({ status: 'stopped', stop: { reason: 'guardrail', by: 'topic', stage: 'input' } })
    expect(told(replayed)).toEqual(told(recorded))
    expect(await linesOf(file)).toMatchObject([{}, { type: 'model', error: { reason: 'cancelled' } }])
  })

  it('keeps what a model reads apart from the declared value', async () => {
    const short = transformOutput(() => '"Too long."')
    const { replayed } = await twice(scriptedModel([asksFor('A-1'), says('Done.')]), (driver, cassette) => {
      const inner = cassette.mode === 'record' ? runConfig().layer(short) : runConfig()
      return shopOf(driver, { execute: live(cassette) }).run('Hi', { config: inner.layer(cassette.toolLayer()) })
    })
    expect(replayed.outcomes[0]).toMatchObject({ json: '"Too long."', result: { data: orderOf('A-1') } })
  })

  it('has failures of tools with their hints, and errors of the model', async () => {
    const busy = new ToolFailure('Busy.', { reason: 'rate_limited', retryAfterMs: 500 })
    const model = scriptedModel([asksFor('A-1'), new ToolFailure('The model is down.', { reason: 'unavailable' })])
    const { recorded, replayed } = await twice(model, (driver, cassette) =>
      shopOf(driver, { execute: live(cassette, () => Promise.reject(busy)) }).run('Hi', configOf(cassette)),
    )
    expect(replayed).toMatchObject({
      status: 'failed',
      error: { reason: 'unavailable', message: 'The model is down.' },
    })
    expect(replayed.outcomes[0]).toMatchObject({ hint: { message: 'Busy.', action: 'wait', retryAfterMs: 500 } })
    expect(told(replayed)).toEqual(told(recorded))
  })

  it('gives equal calls their own answers, however late the first one ends', async () => {
    let count = 0
    const execute = async (): Promise<object> => {
      count += 1
      const id = `answer ${count}`
      if (count === 1) await new Promise((resolve) => setTimeout(resolve, 5))
      return orderOf(id)
    }
    const model = scriptedModel([asksFor('A-1', 'A-1'), says('Done.')])
    const { recorded, replayed, file } = await twice(model, (driver, cassette) =>
      shopOf(driver, { execute: live(cassette, execute) }).run('Hi', configOf(cassette)),
    )
    expect((await linesOf(file)).slice(2, 4).map(({ asked }) => asked)).toEqual([3, 2])
    expect(told(replayed)).toEqual(told(recorded))
  })

  it('is answered whatever the order in which parallel runs come', async () => {
    const echo = scriptedModel(
      [0, 1].map(
        () =>
          ({ messages }) =>
            says(`Answer to ${messages[0]?.content}`),
      ),
    )
    const { replayed } = await twice(echo, (driver, { mode }) => {
      const agent = shopOf(driver)
      const inputs = mode === 'record' ? ['first', 'second'] : ['second', 'first']
      return Promise.all(inputs.map(async (input) => (await agent.run(input)).result?.text))
    })
    expect(replayed).toEqual(['Answer to second', 'Answer to first'])
  })

  it('has the updates of streaming tools, where the runtime has the sink', async () => {
    const execute = async ({ emit }: ExecutorRequest): Promise<object> => {
      await emit({ at: new Date(0) })
      await emit({ at: new Date(1) })
      return { place: 'Turin' }
    }
    const { recorded, replayed } = await twice(scriptedModel([follows, says('There.')]), (driver, cassette) => {
      const runtime = { sinks: [cassette.sink] }
      return shopOf(driver, { execute: live(cassette, execute), runtime }).run('Where?', configOf(cassette))
    })
    const updates = ['{"at":"1970-01-01T00:00:00.000Z"}', '{"at":"1970-01-01T00:00:00.001Z"}']
    expect([updatesIn(recorded.events), updatesIn(replayed.events)]).toEqual([updates, updates])
  })

  it('fails as a whole where updates were not heard', async () => {
    const cassette = await openCassette(await cassetteFile(), { mode: 'record' })
    const execute = async ({ emit }: ExecutorRequest): Promise<object> => {
      await emit({ at: new Date(0) })
      return { place: 'Turin' }
    }
    const agent = shopOf(cassette.driver(scriptedModel([follows, says('There.')])), { execute })
    expect(await agent.run('Where?', configOf(cassette))).toMatchObject({ status: 'failed' })
    await expect(cassette.close()).rejects.toThrow('Pass `sinks: [cassette.sink]` to the runtime')
  })

  it('has the updates of tools of agents that serve as tools, where the run has deep tracing', async () => {
    const execute = async ({ emit }: ExecutorRequest): Promise<object> => {
      await emit({ at: new Date(0) })
      return { place: 'Turin' }
    }
    const place = toolOf('desk.place', { result: {} })
    const work =
      (deepTracing: boolean): Work<AgentRun> =>
      (driver, cassette) => {
        const runtime = { sinks: [cassette.sink] }
        const agent = shopOf(driver, { execute: live(cassette, execute), runtime })
        const exported = {
          toolset: toolsetOf(place),
          agent: { name: 'support', description: '' },
          tools: { place: { prose: true } },
        }
        const front = new Runtime(runtime).registerAgent(
          { name: 'front', description: 'Hands on.' },
          [agentToolsetRegistration(exported, agent)],
          { planner: modelPlanner(driver) },
        )
        return front.run('Where?', { ...configOf(cassette), deepTracing })
      }
    const script = () =>
      scriptedModel([
        calls({ tool: 'desk_place', arguments: { orderId: 'A-1' } }),
        follows,
        says('"Turin"'),
        says('There.'),
      ])
    const fault = await faultOf(twice(script(), work(false)))
    expect(fault.message).toContain('also start the run with `deepTracing: true`')
    const { recorded, replayed } = await twice(script(), work(true))
    expect(recorded).toMatchObject({ status: 'completed', outcomes: [{ status: 'completed' }] })
    expect(updatesIn(recorded.events)).toEqual(['{"at":"1970-01-01T00:00:00.000Z"}'])
    expect(updatesIn(replayed.events)).toEqual(updatesIn(recorded.events))
  })

  it('runs the excluded calls with their tools', async () => {
    let runs = 0
    const execute = (): object => {
      runs += 1
      return orderOf('A-1')
    }
    const { file } = await twice(scriptedModel([asksFor('A-1'), says('Done.')]), (driver, cassette) => {
      const config = runConfig().layer(cassette.toolLayer({ when: () => false }))
      return shopOf(driver, { execute }).run('Hi', { config })
    })
    expect(runs).toBe(2)
    expect((await linesOf(file)).map(({ type }) => type)).toEqual([undefined, 'model', 'model'])
  })

  it('runs agents that serve as tools, side by side, and answers what they ask for', async () => {
    const investigate = (orderId: string) => ({ tool: 'desk_investigate', arguments: { orderId } })
    const model = scriptedModel(
      Array.from({ length: 6 }, () => ({ messages, meta, tools }: ModelRequest) => {
        if (messages.at(-1)?.role === 'tool') return { ...says('Done.'), usage }
        if (meta.agent === 'front') return calls(investigate('A-1'), investigate('A-2'))
        const said = /A-\d/.exec(String(messages.at(-1)?.content))?.[0] ?? ''
        return calls({ tool: tools[0]?.toolName ?? '', arguments: { orderId: said } })
      }),
    )
    const { recorded, replayed } = await twice(model, (driver, cassette) => {
      // Provenance names the runs beneath a call.
      const runtime = { effects: cassette.effects() }
      const support = shopOf(driver, { execute: live(cassette), runtime })
      const front = new Runtime(runtime).registerAgent(
        { name: 'front', description: 'Hands on.' },
        [agentToolsetRegistration({ toolset: desk, agent: { name: 'support', description: '' } }, support)],
        { planner: modelPlanner(driver) },
      )
      return front.run('Hi', { ...configOf(cassette), deepTracing: true })
    })
    expect(recorded.outcomes.map((outcome) => outcome.status === 'completed' && outcome.result.data)).toEqual([
      orderOf('A-1'),
      orderOf('A-2'),
    ])
    expect(recorded.usage).toMatchObject({ turns: 2, promptTokens: 3 * usage.promptTokens })
    expect(told(replayed)).toEqual(told(recorded))
    const handoffs = ({ events }: AgentRun): number => events.filter(({ type }) => type === 'handoff').length
    expect([handoffs(recorded), handoffs(replayed)]).toEqual([4, 4])
  })

  it('counts what a recorded call asks for in turn as part of it', async () => {
    const model = scriptedModel([asksFor('A-1'), says('An inner answer.'), says('Done.')])
    const { replayed } = await twice(model, (driver, cassette) => {
      const execute = async (): Promise<object> => {
        const { result } = await shopOf(driver, { name: 'inner' }).run('Which one?', configOf(cassette))
        return orderOf(result?.text ?? '')
      }
      return shopOf(driver, { execute: live(cassette, execute) }).run('Hi', configOf(cassette))
    })
    expect(replayed.outcomes[0]).toMatchObject({ result: { data: { id: 'An inner answer.' } } })
  })

  it('has the same ids and the time of its recording in each replay', async () => {
    const before = Date.now()
    const { recorded, replayed } = await twice(scriptedModel([says('Hello.')]), (driver, cassette) =>
      shopOf(driver, { runtime: { effects: cassette.effects() } }).run('Hi'),
    )
    expect([recorded.runId, replayed.runId]).toEqual(['run_1', 'run_1'])
    expect(replayed.events[0]?.at).toBeGreaterThanOrEqual(before)
  })

  it('answers calls outside a run, however their arguments are written', async () => {
    const { replayed } = await twice(scriptedModel([]), (driver, cassette) => {
      const args = cassette.mode === 'record' ? '{ "orderId": "A-1" }' : '{"orderId":"A-1"}'
      const agent = shopOf(driver, { execute: live(cassette) })
      return agent.execute({ tool: 'orders.getOrder', arguments: args }, configOf(cassette))
    })
    expect(replayed).toMatchObject({ status: 'completed', result: { data: orderOf('A-1') } })
  })

  it('is what the model was sent, as a message compiler made it', async () => {
    const { file } = await twice(scriptedModel([says('Hello.')]), (driver) => {
      const compiled = driver.withMessageCompiler?.(() => [{ role: 'user', content: 'Short.' }]) ?? driver
      return shopOf(compiled).run('A long story')
    })
    const [, { request }] = await linesOf(file)
    expect(request.messages).toEqual([{ role: 'user', content: 'Short.' }])
  })

  it('ends as cancelled where a cancellation cut its model short', async () => {
    const controller = new AbortController()
    const model = scriptedModel([
      () => {
        controller.abort()
        return new Promise(() => undefined)
      },
    ])
    const { recorded, replayed } = await twice(model, (driver, { mode }) =>
      shopOf(driver).run('Hi', mode === 'record' ? { signal: controller.signal } : {}),
    )
    expect([recorded.status, replayed.status]).toEqual(['cancelled', 'cancelled'])
  })

  it('goes on in the same file with further runs', async () => {
    const model = scriptedModel([asksFor('A-1'), says('One.'), asksFor('A-1'), says('Two.')])
    const { replayed } = await twice(model, async (driver, cassette) => {
      const agent = shopOf(driver, { execute: live(cassette, anyOrder) })
      const first = await agent.run('Hi', configOf(cassette))
      return [first.result?.text, (await agent.run('Hi', configOf(cassette))).result?.text]
    })
    expect(replayed).toEqual(['One.', 'Two.'])
  })
})

function updatesIn(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'call_updated' ? [event.update] : []))
}

describe('a recorded run that waited for somebody', () => {
  const waits = { approval: { approve: async () => 'suspend' as const } }

  /** Runs until it is suspended, then goes on with an answer. */
  const answeredWith =
    (answerOf: (mode: string) => PendingAnswer): Work<readonly AgentRun[]> =>
    async (driver, cassette) => {
      const inner = cassette.mode === 'record' ? runConfig().layer(approval()) : runConfig()
      const options = { config: inner.layer(cassette.toolLayer()), env: waits }
      const agent = shopOf(driver, { execute: live(cassette) })
      const waiting = await agent.run('Hi', options)
      if (waiting.suspension === undefined) return [waiting]
      const [pending] = waiting.suspension.pending
      const answers = { [pending?.id ?? '']: answerOf(cassette.mode) }
      return [waiting, await agent.resume(waiting.suspension, answers, options)]
    }

  it('goes on in a replay as it did, with the same answer', async () => {
    const model = scriptedModel([asksFor('A-1'), says('Done.')])
    const { recorded, replayed } = await twice(
      model,
      answeredWith(() => 'approve'),
    )
    expect(recorded.map(({ status }) => status)).toEqual(['suspended', 'completed'])
    expect(replayed.map(({ status }) => status)).toEqual(['suspended', 'completed'])
    expect(replayed[1]?.messages).toEqual(recorded[1]?.messages)
  })

  it('keeps the changed arguments of the approver, and is another one with others', async () => {
    const edit = (orderId: string) => ({ decision: 'approve', arguments: { orderId }, by: 'ann' }) as const
    const { recorded, replayed } = await twice(
      scriptedModel([asksFor('A-1'), says('Done.')]),
      answeredWith(() => edit('A-2')),
    )
    const approval = { by: 'ann', edited: expect.stringContaining('A-2') as unknown }
    expect(recorded[1]?.outcomes).toMatchObject([{ status: 'completed', provenance: { approval } }])
    expect(replayed[1]?.outcomes).toMatchObject([{ status: 'completed', provenance: { approval } }])
    expect(replayed[1]?.messages).toEqual(recorded[1]?.messages)
    const differs = twice(
      scriptedModel([asksFor('A-1'), says('Done.')]),
      answeredWith((mode) => edit(mode === 'record' ? 'A-2' : 'A-3')),
    )
    expect((await faultOf(differs)).message).toContain('recorded "A-2" / now "A-3"')
  })

  it('is another one with another answer', async () => {
    const model = scriptedModel([asksFor('A-1'), says('Done.')])
    const differs = twice(
      model,
      answeredWith((mode) => (mode === 'record' ? 'approve' : 'deny')),
    )
    expect((await faultOf(differs)).message).toContain('- resumedWith: recorded "approve" / now "deny"')
  })
})
