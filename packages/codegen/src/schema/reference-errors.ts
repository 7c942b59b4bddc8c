import { pointerOf } from '@toolgen/runtime/schema'
import { nearest } from '../diagnostics/near-names.js'
import { atPointer, own, type SchemaDiagnostic, type SchemaObject, schemaError } from './json-schema.js'

const dynamic: readonly string[] = ['$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor', '$vocabulary']

/**
 * The first keyword of a schema for which no code can be generated. Of a plain schema `localReferences` has
 * resolved all of them; a library's schema has them where its author wrote them as metadata.
 */
export function unsupportedKeyword(schema: SchemaObject, keys: readonly string[]): SchemaDiagnostic | undefined {
  const dynamicKey = dynamic.find((keyword) => Object.hasOwn(schema, keyword))
  if (dynamicKey !== undefined) return isDynamic(dynamicKey, keys)
  if (keys.length > 0 && Object.hasOwn(schema, '$id')) {
    return schemaError(
      'TG3012',
      `No code can be generated for a schema with an address (\`$id\`) of its own ${atPointer(pointerOf(keys))}.`,
      'Move it to `$defs` without its `$id`.',
      [...keys, '$id'],
    )
  }
  const ref = own(schema, '$ref')
  return typeof ref === 'string' && !ref.startsWith('#') ? leadsOutside(ref, keys) : undefined
}

/**
 * A reference to a place that does not exist.
 *
 * @param names the names of the document's definitions
 */
export function leadsNowhere(ref: string, keys: readonly string[], names: readonly string[]): SchemaDiagnostic {
  const near = nearest(ref.split('/').at(-1) ?? ref, names).map((name) => `#/$defs${pointerOf([name])}`)
  const message = `The reference \`${ref}\` ${atPointer(pointerOf(keys))} leads nowhere.`
  const next = near[0] === undefined ? nextStep(ref) : `Did you mean \`${near[0]}\`?`
  return { ...schemaError('TG3011', message, next, [...keys, '$ref']), ...(near.length === 0 ? {} : { near }) }
}

function nextStep(ref: string): string {
  return ref.startsWith('#/components/')
    ? 'Give `components` of the OpenAPI document beside the schema: `{ ...schema, components: document.components }`.'
    : 'Correct the reference, or add the definition.'
}

/** A reference to what the schema does not hold. */
export function leadsOutside(ref: string, keys: readonly string[]): SchemaDiagnostic {
  return notGenerated(keys, '$ref', `the reference \`${ref}\` to another document`, 'Copy the definition into `$defs`.')
}

/** A reference whose target depends on how it was reached. */
export function isDynamic(keyword: string, keys: readonly string[]): SchemaDiagnostic {
  return notGenerated(keys, keyword, `\`${keyword}\``, 'Refer to a definition with `$ref` instead.')
}

/** Returns the error of an address that is not a URI. */
export function badAddress(address: string, keyword: string, keys: readonly string[]): SchemaDiagnostic {
  return notGenerated(keys, keyword, `the address \`${address}\`, which is no URI,`, 'Correct it, or leave it out.')
}

function notGenerated(keys: readonly string[], keyword: string, what: string, next: string): SchemaDiagnostic {
  const message = `No code can be generated for ${what} ${atPointer(pointerOf(keys))}.`
  return schemaError('TG3012', message, next, [...keys, keyword])
}
