import type { JsonKind } from '../types/codec.js'
import type { JsonSchema, JsonValue } from '../types/json.js'
import { Run } from './evaluation.js'
import { prepareInterpreter } from './interpreter.js'
import { copyJson } from './json-copy.js'
import { equalityKey, type Fields, setOwn } from './json-values.js'
import {
  countKeyword,
  entriesKeyword,
  flagKeyword,
  keyword,
  listKeyword,
  namesKeyword,
  numberKeyword,
  schemaObject,
  textKeyword,
} from './keywords.js'
import { patternExamples } from './pattern-examples.js'
import { readDocument, type SchemaDocument } from './prepare.js'
import type { Located } from './references.js'

/**
 * Returns a small value that is valid for a schema and has no undeclared fields. Returns `undefined` if no value is found. Prefers values from the
 * schema: `const`, `enum`, `examples`, `default`, or a description with `e.g. A-1001`. If the schema has no such value, creates one from types,
 * bounds, formats and simple patterns. Objects get only their required fields.
 *
 * @throws {SchemaError} for the same schemas as {@link prepareSchema}
 * @example
 * const id = { type: 'string', description: 'Order number, e.g. A-1001' }
 * exampleOf({ type: 'object', properties: { id }, required: ['id'] }) // { id: 'A-1001' }
 */
export function exampleOf(schema: JsonSchema): JsonValue | undefined {
  const document = readDocument(schema)
  const example = new ExampleMaker(document).of(document.index.root)
  if (example === undefined) return undefined
  const interpreter = prepareInterpreter({ schema, serverOwned: [], unknown: 'reject' })
  if (!interpreter.decode(copyJson(example)).ok) return undefined
  // Examples show arguments without defaults. To remove the defaults, the value is serialized and parsed again.
  const json = interpreter.encode(copyJson(example))
  return json.ok ? JSON.parse(json.value) : undefined
}

