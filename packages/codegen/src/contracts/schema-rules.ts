/** Area that a change affects: generated code and its callers, models, or recorded calls. */
export type Category = 'code' | 'model' | 'recorded'

/** `breaking`: something that worked fails. `visible`: models read something else. `safe`: no effect on existing use. */
export type Impact = 'breaking' | 'visible' | 'safe'

/** A kind of change of a contract. */
export interface Rule {
  /** e.g. `payload-field-required` */
  readonly id: string
  readonly category: Category
  readonly severity: Impact
  /** The change without its subject: `was removed`. */
  readonly summary: string
  /** Summary for a change without proof: `may reject values`. Absent if changes are always certain. */
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

/** Rules for fields and annotations of schemas. */
export const schemaRules: readonly Rule[] = [
  breaking('payload-field-required', 'code', 'requires a previously optional field', {
    uncertainSummary: 'may require a previously optional field',
    why: 'Callers without the field do not compile. Calls from models and recorded calls without it are rejected.',
    next: 'Make the field optional, or add a default.',
  }),
  visible('payload-field-optional', 'model', 'no longer requires a field', {
    uncertainSummary: 'may no longer require a field',
    why: 'Existing calls work. The executor may receive no value for the field.',
    next: 'Check that the executor works without the field.',
  }),
  breaking('payload-field-removed', 'code', 'no longer has a field', {
    uncertainSummary: 'may have lost a field',
    why: 'Payloads reject unknown fields, so calls with the field fail. A rename is a removal and an addition. A field that became server-owned must not be sent either.',
    next: 'Keep the field as optional and unused until no caller sends it.',
  }),
  visible('payload-field-added', 'model', 'has a new field', {
    uncertainSummary: 'may have a new field',
    why: 'Existing calls work. Models read the field and will set it.',
    next: 'Describe the field, and check that the executor uses it.',
  }),
  breaking('payload-unknown-fields-refused', 'code', 'rejects undeclared fields', {
    uncertainSummary: 'may reject undeclared fields',
    why: 'Calls with other fields were accepted before and are now rejected.',
    next: 'Declare the fields that callers send, or allow other fields with `additionalProperties`.',
  }),
  visible('payload-unknown-fields-taken', 'model', 'accepts undeclared fields', {
    uncertainSummary: 'may accept undeclared fields',
    why: 'Existing calls work. Models may send arbitrary fields.',
    next: 'Declare the expected fields if they are known.',
  }),
  breaking('payload-js-type-changed', 'code', 'has another JavaScript type for a string', {
    why: 'The generated types change, so callers and mappers do not compile. Calls as JSON may still be valid.',
    next: 'Keep the type, or change the callers too.',
  }),
  visible('payload-default-changed', 'model', 'has another default', {
    why: 'A call without the field has another meaning than before. Models read the default.',
    next: 'Check that callers without the field want the new default.',
  }),
  visible('payload-described-otherwise', 'model', 'has changed descriptions', {
    why: 'Models decide by titles, descriptions and examples of fields which values they send.',
    next: 'Evaluate the prompts that include the tool.',
  }),
  breaking('result-field-removed', 'code', 'no longer has a field', {
    uncertainSummary: 'may have lost a field',
    why: 'Callers that read the field do not compile. Templates and models that use it have no value.',
    next: 'Keep the field until no caller reads it.',
  }),
  breaking('result-field-optional', 'code', 'may lack a field that was always present', {
    uncertainSummary: 'may lack a field that was always present',
    why: 'Callers read the field without checking whether it is present.',
    next: 'Always return the field, or add a tool with another name for the new contract.',
  }),
  safe('result-field-required', 'code', 'always has a previously optional field', {
    uncertainSummary: 'may always have a previously optional field',
    why: 'Callers that check whether it is present still work. A response without it is now a malformed result.',
    next: 'Check that the executor always returns the field.',
  }),
  safe('result-field-added', 'code', 'has a new field', {
    uncertainSummary: 'may have a new field',
    why: 'Existing callers do not read it.',
  }),
  breaking('result-js-type-changed', 'code', 'has another JavaScript type for a string', {
    why: 'The generated types change, so callers that read the value do not compile.',
    next: 'Keep the type, or change the callers too.',
  }),
  safe('result-described-otherwise', 'model', 'has changed descriptions', {
    why: 'People read it in types and catalogues. Models only read it if the format of their vendor includes result schemas.',
  }),
]

/** Aspects of schemas: their phrase in rules, and whether they can be compared as sets of values. */
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

const setComparison = 'Schemas are compared as sets of values, so an equivalent schema is not a change.'
const noProof =
  'In general, it cannot be proven that one of them allows everything that the other allows. Without a value that proves a difference, the change is uncertain.'

/** Rules for the aspects of schemas. */
export const aspectRules: readonly Rule[] = aspects.flatMap(([aspect, other, isComparable]) => {
  const how = isComparable ? setComparison : noProof
  return [
    breaking(`payload-${aspect}-narrowed`, 'code', `has ${other} and rejects previously valid values`, {
      uncertainSummary: `has ${other} and may reject previously valid values`,
      why: `Calls with previously valid values are rejected. ${how}`,
      next: 'Accept the previous values too, or add a tool with another name for the new contract.',
    }),
    visible(`payload-${aspect}-widened`, 'model', `has ${other} and accepts previously invalid values`, {
      uncertainSummary: `has ${other} and may accept previously invalid values`,
      why: 'Existing calls work. Models read that more is allowed, and the executor receives new values.',
      next: 'Check that the executor supports the new values.',
    }),
    breaking(`result-${aspect}-widened`, 'code', `has ${other} and allows new values`, {
      uncertainSummary: `has ${other} and may allow new values`,
      why: `Callers were written for the previous values: a switch may lack a case, and types may not match. ${how}`,
      next: 'Return only the previous values, or add a tool with another name for the new contract.',
    }),
    safe(`result-${aspect}-narrowed`, 'code', `has ${other} and excludes some previous values`, {
      uncertainSummary: `has ${other} and may exclude some previous values`,
      why: 'Callers support all remaining values. A response with an excluded value is now a malformed result.',
      next: 'Check that the executor only returns the remaining values.',
    }),
  ]
})
