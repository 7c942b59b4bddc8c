import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../packages/codegen/src/schema/json-schema.js'
import { payloadCodec } from '../../packages/runtime/src/codec/codecs.js'
import * as is from '../../packages/runtime/src/codec/generated-is.js'
import { codecPair } from './differential/compiled-codecs.js'

describe('defect 7: patterns on texts that keep a backtracking engine busy', () => {
  it('end by every way that a pattern comes to a codec', () => {
    const script = fileURLToPath(new URL('./time-bounds.fixture.mjs', import.meta.url))
    // Each of them would take longer than the age of the universe; all together take milliseconds.
    const { stdout, stderr, signal } = spawnSync(process.execPath, [script], { encoding: 'utf8', timeout: 120_000 })
    expect([signal, stderr]).toEqual([null, ''])
    expect(JSON.parse(stdout)).toEqual({
      'pattern of a payload': 'invalid_pattern',
      'pattern of a result': 'invalid_pattern',
      'patternProperties of a payload': 'unknown_field',
      'patternProperties of a result': 'unknown_field',
      'propertyNames of a payload': 'invalid_pattern',
      'propertyNames of a result': 'invalid_pattern',
      'a variant of a payload': 'invalid_pattern',
      'a variant of a result': 'invalid_pattern',
      'a condition of a payload': 'not_allowed',
      'a condition of a result': 'not_allowed',
      'a generated check': false,
      'a hand-written tool': 'invalid_arguments',
    })
  })

  it('defect 7: are compiled with little work, and so are patterns with large counts or many optional parts', () => {
    const script = fileURLToPath(new URL('./pattern-work.fixture.mjs', import.meta.url))
    const { stdout, stderr, signal } = spawnSync(process.execPath, ['--max-old-space-size=256', script], {
      encoding: 'utf8',
      timeout: 120_000,
    })
    expect([signal, stderr]).toEqual([null, ''])
    expect(JSON.parse(stdout)).toEqual({
      'optional parts': ['accepted', 'invalid_pattern'],
      'optional repetitions': ['accepted', 'invalid_pattern'],
      'many optional parts': ['accepted', 'invalid_pattern'],
      'nested repetitions': ['accepted', 'invalid_pattern'],
      'nested counts of nothing': ['accepted', 'accepted'],
      'a large count of nothing': ['accepted', 'accepted'],
      'a large count of nothing for an automaton': ['accepted', 'invalid_pattern'],
      'nested counts of what may not occur': ['accepted', 'invalid_pattern'],
      'optional nothing': ['accepted', 'invalid_pattern'],
      'a count of 400 digits': 'a pattern with a count of more than 9007199254740991 cannot be matched in linear time',
      'a count of 400 digits for a character':
        'a pattern with a count of more than 9007199254740991 cannot be matched in linear time',
      'nested counts of assertions':
        'a pattern with counts that need more than 5000 states cannot be matched in linear time',
    })
  })

  it.each([
    ['a text', { type: 'string', pattern: '^(a+)+$' }],
    [
      'names of fields',
      { type: 'object', patternProperties: { '^(a+)+$': { type: 'integer' } }, additionalProperties: false },
    ],
    ['a rule for names', { type: 'object', propertyNames: { type: 'string', pattern: '^(a+)+$' } }],
  ])('generated code leaves it to the runtime how %s is matched', (_, schema) => {
    const { text, compiled } = codecPair({ schema, defs: {} }, 'reject')
    expect(compiled).toBeDefined()
    expect(text).toContain("is.pattern('^(a+)+$')")
    expect(text).not.toContain('/^(a+)+$/')
  })

  it('a schema with a pattern that nothing matches in linear time is faulty, with its place', () => {
    const codec = payloadCodec({
      schema: { type: 'object', properties: { tag: { type: 'string', pattern: '^(a|b)\\1$' } } },
    })
    expect(() => codec.decode('{"tag":"aa"}')).toThrow(
      'Schema at /properties/tag/pattern: a pattern with a back reference cannot be matched in linear time. ' +
        'Rewrite "^(a|b)\\\\1$", or check the value in the tool.',
    )
    // Loading generated code does not fail, and nothing is accepted unseen.
    expect(() => is.pattern('^(a|b)\\1$').test('aa')).toThrow('a pattern with a back reference')
  })
})

