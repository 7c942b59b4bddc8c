import { isToolgenError } from '@toolgen/runtime'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import type { Codec } from '../../../packages/runtime/src/types/codec.js'
import { disagreement, isJson, jsonText, textDisagreement } from './compare.js'
import { type CodecPair, codecPair, type SchemaCase } from './compiled-codecs.js'
import { mutatedText } from './mutated-text.js'
import { pickableCase } from './pickable-case.js'
import { Random } from './random.js'
import { formats, randomCase } from './random-schema.js'
import { likelyValue, randomJson, withUndefined } from './random-value.js'

/** Counts and faults of {@link runCases}. */
export interface Found {
  readonly schemas: number
  /** Number of schemas with a generated check. */
  readonly compiled: number
  /** Number of schemas with a generated writer too. */
  readonly written: number
  /** Number of schemas with a generated picker. */
  readonly picked: number
  readonly pairs: number
  /** Number of pairs with a valid value. */
  readonly valid: number
  /** Number of mutated texts that were decoded too. */
  readonly texts: number
  /** Number of mutated texts that are invalid JSON. */
  readonly malformed: number
  readonly faults: readonly string[]
}

const valuesPerSchema = 60

/** Compares codecs with random schemas and values until `goesOn` returns false. */
export function runCases(seed: number, goesOn: (pairs: number) => boolean): Found {
  const counts = {
    schemas: 0,
    compiled: 0,
    written: 0,
    picked: 0,

    pairs: 0,
    valid: 0,
    texts: 0,
    malformed: 0,
  }
  const found = { ...counts, faults: [] as string[] }
  for (let round = 0; goesOn(found.pairs) && found.faults.length < 10; round++) {
    const random = new Random(seed + round)
    const made = round % 3 === 2 ? pickableCase(randomCase(random)) : randomCase(random)
    const codecs = codecsOf(made)
    if (codecs === undefined) continue
    found.schemas++
    if (codecs.reject.compiled !== undefined) found.compiled++
    if (codecs.reject.writes) found.written++
    if (codecs.strip.unpicked !== undefined) found.picked++
    for (let index = 0; index < valuesPerSchema; index++) {
      const json = random.chance(0.85) ? likelyValue(random, made, 4) : randomJson(random, 2)
      const value = frozen(random.chance(0.15) ? withUndefined(random, json) : json)
      const text = mutatedText(random, jsonText(json))
      found.pairs++
      found.texts++
      if (!isJson(text)) found.malformed++
      const { fault, isValid } = judged(codecs, value, text)
      if (isValid) found.valid++
      if (fault === undefined) continue
      const functions = `${codecs.reject.text}`
      found.faults.push(`seed ${seed + round}: ${fault}\n${JSON.stringify(made)}\n${jsonText(value)}\n${functions}`)
      break
    }
  }
  return found
}

interface Codecs {
  readonly reject: CodecPair
  readonly strip: CodecPair
  readonly keep: CodecPair
  /**
   * Validates with Ajv. `undefined` for schemas that Ajv validates differently: it has neither typed values nor properties named `__proto__`, and
   * ignores that `items` next to `prefixItems` evaluates items.
   */
  readonly ajv: ((value: unknown) => boolean) | undefined
  /** True if the schema contains the keyword `contains`. */
  readonly containsIsAsked: boolean
  /**
   * True if a schema applies several schemas to one value. The interpreter then orders the fields of more objects than generated
   * code does, which only copies objects that can receive defaults.
   */
  readonly combines: boolean
}

/** Returns the codecs of a schema, or `undefined` for an invalid schema that directly references itself. */
function codecsOf(made: SchemaCase): Codecs | undefined {
  try {
    const reject = codecPair(made, 'reject')
    reject.interpreted.decode('null')
    const ajv = /"(?:__proto__|x-js|unevaluatedItems)"/.test(JSON.stringify(made)) ? undefined : ajvOf(made)
    const text = JSON.stringify(made)
    const containsIsAsked = text.includes('"contains"')
    const combines = /"(?:allOf|anyOf|oneOf|\$ref)"/.test(text)
    return { reject, strip: codecPair(made, 'strip'), keep: codecPair(made, 'keep'), ajv, containsIsAsked, combines }
  } catch (error) {
    if (isToolgenError(error, 'SchemaError')) return undefined
    throw error
  }
}

