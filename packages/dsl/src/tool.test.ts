import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Json } from './tool.js'
import { defineTool } from './tool.js'

const payload = z.object({ orderId: z.string(), sessionId: z.string() })
const result = z.object({ id: z.string() })
const texts = { description: 'Fetch one order.', payload, result }

/** Calls the function with arguments of any type, like JavaScript code. */
const define = (definition: unknown): unknown => Reflect.apply(defineTool, undefined, [definition])

const deeplyFrozen = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(deeplyFrozen))

describe('defineTool', () => {
  it('keeps all options, and nothing else', () => {
    const tool = defineTool({
      ...texts,
      title: 'Orders',
      streaming: { updates: result },
      examples: [{ orderId: 'A-1' }],
      callHint: 'Looking up {{orderId}}',
      resultHint: 'Order {{id}}',
      serverOwned: { sessionId: 'labels.session' },
      tags: ['orders'],
      meta: { synonyms: ['purchase'] },
      confirmation: { prompt: 'Sure?', deniedResult: { id: '' } },
      defaultLayers: { timeoutMs: 30_000, attempts: 2 },
      idempotent: true,
      readOnly: true,
      destructive: false,
      toolName: 'get_order',
    })
    expect({ ...tool, serverOwned: { ...tool.serverOwned } }).toEqual({
      '~toolgen': 'tool',
      description: 'Fetch one order.',
      title: 'Orders',
      payload,
      result,
      streaming: { updates: result },
      examples: [{ orderId: 'A-1' }],
      callHint: 'Looking up {{orderId}}',
      resultHint: 'Order {{id}}',
      serverOwned: { sessionId: 'labels.session' },
      tags: ['orders'],
      meta: { synonyms: ['purchase'] },
      confirmation: { prompt: 'Sure?', deniedResult: { id: '' } },
      defaultLayers: { timeoutMs: 30_000, attempts: 2 },
      idempotent: true,
      readOnly: true,
      destructive: false,
      toolName: 'get_order',
    })
    expect(Object.keys(defineTool(texts))).toEqual(['~toolgen', 'description', 'payload', 'result'])
  })

  it.each<[object, string]>([
    [{ timeoutMs: 0 }, '`timeoutMs` is 0; expected an integer from 1 to 2147483647.'],
    [{ timeoutMs: 1.5 }, '`timeoutMs` is 1.5; expected an integer from 1 to 2147483647.'],
    [{ attempts: 'two' }, '`attempts` is a string; expected an integer from 2 to 100.'],
  ])('refuses the default layers %j', (defaultLayers, message) => {
    expect(() => define({ ...texts, defaultLayers })).toThrow(message)
  })

  it('drops properties that are undefined', () => {
    const tool = define({
      ...texts,
      title: undefined,
      examples: undefined,
      confirmation: { prompt: 'x', deniedResult: undefined },
    })
    expect(tool).not.toHaveProperty('title')
    expect(tool).not.toHaveProperty('examples')
    expect(tool).toHaveProperty('confirmation', { prompt: 'x' })
    expect(Object.keys(Object(Reflect.get(Object(tool), 'confirmation')))).toEqual(['prompt'])
  })

  it('is deeply frozen and leaves the schemas and the given values as they are', () => {
    const schema = { type: 'object', properties: { a: {} } }
    const updates = { type: 'string' }
    const example = { a: { b: [1] } }
    const tags = ['x']
    const serverOwned = { a: 'sessionId' } as const
    const streaming = { updates }
    const confirmation = { prompt: 'x', deniedResult: { a: [{}] } }
    const given = { description: 'x', payload: schema, result: schema, streaming, tags, serverOwned, confirmation }
    const tool = defineTool({ ...given, examples: [example] })
    const { payload: keptPayload, result: keptResult, streaming: keptStreaming, ...rest } = tool
    expect(Object.isFrozen(tool)).toBe(true)
    expect(Object.isFrozen(keptStreaming)).toBe(true)
    expect(Object.values(rest).every(deeplyFrozen)).toBe(true)
    expect([keptPayload, keptResult, keptStreaming?.updates]).toEqual([schema, schema, updates])
    expect(keptPayload).toBe(schema)
    expect(keptStreaming?.updates).toBe(updates)
    const untouched = [
      schema,
      schema.properties,
      updates,
      example,
      example.a,
      tags,
      serverOwned,
      streaming,
      confirmation,
    ]
    expect(untouched.filter((value) => Object.isFrozen(value))).toEqual([])
    example.a.b.push(2)
    expect(tool.examples).toEqual([{ a: { b: [1] } }])
  })

  it('accepts schemas that are functions or booleans', () => {
    const callable = Object.assign(() => undefined, { '~standard': { version: 1, vendor: 'x' } })
    expect(defineTool({ description: 'x', payload: callable, result: true }).payload).toBe(callable)
  })

  it('copies any JSON example exactly, with hostile names as own properties', () => {
    const hostile = fc.constantFrom('__proto__', 'constructor', 'toString', 'length', '\u2028', '\ud800')
    const json = fc.dictionary(fc.oneof(hostile, fc.string()), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 })
    fc.assert(
      fc.property(json, (example) => {
        const tool = defineTool({
          description: 'x',
          payload: {},
          result: {},
          examples: JSON.parse(JSON.stringify([example])),
        })
        expect(JSON.stringify(tool.examples)).toBe(JSON.stringify([example]))
        expect(deeplyFrozen(tool.examples)).toBe(true)
      }),
      { numRuns: 100 },
    )
  })

  it('keeps dates, bigints and bytes of an example as copies', () => {
    const [at, data] = [new Date(0), Uint8Array.of(1)]
    const given = { at, data, count: 5n }
    const tool = define({ ...texts, examples: [given], confirmation: { prompt: 'x', deniedResult: at } })
    at.setTime(1)
    data.fill(9)
    expect(tool).toMatchObject({
      examples: [{ at: new Date(0), data: Uint8Array.of(1), count: 5n }],
      confirmation: { deniedResult: new Date(0) },
    })
  })

  it('copies an example that holds one value many times without unfolding it', () => {
    let shared: Json = [1]
    for (let level = 0; level < 60; level += 1) shared = [shared, shared]
    const tool = defineTool({ description: 'x', payload: {}, result: {}, examples: [shared] })
    const [pair] = tool.examples ?? []
    expect(Reflect.get(Object(pair), 0)).toBe(Reflect.get(Object(pair), 1))
  })

  it('keeps server-owned fields with hostile names', () => {
    const tool = defineTool({
      ...texts,
      payload: {},
      serverOwned: { ['__proto__']: 'sessionId', constructor: 'runId' },
    })
    expect(Object.entries(tool.serverOwned ?? {})).toEqual([
      ['__proto__', 'sessionId'],
      ['constructor', 'runId'],
    ])
  })

  const cyclic: unknown[] = []
  cyclic.push({ again: cyclic })
  let deep: unknown = 1
  for (let level = 0; level < 5_000; level += 1) deep = [deep]

  it.each<[string, unknown, string]>([
    ['no definition', undefined, 'defineTool: expected a plain object, got undefined. '],
    ['a list', [], 'defineTool: expected a plain object, got an array. '],
    ['no description', { payload, result }, 'defineTool: "description" is missing. '],
    [
      'a description that is no text',
      { ...texts, description: 1 },
      'defineTool: description: expected a string, got a number. ',
    ],
    ['no payload', { description: 'x', result }, 'defineTool: "payload" is missing. '],
    [
      'a payload that is text',
      { ...texts, payload: 'object' },
      'payload: expected a schema, got a string. Pass a schema, ',
    ],
    ['a payload that is null', { ...texts, payload: null }, 'payload: expected a schema, got null. '],
    ['a misspelt property', { ...texts, exmaples: [] }, 'unknown property "exmaples". Did you mean "examples"?'],
    ['an unknown property', { ...texts, zzz: 1 }, 'unknown property "zzz". Use one of description, payload, '],
    ['a property called __proto__', { ...texts, ['__proto__']: 1 }, 'unknown property "__proto__". '],
    ['a symbol', { ...texts, [Symbol('s')]: 1 }, 'has a symbol as a property name, Symbol(s). '],
    ['examples that are no list', { ...texts, examples: {} }, 'examples: expected an array, got an object. '],
    [
      'an example with a map',
      { ...texts, examples: [{ at: new Map() }] },
      'examples[0]["at"]: is an instance of a class. ',
    ],
    ['an example with a function', { ...texts, examples: [() => 1] }, 'examples[0]: is a function. '],
    ['an example with NaN', { ...texts, examples: [[Number.NaN]] }, 'examples[0][0]: is NaN. '],
    ['an example with a hole', { ...texts, examples: [new Array(1)] }, 'examples[0][0]: is undefined. '],
    ['an example with a symbol', { ...texts, examples: [Symbol('s')] }, 'examples[0]: is a symbol. '],
    ['an example that contains itself', { ...texts, examples: [cyclic] }, 'examples[0][0]["again"]: contains itself. '],
    ['an example that is too deep', { ...texts, examples: [deep] }, 'is nested deeper than 1000 levels. '],
    [
      'a wrong meta field',
      { ...texts, serverOwned: { a: 'sesionId' } },
      'serverOwned["a"]: "sesionId" is not a field of the call\'s metadata. Did you mean "sessionId"?',
    ],
    [
      'a label without a name',
      { ...texts, serverOwned: { a: 'labels.' } },
      'serverOwned["a"]: "labels." is not a field',
    ],
    [
      'server-owned fields as a list',
      { ...texts, serverOwned: ['a'] },
      'serverOwned: expected a plain object, got an array. ',
    ],
    ['a tag that is no text', { ...texts, tags: ['a', 1] }, 'tags[1]: expected a string, got a number. '],
    [
      'a wrong name in meta',
      { ...texts, meta: { synonym: ['a'] } },
      'meta: unknown property "synonym". Did you mean "synonyms"?',
    ],
    [
      'a sensitive path without a slash',
      { ...texts, sensitive: { result: { id: ['events'] } } },
      'sensitive: result: "id" is not a path. Write a JSON Pointer, such as "/id".',
    ],
    [
      'a sensitive field for an unknown audience',
      { ...texts, sensitive: { result: { '/id': ['event'] } } },
      'sensitive: result["/id"][0]: ',
    ],
    [
      'a sensitive field without an audience',
      { ...texts, sensitive: { result: { '/id': [] } } },
      `sensitive: result["/id"]: names no audience. Write e.g. ['events', 'telemetry', 'recording'].`,
    ],
    [
      'an unknown treatment',
      { ...texts, sensitive: { result: { '/id': { model: 'hash' } } } },
      'sensitive: result["/id"]: model: ',
    ],
    ['streaming that is true', { ...texts, streaming: true }, 'streaming: expected an object, got a boolean. '],
    ['streaming without updates', { ...texts, streaming: {} }, 'streaming: "updates" is missing. '],
    [
      'a confirmation that is empty text',
      { ...texts, confirmation: '' },
      'confirmation: expected an object, got a string. Write { prompt: ... }.',
    ],
    [
      'a confirmation without a prompt',
      { ...texts, confirmation: { deniedResult: 1 } },
      'confirmation: "prompt" is missing. ',
    ],
    ['a flag that is text', { ...texts, readOnly: 'yes' }, 'readOnly: expected a boolean, got a string. '],
    ['an empty tool name', { ...texts, toolName: '' }, 'toolName: is empty. '],
  ])('refuses %s and says where, what and what to do', (_, definition, message) => {
    expect(() => define(definition)).toThrow(TypeError)
    expect(() => define(definition)).toThrow(message)
  })
})
