import type { Diagnostic, SourceLocation } from '../diagnostics/diagnostic.js'
import { nearest } from '../diagnostics/near-names.js'

/** A configuration whose fields have the right types; defaults are not filled in. */
export interface CheckedFields {
  readonly design: readonly string[]
  readonly output?: string
  readonly importExtension?: '.js' | '.ts' | ''
  readonly codecs?: 'ts' | 'js'
  readonly tsconfig?: string
  readonly importMap?: Readonly<Record<string, string>>
  readonly lint?: LintConfig
  readonly tokens?: TokensConfig
}

const known: readonly string[] = [
  'design',
  'output',
  'importExtension',
  'codecs',
  'tsconfig',
  'importMap',
  'lint',
  'tokens',
]
const extensions: readonly string[] = ['.js', '.ts', '']

/**
 * Checks the type of every field.
 *
 * @param locationOf the place of a field in the configuration file
 */
export function checkFields(
  config: Readonly<Record<string, unknown>>,
  locationOf: (key: string) => SourceLocation,
): { readonly fields?: CheckedFields; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = []
  for (const key of Object.keys(config)) {
    if (!known.includes(key)) diagnostics.push(unknownField(key, nearest(key, known), known, locationOf(key)))
  }
  const wrong = (key: string, expected: string, at = { path: key, value: config[key] }): void => {
    diagnostics.push({
      code: 'TG1005',
      severity: 'error',
      message: `\`${at.path}\` must be ${expected}, but it is ${described(at.value, expected)}.`,
      location: locationOf(key),
      next: `Give \`${at.path}\` ${expected}.`,
    })
  }
  const inside = <Fields>(key: string, read: (value: unknown) => FieldsReading<Fields>): Fields | undefined => {
    if (config[key] === undefined) return undefined
    const reading = read(config[key])
    if ('fields' in reading) return reading.fields
    const { path } = reading
    if (reading.fault === 'type') wrong(key, reading.expected, { path, value: reading.value })
    else diagnostics.push(unknownField(path, reading.near, reading.known, locationOf(key)))
    return undefined
  }
  const design = typeof config['design'] === 'string' ? [config['design']] : config['design']
  // A field under a mistaken name is not missing as well.
  const misnamed = design === undefined && diagnostics.some(({ near }) => near?.[0] === 'design')
  if (!isTextList(design) && !misnamed) wrong('design', 'the path of a design module or a list of paths')
  const output = config['output']
  if (output !== undefined && !isText(output)) wrong('output', 'the path of a folder')
  const tsconfig = config['tsconfig']
  if (tsconfig !== undefined && !isText(tsconfig)) wrong('tsconfig', 'the path of a file')
  const importExtension = config['importExtension']
  if (importExtension !== undefined && !isExtension(importExtension)) wrong('importExtension', "'.js', '.ts' or ''")
  const codecs = config['codecs']
  if (codecs !== undefined && !isCodecForm(codecs)) wrong('codecs', "'ts' or 'js'")
  const importMap = config['importMap']
  if (importMap !== undefined && !isTextMap(importMap)) wrong('importMap', 'an object from module paths to specifiers')
  const lint = inside('lint', readLintConfig)
  const tokens = inside('tokens', readTokensConfig)
  if (diagnostics.length > 0 || !isTextList(design)) return { diagnostics }
  const fields: CheckedFields = {
    design: [...design],
    ...(isText(output) ? { output } : {}),
    ...(isText(tsconfig) ? { tsconfig } : {}),
    ...(isExtension(importExtension) ? { importExtension } : {}),
    ...(isCodecForm(codecs) ? { codecs } : {}),
    ...(isTextMap(importMap) ? { importMap: { ...importMap } } : {}),
    ...(lint === undefined ? {} : { lint }),
    ...(tokens === undefined ? {} : { tokens }),
  }
  return { fields, diagnostics }
}

function unknownField(
  key: string,
  near: readonly string[],
  fields: readonly string[],
  location: SourceLocation,
): Diagnostic {
  return {
    code: 'TG1004',
    severity: 'error',
    message: `The configuration has no field \`${key}\`.`,
    location,
    next: near[0] === undefined ? `Remove it. The fields are: ${fields.join(', ')}.` : `Did you mean \`${near[0]}\`?`,
    ...(near.length > 0 ? { near } : {}),
  }
}

function isText(value: unknown): value is string {
  // No file system has names with NUL, and asking for one is an exception.
  return typeof value === 'string' && value.trim() !== '' && !value.includes('\0')
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every(isText)
}

function isExtension(value: unknown): value is '.js' | '.ts' | '' {
  return typeof value === 'string' && extensions.includes(value)
}

function isCodecForm(value: unknown): value is 'ts' | 'js' {
  return value === 'ts' || value === 'js'
}

function isTextMap(value: unknown): value is Readonly<Record<string, string>> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.entries(value).flat().every(isText)
  )
}

/** @param expected what it is to be, in words: what is of that kind is told from it by its values */
function described(value: unknown, expected: string): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list with other values'
  if (typeof value === 'string' && value.includes('\0')) return 'a text with a NUL character'
  if (typeof value === 'string') return value.trim() === '' ? 'an empty text' : `'${value}'`
  if (typeof value === 'object' && !isPlainObject(value)) return 'an object with a prototype of its own'
  if (typeof value === 'object') return expected.startsWith('an object') ? 'an object with other values' : 'an object'
  if (typeof value === 'bigint') return `${value}n`
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : `a ${typeof value}`
}

