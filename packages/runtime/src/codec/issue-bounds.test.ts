import { describe, expect, it } from 'vitest'
import { isToolgenError } from '../is-toolgen-error.js'
import type { Issue } from '../types/codec.js'
import type { JsonSchema, JsonValue } from '../types/json.js'
import { payloadCodec } from './codecs.js'

function issuesOf(schema: JsonSchema, value: unknown): readonly Issue[] {
  const outcome = payloadCodec<unknown, unknown>({ schema }).decodeValue(value)
  return outcome.ok ? [] : outcome.issues
}

function codes(count: number, length: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => String(index).padStart(length, 'abcdefghij'))
}

function objectWith(names: readonly string[]): Record<string, JsonValue> {
  return Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
}

describe('many faults', () => {
  it.each<[string, JsonSchema, unknown, number]>([
    ['a long enum', { items: { enum: codes(6000, 8) } }, codes(500, 7), 400],
    ['an enum of long texts', { items: { enum: codes(1000, 40) } }, codes(3000, 39), 2900],
    ['unknown fields beside many', { properties: objectWith(codes(200, 30)) }, objectWith(codes(2000, 29)), 1900],
    [
      'a union',
      { items: { anyOf: codes(30, 5).map((name) => ({ properties: { [name]: {} }, required: [name, 'g'] })) } },
      codes(1000, 4).map(() => ({ g: 1 })),
      900,
    ],
  ])('take little CPU time and room, and none goes without being counted: %s', (_, schema, value, count) => {
    const started = process.cpuUsage()
    const issues = issuesOf(schema, value)
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(10_000)
    expect(issues).toHaveLength(101)
    expect(issues.at(-1)).toMatchObject({ constraint: 'more_issues', path: '', count })
    expect(JSON.stringify(issues).length).toBeLessThan(600_000)
  })

  it('are all listed up to a hundred, each once', () => {
    const items = { items: { type: 'string' } }
    const hundred = Array.from({ length: 100 }, () => 1)
    const issues = issuesOf({ allOf: [items, { ...items }] }, hundred)
    expect(issues.map((issue) => issue.path)).toEqual(hundred.map((_, index) => `/${index}`))
    expect(issuesOf(items, [...hundred, 1]).at(-1)?.message).toBe('There is 1 more issue.')
  })

  it('of one place are counted one by one', () => {
    const issues = issuesOf({ uniqueItems: true }, Array(5000).fill(1))
    expect(issues.at(-1)).toMatchObject({ constraint: 'more_issues', count: 4899 })
  })

  it('of the nearest variant are listed up to ten', () => {
    const fields = codes(30, 3)
    const variant = { properties: objectWith(fields), required: fields }
    const [issue] = issuesOf({ anyOf: [variant, { ...variant, minProperties: 2 }] }, {})
    const nearest = issue?.constraint === 'no_variant_matches' ? issue.nearest : []
    expect(nearest).toHaveLength(11)
    expect(nearest?.at(-1)).toMatchObject({ constraint: 'more_issues', count: 20 })
  })

  it('also in what encode throws', () => {
    try {
      payloadCodec<unknown, unknown>({ schema: { items: { type: 'string' } } }).encode(Array(150).fill(1))
      expect.unreachable()
    } catch (error) {
      expect(isToolgenError(error, 'CodecError') && error.issues.at(-1)).toMatchObject({
        constraint: 'more_issues',
        count: 50,
      })
    }
  })
})

describe('long lists of allowed values', () => {
  const many = codes(120, 8)

  it.each<[string, JsonSchema, unknown]>([
    ['an enum', { properties: { a: { enum: many } } }, { a: 'zzz' }],
    ['a missing field', { properties: { a: { enum: many } }, required: ['a'] }, {}],
    ['unknown fields', { properties: objectWith(many) }, { zzz: 1 }],
  ])('are cut to fifty, and it says how many more there are: %s', (_, schema, value) => {
    const [issue] = issuesOf(schema, value)
    expect(issue).toMatchObject({ allowed: many.slice(0, 50), more: 70 })
    expect(issue?.message).toContain('and 115 more')
  })

  it('of a discriminator and of variants are cut as well', () => {
    const variants = many.map((kind) => ({ properties: { kind: { const: kind } }, required: ['kind'] }))
    expect(issuesOf({ oneOf: variants }, { kind: 'zzz' })).toMatchObject([
      { more: 70, discriminator: { field: 'kind', allowed: many.slice(0, 50), more: 70 } },
    ])
  })

  it('still hold the nearest value', () => {
    const [issue] = issuesOf({ enum: many }, `${many[110]}x`)
    expect(issue).toMatchObject({ nearest: many[110], allowed: [many[110], ...many.slice(0, 49)], more: 70 })
  })

  it('list equal values once', () => {
    const [issue] = issuesOf({ enum: ['a', 'b', 'a', { x: 1 }, { x: 1 }] }, 'zzz')
    expect(issue).toMatchObject({ allowed: ['a', 'b', { x: 1 }] })
    expect(issue).not.toHaveProperty('more')
  })
})

