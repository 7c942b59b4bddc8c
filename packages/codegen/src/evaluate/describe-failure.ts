import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SourcePlace } from '../diagnostics/diagnostic.js'
import { likelyCause } from './likely-cause.js'
import { nearModules, stepForMissing } from './missing-module.js'
import { readText } from './read-text.js'
import { relativePath } from './relative-path.js'

/** Why a module could not be evaluated, in terms of the user's files. */
export interface Failure {
  readonly kind: 'syntax' | 'missing import' | 'thrown'
  /** The error's message on one line, without absolute paths. */
  readonly message: string
  readonly place: SourcePlace
  /** A likely reason that the message does not name, as one sentence. */
  readonly cause?: string
  /** What to do, in one sentence; absent where only the author can know. */
  readonly next?: string
  /** Modules that may have been meant, as an import writes them, nearest first. */
  readonly near?: readonly string[]
}

/** The message of a failure with its likely cause behind it. */
export function explained({ message, cause }: Pick<Failure, 'message' | 'cause'>): string {
  return cause === undefined ? message : `${message.replace(/\.?$/, '.')} ${cause}`
}

/** Where the modules are. */
interface FailureContext {
  readonly root: string
  readonly file: string
  readonly closure: readonly string[]
}

/**
 * Finds out what went wrong and where: the first line of the error's stack that lies in one of the user's files, never
 * the stack itself.
 *
 * @param file the module that was asked for: the place when nothing better is known
 * @param closure the files that took part
 */
export function describeFailure(error: unknown, context: FailureContext): Failure {
  try {
    return failureOf(error, context)
  } catch {
    // To read an error can run what the design made of it, a getter that throws in turn.
    return failureOf('A value was thrown that cannot be read', context)
  }
}

function failureOf(error: unknown, context: FailureContext): Failure {
  const { root, closure } = context
  const message = messageOf(error, root)
  const whole: SourcePlace = { file: relativePath(root, context.file), line: 1, column: 1 }
  const syntax = /^(?:SyntaxError|ParseError): (.*?)\s*\n\s*(.+):(\d+):(\d+)$/s.exec(textOf(error))
  if (syntax) {
    const [, what = '', file = '', line, column] = syntax
    // The compiler counts columns from zero.
    const at = { line: Number(line), column: Number(column) + 1 }
    return syntaxFailure(oneLine(what, root), toPath(file), at, root)
  }
  if (error instanceof SyntaxError) return { kind: 'syntax', message, place: frameOf(error, closure, root) ?? whole }
  const missing = missingModule(error)
  if (missing !== undefined) {
    const place = importPlace(missing, context.file, closure, root) ?? frameOf(error, closure, root) ?? whole
    const near = nearModules(missing, join(root, place.file))
    return {
      kind: 'missing import',
      message: oneLine(`Cannot find module '${missing}'.`, root),
      place,
      next: stepForMissing(missing, near),
      ...(near.length > 0 && { near }),
    }
  }
  const place = frameOf(error, closure, root) ?? whole
  const thrown: Failure = { kind: 'thrown', message, place, ...likelyCause(message, place, context) }
  if (thrown.cause !== undefined) return thrown
  return /\bgot undefined\b/.test(message) ? { ...thrown, next: undefinedStep } : thrown
}

const undefinedStep =
  'Give it a value; where it is imported, check that the module exports that name: what is not exported is undefined.'

/** A place behind the text, where a compiler misses what should close it, becomes the end of what is written. */
function syntaxFailure(
  message: string,
  file: string,
  at: { readonly line: number; readonly column: number },
  root: string,
): Failure {
  const lines = readText(file).split('\n')
  const last = lines.findLastIndex((line) => line.trim() !== '')
  const name = relativePath(root, file)
  if (at.line <= last + 1 || last === -1) {
    return { kind: 'syntax', message, place: { file: name, ...at }, next: 'Correct the syntax at this place.' }
  }
  return {
    kind: 'syntax',
    message,
    place: { file: name, line: last + 1, column: (lines[last]?.trimEnd().length ?? 0) + 1 },
    next: 'Close what is still open at the end of the module: a bracket, a text or a comment.',
  }
}

function textOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message)
  return typeof error === 'string' ? error : ''
}

function messageOf(error: unknown, root: string): string {
  const text = oneLine(textOf(error), root)
  if (text !== '') return text
  return error instanceof Error ? error.name : `A value was thrown that is no error: ${typeof error}`
}

/** The first line of a text, without what only this machine knows. */
function oneLine(text: string, root: string): string {
  const [line = ''] = text.trim().split(/[\n\r\u2028\u2029]/)
  return line.replaceAll(`${root}/`, '').replaceAll(root, '.')
}

function missingModule(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  if (error.code !== 'MODULE_NOT_FOUND' && error.code !== 'ERR_MODULE_NOT_FOUND') return undefined
  return /Cannot find (?:module|package) '([^']+)'/.exec(textOf(error))?.[1]
}

/** Where the missing module is imported: in the module at hand, else in one that took part. */
function importPlace(
  specifier: string,
  file: string,
  closure: readonly string[],
  root: string,
): SourcePlace | undefined {
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

/** The innermost frame of the stack that lies in a file of the user. Columns are those of the compiled text. */
function frameOf(error: unknown, closure: readonly string[], root: string): SourcePlace | undefined {
  if (typeof error !== 'object' || error === null || !('stack' in error) || typeof error.stack !== 'string') {
    return undefined
  }
  const known = new Set(closure)
  for (const frame of error.stack.matchAll(/^\s*at (?:.*\()?(.+?):(\d+):(\d+)\)?$/gm)) {
    const file = toPath(frame[1] ?? '')
    if (!known.has(file)) continue
    const line = Number(frame[2])
    const column = readText(file).split('\n')[line - 1]?.search(/\S/) ?? 0
    return { file: relativePath(root, file), line, column: Math.max(column, 0) + 1 }
  }
  return undefined
}

function toPath(file: string): string {
  return file.startsWith('file://') ? fileURLToPath(file) : file
}
