import { readFileSync } from 'node:fs'
import { pointerOf } from '@toolgen/runtime/schema'
import type { Checked, SourceLocation } from '../diagnostics/diagnostic.js'
import { diskErrorText, isDiskError } from '../files.js'
import { jsonError } from '../schema/json-error.js'
import { jsonLocations } from '../schema/json-locations.js'
import { endless, type ImportSource, invalidText, isEndless } from './sources.js'

export function jsonOf(source: ImportSource): Checked<{ readonly json: unknown }> {
  const error = jsonError(source.text)
  if (error !== undefined) return { diagnostics: [invalidText(source, error)] }
  return { value: { json: JSON.parse(source.text) }, diagnostics: [] }
}

export function jsonPartLocations(
  text: string,
  parts: readonly (readonly (string | number)[])[],
): readonly Pick<SourceLocation, 'line' | 'column'>[] {
  if (parts.length === 0) return []
  const pointers = parts.map((keys) => [...keys, ''].map((_, outer) => pointerOf(keys.slice(0, keys.length - outer))))
  const locations = jsonLocations(text, new Set(pointers.flat()))
  return pointers.map((candidates) => {
    const pointer = candidates.find((each) => locations.has(each)) ?? ''
    return locations.get(pointer) ?? { line: 1, column: 1 }
  })
}

/** `why` is the end of a message: `... cannot be read: <why>`. */
export type JsonFile = { readonly text: string; readonly json: unknown } | { readonly why: string }

export function readJsonFile(path: string): JsonFile {
  try {
    if (isEndless(path)) return { why: endless }
    const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
    return { text, json: JSON.parse(text) }
  } catch (thrown) {
    if (isDiskError(thrown)) return { why: diskErrorText(thrown) }
    if (thrown instanceof SyntaxError) return { why: 'it is not JSON' }
    throw thrown
  }
}
