import { readFileSync } from 'node:fs'
import { dirname, posix, resolve } from 'node:path'
import type { Checked, Diagnostic, SourceLocation } from '../diagnostics/diagnostic.js'
import { foundAt, relativePath } from '../files.js'
import { byCodePoint } from '../text.js'
import { type CheckedFields, checkFields, locationsIn } from './config-checks.js'
import { type Evaluation, evaluateModules, evaluateQuickly } from './evaluate.js'
import { describeFailure, explained, type Failure } from './evaluation-errors.js'
import {
  configNames,
  findConfig,
  findDesignFiles,
  findTsconfig,
  folderWithConfig,
  type ResolvedConfig,
} from './toolgen-config.js'
import { tsconfigDiagnostic, UnreadableTsconfig } from './tsconfig.js'

/** A configuration, or what is wrong with it, and what was read for it. */
export interface LoadedConfig extends Checked<ResolvedConfig> {
  /** Every file outside `node_modules` that took part, also where evaluating it failed: absolute. */
  readonly read: readonly string[]
}

/**
 * Finds, evaluates and checks the configuration.
 *
 * @param options.path the file that the user named; otherwise the configuration of `cwd` is taken
 */
export async function loadConfig(options: { readonly cwd: string; readonly path?: string }): Promise<LoadedConfig> {
  const file = findConfig(options)
  if (file === undefined) return { diagnostics: [noConfig(options)], read: [] }
  const root = dirname(file)
  const tsconfig = findTsconfig(root)
  const project = { root, ...(tsconfig === undefined ? {} : { tsconfig }) }
  const read = (evaluation: Evaluation): LoadedConfig => ({
    ...checkedConfig(evaluation, { root, file }),
    read: evaluation.closure,
  })
  const evaluation = await evaluateQuickly([file], project)
  try {
    return read(evaluation)
  } catch {
    // What was exported is the user's own: reading a field of it can run a getter. Only the complete way knows the line.
    const complete = await evaluateModules([file], project)
    try {
      return read(complete)
    } catch (error) {
      const failure = describeFailure(error, { root, file, closure: complete.closure })
      return { diagnostics: [notEvaluated(failure)], read: complete.closure }
    }
  }
}

/** Throws what a getter of the configuration throws. */
function checkedConfig(
  { closure, failures, modules }: Evaluation,
  { root, file }: { readonly root: string; readonly file: string },
): Checked<ResolvedConfig> {
  const [failure] = failures
  if (failure?.error instanceof UnreadableTsconfig) {
    return { diagnostics: [tsconfigDiagnostic(failure.error.fault, root)] }
  }
  if (failure !== undefined) {
    return { diagnostics: [notEvaluated(describeFailure(failure.error, { root, file, closure }))] }
  }
  const name = relativePath(root, file)
  const locationOf = locationsIn(readFileSync(file, 'utf8'), name)
  const exported = defaultExport(modules[0]?.exports)
  const checked = exported && checkFields(exported, locationOf)
  if (checked === undefined) return { diagnostics: [noObject(name)] }
  const { fields, diagnostics } = checked
  if (fields === undefined) return { diagnostics }
  return resolveFields(fields, {
    root,
    file: name,
    closure: closure.map((path) => relativePath(root, path)),
    locationOf,
  })
}

