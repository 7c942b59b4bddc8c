import { readdirSync } from 'node:fs'
import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Diagnostic, errorAt, type SourceLocation, startOf } from '../diagnostics/diagnostic.js'
import { nearest } from '../diagnostics/near-names.js'
import { isFolder, readText, relativePath } from '../files.js'
import { TsconfigError, tsconfigDiagnostic } from './tsconfig.js'

interface Failure {
  readonly kind: 'syntax' | 'missing import' | 'thrown'
  /** On one line, without absolute paths. */
  readonly message: string
  readonly location: SourceLocation
  readonly cause?: string
  readonly next?: string
  readonly near?: readonly string[]
}

export function messageWithCause(message: string, cause: string | undefined): string {
  return cause === undefined ? message : `${message.replace(/\.?$/, '.')} ${cause}`
}

interface FailureContext {
  readonly root: string
  readonly file: string
  readonly closure: readonly string[]
}

export function evaluationDiagnostic(
  error: unknown,
  context: FailureContext,
  { code, what }: { readonly code: string; readonly what: 'configuration' | 'module to serve' | 'module to import' },
): Diagnostic {
  if (error instanceof TsconfigError) return tsconfigDiagnostic(error, context.root)
  const { kind, message, location, cause, next, near } = describeFailure(error, context)
  const problem = kind === 'syntax' ? 'has a syntax error' : 'cannot be evaluated'
  const step = next ?? `Correct the ${what.replace(/ to .*/, '')} so that it can be imported.`
  return errorAt(location, code, `The ${what} ${problem}: ${messageWithCause(message, cause)}`, step, near && { near })
}

export function describeFailure(error: unknown, context: FailureContext): Failure {
  try {
    return failureOf(error, context)
  } catch {
    // Reading the error can call a getter of the design, which can throw too.
    return failureOf('A value was thrown that cannot be read', context)
  }
}

function failureOf(error: unknown, context: FailureContext): Failure {
  const { root, closure } = context
  const message = messageOf(error, root)
  const syntax = /^(?:SyntaxError|ParseError): (.*?)\s*\n\s*(.+):(\d+):(\d+)$/s.exec(textOf(error))
  if (syntax) {
    const [, what = '', file = '', line, column] = syntax
    // Columns of the compiler begin with 0.
    const at = { line: Number(line), column: Number(column) + 1 }
    return syntaxFailure(oneLine(what, root), toPath(file), at, root)
  }
  const location = frameOf(error, closure, root) ?? startOf(relativePath(root, context.file))
  if (error instanceof SyntaxError) return { kind: 'syntax', message, location }
  const missing = missingModule(error)
  if (missing !== undefined) {
    const found = importLocation(missing, context) ?? location
    const near = nearModules(missing, join(root, found.file))
    return {
      kind: 'missing import',
      message: oneLine(`Cannot find module '${missing}'.`, root),
      location: found,
      next: stepForMissing(missing, near),
      ...(near.length > 0 && { near }),
    }
  }
  const [, object, name = ''] = /([\w$]+)\.([\w$]+) is not a function$/.exec(message) ?? []
  const [near] = object === 'z' ? nearest(name, zodFunctions.split(' ')) : []
  if (near !== undefined) return { kind: 'thrown', message, location, next: `Did you mean \`z.${near}\`?` }
  const next = /\bgot undefined\b/.test(message) ? { next: undefinedStep } : {}
  return { kind: 'thrown', message, location, ...(likelyCause(message, location, context) ?? next) }
}

const zodFunctions =
  'any array base64 bigint boolean codec date discriminatedUnion email enum int int32 iso json lazy literal looseObject map never null ' +
  'nullable number object optional partialRecord pipe record set strictObject string stringbool templateLiteral tuple union unknown url uuid'

const undefinedStep =
  'Set a value. If the value is imported, check that the module exports this name: imports of missing exports are undefined.'

function syntaxFailure(
  message: string,
  file: string,
  at: { readonly line: number; readonly column: number },
  root: string,
): Failure {
  const lines = readText(file).split('\n')
  const last = lines.findLastIndex((line) => line.trim() !== '')
  const isBehind = at.line > last + 1 && last !== -1
  const end = { line: last + 1, column: (lines[last]?.trimEnd().length ?? 0) + 1 }
  return {
    kind: 'syntax',
    message,
    location: { file: relativePath(root, file), ...(isBehind ? end : at) },
    next: isBehind
      ? 'Close the bracket, string or comment that is still open at the end of the module.'
      : 'Correct the syntax at this location.',
  }
}

function textOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message)
  return typeof error === 'string' ? error : ''
}

