import {
  Ajv2020,
  type AnySchema,
  type ErrorObject,
  type KeywordDefinition,
  type ValidateFunction,
} from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { inTime } from '../timers.js'
import { type JsType, jsTypeOf } from './js-type.js'
import { pointerStep } from './json-pointer.js'
import { isObject, type Json, objectFrom, own, type Schema, sameJson } from './json-schema.js'
import { rulesOnly } from './keywords.js'
import { definitionsUsed } from './references.js'
import { resolveShape, type Shape, shapeOf } from './shape.js'
import { isWireText } from './wire-text.js'

/** What is said of an error. */
type SaidError = Pick<ErrorObject, 'keyword' | 'instancePath' | 'params' | 'message'>

/** One way in which a value does not fit a schema. */
export interface ValueFault {
  /** JSON Pointer into the value. */
  readonly pointer: string
  /** What is wrong, with the facts needed to repair it. */
  readonly message: string
}

/** Makes what texts are tried against; a pattern that gives up throws a {@link SlowPatternError}. */
type MakePattern = (pattern: string, flags: string) => { test(text: string): boolean; toString(): string }

/** Tests values against schemas over the same definitions. */
export type CheckValue = (schema: Schema, value: Json) => readonly ValueFault[]

/**
 * A schema whose names are no Unicode text is held to its declared fields alone.
 *
 * @param unknownFields `refuse`: an object that declares fields and says nothing about others has no others, as in
 *   payloads; `allow`: as JSON Schema has it
 * @param makePattern throws a `SyntaxError` for what is no pattern. Default: those of the engine, which try without a limit
 *   in time
 */
export function valueChecker(
  defs: Readonly<Record<string, Schema>>,
  unknownFields: 'refuse' | 'allow',
  makePattern: MakePattern = (pattern, flags) => new RegExp(pattern, flags),
): CheckValue {
  const validators = new Map<string, ValidateFunction | undefined>()
  const compile = compiler(defs, makePattern)
  return (schema, value) => {
    const rules = rulesOnly(schema)
    const key = JSON.stringify(rules)
    const validate = validators.has(key) ? validators.get(key) : compile(rules)
    validators.set(key, validate)
    const errors = validate === undefined ? [] : errorsOf(validate, value)
    const extra = unknownFields === 'refuse' ? undeclaredFields(value, schema, defs) : []
    const faults = [
      ...errors.map((error) => ({ pointer: error.instancePath, message: said(error) })),
      ...extra.map(({ pointer, field }) => noField(pointer, field)),
    ]
    return [...new Map(faults.map((fault) => [`${fault.pointer} ${fault.message}`, fault])).values()]
  }
}

/** What a text is to be, by the type that `x-js` names. */
const toolNames: { readonly [Type in JsType]: string } = {
  Date: 'a date-time that a Date can hold',
  bigint: 'a whole number in decimal digits',
  Uint8Array: 'base64 with its padding',
}

/** The keyword that says which JavaScript type a text has. */
const typeKeyword: KeywordDefinition = {
  keyword: 'x-js',
  type: 'string',
  validate: (name: unknown, text: string) => {
    const type = jsTypeOf({ 'x-js': String(name) })
    return type === undefined || isWireText(type, text)
  },
  error: { message: ({ schema }) => `must be ${toolNames[jsTypeOf({ 'x-js': String(schema) }) ?? 'Date']}` },
}

/** A value that cannot be tried in time is taken for one that does not fit. */
function errorsOf(validate: ValidateFunction, value: Json): readonly SaidError[] {
  try {
    return validate(value) ? [] : tellingErrors(validate.errors ?? [])
  } catch (error) {
    if (!(error instanceof SlowPatternError)) throw error
    const message = `must match pattern ${JSON.stringify(error.pattern)}, which takes too long to try`
    return [{ keyword: 'pattern', instancePath: '', params: {}, message }]
  }
}

function noField(pointer: string, field: string): ValueFault {
  return { pointer, message: `there is no field \`${field}\`` }
}

/**
 * Compiles schemas over the same definitions, each into code of its own, which is slow; making the compiler costs more
 * than using it. There is no code for a schema whose names are no Unicode text (half a surrogate pair).
 */
function compiler(
  defs: Readonly<Record<string, Schema>>,
  makePattern: MakePattern,
): (schema: Schema) => ValidateFunction | undefined {
  const readers = new Map<boolean, Ajv2020>()
  // What the code of a schema would say in a file; it never stands in one.
  const regExp = Object.assign((pattern: string, flags: string) => makePattern(pattern, flags), { code: 'makePattern' })
  const readerFor = (unicodeRegExp: boolean): Ajv2020 => {
    const known = readers.get(unicodeRegExp)
    if (known !== undefined) return known
    const options = {
      allErrors: true,
      strict: false,
      logger: false,
      validateSchema: false,
      ownProperties: true,
      // A schema is used for an example or two: optimising its code costs more than it saves.
      code: { optimize: false, regExp },
    } as const
    const ajv = new Ajv2020({ ...options, unicodeRegExp })
    addFormats.default(ajv)
    ajv.addKeyword(typeKeyword)
    readers.set(unicodeRegExp, ajv)
    return ajv
  }
  const compiled = (schema: AnySchema): ValidateFunction => {
    try {
      return readerFor(true).compile(schema)
    } catch (error) {
      // Patterns are Unicode patterns; where one is not, the schema is read as older validators do.
      if (error instanceof SyntaxError) return readerFor(false).compile(schema)
      throw error
    }
  }
  return (schema) => {
    // Reading definitions that nothing here refers to costs more than compiling what does.
    const used = definitionsUsed(schema, defs)
    const whole = used.length === 0 || typeof schema === 'boolean' ? schema : { ...schema, $defs: pick(defs, used) }
    try {
      return compiled(whole)
    } catch (error) {
      // The compiler writes names as parts of addresses.
      if (error instanceof URIError) return undefined
      throw error
    }
  }
}

