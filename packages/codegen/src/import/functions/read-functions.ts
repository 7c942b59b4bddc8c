import { isObject, own } from '../../schema/json/json.js'
import { type DescribedFunction, isDescription, readDescription } from './described-function.js'
import { andMore, noDescription, noFunction } from './function-diagnostics.js'
import type { FunctionDocument } from './function-documents.js'
import { partOf, type SourceFinding, type SourcePart } from './source-finding.js'

/** What descriptions of functions stand in: requests, lists, and the wrappers of OpenAI and Gemini. */
const wrappers = ['tools', 'functions', 'function', 'functionDeclarations', 'function_declarations']

/** How many parts of one kind are told of one by one: where everything is wrong, nobody reads more. */
const mostFindings = 20

/** The functions that documents describe, in their order, and what is found beside them. */
export interface ReadFunctions {
  readonly functions: readonly DescribedFunction[]
  readonly findings: readonly SourceFinding[]
}

/**
 * Finds the functions in documents of any form: tools of OpenAI (chat completions, responses, the older `functions`), of
 * Anthropic and of Gemini, alone, in lists or in whole requests.
 */
export function readFunctions(documents: readonly FunctionDocument[]): ReadFunctions {
  const functions: DescribedFunction[] = []
  const findings: SourceFinding[] = []
  const counts = new Map<typeof noDescription, { count: number; readonly first: SourcePart }>()
  const find = (finding: typeof noDescription, at: SourcePart): void => {
    const known = counts.get(finding) ?? { count: 0, first: at }
    known.count += 1
    counts.set(finding, known)
    if (known.count <= mostFindings) findings.push({ finding: finding(at.keys), at })
  }
  const visit = (value: unknown, at: SourcePart): void => {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(item, partOf(at, index))
    } else if (!isObject(value)) {
      find(noDescription, at)
    } else {
      const wrapped = wrappers.filter((key) => typeof own(value, key) === 'object' && own(value, key) !== null)
      if (wrapped.length > 0) {
        for (const key of wrapped) visit(own(value, key), partOf(at, key))
      } else if (isDescription(value)) {
        const described = readDescription(value, at)
        if (described === undefined) find(noDescription, at)
        else functions.push(described)
      } else {
        find(noFunction, at)
      }
    }
  }
  for (const [document, { json }] of documents.entries()) visit(json, { document, keys: [] })
  for (const [finding, { count, first }] of counts) {
    if (count > mostFindings) findings.push({ finding: andMore(finding([]), count - mostFindings), at: first })
  }
  return { functions, findings }
}
