import { nearestNames } from '@toolgen/runtime/schema'
import { byCodePoint } from '../text.js'
import { type Diagnostic, errorAt, type SourceLocation } from './diagnostic.js'

export function nearest(name: string, candidates: Iterable<string>): readonly string[] {
  const others = [...new Set(candidates)].filter((candidate) => candidate !== name)
  return nearestNames(name, others.sort(byCodePoint), 3, true)
}

export function unknownNameAt(
  location: SourceLocation | undefined,
  code: string,
  message: string,
  name: string,
  known: readonly string[],
  otherwise: string,
): Diagnostic {
  const near = nearest(name, known)
  const next = near[0] === undefined ? otherwise : `Did you mean \`${near[0]}\`?`
  return errorAt(location, code, message, next, near.length === 0 ? {} : { near })
}
