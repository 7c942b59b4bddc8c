import { firstSentence } from '../call/first-sentence.js'
import { isFields } from '../schema/json-values.js'
import { keyword } from '../schema/keywords.js'
import type { ToolSpec } from '../types/tool.js'

export const invisible: RegExp = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

type DescribedTool = Pick<ToolSpec, 'name' | 'description' | 'arguments'>

export class Comments {
  readonly #kind: 'none' | 'short' | 'full'
  readonly #spec: DescribedTool
  #known: ReadonlySet<string> | undefined

  constructor(kind: 'none' | 'short' | 'full', spec: DescribedTool) {
    this.#kind = kind
    this.#spec = spec
  }

  ofTool(): string {
    const { name, description, arguments: payload } = this.#spec
    const text = this.#text(description)
    const fields = isFields(payload) ? keyword(payload, 'properties') : undefined
    const names = [name, ...Object.keys(isFields(fields) ? fields : {})]
    return this.#kind === 'short' && hasOnly(text, new Set(wordsOf(names.join(' ')))) ? '' : text
  }

  ofField(name: string, field: unknown): string {
    if (!isFields(field) || this.#kind === 'none') return ''
    const description = keyword(field, 'description')
    const format = keyword(field, 'format')
    const text = this.#text(typeof description === 'string' ? description : '')
    const facts = typeof format === 'string' ? `(${format})` : ''
    if (this.#kind === 'short' && text !== '' && this.#saysOnly(text, name)) return facts
    return [text, facts].filter(Boolean).join(' ')
  }

  #saysOnly(text: string, name: string): boolean {
    this.#known ??= new Set(wordsOf(`${this.#spec.name} ${this.ofTool()}`))
    return hasOnly(text, this.#known, new Set(wordsOf(name)))
  }

  #text(description: string): string {
    if (this.#kind === 'none') return ''
    const line = visible(description).replaceAll(/\s+/g, ' ').trim()
    const said = this.#kind === 'full' ? line : firstSentence(line)
    // Escapes `@` at the start, because the compiler would interpret a tag such as `@ts-ignore`.
    return said.replace(/\.$/, '').replace(/^@/, '\\@')
  }
}

/** Removes endings such as `-ed` and `-s`, so that `Translated texts` matches `textToTranslate`. */
const wordsOf = (text: string): readonly string[] =>
  text
    .replaceAll(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map((word) => word.replace(/(?<=..)(?:s|ed|ing|e)$/, ''))

const emptyWords = new Set(
  wordsOf('a an and array as be by for from in is it list of on optional or that the this to which with'),
)

const nextWord = /[\p{L}\p{N}]+/gu

function hasOnly(text: string, ...words: readonly ReadonlySet<string>[]): boolean {
  nextWord.lastIndex = 0
  // Stops at the first new word. Most texts start with a new word.
  for (let found = nextWord.exec(text); found !== null; found = nextWord.exec(text)) {
    const isNew = (word: string): boolean => !emptyWords.has(word) && !words.some((set) => set.has(word))
    if (wordsOf(found[0]).some(isNew)) return false
  }
  return true
}

function visible(text: string): string {
  return /^[\s\x20-\x7e]*$/.test(text) ? text : text.replaceAll(invisible, (found) => (/\s/.test(found) ? ' ' : ''))
}

const keywords = new Set(
  'break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield await arguments eval'.split(
    ' ',
  ),
)

/** A toolset namespace with the name of a global, such as `Promise`, would hide or extend the global. */
const globals = new Set(
  'AggregateError Array ArrayBuffer AsyncDisposableStack Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date DisposableStack Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array InternalError Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set SharedArrayBuffer String SuppressedError Symbol SyntaxError Temporal ToolFailures TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly console decodeURI decodeURIComponent encodeURI encodeURIComponent escape globalThis isFinite isNaN parseFloat parseInt program undefined unescape'.split(
    ' ',
  ),
)

export function identifier(name: string): string {
  const text = name.replaceAll(/[^\p{ID_Continue}$]+/gu, '_').replace(/^(?=[^\p{ID_Start}$_]|$)/u, '_')
  return keywords.has(text) ? `${text}_` : text
}

export function namespaceIdentifier(name: string): string {
  const text = identifier(name)
  return globals.has(text) ? `${text}_` : text
}

export function pascal(name: string): string {
  const words = identifier(name).split('_').filter(Boolean)
  return identifier(words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(''))
}

export function unique(name: string, taken: Set<string>): string {
  let free = name
  for (let count = 2; taken.has(free); count += 1) free = `${name}${count}`
  taken.add(free)
  return free
}
