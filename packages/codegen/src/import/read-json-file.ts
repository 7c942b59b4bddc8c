import { readFileSync } from 'node:fs'
import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import { inWords, isDiskError } from '../write/disk.js'

/**
 * Reads a file of JSON.
 *
 * @param shown the path as the user wrote it
 */
export function readJsonFile(path: string, shown: string): Checked<{ readonly json: unknown }> {
  try {
    const json: unknown = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''))
    return { value: { json }, diagnostics: [] }
  } catch (error) {
    if (isDiskError(error)) return { diagnostics: [unreadable(shown, inWords(error))] }
    if (error instanceof SyntaxError) return { diagnostics: [unreadable(shown, 'it is no JSON')] }
    throw error
  }
}

function unreadable(shown: string, why: string): Diagnostic {
  return {
    code: 'TG0009',
    severity: 'error',
    message: `\`${shown}\` cannot be read: ${why}.`,
    next: 'Correct --from; it is relative to the folder in which the command works.',
  }
}
