/** The rules for fields and for what stands beside the rules of a schema. */
export const schemaRules: readonly Rule[] = [
  {
    id: 'payload-field-required',
    category: 'code',
    severity: 'breaking',
    says: 'requires a field that it did not require',
    maySay: 'may require a field that it did not require',
    why: 'Callers that leave the field out do not compile, and models and recorded calls that do are refused.',
    next: 'Make the field optional, or give it a default.',
  },
  {
    id: 'payload-field-optional',
    category: 'model',
    severity: 'visible',
    says: 'can be without a field that it had to have',
    maySay: 'may take an object without a field that it required',
    why: 'Whoever called before still can. What serves the tool may get no value for it.',
    next: 'See that what serves the tool can do without the field.',
  },
  {
    id: 'payload-field-removed',
    category: 'code',
    severity: 'breaking',
    says: 'has a field no more',
    maySay: 'may have lost a field',
    why:
      'Payloads refuse unknown fields: callers, models and recorded calls that give the field are refused. A field that was ' +
      'renamed is gone and new; one that the runtime fills from now on must not be sent.',
    next: 'Keep the field, optional and unused, until nobody sends it.',
  },
  {
    id: 'payload-field-added',
    category: 'model',
    severity: 'visible',
    says: 'has a new field',
    maySay: 'may have a new field',
    why: 'Whoever called before still can. Models read of the field and will fill it.',
    next: 'Describe the field, and see that what serves the tool uses it.',
  },
  {
    id: 'payload-unknown-fields-refused',
    category: 'code',
    severity: 'breaking',
    says: 'refuses fields that it does not declare',
    maySay: 'may refuse fields that it does not declare',
    why: 'Calls with further fields were taken and are refused.',
    next: 'Declare the fields that callers send, or allow others with `additionalProperties`.',
  },
  {
    id: 'payload-unknown-fields-taken',
    category: 'model',
    severity: 'visible',
    says: 'takes fields that it does not declare',
    maySay: 'may take fields that it does not declare',
    why: 'Whoever called before still can. Models may send whatever they think fits.',
    next: 'Declare the fields that are meant, where one knows them.',
  },
  {
    id: 'payload-js-type-changed',
    category: 'code',
    severity: 'breaking',
    says: 'has another JavaScript type for a text',
    why: 'The generated types change, so that callers and mappers do not compile. Calls as JSON may still be taken.',
    next: 'Keep the type, or change the callers with it.',
  },
  {
    id: 'payload-default-changed',
    category: 'model',
    severity: 'visible',
    says: 'has another default',
    why: 'A call that leaves the field out means something else than before; models read the default.',
    next: 'See that callers who leave the field out want the new default.',
  },
  {
    id: 'payload-described-otherwise',
    category: 'model',
    severity: 'visible',
    says: 'is described otherwise',
    why: 'Models read titles, descriptions and examples of fields, and choose by them what they send.',
    next: 'Look at the evaluations of prompts that use the tool.',
  },
  {
    id: 'result-field-removed',
    category: 'code',
    severity: 'breaking',
    says: 'has a field no more',
    maySay: 'may have lost a field',
    why: 'Callers that read the field do not compile, and templates and models that use it find nothing.',
    next: 'Keep the field until nobody reads it.',
  },
  {
    id: 'result-field-optional',
    category: 'code',
    severity: 'breaking',
    says: 'can be without a field that it always had',
    maySay: 'may lack a field that it always had',
    why: 'Callers read the field without a question whether it is there.',
    next: 'Always answer with the field, or give the new contract to a tool of another name.',
  },
  {
    id: 'result-field-required',
    category: 'code',
    severity: 'safe',
    says: 'always has a field that could be missing',
    maySay: 'may always have a field that could be missing',
    why: 'Callers that ask whether it is there still work. An answer without it is a malformed result now.',
    next: 'See that what serves the tool always gives the field.',
  },
  {
    id: 'result-field-added',
    category: 'code',
    severity: 'safe',
    says: 'has a new field',
    maySay: 'may have a new field',
    why: 'Callers of before do not read it.',
    next: 'Nothing.',
  },
  {
    id: 'result-js-type-changed',
    category: 'code',
    severity: 'breaking',
    says: 'has another JavaScript type for a text',
    why: 'The generated types change, so that callers that read the value do not compile.',
    next: 'Keep the type, or change the callers with it.',
  },
  {
    id: 'result-described-otherwise',
    category: 'model',
    severity: 'safe',
    says: 'is described otherwise',
    why: 'People read it in types and catalogues, models where results are described to them at all.',
    next: 'Nothing.',
  },
]

/** Whom a change concerns: who calls generated code, what models read, or calls that were recorded. */
export type Category = 'code' | 'model' | 'recorded'

/** `breaking`: something that worked fails; `visible`: models read something else; `safe`: nobody need notice. */
export type Impact = 'breaking' | 'visible' | 'safe'

/** A kind of change of a contract. */
export interface Rule {
  /** What the docs, findings and scripts call it, e.g. `payload-field-required`. */
  readonly id: string
  readonly category: Category
  readonly severity: Impact
  /** What changed, behind the name of what changed: `is gone`. */
  readonly says: string
  /** The same where no value shows it: `may refuse values`. Absent for rules whose changes are always certain. */
  readonly maySay?: string
  /** Why it matters, and to whom. */
  readonly why: string
  /** What to do about it. */
  readonly next: string
}

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

/** The rules for calls that were recorded: each is decided by decoding it. */
export const recordedRules: readonly Rule[] = [
  {
    id: 'recorded-example-refused',
    category: 'recorded',
    severity: 'breaking',
    says: 'refuses an example of before',
    why: 'The examples of before are calls that the author thought right. The payload codec of now does not decode this one.',
    next: 'Take the example again, or expect that calls like it fail.',
  },
  {
    id: 'recorded-call-refused',
    category: 'recorded',
    severity: 'breaking',
    says: 'refuses a recorded call',
    why: 'The payload codec of now does not decode the arguments that a cassette recorded: a suspension, a session or a replay that holds such a call fails.',
    next: 'Take what was sent, or record the cassette again.',
  },
  {
    id: 'recorded-tool-missing',
    category: 'recorded',
    severity: 'breaking',
    says: 'is called in a recording and is gone',
    why: 'A cassette calls a tool that the design does not have.',
    next: 'Keep the tool, or record the cassette again.',
  },
]