/** Severity of a rule's diagnostics. */
export type RuleLevel = 'off' | 'warning' | 'error'

/** Configuration of `toolgen lint`. */
export interface LintConfig {
  /** Rule → how much its findings matter. Default: `warning` for each. */
  readonly rules?: Readonly<Record<string, RuleLevel>>
  /** Vendors whose tool forms are checked. Default: all. */
  readonly vendors?: readonly Vendor[]
  /** Number of accepted warnings. Default: 0. */
  readonly maxWarnings?: number
}

/** Vendor of models whose form of tools is known; `mcp` is the form in which an MCP server lists them. */
export type Vendor = 'openai' | 'anthropic' | 'gemini' | 'mcp'

/** The vendors whose forms are known, sorted. */
export const vendors: readonly Vendor[] = ['anthropic', 'gemini', 'mcp', 'openai']

const levels: readonly RuleLevel[] = ['off', 'warning', 'error']

/** Checks what the configuration says of `toolgen lint`; which rules there are, lint knows. */
function readLintConfig(value: unknown): FieldsReading<LintConfig> {
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

/** Fields inside a field of the configuration, or what is wrong with them. */
type FieldsReading<Fields> =
  | { readonly fields: Fields }
  | { readonly fault: 'type'; readonly path: string; readonly expected: string; readonly value: unknown }
  | {
      readonly fault: 'unknown'
      readonly path: string
      readonly near: readonly string[]
      readonly known: readonly string[]
    }

/** Test of a configuration field. */
interface FieldTest<Value> {
  /** In words, behind "must be". */
  readonly expected: string
  readonly test: (value: unknown) => value is Value
}

/** Checks an object whose fields may all be left out; `undefined` counts as left out. */
function readFields<Fields extends object>(
  value: unknown,
  at: string,
  tests: { readonly [Name in keyof Fields]-?: FieldTest<NonNullable<Fields[Name]>> },
): FieldsReading<Fields> {
  if (!isPlainObject(value)) {
    return { fault: 'type', path: at, expected: 'an object', value }
  }
  const known = Object.keys(tests)
  const byName = new Map<string, FieldTest<unknown>>(Object.entries(tests))
  for (const [name, given] of Object.entries(value)) {
    const path = `${at}.${name}`
    const field = byName.get(name)
    if (field === undefined) return { fault: 'unknown', path, near: nearest(name, known), known }
    if (given !== undefined && !field.test(given))
      return { fault: 'type', path, expected: field.expected, value: given }
  }
  const fields = Object.fromEntries(Object.entries(value).filter(([, given]) => given !== undefined))
  if (!isChecked<Fields>(fields, byName)) throw new TypeError('fields that were checked do not pass')
  return { fields }
}

function isChecked<Fields>(fields: object, tests: ReadonlyMap<string, FieldTest<unknown>>): fields is Fields & object {
  return Object.entries(fields).every(([name, given]) => tests.get(name)?.test(given) === true)
}

/** A test for one of a list of values. */
function oneOf<Value extends string>(values: readonly Value[]): (value: unknown) => value is Value {
  return (value): value is Value => values.some((each) => each === value)
}

/**
 * Returns whether a value is an object with own fields only. Inherited fields, as in `__proto__: {}`, would be
 * ignored silently.
 */
function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Returns whether a value is a non-negative integer. */
function isWholeNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/**
 * Returns a function that finds the first occurrence of a field name before a colon or comma, or the start of the
 * file.
 */
export function locationsIn(text: string, file: string): (key: string) => SourceLocation {
  const lines = text.split('\n')
  return (key) => {
    const written = new RegExp(`(?<![\\w$.])(['"]?)${key.replace(/[^\w]/g, '\\$&')}\\1\\s*[:,}]`)
    const index = lines.findIndex((line) => written.test(line))
    const column = index === -1 ? 0 : (lines[index]?.search(written) ?? 0)
    return index === -1
      ? { file, line: 1, column: 1 }
      : { file, line: index + 1, column: column + 1, length: key.length }
  }
}

/** Encoding that splits text into tokens: `o200k_base` for GPT-4o and later, `cl100k_base` for GPT-4 and GPT-3.5. */
export type Encoding = 'o200k_base' | 'cl100k_base'

/** The encodings that can be counted in, the default first. */
export const encodings: readonly Encoding[] = ['o200k_base', 'cl100k_base']

/** Configuration of `toolgen tokens`. */
export interface TokensConfig {
  /** Default: `o200k_base`. */
  readonly encoding?: Encoding
  /** In whose form tools are counted. Default: `openai`. */
  readonly as?: Vendor
  /** Maximum number of tokens per tool definition. Default: no limit. */
  readonly perTool?: number
  /** Maximum number of tokens of all tool definitions of an agent. Default: no limit. */
  readonly perAgent?: number
}

/** Checks what the configuration says of `toolgen tokens`. */
function readTokensConfig(value: unknown): FieldsReading<TokensConfig> {
  const number = { expected: 'a whole number, 0 or more', test: isWholeNumber }
  return readFields(value, 'tokens', {
    encoding: { expected: encodings.map((name) => `'${name}'`).join(' or '), test: oneOf(encodings) },
    as: { expected: vendors.map((name) => `'${name}'`).join(' or '), test: oneOf(vendors) },
    perTool: number,
    perAgent: number,
  })
}
