import { createHash } from 'node:crypto'
import type { Agent, Toolset, ToolsetUse } from '@toolgen/dsl'
import { type Diagnostic, nearest, type SourceLocation } from '../diagnostics/diagnostic.js'
import type { Locations } from '../load/loaded-design.js'

/** What a use says of single tools names tools of its toolset. */
export function useNameFaults(
  use: ToolsetUse,
  locationOf: (...path: readonly (string | number)[]) => SourceLocation,
): readonly Diagnostic[] {
  const known = Object.keys(use.toolset.tools)
  const named = [
    ...(use.only ?? []).map((tool, index) => ({ field: 'only', tool, location: locationOf('only', index) })),
    ...Object.entries({ rename: use.rename, tools: 'tools' in use ? use.tools : undefined }).flatMap(
      ([field, said = {}]) => Object.keys(said).map((tool) => ({ field, tool, location: locationOf(field, tool) })),
    ),
  ]
  const nothing = use.only?.length === 0 ? [selectsNothing(use.toolset.name, locationOf('only'))] : []
  const faults = named.flatMap(({ field, tool, location }) => {
    if (!known.includes(tool)) return [unknownTool(field, tool, use.toolset.name, known, location)]
    return use.only === undefined || use.only.includes(tool) ? [] : [leftOut(field, tool, location)]
  })
  return [...nothing, ...faults]
}

function selectsNothing(toolset: string, location: SourceLocation): Diagnostic {
  return {
    code: 'TG2024',
    severity: 'error',
    message: `The use of \`${toolset}\` selects no tools: \`only\` is empty.`,
    location,
    next: 'Name tools in `only`, leave it out to take all of them, or remove the use.',
  }
}

/** A name that stands where a tool of a toolset must be named. */
export function unknownTool(
  field: string,
  tool: string,
  toolset: string,
  known: readonly string[],
  location: SourceLocation,
): Diagnostic {
  const near = nearest(tool, known)
  return {
    code: 'TG2022',
    severity: 'error',
    message: `\`${field}\` names \`${tool}\`, but the toolset \`${toolset}\` has no such tool.`,
    location,
    next: near[0] === undefined ? `The tools are: ${known.join(', ')}.` : `Did you mean \`${near[0]}\`?`,
    ...(near.length === 0 ? {} : { near }),
  }
}

function leftOut(field: string, tool: string, location: SourceLocation): Diagnostic {
  return {
    code: 'TG2023',
    severity: 'warning',
    message: `\`${field}\` speaks of \`${tool}\`, which \`only\` leaves out; it has no effect.`,
    location,
    next: `Add \`${tool}\` to \`only\`, or remove it from \`${field}\`.`,
  }
}

/** The longest name that models accept, in characters. */
export const longestToolName = 64

/** Whether models accept a name for a tool. */
export function isToolName(name: string): boolean {
  return name.length <= longestToolName && /^[a-zA-Z0-9_-]+$/.test(name)
}

/**
 * `toolset_tool` made legal: every other character becomes an underscore; a name that is too long is cut and ends with
 * a hash of the whole, so that names with the same beginning stay apart.
 */
export function defaultToolName(toolset: string, tool: string): string {
  const whole = `${toolset}_${tool}`
  const legal = Array.from(whole, (character) => (/[a-zA-Z0-9_-]/.test(character) ? character : '_')).join('')
  if (legal.length <= longestToolName) return legal
  const hash = createHash('sha256').update(whole, 'utf16le').digest('hex').slice(0, 8)
  return `${legal.slice(0, longestToolName - hash.length - 1)}_${hash}`
}

/** A tool name that the design gives must be legal. */
export function toolNameFaults(name: string, tool: string, location: SourceLocation): readonly Diagnostic[] {
  if (isToolName(name)) return []
  return [
    {
      code: 'TG2020',
      severity: 'error',
      message: `The tool name \`${name}\` of \`${tool}\` is not legal for models.`,
      location,
      next: `Use letters, digits, \`_\` and \`-\` (A to Z without accents), ${longestToolName} at most.`,
    },
  ]
}

/** A tool as an agent's model sees it. */
export interface AdvertisedTool {
  /** The agent's name for the toolset. */
  readonly as: string
  readonly tool: string
  readonly toolName: string
  readonly location: SourceLocation
}

/** Where an agent's set of tools comes from, and what gives one of its tools another tool name. */
const repairs = {
  uses: (tool: string, proposal: string): string => `rename: { ${JSON.stringify(tool)}: '${proposal}' }`,
  exports: (_: string, proposal: string): string => `toolName: '${proposal}'`,
} as const

