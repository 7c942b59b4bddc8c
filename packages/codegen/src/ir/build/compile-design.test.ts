import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { LoadedDesign } from '../../load/loaded-design.js'
import { compileDesign } from './compile-design.js'
import { agent, client, loaded, tool, toolset, use } from './design.fixture.js'

function findings(design: LoadedDesign): readonly string[] {
  return compileDesign(design).diagnostics.map(({ code, place }) => `${code} ${place?.file}`)
}

const payload = z.object({ orderId: z.string(), sessionId: z.string() })
const result = z.object({ id: z.string(), total: z.number() })

describe('the IR', () => {
  const orders = toolset('orders', {
    getOrder: tool({
      payload,
      result,
      serverOwned: { sessionId: 'sessionId' },
      examples: [{ orderId: 'A' }],
      callHint: '{{orderId}}',
      resultHint: '{{id}}',
      tags: ['read'],
      readOnly: true,
      confirmation: { prompt: 'Read {{orderId}}?', deniedResult: { id: '', total: 0 } },
      streaming: { updates: z.string() },
    }),
    cancel: tool({ wireName: 'cancel' }),
  })
  const shop = client()
  const support = agent('support', {
    uses: [
      use(orders, {
        client: shop,
        rename: { getOrder: 'find' },
        tools: { cancel: { method: 'stop', constants: { hard: true } } },
      }),
    ],
    exports: [orders],
    policy: { maxTurns: 3 },
  })
  const ir = compileDesign(loaded([orders], [support], [shop])).value

  it('tells what is sent from what the executor sees', () => {
    const getOrder = ir?.toolsets[0]?.tools[0]
    expect(getOrder?.arguments).toMatchObject({ properties: { orderId: {} }, required: ['orderId'] })
    expect(getOrder?.arguments).not.toHaveProperty('properties.sessionId')
    expect(getOrder?.payload).toHaveProperty('properties.sessionId')
    expect(getOrder?.serverOwned).toEqual([{ field: 'sessionId', from: 'sessionId', schema: { type: 'string' } }])
  })

  it('carries everything else a tool says', () => {
    expect(ir?.toolsets[0]?.tools[0]).toMatchObject({
      id: 'orders.getOrder',
      title: 'Get order',
      updates: { type: 'string' },
      examples: [{ orderId: 'A' }],
      callHint: '{{orderId}}',
      resultHint: '{{id}}',
      tags: ['read'],
      annotations: { readOnly: true },
      confirmation: { prompt: 'Read {{orderId}}?', deniedResult: { id: '', total: 0 } },
      wireName: 'orders_getOrder',
      needsCheck: false,
    })
  })

  it('binds the uses of an agent', () => {
    expect(ir?.agents[0]).toMatchObject({
      name: 'support',
      policy: { maxTurns: 3 },
      exports: [{ toolset: 'orders' }],
      uses: [
        {
          toolset: 'orders',
          as: 'orders',
          client: { module: 'clients.ts', path: ['client0'] },
          tools: [
            { tool: 'getOrder', wireName: 'find', method: 'getOrder', result: 'declared' },
            { tool: 'cancel', wireName: 'cancel', method: 'stop', constants: { hard: true } },
          ],
        },
      ],
    })
  })

  it('is plain JSON and the same each time', () => {
    expect(JSON.parse(JSON.stringify(ir))).toEqual(ir)
    expect(JSON.stringify(compileDesign(loaded([orders], [support], [shop])).value)).toBe(JSON.stringify(ir))
  })

  it('is sorted by name whatever the order of the modules', () => {
    const [b, a] = [toolset('b'), toolset('a')]
    const names = (design: LoadedDesign) => compileDesign(design).value?.toolsets.map(({ name }) => name)
    expect(names(loaded([b, a]))).toEqual(['a', 'b'])
    expect(names(loaded([a, b]))).toEqual(['a', 'b'])
  })

  it('names a use after `as`, in its wire names too', () => {
    const archive = client()
    const twice = agent('x', {
      uses: [use(toolset('t'), { client: archive }), use(toolset('t'), { client: archive, as: 'old' })],
    })
    const { value } = compileDesign(loaded([toolset('t')], [twice], [archive]))
    expect(value?.agents[0]?.uses.map(({ as, tools }) => [as, tools[0]?.wireName])).toEqual([
      ['t', 't_run'],
      ['old', 'old_run'],
    ])
  })
})

