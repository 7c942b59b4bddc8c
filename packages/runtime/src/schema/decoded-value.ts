import {
  ArrayTrace,
  type Fallback,
  isKnownField,
  ObjectTrace,
  Run,
  ScalarTrace,
  type Trace,
  traceFor,
} from './evaluation.js'
import { cloneJson, type Fields, isContainer, isFields, setOwn } from './json-values.js'
import { SchemaError } from './keywords.js'
import { typedFromText } from './typed-values.js'
import { TypedPart } from './unwritable.js'

/** Options for completing a decoded value. */
interface Completion {
  readonly defaults: Defaults
  readonly keepsUnknown: boolean
}

/**
 * Makes the decoded value of a valid one: declared fields in declared order with their defaults, then the others;
 * undeclared fields left out, unless they are kept; texts whose type a schema names as that type. Parts without a trace
 * stay as they are.
 */
export function decodedValue(value: unknown, trace: Trace | undefined, completion: Completion): unknown {
  if (trace instanceof ObjectTrace && isFields(value)) return decodedFields(value, trace, completion)
  if (trace instanceof ArrayTrace && Array.isArray(value) && trace.children !== undefined) {
    return value.map((item, index) => decodedValue(item, trace.children?.get(index), completion))
  }
  return trace instanceof ScalarTrace ? typedValue(value, trace) : value
}

function typedValue(value: unknown, { type }: ScalarTrace): unknown {
  const text = value instanceof TypedPart ? value.text : value
  return type === undefined || typeof text !== 'string' ? value : typedFromText(type, text)
}

function decodedFields(given: Fields, trace: ObjectTrace, completion: Completion): unknown {
  const decoded: Record<string, unknown> = {}
  for (const table of trace.tables) {
    const hasDefaults = trace.hasDefaults(table)
    for (const { name, fallback } of table.fields) {
      if (Object.hasOwn(decoded, name)) continue
      if (Object.hasOwn(given, name)) {
        setOwn(decoded, name, decodedValue(given[name], trace.children?.get(name), completion))
      } else if (hasDefaults && fallback !== undefined) {
        const computed = completion.defaults.of(fallback, (part, learnt) => decodedValue(part, learnt, completion))
        if (computed === undefined) continue
        setOwn(decoded, name, computed.value)
        // What is written afterwards is to know the types within the default.
        if (computed.trace !== undefined) trace.adopt(name, computed.trace)
      }
    }
  }
  for (const key of Object.keys(given)) {
    if (Object.hasOwn(decoded, key) || !(completion.keepsUnknown || isKnownField(trace, key))) continue
    setOwn(decoded, key, decodedValue(given[key], trace.children?.get(key), completion))
  }
  return decoded
}

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
