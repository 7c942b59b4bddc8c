import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { compileDesign } from './compile-design.js'
import { loaded, tool, toolset } from './design.fixture.js'

const hidden = { events: 'omit', telemetry: 'omit', recording: 'omit' } as const

function compiled(definition: Parameters<typeof tool>[0]) {
  const { value: design, diagnostics } = compileDesign(loaded([toolset('t', { run: tool(definition) })]))
  return { sensitive: design?.toolsets[0]?.tools[0]?.sensitive, toolset: design?.toolsets[0], diagnostics }
}

describe('sensitive fields of a design', () => {
  it('come from the metadata of schemas, also in arrays, unions and shared definitions', () => {
    const email = z.string().meta({ 'x-sensitive': ['model', 'events'] })
    const person = z.object({ email, phones: z.array(z.string().meta({ 'x-sensitive': true })) }).meta({ id: 'Person' })
    const { sensitive, toolset, diagnostics } = compiled({
      payload: z.object({
        to: email.optional(),
        secret: z.string().meta({ 'x-sensitive': ['recording'] }),
        s: z.string(),
      }),
      result: z.object({
        owner: person,
        others: z.array(person),
        pay: z.union([z.object({ iban: z.string().meta({ 'x-sensitive': { model: 'omit' } }) }), z.null()]),
        byName: z.record(z.string(), email),
      }),
      serverOwned: { s: 'sessionId' },
    })
    expect(diagnostics).toEqual([])
    expect(sensitive).toEqual({
      payload: { '/secret': { recording: 'omit' }, '/to': { model: 'pseudonym', events: 'omit' } },
      result: {
        '/byName/*': { model: 'pseudonym', events: 'omit' },
        '/others/*/email': { model: 'pseudonym', events: 'omit' },
        '/others/*/phones/*': hidden,
        '/owner/email': { model: 'pseudonym', events: 'omit' },
        '/owner/phones/*': hidden,
        '/pay/iban': { model: 'omit' },
      },
    })
    expect(JSON.stringify([toolset?.defs, toolset?.tools[0]?.arguments, toolset?.tools[0]?.result])).not.toContain(
      'x-sensitive',
    )
  })

  it('of a recursive definition are at any depth', () => {
    const { sensitive } = compiled({
      result: {
        type: 'object',
        properties: { root: { $ref: '#/$defs/Node' } },
        $defs: {
          Node: {
            type: 'object',
            properties: {
              name: { type: 'string', 'x-sensitive': ['events'] },
              children: { type: 'array', items: { $ref: '#/$defs/Node' } },
            },
          },
        },
      },
    })
    expect(sensitive?.result).toEqual({ '/root/**/name': { events: 'omit' }, '/root/name': { events: 'omit' } })
  })

  it('can be named by their paths, and the stricter treatment applies', () => {
    const { sensitive, diagnostics } = compiled({
      result: z.object({
        lines: z.array(z.object({ note: z.string() })),
        id: z.string().meta({ 'x-sensitive': { events: 'pseudonym' } }),
      }),
      sensitive: { result: { '/lines/*/note': ['events'], '/id': ['events'] } },
    })
    expect(diagnostics).toEqual([])
    expect(sensitive?.result).toEqual({ '/id': { events: 'omit' }, '/lines/*/note': { events: 'omit' } })
  })

  it('reports paths that lead to no field, and marks that are invalid', () => {
    const { diagnostics } = compiled({
      result: z.object({ lines: z.array(z.object({ note: z.string().meta({ 'x-sensitive': ['logs'] }) })) }),
      sensitive: { result: { '/lines/note': ['events'] }, updates: { '/x': ['events'] } },
    })
    expect(diagnostics).toMatchObject([
      { code: 'TG3039', message: expect.stringContaining('`/lines/*/note` is ["logs"]') },
      { code: 'TG2056', location: { file: 't/tools/run/sensitive/result//lines/note' } },
      { code: 'TG2056', message: '`run` has no updates, but `sensitive.updates` names `/x`.' },
    ])
  })
})
