import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { bindServices } from './bind-services.js'
import { clientModule, designWith, object, projectWith, string, type ToolCase } from './bound-design.fixture.js'
import type { UsePlan } from './plan.js'
import { cases, defs, types } from './result-zoo.fixture.js'

let root = ''
let plans: UsePlan = {}
let found: readonly Diagnostic[] = []
const names = Object.keys(cases)

beforeAll(async () => {
  const methods = Object.values(cases).map(([returned], index) => `m${index}(): ${returned}`)
  root = projectWith({
    'client.ts': clientModule(`interface Client {\n${methods.join('\n')}\n}\n${types}`),
    'node_modules/@types/node/index.d.ts':
      'declare class URL { readonly href: string }\ndeclare class Buffer extends Uint8Array {}\n' +
      'interface ReadableStream<R> { readonly locked: boolean; [Symbol.asyncIterator](): AsyncIterator<R> }',
  })
  const bound = (mistakes: boolean): Readonly<Record<string, ToolCase>> =>
    Object.fromEntries(
      Object.values(cases).flatMap(([, result, expected, answer], index) => {
        const tool = { payload: object({}), result, ...(answer === undefined ? {} : { answer }) }
        return expected.startsWith('error') === mistakes ? [[`m${index}`, tool]] : []
      }),
    )
  const good = await bindServices(designWith(bound(false), defs), { root })
  const bad = await bindServices(designWith(bound(true), defs), { root })
  plans = good.value?.keeper?.zoo ?? {}
  found = [...good.diagnostics, ...bad.diagnostics]
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

test.each(names)('%s', (name) => {
  const index = names.indexOf(name)
  const [, , expected] = cases[name] ?? ['', true, '']
  const plan = plans[`m${index}`]
  const reason = found.find(({ message }) => message.startsWith(`\`m${index}\`:`))
  const verdict = plan?.result.verdict ?? (reason === undefined ? 'nothing' : `error ${reason.code}`)
  const shown = verdict === 'mapper' ? (reason?.code ?? 'mapper') : verdict
  expect(shown, JSON.stringify([reason, plan?.result])).toBe(expected)
})

test('what is bound without a mapper says nothing', () => {
  const silent = Object.values(cases).flatMap(([, , expected], index) =>
    expected === 'pass' || expected === 'convert' || expected === 'checked' ? [`\`m${index}\`:`] : [],
  )
  expect(found.filter(({ message }) => silent.some((start) => message.startsWith(start)))).toEqual([])
})

test('the wrapper in which a result would fit is hinted', async () => {
  const folder = projectWith({
    'client.ts': clientModule('interface Client { get(): Promise<{ data: { a: string }; status: number }> }'),
  })
  const { diagnostics } = await bindServices(
    designWith({ get: { payload: object({}), result: object({ a: string }) } }),
    {
      root: folder,
    },
  )
  rmSync(folder, { recursive: true, force: true })
  expect(diagnostics[0]?.next).toBe(
    "The property `.data` matches the result: add `tools: { get: { result: { from: 'data' } } }` to `fromService`.",
  )
})
