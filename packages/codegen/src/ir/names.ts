import { elementAt } from '../defined.js'
import { objectFrom } from '../schema/json-schema.js'
import { byCodePoint } from '../text.js'
import {
  type AgentNames,
  type AnyUseNames,
  agentIdentifiers,
  defIdentifiers,
  type ExportNames,
  exportIdentifiers,
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
      uses: named.map((use, position) => ({ file: elementAt(files, position), ...use })),
      exports: offers.map((offer, position) => ({ file: `${elementAt(exportFiles, position)}.agent`, ...offer })),
    }
  })
}

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