describe('what an issue lists', () => {
  it('cannot be changed, so that later calls say the same; the schema stays free', () => {
    const schema = {
      properties: { a: { enum: ['x', { y: [1] }] }, b: { type: ['string', 'null'] } },
      required: ['a'],
    }
    const frozen: unknown[] = []
    for (const issue of [...issuesOf(schema, { a: 1, b: 1, c: 1 }), ...issuesOf(schema, {})]) {
      if ('allowed' in issue) frozen.push(issue.allowed, ...(issue.allowed ?? []))
      if (issue.constraint === 'invalid_type') frozen.push(issue.expected)
    }
    expect(frozen.length).toBeGreaterThan(6)
    expect(frozen.filter((list) => !Object.isFrozen(list))).toEqual([])
    expect(Object.isFrozen(schema.properties.a.enum[1])).toBe(false)
  })

  it('is data for a field that is missing', () => {
    const schema = { properties: { a: { enum: ['x', 'y'] }, b: { type: 'string' } }, required: ['a', 'b'] }
    expect(issuesOf(schema, {})).toEqual([
      expect.objectContaining({ field: 'a', expected: 'one of "x", "y"', allowed: ['x', 'y'] }),
      expect.not.objectContaining({ allowed: expect.anything() }),
    ])
  })
})

describe('a text with a format and a pattern', () => {
  const schema = { type: 'string', format: 'date', pattern: '^20' }

  it.each<[string, JsonSchema]>([
    ['in one schema', schema],
    ['the pattern first', { allOf: [{ pattern: '^20' }, { format: 'date' }] }],
    ['the format first', { allOf: [{ format: 'date' }, { pattern: '^20' }] }],
  ])('has one fault where the format is wrong (%s)', (_, given) => {
    expect(issuesOf(given, 'tomorrow').map((issue) => issue.constraint)).toEqual(['invalid_format'])
    expect(issuesOf(given, '1999-01-31').map((issue) => issue.constraint)).toEqual(['invalid_pattern'])
  })

  it('may follow another text of the same pattern', () => {
    expect(issuesOf({ items: schema }, ['x', '1999-01-31']).map(({ path, constraint }) => [path, constraint])).toEqual([
      ['/0', 'invalid_format'],
      ['/1', 'invalid_pattern'],
    ])
  })
})

describe('more issues than are counted', () => {
  const node: JsonSchema = {
    type: 'object',
    properties: { a: { type: 'string' }, kids: { type: 'array', items: { $ref: '#/$defs/Node' } } },
  }
  const tree: JsonSchema = { $defs: { Node: node }, items: { $ref: '#/$defs/Node' } }
  const nested = (depth: number, fault: object): object =>
    Array.from({ length: depth }).reduce<object>((inner) => ({ ...fault, kids: [inner] }), fault)

  it.each<[string, unknown]>([
    ['unknown fields, side by side', Array.from({ length: 200_000 }, () => ({ x: 1 }))],
    ['unknown fields, deep inside each other', Array.from({ length: 2000 }, () => nested(100, { x: 1 }))],
    ['wrong values, deep inside each other', Array.from({ length: 2000 }, () => nested(100, { a: 1 }))],
  ])('end the search, in little time and room: %s', (_, value) => {
    const codec = payloadCodec<unknown, unknown>({ schema: tree })
    const before = process.memoryUsage().heapUsed
    const started = process.cpuUsage().user
    for (const outcome of [codec.decodeValue(value), codec.decode(JSON.stringify(value))]) {
      const last = outcome.ok ? undefined : outcome.issues.at(-1)
      expect(last).toMatchObject({ constraint: 'more_issues', count: 10_000 })
      expect(last?.message).toBe('There are at least 10000 more issues.')
    }
    expect((process.cpuUsage().user - started) / 1e6).toBeLessThan(20)
    expect((process.memoryUsage().heapUsed - before) / 2 ** 20).toBeLessThan(1500)
  })

  it('do not hide one fault among very many parts that several schemas judge', () => {
    const joint: JsonSchema = { items: { allOf: [{ properties: { a: {} } }, { properties: { b: {} } }] } }
    const value = Array.from({ length: 30_000 }, (_, index) => (index === 29_999 ? { a: 1, x: 1 } : { a: 1, b: 2 }))
    expect(issuesOf(joint, value).map(({ path, constraint }) => [path, constraint])).toEqual([
      ['/29999/x', 'unknown_field'],
    ])
  })
})
