import type { JsType } from '@toolgen/runtime/schema'
import type { ZodTypeAny, ZodTypeDef } from 'zod/v3'
import { zodToJsonSchema } from 'zod-to-json-schema'
import { type Converted, hasErrors, isSchema, type SchemaDiagnostic, type SchemaObject } from '../json-schema.js'
import { toJson } from '../json-values.js'
import { modernize } from '../modernize.js'
import { holdsTyped, isSameConstant, wireForms, withWireTexts } from '../typed-values.js'
import {
  buffer,
  coercion,
  type Direction,
  emptySchema,
  flags,
  isBufferCheck,
  isBytesCheck,
  type LibrarySchema,
  noJson,
  notConverted,
  notJson,
  transforms,
  unstable,
  untyped,
} from './library.js'

interface Definition extends ZodTypeDef, Zod3TypedDefinition {
  readonly coerce?: boolean
  readonly unknownKeys?: string
  readonly catchall?: { readonly _def: Definition }
  readonly checks?: readonly { readonly kind: string; readonly regex?: RegExp }[]
  readonly defaultValue?: () => unknown
}

export function isZod3(value: unknown): value is ZodTypeAny {
  if (typeof value !== 'object' || value === null || '_zod' in value || !('_def' in value)) return false
  const def = value._def
  return typeof def === 'object' && def !== null && 'typeName' in def
}

