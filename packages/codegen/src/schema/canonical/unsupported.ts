import { own } from '../json/json.js'
import type { SchemaObject } from '../json/json-schema.js'
import { pointerOf } from '../json/pointer.js'
import { atPointer, type SchemaFault } from '../json/schema-fault.js'
import { isDynamic, leadsOutside } from './reference-faults.js'

const dynamic: readonly string[] = ['$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor', '$vocabulary']

/**
 * The first keyword of a schema for which no code can be generated. Of a plain schema `local-references.ts` has
 * resolved all of them; a library's schema has them where its author wrote them as metadata.
 */
export function unsupportedKeyword(schema: SchemaObject, keys: readonly string[]): SchemaFault | undefined {
  const dynamicKey = dynamic.find((keyword) => Object.hasOwn(schema, keyword))
  if (dynamicKey !== undefined) return isDynamic(dynamicKey, keys)
  if (keys.length > 0 && Object.hasOwn(schema, '$id')) {
    return {
      code: 'TG3012',
      severity: 'error',
      message: `No code can be generated for a schema with an address (\`$id\`) of its own ${atPointer(pointerOf(keys))}.`,
      next: 'Move it to `$defs` without its `$id`.',
      trail: [...keys, '$id'],
    }
  }
  const ref = own(schema, '$ref')
  return typeof ref === 'string' && !ref.startsWith('#') ? leadsOutside(ref, keys) : undefined
}
