import type { Diagnostic, SourceLocation } from '../diagnostics/diagnostic.js'
import type { DesignIr } from '../ir/types.js'
import { type ServiceToolIr, type ServiceUseIr, serviceUses } from '../ir/uses.js'
import { own } from '../schema/json-schema.js'
import type { BindingPart } from './reason.js'

export interface DesignPlace {
  readonly place: 'use' | 'tool' | BindingPart
}

/** Names a part of the design instead of a line number, so that a cached diagnostic stays correct after lines have moved. */
export interface BindingDiagnostic extends Omit<Diagnostic, 'location' | 'related'> {
  readonly location: SourceLocation | DesignPlace
  readonly related?: readonly { readonly message: string; readonly location?: SourceLocation | DesignPlace }[]
}

export interface UseDiagnostics {
  readonly agent: string
  readonly as: string
  readonly tool?: string
  readonly diagnostics: readonly BindingDiagnostic[]
}

export function locatedDiagnostics(found: readonly UseDiagnostics[], { agents }: DesignIr): readonly Diagnostic[] {
  return found.flatMap(({ agent: name, as, tool, diagnostics }) => {
    const agent = agents.find((each) => each.name === name)
    const use = agent && serviceUses(agent).find((each) => each.as === as)
    if (use === undefined) throw new Error(`The agent '${name}' does not use '${as}'.`)
    const bound = use.tools.find((each) => each.tool === tool)
    return diagnostics.map((each) => located(each, use, bound))
  })
}

function located(diagnostic: BindingDiagnostic, use: ServiceUseIr, bound?: ServiceToolIr): Diagnostic {
  const { location, related, ...rest } = diagnostic
  const locationOf = (at: SourceLocation | DesignPlace): SourceLocation =>
    'place' in at ? placeIn(at.place, use, bound) : at
  return {
    ...rest,
    location: locationOf(location),
    ...(related !== undefined && {
      related: related.map((each) =>
        each.location === undefined
          ? { message: each.message }
          : { message: each.message, location: locationOf(each.location) },
      ),
    }),
  }
}

function placeIn(place: DesignPlace['place'], use: ServiceUseIr, bound?: ServiceToolIr): SourceLocation {
  if (place === 'use' || bound === undefined) return use.location
  const { location, parts } = bound
  if (place === 'tool' || parts === undefined) return location
  if (!('entry' in place)) return parts[place.of] ?? location
  return own(parts[place.of], place.entry)?.[place.side] ?? location
}
