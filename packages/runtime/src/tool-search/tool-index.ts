import MiniSearch, { type AsPlainObject } from 'minisearch'
import type { BoundTool } from '../call/bound-tools.js'
import { BoundTools } from '../call/bound-toolset.js'
import type { AgentToolSpec } from '../types/tool.js'
import { queryTerms, sentencesOf } from './terms.js'
import { requireIndexes, type StoredIndexes, type ToolSearchIndex, ToolTerms, toolParts } from './tool-terms.js'

/**
 * Creates a search index of the tools of an agent or toolset. The index contains names, titles, descriptions, synonyms from `meta`, names and
 * descriptions of fields, enum values, and names and descriptions of toolsets. The first search builds the index. Install `minisearch`.
 *
 * @param options `index`: search index that `toolgen generate` wrote, or an array of indexes. Makes the first search faster
 * @throws {TypeError} if `tools` is not a registered agent or toolset, or if `index` is not a generated search index
 * @example
 * toolIndex(support).search('money back for an order', { limit: 3 }).map(({ toolName }) => toolName) // ['orders_refund', ...]
 */
export function toolIndex(tools: BoundTools<never>, options: StoredIndexes = {}): ToolIndex {
  if (!(tools instanceof BoundTools)) throw new TypeError('toolIndex: pass a registered agent or toolset')
  const indexes = requireIndexes('toolIndex', options)
  return new ToolIndex(
    tools.target.table.served.map(({ tool }) => tool),
    indexes,
  )
}

/** Search index of tools. Created by {@link toolIndex}. */
export class ToolIndex {
  readonly #tools: readonly BoundTool[]
  readonly #stored: readonly ToolSearchIndex[]
  #terms: TermTable | undefined

  /**
   * Creates an index. The first search builds the index.
   *
   * @param tools tools in the order of their declaration
   * @param stored search indexes that `toolgen generate` wrote
   */
  constructor(tools: readonly BoundTool[], stored: readonly ToolSearchIndex[] = []) {
    this.#tools = tools
    this.#stored = stored
  }

  /**
   * Returns the tools that match a task, best match first. Tools with equally good matches are in the order of their declaration. Searches each
   * sentence of the query as a separate task, and returns the best tools of each sentence first.
   *
   * @param query task in plain words, or keywords
   * @param options `limit`: maximum number of tools for the whole query. Default: 5
   */
  search(query: string, { limit = 5 }: { readonly limit?: number } = {}): readonly AgentToolSpec[] {
    this.#terms ??= new TermTable(this.#tools, this.#stored)
    const terms = this.#terms
    const rankings = sentencesOf(query).map((sentence) => rankingOf(terms, sentence, limit))
    const found = new Set<number>()
    for (let rank = 0; rank < limit && found.size < limit; rank += 1) {
      const row = rankings.flatMap((ranking) => ranking[rank] ?? []).sort(byScore)
      for (const { tool } of row) if (found.size < limit) found.add(tool)
    }
    return [...found].flatMap((tool) => this.#tools[tool]?.spec ?? [])
  }
}

interface Ranked {
  readonly tool: number
  readonly score: number
}

const byScore = (a: Ranked, b: Ranked): number => b.score - a.score || a.tool - b.tool

function rankingOf(terms: TermTable, sentence: string, limit: number): readonly Ranked[] {
  const weights = queryTerms(sentence)
  const results = terms
    .matching([...weights.keys()])
    .search([...weights.keys()].join(' '), { boostTerm: (term) => weights.get(term) ?? 1 })
  return results
    .map(({ id, score }) => ({ tool: Number(id), score }))
    .sort(byScore)
    .slice(0, limit)
}

const parts = [...toolParts, 'toolset', 'toolsetDescription'] as const

/** The values were determined with the benchmark `tool-search`. */
const boost: Readonly<Record<(typeof parts)[number], number>> = {
  name: 2,
  synonyms: 2,
  toolset: 1,
  description: 1,
  title: 0.5,
  fields: 0.5,
  fieldDescriptions: 0.3,
  values: 0.3,
  toolsetDescription: 0.3,
}

const shortestPrefix = 4

const isPrefix = (term: string): boolean => term.length >= shortestPrefix

const searchOptions = {
  boost: { ...boost },
  bm25: { k: 1.2, b: 0.7, d: 0 },
  prefix: isPrefix,
  tokenize: (text: string) => text.split(' '),
  processTerm: (term: string) => term,
}

/**
 * For each search, MiniSearch receives only the terms that match the query, because all terms together would make the first search several times
 * slower.
 */
class TermTable {
  /**
   * Three consecutive numbers describe one occurrence of the term: the index of the text in {@link parts}, the index of the tool, and the number of
   * times that the term occurs in this text.
   */
  readonly #occurrences: ReadonlyMap<string, readonly number[]>
  readonly #sorted: readonly string[]
  readonly #empty: Omit<AsPlainObject, 'index'>

