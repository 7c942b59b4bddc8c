import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as z3 from 'zod/v3'
import { toJsonSchema } from './to-json-schema.js'

type Io = 'input' | 'output'

function read(value: unknown, io: Io = 'input') {
  return toJsonSchema(value, { io, hint: 'Root' })
}

function rootOf(value: unknown, io: Io = 'input'): unknown {
  return read(value, io).value?.root
}

function codesOf(value: unknown, io: Io = 'input'): readonly string[] {
  return read(value, io).diagnostics.map(({ code }) => code)
}

describe('Zod 4', () => {
  it('does not require a field with a default that is sent, and requires it in what comes back', () => {
    const schema = z.object({ limit: z.number().default(3) })
    expect(rootOf(schema)).toEqual({ type: 'object', properties: { limit: { type: 'number', default: 3 } } })
    expect(rootOf(schema, 'output')).toMatchObject({ required: ['limit'] })
  })

  it('names the type first and the default last', () => {
    const schema = z.object({ ids: z.array(z.string()).min(1).describe('Some').default(['a']) })
    const text = JSON.stringify(rootOf(schema))
    expect(text).toBe(
      '{"type":"object","properties":{"ids":{"type":"array","minItems":1,"items":{"type":"string"},"description":"Some","default":["a"]}}}',
    )
  })

  it('leaves open what happens with unknown fields, except where the schema says it', () => {
    expect(rootOf(z.object({}), 'output')).not.toHaveProperty('additionalProperties')
    expect(rootOf(z.strictObject({}), 'output')).toHaveProperty('additionalProperties', false)
    expect(rootOf(z.looseObject({}), 'output')).toHaveProperty('additionalProperties', {})
  })

  it('keeps descriptions and makes definitions of schemas with an id', () => {
    const address = z.object({ street: z.string().describe('With number') }).meta({ id: 'Address' })
    const { value } = read(z.object({ from: address, to: address.optional() }))
    expect(value?.root).toMatchObject({
      properties: { from: { $ref: '#/$defs/Address' }, to: { $ref: '#/$defs/Address' } },
    })
    expect(value?.defs.get('Address')).toMatchObject({ properties: { street: { description: 'With number' } } })
  })

  it('writes out what is used twice without a name, and names what contains itself', () => {
    const money = z.object({ amount: z.number() })
    const node = z.object({
      get children() {
        return z.array(node)
      },
    })
    const { value } = read(z.object({ net: money, gross: money, tree: node }))
    expect([...(value?.defs.keys() ?? [])]).toEqual(['Tree'])
    expect(value?.root).toMatchObject({ properties: { gross: { properties: { amount: { type: 'number' } } } } })
  })

  it('names the root that contains itself by the hint', () => {
    const node = z.object({
      get next() {
        return node.optional()
      },
    })
    const { value } = read(node)
    expect(value?.root).toMatchObject({ properties: { next: { $ref: '#/$defs/Root' } } })
    expect([...(value?.defs.keys() ?? [])]).toEqual(['Root'])
  })

  it('does not multiply schemas that are used twice at every level', () => {
    let schema: z.ZodType = z.object({ leaf: z.string() })
    for (let level = 0; level < 25; level += 1) schema = z.object({ left: schema, right: schema })
    const { value } = read(schema)
    const size = JSON.stringify([value?.root, ...(value?.defs.values() ?? [])]).length
    expect(size).toBeLessThan(50_000)
  })

  it.each([
    ['a bigint as a literal', z.literal(5n)],
    ['a Buffer', z.instanceof(Buffer)],
    ['a file', z.file()],
    ['a Map', z.map(z.string(), z.string())],
    ['a Set', z.set(z.string())],
    ['a custom type', z.custom<string>()],
    ['an instance', z.instanceof(URL)],
    ['undefined', z.undefined()],
  ])('refuses %s and says where', (_, inner) => {
    const { value, diagnostics } = read(z.object({ a: z.object({ b: inner }) }))
    expect(value).toBeUndefined()
    expect(diagnostics).toMatchObject([{ code: 'TG3004', trail: ['a', 'b'], message: expect.stringContaining('/a/b') }])
  })

  it.each([
    ['transform', z.string().transform(Number)],
    ['pipe', z.string().pipe(z.string())],
    ['preprocess', z.preprocess(String, z.string())],
    ['codec', z.stringbool()],
    ['catch', z.string().catch('x')],
    ['coercion', z.coerce.number()],
    ['trim', z.string().trim()],
  ])('refuses a %s in a payload and points to mappers', (_, inner) => {
    const { diagnostics } = read(z.object({ a: inner }))
    expect(diagnostics.length).toBeGreaterThan(0)
    for (const diagnostic of diagnostics)
      expect(diagnostic).toMatchObject({ code: 'TG3005', trail: ['a'], next: expect.stringContaining('mapper') })
  })

  it('calls a change of a payload what the design calls it', () => {
    const said = (inner: z.ZodType) => read(z.object({ a: inner })).diagnostics[0]?.message
    expect(said(z.string().transform(Number))).toContain('has a transform at')
    expect(said(z.preprocess(String, z.string()))).toContain('has a transform at')
    expect(said(z.string().pipe(z.string()))).toContain('has a pipe at')
  })

  it('takes the outcome of a pipe in a result, and refuses a transform without one', () => {
    expect(rootOf(z.string().transform(Number).pipe(z.number()), 'output')).toEqual({ type: 'number' })
    expect(codesOf(z.string().transform(Number), 'output')).toEqual(['TG3005'])
  })

  it('finds refinements that JSON Schema does not carry, and only those', () => {
    const schema = z
      .object({
        a: z.string().refine((text) => text !== 'x'),
        b: z.email().min(3),
        c: z.jwt(),
        d: z.int().multipleOf(2),
      })
      .superRefine(() => {})
    expect(read(schema).value?.refinements).toEqual(expect.arrayContaining([[], ['a'], ['c']]))
    expect(read(schema).value?.refinements).toHaveLength(3)
    expect(read(z.object({ a: z.string().min(1).regex(/^a/), b: z.uuid() })).value?.refinements).toEqual([])
  })

  it('refuses defaults that differ from reading to reading, and patterns with flags', () => {
    let count = 0
    expect(codesOf(z.object({ a: z.number().default(() => (count += 1)) }))).toEqual(['TG3008'])
    expect(codesOf(z.object({ a: z.string().regex(/^a$/i) }))).toEqual(['TG3009'])
  })

  it('reports what metadata adds and no code can be generated for', () => {
    const added = [{ $id: 'https://a/b' }, { $ref: 'https://a/b' }, { $dynamicRef: '#a' }]
    for (const meta of added) expect(codesOf(z.object({ a: z.string().meta(meta) }))).toEqual(['TG3012'])
  })

  it('reports what the library throws', () => {
    const twice = z.object({ a: z.string().meta({ id: 'Same' }), b: z.number().meta({ id: 'Same' }) })
    expect(read(twice).diagnostics).toMatchObject([{ code: 'TG3002', message: expect.stringContaining('Same') }])
  })

  it('reads metadata of a copy of the library that has a registry of its own', () => {
    const inner = z.string()
    Object.defineProperty(inner, 'meta', { value: () => ({ description: 'From its own registry' }) })
    expect(rootOf(z.object({ inner }))).toMatchObject({
      properties: { inner: { description: 'From its own registry' } },
    })
  })
})

