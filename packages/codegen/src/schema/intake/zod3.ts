import type { ZodTypeAny, ZodTypeDef } from 'zod/v3'
import { zodToJsonSchema } from 'zod-to-json-schema'
import { modernise } from '../canonical/modernise.js'
import { wireForms } from '../json/js-type.js'
import { isSchema } from '../json/json.js'
import { type Converted, hasErrors, type SchemaFault } from '../json/schema-fault.js'
import { toJson } from '../json/to-json.js'
import { holdsTyped, isSameConstant, withWireTexts } from '../json/wire-text.js'
import {
  buffer,
  coercion,
  emptySchema,
  flags,
  notConverted,
  notJson,
  transforms,
  unstable,
  untyped,
} from './library-faults.js'
import type { Direction, LibrarySchema } from './library-schema.js'
import { choiceWithBigint, isInstanceOfBuffer, type Zod3TypedDefinition, zod3JsType } from './zod3-typed.js'

/** What is read of a Zod 3 definition; each type has some of it. */
interface Definition extends ZodTypeDef, Zod3TypedDefinition {
  readonly coerce?: boolean
  readonly unknownKeys?: string
  readonly catchall?: { readonly _def: Definition }
  readonly checks?: readonly { readonly kind: string; readonly regex?: RegExp }[]
  readonly defaultValue?: () => unknown
}

const noJson: ReadonlyMap<string | undefined, string> = new Map([
  ['ZodSymbol', 'a symbol'],
  ['ZodUndefined', '`undefined`'],
  ['ZodVoid', '`void`'],
  ['ZodMap', 'a Map'],
  ['ZodSet', 'a Set'],
  ['ZodNaN', 'NaN'],
  ['ZodFunction', 'a function'],
  ['ZodPromise', 'a promise'],
])

/** Whether a value is a schema of Zod 3. */
export function isZod3(value: unknown): value is ZodTypeAny {
  if (typeof value !== 'object' || value === null || '_zod' in value || !('_def' in value)) return false
  const def = value._def
  return typeof def === 'object' && def !== null && 'typeName' in def
}

/** Converts by `zod-to-json-schema`; what JSON Schema cannot carry becomes a fault. */
export function fromZod3(schema: ZodTypeAny, direction: Direction): Converted<LibrarySchema> {
  const faults: SchemaFault[] = []
  const refinements: (readonly string[])[] = []
  let converted: unknown
  try {
    converted = zodToJsonSchema(schema, {
      pipeStrategy: direction,
      postProcess: (json, def, refs) => {
        const trail = refs.currentPath.filter((_, index) => refs.currentPath[index - 1] === 'properties')
        faults.push(...examine(def, direction, trail))
        const { checks }: Definition = def
        const type = zod3JsType(def)
        const isRefined = type === undefined ? isEffect(def, 'refinement') : listOf(checks).length > 0
        if (isRefined) refinements.push(trail)
        if (type !== undefined) return { ...annotationsOf(json), ...wireForms[type] }
        const choice = choiceWithBigint(def)
        if (choice !== undefined) return { ...annotationsOf(json), ...choice }
        if (json !== undefined && 'default' in json && holdsTyped(json.default)) {
          return { ...json, default: withWireTexts(json.default) }
        }
        return json !== undefined && dropsUnknownKeys(def) && 'additionalProperties' in json
          ? { ...json, additionalProperties: undefined }
          : json
      },
    })
  } catch (error) {
    return { faults: [...faults, notConverted(error)] }
  }
  const copied = toJson(converted)
  if (!copied.ok || !isSchema(copied.json)) faults.push(notConverted('it became no schema'))
  if (!copied.ok || !isSchema(copied.json) || hasErrors(faults)) return { faults }
  const result = modernise(copied.json)
  const empty = typeof result !== 'boolean' && Object.keys(result).every((key) => key === '$schema')
  const { typeName }: Definition = schema._def
  if (empty && typeName !== 'ZodAny' && typeName !== 'ZodUnknown') return { faults: [...faults, emptySchema('Zod 3')] }
  return { value: { schema: result, refinements }, faults }
}

function examine(def: Definition, direction: Direction, trail: readonly string[]): readonly SchemaFault[] {
  const faults: SchemaFault[] = []
  const unlike = noJson.get(def.typeName)
  if (unlike !== undefined) faults.push(notJson(unlike, trail))
  const changing = direction === 'input' ? changesValues(def) : undefined
  if (changing === 'a coercion') faults.push(coercion(zod3JsType(def), trail))
  else if (changing !== undefined) faults.push(transforms(changing, trail))
  if (isInstanceOfBuffer(def)) faults.push(buffer(trail))
  if (direction === 'output' && isEffect(def, 'transform')) faults.push(untyped(trail))
  const [first, second] = def.typeName === 'ZodDefault' ? [def.defaultValue?.(), def.defaultValue?.()] : []
  if (!isSameConstant(first, second)) faults.push(unstable(trail))
  const flagged = listOf(def.checks).find((check) => /[ims]/.test(check.regex?.flags ?? ''))
  if (flagged?.regex !== undefined) faults.push(flags(flagged.regex, trail))
  return faults
}

function changesValues(def: Definition): string | undefined {
  if (isEffect(def, 'transform') || isEffect(def, 'preprocess')) return 'a transform'
  if (def.typeName === 'ZodPipeline') return 'a pipe'
  if (def.typeName === 'ZodCatch') return '`.catch()`'
  if (def.coerce === true) return 'a coercion'
  const changes = listOf(def.checks).some(({ kind }) => ['trim', 'toLowerCase', 'toUpperCase'].includes(kind))
  return changes ? 'a change such as `.trim()`' : undefined
}

function isEffect(def: Definition, type: string): boolean {
  return def.typeName === 'ZodEffects' && def.effect?.type === type
}

/** What people read of a schema, apart from what the converter says about its values. */
function annotationsOf(json: object | undefined): object {
  return Object.fromEntries(Object.entries(json ?? {}).filter(([key]) => key === 'description' || key === 'title'))
}

/** An object that says nothing about other keys drops them; the converter writes that as a refusal. */
function dropsUnknownKeys(def: Definition): boolean {
  return def.typeName === 'ZodObject' && def.unknownKeys === 'strip' && def.catchall?._def.typeName === 'ZodNever'
}

function listOf<T>(value: readonly T[] | undefined): readonly T[] {
  return Array.isArray(value) ? value : []
}
