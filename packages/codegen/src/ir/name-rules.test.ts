import { describe, expect, it } from 'vitest'
import { compileDesign } from './compile-design.js'
import { agent, client, loaded, tool, toolset, use } from './design.fixture.js'
import { findings } from './diagnostics.fixture.js'

describe('rules of names and uses', () => {
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

  it('refuses tool names that clash within what an agent offers', () => {
    const offers = [toolset('a', { b_c: tool(), x: tool({ toolName: 'one' }) }), toolset('a_b', { c: tool() })]
    const { diagnostics } = compileDesign(loaded(offers, [agent('x', { exports: offers })]))
    expect(diagnostics).toMatchObject([
      { code: 'TG2021', location: { file: 'x/exports/1' }, next: expect.stringContaining("`toolName: 'a_b_c_2'`") },
    ])
    const twice = toolset('t', { a: tool({ toolName: 'one' }), b: tool({ toolName: 'one' }) })
    expect(findings(loaded([twice], [agent('x', { exports: [twice] })]))).toEqual(['TG2021 x/exports/0'])
    expect(findings(loaded([toolset('t')], [agent('x'), agent('y', { exports: [toolset('t')] })]))).toEqual([])
  })

  it('refuses a use that selects no tools', () => {
    const orders = toolset('orders')
    const api = client()
    const design = loaded([orders], [agent('x', { uses: [use(orders, { client: api, only: [] })] })], [api])
    expect(findings(design)).toEqual(['TG2024 x/uses/0/only'])
  })

  it('refuses tool names that are illegal or clash, and proposes one that is free', () => {
    const shop = client()
    const t = toolset('t', { a: tool(), b: tool(), c: tool() })
    const uses = [use(t, { client: shop, rename: { a: 'same', b: 'same', c: 'nö' } })]
    const { diagnostics } = compileDesign(loaded([t], [agent('x', { uses })], [shop]))
    expect(diagnostics).toMatchObject([
      { code: 'TG2020', location: { file: 'x/uses/0/rename/c' } },
      {
        code: 'TG2021',
        location: { file: 'x/uses/0/rename/b' },
        next: expect.stringContaining("'t_b'"),
        related: [{ location: { file: 'x/uses/0/rename/a' } }],
      },
    ])
    expect(findings(loaded([toolset('t', { a: tool({ toolName: '' }) })]))).toEqual(['TG2020 t/tools/a/toolName'])
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