describe('the hash of a tool', () => {
  const hashOf = (parts: Parameters<typeof tool>[0]) =>
    compileDesign(loaded([toolset('t', { run: tool(parts) })])).value?.toolsets[0]?.tools[0]?.hash

  it('has 16 hexadecimal characters', () => {
    expect(hashOf({})).toMatch(/^[0-9a-f]{16}$/)
  })

  it('changes with everything that callers or models see', () => {
    const named = z.object({ a: z.string().meta({ id: 'A' }) })
    const renamed = z.object({ a: z.string().min(2).meta({ id: 'A' }) })
    const variants: Parameters<typeof tool>[0][] = [
      {},
      { description: 'Other.' },
      { title: 'Other' },
      { payload },
      { payload: named },
      { payload: renamed },
      { result },
      { tags: ['a'] },
      { readOnly: true },
      { wireName: 'other' },
      { callHint: 'x' },
      { confirmation: { prompt: 'x' } },
      { streaming: { updates: {} } },
      { payload, serverOwned: { sessionId: 'sessionId' } },
      { payload, serverOwned: { sessionId: 'runId' } },
      { payload, examples: [{ orderId: 'a', sessionId: 'b' }] },
    ]
    expect(new Set(variants.map(hashOf)).size).toBe(variants.length)
  })

  it('does not depend on other tools or on places', () => {
    const alone = hashOf({ payload })
    const beside = compileDesign(
      loaded([
        toolset('t', { a: tool({ payload: z.object({ x: z.string().meta({ id: 'X' }) }) }), run: tool({ payload }) }),
      ]),
    )
    expect(beside.value?.toolsets[0]?.tools[1]?.hash).toBe(alone)
  })
})