describe('Zod 3', () => {
  it('is converted by its own converter', () => {
    const schema = z3.z.object({ id: z3.z.string().describe('Which'), tags: z3.z.tuple([z3.z.string()]).optional() })
    expect(rootOf(schema)).toEqual({
      type: 'object',
      properties: {
        id: { type: 'string', description: 'Which' },
        tags: { type: 'array', minItems: 1, maxItems: 1, prefixItems: [{ type: 'string' }] },
      },
      required: ['id'],
    })
  })

  it('reports what JSON cannot carry, what changes values, and refinements', () => {
    expect(read(z3.z.object({ a: z3.z.map(z3.z.string(), z3.z.string()) })).diagnostics).toMatchObject([
      { code: 'TG3004', trail: ['a'] },
    ])
    expect(codesOf(z3.z.object({ a: z3.z.string().transform(Number) }))).toEqual(['TG3005'])
    expect(codesOf(z3.z.object({ a: z3.z.string().trim() }))).toEqual(['TG3005'])
    expect(read(z3.z.object({ a: z3.z.string().refine(Boolean) })).value?.refinements).toEqual([['a']])
  })
})

describe('libraries with Standard Schema', () => {
  const library = (jsonSchema?: object) => ({
    '~standard': { version: 1, vendor: 'acme', validate: () => ({}), ...jsonSchema },
  })

  it('are converted by their own Standard JSON Schema', () => {
    const sides = { input: () => ({ type: 'string', default: 'a' }), output: () => ({ type: 'string' }) }
    expect(rootOf(library({ jsonSchema: sides }))).toEqual({ type: 'string', default: 'a' })
    expect(rootOf(library({ jsonSchema: sides }), 'output')).toEqual({ type: 'string' })
  })

  it('are refused as a payload when what they take is not what they yield', () => {
    const schema = library({ jsonSchema: { input: () => ({ type: 'string' }), output: () => ({ type: 'number' }) } })
    expect(read(schema).diagnostics).toMatchObject([{ code: 'TG3005', next: expect.stringContaining('mapper') }])
    expect(rootOf(schema, 'output')).toEqual({ type: 'number' })
  })

  it('are rejected if their defaults change with each call', () => {
    let count = 0
    const input = () => {
      count += 1
      return { type: 'number', default: count }
    }
    expect(codesOf(library({ jsonSchema: { input } }))).toEqual(['TG3008'])
  })

  it('are refused by name when they give none, an empty one, or throw', () => {
    expect(read(library()).diagnostics).toMatchObject([{ code: 'TG3001', message: expect.stringContaining('acme') }])
    expect(codesOf(library({ jsonSchema: { input: () => ({}) } }))).toEqual(['TG3003'])
    const failing = library({
      jsonSchema: {
        input: () => {
          throw new Error('no')
        },
      },
    })
    expect(codesOf(failing)).toEqual(['TG3002'])
  })
})

