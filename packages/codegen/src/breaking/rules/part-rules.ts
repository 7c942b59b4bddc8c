import type { Rule } from './rule.js'

/** A part of a schema by which values are taken or refused. */
interface Part {
  readonly name: string
  /** What there is of it now, in a sentence. */
  readonly other: string
  /** Whether two of them can be compared as sets of values. */
  readonly isSure: boolean
}

const parts: readonly Part[] = [
  { name: 'type', other: 'other types', isSure: true },
  { name: 'enum', other: 'other listed values', isSure: true },
  { name: 'variant', other: 'other variants', isSure: true },
  { name: 'range', other: 'another range of numbers', isSure: true },
  { name: 'length', other: 'another length', isSure: true },
  { name: 'pattern', other: 'another pattern', isSure: false },
  { name: 'format', other: 'another format', isSure: false },
  { name: 'rule', other: 'another rule', isSure: false },
]

/** The rules for parts of schemas, each narrower or wider, of payloads and of results. */
export const partRules: readonly Rule[] = parts.flatMap((part) => [
  payloadNarrowed(part),
  payloadWidened(part),
  resultWidened(part),
  resultNarrowed(part),
])

function payloadNarrowed({ name, other, isSure }: Part): Rule {
  return {
    id: `payload-${name}-narrowed`,
    category: 'code',
    severity: 'breaking',
    says: `has ${other}, and refuses values that it took`,
    maySay: `has ${other}, and may refuse values that it took`,
    why: `Callers, models and recorded calls that send what was taken before are refused. ${how(isSure)}`,
    next: 'Take what was taken before as well, or give the new contract to a tool of another name.',
  }
}

function payloadWidened({ name, other }: Part): Rule {
  return {
    id: `payload-${name}-widened`,
    category: 'model',
    severity: 'visible',
    says: `has ${other}, and takes values that it refused`,
    maySay: `has ${other}, and may take values that it refused`,
    why: 'Whoever called before still can. Models read that more is allowed, and what serves the tool gets values that it never got.',
    next: 'See that what serves the tool knows the new values.',
  }
}

function resultWidened({ name, other, isSure }: Part): Rule {
  return {
    id: `result-${name}-widened`,
    category: 'code',
    severity: 'breaking',
    says: `has ${other}, and can hold values that it never held`,
    maySay: `has ${other}, and may hold values that it never held`,
    why: `Callers were written for the values of before: a switch has no case for others, a type does not fit. ${how(isSure)}`,
    next: 'Answer with what was answered before, or give the new contract to a tool of another name.',
  }
}

function resultNarrowed({ name, other }: Part): Rule {
  return {
    id: `result-${name}-narrowed`,
    category: 'code',
    severity: 'safe',
    says: `has ${other}, and some values do not occur any more`,
    maySay: `has ${other}, and perhaps some values do not occur any more`,
    why: 'Callers handle all that is left. An answer with one of the others is a malformed result now.',
    next: 'See that what serves the tool keeps to it.',
  }
}

function how(isSure: boolean): string {
  return isSure
    ? 'Schemas are compared as sets of values: another way to write the same is no change.'
    : 'For two of them there is no general proof that one allows all that the other does. Without a value that shows a difference the change is reported as uncertain.'
}