const quotedExample = /\b(?:e\.g\.|for example|for instance)[,:]? {1,3}(["'`])([^"'`]{1,80})\1/i

const bareExample = /\b(?:e\.g\.|for example|for instance)[,:]? {1,3}([^\s"'`]{1,80})(?=\s|$)/i

const closing = /[.,;:)\]]+$/

/** `Order number, e.g. A-1001` → `A-1001`. Returns `undefined` if the text after `e.g.` can be a phrase, as in `e.g. 3 days`. */
function describedExample(description: string): string | undefined {
  const [, , quoted] = quotedExample.exec(description) ?? []
  if (quoted !== undefined) return quoted
  const found = bareExample.exec(description)
  const word = found?.[1] ?? ''
  const example = word.replace(closing, '')
  const rest = found === null ? '' : description.slice(found.index + found[0].length)
  const standsAlone = example !== word || /^(?: or |\n|\s*$)/.test(rest)
  const isCode = /\d/.test(example) && /\D/.test(example)
  return example !== '' && (standsAlone || isCode) ? example : undefined
}

type Conjuncts = readonly (Located & { readonly schema: Fields })[]

// `null` is the least useful example, so it comes last.
const anyKind: readonly JsonKind[] = ['string', 'integer', 'boolean', 'object', 'array', 'null']

const tellingKeywords: ReadonlyMap<JsonKind, readonly string[]> = new Map([
  ['object', ['properties', 'required', 'minProperties']],
  ['array', ['items', 'prefixItems', 'contains', 'minItems']],
])

// Limits of the search. A schema that exceeds these limits gets no example.
const mostSteps = 5_000

const mostItems = 50

class ExampleMaker {
  readonly #document: SchemaDocument
  readonly #active: Set<unknown> = new Set()
  #steps = 0

  constructor(document: SchemaDocument) {
    this.#document = document
  }

  of(located: Located): unknown {
    return this.#candidates(located).next().value
  }

  *#candidates(located: Located): Generator<unknown, undefined> {
    if (this.#active.has(located.schema) || ++this.#steps > mostSteps) return
    this.#active.add(located.schema)
    const node = this.#document.node(located)
    for (const candidate of this.#guesses(located)) {
      const run = new Run({ hasUnwritable: false, rejectsUnknown: false })
      run.quiet = true
      if (!node.check(candidate, run, undefined)) continue
      this.#active.delete(located.schema)
      yield candidate
      this.#active.add(located.schema)
    }
    this.#active.delete(located.schema)
  }

  *#guesses(located: Located): Generator<unknown> {
    const conjuncts = this.#conjuncts(located)
    for (const conjunct of conjuncts) yield* listKeyword(conjunct, 'examples') ?? []
    for (const { schema } of conjuncts) if (Object.hasOwn(schema, 'default')) yield schema.default
    yield* this.#document.facts.allowed(located).literals ?? []
    for (const name of ['oneOf', 'anyOf'] as const) {
      for (const part of conjuncts) {
        for (const variant of this.#document.facts.variants(part, name)) {
          yield* this.#candidates(variant)
          yield* this.#made(located, [...conjuncts, ...this.#conjuncts(variant)])
        }
      }
    }
    yield* this.#made(located, conjuncts)
  }

  *#made(located: Located, conjuncts: Conjuncts): Generator<unknown> {
    const { kinds = anyKind } = this.#document.facts.allowed(located)
    const possible = anyKind.filter((kind) => kinds.includes(kind) || (kind === 'integer' && kinds.includes('number')))
    // If a schema has no `type`, its keywords show the kind that its author means.
    const meant = possible.filter((kind) => {
      const telling = tellingKeywords.get(kind) ?? []
      return conjuncts.some(({ schema }) => telling.some((name) => Object.hasOwn(schema, name)))
    })
    for (const kind of new Set([...meant, ...possible])) {
      if (kind === 'string') yield* textExamples(conjuncts)
      else if (kind === 'integer') yield* numberExamples(conjuncts)
      else if (kind === 'boolean') yield* [true, false]
      else if (kind === 'object') yield* this.#objects(conjuncts)
      else if (kind === 'array') yield* this.#arrays(conjuncts)
      else yield null
    }
  }

  *#objects(conjuncts: Conjuncts): Generator<unknown> {
    const required = new Set(conjuncts.flatMap((conjunct) => namesKeyword(conjunct, 'required') ?? []))
    const declared = new Set(
      conjuncts.flatMap((conjunct) => (entriesKeyword(conjunct, 'properties') ?? []).map(([name]) => name)),
    )
    const inOrder = [...declared].filter((name) => required.has(name))
    const least = Math.max(0, ...conjuncts.map((conjunct) => countKeyword(conjunct, 'minProperties') ?? 0))
    const value: Record<string, unknown> = {}
    for (const name of new Set([...inOrder, ...required])) {
      const field = this.#field(conjuncts, name)
      if (field === undefined) return
      setOwn(value, name, field)
    }
    yield value
    for (const name of declared) {
      if (Object.keys(value).length >= least) break
      if (!Object.hasOwn(value, name)) setOwn(value, name, this.#field(conjuncts, name))
    }
    for (let index = 1; Object.keys(value).length < Math.min(least, mostItems); index++) {
      setOwn(value, `key${index}`, this.#additional(conjuncts))
    }
    yield value
  }

  #field(conjuncts: Conjuncts, name: string): unknown {
    for (const part of conjuncts) {
      const field = this.#document.facts.field(part, name)
      if (field !== undefined) return this.of(field)
    }
    return this.#additional(conjuncts)
  }

  #additional(conjuncts: Conjuncts): unknown {
    for (const part of conjuncts) {
      const schema = keyword(part.schema, 'additionalProperties')
      if (schema !== undefined) return this.of(this.#document.index.below(part, schema, 'additionalProperties'))
    }
    return 'text'
  }

  *#arrays(conjuncts: Conjuncts): Generator<unknown> {
    const least = Math.max(0, ...conjuncts.map((conjunct) => countKeyword(conjunct, 'minItems') ?? 0))
    const isUnique = conjuncts.some((conjunct) => flagKeyword(conjunct, 'uniqueItems') === true)
    yield this.#items(conjuncts, least, isUnique)
    for (const part of conjuncts) {
      const contains = keyword(part.schema, 'contains')
      if (contains === undefined) continue
      const item = this.of(this.#document.index.below(part, contains, 'contains'))
      yield Array.from(
        { length: Math.max(least, Math.min(mostItems, countKeyword(part, 'minContains') ?? 1)) },
        () => item,
      )
    }
  }

  #items(conjuncts: Conjuncts, count: number, isUnique: boolean): unknown {
    const items: unknown[] = []
    const seen = new Set<string>()
    for (let index = 0; index < Math.min(count, mostItems); index++) {
      const located = this.#item(conjuncts, index)
      for (const item of located === undefined ? [index] : this.#candidates(located)) {
        const key = equalityKey(item)
        if (isUnique && seen.has(key)) continue
        seen.add(key)
        items.push(item)
        break
      }
    }
    return items
  }

  #item(conjuncts: Conjuncts, index: number): Located | undefined {
    for (const part of conjuncts) {
      const first = listKeyword(part, 'prefixItems')?.[index]
      if (first !== undefined) return this.#document.index.below(part, first, 'prefixItems', index)
      const rest = keyword(part.schema, 'items')
      if (rest !== undefined) return this.#document.index.below(part, rest, 'items')
    }
    return undefined
  }

  #conjuncts(located: Located): Conjuncts {
    return this.#document.facts.conjuncts(located).flatMap((part) => {
      const schema = schemaObject(part.schema)
      return schema === undefined ? [] : [{ ...part, schema }]
    })
  }
}

