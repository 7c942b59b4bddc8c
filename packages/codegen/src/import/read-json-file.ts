import { readFileSync } from 'node:fs'
import { inWords, isDiskError } from '../write/disk.js'
import { endless, isEndless } from './is-endless.js'

/** A file of JSON, or why it is none: in words that end the sentence "... cannot be read:". */
export type JsonFile = { readonly text: string; readonly json: unknown } | { readonly why: string }

/** Reads a file of JSON. */
export function readJsonFile(path: string): JsonFile {
  try {
    if (isEndless(path)) return { why: endless }
    const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
    return { text, json: JSON.parse(text) }
  } catch (error) {
    if (isDiskError(error)) return { why: inWords(error) }
    if (error instanceof SyntaxError) return { why: 'it is no JSON' }
    throw error
  }
}
