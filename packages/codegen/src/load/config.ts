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

export interface LoadedConfig extends Checked<ResolvedConfig> {
  /** Absolute paths of all evaluated files outside `node_modules`, including files whose evaluation failed. */
  readonly read: readonly string[]
}

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
    // A getter in the configuration can throw. Only the complete evaluation has correct line numbers.
    const complete = await evaluateModules([file], project)
    const read = complete.closure
    try {
      return { ...readConfig(complete, root, file), read }
    } catch (error) {
      return { diagnostics: [notEvaluated(error, root, file, read)], read }
    }
  }
}

function readConfig({ closure, failures, modules }: Evaluation, root: string, file: string): Checked<ResolvedConfig> {
  const [failure] = failures
  if (failure !== undefined) return { diagnostics: [notEvaluated(failure.error, root, file, closure)] }
  const name = relativePath(root, file)
  const exported = new Map(Object.entries(modules[0]?.exports ?? {})).get('default')
  if (typeof exported !== 'object' || exported === null || Array.isArray(exported)) {
    const message = 'The default export of the configuration is not an object.'
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
  const badPath = 'Correct the path. It is relative to the configuration file.'
  const badOutput = (message: string): void => {
    const next = 'Choose a separate folder inside the project, e.g. `gen`.'
    diagnostics.push(errorAt(locationOf('output'), 'TG1007', `The output folder ${message}`, next))
  }
  const checkFile = (code: string, field: string, path: string): void => {
    if (isFile(fileOf(root, path))) return
    diagnostics.push(errorAt(locationOf(field), code, `The file \`${path}\` of \`${field}\` does not exist.`, badPath))
  }
  const output = inProject(root, config.output ?? 'gen')
  if (output.startsWith('../') || output === '..' || output === '') {
    badOutput(`\`${config.output}\` is not a folder inside the project.`)
  }
  if (output.split('/').includes('node_modules')) {
    badOutput(`\`${output}\` is inside node_modules, which npm overwrites.`)
  }
  const patterns = [config.design].flat().map((pattern) => inProject(root, pattern))
  const design = patterns.flatMap((pattern) => {
    const files = findDesignFiles(root, pattern, output)
    if (files.length > 0) return files
    diagnostics.push(errorAt(locationOf('design'), 'TG1006', `No design module matches \`${pattern}\`.`, badPath))
    return []
  })
  const inside = design.find((path) => path.startsWith(`${output}/`))
  if (inside !== undefined) badOutput(`\`${output}\` contains the design module \`${inside}\`.`)
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
    declarations: config.declarations ?? true,
    searchIndex: config.searchIndex ?? false,
    ...(tsconfig !== undefined && { tsconfig: relativePath(root, tsconfig) }),
    ...(config.module !== undefined && { module: inProject(root, config.module) }),
    importMap: Object.fromEntries(importMap.map(([path, specifier]) => [inProject(root, path), specifier])),
    lint: config.lint ?? {},
    tokens: config.tokens ?? {},
  }
  return { value, diagnostics }
}

function fileOf(root: string, path: string): string {
  return resolve(root, path.replaceAll('\\', '/'))
}

function inProject(root: string, path: string): string {
  const relative = relativePath(root, fileOf(root, path))
  return relative === '' ? '' : posix.normalize(relative)
}

const minimal =
  "import { defineConfig } from '@toolgen/codegen'; export default defineConfig({ design: 'design/**/*.ts', output: 'gen' })"

function noConfig({ cwd, path }: { readonly cwd: string; readonly path?: string }): Diagnostic {
  const other =
    path === undefined ? foldersUpFrom(dirname(cwd)).find((folder) => findConfig({ cwd: folder })) : undefined
  return errorAt(
    undefined,
    'TG1001',
    path === undefined ? `${configNames[0]} not found in ${cwd}.` : `File \`${path}\` not found in ${cwd}.`,
    other === undefined
      ? `Create it, or set --config: \`${minimal}\`. For a new project, run \`npx toolgen init --dir NAME\`.`
      : `Run the command in a folder with a configuration: \`--cwd ${relativePath(cwd, other)}\`.`,
  )
}

