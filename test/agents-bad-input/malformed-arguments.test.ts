import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { calls, says, scriptedModel } from '../../packages/runtime/src/testing.js'
import { agentOver, driverSaying, ended, GOOD, lookUp, reasonsOf, toldOf, WAYS } from './model-agent.fixture.js'

const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`
const order = '{"orderId":"A-1","quantity":2,"status":"open"}'

describe.each(WAYS)('arguments of a model that are wrong fail their call alone, %s', (way) => {
  /** What the model is told of calls with these arguments, in a run that then goes on to its answer. */
  async function told(
    ...all: readonly string[]
  ): Promise<{ readonly reasons: readonly string[]; readonly texts: readonly string[] }> {
    const driver = await driverSaying(way, [calls(...all.map((json) => lookUp(json)), lookUp(GOOD)), says('I see.')])
    const run = await ended(agentOver(driver).run('Where?'))
    expect(run).toMatchObject({ status: 'completed', result: { text: 'I see.' }, usage: { turns: 2 } })
    expect(run.outcomes.at(-1)?.status).toBe('completed')
    return { reasons: reasonsOf(run).slice(0, -1), texts: toldOf(run).slice(0, -1) }
  }

  it('cut at any place', async () => {
    const cuts = Array.from({ length: order.length - 1 }, (_, at) => order.slice(0, at + 1))
    const { reasons, texts } = await told(...cuts)
    expect(new Set(reasons)).toEqual(new Set(['invalid_arguments']))
    for (const text of texts) expect(text).toMatch(/^Invalid arguments: the arguments are not valid JSON/)
  })

  it.each([
    ['a comma too many', '{"orderId":"A-1",}'],
    ['single quotes', "{'orderId':'A-1'}"],
    ['a comment', '{"orderId":"A-1"/* that one */}'],
    ['a fence', '```json\n{"orderId":"A-1"}\n```'],
    ['words around it', 'Here you are: {"orderId":"A-1"}'],
    ['two values', '{"orderId":"A-1"}{"orderId":"A-2"}'],
    ['a number that is none', '{"orderId":"A-1","quantity":NaN}'],
    ['a byte order mark', '\ufeff{"orderId":"A-1"}'],
    ['a control character', '{"orderId":"A\u0000"}'],
    ['Python', '{"orderId":"A-1","quantity":None}'],
  ])('no JSON: %s', async (_, json) => {
    expect((await told(json)).texts).toEqual([
      expect.stringMatching(/^Invalid arguments: the arguments are not valid JSON/),
    ])
  })

  it('JSON in a text', async () => {
    expect((await told(JSON.stringify(order))).reasons).toEqual(['invalid_arguments'])
  })

  it('a number beyond all bounds', async () => {
    expect((await told('{"orderId":"A-1","quantity":1e999}')).reasons).toEqual(['invalid_arguments'])
  })

  it('nested beyond measure, in a field that is known, or not, or in place of the object', async () => {
    // A stream brings them in many parts.
    const levels = way === 'streamed' ? 2_000 : 100_000
    const { reasons, texts } = await told(
      `{"orderId":"A-1","quantity":${deep(levels)}}`,
      `{"orderId":"A-1","more":${deep(levels)}}`,
      deep(levels),
      '['.repeat(levels),
      '{"orderId":'.repeat(levels),
    )
    expect(new Set(reasons)).toEqual(new Set(['invalid_arguments']))
    for (const text of texts) expect(text.length).toBeLessThan(1_000)
  })

  it('huge: the model receives a short error', async () => {
    const length = way === 'streamed' ? 20_000 : 2_000_000
    const keys = Object.fromEntries(Array.from({ length: length / 100 }, (_, at) => [`key${at}`, at]))
    const { reasons, texts } = await told(
      JSON.stringify({ orderId: 'A-1', status: 'x'.repeat(length) }),
      JSON.stringify({ orderId: 'A-1', ['x'.repeat(length)]: 1 }),
      JSON.stringify({ orderId: 'A-1', ...keys }),
      'x'.repeat(length),
    )
    expect(new Set(reasons)).toEqual(new Set(['invalid_arguments']))
    for (const text of texts) expect(text.length).toBeLessThan(1_000)
  })
})

describe.each(WAYS)('arguments of a model that are odd and right are run, %s', (way) => {
  /** What a tool got of a call. */
  async function got(json: string): Promise<unknown> {
    const payloads: unknown[] = []
    const execute = async ({ payload }: { readonly payload: () => Promise<unknown> }) => {
      payloads.push(await payload())
      return { id: 'A-1', total: 1 }
    }
    const driver = await driverSaying(way, [calls(lookUp(json)), says('I see.')])
    const run = await ended(agentOver(driver, { execute }).run('Where?'))
    expect(reasonsOf(run)).toEqual(['completed'])
    const [asked] = run.messages.flatMap((message) => (message.role === 'assistant' ? (message.tool_calls ?? []) : []))
    expect(asked).toMatchObject({ function: { arguments: json } })
    return payloads[0]
  }

  it('a key that is there twice: the last one counts', async () => {
    expect(await got('{"orderId":"A-1","orderId":"A-2"}')).toMatchObject({ orderId: 'A-2' })
  })

  it.each(['{"orderId":"\\ud800"}', '{"orderId":"\\udc00\\ud800 \\u0000"}'])('half a character: %s', async (json) => {
    expect(await got(json)).toMatchObject({ orderId: JSON.parse(json).orderId })
  })

  it('a huge text', async () => {
    const orderId = 'ä'.repeat(way === 'streamed' ? 20_000 : 2_000_000)
    expect(await got(JSON.stringify({ orderId }))).toMatchObject({ orderId })
  })

  it('space and escapes', async () => {
    expect(await got(' {\n"order\\u0049d"\t: "A\\u002d1" } ')).toMatchObject({ orderId: 'A-1' })
  })
})

describe('whatever a model writes as arguments', () => {
  const oddText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc.json().map((json) => json.slice(0, -1)),
  )
  const oddCall = fc.record({
    tool: fc.oneof(fc.constantFrom('orders_getOrder', 'orders_label', 'orders.getOrder', '__proto__'), fc.string()),
    arguments: oddText,
  })

  it('each call has one result, and the run goes on', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(oddCall, { minLength: 1, maxLength: 6 }), async (asked) => {
        const run = await ended(agentOver(scriptedModel([calls(...asked), says('I see.')])).run('Where?'))
        expect(run).toMatchObject({ status: 'completed', usage: { turns: 2, toolCalls: asked.length } })
      }),
      { numRuns: 100 },
    )
  })

  it('half a character that is no escape is kept as it came', async () => {
    const json = '{"orderId":"\ud800"}'
    const run = await ended(agentOver(scriptedModel([calls(lookUp(json)), says('I see.')])).run('Where?'))
    expect(reasonsOf(run)).toEqual(['completed'])
    expect(run.messages[1]).toMatchObject({ tool_calls: [{ function: { arguments: json } }] })
  })
})
