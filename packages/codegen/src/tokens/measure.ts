import { eachSubschema } from '@toolgen/runtime/schema'
import type { DesignIr } from '../ir/types.js'
import type { Encoding } from '../load/toolgen-config.js'
import { isObject, type Json, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { type Offer, type OfferedTool, offersOf, type WriteForm } from './vendor-forms.js'

/** Tokens of the tool definitions of an agent or toolset. */
export interface OfferSize {
  readonly name: string
  /** A toolset is listed by itself where no agent uses it. */
  readonly kind: 'agent' | 'toolset'
  /** Of the list of its tools, as it stands in a request. */
  readonly tokens: number
  /** Of the agent's instructions, which are sent besides. */
  readonly instructions?: number
  /** The dearest first. */
  readonly tools: readonly ToolSize[]
}

/** Tokens of one tool definition. */
export interface ToolSize {
  /** `toolset.tool` */
  readonly tool: string
  readonly toolName: string
  /** Of its definition, as it stands in a request. */
  readonly tokens: number
  readonly description: number
  readonly schema: number
  /** Possible savings, largest first. */
  readonly savings: readonly Saving[]
}

/** Counts what the models of a design are told of its tools. */
export function measureDesign(design: DesignIr, write: WriteForm, count: CountTokens): readonly OfferSize[] {
  const measured = new Map<string, { readonly size: ToolSize; readonly text: string }>()
  const measure = (offered: OfferedTool): { readonly size: ToolSize; readonly text: string } => {
    const key = JSON.stringify([offered.tool.id, offered.toolName])
    const known = measured.get(key)
    if (known !== undefined) return known
    const made = measureTool(offered, write, count)
    measured.set(key, made)
    return made
  }
  return offersOf(design).map((offer) => {
    const tools = offer.tools.map(measure)
    const instructions = offer.kind === 'agent' ? offer.agent.instructions : undefined
    return {
      name: nameOf(offer),
      kind: offer.kind,
      tokens: tools.length === 0 ? 0 : count(`[${tools.map(({ text }) => text).join(',')}]`),
      ...(instructions !== undefined && { instructions: count(instructions) }),
      tools: tools.map(({ size }) => size).sort((a, b) => b.tokens - a.tokens),
    }
  })
}

function nameOf(offer: Offer): string {
  return offer.kind === 'agent' ? offer.agent.name : offer.toolset.name
}

function measureTool(
  offered: OfferedTool,
  write: WriteForm,
  count: CountTokens,
): { readonly size: ToolSize; readonly text: string } {
  const { tool, toolName } = offered
  const form = write(offered)
  const text = JSON.stringify(form.tool)
  const size = {
    tool: tool.id,
    toolName,
    tokens: count(text),
    description: count(tool.description),
    schema: count(JSON.stringify(form.schema)),
    savings: savingsOf(tool.description, form.schema, count),
  }
  return { size, text }
}

/** Something in a tool's definition that could be left out or said shorter. */
export interface Saving {
  /** In words: `` the description of `lines[].sku` ``. */
  readonly what: string
  /** Current number of tokens. */
  readonly tokens: number
}

/** Below these nobody wants to hear of it. */
const least = 24
const most = 5

/** The dearest parts of a definition. */
function savingsOf(description: string, schema: SchemaObject, count: CountTokens): readonly Saving[] {
  const parts = partsOf(schema)
  const found = [
    { what: 'the description of the tool', tokens: count(description) },
    ...parts.flatMap((part) => textSavings(part, count)),
    ...repeated(parts, count),
  ]
  const worth = found.filter(({ tokens }) => tokens >= least)
  // Equal sizes stay in the order of the schema.
  return worth.sort((a, b) => b.tokens - a.tokens).slice(0, most)
}

interface Part {
  readonly path: string
  readonly schema: SchemaObject
}

function partsOf(root: SchemaObject): readonly Part[] {
  const found: Part[] = []
  const visit = (schema: Schema, path: string): void => {
    if (typeof schema === 'boolean') return
    found.push({ path, schema })
    eachSubschema(schema, (inner, keys) => visit(inner, pathBelow(path, keys)))
  }
  visit(root, '')
  return found
}

function pathBelow(path: string, [keyword = '', name = '']: readonly string[]): string {
  if (keyword === 'items' || keyword === 'prefixItems') return `${path}[]`
  if (keyword === '$defs') return name
  const isField = keyword === 'properties' || keyword === 'patternProperties'
  if (!isField) return path
  return path === '' ? name : `${path}.${name}`
}

function textSavings({ path, schema }: Part, count: CountTokens): readonly Saving[] {
  const of = path === '' ? 'the arguments' : `\`${path}\``
  const described = own(schema, 'description')
  const examples = own(schema, 'examples')
  const values = own(schema, 'enum')
  return [
    ...(typeof described === 'string' ? [{ what: `the description of ${of}`, tokens: count(described) }] : []),
    ...(examples === undefined ? [] : [{ what: `the examples of ${of}`, tokens: count(JSON.stringify(examples)) }]),
    ...(Array.isArray(values) && values.length > 8
      ? [{ what: `the ${values.length} choices of ${of}`, tokens: count(JSON.stringify(values)) }]
      : []),
  ]
}

/** Objects and choices that stand in several places; a definition would say them once. */
function repeated(parts: readonly Part[], count: CountTokens): readonly Saving[] {
  const byText = new Map<string, string[]>()
  for (const { path, schema } of parts) {
    if (!isObject(own<Json>(schema, 'properties')) && own(schema, 'enum') === undefined) continue
    const text = JSON.stringify(schema)
    byText.set(text, [...(byText.get(text) ?? []), path])
  }
  return [...byText].flatMap(([text, [first = '', second, ...others]]) => {
    if (second === undefined) return []
    const more = others.length === 0 ? '' : ` and in ${others.length} more places`
    return [
      { what: `the same schema at \`${first}\`, at \`${second}\`${more}`, tokens: count(text) * (others.length + 1) },
    ]
  })
}

/** Returns the number of tokens of a text. */
export type CountTokens = (text: string) => number

/**
 * Loads an encoding, some megabytes of ranks, and counts in it. What looks like a special token counts as plain text. Words of
 * more than {@link longestWord} characters are counted in parts, which can give a token more for each part.
 */
export async function loadCounter(encoding: Encoding): Promise<CountTokens> {
  const { countTokens } =
    encoding === 'o200k_base'
      ? await import('gpt-tokenizer/encoding/o200k_base')
      : await import('gpt-tokenizer/encoding/cl100k_base')
  const plain = { disallowedSpecial: new Set<string>() }
  return (text) => tokenParts(text).reduce((sum, part) => sum + countTokens(part, plain), 0)
}

/** The time that the tokenizer takes grows with the square of a word's length: a picture in base64 would take minutes. */
const longestWord = 1_000

const unbroken: RegExp = new RegExp(String.raw`\S{${longestWord}}|\s{${longestWord}}`)

const longRun: RegExp = new RegExp(
  [String.raw`[\p{L}\p{M}]`, String.raw`[^\s\p{L}\p{M}\p{N}]`, String.raw`\s`]
    .map((kind) => `${kind}{${longestWord}}`)
    .join('|'),
  'gu',
)

function tokenParts(text: string): readonly string[] {
  // Looks at the ends of words alone, which is quick, and most texts have no such word.
  if (!unbroken.test(text)) return [text]
  const ends = [...text.matchAll(longRun)].map(({ index, 0: run }) => index + run.length)
  return [...ends, text.length].map((end, at) => text.slice(ends[at - 1] ?? 0, end))
}
