import { createHash } from 'node:crypto'
import { objectFrom } from '../schema/json-schema.js'
import { byCodePoint } from '../text.js'
import type {
  AgentNames,
  AgentUseNames,
  ExportNames,
  McpNames,
  McpUseNames,
  OpenApiNames,
  OpenApiUseNames,
  ToolNames,
  ToolsetNames,
  UseNames,
} from './types.js'

/** The rules by which names claim strings in a scope. */
interface ClaimRules<Claim> {
  /** Returns the stem of a name that nothing else wants. */
  readonly stem: (name: string) => string
  /** Checks whether a name is written like its stem already; it then goes first. */
  readonly exact: (name: string, stem: string) => boolean
  /** Returns the strings that a stem claims: all of them or none. */
  readonly derive: (stem: string) => Claim
  /** The separator between a stem and its hash. */
  readonly hashMark: '_' | '-'
  /** Two strings with the same key are the same claim. */
  readonly key: (text: string) => string
  /** The keys that are claimed in this scope; new ones are added. */
  readonly taken: Set<string>
}

/**
 * Lets each name claim its strings in a shared scope; the result is in the order of `names`. The order of claims does not
 * depend on that order: names that fit their stem exactly, then the others, each by code points. If one of its strings is
 * taken, a name gets a hash of itself into its stem: longer with each attempt, then (for equal names, which the design
 * rules report) counted.
 */
function claimAll<Claim extends { readonly [K in keyof Claim]: string }>(
  names: readonly string[],
  { stem: stemOf, exact, derive, hashMark, key, taken }: ClaimRules<Claim>,
): readonly Claim[] {
  const claimOne = (name: string, stem: string): Claim => {
    for (let attempt = 0; ; attempt += 1) {
      const hash = `${hashMark}${nameHash(name, Math.min(6 * attempt, 60))}`
      const counter = attempt > 10 ? `${hashMark}${attempt - 9}` : ''
      const claim = derive(attempt === 0 ? stem : `${stem}${hash}${counter}`)
      const keys = Object.values<string>(claim).map(key)
      if (keys.some((one) => taken.has(one))) continue
      for (const one of keys) taken.add(one)
      return claim
    }
  }
  const claims: Claim[] = []
  const turns = names
    .map((name, index) => ({ name, index, stem: stemOf(name), isExact: exact(name, stemOf(name)) }))
    .sort((a, b) => Number(b.isExact) - Number(a.isExact) || byCodePoint(a.name, b.name))
  for (const { name, index, stem } of turns) claims[index] = claimOne(name, stem)
  return claims
}

/** The names of a toolset's parts in the design. */
export interface NamedToolset {
  readonly name: string
  readonly tools: readonly { readonly name: string }[]
  /** The names of the toolset's shared definitions. */
  readonly defs: readonly string[]
}

/** The names of an agent's parts in the design. */
export interface NamedAgent {
  readonly name: string
  readonly uses: readonly { readonly as: string }[]
  /** The toolsets that it exports. */
  readonly exports: readonly { readonly toolset: string }[]
}

/** The names of a whole design, in its order. */
export interface DesignNames {
  readonly toolsets: readonly { readonly names: ToolsetNames; readonly tools: readonly ToolNames[] }[]
  readonly agents: readonly {
    readonly names: AgentNames
    readonly uses: readonly AnyUseNames[]
    readonly exports: readonly ExportNames[]
  }[]
}

/** The names of a use with any provider. */
export type AnyUseNames = UseNames & AgentUseNames & McpUseNames & OpenApiUseNames

/**
 * Gives every part of a design its identifiers and file names. One rule: the words of a name make a PascalCase stem, the
 * stem makes every identifier. Where two stems would share an identifier, the name that is already written like the stem
 * keeps it (else the first by code points) and each other one gets a hash of its own name; an identifier that is reserved
 * gets an underscore. So adding a tool renames another one only where it fits that one's identifiers better.
 */
export function assignNames(design: {
  readonly toolsets: readonly NamedToolset[]
  readonly agents: readonly NamedAgent[]
}): DesignNames {
  return { toolsets: nameToolsets(design.toolsets), agents: nameAgents(design.agents) }
}

