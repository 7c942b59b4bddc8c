import type { $ZodType, $ZodTypes } from 'zod/v4/core'
import type { SchemaFault } from '../json/schema-fault.js'
import { isSameConstant } from '../json/wire-text.js'
import { isBufferCheck } from './bytes-check.js'
import { buffer, coercion, flags, notJson, transforms, unstable, untyped } from './library-faults.js'
import type { Direction } from './library-schema.js'
import { checksOf, type ZodCheck } from './zod4-string-check.js'
import { foreignJsType, zod4JsType } from './zod4-typed.js'

/** What a Zod 4 schema says that JSON Schema does not carry. */
export interface Zod4Finding {
  readonly faults: readonly SchemaFault[]
  /** A check in code, which the application can run. */
  readonly refined: boolean
}

const noJson: ReadonlyMap<string, string> = new Map([
  ['symbol', 'a symbol'],
  ['undefined', '`undefined`'],
  ['void', '`void`'],
  ['map', 'a Map'],
  ['set', 'a Set'],
  ['nan', 'NaN'],
  ['function', 'a function'],
  ['promise', 'a promise'],
  ['file', 'a File'],
])

/** Formats of Zod without a pattern that JSON Schema's own `format` carries. */
const carriedFormats: readonly string[] = ['url']

/** Formats of Zod whose pattern says only part of the rule. */
const checksums: readonly string[] = ['credit_card', 'iban']

/**
 * Examines one schema of a Zod 4 schema tree; the schemas inside it are examined one by one.
 *
 * @param json what Zod made of it
 */
export function examineZod4(
  schema: $ZodType,
  json: { readonly [key: string]: unknown },
  direction: Direction,
  trail: readonly string[],
): Zod4Finding {
  const { def } = (schema as $ZodTypes)._zod
  const faults: SchemaFault[] = []
  const unlike = noJson.get(def.type)
  if (unlike !== undefined) faults.push(notJson(unlike, trail))
  const changing = direction === 'input' ? changesValues(schema) : undefined
  if (changing === 'a coercion') faults.push(coercion(zod4JsType(schema), trail))
  else if (changing !== undefined) faults.push(transforms(changing, trail))
  if (def.type === 'transform' && direction === 'output') faults.push(untyped(trail))
  if ((def.type === 'default' || def.type === 'prefault') && !isStable(() => def.defaultValue)) {
    faults.push(unstable(trail))
  }
  const flagged = checksOf(schema).find((check) => /[ims]/.test(check.pattern?.flags ?? ''))
  if (flagged?.pattern !== undefined) faults.push(flags(flagged.pattern, trail))
  if (def.type === 'literal' && def.values.some((value) => typeof value === 'bigint')) {
    faults.push(notJson('a bigint as a literal', trail))
  }
  const foreign = foreignJsType(schema, json, trail)
  if (foreign !== undefined) faults.push(foreign)
  const described = ['type', 'enum', 'const', 'anyOf', '$ref'].some((key) => Object.hasOwn(json, key))
  if (def.type === 'custom' && !described) {
    faults.push(isBufferCheck(def.fn) ? buffer(trail) : notJson('a custom type', trail))
  }
  // Bounds of dates and bigints are no bounds of texts.
  const type = zod4JsType(schema)
  const refined = type === undefined ? def.type === 'custom' || checksOf(schema).some(isInCode) : isBounded(schema)
  return { faults, refined }
}

function isInCode({ check, format = '', pattern, protocol, hostname }: ZodCheck): boolean {
  if (check === 'custom' || check === 'property') return true
  if (check !== 'string_format') return false
  if (checksums.includes(format) || protocol !== undefined || hostname !== undefined) return true
  return pattern === undefined && !carriedFormats.includes(format)
}

/** Whether a schema of a typed value demands more than its type. */
function isBounded(schema: $ZodType): boolean {
  const { def } = schema._zod
  const isFormat = 'format' in def && def.format !== undefined
  return isFormat || (def.checks ?? []).some(({ _zod }) => _zod.def.check !== 'overwrite')
}

/** What changes a value between what is sent and what the schema yields. */
function changesValues(schema: $ZodType): string | undefined {
  const { def } = (schema as $ZodTypes)._zod
  if (def.type === 'transform') return 'a transform'
  if (def.type === 'pipe') {
    if (schema._zod.traits.has('$ZodCodec')) return 'a codec'
    return [def.in, def.out].some((side) => side._zod.def.type === 'transform') ? 'a transform' : 'a pipe'
  }
  if (def.type === 'catch') return '`.catch()`'
  if ('coerce' in def && def.coerce === true) return 'a coercion'
  return checksOf(schema).some((check) => check.check === 'overwrite') ? 'a change such as `.trim()`' : undefined
}

function isStable(read: () => unknown): boolean {
  return isSameConstant(read(), read())
}
