import { describe, expect, it } from 'vitest'
import { compileDesign } from '../../packages/codegen/src/ir/compile-design.js'
import { agent, client, loaded, tool, toolset, use } from '../../packages/codegen/src/ir/design.fixture.js'
import type { DesignIr } from '../../packages/codegen/src/ir/types.js'
import { loadCounter, measureDesign, overBudget } from '../../packages/codegen/src/tokens/measure.js'
import { forms } from '../lint/vendor-forms.fixture.js'

const count = await loadCounter('o200k_base')

const address = {
  type: 'object',
  properties: {
    street: { type: 'string', description: 'Street with the number of the house' },
    town: { type: 'string', description: 'Town with its postal code in front of the name' },
  },
  required: ['street', 'town'],
  additionalProperties: false,
}
const send = tool({
  description: 'Sends a parcel.',
  payload: {
    type: 'object',
    properties: {
      from: address,
      to: address,
      note: { type: 'string', description: `What the carrier should know. ${'It may be long. '.repeat(10)}` },
    },
    required: ['from', 'to'],
    additionalProperties: false,
  },
})
const service = client()
const parcels = toolset('parcels', { send, track: tool({ description: 'Where a parcel is.' }) })

function compiled(...parts: Parameters<typeof loaded>): DesignIr {
  const { value, diagnostics } = compileDesign(loaded(...parts))
  if (value === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'))
  return value
}

const clerk = agent('clerk', { instructions: 'Be brief.', uses: [use(parcels, { client: service })] })
const design = compiled([parcels, toolset('spare')], [clerk], [service])

describe('the tools of an agent', () => {
  const [ofClerk, ofSpare] = measureDesign(design, forms.openai, count)

  it('are counted as they are sent, all together, and the instructions besides', () => {
    const sent = design.toolsets
      .filter(({ name }) => name === 'parcels')
      .flatMap((of) => of.tools.map((one) => forms.openai({ toolset: of, tool: one, toolName: one.toolName }).tool))
    expect(ofClerk).toMatchObject({ name: 'clerk', kind: 'agent', tokens: count(JSON.stringify(sent)) })
    expect(ofClerk?.instructions).toBe(count('Be brief.'))
    expect(ofClerk?.tools.map((one) => one.tool)).toEqual(['parcels.send', 'parcels.track'])
    expect(ofClerk?.tools[0]?.tokens).toBeGreaterThan(ofClerk?.tools[1]?.tokens ?? 0)
  })

  it('come with what costs most: long descriptions, and what is said twice', () => {
    const savings = ofClerk?.tools[0]?.savings ?? []
    expect(savings.map(({ what }) => what)).toEqual(['the description of `note`', 'the same schema at `from`, at `to`'])
    expect(savings[0]?.tokens).toBeGreaterThanOrEqual(savings[1]?.tokens ?? 0)
  })

  it('are larger or smaller for another vendor', () => {
    const [other] = measureDesign(design, forms.anthropic, count)
    expect(other?.tokens).not.toBe(ofClerk?.tokens)
  })

  it('are those of a toolset where no agent uses it', () => {
    expect(ofSpare).toMatchObject({ name: 'spare', kind: 'toolset', tools: [{ tool: 'spare.run' }] })
  })
})

it('a budget is for each tool, and for all tools of an agent', () => {
  const sizes = measureDesign(design, forms.openai, count)
  expect(overBudget(sizes, {}, design)).toEqual([])
  expect(
    overBudget(sizes, { perTool: sizes[0]?.tools[0]?.tokens ?? 0, perAgent: sizes[0]?.tokens ?? 0 }, design),
  ).toEqual([])
  expect(overBudget(sizes, { perTool: 100, perAgent: 100 }, design)).toMatchObject([
    { code: 'TG8501', severity: 'error', location: { file: 'parcels/tools/send' }, related: [{}, {}] },
    { code: 'TG8502', severity: 'error', location: { file: 'clerk' }, related: [{}, {}] },
  ])
})

it('500 tools are counted within two seconds of CPU', () => {
  const many = Object.fromEntries(
    Array.from({ length: 500 }, (_, at) => [
      `send${at}`,
      { ...send, description: `Sends parcel number ${at} of the ${at * 7} that are known, by way ${at % 13}.` },
    ]),
  )
  const large = compiled([toolset('large', many)])
  // What other threads of the process do meanwhile is counted too: the least of a few says what the work itself takes.
  let least = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < 5 && least >= 2_000; turn += 1) {
    const started = process.cpuUsage()
    const [size] = measureDesign(large, forms.openai, count)
    const { user, system } = process.cpuUsage(started)
    expect(size?.tools).toHaveLength(500)
    least = Math.min(least, (user + system) / 1_000)
  }
  expect(least).toBeLessThan(2_000)
})
