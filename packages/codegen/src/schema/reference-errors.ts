import { pointerOf } from '@toolgen/runtime/schema'
import { nearest } from '../diagnostics/near-names.js'
import { atPointer, own, type SchemaDiagnostic, type SchemaObject, schemaError } from './json-schema.js'

const dynamic: readonly string[] = ['$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor', '$vocabulary']

/** Only schemas of libraries can have such a keyword, because `localReferences` rejects or replaces the keywords of plain schemas. */
export function unsupportedKeyword(schema: SchemaObject, keys: readonly string[]): SchemaDiagnostic | undefined {
  const dynamicKey = dynamic.find((keyword) => Object.hasOwn(schema, keyword))
  if (dynamicKey !== undefined) return isDynamic(dynamicKey, keys)
  if (keys.length > 0 && Object.hasOwn(schema, '$id')) {
    return notGenerated(keys, '$id', 'the nested `$id`', 'Move the schema to `$defs` without its `$id`.')
  }
  const ref = own(schema, '$ref')
  return typeof ref === 'string' && !ref.startsWith('#') ? leadsOutside(ref, keys) : undefined
}

export function leadsNowhere(ref: string, keys: readonly string[], names: readonly string[]): SchemaDiagnostic {
  const near = nearest(ref.split('/').at(-1) ?? ref, names).map((name) => `#/$defs${pointerOf([name])}`)
  const message = `The reference \`${ref}\` ${atPointer(pointerOf(keys))} has no target.`
  const next = near[0] === undefined ? nextStep(ref) : `Did you mean \`${near[0]}\`?`
  return { ...schemaError('TG3011', message, next, [...keys, '$ref']), ...(near.length === 0 ? {} : { near }) }
}

function nextStep(ref: string): string {
  return ref.startsWith('#/components/')
    ? 'Add `components` of the OpenAPI document to the schema: `{ ...schema, components: document.components }`.'
    : 'Correct the reference, or add the definition.'
}

export function leadsOutside(ref: string, keys: readonly string[]): SchemaDiagnostic {
  return notGenerated(keys, '$ref', `the reference \`${ref}\` to another document`, 'Copy the definition into `$defs`.')
}

/** The target of a dynamic reference depends on the schema that leads to the reference, so the generator cannot support these keywords. */
export function isDynamic(keyword: string, keys: readonly string[]): SchemaDiagnostic {
  return notGenerated(keys, keyword, `\`${keyword}\``, 'Refer to a definition with `$ref` instead.')
}

export function badAddress(address: string, keyword: string, keys: readonly string[]): SchemaDiagnostic {
  return notGenerated(
    keys,
    keyword,
    `\`${keyword}\` with the invalid URI \`${address}\``,
    'Correct the URI, or remove the keyword.',
  )
}

function notGenerated(keys: readonly string[], keyword: string, what: string, next: string): SchemaDiagnostic {
  const message = `toolgen does not support ${what} ${atPointer(pointerOf(keys))}.`
  return schemaError('TG3012', message, next, [...keys, keyword])
}
