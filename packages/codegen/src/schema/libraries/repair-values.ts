import { deepEqual } from '@toolgen/runtime/schema'
import { isObject, isSchema, type Json, own, type SchemaObject, withKey, without } from '../json-schema.js'
import { guess, type Report, repaired, shown } from './repair-report.js'

/** Returns `undefined` if `enum` contains an array, because its values then describe the array itself and not the items. */
function itemValuesOf(schema: SchemaObject): readonly Json[] | undefined {
  const [values, types] = [own(schema, 'enum'), typesOf(schema)]
  if (!Array.isArray(values) || !types.includes('array')) return undefined
  if (types.some((type) => type !== 'array' && type !== 'null')) return undefined
  const ofItems = values.filter((value: Json) => value !== null || !types.includes('null'))
  return ofItems.length === 0 || ofItems.some((value: Json) => Array.isArray(value)) ? undefined : ofItems
}

export function moveItemValues(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  const ofItems = itemValuesOf(schema)
  if (ofItems === undefined) return schema
  const items = own(schema, 'items') ?? {}
  const facts = { kind: 'enum', keys, keyword: 'enum' } as const
  if (!isObject(items) || ['enum', 'const', '$ref'].some((keyword) => own(items, keyword) !== undefined)) {
    const what = `the values ${shown(ofItems)} of \`enum\` are not arrays, so no array is valid`
    report(
      guess({
        ...facts,
        what,
        next: 'Remove `enum` and add the allowed values to `items`, or list only arrays in `enum`.',
      }),
    )
    return schema
  }
  const what = `the values ${shown(ofItems)} of \`enum\` are not arrays; they were moved to the items`
  report(repaired({ ...facts, what, next: 'Move `enum` to `items`.' }))
  const [type, ...otherTypes] = [...new Set(ofItems.map(typeOf))]
  const isTyped = own(items, 'type') !== undefined || otherTypes.length > 0 || type === undefined
  const typed = isTyped ? items : { type, ...items }
  return withKey(without(schema, ['enum']), 'items', withKey(typed, 'enum', ofItems))
}

export function repairEnum(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  const values = own(schema, 'enum')
  const types = typesOf(schema)
  if (!Array.isArray(values) || types.length === 0) return schema
  if (itemValuesOf(schema) !== undefined) return schema
  if (values.every((value: Json) => types.some((type) => isOfType(value, type)))) return schema
  const facts = { kind: 'enum', keys, keyword: 'enum' } as const
  if (types.some((type) => type === 'array' || type === 'object')) {
    const next = types.includes('array') ? 'Move `enum` to `items`.' : 'Move `enum` to the field that has these values.'
    report(guess({ ...facts, what: `the values of \`enum\` are not of the type ${shown(asType(types))}`, next }))
    return schema
  }
  const read = values.map(
    (value: Json) => types.map((type) => asOfType(value, type)).find((of) => of !== undefined) ?? value,
  )
  const unique = read.filter((value, index) => read.findIndex((other) => deepEqual(other, value)) === index)
  const others = unique.filter((value) => !types.some((type) => isOfType(value, type)))
  const allTypes = [...new Set([...types, ...others.map(typeOf)])]
  const what =
    `the values ${shown(values)} of \`enum\` contradict the type ${shown(asType(types))}; ` +
    `they are read as ${shown(unique)} of type ${shown(asType(allTypes))}`
  report(repaired({ ...facts, what, next: `Make \`type\` and \`enum\` agree.` }))
  return withKey(withKey(schema, 'enum', unique), 'type', asType(allTypes))
}

export function repairDefault(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  const value = own(schema, 'default')
  if (value === undefined || fits(value, schema)) return schema
  const [type] = typesOf(schema)
  const meant = type === undefined ? undefined : asOfType(value, type)
  const fitting = meant !== undefined && fits(meant, schema) ? `write \`default: ${JSON.stringify(meant)}\`` : undefined
  const nullable = value === null ? `write \`type: ['${type ?? 'string'}', 'null']\` if null may be sent` : undefined
  const advice = fitting ?? nullable ?? 'let the schema allow it if it may be sent'
  const why = `it does not match ${Array.isArray(own(schema, 'enum')) ? '`enum`' : `the type ${shown(asType(typesOf(schema)))}`}`
  report(
    repaired({
      kind: 'default',
      keys,
      keyword: 'default',
      what: `the default ${shown(value)} was dropped: ${why}`,
      next: `Remove the default and describe in the description what happens without a value, or ${advice}.`,
    }),
  )
  return without(schema, ['default'])
}

function fits(value: Json, schema: SchemaObject): boolean {
  const types = typesOf(schema)
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) return false
  const values = own(schema, 'enum')
  if (Array.isArray(values) && !values.some((allowed: Json) => deepEqual(allowed, value))) return false
  const items = own(schema, 'items')
  if (!Array.isArray(value) || !isSchema(items) || !isObject(items)) return true
  return value.every((item: Json) => fits(item, items))
}

function typesOf(schema: SchemaObject): readonly string[] {
  const type = own(schema, 'type')
  const names = Array.isArray(type) ? type : [type]
  return names.filter((name): name is string => typeof name === 'string')
}

function asType(types: readonly string[]): Json {
  const [only, ...others] = types
  return others.length === 0 ? (only ?? []) : types
}

function typeOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value
}

function isOfType(value: Json, type: string): boolean {
  return type === 'integer' ? Number.isInteger(value) : typeOf(value) === type
}

function asOfType(value: Json, type: string): Json | undefined {
  if (isOfType(value, type)) return value
  if (type === 'string') return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
  if (typeof value !== 'string') return undefined
  if (type === 'boolean') return /^(?:true|false)$/i.test(value) ? /^true$/i.test(value) : undefined
  if (type !== 'integer' && type !== 'number') return undefined
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(value)) return undefined
  return isOfType(Number(value), type) ? Number(value) : undefined
}
