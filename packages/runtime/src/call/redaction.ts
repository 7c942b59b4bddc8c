import { isFields } from '../schema/json-values.js'
import type { JsonText, JsonValue } from '../types/json.js'
import type { RunMeta } from '../types/planner.js'
import {
  audienceOf,
  type Entry,
  isShort,
  KnownValues,
  type PseudonymMap,
  type Reader,
  type ScopedValues,
} from './known-values.js'
import { coreOf, ID_LENGTH, isEncoded, isOfInvalidArguments, PSEUDONYM, urlEncoded } from './pseudonyms.js'
import {
  below,
  isSensitivePath,
  NONE,
  type PathNode,
  type SensitivePlan,
  type SensitiveValues,
  strictest,
  type Treatments,
  treatmentsOf,
} from './sensitive-plan.js'

const OMITTED = '[redacted]'

/** In messages and outcomes, the redaction does not change the values of properties with these names, because the values are fixed words or ids. */
const FIXED_WORDS: ReadonlySet<string> = new Set([
  ...['role', 'type', 'kind', 'status', 'reason', 'action', 'tool', 'toolName', 'constraint', 'format', 'expected'],
  ...['id', 'tool_call_id', 'toolCallId', 'parentToolCallId', 'chatId', 'callId', 'runId', 'parentRunId'],
  ...['sessionId', 'turnId', 'userId', 'namespaces', 'availableTools', 'suspendedAt', 'startedAt', 'durationMs'],
  ...['agent', 'call', 'version', 'signature', 'path', 'near', 'finishReason'],
])

/**
 * In messages and outcomes, properties with these names contain data of the application. Inside these data, the redaction also changes the properties
 * with the names in {@link FIXED_WORDS}.
 */
const APPLICATION_DATA: ReadonlySet<string> = new Set(['data', 'value', 'extra', 'info', 'example', 'annotations'])

/** In the message formats of model APIs, properties with these names contain arguments as an object. */
const ARGUMENTS: ReadonlySet<string> = new Set(['arguments', 'args', 'input'])

export type StoredPseudonym = readonly [value: JsonValue, pseudonym: string, treatments: Treatments]

export interface RunRedaction {
  readonly values: Redaction
  readonly planOf: (tool: string) => SensitivePlan | undefined
}

/**
 * A private property contains the sensitive values of the run, because a `WeakMap` from metadata to these values would make a short run 10 % slower.
 */
export class RedactedRunMeta implements Pick<RunMeta, 'runId' | 'agent' | 'labels' | 'signal'> {
  readonly runId: string
  readonly agent: string
  readonly labels: RunMeta['labels']
  readonly signal: AbortSignal
  readonly #values: Redaction | undefined
  readonly #tools: SensitiveTools

  constructor({ runId, agent, labels, signal }: RunMeta, values: Redaction | undefined, tools: SensitiveTools) {
    this.runId = runId
    this.agent = agent
    this.labels = labels
    this.signal = signal
    this.#values = values
    this.#tools = tools
  }

