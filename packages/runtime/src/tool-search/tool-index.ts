import MiniSearch from 'minisearch'
import type { BoundTool } from '../call/bound-tools.js'
import { BoundTools } from '../call/bound-toolset.js'
import { eachSubschema } from '../schema/subschemas.js'
import type { JsonSchema } from '../types/json.js'
import type { AgentToolSpec } from '../types/tool.js'
import { IndexTerms, queryTerms, sentencesOf } from './terms.js'

/**
 * Creates a search index of the tools of an agent or toolset. The index covers names, titles, descriptions, synonyms from `meta`, names and
 * descriptions of fields, enum values, and names and descriptions of toolsets. It is built at the first search. Install `minisearch`.
 *
 * @throws {TypeError} if `tools` is not a registered agent or toolset
 * @example
 * toolIndex(support).search('money back for an order', { limit: 3 }).map(({ toolName }) => toolName) // ['orders_refund', ...]
 */
export function toolIndex(tools: BoundTools<never>): ToolIndex {
  if (!(tools instanceof BoundTools)) throw new TypeError('toolIndex: pass a registered agent or toolset')
  return new ToolIndex(tools.target.table.served.map(({ tool }) => tool))
}

/** Search index of tools. */
export class ToolIndex {
  readonly #tools: readonly BoundTool[]
  #index: MiniSearch | undefined

  /** @param tools tools in the order of their declaration */
  constructor(tools: readonly BoundTool[]) {
    this.#tools = tools
  }

  /**
   * Returns the tools that match a task, the best first. Tools that match equally well keep the order of their declaration. Each sentence of
   * the query is searched as a task of its own, and the result contains the best tools of each.
   *
   * @param query a task in plain words, or keywords
   * @param options `limit`: maximum number of tools. Default: 5
   */
  search(query: string, { limit = 5 }: { readonly limit?: number } = {}): readonly AgentToolSpec[] {
    this.#index ??= builtIndex(this.#tools)
    const index = this.#index
    const rankings = sentencesOf(query).map((sentence) => rankingOf(index, sentence, limit))
    const found = new Set<number>()
    for (let rank = 0; rank < limit && found.size < limit; rank += 1) {
      const row = rankings.flatMap((ranking) => ranking[rank] ?? []).sort(byScore)
      for (const { tool } of row) if (found.size < limit) found.add(tool)
    }
    return [...found].flatMap((tool) => this.#tools[tool]?.spec ?? [])
  }
}

interface Ranked {
  /** Position of the tool. */
  readonly tool: number
  readonly score: number
}

/** Tools with equal scores keep their order. */
const byScore = (a: Ranked, b: Ranked): number => b.score - a.score || a.tool - b.tool

function rankingOf(index: MiniSearch, sentence: string, limit: number): readonly Ranked[] {
  const weights = queryTerms(sentence)
  const results = index.search([...weights.keys()].join(' '), { boostTerm: (term) => weights.get(term) ?? 1 })
  return results
    .map(({ id, score }) => ({ tool: Number(id), score }))
    .sort(byScore)
    .slice(0, limit)
}

/** Weights of the searched fields, from the benchmark `tool-search`. */
const boost = {
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

function builtIndex(tools: readonly BoundTool[]): MiniSearch {
  const terms = new IndexTerms()
  const index = new MiniSearch({
    fields: Object.keys(boost),
    tokenize: (text) => terms.of(text),
    processTerm: (term) => term,
    searchOptions: {
      boost,
      bm25: { k: 1.2, b: 0.7, d: 0 },
      prefix: (term) => term.length > 3,
      tokenize: (text) => text.split(' '),
    },
  })
  index.addAll(tools.map(documentOf))
  return index
}

function documentOf({ id, spec, toolsetDescription }: BoundTool, position: number): Readonly<Record<string, unknown>> {
  const { name, title, description, toolName } = spec
  const texts = schemaTexts(spec.arguments)
  return {
    id: position,
    // A renamed tool is found by both names.
    name: toolName.endsWith(name) ? name : `${name} ${toolName}`,
    toolset: id.slice(0, -name.length - 1),
    title,
    description,
    toolsetDescription,
    synonyms: spec.meta?.synonyms?.join(' ') ?? '',
    fields: texts.names.join(' '),
    fieldDescriptions: texts.descriptions.join(' '),
    values: texts.values.join(' '),
  }
}

interface SchemaTexts {
  readonly names: string[]
  readonly descriptions: string[]
  readonly values: string[]
}

/** Returns the names and descriptions of all fields, and the strings that they allow. */
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