function nameToolsets(toolsets: readonly NamedToolset[]): DesignNames['toolsets'] {
  const names = toolsets.map((toolset) => toolset.name)
  const folders = claimFiles(names, 'Toolset')
  const own = (stem: string) => ({ stem, ...toolsetIdentifiers(stem) })
  const claimed = claimIdentifiers(names, stemWith('Toolset'), own, new Set())
  return toolsets.map((toolset, index) => {
    const { stem, ...identifiers } = elementAt(claimed, index)
    const taken = new Set(Object.values(identifiers))
    const toolNames = toolset.tools.map((tool) => tool.name)
    const tools = claimIdentifiers(toolNames, stemWith('Tool'), toolIdentifiers, taken)
    const isStem = (stem: string) => stem
    const defs = claimIdentifiers(toolset.defs, stemWith('Definition'), defIdentifiers, taken, isStem)
    return {
      names: {
        folder: elementAt(folders, index),
        ...identifiers,
        mcp: mcpIdentifiers(stem),
        openapi: openApiIdentifiers(stem),
        defs: objectFrom(toolset.defs.map((name, position) => [name, elementAt(defs, position)])),
      },
      tools,
    }
  })
}

function nameAgents(agents: readonly NamedAgent[]): DesignNames['agents'] {
  const names = agents.map((agent) => agent.name)
  const folders = claimFiles(names, 'Agent')
  const own = (stem: string) => ({ stem, ...agentIdentifiers(stem) })
  const claimed = claimIdentifiers(names, stemWith('Agent'), own, new Set())
  return agents.map((agent, index) => {
    const { stem, ...identifiers } = elementAt(claimed, index)
    const taken = new Set(Object.values(identifiers))
    const uses = agent.uses.map((use) => use.as)
    const files = claimFiles(uses, 'Use')
    const named = claimIdentifiers(uses, stemWith('Use'), (use) => useIdentifiers(stem + use), taken)
    const exported = agent.exports.map(({ toolset }) => toolset)
    const exportFiles = claimFiles(exported, 'Toolset')
    const offers = claimIdentifiers(exported, exportStem(uses), (offer) => exportIdentifiers(stem + offer), taken)
    return {
      names: { folder: elementAt(folders, index), ...identifiers },
      uses: named.map((use, position) => {
        const file = elementAt(files, position)
        return { file: `${file}.service`, mcpFile: `${file}.mcp`, openApiFile: `${file}.openapi`, ...use }
      }),
      exports: offers.map((offer, position) => ({ file: `${elementAt(exportFiles, position)}.agent`, ...offer })),
    }
  })
}

/**
 * Returns a function that makes legal identifiers from patterns, in which `Name` stands for a PascalCase stem and `name` for its
 * camelCase form.
 */
function identifiers<Key extends string>(
  patterns: Readonly<Record<Key, string>>,
): (stem: string) => { readonly [Name in Key]: string } {
  const entries = Object.entries<string>(patterns)
  return (stem) => {
    const made = entries.map(([key, pattern]) => {
      const identifier = pattern.replace(/^name|Name/, (word) => (word === 'Name' ? stem : camel(stem)))
      return [key, reservedNames.has(identifier) ? `${identifier}_` : identifier]
    })
    // The entries have the keys of the patterns.
    return Object.fromEntries(made) as Record<Key, string>
  }
}

const toolsetIdentifiers = identifiers({ descriptor: 'name', specs: 'nameSpecs', toolset: 'nameToolset' })

const mcpIdentifiers: (stem: string) => McpNames = identifiers({
  import: 'nameMcp',
  executor: 'newNameMcpExecutor',
  client: 'NameClient',
  clientOptions: 'NameClientOptions',
  newClient: 'newNameClient',
})

const openApiIdentifiers: (stem: string) => OpenApiNames = identifiers({
  api: 'nameApi',
  executor: 'newNameApiExecutor',
  options: 'NameApiOptions',
})

const toolIdentifiers: (stem: string) => ToolNames = identifiers({
  arguments: 'NameArguments',
  payload: 'NamePayload',
  result: 'NameResult',
  update: 'NameUpdate',
  payloadCodec: 'namePayloadCodec',
  resultCodec: 'nameResultCodec',
  updateCodec: 'nameUpdateCodec',
  spec: 'nameSpec',
  call: 'newNameCall',
})

const defIdentifiers = identifiers({ sent: 'Name', read: 'NameRead', schema: 'nameSchema' })

const agentIdentifiers = identifiers({
  descriptor: 'nameAgent',
  register: 'registerName',
  binding: 'NameBinding',
  builder: 'newNameAgent',
  bareBuilder: 'newBareNameAgent',
  env: 'NameEnv',
})

const useIdentifiers = identifiers({
  use: 'nameUse',
  client: 'NameClient',
  executor: 'newNameServiceExecutor',
  executorOptions: 'NameServiceExecutorOptions',
  registration: 'newNameToolsetRegistration',
  registrationOptions: 'NameToolsetRegistrationOptions',
  env: 'NameEnv',
  agentEnv: 'NameAgentEnv',
  mcpExecutor: 'newNameMcpExecutor',
  mcpImport: 'nameMcp',
})

