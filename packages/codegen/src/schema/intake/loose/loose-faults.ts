import type { Json } from '../../json/json-schema.js'
import { pointerOf } from '../../json/pointer.js'
import { atPointer, type SchemaFault } from '../../json/schema-fault.js'

/** What was repaired, by the code that explains it. */
export type Repair = 'TG3030' | 'TG3031' | 'TG3032' | 'TG3033' | 'TG3034'

/** Where repairs are written down. */
export type Report = (fault: SchemaFault) => void

const codes: Readonly<Record<'type' | 'default' | 'enum' | 'required' | 'form', Repair>> = {
  type: 'TG3030',
  default: 'TG3031',
  enum: 'TG3032',
  required: 'TG3033',
  form: 'TG3034',
}

/** What a repair concerns, as a person reads it. */
export interface RepairFacts {
  readonly kind: keyof typeof codes
  /** The keys of the schema that was repaired. */
  readonly keys: readonly string[]
  readonly keyword: string
  /** What it was and what it became, e.g. `the type \`dict\` is read as \`object\``. */
  readonly what: string
  /** What to write instead. */
  readonly next: string
}

/** A repair that means what was written: nobody has to look at it. */
export function translated(facts: RepairFacts): SchemaFault {
  return fault('note', facts)
}

/** A repair that loses or chooses something. */
export function repaired(facts: RepairFacts): SchemaFault {
  return fault('warning', facts)
}

/** A deviation whose repair would be a guess. */
export function guess(facts: RepairFacts): SchemaFault {
  return fault('error', facts)
}

/** A JSON value in a message, cut where it is long. */
export function shown(value: Json): string {
  const text = JSON.stringify(value)
  return `\`${text.length > 120 ? `${Array.from(text).slice(0, 120).join('')}...` : text}\``
}

function fault(severity: SchemaFault['severity'], { kind, keys, keyword, what, next }: RepairFacts): SchemaFault {
  const message = `${what.slice(0, 1).toUpperCase()}${what.slice(1)}, ${atPointer(pointerOf(keys))}.`
  return { code: codes[kind], severity, message, next, trail: [...keys, keyword] }
}
