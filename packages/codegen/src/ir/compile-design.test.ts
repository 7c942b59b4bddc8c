import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { LoadedDesign } from '../load/load-design.js'
import { compileDesign } from './compile-design.js'
import { agent, client, loaded, tool, toolset, use } from './design.fixture.js'

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
    cancel: tool({ toolName: 'cancel' }),
  })
  const shop = client()
  const support = agent('support', {
    uses: [
      use(orders, {
        client: shop,
        rename: { getOrder: 'find' },
        tools: { getOrder: { collect: 'last' }, cancel: { method: 'stop', constants: { hard: true } } },
      }),
    ],
    exports: [orders],
    policy: { maxTurns: 3 },
  })
  const ir = compileDesign(loaded([orders], [support], [shop])).value

  it('distinguishes sent values from those that the executor receives', () => {
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
      toolName: 'orders_getOrder',
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
            { tool: 'getOrder', toolName: 'find', method: 'getOrder', result: { checked: false }, collect: 'last' },
            { tool: 'cancel', toolName: 'cancel', method: 'stop', constants: { hard: true } },
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

  it('names a use after `as`, in its tool names too', () => {
    const archive = client()
    const twice = agent('x', {
      uses: [use(toolset('t'), { client: archive }), use(toolset('t'), { client: archive, as: 'old' })],
    })
    const { value } = compileDesign(loaded([toolset('t')], [twice], [archive]))
    expect(value?.agents[0]?.uses.map(({ as, tools }) => [as, tools[0]?.toolName])).toEqual([
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
      { toolName: 'other' },
      { callHint: 'x' },
      { confirmation: { prompt: 'x' } },
      { streaming: { updates: {} } },
      { payload, serverOwned: { sessionId: 'sessionId' } },
      { payload, serverOwned: { sessionId: 'runId' } },
      { payload, examples: [{ orderId: 'a', sessionId: 'b' }] },
    ]
    expect(new Set(variants.map(hashOf)).size).toBe(variants.length)
    expect(hashOf({ meta: { synonyms: ['a'] } })).toBe(hashOf({}))
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
