import { expect, test } from 'vitest'
import type { Conversion, ToolPlan } from '../services/plan.js'
import { executorText, type NamedPlan } from './executor-text.js'

const date: Conversion = { kind: 'scalar', name: 'dateToDateTime' }

function order(type: number): Conversion {
  return {
    kind: 'object',
    fields: [{ from: 'at', to: 'at', conversion: date, presence: 'required' }],
    rest: false,
    part: { definition: 'Order', type },
  }
}

function tool(name: string, result: ToolPlan['result']): NamedPlan {
  const plan: ToolPlan = {
    tool: name,
    method: [name],
    optional: [],
    signature: { fromLast: 0, of: 1, generic: false },
    payload: { verdict: 'pass', plan: [] },
    result,
    thenable: false,
    unwrapData: false,
  }
  const stem = name.toUpperCase()
  const names = { client: 'Client', payload: `${stem}Payload`, result: `${stem}Result`, update: `${stem}Update`, stem }
  return { plan, names: { ...names, args: `${stem}Args`, response: `${stem}Response` } }
}

const imports = { value: (name: string) => name, type: (name: string) => name }

/** Returns the results of the tools by name, and the functions that they need. */
function written(...tools: readonly NamedPlan[]): {
  readonly results: Readonly<Record<string, string | undefined>>
  readonly functions: readonly string[]
} {
  const texts = executorText(
    tools,
    (definition, form) => `types.${definition}${form === 'read' ? 'Read' : ''}`,
    imports,
  )
  const results = tools.map(({ plan }, index) => [plan.tool, texts.tools[index]?.result.body] as const)
  return { results: Object.fromEntries(results), functions: texts.functions }
}

const list: Conversion = { kind: 'array', items: order(1), from: 'array', to: 'array' }
const inPlace = '({ at: convert.dateToDateTime(value.at) })'

test('a definition that several results need is converted by one function', () => {
  const found = written(
    tool('list', { verdict: 'convert', plan: list }),
    tool('get', { verdict: 'convert', plan: order(1) }),
    tool('find', { verdict: 'convert', plan: { kind: 'nullable', inner: order(1), of: 'null' } }),
  )
  expect(found.results).toEqual({
    list: 'value.map(toOrder)',
    get: 'toOrder(value)',
    find: 'value === null ? value : toOrder(value)',
  })
  expect(found.functions).toEqual([
    'function toOrder(value: GETResponse): types.Order {\n  return { at: convert.dateToDateTime(value.at) }\n}',
  ])
})

test('one that is needed once, is made from another type or is checked stands in its place', () => {
  const found = written(
    tool('get', { verdict: 'convert', plan: order(1) }),
    tool('other', { verdict: 'convert', plan: order(2) }),
    tool('check', { verdict: 'checked', plan: order(1) }),
  )
  expect(found.results).toEqual({ get: inPlace, other: inPlace, check: inPlace })
  expect(found.functions).toEqual([])
})

test('the functions of different conversions of one definition have different names', () => {
  const plans = [1, 1, 2, 2].map((type, index) => tool(`t${index}`, { verdict: 'convert', plan: order(type) }))
  expect(written(...plans).results).toEqual({
    t0: 'toOrder(value)',
    t1: 'toOrder(value)',
    t2: 'toOrder2(value)',
    t3: 'toOrder2(value)',
  })
})

test('the parameter of a function with a long head has a line of its own', () => {
  const ref: Conversion = { kind: 'ref', name: 'n0' }
  const children: Conversion = { kind: 'array', items: ref, from: 'array', to: 'array' }
  const body: Conversion = {
    kind: 'object',
    fields: [{ from: 'kids', to: 'children', conversion: children, presence: 'omit' }],
    rest: false,
  }
  const from = ['shelves', 'boxes'].map((name) => ({ kind: 'key' as const, name }))
  const plan: Conversion = { kind: 'named', name: 'n0', definition: 'Box', body, types: { from, to: [] } }
  const [text = ''] = written(tool('read', { verdict: 'convert', plan })).functions
  expect(text.split('\n')[0]).toBe('function toBox(')
  expect(text.split('\n')[2]).toBe('): types.Box {')
  expect(text).toContain('children: value.kids.map(toBox)')
})
