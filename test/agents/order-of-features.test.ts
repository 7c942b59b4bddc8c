import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  base,
  type Feature,
  hookPriority,
  useContext,
  useEvents,
  useGuards,
  useHook,
  useMessageCompiler,
  useModel,
  useToolFactory,
  useTools,
  wrapMessageCompiler,
} from '../../packages/runtime/src/agents.js'
import type { RunEvent } from '../../packages/runtime/src/index.js'
import { type ScriptedModel, scriptedModel } from '../../packages/runtime/src/testing.js'
import { askedOf, bound, echo, looksUp } from './agents.fixture.js'

/** Features of every kind, and what they come to when they are installed in the order of these places. */
async function outcomeOf(places: readonly number[]): Promise<unknown> {
  const model: ScriptedModel = scriptedModel([looksUp, { ...looksUp, finishReason: 'length' }, looksUp])
  const heard: RunEvent['type'][] = []
  const ran: string[] = []
  const told = (name: string) => () => {
    ran.push(name)
  }
  const features: readonly Feature[] = [
    useModel(model, { temperature: 0 }),
    useContext({ systemPrompt: 'Be brief.' }),
    useContext({ responseFormat: { name: 'finding', schema: { type: 'object' } } }),
    useMessageCompiler(({ conversation, trace }) => [...conversation.slice(-1), ...trace]),
    useTools(echo('zeta')),
    useTools(echo('alpha')),
    useToolFactory(({ driver }) => echo('made', () => driver.name)),
    useEvents(({ type }) => heard.push(type)),
    useGuards({ maxSteps: 9, finishReasons: ['content_filter'] }),
    useGuards({ maxSteps: 7, finishReasons: ['length'], repetition: 2 }),
    useHook('beforeStep', told('late'), { priority: hookPriority.deferred, name: 'late' }),
    useHook('beforeStep', told('early'), { priority: hookPriority.guard, name: 'early' }),
    useHook('afterModel', ({ finishReason }) => (finishReason === 'length' ? { stop: 'Cut.' } : {}), { name: 'cut' }),
  ]
  const ordered = places.flatMap((place) => features[place] ?? [])
  const agent = ordered.reduce((builder, feature) => builder.with(feature), base()).build()
  const { stop, stops, messages, usage } = await bound(agent).run('Where is it?')
  const { tools, hooks, policy } = agent
  return { asked: askedOf(model), stop, stops, messages, usage, heard, ran, tools, hooks, policy }
}

const count = 13
const inOrder = Array.from({ length: count }, (_, place) => place)

describe('the order in which features are installed', () => {
  it('changes nothing: the same requests, tools, hooks, events and stops', async () => {
    const expected = await outcomeOf(inOrder)
    expect(expected).toMatchObject({
      asked: [
        {
          messages: [{ role: 'user', content: 'Where is it?' }],
          tools: ['orders_getOrder', 'alpha_echo', 'made_echo', 'zeta_echo'],
          fields: { temperature: 0 },
          responseFormat: { name: 'finding' },
        },
        { messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'tool' }] },
      ],
      messages: [{ role: 'system', content: 'Be brief.' }, {}, {}, {}, {}, {}],
      stop: { reason: 'finish_reason', finishReason: 'length' },
      stops: [{ reason: 'stopped', by: 'cut' }, { reason: 'finish_reason' }, { reason: 'repetition', times: 2 }],
      policy: { maxTurns: 7 },
      ran: ['early', 'late', 'early', 'late'],
    })
    const permutation = fc.shuffledSubarray(inOrder, { minLength: count })
    await fc.assert(
      fc.asyncProperty(permutation, async (places) => {
        expect(await outcomeOf(places)).toEqual(expected)
      }),
      { numRuns: 40 },
    )
  })

  it('is that of wrappers: the last is the outermost, wherever the innermost was set', async () => {
    const names = ['a', 'b', 'c', 'd']
    const wrapped = fc.tuple(
      fc.shuffledSubarray(names),
      fc.nat({ max: names.length }),
      fc.array(fc.nat(), { maxLength: 9 }),
    )
    await fc.assert(
      fc.asyncProperty(wrapped, async ([wraps, setAt, noise]) => {
        const model = scriptedModel([{ text: 'Done.' }])
        const passed: string[] = []
        const wrappers = wraps.map(
          (name): Feature =>
            wrapMessageCompiler((next) => (parts) => {
              passed.push(name)
              return next(parts)
            }),
        )
        const set = useMessageCompiler(({ conversation }) => {
          passed.push('set')
          return conversation
        })
        const features = [...wrappers.slice(0, setAt), set, ...wrappers.slice(setAt)]
        const others = [useGuards({ maxSteps: 3 }), useModel(model), useContext({ systemPrompt: 'Be brief.' })]
        const spread = noise.reduce<readonly Feature[]>((all, at, index) => {
          const place = at % (all.length + 1)
          return [...all.slice(0, place), ...others.slice(index, index + 1), ...all.slice(place)]
        }, features)
        await bound(
          [...spread, useModel(model)].reduce((builder, feature) => builder.with(feature), base()).build(),
        ).run('?')
        expect(passed).toEqual([...wraps].reverse().concat('set'))
      }),
    )
  })

  it('is that of layers too, within their kind', async () => {
    const passed: string[] = []
    const agent = base(scriptedModel([looksUp, { text: 'Done.' }]))
      .layer((next) => (request) => {
        passed.push('inner tool')
        return next(request)
      })
      .stepLayer((next) => (request) => {
        passed.push('inner step')
        return next(request)
      })
      .layer((next) => (request) => {
        passed.push('outer tool')
        return next(request)
      })
      .stepLayer((next) => (request) => {
        passed.push('outer step')
        return next(request)
      })
      .build()
    await bound(agent).run('?')
    expect(passed).toEqual(['outer step', 'inner step', 'outer tool', 'inner tool', 'outer step', 'inner step'])
  })
})