describe('plain JSON Schema', () => {
  it('loses what only concerns the document', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://a/b',
      $comment: 'x',
      type: 'object',
    }
    expect(rootOf(schema)).toEqual({ type: 'object' })
  })

  it('gets definitions for every place that is referred to', () => {
    const { value } = read({
      type: 'object',
      properties: {
        a: { $ref: '#/definitions/Address' },
        b: { $ref: '#name' },
        c: { $ref: '#' },
        d: { $ref: 'https://a/b#/definitions/Address' },
      },
      $id: 'https://a/b',
      definitions: { Address: { type: 'string' }, Other: { $anchor: 'name', type: 'number' }, Unused: {} },
    })
    expect(value?.root).toMatchObject({
      properties: {
        a: { $ref: '#/$defs/Address' },
        b: { $ref: '#/$defs/Other' },
        c: { $ref: '#/$defs/Root' },
        d: { $ref: '#/$defs/Address' },
      },
    })
    expect([...(value?.defs.keys() ?? [])].sort()).toEqual(['Address', 'Other', 'Root'])
  })

  it('is brought up to 2020-12', () => {
    expect(
      rootOf({
        type: 'object',
        properties: {
          n: { type: 'number', minimum: 1, exclusiveMinimum: true },
          t: { items: [{ type: 'string' }], additionalItems: false },
        },
        dependencies: { a: ['b'], c: { required: ['d'] } },
      }),
    ).toEqual({
      type: 'object',
      properties: {
        n: { type: 'number', exclusiveMinimum: 1 },
        t: { type: 'array', prefixItems: [{ type: 'string' }], items: false },
      },
      dependentRequired: { a: ['b'] },
      dependentSchemas: { c: { required: ['d'] } },
    })
  })

  it('resolves references into lists of items of the older form', () => {
    const { value } = read({
      properties: { a: { items: [{ type: 'string' }] }, b: { $ref: '#/properties/a/items/0' } },
    })
    expect(value?.root).toMatchObject({ properties: { b: { type: 'string' } } })
  })

  it.each([
    [{ type: 'strng' }, 'TG3010', '/type'],
    [{ properties: { a: { type: 'object', required: 'x' } } }, 'TG3010', '/properties/a/required'],
    [{ properties: { a: 1 } }, 'TG3010', '/properties'],
    [{ pattern: '(' }, 'TG3010', '/pattern'],
    [{ patternProperties: { '(': {} } }, 'TG3010', '/patternProperties'],
    [{ minLength: -1 }, 'TG3010', '/minLength'],
    [{ anyOf: [] }, 'TG3010', '/anyOf'],
    [{ properties: { a: { $ref: '#/$defs/Adress' } }, $defs: { Address: {} } }, 'TG3011', '/properties/a'],
    [{ $ref: '#/%E0%A4%A' }, 'TG3011', 'at the root'],
    [{ properties: { a: { $dynamicRef: '#x' } } }, 'TG3012', '/properties/a'],
    [{ $ref: 'https://example.com/schema' }, 'TG3012', 'https://example.com/schema'],
    [{ $schema: 'https://example.com/dialect' }, 'TG3012', 'https://example.com/dialect'],
  ])('%j is reported as %s with its place', (schema, code, part) => {
    const { value, diagnostics } = read(schema)
    expect(value).toBeUndefined()
    expect(diagnostics).toMatchObject([{ code, message: expect.stringContaining(part) }])
  })

  it('defect 7: a pattern that is too long is an error with its length and the limit', () => {
    const schema = { type: 'object', properties: { tag: { type: 'string', pattern: 'x'.repeat(10_001) } } }
    expect(read(schema).diagnostics).toMatchObject([
      {
        code: 'TG3038',
        severity: 'error',
        message: 'The pattern at /properties/tag has 10,001 characters. The limit is 10,000.',
        next: 'Shorten the pattern, or check the value in the tool.',
      },
    ])
    const others = [
      { type: 'object', patternProperties: { ['x'.repeat(10_001)]: {} } },
      { $ref: '#/$defs/Tag', $defs: { Tag: { type: 'string', pattern: 'x'.repeat(10_001) } } },
      z.object({ tag: z.string().regex(new RegExp('x'.repeat(10_001))) }),
    ]
    for (const other of others) {
      const { diagnostics } = toJsonSchema(other, { io: 'input', hint: 'X' })
      expect(diagnostics).toMatchObject([{ code: 'TG3038', message: expect.stringContaining('has 10,001 characters') }])
    }
  })

  it.each([
    ['^(a|b)\\1$', 'a back reference'],
    ['^.{1,3000}@.{1,3000}$', 'counts that need more than 5000 states'],
    ['(?<q>["\'])\\w*\\k<q>', 'a back reference'],
  ])('defect 7: a pattern that cannot be matched in linear time is an error: %.20s', (pattern, part) => {
    const message = (pointer: string): string =>
      `The pattern \`${pattern.length > 100 ? `${pattern.slice(0, 100)}...` : pattern}\` ${pointer} has ${part}, so it cannot be matched in linear time.`
    const inField = { type: 'object', properties: { tag: { type: 'string', pattern } } }
    expect(read(inField).diagnostics).toMatchObject([
      { code: 'TG3038', severity: 'error', message: message('at /properties/tag') },
    ])
    expect(read({ type: 'object', patternProperties: { [pattern]: {} } }).diagnostics).toMatchObject([
      { message: message('at the root') },
    ])
    const inDefinition = { $ref: '#/$defs/Tag', $defs: { Tag: { type: 'string', pattern } } }
    expect(read(inDefinition).diagnostics).toMatchObject([{ code: 'TG3038' }])
    const fromZod = toJsonSchema(z.object({ tag: z.string().regex(new RegExp(pattern)) }), { io: 'input', hint: 'X' })
    expect(fromZod.diagnostics).toMatchObject([{ code: 'TG3038', message: message('at /properties/tag') }])
  })

  it('defect 7: a slow pattern, and what only looks like a back reference, are no errors', () => {
    for (const pattern of ['^(a+)+$', '^[\\1-3]$', '^\\\\1$', '^(?:a)(?=b)(?<!c)(?<d>e)$', '[(?]', '\\(?x']) {
      expect(read({ type: 'string', pattern }).diagnostics).toEqual([])
    }
  })

  it('proposes near names', () => {
    expect(read({ type: 'strng' }).diagnostics[0]).toMatchObject({ near: ['string'] })
    expect(read({ $ref: '#/$defs/Adress', $defs: { Address: {} } }).diagnostics[0]).toMatchObject({
      near: ['#/$defs/Address'],
    })
  })

  it('warns of keywords that have no effect, except those of the user', () => {
    expect(read({ type: 'object', propertes: {} }).diagnostics).toMatchObject([
      { code: 'TG3015', severity: 'warning', near: ['properties'] },
    ])
    expect(read({ type: 'object', 'x-order': 1 }).diagnostics).toEqual([])
  })

  it('must be plain JSON', () => {
    const circle: Record<string, unknown> = {}
    circle.properties = { circle }
    for (const value of [circle, { default: () => 1 }, { default: new Date(0) }, { minimum: Number.NaN }]) {
      expect(codesOf(value)).toEqual(['TG3010'])
    }
  })

  it('is refused when it is nested too deep, without overflowing the stack', () => {
    let schema: object = {}
    for (let level = 0; level < 5000; level += 1) schema = { not: schema }
    expect(codesOf(schema)).toEqual(['TG3010'])
    let object: z.ZodType = z.string()
    for (let level = 0; level < 5000; level += 1) object = z.object({ next: object })
    expect(read(object).diagnostics).toMatchObject([
      { code: 'TG3002', message: 'The schema cannot be converted to JSON Schema: it is nested too deeply.' },
    ])
  })
})

