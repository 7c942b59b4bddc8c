import { defined, elementAt } from '../defined.js'
import { objectFrom } from '../schema/json-schema.js'
import { byCodePoint } from '../text.js'
import {
  type AgentNames,
  type AnyUseNames,
  agentIdentifiers,
  defIdentifiers,
  type ExportNames,
  errorIdentifiers,
  exportIdentifiers,
  failureIdentifiers,
  failuresIdentifiers,
  mcpIdentifiers,
  openApiIdentifiers,
  type ToolNames,
  type ToolsetNames,
  toolIdentifiers,
  toolsetIdentifiers,
  useIdentifiers,
} from './identifiers.js'
import { camel, kebabStem, nameHash, pascalStem } from './letter-case.js'
import { reservedFileStem } from './reserved-names.js'

interface ClaimRules<Claim> {
  readonly stem: (name: string) => string
  readonly exact: (name: string, stem: string) => boolean
  readonly derive: (stem: string) => Claim
  readonly hashMark: '_' | '-'
  readonly key: (text: string) => string
  readonly taken: Set<string>
}

/**
 * If several names have the same stem, the name in the normal spelling (`getOrder`), or else the first name by code point, gets identifiers without a
 * hash. Equal names, which the design rules report as an error, get different identifiers.
 */
function claimAll<Claim extends { readonly [K in keyof Claim]: string }>(
  names: readonly string[],
  { stem: stemOf, exact, derive, hashMark, key, taken }: ClaimRules<Claim>,
): readonly Claim[] {
  const claimOne = (name: string, stem: string): Claim => {
    for (let attempt = 0; ; attempt += 1) {
      const hash = attempt > 0 ? `${hashMark}${nameHash(name, Math.min(6 * attempt, 60))}` : ''
      const counter = attempt > 10 ? `${hashMark}${attempt - 9}` : ''
      const claim = derive(`${stem}${hash}${counter}`)
      const keys = Object.values<string>(claim).map(key)
      if (keys.some((one) => taken.has(one))) continue
      for (const one of keys) taken.add(one)
      return claim
    }
  }
  const claims: Claim[] = []
  const turns = names
    .map((name, index) => ({ name, index, stem: stemOf(name) }))
    .map((turn) => ({ ...turn, isExact: exact(turn.name, turn.stem) }))
    .sort((a, b) => Number(b.isExact) - Number(a.isExact) || byCodePoint(a.name, b.name))
  for (const { name, index, stem } of turns) claims[index] = claimOne(name, stem)
  return claims
}

interface NamedTool {
  readonly name: string
  readonly errors?: object
  readonly failures?: readonly { readonly name: string }[]
  readonly statusFailures?: object
}

export interface NamedToolset {
  readonly name: string
  readonly tools: readonly NamedTool[]
  readonly defs: Readonly<Record<string, unknown>>
}

export interface NamedAgent {
  readonly name: string
  readonly uses: readonly { readonly as: string }[]
  readonly exports: readonly { readonly toolset: string }[]
}

export interface NamesOfToolset {
  readonly names: ToolsetNames
  readonly tools: readonly ToolNames[]
}

export interface DesignNames {
  readonly toolsets: readonly NamesOfToolset[]
  readonly agents: readonly {
    readonly names: AgentNames
    readonly uses: readonly AnyUseNames[]
    readonly exports: readonly ExportNames[]
  }[]
}

/** Names of earlier runs in this process. They are still valid if the toolset has the same `folder` and `stem`. */
export type NamesMemory = WeakMap<
  NamedToolset,
  { readonly folder: string; readonly stem: string; readonly named: NamesOfToolset }
>

/** A new tool changes the identifiers of an existing tool only if both names have the same PascalCase stem, as `getOrder` and `get_order` have. */
export function assignNames(
  design: { readonly toolsets: readonly NamedToolset[]; readonly agents: readonly NamedAgent[] },
  memory: NamesMemory = new WeakMap(),
): DesignNames {
  return { toolsets: nameToolsets(design.toolsets, memory), agents: nameAgents(design.agents) }
}

