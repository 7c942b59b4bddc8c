import type { Diagnostic, SourceLocation } from '../diagnostics/diagnostic.js'
import type { DesignIr } from '../ir/types.js'
import { type ServiceToolIr, type ServiceUseIr, serviceUses } from '../ir/uses.js'
import { own } from '../schema/json-schema.js'
import type { BindingPart } from './reason.js'

/** Place in the design: the use of a toolset, the options of one of its tools, or a part of these options. */
export interface DesignPlace {
  readonly place: 'use' | 'tool' | BindingPart
}

/** A diagnostic with a place in the design instead of a line number. A cached diagnostic therefore stays correct if an edit moves lines. */
export interface BindingDiagnostic extends Omit<Diagnostic, 'location' | 'related'> {
  readonly location: SourceLocation | DesignPlace
  readonly related?: readonly { readonly message: string; readonly location?: SourceLocation | DesignPlace }[]
}

/** Diagnostics about the client of a toolset that an agent uses, or about one tool of this toolset. */
export interface UseDiagnostics {
  readonly agent: string
  /** Name under which the agent uses the toolset. */
  readonly as: string
  readonly tool?: string
  readonly diagnostics: readonly BindingDiagnostic[]
}

/** Adds the locations in a design to diagnostics. */
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

/**
 * Returns the location of a place. If the place names a part of the tool's options that the design does not contain, returns the location
 * of the options.
 */
function placeIn(place: DesignPlace['place'], use: ServiceUseIr, bound?: ServiceToolIr): SourceLocation {
  if (place === 'use' || bound === undefined) return use.location
  const { location, parts } = bound
  if (place === 'tool' || parts === undefined) return location
  if (!('entry' in place)) return parts[place.of] ?? location
  return own(parts[place.of], place.entry)?.[place.side] ?? location
}
