import { firstSentence } from '../call/first-sentence.js'
import { isFields } from '../schema/json-values.js'
import { keyword } from '../schema/keywords.js'
import type { ToolSpec } from '../types/tool.js'

/** Control, format and private characters, which editors do not show. */
export const invisible: RegExp = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

type DescribedTool = Pick<ToolSpec, 'name' | 'description' | 'arguments'>

/** Comments of one tool and its fields. */
export class Comments {
  readonly #kind: 'none' | 'short' | 'full'
  readonly #spec: DescribedTool
  /** Words of the name and of the comment of the tool. */
  #known: ReadonlySet<string> | undefined

  constructor(kind: 'none' | 'short' | 'full', spec: DescribedTool) {
    this.#kind = kind
    this.#spec = spec
  }

  /** Returns the comment of the tool. A short comment must say more than the names of the tool and its arguments. */
  ofTool(): string {
    const { name, description, arguments: payload } = this.#spec
    const text = this.#text(description)
    const fields = isFields(payload) ? keyword(payload, 'properties') : undefined
    const names = [name, ...Object.keys(isFields(fields) ? fields : {})]
    return this.#kind === 'short' && hasOnly(text, new Set(wordsOf(names.join(' ')))) ? '' : text
  }

  /** Returns the comment of a field. A short comment must say more than the names of the field and the tool. */
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

  /** Returns a description in one line. */
  #text(description: string): string {
    if (this.#kind === 'none') return ''
    const line = visible(description).replaceAll(/\s+/g, ' ').trim()
    const said = this.#kind === 'full' ? line : firstSentence(line)
    // A tag such as `@ts-ignore` at the start would change how the compiler reads the declaration.
    return said.replace(/\.$/, '').replace(/^@/, '\\@')
  }
}

/** Returns the words of a text without endings: `Translated texts` and `textToTranslate` have common words. */
const wordsOf = (text: string): readonly string[] =>
  text
    .replaceAll(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map((word) => word.replace(/(?<=..)(?:s|ed|ing|e)$/, ''))

/** Words that add nothing to names and types. */
const emptyWords = new Set(
  wordsOf('a an and array as be by for from in is it list of on optional or that the this to which with'),
)

const nextWord = /[\p{L}\p{N}]+/gu

/** Returns whether a text contains only the words of these sets and empty ones. */
function hasOnly(text: string, ...words: readonly ReadonlySet<string>[]): boolean {
  nextWord.lastIndex = 0
  // Most texts have a new word at the start.
  for (let found = nextWord.exec(text); found !== null; found = nextWord.exec(text)) {
    const isNew = (word: string): boolean => !emptyWords.has(word) && !words.some((set) => set.has(word))
    if (wordsOf(found[0]).some(isNew)) return false
  }
  return true
}

/** Returns a text without invisible characters, except white space. */
function visible(text: string): string {
  return /^[\s\x20-\x7e]*$/.test(text) ? text : text.replaceAll(invisible, (found) => (/\s/.test(found) ? ' ' : ''))
}
