import { describe, expect, it } from 'vitest'
import type { DesignIr, Schema } from '../ir/types.js'
import { lockText } from '../output/lock.js'
import type { FieldConversion, ServicePlans, ToolPlan } from '../services/plan.js'
import { emitDesign } from './emit-design.js'
import { passingPlans, type SmallTool, smallDesign } from './small-design.fixture.js'

const options = { importExtension: '.js', codecs: 'ts', clientImport: () => '../../../design/clients.js' } as const

function field(type: string, description: string): Schema {
  return { type, description }
}

/** Returns a typical tool: five arguments and five fields in the result, all with a description. */
function flatTool(name: string): SmallTool {
  return {
    name,
    title: 'Search orders',
    description: 'Searches the orders of one customer by their status and by the day on which they were placed.',
    toolName: `orders_${name}`,
    arguments: {
      type: 'object',
      properties: {
        customerId: field('string', 'The customer whose orders are searched'),
        status: { type: 'string', enum: ['open', 'paid', 'shipped'], description: 'Only orders in this state' },
        placedAfter: { type: 'string', format: 'date', description: 'Only orders placed after this day' },
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 20, description: 'How many orders at most' },
        newestFirst: field('boolean', 'Whether the newest order comes first'),
      },
      required: ['customerId'],
    },
    result: {
      type: 'object',
      properties: {
        id: field('string', 'The number of the order'),
        status: field('string', 'What state the order is in'),
        total: field('number', 'What the order costs in the currency of the customer'),
        placedAt: field('string', 'When the order was placed'),
        note: field('string', 'What the customer wants us to know'),
      },
      required: ['id', 'status', 'total', 'placedAt'],
    },
    examples: [{ customerId: 'C-17', status: 'open' }],
    callHint: 'Looking for the orders of {{customerId}}',
    resultHint: 'Found order {{id}}',
  }
}

/** Returns plans that select each field of the result. */
function pickingPlans(design: DesignIr): ServicePlans {
  const fields = ['id', 'status', 'total', 'placedAt', 'note'].map(
    (name): FieldConversion => ({
      from: name,
      to: name,
      conversion: { kind: 'pass' },
      presence: name === 'note' ? 'omit' : 'required',
    }),
  )
  const picking = (plan: ToolPlan): ToolPlan => ({
    ...plan,
    result: { verdict: 'convert', plan: { kind: 'object', fields, rest: false } },
  })
  return mapLeaves(passingPlans(design), picking)
}

function mapLeaves(plans: ServicePlans, change: (plan: ToolPlan) => ToolPlan): ServicePlans {
  return Object.fromEntries(
    Object.entries(plans).map(([agent, uses]) => [
      agent,
      Object.fromEntries(
        Object.entries(uses).map(([use, tools]) => [
          use,
          Object.fromEntries(Object.entries(tools).map(([tool, plan]) => [tool, change(plan)])),
        ]),
      ),
    ]),
  )
}

/** Returns the number of lines of each file. */
function linesOf(names: readonly string[]): ReadonlyMap<string, number> {
  const design = smallDesign([{ name: 'orders', tools: names.map(flatTool) }], [{ name: 'support', uses: ['orders'] }])
  const files = emitDesign(design, pickingPlans(design), options)
  const all = [...files, { path: 'toolgen.lock.json', text: lockText(design, files) }]
  return new Map(all.map(({ path, text }) => [path, text.split('\n').length - 1]))
}

describe('each further flat tool', () => {
  it('adds under 120 lines of code and under 15 lines of declarations', () => {
    const before = linesOf(['searchOrders', 'findOrders'])
    const added = [...linesOf(['searchOrders', 'findOrders', 'listOrders'])].map(
      ([path, lines]) => [path, lines - (before.get(path) ?? 0)] as const,
    )
    const isCode = ([path]: readonly [string, number]): boolean => !path.endsWith('/api.ts')
    const sum = (files: typeof added): number => files.reduce((total, [, lines]) => total + lines, 0)
    const code = sum(added.filter(isCode))
    expect(code, JSON.stringify(added)).toBeLessThan(120)
    expect(code).toBeGreaterThan(50)
    expect(sum(added) - code).toBeLessThan(15)
  })

  it('leaves every line of the others as it was', () => {
    const text = (names: readonly string[]): string => {
      const design = smallDesign(
        [{ name: 'orders', tools: names.map(flatTool) }],
        [{ name: 'support', uses: ['orders'] }],
      )
      // The declarations of an agent give a name to a type when a second tool uses it.
      return emitDesign(design, pickingPlans(design), options)
        .filter(({ path }) => !path.endsWith('/api.ts'))
        .map((file) => file.text)
        .join('')
    }
    const after = new Map<string, number>()
    for (const line of text(['searchOrders', 'findOrders']).split('\n')) after.set(line, (after.get(line) ?? 0) + 1)
    for (const line of text(['searchOrders']).split('\n')) after.set(line, (after.get(line) ?? 0) - 1)
    expect([...after].filter(([, count]) => count < 0)).toEqual([])
  })
})
