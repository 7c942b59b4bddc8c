import { type JsType, wireForms } from '../json/js-type.js'
import type { SchemaObject } from '../json/json-schema.js'
import { isBufferCheck, isBytesCheck } from './bytes-check.js'

/** A type that may be written as a bare name. */
interface PlainDefinition {
  readonly typeName?: string
  readonly checks?: readonly unknown[]
}

/** What tells a typed value in a Zod 3 definition. */
export interface Zod3TypedDefinition {
  readonly typeName?: string
  readonly schema?: { readonly _def: { readonly typeName?: string } }
  readonly innerType?: { readonly _def: PlainDefinition }
  readonly options?:
    | readonly { readonly _def: PlainDefinition }[]
    | ReadonlyMap<unknown, { readonly _def: PlainDefinition }>
  readonly effect?: { readonly type: string; readonly refinement?: (value: unknown, context: unknown) => unknown }
}

/** The JavaScript type whose wire form stands for a Zod 3 schema: `z.date()`, `z.bigint()`, `z.instanceof(Uint8Array)`. */
export function zod3JsType(def: Zod3TypedDefinition & object): JsType | undefined {
  if (def.typeName === 'ZodDate') return 'Date'
  if (def.typeName === 'ZodBigInt') return 'bigint'
  return isInstanceOfBytes(def) ? 'Uint8Array' : undefined
}

/** Whether a Zod 3 schema is `z.instanceof(Buffer)`. */
export function isInstanceOfBuffer(def: Zod3TypedDefinition & object): boolean {
  const check = instanceCheck(def)
  return check !== undefined && isBufferCheck(check)
}

function isInstanceOfBytes(def: Zod3TypedDefinition): boolean {
  const check = instanceCheck(def)
  return check !== undefined && isBytesCheck(check)
}

/** `z.instanceof` is a refinement of "anything". */
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

/**
 * A choice among plain types of which one is a bigint. The converter writes it as a list of types, in which the bigint is
 * an integer. `undefined` for every other schema.
 */
export function choiceWithBigint(def: Zod3TypedDefinition & object): SchemaObject | undefined {
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
