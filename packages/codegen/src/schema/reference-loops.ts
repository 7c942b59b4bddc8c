import { eachSubschema, pointerOf } from '@toolgen/runtime/schema'
import { nearest } from '../diagnostics/near-names.js'
import { atPointer, own, type Schema, type SchemaFault } from './json-schema.js'
import { refName } from './references.js'

/** Keywords whose schemas judge the same value as the schema around them. */
const inPlace: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']

/** References that lead on to more definitions than these, one to the next, are refused. */
const longest = 200

/** A definition on its way from one to the next. */
interface Step {
  readonly name: string
  readonly targets: Iterator<string>
  /** How many definitions follow each other from here, as far as that is known. */
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
): readonly SchemaFault[] {
  const lengths = new Map<string, number>()
  const faults: SchemaFault[] = []
  for (const start of defs.keys()) {
    if (lengths.has(start)) continue
    const open = new Set<string>()
    const way: Step[] = []
    const enter = (name: string): void => {
      open.add(name)
      way.push({ name, targets: new Set(targetsInPlace(defs.get(name) ?? true)).values(), length: 1 })
    }
    enter(start)
    // A stack of its own: the one of the engine is too small for what a document may refer to.
    for (let step = way.at(-1); step !== undefined; step = way.at(-1)) {
      const { done, value: target } = step.targets.next()
      if (done === true) {
        way.pop()
        open.delete(step.name)
        lengths.set(step.name, step.length)
        if (step.length === longest + 1) faults.push(leadsOn(keysOf(step.name)))
        const before = way.at(-1)
        if (before !== undefined) before.length = Math.max(before.length, step.length + 1)
      } else if (open.has(target)) {
        const names = way.map(({ name }) => name)
        faults.push(leadsBack([...names.slice(names.indexOf(target)), target], keysOf(target)))
      } else {
        const known = lengths.get(target)
        if (known === undefined) enter(target)
        else step.length = Math.max(step.length, known + 1)
      }
    }
  }
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

function leadsBack(names: readonly string[], trail: readonly string[]): SchemaFault {
  return {
    code: 'TG3037',
    severity: 'error',
    message: `A reference leads back to itself: ${names.map((name) => `\`${name}\``).join(' → ')}.`,
    next: 'Let one of the definitions describe something, or refer from within a field or an item.',
    trail,
  }
}

function leadsOn(trail: readonly string[]): SchemaFault {
  return {
    code: 'TG3014',
    severity: 'error',
    message: `References lead from one definition to the next more than ${longest} times.`,
    next: 'Refer to the definition that describes something.',
    trail,
  }
}

/**
 * A reference to a place that does not exist.
 *
 * @param names the names of the document's definitions
 */
export function leadsNowhere(ref: string, keys: readonly string[], names: readonly string[]): SchemaFault {
  const near = nearest(ref.split('/').at(-1) ?? ref, names).map((name) => `#/$defs${pointerOf([name])}`)
  return {
    code: 'TG3011',
    severity: 'error',
    message: `The reference \`${ref}\` ${atPointer(pointerOf(keys))} leads nowhere.`,
    next: near[0] === undefined ? nextStep(ref) : `Did you mean \`${near[0]}\`?`,
    ...(near.length === 0 ? {} : { near }),
    trail: [...keys, '$ref'],
  }
}

function nextStep(ref: string): string {
  return ref.startsWith('#/components/')
    ? 'Give `components` of the OpenAPI document beside the schema: `{ ...schema, components: document.components }`.'
    : 'Correct the reference, or add the definition.'
}

/** A reference to what the schema does not hold. */
export function leadsOutside(ref: string, keys: readonly string[]): SchemaFault {
  return notGenerated(keys, '$ref', `the reference \`${ref}\` to another document`, 'Copy the definition into `$defs`.')
}

/** A reference whose target depends on how it was reached. */
export function isDynamic(keyword: string, keys: readonly string[]): SchemaFault {
  return notGenerated(keys, keyword, `\`${keyword}\``, 'Refer to a definition with `$ref` instead.')
}

/** An address that is none. */
export function badAddress(address: string, keyword: string, keys: readonly string[]): SchemaFault {
  return notGenerated(keys, keyword, `the address \`${address}\`, which is no URI,`, 'Correct it, or leave it out.')
}

function notGenerated(keys: readonly string[], keyword: string, what: string, next: string): SchemaFault {
  return {
    code: 'TG3012',
    severity: 'error',
    message: `No code can be generated for ${what} ${atPointer(pointerOf(keys))}.`,
    next,
    trail: [...keys, keyword],
  }
}
