import { nearest } from '../../diagnostics/near.js'
import { pointerOf, pointerStep } from '../json/pointer.js'
import { atPointer, type SchemaFault } from '../json/schema-fault.js'

/**
 * A reference to a place that does not exist.
 *
 * @param names the names of the document's definitions
 */
export function leadsNowhere(ref: string, keys: readonly string[], names: readonly string[]): SchemaFault {
  const near = nearest(ref.split('/').at(-1) ?? ref, names).map((name) => `#/$defs${pointerStep(name)}`)
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
