import type { Installed } from '../dev/installed-runtime.js'
import { closedSchema } from '../schema/definitions.js'
import { isObject, type Json, type Schema } from '../schema/json-schema.js'
import type { Defs } from './flatten.js'
import type { Samples } from './witness-values.js'

/** One thing that is wrong with a value. */
export interface Fault {
  /** JSON Pointer into the value; of a field that is missing or unknown it leads to that field. */
  readonly pointer: string
  /** The name of the broken constraint, as issues of the runtime have it. */
  readonly constraint: string
}

/** What a codec makes of a value; nothing where it cannot read its schema. */
type Judgement =
  | { readonly kind: 'taken'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly faults: readonly Fault[] }
  | { readonly kind: 'unknown' }

/** Decodes values, each once. */
export interface ValueJudge {
  /** Whether some value may take without end, by some pattern of the schema. */
  readonly mayBeSlow: boolean
  readonly judge: (value: Json) => Judgement
}

/** What the codec of a judge is made of. */
interface JudgeOptions {
  readonly schema: Schema
  /** What becomes of undeclared fields. Default: that of the codec. */
  readonly unknown?: 'reject'
}

/**
 * A judge by a codec of the installed runtime, which generated code uses too.
 *
 * @param makeCodec `payloadCodec` or `resultCodec`
 */
function valueJudge(makeCodec: Installed, options: JudgeOptions): ValueJudge {
  const codec: unknown = Reflect.apply(makeCodec, undefined, [options])
  const decode: unknown = isObject(codec) ? Reflect.get(codec, 'decode') : undefined
  if (typeof decode !== 'function') throw new TypeError('the installed runtime makes no codec')
  const known = new Map<string, Judgement>()
  return {
    mayBeSlow: JSON.stringify(options.schema).includes('"pattern'),
    judge: (value) => {
      const text = JSON.stringify(value)
      const judged = known.get(text) ?? judgementOf(() => Reflect.apply(decode, codec, [text]))
      known.set(text, judged)
      return judged
    },
  }
}

function judgementOf(decode: () => unknown): Judgement {
  try {
    const decoded = decode()
    if (!isObject(decoded)) throw new TypeError('a codec of the installed runtime decodes nothing')
    if (decoded.ok === true) return { kind: 'taken', value: decoded.value }
    const issues: readonly unknown[] = Array.isArray(decoded.issues) ? decoded.issues : []
    return { kind: 'refused', faults: issues.flatMap(faultIn) }
  } catch (error) {
    // A lock may have schemas that no design can have.
    if (error instanceof Error && error.name === 'SchemaError') return { kind: 'unknown' }
    throw error
  }
}

function faultIn(issue: unknown): readonly Fault[] {
  return isObject(issue) ? [{ pointer: String(issue.path), constraint: String(issue.constraint) }] : []
}

/** A tool is compared in both directions, one after the other; then its judges are not needed any more. */
const mostKept = 8

/** The judges of schemas over the same definitions: to make one costs more than most of what it decides. */
export class Judges {
  readonly defs: Defs
  /** Values that searches have made of the schemas. */
  readonly samples: Samples = new WeakMap()
  readonly #makeCodec: Installed
  readonly #kept = new Map<string, Map<Schema, ValueJudge>>()

  /** @param makeCodec `payloadCodec` or `resultCodec` */
  constructor(defs: Defs, makeCodec: Installed) {
    this.defs = defs
    this.#makeCodec = makeCodec
  }

  /** The judge of a schema, the same for the same one as long as it is kept. */
  of(schema: Schema, unknown?: JudgeOptions['unknown']): ValueJudge {
    const kept = this.#kept.get(unknown ?? '') ?? new Map<Schema, ValueJudge>()
    this.#kept.set(unknown ?? '', kept)
    const known = kept.get(schema)
    if (known !== undefined) return known
    const [oldest] = kept.keys()
    if (oldest !== undefined && kept.size >= mostKept) kept.delete(oldest)
    const options = { schema: closedSchema(schema, this.defs), ...(unknown !== undefined && { unknown }) }
    const made = valueJudge(this.#makeCodec, options)
    kept.set(schema, made)
    return made
  }
}
