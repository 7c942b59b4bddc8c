import { apiDeclarations } from '@toolgen/runtime/projections'
import { eachSubschema } from '@toolgen/runtime/schema'
import { defined } from '../defined.js'
import { type Diagnostic, errorAt } from '../diagnostics/diagnostic.js'
import type { DesignIr } from '../ir/types.js'
import type { Encoding } from '../load/toolgen-config.js'
import { isObject, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { declaredTool, type OfferedTool, offersOf, type WriteForm } from './vendor-forms.js'

export interface OfferSize {
  readonly name: string
  readonly kind: 'agent' | 'toolset'
  readonly tokens: number
  /** Models receive the TypeScript declarations in code mode, instead of tool definitions. */
  readonly declarations: number
  /** `tokens` does not include this number. */
  readonly instructions?: number
  readonly tools: readonly ToolSize[]
}

export interface ToolSize {
  readonly tool: string
  readonly toolName: string
  readonly tokens: number
  readonly description: number
  readonly schema: number
  readonly declaration: number
  readonly savings: readonly Saving[]
}

export interface Saving {
  /** Part of a tool definition, for example `` the description of `lines[].sku` ``. */
  readonly what: string
  /** If a schema occurs several times, the tokens of all copies except the first. */
  readonly tokens: number
}

export type CountTokens = (text: string) => number

export function measureDesign(design: DesignIr, write: WriteForm, count: CountTokens): readonly OfferSize[] {
  const measured = new Map<string, { readonly size: ToolSize; readonly text: string }>()
  const measure = (offered: OfferedTool) => {
    const key = JSON.stringify([offered.tool.id, offered.toolName])
    const known = measured.get(key) ?? measureTool(offered, write, count)
    measured.set(key, known)
    return known
  }
  return offersOf(design).map((offer) => {
    const tools = offer.tools.map(measure)
    const { name, instructions } = offer.kind === 'agent' ? offer.agent : { ...offer.toolset, instructions: undefined }
    return defined({
      name,
      kind: offer.kind,
      tokens: tools.length === 0 ? 0 : count(`[${tools.map(({ text }) => text).join(',')}]`),
      declarations: tools.length === 0 ? 0 : count(apiDeclarations(offer.tools.map(declaredTool)).text),
      instructions: instructions === undefined ? undefined : count(instructions),
      tools: tools.map(({ size }) => size).sort((a, b) => b.tokens - a.tokens),
    })
  })
}

function measureTool(offered: OfferedTool, write: WriteForm, count: CountTokens) {
  const { tool, toolName } = offered
  const { tool: sent, schema } = write(offered)
  const text = JSON.stringify(sent)
  const description = count(tool.description)
  const size: ToolSize = {
    tool: tool.id,
    toolName,
    tokens: count(text),
    description,
    schema: count(JSON.stringify(schema)),
    declaration: count(declarationOf(offered)),
    savings: [{ what: 'the description of the tool', tokens: description }, ...schemaSavings(schema, count)]
      .filter(({ tokens }) => tokens >= minSaving)
      // Equal sizes keep the order of the schema.
      .sort((a, b) => b.tokens - a.tokens)
      .slice(0, maxSavings),
  }
  return { size, text }
}

function declarationOf(offered: OfferedTool): string {
  const { text } = apiDeclarations([declaredTool(offered)])
  return text.slice(text.indexOf('\n') + 1)
}

const minSaving = 24
const maxSavings = 5

function schemaSavings(root: SchemaObject, count: CountTokens): readonly Saving[] {
  const found: Saving[] = []
  const repeatable = new Map<string, string[]>()
  const visit = (schema: Schema, path: string): void => {
    if (!isObject(schema)) return
    const owner = path === '' ? 'the arguments' : `\`${path}\``
    const [description, examples, values] = ['description', 'examples', 'enum'].map((key) => own(schema, key))
    if (typeof description === 'string') {
      found.push({ what: `the description of ${owner}`, tokens: count(description) })
    }
    if (examples !== undefined) {
      found.push({ what: `the examples of ${owner}`, tokens: count(JSON.stringify(examples)) })
    }
    if (Array.isArray(values) && values.length > 8) {
      found.push({ what: `the ${values.length} values of ${owner}`, tokens: count(JSON.stringify(values)) })
    }
    if (isObject(own(schema, 'properties')) || values !== undefined) {
      const text = JSON.stringify(schema)
      repeatable.set(text, [...(repeatable.get(text) ?? []), path])
    }
    eachSubschema(schema, (inner, keys) => visit(inner, pathBelow(path, keys)))
  }
  visit(root, '')
  for (const [text, [first, second, ...others]] of repeatable) {
    if (second === undefined) continue
    const more = others.length === 0 ? '' : ` and in ${others.length} more places`
    const what = `the same schema at \`${first}\`, at \`${second}\`${more}`
    found.push({ what, tokens: count(text) * (others.length + 1) })
  }
  return found
}

function pathBelow(path: string, [keyword = '', name = '']: readonly string[]): string {
  if (keyword === 'items' || keyword === 'prefixItems') return `${path}[]`
  if (keyword === '$defs') return name
  const isField = keyword === 'properties' || keyword === 'patternProperties'
  if (!isField) return path
  return path === '' ? name : `${path}.${name}`
}

/**
 * An encoding has a few megabytes, so it is loaded on demand. The counter counts special tokens as text. It splits words over {@link maxWord}
 * characters, which can add one token for each piece.
 */
export async function loadCounter(encoding: Encoding): Promise<CountTokens> {
  const { countTokens } =
    encoding === 'o200k_base'
      ? await import('gpt-tokenizer/encoding/o200k_base')
      : await import('gpt-tokenizer/encoding/cl100k_base')
  const plain = { disallowedSpecial: new Set<string>() }
  return (text) => tokenParts(text).reduce((sum, part) => sum + countTokens(part, plain), 0)
}

/** Maximum length of a word in characters. The time of the tokenizer grows with the square of this length, so a base64 image would take minutes. */
const maxWord = 1_000

const unbroken: RegExp = new RegExp(String.raw`\S{${maxWord}}|\s{${maxWord}}`)

const longRun: RegExp = new RegExp(
  [String.raw`[\p{L}\p{M}]`, String.raw`[^\s\p{L}\p{M}\p{N}]`, String.raw`\s`]
    .map((kind) => `${kind}{${maxWord}}`)
    .join('|'),
  'gu',
)

function tokenParts(text: string): readonly string[] {
  // Fast path: few texts have such a word.
  if (!unbroken.test(text)) return [text]
  const ends = [...text.matchAll(longRun)].map(({ index, 0: run }) => index + run.length)
  return [...ends, text.length].map((end, at) => text.slice(ends[at - 1] ?? 0, end))
}

export interface TokenBudget {
  readonly perTool?: number
  readonly perAgent?: number
}

export function overBudget(
  sizes: readonly OfferSize[],
  { perTool = Number.POSITIVE_INFINITY, perAgent = Number.POSITIVE_INFINITY }: TokenBudget,
  { agents, toolsets }: DesignIr,
): readonly Diagnostic[] {
  const declared = toolsets.flatMap((toolset) => toolset.tools)
  const tools = new Map(sizes.flatMap((size) => size.tools.map((tool) => [`${tool.tool} ${tool.toolName}`, tool])))
  return [
    ...[...tools.values()]
      .filter(({ tokens }) => tokens > perTool)
      .map(({ tool, tokens, savings }) =>
        errorAt(
          declared.find(({ id }) => id === tool)?.location,
          'TG8501',
          `\`${tool}\` has ${tokens} tokens, ${tokens - perTool} more than the budget of ${perTool}.`,
          'Shorten the parts with the most tokens, or raise the limit: `tokens.perTool` in the configuration, or `--per-tool`.',
          tokensOf(savings.map((saving) => [saving.tokens, saving.what])),
        ),
      ),
    ...sizes
      .filter(({ kind, tokens }) => kind === 'agent' && tokens > perAgent)
      .map(({ name, tokens, tools: largest }) =>
        errorAt(
          agents.find((agent) => agent.name === name)?.location,
          'TG8502',
          `The tools of \`${name}\` have ${tokens} tokens, ${tokens - perAgent} more than the budget of ${perAgent}.`,
          'Shorten the largest tools, exclude some with `only`, or raise `tokens.perAgent` in the configuration.',
          tokensOf(largest.slice(0, 5).map((tool) => [tool.tokens, `\`${tool.tool}\``])),
        ),
      ),
  ]
}

function tokensOf(parts: readonly (readonly [number, string])[]): Pick<Diagnostic, 'related'> {
  return parts.length === 0
    ? {}
    : { related: parts.map(([tokens, what]) => ({ message: `${tokens} tokens: ${what}` })) }
}