describe('rules', () => {
  it('collects the faults of all rules in one run', () => {
    const bad = toolset('t', {
      a: tool({ description: ' ' }),
      b: tool({ callHint: '{{x' }),
      c: tool({ payload: { type: 'strng' } }),
    })
    expect(findings(loaded([bad]))).toEqual([
      'TG3010 t/tools/c/payload/type',
      'TG2040 t/tools/a/description',
      'TG2042 t/tools/b/callHint=[0-2]',
    ])
  })

  it('gives no value with an error, and a value with a warning', () => {
    const { value, diagnostics } = compileDesign(
      loaded([toolset('t', { run: tool({ payload: { type: 'object', propertes: {} } }) })]),
    )
    expect(value).toBeDefined()
    expect(diagnostics).toMatchObject([{ code: 'TG3015', severity: 'warning' }])
  })

  it('refuses names used twice or empty, and empty toolsets', () => {
    expect(findings(loaded([toolset('t'), toolset('t')]))).toEqual(['TG2010 t'])
    expect(findings(loaded([toolset('t')], [agent('a'), agent('a')]))).toEqual(['TG2011 a'])
    expect(findings(loaded([toolset('a.b', { c: tool() }), toolset('a', { 'b.c': tool() })]))).toEqual([
      'TG2014 a/tools/b.c',
    ])
    expect(findings(loaded([toolset(' ', { '': tool() })]))).toEqual(['TG2006  ', 'TG2006  /tools/'])
    expect(findings(loaded([toolset('t', {})]))).toEqual(['TG2007 t'])
  })

  it('refuses two uses with one name and an export that is repeated', () => {
    const [shop, t, other] = [client(), toolset('t'), toolset('other')]
    const uses = [
      use(t, { client: shop }),
      use(t, { client: shop, rename: { run: 'r' } }),
      use(other, { client: shop, as: 't', rename: { run: 's' } }),
    ]
    expect(findings(loaded([t, other], [agent('a', { uses, exports: [t, t] })], [shop]))).toEqual([
      'TG2012 a/uses/1',
      'TG2012 a/uses/2',
      'TG2013 a/exports/1',
    ])
  })

  it('refuses wire names that clash within what an agent offers', () => {
    const offers = [toolset('a', { b_c: tool(), x: tool({ wireName: 'one' }) }), toolset('a_b', { c: tool() })]
    const { diagnostics } = compileDesign(loaded(offers, [agent('x', { exports: offers })]))
    expect(diagnostics).toMatchObject([
      { code: 'TG2021', place: { file: 'x/exports/1' }, next: expect.stringContaining("`wireName: 'a_b_c_2'`") },
    ])
    const twice = toolset('t', { a: tool({ wireName: 'one' }), b: tool({ wireName: 'one' }) })
    expect(findings(loaded([twice], [agent('x', { exports: [twice] })]))).toEqual(['TG2021 x/exports/0'])
    expect(findings(loaded([toolset('t')], [agent('x'), agent('y', { exports: [toolset('t')] })]))).toEqual([])
  })

  it('refuses a use that selects no tools', () => {
    const orders = toolset('orders')
    const api = client()
    const design = loaded([orders], [agent('x', { uses: [use(orders, { client: api, only: [] })] })], [api])
    expect(findings(design)).toEqual(['TG2024 x/uses/0/only'])
  })

  it('refuses wire names that are illegal or clash, and proposes one that is free', () => {
    const shop = client()
    const t = toolset('t', { a: tool(), b: tool(), c: tool() })
    const uses = [use(t, { client: shop, rename: { a: 'same', b: 'same', c: 'nö' } })]
    const { diagnostics } = compileDesign(loaded([t], [agent('x', { uses })], [shop]))
    expect(diagnostics).toMatchObject([
      { code: 'TG2020', place: { file: 'x/uses/0/rename/c' } },
      {
        code: 'TG2021',
        place: { file: 'x/uses/0/rename/b' },
        next: expect.stringContaining("'t_b'"),
        related: [{ place: { file: 'x/uses/0/rename/a' } }],
      },
    ])
    expect(findings(loaded([toolset('t', { a: tool({ wireName: '' }) })]))).toEqual(['TG2020 t/tools/a/wireName'])
  })

  it('refuses unknown tools in a use and warns of those left out', () => {
    const shop = client()
    const t = toolset('t', { getOrder: tool(), other: tool() })
    const uses = [use(t, { client: shop, only: ['getOrder', 'nope'], rename: { getOrdr: 'x' }, tools: { other: {} } })]
    const { diagnostics } = compileDesign(loaded([t], [agent('x', { uses })], [shop]))
    expect(diagnostics.map(({ code, severity, near }) => [code, severity, near])).toEqual([
      ['TG2022', 'error', undefined],
      ['TG2022', 'error', ['getOrder']],
      ['TG2023', 'warning', undefined],
    ])
  })

  it('refuses a client that is not exported', () => {
    const t = toolset('t')
    expect(findings(loaded([t], [agent('a', { uses: [use(t, { client: client() })] })]))).toEqual(['TG2060 a/uses/0'])
  })

  it('refuses server-owned fields that do not exist or come from nowhere', () => {
    const run = tool({
      payload,
      serverOwned: { sesionId: 'sessionId', orderId: 'sessionid' as 'sessionId', sessionId: 'labels.tenant' },
    })
    const { diagnostics } = compileDesign(loaded([toolset('t', { run })]))
    expect(diagnostics).toMatchObject([
      { code: 'TG2030', near: ['sessionId'], place: { file: 't/tools/run/serverOwned/sesionId' } },
      { code: 'TG2031', near: ['sessionId'], place: { file: 't/tools/run/serverOwned/orderId=' } },
    ])
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
      { code: 'TG2041', place: { file: 't/tools/run/resultHint=[0-11]' } },
      { code: 'TG2041', place: { file: 't/tools/run/confirmation/prompt=[0-8]' } },
    ])
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
    expect(diagnostics.map(({ code, place, message }) => [code, place?.file, message])).toEqual([
      ['TG3006', 't/tools/run/payload', expect.stringContaining('(a refinement of the whole object)')],
      [
        'TG2050',
        't/tools/run/examples/1',
        'Example 2 of `run` does not fit its schema: /from from must not be after to.',
      ],
    ])
  })

  it('asks for an example where a refinement refuses made-up values, and for none where there is one', () => {
    const odd = z.object({ n: z.int() }).refine(({ n }) => n % 2 === 1)
    const nextOf = (examples: readonly { n: number }[]) =>
      compileDesign(loaded([toolset('t', { run: tool({ payload: odd, examples }) })])).diagnostics[0]?.next
    expect(nextOf([])).toContain('Give the tool an example')
    expect(nextOf([{ n: 1 }])).not.toContain('example')
    expect(nextOf([{ n: 1 }])).toContain('Export the schema')
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
      'TG2050 Example 2 of `run` does not fit its schema: `orderId` is missing.',
      'TG2050 Example 3 of `run` does not fit its schema: /orderId must be string.',
      'TG2050 Example 4 of `run` does not fit its schema: the field `sessionId` is server-owned, nobody sends it.',
      'TG2050 Example 5 of `run` does not fit its schema: there is no field `nope`.',
      'TG2050 Example 6 of `run` does not fit its schema: An instance of Date at /orderId is no JSON.',
      'TG2051 The denied result of `run` does not fit its schema: `total` is missing.',
    ])
  })

  it('refuses defaults that their own schema would refuse, wherever they stand', () => {
    const wrong = { type: 'object', properties: { limit: { type: 'integer', minimum: 1, default: 0 } } }
    const { diagnostics } = compileDesign(loaded([toolset('t', { run: tool({ payload: wrong }) })]))
    expect(diagnostics.map(({ code, place, message }) => `${code} ${place?.file}: ${message}`)).toEqual([
      'TG3016 t/tools/run/payload/properties/limit/default: `run`, payload: The default at /properties/limit does not fit its own schema: must be >= 1.',
    ])
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
      '`run`, payload: No value fits the schema: the required field `a.b` allows no value. Allow a value; for a tool without arguments give an object without fields.',
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

  it('refuses values that are not what their types say', () => {
    const broken = (parts: object) => loaded([{ ...toolset('t'), ...parts }])
    expect(findings(broken({ description: 1 }))).toEqual(['TG2005 t/description'])
    expect(findings(broken({ tools: { a: { description: 'no brand' } } }))).toEqual(['TG2005 t/tools/a/~toolgen'])
    const use = { '~toolgen': 'use', provider: 'service', toolset: null, client: {} }
    const misused = Object.assign(agent('a'), { uses: [use, 1] })
    expect(findings(loaded([], [misused]))).toEqual([
      'TG2005 a/uses/0/toolset',
      'TG2005 a/uses/0/client',
      'TG2005 a/uses/1',
    ])
  })
})

