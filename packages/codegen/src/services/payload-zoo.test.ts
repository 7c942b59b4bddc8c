import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { bindServices } from './bind-services.js'
import { clientModule, designWith, nil, projectWith, type ToolCase } from './bound-design.fixture.js'
import { type Case, cases, defs, types } from './payload-zoo.fixture.js'
import type { UsePlan } from './plan.js'

let root = ''
let plans: UsePlan = {}
let found: readonly Diagnostic[] = []
const names = Object.keys(cases)

beforeAll(async () => {
  const methods = Object.values(cases).map(([parameters], index) => `m${index}(${parameters}): Promise<void>`)
  root = projectWith({
    'client.ts': clientModule(`interface Client {\n${methods.join('\n')}\n}\n${types}`),
    'node_modules/@types/node/index.d.ts':
      'declare class URL { readonly href: string }\ndeclare class Buffer extends Uint8Array {}\ninterface AbortSignal { readonly aborted: boolean }',
  })
  const isMistake = ([, , expected]: Case): boolean => expected.startsWith('error')
  const bound = (only: boolean): Readonly<Record<string, ToolCase>> =>
    Object.fromEntries(
      Object.values(cases).flatMap((each, index) => {
        const [, payload, , binding] = each
        const tool = { payload, result: nil, ...binding, method: `m${index}` }
        return isMistake(each) === only ? [[`m${index}`, tool]] : []
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
  const verdict = plan?.payload.verdict ?? (reason === undefined ? 'nothing' : `error ${reason.code}`)
  const shown = verdict === 'mapper' ? (reason?.code ?? 'mapper') : verdict
  expect(shown, JSON.stringify([reason, plan?.payload])).toBe(expected)
})

test('nearest names are offered', () => {
  const index = names.indexOf('a required field without a source')
  const reason = found.find(({ message }) => message.startsWith(`\`m${index}\`:`))
  expect(reason?.near).toEqual(['id'])
  expect(reason?.next).toContain("rename: { id: 'orderId' }")
  expect(reason?.related?.map(({ message }) => message)).toEqual([
    'TG4112: Payload field `id` matches no field of the method; nearest: `orderId`.',
    `The method \`client.m${index}\`, signature 1 of 1.`,
  ])
  expect(reason?.related?.at(-1)?.location?.file).toBe('client.ts')
})

test('defect 9e: a field that only an index signature takes is a warning, beside declared fields alone', () => {
  const noteOf = (name: string): Diagnostic | undefined => {
    const index = names.indexOf(name)
    return found.find(({ message }) => message.startsWith(`\`m${index}\`:`))
  }
  const note = noteOf('an index signature takes a field')
  expect([note?.code, note?.severity]).toEqual(['TG4302', 'warning'])
  expect(note?.next).toBe(
    "If you mean `b`, add `tools: { m66: { rename: { a: 'b' } } }` to `fromService`. Otherwise compare the name with the documentation of the service.",
  )
  expect(noteOf('fields into a record')).toBeUndefined()
  expect(noteOf('any inside')).toBeUndefined()
})
