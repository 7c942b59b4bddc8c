import {
  eachSubschema,
  type Issue,
  mapSubschemas,
  pointerOf,
  prepareSchema,
  SchemaError,
} from '@toolgen/runtime/schema'
import { byCodePoint } from '../text.js'
import { atPointer, type Json, objectFrom, own, type Schema } from './json-schema.js'
import { definitionsUsed, refName, refTo, unusedName } from './references.js'
import { type SchemaDocument, targetsIn } from './schema-document.js'

interface SharedDefinitions {
  readonly roots: readonly Schema[]
  readonly defs: Readonly<Record<string, Schema>>
}

export function shareDefinitions(documents: readonly SchemaDocument[]): SharedDefinitions {
  const shared = new Map<string, { readonly structure: () => string; readonly schema: Schema }>()
  const roots = documents.map((document) => {
    const renamed = new Map<string, string>()
    const added: string[] = []
    for (const name of document.defs.keys()) {
      // The structure is only needed if a name occurs twice.
      const structure = once(() => structureOf(name, document.defs))
      const target = unusedName(name, (candidate) => {
        const known = shared.get(candidate)
        return known === undefined || known.structure() === structure()
      })
      if (!shared.has(target)) {
        shared.set(target, { structure, schema: true })
        added.push(name)
      }
      renamed.set(name, target)
    }
    for (const name of added) {
      const target = renamed.get(name) ?? name
      const known = shared.get(target)
      if (known !== undefined) {
        shared.set(target, { ...known, schema: withNames(document.defs.get(name) ?? true, renamed) })
      }
    }
    return withNames(document.root, renamed)
  })
  const entries = [...shared].map(([name, { schema }]): [string, Schema] => [name, schema])
  return { roots, defs: objectFrom(entries.sort(([a], [b]) => byCodePoint(a, b))) }
}

function once(make: () => string): () => string {
  let made: string | undefined
  return () => {
    made ??= make()
    return made
  }
}

function withNames(schema: Schema, names: ReadonlyMap<string, string>): Schema {
  if (typeof schema === 'boolean') return schema
  const inside = mapSubschemas(schema, (subschema) => withNames(subschema, names))
  const name = refName(own(inside, '$ref'))
  const renamed = name === undefined ? undefined : names.get(name)
  if (renamed === undefined || renamed === name) return inside
  const entries = Object.entries(inside)
  return objectFrom(entries.map(([key, value]): [string, Json] => [key, key === '$ref' ? refTo(renamed) : value]))
}

/**
 * Two definitions have the same text if they differ only in the names of referenced definitions, for example `#/$defs/Address` and
 * `#/$defs/Address2`.
 */
function structureOf(name: string, defs: ReadonlyMap<string, Schema>): string {
  const numbers = new Map([[name, 0]])
  const pending = [name]
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    for (const target of targetsIn(defs.get(next) ?? true)) {
      if (numbers.has(target)) continue
      numbers.set(target, numbers.size)
      pending.push(target)
    }
  }
  const names = new Map([...numbers].map(([target, number]) => [target, String(number)]))
  return JSON.stringify([...numbers.keys()].map((target) => withNames(defs.get(target) ?? true, names)))
}

export function closedSchema(schema: Schema, defs: Readonly<Record<string, Schema>>): Schema {
  const used = definitionsUsed(schema, defs)
  if (used.length === 0 || typeof schema === 'boolean') return schema
  return { ...schema, $defs: Object.fromEntries(used.map((name) => [name, defs[name] ?? true])) }
}

/** The message has no full stop at the end. */
export type ValueIssue = Pick<Issue, 'path' | 'message'> & { readonly issue?: Issue }

export type ValidateValue = (schema: Schema, value: Json) => readonly ValueIssue[]

export function valueValidator(defs: Readonly<Record<string, Schema>>, unknown: 'reject' | 'keep'): ValidateValue {
  // Keyed by content, because many fields and tools have equal schemas.
  const prepared = new Map<string, ReturnType<typeof prepareSchema>>()
  return (schema, value) => {
    try {
      const key = JSON.stringify(schema)
      const known = prepared.get(key) ?? prepareSchema(closedSchema(schema, defs), { unknown })
      prepared.set(key, known)
      return known.validate(value).map((issue) => ({
        path: issue.path,
        message: issue.message.replace(/\.$/, ''),
        issue,
      }))
    } catch (error) {
      // Reported for a pattern with very large repeat counts: the generated codec cannot validate such a value either.
      if (error instanceof SchemaError) return [{ path: '', message: error.message.replace(/\.$/, '') }]
      throw error
    }
  }
}

export function issueText({ path, message }: ValueIssue): string {
  return path === '' ? message : `${path}: ${message}`
}

interface MisfittingDefault {
  readonly keys: readonly string[]
  readonly message: string
}

/** A default must be valid for its own field, because the runtime adds the default to arguments. */
export function misfittingDefaults(schema: Schema, validate: ValidateValue): readonly MisfittingDefault[] {
  const found: MisfittingDefault[] = []
  const keys: string[] = []
  const visit = (inner: Schema): void => {
    if (typeof inner === 'boolean') return
    const value = own(inner, 'default')
    const [issue] = value === undefined ? [] : validate(inner, value)
    if (issue !== undefined) {
      const place = `default ${atPointer(pointerOf(keys))}`
      const type = own(inner, 'x-js')
      const message =
        type === undefined || typeof value === 'string'
          ? `${place} does not match its own schema: ${issueText(issue)}`
          : `${place} is ${JSON.stringify(value)}, but the schema expects the JavaScript type ${type}`
      found.push({ keys: [...keys, 'default'], message })
    }
    eachSubschema(inner, (subschema, more) => {
      keys.push(...more)
      visit(subschema)
      keys.length -= more.length
    })
  }
  visit(schema)
  return found
}