const formatExamples: ReadonlyMap<string, readonly string[]> = new Map([
  ['date-time', ['2025-01-31T12:00:00Z', '2025-01-31T12:00:00.000Z']],
  ['date', ['2025-01-31']],
  ['time', ['12:00:00Z']],
  ['duration', ['P1D']],
  ['email', ['name@example.com']],
  ['uri', ['https://example.com/']],
  ['uri-reference', ['/path']],
  ['uuid', ['123e4567-e89b-42d3-a456-426614174000', '0194b8e5-7c00-7000-8000-000000000000']],
  ['ipv4', ['192.0.2.1']],
  ['ipv6', ['2001:db8::1']],
  ['hostname', ['example.com']],
  ['regex', ['^a+$']],
])

const typedExamples: ReadonlyMap<string, readonly string[]> = new Map([
  ['bigint', ['1', '2', '3', '10', '100', '0', '-1', '12345678901234567890']],
  ['Uint8Array', ['SGVsbG8=', 'SGk=', 'AA==', 'AQ==', 'AAEC', '']],
])

// Several values, for arrays with `uniqueItems`.
const plainTexts = ['text', 'a', 'b', 'c', 'd', 'e']

const plainNumbers = [2, 3, 4, 5, 6, 7, 8, 9, 10]

// Maximum length to which strings are padded.
const longestPadding = 10_000

function textExamples(conjuncts: Conjuncts): readonly string[] {
  const least = Math.max(0, ...present(conjuncts.map((conjunct) => countKeyword(conjunct, 'minLength'))))
  const most = Math.min(longestPadding, ...present(conjuncts.map((conjunct) => countKeyword(conjunct, 'maxLength'))))
  const formats = present(conjuncts.map((conjunct) => textKeyword(conjunct, 'format')))
  const patterns = present(conjuncts.map((conjunct) => textKeyword(conjunct, 'pattern')))
  const types = present(conjuncts.map((conjunct) => textKeyword(conjunct, 'x-js')))
  const formatted = [
    ...types.flatMap((type) => typedExamples.get(type) ?? []),
    ...described(conjuncts),
    ...formats.flatMap((format) => formatExamples.get(format) ?? []),
  ]
  const patterned = patterns.flatMap(patternExamples)
  // Strings of a format that also contain a required prefix or suffix: `name@acme.com`, `ops-name@…`.
  const joined = patterned.flatMap((text) => formatted.flatMap((each) => [text + each, each + text, `name${text}`]))
  const seeds = [...formatted, ...patterned, ...joined, ...plainTexts]
  return seeds.flatMap((seed) => [seed, padded(seed, least), padded(seed, least).slice(0, most)])
}

function numberExamples(conjuncts: Conjuncts): readonly number[] {
  const read = (name: string): readonly number[] => present(conjuncts.map((conjunct) => numberKeyword(conjunct, name)))
  const least = [...read('minimum'), ...read('exclusiveMinimum')]
  const most = [...read('maximum'), ...read('exclusiveMaximum')]
  const steps = read('multipleOf')
  const near = [...least, ...most]
  const between = least.flatMap((low) => most.map((high) => (low + high) / 2))
  const multiples = [...near, ...between, 1].flatMap((bound) =>
    steps.flatMap((step) => [Math.ceil(bound / step) * step, (Math.floor(bound / step) + 1) * step]),
  )
  const beside = near.flatMap((bound) => [bound + 1, bound - 1, Math.ceil(bound), Math.floor(bound)])
  // A negative bound is often only the limit of a type. Models copy examples, so -9007199254740991 is a bad example.
  const telling = least.filter((low) => low >= 0)
  const named = described(conjuncts).map(Number).filter(Number.isFinite)
  return [...named, ...telling, 1, 0, ...least, ...steps, ...multiples, ...most, ...beside, ...between, ...plainNumbers]
}

function described(conjuncts: Conjuncts): readonly string[] {
  return present(conjuncts.map((conjunct) => describedExample(textKeyword(conjunct, 'description') ?? '')))
}

function padded(seed: string, least: number): string {
  return least > longestPadding ? seed : seed.padEnd(least, seed === '' ? 'a' : seed)
}

function present<Value>(values: readonly (Value | undefined)[]): readonly Value[] {
  return values.filter((value) => value !== undefined)
}
