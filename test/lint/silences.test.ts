import { describe, expect, it } from 'vitest'
import { compiledText, lintText } from './example-design.fixture.js'

/** A tool that `unconfirmed-mutation` finds. */
const erase = (lint = ''): string => `eraseOrder: defineTool({
  description: 'Takes an order out of all records.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ erased: z.boolean() }),
  ${lint}
})`

const toolset = (lint = '', ofTool = ''): string =>
  `export const orders = defineToolset('orders', { description: 'Orders.', tools: { ${erase(ofTool)} }, ${lint} })`

const agent = (name: string, lint = ''): string =>
  `export const ${name} = defineAgent('${name}', { description: 'Helps.', uses: [fromMcp(orders)], ${lint} })`

const silence = "lint: { 'unconfirmed-mutation': 'the shop keeps copies' }"
const codes = (text: string): readonly string[] => lintText(text).diagnostics.map(({ code }) => code)

describe('a rule that does not count', () => {
  it.each([
    ['for a tool', toolset('', silence)],
    ['for a toolset', toolset(silence)],
    ['for the only agent that uses the tool', `${toolset()}\n${agent('clerk', silence)}`],
  ])('%s finds nothing there, and the report has the reason', (_, text) => {
    const { diagnostics, suppressed, counts } = lintText(text)
    expect(diagnostics).toEqual([])
    expect(suppressed).toMatchObject([{ rule: 'unconfirmed-mutation', reason: 'the shop keeps copies' }])
    expect(counts).toEqual({})
  })

  it('for one of two agents is still found, and is no idle entry', () => {
    expect(codes(`${toolset()}\n${agent('clerk', silence)}\n${agent('intern')}`)).toEqual(['TG8310'])
    expect(codes(`${toolset()}\n${agent('clerk', silence)}\n${agent('intern', silence)}`)).toEqual([])
  })

  it('leaves other rules and other tools alone', () => {
    expect(
      codes(`${erase("lint: { 'long-description': 'needed' }")}, ${erase().replace('eraseOrder', 'eraseAll')}`),
    ).toEqual(['TG8305', 'TG8310', 'TG8310', 'TG8391'])
  })
})

describe('an entry that suppresses nothing', () => {
  it('is a finding where the rule finds nothing', () => {
    const { diagnostics } = lintText(toolset("lint: { 'boolean-trap': 'no flags here' }", silence))
    expect(diagnostics).toMatchObject([
      { code: 'TG8391', severity: 'warning', location: { file: 'orders/lint/boolean-trap' } },
    ])
    expect(diagnostics[0]?.message).toBe(
      'The toolset `orders` suppresses `boolean-trap`, which reports no problem there.',
    )
  })

  it('is a finding where there is no such rule, with the one that was meant', () => {
    const { diagnostics } = lintText(
      toolset('', `lint: { 'unconfirmed-mutations': 'copies' }, confirmation: { prompt: 'Erase?' }`),
    )
    expect(diagnostics).toMatchObject([{ code: 'TG8390', near: ['unconfirmed-mutation'] }])
  })

  it('is not reported for a rule that is off or not selected', () => {
    const text = toolset("lint: { 'boolean-trap': 'no flags here' }", silence)
    expect(lintText(text, { levels: { 'boolean-trap': 'off' } }).diagnostics).toEqual([])
    expect(lintText(text, { only: ['unclear-unit'] }).diagnostics).toEqual([])
  })

  it('is refused by the DSL without a reason', () => {
    expect(() => lintText(toolset("lint: { 'boolean-trap': ' ' }"))).toThrow(
      'defineToolset("orders"): lint["boolean-trap"]: is empty. Write the reason why the rule is ignored here.',
    )
  })
})

it('whether a rule counts is part of the design, and of no contract', () => {
  const [plain, suppressed] = [toolset(), toolset('', silence)].map((text) => compiledText(text).toolsets[0]?.tools[0])
  expect(suppressed?.lint).toEqual({ 'unconfirmed-mutation': 'the shop keeps copies' })
  expect(suppressed?.hash).toBe(plain?.hash)
})