function messageOf(error: unknown, root: string): string {
  // The evaluated code names an import of `zod` `_zod`.
  const text = oneLine(textOf(error), root).replace(/\b_\w+\.(?=[\w$.]+ is not a (?:function|constructor)\b)/, '')
  if (text !== '') return text
  return error instanceof Error ? error.name : `A thrown value is not an Error but a ${typeof error}`
}

function oneLine(text: string, root: string): string {
  const [line = ''] = text.trim().split(/[\n\r\u2028\u2029]/)
  return line.replaceAll(`${root}/`, '').replaceAll(root, '.')
}

function missingModule(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  if (error.code !== 'MODULE_NOT_FOUND' && error.code !== 'ERR_MODULE_NOT_FOUND') return undefined
  return /Cannot find (?:module|package) '([^']+)'/.exec(textOf(error))?.[1]
}

function importLocation(specifier: string, { file, closure, root }: FailureContext): SourceLocation | undefined {
  const base = specifier.split('/').at(-1) ?? specifier
  for (const candidate of [file, ...closure]) {
    const lines = readText(candidate).split('\n')
    for (const wanted of [specifier, base]) {
      const index = lines.findIndex((line) => /\b(?:import|export|from|require)\b/.test(line) && line.includes(wanted))
      const column = lines[index]?.indexOf(wanted)
      if (column === undefined) continue
      return { file: relativePath(root, candidate), line: index + 1, column: column + 1, length: wanted.length }
    }
  }
  return undefined
}

function frameOf(error: unknown, closure: readonly string[], root: string): SourceLocation | undefined {
  if (typeof error !== 'object' || error === null || !('stack' in error) || typeof error.stack !== 'string') {
    return undefined
  }
  const known = new Set(closure)
  for (const frame of error.stack.matchAll(/^\s*at (?:.*\()?(.+?):(\d+):(\d+)\)?$/gm)) {
    const file = toPath(frame[1] ?? '')
    if (!known.has(file)) continue
    const line = Number(frame[2])
    // Columns in the stack refer to compiled code. The column of the first character of the line is used instead.
    const column = readText(file).split('\n')[line - 1]?.search(/\S/) ?? 0
    return { file: relativePath(root, file), line, column: Math.max(column, 0) + 1 }
  }
  return undefined
}

function toPath(file: string): string {
  return file.startsWith('file://') ? fileURLToPath(file) : file
}

const moduleFile: RegExp = /(?<!\.d)\.([cm]?)[jt]sx?$/

const packageName: RegExp = /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*$/i

function stepForMissing(specifier: string, near: readonly string[]): string {
  if (isFileSpecifier(specifier)) {
    const [, name = '', kind = ''] = /([^/]+)\.(mcp|openapi|module|functions)\.js$/.exec(specifier) ?? []
    if (near[0] === undefined && kind !== '') {
      return `Import the tools first: \`npm run import\` if package.json has this script, otherwise \`toolgen import ${kind} ${name} ...\`.`
    }
    return near[0] === undefined
      ? 'Correct the import: the folder contains no file with this or a similar name.'
      : `Correct the import. Did you mean \`${near[0]}\`?`
  }
  const [name] = /^(?:@[^/]*\/)?[^/]*/.exec(specifier) ?? ['']
  return packageName.test(name)
    ? `Correct the import, or install the package: npm install --save-dev ${name}`
    : 'Correct the import, or the `paths` or `imports` entry that maps it.'
}

function nearModules(specifier: string, importer: string): readonly string[] {
  if (!isFileSpecifier(specifier)) return []
  const target = resolve(dirname(importer), specifier)
  const folder = dirname(target)
  const names = isFolder(folder) ? readdirSync(folder).filter((name) => moduleFile.test(name)) : []
  const stems = new Map(names.map((name) => [stemOf(name), name.replace(moduleFile, '.$1js')]))
  const start = specifier.slice(0, specifier.lastIndexOf('/') + 1)
  const hasExtension = extname(target) !== ''
  return nearest(stemOf(target), stems.keys()).map((stem) => `${start}${hasExtension ? stems.get(stem) : stem}`)
}

function isFileSpecifier(specifier: string): boolean {
  return specifier.startsWith('.') || isAbsolute(specifier)
}

function stemOf(file: string): string {
  return basename(file).replace(moduleFile, '')
}

const ofMissingValue: RegExp = /\b(?:undefined|null|missing|before initialization)\b|Invalid URL/