  constructor(tools: readonly BoundTool[], stored: readonly ToolSearchIndex[]) {
    const terms = new ToolTerms(stored)
    const toolsets = new Map<string, ReadonlyMap<string, number>>()
    const ofToolset = (text: string): ReadonlyMap<string, number> => {
      const counts = toolsets.get(text) ?? terms.ofText(text)
      toolsets.set(text, counts)
      return counts
    }
    const occurrences = new Map<string, number[]>()
    const lengths = tools.map(() => parts.map(() => 0))
    for (const [tool, { id, spec, toolsetDescription }] of tools.entries()) {
      const length = lengths[tool] ?? []
      const add = (part: number, term: string, count: number): void => {
        length[part] = (length[part] ?? 0) + 1
        const known = occurrences.get(term)
        if (known === undefined) occurrences.set(term, [part, tool, count])
        else known.push(part, tool, count)
      }
      terms.of(spec, add)
      const ofToolsets = [id.slice(0, -spec.name.length - 1), toolsetDescription].map(ofToolset)
      for (const [at, counts] of ofToolsets.entries())
        for (const [term, count] of counts) add(toolParts.length + at, term, count)
    }
    this.#occurrences = occurrences
    this.#sorted = [...occurrences.keys()].sort()
    this.#empty = emptyIndex(lengths)
  }

  matching(query: readonly string[]): MiniSearch {
    const terms = new Set(query.flatMap((term) => (isPrefix(term) ? this.#beginningWith(term) : [term])))
    const index = [...terms].flatMap((term): AsPlainObject['index'] => {
      const occurrences = this.#occurrences.get(term)
      return occurrences === undefined ? [] : [[term, byPart(occurrences)]]
    })
    return MiniSearch.loadJS({ ...this.#empty, index }, { fields: [...parts], searchOptions })
  }

  #beginningWith(prefix: string): readonly string[] {
    const sorted = this.#sorted
    let [start, end] = [0, sorted.length]
    while (start < end) {
      const middle = (start + end) >> 1
      if ((sorted[middle] ?? '') < prefix) start = middle + 1
      else end = middle
    }
    while (sorted[end]?.startsWith(prefix)) end += 1
    return sorted.slice(start, end)
  }
}

/** `lengths[tool][text]` is the number of different terms in one text of one tool. */
function emptyIndex(lengths: readonly number[][]): Omit<AsPlainObject, 'index'> {
  const average = (part: number): number =>
    lengths.reduce((sum, ofTool) => sum + (ofTool[part] ?? 0), 0) / Math.max(1, lengths.length)
  return {
    documentCount: lengths.length,
    nextId: lengths.length,
    documentIds: Object.fromEntries(lengths.map((_, tool) => [tool, tool])),
    fieldIds: Object.fromEntries(parts.map((part, at) => [part, at])),
    fieldLength: Object.fromEntries(lengths.entries()),
    averageFieldLength: parts.map((_, part) => average(part)),
    storedFields: {},
    dirtCount: 0,
    serializationVersion: 2,
  }
}

function byPart(occurrences: readonly number[]): Record<string, Record<string, number>> {
  const found: Record<string, Record<string, number>> = {}
  for (let at = 0; at < occurrences.length; at += 3) {
    const [part = 0, tool = 0, count = 0] = [occurrences[at], occurrences[at + 1], occurrences[at + 2]]
    found[part] ??= {}
    found[part][tool] = count
  }
  return found
}
