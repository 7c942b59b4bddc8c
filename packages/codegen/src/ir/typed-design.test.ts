import { expect, it } from 'vitest'
import { z } from 'zod'
import { compileDesign } from './compile-design.js'
import { loaded, tool, toolset } from './design.fixture.js'

const epoch = '1970-01-01T00:00:00.000Z'
const payload = z.object({
  at: z.date().min(new Date(0)),
  count: z.bigint(),
  data: z.instanceof(Uint8Array),
  sentAt: z.date(),
})

function compiled(examples: readonly unknown[], parts = {}) {
  return compileDesign(
    loaded([toolset('t', { run: tool({ payload, serverOwned: { sentAt: 'labels.sentAt' }, examples, ...parts }) })]),
  )
}

it('typed examples are written as they travel, and checked by the schema of the design as typed values', () => {
  const typed = { at: new Date(0), count: 5n, data: Uint8Array.of(1) }
  const wire = { at: epoch, count: '5', data: 'AQ==' }
  const { value, diagnostics } = compiled([typed, wire])
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  const run = value?.toolsets[0]?.tools[0]
  expect(run?.examples).toEqual([wire, wire])
  expect(run?.needsCheck).toBe(true)
  expect(run?.serverOwned).toMatchObject([{ field: 'sentAt', schema: { 'x-js': 'Date' } }])
})

it('typed examples that break a bound or the type are refused with their place', () => {
  const good = { at: new Date(0), count: 5n, data: Uint8Array.of(1) }
  const early = { ...good, at: new Date(-1) }
  const invalid = { ...good, at: new Date(Number.NaN) }
  const wrong = { ...good, count: new Date(0) }
  const { diagnostics } = compiled([early, invalid, wrong, { ...good, data: 'AB==' }])
  const errors = diagnostics.filter(({ code }) => code === 'TG2050')
  expect(errors.map(({ location }) => location?.file)).toEqual(
    [0, 1, 2, 3].map((index) => `t/tools/run/examples/${index}`),
  )
  expect(errors[3]?.message).toContain('/data: "AB==" is not a valid base64')
})

it('a denied result may be typed', () => {
  const result = z.object({ at: z.date() })
  const { value } = compiled([], { result, confirmation: { prompt: 'Sure?', deniedResult: { at: new Date(0) } } })
  expect(value?.toolsets[0]?.tools[0]?.confirmation?.deniedResult).toEqual({ at: epoch })
})
