import type { JsonValue } from '../types/json.js'
import type { Audience } from '../types/tool.js'
import { coreOf, INVALID_ARGUMENTS, isOfInvalidArguments, newPseudonym, urlEncoded, wordOf } from './pseudonyms.js'
import { strictest, type Treatments } from './sensitive-plan.js'

/**
 * `state`, the stored state of a run or session, receives the values of the audience `recording`, but a pseudonym for each value that `recording`
 * omits, because an omitted value could not be restored.
 */
export type Reader = Audience | 'state'

export interface Entry {
  readonly value: JsonValue
  readonly pseudonym: string
  treatments: Treatments
}

interface Occurrence {
  readonly text: string
  readonly entry: Entry
  readonly isWord: boolean
}

/** A shorter string is not searched in texts, because it would match by chance. */
const SHORTEST = 4
const SHORTEST_NUMBER = 6
/** A longer value is found even as a part of a word. */
const LONGEST_WORD = 12

export class KnownValues {
  readonly #byValue = new Map<string, Entry>()
  readonly #byPseudonym = new Map<string, Entry>()
  readonly #occurrences = new Map<string, Occurrence[]>()
  readonly #firstCodes = new Set<number>()
  #longest = 0
  readonly #byField = new Map<string, Entry>()
  /** Also contains other values that are hidden as a whole. */
  readonly #invalidArguments = new Map<string, Entry>()
  readonly #hidden = new Set<Audience>()
  /** The map is replaced when a new value could change the redacted copies. */
  messages: WeakMap<object, unknown> = new WeakMap()
  readonly #shared: PseudonymMap | undefined

  constructor(shared?: PseudonymMap) {
    this.#shared = shared
  }