it('compiles designs with any names', () => {
  const hostile = fc
    .oneof(
      fc.constantFrom('__proto__', 'constructor', 'class', '*/', '`${x}`', '\u2028', 'ß', '日本', 'a.b', "'", '\\'),
      fc.string({ minLength: 1, unit: 'grapheme' }),
    )
    .filter((name) => name.trim() !== '')
  fc.assert(
    fc.property(hostile, fc.uniqueArray(hostile, { minLength: 1, maxLength: 3 }), hostile, (name, tools, field) => {
      const schema = {
        type: 'object',
        properties: Object.fromEntries([[field, { $ref: '#/$defs/x' }]]),
        required: [field],
        $defs: { x: { type: 'string' } },
      }
      const one = tool({ payload: schema, result: schema, examples: [Object.fromEntries([[field, 'a']])] })
      const { value, diagnostics } = compileDesign(
        loaded([toolset(name, Object.fromEntries(tools.map((key) => [key, one])))], [agent(name)]),
      )
      expect(diagnostics).toEqual([])
      expect(value?.toolsets[0]?.tools.map((built) => built.name)).toEqual(
        Object.keys(Object.fromEntries(tools.map((key) => [key, 1]))),
      )
      expect(JSON.parse(JSON.stringify(value))).toEqual(value)
    }),
    { numRuns: 40 },
  )
})