function pick(defs: Readonly<Record<string, Schema>>, names: readonly string[]): Readonly<Record<string, Schema>> {
  return objectFrom(names.map((name) => [name, own(defs, name) ?? true] as const))
}

/** The errors at the deepest places: those of a union say less than those of its variants. */
function tellingErrors(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const telling = errors.filter(({ keyword }) => !['anyOf', 'oneOf', 'if'].includes(keyword))
  return telling.length === 0 ? errors : telling
}

function said(error: SaidError): string {
  const facts: Readonly<Record<string, unknown>> = error.params
  switch (error.keyword) {
    case 'required':
      return `\`${facts['missingProperty']}\` is missing`
    case 'additionalProperties':
      return `there is no field \`${facts['additionalProperty']}\``
    case 'unevaluatedProperties':
      return `there is no field \`${facts['unevaluatedProperty']}\``
    case 'enum':
      return `must be one of ${JSON.stringify(facts['allowedValues'])}`
    case 'const':
      return `must be ${JSON.stringify(facts['allowedValue'])}`
    default:
      return error.message ?? `breaks \`${error.keyword}\``
  }
}

/** A field that a value has and its schema does not declare. */
interface UnknownField {
  /** JSON Pointer of the object that has the field. */
  readonly pointer: string
  readonly field: string
}

type Defs = Readonly<Record<string, Schema>>

/**
 * The fields that no schema declares, in objects that say nothing about other fields: payloads refuse them. Of a union
 * the variant counts to which the value comes nearest.
 */
function undeclaredFields(value: Json, schema: Schema, defs: Defs): readonly UnknownField[] {
  return fieldsIn(value, shapeOf(schema, defs), '', defs)
}

function fieldsIn(value: Json, shape: Shape, pointer: string, defs: Defs): readonly UnknownField[] {
  const resolved = resolveShape(shape, defs)
  if (resolved.kind === 'union') return nearestVariant(value, resolved, pointer, defs)
  if (Array.isArray(value)) {
    return value.flatMap((item: Json, index) => {
      const inner = resolved.kind === 'array' ? resolved.items : tupleItem(resolved, index)
      return inner === undefined ? [] : fieldsIn(item, inner, pointer + pointerStep(index), defs)
    })
  }
  if (!isObject(value) || resolved.kind !== 'object') return []
  return Object.entries(value).flatMap(([field, item]) => {
    const declared = resolved.fields.find(({ name }) => name === field)?.shape ?? resolved.additional
    return declared === undefined ? [{ pointer, field }] : fieldsIn(item, declared, pointer + pointerStep(field), defs)
  })
}

function tupleItem(shape: Shape, index: number): Shape | undefined {
  return shape.kind === 'tuple' ? (shape.items[index] ?? shape.rest) : undefined
}

function nearestVariant(
  value: Json,
  union: Extract<Shape, { kind: 'union' }>,
  pointer: string,
  defs: Defs,
): readonly UnknownField[] {
  const fitting = union.variants.filter((variant) => mayBe(value, variant, union.discriminator, defs))
  const found = fitting.map((variant) => fieldsIn(value, variant, pointer, defs))
  return found.reduce((best, next) => (next.length < best.length ? next : best), found[0] ?? [])
}

/** Whether a value is of a variant's kind and has its discriminator. */
function mayBe(value: Json, variant: Shape, discriminator: string | undefined, defs: Defs): boolean {
  const shape = resolveShape(variant, defs)
  if (shape.kind === 'union') return shape.variants.some((inner) => mayBe(value, inner, shape.discriminator, defs))
  if (Array.isArray(value)) return shape.kind === 'array' || shape.kind === 'tuple'
  if (!isObject(value)) return false
  if (shape.kind !== 'object' || discriminator === undefined) return shape.kind === 'object'
  const field = shape.fields.find(({ name }) => name === discriminator)?.shape
  const given = Object.hasOwn(value, discriminator) ? value[discriminator] : undefined
  return field?.kind !== 'literals' || (given !== undefined && field.values.some((allowed) => sameJson(allowed, given)))
}

/** A pattern that cannot be tried in time: it looks for ever more ways to take the same text apart. */
export class SlowPatternError extends Error {
  override readonly name = 'SlowPatternError'
  readonly pattern: string

  constructor(pattern: string) {
    super(`the pattern ${JSON.stringify(pattern)} takes too long to try`)
    this.pattern = pattern
  }
}

/** Texts that a pattern with one repetition takes are tried in far less than the time that there is. */
const shortText = 10_000

/** Makes regular expressions that give up: whoever wrote a pattern may not know how long it can take. */
export const timelyPattern: MakePattern = (pattern, flags) => new TimelyPattern(pattern, flags)

/** A regular expression that gives up. */
class TimelyPattern {
  readonly #expression: RegExp
  readonly #isPlain: boolean
  #isSlow = false

  /** @throws `SyntaxError` where it is no pattern */
  constructor(pattern: string, flags: string) {
    this.#expression = new RegExp(pattern, flags)
    this.#isPlain = (pattern.match(/[*+?{|]/g) ?? []).length <= 1
  }

  /** @throws {@link SlowPatternError} where the time is up; then for every further text, too */
  test(text: string): boolean {
    if (this.#isPlain && text.length <= shortText) return this.#expression.test(text)
    const tried = this.#isSlow ? undefined : inTime(() => this.#expression.test(text))
    if (tried?.isDone === true) return tried.value
    this.#isSlow = true
    throw new SlowPatternError(this.#expression.source)
  }

  toString(): string {
    return String(this.#expression)
  }
}
