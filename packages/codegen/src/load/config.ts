import { readFileSync } from 'node:fs'
import { dirname, posix, resolve } from 'node:path'
import { type Checked, type Diagnostic, errorAt, type SourceLocation, startOf } from '../diagnostics/diagnostic.js'
import { unknownNameAt } from '../diagnostics/near-names.js'
import { foldersUpFrom, isFile, relativePath } from '../files.js'
import { byCodePoint } from '../text.js'
import { type Evaluation, evaluateModules, evaluateQuickly } from './evaluate.js'
import { evaluationDiagnostic } from './evaluation-errors.js'
import {
  configNames,
  encodings,
  findConfig,
  findDesignFiles,
  findTsconfig,
  type ResolvedConfig,
  type ToolgenConfig,
  vendors,
} from './toolgen-config.js'

/** A configuration or its errors, and the files that were read for it. */
export interface LoadedConfig extends Checked<ResolvedConfig> {
  /** Every file outside `node_modules` that took part, also if evaluating it failed: absolute. */
  readonly read: readonly string[]
}

/**
 * Finds, evaluates and checks the configuration.
 *
 * @param options.path the file that the user named. Default: the configuration of `cwd`
 */
export async function loadConfig(options: { readonly cwd: string; readonly path?: string }): Promise<LoadedConfig> {
  const file = findConfig(options)
  if (file === undefined) return { diagnostics: [noConfig(options)], read: [] }
  const root = dirname(file)
  const tsconfig = findTsconfig(root)
  const project = { root, ...(tsconfig !== undefined && { tsconfig }) }
  const evaluation = await evaluateQuickly([file], project)
  try {
    return { ...readConfig(evaluation, root, file), read: evaluation.closure }
  } catch {
    // Reading the user's object can run a getter. Only the complete evaluation knows its line.
    const complete = await evaluateModules([file], project)
    const read = complete.closure
    try {
      return { ...readConfig(complete, root, file), read }
    } catch (error) {
      return { diagnostics: [notEvaluated(error, root, file, read)], read }
    }
  }
}

/** Throws what a getter of the configuration throws. */
function readConfig({ closure, failures, modules }: Evaluation, root: string, file: string): Checked<ResolvedConfig> {
  const [failure] = failures
  if (failure !== undefined) return { diagnostics: [notEvaluated(failure.error, root, file, closure)] }
  const name = relativePath(root, file)
  const exported = new Map(Object.entries(modules[0]?.exports ?? {})).get('default')
  if (typeof exported !== 'object' || exported === null || Array.isArray(exported)) {
    const message = 'The configuration does not export an object as its default.'
    const next = 'Write `export default defineConfig({ design: ... })`.'
    return { diagnostics: [errorAt(startOf(name), 'TG1003', message, next)] }
  }
  const config = { ...exported }
  const locationOf = locationsIn(readFileSync(file, 'utf8'), name)
  const diagnostics = checkConfig(config, locationOf)
  if (diagnostics.length > 0) return { diagnostics }
  return resolveConfig(
    config as ToolgenConfig, // `checkConfig` accepts nothing else
    { root, file: name, closure: closure.map((path) => relativePath(root, path)) },
    locationOf,
  )
}