/** Within what one agent uses, and within what it offers, every tool name stands for one tool. */
export function toolNameClashes(
  agent: string,
  side: keyof typeof repairs,
  tools: readonly AdvertisedTool[],
): readonly Diagnostic[] {
  const taken = new Map<string, AdvertisedTool>()
  const names = new Set(tools.map(({ toolName }) => toolName))
  return tools.flatMap((tool) => {
    const first = taken.get(tool.toolName)
    if (first === undefined) {
      taken.set(tool.toolName, tool)
      return []
    }
    const proposal = freeName(defaultToolName(tool.as, tool.tool), names)
    names.add(proposal)
    const next = `Rename one of them, e.g. \`${repairs[side](tool.tool, proposal)}\`.`
    const message = `Two tools in the ${side} of \`${agent}\` have the tool name \`${tool.toolName}\`: \`${first.as}.${first.tool}\` and \`${tool.as}.${tool.tool}\`.`
    const related = [{ message: 'The first one is here.', location: first.location }]
    return [{ code: 'TG2021', severity: 'error', message, location: tool.location, next, related }]
  })
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted
  for (let number = 2; taken.has(name); number += 1) {
    const ending = `_${number}`
    name = wanted.slice(0, longestToolName - ending.length) + ending
  }
  return name
}

/** Names are not empty, and no two toolsets, agents or tool ids share one. */
export function nameFaults(
  toolsets: readonly Toolset[],
  agents: readonly Agent[],
  locations: Locations,
): readonly Diagnostic[] {
  const found: Diagnostic[] = []
  const named = [
    ...toolsets.map((value) => ({ what: 'toolset', code: 'TG2010' as const, value })),
    ...agents.map((value) => ({ what: 'agent', code: 'TG2011' as const, value })),
  ]
  const firsts = new Map<string, SourceLocation>()
  for (const { what, code, value } of named) {
    const location = locations.locationOf(value)
    if (value.name.trim() === '') found.push(noName(what, location))
    const first = firsts.get(`${what} ${value.name}`)
    if (first === undefined) firsts.set(`${what} ${value.name}`, location)
    else found.push(twice(code, `Two ${what}s are named \`${value.name}\`.`, location, first))
  }
  return [...found, ...toolFaults(toolsets, locations)]
}

function toolFaults(toolsets: readonly Toolset[], locations: Locations): readonly Diagnostic[] {
  const found: Diagnostic[] = []
  const ids = new Map<string, { readonly toolset: string; readonly location: SourceLocation }>()
  for (const toolset of toolsets) {
    const names = Object.keys(toolset.tools)
    if (names.length === 0) found.push(noTools(toolset.name, locations.locationOf(toolset)))
    for (const name of names) {
      const location = locations.locationOf(toolset, 'tools', name)
      if (name.trim() === '') found.push(noName('tool', location))
      const id = `${toolset.name}.${name}`
      const first = ids.get(id)
      if (first === undefined) ids.set(id, { toolset: toolset.name, location })
      else if (first.toolset !== toolset.name) {
        found.push(twice('TG2014', `Two tools have the id \`${id}\`.`, location, first.location))
      }
    }
  }
  return found
}

function twice(
  code: 'TG2010' | 'TG2011' | 'TG2014',
  message: string,
  location: SourceLocation,
  first: SourceLocation,
): Diagnostic {
  return {
    code,
    severity: 'error',
    message,
    location,
    next: 'Rename one of them.',
    related: [{ message: 'The first one is here.', location: first }],
  }
}

function noName(what: string, location: SourceLocation): Diagnostic {
  return {
    code: 'TG2006',
    severity: 'error',
    message: `The name of this ${what} is empty.`,
    location,
    next: `Give the ${what} a name.`,
  }
}

function noTools(name: string, location: SourceLocation): Diagnostic {
  return {
    code: 'TG2007',
    severity: 'error',
    message: `The toolset \`${name}\` has no tools.`,
    location,
    next: 'Add a tool, or remove the toolset.',
  }
}

/** What a toolset says of its MCP server names tools that it has. */
export function mcpNameFaults(toolset: Toolset, locations: Locations): readonly Diagnostic[] {
  const known = Object.keys(toolset.tools)
  return Object.keys(toolset.mcp?.names ?? {})
    .filter((tool) => !known.includes(tool))
    .map((tool) => {
      const location = locations.locationOf(toolset, 'mcp', 'names', tool)
      return unknownTool('mcp.names', tool, toolset.name, known, location)
    })
}
