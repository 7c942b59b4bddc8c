import { createHash } from 'node:crypto'
import type { AgentValue, ToolsetValue, UseValue } from '@toolgen/dsl'
import { type Diagnostic, nearest, type SourcePlace } from '../diagnostics/diagnostic.js'
import type { Places } from '../load/loaded-design.js'

/** What a use says of single tools names tools of its toolset. */
export function useNameFaults(
  use: UseValue,
  placeOf: (...path: readonly (string | number)[]) => SourcePlace,
): readonly Diagnostic[] {
  const known = Object.keys(use.toolset.tools)
  const named = [
    ...(use.only ?? []).map((tool, index) => ({ field: 'only', tool, place: placeOf('only', index) })),
    ...Object.entries({ rename: use.rename, tools: 'tools' in use ? use.tools : undefined }).flatMap(
      ([field, said = {}]) => Object.keys(said).map((tool) => ({ field, tool, place: placeOf(field, tool) })),
    ),
  ]
  const nothing = use.only?.length === 0 ? [selectsNothing(use.toolset.name, placeOf('only'))] : []
  const faults = named.flatMap(({ field, tool, place }) => {
    if (!known.includes(tool)) return [unknownTool(field, tool, use.toolset.name, known, place)]
    return use.only === undefined || use.only.includes(tool) ? [] : [leftOut(field, tool, place)]
  })
  return [...nothing, ...faults]
}

function selectsNothing(toolset: string, place: SourcePlace): Diagnostic {
  return {
    code: 'TG2024',
    severity: 'error',
    message: `The use of \`${toolset}\` selects no tools: \`only\` is empty.`,
    place,
    next: 'Name tools in `only`, leave it out to take all of them, or remove the use.',
  }
}

/** A name that stands where a tool of a toolset must be named. */
export function unknownTool(
  field: string,
  tool: string,
  toolset: string,
  known: readonly string[],
  place: SourcePlace,
): Diagnostic {
  const near = nearest(tool, known)
  return {
    code: 'TG2022',
    severity: 'error',
    message: `\`${field}\` names \`${tool}\`, but the toolset \`${toolset}\` has no such tool.`,
    place,
    next: near[0] === undefined ? `The tools are: ${known.join(', ')}.` : `Did you mean \`${near[0]}\`?`,
    ...(near.length === 0 ? {} : { near }),
  }
}

function leftOut(field: string, tool: string, place: SourcePlace): Diagnostic {
  return {
    code: 'TG2023',
    severity: 'warning',
    message: `\`${field}\` speaks of \`${tool}\`, which \`only\` leaves out; it has no effect.`,
    place,
    next: `Add \`${tool}\` to \`only\`, or remove it from \`${field}\`.`,
  }
}

/** The longest name that models accept, in characters. */
export const longestWireName = 64

/** Whether models accept a name for a tool. */
export function isWireName(name: string): boolean {
  return name.length <= longestWireName && /^[a-zA-Z0-9_-]+$/.test(name)
}

/**
 * `toolset_tool` made legal: every other character becomes an underscore; a name that is too long is cut and ends with
 * a hash of the whole, so that names with the same beginning stay apart.
 */
export function defaultWireName(toolset: string, tool: string): string {
  const whole = `${toolset}_${tool}`
  const legal = Array.from(whole, (character) => (/[a-zA-Z0-9_-]/.test(character) ? character : '_')).join('')
  if (legal.length <= longestWireName) return legal
  const hash = createHash('sha256').update(whole, 'utf16le').digest('hex').slice(0, 8)
  return `${legal.slice(0, longestWireName - hash.length - 1)}_${hash}`
}

/** A wire name that the design gives must be legal. */
export function wireNameFaults(name: string, tool: string, place: SourcePlace): readonly Diagnostic[] {
  if (isWireName(name)) return []
  return [
    {
      code: 'TG2020',
      severity: 'error',
      message: `The wire name \`${name}\` of \`${tool}\` is not legal for models.`,
      place,
      next: `Use letters, digits, \`_\` and \`-\` (A to Z without accents), ${longestWireName} at most.`,
    },
  ]
}

/** A tool as an agent's model sees it. */
export interface AdvertisedTool {
  /** The agent's name for the toolset. */
  readonly as: string
  readonly tool: string
  readonly wireName: string
  readonly place: SourcePlace
}

/** Where an agent's set of tools comes from, and what gives one of its tools another wire name. */
const repairs = {
  uses: (tool: string, proposal: string): string => `rename: { ${JSON.stringify(tool)}: '${proposal}' }`,
  exports: (_: string, proposal: string): string => `wireName: '${proposal}'`,
} as const