function notEvaluated(error: unknown, root: string, file: string, closure: readonly string[]): Diagnostic {
  return evaluationDiagnostic(error, { root, file, closure }, { code: 'TG1002', what: 'configuration' })
}

interface Requirement {
  readonly expected: string
  readonly test: (value: unknown) => boolean
  readonly entry?: Requirement
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
  expected: 'an integer of 0 or more',
  test: (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0,
}

const flag: Requirement = { expected: 'a boolean', test: (value) => typeof value === 'boolean' }

const configFields: Fields = {
  design: {
    expected: 'the path of a design module or an array of paths',
    test: (value) => isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText)),
  },
  output: pathOf('folder'),
  importExtension: oneOf(['.js', '.ts', ''], "'.js', '.ts' or ''"),
  codecs: oneOf(['ts', 'js']),
  declarations: flag,
  searchIndex: flag,
  tsconfig: pathOf('file'),
  module: pathOf('file'),
  importMap: {
    expected: 'an object with module paths as keys and specifiers as values',
    test: (value) =>
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.entries(value).flat().every(isText),
  },
  lint: objectWith({
    rules: {
      expected: `an object with rules as keys and ${level.expected} as values`,
      test: (value) => isPlainObject(value) && Object.values(value).every(level.test),
      entry: level,
    },
    vendors: {
      expected: `an array of ${vendors.map((name) => `'${name}'`).join(', ')}`,
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

function checkConfig(
  config: Readonly<Record<string, unknown>>,
  locationOf: (key: string) => SourceLocation,
): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = []
  const wrong = (key: string, path: string, value: unknown, expected: string): void => {
    const message = `\`${path}\` must be ${expected}, but it is ${described(value, expected)}.`
    diagnostics.push(errorAt(locationOf(key), 'TG1005', message, `Set \`${path}\` to ${expected}.`))
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
  // A misspelled `design` is reported only once.
  const isMisnamed = diagnostics.some(({ near }) => near?.[0] === 'design')
  if (config.design === undefined && !isMisnamed) {
    wrong('design', 'design', undefined, configFields.design?.expected ?? '')
  }
  return diagnostics
}

function unknownField(name: string, path: string, known: readonly string[], location: SourceLocation): Diagnostic {
  const message = `Unknown configuration field \`${path}\`.`
  const next = `Remove the field. Known fields: ${known.join(', ')}.`
  return unknownNameAt(location, 'TG1004', message, name, known, next)
}

function isText(value: unknown): value is string {
  // Node throws for paths with NUL.
  return typeof value === 'string' && value.trim() !== '' && !value.includes('\0')
}

function described(value: unknown, expected: string): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array with other values'
  if (typeof value === 'string' && value.includes('\0')) return 'a string with a NUL character'
  if (typeof value === 'string') return value.trim() === '' ? 'an empty string' : `'${value}'`
  if (typeof value === 'object' && !isPlainObject(value)) return 'an object with a custom prototype'
  if (typeof value === 'object') return expected.startsWith('an object') ? 'an object with other values' : 'an object'
  if (typeof value === 'bigint') return `${value}n`
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : `a ${typeof value}`
}

/** Rejects an object such as `{ __proto__: {} }`, because toolgen would ignore its inherited properties. */
function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

export function locationsIn(text: string, file: string): (key: string) => SourceLocation {
  const lines = text.split('\n')
  return (key) => {
    const written = new RegExp(`(?<![\\w$.])(['"]?)${key.replace(/[^\w]/g, '\\$&')}\\1\\s*[:,}]`)
    const index = lines.findIndex((line) => written.test(line))
    if (index === -1) return startOf(file)
    return { file, line: index + 1, column: (lines[index]?.search(written) ?? 0) + 1, length: key.length }
  }
}
