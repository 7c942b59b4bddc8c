import { own } from '../../schema/json/json.js'
import type { Schema, SchemaObject } from '../../schema/json/json-schema.js'
import { keysOf, pointerOf, refName } from '../../schema/json/pointer.js'
import { schemaAt, schemaOf, schemasIn } from '../inclusion/flatten.js'
import type { Defs } from '../inclusion/spot.js'

/** Where something stands that several tools may share. */
export interface DefinitionPlace {
  readonly name: string
  /** JSON Pointer into the definition, with references followed. */
  readonly pointer: string
}

/** The innermost definition to which a pointer leads that has references followed; `undefined` where it leads to none. */
export function definitionAt(schema: Schema, pointer: string, defs: Defs): DefinitionPlace | undefined {
  const keys = keysOf(pointer) ?? []
  const [first, name, ...inner] = keys
  // What is said beside the rules is told with the definition.
  if (first === '$defs' && name !== undefined) return { name, pointer: pointerOf(inner) }
  return innermost(schema, keys, defs)?.definition
}

interface Reached {
  readonly definition: DefinitionPlace | undefined
}

/** Follows keys as far as they lead into parts of a schema; what is left of them names what the schema says. */
function innermost(schema: Schema, keys: readonly string[], defs: Defs): Reached | undefined {
  if (typeof schema === 'boolean') return { definition: undefined }
  const name = refName(own(schema, '$ref'))
  const target = name === undefined ? undefined : own(defs, name)
  if (name !== undefined && target !== undefined) {
    const reached = innermost(target, keys, defs)
    if (reached !== undefined) return { definition: reached.definition ?? { name, pointer: pointerOf(keys) } }
  }
  for (const part of schemasIn(own(schema, 'allOf')) ?? []) {
    const reached = innermost(part, keys, defs)
    if (reached?.definition !== undefined) return reached
  }
  const step = stepInto(schema, keys)
  return step === undefined ? { definition: undefined } : innermost(step.part, step.left, defs)
}

function stepInto(
  schema: SchemaObject,
  [keyword = '', key = '', ...left]: readonly string[],
): { readonly part: Schema; readonly left: readonly string[] } | undefined {
  const single = ['items', 'additionalProperties'].includes(keyword) ? schemaAt(schema, keyword) : undefined
  if (single !== undefined) return { part: single, left: key === '' ? left : [key, ...left] }
  const listed = ['anyOf', 'oneOf', 'prefixItems'].includes(keyword) ? schemasIn(own(schema, keyword)) : undefined
  const named = ['properties', 'patternProperties'].includes(keyword) ? schemaOf(schema, keyword, key) : undefined
  const part = listed?.[Number(key)] ?? named
  return part === undefined ? undefined : { part, left }
}