  get entries(): readonly Entry[] {
    return [...this.#byValue.values()]
  }

  get hasPseudonyms(): boolean {
    return this.#byPseudonym.size > 0
  }

  get audiences(): ReadonlySet<Audience> {
    return this.#hidden
  }

  isHiddenFrom(reader: Reader): boolean {
    return this.#hidden.has(audienceOf(reader))
  }

  find(value: JsonValue): Entry | undefined {
    return this.#byValue.get(JSON.stringify(value))
  }

  findPseudonym(pseudonym: string): Entry | undefined {
    return this.#byPseudonym.size === 0 ? undefined : this.#byPseudonym.get(coreOf(pseudonym))
  }

  /** A value that is too short for a search in texts is sensitive only in properties with the name `name`. */
  findShort(name: string, value: JsonValue): Entry | undefined {
    return this.#byField.get(fieldKey(name, value))
  }

  get hasShort(): boolean {
    return this.#byField.size > 0
  }

  findInvalidArguments(value: unknown): Entry | undefined {
    return this.#invalidArguments.size === 0 ? undefined : this.#invalidArguments.get(JSON.stringify(value))
  }

  replaceIn(text: string, reader: Reader, replace: (entry: Entry) => JsonValue): string {
    if (!this.isHiddenFrom(reader)) return text
    let result = ''
    let copied = 0
    for (let at = 0; at + SHORTEST <= text.length; at += 1) {
      if (!this.#firstCodes.has(text.charCodeAt(at))) continue
      const found = this.#occurrenceAt(text, at, audienceOf(reader))
      if (found === undefined) continue
      result += text.slice(copied, at) + replace(found.entry)
      copied = at + found.text.length
      at = copied - 1
    }
    return copied === 0 ? text : result + text.slice(copied)
  }

  #occurrenceAt(text: string, at: number, audience: Audience): Occurrence | undefined {
    return this.#occurrences
      .get(text.slice(at, at + SHORTEST))
      ?.find(
        (each) =>
          each.entry.treatments[audience] !== undefined &&
          text.startsWith(each.text, at) &&
          !(each.isWord && isInsideWord(text, at, at + each.text.length)),
      )
  }

  /** Number of characters at the end of `text` that can be the beginning of a known value. */
  pendingLength(text: string): number {
    for (let length = Math.min(this.#longest - 1, text.length); length > 0; length -= 1) {
      const start = text.slice(text.length - length)
      const candidates =
        length >= SHORTEST
          ? (this.#occurrences.get(start.slice(0, SHORTEST)) ?? [])
          : [...this.#occurrences.values()].flat()
      if (candidates.some((each) => each.text.length > length && each.text.startsWith(start))) return length
    }
    return 0
  }

  learn(value: JsonValue, name: string, treatments: Treatments): Entry {
    const known = (typeof value === 'string' ? this.findPseudonym(value) : undefined) ?? this.find(value)
    const entry = known ?? this.add({ value, pseudonym: newPseudonym(value, name), treatments })
    if (known !== undefined) {
      const joined = strictest(known.treatments, treatments)
      if (JSON.stringify(joined) !== JSON.stringify(known.treatments)) this.messages = new WeakMap()
      known.treatments = joined
      this.#hideFrom(joined)
    }
    return entry
  }

  learnProperty(value: JsonValue, name: string, treatments: Treatments): Entry {
    const entry = this.learn(value, name, treatments)
    const key = isShort(entry.value) ? fieldKey(name, entry.value) : undefined
    if (key !== undefined && !this.#byField.has(key)) {
      this.#byField.set(key, entry)
      this.messages = new WeakMap()
    }
    return entry
  }

  learnWhole(value: JsonValue, treatments: Treatments): void {
    this.#invalidArguments.set(JSON.stringify(value), this.learn(value, INVALID_ARGUMENTS, treatments))
  }

  add(entry: Entry): Entry {
    const { value, pseudonym, treatments } = entry
    const known = this.find(value)
    if (known !== undefined) {
      this.#byPseudonym.set(coreOf(pseudonym), known)
      return known
    }
    this.#byValue.set(JSON.stringify(value), entry)
    this.#byPseudonym.set(coreOf(pseudonym), entry)
    this.#shared?.set(coreOf(pseudonym), entry)
    if (isOfInvalidArguments(pseudonym)) this.#invalidArguments.set(JSON.stringify(value), entry)
    // A stored pseudonym starts with the name of the field.
    if (isShort(value)) this.#byField.set(fieldKey(coreOf(pseudonym).replace(/_.*/, ''), value), entry)
    this.#hideFrom(treatments)
    this.messages = new WeakMap()
    for (const occurrence of occurrencesOf(entry)) {
      const start = occurrence.text.slice(0, SHORTEST)
      const others = this.#occurrences.get(start) ?? []
      others.push(occurrence)
      others.sort((a, b) => b.text.length - a.text.length)
      this.#occurrences.set(start, others)
      this.#firstCodes.add(start.charCodeAt(0))
      this.#longest = Math.max(this.#longest, occurrence.text.length)
    }
    return entry
  }

  #hideFrom(treatments: Treatments): void {
    for (const audience of Object.keys(treatments) as Audience[]) {
      if (this.#hidden.has(audience)) continue
      this.#hidden.add(audience)
      this.messages = new WeakMap()
    }
  }
}

const MAX_SCOPES = 10_000

/** A session or run without sensitive values has no entry. */
export class ScopedValues {
  readonly #scopes = new Map<string, KnownValues>()
  /** Code that found no entry for a session or run searches again only after this number has changed. */
  added = 0

  /** Marks the values as recently used. */
  find(scope: string): KnownValues | undefined {
    const values = this.#scopes.get(scope)
    if (values !== undefined) this.#keep(scope, values)
    return values
  }

  use(scope: string): KnownValues {
    const found = this.find(scope)
    if (found !== undefined) return found
    this.added += 1
    return this.#keep(scope, new KnownValues())
  }

  #keep(scope: string, values: KnownValues): KnownValues {
    this.#scopes.delete(scope)
    this.#scopes.set(scope, values)
    if (this.#scopes.size > MAX_SCOPES) {
      const [oldest] = this.#scopes.keys()
      if (oldest !== undefined) this.#scopes.delete(oldest)
    }
    return values
  }
}

const MAX_SHARED = 100_000

export class PseudonymMap extends Map<string, Entry> {
  override set(core: string, entry: Entry): this {
    super.set(core, entry)
    const [oldest] = this.keys()
    if (this.size > MAX_SHARED && oldest !== undefined) this.delete(oldest)
    return this
  }
}

export function audienceOf(reader: Reader): Audience {
  return reader === 'state' ? 'recording' : reader
}

function occurrencesOf(entry: Entry): readonly Occurrence[] {
  const { value } = entry
  if (isShort(value)) return []
  if (typeof value !== 'string') return [{ text: String(value), entry, isWord: true }]
  const inJson = JSON.stringify(value).slice(1, -1)
  const forms = new Set([value, inJson, JSON.stringify(inJson).slice(1, -1), urlEncoded(value)])
  const isWord = value.length <= LONGEST_WORD && /^\w+$/.test(value)
  return [...forms].map((text) => ({ text, entry, isWord }))
}

export function isShort(value: JsonValue): boolean {
  if (typeof value === 'string') return value.length < SHORTEST
  return typeof value !== 'number' || String(value).length < SHORTEST_NUMBER
}

function fieldKey(name: string, value: JsonValue): string {
  return `${wordOf(name)} ${JSON.stringify(value)}`
}

function isInsideWord(text: string, start: number, end: number): boolean {
  return /[\p{L}\p{N}]/u.test(text[start - 1] ?? '') || /[\p{L}\p{N}]/u.test(text[end] ?? '')
}