const exportIdentifiers = identifiers({
  export: 'nameExport',
  registration: 'newNameToolsetRegistration',
  registrationOptions: 'NameToolsetRegistrationOptions',
})

/** @param kind the word that stands for a name without a usable letter */
function stemWith(kind: string): (name: string) => string {
  return (name) => pascalStem(name, kind)
}

/** Returns the stems of exports: one with the name of a use of its agent gets the prefix `Exported`. */
function exportStem(uses: readonly string[]): (name: string) => string {
  const used = new Set(uses.map(stemWith('Use')))
  return (name) => {
    const stem = pascalStem(name, 'Toolset')
    return used.has(stem) ? `Exported${stem}` : stem
  }
}

/**
 * Claims identifiers in the scope of `taken`.
 *
 * @param exact returns the name that fits a stem. Default: its camelCase form
 */
function claimIdentifiers<Claim extends { readonly [K in keyof Claim]: string }>(
  names: readonly string[],
  stem: (name: string) => string,
  derive: (stem: string) => Claim,
  taken: Set<string>,
  exact: (stem: string) => string = camel,
): readonly Claim[] {
  return claimAll(names, {
    stem,
    exact: (name, own) => exact(own) === name,
    derive,
    hashMark: '_',
    key: (identifier) => identifier,
    taken,
  })
}

/** Claims names of files or folders that differ in more than case and the form of composed letters. */
function claimFiles(names: readonly string[], kind: string): readonly string[] {
  const claims = claimAll(names, {
    stem: (name) => kebabStem(name, kind),
    exact: (name, stem) => name === stem,
    derive: (stem) => ({ file: reservedFileStem.test(stem) ? `${stem}_` : stem }),
    hashMark: '-',
    key: (file) => file.normalize('NFKC').toUpperCase().toLowerCase(),
    taken: new Set(),
  })
  return claims.map((claim) => claim.file)
}

/** The longest stem that is taken as it is; a longer one is cut and gets a hash. */
const longestStem = 64

/**
 * Letters and marks that Unicode gained after version 15, as ranges of code points. Compilers still in use do not know
 * them, so no identifier may depend on them, whatever Unicode version runs this generator.
 */
const youngLetters: readonly (readonly [first: number, last: number])[] = [
  [0x088f, 0x088f],
  [0x0897, 0x0897],
  [0x0c5c, 0x0c5c],
  [0x0cdc, 0x0cdc],
  [0x1acf, 0x1aff],
  [0x1c89, 0x1c8a],
  [0xa7cb, 0xa7cf],
  [0xa7d2, 0xa7d2],
  [0xa7d4, 0xa7d4],
  [0xa7da, 0xa7dc],
  [0xa7f1, 0xa7f1],
]

/** Returns `true` for a letter, mark or digit that is visible and that every compiler accepts inside an identifier. */
function isUsable(character: string): boolean {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80) return /[0-9A-Za-z]/.test(character)
  return (
    code <= 0xffff &&
    /[\p{L}\p{Mn}\p{Mc}\p{Nd}]/u.test(character) &&
    /\p{ID_Continue}/u.test(character) &&
    !/\p{Default_Ignorable_Code_Point}/u.test(character) &&
    !youngLetters.some(([first, last]) => code >= first && code <= last)
  )
}

/** Returns the parts of a name between characters that no identifier may have: `get_order` → `get`, `order`. */
function segments(name: string): readonly string[] {
  const usable = Array.from(name.normalize('NFC'), (character) => (isUsable(character) ? character : ' ')).join('')
  return usable.split(' ').filter((segment) => segment !== '')
}

/**
 * Returns hexadecimal characters that depend on every code unit of a name, lone surrogates included.
 *
 * @param length number of characters, 64 at most
 */
function nameHash(name: string, length: number): string {
  return createHash('sha256').update(name, 'utf16le').digest('hex').slice(0, length)
}

/**
 * Returns the PascalCase stem of a name: `get_order`, `get-order` and `getOrder` are all `GetOrder`. Always a legal identifier
 * that has no underscore, except before a leading digit and before a hash (a name too long, or with nothing to keep).
 *
 * @param kind the word that stands for a name without a single usable letter, e.g. `Tool`
 */
