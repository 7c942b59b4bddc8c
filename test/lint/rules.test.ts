import { describe, expect, it } from 'vitest'
import { catalogue } from '../../packages/codegen/src/cli/catalogue.js'
import { ruleExamples, rules } from '../../packages/codegen/src/lint/lint-design.js'
import { lintText } from './example-design.fixture.js'

describe('a rule of lint', () => {
  it.each(rules.map((rule) => [rule.id, rule] as const))('%s finds what its example shows', (id, { code }) => {
    const found = lintText(ruleExamples(id).bad).diagnostics.filter((diagnostic) => diagnostic.code === code)
    expect(found).toMatchObject([{ severity: 'warning', location: { line: 1 } }])
    expect(found[0]?.message).toContain(`(${id})`)
  })

  it.each(rules.map((rule) => [rule.id, rule] as const))('%s and all others find nothing in what it advises', (id) => {
    expect(lintText(ruleExamples(id).good).diagnostics).toEqual([])
  })

  it('reports rules of a schema that neither a keyword nor a description states for Gemini', () => {
    const countries = Array.from({ length: 60 }, (_, index) => `land${index}`).join('|')
    const tool = (pattern: string): string => `findOrders: defineTool({
      description: 'Orders of one country, newest first.',
      payload: z.object({ country: z.string().regex(/^(${pattern})$/).describe('Country of the delivery address') }),
      result: z.object({ orders: z.array(z.object({ orderId: z.string() })).max(20) }),
    })`
    const found = lintText(tool(countries), { only: ['gemini-form'] }).diagnostics
    expect(found).toMatchObject([{ code: 'TG8332' }])
    expect(found[0]?.message).toContain(
      'Gemini does not receive the whole schema of `orders_findOrders`: Gemini does not support this `pattern`.',
    )
    expect(lintText(tool('land1|land2'), { only: ['gemini-form'] }).diagnostics).toEqual([])
  })

  it('has an id and a code of its own, and is explained', () => {
    expect(rules.length).toBeGreaterThanOrEqual(15)
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length)
    expect(rules.map(({ code }) => code)).toEqual([...new Set(rules.map(({ code }) => code))].sort())
    for (const { id, code } of rules) {
      expect(id).toMatch(/^[a-z]+(?:-[a-z]+)*$/)
      expect(Object.keys(catalogue)).toContain(code)
    }
  })
})