function resolveFields(
  fields: CheckedFields,
  context: Pick<ResolvedConfig, 'root' | 'file' | 'closure'> & { readonly locationOf: (key: string) => SourceLocation },
): Checked<ResolvedConfig> {
  const { root, file, closure, locationOf } = context
  const diagnostics: Diagnostic[] = []
  const output = inProject(root, fields.output ?? 'gen')
  if (output.startsWith('../') || output === '..' || output === '') {
    diagnostics.push(
      badOutput(`The output folder \`${fields.output}\` is not a folder inside the project.`, locationOf),
    )
  }
  if (output.split('/').includes('node_modules')) {
    diagnostics.push(
      badOutput(`The output folder \`${output}\` lies in node_modules, which installing replaces.`, locationOf),
    )
  }
  const patterns = fields.design.map((pattern) => inProject(root, pattern))
  const design = patterns.flatMap((pattern) => {
    const files = findDesignFiles(root, pattern, output)
    if (files.length === 0) diagnostics.push(noDesign(pattern, locationOf('design')))
    return files
  })
  const inside = design.find((path) => path.startsWith(`${output}/`))
  if (inside !== undefined) {
    diagnostics.push(badOutput(`The output folder \`${output}\` holds the design module \`${inside}\`.`, locationOf))
  }
  if (fields.tsconfig !== undefined && !isFile(fileOf(root, fields.tsconfig))) {
    diagnostics.push(missingFile('TG1008', 'tsconfig', fields.tsconfig, locationOf('tsconfig')))
  }
  const importMap: [string, string][] = []
  for (const [path, specifier] of Object.entries(fields.importMap ?? {})) {
    if (!isFile(fileOf(root, path))) diagnostics.push(missingFile('TG1009', 'importMap', path, locationOf('importMap')))
    importMap.push([inProject(root, path), specifier])
  }
  if (diagnostics.length > 0) return { diagnostics }
  const tsconfig = fields.tsconfig === undefined ? findTsconfig(root) : fileOf(root, fields.tsconfig)
  const value: ResolvedConfig = {
    root,
    file,
    closure,
    patterns,
    design: [...new Set(design)].sort(byCodePoint),
    output,
    importExtension: fields.importExtension ?? '.js',
    codecs: fields.codecs ?? 'ts',
    ...(tsconfig === undefined ? {} : { tsconfig: relativePath(root, tsconfig) }),
    importMap: Object.fromEntries(importMap),
    lint: fields.lint ?? {},
    tokens: fields.tokens ?? {},
  }
  return { value, diagnostics }
}

/** The file that a path of the configuration names. Either slash parts folders, so that it means the same everywhere. */
function fileOf(root: string, path: string): string {
  return resolve(root, path.replaceAll('\\', '/'))
}

/** A path of the configuration relative to the root; the root itself is `''`. */
function inProject(root: string, path: string): string {
  const relative = relativePath(root, fileOf(root, path))
  return relative === '' ? '' : posix.normalize(relative)
}

function isFile(path: string): boolean {
  return foundAt(path)?.isFile() ?? false
}

function defaultExport(namespace: object | undefined): Readonly<Record<string, unknown>> | undefined {
  const value = namespace !== undefined && 'default' in namespace ? namespace.default : undefined
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
}

function noConfig({ cwd, path }: { readonly cwd: string; readonly path?: string }): Diagnostic {
  const above = path === undefined ? folderWithConfig(dirname(cwd)) : undefined
  return {
    code: 'TG1001',
    severity: 'error',
    message:
      path === undefined ? `There is no ${configNames[0]} in ${cwd}.` : `There is no file \`${path}\` in ${cwd}.`,
    next:
      above === undefined
        ? 'Run `toolgen init` to write one, or name it with --config.'
        : `Run the command in the folder that has one: \`--cwd ${relativePath(cwd, above)}\`.`,
  }
}

function notEvaluated(failure: Failure): Diagnostic {
  const { kind, message, location, next, near } = failure
  return {
    code: 'TG1002',
    severity: 'error',
    message:
      kind === 'syntax'
        ? `The configuration has a syntax error: ${message}`
        : `The configuration cannot be evaluated: ${explained(failure)}`,
    location,
    next: next ?? 'Correct the configuration so that it can be imported.',
    ...(near !== undefined && { near }),
  }
}

function noObject(file: string): Diagnostic {
  return {
    code: 'TG1003',
    severity: 'error',
    message: 'The configuration does not export an object as its default.',
    location: { file, line: 1, column: 1 },
    next: 'Write `export default defineConfig({ design: ... })`.',
  }
}

function noDesign(pattern: string, location: SourceLocation): Diagnostic {
  return {
    code: 'TG1006',
    severity: 'error',
    message: `No design module matches \`${pattern}\`.`,
    location,
    next: 'Correct the path; it is relative to the configuration file.',
  }
}

function badOutput(message: string, locationOf: (key: string) => SourceLocation): Diagnostic {
  return {
    code: 'TG1007',
    severity: 'error',
    message,
    location: locationOf('output'),
    next: 'Choose a folder of its own below the project, e.g. `gen`.',
  }
}

function missingFile(code: 'TG1008' | 'TG1009', field: string, path: string, location: SourceLocation): Diagnostic {
  return {
    code,
    severity: 'error',
    message: `\`${field}\` names \`${path}\`, which is no file.`,
    location,
    next: 'Correct the path; it is relative to the configuration file.',
  }
}