describe('defect 7: literals', () => {
  const count = 3000
  const literal = (index: number) => ({ id: index, tags: ['a', { deep: index % 7 }] as const })
  type Literal = ReturnType<typeof literal>

  /** Objects that count how often a field of theirs is read. */
  function counted() {
    const reads = { count: 0 }
    const watched = <Value extends object>(value: Value): Value =>
      new Proxy(value, {
        get: (target, key) => {
          reads.count += 1
          const part: unknown = Reflect.get(target, key)
          return typeof part === 'object' && part !== null ? watched(part) : part
        },
        ownKeys: (target) => {
          reads.count += 1
          return Reflect.ownKeys(target)
        },
      })
    return { reads, values: Array.from({ length: count }, (_, index) => watched(literal(index))) }
  }
  const items = (from: number, to: number): string =>
    JSON.stringify(Array.from({ length: to - from }, (_, index) => literal(from + index)))

  it.each([
    ['an enum', (values: readonly Literal[]) => ({ items: { enum: values } })],
    ['constants', (values: readonly Literal[]) => ({ items: { anyOf: values.map((value) => ({ const: value })) } })],
    [
      'exclusive constants',
      (values: readonly Literal[]) => ({ items: { oneOf: values.map((value) => ({ const: value })) } }),
    ],
  ])('%s of many objects: a lookup reads no more of them than one', (_, schemaOf) => {
    const { reads, values } = counted()
    const codec = payloadCodec({ schema: schemaOf(values), unknown: 'keep' })
    expect(codec.decode('[]').ok).toBe(true)
    reads.count = 0
    expect(codec.decode(items(count - 500, count)).ok).toBe(true)
    const hits = reads.count
    // One literal has 4 objects and 7 fields.
    expect(hits).toBeLessThan(500 * 60)
    reads.count = 0
    expect(codec.decode(items(count, count + 20)).ok).toBe(false)
    expect(reads.count).toBeLessThan(20 * 60)
  })

  it('generated code looks many objects up', () => {
    const { text, compiled } = codecPair(
      { schema: { type: 'array', items: { enum: counted().values.map((_, index) => literal(index)) } }, defs: {} },
      'reject',
    )
    expect(text).toContain('is.literals([')
    expect(text).not.toContain('is.equal(')
    expect(compiled?.decode(items(0, 50)).ok).toBe(true)
    expect(compiled?.decode(items(count - 1, count + 1)).ok).toBe(false)
    const { reads, values } = counted()
    const set = is.literals(values)
    reads.count = 0
    for (let index = count - 500; index < count + 500; index++) expect(set.has(literal(index))).toBe(index < count)
    expect(reads.count).toBeLessThan(500 * 60)
  })

  it('are equal as JSON sees it', () => {
    const filler = Array.from({ length: 20 }, (_, index) => ({ filler: index }))
    const values: readonly Json[] = [{ a: 1, b: [0, -0.5] }, [1, '1'], 0, 'x', null, { a: 'A', toString: 1 }]
    const accepted = [
      '{"b":[-0,-5e-1],"a":1.0}',
      '[1e0,"1"]',
      '-0',
      '"x"',
      'null',
      '{"toString":1,"a":"A"}',
      '{"filler":1}',
    ]
    const refused = [
      '{"a":1}',
      '{"a":1,"b":[0,-0.5],"c":1}',
      '["1",1]',
      '"0"',
      'false',
      '{}',
      '[]',
      '{"a":"a","toString":1}',
    ]
    for (const schema of [
      { enum: [...values, ...filler] },
      { anyOf: [...values, ...filler].map((value) => ({ const: value })) },
    ]) {
      const { compiled, interpreted } = codecPair({ schema, defs: {} }, 'keep')
      for (const codec of [compiled, interpreted].filter((each) => each !== undefined)) {
        expect(accepted.filter((text) => !codec.decode(text).ok)).toEqual([])
        expect(refused.filter((text) => codec.decode(text).ok)).toEqual([])
      }
    }
  })

  it('that repeat are found among many items by their canonical text', () => {
    const codec = payloadCodec({ schema: { uniqueItems: true } })
    const distinct = Array.from({ length: 5000 }, (_, index) => literal(index))
    expect(codec.decode(JSON.stringify(distinct)).ok).toBe(true)
    const { tags, id } = literal(17)
    expect(codec.decode(JSON.stringify([...distinct, { tags, id }]))).toMatchObject({
      issues: [{ constraint: 'not_unique', first: 17, second: 5000 }],
    })
  })
})