  /** The result is `undefined` if the run has no sensitive values, and for a copy of the metadata. */
  static redactionOf(meta: object): RunRedaction | undefined {
    if (!(#values in meta) || meta.#values === undefined) return undefined
    const tools = meta.#tools
    return { values: meta.#values, planOf: (tool) => tools.find(tool)?.tool.sensitive }
  }
}

interface SensitiveTools {
  find(name: string): { readonly tool: { readonly sensitive: SensitivePlan | undefined } } | undefined
}

const KEEPS_PSEUDONYMS: unique symbol = Symbol('keepsPseudonyms')

/** Marks an executor whose arguments a model or a program reads. Such a reader must not receive the sensitive values. */
export function keepingPseudonyms<Executor extends object>(executor: Executor): Executor {
  return Object.assign(executor, { [KEEPS_PSEUDONYMS]: true })
}

export function keepsPseudonyms(executor: object): boolean {
  return KEEPS_PSEUDONYMS in executor
}

/** Shared by all sessions, runs and calls without sensitive values, so no code may add a value. */
const NO_VALUES = new KnownValues()

/** The {@link KnownValues} object is created with the first value, because most calls have no sensitive value. */
export class Redaction {
  readonly #shared: PseudonymMap | undefined
  readonly #scoped: ScopedValues | undefined
  readonly #scope: string
  #values: KnownValues | undefined = undefined
  /** Value of `#scoped.added` at the last search. While `added` has this value, a new search would find nothing. */
  #searched = 0

  constructor(shared?: PseudonymMap, scoped?: ScopedValues, scope = '') {
    this.#shared = shared
    this.#scoped = scoped
    this.#scope = scope
  }

  /** No code may add a value to the returned object, because the object can be {@link NO_VALUES}. Use `#own` to add a value. */
  get #known(): KnownValues {
    const scoped = this.#scoped
    if (this.#values === undefined && scoped !== undefined && scoped.added !== this.#searched) {
      this.#searched = scoped.added
      this.#values = scoped.find(this.#scope)
    }
    return this.#values ?? NO_VALUES
  }

  /** Creates the {@link KnownValues} object if it does not exist, so only code of this class that adds a value reads this property. */
  get #own(): KnownValues {
    this.#values ??= this.#scoped?.use(this.#scope) ?? new KnownValues(this.#shared)
    return this.#values
  }

  get isEmpty(): boolean {
    return this.#known === NO_VALUES
  }

  hides(audience: Reader, plan?: SensitivePlan): boolean {
    return this.#known.isHiddenFrom(audience) || plan?.audiences.has(audienceOf(audience)) === true
  }

  learn(value: unknown, nodes: SensitiveValues): void {
    if (nodes.length > 0) this.#copy(value, undefined, nodes, 'value')
  }

  learnJson(json: JsonText, nodes: SensitiveValues): void {
    if (nodes.length === 0) return
    try {
      this.learn(JSON.parse(json), nodes)
    } catch {
      // `json` replaces the known values in such a text.
    }
  }

  /** Hides invalid arguments completely, because a sensitive value can be at any path. */
  learnArguments(sent: JsonText, plan: SensitivePlan | undefined): void {
    if (plan === undefined || Object.keys(plan.invalidArguments).length === 0) return
    try {
      const value: JsonValue = JSON.parse(sent)
      this.learn(value, plan.payload)
      if (isEmpty(value) || plan.hasFieldsInPlace(this.restore(value))) return
      // A driver may pass on the parsed arguments, or arguments that a model has encoded twice.
      if (typeof value === 'object' || /^\s*[{[]/.test(String(value))) this.#learnInvalid(value, plan)
    } catch {
      // The arguments are not JSON or nested too deep, or the schema of the tool is invalid. The call fails with this error.
    }
    this.#learnInvalid(sent, plan)
  }

  value<Value>(value: Value, audience: Reader, nodes: SensitiveValues = NONE): Value {
    return this.#copy(value, audience, nodes, 'value') as Value
  }

  /** Property names, and the values of properties such as `role` and `id`, do not change. */
  structure<Value>(value: Value, audience: Reader): Value {
    return this.#copy(value, audience, NONE, 'value', true) as Value
  }

  /**
   * Stores a text that must later be restored exactly, such as the state of an MCP server. If the text contains a sensitive value, redacted copies
   * hide the whole text, because a value that is replaced inside JSON cannot always be restored exactly.
   */
  learnOpaque(text: string): void {
    const audiences = [...this.#known.audiences].filter((audience) => this.#withHidden(text, audience) !== text)
    if (audiences.length === 0) return
    const treatments: Treatments = Object.fromEntries(audiences.map((audience) => [audience, 'omit']))
    this.#own.learnWhole(text, treatments)
  }

  /**
   * A redacted copy can still contain a sensitive value as the name of a property, or as the value of a property such as `role`, which the redaction
   * does not change.
   */
  canHideIn(structure: object): boolean {
    return [...this.#known.audiences].every((audience) => {
      const json = JSON.stringify(this.structure(structure, audience))
      return this.text(json, audience) === json
    })
  }

  arguments(sent: JsonText, audience: Reader, plan: SensitivePlan | undefined): JsonText {
    if (plan?.invalidArguments[audienceOf(audience)] !== undefined) this.learnArguments(sent, plan)
    return this.json(sent, audience, plan?.payload)
  }

  json(json: JsonText, audience: Reader, nodes: SensitiveValues = NONE): JsonText {
    if (!this.#known.isHiddenFrom(audience) && nodes.length === 0) return json
    const invalid = this.#known.findInvalidArguments(json)
    if (invalid?.treatments[audienceOf(audience)] !== undefined) return String(shownTo(audience, invalid))
    let parsed: unknown
    try {
      parsed = JSON.parse(json)
    } catch {
      return this.text(json, audience)
    }
    const copy = JSON.stringify(this.#copy(parsed, audience, nodes, 'value'))
    // Keeps the spacing of a text without sensitive values.
    return copy === JSON.stringify(parsed) ? json : copy
  }

  cutJson(json: JsonText, audience: Reader, nodes: SensitiveValues = NONE): JsonText {
    const [root] = nodes
    const cut: PathNode = { next: new Map(root === undefined ? [] : [['result', root]]), isDeep: false }
    return this.json(json, audience, [cut])
  }

  isSensitive(path: readonly string[], audience: Reader, nodes: SensitiveValues): boolean {
    return isSensitivePath(path, nodes, (treatments) => treatments[audienceOf(audience)] !== undefined)
  }

  text(text: string, audience: Reader): string {
    return this.#known.replaceIn(text, audience, (entry) => shownTo(audience, entry))
  }

  pendingLength(text: string): number {
    return this.#known.pendingLength(text)
  }

  messages<Message extends object>(messages: readonly Message[], audience: Reader): readonly Message[] {
    if (!this.#known.isHiddenFrom(audience)) return messages
    let isChanged = false
    const copies = messages.map((message) => {
      const known = audience === 'model' ? this.#known.messages.get(message) : undefined
      const copy = (known ?? unchanged(message, this.structure(message, audience))) as Message
      if (audience === 'model') this.#known.messages.set(message, copy)
      isChanged ||= copy !== message
      return copy
    })
    return isChanged ? Object.freeze(copies) : messages
  }

  /** A value replaces a JSON string that consists of its pseudonym, even if the value is a number. */
  restoreJson(json: JsonText): JsonText {
    if (!this.#hasPseudonym(json)) return json
    if (isOfInvalidArguments(json)) return String(this.#entryOf(json)?.value ?? json)
    try {
      return JSON.stringify(this.restore(JSON.parse(json)))
    } catch {
      return json
    }
  }

  unknownPseudonym(json: JsonText): string | undefined {
    if (!json.includes('_')) return undefined
    return json
      .match(PSEUDONYM)
      ?.find((found) => /redacted\.invalid|^<|^%/.test(found) && this.#entryOf(found) === undefined)
  }

  restore<Value>(value: Value): Value {
    return this.#restored(value, () => true) as Value
  }

  /**
   * In parts of the state that a model may read, keeps the pseudonyms of values that are hidden from models. The states of nested runs do not change,
   * because each nested run restores its own state.
   */
  restoreState<State>(state: State): State {
    return this.#restoredPart(state, '', false) as State
  }

  reveal<Part>(part: Part): Part {
    return this.#restoredPart(part, '', true) as Part
  }

  #restoredPart(part: unknown, key: string, isForPeople: boolean): unknown {
    if (FIXED_WORDS.has(key) || (key === 'nested' && !isForPeople)) return part
    if (Array.isArray(part)) return part.map((item) => this.#restoredPart(item, key, isForPeople))
    if (isPlain(part)) {
      // A model can have read the data.
      if (APPLICATION_DATA.has(key)) return this.#restored(part, ({ model }) => isForPeople || model === undefined)
      const entries = Object.entries(part)
      return Object.fromEntries(entries.map(([name, inner]) => [name, this.#restoredPart(inner, name, isForPeople)]))
    }
    if (typeof part !== 'string' || !this.#hasPseudonym(part)) return part
    // No model reads these parts. A server must receive its state unchanged.
    const isWhole = isForPeople || key === 'data' || key === 'adapted' || key === 'requestState'
    const isRestored = (treatments: Treatments) => isWhole || treatments.model === undefined
    if (!/^\s*[{["]/.test(part)) return this.#restored(part, isRestored)
    try {
      return JSON.stringify(this.#restored(JSON.parse(part), isRestored))
    } catch {
      return this.#restored(part, isRestored)
    }
  }

  #restored(value: unknown, isRestored: (treatments: Treatments) => boolean): unknown {
    if (!this.#hasPseudonyms) return value
    return mapStrings(value, (text) => {
      if (!this.#hasPseudonym(text)) return text
      const whole = isEncoded(text) ? undefined : this.#entryOf(text)
      if (whole !== undefined) return isRestored(whole.treatments) ? whole.value : text
      const isInJson = /^\s*[{[]/.test(text) && isJson(text)
      return text.replace(PSEUDONYM, (found) => {
        const entry = this.#entryOf(found)
        if (entry === undefined || !isRestored(entry.treatments)) return found
        const value = typeof entry.value === 'string' ? entry.value : JSON.stringify(entry.value)
        if (isEncoded(found)) return urlEncoded(value)
        return isInJson ? JSON.stringify(value).slice(1, -1) : value
      })
    })
  }

  /**
   * Numbers the pseudonyms, so that recordings of equal runs are equal.
   *
   * @param numbers numbers of earlier pseudonyms; the method adds new numbers in the order of the first occurrences
   */
  numbered<Value>(value: Value, numbers: Map<string, number>): Value {
    return mapStrings(value, (text) => {
      if (!this.#hasPseudonym(text)) return text
      return text.replace(PSEUDONYM, (found) => {
        const core = coreOf(found)
        if (this.#entryOf(found) === undefined) return found
        const number = numbers.get(core) ?? numbers.size + 1
        numbers.set(core, number)
        return found.replace(/[a-f\d]{12}(?=$|>|@|%)/, String(number).padStart(ID_LENGTH, '0'))
      })
    }) as Value
  }

  stored(isStored: (treatments: Treatments) => boolean): readonly StoredPseudonym[] {
    return this.#known.entries
      .filter(({ treatments }) => isStored(treatments))
      .map(({ value, pseudonym, treatments }) => [value, pseudonym, treatments])
  }

  load(stored: readonly StoredPseudonym[]): void {
    for (const [value, pseudonym, treatments] of stored) this.#own.add({ value, pseudonym, treatments })
  }

  get #hasPseudonyms(): boolean {
    return this.#known.hasPseudonyms || (this.#shared?.size ?? 0) > 0
  }

  #hasPseudonym(text: string): boolean {
    if (!this.#hasPseudonyms) return false
    // Every pseudonym contains one of these characters.
    return (text.includes('_') || text.includes('-')) && text.search(PSEUDONYM) >= 0
  }

  #entryOf(pseudonym: string): Entry | undefined {
    return this.#known.findPseudonym(pseudonym) ?? this.#shared?.get(coreOf(pseudonym))
  }

  #copy(
    value: unknown,
    audience: Reader | undefined,
    nodes: SensitiveValues,
    name: string,
    isStructure = false,
    inherited?: Treatments,
  ): unknown {
    const own = treatmentsOf(nodes)
    const treatments = own === undefined ? inherited : strictest(inherited, own)
    if (value === null || value === undefined) return value
    if (isStructure && audience !== undefined && typeof value === 'object' && ARGUMENTS.has(name)) {
      const invalid = this.#known.findInvalidArguments(value)
      if (invalid?.treatments[audienceOf(audience)] !== undefined) return shownTo(audience, invalid)
    }
    if (Array.isArray(value)) {
      return value.map((item, index) =>
        this.#copy(item, audience, below(nodes, String(index)), name, isStructure, treatments),
      )
    }
    if (isPlain(value)) {
      const entries = Object.entries(value).map(([key, inner]) => {
        if (isStructure && (FIXED_WORDS.has(key) || (audience === 'state' && key === 'nested'))) return [key, inner]
        const isInner = isStructure && !APPLICATION_DATA.has(key)
        const copy = this.#copy(inner, audience, below(nodes, key), key, isInner, treatments)
        return [isStructure || audience === undefined ? key : this.text(key, audience), copy]
      })
      return Object.fromEntries(entries)
    }
    if (treatments !== undefined) {
      const leaf = leafOf(value)
      const entry = leaf === undefined || leaf === '' ? undefined : this.#own.learnProperty(leaf, name, treatments)
      if (audience === undefined) return value
      if (entry?.treatments[audienceOf(audience)] !== undefined) return shownTo(audience, entry)
      // Bytes have no pseudonym.
      if (entry === undefined && value !== '' && treatments[audienceOf(audience)] !== undefined) return OMITTED
    }
    if (audience === undefined) return value
    const leaf = isStructure || !this.#known.hasShort ? undefined : leafOf(value)
    const short = leaf === undefined ? undefined : this.#known.findShort(name, leaf)
    if (short?.treatments[audienceOf(audience)] !== undefined) return shownTo(audience, short)
    return this.#withHidden(value, audience)
  }

  #withHidden(value: unknown, audience: Reader): unknown {
    if (typeof value === 'string') {
      const entry = value.length < 100 ? this.#known.findPseudonym(value) : undefined
      if (audience !== 'state' && entry?.treatments[audience] === 'omit') return shownTo(audience, entry)
      const invalid = this.#known.findInvalidArguments(value)
      if (invalid?.treatments[audienceOf(audience)] !== undefined) return shownTo(audience, invalid)
      // A number in a JSON text becomes a string.
      if (/^\s*[{[]/.test(value)) return this.json(value, audience)
      // The data of a file contains no text.
      return value.startsWith('data:') ? value : this.text(value, audience)
    }
    if (typeof value !== 'number' || isShort(value)) return value
    const entry = this.#known.find(value)
    return entry?.treatments[audienceOf(audience)] === undefined ? value : shownTo(audience, entry)
  }

  #learnInvalid(value: JsonValue, plan: SensitivePlan): void {
    // The text `{` or `""` has no values, and would be found in other arguments.
    if (typeof value === 'string' && !/[^\s{}[\]"]/.test(value)) return
    this.#own.learnWhole(value, plan.invalidArguments)
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function shownTo(reader: Reader, { value, pseudonym, treatments }: Entry): JsonValue {
  if (reader !== 'state' && isOfInvalidArguments(pseudonym))
    return typeof value === 'string' ? JSON.stringify(OMITTED) : Array.isArray(value) ? [] : {}
  return reader === 'state' || treatments[reader] === 'pseudonym' ? pseudonym : OMITTED
}

function isEmpty(value: JsonValue): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isEmpty)
  return value === '' || value === null || typeof value === 'boolean'
}

function leafOf(value: unknown): JsonValue | undefined {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
      return value
    case 'bigint':
      return String(value)
    default:
      return value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : undefined
  }
}

function isPlain(value: unknown): value is object {
  return isFields(value) && !(value instanceof Date) && !ArrayBuffer.isView(value) && !(value instanceof ArrayBuffer)
}

function unchanged<Value>(value: Value, copy: Value): Value {
  return JSON.stringify(value) === JSON.stringify(copy) ? value : Object.freeze(copy)
}

function mapStrings(value: unknown, map: (text: string) => unknown): unknown {
  if (typeof value === 'string') return map(value)
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, map))
  if (!isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [String(map(key)), mapStrings(inner, map)]))
}
