import type { Dialect } from '../../canonical/dialect.js'
import { isObject, own, withKey, without } from '../../json/json.js'
import type { Json, Schema, SchemaObject } from '../../json/json-schema.js'
import { mapSubschemas } from '../../json/keywords.js'
import { pointerOf } from '../../json/pointer.js'
import { atPointer, type Converted, type SchemaFault } from '../../json/schema-fault.js'
import { withNull } from './with-null.js'

/** What OpenAPI says of a schema to other tools: it restricts nothing. */
const forOtherTools: readonly string[] = ['discriminator', 'xml', 'externalDocs']

/**
 * Reads what OpenAPI 3.0 and 3.1 add to JSON Schema: `nullable` (of 3.0, so not where `$schema` names a dialect),
 * `example`, and `discriminator`, `xml` and `externalDocs`, which restrict nothing and go.
 *
 * @param schema in the forms of 2020-12
 */
export function readOpenApi(schema: Schema, { declared }: Pick<Dialect, 'declared'>): Converted<Schema> {
  const faults: SchemaFault[] = []
  const read = (part: Schema, keys: readonly string[]): Schema => {
    if (typeof part === 'boolean') return part
    const inside = mapSubschemas(part, (subschema, inner) => read(subschema, [...keys, ...inner]))
    const plain = withExamples(withoutForeign(inside))
    const nullable = own(plain, 'nullable')
    if (declared || typeof nullable !== 'boolean') return plain
    const bare = without(plain, ['nullable'])
    const { schema: wider, change } = nullable ? withNull(bare) : { schema: bare, change: undefined }
    if (change !== undefined) faults.push(readNullable(change, keys))
    return wider
  }
  return { value: read(schema, []), faults }
}

function withoutForeign(schema: SchemaObject): SchemaObject {
  const foreign = forOtherTools.filter((keyword) => isObject(own(schema, keyword)))
  return foreign.length === 0 ? schema : without(schema, foreign)
}

function withExamples(schema: SchemaObject): SchemaObject {
  const example = own(schema, 'example')
  if (example === undefined) return schema
  const bare = without(schema, ['example'])
  const examples: readonly Json[] = [example]
  return Object.hasOwn(bare, 'examples') ? bare : withKey(bare, 'examples', examples)
}

function readNullable(change: string, keys: readonly string[]): SchemaFault {
  return {
    code: 'TG3035',
    severity: 'note',
    message: `\`nullable\` ${atPointer(pointerOf(keys))} is read as OpenAPI 3.0 means it: ${change}.`,
    next: "In JSON Schema write `type: ['string', 'null']`, or `anyOf` with `{ type: 'null' }`.",
    trail: [...keys, 'nullable'],
  }
}
