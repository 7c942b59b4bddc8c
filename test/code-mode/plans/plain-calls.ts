import type { Plan, PlanStep } from './nestful.js'
import { planText, type Reference } from './references.js'

/** Calls a tool and returns its result. */
export type CallTool = (tool: PlanStep['tool'], args: unknown) => Promise<unknown>

/** Executes a plan with one tool call per step, as a model without code mode does. Returns the values of its answer. */
export async function plainAnswer({ steps, answer }: Plan, call: CallTool): Promise<unknown> {
  const results = new Map<string, unknown>()
  for (const { tool, label, args } of steps) {
    const result = await call(tool, resolved(args, results))
    if (label !== undefined) results.set(label, result)
  }
  return resolved(answer, results)
}

/** Replaces references by the results of earlier calls. */
function resolved(value: unknown, results: ReadonlyMap<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((each) => resolved(each, results))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, resolved(field, results)]))
  }
  if (typeof value !== 'string') return value
  const find = ({ label, path }: Reference): unknown =>
    path.reduce<unknown>((parent, key) => Reflect.get(Object(parent), key), results.get(label))
  const parsed = planText(value)
  switch (parsed.kind) {
    case 'literal':
      return value
    case 'reference':
      return find(parsed.reference)
    case 'text':
      return parsed.parts.map((part) => (typeof part === 'string' ? part : String(find(part)))).join('')
    case 'calculation':
      return calculated(parsed.parts.map((part) => (typeof part === 'string' ? part.trim() : Number(find(part)))))
  }
}

/** Returns the result of `a * b` or `a - b`, the only calculations in the plans. */
function calculated(parts: readonly (string | number)[]): number {
  const [first, second, third] = parts
  if (third === undefined && typeof first === 'string') return Number(first.replace(/\s*\*$/, '')) * Number(second)
  if (second === '-') return Number(first) - Number(third)
  throw new Error(`unknown calculation: ${parts.join(' ')}`)
}
