import { byCodePoint } from '../text.js'
import { camel, kebabStem, nameHash, pascalStem } from './identifiers.js'
import { elementAt, reservedFileStem, reservedNames } from './reserved-names.js'
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

/** The names of a whole design, in the order in which it was given. */
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

type ToolsetIdentifiers = Omit<ToolsetNames, 'folder' | 'defs' | 'mcp' | 'openapi'>
type DefIdentifiers = ToolsetNames['defs'][string]

function nameToolsets(toolsets: readonly NamedToolset[]): DesignNames['toolsets'] {
  const names = toolsets.map((toolset) => toolset.name)
  const folders = claimFiles(names, 'Toolset')
  const identifiers = claimIdentifiers(
    names,
    stemWith('Toolset'),
    camel,
    (stem) => ({ stem, ...toolsetIdentifiers(stem) }),
    new Set(),
  )
  return toolsets.map((toolset, index) => {
    const { stem, ...own } = elementAt(identifiers, index)
    const taken = new Set(Object.values(own))
    const tools = claimIdentifiers(
      toolset.tools.map((tool) => tool.name),
      stemWith('Tool'),
      camel,
      toolIdentifiers,
      taken,
    )
    const defs: Record<string, DefIdentifiers> = Object.create(null)
    claimIdentifiers(toolset.defs, stemWith('Definition'), (stem) => stem, defIdentifiers, taken).forEach(
      (def, position) => {
        defs[elementAt(toolset.defs, position)] = def
      },
    )
    const served = { mcp: mcpIdentifiers(stem), openapi: openApiIdentifiers(stem) }
    return { names: { folder: elementAt(folders, index), ...own, ...served, defs }, tools }
  })
}

function nameAgents(agents: readonly NamedAgent[]): DesignNames['agents'] {
  const names = agents.map((agent) => agent.name)
  const folders = claimFiles(names, 'Agent')
  const identified = claimIdentifiers(
    names,
    stemWith('Agent'),
    camel,
    (stem) => ({ stem, ...agentIdentifiers(stem) }),
    new Set(),
  )
  return agents.map((agent, index) => {
    const { stem, ...own } = elementAt(identified, index)
    const uses = agent.uses.map((use) => use.as)
    const files = claimFiles(uses, 'Use')
    const taken = new Set(Object.values(own))
    const named = claimIdentifiers(uses, stemWith('Use'), camel, (use) => useIdentifiers(stem + use), taken)
    const exported = agent.exports.map(({ toolset }) => toolset)
    const exportFiles = claimFiles(exported, 'Toolset')
    const offers = claimIdentifiers(
      exported,
      exportStem(uses),
      camel,
      (offer) => exportIdentifiers(stem + offer),
      taken,
    )
    return {
      names: { folder: elementAt(folders, index), ...own },
      uses: named.map((use, position) => {
        const file = elementAt(files, position)
        return { file: `${file}.service`, mcpFile: `${file}.mcp`, openApiFile: `${file}.openapi`, ...use }
      }),
      exports: offers.map((offer, position) => ({ file: `${elementAt(exportFiles, position)}.agent`, ...offer })),
    }
  })
}

function toolsetIdentifiers(stem: string): ToolsetIdentifiers {
  const lower = camel(stem)
  return {
    descriptor: legal(lower),
    specs: legal(`${lower}Specs`),
    toolset: legal(`${lower}Toolset`),
  }
}

function mcpIdentifiers(stem: string): McpNames {
  return {
    import: legal(`${camel(stem)}Mcp`),
    executor: legal(`new${stem}McpExecutor`),
    client: legal(`${stem}Client`),
    clientOptions: legal(`${stem}ClientOptions`),
    newClient: legal(`new${stem}Client`),
  }
}

function openApiIdentifiers(stem: string): OpenApiNames {
  return {
    api: legal(`${camel(stem)}Api`),
    executor: legal(`new${stem}ApiExecutor`),
    options: legal(`${stem}ApiOptions`),
  }
}

function toolIdentifiers(stem: string): ToolNames {
  const lower = camel(stem)
  return {
    arguments: legal(`${stem}Arguments`),
    payload: legal(`${stem}Payload`),
    result: legal(`${stem}Result`),
    update: legal(`${stem}Update`),
    payloadCodec: legal(`${lower}PayloadCodec`),
    resultCodec: legal(`${lower}ResultCodec`),
    updateCodec: legal(`${lower}UpdateCodec`),
    spec: legal(`${lower}Spec`),
    call: legal(`new${stem}Call`),
  }
}

function defIdentifiers(stem: string): DefIdentifiers {
  return { sent: legal(stem), read: legal(`${stem}Read`), schema: legal(`${camel(stem)}Schema`) }
}

function agentIdentifiers(stem: string): Omit<AgentNames, 'folder'> {
  return {
    descriptor: legal(`${camel(stem)}Agent`),
    register: legal(`register${stem}`),
    binding: legal(`${stem}Binding`),
    builder: legal(`new${stem}Agent`),
    bareBuilder: legal(`newBare${stem}Agent`),
    env: legal(`${stem}Env`),
  }
}

function useIdentifiers(stem: string): Omit<AnyUseNames, 'file' | 'mcpFile' | 'openApiFile'> {
  const lower = camel(stem)
  return {
    use: legal(`${lower}Use`),
    client: legal(`${stem}Client`),
    executor: legal(`new${stem}ServiceExecutor`),
    executorOptions: legal(`${stem}ServiceExecutorOptions`),
    registration: legal(`new${stem}ToolsetRegistration`),
    registrationOptions: legal(`${stem}ToolsetRegistrationOptions`),
    env: legal(`${stem}Env`),
    agentEnv: legal(`${stem}AgentEnv`),
    mcpExecutor: legal(`new${stem}McpExecutor`),
    mcpImport: legal(`${lower}Mcp`),
  }
}

function exportIdentifiers(stem: string): Omit<ExportNames, 'file'> {
  return {
    export: legal(`${camel(stem)}Export`),
    registration: legal(`new${stem}ToolsetRegistration`),
    registrationOptions: legal(`${stem}ToolsetRegistrationOptions`),
  }
}

function legal(identifier: string): string {
  return reservedNames.has(identifier) ? `${identifier}_` : identifier
}

/** @param kind the word that stands for a name without a usable letter */
function stemWith(kind: string): (name: string) => string {
  return (name) => pascalStem(name, kind)
}

/** An export that is called like a use of its agent says that it is one. */
function exportStem(uses: readonly string[]): (name: string) => string {
  const used = new Set(uses.map(stemWith('Use')))
  return (name) => {
    const stem = pascalStem(name, 'Toolset')
    return used.has(stem) ? `Exported${stem}` : stem
  }
}

/** Claims identifiers in the scope of `taken`; `exact` says how a name is written that fits its stem. */
function claimIdentifiers<Claim extends { readonly [K in keyof Claim]: string }>(
  names: readonly string[],
  stem: (name: string) => string,
  exact: (stem: string) => string,
  derive: (stem: string) => Claim,
  taken: Set<string>,
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

/** File or folder names that no file system confuses: neither in case nor in the form of composed letters. */
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