function resolveConfig(
  config: ToolgenConfig,
  location: Pick<ResolvedConfig, 'root' | 'file' | 'closure'>,
  locationOf: (key: string) => SourceLocation,
): Checked<ResolvedConfig> {
  const { root } = location
  const diagnostics: Diagnostic[] = []
  const badPath = 'Correct the path; it is relative to the configuration file.'
  const badOutput = (message: string): void => {
    const next = 'Choose a folder of its own below the project, e.g. `gen`.'
    diagnostics.push(errorAt(locationOf('output'), 'TG1007', `The output folder ${message}`, next))
  }
  const checkFile = (code: string, field: string, path: string): void => {
    if (isFile(fileOf(root, path))) return
    diagnostics.push(errorAt(locationOf(field), code, `\`${field}\` names \`${path}\`, which is no file.`, badPath))
  }
  const output = inProject(root, config.output ?? 'gen')
  if (output.startsWith('../') || output === '..' || output === '') {
    badOutput(`\`${config.output}\` is not a folder inside the project.`)
  }
  if (output.split('/').includes('node_modules')) {
    badOutput(`\`${output}\` lies in node_modules, which installing replaces.`)
  }
  const patterns = [config.design].flat().map((pattern) => inProject(root, pattern))
  const design = patterns.flatMap((pattern) => {
    const files = findDesignFiles(root, pattern, output)
    if (files.length > 0) return files
    diagnostics.push(errorAt(locationOf('design'), 'TG1006', `No design module matches \`${pattern}\`.`, badPath))
    return []
  })
  const inside = design.find((path) => path.startsWith(`${output}/`))
  if (inside !== undefined) badOutput(`\`${output}\` holds the design module \`${inside}\`.`)
  if (config.tsconfig !== undefined) checkFile('TG1008', 'tsconfig', config.tsconfig)
  const importMap = Object.entries(config.importMap ?? {})
  for (const [path] of importMap) checkFile('TG1009', 'importMap', path)
  if (diagnostics.length > 0) return { diagnostics }
  const tsconfig = config.tsconfig === undefined ? findTsconfig(root) : fileOf(root, config.tsconfig)
  const value: ResolvedConfig = {
    ...location,
    patterns,
    design: [...new Set(design)].sort(byCodePoint),
    output,
    importExtension: config.importExtension ?? '.js',
    codecs: config.codecs ?? 'ts',
    ...(tsconfig !== undefined && { tsconfig: relativePath(root, tsconfig) }),
    importMap: Object.fromEntries(importMap.map(([path, specifier]) => [inProject(root, path), specifier])),
    lint: config.lint ?? {},
    tokens: config.tokens ?? {},
  }
  return { value, diagnostics }
}

/** Returns the file of a path in the configuration. Both slashes separate folders, on every system. */
function fileOf(root: string, path: string): string {
  return resolve(root, path.replaceAll('\\', '/'))
}

function inProject(root: string, path: string): string {
  const relative = relativePath(root, fileOf(root, path))
  return relative === '' ? '' : posix.normalize(relative)
}

function noConfig({ cwd, path }: { readonly cwd: string; readonly path?: string }): Diagnostic {
  const other =
    path === undefined ? foldersUpFrom(dirname(cwd)).find((folder) => findConfig({ cwd: folder })) : undefined
  return errorAt(
    undefined,
    'TG1001',
    path === undefined ? `There is no ${configNames[0]} in ${cwd}.` : `There is no file \`${path}\` in ${cwd}.`,
    other === undefined
      ? 'Run `toolgen init` to write one, or name it with --config.'
      : `Run the command in the folder that has one: \`--cwd ${relativePath(cwd, other)}\`.`,
  )
}

function notEvaluated(error: unknown, root: string, file: string, closure: readonly string[]): Diagnostic {
  return evaluationDiagnostic(error, { root, file, closure }, { code: 'TG1002', what: 'configuration' })
}

interface Requirement {
  /** Follows "must be". */
  readonly expected: string
  readonly test: (value: unknown) => boolean
  /** Requirement for each value of an object with any keys. */
  readonly entry?: Requirement
  /** Requirements for the fields of an object, all optional. */
  readonly fields?: Fields
}

type Fields = Readonly<Record<string, Requirement>>

function pathOf(what: 'file' | 'folder'): Requirement {
  return { expected: `the path of a ${what}`, test: isText }
}

function oneOf(values: readonly string[], expected = values.map((value) => `'${value}'`).join(' or ')): Requirement {
  return { expected, test: (value) => values.some((each) => each === value) }
}

function objectWith(fields: Fields): Requirement {
  return { expected: 'an object', test: isPlainObject, fields }
}

const level = oneOf(['off', 'warning', 'error'], "'off', 'warning' or 'error'")

