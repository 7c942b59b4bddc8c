import type { UseValue } from '@toolgen/dsl'
import type { Diagnostic, SourcePlace } from '../../diagnostics/diagnostic.js'
import { nearest } from '../../diagnostics/near.js'

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
