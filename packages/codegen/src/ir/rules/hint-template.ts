import type { Schema } from '../../schema/json/json-schema.js'
import { type Shape, shapeOf } from '../../schema/shape/shape.js'
import { alternativesOf, stepInto } from '../../schema/shape/shape-steps.js'

type Fault =
  | { readonly kind: 'malformed' }
  /** `allowed`: the fields that stand at the place where the path breaks off. */
  | { readonly kind: 'unknown'; readonly path: string; readonly field: string; readonly allowed: readonly string[] }

/** What is wrong with a hint template, and which of its characters are. */
export type HintFault = Fault & { readonly start: number; readonly end: number }

/**
 * Checks a template such as `Order {{id}} is {{customer.name}}` against the schema of the values that fill it.
 */
export function hintFaults(
  template: string,
  schema: Schema,
  defs: Readonly<Record<string, Schema>>,
): readonly HintFault[] {
  const faults: HintFault[] = []
  const rest = template.replace(/\{\{([^{}]*)\}\}/g, (whole, inside: string, start: number) => {
    const path = inside.trim()
    const fault: Fault | undefined = path === '' ? { kind: 'malformed' } : brokenStep(path, shapeOf(schema, defs), defs)
    if (fault !== undefined) faults.push({ ...fault, start, end: start + whole.length })
    // What stands around keeps its place, and no braces come together that were apart.
    return ' '.repeat(whole.length)
  })
  const stray = /\{\{|\}\}/.exec(rest)
  return stray === null ? faults : [...faults, { kind: 'malformed', start: stray.index, end: stray.index + 2 }]
}

function brokenStep(path: string, root: Shape, defs: Readonly<Record<string, Schema>>): Fault | undefined {
  let current: readonly Shape[] = [root]
  for (const field of path.split('.')) {
    const alternatives = current.flatMap((shape) => alternativesOf(shape, defs))
    const next = alternatives.flatMap((shape) => stepInto(shape, field))
    if (next.length === 0) return { kind: 'unknown', path, field, allowed: alternatives.flatMap(namesIn) }
    current = next
  }
  return undefined
}

function namesIn(shape: Shape): readonly string[] {
  return shape.kind === 'object' ? shape.fields.map(({ name }) => name) : []
}
