import type { Diagnostic, SourcePlace } from '../diagnostics/diagnostic.js'
import { nearest } from '../diagnostics/near.js'

/** A configuration whose fields have the right types; defaults are not filled in. */
export interface CheckedFields {
  readonly design: readonly string[]
  readonly output?: string
  readonly importExtension?: '.js' | '.ts' | ''
  readonly codecs?: 'ts' | 'js'
  readonly tsconfig?: string
  readonly importMap?: Readonly<Record<string, string>>
}

const known: readonly string[] = ['design', 'output', 'importExtension', 'codecs', 'tsconfig', 'importMap']
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
    if (!known.includes(key)) diagnostics.push(unknownField(key, placeOf(key)))
  }
  const wrong = (key: string, expected: string): void => {
    diagnostics.push({
      code: 'TG1005',
      severity: 'error',
      message: `\`${key}\` must be ${expected}, but it is ${described(config[key])}.`,
      place: placeOf(key),
      next: `Give \`${key}\` ${expected}.`,
    })
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
  if (diagnostics.length > 0 || !isTextList(design)) return { diagnostics }
  const fields: CheckedFields = {
    design: [...design],
    ...(isText(output) ? { output } : {}),
    ...(isText(tsconfig) ? { tsconfig } : {}),
    ...(isExtension(importExtension) ? { importExtension } : {}),
    ...(isCodecForm(codecs) ? { codecs } : {}),
    ...(isTextMap(importMap) ? { importMap: { ...importMap } } : {}),
  }
  return { fields, diagnostics }
}

function unknownField(key: string, place: SourcePlace): Diagnostic {
  const near = nearest(key, known)
  return {
    code: 'TG1004',
    severity: 'error',
    message: `The configuration has no field \`${key}\`.`,
    place,
    next: near[0] === undefined ? `Remove it. The fields are: ${known.join(', ')}.` : `Did you mean \`${near[0]}\`?`,
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

function described(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list with other values'
  if (typeof value === 'string' && value.includes('\0')) return 'a text with a NUL character'
  if (typeof value === 'string') return value.trim() === '' ? 'an empty text' : `'${value}'`
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
