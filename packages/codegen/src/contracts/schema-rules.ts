/** Area of a change: generated code and its callers, what models read, or recorded calls. */
export type Category = 'code' | 'model' | 'recorded'

/** `breaking`: something that worked fails. `visible`: models read something else. `safe`: nobody needs to notice. */
export type Impact = 'breaking' | 'visible' | 'safe'

/** A kind of change of a contract. */
export interface Rule {
  /** E.g. `payload-field-required`. */
  readonly id: string
  readonly category: Category
  readonly severity: Impact
  /** The change, without the name of its subject: `is gone`. */
  readonly summary: string
  /** The same if no value proves it: `may refuse values`. Absent if changes are always certain. */
  readonly uncertainSummary?: string
  /** Consequences of the change. */
  readonly why: string
  /** Fix. */
  readonly next: string
}

type RuleTexts = Pick<Rule, 'why' | 'uncertainSummary'> & Partial<Pick<Rule, 'next'>>

type NewRule = (id: string, category: Category, summary: string, texts: RuleTexts) => Rule

function ruleWith(severity: Impact): NewRule {
  return (id, category, summary, { next = 'Nothing.', ...texts }) => ({
    id,
    category,
    severity,
    summary,
    ...texts,
    next,
  })
}

export const breaking: NewRule = ruleWith('breaking')
export const visible: NewRule = ruleWith('visible')
export const safe: NewRule = ruleWith('safe')

/** Rules for fields and notes of schemas. */
export const schemaRules: readonly Rule[] = [
  breaking('payload-field-required', 'code', 'requires a field that it did not require', {
    uncertainSummary: 'may require a field that it did not require',
    why: 'Callers that leave the field out do not compile, and models and recorded calls that do are refused.',
    next: 'Make the field optional, or give it a default.',
  }),
  visible('payload-field-optional', 'model', 'can be without a field that it had to have', {
    uncertainSummary: 'may take an object without a field that it required',
    why: 'Whoever called before still can. What serves the tool may get no value for it.',
    next: 'See that what serves the tool can do without the field.',
  }),
  breaking('payload-field-removed', 'code', 'has a field no more', {
    uncertainSummary: 'may have lost a field',
    why: 'Payloads refuse unknown fields: callers, models and recorded calls that give the field are refused. A field that was renamed is gone and new; one that the runtime fills from now on must not be sent.',
    next: 'Keep the field, optional and unused, until nobody sends it.',
  }),
  visible('payload-field-added', 'model', 'has a new field', {
    uncertainSummary: 'may have a new field',
    why: 'Whoever called before still can. Models read of the field and will fill it.',
    next: 'Describe the field, and see that what serves the tool uses it.',
  }),
  breaking('payload-unknown-fields-refused', 'code', 'refuses fields that it does not declare', {
    uncertainSummary: 'may refuse fields that it does not declare',
    why: 'Calls with further fields were taken and are refused.',
    next: 'Declare the fields that callers send, or allow others with `additionalProperties`.',
  }),
  visible('payload-unknown-fields-taken', 'model', 'takes fields that it does not declare', {
    uncertainSummary: 'may take fields that it does not declare',
    why: 'Whoever called before still can. Models may send whatever they think fits.',
    next: 'Declare the fields that are meant, where one knows them.',
  }),
  breaking('payload-js-type-changed', 'code', 'has another JavaScript type for a text', {
    why: 'The generated types change, so that callers and mappers do not compile. Calls as JSON may still be taken.',
    next: 'Keep the type, or change the callers with it.',
  }),
  visible('payload-default-changed', 'model', 'has another default', {
    why: 'A call that leaves the field out means something else than before; models read the default.',
    next: 'See that callers who leave the field out want the new default.',
  }),
  visible('payload-described-otherwise', 'model', 'is described otherwise', {
    why: 'Models read titles, descriptions and examples of fields, and choose by them what they send.',
    next: 'Look at the evaluations of prompts that use the tool.',
  }),
  breaking('result-field-removed', 'code', 'has a field no more', {
    uncertainSummary: 'may have lost a field',
    why: 'Callers that read the field do not compile, and templates and models that use it find nothing.',
    next: 'Keep the field until nobody reads it.',
  }),
  breaking('result-field-optional', 'code', 'can be without a field that it always had', {
    uncertainSummary: 'may lack a field that it always had',
    why: 'Callers read the field without a question whether it is there.',
    next: 'Always answer with the field, or give the new contract to a tool of another name.',
  }),
  safe('result-field-required', 'code', 'always has a field that could be missing', {
    uncertainSummary: 'may always have a field that could be missing',
    why: 'Callers that ask whether it is there still work. An answer without it is a malformed result now.',
    next: 'See that what serves the tool always gives the field.',
  }),
  safe('result-field-added', 'code', 'has a new field', {
    uncertainSummary: 'may have a new field',
    why: 'Callers of before do not read it.',
  }),
  breaking('result-js-type-changed', 'code', 'has another JavaScript type for a text', {
    why: 'The generated types change, so that callers that read the value do not compile.',
    next: 'Keep the type, or change the callers with it.',
  }),
  safe('result-described-otherwise', 'model', 'is described otherwise', {
    why: 'People read it in types and catalogues, models where results are described to them at all.',
  }),
]

/** Aspects of schemas, how rules name them, and whether two of them can be compared as sets of values. */
const aspects = [
  ['type', 'other types', true],
  ['enum', 'other listed values', true],
  ['variant', 'other variants', true],
  ['range', 'another range of numbers', true],
  ['length', 'another length', true],
  ['pattern', 'another pattern', false],
  ['format', 'another format', false],
  ['rule', 'another rule', false],
] as const

const setComparison = 'Schemas are compared as sets of values: another way to write the same is no change.'
const noProof =
  'For two of them there is no general proof that one allows all that the other does. Without a value that shows a difference the change is reported as uncertain.'

/** Rules for the aspects of schemas. */
export const aspectRules: readonly Rule[] = aspects.flatMap(([aspect, other, isComparable]) => {
  const how = isComparable ? setComparison : noProof
  return [
    breaking(`payload-${aspect}-narrowed`, 'code', `has ${other}, and refuses values that it took`, {
      uncertainSummary: `has ${other}, and may refuse values that it took`,
      why: `Callers, models and recorded calls that send what was taken before are refused. ${how}`,
      next: 'Take what was taken before as well, or give the new contract to a tool of another name.',
    }),
    visible(`payload-${aspect}-widened`, 'model', `has ${other}, and takes values that it refused`, {
      uncertainSummary: `has ${other}, and may take values that it refused`,
      why: 'Whoever called before still can. Models read that more is allowed, and what serves the tool gets values that it never got.',
      next: 'See that what serves the tool knows the new values.',
    }),
    breaking(`result-${aspect}-widened`, 'code', `has ${other}, and can hold values that it never held`, {
      uncertainSummary: `has ${other}, and may hold values that it never held`,
      why: `Callers were written for the values of before: a switch has no case for others, a type does not fit. ${how}`,
      next: 'Answer with what was answered before, or give the new contract to a tool of another name.',
    }),
    safe(`result-${aspect}-narrowed`, 'code', `has ${other}, and some values do not occur any more`, {
      uncertainSummary: `has ${other}, and perhaps some values do not occur any more`,
      why: 'Callers handle all that is left. An answer with one of the others is a malformed result now.',
      next: 'See that what serves the tool keeps to it.',
    }),
  ]
})
