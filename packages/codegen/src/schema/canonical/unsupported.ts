import { own } from '../json/json.js'
import type { SchemaObject } from '../json/json-schema.js'
import { pointerOf } from '../json/pointer.js'
import { atPointer, type SchemaFault } from '../json/schema-fault.js'

const dynamic: readonly string[] = ['$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor', '$vocabulary']

/**
 * The first keyword of a schema for which no code can be generated.
 *
 * @param address the address under which the document knows itself, `''` when it has none
 */
export function unsupportedKeyword(
  schema: SchemaObject,
  keys: readonly string[],
  address: string,
): SchemaFault | undefined {
  const dynamicKey = dynamic.find((keyword) => Object.hasOwn(schema, keyword))
  if (dynamicKey !== undefined) {
    return fault(dynamicKey, keys, `\`${dynamicKey}\``, 'Refer to a definition with `$ref` instead.')
  }
  if (keys.length > 0 && Object.hasOwn(schema, '$id')) {
    return fault('$id', keys, 'a schema with an address (`$id`) of its own', 'Move it to `$defs` without its `$id`.')
  }
  const ref = own(schema, '$ref')
  if (typeof ref === 'string' && ref.split('#', 1)[0] !== '' && ref.split('#', 1)[0] !== address) {
    return fault('$ref', keys, `the reference \`${ref}\` to another document`, 'Copy the definition into `$defs`.')
  }
  return undefined
}

function fault(keyword: string, keys: readonly string[], what: string, next: string): SchemaFault {
  return {
    code: 'TG3012',
    severity: 'error',
    message: `No code can be generated for ${what} ${atPointer(pointerOf(keys))}.`,
    next,
    trail: [...keys, keyword],
  }
}
