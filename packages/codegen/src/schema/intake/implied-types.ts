import type { Dialect } from '../canonical/dialect.js'
import { own } from '../json/json.js'
import type { Schema, SchemaObject } from '../json/json-schema.js'
import { mapSubschemas, typeNames } from '../json/keywords.js'
import { pointerOf } from '../json/pointer.js'
import { atPointer, type Converted, type SchemaFault } from '../json/schema-fault.js'

/** Keywords that say something about the type themselves. */
const telling: readonly string[] = ['type', 'enum', 'const', '$ref', 'allOf', 'anyOf', 'oneOf', 'not']
/** Keywords whose schemas judge the same value as the schema around them. */
const inPlace: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'then', 'else', 'dependentSchemas']
/** Keywords whose schemas ask about the value without describing it. */
const asking: readonly string[] = ['if', 'not']

/**
 * Writes out the type of schemas that only say what their fields or items are. By the letter of JSON Schema they allow
 * anything that is no object, too; hardly an author means that. So where `$schema` names a dialect the letter counts,
 * with all types written out; elsewhere it is an object or an array, and that is reported.
 *
 * @param schema in the forms of 2020-12
 */
export function writeImpliedTypes(schema: Schema, { declared }: Pick<Dialect, 'declared'>): Converted<Schema> {
  const faults: SchemaFault[] = []
  const write = (part: Schema, keys: readonly string[], typed: boolean): Schema => {
    if (typeof part === 'boolean') return part
    const type = typed ? undefined : impliedType(part)
    if (type !== undefined && !declared) faults.push(implied(type, keys))
    // Of a whole payload that is no object more is said elsewhere.
    else if (type !== undefined && keys.length > 0) faults.push(open(type, keys))
    const isTyped = typed || type !== undefined || Object.hasOwn(part, 'type')
    const inside = mapSubschemas(part, (subschema, inner) => {
      const [keyword = ''] = inner
      if (asking.includes(keyword)) return subschema
      return write(subschema, [...keys, ...inner], inPlace.includes(keyword) && isTyped)
    })
    if (type === undefined) return inside
    return declared ? { type: typeNames.filter((name) => name !== 'integer'), ...inside } : { type, ...inside }
  }
  return { value: write(schema, [], false), faults }
}

function impliedType(schema: SchemaObject): 'object' | 'array' | undefined {
  if (telling.some((keyword) => Object.hasOwn(schema, keyword))) return undefined
  if (own(schema, 'properties') !== undefined) return 'object'
  return ['prefixItems', 'items'].some((keyword) => Object.hasOwn(schema, keyword)) ? 'array' : undefined
}

function open(type: 'object' | 'array', keys: readonly string[]): SchemaFault {
  const what = type === 'object' ? 'lists fields' : 'describes items'
  return {
    code: 'TG3036',
    severity: 'note',
    message:
      `The schema ${atPointer(pointerOf(keys))} ${what} without a \`type\`; in the dialect that \`$schema\` names it ` +
      "takes any other value too, so its type is open and OpenAI's strict mode is not available.",
    next: `Write \`type: '${type}'\`.`,
    trail: keys,
  }
}

function implied(type: 'object' | 'array', keys: readonly string[]): SchemaFault {
  const what = type === 'object' ? 'lists fields' : 'describes items'
  return {
    code: 'TG3036',
    severity: 'note',
    message: `The schema ${atPointer(pointerOf(keys))} ${what} without a \`type\`; it is read as \`type: '${type}'\`.`,
    next: `Write \`type: '${type}'\`.`,
    trail: keys,
  }
}