function likelyCause(message: string, location: SourceLocation, { root, closure }: FailureContext) {
  if (!ofMissingValue.test(message)) return undefined
  const file = join(root, location.file)
  const text = readText(file)
  // The DSL reports a field with the value `undefined` as missing.
  const field = /"(\w+)" is missing/.exec(message)?.[1]
  const variables = unsetVariables(text, location.line, field)
  const [variable] = variables
  if (variable !== undefined) {
    const named = variables.map((name) => `\`process.env.${name}\``).join(' and ')
    return {
      cause: `${named} ${variables.length === 1 ? 'is' : 'are'} not set.`,
      next: `Set ${variables.map((name) => `\`${name}\``).join(' and ')} in the environment of toolgen, or write a default: \`process.env.${variable} ?? '...'\`.`,
    }
  }
  if (field !== undefined && !isWritten(field, text, location.line)) return undefined
  const cycle = importCycle(file, new Set(closure))
  if (cycle === undefined) return undefined
  const shown = cycle.map((each) => `\`${relativePath(root, each)}\``).join(' → ')
  return {
    cause: `Modules import each other in a cycle (${shown}). An export is undefined until its module is evaluated.`,
    next: 'Move the shared code to a new module that imports none of these modules.',
  }
}

function unsetVariables(text: string, line: number, field: string | undefined): readonly string[] {
  const lines = text.split('\n')
  const failing = lines[line - 1] ?? ''
  const isNamed = (name: string): boolean => name === field || new RegExp(`\\b${name}\\b`).test(failing)
  const found = lines.flatMap((each, index) => [
    ...[...each.matchAll(readVariable)].flatMap((match) => {
      const name = match[1] ?? match[2] ?? ''
      const owner = ownerOf(each.slice(0, match.index))
      const isRead =
        index === line - 1 || (index === line - 2 && /^\s*[.?[]/.test(failing)) || (owner && isNamed(owner))
      return isRead ? [name] : []
    }),
    ...[...each.matchAll(takenVariables)].flatMap(([, names = '']) => names.split(',').flatMap(taken(isNamed))),
  ])
  return [...new Set(found)].filter((name) => process.env[name] === undefined)
}

/** For `env` without `process`, the variable must begin with a capital letter, because other objects can also have the name `env`. */
const readVariable: RegExp =
  /(?:\bprocess\.env|(?<![.\w])env(?=(?:\.|\[\s*['"])[A-Z]))(?:\.([A-Za-z_]\w*)|\[\s*['"]([^'"]+)['"]\s*\])(?!\s*(?:\?\?|\|\||\?\.))/g

const takenVariables: RegExp = /\{([^{}=]*)\}\s*=\s*(?:process\.)?env\b(?!\s*[.[])/g

function taken(isNamed: (local: string) => boolean): (entry: string) => readonly string[] {
  return (entry) => {
    const [name = '', local = name] = entry.split(':').map((part) => part.trim())
    return local !== '' && isNamed(local) ? [name] : []
  }
}

function ownerOf(before: string): string | undefined {
  return /\b(?:const|let|var)\s+(\w+)/.exec(before)?.[1] ?? /(\w+)\s*:[^:]*$/.exec(before)?.[1]
}

function isWritten(field: string, text: string, line: number): boolean {
  const definition = text
    .split('\n')
    .slice(line - 1)
    .join('\n')
  return new RegExp(`\\b${field}\\s*(?:[,}]|:\\s*[A-Za-z_$][\\w$.]*\\s*[,}\\n])`).test(definition)
}

function importCycle(file: string, files: ReadonlySet<string>): readonly string[] | undefined {
  const reached = new Set<string>()
  let paths: readonly (readonly string[])[] = [[file]]
  while (paths.length > 0) {
    const longer = paths.flatMap((path) => importsOf(path.at(-1) ?? file, files).map((next) => [...path, next]))
    const closed = longer.find((path) => path.at(-1) === file)
    if (closed !== undefined) return closed
    paths = longer.filter((path) => {
      const last = path.at(-1) ?? file
      if (reached.has(last)) return false
      reached.add(last)
      return true
    })
  }
  return undefined
}

function importsOf(file: string, files: ReadonlySet<string>): readonly string[] {
  const pattern = /^\s*(?:import|export)\s+(?!type\b)(?:[^'";]*?\bfrom\s*)?['"](\.{1,2}\/[^'"]+)['"]/gm
  return [...readText(file).matchAll(pattern)].flatMap(([, specifier = '']) => {
    const named = join(dirname(file), specifier)
    const candidates = [named, named.replace(/\.([cm]?)js$/, '.$1ts'), `${named}.ts`, join(named, 'index.ts')]
    return candidates.filter((candidate) => files.has(candidate)).slice(0, 1)
  })
}
