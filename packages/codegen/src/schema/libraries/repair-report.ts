import { pointerOf } from '@toolgen/runtime/schema'
import { atPointer, type Json, type SchemaDiagnostic } from '../json-schema.js'

type Repair = 'TG3030' | 'TG3031' | 'TG3032' | 'TG3033' | 'TG3034'

export type Report = (diagnostic: SchemaDiagnostic) => void

const codes: Readonly<Record<'type' | 'default' | 'enum' | 'required' | 'form', Repair>> = {
  type: 'TG3030',
  default: 'TG3031',
  enum: 'TG3032',
  required: 'TG3033',
  form: 'TG3034',
}

interface RepairFacts {
  readonly kind: keyof typeof codes
  readonly keys: readonly string[]
  readonly keyword: string
  readonly what: string
  readonly next: string
}

/** For a repair that does not change the meaning of the schema. */
export function translated(facts: RepairFacts): SchemaDiagnostic {
  return diagnostic('note', facts)
}

/** For a repair that loses information, or that selects one of several possible meanings. */
export function repaired(facts: RepairFacts): SchemaDiagnostic {
  return diagnostic('warning', facts)
}

/** For a deviation from JSON Schema that toolgen cannot repair safely. */
export function guess(facts: RepairFacts): SchemaDiagnostic {
  return diagnostic('error', facts)
}

export function shown(value: Json): string {
  const text = JSON.stringify(value)
  return `\`${text.length > 120 ? `${Array.from(text).slice(0, 120).join('')}...` : text}\``
}

export function diagnostic(
  severity: SchemaDiagnostic['severity'],
  { kind, keys, keyword, what, next }: RepairFacts,
): SchemaDiagnostic {
  const message = `${what.slice(0, 1).toUpperCase()}${what.slice(1)}, ${atPointer(pointerOf(keys))}.`
  return { code: codes[kind], severity, message, next, trail: [...keys, keyword] }
}
