import type { Fallback } from '../evaluate/object-table.js'
import { Run } from '../evaluate/run.js'
import { SchemaError } from '../evaluate/schema-error.js'
import { type Trace, traceFor } from '../evaluate/trace.js'
import { cloneJson } from '../json/clone.js'
import { isContainer } from '../json/kind.js'

/** A default as it is put into a value; `undefined` where it breaks its own schema. */
type Computed = { readonly value: unknown; readonly trace: Trace | undefined } | undefined

/** Completes a valid value by its trace. */
type Complete = (value: unknown, trace: Trace | undefined) => unknown

/** Computes the defaults of one codec, each once and when it is first needed. */
export class Defaults {
  readonly #computed: Map<Fallback, Computed> = new Map()
  readonly #underWay: Set<Fallback> = new Set()

  /**
   * The default of a field, completed by the defaults within it; a new value each time. A default that breaks its own
   * schema is none: the decoded value would not be what its type says.
   *
   * @throws {SchemaError} when the default contains itself without end.
   */
  of(fallback: Fallback, complete: Complete): Computed {
    if (!this.#computed.has(fallback)) this.#computed.set(fallback, this.#compute(fallback, complete))
    const computed = this.#computed.get(fallback)
    return computed === undefined ? undefined : { value: cloneJson(computed.value), trace: computed.trace }
  }

  #compute(fallback: Fallback, complete: Complete): Computed {
    const { node } = fallback
    if (this.#underWay.has(fallback)) {
      throw new SchemaError(`${node.pointer}/default`, 'the default contains itself by way of its own defaults.')
    }
    const value = cloneJson(fallback.value)
    const trace = isContainer(value) || node.typed ? traceFor(value) : undefined
    const run = new Run({ faulty: false, rejectsUnknown: false })
    run.quiet = true
    if (!node.check(value, run, trace)) return undefined
    this.#underWay.add(fallback)
    try {
      return { value: complete(value, trace), trace }
    } finally {
      this.#underWay.delete(fallback)
    }
  }
}
