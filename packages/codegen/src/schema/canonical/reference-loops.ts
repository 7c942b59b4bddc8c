import { own } from '../json/json.js'
import type { Schema } from '../json/json-schema.js'
import { eachSubschema } from '../json/keywords.js'
import { refName } from '../json/pointer.js'
import type { SchemaFault } from '../json/schema-fault.js'
import type { SchemaDocument } from './normalise.js'

/** Keywords whose schemas judge the same value as the schema around them. */
const inPlace: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']

/**
 * Definitions that lead back to themselves without going into the value, by way of what they refer to: no check of such
 * a schema would ever end.
 */
export function referenceLoops({ defs }: SchemaDocument): readonly SchemaFault[] {
  const done = new Set<string>()
  const faults: SchemaFault[] = []
  const visit = (name: string, trail: readonly string[]): void => {
    const start = trail.indexOf(name)
    if (start >= 0) faults.push(leadsBack([...trail.slice(start), name]))
    if (start >= 0 || done.has(name)) return
    for (const target of new Set(targetsInPlace(defs.get(name) ?? true))) visit(target, [...trail, name])
    done.add(name)
  }
  for (const name of defs.keys()) visit(name, [])
  return faults
}

function targetsInPlace(schema: Schema): readonly string[] {
  if (typeof schema === 'boolean') return []
  const name = refName(own(schema, '$ref'))
  const targets = name === undefined ? [] : [name]
  eachSubschema(schema, (subschema, [keyword = '']) => {
    if (inPlace.includes(keyword)) targets.push(...targetsInPlace(subschema))
  })
  return targets
}

function leadsBack(names: readonly string[]): SchemaFault {
  return {
    code: 'TG3037',
    severity: 'error',
    message: `A reference leads back to itself: ${names.map((name) => `\`${name}\``).join(' → ')}.`,
    next: 'Let one of the definitions describe something, or refer from within a field or an item.',
    trail: [],
  }
}