export function pascalStem(name: string, kind: string): string {
  const joined = segments(name).map(capitalised).join('').normalize('NFC')
  if (joined === '') return `${kind}_${nameHash(name, 6)}`
  const legal = /^\p{ID_Start}/u.test(joined) ? joined : `_${joined}`
  return legal.length <= longestStem ? legal : `${legal.slice(0, longestStem)}_${nameHash(name, 6)}`
}

/** Returns the camelCase form of a PascalCase stem; a leading acronym is lowered as a whole: `URLFor` → `urlFor`. */
export function camel(stem: string): string {
  return stem.replace(/^(?:\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}+)/u, (capitals) =>
    usableCase(capitals, capitals.toLowerCase()),
  )
}

/** Returns the stem of a file name in lower case with hyphens between the words: `lineItems` → `line-items`. */
function kebabStem(name: string, kind: string): string {
  const words = segments(name).flatMap((segment) =>
    segment.replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, '_').split('_'),
  )
  const joined = words.join('-').toLowerCase().normalize('NFC')
  if (joined === '') return `${kind.toLowerCase()}-${nameHash(name, 6)}`
  return joined.length <= longestStem ? joined : `${joined.slice(0, longestStem)}-${nameHash(name, 6)}`
}

function capitalised(segment: string): string {
  const [first = ''] = segment
  return usableCase(first, first.toUpperCase()) + segment.slice(first.length)
}

/** Returns the cased form, unless the change of case made something that is not usable. */
function usableCase(original: string, cased: string): string {
  return Array.from(cased).every(isUsable) ? cased : original
}

/** The names of a tool that was described elsewhere: by a list of functions, an MCP server, another catalogue. */
interface ImportedToolNames {
  /** The original name. */
  readonly foreign: string
  /** The key of the tool in a toolset's definition, a camelCase identifier: `math.factorial` → `mathFactorial`. */
  readonly tool: string
  /** The name for models: letters, digits, `_` and `-`, 64 characters at most: `math.factorial` → `math_factorial`. */
  readonly toolName: string
}

/** The maximum length of a name that models accept, in characters. */
export const maxToolNameLength = 64

/** Checks whether models accept a name for a tool. */
export function isToolName(name: string): boolean {
  return name.length <= maxToolNameLength && /^[a-zA-Z0-9_-]+$/.test(name)
}

/**
 * Gives tools that were named elsewhere names that are legal here, in the order of `names`. Within a list both kinds of
 * names are unique even where case does not count. A name that is legal already stays as it is, unless one before it
 * has it; then, as for a name that is too long or has nothing to keep, a hash of the original name is appended. A name
 * depends only on those before it, so that adding one at the end changes no other.
 *
 * @example
 * importedToolNames(['math.sum', 'math_sum'])
 * // tool 'mathSum', toolName 'math_sum'; tool 'mathSum_b2b6f7', toolName 'math_sum_b2b6f7'
 */
export function importedToolNames(names: readonly string[]): readonly ImportedToolNames[] {
  const tools = new Claims()
  const toolNames = new Claims()
  return names.map((foreign) => ({
    foreign,
    tool: tools.claim(foreign, (mark) => `${camel(pascalStem(foreign, 'Tool'))}${mark}`),
    toolName: toolNames.claim(foreign, (mark) => toolName(foreign, mark)),
  }))
}

/** Names that are taken, in any case. */
class Claims {
  readonly #taken = new Set<string>()
  /** Number of claims of each name: equal ones differ by a number alone. */
  readonly #counts = new Map<string, number>()