function nameToolsets(toolsets: readonly NamedToolset[], memory: NamesMemory): readonly NamesOfToolset[] {
  const names = toolsets.map((toolset) => toolset.name)
  const folders = claimFiles(names, 'Toolset')
  const own = (stem: string) => ({ stem, ...toolsetIdentifiers(stem) })
  const claimed = claimIdentifiers(names, stemWith('Toolset'), own, new Set())
  return toolsets.map((toolset, index) => {
    const { stem } = elementAt(claimed, index)
    const folder = elementAt(folders, index)
    const known = memory.get(toolset)
    if (known !== undefined && known.folder === folder && known.stem === stem) return known.named
    const named = nameToolset(toolset, folder, stem)
    memory.set(toolset, { folder, stem, named })
    return named
  })
}

function nameToolset(toolset: NamedToolset, folder: string, stem: string): NamesOfToolset {
  const identifiers = toolsetIdentifiers(stem)
  const taken = new Set<string>(Object.values(identifiers))
  const toolNames = toolset.tools.map((tool) => tool.name)
  const tools = claimIdentifiers(toolNames, stemWith('Tool'), toolIdentifiers, taken)
  const isStem = (own: string) => own
  const defNames = Object.keys(toolset.defs)
  const defs = claimIdentifiers(defNames, stemWith('Definition'), defIdentifiers, taken, isStem)
  // Claimed last, so that declared errors do not rename other types.
  const failing = toolset.tools.filter(({ errors }) => errors !== undefined).map(({ name }) => name)
  const errors = claimIdentifiers(failing, stemWith('Tool'), errorIdentifiers, taken)
  const errorsOf = new Map(failing.map((name, position) => [name, elementAt(errors, position)]))
  const declaring = toolset.tools
    .filter(({ failures, statusFailures }) => (failures ?? statusFailures) !== undefined)
    .map(({ name }) => name)
  const types = claimIdentifiers(declaring, stemWith('Tool'), failuresIdentifiers, taken)
  const failuresOf = new Map(declaring.map((name, position) => [name, elementAt(types, position)]))
  const declared = [...new Set(toolset.tools.flatMap(({ failures = [] }) => failures.map(({ name }) => name)))]
  const failures = claimIdentifiers(declared, stemWith('Failure'), failureIdentifiers, taken)
  const failureNames = objectFrom(declared.map((name, position) => [name, elementAt(failures, position)]))
  return {
    names: {
      folder,
      ...identifiers,
      mcp: mcpIdentifiers(stem),
      openapi: openApiIdentifiers(stem),
      defs: objectFrom(defNames.map((name, position) => [name, elementAt(defs, position)])),
      ...(declared.length > 0 && { failures: failureNames }),
    },
    tools: tools.map((own, position) => {
      const name = elementAt(toolNames, position)
      return defined({ ...own, errors: errorsOf.get(name), failures: failuresOf.get(name) })
    }),
  }
}

export function claimMembers(names: readonly string[], taken: readonly string[]): readonly string[] {
  const derive = (stem: string) => ({ member: camel(stem) })
  return claimIdentifiers(names, stemWith('Member'), derive, new Set(taken)).map(({ member }) => member)
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
      uses: named.map((use, position) => ({ file: elementAt(files, position), ...use })),
      exports: offers.map((offer, position) => ({ file: `${elementAt(exportFiles, position)}.agent`, ...offer })),
    }
  })
}

function stemWith(kind: string): (name: string) => string {
  return (name) => pascalStem(name, kind)
}

function exportStem(uses: readonly string[]): (name: string) => string {
  const used = new Set(uses.map(stemWith('Use')))
  return (name) => {
    const stem = pascalStem(name, 'Toolset')
    return used.has(stem) ? `Exported${stem}` : stem
  }
}

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