it.each([[undefined], [null], ['string'], [42], [[{}]]])('%j is no schema', (value) => {
  expect(codesOf(value)).toEqual(['TG3001'])
})

it('keeps hostile names of fields as ordinary keys, and gives definitions plain names', () => {
  const schema = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"$ref":"#/$defs/__proto__"},"constructor":{"type":"string"}},"$defs":{"__proto__":{"type":"number"}}}',
  )
  const { value } = read(schema)
  expect(JSON.stringify(value?.root)).toBe(
    '{"type":"object","properties":{"__proto__":{"$ref":"#/$defs/Proto"},"constructor":{"type":"string"}}}',
  )
  expect(value?.defs.get('Proto')).toEqual({ type: 'number' })
  expect(({} as Record<string, unknown>).type).toBeUndefined()
})

it('gives every definition a name of its own that needs no escaping', () => {
  const names = ['a b', 'a#b', 'AB', 'A B', '%', '日本', '*/']
  const { value } = read({
    type: 'object',
    properties: Object.fromEntries(
      names.map((name) => [name, { $ref: `#/$defs/${encodeURIComponent(name.replaceAll('/', '~1'))}` }]),
    ),
    $defs: Object.fromEntries(names.map((name) => [name, { const: name }])),
  })
  expect([...(value?.defs ?? [])].map(([name, schema]) => [name, schema])).toEqual([
    ['AB2', { const: 'a b' }],
    ['AB3', { const: 'a#b' }],
    ['AB', { const: 'AB' }],
    ['AB4', { const: 'A B' }],
    ['Root', { const: '%' }],
    ['日本', { const: '日本' }],
    ['Root2', { const: '*/' }],
  ])
})

it.each(['\ud800', 'a\udc00', 'a/b', '~', '__proto__', ''])(
  'refers to a definition named %j by a name that is safe',
  (name) => {
    const key = name.replaceAll('~', '~0').replaceAll('/', '~1')
    const $defs = Object.fromEntries([[name, { type: 'string' }]])
    const { value, diagnostics } = read({ type: 'object', properties: { a: { $ref: `#/$defs/${key}` } }, $defs })
    expect(diagnostics).toEqual([])
    const [[safe, definition] = []] = value?.defs ?? []
    expect(safe).toMatch(/^\w+$/)
    expect(definition).toEqual({ type: 'string' })
    expect(value?.root).toMatchObject({ properties: { a: { $ref: `#/$defs/${safe}` } } })
  },
)
