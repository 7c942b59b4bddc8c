import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { bindServices } from './bind-services.js'
import { clientModule, designWith, list, object, projectWith, string, type ToolCase } from './bound-design.fixture.js'
import type { ToolPlan, UsePlan } from './plan.js'
import { cases, defs, types } from './stream-zoo.fixture.js'

let root = ''
let plans: UsePlan = {}
let found: readonly Diagnostic[] = []
const names = Object.keys(cases)

beforeAll(async () => {
  const methods = Object.values(cases).map(({ returned }, index) => `m${index}(): ${returned}`)
  root = projectWith({
    'client.ts': clientModule(`interface Client {\n${methods.join('\n')}\n}\n${types}`),
    'node_modules/@types/node/index.d.ts':
      'interface ReadableStream<R> { cancel(): Promise<void>; [Symbol.asyncIterator](): AsyncIterator<R> }',
  })
  const tools = Object.values(cases).map(({ returned: _, expected: __, ...tool }, index) => [
    `m${index}`,
    { payload: object({}), ...tool },
  ])
  const { value, diagnostics } = await bindServices(designWith(Object.fromEntries(tools), defs), { root })
  plans = value?.keeper?.zoo ?? {}
  found = diagnostics
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

test.each(names)('%s', (name) => {
  const tool = `m${names.indexOf(name)}`
  const plan = plans[tool]
  const shown = (side: 'update' | 'result', verdict = plan?.[side === 'result' ? side : 'payload'].verdict): string =>
    verdict === 'mapper' ? codeOf(tool, side) : (verdict ?? 'nothing')
  const update = plan?.stream === undefined ? 'once' : shown('update', plan.stream.update.verdict)
  expect(`${update} / ${shown('result')}`, JSON.stringify(found.filter(isAbout(tool)))).toBe(cases[name]?.expected)
  expect(plan?.stream?.collect).toBe(update === 'once' ? undefined : (cases[name]?.collect ?? 'list'))
})

function isAbout(tool: string): (diagnostic: Diagnostic) => boolean {
  return ({ message }) => message.startsWith(`\`${tool}\`:`)
}

function codeOf(tool: string, side: string): string {
  const reason = found.filter(isAbout(tool)).find(({ message }) => message.includes(`The ${side} needs a mapper`))
  return reason?.code ?? 'mapper'
}

describe('a stream', () => {
  let folder = ''
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const bind = async (
    client: string,
    tool: ToolCase,
  ): Promise<{ plan?: ToolPlan; diagnostics: readonly Diagnostic[] }> => {
    folder = projectWith({ 'client.ts': clientModule(`interface Client { ${client} }`) }, folder || undefined)
    const { value, diagnostics } = await bindServices(designWith({ tail: tool }), { root: folder })
    const plan = value?.keeper?.zoo?.tail
    return { ...(plan === undefined ? {} : { plan }), diagnostics }
  }
  const line = object({ a: string })
  const tail: ToolCase = { payload: object({}), updates: line, result: list(line) }
  const { updates: _, ...once } = tail

  it('of a tool that is not declared as streaming is reported, with the fix', async () => {
    const { diagnostics } = await bind('tail(): AsyncIterable<{ a: string }>', once)
    expect(diagnostics).toMatchObject([
      {
        code: 'TG4211',
        severity: 'note',
        message:
          '`tail`: The result needs a mapper: the method returns a stream, but the tool does not declare `streaming`.',
        next:
          'Declare `streaming: { updates }` in the tool, so that items become updates, or pass the mapper ' +
          '`toolsets.zoo.mappers.tail.result` when you register the agent.',
      },
    ])
  })

  it('names the mapper of updates', async () => {
    const { diagnostics } = await bind('tail(): AsyncIterable<{ b: string }>', {
      ...tail,
      result: list(object({ b: string })),
    })
    expect(diagnostics).toMatchObject([
      { code: 'TG4200', message: expect.stringMatching(/^`tail`: The update needs a mapper: /) },
    ])
    expect(diagnostics[0]?.next).toContain('`toolsets.zoo.mappers.tail.update`')
  })

  it('of items of which some may be no update is left to mappers, which drop them', async () => {
    const { plan, diagnostics } = await bind('tail(): AsyncIterable<{ a: string } | { done: true }>', tail)
    expect(plan).toMatchObject({ stream: { update: { verdict: 'mapper' } }, result: { verdict: 'mapper' } })
    expect(diagnostics.map(({ next }) => next)).toEqual([
      'Provide the mapper `toolsets.zoo.mappers.tail.update`, which returns undefined for an item that is not an update. ' +
        'With `tools: { tail: { result: { checked: true } } }`, an item that does not match ends the call.',
      'Provide the mapper `toolsets.zoo.mappers.tail.result`, which selects the items of the result. ' +
        'With `tools: { tail: { result: { checked: true } } }`, an item that does not match ends the call.',
    ])
  })

  it.each([
    ["The last item matches: add `tools: { tail: { collect: 'last' } }` to `fromService`.", { result: line }],
    ['The array of all items matches: remove `collect` from `tools.tail` in `fromService`.', { collect: 'last' }],
  ] as const)('is collected in another way where that fits: %s', async (next, said) => {
    const { diagnostics } = await bind('tail(): AsyncIterable<{ a: string }>', { ...tail, ...said })
    expect(diagnostics.map((each) => each.next)).toEqual([next])
  })

  it('is what a streaming tool takes of several signatures, and no other tool', async () => {
    const client =
      'tail(p: { whole: true }): Promise<{ a: string }[]>; tail(): AsyncIterable<{ a: string }>; tail(p: string): void'
    const streaming = await bind(client, tail)
    expect(streaming.plan).toMatchObject({ signature: { fromLast: 1 }, stream: { collect: 'list' } })
    const { plan } = await bind(client, once)
    expect(plan).toMatchObject({ signature: { fromLast: 2 }, result: { verdict: 'pass' } })
    expect(plan?.stream).toBeUndefined()
  })

  it('that the client may lack is left to a mapper', async () => {
    const { plan, diagnostics } = await bind('tail?(): AsyncIterable<{ a: string }>', tail)
    expect(diagnostics.map(({ code }) => code)).toEqual(['TG4202'])
    expect(plan?.stream).toBeUndefined()
  })

  it.each([
    ['the tool does not declare `streaming`', 'tail(): AsyncIterable<{ a: string }>', once],
    ['the method does not return a stream', 'tail(): Promise<{ a: string }[]>', tail],
  ])('is not there to collect where the tool or its method %s', async (why, client, tool) => {
    const { diagnostics } = await bind(client, { ...tool, collect: 'list' })
    expect(diagnostics).toMatchObject([
      {
        code: 'TG4011',
        severity: 'error',
        message: expect.stringContaining(why),
        next: expect.stringMatching(/^Remove `collect`/),
      },
    ])
  })
})
