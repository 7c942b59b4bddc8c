import { eachSubschema } from '@toolgen/runtime/schema'
import { own, type Schema, type SchemaDiagnostic, schemaError } from './json-schema.js'
import { refName } from './references.js'

/** Keywords whose schemas judge the same value as the schema around them. */
const inPlace: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']

/** References that lead on to more definitions than these, one to the next, are refused. */
const longest = 200

/** A definition on its way from one to the next. */
interface Step {
  readonly name: string
  readonly targets: Iterator<string>
  /** Number of definitions that follow each other from here, as far as known. */
  length: number
}

/**
 * Definitions that lead back to themselves without going into the value, by way of what they refer to: no check of such
 * a schema would ever end. Nor may they lead on and on.
 *
 * @param keysOf the keys that lead to a definition in the source
 */
export function referenceLoops(
  defs: ReadonlyMap<string, Schema>,
  keysOf: (name: string) => readonly string[],
): readonly SchemaDiagnostic[] {
  const lengths = new Map<string, number>()
  const diagnostics: SchemaDiagnostic[] = []
  for (const start of defs.keys()) {
    if (lengths.has(start)) continue
    const open = new Set<string>()
    const path: Step[] = []
    const enter = (name: string): void => {
      open.add(name)
      path.push({ name, targets: new Set(targetsInPlace(defs.get(name) ?? true)).values(), length: 1 })
    }
    enter(start)
    // A stack of its own: the one of the engine is too small for what a document may refer to.
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const { done, value: target } = step.targets.next()
      if (done === true) {
        path.pop()
        open.delete(step.name)
        lengths.set(step.name, step.length)
        if (step.length === longest + 1) diagnostics.push(leadsOn(keysOf(step.name)))
        const before = path.at(-1)
        if (before !== undefined) before.length = Math.max(before.length, step.length + 1)
      } else if (open.has(target)) {
        const names = path.map(({ name }) => name)
        diagnostics.push(leadsBack([...names.slice(names.indexOf(target)), target], keysOf(target)))
      } else {
        const known = lengths.get(target)
        if (known === undefined) enter(target)
        else step.length = Math.max(step.length, known + 1)
      }
    }
  }
  return diagnostics
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

function leadsBack(names: readonly string[], trail: readonly string[]): SchemaDiagnostic {
  return schemaError(
    'TG3037',
    `A reference leads back to itself: ${names.map((name) => `\`${name}\``).join(' → ')}.`,
    'Let one of the definitions describe something, or refer from within a field or an item.',
    trail,
  )
}

function leadsOn(trail: readonly string[]): SchemaDiagnostic {
  return schemaError(
    'TG3014',
    `References lead from one definition to the next more than ${longest} times.`,
    'Refer to the definition that describes something.',
    trail,
  )
}
