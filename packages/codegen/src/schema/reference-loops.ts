import { eachSubschema } from '@toolgen/runtime/schema'
import { own, type Schema, type SchemaDiagnostic, schemaError } from './json-schema.js'
import { refName } from './references.js'

/** The subschemas of these keywords apply to the value itself, and not to a field or item as in `properties` and `items`. */
const inPlace: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']

const longest = 200

interface Step {
  readonly name: string
  readonly targets: Iterator<string>
  length: number
}

/** Validation would never end for a definition that references itself without a field or item in between. */
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
    // An explicit stack, because recursion could exceed the stack of the engine.
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
    `References form a cycle: ${names.map((name) => `\`${name}\``).join(' → ')}.`,
    'Add a type to one of the definitions, or reference the definition only from a field or an item.',
    trail,
  )
}

function leadsOn(trail: readonly string[]): SchemaDiagnostic {
  return schemaError(
    'TG3014',
    `A chain of references between definitions is longer than ${longest}.`,
    'Refer directly to the last definition of the chain.',
    trail,
  )
}