  /** @param make returns the name with a mark at its end */
  claim(foreign: string, make: (mark: string) => string): string {
    const count = (this.#counts.get(foreign) ?? 0) + 1
    this.#counts.set(foreign, count)
    for (let attempt = 0; ; attempt += 1) {
      const name = make(markOf(foreign, count, attempt))
      const key = name.toLowerCase()
      if (this.#taken.has(key)) continue
      this.#taken.add(key)
      return name
    }
  }
}

/** Returns nothing at first, then a number for a repeated name, else a hash that grows. */
function markOf(foreign: string, count: number, attempt: number): string {
  if (attempt === 0) return ''
  if (count > 1) return `_${count + attempt - 1}`
  const length = 6 * attempt
  return length <= 48 ? `_${nameHash(foreign, length)}` : `_${nameHash(foreign, 40)}_${attempt}`
}

/** Replaces runs of other characters by one underscore. An empty name and one that is cut end with a hash. */
function toolName(foreign: string, mark: string): string {
  const legal = /^[a-zA-Z0-9_-]+$/.test(foreign)
    ? foreign
    : foreign.replace(/[^a-zA-Z0-9_-]+/g, '_').replace(/^_+|_+$/g, '')
  const whole = `${legal === '' ? `tool_${nameHash(foreign, 6)}` : legal}${mark}`
  if (whole.length <= maxToolNameLength) return whole
  const ending = mark === '' ? `_${nameHash(foreign, 6)}` : mark
  return `${legal.slice(0, maxToolNameLength - ending.length)}${ending}`
}

/**
 * Returns the words of a tool's name: `getOrder`, `get_order` and `get-order` are all `Get order`; an acronym stays one
 * (`parseURLPath` → `Parse URL path`).
 */
export function titleOf(name: string): string {
  const words = name
    .replace(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1 ')
    .replace(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1 ')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => (/^\p{Lu}{2,}\p{N}*$/u.test(word) ? word : word.toLowerCase()))
  const [first = '', ...others] = words
  const [initial = ''] = first
  return first === '' ? name : [initial.toUpperCase() + first.slice(initial.length), ...others].join(' ')
}

/** Words that no binding may have in a strict ES module, and names that TypeScript or an emitted wrapper claims. */
const words: readonly string[] = [
  'arguments await break case catch class const continue debugger default delete do else enum eval export extends',
  'false finally for function if implements import in instanceof interface let new null package private protected',
  'public return static super switch this throw true try typeof var void while with yield',
  'async exports module of require then undefined NaN Infinity globalThis',
]

/** Globals of the language and of its standard library's types, so that generated code never shadows one. */
const globals: readonly string[] = [
  'AggregateError Array ArrayBuffer ArrayLike Atomics BigInt BigInt64Array BigUint64Array Boolean Buffer DataView Date',
  'Error EvalError FinalizationRegistry Float32Array Float64Array Function Int16Array Int32Array Int8Array Intl JSON',
  'Iterator Map Math Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set SharedArrayBuffer String',
  'Symbol SyntaxError TypeError URIError URL Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef',
  'WeakSet AbortSignal AsyncGenerator AsyncIterable AsyncIterator Awaited Capitalize Exclude Extract Generator',
  'InstanceType Iterable IterableIterator Lowercase NoInfer NonNullable Omit Parameters Partial Pick PromiseLike',
  'PropertyKey Readonly ReadonlyArray ReadonlyMap ReadonlySet Record Required ReturnType ThisType Uncapitalize',
  'Uppercase',
]

/** The names that generated files can import from the runtime, and the functions that each agent's `specs.ts` has. */
const runtime: readonly string[] = [
  'advertisedSpecs Agent AgentBinding AgentBuilder AgentDescriptor AgentOptions AgentToolsetOptions',
  'agentToolsetRegistration AgentToolSpec bindAgentToolset bindMcpToolset bindToolset BoundAgent CallOptions',
  'ClientOf Codec convert Decoded designedAgent exportedSpecs ExportedTool HasApproval InNamespaces JsonAdapter',
  'JsonObject JsonSchema JsonText JsonValue Mapper McpBinding McpCaller McpCallerSource mcpExecutor McpExecutor',
  'McpExecutorOptions McpServedTool mcpTools MetaField MetaSource MethodArgs MethodItem MethodResult ModelDriver',
  'newToolCall offeredSpecs OptionsFor payloadCodec Received registerAgent RegistrationOptions Requirement',
  'Requirements resultCodec RunPolicy Runtime ServerOwnedField ServiceBinding serviceExecutor serviceStream',
  'serviceTool specsOf standardAgent StandardCheck StreamMappers ToolAnnotations ToolCall ToolCallMeta',
  'ToolCallOptions ToolDescriptor toolDescriptors ToolExecutor ToolMappers ToolOutcome ToolsetBinding',
  'ToolsetDescriptor ToolsetExport ToolsetImport ToolsetRegistration toolsetRegistration ToolsetUse toolsOf',
  'toolSpec ToolSpec Unfilled usedSpecs WrappingMapper',
]

/** Identifiers that generated code may not declare; one of these gets an underscore at its end. */
export const reservedNames: ReadonlySet<string> = new Set(
  [...words, ...globals, ...runtime].flatMap((line) => line.split(' ')),
)

/** Devices of Windows: no file may have such a name, with any extension. */
const reservedFileStem: RegExp = /^(?:con|prn|aux|nul|conin|conout|(?:com|lpt)\d)$/

/**
 * Returns an element that must exist.
 *
 * @throws {RangeError} when it does not exist
 */
export function elementAt<T>(list: readonly T[], index: number): T {
  const element = list[index]
  if (element === undefined) throw new RangeError(`No element ${index} in a list of ${list.length}.`)
  return element
}