export function fromZod3(schema: ZodTypeAny, direction: Direction): Converted<LibrarySchema> {
  const diagnostics: SchemaDiagnostic[] = []
  const refinements: (readonly string[])[] = []
  let converted: unknown
  try {
    converted = zodToJsonSchema(schema, {
      pipeStrategy: direction,
      postProcess: (json, def, refs) => {
        const trail = refs.currentPath.filter((_, index) => refs.currentPath[index - 1] === 'properties')
        diagnostics.push(...examine(def, direction, trail))
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
    return { diagnostics: [...diagnostics, notConverted(error)] }
  }
  const copied = toJson(converted)
  if (!copied.ok || !isSchema(copied.json)) diagnostics.push(notConverted('the result is not a schema'))
  if (!copied.ok || !isSchema(copied.json) || hasErrors(diagnostics)) return { diagnostics }
  const result = modernize(copied.json)
  const empty = typeof result !== 'boolean' && Object.keys(result).every((key) => key === '$schema')
  const { typeName }: Definition = schema._def
  if (empty && typeName !== 'ZodAny' && typeName !== 'ZodUnknown')
    return { diagnostics: [...diagnostics, emptySchema('Zod 3')] }
  return { value: { schema: result, refinements }, diagnostics }
}

function examine(def: Definition, direction: Direction, trail: readonly string[]): readonly SchemaDiagnostic[] {
  const diagnostics: SchemaDiagnostic[] = []
  const unlike = noJson.get(def.typeName?.slice('Zod'.length).toLowerCase() ?? '')
  if (unlike !== undefined) diagnostics.push(notJson(unlike, trail))
  const changing = direction === 'input' ? changesValues(def) : undefined
  if (changing === 'a coercion') diagnostics.push(coercion(zod3JsType(def), trail))
  else if (changing !== undefined) diagnostics.push(transforms(changing, trail))
  if (isInstanceOfBuffer(def)) diagnostics.push(buffer(trail))
  if (direction === 'output' && isEffect(def, 'transform')) diagnostics.push(untyped('a transform', trail))
  const [first, second] = def.typeName === 'ZodDefault' ? [def.defaultValue?.(), def.defaultValue?.()] : []
  if (!isSameConstant(first, second)) diagnostics.push(unstable(trail))
  const flagged = listOf(def.checks).find((check) => /[ims]/.test(check.regex?.flags ?? ''))
  if (flagged?.regex !== undefined) diagnostics.push(flags(flagged.regex, trail))
  return diagnostics
}

function changesValues(def: Definition): string | undefined {
  if (isEffect(def, 'transform') || isEffect(def, 'preprocess')) return 'a transform'
  if (def.typeName === 'ZodPipeline') return 'a pipe'
  if (def.typeName === 'ZodCatch') return '`.catch()`'
  if (def.coerce === true) return 'a coercion'
  const changes = listOf(def.checks).some(({ kind }) => ['trim', 'toLowerCase', 'toUpperCase'].includes(kind))
  return changes ? 'a transformation such as `.trim()`' : undefined
}

function isEffect(def: Definition, type: string): boolean {
  return def.typeName === 'ZodEffects' && def.effect?.type === type
}

function annotationsOf(json: object | undefined): object {
  return Object.fromEntries(Object.entries(json ?? {}).filter(([key]) => key === 'description' || key === 'title'))
}

/**
 * `zod-to-json-schema` writes `additionalProperties: false` for a schema that accepts and removes unknown keys. The converter must remove this
 * keyword, because the keyword would reject unknown keys.
 */
function dropsUnknownKeys(def: Definition): boolean {
  return def.typeName === 'ZodObject' && def.unknownKeys === 'strip' && def.catchall?._def.typeName === 'ZodNever'
}

function listOf<T>(value: readonly T[] | undefined): readonly T[] {
  return Array.isArray(value) ? value : []
}

interface PlainDefinition {
  readonly typeName?: string
  readonly checks?: readonly unknown[]
}

interface Zod3TypedDefinition {
  readonly typeName?: string
  readonly schema?: { readonly _def: { readonly typeName?: string } }
  readonly innerType?: { readonly _def: PlainDefinition }
  readonly options?:
    | readonly { readonly _def: PlainDefinition }[]
    | ReadonlyMap<unknown, { readonly _def: PlainDefinition }>
  readonly effect?: { readonly type: string; readonly refinement?: (value: unknown, context: unknown) => unknown }
}

function zod3JsType(def: Zod3TypedDefinition & object): JsType | undefined {
  if (def.typeName === 'ZodDate') return 'Date'
  if (def.typeName === 'ZodBigInt') return 'bigint'
  return isInstanceOfBytes(def) ? 'Uint8Array' : undefined
}

function isInstanceOfBuffer(def: Zod3TypedDefinition & object): boolean {
  const check = instanceCheck(def)
  return check !== undefined && isBufferCheck(check)
}

function isInstanceOfBytes(def: Zod3TypedDefinition): boolean {
  const check = instanceCheck(def)
  return check !== undefined && isBytesCheck(check)
}

/** In Zod 3, `z.instanceof` is a refinement of `z.any()`. */
function instanceCheck({ typeName, schema, effect }: Zod3TypedDefinition): ((value: unknown) => unknown) | undefined {
  if (typeName !== 'ZodEffects' || effect?.type !== 'refinement' || schema?._def.typeName !== 'ZodAny') return undefined
  return (value) => {
    let passes = true
    const refuse = (): void => {
      passes = false
    }
    const answer = effect.refinement?.(value, { addIssue: refuse, path: [] })
    return answer instanceof Promise ? answer : passes
  }
}

const bareTypes: ReadonlyMap<string | undefined, SchemaObject> = new Map<string, SchemaObject>([
  ['ZodString', { type: 'string' }],
  ['ZodNumber', { type: 'number' }],
  ['ZodBoolean', { type: 'boolean' }],
  ['ZodNull', { type: 'null' }],
  ['ZodBigInt', wireForms.bigint],
])

/** For a union with a bigint, `zod-to-json-schema` would replace the bigint with `integer`. */
function choiceWithBigint(def: Zod3TypedDefinition & object): SchemaObject | undefined {
  const parts = plainParts(def)
  const variants = parts.flatMap(({ typeName, checks }): readonly SchemaObject[] => {
    const bare = checks?.length ? undefined : bareTypes.get(typeName)
    return bare === undefined ? [] : [bare]
  })
  return variants.length === parts.length && variants.includes(wireForms.bigint) ? { anyOf: variants } : undefined
}

function plainParts({ typeName, innerType, options = [] }: Zod3TypedDefinition): readonly PlainDefinition[] {
  if (typeName === 'ZodNullable' && innerType !== undefined) return [innerType._def, { typeName: 'ZodNull' }]
  return typeName === 'ZodUnion' ? [...options.values()].map(({ _def }) => _def) : []
}
