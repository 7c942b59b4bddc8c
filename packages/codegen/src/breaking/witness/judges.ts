import type { Installed } from '../../installed/load-installed.js'
import { closedSchema } from '../../schema/canonical/closed-schema.js'
import type { Schema } from '../../schema/json/json-schema.js'
import type { Defs } from '../inclusion/spot.js'
import { type JudgeOptions, type ValueJudge, valueJudge } from './value-judge.js'
import type { Samples } from './value-maker.js'

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
