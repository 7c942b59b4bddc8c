import type { Schema, ToolsetIr } from '../ir/types.js'
import { type Shape, shapeOf } from '../schema/shape/shape.js'
import { typeText } from '../schema/shape/type-text.js'

/** The two forms of a type: what is sent, and what is read of it. */
export type Form = 'sent' | 'read'

/** The shared definitions of a toolset as types. */
export interface Definitions {
  /** The type's name of a definition in a form; both forms share a name where they do not differ. */
  nameOf(definition: string, form: Form): string
  /** True when a type is written differently in the two forms. */
  differs(shape: Shape): boolean
  readonly shapes: ReadonlyMap<string, Shape>
}

/** Reads the definitions of a toolset and finds out which of them need two types. */
export function readDefinitions(toolset: ToolsetIr): Definitions {
  const shapes = new Map(
    Object.entries(toolset.defs).map(([name, schema]) => [name, typeShape(name, schema, toolset.defs)] as const),
  )
  const twofold = new Set([...shapes].filter(([, shape]) => formsDiffer(shape)).map(([name]) => name))
  spread(twofold, shapes)
  const differs = (shape: Shape): boolean =>
    formsDiffer(shape) || [...referencesOf(shape)].some((name) => twofold.has(name))
  const nameOf = (definition: string, form: Form): string => {
    const names = Object.hasOwn(toolset.names.defs, definition) ? toolset.names.defs[definition] : undefined
    if (names === undefined) return 'unknown'
    return twofold.has(definition) ? names[form] : names.sent
  }
  return { nameOf, differs, shapes }
}

/** The definitions that a type refers to directly. */
export function referencesOf(shape: Shape): ReadonlySet<string> {
  const names = new Set<string>()
  typeText(shape, { form: 'read', nameOf: (name) => names.add(name) && name })
  return names
}

function formsDiffer(shape: Shape): boolean {
  const nameOf = (name: string): string => name
  return typeText(shape, { form: 'sent', nameOf }) !== typeText(shape, { form: 'read', nameOf })
}

/** Adds every definition that refers to one of `names`. */
function spread(names: Set<string>, shapes: ReadonlyMap<string, Shape>): void {
  for (let before = -1; before !== names.size; ) {
    before = names.size
    for (const [name, shape] of shapes) {
      if ([...referencesOf(shape)].some((reference) => names.has(reference))) names.add(name)
    }
  }
}

/** A definition's shape; one that consists of itself allows everything, and TypeScript has no other type for it. */
function typeShape(name: string, schema: Schema, defs: Readonly<Record<string, Schema>>): Shape {
  return reachesItself(name, defs) ? { kind: 'unknown', schema: {} } : shapeOf(schema, defs)
}

/** True when an alias of this definition would be circular: it reaches itself without an object or a list between. */
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
