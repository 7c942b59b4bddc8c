import type { FailureDefinition } from '@toolgen/dsl'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { compileDesign } from './compile-design.js'
import { loaded, tool, toolset } from './design.fixture.js'
import { findings } from './diagnostics.fixture.js'

const shipped: FailureDefinition = {
  schema: z.object({ orderId: z.string(), order: z.object({ id: z.string() }).meta({ id: 'Order' }) }),
  hint: 'Order {{orderId}} has left the warehouse.',
}

const findingsOf = (failures: Readonly<Record<string, FailureDefinition>>): readonly string[] =>
  findings(loaded([toolset('t', { run: tool({ failures }) })]))

it('a failure has its schema, hint and action in the IR, and is part of the hash of the tool', () => {
  const failures = { order_shipped: shipped, locked: { hint: 'Locked.', action: 'finish' } } as const
  const design = [tool(), tool({ failures })].map((run) => compileDesign(loaded([toolset('t', { run })])).value)
  const [without, [run]] = [design[0]?.toolsets[0]?.tools, design[1]?.toolsets[0]?.tools ?? []]
  expect(run?.failures).toMatchObject([
    { name: 'order_shipped', action: 'replan', schema: { properties: { order: { $ref: '#/$defs/Order' } } } },
    { name: 'locked', hint: 'Locked.', action: 'finish' },
  ])
  expect(run?.failures?.[1]).not.toHaveProperty('schema')
  expect(without?.[0]).not.toHaveProperty('failures')
  expect(run?.hash).not.toBe(without?.[0]?.hash)
})

it('a hint with a field that the data do not have is an error', () => {
  expect(findingsOf({ order_shipped: { ...shipped, hint: 'Order {{id}} has left {{order.id}}.' } })).toEqual([
    'TG2041 t/tools/run/failures/order_shipped/hint=[6-12]',
  ])
  expect(findingsOf({ locked: { hint: 'Locked by {{user}}.' } })).toEqual([
    'TG2041 t/tools/run/failures/locked/hint=[10-18]',
  ])
})

it.each(['orderShipped', 'Shipped', 'order-shipped', 'order__shipped', '_shipped', '1st', ''])(
  'the name %j is not in snake_case',
  (name) => expect(findingsOf({ [name]: shipped })).toEqual([`TG2053 t/tools/run/failures/${name}`]),
)

it('a reason of the runtime is not a name of a failure', () => {
  expect(findingsOf({ timeout: shipped, denied: shipped, timed_out: shipped })).toEqual([
    'TG2053 t/tools/run/failures/timeout',
    'TG2053 t/tools/run/failures/denied',
  ])
})

it('two failures of a toolset with the same name must be equal', () => {
  const compile = (other: FailureDefinition) =>
    compileDesign(
      loaded([
        toolset('t', {
          cancel: tool({ failures: { order_shipped: shipped } }),
          change: tool({ failures: { order_shipped: other } }),
        }),
        toolset('u', { cancel: tool({ failures: { order_shipped: { hint: 'Another one.' } } }) }),
      ]),
    ).diagnostics
  expect(compile(shipped)).toEqual([])
  expect(compile({ ...shipped, action: 'replan' })).toEqual([])
  expect(compile({ ...shipped, schema: z.object({ orderId: z.string() }) })).toMatchObject([
    {
      code: 'TG2054',
      message: 'The failure `order_shipped` of `change` differs from the failure with this name of `cancel`.',
      location: { file: 't/tools/change/failures/order_shipped' },
      related: [{ location: { file: 't/tools/cancel/failures/order_shipped' } }],
    },
  ])
  expect(compile({ ...shipped, hint: 'Too late.' })).toMatchObject([{ code: 'TG2054' }])
})

it('a schema that accepts no value is an error with its location', () => {
  expect(findingsOf({ order_shipped: { ...shipped, schema: false, hint: 'Too late.' } })).toEqual([
    'TG3017 t/tools/run/failures/order_shipped/schema',
  ])
})

it('a rejecting status of an HTTP API is a failure, and the design can rename it', () => {
  const problem = z.object({ title: z.string() })
  const errors = {
    401: problem,
    404: problem,
    418: problem,
    422: problem,
    429: problem,
    503: problem,
    default: problem,
  }
  const toolOf = (failures?: Readonly<Record<string, FailureDefinition>>) => {
    const web = toolset('web', { run: tool(failures && { failures }) })
    const openapi = { server: 'https://api.invalid', operations: { run: { method: 'GET', path: '/', errors } } }
    return compileDesign(loaded([{ ...web, openapi } as typeof web])).value?.toolsets[0]?.tools[0]
  }
  const plain = toolOf()
  expect(plain?.statusFailures).toEqual({ 404: 'not_found', 418: 'http_418', 422: 'unprocessable_content' })
  expect(plain).not.toHaveProperty('failures')
  const renamed = toolOf({ page_missing: { status: 404, hint: 'There is no page: {{title}}.' } })
  expect(renamed?.statusFailures).toEqual({ 418: 'http_418', 422: 'unprocessable_content' })
  expect(renamed?.failures).toMatchObject([
    { name: 'page_missing', status: 404, schema: { properties: { title: { type: 'string' } } } },
  ])
})

it('a dropped failure that no status has is an error with the nearest name', () => {
  const web = toolset('web', { run: { ...tool(), droppedFailures: ['not_fond', 'gone'] } })
  const operation = { method: 'GET', path: '/', errors: { 404: z.object({}) } }
  const openapi = { server: 'https://api.invalid', operations: { run: operation } }
  expect(compileDesign(loaded([{ ...web, openapi } as typeof web])).diagnostics).toMatchObject([
    { code: 'TG2025', message: 'The import of `run` has no failure `not_fond`.', near: ['not_found'] },
    { code: 'TG2025', message: 'The import of `run` has no failure `gone`.' },
  ])
})
