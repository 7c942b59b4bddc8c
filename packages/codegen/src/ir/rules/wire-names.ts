import type { Diagnostic, SourcePlace } from '../../diagnostics/diagnostic.js'
import { defaultWireName, isWireName, longestWireName } from './wire-name.js'

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
