import { type Vendor, vendors } from '../vendor-forms/vendor-form.js'
import type { LintConfig, RuleLevel } from './lint-config.js'
import { type FieldsReading, isPlainObject, isWholeNumber, oneOf, readFields } from './nested-fields.js'

const levels: readonly RuleLevel[] = ['off', 'warning', 'error']

/** Checks what the configuration says of `toolgen lint`; which rules there are, lint knows. */
export function readLintConfig(value: unknown): FieldsReading<LintConfig> {
  const reading = readFields(value, 'lint', {
    rules: { expected: "an object from rules to 'off', 'warning' or 'error'", test: isLevels },
    vendors: { expected: `a list of ${vendors.map((name) => `'${name}'`).join(', ')}`, test: isVendors },
    maxWarnings: { expected: 'a whole number, 0 or more', test: isWholeNumber },
  })
  const isOfRules = 'fault' in reading && reading.fault === 'type' && reading.path === 'lint.rules'
  return isOfRules && isPlainObject(reading.value) ? (wrongLevel(reading.value) ?? reading) : reading
}

/** The first rule that has another level than there is. */
function wrongLevel(rules: object): FieldsReading<LintConfig> | undefined {
  const [id, value] = Object.entries(rules).find(([, level]) => !oneOf(levels)(level)) ?? []
  if (id === undefined) return undefined
  return { fault: 'type', path: `lint.rules['${id}']`, expected: "'off', 'warning' or 'error'", value }
}

function isLevels(value: unknown): value is Readonly<Record<string, RuleLevel>> {
  return isPlainObject(value) && Object.values(value).every(oneOf(levels))
}

function isVendors(value: unknown): value is readonly Vendor[] {
  return Array.isArray(value) && value.every(oneOf(vendors))
}