/** Within what one agent uses, and within what it offers, every wire name stands for one tool. */
export function wireNameClashes(
  agent: string,
  side: keyof typeof repairs,
  tools: readonly AdvertisedTool[],
): readonly Diagnostic[] {
  const taken = new Map<string, AdvertisedTool>()
  const names = new Set(tools.map(({ wireName }) => wireName))
  return tools.flatMap((tool) => {
    const first = taken.get(tool.wireName)
    if (first === undefined) {
      taken.set(tool.wireName, tool)
      return []
    }
    const proposal = freeName(defaultWireName(tool.as, tool.tool), names)
    names.add(proposal)
    const next = `Rename one of them, e.g. \`${repairs[side](tool.tool, proposal)}\`.`
    const message = `Two tools in the ${side} of \`${agent}\` have the wire name \`${tool.wireName}\`: \`${first.as}.${first.tool}\` and \`${tool.as}.${tool.tool}\`.`
    const related = [{ message: 'The first one is here.', place: first.place }]
    return [{ code: 'TG2021', severity: 'error', message, place: tool.place, next, related }]
  })
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted
  for (let number = 2; taken.has(name); number += 1) {
    const ending = `_${number}`
    name = wanted.slice(0, longestWireName - ending.length) + ending
  }
  return name
}

/** Names are not empty, and no two toolsets, agents or tool ids share one. */
export function nameFaults(
  toolsets: readonly ToolsetValue[],
  agents: readonly AgentValue[],
  places: Places,
): readonly Diagnostic[] {
  const found: Diagnostic[] = []
  const named = [
    ...toolsets.map((value) => ({ what: 'toolset', code: 'TG2010' as const, value })),
    ...agents.map((value) => ({ what: 'agent', code: 'TG2011' as const, value })),
  ]
  const firsts = new Map<string, SourcePlace>()
  for (const { what, code, value } of named) {
    const place = places.placeOf(value)
    if (value.name.trim() === '') found.push(noName(what, place))
    const first = firsts.get(`${what} ${value.name}`)
    if (first === undefined) firsts.set(`${what} ${value.name}`, place)
    else found.push(twice(code, `Two ${what}s are named \`${value.name}\`.`, place, first))
  }
  return [...found, ...toolFaults(toolsets, places)]
}

function toolFaults(toolsets: readonly ToolsetValue[], places: Places): readonly Diagnostic[] {
  const found: Diagnostic[] = []
  const ids = new Map<string, { readonly toolset: string; readonly place: SourcePlace }>()
  for (const toolset of toolsets) {
    const names = Object.keys(toolset.tools)
    if (names.length === 0) found.push(noTools(toolset.name, places.placeOf(toolset)))
    for (const name of names) {
      const place = places.placeOf(toolset, 'tools', name)
      if (name.trim() === '') found.push(noName('tool', place))
      const id = `${toolset.name}.${name}`
      const first = ids.get(id)
      if (first === undefined) ids.set(id, { toolset: toolset.name, place })
      else if (first.toolset !== toolset.name) {
        found.push(twice('TG2014', `Two tools have the id \`${id}\`.`, place, first.place))
      }
    }
  }
  return found
}

function twice(
  code: 'TG2010' | 'TG2011' | 'TG2014',
  message: string,
  place: SourcePlace,
  first: SourcePlace,
): Diagnostic {
  return {
    code,
    severity: 'error',
    message,
    place,
    next: 'Rename one of them.',
    related: [{ message: 'The first one is here.', place: first }],
  }
}

function noName(what: string, place: SourcePlace): Diagnostic {
  return {
    code: 'TG2006',
    severity: 'error',
    message: `The name of this ${what} is empty.`,
    place,
    next: `Give the ${what} a name.`,
  }
}

function noTools(name: string, place: SourcePlace): Diagnostic {
  return {
    code: 'TG2007',
    severity: 'error',
    message: `The toolset \`${name}\` has no tools.`,
    place,
    next: 'Add a tool, or remove the toolset.',
  }
}

/** What a toolset says of its MCP server names tools that it has. */
export function mcpNameFaults(toolset: ToolsetValue, places: Places): readonly Diagnostic[] {
  const known = Object.keys(toolset.tools)
  return Object.keys(toolset.mcp?.names ?? {})
    .filter((tool) => !known.includes(tool))
    .map((tool) => {
      const place = places.placeOf(toolset, 'mcp', 'names', tool)
      return unknownTool('mcp.names', tool, toolset.name, known, place)
    })
}
