import { isFields } from '../schema/json-values.js'
import { eachSubschema } from '../schema/subschemas.js'
import type { JsonSchema } from '../types/json.js'
import type { ToolSpec } from '../types/tool.js'
import { IndexTerms } from './terms.js'

/**
 * Search index that `toolgen generate` writes with `searchIndex: true`. Contains the search terms of each tool, so that a search does not need to
 * read the texts of the tools. If the texts of a tool have changed, the search uses the new texts.
 */
export interface ToolSearchIndex {
  /** Version of the rules that convert texts to terms. A runtime that uses other rules ignores the index. */
  readonly version: number
  /** Search terms of each tool, by hash of the tool's texts. */
  readonly tools: Readonly<Record<string, string>>
}

export interface StoredIndexes {
  /**
   * Search index that `toolgen generate` wrote, or an array of indexes. For example, pass `searchIndex` of `gen/agents/support/search-index.js`.
   * An index makes the first search faster, and does not change the results. If the index does not contain a tool, or if the texts of the tool
   * have changed, the search reads the texts of the tool. Default: no index.
   */
  readonly index?: ToolSearchIndex | readonly ToolSearchIndex[]
}

export function requireIndexes(caller: string, { index = [] }: StoredIndexes): readonly ToolSearchIndex[] {
  const indexes: readonly ToolSearchIndex[] = isArray(index) ? index : [index]
  if (indexes.every(isIndex)) return indexes
  throw new TypeError(
    `${caller}: \`index\` must be a generated search index, for example \`searchIndex\` of gen/agents/support/search-index.js. Set \`searchIndex: true\` in toolgen.config.ts to generate it.`,
  )
}

const isArray: (value: unknown) => value is readonly unknown[] = Array.isArray

function isIndex(value: unknown): value is ToolSearchIndex {
  const { version, tools } = Object(value)
  return typeof version === 'number' && isFields(tools)
}

/** Properties of a tool that contain the texts for the search. */
export type SearchedTool = Pick<ToolSpec, 'name' | 'toolName' | 'title' | 'description' | 'arguments' | 'meta'>

/** `part` is an index of {@link toolParts}. */
type OnTerm = (part: number, term: string, count: number) => void

/** Generated search indexes store the terms of a tool in this order. */
export const toolParts = ['name', 'synonyms', 'title', 'description', 'fields', 'fieldDescriptions', 'values'] as const

/** Increase this number if a change in `terms.ts` or in this file changes the terms of a text. */
const version = 1

/**
 * Creates the search index for tools. `toolgen generate` writes the same index.
 *
 * @example
 * const searchIndex = toolSearchIndex(support.specs)
 * const agent = base(model).with(useToolSearch({ index: searchIndex })).build()
 */
export function toolSearchIndex(tools: readonly SearchedTool[]): ToolSearchIndex {
  const terms = new IndexTerms()
  return { version, tools: Object.fromEntries(tools.map((tool) => [hashOf(tool), stored(tool, terms)])) }
}

export class ToolTerms {
  readonly #stored: readonly ToolSearchIndex['tools'][]
  readonly #terms: IndexTerms = new IndexTerms()

  constructor(indexes: readonly ToolSearchIndex[]) {
    this.#stored = indexes.filter((index) => index.version === version).map(({ tools }) => tools)
  }

  of(tool: SearchedTool, onTerm: OnTerm): void {
    const hash = this.#stored.length === 0 ? '' : hashOf(tool)
    const stored = this.#stored.find((tools) => Object.hasOwn(tools, hash))?.[hash]
    if (stored === undefined) findTerms(tool, this.#terms, onTerm)
    else readTerms(stored, onTerm)
  }

  ofText(text: string): ReadonlyMap<string, number> {
    return countsOf(text, this.#terms)
  }
}

function findTerms(tool: SearchedTool, terms: IndexTerms, onTerm: OnTerm): void {
  const fields = schemaTexts(tool.arguments)
  const texts: Readonly<Record<(typeof toolParts)[number], string>> = {
    name: nameText(tool),
    synonyms: synonymText(tool),
    title: tool.title,
    description: tool.description,
    fields: fields.names.join(' '),
    fieldDescriptions: fields.descriptions.join(' '),
    values: fields.values.join(' '),
  }
  for (const [at, part] of toolParts.entries())
    for (const [term, count] of countsOf(texts[part], terms)) onTerm(at, term, count)
}

function nameText({ name, toolName }: SearchedTool): string {
  return toolName.endsWith(name) ? name : `${name} ${toolName}`
}

const synonymText = ({ meta }: SearchedTool): string => meta?.synonyms?.join(' ') ?? ''

function countsOf(text: string, terms: IndexTerms): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const term of terms.of(text)) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}

/** The separators are unambiguous, because terms contain only letters and digits. */
const separators = { part: '|', term: ' ', count: ':' }

function stored(tool: SearchedTool, terms: IndexTerms): string {
  const parts: string[][] = toolParts.map(() => [])
  findTerms(tool, terms, (part, term, count) => {
    parts[part]?.push(count === 1 ? term : `${term}${separators.count}${count}`)
  })
  return parts.map((part) => part.sort().join(separators.term)).join(separators.part)
}

function readTerms(stored: string, onTerm: OnTerm): void {
  for (const [part, text] of stored.split(separators.part).entries()) {
    if (text === '') continue
    for (const word of text.split(separators.term)) {
      const at = word.indexOf(separators.count)
      if (at < 0) onTerm(part, word, 1)
      else onTerm(part, word.slice(0, at), Number(word.slice(at + 1)))
    }
  }
}

/**
 * Must be fast, because the first search computes this hash for each tool, and must run outside of Node. The hash does not need to resist attacks.
 */
function hashOf(tool: SearchedTool): string {
  const text = JSON.stringify([nameText(tool), synonymText(tool), tool.title, tool.description, tool.arguments])
  let [high, low] = [0xdeadbeef, 0x41c6ce57]
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    high = Math.imul(high ^ code, 0x9e3779b1)
    low = Math.imul(low ^ code, 0x5f356495)
  }
  const hex = (half: number): string => (half >>> 0).toString(16).padStart(8, '0')
  return hex(high ^ (low >>> 15)) + hex(low ^ (high >>> 13))
}

interface SchemaTexts {
  readonly names: string[]
  readonly descriptions: string[]
  readonly values: string[]
}

function schemaTexts(root: JsonSchema): SchemaTexts {
  const texts: SchemaTexts = { names: [], descriptions: [], values: [] }
  const visit = (schema: JsonSchema): void => {
    if (typeof schema === 'boolean') return
    const { enum: values, const: value, description } = schema
    for (const each of Array.isArray(values) ? values : [value]) if (typeof each === 'string') texts.values.push(each)
    if (typeof description === 'string') texts.descriptions.push(description)
    eachSubschema(schema, (subschema, [keyword, name]) => {
      if (keyword === 'properties' && name !== undefined) texts.names.push(name)
      visit(subschema)
    })
  }
  visit(root)
  return texts
}
