import type { Diagnostic, SourcePlace } from '../diagnostics/diagnostic.js'
import { nearest } from '../diagnostics/near.js'
import type { LintConfig } from './lint-config.js'
import { readLintConfig } from './lint-fields.js'
import { type FieldsReading, isPlainObject } from './nested-fields.js'
import type { TokensConfig } from './tokens-config.js'
import { readTokensConfig } from './tokens-fields.js'

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
 * @param placeOf the place of a field in the configuration file
 */
export function checkFields(
  config: Readonly<Record<string, unknown>>,
  placeOf: (key: string) => SourcePlace,
): { readonly fields?: CheckedFields; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = []
  for (const key of Object.keys(config)) {
    if (!known.includes(key)) diagnostics.push(unknownField(key, nearest(key, known), known, placeOf(key)))
  }
  const wrong = (key: string, expected: string, at = { path: key, value: config[key] }): void => {
    diagnostics.push({
      code: 'TG1005',
      severity: 'error',
      message: `\`${at.path}\` must be ${expected}, but it is ${described(at.value, expected)}.`,
      place: placeOf(key),
      next: `Give \`${at.path}\` ${expected}.`,
    })
  }
  const inside = <Fields>(key: string, read: (value: unknown) => FieldsReading<Fields>): Fields | undefined => {
    if (config[key] === undefined) return undefined
    const reading = read(config[key])
    if ('fields' in reading) return reading.fields
    const { path } = reading
    if (reading.fault === 'type') wrong(key, reading.expected, { path, value: reading.value })
    else diagnostics.push(unknownField(path, reading.near, reading.known, placeOf(key)))
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

function unknownField(key: string, near: readonly string[], fields: readonly string[], place: SourcePlace): Diagnostic {
  return {
    code: 'TG1004',
    severity: 'error',
    message: `The configuration has no field \`${key}\`.`,
    place,
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
