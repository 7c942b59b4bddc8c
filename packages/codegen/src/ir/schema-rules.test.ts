import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { compileDesign } from './compile-design.js'
import { loaded, tool, toolset } from './design.fixture.js'
import { findings } from './diagnostics.fixture.js'

const payload = z.object({ orderId: z.string(), sessionId: z.string() })
const result = z.object({ id: z.string(), total: z.number() })

describe('rules of schemas, examples and hints', () => {
  it('refuses server-owned fields that do not exist or come from nowhere', () => {
    const run = tool({
      payload,
      serverOwned: { sesionId: 'sessionId', orderId: 'sessionid' as 'sessionId', sessionId: 'labels.tenant' },
    })
    const { diagnostics } = compileDesign(loaded([toolset('t', { run })]))
    expect(diagnostics).toMatchObject([
      { code: 'TG2030', near: ['sessionId'], location: { file: 't/tools/run/serverOwned/sesionId' } },
      { code: 'TG2031', near: ['sessionId'], location: { file: 't/tools/run/serverOwned/orderId=' } },
    ])
  })

  it('refuses server-owned fields that accept no string, because metadata contain only strings', () => {
    const fields = {
      count: z.int(),
      isDebug: z.boolean().optional(),
      tags: z.array(z.string()),
      level: z.union([z.literal(1), z.literal(2)]),
      region: z.enum(['eu', 'us']),
      either: z.union([z.string(), z.number()]),
      since: z.date(),
      amount: z.bigint(),
      anything: z.unknown(),
    }
    const serverOwned = Object.fromEntries(Object.keys(fields).map((name) => [name, `labels.${name}` as const]))
    const { diagnostics } = compileDesign(
      loaded([toolset('t', { run: tool({ payload: z.object(fields), serverOwned }) })]),
    )
    expect(diagnostics.map(({ code, location }) => `${code} ${location?.file}`)).toEqual(
      ['count', 'isDebug', 'tags', 'level'].map((name) => `TG2032 t/tools/run/serverOwned/${name}`),
    )
  })

  it('refuses hints and prompts that name unknown fields', () => {
    const run = tool({
      payload,
      result,
      callHint: '{{ordrId}}',
      resultHint: '{{orderId}}',
      confirmation: { prompt: '{{id.x}}' },
    })
    expect(compileDesign(loaded([toolset('t', { run })])).diagnostics).toMatchObject([
      { code: 'TG2041', near: ['orderId'] },
      { code: 'TG2041', location: { file: 't/tools/run/resultHint=[0-11]' } },
      { code: 'TG2041', location: { file: 't/tools/run/confirmation/prompt=[0-8]' } },
    ])
  })

  it('keeps the condition of a confirmation, without rejecting the other fields', () => {
    const when = z.object({ orderId: z.string().startsWith('A') })
    const run = tool({ payload, result, confirmation: { prompt: 'Sure?', when } })
    const { value, diagnostics } = compileDesign(loaded([toolset('t', { run })]))
    expect(diagnostics).toEqual([])
    expect(value?.toolsets[0]?.tools[0]?.confirmation).toEqual({
      prompt: 'Sure?',
      when: { type: 'object', properties: { orderId: { type: 'string', pattern: '^A' } }, required: ['orderId'] },
    })
  })

  it.each([
    ['an unknown field', z.object({ ordrId: z.string() }), 'names the field `ordrId`', ['orderId']],
    ['a server-owned field', z.object({ sessionId: z.string() }), 'names the field `sessionId`', undefined],
    [
      'an unknown field in a variant',
      z.union([z.object({ orderId: z.string() }), z.object({ id: z.string() })]),
      '`id`',
      undefined,
    ],
    ['a check in code', z.object({ orderId: z.string().refine((id) => id !== '') }), 'has checks', undefined],
    ['no object', z.string(), 'is not a schema of objects', undefined],
    ['no condition', {}, 'is not a schema of objects', undefined],
  ])('refuses a condition of a confirmation with %s', (_, when, told, near) => {
    const run = tool({
      payload,
      result,
      serverOwned: { sessionId: 'sessionId' },
      confirmation: { prompt: 'Sure?', when },
    })
    const { diagnostics } = compileDesign(loaded([toolset('t', { run })]))
    expect(diagnostics).toMatchObject([
      { code: 'TG2055', location: { file: 't/tools/run/confirmation/when' }, message: expect.stringContaining(told) },
    ])
    expect(diagnostics[0]?.near).toEqual(near)
  })

  it('refuses examples that break a refinement of the schema, with the message of its library', () => {
    const range = z
      .object({ from: z.number(), to: z.number(), sessionId: z.uuid() })
      .refine(({ from, to }) => from <= to, { message: 'from must not be after to', path: ['from'] })
    const run = tool({
      payload: range,
      serverOwned: { sessionId: 'sessionId' },
      examples: [
        { from: 1, to: 2 },
        { from: 3, to: 2 },
      ],
    })
    const { diagnostics } = compileDesign(loaded([toolset('t', { run })]))
    expect(diagnostics.map(({ code, location, message }) => [code, location?.file, message])).toEqual([
      ['TG3006', 't/tools/run/payload', expect.stringContaining('(a refinement of the whole object)')],
      [
        'TG2050',
        't/tools/run/examples/1',
        'Example 2 of `run` does not match its schema: /from: from must not be after to.',
      ],
    ])
  })

  it('asks for an example where a refinement refuses made-up values, and for none where there is one', () => {
    const odd = z.object({ n: z.int() }).refine(({ n }) => n % 2 === 1)
    const nextOf = (examples: readonly { n: number }[]) =>
      compileDesign(loaded([toolset('t', { run: tool({ payload: odd, examples }) })])).diagnostics[0]?.next
    expect(nextOf([])).toContain('Add an example')
    expect(nextOf([{ n: 1 }])).not.toContain('example')
    expect(nextOf([{ n: 1 }])).toContain('Export the payload schema')
  })

  it('does not wait for refinements that are asynchronous, nor judge by what a server-owned field lacks', () => {
    const slow = z.object({ a: z.string() }).refine(async () => false)
    const owned = z.object({ a: z.string(), sessionId: z.string().refine(() => false) })
    const tools = {
      slow: tool({ payload: slow, examples: [{ a: 'x' }] }),
      owned: tool({ payload: owned, serverOwned: { sessionId: 'sessionId' }, examples: [{ a: 'x' }] }),
    }
    expect(findings(loaded([toolset('t', tools)])).filter((finding) => !finding.startsWith('TG3006'))).toEqual([])
  })

  it('says nothing of examples where a server-owned field is misspelt', () => {
    const run = tool({ payload, serverOwned: { sesionId: 'sessionId' }, examples: [{ orderId: 'a' }] })
    expect(findings(loaded([toolset('t', { run })]))).toEqual(['TG2030 t/tools/run/serverOwned/sesionId'])
  })

  it('refuses an example and a default that do not match a pattern with nested repetitions', () => {
    const slow = `${'a'.repeat(40)}!`
    const run = tool({
      payload: { type: 'object', properties: { id: { type: 'string', pattern: '^(a+)+$', default: slow } } },
      examples: [{ id: slow }],
    })
    const { diagnostics } = compileDesign(loaded([toolset('t', { run })]))
    expect(
      diagnostics.filter(({ severity }) => severity === 'error').map(({ code, message }) => [code, message]),
    ).toEqual([
      ['TG3016', expect.stringContaining('does not match the pattern')],
      ['TG2050', expect.stringContaining('does not match the pattern')],
    ])
  })

  it('refuses examples and denied results that do not fit', () => {
    const run = tool({
      payload,
      result,
      serverOwned: { sessionId: 'sessionId' },
      examples: [
        { orderId: 'a' },
        {},
        { orderId: 1 },
        { orderId: 'a', sessionId: 'b' },
        { orderId: 'a', nope: 1 },
        { orderId: new Date(0) },
      ],
      confirmation: { prompt: 'Sure?', deniedResult: { id: 'a' } },
    })
    const { diagnostics } = compileDesign(loaded([toolset('t', { run })]))
    expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'TG2050 Example 2 of `run` does not match its schema: /orderId: The required field "orderId" is missing; expected a string.',
      'TG2050 Example 3 of `run` does not match its schema: /orderId: Expected a string but got a number.',
      'TG2050 Example 4 of `run` does not match its schema: the field `sessionId` is server-owned and must not be in an example.',
      'TG2050 Example 5 of `run` does not match its schema: /nope: Unknown field "nope"; allowed fields: "orderId".',
      'TG2050 Example 6 of `run` does not match its schema: An instance of Date at /orderId is not JSON.',
      'TG2051 The denied result of `run` does not match its schema: /total: The required field "total" is missing; expected a number.',
    ])
  })

  it('refuses defaults that their own schema would refuse, wherever they stand', () => {
    const wrong = { type: 'object', properties: { limit: { type: 'integer', minimum: 1, default: 0 } } }
    const { diagnostics } = compileDesign(loaded([toolset('t', { run: tool({ payload: wrong }) })]))
    expect(diagnostics.map(({ code, location, message }) => `${code} ${location?.file}: ${message}`)).toEqual([
      'TG3016 t/tools/run/payload/properties/limit/default: `run`, payload: The default at /properties/limit does not match its own schema: 0 is out of range; it must be at least 1.',
    ])
    const bigint = z.object({ limit: z.bigint().default(10 as never) })
    expect(compileDesign(loaded([toolset('t', { run: tool({ payload: bigint }) })])).diagnostics[0]?.message).toBe(
      '`run`, payload: The default at /properties/limit is 10, but the schema expects the JavaScript type bigint.',
    )
    const design = (schema: object) => loaded([toolset('t', { run: tool({ payload: schema, result: schema }) })])
    expect(findings(design(z.object({ a: z.object({ b: z.string().min(2).default('x') }).optional() })))).toEqual([
      'TG3016 t/tools/run/payload/properties/a/properties/b/default',
      'TG3016 t/tools/run/result/properties/a/properties/b/default',
    ])
    expect(findings(design(z.object({ a: z.object({ b: z.string() }).default({ b: 'x' }) })))).toEqual([])
    const named = z.object({ to: z.object({ zip: z.string().length(4).default('1') }).meta({ id: 'Address' }) })
    expect(findings(loaded([toolset('t', { run: tool({ payload: named }) })]))).toEqual(['TG3016 t'])
  })

  it('refuses payloads that are no objects, and empty ones', () => {
    const design = (schema: object) => loaded([toolset('t', { run: tool({ payload: schema }) })])
    expect(findings(design(z.string()))).toEqual(['TG3013 t/tools/run/payload'])
    expect(findings(design(z.union([z.object({}), z.null()])))).toEqual(['TG3013 t/tools/run/payload'])
    expect(findings(design({}))).toEqual(['TG3003 t/tools/run/payload'])
    expect(findings(design(z.any()))).toEqual(['TG3003 t/tools/run/payload'])
    expect(findings(design(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])))).toEqual([])
  })

  it('refuses schemas that no value fits', () => {
    const of = (schemas: object) => loaded([toolset('t', { run: tool(schemas) })])
    expect(findings(of({ result: false }))).toEqual(['TG3017 t/tools/run/result'])
    expect(findings(of({ payload: false }))).toEqual(['TG3017 t/tools/run/payload'])
    expect(findings(of({ result: { enum: [] } }))).toEqual(['TG3017 t/tools/run/result'])
    const { diagnostics } = compileDesign(of({ payload: z.object({ a: z.object({ b: z.never() }) }) }))
    expect(diagnostics.map(({ message, next }) => `${message} ${next}`)).toEqual([
      '`run`, payload: The schema accepts no value: the required field `a.b` accepts no value. Change the schema. For a tool without arguments, use an object without fields.',
    ])
    expect(findings(of({ payload: z.object({ a: z.never().optional() }) }))).toEqual([])
  })

  it('asks for a check where a payload refines, and warns of refinements of results', () => {
    const refined = z.object({ a: z.string().refine(Boolean) })
    const { value, diagnostics } = compileDesign(
      loaded([toolset('t', { run: tool({ payload: refined, result: refined }) })]),
    )
    expect(value?.toolsets[0]?.tools[0]?.needsCheck).toBe(true)
    expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([
      ['TG3006', 'note'],
      ['TG3007', 'warning'],
    ])
  })
})