// One instance for all schemas, because compiling the meta-schema takes longer than compiling a schema.
const ajv = new Ajv2020({ strict: false, ownProperties: true, allErrors: false, unicodeRegExp: true })
ajvFormats.default(ajv, { formats: [...formats] as never, mode: 'full' })

function ajvOf({ schema, defs }: SchemaCase): (value: unknown) => boolean {
  if (typeof schema === 'boolean') return () => schema
  const whole = { ...schema, $defs: defs }
  const validate = ajv.compile(whole)
  ajv.removeSchema(whole)
  return (value) => validate(value) === true
}

/** Freezes plain arrays and objects deeply, so that a codec that changes its input throws. */
function frozen(value: unknown): unknown {
  const isContainer = Array.isArray(value) || Object.prototype.toString.call(value) === '[object Object]'
  if (!isContainer) return value
  for (const part of Object.values(Object(value))) frozen(part)
  return Object.freeze(value)
}

/** Returns the first fault for a value and a mutated text, and the validity of the value. */
function judged(codecs: Codecs, value: unknown, text: string): { readonly fault?: string; readonly isValid: boolean } {
  try {
    const fault = faultOf(codecs, value) ?? textFaultOf(codecs, text)
    const isValid = codecs.keep.interpreted.decodeValue(value).ok
    return fault === undefined ? { isValid } : { fault, isValid }
  } catch (error) {
    // The schema has a default that contains itself. The codec detects this when it adds the default. Designs have no such defaults.
    if (isToolgenError(error, 'SchemaError')) return { isValid: false }
    throw error
  }
}

function textFaultOf(codecs: Codecs, text: string): string | undefined {
  for (const unknown of ['reject', 'strip', 'keep'] as const) {
    const { compiled, interpreted } = codecs[unknown]
    const fault = compiled && textDisagreement(compiled, interpreted, text)
    if (fault !== undefined) return `${unknown}: ${text}: ${fault}`
  }
  return undefined
}

function faultOf(codecs: Codecs, value: unknown): string | undefined {
  for (const unknown of ['reject', 'strip', 'keep'] as const) {
    const { compiled, interpreted } = codecs[unknown]
    const fault = compiled && disagreement(compiled, interpreted, value)
    if (fault !== undefined) return `${unknown}: ${fault}`
  }
  const text = jsonText(value)
  for (const unknown of ['reject', 'strip'] as const) {
    const { compiled, unpicked } = codecs[unknown]
    if (unknown === 'reject' && codecs.combines) continue
    const order = unpicked && compiled && orderFault(compiled, unpicked, value)
    if (order !== undefined) return `${unknown}: ${order}`
  }
  // Ajv treats numbers from 1e21 on as multiples of nothing, and inherited names as evaluated.
  // If `contains` applies to several arrays, Ajv accepts an empty array after an earlier array had a match.
  if (codecs.containsIsAsked && text.includes('[]')) return undefined
  if (codecs.ajv === undefined || text.includes('e+21') || /"(?:__proto__|toString|constructor)"/.test(text))
    return undefined
  const verdicts = [codecs.keep.interpreted.decode(text).ok, codecs.ajv(JSON.parse(text))]
  return verdicts[0] === verdicts[1] ? undefined : `keep: ${verdicts[0]} against ${verdicts[1]} of Ajv`
}

/** Returns a difference in the order of properties between the generated picker and the runtime. */
function orderFault(picking: Codec<unknown>, completing: Codec<unknown>, value: unknown): string | undefined {
  const [one, other] = [picking, completing].map((codec) => {
    const decoded = [codec.decode(jsonText(value)), codec.decodeValue(value)]
    return JSON.stringify(decoded.map((answer) => (answer.ok ? answer.value : undefined)))
  })
  return one === other ? undefined : `the order of fields: ${one} against ${other}`
}
