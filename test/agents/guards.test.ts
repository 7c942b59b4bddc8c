import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { guardConditions } from '../../packages/runtime/src/agents/guards.js'
import { initialState } from '../../packages/runtime/src/agents/step-attempts.js'
import {
  base,
  callTools,
  type Guards,
  type RunState,
  useGuards,
  usePlanner,
} from '../../packages/runtime/src/agents.js'
import type { ChatMessage } from '../../packages/runtime/src/chat.js'
import { Runtime, type StopSignal } from '../../packages/runtime/src/index.js'
import { says, scriptedModel } from '../../packages/runtime/src/testing.js'
import { callOf, never, order, script } from '../runs/agents.fixture.js'
import { bound, looksUp } from './agents.fixture.js'

/** Why a run ends whose model looks up the same order again and again. */
async function stopsOf(...guards: readonly Guards[]): Promise<readonly StopSignal[]> {
  const usage = { promptTokens: 90, completionTokens: 10 }
  const model = scriptedModel(Array.from({ length: 9 }, () => ({ ...looksUp, usage })))
  const agent = guards.reduce((builder, each) => builder.with(useGuards(each)), base(model)).build()
  return (await bound(agent).run('?')).stops
}

/** A run in which the model asked, step after step, for these calls: name and arguments. */
function stateOf(...steps: readonly (readonly (readonly [string, string])[])[]): RunState {
  const messages = steps.flatMap((asked, step): readonly ChatMessage[] => [
    {
      role: 'assistant',
      content: null,
      tool_calls: asked.map(([name, json], at) => ({
        id: `${step}-${at}`,
        type: 'function',
        function: { name, arguments: json },
      })),
    },
    ...asked.map((_, at): ChatMessage => ({ role: 'tool', tool_call_id: `${step}-${at}`, content: '' })),
  ])
  const opening: ChatMessage = { role: 'user', content: '?' }
  return { ...initialState([opening]), turns: steps.length, messages: [opening, ...messages] }
}

const repeats = (times: number, state: RunState): readonly StopSignal[] =>
  guardConditions([{ repetition: times }]).flatMap((condition) => condition(state) ?? [])

const stopAfter = (reason: 'max_turns' | 'max_tokens', limit: number) => {
  const [unit, options] =
    reason === 'max_turns'
      ? ['steps', '`maxTurns` of the policy or `maxSteps` of the guards']
      : ['tokens', '`maxTokens` of the policy or of the guards']
  return {
    reason,
    limit,
    message: `The run reached its limit of ${limit} ${unit}. To change the limit, set ${options}.`,
  }
}

describe('guards', () => {
  it('stop a run after a number of steps, tokens or milliseconds', async () => {
    expect(await stopsOf({ maxSteps: 3 })).toEqual([stopAfter('max_turns', 3)])
    expect(await stopsOf({ maxTokens: 250 })).toEqual([stopAfter('max_tokens', 250)])
    const slow = base()
      .with(usePlanner(never))
      .with(useGuards({ timeoutMs: 10 }))
      .build()
    const run = await bound(slow, () => order, new Runtime()).run('?')
    expect(run).toMatchObject({ status: 'stopped', stop: { reason: 'time_budget', limit: 10 } })
  })

  it('hold both where they are installed twice, in any order: the stricter stops first', async () => {
    const limits = fc.tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 8 }))
    await fc.assert(
      fc.asyncProperty(limits, limits, async ([steps, otherSteps], [hundreds, otherHundreds]) => {
        const guards = [
          { maxSteps: steps, maxTokens: hundreds * 100 },
          { maxSteps: otherSteps, maxTokens: otherHundreds * 100 },
        ] as const
        const stops = await stopsOf(...guards)
        expect(await stopsOf(...[...guards].reverse())).toEqual(stops)
        const [most, tokens] = [Math.min(steps, otherSteps), Math.min(hundreds, otherHundreds)]
        const expected = [
          ...(tokens <= most ? [stopAfter('max_tokens', tokens * 100)] : []),
          ...(most <= tokens ? [stopAfter('max_turns', most)] : []),
        ]
        expect(stops).toEqual(expected)
      }),
      { numRuns: 30 },
    )
    expect(await stopsOf({ repetition: 4 }, { repetition: 2 })).toEqual([{ reason: 'repetition', times: 2 }])
  })

  it.each([
    [{ maxSteps: -1 }, /maxSteps is -1/],
    [{ timeoutMs: Number.NaN }, /timeoutMs is NaN/],
    [{ maxTokens: '9' as never }, /maxTokens is 9/],
    [{ finishReasons: 'length' as never }, /finishReasons must be an array of strings/],
    [{ repetition: 1 }, /repetition is 1. Expected an integer of at least 2./],
    [{ repetition: 2.5 }, /repetition is 2.5/],
  ])('are refused where they are none: %j', (guards, message) => {
    expect(() => useGuards(guards)).toThrow(message)
  })
})

