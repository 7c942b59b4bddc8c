import { patternsOf } from '../scene/patterns.js'
import { aboutField, aboutTool, type Finding, listed, type Rule } from '../scene/rule.js'
import type { ToolScene } from '../scene/scene.js'
import { slowText } from '../scene/slow-text.js'

/** Patterns that keep a backtracking engine busy for very long on a short text. */
export const slowPattern: Rule = {
  id: 'slow-pattern',
  code: 'TG8322',
  next: 'Write the pattern so that there is one way to match each part of a text: `a+` instead of `(a+)+`.',
  examples: {
    bad: `findOrders: defineTool({
  description: 'Orders of one customer, newest first.',
  payload: z.object({ label: z.string().regex(/^([a-z]+-?)+$/).describe('What the customer calls them') }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string() })).max(20) }),
})`,
    good: `findOrders: defineTool({
  description: 'Orders of one customer, newest first.',
  payload: z.object({ label: z.string().regex(/^[a-z]+(-[a-z]+)*-?$/).describe('What the customer calls them') }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string() })).max(20) }),
})`,
  },
  check: ({ tools }) => {
    const known = new Map<string, string | undefined>()
    const slow = (pattern: string): string | undefined => {
      if (!known.has(pattern)) known.set(pattern, slowText(pattern))
      return known.get(pattern)
    }
    return tools.flatMap((scene) => [...findings(scene, 'arguments', slow), ...findings(scene, 'result', slow)])
  },
}

function findings(
  scene: ToolScene,
  side: 'arguments' | 'result',
  slow: (pattern: string) => string | undefined,
): readonly Finding[] {
  const { tool, toolset } = scene
  const found = patternsOf(tool[side], toolset.defs).filter(({ pattern }) => slow(pattern) !== undefined)
  const [first] = found
  if (first === undefined) return []
  const patterns = [...new Set(found.map(({ pattern }) => pattern))]
  const field = scene.fields.find(({ names }) => names.join('\0') === first.names.join('\0'))
  const where = side === 'result' ? `The result of \`${tool.id}\`` : `\`${tool.id}\``
  return [
    {
      about:
        side === 'arguments' && field !== undefined
          ? aboutField(scene, field)
          : aboutTool(scene, side === 'result' ? 'result' : 'payload'),
      message: `${where} has ${patterns.length === 1 ? 'a pattern' : 'patterns'} that ${patterns.length === 1 ? 'is' : 'are'} slow in other validators: ${listed(patterns)}.`,
      facts: patterns.map(
        (pattern) =>
          `\`${pattern}\` takes a backtracking engine more than half a second to refuse ${JSON.stringify(slow(pattern))}.`,
      ),
    },
  ]
}
