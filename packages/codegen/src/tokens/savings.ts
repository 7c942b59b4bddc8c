import { isObject, own } from '../schema/json/json.js'
import type { Json, Schema, SchemaObject } from '../schema/json/json-schema.js'
import { eachSubschema } from '../schema/json/keywords.js'
import type { CountTokens } from './load-counter.js'

/** Something in a tool's definition that could be left out or said shorter. */
export interface Saving {
  /** In words: `` the description of `lines[].sku` ``. */
  readonly what: string
  /** How many tokens it is now. */
  readonly tokens: number
}

/** Below these nobody wants to hear of it. */
const least = 24
const most = 5

/** The dearest parts of a definition. */
export function savingsOf(description: string, schema: SchemaObject, count: CountTokens): readonly Saving[] {
  const parts = partsOf(schema)
  const found = [
    { what: 'the description of the tool', tokens: count(description) },
    ...parts.flatMap((part) => textSavings(part, count)),
    ...repeated(parts, count),
  ]
  const worth = found.filter(({ tokens }) => tokens >= least)
  // Equal sizes stay in the order of the schema.
  return worth.sort((a, b) => b.tokens - a.tokens).slice(0, most)
}

interface Part {
  readonly path: string
  readonly schema: SchemaObject
}

function partsOf(root: SchemaObject): readonly Part[] {
  const found: Part[] = []
  const visit = (schema: Schema, path: string): void => {
    if (typeof schema === 'boolean') return
    found.push({ path, schema })
    eachSubschema(schema, (inner, keys) => visit(inner, pathBelow(path, keys)))
  }
  visit(root, '')
  return found
}

function pathBelow(path: string, [keyword = '', name = '']: readonly string[]): string {
  if (keyword === 'items' || keyword === 'prefixItems') return `${path}[]`
  if (keyword === '$defs') return name
  const isField = keyword === 'properties' || keyword === 'patternProperties'
  if (!isField) return path
  return path === '' ? name : `${path}.${name}`
}

function textSavings({ path, schema }: Part, count: CountTokens): readonly Saving[] {
  const of = path === '' ? 'the arguments' : `\`${path}\``
  const described = own(schema, 'description')
  const examples = own(schema, 'examples')
  const values = own(schema, 'enum')
  return [
    ...(typeof described === 'string' ? [{ what: `the description of ${of}`, tokens: count(described) }] : []),
    ...(examples === undefined ? [] : [{ what: `the examples of ${of}`, tokens: count(JSON.stringify(examples)) }]),
    ...(Array.isArray(values) && values.length > 8
      ? [{ what: `the ${values.length} choices of ${of}`, tokens: count(JSON.stringify(values)) }]
      : []),
  ]
}

/** Objects and choices that stand in several places; a definition would say them once. */
function repeated(parts: readonly Part[], count: CountTokens): readonly Saving[] {
  const byText = new Map<string, string[]>()
  for (const { path, schema } of parts) {
    if (!isObject(own<Json>(schema, 'properties')) && own(schema, 'enum') === undefined) continue
    const text = JSON.stringify(schema)
    byText.set(text, [...(byText.get(text) ?? []), path])
  }
  return [...byText].flatMap(([text, [first = '', second, ...others]]) => {
    if (second === undefined) return []
    const more = others.length === 0 ? '' : ` and in ${others.length} more places`
    return [
      { what: `the same schema at \`${first}\`, at \`${second}\`${more}`, tokens: count(text) * (others.length + 1) },
    ]
  })
}