describe('a guard of finish reasons', () => {
  const guarded = (...steps: Parameters<typeof scriptedModel>[0]) =>
    bound(
      base(scriptedModel(steps))
        .with(useGuards({ finishReasons: ['length'] }))
        .build(),
    ).run('?')

  it('stops a run whose answer was cut, which keeps what was said', async () => {
    expect(await guarded({ ...says('It has'), finishReason: 'length' })).toMatchObject({
      status: 'stopped',
      stop: { reason: 'finish_reason', finishReason: 'length' },
      stops: [{ reason: 'answered' }, { reason: 'finish_reason' }],
      result: { text: 'It has' },
    })
    expect((await guarded(says('It has shipped.'))).stop).toEqual({ reason: 'answered' })
  })

  it('stops after the calls of the step', async () => {
    expect(await guarded({ ...looksUp, finishReason: 'length' })).toMatchObject({
      stop: { reason: 'finish_reason' },
      outcomes: [{ status: 'completed' }],
      usage: { turns: 1 },
    })
  })

  it('judges the last step alone', () => {
    const [condition] = guardConditions([{ finishReasons: ['a'] }, { finishReasons: ['b'] }])
    const signals = ['a', 'b', 'c', undefined].map((finishReason) =>
      condition?.({ ...initialState([]), ...(finishReason !== undefined && { finishReason }) }),
    )
    expect(signals).toEqual([
      { reason: 'finish_reason', finishReason: 'a' },
      { reason: 'finish_reason', finishReason: 'b' },
      undefined,
      undefined,
    ])
  })
})

describe('a guard of repetition', () => {
  it('stops a run that asks for the same again and again', async () => {
    const run = await bound(
      base(scriptedModel([looksUp, looksUp, looksUp]))
        .with(useGuards({ repetition: 3 }))
        .build(),
    ).run('?')
    expect(run).toMatchObject({ status: 'stopped', stop: { reason: 'repetition', times: 3 }, usage: { turns: 3 } })
  })

  it('takes calls for the same that differ in the order and the writing of their JSON alone', () => {
    const [same, written] = ['{"a":1,"b":[2]}', '{ "b": [2.0], "a": 1 }']
    expect(
      repeats(
        2,
        stateOf(
          [
            ['f', same],
            ['g', '{}'],
          ],
          [
            ['g', '{}'],
            ['f', written],
          ],
        ),
      ),
    ).toEqual([{ reason: 'repetition', times: 2 }])
  })

  it.each([
    ['other arguments', [['f', '{"a":1}']], [['f', '{"a":2}']]],
    ['another order of a list', [['f', '[1,2]']], [['f', '[2,1]']]],
    ['another tool', [['f', '{}']], [['g', '{}']]],
    [
      'one call more',
      [['f', '{}']],
      [
        ['f', '{}'],
        ['f', '{}'],
      ],
    ],
    ['other malformed arguments', [['f', '{"a":']], [['f', '{"b":']]],
  ] as const)('does not mind %s', (_, first, second) => {
    expect(repeats(2, stateOf(first, second))).toEqual([])
    expect(repeats(2, stateOf(first, second, second))).toHaveLength(1)
  })

  it('counts steps in a row, of this run alone', () => {
    const [same, other] = [[['f', '{}']], [['g', '{}']]] as const
    expect(repeats(3, stateOf(same, same, other, same))).toEqual([])
    const state = stateOf(same, same, same)
    expect(repeats(3, state)).toHaveLength(1)
    expect(repeats(3, { ...state, runStart: 3 })).toEqual([])
    expect(repeats(2, { ...state, runStart: 99 })).toEqual([])
  })

  it('applies only if the last steps are equal', () => {
    const step = fc.constantFrom('{}', '{"a":1}')
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), fc.integer({ min: 2, max: 4 }), (steps, times) => {
        const last = steps.slice(-times)
        const isRepeated = last.length === times && new Set(last).size === 1
        expect(repeats(times, stateOf(...steps.map((json) => [['f', json] as const])))).toHaveLength(isRepeated ? 1 : 0)
      }),
    )
  })

  it('bears arguments that are nested beyond measure', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    expect(repeats(2, stateOf([['f', deep]], [['f', deep]]))).toHaveLength(1)
  })

  it('does not count a planner that does something else in between', async () => {
    const same = callTools(callOf())
    const planner = script(same, callTools(callOf('B-2')), same, callTools(callOf('B-2')))
    const run = await bound(
      base()
        .with(usePlanner(planner))
        .with(useGuards({ repetition: 2 }))
        .build(),
    ).run('?')
    expect([run.status, run.usage.turns]).toEqual(['completed', 5])
  })
})
