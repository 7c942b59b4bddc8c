import { Choices } from '../issues/choices.js'
import { unknownFieldMessage } from '../issues/message.js'
import { unknownFieldFacts } from '../issues/unknown-field.js'
import type { Fields } from '../json/kind.js'
import { namesKeyword } from './keywords.js'
import type { ObjectTable } from './object-table.js'
import type { Run } from './run.js'
import type { Site } from './site.js'

/** The names that an object may have as far as one schema says. */
export interface KnownNames {
  readonly names: ReadonlySet<string>
  readonly choices: () => Choices<string>
}

/** What a schema declares, then what it requires besides. */
export function knownNames(site: Site, { names, choices }: ObjectTable): KnownNames {
  const others = (namesKeyword(site, 'required') ?? []).filter((name) => !names.has(name))
  if (others.length === 0) return { names, choices: () => choices }
  const all = new Set([...names, ...others])
  const allChoices = new Choices(all)
  return { names: all, choices: () => allChoices }
}

/** Reports every field of an object that is not among the known ones. */
export function reportOthers(value: Fields, known: KnownNames, run: Run): void {
  for (const key in value) if (!known.names.has(key)) reportUnknown(run, key, known.choices)
}

/** Reports a field that must not be there, with the names that may. */
export function reportUnknown(run: Run, field: string, known: () => Choices<string>): false {
  if (run.quiet) return false
  if (run.issues.isFull) return run.report({ constraint: 'unknown_field', field, allowed: [] }, { name: field })
  const choices = known()
  const nearest = run.nearest(field, choices)
  const message = unknownFieldMessage(field, nearest, choices.words)
  return run.report(unknownFieldFacts(field, choices, nearest), { name: field }, message)
}