const wholeNumber: Requirement = {
  expected: 'a whole number, 0 or more',
  test: (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0,
}

const configFields: Fields = {
  design: {
    expected: 'the path of a design module or a list of paths',
    test: (value) => isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText)),
  },
  output: pathOf('folder'),
  importExtension: oneOf(['.js', '.ts', ''], "'.js', '.ts' or ''"),
  codecs: oneOf(['ts', 'js']),
  tsconfig: pathOf('file'),
  importMap: {
    expected: 'an object from module paths to specifiers',
    test: (value) =>
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.entries(value).flat().every(isText),
  },
  lint: objectWith({
    rules: {
      expected: `an object from rules to ${level.expected}`,
      test: (value) => isPlainObject(value) && Object.values(value).every(level.test),
      entry: level,
    },
    vendors: {
      expected: `a list of ${vendors.map((name) => `'${name}'`).join(', ')}`,
      test: (value) => Array.isArray(value) && value.every((each) => vendors.includes(each)),
    },
    maxWarnings: wholeNumber,
  }),
  tokens: objectWith({
    encoding: oneOf(encodings),
    as: oneOf(vendors),
    perTool: wholeNumber,
    perAgent: wholeNumber,
  }),
}

/**
 * Checks the name and the type of every field.
 *
 * @param locationOf returns the location of a field in the configuration file
 */
function checkConfig(
  config: Readonly<Record<string, unknown>>,
  locationOf: (key: string) => SourceLocation,
): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = []
  const wrong = (key: string, path: string, value: unknown, expected: string): void => {
    const message = `\`${path}\` must be ${expected}, but it is ${described(value, expected)}.`
    diagnostics.push(errorAt(locationOf(key), 'TG1005', message, `Give \`${path}\` ${expected}.`))
  }
  const checkFields = (value: object, fields: Fields, parent?: string): void => {
    const names = Object.keys(fields)
    for (const [name, field] of Object.entries(value)) {
      const path = parent === undefined ? name : `${parent}.${name}`
      const requirement = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (requirement !== undefined) check(parent ?? name, path, field, requirement)
      else diagnostics.push(unknownField(name, path, names, locationOf(parent ?? name)))
    }
  }
  const check = (key: string, path: string, value: unknown, { expected, test, entry, fields }: Requirement): void => {
    if (value === undefined) return
    if (fields !== undefined && isPlainObject(value)) checkFields(value, fields, path)
    else if (!test(value)) {
      const wrongEntry =
        entry && isPlainObject(value) ? Object.entries(value).find(([, each]) => !entry.test(each)) : undefined
      if (entry === undefined || wrongEntry === undefined) wrong(key, path, value, expected)
      else wrong(key, `${path}['${wrongEntry[0]}']`, wrongEntry[1], entry.expected)
    }
  }
  checkFields(config, configFields)
  // A field under a mistaken name is not missing as well.
  const isMisnamed = diagnostics.some(({ near }) => near?.[0] === 'design')
  if (config.design === undefined && !isMisnamed) {
    wrong('design', 'design', undefined, configFields.design?.expected ?? '')
  }
  return diagnostics
}

function unknownField(name: string, path: string, known: readonly string[], location: SourceLocation): Diagnostic {
  const message = `The configuration has no field \`${path}\`.`
  const next = `Remove it. The fields are: ${known.join(', ')}.`
  return unknownNameAt(location, 'TG1004', message, name, known, next)
}

function isText(value: unknown): value is string {
  // No file system has names with NUL, and asking for one is an exception.
  return typeof value === 'string' && value.trim() !== '' && !value.includes('\0')
}

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

/** Checks whether a value is an object with own fields only: inherited ones, as in `__proto__: {}`, would be ignored. */
function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Returns a function that finds the first occurrence of a field name before a colon or comma, or the start of the file. */
export function locationsIn(text: string, file: string): (key: string) => SourceLocation {
  const lines = text.split('\n')
  return (key) => {
    const written = new RegExp(`(?<![\\w$.])(['"]?)${key.replace(/[^\w]/g, '\\$&')}\\1\\s*[:,}]`)
    const index = lines.findIndex((line) => written.test(line))
    if (index === -1) return startOf(file)
    return { file, line: index + 1, column: (lines[index]?.search(written) ?? 0) + 1, length: key.length }
  }
}
