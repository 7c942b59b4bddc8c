import type { Schema, ToolsetIr } from '../ir/types.js'
import { type Shape, shapeOf } from '../schema/shape.js'
import { typeText } from '../schema/type-text.js'

/** The two forms of a type: of a value that is sent, and of the value that is read from it. */
export type Form = 'sent' | 'read'

/** The shared definitions of a toolset as types. */
export interface Definitions {
  /** Returns the name of a definition's type in a form; both forms share a name where they do not differ. */
  nameOf(definition: string, form: Form): string
  /** Checks whether a type is written differently in the two forms. */
  differs(shape: Shape): boolean
  readonly shapes: ReadonlyMap<string, Shape>
}

/** Reads the definitions of a toolset and finds the ones that need two types. */
export function readDefinitions(toolset: ToolsetIr): Definitions {
  const shapes = new Map(
    Object.entries(toolset.defs).map(([name, schema]): [string, Shape] => [
      name,
      // A definition that consists of itself allows everything, and TypeScript has no other type for it.
      reachesItself(name, toolset.defs) ? { kind: 'unknown', schema: {} } : shapeOf(schema, toolset.defs),
    ]),
  )
  const twofold = new Set<string>()
  const differs = (shape: Shape): boolean =>
    formsDiffer(shape) || [...referencesOf(shape)].some((name) => twofold.has(name))
  for (let before = -1; before !== twofold.size; ) {
    before = twofold.size
    for (const [name, shape] of shapes) if (differs(shape)) twofold.add(name)
  }
  const nameOf = (definition: string, form: Form): string => {
    const names = Object.hasOwn(toolset.names.defs, definition) ? toolset.names.defs[definition] : undefined
    if (names === undefined) return 'unknown'
    return twofold.has(definition) ? names[form] : names.sent
  }
  return { nameOf, differs, shapes }
}

/** Returns the definitions that a type refers to directly. */
export function referencesOf(shape: Shape): ReadonlySet<string> {
  const names = new Set<string>()
  typeText(shape, { form: 'read', nameOf: (name) => names.add(name) && name })
  return names
}

function formsDiffer(shape: Shape): boolean {
  const nameOf = (name: string): string => name
  return typeText(shape, { form: 'sent', nameOf }) !== typeText(shape, { form: 'read', nameOf })
}

/** Checks whether an alias of a definition would be circular: it reaches itself without an object or an array between. */
function reachesItself(name: string, defs: Readonly<Record<string, Schema>>): boolean {
  const seen = new Set<string>()
  const visit = (shape: Shape): boolean => {
    if (shape.kind === 'union') return shape.variants.some(visit)
    if (shape.kind === 'intersection') return shape.parts.some(visit)
    if (shape.kind !== 'ref') return false
    if (shape.name === name) return true
    const target = Object.hasOwn(defs, shape.name) ? defs[shape.name] : undefined
    if (target === undefined || seen.has(shape.name)) return false
    seen.add(shape.name)
    return visit(shapeOf(target, defs))
  }
  return visit(shapeOf(defs[name] ?? true, defs))
}
