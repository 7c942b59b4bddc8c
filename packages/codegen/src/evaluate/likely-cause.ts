import { dirname, join } from 'node:path'
import process from 'node:process'
import type { SourcePlace } from '../diagnostics/diagnostic.js'
import { readText } from './read-text.js'
import { relativePath } from './relative-path.js'

/** A reason for an error that the error itself does not name. */
export interface LikelyCause {
  /** One sentence. */
  readonly cause: string
  /** One sentence: what to change. */
  readonly next: string
}

/** Errors that a value which is not there leads to. */
const ofMissingValue: RegExp = /\b(?:undefined|null|missing|before initialization)\b|Invalid URL/

/**
 * Looks for the reason why a value was not there: modules that import each other, or an environment variable that is
 * not set. Undefined where nothing suggests either.
 *
 * @param message the message of the error
 * @param place where it was thrown
 * @param closure the files that took part: absolute
 */
export function likelyCause(
  message: string,
  place: SourcePlace,
  { root, closure }: { readonly root: string; readonly closure: readonly string[] },
): LikelyCause | undefined {
  if (!ofMissingValue.test(message)) return undefined
  const file = join(root, place.file)
  const text = readText(file)
  // A field that was written, with a value that is undefined, is missing to the function that takes it.
  const field = /"(\w+)" is missing/.exec(message)?.[1]
  const variables = unsetVariables(text, place.line, field)
  const [variable] = variables
  if (variable !== undefined) {
    const named = variables.map((name) => `\`process.env.${name}\``).join(' and ')
    return {
      cause: `${named} ${variables.length === 1 ? 'is' : 'are'} not set.`,
      next: `Set ${variables.map((name) => `\`${name}\``).join(' and ')} in the environment of toolgen, or write a default: \`process.env.${variable} ?? '...'\`.`,
    }
  }
  if (field !== undefined && !isWritten(field, text, place.line)) return undefined
  const cycle = importCycle(file, new Set(closure))
  if (cycle === undefined) return undefined
  const shown = cycle.map((each) => `\`${relativePath(root, each)}\``).join(' → ')
  return {
    cause: `Modules import each other in a circle (${shown}), so what one of them exports is undefined while another one is evaluated.`,
    next: 'Move what both modules need to a module of its own that imports neither of them.',
  }
}

/** The unset environment variables without a default that a line reads, itself or through a constant of the module. */
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

/** `process.env.NAME`, or `env['NAME']` with the name in capitals, since other things are called env too. */
const readVariable: RegExp =
  /(?:\bprocess\.env|(?<![.\w])env(?=(?:\.|\[\s*['"])[A-Z]))(?:\.([A-Za-z_]\w*)|\[\s*['"]([^'"]+)['"]\s*\])(?!\s*(?:\?\?|\|\||\?\.))/g

/** `const { NAME, OTHER: local } = process.env` */
const takenVariables: RegExp = /\{([^{}=]*)\}\s*=\s*(?:process\.)?env\b(?!\s*[.[])/g

function taken(isNamed: (local: string) => boolean): (entry: string) => readonly string[] {
  return (entry) => {
    const [name = '', local = name] = entry.split(':').map((part) => part.trim())
    return local !== '' && isNamed(local) ? [name] : []
  }
}

/** The constant or the property to which the value behind this text goes. */
function ownerOf(before: string): string | undefined {
  return /\b(?:const|let|var)\s+(\w+)/.exec(before)?.[1] ?? /(\w+)\s*:[^:]*$/.exec(before)?.[1]
}

/** True for a field that the definition at a line writes with a name as its value. */
function isWritten(field: string, text: string, line: number): boolean {
  const definition = text
    .split('\n')
    .slice(line - 1)
    .join('\n')
  return new RegExp(`\\b${field}\\s*(?:[,}]|:\\s*[A-Za-z_$][\\w$.]*\\s*[,}\\n])`).test(definition)
}

/** The shortest way of imports from a module back to it: begins and ends with the module. */
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

/** The files of the project that a module imports by a relative path, apart from what it imports for its types alone. */
function importsOf(file: string, files: ReadonlySet<string>): readonly string[] {
  const pattern = /^\s*(?:import|export)\s+(?!type\b)(?:[^'";]*?\bfrom\s*)?['"](\.{1,2}\/[^'"]+)['"]/gm
  return [...readText(file).matchAll(pattern)].flatMap(([, specifier = '']) => {
    const named = join(dirname(file), specifier)
    const candidates = [named, named.replace(/\.([cm]?)js$/, '.$1ts'), `${named}.ts`, join(named, 'index.ts')]
    return candidates.filter((candidate) => files.has(candidate)).slice(0, 1)
  })
}
